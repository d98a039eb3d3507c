"""Runs of the network on another machine: which come first, how they fit a time, that they are what they are here."""

import json
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the optional group deep is not installed (requirements-deep.lock)")

import jax.numpy as jnp  # noqa: E402

from dpdescent.data import cifar10  # noqa: E402
from dpdescent.models import image_network  # noqa: E402
from dpdescent.papers.choquettechoo2023 import network, network_elsewhere  # noqa: E402
from dpdescent.papers.choquettechoo2023.network import One  # noqa: E402
from dpdescent.papers.choquettechoo2023.network_described import images_of  # noqa: E402
from dpdescent.papers.choquettechoo2023.network_elsewhere import Limits, Normals, Plan, Wanted, Workshop, read  # noqa: E402
from dpdescent.replication.configuration import project  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PAPER = project.load({"scale": "paper", "seed": 1, "papers": ["choquettechoo2023"]}, ROOT).papers["choquettechoo2023"]
SPEC = PAPER.on_request["fig04a_cifar10_net"].parts[0].json()
RATES = {"nu-DP-FTRL": 0.1, "DP-SGD, amplified": 1.0, "Honaker": 0.1}
ABOUT = {"device": "cpu", "code": "abc"}

pytestmark = pytest.mark.usefixtures("single_precision")


def small():
    spec = json.loads(SPEC)
    spec["settings"] |= {"T": 8, "k": 2, "records": 24, "tested": 16}
    return spec


def planned(budgets=(10, 4)):
    """The plan that is carried, of few steps and records."""
    spec, first, decoders = small(), [], {}
    for eps in budgets:
        for name, rate in RATES.items():
            cell = {"eps": eps, "mechanism": name, "learning_rate": rate, "repeat": 1}
            one = next(One.all_of({**spec, "cell": cell}))
            first.append(one.described(spec))
            decoders[name] = one.arm.strategy.decoder(8).astype(np.float32)
    return Plan(first, decoders)


@pytest.fixture(scope="module")
def plan():
    return planned()


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_runs_come_seed_by_mechanism_then_rates_on_both_sides_then_repeats(plan):
    first = [Wanted(eps, name, rate, 1) for eps in (10, 4) for name, rate in RATES.items()]
    rates = {0.1: (0.05, 0.2), 1.0: (0.5, 2.0)}
    sides = [each._replace(learning_rate=rate) for each in first for rate in rates[each.learning_rate]]
    again = [each._replace(repeat=repeat) for repeat in (2, 3) for each in first]
    found = list(plan.upcoming({}))
    assert found[: len(first + sides + again)] == first + sides + again
    assert len(set(found)) == len(found) == 6 + 12 + 11 * 6
    done = dict.fromkeys(first + sides, 0.5)
    # Equal accuracies: the largest rate is the best (`best_of`), and has none above it yet.
    assert next(plan.upcoming(done)) == first[0]._replace(learning_rate=0.5)
    done |= dict.fromkeys(first, 0.6)
    assert list(plan.upcoming(done))[:12] == again
    assert {each.learning_rate for each in plan.upcoming(done)} == {0.1, 1.0}


def test_rates_go_on_until_the_best_lies_between_others(plan):
    peak, done = {"nu-DP-FTRL": 0.5, "DP-SGD, amplified": 0.2, "Honaker": 0.1}, {}
    while (where := next(plan.upcoming(done))).repeat == 1:
        done[where] = -abs(np.log(where.learning_rate / peak[where.mechanism]))
    tried = {name: sorted({each.learning_rate for each in done if each.mechanism == name}) for name in peak}
    assert tried == {
        "nu-DP-FTRL": [0.05, 0.1, 0.2, 0.5, 1.0], "DP-SGD, amplified": [0.1, 0.2, 0.5, 1.0],
        "Honaker": [0.05, 0.1, 0.2],
    }  # fmt: skip
    assert where.learning_rate == peak[where.mechanism]


