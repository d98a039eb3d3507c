"""Public names and their modules; `__init__` loads them by this table, `__init__.pyi` declares them for type checks."""

import importlib
from typing import Any

NAMES = {
    # Algorithms.
    "dp_gd": "dpdescent.estimators.dp_gd:dp_gd",
    "dp_2s_gd": "dpdescent.estimators.dp_2s_gd:dp_2s_gd",
    "dp_iv_gd": "dpdescent.estimators.dp_iv_gd:dp_iv_gd",
    "dp_regression": "dpdescent.estimators.dp_regression:dp_regression",
    "preconditioned_dp_gd": "dpdescent.estimators.preconditioned_dp_gd:preconditioned_dp_gd",
    "dp_ftrl": "dpdescent.estimators.dp_ftrl:dp_ftrl",
    "dp_ambssgd": "dpdescent.estimators.dp_ambssgd:dp_ambssgd",
    "dp_kan": "dpdescent.estimators.dp_kan:dp_kan",
    "Run": "dpdescent.estimators.run:Run",
    "ConvergenceWarning": "dpdescent.mixing:ConvergenceWarning",
    "KAN": "dpdescent.models.kan:KAN",
    "CubicSplines": "dpdescent.models.spline:CubicSplines",
    # Privacy.
    "account": "dpdescent.privacy.account:account",
    "Account": "dpdescent.privacy.account:Account",
    "Mechanism": "dpdescent.privacy.events:Mechanism",
    "tight_epsilon": "dpdescent.privacy.accounting:tight_epsilon",
    "tight_rho": "dpdescent.privacy.accounting:tight_rho",
    "secure_generator": "dpdescent.randomness:secure_generator",
    # Noise.
    "Strategy": "dpdescent.noise.strategies.base:Strategy",
    "identity": "dpdescent.noise.strategies.toeplitz:identity",
    "nu_family": "dpdescent.noise.strategies.toeplitz:nu_family",
    "optimal_cc": "dpdescent.noise.strategies.toeplitz:optimal_cc",
    "anti_pgd": "dpdescent.noise.strategies.toeplitz:anti_pgd",
    "damped_anti_pgd": "dpdescent.noise.strategies.toeplitz:damped_anti_pgd",
    "tree_aggregation": "dpdescent.noise.strategies.tree:tree_aggregation",
    "online_honaker": "dpdescent.noise.strategies.tree:online_honaker",
    "stamped": "dpdescent.noise.strategies.stamped:stamped",
    "best_nu": "dpdescent.noise.tuning:best_nu",
    "NoiseStream": "dpdescent.noise.streams:NoiseStream",
    "schedule": "dpdescent.noise.schedule",
    # Audits.
    "Attack": "dpdescent.privacy.audit.attack:Attack",
    "Scores": "dpdescent.privacy.audit.attack:Scores",
    "audit": "dpdescent.privacy.audit.attack:run",
    "epsilon_low": "dpdescent.privacy.audit.bounds:epsilon_low",
    "mu_low": "dpdescent.privacy.audit.bounds:mu_low",
    "rho_low": "dpdescent.privacy.audit.bounds:rho_low",
    # Modules.
    "intervals": "dpdescent.intervals",
}


def load(name: str) -> Any:
    """Returns the public object of this name.

    Raises:
        AttributeError: if there is no such object.
    """
    if name == "__version__":
        # Imported here, because this import takes longer than the rest of the package's own import.
        from importlib.metadata import version

        return version("dpdescent")
    if name not in NAMES:
        raise AttributeError(f"module 'dpdescent' has no attribute {name!r}; docs/library.md lists its public names")
    module, _, attribute = NAMES[name].partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded
