"""What Figure 4 says of its own data sets, and nothing here can test.

CIFAR-10 and StackOverflow at the paper's scale are out of reach of one laptop. The digits stand in for the former (see
`learning`), and nothing for the latter.
"""

from collections.abc import Iterator

from dpdescent.papers.choquettechoo2023.reading import untestable
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Lists what is published."""
    cifar, words = evidence.published["cifar"], evidence.published["stackoverflow"]
    low, high = cifar["gap_closed"]
    sentences: tuple[tuple[str, str, ClaimKind, str], ...] = (
        ("cifar-anytime", "Sec. 4, Figure 4(a)", "figure", f"nu-DP-FTRL outperforms all existing anytime mechanisms by {100 * cifar['gain_anytime']:g} points on average, growing as eps becomes small"),
        ("cifar-gap-closed", "Sec. 4", "text", f"nu-DP-FTRL makes up {low:.0%} to {high:.0%} of the gap between previous efficient approaches and ME"),
        ("cifar-me", "Sec. 4", "text", f"at eps = 10 nu-DP-FTRL at {cifar['nu_at_10']:.2%} nearly matches ME at {cifar['me_at_10']:.2%}"),
        ("cifar-dp-sgd", "Sec. 4", "text", f"nu-DP-FTRL outperforms (amplified) DP-SGD for eps >= 4: {cifar['nu_at_4']:.2%} against {cifar['dp_sgd_at_4']:.2%}"),
        ("stackoverflow-me", "Sec. 4, Figure 4(b)", "figure", f"nu-DP-FTRL outperforms ME across all eps, by about {100 * words['gain_over_me']:g} points"),
        ("stackoverflow-dp-sgd", "Sec. 4", "text", f"nu-DP-FTRL outperforms (amplified) DP-SGD from around eps = 2: {words['nu_at_2']:.1%} against {words['dp_sgd_at_2']:.1%}"),
        ("stackoverflow-non-private", "Sec. 4", "text", f"at eps = 8 nu-DP-FTRL has {words['nu_at_8']:.1%}, a mere {100 * words['below_non_private_at_8']:g} point off the non-private baseline"),
    )  # fmt: skip
    for id, location, kind, statement in sentences:
        data, rest = (
            ("CIFAR-10", "the analogue (digits) is another data set and another model")
            if id.startswith("cifar")
            else ("StackOverflow", "a stand-in needs a model with dynamics of its own")
        )
        yield untestable(
            id=id, artefact="fig04a", location=location, kind=kind, source="paper",
            statement=statement,
            why="out of reach", because=f"{data} at this scale cannot be trained here; {rest}",
        )  # fmt: skip
