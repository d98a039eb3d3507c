"""Estimates on a CSV of your own, one row a record: one private run, its noise, its account, and intervals.

For a linear regression take --method dp-regression: it needs columns and a budget, nothing has to be tuned, and it
prints a table with standard errors. A constant is among the columns. From public knowledge, --scale helps where records
are few, --centre where a column's mean is many times its sd, such as a year, --outcome-range 0 1 where the outcome has
two values. Without that, intervals miss where most outcomes are one value, or where errors are skewed and spread with a
column: docs/regression.md.

--method dp-2s-gd (liang2025) and dp-iv-gd are for instrumental variables, dp-gd (brown2024) is for linear regression
without a constant; the latter two have confidence intervals, take one budget, --rho or --epsilon, and need --clip-norm1
and --clip-norm2, or --clip-norm and --step-size.

Names of columns, and column=number pairs, stand with blanks or commas between them; a name with a comma stands in
double quotes. All that is set is public by your word: choose nothing by looking at the data. Missing values are to be
mended first. A run is a study, not a release, without --release.
"""

import argparse
import csv
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, get_args

from dpdescent.algorithms.dp_regression import Errors
from dpdescent.commands import own_data, printing, two_stage, with_intervals
from dpdescent.renamed import SINCE

EXAMPLE = r"""To try it on drawn records, wages that grow by 1.2 with a year of schooling, and an effect of x on y of 2:

  dpdescent example
  dpdescent estimate wages.csv --method dp-regression --regressors educ,age,female --outcome wage --epsilon 1 --seed 7
  dpdescent estimate instruments.csv --method dp-iv-gd --instruments z1 z2 --regressors x --outcome y \
    --clip-norm1 8 --clip-norm2 12 --epsilon 4 --seed 7
"""
# Present names of options, by the names that they had before.
RENAMED = {
    "--gamma": "--clip-norm", "--gamma1": "--clip-norm1", "--gamma2": "--clip-norm2",
    "--eta": "--step-size (--step-size1 of dp-2s-gd)", "--alpha": "--step-size2",
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Exits with status 2 and the message in one line, without argparse's usage text."""
        self.exit(2, f"Error: {' '.join(message.split())}\n")


class Release(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, _: str | None = None
    ) -> None:
        """Notes that a release is wanted, and refuses words, because the option took one in an earlier version."""
        if values is not None:
            mend = f"--publish {values}" if values in two_stage.RELEASED else f"{values} before all options"
            parser.error(f"--release {values}: it takes no word; give {mend}")
        namespace.release = True


class Renamed(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, _: argparse.Namespace, __: object, option: str | None = None
    ) -> NoReturn:
        """Ends with the present name of the option."""
        parser.error(f"{option} is called {RENAMED[str(option)]} since {SINCE}")


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command `dpdescent estimate`.

    Raises:
        SystemExit: 2, with one line, if an option is missing or wrong, or the file cannot be used.
    """
    parser = _parser(name)
    args = parser.parse_args(arguments)
    try:
        report = _estimate(args)
    except (ValueError, OSError, csv.Error) as error:
        parser.error(str(error))
    printing.tell(report)


def _parser(name: str) -> Parser:
    # Raw, because a command that argparse has wrapped cannot be copied.
    parser = Parser(
        prog=name, description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument("source", help="CSV with a header line")
    for name, what in two_stage.COLUMNS.items():
        parser.add_argument(f"--{name}", nargs=None if name == "outcome" else "+", help=what)
    for name, what in two_stage.CHOICE.items():
        parser.add_argument(own_data.option(name), type=float, help=what)
    parser.add_argument(
        "--method",
        choices=[*with_intervals.METHODS, "dp-2s-gd"],
        default="dp-2s-gd",
        help="the algorithm, dp-regression for a linear regression (dp-2s-gd, which needs instruments)",
    )
    parser.add_argument("--scale", nargs="+", help=with_intervals.SCALE)
    parser.add_argument("--outcome-range", nargs=2, type=float, metavar=("LOW", "HIGH"), help=with_intervals.RANGE)
    parser.add_argument(
        "--no-intercept", action="store_true", default=None, help="of dp-regression: no constant among the columns"
    )
    parser.add_argument(
        "--errors", choices=[*get_args(Errors), "none"],
        help="of dp-regression: standard errors for variances of the errors that are equal, a sandwich (unequal), or "
        "none, which leaves more of the budget to the coefficients",
    )  # fmt: skip
    for name, what in with_intervals.GD_CHOICE.items():
        parser.add_argument(own_data.option(name), type=float, help=f"of dp-gd: {what}")
    parser.add_argument("--rho", type=float, help="of all but dp-2s-gd: the zCDP budget of the run, such as 1")
    parser.add_argument("--epsilon", type=float, help="of all but dp-2s-gd: the budget at --delta, in place of --rho")
    parser.add_argument("--outcome-unit", type=float, help=with_intervals.UNIT)
    parser.add_argument("--instrument-bound", type=float, help=with_intervals.BOUND)
    parser.add_argument("--steps", type=int, help="iterations (20 of both stages of dp-2s-gd, 2020 of dp-gd)")
    parser.add_argument("--delta", type=float, default=1e-6, help="where epsilon is told (1e-6)")
    parser.add_argument(
        "--centre",
        nargs="+",
        default=[],
        help="public constants to subtract, such as z1=0.5 x=2 (dp-regression tells its constant as if none were)",
    )
    parser.add_argument(
        "--publish", choices=list(two_stage.RELEASED), help="of dp-2s-gd: what is to be published (beta)"
    )
    parser.add_argument("--seed", type=int, help=own_data.NOISE)
    parser.add_argument("--secure-noise", action="store_true", help="noise that nobody can repeat, with no seed")
    parser.add_argument("--release", action=Release, nargs="?", default=False, help=own_data.RELEASE)
    for former in RENAMED:
        parser.add_argument(former, action=Renamed, nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--output", default="estimate.json", help="JSON to write (estimate.json)")
    return parser


def _estimate(args: argparse.Namespace) -> str:
    """Runs the method, writes its result to the output file, and returns the report for the terminal."""
    for name in ("instruments", "regressors", "centre", "scale"):
        if words := getattr(args, name):
            setattr(args, name, own_data.names(words))
    args.secure_noise |= args.release
    content = two_stage.estimate(args) if args.method == "dp-2s-gd" else with_intervals.estimate(args)
    _write(json.dumps(content, indent=2, allow_nan=False) + "\n", Path(args.output))
    return own_data.report(content, args.output)


def _write(text: str, target: Path) -> None:
    """Writes a file under a temporary name and renames it, so that nobody ever sees a half-written release."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
