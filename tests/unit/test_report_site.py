"""The committed report: what the code makes of the committed results, whole, linked, and readable to everyone."""

import dataclasses
import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.judging import other_seed
from dpdescent.replication.report import about, content, pages, site, summary, wording
from dpdescent.replication.report.demonstrations import demonstrations
from report_made import INVENTORIES, RESULTS, ROOT, TRIALS, papers, texts

DEMONSTRATIONS = demonstrations(ROOT / "src", [folder.name for folder in (ROOT / "src/dpdescent/papers").iterdir()])
VOID = {"meta", "link", "img", "input", "br"}


class Page(HTMLParser):
    """A page's elements in their order, each with its attributes, and the names of those that are left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


READERS_OWN = {
    "config/scales/mine.yaml", "config/scales/mydata.yaml", "src/dpdescent/papers/ours/methods_one_step.py",
}  # fmt: skip


@pytest.fixture(scope="module")
def known() -> list[dict[str, Any]]:
    return papers()


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The site as the code makes it now from the committed results."""
    return texts()


@pytest.fixture(scope="module")
def parsed(made: dict[str, str]) -> dict[str, Page]:
    return {name: Page(text) for name, text in made.items() if name.endswith(".html")}


def test_committed_report_is_what_the_code_makes_of_the_committed_results(made: dict[str, str]) -> None:
    """And all that is there: a page that is no longer made does not stay behind."""
    there = {path.name for path in (RESULTS / "report").iterdir()}
    assert there == {*made, pages.COMPUTE}
    for name, text in made.items():
        assert (RESULTS / "report" / name).read_text(encoding="utf-8") == text, name


def test_pipeline_knows_the_names_of_all_files(made: dict[str, str], known: list[dict[str, Any]]) -> None:
    assert set(made) == set(pages.site_files((paper["key"] for paper in known), DEMONSTRATIONS))


def test_committed_costs_are_those_of_the_committed_table() -> None:
    script = (RESULTS / "report" / pages.COMPUTE).read_text(encoding="utf-8")
    assert script == site.compute_script(read_rows(RESULTS / "compute.csv"))


def test_costs_are_summed_by_artefact_paper_and_in_all() -> None:
    rows = [
        {"item": item, "cpu_s": cpu, "peak_mb": mb}
        for item, cpu, mb in (("p/a", "1.5", "10"), ("p/a", "2", "30"), ("p", "4", "20"), ("", "8", "5"))
    ]
    script = site.compute_script(rows)
    budget = json.loads(script.removeprefix("window.dpdescentCompute = ").removesuffix(";\n"))
    assert budget["p/a"] == {"cpu_s": 3.5, "peak_mb": 30.0}
    assert budget["p"] == {"cpu_s": 7.5, "peak_mb": 30.0}
    assert budget["all stages"] == {"cpu_s": 15.5, "peak_mb": 30.0}


def test_no_page_holds_a_clock_a_machine_or_a_foreign_file(made: dict[str, str], parsed: dict[str, Page]) -> None:
    for name, text in made.items():
        assert str(ROOT) not in text, name
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text), name
    for page in parsed.values():
        loaded = [each.get("src", "") for each in page.all("img") + page.all("script")]
        loaded += [each["href"] for each in page.all("link")]
        assert not any(urlsplit(address).scheme not in ("", "data") for address in loaded)


def links(parsed: dict[str, Page]) -> Iterator[tuple[str, str]]:
    for name, page in parsed.items():
        for _, attributes in page.elements:
            for key in ("href", "src", "action"):
                if key in attributes and not attributes[key].startswith("data:"):
                    yield name, attributes[key]


def test_no_link_is_broken(made: dict[str, str], parsed: dict[str, Page]) -> None:
    ids = {name: set(page.ids()) for name, page in parsed.items()}
    count = 0
    for name, address in links(parsed):
        parts = urlsplit(address)
        if parts.scheme:
            assert (parts.scheme, parts.netloc) == ("https", "arxiv.org"), (name, address)
            continue
        target = unquote(parts.path) or name
        if target in parsed:
            assert not parts.fragment or unquote(parts.fragment) in ids[target], (name, address)
        else:
            assert target in made or (RESULTS / "report" / target).is_file(), (name, address)
        count += 1
    assert count > 1000


