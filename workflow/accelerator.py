"""Runs of the paper's network (choquettechoo2023, Figure 4(a)) on a machine with one accelerator.

That machine gets a copy of the working tree of at most 64 MiB at a call, has no network, and keeps ignored files while
calls follow each other. `docs/accelerator.md` has the sequence; `workflow/adopt.py` takes the runs that come back.
Here, in a checkout with its .venv:

  prepare          the images in pieces, noise multipliers and decoders, in build/accelerator
  out [COMMAND]    takes results/ out of the working tree; with a command, until it ends
  back             puts results/ back

There, with numpy, scipy and JAX alone:

  join             makes the official files of the images from the pieces that are there, and verifies them
  run              makes as many runs as time allows, into a folder
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import platform
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
sys.path.insert(0, str(SOURCE))

# The module of these runs, which one paper has.
(ELSEWHERE,) = SOURCE.glob("dpdescent/papers/*/network_elsewhere.py")
KEY, ARTEFACT = ELSEWHERE.parent.name, "fig04a_cifar10_net"
FOLDER = Path("build/accelerator")
RECORD = Path("docs/accelerator.csv")
# The most bytes that may travel at a call, and the bytes of a piece of the images.
TRAVELS, PIECE = 64 * 2**20, 40 * 2**20
# The largest relative difference, in norm, between the sums of clipped gradients of a processor and of the accelerator.
AGREE = 1e-4
LEFT_OUT = ["/*", "!/results/"]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    prepared = commands.add_parser("prepare", help="here: all that travels, in build/accelerator")
    prepared.add_argument("--piece", type=int, default=PIECE, help="bytes of a piece of the images, at most")
    prepared.set_defaults(call=prepare)
    out = commands.add_parser("out", help="here: takes results/ out of the working tree")
    out.add_argument("command", nargs=argparse.REMAINDER, help="to run meanwhile; results/ is back when it ends")
    out.set_defaults(call=lambda args: without_results(args.command) if args.command else take_out())
    commands.add_parser("back", help="here: puts results/ back").set_defaults(call=lambda args: put_back())
    commands.add_parser("join", help="there: images from pieces").set_defaults(call=lambda args: join())
    making = commands.add_parser("run", help="there: makes runs")
    making.add_argument("--output", type=Path, required=True, help="folder of what comes back")
    making.add_argument("--seconds", type=float, required=True, help="when this call must have ended")
    making.add_argument("--all", type=float, required=True, help="the same for this call and all after it")
    making.add_argument("--processor", action="store_true", help="also where JAX finds no accelerator")
    making.add_argument("--steps", type=int, help="end after so many steps of the first two mechanisms, for a trial")
    making.set_defaults(call=run)
    compared = commands.add_parser("agree", help="there, called by run: compares first steps with the processor's")
    compared.add_argument("file", type=Path)
    compared.add_argument("output", type=Path)
    compared.set_defaults(call=lambda args: agree(args.file, args.output))
    args = parser.parse_args(arguments)
    os.chdir(ROOT)
    # Every line is written at once, because a call that is killed must leave its lines too.
    sys.stdout.reconfigure(line_buffering=True)
    args.call(args)


# --- the working tree ------------------------------------------------------------------------------------------------


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def take_out():
    """Takes results/ out of the working tree; after any failure it is back, or still there."""
    if git("status", "--porcelain", "--", "results"):
        sys.exit("results/ has changes that are not committed, and they would stay: commit them or put them back first")
    if sparse() not in ([], LEFT_OUT):
        sys.exit(f"a sparse checkout is in use already: {sparse()}; end it first: git sparse-checkout disable")
    try:
        git("sparse-checkout", "set", "--no-cone", *LEFT_OUT)
        size = travelling()
        print(f"results/ is out of the working tree; {size / 2**20:.1f} MiB of files travel")
        if size > TRAVELS:
            sys.exit(f"these are more than {TRAVELS / 2**20:.0f} MiB: remove files that git neither has nor ignores")
    except BaseException:
        put_back()
        raise


def put_back():
    """Puts results/ back into the working tree; where it was never out, nothing changes."""
    if sparse() == LEFT_OUT:
        git("sparse-checkout", "disable")
    missing = git("ls-files", "--deleted", "--", "results").split()
    if missing:
        sys.exit(f"{len(missing)} files of results/ are not there, e.g. {missing[0]}: git checkout -- results")
    for begun in Path(".snakemake/dpdescent").glob("*.begun"):
        # Files that were put back are new, and would count as made here, so that new runs would not be drawn.
        begun.touch()
    print("results/ is in the working tree")


def without_results(command):
    """Runs a command without results/ in the working tree, which are back when it ends, however it ends."""

    def end(number, frame):
        raise SystemExit(128 + number)

    before = {ending: signal.signal(ending, end) for ending in (signal.SIGINT, signal.SIGTERM)}
    try:
        take_out()
        status = subprocess.run(command).returncode
    finally:
        # A second Ctrl-C must not interrupt this, because half of results/ would be missing.
        for ending in before:
            signal.signal(ending, signal.SIG_IGN)
        put_back()
        for ending, handler in before.items():
            signal.signal(ending, handler)
    sys.exit(status)


def sparse():
    """The patterns of a sparse checkout that is in use; none where there is none."""
    used = subprocess.run(["git", "config", "--bool", "core.sparseCheckout"], capture_output=True, text=True).stdout
    return git("sparse-checkout", "list").split() if used.strip() == "true" else []


def travelling():
    """Bytes of the existing files that git has or does not ignore."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return sum(os.lstat(name).st_size for name in set(names) if name and os.path.lexists(name))


