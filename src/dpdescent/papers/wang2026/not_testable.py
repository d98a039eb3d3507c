"""Claims that no table can judge, and why not; some hold by construction."""

from collections.abc import Iterator

from dpdescent.papers.wang2026.criteria import untestable_claim
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence, Source, Unjudged

Row = tuple[str, str, str, ClaimKind, Source, str, Unjudged, str]
# Id, artefact, location, kind, source, statement, why nothing judges it, the reason in words.
OPEN: tuple[Row, ...] = (
    ("cifar-10", "fig01", "Figure 1", "figure", "paper", "the curves of a convolutional network on CIFAR-10",
     "out of reach", "another paper's figure without network, batches, clipping, steps, epsilons or values; an analogue is judged by the claims figure-1"),
    ("first-bounds", "bound_vs_run", "Abstract, Sec. 1", "text", "paper", "the first population risk bounds for KANs trained by mini-batch SGD, and for correlated noise beyond convex learning", "literature", "about the literature"),
    ("deployment", "fig01", "Sec. 1", "text", "paper", "correlated noise is deployed in federated learning and has a strong empirical advantage", "literature", "cited"),
    ("koloskova", "table_rates", "Sec. 2, Sec. 5.1 (comparison)", "text", "paper", "Koloskova et al. (2023) bound gradient norms only", "literature", "about another paper's text"),
    ("earlier-kan-bounds", "table_rates", "Sec. 5.2, Sec. 5.3 (comparison)", "text", "paper", "Wang et al. (2026) have 1/(gamma^4 n), sqrt(d)/(gamma^4 n eps) and widths of gamma^-6",
     "literature", "about another paper's text; what is quoted of it enters the algebra"),
    ("lower-bound", "table_rates", "Sec. 1", "text", "paper", "the convex DP-SCO lower bound of Bassily et al. (2019)", "literature", "cited; that the rate has its powers is algebra"),
    ("hidden-constants", "bound_vs_run", "Sec. 4.2, Lemma B.6", "theorem", "paper", "C_{sigma,b} depends on the activation and the splines only", "out of reach", "a constant without a value; explicit forms are judged"),
    ("population-high-probability", "ext_window_rates", "Theorem 5.2", "theorem", "paper", "the bound of the expected risk holds with probability 1 - delta over the start", "out of reach", "means over seeds cannot see a probability so near one"),
    ("cited-lemmas", "stability", "Lemma F.7", "theorem", "paper", "domination of mixtures of Gaussians in any dimension, with any number of rows", "literature", "cited from the literature; in the plane it is judged by the claim lemma-f.7"),
    ("any-data", "kappa_tables", "Theorem 5.1, Theorem F.12", "privacy", "paper", "the guarantee holds for all neighbouring data sets", "out of reach", "a statement about all data sets: proved by conditioning on the batches; multipliers are judged"),
    ("poisson-for-all-data", "sampling_counterexample", "Theorem F.8", "privacy", "paper", "for Poisson samples the pair dominates for all data sets", "literature", "cited results for that sampler; that sampler is another one than Algorithm 1's"),
    ("proof-technique", "comparator", "Sec. 1, Sec. 4.1", "text", "paper", "the analysis route may be of interest beyond KANs", "opinion", "an opinion"),
)  # fmt: skip
EVALUATED = "by construction, what is evaluated being the formula itself"
# Id, artefact, location, kind, statement, the reason why nothing judges it.
BY_CONSTRUCTION: tuple[tuple[str, str, str, ClaimKind, str, str], ...] = (
    ("remark-4.2-linear", "lambda_tradeoff", "Theorem 4.1, Remark 4.2", "theorem", "for a fixed kappa the linear noise-fluctuation term scales proportionally to 1 - lambda", EVALUATED),
    ("remark-4.2-quadratic", "lambda_tradeoff", "Theorem 4.1, Remark 4.2", "theorem", "for a fixed kappa the quadratic Gaussian term is governed by (1 - lambda)^2 + lambda^2 eta", f"{EVALUATED}; its least value is at lambda = 1/(1 + eta), not at 1"),
    ("independent-rate", "table_rates", "Sec. 5.1 (interpretation)", "text", "the displayed rate matches the independent-noise rate asymptotically", "by construction: powers that are printed are compared with powers that are printed, gamma left out"),
    ("dp-gd-width", "table_rates", "Sec. 5.2 (comparison)", "text", "DP-GD requires a smaller width than in Wang et al. (2026)", "by construction: powers of gamma that are printed are compared with powers that are printed"),
    ("gd-width", "table_rates", "Sec. 5.3 (comparison)", "text", "GD requires a smaller width than in Wang et al. (2026)", "by construction: powers of gamma that are printed are compared with powers that are printed"),
    ("theorem-f.8-poisson", "kappa_tables", "Theorem F.8, Lemma F.9", "privacy", "for Poisson samples the pair dominates: its delta is no more than Lemma F.9's bound",
     "by construction: the multiplier of the pair is the least for that sampler, and the one by the tail of participations is enough for it"),
    ("corollary-5.5-repaired", "closed_form_validity", "Corollary 5.5, Theorem 5.4", "privacy", "(ours) in its regime the larger of the displayed kappa and eq. (19)'s gives (eps, delta)-DP", "by construction: it follows from the theorem that eq. (19) is"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims, none of which is testable."""
    for name, artefact, location, kind, statement, because in BY_CONSTRUCTION:
        yield untestable_claim(
            id=name, artefact=artefact, location=location, kind=kind, source="identity", statement=statement,
            why="by construction", because=because,
            changed="It was called reproduced at first, which nothing could have refuted.",
        )  # fmt: skip
    for name, artefact, location, kind, source, statement, why, because in OPEN:
        yield untestable_claim(
            id=name, artefact=artefact, location=location, kind=kind, source=source, statement=statement, why=why,
            because=because,
        )  # fmt: skip
