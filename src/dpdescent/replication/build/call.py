"""One call of Snakemake, from before its first job to its last line: which calls are refused, which lines are printed.

Nothing here imports numpy while the Snakefile is read, because Snakemake's start would pay for it.
"""

import atexit
import logging
import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from dpdescent.commands import own_data, printing
from dpdescent.replication.build import integrity, landing_page, preflight, store, time_left
from dpdescent.replication.build.files import is_damaged, read_rows
from dpdescent.replication.configuration import choices
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.project import Project

# Words of Snakemake's log about Ctrl-C, and about a request to terminate, which lets running jobs end.
INTERRUPTIONS = (
    "Terminating processes on user request",
    "Will exit after finishing currently running jobs (scheduler)",
)

# Snakemake's folder of locks, and the name of its logger.
LOCKS, LOGGER = ".snakemake/locks", "snakemake.logging"


class Call:
    """A call of Snakemake on the project.

    Args:
        workflow: Snakemake's own object.
        project: the configured project.
        begun: the file that says that a build has begun in this checkout.
        reference: folder of the results that came with the checkout.
        results, build: folders of the scale.
    """

    def __init__(self, workflow: Any, project: Project, begun: str, reference: str, results: str, build: str) -> None:
        self.workflow, self.project = workflow, project
        self.begun, self.reference = begun, reference
        self.ended_badly = False
        self.results, self.build = results, build
        # Where a workflow has this one as a module, Snakemake runs the handlers of that workflow alone.
        self.is_module = not workflow.modifier.is_main_snakefile()
        self.train = workflow.modifier.modify_rulename("train")

    def check(self, files: Sequence[str]) -> None:
        """Ends the call with one line if a target is wrong, or if it would unlock a running build.

        Where a workflow has this one as a module, call and targets are the matter of that workflow; the files that it
        needs from this one are checked when Snakemake has planned the jobs.

        Args:
            files: names of files that are worth suggesting in place of a wrong target.
        """
        if not self.workflow.is_main_process or Path(sys.argv[0]).name not in ("snakemake", "__main__.py"):
            return
        printing.take_any_character()
        if line := preflight.read_only([LOCKS], self.workflow.main_snakefile):
            sys.exit(line)
        self._look_once_planned()
        if self.is_module:
            return
        if "--unlock" in sys.argv and (
            line := preflight.not_unlocked(preflight.builds_here(), preflight.queued_here())
        ):
            sys.exit(line)
        possible = self.known_targets(files)
        # Snakemake hands its targets to the workflow after the Snakefile is read. Its parser takes a third of a second,
        # which a call without a doubtful word is spared.
        words = [word for word in sys.argv[1:] if not word.startswith("-") and not word.isdecimal() and "=" not in word]
        if preflight.no_target(words, possible) or preflight.not_begun(words, possible, self.begun):
            from snakemake import cli  # type: ignore[import-untyped]

            requested = cli.get_argument_parser().parse_known_args(sys.argv[1:])[0].targets
            if line := preflight.no_target(requested, possible) or preflight.not_begun(requested, possible, self.begun):
                sys.exit(line)
        atexit.register(self.print_verdicts)
        atexit.register(self._explain_lock)
        # Registered last and so run first, because Snakemake returns to the folder of the call before it ends.
        atexit.register(os.chdir, os.getcwd())

    def _look_once_planned(self) -> None:
        """Results that git restored are made again, and a call that needs damaged files is ended.

        The files that a call needs are known when Snakemake has planned its jobs: damage to other files is no matter of
        the call, and a dry run needs no files.
        """
        plan = self.workflow._build_dag

        def planned() -> None:
            damage, restored = self._not_as_written()
            # Forced, as by the option `--forcerun`.
            self.workflow.dag.forcefiles.update(map(str, restored))
            plan()
            needed = [str(file) for job in self.workflow.dag.jobs for file in job.output]
            line = integrity.folders(needed) or integrity.line(damage, needed, Path(self.results))
            if line and not self.workflow.dryrun:
                self._end(line)
            if self.is_module and needed and not self.workflow.dryrun:
                self.start()

        self.workflow._build_dag = planned

    def _end(self, line: str) -> NoReturn:
        """Ends the call with this line as its last."""
        self.ended_badly = True
        sys.exit(line)

    def _not_as_written(self) -> tuple[integrity.Damage, set[Path]]:
        """Files that differ from what was written: those that no build wrote, and those whose bytes git has.

        There are none before a build has begun here, because no file counts as made then, and none while another build
        runs, because that build replaces files and this call ends at its lock.
        """
        if not os.path.exists(self.begun) or (os.path.isdir(LOCKS) and os.listdir(LOCKS) and preflight.builds_here()):
            return {}, set()
        papers = self.project.papers.values()
        artefacts = [artefact for paper in papers for artefact in (paper.artefacts | paper.on_request).values()]
        build = Path(self.build)
        packs = {
            build / f"packs/{artefact.item}/{pack.name}.csv": build / f"parts/{artefact.item}"
            for artefact in artefacts
            for pack in artefact.packs
        }
        return integrity.altered(Path(self.results), build, packs)

    def known_targets(self, files: Sequence[str]) -> preflight.Targets:
        """The targets that can be requested, by the rules of the Snakefile."""
        rules = list(self.workflow.rules)
        names = [rule.name for rule in rules if not rule.has_wildcards()]
        stages = [rule.name for rule in rules if rule.has_wildcards()]

        def makes(file: str) -> bool:
            return any(rule.is_producer(file) for rule in rules)

        return preflight.Targets(names, stages, files, makes, list(self.project.papers), self.project.scale)

    def _explain_lock(self) -> None:
        """Prints the last line of a call that met the lock of another call; a lock of its own is gone by then."""
        persistence = self.workflow._persistence
        if os.path.isdir(LOCKS) and persistence is not None and persistence.locked:
            print(preflight.locked(preflight.builds_here()), file=sys.stderr)

    def start(self) -> None:
        """Checks and notices before the first job: room on the disk, training that is forced, a user's own data."""
        if line := preflight.read_only([self.results, self.build], self.workflow.main_snakefile):
            self._end(line)
        copied = 0 if os.path.isdir(self.reference) else preflight.size(self.results)
        if line := preflight.no_room(len(self.workflow.dag), copied, [self.results, self.build, ".snakemake"]):
            self._end(line)
        # A pack's job spares parts that are current, so that forcing the job alone would train nothing.
        if self.train in self.workflow.dag_settings.forcerun or self.workflow.dag_settings.forceall:
            store.forget(Path(self.build) / "parts")
        datasets = [dataset for paper in self.project.papers.values() for dataset in paper.datasets.values()]
        if own := sorted({dataset["source"] for dataset in datasets if dataset["source"].endswith(".csv")}):
            print(own_data.pipeline_notice(own), flush=True)
        if not self.is_module:
            self._print_time_left()

    def _print_time_left(self) -> None:
        """Prints the time that the build will take, now and as it goes, where an earlier build recorded CPU times."""
        file, rows, same_scale = time_left.recorded(self.project.scale, [self.results, self.reference])
        if not rows:
            return
        costs, cores = time_left.Costs(rows, self.project), self.workflow.cores

        def undone() -> list[float]:
            jobs = self.workflow.dag.needrun_jobs()
            return [costs.seconds_of(job.rule.name, str(next(iter(job.wildcards), ""))) for job in jobs]

        seconds = time_left.left(undone(), 0.0, 0.0, cores)
        if same_scale and seconds > time_left.SECONDS:
            print(f"About {time_left.minutes(seconds)} on {cores} cores, by the CPU times of {file}", flush=True)
        print_now = partial(print, flush=True)
        logging.getLogger(LOGGER).addHandler(time_left.TimeLeftPrinter(undone, cores, same_scale, tell=print_now))

    def finish(self) -> None:
        """Prints the requested targets and their files; after a full build, also how it compares with the reference."""
        rules = {rule.name: rule for rule in self.workflow.rules}
        asked, whole = list[str](), False
        for target in sorted(self.workflow.dag_settings.targets):
            files = [str(file) for file in rules[target].input] if target in rules else [target]
            # Files among the results alone, because a page by itself is named in the last line.
            files = [file for file in files if file != self.begun and not file.startswith(f"{self.build}/pages/")]
            print(f"{target}: {', '.join(files) if len(files) < 4 else os.path.commonpath(files)}", flush=True)
            if (claims := self._claims(target)) is not None and not self._judged(*claims):
                again = self._whole(claims[0])
                print(f"Its claims are judged with all of the paper's, from all of its tables: {again}")
            for line in self._values_of_users(target):
                print(line, flush=True)
            made = [os.path.relpath(file, self.results) for file in files if file.startswith(f"{self.results}/")]
            whole |= claims is None or claims[1] == "claims" or not made
            asked += made
        if os.path.exists(f"{self.results}/MANIFEST.sha256"):
            from dpdescent.replication.build import compare

            partial_files = () if whole else asked
            print(compare.closing_lines(self.results, self.reference, self.build, partial_files), flush=True)

    def print_verdicts(self) -> None:
        """Prints the last lines: the verdicts on the requested claims, and the page that shows the results.

        They are printed also where there was nothing to be done.
        """
        settings = self.workflow.dag_settings
        if self.ended_badly or settings is None or self.workflow.dryrun:
            return
        for key, what in filter(None, map(self._claims, sorted(settings.targets))):
            for row in self._judged(key, what):
                print(verdict(row), flush=True)
        # Snakemake makes a scheduler once it knows what is to be done; `--unlock` and a locked call make none.
        if getattr(self.workflow, "scheduler", None) is not None:
            for line in landing_page.lines(self.project, settings.targets):
                print(line, flush=True)

    def _claims(self, target: str) -> tuple[str, str] | None:
        """The paper, and `claims` or one of its artefacts, whose claims a target shows; None for any other target."""
        key, _, what = target.partition("_")
        paper = self.project.papers.get(key)
        return (key, what) if paper and what in ("claims", *paper.artefacts) else None

    def _values_of_users(self, target: str) -> list[str]:
        """Lines on the values of the user's own that an artefact was made with, and what they replaced."""
        key, _, what = target.partition("_")
        if (paper := self.project.papers.get(key)) is None or not paper.yours:
            return []
        rows = choices.with_meanings(choices.rows_of(paper.annotated, self.project.given), {})
        return [
            f"  yours: {row['symbol']} = {row['value']} ({row['reason']})"
            for row in rows
            if row["source"] == conf.YOURS and row["artefact"] == what
        ]

    def _whole(self, key: str) -> str:
        """The command that judges all claims of a paper at this build's scale."""
        scale = self.project.scale
        return f".venv/bin/snakemake {key}_claims" + ("" if scale == "paper" else f" --config scale={scale}")

    def _judged(self, key: str, what: str) -> list[dict[str, str]]:
        """Claims of a paper, or of one of its artefacts; none unless they were judged after the last training."""
        file = Path(self.build) / f"claims/{key}.csv"
        artefacts = self.project.papers[key].artefacts.values()
        packs = [f"packs/{artefact.item}/{pack.name}.csv" for artefact in artefacts for pack in artefact.packs]
        if not is_newest(file, [Path(self.build) / pack for pack in packs]) or is_damaged(file):
            return []
        return [row for row in read_rows(file) if what in ("claims", row["artefact"])]

    def how_to_resume(self, logs: Iterable[str]) -> None:
        """Prints the last line of a build that did not end well, below those of the failed job and of Snakemake."""
        self.ended_badly = True
        by_user = any(words in Path(log).read_text(encoding="utf-8") for log in logs for words in INTERRUPTIONS)
        why = "Interrupted" if by_user else "Not finished. The log of the failed job is printed above"
        line = f"{why}; logs are in {self.build}/logs. What is made is kept: run the same command to resume."
        atexit.register(print, line, file=sys.stderr)


def is_newest(file: Path, others: Sequence[Path]) -> bool:
    """Whether a file exists, and all other files exist and are not newer."""
    if not all(path.is_file() for path in (file, *others)):
        return False
    return all(other.stat().st_mtime <= file.stat().st_mtime for other in others)


def verdict(row: dict[str, str]) -> str:
    """The line of a claim with its verdict."""
    measured = f"{float(row['measured']):.4g}" if row["measured"] else "not measured"
    return f"  {row['verdict']:<14} {row['claim']}: {row['quantity']} = {measured}; criterion: {row['criterion']}"
