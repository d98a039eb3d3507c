"""Former names of arguments and options: refused in one line with today's name; what was wrapped looks as before."""

import inspect
import pydoc
import shlex
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpdescent
from dpdescent.commands import __main__ as command
from dpdescent.commands import estimate

TWO_STAGES = {"eta": "step_size1", "alpha": "step_size2", "gamma1": "clip_norm1", "gamma2": "clip_norm2"}
# By function: today's name of each argument by its former name.
ARGUMENTS = {
    "dp_gd": {"eta": "step_size", "gamma": "clip_norm"},
    "preconditioned_dp_gd": {"eta": "step_size", "gamma": "clip_norm", "bound": "covariate_bound"},
    "dp_2s_gd": TWO_STAGES,
    "dp_iv_gd": {**TWO_STAGES, "kept1": "tail1"},
    "dp_ftrl": {"eta": "step_size"},
    "dp_ambssgd": {"eta": "step_size", "tail": "tail_share"},
    "dp_kan": {"x": "X", "eta": "step_size", "record": "keep_path"},
    "schedule.response": {"eta": "step_size"},
    "schedule.weights_in_last": {"eta": "step_size"},
    "schedule.weights_in_average": {"eta": "step_size"},
    "schedule.variance": {"share": "shares"},
    "intervals.sandwich_intervals": {"alpha": "step_size"},
}
# By option: the options that are called otherwise today.
OPTIONS = {
    "--gamma": ["--clip-norm"], "--gamma1": ["--clip-norm1"], "--gamma2": ["--clip-norm2"],
    "--eta": ["--step-size", "--step-size1"], "--alpha": ["--step-size2"],
}  # fmt: skip
# Letters of the papers, and words that stood for another idea, which no public argument has for its name.
LETTERS = {"eta", "alpha", "gamma", "gamma1", "gamma2", "bound", "record", "kept1", "x", "share"}


def function(name: str) -> Any:
    found: Any = dpdescent
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(
    ("name", "former", "today"), [(name, *pair) for name, pairs in ARGUMENTS.items() for pair in pairs.items()]
)
def test_a_former_name_is_refused_with_today_s(name: str, former: str, today: str) -> None:
    """Before anything else, although all other arguments are missing."""
    called = function(name)
    with pytest.raises(TypeError) as raised:
        called(**{former: 1.0})
    assert str(raised.value) == f"{called.__name__}: {former} is called {today} since 0.3.0"
    assert today in inspect.signature(called).parameters
    assert former not in inspect.signature(called).parameters


def test_all_former_names_of_a_call_are_told_at_once() -> None:
    with pytest.raises(TypeError, match=r"^dp_gd: eta is called step_size, gamma is called clip_norm since 0\.3\.0$"):
        dpdescent.dp_gd([[1.0]], [1.0], eta=0.1, gamma=1.0, steps=1, rng=1, rho=1.0)  # type: ignore[call-arg]


def public_functions() -> dict[str, Any]:
    """The public functions, and those of the public modules, by name."""
    found = {name: getattr(dpdescent, name) for name in dir(dpdescent) if not name.startswith("_")}
    inside = {
        f"{module}.{name}": each
        for module in ("schedule", "intervals")
        for name, each in vars(found[module]).items()
        if not name.startswith("_") and inspect.isfunction(each)
    }
    return {name: each for name, each in {**found, **inside}.items() if inspect.isfunction(each)}


def test_no_public_function_has_a_letter_for_a_name() -> None:
    found = public_functions()
    assert {"dp_gd", "dp_kan", "schedule.variance", "intervals.batched_means"} <= set(found)
    taken = {name: LETTERS & set(inspect.signature(each).parameters) for name, each in found.items()}
    assert {name: letters for name, letters in taken.items() if letters} == {}
    # Every function that refuses a name is above.
    assert {name for name, each in found.items() if hasattr(each, "former_names")} == set(ARGUMENTS)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_help_shows_the_function_itself(name: str) -> None:
    """With its own arguments in place of those of the function around it."""
    shown = pydoc.render_doc(function(name), renderer=pydoc.plaintext)
    assert f"{function(name).__name__}(" in shown
    assert "**given" not in shown
    assert all(today in shown for today in ARGUMENTS[name].values())


def test_a_warning_points_at_the_line_that_called() -> None:
    X = np.random.default_rng(1).standard_normal((50, 1))
    with warnings.catch_warnings(record=True, action="always") as caught:
        dpdescent.dp_gd(X, X[:, 0], rho=9.0, steps=20, step_size=1e-3, clip_norm=1.0, rng=1)
        dpdescent.dp_iv_gd(X, X, X[:, 0], rho=9.0, steps2=40, clip_norm1=1.0, clip_norm2=1.0, rng=1)
        path = np.random.default_rng(1).standard_normal((100, 1)).cumsum(0)
        dpdescent.intervals.sandwich_intervals(
            path, m=10, burn_in=0, step_size=0.5, precondition=np.eye(1), moment=np.eye(1), moment_sd=0.0, n=50
        )
    assert [each.category for each in caught] == 3 * [dpdescent.ConvergenceWarning]
    assert {each.filename for each in caught} == {__file__}


@pytest.mark.parametrize("method", ["dp-2s-gd", "dp-iv-gd", "dp-gd"])
@pytest.mark.parametrize("line", ["mine.csv {} 5", "mine.csv {}=5", "mine.csv {}", "{} -5 mine.csv", "{} 5"])
@pytest.mark.parametrize("former", OPTIONS)
def test_a_former_option_ends_in_one_line_that_names_today_s(
    former: str, line: str, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(["estimate", "--method", method, *shlex.split(line.format(former))])
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert err.startswith(f"Error: {former} is called ")
    assert err.endswith(" since 0.3.0\n")
    assert err.count("\n") == 1
    named = err.replace("(", " ").replace(")", " ").split()
    assert [word for word in named if word.startswith("--")] == [former, *OPTIONS[former]]


def test_former_options_are_those_and_stand_in_no_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(estimate.RENAMED) == set(OPTIONS)
    with pytest.raises(SystemExit):
        command.main(["estimate", "--help"])
    words = capsys.readouterr().out.replace("[", " ").replace("]", " ").split()
    assert not set(OPTIONS) & set(words)
    assert {today for names in OPTIONS.values() for today in names} <= set(words)


@pytest.mark.parametrize("option", ["--clip", "--step", "--gam", "--et", "--alph"])
def test_no_option_is_abbreviated(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["estimate", "mine.csv", option, "5"])
    assert capsys.readouterr().err == f"Error: unrecognized arguments: {option} 5\n"


@pytest.mark.parametrize("page", ["README.md", "docs/library.md", "docs/pipeline.md"])
def test_pages_use_no_former_option(page: str) -> None:
    text = (Path(__file__).resolve().parents[2] / page).read_text(encoding="utf-8")
    assert not set(OPTIONS) & set(text.split())
