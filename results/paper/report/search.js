// Search over all pages at once: Greek letters and their names are equal, words that say nothing are left out, results
// are ranked by how rare the words are that they share with the question, and where nothing is found, words are proposed.
"use strict";

(() => {
  const GREEK = {
    α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ϵ: "epsilon", ζ: "zeta", η: "eta", θ: "theta", κ: "kappa", λ: "lambda",
    μ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", χ: "chi", ψ: "psi", ω: "omega",
  };
  const STOP = new Set(("a an and are as at be been but by can could do does for from had has have how i if in into is it its make of on or our"
    + " paper should so stay than that the their there these they this to use was we were what when where which who why will with would you"
    + " your my me need much does me not s evidence et al").split(" "));
  // Words that mean the same here; the first of a line stands for all.
  const SAME = `epsilon eps|lambda lam|figure fig figures figs|theorem thm thms theorems|lemma lemmas|corollary cor|section sec|equation eq|algorithm alg
    |proposition prop|appendix app|definition def|constant flat independent unchanged|p dimension dimensions|record sample row|broken break refuted violated exceed
    |cite citation bibtex citing|method algorithm estimator|interval intervals ci|step iteration iterations|seed seeds`
    .split("|").map((line) => line.trim().split(/\s+/));
  const CANON = new Map(SAME.flatMap((line) => line.map((word) => [word, line[0]])));
  const PLACES = new Set("figure theorem lemma corollary section equation algorithm proposition appendix definition table remark".split(" "));

  function stem(word) {
    if (CANON.has(word)) return CANON.get(word);
    const cut = word.length > 4 ? word.replace(/(?<=[a-z]{3})(?:ies|es|s|ing|ed)$/, "").replace(/(?<=[a-z]{3})e$/, "") : word;
    return CANON.get(cut) || cut;
  }

  // Words of a text: a place with its number is one (`figure:5`, also of `fig05`), a starred letter is one (`theta*`).
  // `seen` gets, for each, how it is spelt.
  function words(text, seen = new Map()) {
    const plain = text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/[α-ωϵ]/g, (letter) => ` ${GREEK[letter] || letter}`)
      .replace(/\b(fig|table)0*(\d+)([a-z]?)\b/g, "$1 $2$3").replace(/([a-z])_(?=\w)/g, "$1");
    const raw = plain.match(/[a-z]+\d*\*|[a-z]+\d*|\d+(?:\.\d+)*(?:e-?\d+)?[a-z]?/g) || [];
    const found = [];
    for (let k = 0; k < raw.length; k += 1) {
      const word = stem(raw[k]), next = raw[k + 1];
      if (!seen.has(word)) seen.set(word, raw[k]);
      if (PLACES.has(word) && next && (/^\d/.test(next) || (/^[a-z]$/.test(next) && word === "appendix"))) {
        found.push(`${word}:${next}`);
        // "Figure 5(a)" and "Figure 5a" are Figure 5, too.
        if (/\d[a-z]$/.test(next)) found.push(`${word}:${next.slice(0, -1)}`);
        k += 1;
      } else if (!STOP.has(raw[k])) found.push(word);
    }
    return found;
  }

  function build(entries) {
    const seen = new Map();
    const documents = entries.map((entry) => {
      const counts = new Map(), title = words(entry[2], seen);
      // A paper is asked for by its first author, too, and so is what belongs to it.
      const author = entry[1].replace(/\d+$/, "");
      for (const word of [...words(entry[3], seen), entry[0], entry[1], author]) counts.set(word, Math.max(counts.get(word) || 0, 1));
      for (const word of entry[0] === "paper" ? [...title, author] : title) counts.set(word, 2);
      return {entry, counts, title, length: title.length};
    });
    const frequency = new Map();
    for (const {counts} of documents) for (const word of counts.keys()) frequency.set(word, (frequency.get(word) || 0) + 1);
    return {documents, frequency, seen};
  }

  const rarity = (index, word) => Math.log(1 + index.documents.length / (1 + (index.frequency.get(word) || 0)));

  // What stands first for a question that fits as well: answers before their details.
  const WEIGHT = {page: 1.3, paper: 1.2, term: 1.5, budget: 1.15, finding: 1.1, claim: 1.05, figure: 1.1, table: 1.1, symbol: 1, setting: 0.9};

  // Whether a page is asked for in the words of the question that it answers.
  const phrase = (text) => text.toLowerCase().replace(/[α-ωϵ]/g, (letter) => GREEK[letter] || letter).replace(/[?!.\s]+/g, " ").trim();
  const answers = ([kind, , , text], question) => kind === "page" && question.includes(" ") && phrase(text).includes(question);

  function search(index, question, most = 60) {
    const asked = [...new Set(words(question))], whole = asked.reduce((sum, word) => sum + rarity(index, word), 0);
    const found = [], said = phrase(question);
    // Where every word is one that says nothing, all would be found.
    for (const document of asked.length ? index.documents : []) {
      let score = 0, met = 0;
      for (const word of asked) {
        const count = document.counts.get(word) || 0;
        if (!count) continue;
        met += rarity(index, word);
        score += rarity(index, word) * count;
      }
      // Fewer than half of what was asked for is another question.
      if (met < whole / 2) continue;
      const adjacent = asked.filter((word, k) => k && document.title.join(" ").includes(`${asked[k - 1]} ${word}`)).length;
      if (answers(document.entry, said)) score *= 3;
      found.push([score * (met / whole) ** 2 * (WEIGHT[document.entry[0]] || 1) * (1 + 0.2 * adjacent) / Math.log(9 + document.length), document.entry]);
    }
    found.sort(([a], [b]) => b - a);
    return found.slice(0, most).map(([, entry]) => entry);
  }

  // Number of letters to change, drop or add, or to swap with their neighbour.
  function edits(a, b) {
    let before = [], row = Array.from({length: b.length + 1}, (_, k) => k);
    for (let i = 1; i <= a.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= b.length; j += 1) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
      }
      [before, row] = [row, next];
    }
    return row[b.length];
  }

  // The known word that is nearest to one that is not, the more frequent of equals; undefined where none is near.
  function nearest(index, word) {
    let best = [word.length < 6 ? 1.5 : 2.5, undefined];
    for (const [known, count] of index.frequency) {
      if (known.includes(":") || known.length < 3 || Math.abs(known.length - word.length) > 2) continue;
      const far = edits(word, known) - Math.log(1 + count) / 100;
      if (far < best[0]) best = [far, known];
    }
    return best[1];
  }

  // The question with words that nothing says replaced by known ones that are near; empty where there is none.
  function suggestion(index, question) {
    const spelt = new Map(), asked = words(question, spelt);
    const mended = asked.map((word) => (index.frequency.has(word) || word.length < 3 ? word : nearest(index, word)));
    if (mended.every((word, k) => word === asked[k])) return "";
    return mended.filter(Boolean).map((word) => index.seen.get(word) || spelt.get(word) || word.replace(":", " ")).join(" ");
  }

  const SYMBOLS = Object.fromEntries(Object.entries(GREEK).reverse().map(([letter, name]) => [name, letter]));
  const SIGNS = {">=": "≥", "<=": "≤", "->": "→"};
  const pretty = (text) => text.replace(/(?<= )(?:>=|<=|->)(?= )/g, (sign) => SIGNS[sign])
    .replace(/(?<![\w.-])(alpha|beta|gamma|delta|epsilon|eps|eta|theta|kappa|lambda|mu|nu|rho|sigma|tau)(_hat)?(?![\w])/g,
      (whole, name, hat) => (SYMBOLS[name] || "ε") + (hat ? "\u0302" : ""));

  function item([kind, paper, title, text, address]) {
    const made = document.createElement("li"), link = document.createElement("a"), tags = document.createElement("p");
    link.href = address === "" || address.startsWith("#") ? `${paper}.html${address}` : address;
    link.textContent = pretty(title);
    tags.className = "tags";
    tags.textContent = [kind, paper, pretty(text)].filter(Boolean).join(" · ");
    made.dataset.kind = kind;
    made.append(link, tags);
    return made;
  }

  function propose(list, index, question) {
    const near = suggestion(index, question), said = document.createElement("p");
    said.textContent = near ? "Nothing is found. Is it this? " : "Nothing is found. Others ask: ";
    (near ? [near] : ["figure 5", "clipping threshold", "error in p", "privacy budget", "which method"]).forEach((words, k) => {
      const link = document.createElement("a");
      link.href = `search.html?q=${encodeURIComponent(words)}`;
      link.textContent = words;
      said.append(k ? ", " : "", link);
    });
    list.before(said);
    said.id = "proposals";
  }

  window.dpdescentSearch = {build, search, suggestion, words};
  document.addEventListener("DOMContentLoaded", () => {
    const list = document.getElementById("results"), form = document.getElementById("search");
    if (!list || !window.dpdescentIndex) return;
    const index = build(window.dpdescentIndex), field = form.elements.q, kind = form.elements.kind;
    const asked = new URLSearchParams(location.search);
    field.value = asked.get("q") || "";
    kind.value = asked.get("kind") || "";
    const show = () => {
      document.getElementById("proposals")?.remove();
      const found = field.value.trim() ? search(index, field.value, 500).filter(([each]) => !kind.value || each === kind.value) : [];
      list.replaceChildren(...found.slice(0, 60).map(item));
      form.querySelector("output").value = !field.value.trim() ? "" : found.length > 60 ? "the 60 best" : `${found.length} found`;
      if (field.value.trim() && !found.length) propose(list, index, field.value);
    };
    for (const each of ["input", "change"]) form.addEventListener(each, () => { show(); remember(form); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show();
  });
})();
