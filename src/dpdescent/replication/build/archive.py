"""Archives of results: equal results give equal bytes, and no file is unpacked outside of the folder."""

import gzip
import io
import shutil
import tarfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, cast

from dpdescent.replication.build import provenance
from dpdescent.replication.build.files import MANIFEST, atomic, listed
from dpdescent.replication.build.provenance import RECORD

# Files that an archive of some artefacts holds beside them: the verdicts, which are small.
SHARED = ("claims.csv", "claims_cells.csv", "findings.csv", "privacy.csv", "privacy_notes.csv", "audit.csv")
# The most bytes and files that are unpacked, because a small archive may hold endless zeros; paper scale has a
# twentieth of them.
LARGEST, MOST = 2 << 30, 20_000


def pack(results: Path, archive: Path, items: Iterable[str] = (), logs: Path | None = None) -> list[str]:
    """Writes an archive of a scale's results, with a manifest of its files, and returns their names.

    Args:
        results: folder of a finished build.
        archive: `.tar.gz` to write.
        items: papers and artefacts to which it is cut, such as `liang2025` and `liang2025/fig04`; without any it is
            whole.
        logs: folder of the build's logs, which show how it was made: two builds that agree may differ in them.

    Raises:
        SystemExit: in one line, if the results are not finished or not what their manifest lists.
    """
    held = _chosen(_intact(results), list(items), results)
    files = {name: (results / name).read_bytes() for name in [*held, RECORD]}
    files[MANIFEST] = "".join(f"{digest}  {name}\n" for name, digest in held.items()).encode()
    if logs is not None:
        files |= {f"logs/{file.relative_to(logs)}": file.read_bytes() for file in logs.rglob("*.log")}
    archive.parent.mkdir(parents=True, exist_ok=True)
    with atomic(archive, "wb") as stream:
        write(stream, f"dpdescent-{results.name}", files)
    return sorted(files)


def _intact(results: Path) -> Mapping[str, str]:
    """Hashes by name, if the folder holds what its manifest lists."""
    if not (results / MANIFEST).is_file() or not (results / RECORD).is_file():
        raise SystemExit(f"Error: {results} holds no finished results (no {MANIFEST}); build them first")
    expected, actual = listed(results / MANIFEST), provenance.hashes(results)
    for name in sorted(expected.keys() | actual.keys()):
        if expected.get(name) != actual.get(name):
            raise SystemExit(f"Error: {results / name} is not what {MANIFEST} lists there; run the build again")
    return expected


def _chosen(hashes: Mapping[str, str], items: list[str], results: Path) -> Mapping[str, str]:
    """The files of papers and artefacts, and the verdicts; all files where nothing is chosen."""
    for item in items:
        if not any(_belongs(name, item) for name in hashes):
            papers = sorted({name.split("/")[0] for name in hashes if name.endswith("/settings.csv")})
            raise SystemExit(f"Error: {results} has nothing of {item}; give papers ({', '.join(papers)}) or artefacts")
    kept = {name for name in hashes if not items or name in SHARED or any(_belongs(name, item) for item in items)}
    return {name: digest for name, digest in hashes.items() if name in kept}


def _belongs(name: str, item: str) -> bool:
    return name.startswith((f"{item}/", f"{item}."))


def write(stream: IO[bytes], folder: str, files: Mapping[str, bytes]) -> None:
    """Writes files in the order of their names, without times, owners and the archive's own name."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mode = len(content), 0o644
            tar.addfile(entry, io.BytesIO(content))


def unpack(archive: Path, folder: Path) -> Path:
    """Unpacks an archive of results and returns the folder that holds them.

    Raises:
        SystemExit: in one line, if it is no such archive, is cut off, or holds links, places outside or too much.
    """
    extract(archive, folder)
    held = sorted(folder.iterdir()) if folder.is_dir() else []
    if len(held) != 1 or not (held[0] / MANIFEST).is_file():
        raise SystemExit(f"Error: {archive} is no archive of results: it has no {MANIFEST}")
    return held[0]


def extract(archive: Path, folder: Path) -> None:
    """Unpacks the files of an archive into a folder.

    Raises:
        SystemExit: in one line, if it is no archive, is cut off, or holds links, places outside or too much.
    """
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for count, member in enumerate(tar):
                _require_plain(archive, member)
                if count >= MOST or member.offset_data + member.size > LARGEST:
                    raise SystemExit(f"Error: {archive} holds more than {MOST} files or {LARGEST >> 30} GiB")
                # Only the bytes are copied, so that owner, mode and time are those of any new file; Python has a filter
                # for it from 3.11.4 on.
                place = folder / member.name
                place.parent.mkdir(parents=True, exist_ok=True)
                with open(place, "wb") as copy, cast(IO[bytes], tar.extractfile(member)) as content:
                    shutil.copyfileobj(content, copy)
    except FileNotFoundError:
        raise SystemExit(f"Error: {archive} is not there; make it by `make artifacts` or `make parts`") from None
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError) as error:
        raise SystemExit(f"Error: {archive} cannot be unpacked: {error}") from None


def _require_plain(archive: Path, member: tarfile.TarInfo) -> None:
    place = PurePosixPath(member.name)
    if not member.isreg() or member.issparse() or place.is_absolute() or ".." in place.parts:
        raise SystemExit(f"Error: {archive} holds {member.name!r}, which is no file inside of it; it was not made here")
