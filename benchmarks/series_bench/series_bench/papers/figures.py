"""The figures of the papers: run their experiments, and draw all figures on one page.

Completed runs are not repeated, so an interrupted run continues: delete the folder after a change of the program.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from reports import html
from reports.page import Page, PageTable, Paragraph, Section
from series_bench.files import write_text
from series_bench.papers.equivalence import experiments as equivalence
from series_bench.papers.equivalence.figures import EquivalenceFigures
from series_bench.papers.experiment import Experiment
from series_bench.papers.figure import Claim, Paper, PaperFigure
from series_bench.papers.m_distinct import experiments as m_distinct
from series_bench.papers.m_distinct.figures import MDistinctFigures
from series_bench.papers.m_invariance import experiments as m_invariance
from series_bench.papers.m_invariance.figures import MInvarianceFigures
from series_bench.papers.monotonic import experiments as monotonic
from series_bench.papers.monotonic.figures import MonotonicFigures
from series_bench.papers.worked_tables import WORKED

VERDICTS = ("agrees", "differs", "cannot be told")


@dataclass(frozen=True)
class Experiments:
    """The experiments of a paper: what runs them, what it writes, and what draws it.

    Attributes:
        paper: a short name of the paper.
        title: its name.
        module: runs them, and has their sizes.
        file: what it writes.
        read: makes figures of what it wrote.
    """

    paper: str
    title: str
    module: ModuleType
    file: str
    read: Callable[[dict[str, Any], Any], Any]

    def setting(self, *, quick: bool) -> Any:  # noqa: ANN401 - of its own type for each paper
        """Return the sizes."""
        return self.module.QUICK if quick else self.module.FULL

    def run(self, folder: Path, population: Path | None, *, quick: bool) -> None:
        """Run what is missing.

        Raises:
            BenchmarkError: a command failed.
        """
        self.module.experiment(Experiment.begun(folder / self.file, self.setting(quick=quick), population))

    def drawn(self, folder: Path, *, quick: bool) -> Paper:
        """Return the paper's tables and figures."""
        setting = self.setting(quick=quick)
        document = json.loads((folder / self.file).read_text(encoding="utf-8"))
        worked = [each.figure() for each in WORKED if each.paper == self.paper]
        told = f"People: {document['population']}; {document['machine']['cpu']}. Sizes: " + ", ".join(
            f"{name} {value}" for name, value in document["setting"].items()
        )
        return Paper(self.title, f"{told}.", [*worked, *self.read(document, setting).figures()])


EXPERIMENTS = {
    each.paper: each
    for each in (
        Experiments(
            "m-invariance",
            "m-Invariance (Xiao and Tao, SIGMOD 2007)",
            m_invariance,
            "experiments.json",
            MInvarianceFigures.of,
        ),
        Experiments(
            "m-Distinct",
            "Challenging more updates: m-Distinct (Li and Zhou)",
            m_distinct,
            "updates.json",
            MDistinctFigures.of,
        ),
        Experiments(
            "equivalence",
            "Preventing equivalence attacks in updated, anonymized data",
            equivalence,
            "equivalence.json",
            EquivalenceFigures.of,
        ),
        Experiments(
            "monotonic",
            "Maintaining k-anonymity against incremental updates (Pei and others)",
            monotonic,
            "monotonic.json",
            MonotonicFigures.of,
        ),
    )
}


def draw(papers: Sequence[str], output: Path, population: Path | None, *, quick: bool) -> None:
    """Run what is missing of some papers' experiments, and write the page.

    Raises:
        BenchmarkError: experiments failed.
    """
    folder = output / ("quick" if quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for name in papers:
        EXPERIMENTS[name].run(folder, population, quick=quick)
        drawn.append(EXPERIMENTS[name].drawn(folder, quick=quick))
    page = folder / "index.html"
    write_text(page, as_page(drawn, quick=quick))
    counts = ", ".join(f"{count} {verdict}" for verdict, count in counted(drawn))
    print(f"Wrote {page}: {counts}.")


def counted(papers: Iterable[Paper]) -> list[tuple[str, int]]:
    """Return the number of claims by verdict."""
    verdicts = [claim.verdict for paper in papers for figure in paper.figures for claim in figure.claims]
    return [(verdict, verdicts.count(verdict)) for verdict in VERDICTS]


def as_page(papers: Sequence[Paper], *, quick: bool) -> str:
    """Return the page: where this program and the papers agree and disagree, then all figures."""
    title = f"The papers' figures, made again{' (quick)' if quick else ''}"
    sections = [_summary(papers, quick=quick), *map(_section, papers)]
    mark = "Simulated people: nobody is named."
    return html.drawn(Page(title, inside=False, mark=mark, sheet="series-audit", head=[], sections=sections))


def _summary(papers: Sequence[Paper], *, quick: bool) -> Section:
    rows = [[paper.name, *(str(count) for _, count in counted([paper]))] for paper in papers]
    differing = [
        [f"{paper.name.partition(' (')[0]}, {figure.name}", claim.said, claim.reason]
        for paper, figure, claim in _claims(papers)
        if claim.holds is False
    ]
    told = (
        "Figures depend on their population, and the papers' are not public or not shipped: they can be compared in "
        "shape, not in value. What a paper says of a figure is held against what was found here."
    )
    warning = (
        "The sizes are a tenth and less: small batches of new rows need far more counterfeits, and seconds say nothing."
    )
    return Section(
        "Where they agree, and where not",
        [
            Paragraph(told),
            *([Paragraph(warning, strong=True)] if quick else []),
            PageTable(["paper", *VERDICTS], rows),
            *(
                [PageTable(["figure", "the paper says", "likely reason"], differing, words=3, caption="What differs")]
                if differing
                else []
            ),
        ],
    )


def _claims(papers: Iterable[Paper]) -> Iterator[tuple[Paper, PaperFigure, Claim]]:
    for paper in papers:
        for figure in paper.figures:
            for claim in figure.claims:
                yield paper, figure, claim


def _section(paper: Paper) -> Section:
    return Section(
        paper.name, [Paragraph(paper.setting, soft=True), *(block for each in paper.figures for block in each.blocks())]
    )
