"""How to cite, and the drawing of the rules."""

import re

import pytest

import report_made
from dpdescent.replication.report import about, references
from report_made import ROOT

EDGES = [("a", "c"), ("b", "c"), ("c", "d"), ("a", "d")]


def test_software_and_listed_papers_have_an_entry() -> None:
    software = about.software(ROOT)
    papers = [{"key": "brown2024", "arxiv": "2402.13531"}, {"key": "ours"}, {"key": "other", "arxiv": "0"}]
    first, second = references.entries(software, papers)
    assert first.startswith("@software{dpdescent,\n  title = {{dpdescent: ")
    assert f"version = {{{software['version']}}}" in first
    assert f"year = {{{software['date-released'][:4]}}}" in first
    assert second.startswith("@inproceedings{brown2024,")
    assert "author = {Brown, Gavin and Dvijotham, Krishnamurthy and " in second
    for line in ("year = {2024}", "volume = {235}", "eprint = {2402.13531}", "archiveprefix = {arXiv}"):
        assert line in second
    assert all(entry.count("{") == entry.count("}") for entry in (first, second))


def test_every_paper_has_a_year_and_the_doi_of_its_arxiv_number() -> None:
    software, papers = about.software(ROOT), report_made.papers()
    cited = {references.arxiv(entry) for entry in software["references"]}
    # A paper that joins may be cited later.
    known = [paper for paper in papers if paper.get("arxiv") in cited]
    assert len(known) == len(software["references"]) == 5
    for paper, entry in zip(known, references.entries(software, papers)[1:], strict=True):
        assert entry.startswith((f"@inproceedings{{{paper['key']},", f"@misc{{{paper['key']},"))
        for line in (f"year = {{{paper['year']}}}", f"doi = {{10.48550/arXiv.{paper['arxiv']}}}"):
            assert line in entry


def test_versions_are_the_lock_files_and_rules_the_documentations() -> None:
    software = about.software(ROOT)
    assert set(software["versions"]) == set(about.PACKAGES)
    assert {"report", "train"} <= {name for edge in software["rules"] for name in edge}


def test_layers_follow_the_longest_path() -> None:
    assert references.layers(EDGES) == [["a", "b"], ["c"], ["d"]]
    with pytest.raises(ValueError, match="wait for each other"):
        references.layers([("a", "b"), ("b", "a")])


def test_graph_has_each_rule_and_edge_once_and_its_boxes_apart() -> None:
    drawn = references.graph(EDGES)
    assert re.findall("<text[^>]*>(.)</text>", drawn) == ["a", "b", "c", "d"]
    assert drawn.count("<path") == len(EDGES)
    boxes = [(float(x), float(y)) for x, y in re.findall(r'<rect x="([\d.]+)" y="([\d.]+)"', drawn)]
    assert len(set(boxes)) == 4
    assert abs(boxes[0][0] - boxes[1][0]) >= references.BOX
