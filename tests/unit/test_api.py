"""The reference of public names: each has its place, with its arguments, what they mean, its errors and its source."""

import ast
import importlib
import inspect
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from markupsafe import Markup

import dpdescent
from dpdescent.public import NAMES
from dpdescent.replication.report import api
from dpdescent.replication.report.pages import PAGES
from report_made import papers, texts

KEYS = [paper["key"] for paper in papers() if "arxiv" in paper]
ENTRIES = {entry["name"]: entry for _, view in api.views(KEYS, "") for entry in view["entries"]}
ENTRY_OF = ENTRIES | {each["name"]: each for entry in ENTRIES.values() for each in entry["within"]}


def members(name: str) -> dict[str, Any]:
    """A public object and, of a class or module, its public functions, unwrapped."""
    found = getattr(dpdescent, name)
    inner = (
        {key: getattr(value, "fget", value) for key, value in vars(found).items()} if hasattr(found, "__dict__") else {}
    )
    if not isinstance(found, (type, ModuleType)):
        inner = {}
    homes = {getattr(found, "__module__", name), getattr(found, "__name__", ""), "dpdescent.interval_arithmetic"}
    functions = {
        f"{name}.{key}": value for key, value in inner.items()
        if not key.startswith("_") and inspect.isfunction(value) and inspect.unwrap(value).__module__ in homes
    }  # fmt: skip
    return {name: found, **functions}


def said(name: str) -> str:
    """What the page says of a name: from its heading to the next."""
    page = texts()[f"{api.page_of(name.partition('.')[0])}.html"]
    return re.split(r"<h[23] id=", page.partition(f'id="{name}"')[2])[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there_with_its_arguments(name: str) -> None:
    assert f'href="{api.page_of(name)}.html#{name}"' in texts()["api.html"]
    for each, found in members(name).items():
        text = said(each)
        assert text, each
        if not callable(found) or (inspect.isclass(found) and issubclass(found, Warning)):
            continue
        (signature,) = re.findall('<pre class="signature".*?>(.*?)</pre>', text, re.DOTALL)
        if inspect.isabstract(found) or ENTRY_OF[each]["kind"] == "property":
            continue
        shown = ast.parse(f"def {Markup(signature).striptags().replace('.', '_', each.count('.'))}: ...").body[0]
        assert isinstance(shown, ast.FunctionDef)
        arguments = [key for key in inspect.signature(found).parameters if key != "self"]
        assert [key.arg for key in (*shown.args.args, *shown.args.kwonlyargs)] == arguments, each


@pytest.mark.parametrize("name", [name for name, path in NAMES.items() if path.startswith("dpdescent.estimators")])
def test_every_argument_of_an_algorithm_is_described(name: str) -> None:
    found = getattr(dpdescent, name)
    arguments = set(inspect.signature(found).parameters)
    told = api.described(ENTRIES[name])
    # A run's inner parts are no matter of its users.
    assert {each for each in arguments if not each.startswith("_")} - told <= (
        {"inference"} if name == "Run" else set()
    )
    assert all(f"<code>{each}</code>" in said(name) for each in told)


def test_types_are_short_and_errors_and_sources_are_told() -> None:
    text = said("dp_gd")
    plain = Markup(text).striptags()
    assert "X: ArrayLike, y: ArrayLike, *, steps: int" in plain
    assert re.search(r"Errors ValueError ?if an argument is out of its range", plain)
    assert '<a href="brown2024.html">brown2024</a> Algorithm 1' in text
    assert "src/dpdescent/estimators/dp_gd.py" in text
    for entry in ENTRIES.values():
        assert not re.search(r"\b(np|numpy|engine)\.", entry["signature"]), entry["name"]


@pytest.mark.parametrize(("name", "kind"), [
    ("dp_gd", "Arithmetic"), ("dp_regression", "Errors"), ("dp_kan", "Sampler"), ("dp_kan", "Relation"),
    ("Account", "Samplers"), ("Mechanism", "Guarantee"),
])  # fmt: skip
def test_words_that_an_argument_may_be_are_told(name: str, kind: str) -> None:
    module = importlib.import_module(NAMES[name].partition(":")[0])
    alias = getattr(module, kind, None) or module.engine.Errors
    assert dict(ENTRIES[name]["words"])[kind] == list(get_args(alias))
    assert f"<code>{kind}</code>: <code>&#34;" in said(name) or f'<code>{kind}</code>: <code>"' in said(name)


def test_defaults_that_are_constants_are_told_by_their_values() -> None:
    signature = inspect.signature(dpdescent.Scores.epsilon_low)
    told = ENTRY_OF["Scores.epsilon_low"]["signature"]
    assert f"confidence: float = {signature.parameters['confidence'].default})" in told
    assert "(name: str" in ENTRY_OF["Mechanism.without_privacy"]["signature"]
    for entry in ENTRY_OF.values():
        assert not re.search(r"= [A-Z]{2}", entry["signature"]), entry["name"]


def test_what_no_paper_has_says_so_and_words_are_no_keys_of_papers() -> None:
    assert "in none of the papers" in said("dp_regression")
    assert 'href="ours.html"' not in said("epsilon_low")


def test_names_in_docstrings_lead_to_their_places() -> None:
    assert '<a href="api-privacy.html#secure_generator"><code>secure_generator()</code></a>' in said("dp_gd")


def test_a_function_in_a_wrapper_is_the_function_of_the_other_module() -> None:
    signature = ENTRY_OF["intervals.t_factor"]["signature"]
    assert signature.startswith("intervals.t_factor(m: int")
    assert "t interval" in said("intervals.t_factor")


def test_subjects_are_pages_and_have_names() -> None:
    assert {api.page_of(name) for name in NAMES} == set(api.SUBJECTS.values()) < set(PAGES)
    with pytest.raises(ValueError, match=r"^dpdescent.mixing defines no none_such"):
        api._defined("dpdescent.mixing", "none_such")


def test_its_fingerprint_changes_with_a_docstring_and_not_with_a_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(api.SOURCE / "dpdescent", tmp_path / "dpdescent", ignore=shutil.ignore_patterns("papers", "files"))
    monkeypatch.setattr(api, "SOURCE", tmp_path)
    file, found = tmp_path / "dpdescent/noise/tuning.py", list[str]()
    text = file.read_text(encoding="utf-8")
    assert "Returns nu-DP-FTRL with" in text
    for edited in (text, f"# A comment.\n{text}", text.replace("Returns nu-DP-FTRL with", "Finds nu-DP-FTRL with")):
        file.write_text(edited, encoding="utf-8")
        api._module.cache_clear()
        found.append(api.fingerprint())
    api._module.cache_clear()
    assert found[0] == found[1] != found[2]