def working(plan, call, all_calls, seconds, done=None, ends_in=None):
    """What is made within a call where a run takes so many seconds, and the time at the end."""
    clock, said, done = Clock(), [], {} if done is None else done
    limits = Limits(call, all_calls, clock, 0.0)

    def make(where):
        if limits.left() < seconds:
            return None
        clock.now += seconds
        return 0.5

    network_elsewhere.work(plan, done, lambda where: seconds, make, limits, said.append)
    return list(done), clock.now, said


@pytest.mark.parametrize(("all_calls", "runs"), [(5.0, 0), (50.0, 1), (94.0, 2), (700.0, 23)])
def test_only_runs_that_fit_the_time_are_begun(plan, all_calls, runs):
    made, now, said = working(plan, all_calls, all_calls, 30.0)
    assert len(made) == runs
    assert now == 30.0 * runs <= max(all_calls - network_elsewhere.RESERVE, 0.0)
    assert "s are left of all calls" in said[-1]
    assert "would take 30 s" in said[-1]


def test_a_call_that_ends_leaves_the_rest_to_the_next(plan):
    done = {}
    made, now, said = working(plan, 100.0, 300.0, 30.0, done)
    assert (len(made), now) == (3, 90.0)
    assert "the next call on this machine goes on with it" in said[-1]
    made, _, _ = working(plan, 200.0, 200.0, 30.0, done)
    assert len(made) == 9
    assert made == list(dict.fromkeys(made))


@pytest.fixture
def shop(monkeypatch, tmp_path, plan):
    """A workshop with few random images, a small network and the plan as it is carried."""
    rng = np.random.default_rng(3)
    found = cifar10.ColourImages(rng.integers(0, 256, (24, 3, 32, 32)).astype(np.uint8), rng.integers(0, 10, 24))
    for name in ("read_training", "read_test"):
        monkeypatch.setattr(cifar10, name, lambda folder: found)
    tiny = image_network.ImageNetwork(filters=(2, 3, 4), dense=5, together=4)
    monkeypatch.setattr(image_network, "ImageNetwork", lambda: tiny)
    monkeypatch.setattr(network_elsewhere, "ImageNetwork", lambda: tiny)
    monkeypatch.setattr(network_elsewhere, "PIECE", 4)
    monkeypatch.setattr(network_elsewhere, "TOGETHER", 5)
    monkeypatch.chdir(tmp_path)
    plan.save(Path("plan"))
    settings = small()["settings"]
    records, tested = (images_of(settings, part, settings[part]) for part in ("records", "tested"))
    resident = replace(network_elsewhere.resident_of(records), way="patches")
    return Workshop(
        Plan.load(Path("plan")), resident, tested, Normals(tiny.parameters), Path("out"), Path("kept"), ABOUT,
        Limits(1e6, 1e6),
    )  # fmt: skip


def in_place(where):
    spec = small() | {"cell": dict(zip(("eps", "mechanism", "learning_rate", "repeat"), where, strict=True))}
    (row,) = network.run_fig04a_cifar10_net(spec)
    (state,) = network.STATES.glob("*.npz")
    parameters = np.load(state)["parameters"]
    state.unlink()
    return row, parameters


@pytest.mark.parametrize("name", list(RATES))
def test_rows_and_parameters_are_those_of_a_run_in_place(shop, name):
    where = Wanted(4, name, RATES[name], 2)
    described = shop.plan.described(where)
    decoder, batches, state = shop.decoder(described), described.batches(), shop.start(described)
    normals = shop.normals.of(described, decoder.shape[1], 60.0)
    while state.step < described.steps:
        state, _ = shop.piece(network_elsewhere.settings_of(described), state, batches, decoder, normals)
    value = shop.make(where)
    (row,) = read(Path("out", f"{where.file}.csv"))
    expected, parameters = in_place(where)
    assert {key: row[key] for key in expected} == {key: str(told) for key, told in expected.items()}
    assert value == expected["value"]
    assert np.linalg.norm(state.parameters - parameters) <= 1e-5 * np.linalg.norm(parameters)
    assert np.linalg.norm(shop.start(described).parameters - parameters) > 1e-3 * np.linalg.norm(parameters)
    assert shop.done() == {where: value}