def test_files_of_the_project_that_pages_name_are_there(made: dict[str, str]) -> None:
    """Those that readers write are not: a scale of their own, and a method that they contend with."""
    named = {
        (page, file)
        for page, text in made.items()
        for file in re.findall(r"<code>((?:src|config|workflow)/[\w./]+)</code>", text)
        if file not in READERS_OWN
    }
    assert len({file for _, file in named}) > 100
    assert {(page, file) for page, file in named if not (ROOT / file).exists()} == set()


def test_search_leads_to_places_that_are_there(made: dict[str, str], parsed: dict[str, Page]) -> None:
    ids = {name: set(page.ids()) for name, page in parsed.items()}
    listed = made[pages.INDEX].removeprefix("window.dpdescentIndex = ").removesuffix(";\n")
    found = [entry[:5] for entry in json.loads(listed) if entry[0] not in ("documentation", "name")]
    assert len(found) > 2000
    for _, paper, _, _, address in found:
        parts = urlsplit(f"{paper}.html{address}" if address.startswith("#") else address)
        assert parts.path in ids, address
        assert not parts.fragment or unquote(parts.fragment) in ids[parts.path], address


def test_elements_are_closed_in_their_order_and_names_are_unique(parsed: dict[str, Page]) -> None:
    for name, page in parsed.items():
        assert page.faults == [], name
        assert page.open == [], name
        assert len(page.ids()) == len(set(page.ids())), name


def test_headings_go_down_one_step_at_a_time(parsed: dict[str, Page]) -> None:
    for name, page in parsed.items():
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
        assert levels.count(1) == 1, name
        assert levels[0] == 1, name
        assert all(after <= before + 1 for before, after in pairwise(levels)), name


def test_pictures_say_what_they_show(parsed: dict[str, Page]) -> None:
    """Small pictures have their text beside them, on the contact sheet and in the head of a folded section."""
    for name, page in parsed.items():
        for image in page.all("img"):
            assert len(image["alt"]) > 60 or (not image["alt"] and image["class"] == "small"), (name, image)


def test_pictures_say_it_in_few_letters(parsed: dict[str, Page]) -> None:
    for name, page in parsed.items():
        assert all(len(image["alt"]) <= wording.MOST_LETTERS for image in page.all("img")), name


def test_captions_begin_with_the_result_and_fold_the_key_away(
    made: dict[str, str], known: list[dict[str, Any]]
) -> None:
    for name in [*(f"{paper['key']}.html" for paper in known), "on-request.html"]:
        captions = re.findall(r'<(figcaption|div class="caption")>(.*?)</(?:figcaption|div)>', made[name], re.DOTALL)
        assert captions, name
        for _, text in captions:
            assert re.match(
                r"\s*<p><strong>.*?</strong>.*?</p>\s*<details><summary>.*</details>\s*$", text, re.DOTALL
            ), name
        tables = sum(
            artefact["table"] for paper in known if name.startswith(paper["key"]) for artefact in paper["artefacts"]
        )
        assert [tag for tag, _ in captions if tag.startswith("div")] == ['div class="caption"'] * tables


def test_figures_lead_to_the_claims_of_each_verdict(made: dict[str, str], known: list[dict[str, Any]]) -> None:
    """Every figure and table has a card, whose numbers are those of the papers' own claims about it."""
    cards = re.findall(
        r'<li data-paper="(\w+)" data-verdict="([^"]*)" data-design="(?:of the paper|ours)">(.*?)</li>',
        made["figures.html"],
        re.DOTALL,
    )
    assert len(cards) == sum(len(paper["artefacts"]) for paper in known)
    rows = read_rows(RESULTS / "claims.csv")
    for key, verdicts, text in cards:
        (artefact,) = re.findall(rf'^<a href="{key}.html#([\w]+)">', text)
        mine = [row for row in rows if (row["paper"], row["artefact"]) == (key, artefact)]
        source = "ours" if "(ours)" in text else "paper"
        count = Counter(row["verdict"] for row in mine if row["source"] == source)
        assert set(filter(None, verdicts.split("|"))) == set(count)
        told = re.findall(r'#(claim-[^"]+)">(\d+) <span class="badge ([a-z-]+)">', text)
        assert {verdict.replace("-", " "): int(number) for _, number, verdict in told} == dict(count)
        assert all(f'id="{claim}"' in made[f"{key}.html"] for claim, *_ in told)


