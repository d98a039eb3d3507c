"""The claims of Figure 4 on its mechanisms, for any table of accuracies; and its own data sets, not tested here.

Other data, other models, fewer steps: an analogue neither confirms nor refutes a number of the paper. On CIFAR-10 the
paper's network is trained on request, where claims of the same words are judged (`network`); here the digits stand in
for it, and nothing for StackOverflow, which is out of reach.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from dpdescent.papers.choquettechoo2023.criteria import claim, claim_on_all_cells, rows, untestable_claim
from dpdescent.papers.choquettechoo2023.setting import AMPLIFIED, ME, RESTARTS, is_anytime
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import ABOVE_0, at_least, between
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence, Unjudged
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, mean_of

# The variant of the digits that came after the review which changed the first claims.
LATER = "convolutional net"
AHEAD, RESTARTED = "nu minus this", "restarts minus this"
# Series of a run: paired over mechanisms, and over epsilons too. Tables on request have none of them.
ON_AVERAGE, GROWTH, ME_AHEAD = (
    "nu minus anytime mechanisms, over all eps", "nu minus anytime mechanisms, less that at the largest eps",
    "ME minus this",
)  # fmt: skip
PAIRED = "mean paired difference of test accuracy, nu-DP-FTRL less"
UNAMPLIFIED = (
    "Before a review DP-SGD without amplification, which is no baseline of the paper, was among the anytime mechanisms."
)
ADDED = "The claim was added after a review: this variant was in the table and no claim was about it."
TREES = ("TreeAgg", "Honaker")
# Epsilon from which nu-DP-FTRL is to be ahead of amplified DP-SGD.
DP_SGD_FROM = 4.0


@dataclass(frozen=True)
class Analogue:
    """A table of accuracies on other data than the paper's.

    Attributes:
        ids: ids of its claims, by their subject.
        label: words before each statement.
        variant: variant whose rows are judged.
        artefact: artefact whose table has these rows.
        intervals: note on the randomness that its intervals take in.
        added: whether its claims came after the review that changed criteria, and have the changed ones from the start.
    """

    ids: dict[str, str]
    label: str
    variant: str
    artefact: str
    intervals: str
    added: bool = False

    def note(self, *parts: str) -> str:
        """The note of a claim: its own parts, then the note on intervals, which all claims on this table share."""
        return "; ".join([*filter(None, parts), self.intervals])

    def changed(self, reason: str) -> str:
        """The reason for which a criterion was changed; empty where it is as first written."""
        return "" if self.added else reason


def ahead_of(evidence: Evidence, analogue: Analogue) -> pd.DataFrame:
    """Rows of paired differences of accuracy, nu-DP-FTRL less another mechanism."""
    return rows(evidence, analogue.artefact, analogue.variant, series=AHEAD).sort_values("eps")


def _anytime_rows(ahead: pd.DataFrame) -> pd.DataFrame:
    """Rows of mechanisms that can be used at any horizon and are not amplified, restarts included."""
    return ahead[np.array([is_anytime(str(name)) for name in ahead["mechanism"]], dtype=bool)]


def listed(mechanisms: Iterable[object]) -> str:
    """The names of the mechanisms of some rows, for a claim's words, which are to say no more than what was trained."""
    names = [str(name).replace(RESTARTS, " with restarts") for name in dict.fromkeys(mechanisms)]
    return ", ".join(names) or "mechanisms"


def _charged(ahead: pd.DataFrame) -> str:
    """A note on the account of trees, for those that are among the mechanisms; empty where none is."""
    trees = [tree for tree in TREES if ahead["mechanism"].astype(str).str.startswith(tree).any()]
    if not trees:
        return ""
    verb, owner, who = ("is", "its", "it releases") if len(trees) == 1 else ("are", "their", "they release")
    return (
        f"{' and '.join(trees)} {verb} charged {owner} tree's sensitivity, as in earlier work, though what {who} attains a "
        "smaller eps (audit.csv), which favours nu"
    )


def means_of(ahead: pd.DataFrame) -> algebra.Places:
    """Mean differences by mechanism and eps, with Student's intervals, because there are few seeds."""
    return algebra.means(ahead, ["mechanism", "eps"], mean_of)


def anytime(analogue: Analogue, ahead: pd.DataFrame) -> Claim:
    ahead = _anytime_rows(ahead)
    new = analogue.variant == LATER
    return claim_on_all_cells(
        id=analogue.ids["anytime"], artefact=analogue.artefact, location="Figure 4, Sec. 4", kind="figure", source="analogue",
        statement=f"{analogue.label} nu-DP-FTRL outperforms all other efficient and anytime mechanisms",
        quantity=f"{PAIRED} the mechanism's: the smallest over {listed(ahead['mechanism'])}, and over eps",
        cells=means_of(ahead), criterion=ABOVE_0,
        changed=analogue.changed(ADDED if new else UNAMPLIFIED),
        note=analogue.note(f"the smallest of {len(ahead)} cells; a refutation by one is corrected for their number", _charged(ahead)),
    )  # fmt: skip


