"""Words of the field and of this report, each defined once; pages link the first use of each to its definition."""

import re
from dataclasses import dataclass
from html import escape

from dpdescent.replication.report.wording import slug

PAGE = "glossary.html"


@dataclass(frozen=True)
class Term:
    """A word with its definition.

    Attributes:
        name: the word as the glossary heads it; its anchor is made of it.
        means: definition, in plain letters (see `replication.notation`).
        forms: further spellings that are linked; a name with parentheses is not linked itself.
    """

    name: str
    means: str
    forms: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        return slug(self.name.lower())


PRIVACY = (
    Term(
        "neighbours",
        "two data sets that differ in one record, in the way that the relation says (replace-one, add-remove or "
        "zero-out). A guarantee limits how well outputs on neighbours can be told apart.",
        ("neighbouring data sets", "neighbouring relation"),
    ),
    Term(
        "replace-one",
        "the relation in which one record is replaced by any other; the number of records stays. A mean of n "
        "vectors of norm at most gamma then moves by at most 2 gamma / n.",
        ("replace one",),
    ),
    Term(
        "add-remove",
        "the relation in which one record is added or removed, so that the number of records is itself private. A mean "
        "then moves by up to 2 gamma / n, n the larger number: no less than under replace-one.",
    ),
    Term(
        "zero-out",
        "the relation in which one record is replaced by a null record whose gradient is zero; the number of "
        "records stays, and a mean moves by at most gamma / n, half as much as under replace-one.",
    ),
    Term(
        "(eps, delta)-DP",
        "differential privacy: an event is at most e^eps times as probable on one of two neighbours as on the "
        "other, up to a probability of delta.",
        ("differential privacy",),
    ),
    Term(
        "zCDP",
        "zero-concentrated differential privacy with budget rho: the Renyi divergence of order alpha between "
        "outputs on neighbours is at most rho alpha, for all alpha > 1. Budgets of several releases add up.",
        ("zero-concentrated differential privacy",),
    ),
    Term(
        "Gaussian-DP",
        "mu-Gaussian-DP: neighbours are at least as hard to tell apart as two normal distributions of variance one "
        "whose means are mu apart. Releases of mu_1 and mu_2 make sqrt(mu_1^2 + mu_2^2); mu^2/2 is the rho of zCDP.",
        ("Gaussian-DP parameter", "GDP", "Gaussian differential privacy"),
    ),
    Term(
        "sensitivity",
        "the largest distance that a release without noise can move between two neighbours. The standard deviation "
        "of the noise over it is the noise multiplier.",
    ),
    Term(
        "noise multiplier",
        "standard deviation of the noise over the sensitivity of what is released. In wang2026, kappa is the "
        "standard deviation over C_clip.",
        ("noise multipliers",),
    ),
    Term(
        "clipping threshold",
        "the norm gamma to which a record's gradient is cut when it is longer, so that one record has a limited "
        "effect; a gradient that is cut is called clipped.",
        ("clipping thresholds", "clip norm"),
    ),
    Term(
        "participation",
        "one use of a record in a step. Where batches are drawn or restarted a record may take part several times, "
        "which correlated noise must account for together.",
        ("participations",),
    ),
    Term(
        "Poisson sampling",
        "a sampler in which every record enters a batch with the same probability, independently of all others; "
        "with batches of fixed size the others' number betrays whether a record takes part.",
        ("Poisson batches",),
    ),
    Term(
        "post-processing",
        "whatever is computed from released values alone; it costs no privacy.",
    ),
    Term(
        "claimed epsilon",
        "the paper's own statement, by its own conversion of the budget.",
        ("ε claimed", "epsilon claimed"),
    ),
    Term(
        "accounted for",
        "what the releases cost by an argument that we can write down, converted as tightly as is known; empty "
        "where there is no such argument.",
    ),
    Term(
        "audit",
        "a worst pair of neighbours is run through the code that made a figure: the error rates of a test that tells "
        "them apart bound epsilon from below (95 %), for outputs of any law or, sharper, for Gaussian ones. An audit "
        "above a claim refutes it; an audit below proves nothing.",
        ("audited", "audits"),
    ),
    Term(
        "ledger",
        "the list of what every private run releases: mechanism, relation, sampler, sensitivity, noise and cost "
        "(privacy.csv).",
        ("privacy ledger",),
    ),
    Term(
        "guarantee",
        "proved: by an argument that we can write down. As published: claimed by the paper, neither proved by us "
        "nor refuted. None: refuted, not claimed, or data were used without account.",
    ),
)
METHODS = (
    Term(
        "DP-GD",
        "private gradient descent on the squared error with all records in every step: gradients are clipped, their "
        "mean gets normal noise (brown2024, Algorithm 1).",
    ),
    Term(
        "DP-2S-GD",
        "private gradient descent for an instrumental variable: a first stage for Theta, a second for beta, each "
        "with noise of its own (liang2025, Algorithm 1).",
        ("2S-GD",),
    ),
    Term(
        "DP-SSGD",
        "private stochastic gradient descent with one record a step, shuffled once (varshney2022, Algorithm 1).",
    ),
    Term(
        "DP-AMBSSGD",
        "private mini-batch descent in which each batch is used once and the clipping threshold is chosen anew by "
        "DP-STAT (varshney2022, Algorithm 2).",
    ),
    Term(
        "DP-STAT",
        "private search for a threshold that covers nearly all residuals, by noisy counts over a grid of doublings "
        "(varshney2022, Algorithm 3).",
    ),
    Term(
        "nu-DP-FTRL",
        "private descent whose noise is correlated over time with damping nu (choquettechoo2023, Sec. 2); "
        "nu-Noisy-FTRL is the same without clipping.",
        ("ν-DP-FTRL", "ν-Noisy-FTRL"),
    ),
    Term(
        "lambda-CGD",
        "private descent whose noise of a step takes back the share lambda of the noise of the step before (wang2026).",
        ("λ-CGD",),
    ),
    Term(
        "AdaSSP",
        "ridge regression on noisy sums of squares and products, with a ridge that adapts to the noise.",
        ("sufficient statistics",),
    ),
    Term(
        "least squares",
        "the estimate without privacy that minimises the squared error; OLS in the figures. With instruments it is "
        "two-stage least squares, 2SLS.",
        ("OLS", "2SLS"),
    ),
    Term(
        "KAN",
        "Kolmogorov-Arnold network: its edges carry functions of one variable, here splines.",
    ),
    Term(
        "excess risk",
        "expected squared error of a prediction less the smallest that any linear prediction has.",
    ),
    Term(
        "effective dimension",
        "d_eff: the sum of the eigenvalues of the covariance over the largest; small where few directions carry "
        "most of the variance.",
    ),
)
REPORT = (
    Term(
        "arm",
        "one method at one setting within an experiment, with its own clipping threshold, noise and privacy event. "
        "Arms that are compared share data.",
        ("arms",),
    ),
    Term(
        "variant",
        "the same experiment with one value changed that the paper leaves open, to see whether it matters; the "
        "headline is called main.",
        ("variants",),
    ),
    Term(
        "reading",
        "one of several meanings that the paper's words admit, such as a step size that is not stated. A claim is "
        "reproduced only if all readings agree.",
        ("readings",),
    ),
    Term(
        "analogue",
        "the paper's claim on other data or another model than its own, because these cannot be had or run here; it "
        "counts neither for nor against the paper.",
        ("analogues",),
    ),
    Term(
        "identity",
        "a claim that holds by construction, or sets one printed formula against another: no run can decide it; "
        "scorecards count it apart.",
        ("identities",),
    ),
    Term(
        "criterion",
        "what a measurement must meet for a claim to hold; written from the paper's words before the outcome, or it "
        "says why it was changed.",
        ("criteria",),
    ),
    Term(
        "verdict",
        "reproduced: the whole 95 % interval meets the criterion. Not reproduced: none of it does. Inconclusive: "
        "anything between, or a reason that is named. Not testable: an opinion, about other works, true by "
        "construction, or out of reach.",
        ("verdicts",),
    ),
    Term(
        "unstated value decides",
        "readings of a value, or of words, that the paper leaves open disagree on a claim, which is then inconclusive.",
    ),
    Term(
        "outside the regime",
        "the conditions under which a theorem speaks hold at no setting that can be run, so that the claim is open "
        "both ways.",
    ),
    Term(
        "hidden constant",
        "a constant of a bound without a value, without which the bound has no number to compare with.",
    ),
    Term(
        "vacuous",
        "of a bound: no better than what holds anyway, or without a finite value.",
    ),
    Term(
        "charitable reading",
        "the meaning or the assumption under which the paper would be right; it stands beside every finding.",
    ),
    Term(
        "trial",
        "one repetition of an experiment with data and noise of its own random stream.",
        ("trials",),
    ),
    Term(
        "stand-in",
        "where one run of the ledger speaks for others that differ in nothing that matters to its cost.",
    ),
)
CHAPTERS = {"Privacy": PRIVACY, "Methods and errors": METHODS, "How this report speaks": REPORT}
TERMS = tuple(term for chapter in CHAPTERS.values() for term in chapter)

