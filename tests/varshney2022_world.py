"""varshney2022's committed tables, which tests share, edit copies of, and leave as they are."""

import functools
import json
from pathlib import Path

from dpdescent.replication.configuration import project
from dpdescent.replication.configuration.project import Project
from dpdescent.replication.judging.evidence import Evidence

ROOT = Path(__file__).parents[1]
PAPER = "varshney2022"


@functools.cache
def printed() -> Project:
    return project.load({"scale": "paper", "seed": 2022, "papers": [PAPER]}, ROOT)


@functools.cache
def committed() -> Evidence:
    spec = json.loads(project.judging_json(printed(), PAPER))
    return Evidence.read(spec, ROOT / f"results/paper/{PAPER}")