def anytime_average(evidence: Evidence, analogue: Analogue, ahead: pd.DataFrame) -> Claim:
    published = evidence.published["cifar"]["gain_anytime"]
    paired = rows(evidence, analogue.artefact, analogue.variant, series=ON_AVERAGE)
    ahead = _anytime_rows(ahead)
    first = "The claim was added after a first look at output at quick scale."
    return claim(
        id=analogue.ids["average"], artefact=analogue.artefact, location="Figure 4, Sec. 4", kind="figure", source="analogue",
        statement=f"{analogue.label} nu-DP-FTRL improves on the anytime mechanisms on average",
        quantity=f"{PAIRED} the mechanism's: the average over {listed(ahead['mechanism'])}, and over eps",
        measured=_mean_or(paired, _average(ahead)), criterion=ABOVE_0,
        changed=analogue.changed(ADDED if analogue.variant == LATER else f"{first} {UNAMPLIFIED}"),
        note=analogue.note(
            f"published on CIFAR-10: {100 * published:g} points",
            "" if len(paired) else "errors are added as if they were the same ones", _charged(ahead),
        ),
    )  # fmt: skip


def nearly_matches(evidence: Evidence, analogue: Analogue, ahead: pd.DataFrame) -> Claim:
    published = evidence.published["cifar"]
    least, margin = published["gap_closed"][0], published["me_at_10"] - published["nu_at_10"]
    to_me = [100 * row["mean"] for row in algebra.rows_of(ahead[ahead["mechanism"] == ME])]
    margins = f"nu-DP-FTRL less ME {min(to_me):.2f} to {max(to_me):.2f} points over eps" if to_me else ""
    return claim_on_all_cells(
        id=analogue.ids["me"], artefact=analogue.artefact, location="Figure 4, Sec. 4", kind="figure", source="analogue",
        statement=f"{analogue.label} nu-DP-FTRL nearly equals or slightly outperforms ME",
        quantity="share of the difference of accuracy between the best other anytime mechanism and ME that nu-DP-FTRL makes up (1 where it is not behind ME): the smallest over eps",
        cells=algebra.measured_by(ahead, ["eps"], partial(_near_me, _gaps(evidence, analogue))), criterion=at_least(least, ", the least share that the paper finds"),
        changed=analogue.changed(ADDED if analogue.variant == LATER else f"Before a review a distance to ME of at most {100 * margin:.2f} points, the published one, was asked for, which is more than there is between most mechanisms here."),
        note=analogue.note(margins),
    )  # fmt: skip


def _gaps(evidence: Evidence, analogue: Analogue) -> pd.DataFrame:
    """Rows of paired differences of accuracy, ME less another mechanism."""
    return rows(evidence, analogue.artefact, analogue.variant, series=ME_AHEAD)


def _near_me(gaps: pd.DataFrame, ahead: pd.DataFrame) -> Estimate:
    """The share of the gap to ME that nu-DP-FTRL makes up; 1 where it is not behind ME."""
    to_me = row_at(ahead, mechanism=ME)
    if not math.isnan(to_me["mean"]) and mean_of(to_me).low >= 0.0:
        return exactly(1.0)
    return _share(gaps, ahead)


def dp_sgd(analogue: Analogue, ahead: pd.DataFrame) -> Claim:
    against = ahead[ahead["mechanism"] == AMPLIFIED]
    return claim_on_all_cells(
        id=analogue.ids["dp-sgd"], artefact=analogue.artefact, location="Sec. 4", kind="text", source="analogue",
        statement=f"{analogue.label} nu-DP-FTRL outperforms DP-SGD, which has amplification, from eps = 4 on",
        quantity=f"{PAIRED} amplified DP-SGD's: the smallest over eps of at least {DP_SGD_FROM:g}",
        cells=means_of(against[against["eps"] >= DP_SGD_FROM]), criterion=ABOVE_0,
        note=analogue.note(),
    )  # fmt: skip


def damping(analogue: Analogue, ahead: pd.DataFrame) -> Claim:
    undamped = ahead[ahead["mechanism"].isin(["Optimal CC", "Optimal CC, restarts"])]
    return claim_on_all_cells(
        id=analogue.ids["damping"], artefact=analogue.artefact, location="Sec. 4", kind="text", source="analogue",
        statement=f"{analogue.label} nu-DP-FTRL outperforms Optimal CC, which is nu = 0: the exponential decay is of practical importance",
        quantity=f"{PAIRED} that at nu = 0: the smallest over eps, with and without restarts",
        cells=means_of(undamped), criterion=ABOVE_0,
        note=analogue.note(),
    )  # fmt: skip


