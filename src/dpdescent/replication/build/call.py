"""One call of Snakemake, from before its first job to its last line: what is refused, and what is said.

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
from dpdescent.replication.configuration.project import Project

# What Snakemake's log says of Ctrl-C, and of a request to terminate, which lets running jobs end.
ASKED = ("Terminating processes on user request", "Will exit after finishing currently running jobs (scheduler)")

# Snakemake's own.
LOCKS, LOGGER = ".snakemake/locks", "snakemake.logging"


class Call:
    """A call of Snakemake on the project.

    Args:
        workflow: Snakemake's own object.
        project: what is built.
        begun: the file that says that a build has begun in this checkout.
        reference: folder of the results that came with the checkout.
        results, build: folders of the scale.
    """

    def __init__(self, workflow: Any, project: Project, begun: str, reference: str, results: str, build: str) -> None:
        self.workflow, self.project = workflow, project
        self.begun, self.reference = begun, reference
        self.ended_badly = False
        self.results, self.build = results, build
        # Of a workflow that has this one as a module Snakemake runs no other handler than its own.
        self.is_module = not workflow.modifier.is_main_snakefile()
        self.train = workflow.modifier.modify_rulename("train")

    def check(self, files: Sequence[str]) -> None:
        """Ends the call with one line if a target is wrong, or if it would unlock a running build.

        Where a workflow has this one as a module, its call and its targets are its own matter, and what is asked of
        this one is looked at when it is planned.

        Args:
            files: those worth suggesting in place of a wrong one.
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
        known = self.known_targets(files)
        # Snakemake hands its targets to the workflow after the Snakefile is read. Its parser takes a third of a second,
        # which a call is spared that has no doubtful word.
        words = [word for word in sys.argv[1:] if not word.startswith("-") and not word.isdecimal() and "=" not in word]
        if preflight.no_target(words, known) or preflight.not_begun(words, known, self.begun):
            from snakemake import cli  # type: ignore[import-untyped]

            asked = cli.get_argument_parser().parse_known_args(sys.argv[1:])[0].targets
            if line := preflight.no_target(asked, known) or preflight.not_begun(asked, known, self.begun):
                sys.exit(line)
        atexit.register(self.tell_verdicts)
        atexit.register(self._explain_lock)
        # First of these, because Snakemake goes back to where it was called from before it ends.
        atexit.register(os.chdir, os.getcwd())

    def _look_once_planned(self) -> None:
        """Has results that git restored made again, and ends the call if it needs what nobody has written.

        Which files a call needs is known when Snakemake has planned it: damage to others is not its matter, and a dry
        run needs none.
        """
        plan = self.workflow._build_dag

        def planned() -> None:
            damage, restored = self._not_as_written()
            # As `--forcerun` would.
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
        """Files that are not what was written: those that nobody has written, and those that git has so.

        None before a build has begun here, because none counts as made then, and while another build runs, because it
        replaces them and this call ends at its lock.
        """
        if not os.path.exists(self.begun) or (os.path.isdir(LOCKS) and os.listdir(LOCKS) and preflight.builds_here()):
            return {}, set()
        papers = self.project.papers.values()
        artefacts = [each for paper in papers for each in (paper.artefacts | paper.on_request).values()]
        build = Path(self.build)
        packs = {
            build / f"packs/{each.item}/{pack.name}.csv": build / f"parts/{each.item}"
            for each in artefacts
            for pack in each.packs
        }
        return integrity.looked_at(Path(self.results), build, packs)

    def known_targets(self, files: Sequence[str]) -> preflight.Targets:
        """What can be asked for, by the rules that were read."""
        rules = list(self.workflow.rules)
        names = [rule.name for rule in rules if not rule.has_wildcards()]
        stages = [rule.name for rule in rules if rule.has_wildcards()]

        def makes(file: str) -> bool:
            return any(rule.is_producer(file) for rule in rules)

        return preflight.Targets(names, stages, files, makes, list(self.project.papers), self.project.scale)

    def _explain_lock(self) -> None:
        """The last line of a call that met another's lock: Snakemake's own lock is gone by then."""
        persistence = self.workflow._persistence
        if os.path.isdir(LOCKS) and persistence is not None and persistence.locked:
            print(preflight.locked(preflight.builds_here()), file=sys.stderr)

    def start(self) -> None:
        """Before the first job, not after hours: room on the disk, training that is forced, a user's own data."""
        if line := preflight.read_only([self.results, self.build], self.workflow.main_snakefile):
            self._end(line)
        copied = 0 if os.path.isdir(self.reference) else preflight.size(self.results)
        if line := preflight.no_room(len(self.workflow.dag), copied, [self.results, self.build, ".snakemake"]):
            self._end(line)
        # A pack's job spares parts that are as they were, so forcing the job alone would train nothing.
        if self.train in self.workflow.dag_settings.forcerun or self.workflow.dag_settings.forceall:
            store.forget(Path(self.build) / "parts")
        datasets = [dataset for paper in self.project.papers.values() for dataset in paper.datasets.values()]
        if own := sorted({dataset["source"] for dataset in datasets if dataset["source"].endswith(".csv")}):
            print(own_data.pipeline_notice(own), flush=True)
        if not self.is_module:
            self._tell_time_left()

    def _tell_time_left(self) -> None:
        """Tells how long the build will take, now and as it goes, where an earlier one recorded its CPU times."""
        file, rows, same_scale = time_left.recorded(self.project.scale, [self.results, self.reference])
        if not rows:
            return
        costs, cores = time_left.Costs(rows, self.project), self.workflow.cores

        def undone() -> list[float]:
            jobs = self.workflow.dag.needrun_jobs()
            return [costs.of(job.rule.name, str(next(iter(job.wildcards), ""))) for job in jobs]

        seconds = time_left.left(undone(), 0.0, 0.0, cores)
        if same_scale and seconds > time_left.SECONDS:
            print(f"About {time_left.minutes(seconds)} on {cores} cores, by the CPU times of {file}", flush=True)
        told = partial(print, flush=True)
        logging.getLogger(LOGGER).addHandler(time_left.Teller(undone, cores, same_scale, tell=told))

    def finish(self) -> None:
        """What was asked for and where it lies; after a full build, how it compares with what came along."""
        rules = {rule.name: rule for rule in self.workflow.rules}
        for target in sorted(self.workflow.dag_settings.targets):
            files = [str(file) for file in rules[target].input] if target in rules else [target]
            # Where it lies in the results, because a page by itself is named in the last line.
            files = [file for file in files if file != self.begun and not file.startswith(f"{self.build}/pages/")]
            print(f"{target}: {', '.join(files) if len(files) < 4 else os.path.commonpath(files)}", flush=True)
            if (claims := self._claims(target)) is not None and not self._judged(*claims):
                whole = self._whole(claims[0])
                print(f"Its claims are judged with all of the paper's, from all of its tables: {whole}")
        if os.path.exists(f"{self.results}/MANIFEST.sha256"):
            from dpdescent.replication.build import compare

            print(compare.told(self.results, self.reference, self.build), flush=True)

    def tell_verdicts(self) -> None:
        """The last lines: verdicts on the claims that were asked for, and where to look at it all.

        They come also where there was nothing to be done.
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
        """The last line of a build that did not end well; Snakemake's own stand between it and the failed job's."""
        self.ended_badly = True
        by_user = any(words in Path(log).read_text(encoding="utf-8") for log in logs for words in ASKED)
        why = "Interrupted" if by_user else "Not finished. The log of the failed job is printed above"
        line = f"{why}; logs are in {self.build}/logs. What is made is kept: run the same command to resume."
        atexit.register(print, line, file=sys.stderr)


def is_newest(file: Path, others: Sequence[Path]) -> bool:
    """Whether a file is there, and all others are there and no newer."""
    if not all(path.is_file() for path in (file, *others)):
        return False
    return all(other.stat().st_mtime <= file.stat().st_mtime for other in others)


def verdict(row: dict[str, str]) -> str:
    """A claim in one line."""
    measured = f"{float(row['measured']):.4g}" if row["measured"] else "not measured"
    return f"  {row['verdict']:<14} {row['claim']}: {row['quantity']} = {measured}; criterion: {row['criterion']}"
