"""Claims that no table can judge, and why."""

from collections.abc import Iterator

from dpdescent.papers.varshney2022.reading import untestable
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence, Unjudged

# Id, artefact, location, kind, statement, why nothing judges it, because of what.
OPEN: tuple[tuple[str, str, str, ClaimKind, str, Unjudged, str], ...] = (
    ("liu-exponential", "table_bounds", "Sec. 1", "text", "Liu et al. (2021) have strong error rates too, at a cost exponential in d and N", "literature", "cited; no such method is run here"),
    ("cai-restricted", "table_bounds", "Sec. 1 (after Thm 1.1)", "text", "the bound of Cai et al. (2021) is stated for sigma >= sqrt(d) only, so that matching bounds hold for specific sigma",
     "literature", "about another paper's text"),
    ("wang-lipschitz", "table_bounds", "Sec. 1 (after Thm 1.1)", "text", "the optimal dependence on d of Wang et al. (2017) hides a Lipschitz constant, an additional sqrt(d)", "literature", "about another paper's text"),
    ("sco-sample-size", "table_bounds", "Sec. 1.3", "text", "private convex optimisation with L of about d gives N = Omega~(d^2) for linear regression",
     "literature", "a bound for all Lipschitz losses; no table has that method"),
    ("warm-start", "risk_vs_n", "Remark (ii) after Thm 3.7", "theorem", "log(N/sigma) iterations of DP-SGD from the output remove the term |w*|_H^2 / N^100",
     "out of reach", "budget, threshold and noise of that stage are not given, and the term is N^-100"),
    ("phases", "risk_vs_kappa", "Remark (iv) after Thm 3.7", "theorem", "several batch sizes with tail averages of each phase can perhaps reduce the dependence on kappa",
     "opinion", "a conjecture about an algorithm that is not given"),
    ("kappa-optimal", "risk_vs_kappa", "Sec. 1, Sec. 4", "text", "for first-order methods a dependence on kappa is expected; the optimal one is not clear", "opinion", "an open question"),
    ("hyperparameters", "risk_vs_n", "Remark after Thm 3.1", "theorem", "R_x, |w*|, sigma, kappa and eigenvalues are known a priori, or can be estimated privately at the same rates",
     "opinion", "an assumption; our runs take them as public too"),
    ("huber", "risk_vs_n", "Remark (vi) after Thm 3.7", "theorem", "if clipping happens, the loss is a Huberised one of every record", "literature", "cited; nothing of it is computed here"),
    ("any-data", "audit", "Remark after Thm 3.1, remark (vi) after Thm 3.7", "privacy", "the guarantee of privacy holds for every data set, whatever their law",
     "out of reach", "a statement about all data sets; attacks on one pair are in the claims called audit"),
    ("first-to-demonstrate", "risk_vs_n", "Sec. 1.1", "text", "DP-AMBSSGD is the first to demonstrate the advantage of adaptive clipping formally", "literature", "about the literature; the advantage itself is judged by adaptive-better"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Lists the claims that are not testable."""
    for id, artefact, location, kind, statement, why, because in OPEN:
        yield untestable(
            id=id, artefact=artefact, location=location, kind=kind, source="paper", statement=statement, why=why,
            because=because,
        )  # fmt: skip
