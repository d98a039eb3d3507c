"""Claims about private deep learning: Figure 4, whose data cannot be had here, and the same sentences on analogues.

CIFAR-10 and StackOverflow at the paper's scale are out of reach of one laptop: what is said of them is not testable. The
same sentences are judged, labelled as analogues, on the digits (a) and on generated text (b): other data, other models,
fewer steps. An analogue neither confirms nor refutes a number of the paper.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpdescent.papers.choquettechoo2023.reading import claim, every, judged, rows
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import ABOVE_0, BELOW_0, at_least, between
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, mean_of

NU, ME, AMPLIFIED = "nu-DP-FTRL", "ME", "DP-SGD, amplified"
OTHERS = (NU, ME, AMPLIFIED, "non-private")
AHEAD = "nu minus this"
PAIRED = "mean paired difference of test accuracy, nu-DP-FTRL less"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Lists what is published, then judges the analogues."""
    yield from _published(evidence)
    yield from _analogues(evidence)


def _published(evidence: Evidence) -> Iterator[Claim]:
    cifar, words = evidence.published["cifar"], evidence.published["stackoverflow"]
    low, high = cifar["gap_closed"]
    sentences: tuple[tuple[str, str, str, ClaimKind, str], ...] = (
        ("cifar-anytime", "fig04a", "Sec. 4, Figure 4(a)", "figure", f"nu-DP-FTRL outperforms all existing anytime mechanisms by {100 * cifar['gain_anytime']:g} points on average, growing as eps becomes small"),
        ("cifar-gap-closed", "fig04a", "Sec. 4", "text", f"nu-DP-FTRL makes up {low:.0%} to {high:.0%} of the gap between previous efficient approaches and ME"),
        ("cifar-me", "fig04a", "Sec. 4", "text", f"at eps = 10 nu-DP-FTRL at {cifar['nu_at_10']:.2%} nearly matches ME at {cifar['me_at_10']:.2%}"),
        ("cifar-dp-sgd", "fig04a", "Sec. 4", "text", f"nu-DP-FTRL outperforms (amplified) DP-SGD for eps >= 4: {cifar['nu_at_4']:.2%} against {cifar['dp_sgd_at_4']:.2%}"),
        ("stackoverflow-me", "fig04b", "Sec. 4, Figure 4(b)", "figure", f"nu-DP-FTRL outperforms ME across all eps, by about {100 * words['gain_over_me']:g} points"),
        ("stackoverflow-dp-sgd", "fig04b", "Sec. 4", "text", f"nu-DP-FTRL outperforms (amplified) DP-SGD from around eps = 2: {words['nu_at_2']:.1%} against {words['dp_sgd_at_2']:.1%}"),
        ("stackoverflow-non-private", "fig04b", "Sec. 4", "text", f"at eps = 8 nu-DP-FTRL has {words['nu_at_8']:.1%}, a mere {100 * words['below_non_private_at_8']:g} point off the non-private baseline"),
    )  # fmt: skip
    for id, artefact, location, kind, statement in sentences:
        data, analogue = ("CIFAR-10", "digits") if artefact == "fig04a" else ("StackOverflow", "generated text")
        yield judged(
            id=id, artefact=artefact, location=location, kind=kind, source="paper",
            statement=statement,
            quantity=f"test accuracy on {data}", measured=None,
            criterion=f"none: {data} at this scale cannot be trained here; the analogue ({analogue}) is another data set and another model",
            verdict="not testable", why="out of reach",
        )  # fmt: skip


@dataclass(frozen=True)
class Analogue:
    """A table of accuracies on other data than the paper's.

    Attributes:
        ids: of its claims, by what they are about.
        label: what is said before each statement.
        artefact, variant: where its rows are.
        dp_sgd_from: epsilon from which nu-DP-FTRL is to be ahead of amplified DP-SGD.
        dp_sgd_words: how the paper says so.
        conditions: what holds of every interval, and of the choice of the set-up.
    """

    ids: dict[str, str]
    label: str
    artefact: str
    variant: str
    dp_sgd_from: float
    dp_sgd_words: str
    conditions: str

    def note(self, *parts: str) -> str:
        """A note: what a claim says, then what holds of all claims on this table."""
        return "; ".join([*filter(None, parts), self.conditions])


IMAGES = (
    "intervals are Student's, over seeds and random splits of one set of images, conditional on it; the selection of "
    "rates is in no interval"
)
USERS = (
    "intervals are Student's, over seeds, each with a language and users of its own; the selection of rates is in no "
    "interval; batch size, clip norm and the grid of eps of this analogue were chosen after first trial runs, so that "
    "mechanisms differ at all"
)
DIGITS = Analogue(
    {
        "anytime": "digits-anytime", "average": "digits-anytime-average", "me": "digits-me",
        "dp-sgd": "digits-dp-sgd", "damping": "digits-damping", "grows": "digits-gain-grows",
    },
    "(analogue: digits)", "fig04a", "main", 4.0, "eps = 4 on", IMAGES,
)  # fmt: skip
NETWORK = Analogue(
    {"anytime": "digits-network-anytime", "average": "digits-network-anytime-average", "me": "digits-network-me"},
    "(analogue: digits, two-layer net)", "fig04a", "two-layer net", 4.0, "eps = 4 on", IMAGES,
)  # fmt: skip
TEXT = Analogue(
    {
        "anytime": "text-anytime", "average": "text-anytime-average", "dp-sgd": "text-dp-sgd",
        "damping": "text-damping", "grows": "text-gain-grows",
    },
    "(analogue: generated text)", "fig04b", "main", 4.0, "around eps = 2 on, here judged from eps = 4 on", USERS,
)  # fmt: skip


