"""What a run prints, writes and says of its intervals and its cost."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from test_estimators import ALL, DELTA, ambssgd, gd, iv_gd, kan

import dpdescent
from dpdescent.estimators.run import Run
from dpdescent.interval_arithmetic import batched_means, t_intervals
from dpdescent.privacy.account import account

SHORT = pytest.mark.filterwarnings("ignore::dpdescent.mixing.ConvergenceWarning")


class Frame(np.ndarray):
    """An array with names of its columns, as frames have them."""

    columns: tuple[str, ...]


def frame(*names: str) -> Frame:
    found = np.random.default_rng(5).standard_normal((2000, len(names))).view(Frame)
    found.columns = names
    return found


def long_run(**changes: Any) -> Run:
    X = frame("educ", "age", "female")
    y = np.asarray(X) @ [1.0, -1.0, 0.5] + np.random.default_rng(6).standard_normal(len(X))
    given = {
        "X": X,
        "y": y,
        "epsilon": 1.0,
        "delta": DELTA,
        "steps": 2020,
        "step_size": 0.5,
        "clip_norm": 8.0,
        "rng": 1,
        **changes,
    }
    return dpdescent.dp_gd(**given)


@SHORT
@pytest.mark.parametrize("estimate", ALL)
def test_a_run_prints_and_writes_no_share_of_clipped_gradients(estimate) -> None:
    run = estimate()
    written = json.dumps(run.to_dict(), allow_nan=False)
    for told in (repr(run), run.summary(delta=1e-7), written):
        assert "clipped=" not in told
        assert "clipped:" not in told
        assert '"clipped"' not in told
        assert str(run.clipped) not in told
    assert len(repr(run).splitlines()) <= 10
    assert len(repr(run)) < 800
    assert run.n == 240
    assert f"{account(run.event, 1e-7).epsilon:.4g} at delta 1e-07" in run.summary(delta=1e-7)
    again = json.loads(written)
    np.testing.assert_array_equal(again["estimate"], run.estimate)
    assert again["event"]["guarantee"] == "none"
    assert "path" not in again
    assert not [name for name in again["also"] if name.endswith("_path")]
    np.testing.assert_array_equal(np.reshape(run.to_dict(path=True)["path"], run.path.shape), run.path)


@SHORT
def test_delta_is_that_of_the_budget() -> None:
    assert kan().delta == DELTA
    assert gd().delta is None
    assert gd(rho=None, epsilon=1.0, delta=1e-4).delta == 1e-4
    assert "epsilon 1 at delta 0.0001" in gd(rho=None, epsilon=1.0, delta=1e-4).summary()
    assert "epsilon" not in gd().summary().partition("Why")[0]
    with pytest.raises(ValueError, match="delta=2"):
        gd().summary(delta=2.0)


def test_intervals_of_dp_gd_are_those_of_batched_means() -> None:
    run = long_run()
    expected = t_intervals(batched_means(run.path, 10, 20), 0.9)
    found = run.conf_int(0.9)
    np.testing.assert_array_equal(found.mean(axis=1), expected.centre)
    np.testing.assert_allclose(found[:, 1] - found[:, 0], expected.length)
    wide = run.conf_int(0.99)
    assert ((wide[:, 0] < found[:, 0]) & (found[:, 1] < wide[:, 1])).all()
    # 2025 steps do not divide into ten batches: the first five more are left out.
    assert long_run(steps=2025).conf_int().shape == (3, 2)
    for other in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        np.testing.assert_array_equal(other.conf_int(0.9), found)


def test_a_summary_has_names_intervals_and_the_account_at_its_foot() -> None:
    lines = long_run().summary().splitlines()
    ends = long_run().conf_int()
    assert lines[0] == "DP-GD, n = 2000"
    assert lines[2].split() == ["estimate", "95", "%", "interval"]
    for line, name, (low, high) in zip(lines[3:6], ("educ", "age", "female"), ends.tolist(), strict=True):
        assert line.split() == [name, f"{0.5 * (low + high):.5g}", f"{low:.5g}", "to", f"{high:.5g}"]
    assert "the error of sampling is not in them" in " ".join(lines)
    assert "Privacy: none; the same with secret noise: rho" in "\n".join(lines)
    secret = long_run(rng=dpdescent.secure_generator()).summary()
    assert "Privacy, proved: rho" in secret
    assert "epsilon 1 at delta 1e-05 (replace-one)." in secret
    assert "90 % interval" in long_run().summary(level=0.9)


@SHORT
def test_where_there_are_no_intervals_it_is_said_why() -> None:
    with pytest.raises(ValueError, match="run of DP-AMBSSGD has no confidence intervals"):
        ambssgd().conf_int()
    with pytest.raises(ValueError, match="12 steps are too few for an interval of 10 batches"):
        gd().conf_int()
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
        gd().conf_int(95)
    with pytest.raises(ValueError, match="equal parts of its budget"):
        gd(shares=np.full(12, 1.0 / 12.0)).conf_int()
    assert "No intervals: 12 steps are too few" in gd().summary()
    assert "interval" not in ambssgd().summary()
    # A small step size: the path has not mixed.
    slow = long_run(step_size=0.005)
    with pytest.warns(dpdescent.ConvergenceWarning, match="correlation times"):
        slow.conf_int()
    assert "No intervals: a batch of 200 iterates has" in slow.summary()
    assert "% interval\n" not in slow.summary()


@SHORT
def test_intervals_of_dp_iv_gd_are_those_that_it_released() -> None:
    run = iv_gd(rho=50.0, steps2=520, burn_in=20)
    (low, high) = run.conf_int()[0]
    assert 0.5 * (high - low) == pytest.approx(run.also["half_width"][0], rel=1e-12)
    other = iv_gd(rho=50.0, steps2=520, burn_in=20, level=0.8)
    np.testing.assert_allclose(np.diff(run.conf_int(0.8))[0] / 2.0, other.also["half_width"], rtol=1e-12)
