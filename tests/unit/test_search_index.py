"""The index of the search, whole and led to the right places, and the library that ranks it, as it was released."""

import hashlib
import json
import re
from urllib.parse import urlsplit

import dpdescent
from dpdescent.public import NAMES
from dpdescent.replication.report import api, pages, search
from report_made import RESULTS, ROOT, texts

NOTICE = (ROOT / "src/dpdescent/replication/report/static/minisearch.txt").read_text(encoding="utf-8")


def entries(kind: str) -> list[list[str]]:
    """Entries of a kind, from the script as a page loads it."""
    listed = json.loads(texts()[pages.INDEX].removeprefix("window.dpdescentIndex = ").removesuffix(";\n"))
    return [entry for entry in listed if entry[0] == kind]


def test_library_is_the_release_that_its_notice_names_and_has_its_licence() -> None:
    """In the report as in the package, because a copy must have the licence beside it."""
    (stated,) = re.findall(r"^sha256 ([0-9a-f]{64})$", NOTICE, re.MULTILINE)
    assert hashlib.sha256(texts()["minisearch.js"].encode()).hexdigest() == stated
    assert re.search(r"npm package minisearch \d+\.\d+\.\d+, unmodified", NOTICE)
    assert "Permission is hereby granted, free of charge" in NOTICE
    assert texts()["minisearch.txt"] == NOTICE


def test_every_heading_of_the_documentation_is_found_at_its_place() -> None:
    found = [(of, urlsplit(address)) for _, of, _, _, address, *_ in entries("documentation")]
    expected = []
    for name in ("README.md", *(name for name in pages.DOCUMENTS.values() if name.endswith(".md"))):
        file = ROOT / name
        text = re.sub(r"^```.*?^```$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        expected += [(file.name, re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-")) for head in heads]
    assert [(of.rsplit("/")[-1], parts.fragment) for of, parts in found] == expected
    assert all(parts.path in texts() or (RESULTS / "report" / parts.path).is_file() for _, parts in found)


def test_every_kind_has_entries_and_no_other() -> None:
    kinds = {json.loads(line.rstrip(","))[0] for line in texts()[pages.INDEX].splitlines()[1:-1]}
    assert kinds == set(search.KINDS)


def test_public_names_are_found_with_the_first_sentence_of_their_docstrings() -> None:
    names = api.sentences()
    assert list(names) == list(NAMES)
    for name, sentence in names.items():
        assert len(sentence) > 15, name
        assert " ".join((getattr(dpdescent, name).__doc__ or "").split()).startswith(sentence), name
    assert [entry[2:4] for entry in entries("name")] == [[name, names[name]] for name in names]


def test_parts_of_a_page_are_its_headings_and_not_the_comments_of_its_code() -> None:
    page = """# A `page`

Of [words](there.md) in **bold**.

<!-- made -->
| of results |
<!-- end made -->

## Part, too

| a | b |
|---|---|
| `c` | d |

```sh
# no heading
run it
```
"""
    assert list(search.sections(page)) == [
        ("A page", "a-page", "Of words in bold."),
        ("A page: Part, too", "part-too", "a, b; c, d; # no heading run it"),
    ]
    assert list(search.sections("")) == []