def _analogues(evidence: Evidence) -> Iterator[Claim]:
    for each in (DIGITS, NETWORK, TEXT):
        ahead = _ahead(evidence, each)
        yield _anytime(each, ahead)
        yield _anytime_average(evidence, each, ahead)
        if "me" in each.ids:
            yield _nearly_matches(evidence, each, ahead)
    for each in (DIGITS, TEXT):
        ahead = _ahead(evidence, each)
        yield _dp_sgd(each, ahead)
        yield _damping(each, ahead)
        yield _grows(each, ahead)
    yield _gap_closed(evidence, _ahead(evidence, DIGITS))
    yield _amplification_wins(_ahead(evidence, DIGITS))
    yield from _only_text(evidence, _ahead(evidence, TEXT))


def _ahead(evidence: Evidence, each: Analogue) -> pd.DataFrame:
    """Rows of paired differences: nu-DP-FTRL less another mechanism."""
    return rows(evidence, each.artefact, each.variant, series=AHEAD).sort_values("eps")


def _anytime_rows(ahead: pd.DataFrame) -> pd.DataFrame:
    """Rows of mechanisms that can be used at any horizon and are not amplified, restarts included."""
    return ahead[~ahead["mechanism"].isin(OTHERS)]


def _means(ahead: pd.DataFrame) -> algebra.Places:
    """Differences by mechanism and eps, with Student's intervals, because there are few seeds."""
    return algebra.means(ahead, ["mechanism", "eps"], mean_of)


def _anytime(each: Analogue, ahead: pd.DataFrame) -> Claim:
    ahead = _anytime_rows(ahead)
    return every(
        id=each.ids["anytime"], artefact=each.artefact, location="Figure 4, Sec. 4", kind="figure", source="analogue",
        statement=f"{each.label} nu-DP-FTRL outperforms all other efficient and anytime mechanisms",
        quantity=f"{PAIRED} the mechanism's: the smallest over mechanisms (without amplification, with and without restarts) and eps",
        cells=_means(ahead), criterion=ABOVE_0,
        note=each.note(f"the smallest of {len(ahead)} cells, without correction for multiplicity"),
    )  # fmt: skip


def _anytime_average(evidence: Evidence, each: Analogue, ahead: pd.DataFrame) -> Claim:
    ahead, published = _anytime_rows(ahead), evidence.published["cifar"]["gain_anytime"]
    return claim(
        id=each.ids["average"], artefact=each.artefact, location="Figure 4, Sec. 4", kind="figure", source="analogue",
        statement=f"{each.label} nu-DP-FTRL improves on the anytime mechanisms on average",
        quantity=f"{PAIRED} the mechanism's: the average over mechanisms (without amplification, with and without restarts) and eps",
        measured=_average(ahead) if len(ahead) else NOTHING, criterion=ABOVE_0,
        changed="The claim was added after a first look at output at quick scale.",
        note=each.note(
            f"published on CIFAR-10: {100 * published:g} points" if each is not TEXT else "",
            "errors are added as if they were the same ones",
        ),
    )  # fmt: skip


def _nearly_matches(evidence: Evidence, each: Analogue, ahead: pd.DataFrame) -> Claim:
    published = evidence.published["cifar"]
    margin = published["me_at_10"] - published["nu_at_10"]
    to_me = ahead[ahead["mechanism"] == ME]
    return every(
        id=each.ids["me"], artefact=each.artefact, location="Figure 4, Sec. 4", kind="figure", source="analogue",
        statement=f"{each.label} nu-DP-FTRL nearly equals or slightly outperforms ME",
        quantity=f"{PAIRED} ME's: the smallest over eps",
        cells=_means(to_me), criterion=at_least(-margin, words=f"at least {-100 * margin:.2f} points, the difference that the paper calls a near match"),
        note=each.note(),
    )  # fmt: skip


def _dp_sgd(each: Analogue, ahead: pd.DataFrame) -> Claim:
    against = ahead[ahead["mechanism"] == AMPLIFIED]
    return every(
        id=each.ids["dp-sgd"], artefact=each.artefact, location="Sec. 4", kind="text", source="analogue",
        statement=f"{each.label} nu-DP-FTRL outperforms DP-SGD, which has amplification, from {each.dp_sgd_words}",
        quantity=f"{PAIRED} amplified DP-SGD's: the smallest over eps of at least {each.dp_sgd_from:g}",
        cells=_means(against[against["eps"] >= each.dp_sgd_from]), criterion=ABOVE_0,
        changed="Before a first look at output at quick scale eps = 2 was judged too." if each is TEXT else "",
        note=each.note(),
    )  # fmt: skip


