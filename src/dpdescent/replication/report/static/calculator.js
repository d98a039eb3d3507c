// The calculator: noise, guarantee and predicted error of full-batch DP-GD, from public numbers alone.
// Each function names its Python twin; the browser tests hold them to 1e-9 of each other.
"use strict";

(() => {
  // erfc(x) exp(x^2) for x >= 0: a series below 2, a continued fraction above.
  function erfcx(x) {
    if (x < 2) {
      let term = x, sum = x;
      for (let n = 1; n < 80; n += 1) {
        term *= 2 * x * x / (2 * n + 1);
        sum += term;
      }
      return Math.exp(x * x) - 2 / Math.sqrt(Math.PI) * sum;
    }
    let fraction = x;
    for (let n = 120; n > 0; n -= 1) fraction = x + n / 2 / fraction;
    return 1 / (Math.sqrt(Math.PI) * fraction);
  }

  // delta of mu-Gaussian-DP at epsilon; both terms share a factor, so that nothing overflows.
  function gaussianDelta(eps, mu) {
    const a = (eps / mu - mu / 2) / Math.SQRT2, b = (eps / mu + mu / 2) / Math.SQRT2;
    const common = 0.5 * Math.exp(-a * a);
    return a < 0 ? 1 - common * (erfcx(-a) + erfcx(b)) : common * (erfcx(a) - erfcx(b));
  }

  // The argument at which a monotone function has a value, by bisection of its logarithm.
  function solve(increasing, low, high) {
    let [left, right] = [Math.log(low), Math.log(high)];
    for (let step = 0; step < 200; step += 1) {
      const middle = (left + right) / 2;
      if (increasing(Math.exp(middle))) right = middle; else left = middle;
    }
    return Math.exp(right);
  }

  // privacy.accounting.tight_epsilon
  function tightEpsilon(rho, delta) {
    const mu = Math.sqrt(2 * rho);
    if (gaussianDelta(0, mu) <= delta) return 0;
    return solve((eps) => gaussianDelta(eps, mu) <= delta, 1e-12, epsilon(rho, delta) + 1);
  }

  // privacy.accounting.tight_rho
  function tightRho(eps, delta) {
    const mu = solve((each) => gaussianDelta(eps, each) >= delta, 1e-9, 1e3 + eps);
    return mu * mu / 2;
  }

  // privacy.zcdp.epsilon
  const epsilon = (rho, delta) => rho + 2 * Math.sqrt(rho * Math.log(1 / delta));

  // privacy.zcdp.rho_of_epsilon
  function rhoOfEpsilon(eps, delta) {
    const term = Math.log(1 / delta), root = eps / (Math.sqrt(eps + term) + Math.sqrt(term));
    return root * root;
  }

  // privacy.clipping.mean_sensitivity, and half of it where a record is added, removed or zeroed out.
  const sensitivity = (gamma, n, relation) => (relation === "replace-one" ? 2 : 1) * gamma / n;

  // privacy.zcdp.gaussian_noise_sd
  const noiseSd = (moved, rho, releases) => moved * Math.sqrt(releases / (2 * rho));

  // p eigenvalues from 1 down to 1/kappa in equal ratios; one alone is 1.
  const spectrum = (p, kappa) => Array.from({length: p}, (_, j) => (p > 1 ? kappa ** (-j / (p - 1)) : 1));

  // noise.schedule.weights_in_last
  const weights = (eta, eigenvalues, T) => Array.from({length: T}, (_, t) => Math.sqrt(
    eigenvalues.reduce((sum, h) => sum + (eta * (1 - eta * h) ** (T - 1 - t)) ** 2, 0)));

  // noise.schedule.shares
  function shares(found, floor) {
    const sum = found.reduce((one, other) => one + other, 0);
    return found.map((weight) => (1 - floor) * weight / sum + floor / found.length);
  }

  // noise.schedule.variance
  const variance = (found, parts, moved, rho) => moved * moved / (2 * rho)
    * found.reduce((sum, weight, t) => sum + (parts[t] > 0 ? weight * weight / parts[t] : 0), 0);

  // All that the page shows. `budget` is "rho" or "epsilon"; the other of the two is computed.
  function compute(given) {
    const {budget, delta, relation, n, T, gamma, p, eta, kappa} = given;
    const rho = budget === "rho" ? given.rho : tightRho(given.epsilon, delta);
    const moved = sensitivity(gamma, n, relation), found = weights(eta, spectrum(p, kappa), T);
    const eps = budget === "rho" ? tightEpsilon(rho, delta) : given.epsilon;
    const converted = rhoOfEpsilon(eps, delta);
    const equal = Math.sqrt(variance(found, found.map(() => 1 / T), moved, rho));
    const scheduled = Math.sqrt(variance(found, shares(found, 0.1), moved, rho));
    return {
      sensitivity: moved, noise_sd: noiseSd(moved, rho, T), noise_multiplier: Math.sqrt(T / (2 * rho)),
      mu: Math.sqrt(2 * rho), rho, epsilon: eps, epsilon_by_formula: epsilon(rho, delta),
      noise_by_formula: noiseSd(moved, converted, T), error: equal, error_scheduled: scheduled,
      left: (1 - eta / kappa) ** T, n_for_target: Math.ceil(n * equal / given.target),
      n_for_target_scheduled: Math.ceil(n * scheduled / given.target),
    };
  }

  const RANGES = {
    rho: [1e-8, 1e3], epsilon: [1e-4, 100], delta: [1e-12, 0.4], n: [2, 1e12], T: [1, 2000], gamma: [1e-9, 1e9], p: [1, 1000],
    eta: [1e-6, 1.9], kappa: [1, 1e6], target: [1e-9, 1e9],
  };

  function read(form) {
    const given = {budget: form.elements.budget.value, relation: form.elements.relation.value};
    for (const [name, [low, high]] of Object.entries(RANGES)) {
      const field = form.elements[name], value = field.value.trim() === "" ? NaN : Number(field.value);
      if (field.closest("[hidden]")) continue;
      const whole = ["n", "T", "p"].includes(name);
      if (!(value >= low && value <= high) || (whole && !Number.isInteger(value))) {
        return {wrong: `${name} = ${field.value || "nothing"}: give a ${whole ? "whole " : ""}number from ${low} to ${high}`};
      }
      given[name] = value;
    }
    return given;
  }

  const told = (value) => (!Number.isFinite(value) ? "∞" : value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6)
    ? String(Number(value.toPrecision(5))) : value.toExponential(3));

  function python(given) {
    const budget = given.budget === "rho" ? `rho=${given.rho}` : `epsilon=${given.epsilon}, delta=${given.delta}`;
    return `run = dpdescent.dp_gd(X, y, ${budget}, steps=${given.T}, eta=${given.eta}, gamma=${given.gamma}, `
      + "rng=dpdescent.secure_generator())\n"
      + `account = dpdescent.account(run.event, delta=${given.delta})`;
  }

  function show(form) {
    for (const part of form.querySelectorAll("[data-budget]")) part.hidden = part.dataset.budget !== form.elements.budget.value;
    const given = read(form), message = form.querySelector("[role=alert]");
    message.textContent = given.wrong || "";
    const found = given.wrong ? {} : compute(given);
    for (const cell of document.querySelectorAll("[data-result]")) {
      cell.textContent = given.wrong ? "–" : told(found[cell.dataset.result]);
    }
    const code = document.getElementById("python");
    // The estimator's relation is replace-one; for another one there is no line to copy.
    code.textContent = given.wrong || given.relation !== "replace-one" ? "" : python(given);
    code.parentElement.hidden = !code.textContent;
  }

  window.dpdescentCalculator = {compute};
  document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("calculator");
    if (!form) return;
    // By keyboard, touch or a program, a field tells of one or of the other.
    for (const kind of ["input", "change"]) form.addEventListener(kind, () => show(form));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show(form);
  });
})();
