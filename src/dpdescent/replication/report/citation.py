"""Files for finding and citing the software: CITATION.cff, codemeta.json, .zenodo.json, addresses in pyproject.toml.

Their content comes from `pyproject.toml`, from the papers of the configuration and from its `code_address`; without an
address no file has one.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.values import Node

PYTHON = "Programming Language :: Python"
# Files below the address that a package index shows, by the label that it gives them.
ADDRESSES = {"Source": "", "Documentation": "docs/library.md", "Changelog": "CHANGELOG.md"}


def written(root: Path) -> dict[str, str]:
    """The content of each of the files, by name.

    Args:
        root: the project's directory.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    about = project["project"] | project["tool"]["dpdescent"]
    address = str(conf.read_yaml(root / "config/config.yaml").get("code_address") or "").rstrip("/")
    papers = [conf.read_yaml(file)["paper"] for file in sorted((root / "config/papers").glob("*.yaml"))]
    cited = [paper for paper in papers if "arxiv" in paper]
    return {
        "CITATION.cff": yaml.safe_dump(
            _citation(about, cited, address), sort_keys=False, allow_unicode=True, width=100
        ),
        "codemeta.json": _json(_codemeta(about, cited, address)),
        ".zenodo.json": _json(_zenodo(about, cited, address)),
        "pyproject.toml": _with_urls((root / "pyproject.toml").read_text(encoding="utf-8"), address),
    }


def _json(content: Node) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _citation(about: Node, papers: list[Node], address: str) -> Node:
    return {
        "cff-version": "1.2.0",
        "message": f"If you use {about['name']}, please cite it and the papers that it replicates.",
        "title": about["title"],
        "type": "software",
        "authors": about["authors"],
        "version": about["version"],
        "date-released": about["released"],
        "license": about["license"],
        "keywords": about["keywords"],
        **({"repository-code": address} if address else {}),
        "references": [_reference(paper) for paper in papers],
    }


def _reference(paper: Node) -> Node:
    proceedings = paper.get("proceedings", {})
    return {
        "type": "conference-paper" if proceedings else "article",
        "title": paper["title"],
        "authors": [{"family-names": family, "given-names": given} for given, family in _people(paper)],
        "year": paper["year"],
        **({"collection-title": proceedings["title"]} if proceedings else {}),
        **({"volume": proceedings["volume"]} if "volume" in proceedings else {}),
        "doi": _doi(paper),
        "identifiers": [{"type": "other", "value": f"arXiv:{paper['arxiv']}"}],
    }


def _people(paper: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Given and family name of each author; text in parentheses is left out."""
    names = [re.sub(r" \(.*?\)", "", name).rpartition(" ") for name in paper["authors"].split(", ")]
    return [(given, family) for given, _, family in names]


def called(paper: Mapping[str, Any]) -> str:
    """A paper's name as people say it, `Brown et al. 2024`; the key of what is no paper of others."""
    if "arxiv" not in paper:
        return str(paper["key"])
    families = [family for _, family in _people(paper)]
    return f"{' and '.join(families) if len(families) < 3 else f'{families[0]} et al.'} {paper['year']}"


def _doi(paper: Node) -> str:
    """The DOI by which arXiv registers a paper."""
    return f"10.48550/arXiv.{paper['arxiv']}"


def _codemeta(about: Node, papers: list[Node], address: str) -> Node:
    return {
        "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
        "@type": "SoftwareSourceCode",
        "name": about["name"],
        "description": about["description"],
        "version": about["version"],
        "datePublished": about["released"],
        "license": {"@type": "CreativeWork", "name": about["license"]},
        "author": [{"@type": "Organization", "name": author["name"]} for author in about["authors"]],
        "keywords": about["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": [f"Python {version}" for version in _classified(about, f"{PYTHON} :: 3.")],
        "operatingSystem": _classified(about, "Operating System ::"),
        "softwareRequirements": about["dependencies"],
        **({"codeRepository": address} if address else {}),
        "citation": [
            {
                "@type": "ScholarlyArticle", "name": paper["title"], "identifier": f"doi:{_doi(paper)}",
                "author": [
                    {"@type": "Person", "givenName": given, "familyName": family} for given, family in _people(paper)
                ],
            }
            for paper in papers
        ],
    }  # fmt: skip


def _classified(about: Node, beginning: str) -> list[str]:
    """Last words of the classifiers with the given beginning."""
    return [text.rpartition(" :: ")[2] for text in about["classifiers"] if text.startswith(beginning)]


def _zenodo(about: Node, papers: list[Node], address: str) -> Node:
    related = [{"identifier": _doi(paper), "relation": "cites", "scheme": "doi"} for paper in papers]
    if address:
        related.append({"identifier": address, "relation": "isSupplementTo", "scheme": "url"})
    return {
        "upload_type": "software",
        "title": about["title"],
        "description": about["description"],
        "version": about["version"],
        "publication_date": about["released"],
        "access_right": "open",
        "license": about["license"],
        "creators": about["authors"],
        "keywords": about["keywords"],
        "related_identifiers": related,
    }


def _with_urls(text: str, address: str) -> str:
    """The text of `pyproject.toml` with the addresses between its two comments."""
    listed = [f'{name} = "{address}/{file}"'.replace('/"', '"') for name, file in ADDRESSES.items()]
    block = "\n".join(["[project.urls]", *listed, ""]) if address else ""
    changed, times = re.subn(r"(?s)(\n# urls, [^\n]*\n).*?(# end urls\n)", rf"\g<1>{block}\g<2>", text)
    if times != 1:
        raise ValueError("pyproject.toml has no place for addresses: lines `# urls, ...` and `# end urls`")
    return changed