def test_figures_of_the_papers_are_told_from_those_of_our_design(made: dict[str, str]) -> None:
    """As many as the README's table says, which counts places of figures and tables."""
    counted = re.findall(r"\| (\d+) \+ (\d+) \|", (ROOT / "README.md").read_text(encoding="utf-8"))
    theirs = made["figures.html"].count('data-design="of the paper"')
    assert theirs == sum(int(own) for own, _ in counted)
    assert made["figures.html"].count('data-design="ours"') > sum(int(ours) for _, ours in counted)


def test_a_paper_whose_claims_are_the_readers_own_keeps_its_row() -> None:
    whole = content.load(RESULTS, papers()[:1], INVENTORIES, TRIALS)
    mine = [claim | {"source": "yours"} for claim in whole.claims if claim["paper"] == whole.papers[0]["key"]]
    text = site.pages(dataclasses.replace(whole, claims=mine, findings=[]), about.software(ROOT))["index.html"]
    assert f'source=yours">{summary.held(Counter(claim["verdict"] for claim in mine))}</a>' in text
    assert "conjectures of ours hold" not in text


def test_pages_are_light(made: dict[str, str]) -> None:
    """Pictures apart, so that a page opens at once on a slow line too."""
    assert {name: len(text.encode()) for name, text in made.items() if len(text.encode()) >= 700_000} == {}


# Slow, because the committed report, of another process, is compared byte by byte above.
@pytest.mark.slow
def test_pages_are_the_same_twice(made: dict[str, str]) -> None:
    again = site.pages(content.load(RESULTS, papers(), INVENTORIES, TRIALS), about.software(ROOT))
    assert {name: text for name, text in again.items() if text != made[name]} == {}


def test_every_grave_finding_has_a_page_with_letter_and_script(made: dict[str, str], parsed: dict[str, Page]) -> None:
    named = [name for name in made if name.startswith("finding-")]
    assert named == [pages.finding_page(name) for name in sorted(DEMONSTRATIONS, key=order(made))]
    for finding, script in DEMONSTRATIONS.items():
        text = made[pages.finding_page(finding)]
        assert f"../letters/{finding}.md" in text
        assert str(script.relative_to(ROOT)) in text
        assert f'href="{pages.finding_page(finding)}"' in made["index.html"]
        # A copy as text loses subscripts and superscripts: 10<sup>4</sup> would be sent as 104.
        (paragraph,) = re.findall(r'<h2 id="paragraph">.*?<blockquote>(.*?)</blockquote>', text, flags=re.DOTALL)
        assert set(re.findall(r"<(\w+)", paragraph)) == {"cite"}
    drawn = sum('class="plot"' in made[name] or parsed[name].all("img") != [] for name in named)
    assert drawn == len(named)


def order(made: dict[str, str]) -> Callable[[str], int]:
    names = list(made)
    return lambda finding: names.index(pages.finding_page(finding))


def test_pages_of_papers_tell_claims_by_their_permalinks(made: dict[str, str], known: list[dict[str, Any]]) -> None:
    for paper in known:
        text = made[f"{paper['key']}.html"]
        claims = [claim for claim in read_rows(RESULTS / "claims.csv") if claim["paper"] == paper["key"]]
        assert text.count(">evidence</a>") == len(claims)
        assert text.index('id="verdict"') < text.index('id="findings"') < text.index('class="artefact"')
        assert ("arxiv" in paper) == (f'href="https://arxiv.org/abs/{paper.get("arxiv")}"' in text)


def test_counts_of_nothing_lead_nowhere(made: dict[str, str]) -> None:
    for name in ("index.html", "bounds.html"):
        assert "0 of 0" not in made[name]
        assert not re.findall(r"<a [^>]*>0</a>", made[name]), name
        assert '<td class="figure">0</td>' in made[name]


def test_claims_judged_on_request_are_told_where_they_are_not_counted(made: dict[str, str]) -> None:
    """On the page of their paper, with verdict and number, and beside the scorecard."""
    own = [row for row in read_rows(RESULTS / "on_request/claims.csv") if row["source"] == "paper"]
    assert {row["paper"] for row in own} == {"choquettechoo2023"}
    held = sum(row["verdict"] == "reproduced" for row in own)
    for name in ("index.html", "choquettechoo2023.html"):
        assert f"{held} reproduced" in re.sub(r"\s+", " ", made[name].split("judged on request")[-1]), name
    first = next(row for row in own if row["claim"] == "cifar-net-me")
    link = f'<a href="on-request.html#claim-choquettechoo2023-{first["claim"]}">'
    for name in ("claims.html", "choquettechoo2023.html"):
        assert f"{float(first['measured']):.3g} [" in made[name].split(link)[1][:400], name
    assert "Its results are committed: " in made["choquettechoo2023.html"]
    assert link not in made["liang2025.html"]


