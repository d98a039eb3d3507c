"""One visit to a page of the report, from which many tests read: pages are loaded once, because that takes longest.

Axe-core and the walk by keyboard see a page with all details open, from which rows, list items and figures are left out
all of whose elements are of kinds that earlier ones in such a list have, of this page or of one visited before: a table
of a thousand claims has a handful of kinds of rows, and axe-core takes minutes for all of them. Pictures are emptied
then, because drawing them takes long.
"""

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait
from site_under_test import PHONE, ROOT, SCREEN, errors, prefer, resize, settle

# Kept for those who want to look; a CI uploads this folder.
SHOTS = Path(os.environ.get("DPDESCENT_SCREENSHOTS", ROOT / "build/screenshots"))
# Of all rules of axe-core those whose outcome depends on colours or on the width.
BY_LOOK = ("color-contrast", "link-in-text-block", "scrollable-region-focusable")

LAYOUT = """
for (const each of document.querySelectorAll('main details')) if (each.querySelector('table')) each.open = true;
const named = (element) => `${element.tagName} ${(element.caption || element).textContent.trim().slice(0, 60)}`;
const box = (element) => element.getBoundingClientRect();
const cross = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const wider = (table) => table.offsetWidth > table.parentElement.clientWidth + 1;
const overlaps = [];
for (const list of document.querySelectorAll('ul, ol, dl, tbody, form, fieldset')) {
  const items = [...list.children].filter((item) => item.offsetParent && box(item).width);
  items.slice(1).forEach((item, k) => { if (cross(box(items[k]), box(item))) overlaps.push(named(item)); });
}
return {
  page: document.documentElement.scrollWidth - window.innerWidth,
  tables: [...document.querySelectorAll('table')].filter(wider).map(named),
  overlaps,
};
"""

THIN = """
for (const each of document.querySelectorAll('main details')) each.open = true;
for (const image of document.images) image.src = 'data:,';
const seen = new Set(arguments[0]);
for (const list of document.querySelectorAll('main :is(tbody, ul, ol, #findings, div:has(> .artefact))')) {
  const where = (list.closest('table') || list).className;
  for (const item of [...list.children]) {
    const kinds = [item, ...item.querySelectorAll('*')].map((each) => `${where} ${each.tagName} ${each.className}`);
    if (kinds.every((kind) => seen.has(kind))) item.remove();
    kinds.forEach((kind) => seen.add(kind));
  }
}
return [...seen];
"""

AXE = """
const done = arguments[arguments.length - 1];
const rules = arguments[0] ? {runOnly: {type: 'rule', values: arguments[0]}} : {};
const told = (each) => each.nodes.map((node) => `${each.id} (${each.impact}): ${node.html.slice(0, 200)}`);
axe.run(document, {...rules, resultTypes: ['violations'], preload: false}).then(
  ({violations, passes}) => done({
    violations: violations.filter((each) => ['serious', 'critical'].includes(each.impact)).flatMap(told),
    passes: passes.length,
  }), (fault) => done({violations: [String(fault)], passes: 0}));
"""

CONTROLS = """
const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((element) => element.checkVisibility({visibilityProperty: true}) && !element.disabled);
window.walked = new Map();
document.addEventListener('focusin', ({target}) => {
  const look = getComputedStyle(target);
  window.walked.set(target, look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 1);
});
window.controls = controls;
document.activeElement.blur();
window.scrollTo(0, 0);
return controls.length;
"""

WALKED = """
const named = (element) => element.outerHTML.slice(0, 160);
return {
  missed: window.controls.filter((element) => !window.walked.has(element)).map(named),
  unseen: [...window.walked].filter(([, seen]) => !seen).map(([element]) => named(element)),
  reached: window.walked.size,
};
"""


@dataclass(frozen=True)
class Visit:
    """What one visit saw: messages of the console, pictures that are broken, the layout by width, and by light and
    dark what axe-core found serious or critical; controls that the keyboard missed, and where focus was not seen."""

    title: str
    errors: Sequence[str]
    broken: Sequence[str]
    layout: Mapping[int, Mapping[str, Any]]
    grave: Mapping[str, Mapping[str, Any]]
    keyboard: Mapping[str, Any]


def visit(browser: WebDriver, report: Path, kinds: set[str], name: str) -> Visit:
    """Opens a page and looks at all of it.

    Args:
        browser, report: the browser, and the folder of the report.
        kinds: kinds of elements in lists that earlier visits saw; this one adds its own.
        name: name of the page's file.
    """
    errors(browser)
    resize(browser, SCREEN)
    prefer(browser, "light")
    browser.get(f"{report.as_uri()}/{name}")
    settle(browser)
    broken = broken_pictures(browser)
    title = browser.execute_script("return document.querySelector('h1').textContent")
    seen = {width: _look(browser, name, width) for width in (SCREEN, PHONE)}
    told = errors(browser)
    kinds |= set(browser.execute_script(THIN, list(kinds)))
    # Dark on the phone and light on the screen, so that both colours and both widths are seen once.
    grave = {"dark": judged(browser, "dark", BY_LOOK)}
    resize(browser, SCREEN)
    return Visit(title, told, broken, seen, grave | {"light": judged(browser, "light")}, walk(browser))


def broken_pictures(browser: WebDriver) -> list[str]:
    """Addresses of pictures that cannot be shown. They are loaded when they come into view; here all at once."""
    browser.execute_script("for (const image of document.images) image.loading = 'eager'")
    done = "return [...document.images].every((image) => image.complete)"
    WebDriverWait(browser, 60, poll_frequency=0.05).until(lambda page: page.execute_script(done))
    return list(browser.execute_script(
        "return [...document.images].filter((image) => image.src && !image.naturalWidth).map((image) => image.src)"
    ))  # fmt: skip


def _look(browser: WebDriver, name: str, width: int) -> Mapping[str, Any]:
    """The layout at a width, and a screenshot kept."""
    resize(browser, width)
    found = layout(browser)
    SHOTS.mkdir(parents=True, exist_ok=True)
    browser.save_screenshot(str(SHOTS / f"{name.removesuffix('.html')}-{width}.png"))
    return found


def layout(browser: WebDriver) -> Mapping[str, Any]:
    """By how much the open page is wider than its window, tables that are wider than their column, and what overlaps.

    Details that hold tables are opened.
    """
    return dict(browser.execute_script(LAYOUT))


def judged(browser: WebDriver, scheme: str, rules: Sequence[str] = ()) -> Mapping[str, Any]:
    """What axe-core finds serious or critical on the open page, and how many rules held; no rule named means all."""
    prefer(browser, scheme)
    browser.execute_script("if (!window.axe) (0, eval)(arguments[0])", _axe())
    return dict(browser.execute_async_script(AXE, list(rules) or None))


@cache
def _axe() -> str:
    """Axe-core's script out of the package that brings it, which is not imported, because it asks for a driver."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError("axe-core is missing: install the test group (requirements.lock)")
    return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


def walk(browser: WebDriver) -> Mapping[str, Any]:
    """Walks the open page by the tabulator key: controls that it misses, and those at which focus cannot be seen."""
    count = browser.execute_script(CONTROLS)
    # A few more, because the browser's own frame takes a turn.
    ActionChains(browser).send_keys(Keys.TAB * (count + 3)).perform()
    return dict(browser.execute_script(WALKED))