def _damping(each: Analogue, ahead: pd.DataFrame) -> Claim:
    undamped = ahead[ahead["mechanism"].isin(["Optimal CC", "Optimal CC, restarts"])]
    return every(
        id=each.ids["damping"], artefact=each.artefact, location="Sec. 4", kind="text", source="analogue",
        statement=f"{each.label} nu-DP-FTRL outperforms Optimal CC, which is nu = 0: the exponential decay is of practical importance",
        quantity=f"{PAIRED} that at nu = 0: the smallest over eps, with and without restarts",
        cells=_means(undamped), criterion=ABOVE_0,
        note=each.note(),
    )  # fmt: skip


def _grows(each: Analogue, ahead: pd.DataFrame) -> Claim:
    gains = {eps: _average(group) for eps, group in _anytime_rows(ahead).groupby("eps")}
    return claim(
        id=each.ids["grows"], artefact=each.artefact, location="Sec. 4", kind="text", source="analogue",
        statement=f"{each.label} the improvement over anytime mechanisms grows as eps becomes small",
        quantity=f"{PAIRED} the anytime mechanisms' on average: at the smallest eps less at the largest",
        measured=statistics.minus(gains[min(gains)], gains[max(gains)]) if len(gains) > 1 else NOTHING, criterion=ABOVE_0,
        note=each.note(),
    )  # fmt: skip


def _average(table: pd.DataFrame) -> Estimate:
    """The mean of differences; their errors are added, not their squares, because they share the runs of nu-DP-FTRL."""
    found = np.array([[each.value, each.low, each.high] for each in _means(table).values()])
    return Estimate(*(float(each) for each in found.mean(axis=0)))


def _gap_closed(evidence: Evidence, ahead: pd.DataFrame) -> Claim:
    low, high = evidence.published["cifar"]["gap_closed"]
    return every(
        id="digits-gap-closed", artefact="fig04a", location="Sec. 4", kind="text", source="analogue",
        statement=f"{DIGITS.label} nu-DP-FTRL makes up {low:.0%} to {high:.0%} of the gap between previous efficient approaches and ME",
        quantity="share of the difference of accuracy between the best other anytime mechanism and ME: the eps that is furthest from the range",
        cells=algebra.by(ahead, ["eps"], _share), criterion=between(low, high),
        note=DIGITS.note(),
    )  # fmt: skip


def _share(ahead: pd.DataFrame) -> Estimate:
    """The share of the way from the best other mechanism to ME; its interval is unbounded where the way may be nil."""
    others, to_me = _anytime_rows(ahead), row_at(ahead, mechanism=ME)
    if not len(others) or math.isnan(to_me["mean"]):
        return NOTHING
    gained, lost = mean_of(others.loc[others["mean"].idxmin()]), mean_of(to_me)
    if not gained.low - lost.high > 0:
        value = gained.value - lost.value
        return Estimate(gained.value / value if value > 0 else math.inf, -math.inf, math.inf)
    ends = [gain / (gain - loss) for gain in (gained.low, gained.high) for loss in (lost.low, lost.high)]
    return Estimate(gained.value / (gained.value - lost.value), min(ends), max(ends))


def _amplification_wins(ahead: pd.DataFrame) -> Claim:
    against = ahead[ahead["mechanism"] == AMPLIFIED]
    smallest = against[against["eps"] < DIGITS.dp_sgd_from].head(1)
    return every(
        id="digits-amplification", artefact="fig04a", location="Sec. 4", kind="text", source="analogue",
        statement=f"{DIGITS.label} as eps becomes small, DP-SGD can outperform DP-FTRL due to privacy amplification",
        quantity=f"{PAIRED} amplified DP-SGD's, at the smallest eps below {DIGITS.dp_sgd_from:g}",
        cells=_means(smallest), criterion=BELOW_0,
        note=DIGITS.note(),
    )  # fmt: skip


def _only_text(evidence: Evidence, ahead: pd.DataFrame) -> Iterator[Claim]:
    published = evidence.published["stackoverflow"]
    yield every(
        id="text-me", artefact="fig04b", location="Figure 4(b), Sec. 4", kind="figure", source="analogue",
        statement=f"{TEXT.label} nu-DP-FTRL outperforms ME across all eps",
        quantity=f"{PAIRED} ME's: the smallest over eps",
        cells=_means(ahead[ahead["mechanism"] == ME]), criterion=ABOVE_0,
        note=TEXT.note(),
    )  # fmt: skip
    margin = published["below_non_private_at_8"]
    last = ahead[(ahead["mechanism"] == "non-private") & (ahead["eps"] >= 8)].head(1)
    yield every(
        id="text-non-private", artefact="fig04b", location="Sec. 4", kind="text", source="analogue",
        statement=f"{TEXT.label} nu-DP-FTRL nearly matches the non-private baseline at eps = 8",
        quantity=f"{PAIRED} the non-private one's",
        cells=_means(last), criterion=at_least(-margin, words=f"at least {-100 * margin:g} point, the published difference"),
        note=TEXT.note(),
    )  # fmt: skip