# Elements whose text is no place for a link.
_CLOSED = frozenset(
    {"a", "button", "caption", "code", "h1", "h2", "h3", "label", "legend", "option", "output", "pre", "script",
     "strong", "style", "sub", "sup", "summary", "svg", "th", "title"}
)  # fmt: skip
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
_TAG = re.compile(r"(<!?/?[A-Za-z][^>]*>)")


def _pattern() -> tuple[re.Pattern[str], dict[str, Term]]:
    spelled = {form.lower(): term for term in TERMS for form in (term.name, *term.forms) if "(" not in form}
    longest = sorted(spelled, key=lambda form: (-len(form), form))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])", re.IGNORECASE), spelled


_FORMS, _SPELLED = _pattern()


def linked(page: str) -> str:
    """Links the first use of each term in the running text of a page's `main` to its definition."""
    head, opening, rest = page.partition("<main")
    body, closing, foot = rest.partition("</main>")
    left, closed = {term.name for term in TERMS}, list[str]()
    pieces = _TAG.split(opening + body)
    for place, piece in enumerate(pieces):
        if place % 2:
            _follow(piece, closed)
        elif piece.strip() and not closed:
            pieces[place] = _with_links(piece, left)
    return head + "".join(pieces) + closing + foot


def _follow(tag: str, closed: list[str]) -> None:
    """Updates the list of open elements that admit no links."""
    name = re.sub(r"^</?!?", "", tag).split()[0].rstrip("/>").lower()
    if tag.startswith("</"):
        if closed and closed[-1] == name:
            closed.pop()
    elif name in _CLOSED and not tag.endswith("/>") and name not in _VOID:
        closed.append(name)


def _with_links(text: str, left: set[str]) -> str:
    def link(match: re.Match[str]) -> str:
        term = _SPELLED[match.group().lower()]
        if term.name not in left:
            return match.group()
        left.remove(term.name)
        return f'<a class="term" href="{PAGE}#{escape(term.anchor)}">{match.group()}</a>'

    return _FORMS.sub(link, text)
