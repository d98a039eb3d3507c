// The calculator: noise, guarantee and predicted error, from public numbers alone. Each function names its Python twin;
// the browser tests hold them to 1e-9 of each other. Samplers that need an accountant come from a table of listed points.
"use strict";

(() => {
  const {
    epsilon, looseness, noiseSd, normal, read, rhoOfEpsilon, sensitivity, shuffledMultiplier, tightEpsilon, tightRho, turned,
  } = window.dpdescentGaussian;

  // p eigenvalues from 1 down to 1/kappa in equal ratios, one alone is 1; or those that are given.
  const spectrum = ({p, kappa, eigenvalues}) => eigenvalues
    || Array.from({length: p}, (_, j) => (p > 1 ? kappa ** (-j / (p - 1)) : 1));

  // noise.schedule.weights_in_last
  const weights = (eta, values, T) => Array.from({length: T}, (_, t) => Math.sqrt(
    values.reduce((sum, h) => sum + (eta * (1 - eta * h) ** (T - 1 - t)) ** 2, 0)));

  // noise.schedule.shares
  function shares(found, floor) {
    const sum = found.reduce((one, other) => one + other, 0);
    return found.map((weight) => (1 - floor) * weight / sum + floor / found.length);
  }

  // noise.schedule.variance
  const variance = (found, parts, moved, rho) => moved * moved / (2 * rho)
    * found.reduce((sum, weight, t) => sum + (parts[t] > 0 ? weight * weight / parts[t] : 0), 0);

  // algorithms.gaussian_law.IterateLaw.expected_squared_error, of a start at distance R, equally in all directions
  const remains = (eta, values, T, R) => R * R * values.reduce((sum, h) => sum + (1 - eta * h) ** (2 * T), 0) / values.length;

  // algorithms.gaussian_law.IterateLaw.estimates of ten batched means after 20 steps, in an eigen-direction h, of a run
  // that begins at a distance `start` from least squares
  const BATCHES = 10, BURN_IN = 20, T_FACTOR = 2.2621571627409915 / Math.sqrt(BATCHES);
  function batchLaw(eta, h, T, sd, start) {
    const width = (T - BURN_IN) / BATCHES, a = 1 - eta * h, every = Array.from({length: BATCHES}, (_, l) => l);
    if (!(width >= 1) || !Number.isInteger(width)) return null;
    let total = 1, within = width;
    for (let lag = 1; lag < width; lag += 1) {
      total += a ** lag;
      within += 2 * a ** lag * (width - lag);
    }
    total /= width;
    within /= width * width;
    const settled = eta * sd * sd / (h * (2 - eta * h)), decay = every.map((l) => total * a ** (BURN_IN + l * width + 1));
    return {
      means: decay.map((each) => start * each),
      covariance: every.map((k) => every.map((l) => settled * (
        (k === l ? within : total * total * a ** (Math.abs(k - l) * width - width + 1)) - decay[k] * decay[l]))),
    };
  }

  // Eigenvalues and, as rows, eigenvectors of a symmetric matrix, by Jacobi's rotations
  function eigen(matrix) {
    const A = matrix.map((row) => [...row]), n = A.length, V = A.map((_, k) => A.map((__, l) => (k === l ? 1 : 0)));
    for (let sweep = 0; sweep < 30; sweep += 1) {
      for (let p = 0; p < n - 1; p += 1) {
        for (let q = p + 1; q < n; q += 1) {
          if (A[p][q] === 0) continue;
          const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]), t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
          const c = 1 / Math.hypot(t, 1), s = t * c;
          for (let k = 0; k < n; k += 1) [A[k][p], A[k][q]] = [c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]];
          for (let k = 0; k < n; k += 1) [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
          for (let k = 0; k < n; k += 1) [V[p][k], V[q][k]] = [c * V[p][k] - s * V[q][k], s * V[p][k] + c * V[q][k]];
        }
      }
    }
    return {values: A.map((row, k) => row[k]), vectors: V};
  }

  const dot = (x, y) => x.reduce((sum, each, k) => sum + each * y[k], 0);
  const added = (values) => values.reduce((sum, each) => sum + each, 0);

  // algorithms.gaussian_law.expected_norm
  function expectedNorm(means, variances) {
    const squared = added(means.map((each) => each * each)) + added(variances);
    let integral = 0;
    for (let k = 0; k <= 560; k += 1) {
      const w = Math.exp(-70 + 0.25 * k);
      const transform = -added(variances.map((each, l) => {
        const lam = each / squared;
        return 0.5 * Math.log1p(2 * w * lam) + w * means[l] ** 2 / squared / (1 + 2 * w * lam);
      }));
      integral += 0.25 * -Math.expm1(transform) / Math.sqrt(w);
    }
    return Math.sqrt(squared) * integral / (2 * Math.sqrt(Math.PI));
  }

  // algorithms.gaussian_law.EstimatesLaw.expected_length
  function expectedLength({means, covariance}) {
    const rows = covariance.map((row) => added(row) / BATCHES), all = added(rows) / BATCHES, middle = added(means) / BATCHES;
    const {values, vectors} = eigen(covariance.map((row, k) => row.map((each, l) => each - rows[k] - rows[l] + all)));
    const centred = vectors.map((v) => dot(v, means.map((each) => each - middle)));
    return 2 * T_FACTOR * expectedNorm(centred, values.map((each) => Math.max(each, 0))) / Math.sqrt(BATCHES - 1);
  }

  // algorithms.gaussian_law.coverages: Imhof's integral over log u, or the normal law of a start that is far away
  function coverage({means, covariance}) {
    const {values, vectors} = eigen(covariance), size = Math.max(...values), every = means.map((_, k) => k);
    const root = (power) => every.map((k) => every.map((l) => added(
      every.map((e) => (values[e] / size) ** power * vectors[e][k] * vectors[e][l]))));
    const half = root(0.5), back = root(-0.5).map((row) => dot(row, means) / Math.sqrt(size)), spread = T_FACTOR ** 2 / (BATCHES - 1);
    const form = every.map((k) => every.map((l) => 1 / BATCHES ** 2 - spread * ((k === l ? 1 : 0) - 1 / BATCHES)));
    if (Math.hypot(...back) > 300) {
      const slope = form.map((row) => dot(row, means));
      return normal(-0.5 * dot(means, slope) / Math.sqrt(dot(slope, covariance.map((row) => dot(row, slope)))));
    }
    const turned = eigen(every.map((k) => every.map((l) => added(every.map((e) => half[k][e] * dot(form[e], half[l]))))));
    const most = Math.max(...turned.values.map(Math.abs));
    const weights = turned.values.map((each) => each / most), shifts = turned.vectors.map((v) => dot(v, back) ** 2);
    let sum = 0;
    for (let k = 0; k < 9000; k += 1) {
      const at = Math.exp(-45 + 0.01 * k);
      let angle = 0, decay = 0;
      for (const l of every) {
        const u = at * weights[l], squared = u * u;
        angle += 0.5 * (Math.atan(u) + shifts[l] * u / (1 + squared));
        decay += 0.25 * Math.log1p(squared) + 0.5 * shifts[l] * squared / (1 + squared);
      }
      sum += Math.sin(angle) * Math.exp(-decay);
    }
    return Math.min(1, Math.max(0, 0.5 - 0.01 / Math.PI * sum));
  }

  // Expected length and coverage of the interval in an eigen-direction; NaN where batches do not fit
  function interval(...law) {
    const found = batchLaw(...law);
    return found ? {length: expectedLength(found), coverage: coverage(found)} : {length: NaN, coverage: NaN};
  }

  // What is said of intervals that cover too seldom; `dpdescent estimate` refuses those that it can tell from the path.
  const worth = (short, long) => (Math.min(short, long) < 0.93 ? "This interval covers "
    + [[short, "largest"], [long, "smallest"]].filter(([each]) => each < 0.93)
      .map(([each, which]) => `${Math.floor(1000 * each) / 10} % in the direction of the ${which} eigenvalue`).join(" and ")
    + ": batches are short beside the correlation of the path, or the start is not forgotten. Take more steps or a larger η." : "");

  function mean(a, b) {
    for (let k = 0; k < 60 && Math.abs(a - b) > 1e-16 * a; k += 1) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
    return a;
  }

  // papers.choquettechoo2023.theory.regression.gamma_squared_nu: (2/pi) K at modulus 1 - nu, by the arithmetic-geometric mean
  const gammaSquared = (nu) => 1 / mean(1, Math.sqrt(nu * (2 - nu)));

  // Frequencies omega = pi / (1 + exp(pi sinh t)) at even t, as 4 sin^2(omega / 2), with their weights.
  const NODES = Array.from({length: 409}, (_, k) => {
    const t = (k - 204) / 60, grown = Math.exp(Math.PI * Math.sinh(t)), omega = Math.PI / (1 + grown);
    return [4 * Math.sin(omega / 2) ** 2, omega * grown / (1 + grown) * Math.PI * Math.cosh(t) / 30];
  });

  // papers.choquettechoo2023.theory.elliptic.integral, by the trapezoidal rule in t
  const integral = (a, b) => NODES.reduce(
    (sum, [sine, weight]) => sum + weight * Math.sqrt(a * a + (1 - a) * sine) / (b * b + (1 - b) * sine), 0);

  // papers.choquettechoo2023.theory.regression.suboptimality, of independent noise (nu undefined) or with q_nu
  function limitingError({eta, sigma, gamma, relation}, values, rho, nu) {
    const rates = values.map((h) => eta * h);
    if (!(Math.max(...rates) < 1)) return NaN;
    const gain = 0.5 * rates.reduce((sum, r) => sum + r / (1 - r), 0), G = turned(gamma, relation);
    if (!(gain < 1)) return Infinity;
    const known = new Map();
    const q = (r) => {
      if (nu === undefined) return 1;
      if (!known.has(r)) known.set(r, r * (2 - r) * integral(nu, r) / (2 * Math.PI));
      return known.get(r);
    };
    const noise = G * G * (nu === undefined ? 1 : gammaSquared(nu)) / (2 * rho);
    const forced = 0.5 * eta * noise * rates.reduce((sum, r) => sum + q(r) / (1 - r), 0);
    return 0.5 * (gain * sigma * sigma + forced) / (1 - gain);
  }

  // Poisson batches: the least listed noise whose epsilon at a larger or equal rate, with more or equal steps and at a
  // smaller or equal delta is within the budget; NaN beyond the table.
  function listed(table, rate, T, eps, delta) {
    const next = (values, at) => values.filter((each) => each >= at * (1 - 1e-12)).sort((a, b) => a - b)[0];
    const of = (column) => [...new Set(table.map((row) => row[column]))];
    const r = next(of(0), rate), steps = next(of(1), T), d = of(2).filter((each) => each <= delta * (1 + 1e-12)).sort((a, b) => b - a)[0];
    const fitting = table.filter((row) => row[0] === r && row[1] === steps && row[2] === d && row[4] <= eps).map((row) => row[3]);
    return fitting.length ? Math.min(...fitting) : NaN;
  }

  // All that the page shows; the search for shuffled noise takes long, and may be left out. `budget` is "rho" or "epsilon"; the other of the two is computed.
  function compute(given, table = [], searched = false) {
    const {budget, delta, relation, n, T, gamma, eta, b, R} = given;
    const rho = budget === "rho" ? given.rho : tightRho(given.epsilon, delta), values = spectrum(given);
    const moved = sensitivity(gamma, n, relation), found = weights(eta, values, T), sd = noiseSd(moved, rho, T);
    const eps = budget === "rho" ? tightEpsilon(rho, delta) : given.epsilon;
    const [least, largest] = [Math.min(...values), Math.max(...values)];
    const equal = variance(found, found.map(() => 1 / T), moved, rho);
    const scheduled = variance(found, shares(found, 0.1), moved, rho), left = remains(eta, values, T, R);
    const [long, short] = [least, largest].map((h) => interval(eta, h, T, sd, R / Math.sqrt(values.length)));
    const disjoint = Math.sqrt(1 / (2 * rho)), shuffled = searched && eps > 0 ? shuffledMultiplier(eps, n, delta) : NaN, poisson = listed(table, b / n, T, eps, delta);
    return {
      sensitivity: moved, noise_sd: sd, noise_multiplier: Math.sqrt(T / (2 * rho)),
      mu: Math.sqrt(2 * rho), rho, epsilon: eps, epsilon_by_formula: epsilon(rho, delta),
      noise_by_formula: noiseSd(moved, rhoOfEpsilon(eps, delta), T),
      // papers.liang2025.formulas.noise_scale, whose 2 gamma / n is the sensitivity under replacement
      noise_by_proposition: moved * Math.sqrt(T / rho),
      // the first form of alpha in varshney2022 Theorem 3.6, for T releases in place of one
      noise_by_theorem: moved * Math.sqrt(8 * T * Math.log(1 / delta)) / eps,
      error: Math.sqrt(equal), error_scheduled: Math.sqrt(scheduled),
      error_whole: Math.sqrt(equal + left), error_whole_scheduled: Math.sqrt(scheduled + left),
      left: (1 - eta * least) ** T, n_for_target: Math.ceil(n * Math.sqrt(equal) / given.target),
      n_for_target_scheduled: Math.ceil(n * Math.sqrt(scheduled) / given.target),
      length_long: long.length, length_short: short.length, coverage_long: long.coverage, coverage_short: short.coverage,
      limit_independent: limitingError(given, values, rho), limit_correlated: limitingError(given, values, rho, Math.min(1, eta * least)),
      multiplier_disjoint: disjoint, multiplier_shuffled: shuffled, multiplier_poisson: poisson,
      sd_disjoint: disjoint * turned(gamma, relation) / b, sd_shuffled: shuffled * 2 * gamma, sd_poisson: poisson * gamma / b,
    };
  }

  const RANGES = {
    rho: [1e-8, 1e3], epsilon: [1e-4, 100], delta: [1e-12, 0.4], n: [2, 1e12], T: [1, 10000], gamma: [1e-9, 1e9], b: [1, 1e12],
    p: [1, 1000], eta: [1e-6, 1.9], kappa: [1, 1e6], target: [1e-9, 1e9], R: [0, 1e9], sigma: [0, 1e9],
  };

  // Eigenvalues as they are typed; those that let the descent diverge are refused.
  function typed(text, eta) {
    const values = text.split(/[\s,]+/).filter(Boolean).map(Number);
    if (!values.length) return {};
    if (values.length > 1000 || !values.every((value) => value >= 1e-9 && eta * value < 2)) {
      return {wrong: `eigenvalues = ${text}: give positive numbers below 2/η, at most 1000, with commas between them`};
    }
    return {eigenvalues: values};
  }

  const told = (value) => (Number.isNaN(value) ? "–" : !Number.isFinite(value) ? "∞" : value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6)
    ? String(Number(value.toPrecision(5))) : value.toExponential(3));

  const budgetOf = (given) => (given.budget === "rho" ? [["rho", given.rho]] : [["epsilon", given.epsilon], ["delta", given.delta]]);

  function python(given) {
    const budget = budgetOf(given).map(([name, value]) => `${name}=${value}`).join(", ");
    return `run = dpdescent.dp_gd(X, y, ${budget}, steps=${given.T}, step_size=${given.eta}, `
      + `clip_norm=${given.gamma}, rng=dpdescent.secure_generator())\n`
      + `account = dpdescent.account(run.event, delta=${given.delta})`;
  }

  function command(given) {
    const budget = budgetOf(given).map(([name, value]) => `--${name} ${value}`).join(" ");
    const delta = given.budget === "rho" ? ` --delta ${given.delta}` : "";
    return ".venv/bin/dpdescent estimate mine.csv --method dp-gd --regressors x1 x2 --outcome y \\\n"
      + `    ${budget}${delta} --clip-norm ${given.gamma} --step-size ${given.eta} --steps ${given.T} --secure-noise`;
  }

  function show(form, table) {
    for (const part of form.querySelectorAll("[data-budget]")) part.hidden = part.dataset.budget !== form.elements.budget.value;
    const given = {
      budget: form.elements.budget.value, relation: form.elements.relation.value, ...read(form, RANGES, ["n", "T", "p", "b"]),
    };
    if (!given.wrong) Object.assign(given, typed(form.elements.eigenvalues.value, given.eta));
    // Eigenvalues say how many covariates there are, and their ratio.
    for (const name of ["p", "kappa"]) form.elements[name].disabled = Boolean(given.eigenvalues);
    if (!given.wrong && given.b > given.n) given.wrong = `b = ${given.b}: give at most the n = ${given.n} records`;
    form.querySelector("[role=alert]").textContent = given.wrong || "";
    document.getElementById("loose").textContent = given.wrong ? "" : looseness(given);
    const found = given.wrong ? {} : compute(given, table, true);
    document.getElementById("worth").textContent = given.wrong ? "" : worth(found.coverage_short, found.coverage_long);
    for (const cell of document.querySelectorAll("[data-result]")) {
      cell.textContent = given.wrong ? "–" : told(found[cell.dataset.result]);
    }
    // The estimator's relation is replace-one, and it refuses a delta of one record in n; then there is no line to copy.
    // Its intervals need batches.
    const lines = document.getElementById("python"), shell = document.getElementById("command");
    const refused = given.wrong || given.relation !== "replace-one" || given.delta * given.n >= 1;
    lines.textContent = refused ? "" : python(given);
    lines.parentElement.hidden = !lines.textContent;
    shell.textContent = lines.textContent && !Number.isNaN(found.length_long) ? command(given) : "";
    shell.parentElement.hidden = !shell.textContent;
  }

  window.dpdescentCalculator = {compute, integral, listed};
  document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("calculator");
    if (!form) return;
    const table = JSON.parse(document.getElementById("sampler-data").textContent);
    // By keyboard, touch or a program, a field tells of one or of the other.
    for (const kind of ["input", "change"]) form.addEventListener(kind, () => show(form, table));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show(form, table);
  });
})();
