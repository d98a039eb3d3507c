"""Content of the calculator's page: its numbers, the Python twin of each, and the table of Poisson batches."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpdescent.replication.build.files import read_rows

LENGTH, COVERAGE, LIMIT = (
    "algorithms.gaussian_law.EstimatesLaw.expected_length", "algorithms.gaussian_law.coverages",
    "theory.regression.suboptimality of choquettechoo2023",
)  # fmt: skip

# Rows of the page: the key in calculator.js, the words, and the Python twin.
ROWS = {
    "noise": (
        ("sensitivity", "sensitivity of a step's mean gradient", "privacy.clipping.mean_sensitivity"),
        ("noise_sd", "noise sd of a step", "privacy.zcdp.gaussian_noise_sd"),
        ("noise_multiplier", "noise multiplier: noise sd over sensitivity", "sqrt(T / (2 rho))"),
        ("rho", "ρ of zCDP, all steps", "privacy.accounting.tight_rho"),
        ("mu", "μ of Gaussian-DP, all steps", "privacy.zcdp.gaussian_dp_mu"),
        ("epsilon", "ε at δ, exact", "privacy.accounting.tight_epsilon"),
        ("epsilon_by_formula", "ε at δ by ρ + 2 sqrt(ρ log(1/δ)), as papers convert", "privacy.zcdp.epsilon"),
    ),
    "formulas": (
        ("noise_sd", "exact", "privacy.zcdp.gaussian_noise_sd"),
        (
            "noise_by_formula", "as brown2024 and choquettechoo2023: ρ + 2 sqrt(ρ log(1/δ))",
            "privacy.zcdp.rho_of_epsilon",
        ),
        (
            "noise_by_proposition", "Prop. 3.1 of liang2025: sqrt(T/ρ) times the sensitivity, at the exact ρ",
            "theory.prescriptions.noise_scale of liang2025",
        ),
        (
            "noise_by_theorem", "Theorem 3.6 of varshney2022: sqrt(8 log(1/δ))/ε for one release, times sqrt(T)",
            "theory.privacy of varshney2022",
        ),
    ),
    "lengths": (
        ("length_short", "length in the direction of the largest eigenvalue", LENGTH),
        ("coverage_short", "share of runs in which it covers", COVERAGE),
        ("length_long", "length in the direction of the smallest eigenvalue", LENGTH),
        ("coverage_long", "share of runs in which it covers", COVERAGE),
    ),
    "limits": (
        ("limit_correlated", "ν-DP-FTRL, ν = η times the smallest eigenvalue", LIMIT),
        ("limit_independent", "independent noise", LIMIT),
    ),
    "batches": (
        ("multiplier_disjoint", "disjoint batches, one pass", "sqrt(1 / (2 rho))"),
        ("sd_disjoint", "its noise sd on a batch's mean", "privacy.zcdp.gaussian_noise_sd"),
        ("multiplier_shuffled", "all n one by one in secret order, one replaced", "privacy.shuffling.noise_multiplier"),
        ("sd_shuffled", "its noise sd on a record's gradient", "2 gamma times it"),
        ("multiplier_poisson", "T Poisson batches of b on average, one added or removed", "privacy.sampling.epsilon"),
        ("sd_poisson", "its noise sd on the sum over b", "gamma / b times it"),
    ),
}  # fmt: skip


def view(files: Iterable[Path]) -> dict[str, Any]:
    """Data of the page; without `samplers.csv` among the files the table of Poisson batches is empty."""
    rows = [row for file in files if file.name == "samplers.csv" for row in read_rows(file)]
    sampled: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in rows:
        sampled.setdefault((row["rate"], row["steps"], row["delta"]), {})[row["multiplier"]] = row["epsilon"]
    return {
        **ROWS, "sampled": sampled.items(), "multipliers": list(dict.fromkeys(row["multiplier"] for row in rows)),
        "table": [[float(value) for value in row.values()] for row in rows],
    }  # fmt: skip
