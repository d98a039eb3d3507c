// Conversions between budgets of Gaussian noise, for the calculator and the choice of a method. Each function names its
// Python twin; the browser tests hold them to 1e-9 of each other.
"use strict";

window.dpdescentGaussian = (() => {
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

  // Distribution function of the standard normal
  function normal(z) {
    const tail = 0.5 * erfcx(Math.abs(z) / Math.SQRT2) * Math.exp(-z * z / 2);
    return z < 0 ? tail : 1 - tail;
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
      if (middle === left || middle === right) break;
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

  // privacy.shuffling.amplified
  function amplified(local, records, delta) {
    if (local > Math.log(records / (16 * Math.log(4 / delta)))) return Infinity;
    const grown = Math.exp(local), total = 8 * Math.sqrt(grown * Math.log(4 / delta) / records) + 8 * grown / records;
    return Math.log1p(-Math.expm1(-local) / (1 + 1 / (grown * (1 + total))) * total);
  }

  // privacy.shuffling.epsilon
  function shuffledEpsilon(multiplier, records, delta) {
    const rho = 0.5 / multiplier ** 2, plain = tightEpsilon(rho, delta);
    let eps = 0;
    while (eps < plain) {
      const local = tightEpsilon(rho, 0.5 * delta / ((Math.exp(eps) + 1) * 1.5 * records)), reached = amplified(local, records, 0.5 * delta);
      if (reached <= eps) return eps;
      eps = reached * (1 + 1e-12);
    }
    return plain;
  }

  // privacy.shuffling.noise_multiplier
  function shuffledMultiplier(eps, records, delta) {
    let high = Math.log(Math.sqrt(0.5 / tightRho(eps, delta))), low = high - 1;
    while (shuffledEpsilon(Math.exp(low), records, delta) <= eps) low -= 1;
    if (shuffledEpsilon(Math.exp(high), records, delta) > eps) high += 1e-9;
    while (high - low > 1e-10) {
      const middle = 0.5 * (low + high);
      if (shuffledEpsilon(Math.exp(middle), records, delta) <= eps) high = middle; else low = middle;
    }
    return Math.exp(high);
  }

  // Largest change of one clipped gradient: gamma where it is zeroed out; else it may turn round.
  const turned = (gamma, relation) => (relation === "zero-out" ? 1 : 2) * gamma;

  // privacy.clipping.mean_sensitivity, and half of it where a gradient is zeroed out and still counted. Adding or removing
  // a record halves nothing, because n - 1 gradients -gamma and one +gamma have a mean that is 2 gamma / n above -gamma.
  const sensitivity = (gamma, n, relation) => turned(gamma, relation) / n;

  // What is wrong with a delta by which whole records may be published; empty for a smaller one.
  const looseness = ({n, delta}) => (delta < 1 / n ? "" : `δ = ${delta} is at least 1/n: publishing one of the n records, drawn at`
    + ` random, is (0, δ)-DP, too. Take δ far below 1/n = ${Number((1 / n).toPrecision(3))}.`);

  // privacy.zcdp.gaussian_noise_sd
  const noiseSd = (moved, rho, releases) => moved * Math.sqrt(releases / (2 * rho));

  // Reads numbers of a form by their ranges: whole ones for the names that are listed; `wrong` tells of the first bad one.
  // A number as it is typed; thousands may be apart in whole ones only, because 1,500 is one and a half to many people.
  function typed(text, whole) {
    const plain = text.trim();
    if (whole && /^\d{1,3}([,_\u2019' \u00a0\u202f]\d{3})+$/.test(plain)) return Number(plain.replace(/\D/g, ""));
    return plain === "" ? NaN : Number(plain);
  }

  function read(form, ranges, whole) {
    const given = {};
    for (const [name, [low, high]] of Object.entries(ranges)) {
      const field = form.elements[name], value = typed(field.value, whole.includes(name));
      if (field.closest("[hidden]")) continue;
      if (!(value >= low && value <= high) || (whole.includes(name) && !Number.isInteger(value))) {
        const kind = whole.includes(name) ? "whole " : "";
        return {wrong: `${name} = ${field.value || "nothing"}: give a ${kind}number from ${low} to ${high}`};
      }
      given[name] = value;
    }
    return given;
  }

  return {epsilon, looseness, noiseSd, normal, read, rhoOfEpsilon, sensitivity, shuffledMultiplier, tightEpsilon, tightRho, turned};
})();