def test_a_run_that_the_call_cut_goes_on_in_the_next(shop):
    where = Wanted(10, "Honaker", 0.1, 1)
    whole = shop.make(where)
    Path("kept/runs", f"{where.file}.csv").unlink()
    clock, pieces, piece = Clock(), [], Workshop.piece

    def counted(*given):
        pieces.append(given[1].step)
        clock.now += 10.0
        return piece(shop, *given)

    shop.piece = counted
    shop.seconds_a_piece, shop.limits = 1e-9, Limits(network_elsewhere.RESERVE + 5.0, 100.0, clock, 0.0)
    assert shop.make(where) is None
    assert not list(Path("kept/runs").glob("*"))
    shop.limits = Limits(1e6, 1e6, clock, 0.0)
    shop.seconds_a_piece = 3.0
    assert shop.seconds(where) == 3.0
    assert shop.make(where) == whole
    assert pieces == [0, 4]
    assert not list(Path("kept/states").glob("*"))


def test_the_fastest_way_is_kept_and_one_that_fails_is_said(shop, monkeypatch):
    took = {"convolutions": 3.0, "patches": 2.0}

    def first_steps(way):
        if way not in took:
            raise RuntimeError("out of memory\nand more")
        return took[way]

    shop._first_steps, said = first_steps, []
    before, sums = shop.choose_way(said.append)
    assert shop.resident.way == "patches"
    assert said == ["convolutions: 4 steps take 3.000 s", "patches: 4 steps take 2.000 s",
                    "differentiation: not here: RuntimeError: out of memory"]  # fmt: skip
    assert before.shape == sums.shape == (4, shop.resident.network.parameters)
    took.clear()
    with pytest.raises(SystemExit, match="no way of clipped sums works"):
        shop.choose_way(said.append)


def test_the_time_of_a_run_is_estimated_without_compilation(shop):
    took = iter((50.0, 2.0))

    def piece(*given):
        shop.seconds_a_piece = max(next(took), 0.9 * shop.seconds_a_piece)
        return given[1], "seen"

    shop._first_steps, shop.piece = (lambda way: 1.0), piece
    assert shop.choose_way(lambda line: None) == "seen"
    assert shop.seconds_a_piece == 2.0


def test_agreement_is_told_and_a_perturbed_sum_is_not(shop):
    before, sums = (np.asarray(each) for each in shop.choose_way(lambda line: None))
    records = images_of(small()["settings"], "records", 24)
    given = shop.resident.network, records, shop.plan.first[0], before
    assert max(network_elsewhere.agreement(*given, sums)) < 1e-5
    perturbed = sums.copy()
    perturbed[2] *= 1.0003
    found = list(network_elsewhere.agreement(*given, perturbed))
    assert found[2] == pytest.approx(3e-4, rel=0.05)
    assert max(found[:2] + found[3:]) < 1e-5


def test_normals_are_shared_by_runs_of_a_repeat_and_drawn_ahead(plan):
    made, wide = Normals(7), [each for each in plan.first if each.mechanism != "Honaker"]
    made.ahead([(wide[0], 8), (replace(wide[0], repeat=2), 8), (replace(wide[0], repeat=3), 8)])
    assert list(made._drawn) == [(1, 8), (2, 8)]
    first = made.of(wide[0], 8, 60.0)
    assert made.of(wide[1], 8, 60.0) is first
    np.testing.assert_array_equal(
        jnp.concatenate(first, axis=1), wide[0].stream("noise").standard_normal((8, 7)).astype(np.float32)
    )
    for repeat in (4, 5, 2):
        found = made.of(replace(wide[0], repeat=repeat), 8, 60.0)
        assert not np.array_equal(found[0], first[0])
    assert len(made._held) == network_elsewhere.HELD


def test_a_call_does_not_wait_for_normals_beyond_its_end(shop, monkeypatch):
    begun = Event()
    monkeypatch.setattr(network_elsewhere.dp_ftrl_network, "normals_of", lambda *given: begun.wait(60.0))
    shop.limits = Limits(network_elsewhere.RESERVE + 0.05, 100.0)
    assert shop.make(Wanted(10, "Honaker", 0.1, 1)) is None
    begun.set()