def grows(evidence: Evidence, analogue: Analogue, ahead: pd.DataFrame) -> Claim:
    ahead = _anytime_rows(ahead)
    gains = {eps: _average(group) for eps, group in ahead.groupby("eps")}
    unpaired = statistics.minus(gains[min(gains)], gains[max(gains)]) if len(gains) > 1 else NOTHING
    paired = rows(evidence, analogue.artefact, analogue.variant, series=GROWTH).sort_values("eps").head(1)
    return claim(
        id=analogue.ids["grows"], artefact=analogue.artefact, location="Sec. 4", kind="text", source="analogue",
        statement=f"{analogue.label} the improvement over anytime mechanisms grows as eps becomes small",
        quantity=f"{PAIRED} that of {listed(ahead['mechanism'])} on average: at the smallest eps less at the largest",
        measured=_mean_or(paired, unpaired), criterion=ABOVE_0,
        changed=analogue.changed(UNAMPLIFIED), note=analogue.note(_charged(ahead)),
    )  # fmt: skip


def gained_by_restarts(analogue: Analogue, name: str, gained: pd.DataFrame, changed: str = "") -> Claim:
    """Judges what restarts gain a baseline in accuracy, of which the paper says nothing."""
    cells = means_of(gained)
    return claim_on_all_cells(
        id=name, artefact=analogue.artefact, location="Sec. 4, App. G", kind="text", source="ours",
        statement=f"(ours) {analogue.label} restarts, as many as minimise (3), raise the accuracy of the baselines",
        quantity=f"test accuracy with restarts less that without, in runs of the same seed: the smallest over {listed(gained['mechanism'])} and eps",
        cells=cells, criterion=ABOVE_0, changed=changed,
        note=analogue.note(
            "the paper says that restarts give the baselines the advantage of one more parameter, tuned by (3), and nothing of accuracy: claim prefix-restarts",
            _open_when_widened(cells),
        ),
    )  # fmt: skip


def _open_when_widened(cells: algebra.Places) -> str:
    """The cells that lie below 0 by their own interval, and not by the one that is widened for their number."""
    wider = {place: statistics.widened(own, len(cells)) for place, own in cells.items() if own.high < 0.0}
    told = [
        f"{place} [{100 * each.low:.2f}, {100 * each.high:.2f}]" for place, each in wider.items() if each.high >= 0.0
    ]
    if not told:
        return ""
    return f"below 0 by its own interval, open by one widened for {len(cells)} cells, in points: {'; '.join(told)}"


def _mean_or(paired: pd.DataFrame, otherwise: Estimate) -> Estimate:
    """The mean of a run's own pairs; another estimate where the table has none."""
    return mean_of(paired.iloc[0]) if len(paired) else otherwise


def _average(table: pd.DataFrame) -> Estimate:
    """The mean of differences; its interval has the mean of their ends, because they share the runs of nu-DP-FTRL."""
    if not len(table):
        return NOTHING
    each = np.array([[mean.value, mean.low, mean.high] for mean in means_of(table).values()])
    return Estimate(*(float(end) for end in each.mean(axis=0)))


def gap_closed(evidence: Evidence, analogue: Analogue, ahead: pd.DataFrame) -> Claim:
    low, high = evidence.published["cifar"]["gap_closed"]
    return claim_on_all_cells(
        id=analogue.ids["gap"], artefact=analogue.artefact, location="Sec. 4", kind="text", source="analogue",
        statement=f"{analogue.label} nu-DP-FTRL makes up {low:.0%} to {high:.0%} of the gap between previous efficient approaches and ME",
        quantity="share of the difference of accuracy between the best other anytime mechanism and ME: the eps that is furthest from the range",
        cells=algebra.measured_by(ahead, ["eps"], partial(_share, _gaps(evidence, analogue))), criterion=between(low, high),
        changed=analogue.changed(UNAMPLIFIED), note=analogue.note(_charged(_anytime_rows(ahead))),
    )  # fmt: skip


