// Search over all pages at once. MiniSearch (minisearch.js) finds and ranks: any word may fit, by its beginning or with a
// wrong letter too. Here is what it is told: what a word is, and what stands first. Greek letters and their names are equal.
"use strict";

(() => {
  const GREEK = {
    α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ζ: "zeta", η: "eta", θ: "theta", κ: "kappa", λ: "lambda",
    μ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", χ: "chi", ψ: "psi", ω: "omega",
  };
  const STOP = new Set(("a al an and are as at be been but by can could do does et evidence for from had has have how i if in into is it its"
    + " make me much my need not of on or our s should so stay than that the their there these they this to use was we were what when where"
    + " which who why will with would you your").split(" "));
  // Words that mean the same here; the first stands for all.
  const SAME = new Map(["epsilon eps", "figure fig figures figs", "lambda lam", "constant flat unchanged", "p dimension", "cite citation bibtex"]
    .flatMap((line) => line.split(" ").map((word) => [word, line.split(" ")[0]])));
  // A place of a paper is a word by its kind and its number, also where it is written `fig05`, and a panel is its figure, too.
  const PLACE = /\b(fig|table|th|lem|cor|sec|eq|alg|prop|app|def|remark)(?:ure|eorem|m|ma|ollary|tion|uation|orithm|osition|endix|inition)?s?\.?[\s_(]*0*((?:[a-z]\.)?\d+(?:\.\d+)*)(?:\(?([a-e])\b\)?)?/g;

  const simple = (text) => text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/[α-ω]/g, (letter) => ` ${GREEK[letter] || letter}`);
  const words = (text) => (simple(text).match(/[a-z]+\*?|\d+(?:\.\d+)*(?:e-?\d+)?/g) || []).map((word) => SAME.get(word) || word);
  const places = (text) => [...simple(text).matchAll(PLACE)].flatMap(([, kind, number, panel]) => (panel ? ["", panel] : [""]).map((part) => `${kind}:${number}${part}`));
  // FriendlyCore and ConvergenceWarning are also two words.
  const parts = (text) => words((text.match(/[A-Z][a-z]+(?=[A-Z])|(?<=[a-z])[A-Z][a-z]+/g) || []).join(" "));
  const phrase = (text) => ` ${words(text).join(" ")} `;

  // What stands first where all else is equal: answers before their details.
  const WEIGHT = {page: 1.3, documentation: 1, name: 1.2, paper: 1.3, term: 1.3, finding: 1, claim: 0.7, figure: 1.2, table: 1.2, budget: 1.15, symbol: 0.7, setting: 0.4};
  // Questions are answered by pages and definitions; in one of them what something means is no mean.
  const QUESTION = /^(how|what|where|which|why|who|can|do|does|should|is|are)\b|\?/i;
  const ANSWERS = ["page", "term", "documentation"];

  function build(entries) {
    const papers = new Map(entries.filter(([kind]) => kind === "paper").map(([, key, , authors, , called]) => [key, {authors, called}]));
    const index = new MiniSearch({
      fields: ["title", "text", "of"], tokenize: (text) => [words, places, parts].flatMap((found) => found(text)), processTerm: (word) => !STOP.has(word) && word,
      searchOptions: {
        boost: {title: 3, of: 1.5}, maxFuzzy: 2,
        fuzzy: (word) => /^[a-z]{4,}$/.test(word) && 0.2, prefix: (word) => /^[a-z]{3,}$/.test(word),
      },
    });
    index.addAll(entries.map(([kind, of, title, text, , also = ""], id) => ({
      id, title: [title, kind === "page" ? text : "", also].join(" "), text, of: [kind, of, papers.get(of)?.authors].join(" "),
    })));
    return {index, entries, papers};
  }

  // Entries by rank, each with its words that fit: those of the question first, long ones before short ones.
  function search({index, entries}, question, kind = "") {
    const says = (id, said) => [2, 3, 5].some((part) => phrase(entries[id][part] || "").includes(said));
    const quoted = [...question.matchAll(/["“]([^"“”]+)["”]/g)].map(([, text]) => phrase(text)).filter((said) => said.trim());
    const asks = QUESTION.test(question.trim()), whole = phrase(question);
    // Who asks for a budget without a figure or table means no row of the ledger.
    const weight = (kind) => WEIGHT[kind] * (kind === "budget" && !places(question).length ? 0.5 : 1);
    // All words of the question are better than one that is rare, numbers apart; word for word is better, as a title best.
    const better = ({id, score, queryTerms}, rank) => score * (queryTerms.filter((word) => /[a-z]/.test(word)).length || 1)
      * (rank > 200 ? 1 : phrase(entries[id][2]) === whole ? 4 : says(id, whole) ? 2 : 1);
    return index.search(question.replace(/^(what .*)\bmeans?\b/i, "$1"), {
      boostDocument: (id) => weight(entries[id][0]) * (asks && ANSWERS.includes(entries[id][0]) ? 1.5 : 1),
      filter: ({id}) => (!kind || entries[id][0] === kind) && quoted.every((said) => says(id, said)),
    }).map((found, rank) => ({...found, score: better(found, rank)})).sort((a, b) => b.score - a.score)
      .map(({id, queryTerms, terms}) => [entries[id], [queryTerms, terms].flatMap((each) => each.sort((a, b) => b.length - a.length))]);
  }

  const SYMBOLS = Object.fromEntries(Object.entries(GREEK).map(([letter, name]) => [name, letter]));
  const SIGNS = {">=": "≥", "<=": "≤", "->": "→"};
  const pretty = (text) => text.replace(/(?<= )(?:>=|<=|->)(?= )/g, (sign) => SIGNS[sign])
    .replace(/(?<![\w.-])(alpha|beta|gamma|delta|epsilon|eps|eta|theta|kappa|lambda|mu|nu|rho|sigma|tau)(_hat)?(?![\w])/g,
      (whole, name, hat) => (SYMBOLS[name] || "ε") + (hat ? "\u0302" : ""));

  // Of a long text, what stands around the first word of these that it has.
  function part(text, fitting) {
    if (text.length < 300) return text;
    const places = fitting.map((word) => ` ${text.toLowerCase()}`.indexOf(` ${word.replace(/^[a-z]+/, (name) => SYMBOLS[name] || name)}`));
    const from = Math.max(0, (places.find((place) => place >= 0) || 0) - 100);
    const begun = from ? text.slice(from, from + 260).replace(/^\S*/, "…") : text.slice(0, 260);
    return from + 260 < text.length ? begun.replace(/\s\S*$/, " …") : begun;
  }

  function item([[kind, of, title, text, address], fitting], papers) {
    const made = document.createElement("li"), link = document.createElement("a"), tags = document.createElement("p");
    link.href = address.startsWith("#") ? `${of}.html${address}` : address;
    link.textContent = pretty(title);
    tags.className = "tags";
    tags.textContent = [kind, papers.get(of)?.called || of, part(pretty(text), fitting)].filter(Boolean).join(" · ");
    made.dataset.kind = kind;
    made.append(link, tags);
    return made;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const list = document.getElementById("results"), form = document.getElementById("search"), nothing = document.getElementById("nothing"), others = document.getElementById("asked");
    const index = build(window.dpdescentIndex), field = form.elements.q, kind = form.elements.kind, asked = new URLSearchParams(location.search);
    field.value = asked.get("q") || "";
    kind.value = asked.get("kind") || "";
    const show = () => {
      const question = field.value.trim(), found = search(index, question, kind.value);
      list.replaceChildren(...found.slice(0, 60).map((hit) => item(hit, index.papers)));
      others.hidden = found.length > 0;
      nothing.hidden = !question;
      form.querySelector("output").value = !question ? "" : found.length > 60 ? "the 60 best" : `${found.length} found`;
    };
    for (const each of ["input", "change"]) form.addEventListener(each, () => { show(); remember(form); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show();
  });
})();
