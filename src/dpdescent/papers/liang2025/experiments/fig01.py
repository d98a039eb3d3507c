"""Figure 1: the causal diagram of the instrumental-variable model, as a list of arrows."""

from collections.abc import Iterator

from dpdescent.papers.liang2025.design import Row, Spec

# Source, target, label and value; 1 is an arrow of the diagram, 0 one that the exclusion restriction rules out.
ARROWS = [
    ("z", "x", "relevance", 1.0),
    ("x", "y", "causal effect", 1.0),
    ("u", "x", "", 1.0),
    ("u", "y", "", 1.0),
    ("z", "y", "exclusion: no direct path", 0.0),
]


def run(spec: Spec) -> Iterator[Row]:
    """Yields one row for each arrow."""
    for source, target, label, value in ARROWS:
        yield {"source": source, "target": target, "label": label, "series": "arrow", "trial": 0, "value": value}
