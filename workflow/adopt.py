"""Takes runs that an accelerator made into docs/accelerator.csv, the configuration and the build.

  .venv/bin/python workflow/adopt.py FOLDER...   those of folders that came back from `workflow/accelerator.py run`
  .venv/bin/python workflow/adopt.py             those that docs/accelerator.csv and the committed table hold

After it, `snakemake choquettechoo2023_fig04a_cifar10_net` trains nothing of what is known, and summarises, draws and
judges. Runs of a folder are taken only if they were made by the code of this checkout, and if its processor's and the
accelerator's sums of clipped gradients agree; `--within` takes others, and the record says how far apart they are.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import accelerator
from accelerator import ARTEFACT, KEY, RECORD, ROOT, SOURCE

CONFIGURED = Path(f"config/papers/{KEY}.yaml")
TABLE = Path(f"results/paper/on_request/{KEY}/{ARTEFACT}.csv")
# Names of the cells that are written here, and the reason that is written beside them.
PANEL, CHOSEN = "accelerator", 'chosen: "as above, as the time of an accelerator allowed"'
# Columns of a trained part.
COLUMNS = (
    "eps", "mechanism", "learning_rate", "repeat", "device", "noise_multiplier", "copies", "nu", "rho", "series",
    "trial", "value",
)  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="with the CSVs that came back")
    parser.add_argument(
        "--within", type=float, default=accelerator.AGREE, metavar="DIFFERENCE",
        help="relative, of the sums of a processor and the accelerator, at the most; default: %(default)g",
    )  # fmt: skip
    args = parser.parse_args(arguments)
    folders = [folder.resolve() for folder in args.folders]
    os.chdir(ROOT)
    adopt(folders, args.within)


def adopt(folders, within=accelerator.AGREE):
    """Takes runs into the record, the configuration and the build."""
    from dpdescent.replication.build.files import read_rows, write_rows

    kept = {wanted(row): row for row in (read_rows(RECORD) if RECORD.is_file() else [])}
    new = {wanted(row): row for folder in folders for row in came_back(folder, within)}
    if new:
        rows = list({**kept, **new}.values())
        write_rows(RECORD, list(rows[0]), rows)
        configure(list({**kept, **new}))
        kept |= new
        print(f"{RECORD}: {len(kept)} runs, {len(new)} of them from {', '.join(map(str, folders))}")
    into_build(kept)


def wanted(row):
    """The key of the run of a row; computed without JAX, which this side need not have."""
    return float(row["eps"]), row["mechanism"], float(row["learning_rate"]), int(float(row["repeat"]))


def came_back(folder, within):
    """The rows of a folder, if processor and device agree and the code is that of this checkout.

    Raises:
        SystemExit: in one line, if not.
    """
    from dpdescent.replication.build.files import read_rows

    agreed = folder / "agreement.csv"
    if not agreed.is_file():
        sys.exit(f"{agreed} is not there: whether device and processor agree is not known, and no run is taken")
    steps = read_rows(agreed)
    apart = [float(row["difference"]) for row in steps]
    worst = max(apart, key=lambda distance: (distance != distance, distance))
    if not worst <= within:
        sys.exit(f"{agreed}: sums of clipped gradients are {worst:.2e} apart, of {within:g} at the most")
    code = accelerator.code()
    rows = [row for file in sorted(folder.glob("eps=*.csv")) for row in read_rows(file)]
    for row in rows:
        if row["code"] != code:
            sys.exit(f"{folder}: {wanted(row)} was made by code {row['code']}, and this is {code}: check that one out")
        if (row["device"], row["code"]) != (steps[0]["device"], steps[0]["code"]):
            sys.exit(f"{folder}: {wanted(row)} was made on {row['device']}, and {steps[0]['device']} was compared")
    return [{**row, "agrees_within": f"{worst:.1e}"} for row in rows]


def configure(runs):
    """Lists runs in the configuration, as cells of their own beside those that are written by hand."""
    text = CONFIGURED.read_text(encoding="utf-8")
    before, name, rest = text.partition(f"\n  {ARTEFACT}:\n")
    own, trials, after = rest.partition("\n    trials:")
    by_hand = own.partition(f"\n      {PANEL} 1:\n")[0]
    new = before + name + by_hand + trials + after
    accelerator.write(CONFIGURED, new.encode())
    listed = {wanted(part.spec["cell"]) for part in accelerator.configured().parts}
    cells = cells_of(set(runs) - listed)
    written = ""
    for number, cell in enumerate(cells, start=1):
        written += f"\n      {PANEL} {number}:"
        for axis, values in cell.items():
            written += f"\n        {axis}: {{value: [{', '.join(map(shown, values))}], {CHOSEN}}}"
    accelerator.write(CONFIGURED, (before + name + by_hand + written + trials + after).encode())
    listed = {wanted(part.spec["cell"]) for part in accelerator.configured().parts}
    if missing := set(runs) - listed:
        accelerator.write(CONFIGURED, text.encode())
        sys.exit(f"{CONFIGURED} could not be made to list {sorted(missing)[0]}; it is as it was")


def shown(value):
    return json.dumps(value) if isinstance(value, str) else f"{value:g}"


def cells_of(runs):
    """Few products of axes that hold just these runs."""
    repeats = grouped(runs, lambda run: run[:3], lambda run: run[3])
    rates = grouped(repeats, lambda pair: (pair[0][0], pair[0][1], pair[1]), lambda pair: pair[0][2])
    names = grouped(rates, lambda pair: (pair[0][0], pair[0][2], pair[1]), lambda pair: pair[0][1])
    budgets = grouped(names, lambda pair: (*pair[0][1:], pair[1]), lambda pair: pair[0][0])
    return [
        {"eps": eps, "mechanism": name, "learning_rate": rate, "repeat": repeat}
        for (repeat, rate, name), eps in sorted(budgets)
    ]


def grouped(items, key, value):
    """Pairs of a key and the sorted values of all items that have it."""
    groups = {}
    for item in items:
        groups.setdefault(key(item), set()).add(value(item))
    return [(group, tuple(sorted(values))) for group, values in groups.items()]


def into_build(kept):
    """Makes every known run a trained part of the build, and prints which runs are missing."""
    from dpdescent.replication.build import store
    from dpdescent.replication.build.files import read_rows
    from dpdescent.replication.build.fingerprint import code_fingerprint, versions

    begun = ".snakemake/dpdescent/paper.begun"
    call = [Path(sys.executable).with_name("snakemake"), "-c1", begun]
    # Begun here, because the first build of a checkout ignores all parts that were there before it.
    if not Path(begun).is_file() and subprocess.run(call).returncode:
        sys.exit(f"{begun} was not made, for the reason above; then the same command")
    rows = [row for row in read_rows(TABLE) if row["variant"] == "main"]
    committed = {wanted(row): {**row, "trial": "0", "value": row["mean"]} for row in rows}
    artefact = accelerator.configured()
    code = code_fingerprint(SOURCE, ROOT / "workflow/scripts/train.py", [artefact.run])
    parts, missing = artefact.parts, []
    for part in parts:
        where, folder = wanted(part.spec["cell"]), Path("build/paper/parts/on_request") / KEY / ARTEFACT
        if (row := kept.get(where) or committed.get(where)) is None:
            missing.append(part.name)
            continue
        measurement = {name: row[name] for name in COLUMNS}
        made_from = store.key(code, versions("numpy", "scipy"), part.spec, [])
        store.train(
            folder / f"{part.name}.csv", made_from, lambda spec, measurement=measurement: [measurement], part.spec, {}
        )
        other = committed.get(where, row)
        if other["device"] != row["device"]:
            print(f"{part.name}: {row['value']} on {row['device']}; before, {other['value']} on {other['device']}")
    for pack in Path("build/paper/packs/on_request", KEY, ARTEFACT).glob("*.csv"):
        pack.unlink()
    print(f"{len(parts) - len(missing)} runs are in the build")
    learning = accelerator.paper_module("network")
    planned = {(float(eps), name) for eps in learning.FIRST_BUDGETS for name in learning.FIRST_RATES}
    missing += [f"eps={eps:g} {name}" for eps, name in sorted(planned - {where[:2] for where in {**kept, **committed}})]
    if missing:
        print(f"missing, and not trained here: {'; '.join(missing)}")


if __name__ == "__main__":
    main()
