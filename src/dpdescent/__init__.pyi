"""The public names of `dpdescent.public`, for type checkers. The package itself imports from modules."""

from dpdescent import intervals as intervals
from dpdescent.estimators.dp_2s_gd import dp_2s_gd as dp_2s_gd
from dpdescent.estimators.dp_ambssgd import dp_ambssgd as dp_ambssgd
from dpdescent.estimators.dp_ftrl import dp_ftrl as dp_ftrl
from dpdescent.estimators.dp_gd import dp_gd as dp_gd
from dpdescent.estimators.dp_iv_gd import dp_iv_gd as dp_iv_gd
from dpdescent.estimators.dp_kan import dp_kan as dp_kan
from dpdescent.estimators.dp_regression import dp_regression as dp_regression
from dpdescent.estimators.preconditioned_dp_gd import preconditioned_dp_gd as preconditioned_dp_gd
from dpdescent.estimators.run import Run as Run
from dpdescent.mixing import ConvergenceWarning as ConvergenceWarning
from dpdescent.models.kan import KAN as KAN
from dpdescent.models.spline import CubicSplines as CubicSplines
from dpdescent.noise import schedule as schedule
from dpdescent.noise.strategies.base import Strategy as Strategy
from dpdescent.noise.strategies.stamped import stamped as stamped
from dpdescent.noise.strategies.toeplitz import anti_pgd as anti_pgd
from dpdescent.noise.strategies.toeplitz import damped_anti_pgd as damped_anti_pgd
from dpdescent.noise.strategies.toeplitz import identity as identity
from dpdescent.noise.strategies.toeplitz import nu_family as nu_family
from dpdescent.noise.strategies.toeplitz import optimal_cc as optimal_cc
from dpdescent.noise.strategies.tree import online_honaker as online_honaker
from dpdescent.noise.strategies.tree import tree_aggregation as tree_aggregation
from dpdescent.noise.streams import NoiseStream as NoiseStream
from dpdescent.noise.tuning import best_nu as best_nu
from dpdescent.privacy.account import Account as Account
from dpdescent.privacy.account import account as account
from dpdescent.privacy.accounting import tight_epsilon as tight_epsilon
from dpdescent.privacy.accounting import tight_rho as tight_rho
from dpdescent.privacy.audit.attack import Attack as Attack
from dpdescent.privacy.audit.attack import Scores as Scores
from dpdescent.privacy.audit.attack import run as _run
from dpdescent.privacy.audit.bounds import epsilon_low as epsilon_low
from dpdescent.privacy.audit.bounds import mu_low as mu_low
from dpdescent.privacy.audit.bounds import rho_low as rho_low
from dpdescent.privacy.events import Mechanism as Mechanism
from dpdescent.randomness import secure_generator as secure_generator

audit = _run

__version__: str