def test_statements_are_filtered_by_papers_that_have_some(made: dict[str, str]) -> None:
    (options,) = re.findall(r'<select name="paper">(.*?)</select>', made["statements.html"], flags=re.DOTALL)
    assert re.findall(r'<option value="(\w+)">', options) == sorted(file.stem for file in INVENTORIES)
    assert ">Brown et al. 2024</option>" in options


def test_values_are_counted_by_where_they_come_from(made: dict[str, str], known: list[dict[str, Any]]) -> None:
    (table,) = re.findall(r'<table id="origins">.*?</table>', made["made.html"], flags=re.DOTALL)
    for paper in known:
        (row,) = re.findall(rf'<tr><th scope="row"><a href="{paper["key"]}.html">.*?</tr>', table, flags=re.DOTALL)
        sources = [setting["source"] for setting in read_rows(RESULTS / paper["key"] / "settings.csv")]
        told = [int(count) for count in re.findall(r">(\d+)</td>", row)]
        assert told == [sources.count(origin) for origin in ("stated", "code", "chosen", "variant")]
        assert sum(told) == len(sources) > 0


def test_tables_name_what_their_columns_are(parsed: dict[str, Page]) -> None:
    for name, page in parsed.items():
        heads = page.all("th")
        assert heads or not page.all("table"), name
        assert all(head.get("scope") in ("col", "row") for head in heads), name
        assert page.all("html")[0]["lang"] == "en"


def test_every_artefact_has_its_section_figure_files_and_command(
    parsed: dict[str, Page], made: dict[str, str], known: list[dict[str, Any]]
) -> None:
    for paper in known:
        page, text = parsed[f"{paper['key']}.html"], made[f"{paper['key']}.html"]
        shown = [image["src"] for image in page.all("img")]
        for artefact in paper["artefacts"]:
            item = f"{paper['key']}/{artefact['id']}"
            assert artefact["id"] in page.ids()
            assert f"make figure F={item}<" in text
            assert (f"../{item}.svg" in shown) != artefact["table"]
            assert (ROOT / artefact["experiment"]).is_file()
            assert artefact["table"] or (ROOT / artefact["drawing"]).is_file()


def test_every_claim_finding_and_audit_has_its_place(made: dict[str, str], parsed: dict[str, Page]) -> None:
    results = content.load(RESULTS, papers(), INVENTORIES)
    assert sum(name.startswith("claim-") for name in parsed["claims.html"].ids()) == len(results.claims)
    assert sum(name.startswith("finding-") for name in parsed["findings.html"].ids()) == len(results.findings)
    refuted = content.refuted(results.audit)
    assert made["privacy.html"].count("<summary>the pair</summary>") == len(refuted) > 0
    for paper in {claim["paper"] for claim in results.claims}:
        names = [name for name in parsed[f"{paper}.html"].ids() if name.startswith("claim-")]
        assert len(names) == len(content.select(results.claims, paper=paper)), paper


def test_an_audits_bound_for_gaussian_outputs_stands_apart_from_that_for_any_law(made: dict[str, str]) -> None:
    body = made["privacy.html"].split('id="audits"')[1].split("<tbody>")[1].split("</tbody>")[0]
    shown = [re.findall(r'<td class="figure">(.*)</td>', row)[-2:] for row in body.split("</tr>")[:-1]]
    audit = content.load(RESULTS, papers(), INVENTORIES).audit
    for row, (gaussian, any_law) in zip(audit, shown, strict=True):
        assert any_law == wording.number(row["eps_any_law_low"], 3)
        # The audit's bound is that for any law unless it is for Gaussian outputs, and it is one of the two.
        assert gaussian in ("", wording.number(row["eps_audit_low"], 3))
        assert gaussian or row["eps_audit_low"] == row["eps_any_law_low"]
    assert 0 < sum(gaussian != "" for gaussian, _ in shown) < len(audit)


