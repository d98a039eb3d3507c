"""Python processes that begin with their packages imported, because a build is hundreds of short jobs.

A server imports the packages once, none of them ours, and forks for each call. What tests start in place of the
interpreter is a small client that hands over its arguments, folder, environment and output, passes signals on, and ends
as the call ends. All else is as in a process of its own: modules of the project are imported anew, from the copy that a
test is about. Two papers of the second shared build are made without it, and must give equal bytes.
"""

import atexit
import contextlib
import gc
import importlib
import io
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path

# Slow imports of the stages' scripts and of Snakemake.
PACKAGES = (
    "numpy", "scipy.linalg", "scipy.optimize", "scipy.special", "scipy.stats", "pandas", "matplotlib.pyplot", "yaml",
    "jinja2", "randomgen", "dp_accounting", "snakemake.cli",
)  # fmt: skip
# All calls have the hash seed of their server: it cannot be changed later.
HASH_SEED = "0"
# Seconds that the imports may take on a busy machine.
PATIENCE = 300.0

CLIENT = """#!{python} -IS
import os, signal, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
message = repr((os.getcwd(), sys.argv[1:], dict(os.environ))).encode()
socket.send_fds(server, [len(message).to_bytes(8, "big")], [0, 1, 2])
server.sendall(message)
call = int.from_bytes(server.recv(8), "big")
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, lambda number, frame: os.kill(call, number))
code = server.recv(1)
sys.exit(code[0] if code else 1)
"""


@cache
def python(**changed: str) -> str:
    """Path of the client, whose server runs as long as this process and starts with some variables changed."""
    folder = Path(tempfile.mkdtemp(prefix="dpdescent-forked-"))
    client, address = folder / "python", str(folder / "socket")
    client.write_text(CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
    client.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PYTHONHASHSEED": HASH_SEED, **changed}
    command = [sys.executable, __file__, address, str(client)]
    # It ends with its standard input, thus with this process, however that ends.
    server = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    atexit.register(server.terminate)
    waited = time.monotonic()
    while not Path(address).exists():
        assert server.poll() is None, "the server of forked processes did not start"
        assert time.monotonic() - waited < PATIENCE, "the server of forked processes takes too long to start"
        time.sleep(0.05)
    return str(client)


def serve(address: str, client: str) -> None:
    """Imports the packages and forks a process for each call, until standard input ends."""
    import dpdescent.replication.pins  # noqa: F401

    for name in [name for name in sys.modules if name.split(".")[0] == "dpdescent"]:
        del sys.modules[name]
    for package in PACKAGES:
        importlib.import_module(package)
    assert not [name for name in sys.modules if name.split(".")[0] == "dpdescent"]
    draw_once()
    gc.collect()
    gc.freeze()
    # A tenth to a fifth of a call's time would go to looking for garbage, of which processes of seconds have little.
    gc.set_threshold(200_000, 50, 50)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        # Its file appears only when it listens.
        listening.bind(f"{address}.new")
        listening.listen(64)
        Path(f"{address}.new").rename(address)
        while True:
            ready, _, _ = select.select([listening, 0], [], [])
            if 0 in ready:
                return
            call, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                answer(call, client)
            call.close()


def draw_once() -> None:
    """Draws a formula in both formats, because the first drawing makes parsers and writers that all others use."""
    from matplotlib.figure import Figure

    figure = Figure()
    figure.text(0, 0, "$x$")
    for suffix in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=suffix)


def answer(call: socket.socket, client: str) -> None:
    """Runs one call in this process, which ends with it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    head, files, _, _ = socket.recv_fds(call, 8, 3)
    message = b""
    while len(message) < int.from_bytes(head, "big"):
        message += call.recv(1 << 20)
    folder, arguments, environment = eval(message)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    call.sendall(os.getpid().to_bytes(8, "big"))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    code = run(arguments, client)
    with contextlib.suppress(OSError):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        call.sendall(bytes([code % 256]))
    os._exit(code)


def run(arguments: list[str], client: str) -> int:
    """Does what the interpreter does with `-m module ...` or `script ...`; returns the exit code."""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.executable = client
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    # This folder is the server's, as that of a script is its own.
    sys.path[:1] = paths
    try:
        if any((Path(path) / "sitecustomize.py").exists() for path in paths):
            sys.modules.pop("sitecustomize", None)
            importlib.import_module("sitecustomize")
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return int(end.code or 0)
    except KeyboardInterrupt:
        return 130
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    serve(*sys.argv[1:])