# --- what travels ----------------------------------------------------------------------------------------------------


def prepare(args):
    """Makes the pieces of the images, and the plan."""
    from dpdescent.data import cifar10, smaller

    folder = Path("build/downloads/cifar10")
    if not cifar10.is_complete(folder):
        sys.exit(f"{folder} does not hold CIFAR-10: make data")
    cifar10.read_training(folder), cifar10.read_test(folder)
    kept = FOLDER / "smaller"
    kept.mkdir(parents=True, exist_ok=True)
    for name in cifar10.MD5:
        if not (kept / name).is_file():
            write(kept / name, smaller.smaller((folder / f"{name}.bin").read_bytes()))
    pieces = smaller.in_pieces({name: (kept / name).stat().st_size for name in cifar10.MD5}, args.piece)
    for number, names in enumerate(pieces, start=1):
        piece = FOLDER / f"piece{number}"
        for old in piece.glob("*"):
            old.unlink()
        for name in names:
            write(piece / name, (kept / name).read_bytes())
        print(f"{piece}: {size_of(piece) / 2**20:.1f} MiB: {', '.join(names)}")
    plan().save(FOLDER / "plan")
    print(f"{FOLDER / 'plan'}: {size_of(FOLDER / 'plan') / 2**20:.1f} MiB")


def plan():
    """The plan of the first runs, with everything that needs an accountant or minutes."""
    first, decoders = [], {}
    for described, decoder in paper_module("network").first_runs(configured().parts[0].spec):
        first.append(described)
        decoders[described.mechanism] = decoder
    return paper_module("network_elsewhere").Plan(first, decoders)


def paper_module(name):
    """A module of the paper; imported where it is needed, because no side has the packages of all of them."""
    return importlib.import_module(f"dpdescent.papers.{KEY}.{name}")


def configured():
    """The configured artefact."""
    from dpdescent.replication.configuration import project, values

    top_level = {**values.read_yaml(Path("config/config.yaml")), "scale": "paper", "papers": [KEY]}
    return project.load(top_level, Path()).papers[KEY].on_request[ARTEFACT]


def join():
    """Makes the official files from all pieces that are there."""
    from dpdescent.data import cifar10, smaller

    folder = Path("build/downloads/cifar10")

    def assembled(file):
        target = folder / f"{file.name}.bin"
        if not target.is_file():
            content = smaller.whole(file.read_bytes())
            cifar10.require_official(file.name, content, str(file))
            write(target, content)
        return file.name

    with ThreadPoolExecutor() as pool:
        joined = list(pool.map(assembled, sorted(FOLDER.glob("piece*/*"))))
    missing = [name for name in cifar10.MD5 if not (folder / f"{name}.bin").is_file()]
    print(f"joined and verified: {', '.join(joined) or 'nothing'}; missing: {', '.join(missing) or 'nothing'}")
    return not missing


def write(file, content):
    from dpdescent.replication.build.files import atomic

    with atomic(file, "wb") as stream:
        stream.write(content)


