"""Every rule tells what it does, logs and is measured; the quick scale stays quick; every script explains itself."""

import re
import subprocess
from pathlib import Path

import copies
import forked
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
RULES = {
    match[1]: match[2]
    for file in sorted((ROOT / "workflow/rules").glob("*.smk"))
    for match in re.finditer(r"^rule (\w+):\n((?:    .*\n|\n)+)", file.read_text(), re.MULTILINE)
}
SCRIPTS = sorted((ROOT / "workflow/scripts").glob("*.py"))


@pytest.mark.parametrize("name", RULES)
def test_every_rule_tells_logs_and_is_measured(name: str) -> None:
    body = RULES[name]
    wanted = ["output", "log", "message", "params", "shell"]
    # Training measures each part itself; what sums the measurements up cannot be among them.
    wanted += ["benchmark"] if name not in ("begin", "compute", "train") else []
    assert [section for section in wanted if f"\n    {section}:" not in "\n" + body] == []
    # What was not made here is older than the file that says that a build has begun.
    assert "begun=BEGUN" in body or name in ("begin", "compute")
    # Whatever made this file anew would make everything anew.
    assert name == "begin" or re.search(r"\bcode=", body), "the rule does not track its code"
    assert "{log}" in body


@pytest.mark.parametrize("name", ["data", "train", "table", "figure", "privacy", "audit", "audit_figure"])
def test_upgrade_of_a_package_is_a_reason_to_run_again(name: str) -> None:
    """What is made first; the rest follows from it."""
    assert re.search(r"\bversions=versions\(", RULES[name])


@pytest.mark.parametrize("name", RULES)
def test_every_scale_has_its_own_files(name: str) -> None:
    """Logs, benchmarks and parts of one scale must not overwrite those of another."""
    paths = re.findall(r'f?"(\S+/\S+)"', re.sub(r"shell:.*", "", RULES[name], flags=re.DOTALL))
    assert all(path.startswith(("{RESULTS}/", "{BUILD}/")) for path in paths)


def test_rules_are_found() -> None:
    assert {"begin", "data", "train", "table", "figure", "bounds", "claims", "manifest", "compute"} <= RULES.keys()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_every_script_explains_itself(script: Path) -> None:
    shown = subprocess.run([forked.python(), script, "--help"], capture_output=True, text=True, check=True, cwd="/")
    options = re.findall(r"^  (--\w+|\w+)", shown.stdout, re.MULTILINE)
    assert options or "choices" in shown.stdout
    first_line = script.read_text(encoding="utf-8").splitlines()[0].strip('"')
    assert " ".join(first_line.split()[:3]) in " ".join(shown.stdout.split())
    assert len(script.read_text(encoding="utf-8").splitlines()) < 50


def test_schemas_describe_every_key() -> None:
    def undescribed(schema: object, path: str = "") -> list[str]:
        if not isinstance(schema, dict):
            return []
        missing = [
            f"{path}.{key}"
            for key, value in schema.get("properties", {}).items()
            if "description" not in value and "$ref" not in value
        ]
        return missing + [name for key, value in schema.items() for name in undescribed(value, f"{path}.{key}")]

    for file in (ROOT / "workflow/schemas").glob("*.yaml"):
        assert undescribed(yaml.safe_load(file.read_text())) == [], file.name


@pytest.mark.workflow
def test_quick_scale_is_small(tmp_path: Path) -> None:
    folder = copies.copy_project(tmp_path / "copy")
    output = copies.snakemake(folder, "-n", "--config", "scale=quick")
    total, *_ = re.findall(r"^total +(\d+)", output, re.MULTILINE)
    papers = len(list((folder / "config/papers").glob("*.yaml")))
    assert int(total) < 60 * papers


@pytest.mark.workflow
def test_every_remark_of_the_linter_has_its_reason(tmp_path: Path) -> None:
    folder = copies.copy_project(tmp_path / "copy")
    output = copies.start(folder, "--lint", "--config", "scale=quick", "papers=[liang2025]").finish(code=1)
    reasons = yaml.safe_load((ROOT / "workflow/lint.yaml").read_text(encoding="utf-8"))
    assert set(re.findall(r"^    \* (.+):$", output, re.MULTILINE)) == set(reasons), output


@pytest.mark.workflow
def test_nothing_is_written_while_the_snakefile_is_read(tmp_path: Path) -> None:
    """A dry run leaves Snakemake's own folder, and nothing of ours."""
    folder = copies.copy_project(tmp_path / "copy")
    before = {file for file in folder.rglob("*") if "__pycache__" not in file.parts}
    copies.plan(folder, "--config", "scale=quick", "papers=[liang2025]")
    after = {file for file in folder.rglob("*") if "__pycache__" not in file.parts}
    assert {file.relative_to(folder).parts[0] for file in after - before} <= {".snakemake"}
    assert not (folder / ".snakemake/dpdescent").exists()


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("name", "old", "new", "arguments", "message"),
    [
        (
            "config/papers/liang2025.yaml", "T: {value: 20, stated: Sec. 4.1}", "T: {value: 0, stated: Sec. 4.1}", (),
            r"config/papers/liang2025\.yaml: artefacts\.fig03\.arms\.T = 0 is not allowed; number of iterations: give"
            r" an integer at least 1",
        ),
        (
            "config/papers/liang2025.yaml", "\nsymbols:", "\nsymbols: {}\nsymbols:", (),
            r"\S+/config/papers/liang2025\.yaml: line \d+: key 'symbols' stands twice; keep one of them",
        ),
        (
            "config/scales/quick.yaml", "fig03:", "fig033:", ("--config", "scale=quick"),
            r"config/scales/quick\.yaml: papers\.liang2025\.artefacts\.fig033 overlays nothing: no such key; did you"
            r" mean 'fig03'\?",
        ),
        (
            "src/dpdescent/algorithms/dp_2s_gd.py", "\nimport", "\nimport (", (),
            r"code: src/dpdescent/algorithms/dp_2s_gd\.py line \d+: .*; mend it before anything can run",
        ),
        ("README", "", "", ("--config", "seed=-3"), r"config/config\.yaml: seed = -3 is not allowed; the seed that .*"),
    ],
    ids=["value", "equal keys", "overlay", "syntax", "command line"],
)  # fmt: skip
def test_bad_configuration_ends_with_one_line(
    tmp_path: Path, name: str, old: str, new: str, arguments: tuple[str, ...], message: str
) -> None:
    """Exit code 1, one line that says what to mend, no traceback, no job."""
    folder = copies.copy_project(tmp_path / "copy")
    (folder / "README").write_text("")
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    lines = copies.snakemake(folder, "-c1", *arguments, code=1).splitlines()
    # Snakemake's own notices stand above it.
    told = [line for line in lines if not line.startswith(("Using workflow specific profile", "Config file"))]
    assert len(told) == 1
    assert re.fullmatch(rf"Config error: {message}", told[0])
    assert not (folder / "results").exists()
