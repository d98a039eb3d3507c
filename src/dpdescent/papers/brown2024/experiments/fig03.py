"""Figure 3: fraction of gradients clipped, over dimension and clipping threshold."""

from collections.abc import Iterable, Iterator

from dpdescent.checks import as_list
from dpdescent.papers.brown2024.arms import Setting, side_by_side
from dpdescent.papers.brown2024.design import Row, Spec, sample_of, trial_stream
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every dimension: the fraction of all n T gradients that is clipped, at every threshold.

    Thresholds are compared on the same data and normals.
    """
    for p in as_list(spec["cell"]["p"]):
        settings = settings_of(spec, p)
        for trial in range(*spec["trials"]):
            sample, _ = sample_of(spec, p, settings[0].n, trial)
            normals = trial_stream(spec, p, sample.n, trial, "noise").standard_normal((settings[0].T, p))
            clipped = side_by_side(sample, settings, normals).clipped[0]
            for setting, fraction in zip(settings, clipped, strict=True):
                yield {
                    "p": p, "gamma": setting.gamma, "series": "clip_fraction", "trial": trial, "value": fraction,
                    "n": sample.n,
                }  # fmt: skip


def settings_of(spec: Spec, p: int) -> list[Setting]:
    """Returns the settings of DP-GD at one dimension, one for each threshold."""
    given = spec["arms"]
    common = {"rho": spec["settings"]["rho"], "eta": spec["settings"]["eta"], "T": given["T"]}
    return [Setting(n=p * given["n_over_p"], p=p, gamma=gamma, **common) for gamma in given["gamma"]]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of each dimension and threshold."""
    for p in as_list(spec["cell"]["p"]):
        for setting in settings_of(spec, p):
            name = f"{spec['variant']}: DP-GD p={p} n={setting.n} gamma={setting.gamma:g}"
            yield name, setting.mechanism(), spec["settings"]["dp_delta"]