def test_a_page_counts_the_claims_of_its_paper_or_conjectures_of_ours(made: dict[str, str]) -> None:
    claims = read_rows(ROOT / "results/paper/claims.csv")
    for key, source, words in (("brown2024", "paper", "claims of its own"), ("ours", "ours", "conjectures")):
        mine = [claim["verdict"] for claim in claims if (claim["paper"], claim["source"]) == (key, source)]
        page = made[f"{key}.html"]
        assert f"Of {len(mine) - mine.count('not testable')} {words} that can be tested" in page
        assert f'verdict=reproduced&amp;source={source}">{mine.count("reproduced")} are reproduced</a>' in page
        refuted = f'verdict=not+reproduced&amp;source={source}">{mine.count("not reproduced")} not reproduced</a>'
        assert (refuted in page) == ("not reproduced" in mine)


def test_a_scale_that_is_no_evidence_says_so_on_every_page(known: list[dict[str, Any]]) -> None:
    whole = of_one_paper(content.load(RESULTS, known, INVENTORIES, TRIALS), "liang2025")
    labelled = site.pages(whole, about.software(ROOT), "few trials")
    assert {f"{page}.html" for page in pages.PAGES} < set(labelled)
    for name, text in labelled.items():
        assert ("few trials" in text and "Nothing on these pages is evidence" in text) == name.endswith(".html"), name


def of_one_paper(whole: content.Content, key: str) -> content.Content:
    """The results of one paper, whose pages are made in a quarter of the time."""
    kept = {
        name: [row for row in getattr(whole, name) if row["paper"] == key]
        for name in ("claims", "findings", "audit", "privacy", "bounds")
    }
    papers = [paper for paper in whole.papers if paper["key"] == key]
    return dataclasses.replace(whole, papers=papers, **kept)


def test_the_papers_sentence_is_told_from_ours(known: list[dict[str, Any]]) -> None:
    """A finding without a headline of ours begins with the sentence that it is about, and says whose that is."""
    whole = of_one_paper(content.load(RESULTS, known), "liang2025")
    text = site.pages(whole, about.software(ROOT))["liang2025.html"]
    plain = [html.unescape(re.sub("<[^>]*>", "", line)) for line in text.splitlines() if "data-severity" in line]
    assert len(plain) == len(whole.findings)
    assert sum(line.startswith("The paper: ") for line in plain) == sum(not row["headline"] for row in whole.findings)


def test_verdicts_at_another_seed_are_told_where_there_are_any(known: list[dict[str, Any]]) -> None:
    row = dict.fromkeys(other_seed.COLUMNS, "") | {"paper": "liang2025", "other_seed": "7"}
    rows = [row | {"claim": "steady"}, row | {"claim": "shaky", "changes": "yes", "other_measured": "0.123456"}]
    whole = of_one_paper(content.load(RESULTS, known), "liang2025")
    text = site.pages(dataclasses.replace(whole, seed_check=rows), about.software(ROOT))["claims.html"]
    plain = re.sub("</?a[^>]*>", "", text)
    assert "1 of 2 verdicts of Liang et al. 2025 are the same where all tables are built at seed 7" in plain
    assert [name for name in ("shaky", "0.1235", "steady") if f"<td>{name}</td>" in text] == ["shaky", "0.1235"]
    without = site.pages(dataclasses.replace(whole, seed_check=[]), about.software(ROOT))["claims.html"]
    assert "At other seeds" not in without


def luminance(color: str) -> float:
    """Relative luminance as the web's accessibility guidelines define it."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1])
def test_text_stands_out_from_its_ground_by_light_and_dark(made: dict[str, str], scheme: int) -> None:
    block = re.findall(r":root \{(.*?)\}", made["style.css"], flags=re.DOTALL)[scheme]
    colors = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
    pairs = [(ink, ground) for ink in ("ink", "soft", "link") for ground in ("paper", "wash")]
    pairs += [(ink, f"{ink}-wash") for ink in ("good", "bad", "unsure", "mute")] + [("ink", "unsure-wash")]
    for ink, ground in pairs:
        dark, light = sorted((luminance(colors[ink]), luminance(colors[ground])))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)


def test_assets_are_what_the_pages_are_made_of_and_no_bytecode() -> None:
    """The fingerprint of the report covers them; bytecode that Python writes beside the pages must not change it."""
    assert {file.parent.name for file in pages.assets()} == {"static", "templates"}
    assert {file.suffix for file in pages.assets()} == {".css", ".js", ".txt", ".j2"}
