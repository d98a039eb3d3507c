"""Claims about guarantees and bounds: conversions, Prop. 3.1, Lemma F.1, conditions and regimes."""

import math
from collections.abc import Iterator

from dpdescent.papers.liang2025.reading import claim, judged
from dpdescent.privacy import zcdp
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.judgement import bound_value
from dpdescent.replication.judging.statistics import Estimate


def judge(evidence: Evidence) -> Iterator[Claim]:
    """In the paper's order."""
    yield from _conversions(evidence)
    yield from _proposition_3_1(evidence)
    yield from _bounds(evidence)
    yield _no_clipping(evidence)
    yield from _beta_only(evidence)


def _conversions(evidence: Evidence) -> Iterator[Claim]:
    delta = evidence.settings["dp_delta"]
    for text, printed in evidence.published["epsilon_at_rho"].items():
        eps = zcdp.epsilon(float(text), delta)
        yield claim(
            f"footnote-3-{text}", "bounds", "footnote 3", f"rho = {text} is ({printed:g}, 1e-5)-DP by rho + 2 sqrt(rho log(1/delta))",
            "epsilon by that formula", Estimate(eps, eps, eps), "rounds to the printed two decimals",
            printed - 0.005, printed + 0.005,
        )  # fmt: skip


def _proposition_3_1(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_calibration", error_to="beta_hat", series="as published")
    shares = rows["achieved_rho"] / 10.0
    share = Estimate(float(shares.mean()), float(shares.min()), float(shares.max()))
    quantity = "zCDP cost of the releases over rho1 + rho2 = 10"
    yield claim(
        "prop-3.1-private", "ext_calibration", "Prop. 3.1", "with these noise scales Algorithm 1 is (rho1 + rho2)-zCDP",
        quantity, share, "at most 1", at_most=1.0,
    )  # fmt: skip
    yield claim(
        "prop-3.1-identity", "ext_calibration", "Prop. 3.1", "rho1 + rho2 = (2T/n^2)(gamma1^2/lambda1^2 + gamma2^2/lambda2^2)",
        quantity, share, "equal to 1", 1.0 - 1e-9, 1.0 + 1e-9, "the noise is sqrt(2) times what the guarantee needs",
    )  # fmt: skip


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    """From the evaluated bounds: the optimal number of steps, and what the conditions admit where figures were made."""
    near, growth = (bound_value(evidence, f"growth of the optimal T per log n{end}") for end in ("", ", far out"))
    yield claim(
        "remark-3.7-optimal-T", "bounds", "Remark 3.7, Conclusion",
        "the optimum number of iterations is super-logarithmic in n",
        "T that minimises bound (7), over log n: its value at n = 1e40 over that at n = 1e20", Estimate(*[growth] * 3),
        "at least 1.5: T grows faster than log n", 1.5,
        note=(
            f"between n = 1e5 and 1e10 the ratio is {near:.2f}, by an offset of the logarithm that fades: the range was moved out after "
            "that was seen, the criterion was not; all T between T1 (logarithmic) and T2 (linear) have the same order"
        ),
    )  # fmt: skip
    exponent = math.log(2.0 * growth) / math.log(1e20)
    yield claim(
        "remark-3.7-sub-linear", "bounds", "Remark 3.7, Conclusion", "the optimum number of iterations is sub-linear in n",
        "exponent of n in the T that minimises bound (7), from n = 1e20 to 1e40", Estimate(*[exponent] * 3), "below 1", at_most=0.999,
        note="since a review in place of a claim on the plateau: the upper end T2 of the plateau of the bound is linear in n (bounds.csv)",
    )  # fmt: skip
    for figure, name in (("fig04", "condition (21) at Figure 4, rho1 = 10"), ("fig06", "condition (6) at Figure 6")):
        value = bound_value(evidence, name)
        yield judged(
            f"{figure}-within-theory", "bounds", "Sec. 4", "(ours) the experiments lie where the theorem applies", name,
            Estimate(value, value, value), "none: the conditions have constants to which the paper gives no value", "not testable",
            "at our constants; condition (21) is explicit but for c0 and C0",
        )  # fmt: skip


def _no_clipping(evidence: Evidence) -> Claim:
    rows = evidence.select("fig03", panel="a", series="DP-2S-GD", error_to="beta_hat")
    shares = rows["clip_fraction_stage2"]
    return judged(
        "remark-3.4-no-clipping", "fig03", "Remark 3.4", "with threshold (4) clipping does not alter the gradients, with high probability",
        "fraction of second-stage gradients clipped in Figure 3(a) at c0 = 3; the interval is over n and budgets",
        Estimate(float(shares.mean()), float(shares.min()), float(shares.max())),
        "none: c0 depends on the problem and has no value in the paper", "not testable",
        "Figure 8 shows which threshold would avoid clipping, and what error that costs",
    )  # fmt: skip


def _beta_only(evidence: Evidence) -> Iterator[Claim]:
    table = evidence.select("table_release_beta_only")
    for reading, name, statement in (
        ("full record", "lemma-F.1", "releasing beta alone is rho2-zCDP, whatever rho1 is"),
        ("y only", "lemma-F.1-y-only", "(charitable reading) the same, if neighbours differ only in y"),
    ):
        rows = table[(table["reading"] == reading) & (table["design"] != "finite rho1")]
        costs = rows["median"] / rows["claimed_rho"]
        top = rows.loc[costs.idxmax()]
        measured = Estimate(*(top[column] / top["claimed_rho"] for column in ("median", "q05", "q95")))
        yield claim(
            name, "table_release_beta_only", "Lemma F.1, Remark 3.9", statement,
            "largest median realised zCDP cost over planted records, over the claim; the interval holds 90 % of the draws",
            measured, "at most 1", at_most=1.0,
        )  # fmt: skip
