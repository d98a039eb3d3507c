// The calculator: noise, guarantee and predicted error of full-batch DP-GD, from public numbers alone.
// Each function names its Python twin; the browser tests hold them to 1e-9 of each other.
"use strict";

(() => {
  const {epsilon, noiseSd, read, rhoOfEpsilon, sensitivity, tightEpsilon, tightRho} = window.dpdescentGaussian;

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
    const given = {
      budget: form.elements.budget.value, relation: form.elements.relation.value, ...read(form, RANGES, ["n", "T", "p"]),
    };
    const message = form.querySelector("[role=alert]");
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