def _share(gaps: pd.DataFrame, ahead: pd.DataFrame) -> Estimate:
    """The share of the gap from the best other mechanism to ME; its interval is unbounded where the gap may be nil.

    It is Fieller's, of two paired differences: the variances of both and of their difference give their covariance.
    Tables on request have no pairs with ME; there the ends of both intervals give the ends.
    """
    others, to_me = _anytime_rows(ahead), row_at(ahead, mechanism=ME)
    if not others["mean"].notna().any() or math.isnan(to_me["mean"]):
        return NOTHING
    best = others.loc[others["mean"].idxmin()]
    gained, lost = mean_of(best), mean_of(to_me)
    to_close = gaps[gaps["mechanism"] == best["mechanism"]]
    to_close = to_close[to_close["eps"] == best["eps"]]
    gap = gained.value - lost.value
    if not len(to_close):
        if not gained.low - lost.high > 0:
            return Estimate(gained.value / gap if gap > 0 else math.inf, -math.inf, math.inf)
        ends = [gain / (gain - loss) for gain in (gained.low, gained.high) for loss in (lost.low, lost.high)]
        return Estimate(gained.value / gap, min(ends), max(ends))
    own, other, difference = (statistics.half_width(row) ** 2 for row in (best, to_close.iloc[0], to_me))
    # Shares s at which the gain less s of the gap may be nil: a quadratic equation.
    square, linear = gap**2 - other, gained.value * gap - (own + other - difference) / 2
    root = linear**2 - square * (gained.value**2 - own)
    # Values that are not finite end here too.
    if not (gap > 0 and square > 0 and root >= 0):
        return Estimate(gained.value / gap if gap > 0 else math.inf, -math.inf, math.inf)
    ends = [(linear + sign * math.sqrt(root)) / square for sign in (-1, 1)]
    return Estimate(gained.value / gap, *ends)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Claims on CIFAR-10, which are judged on runs made on request, and on StackOverflow, which is out of reach."""
    cifar, words = evidence.published["cifar"], evidence.published["stackoverflow"]
    low, high = cifar["gap_closed"]
    alone = "StackOverflow at this scale cannot be trained here; a stand-in needs a model with dynamics of its own"
    sentences: tuple[tuple[str, str, ClaimKind, str, Unjudged, str], ...] = (
        ("cifar-anytime", "Sec. 4, Figure 4(a)", "figure", "nu-DP-FTRL outperforms all existing anytime mechanisms by a significant margin", "on request", _on_request("cifar-net-anytime")),
        ("cifar-anytime-average", "Sec. 4, Figure 4(a)", "figure", f"nu-DP-FTRL outperforms all existing anytime mechanisms by {100 * cifar['gain_anytime']:g} points on average", "on request", _on_request("cifar-net-anytime-average")),
        ("cifar-gain-grows", "Sec. 4, Figure 4(a)", "figure", "the improvement over existing anytime mechanisms grows as eps becomes small", "on request", _on_request("cifar-net-gain-grows")),
        ("cifar-gap-closed", "Sec. 4", "text", f"nu-DP-FTRL makes up {low:.0%} to {high:.0%} of the gap between previous efficient approaches and ME", "on request", _on_request("cifar-net-gap-closed")),
        ("cifar-me", "Sec. 4", "text", f"at eps = 10 nu-DP-FTRL at {cifar['nu_at_10']:.2%} nearly matches ME at {cifar['me_at_10']:.2%}", "on request", _on_request("cifar-net-me", "cifar-net-accuracies")),
        ("cifar-dp-sgd", "Sec. 4", "text", f"nu-DP-FTRL outperforms (amplified) DP-SGD for eps >= 4: {cifar['nu_at_4']:.2%} against {cifar['dp_sgd_at_4']:.2%}", "on request", _on_request("cifar-net-dp-sgd", "cifar-net-accuracies")),
        ("stackoverflow-me", "Sec. 4, Figure 4(b)", "figure", f"nu-DP-FTRL outperforms ME across all eps, by about {100 * words['gain_over_me']:g} points", "out of reach", alone),
        ("stackoverflow-dp-sgd", "Sec. 4", "text", f"nu-DP-FTRL outperforms (amplified) DP-SGD from around eps = 2: {words['nu_at_2']:.1%} against {words['dp_sgd_at_2']:.1%}", "out of reach", alone),
        ("stackoverflow-non-private", "Sec. 4", "text", f"at eps = 8 nu-DP-FTRL has {words['nu_at_8']:.1%}, a mere {100 * words['below_non_private_at_8']:g} point off the non-private baseline", "out of reach", alone),
    )  # fmt: skip
    for id, location, kind, statement, why, because in sentences:
        yield untestable_claim(
            id=id, artefact="fig04a", location=location, kind=kind, source="paper",
            statement=statement, why=why, because=because,
        )  # fmt: skip


def _on_request(*claims: str) -> str:
    """The reason why a claim on CIFAR-10 has no verdict in this build, with the claims on request that have one."""
    return f"the paper's network is trained on CIFAR-10 on request, and judged there: {', '.join(claims)}"
