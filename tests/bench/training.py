"""Estimates what the training of each artefact takes in two checkouts, which take turns on this machine.

Run it as `.venv/bin/python tests/bench/training.py OTHER [ITEM...]`; OTHER is a checkout of another state of the code.
Of every variant and panel of an artefact a fifth of the parts, one at least, is trained in both: drawn in proportion to
`relative_cost` and weighted by it, so that the estimate is unbiased even where that cost is wrong. It writes
docs/training.csv. Times of two builds are no comparison: machines and their loads differ.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from dpdescent.replication.build.files import write_rows

COLUMNS = ("artefact", "parts before", "parts now", "CPU seconds before", "CPU seconds now", "now divided by before")

# Run in a checkout with its own package. It prints what `train.py` is to be called with, and the parts' weights.
PLAN = """
import collections, json, random, sys
from pathlib import Path
from dpdescent.replication.commands import checkout
from dpdescent.replication.configuration import packs, parts, project

given = {"scale": "paper", "seed": 20250922, "papers": "all"}
# Checkouts before version 0.3 loaded a project by its directory.
whole = checkout.configured(given) if hasattr(checkout, "configured") else project.load(given, Path())
plans = {}
for artefact in whole.artefacts():
    alike = collections.defaultdict(list)
    for part in artefact.parts:
        alike[part.spec["variant"], part.spec["panel"]].append(part)
    if not alike or artefact.same_runs:
        continue
    chosen, weights = {}, collections.defaultdict(float)
    for key, some in alike.items():
        costs = [parts.relative_cost(part) for part in some]
        draws = max(1, len(some) // 5)
        for part, cost in random.Random(str(key)).choices(list(zip(some, costs)), costs, k=draws):
            chosen[part.name] = part
            weights[part.name] += sum(costs) / cost / draws
    chosen = list(chosen.values())
    call = ["--pack", packs.Pack("1", tuple(chosen)).json(), "--code", "timed"]
    if isinstance(getattr(artefact, "run", None), str):
        call += ["--run", artefact.run]
    for name in {part.dataset for part in chosen if part.dataset}:
        call += ["--data", f"build/paper/data/{artefact.paper}/{name}.csv"]
    if artefact.reads:
        call += ["--tables", *(f"results/paper/{artefact.paper}/{name}.csv" for name in artefact.reads)]
    plans[artefact.item] = {"call": call, "weights": weights, "parts": len(artefact.parts)}
print(json.dumps(plans))
"""


def python(checkout: Path, *arguments: str) -> str:
    """What a program prints that runs in a checkout, with the checkout's package.

    Raises:
        RuntimeError: with the end of what it wrote, if it fails.
    """
    environment = os.environ | {"PYTHONPATH": str(checkout / "src")}
    done = subprocess.run([sys.executable, *arguments], cwd=checkout, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{checkout}: {done.stderr.strip()[-300:]}")
    return done.stdout


def seconds(checkout: Path, plan: dict[str, Any]) -> float:
    """CPU seconds of all parts of an artefact, from those that are trained."""
    with tempfile.TemporaryDirectory() as folder:
        kept = ("--folder", folder, "--output", f"{folder}/pack.csv")
        python(checkout, "workflow/scripts/train.py", *plan["call"], *kept)
        measured = {name: json.loads(Path(folder, f"{name}.json").read_text())["cpu_s"] for name in plan["weights"]}
    return sum(weight * float(measured[name]) for name, weight in plan["weights"].items())


def row(item: str, checkouts: dict[str, Path], plans: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Both times of an artefact; empty where it is not there."""
    found: dict[str, Any] = {"artefact": item}
    times = {}
    for when, checkout in checkouts.items():
        if item in plans[when]:
            times[when] = seconds(checkout, plans[when][item])
            found |= {f"parts {when}": plans[when][item]["parts"], f"CPU seconds {when}": f"{times[when]:.1f}"}
    if len(times) == 2:
        found["now divided by before"] = f"{times['now'] / times['before']:.2f}"
    print(", ".join(f"{key} {value}" for key, value in found.items()), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="checkout of the code before")
    parser.add_argument("items", nargs="*", metavar="ITEM", help="artefacts, or papers (default: all)")
    parser.add_argument("--cores", type=int, default=1, help="artefacts that are timed at once (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("docs/training.csv"))
    args = parser.parse_args()
    checkouts = {"before": args.other.resolve(), "now": Path.cwd()}
    plans = {when: json.loads(python(checkout, "-c", PLAN)) for when, checkout in checkouts.items()}
    named = {item: [item, item.partition("/")[0]] for item in {**plans["now"], **plans["before"]}}
    items = [item for item, names in named.items() if not args.items or set(names) & set(args.items)]
    with ThreadPoolExecutor(args.cores) as pool:
        rows = list(pool.map(lambda item: row(item, checkouts, plans), items))
    rows.sort(key=lambda found: -float(found.get("CPU seconds now", 0)))
    write_rows(args.output, list(COLUMNS), rows)


if __name__ == "__main__":
    main()
