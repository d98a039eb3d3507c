"""Files for those who find and cite the software: from one source, and without an address where none is configured."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from dpdescent.replication.report import citation

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://host.example/project/blob/main"
# What the vocabularies themselves are called.
VOCABULARIES = ("https://doi.org/10.5063/schema/codemeta-2.0",)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files that all is written from."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def with_address(folder: Path) -> dict[str, str]:
    with open(folder / "config/config.yaml", "a") as stream:
        stream.write(f"code_address: {ADDRESS}/\n")
    return citation.written(folder)


def addresses(text: str) -> list[str]:
    return [found for found in re.findall(r"https?://[^\s\"']+", text) if found not in VOCABULARIES]


def test_without_an_address_no_file_has_one(copy: Path) -> None:
    written = citation.written(copy)
    assert set(written) == {"CITATION.cff", "codemeta.json", ".zenodo.json", "pyproject.toml"}
    assert {name: found for name, text in written.items() if (found := addresses(text))} == {}


def test_an_address_is_in_every_file_and_leads_to_files_that_are_there(copy: Path) -> None:
    for name, text in with_address(copy).items():
        assert addresses(text), name
        for found in addresses(text):
            assert found.startswith(ADDRESS)
            assert (ROOT / found.removeprefix(ADDRESS).lstrip("/")).exists()


def test_addresses_of_a_package_index_come_and_go_and_change_nothing_else(copy: Path) -> None:
    before = (copy / "pyproject.toml").read_text(encoding="utf-8")
    written = with_address(copy)["pyproject.toml"]
    project = tomllib.loads(written)["project"]
    assert project.pop("urls") == {
        "Source": ADDRESS, "Documentation": f"{ADDRESS}/docs/library.md", "Changelog": f"{ADDRESS}/CHANGELOG.md"
    }  # fmt: skip
    assert project == tomllib.loads(before)["project"]
    (copy / "pyproject.toml").write_text(written, encoding="utf-8")
    shutil.copy(ROOT / "config/config.yaml", copy / "config")
    assert citation.written(copy)["pyproject.toml"] == before


def test_without_its_comments_there_is_no_place_for_addresses(copy: Path) -> None:
    text = (copy / "pyproject.toml").read_text(encoding="utf-8")
    (copy / "pyproject.toml").write_text(text.replace("# end urls\n", ""), encoding="utf-8")
    with pytest.raises(ValueError, match="has no place for addresses: lines `# urls"):
        citation.written(copy)


@pytest.mark.parametrize("name", ["CITATION.cff", "codemeta.json", ".zenodo.json"])
def test_names_are_those_of_the_project_and_of_the_papers(name: str) -> None:
    """No person stands for the software, and each paper has the authors and the DOI that its configuration has."""
    text = (ROOT / name).read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    key = {"CITATION.cff": "authors", "codemeta.json": "author", ".zenodo.json": "creators"}[name]
    assert [author["name"] for author in content[key]] == ["the dpdescent authors"]
    papers = [yaml.safe_load(file.read_text())["paper"] for file in (ROOT / "config/papers").glob("*.yaml")]
    known = {f"10.48550/arXiv.{paper['arxiv']}" for paper in papers if "arxiv" in paper}
    assert set(re.findall(r"10\.48550/\S+?(?=[\"\s])", text)) == known
    if name == "CITATION.cff":
        told = {
            " ".join(f"{each['given-names']} {each['family-names']}" for each in reference["authors"])
            for reference in content["references"]
        }
        listed = {re.sub(r" \(.*?\)|,", "", paper["authors"]) for paper in papers if "arxiv" in paper}
        assert told == listed
    assert "orcid" not in text.lower()


def test_required_keys_are_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed: dict[str, dict[str, Any]] = {
        ".zenodo.json": {"upload_type": "software", "license": project["license"], "access_right": "open"},
        "codemeta.json": {"@type": "SoftwareSourceCode", "name": project["name"]},
    }
    for name, given in needed.items():
        content = json.loads((ROOT / name).read_text(encoding="utf-8"))
        assert given.items() <= content.items()
        assert (content["version"], content["description"]) == (project["version"], project["description"])
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert {"title", "creators", "publication_date", "keywords"} <= zenodo.keys()
    assert all({"identifier", "relation"} <= each.keys() for each in zenodo["related_identifiers"])
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert {"@context", "author", "license", "programmingLanguage"} <= codemeta.keys()


def test_the_citation_fits_its_schema_with_an_address_too(copy: Path) -> None:
    (copy / "CITATION.cff").write_text(with_address(copy)["CITATION.cff"], encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.citation-file-format"]
    done = subprocess.run([*command, copy / "CITATION.cff"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