def size_of(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


# --- there -----------------------------------------------------------------------------------------------------------


def run(args):
    """Makes as many runs as time allows; each is in the folder as soon as it is finished."""
    began = time.monotonic()
    if not join():
        sys.exit("some images are missing: carry their pieces in a call of join, or in this one")
    import jax

    FOLDER.joinpath("compiled").mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(FOLDER / "compiled"))
    device = jax.devices()[0]
    if device.platform == "cpu" and not args.processor:
        sys.exit(f"JAX {jax.__version__} finds no accelerator: {jax.devices()}; is its plug-in installed?")
    from dpdescent.models.image_network import ImageNetwork

    elsewhere, images_of = paper_module("network_elsewhere"), paper_module("network_described").images_of
    planned = elsewhere.Plan.load(FOLDER / "plan")
    first, limits = planned.first[0], elsewhere.Limits(args.seconds, args.all, began=began)
    normals = elsewhere.Normals(ImageNetwork().parameters)
    if args.steps:
        elsewhere.PIECE = args.steps
    soon = planned.first[:2] if args.steps else planned.first
    normals.ahead((described, planned.decoders[described.mechanism].shape[1]) for described in soon)
    settings = {"source": "cifar10", "images_folder": ""}
    records = images_of(settings, "records", first.records)
    tested = images_of(settings, "tested", 10_000)
    shop = elsewhere.Workshop(
        planned, elsewhere.resident_of(records), tested, normals, args.output, FOLDER, about(device.device_kind), limits
    )
    done = {**adopted(elsewhere), **shop.done()}
    took = time.monotonic() - began
    print(f"{device.device_kind}, JAX {jax.__version__}, ready after {took:.0f} s; {len(done)} runs are done")
    seen = shop.choose_way()
    checking = compare(shop, seen, args.output)
    if args.steps:
        trial(shop)
    else:
        a_run = shop.seconds(next(planned.upcoming(done)))
        print(f"by {shop.resident.way}; a run takes {a_run:.0f} s, so that {limits.left_in_all() // a_run:.0f} fit")
        elsewhere.work(planned, done, shop.seconds, shop.make, limits)
    if checking is not None:
        finish(checking, FOLDER / "agreement.csv", args.output, limits)


def adopted(elsewhere):
    """Accuracies of the runs that were taken before; further runs are made after them."""
    return {
        elsewhere.wanted_of(row): float(row["value"]) for row in (elsewhere.read(RECORD) if RECORD.is_file() else [])
    }


def about(device):
    """The columns of all rows on the machine and the code."""
    versions = {name: importlib.metadata.version(name) for name in ("jax", "jaxlib", "numpy")}
    return {"device": device, **versions, "python": platform.python_version(), "code": code()}


def code():
    """The fingerprint of the code that makes the runs."""
    from dpdescent.replication.build.fingerprint import code_fingerprint

    return code_fingerprint(SOURCE, ELSEWHERE)


def trial(shop):
    """Makes the first steps of the first two mechanisms, as a test that nothing is missing."""
    elsewhere = paper_module("network_elsewhere")
    for described in shop.plan.first[:2]:
        decoder, state = shop.decoder(described), shop.start(described)
        normals = shop.normals.of(described, decoder.shape[1], shop.limits.left())
        state, _ = shop.piece(elsewhere.settings_of(described), state, described.batches(), decoder, normals)
        accuracy = shop.resident.network.accuracy(state.parameters, shop.tested.images, shop.tested.labels)
        print(f"{described.mechanism}: {state.step} steps, {shop.seconds_a_piece:.1f} s, accuracy {accuracy:.2%}")


def compare(shop, seen, output):
    """Begins the comparison of the first steps with those of the processor, in a process beside the training."""
    import numpy as np

    result, file = FOLDER / "agreement.csv", FOLDER / "seen.npz"
    if result.is_file():
        write(output / result.name, result.read_bytes())
        return None
    parameters, sums = (np.asarray(array) for array in seen)
    np.savez(file, parameters=parameters, sums=sums, about=json.dumps(shop.about))
    call = [sys.executable, __file__, "agree", str(file.resolve()), str(result.resolve())]
    return subprocess.Popen(call, env={**os.environ, "JAX_PLATFORMS": "cpu"})


def agree(file, output):
    """Writes the distance of each step's sum of clipped gradients from the processor's, relative to its norm."""
    import numpy as np

    from dpdescent.models.image_network import ImageNetwork
    from dpdescent.replication.build.files import write_rows

    elsewhere, images_of = paper_module("network_elsewhere"), paper_module("network_described").images_of
    first = elsewhere.Plan.load(FOLDER / "plan").first[0]
    records = images_of({"source": "cifar10", "images_folder": ""}, "records", first.records)
    with np.load(file) as seen:
        arrays, columns = (seen["parameters"], seen["sums"]), json.loads(str(seen["about"]))
    network = ImageNetwork()
    apart = list(elsewhere.agreement(network, records, first, *arrays))
    rows = [{"step": step, "difference": difference, **columns} for step, difference in enumerate(apart)]
    write_rows(output, list(rows[0]), rows)
    verdict = "agree" if all(difference <= AGREE for difference in apart) else "DO NOT AGREE"
    print(f"processor and device {verdict} on {len(apart)} steps: at most {max(apart):.2e} apart, of {AGREE:g}")


def finish(checking, result, output, limits):
    """Waits for the comparison as long as this call may, and copies its result to the output."""
    try:
        checking.wait(timeout=max(limits.left(), 0.1))
    except subprocess.TimeoutExpired:
        checking.terminate()
        print("the comparison with the processor did not end within this call; the next one begins it again")
    if result.is_file():
        write(output / result.name, result.read_bytes())


if __name__ == "__main__":
    main()
