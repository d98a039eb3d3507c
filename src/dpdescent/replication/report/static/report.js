// What pages gain where scripts run: filters, sorting, zoom, and the cost of each figure. Without it all is still readable.
"use strict";

// Rows or cards that a filter form stands for: those with the chosen values, and all words of the search.
function filterable(form) {
  const target = document.getElementById(form.dataset.for);
  const items = itemsOf(target);
  const texts = items.map((item) => item.textContent.toLowerCase());
  const selects = [...form.querySelectorAll("select")];
  const apply = () => {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    items.forEach((item, index) => {
      const fits = selects.every((select) => !select.value || values(item, target, select.name).includes(select.value))
        && words.every((word) => texts[index].includes(word));
      item.toggleAttribute("data-filtered", !fits);
      shown += fits;
    });
    form.querySelector("output").value = `${shown} of ${items.length}`;
    target.dispatchEvent(new Event("rearranged"));
    remember(form);
  };
  const asked = new URLSearchParams(location.search);
  for (const field of form.elements) {
    if (field.name && asked.has(field.name)) field.value = asked.get(field.name);
  }
  // Chosen with the keyboard, by touch or by a program, a list tells of one or of the other.
  form.addEventListener("input", apply);
  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  form.hidden = false;
  apply();
}

// An item may have several values of one name, such as a figure whose claims differ in verdict. What it has not, the
// list or table that it is in has for all such items, because a long table would say the same a thousand times.
function values(item, target, name) {
  return (item.dataset[name] ?? target.dataset[name] ?? "").split("|");
}

// As many items of a long list or table as it says; a button shows the others, and a link to one of them that one.
function paged(target) {
  const first = Number(target.dataset.paged);
  const more = document.createElement("button");
  more.type = "button";
  more.className = "more";
  let all = false;
  const apply = () => {
    const fitting = itemsOf(target).filter((item) => !item.hasAttribute("data-filtered"));
    fitting.forEach((item, place) => item.toggleAttribute("data-later", !all && place >= first));
    more.hidden = all || fitting.length <= first;
    more.textContent = `Show all ${fitting.length}`;
  };
  // A link shows its own item alone, because the browser then knows where it stands.
  const shown = () => {
    const asked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const item = asked && target.contains(asked) && asked.closest("[data-later]");
    if (!item) return;
    item.removeAttribute("data-later");
    asked.scrollIntoView();
  };
  more.addEventListener("click", () => {
    all = true;
    apply();
  });
  target.addEventListener("rearranged", apply);
  window.addEventListener("hashchange", shown);
  (target.closest(".scroll") || target).after(more);
  apply();
  shown();
}

// Rows of a table, or elements of a list.
function itemsOf(target) {
  return [...(target.tBodies ? target.tBodies[0].rows : target.children)];
}

// The address keeps the choice, so that it can be sent to someone; some browsers refuse that for files on disk.
function remember(form) {
  const chosen = [...new FormData(form)].filter(([, value]) => value);
  const query = new URLSearchParams(chosen).toString();
  try {
    history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
  } catch (refusal) {
    if (refusal.name !== "SecurityError") throw refusal;
  }
}

function sortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sortRows(table.tBodies[0], column, down ? -1 : 1);
      table.dispatchEvent(new Event("rearranged"));
    });
  });
}

// Numbers, and what begins with one, by size and before words; cells without anything last in either direction.
function sortRows(body, column, direction) {
  const key = (row) => row.cells[column].textContent.trim();
  const keyed = [...body.rows].map((row) => [key(row), row]);
  const empty = keyed.filter(([text]) => !text);
  const full = keyed.filter(([text]) => text);
  const value = (text) => (/^[-+]?\.?\d/.test(text) ? parseFloat(text) : NaN);
  full.sort(([a], [b]) => {
    const [x, y] = [value(a), value(b)];
    if (!isNaN(x) && !isNaN(y)) return direction * (x - y);
    if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
    return direction * a.localeCompare(b);
  });
  body.append(...[...full, ...empty].map(([, row]) => row));
}

// A figure in a window of its own, larger and smaller; without a script the link opens the picture.
function zoomable(links) {
  const dialog = document.createElement("dialog");
  dialog.innerHTML = '<form method="dialog"><button type="button" name="smaller">smaller</button>'
    + '<button type="button" name="larger">larger</button><button>close</button><span></span></form><div><img alt=""></div>';
  document.body.append(dialog);
  const picture = dialog.querySelector("img");
  let width = 100;
  const resize = (factor) => {
    width = Math.min(800, Math.max(25, width * factor));
    picture.style.width = `${width}%`;
  };
  dialog.querySelector("[name=smaller]").addEventListener("click", () => resize(1 / 1.4));
  dialog.querySelector("[name=larger]").addEventListener("click", () => resize(1.4));
  for (const link of links) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const shown = link.querySelector("img");
      picture.src = link.href;
      picture.alt = shown.alt;
      width = 100;
      resize(1);
      dialog.showModal();
    });
  }
}

// Times and memory lie in a file of their own, because they alone differ between rebuilds.
function costs(budget) {
  const put = (name, write) => {
    for (const cell of document.querySelectorAll(`[data-${name}]`)) {
      const entry = budget[cell.dataset[name]];
      if (entry) cell.textContent = write(entry);
    }
  };
  const minutes = (entry) => (entry.cpu_s / 60).toFixed(1);
  put("minutes", minutes);
  put("memory", (entry) => entry.peak_mb.toFixed(0));
  put("cost", (entry) => ` · ${minutes(entry)} CPU-minutes, ${entry.peak_mb.toFixed(0)} MB at most, in the last full build`);
}

// Frames of tables and figures that are wider than the screen say that they scroll; turning a phone, or opening what is folded,
// changes which ones do.
function tellWide() {
  for (const frame of document.querySelectorAll(".scroll, figure > .zoom")) {
    frame.toggleAttribute("data-wide", frame.scrollWidth > frame.clientWidth + 1);
  }
}

// What a link leads to is opened, and on paper everything is.
function opened() {
  const asked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  let closed = null;
  for (let around = asked; around; around = around.parentElement) {
    if (around.tagName === "DETAILS" && !around.open) closed = around.open = true;
  }
  if (closed) asked.scrollIntoView();
}

opened();
window.addEventListener("hashchange", opened);
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
tellWide();
window.addEventListener("resize", tellWide);
document.addEventListener("toggle", tellWide, true);
// Of a picture too, which is loaded when it comes near.
document.addEventListener("load", tellWide, true);
document.querySelectorAll("form.filters[data-for]").forEach(filterable);
document.querySelectorAll("table.sortable").forEach(sortable);
document.querySelectorAll("[data-paged]").forEach(paged);
zoomable(document.querySelectorAll("a.zoom"));
if (window.dpdescentCompute) costs(window.dpdescentCompute);
