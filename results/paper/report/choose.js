// Which method: from answers to a rule's recommendation, its evidence in the contest's cells, and the lines that run it.
"use strict";

(() => {
  const {looseness, read, tightRho} = window.dpdescentGaussian;
  const RANGES = {n: [2, 1e12], p: [1, 1e6], epsilon: [1e-3, 100], delta: [1e-12, 0.4], q: [1, 1e4], F: [0.1, 1e9]};
  const WORDS = ["noise", "law", "passes", "intervals", "instruments"];
  // Weak instruments: the first-stage F below which `dpdescent estimate` warns (commands.with_intervals.WEAK).
  // Information from which a scheduled descent takes more steps is that of the written rule.
  const WEAK = 50, NEAREST = 5, CLOSE = 1.5, MORE = 50;
  const told = (value) => (value >= 1e5 || value < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(3))));

  // papers.ours.contest_design.information and papers.ours.decision.advice
  const information = (given) => given.n * Math.sqrt(tightRho(given.epsilon, given.delta)) / given.p;
  const advice = (found, data) => data.rungs.find((each) => each.below === null || found < each.below).method;

  // papers.ours.contest_design.Public.gamma
  function gamma(given, share, rule) {
    const rho = share * tightRho(given.epsilon, given.delta);
    const k = Math.sqrt(rule.tolerated * given.n ** 2 * rho / (2 * given.p ** 2));
    return Math.min(Math.max(k, 1), rule.largest_k) * Math.sqrt(given.p);
  }

  // How far a cell is from the answers: decades of n, p, epsilon and information, and one for each other difference.
  function distance(cell, given) {
    const decades = (a, b) => Math.log10(a / b) ** 2;
    const sigma = {tiny: 0.02, ordinary: 0.5, large: 0.95}[given.noise];
    const differs = "table" in cell ? [] : [cell.law !== given.law, cell.sigma !== sigma];
    return decades(cell.n, given.n) + decades(cell.p, given.p) + decades(cell.eps, given.epsilon)
      + decades(cell.information, information(given)) + differs.filter(Boolean).length;
  }

  const nearest = (cells, far) => cells.map((cell) => [far(cell), cell]).sort(([a], [b]) => a - b)
    .slice(0, NEAREST).map(([, cell]) => cell);

  // papers.ours.choice.ONCE restricts the methods; the one with the smallest median regret is taken.
  function once(klass, data) {
    const names = data.methods.filter((each) => each.once && each.name in klass.regrets).map((each) => each.name);
    return names.reduce((best, name) => (klass.regrets[name][0] < klass.regrets[best][0] ? name : best));
  }

  function decide(given, data) {
    if (given.instruments === "yes") return {method: "DP-IV-GD"};
    const found = information(given), advised = advice(found, data);
    const klass = data.classes.find((each) => each.advised === advised);
    if (given.intervals === "yes") return {method: found < data.inferred ? "DP-GD, fixed" : "DP regression", klass, found};
    return {method: given.passes === "one" ? once(klass, data) : advised, klass, found};
  }

  const budget = (given) => `epsilon=${given.epsilon}, delta=${given.delta}`;
  const FRESH = "rng=dpdescent.secure_generator()";
  const CLIPPED = "# clip_norm, step_size and bounds are for columns in public units: centred, of variance about 1.\n";
  const head = (data) => `import numpy as np\nimport dpdescent\n\n${CLIPPED}`
    + `# clip_norm: 1 to ${data.rule.largest_k} times sqrt(p), the smaller the less the budget buys, because noise grows with it.\n`;

  function sums(given, data, name, made, fit) {
    const bound = told(data.rule.input_factor * Math.sqrt(given.p) + 1);
    return `import dpdescent\nfrom dpdescent.baselines import ada_ssp, sufficient_statistics\n`
      + `from dpdescent.data.linear import LinearSample\n\n${CLIPPED}`
      + `bounds = ada_ssp.Bounds(${bound}, ${data.rule.outcome_bound}, "public")\n`
      + `rho = dpdescent.tight_rho(${given.epsilon}, ${given.delta})\n${made}\n${fit}`;
  }

  // Lines of Python or of a shell that run a method; none for methods that live in the contest alone.
  const LINES = {
    "estimate 0": () => "import numpy as np\n\nestimate = np.zeros(X.shape[1])  # nothing is released",
    "DP regression": (given) => ".venv/bin/dpdescent estimate mine.csv --method dp-regression --regressors x1 x2 --outcome y \\\n"
      + `    --epsilon ${given.epsilon} --delta ${given.delta} --secure-noise`,
    "DP-GD, public rule": (given, data) => `${head(data)}# step_size: 0.25 over a public guess of the largest eigenvalue of E[xx'].\n`
      + `run = dpdescent.dp_gd(\n    X, y, ${budget(given)}, steps=20, step_size=0.25,\n    clip_norm=${told(gamma(given, 0.95, data.rule))}, ${FRESH},\n)`,
    "DP-GD, scheduled": (given, data) => {
      const steps = information(given) < MORE ? 20 : information(given) < 500 ? 50 : 100;
      return `${head(data)}# step_size: 0.5 over a public guess of the largest eigenvalue of E[xx'].\nsteps = ${steps}\n`
        + "weights = dpdescent.schedule.weights_in_last(0.5, np.ones(1), steps)\n"
        + `shares = dpdescent.schedule.shares(weights, floor=${data.rule.floor})\n`
        + `run = dpdescent.dp_gd(\n    X, y, ${budget(given)}, steps=steps, step_size=0.5,\n`
        + `    clip_norm=${told(gamma(given, 0.95, data.rule))}, shares=shares, ${FRESH},\n)`;
    },
    "DP-GD, fixed": (given) => ".venv/bin/dpdescent estimate mine.csv --method dp-gd --regressors x1 x2 --outcome y \\\n"
      + `    --epsilon ${given.epsilon} --delta ${given.delta} --clip-norm ${told(5 * Math.sqrt(given.p))} --step-size 0.25 --secure-noise`,
    "sufficient statistics": (given, data) => sums(given, data, "sums",
      "calibration = sufficient_statistics.Calibration(bounds, rho)",
      "estimate = sufficient_statistics.fit(LinearSample(X, y), calibration, dpdescent.secure_generator())"),
    AdaSSP: (given, data) => sums(given, data, "AdaSSP",
      `calibration = ada_ssp.Calibration.zcdp_matched(bounds, rho, ${given.delta})`,
      "gram = ada_ssp.bounded_gram(LinearSample(X, y), bounds)\n"
      + "estimate = ada_ssp.ada_ssp(gram, calibration, dpdescent.secure_generator()).theta"),
    "DP-IV-GD": (given) => {
      const first = 4 * Math.sqrt(given.q) * (given.F < WEAK ? Math.SQRT2 : 1);
      return ".venv/bin/dpdescent estimate mine.csv --method dp-iv-gd --instruments z1 --regressors x --outcome y \\\n"
        + `    --epsilon ${given.epsilon} --delta ${given.delta} --clip-norm1 ${told(first)} --clip-norm2 4`
        + `${given.F < WEAK ? ` --outcome-unit 1 --instrument-bound ${told(2 * Math.sqrt(given.q))}` : ""} --secure-noise`;
    },
  };

  // --- what is written -----------------------------------------------------------------------------------------------

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function table(caption, heads, rows) {
    const made = element("table", "", {class: "cards"}), head = made.createTHead().insertRow(), body = made.createTBody();
    made.prepend(element("caption", caption));
    for (const text of heads) head.append(element("th", text, {scope: "col"}));
    for (const cells of rows) body.insertRow().append(...cells.map((text, k) => element("td", text, {"data-label": heads[k]})));
    const frame = element("div", "", {class: "scroll", role: "region", "aria-label": caption, tabindex: "0"});
    frame.append(made);
    return frame;
  }

  const place = (cell) => ("table" in cell ? `${cell.table}, n = ${cell.n}, p = ${cell.p}, ε = ${cell.eps}`
    : `n = ${cell.n}, p = ${cell.p}, ε = ${cell.eps}, σ = ${cell.sigma}, κ = ${cell.kappa}, ${cell.law}`);
  const risk = ([value, low, high]) => `${told(value)} [${told(low)}, ${told(high)}]`;

  // The contest's evidence: regret where the rule says the same, the nearest cells, and who else is better there.
  function contest(given, {method, klass}, data) {
    const cells = nearest(data.cells.filter((cell) => method in cell.risks), (cell) => distance(cell, given));
    const [median, worst] = klass.regrets[method];
    const better = cells.filter((cell) => cell.regrets[method] > CLOSE);
    const parts = [element("p", `In the ${klass.cells} cells of the same case of the rule, its excess risk is ${told(median)} times`
      + ` (median) and ${told(worst)} times (worst) that of the best private method of the cell.`)];
    if (better.length) {
      parts.push(element("p", `In ${better.length} of the ${cells.length} cells nearest to your answers another method is more than ${CLOSE} times`
        + ` better: ${[...new Set(better.map((cell) => cell.best))].join(", ")}. The table shows by how much.`));
    }
    parts.push(table("The nearest cells: excess risk in units of the outcome's variance, medians with 95 % intervals",
      ["cell", `${method}`, "best private method", "its excess risk", "regret"],
      cells.map((cell) => [place(cell), risk(cell.risks[method]), cell.best, risk(cell.risks[cell.best]), told(cell.regrets[method])])));
    return parts;
  }

  const share = (value) => (value === undefined || value === null ? "–" : `${Math.round(100 * value)} %`);

  function instruments(given, data) {
    const rho = tightRho(given.epsilon, given.delta), decades = (a, b) => Math.log10(a / b) ** 2;
    const cells = nearest(data.instruments.filter((cell) => (given.F < WEAK ? cell.set : cell.interval) !== undefined), (cell) => decades(cell.F, given.F)
      + decades(cell.rho, rho) + decades(cell.n, given.n) + decades(cell.q, given.q)
      + (cell.errors && cell.errors !== "normal" ? 0.5 : 0) + (cell.k && cell.k !== 4 ? 0.5 : 0));
    const words = (cell) => `${cell.table || cell.errors + " errors, " + cell.instruments + " instruments"}, n = ${cell.n}, q = ${cell.q},`
      + ` F = ${told(cell.F)}, ρ = ${cell.rho}${"endogeneity" in cell ? `, endogeneity ${cell.endogeneity}` : ""}`;
    return [
      element("p", given.F < WEAK
        ? `Below a first-stage F of ${WEAK} the interval is not promised to cover: --outcome-unit adds an Anderson-Rubin set, which holds for weak instruments too. For one regressor.`
        : "Its interval is for the true effect. Intervals from DP-2S-GD's path, as published, do not cover it where the first stage's noise matters."),
      table("The nearest cells: coverage of what is to cover 95 %", ["cell", "DP-IV-GD", "refused", "length over 2SLS's", "Anderson-Rubin, private", "DP-2S-GD's path", "2SLS, not private"],
        cells.map((cell) => [words(cell), share(cell.interval), share(cell.refused), cell.longer ? told(cell.longer) : "–", share(cell.set), share(cell.path), share(cell.plain)])),
    ];
  }

  function answer(given, data) {
    const found = decide(given, data), lines = LINES[found.method];
    const parts = [element("h2", `Take ${found.method}`)], loose = looseness(given);
    if (loose) parts.push(element("p", loose, {class: "loose"}));
    if (found.klass) {
      parts.push(element("p", `Your n √ρ / p is ${told(found.found)}${given.passes === "one" && given.intervals === "no"
        ? "; of the methods that read each record once, this one has the smallest median regret in the cells of the same case" : ""}.`));
    }
    if (given.intervals === "yes" && found.klass) {
      parts.push(element("p", found.method === "DP regression"
        ? "Its standard errors allow for noise, sampling and unequal variances; they are for the population's coefficients. Where they miss, and for which outcomes, is on its page."
        : "Of these methods plain DP-GD alone has intervals with so few records, from its path, at no further cost; they are for the least-squares estimate"
        + " of your records. Their length is in the calculator, their coverage in Figures 5 and 10 of brown2024."));
    }
    parts.push(...(found.klass ? contest(given, found, data) : instruments(given, data)));
    if (lines) parts.push(element("h3", "To run it"), element("pre", lines(given, data), {tabindex: "0"}));
    else parts.push(element("p", "It stands in src/dpdescent/papers/ours/methods.py, with the constants of the contest's rule."));
    return parts;
  }

  window.dpdescentChoice = {decide, LINES};
  document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("choose"), embedded = document.getElementById("contest-data");
    if (!form || !embedded) return;
    const data = JSON.parse(embedded.textContent), asked = new URLSearchParams(location.search);
    for (const field of form.elements) if (field.name && asked.has(field.name)) field.value = asked.get(field.name);
    const show = () => {
      for (const part of form.querySelectorAll("[data-instruments]")) {
        part.hidden = part.dataset.instruments !== form.elements.instruments.value;
      }
      const given = {...Object.fromEntries(WORDS.map((name) => [name, form.elements[name].value])), ...read(form, RANGES, ["n", "p", "q"])};
      form.querySelector("[role=alert]").textContent = given.wrong || "";
      document.getElementById("answer").replaceChildren(...(given.wrong ? [] : answer(given, data)));
    };
    for (const kind of ["input", "change"]) form.addEventListener(kind, () => { show(); remember(form); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show();
  });
})();
