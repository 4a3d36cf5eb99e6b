"""`make figures`: run the papers' experiments and draw all their figures on one page.

What was run already is not run again, so that a run that is broken off goes on where it was: delete the folder after a
change to the program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import equivalence_experiments, experiments, monotonic_experiments, update_experiments
from benchmarks.figures.equivalence import EquivalenceFigures
from benchmarks.figures.figure import Claim, Paper, PaperFigure
from benchmarks.figures.m_distinct import MDistinctFigures
from benchmarks.figures.m_invariance import MInvarianceFigures
from benchmarks.figures.monotonic import MonotonicFigures
from benchmarks.figures.worked_tables import WORKED
from reports.html import render_page
from reports.page import PageTable, Paragraph, Section

VERDICTS = ("agrees", "differs", "cannot be told")


@dataclass(frozen=True)
class Experiments:
    """The experiments of a paper: what runs them, what it writes, and what draws it.

    Attributes:
        paper: a short name of the paper.
        title: its name.
        module: runs them.
        file: what it writes.
        settings: the full sizes and the quick ones.
        read: makes figures of what it wrote.
    """

    paper: str
    title: str
    module: str
    file: str
    settings: tuple[Any, Any]
    read: Callable[[dict[str, Any], Any], Any]

    def run(self, folder: Path, *, quick: bool) -> None:
        """Run what is missing.

        Raises:
            CalledProcessError: it failed.
        """
        command = [sys.executable, "-m", self.module, "--out", str(folder), *(["--quick"] if quick else [])]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def drawn(self, folder: Path, *, quick: bool) -> Paper:
        """Return the paper's tables and figures."""
        setting = self.settings[quick]
        document = json.loads((folder / self.file).read_text(encoding="utf-8"))
        worked = [found for each in WORKED if each.paper == self.paper and (found := each.figure()) is not None]
        told = f"Simulated people; {document['machine']['cpu']}. Sizes: " + ", ".join(
            f"{name} {value}" for name, value in document["setting"].items()
        )
        return Paper(self.title, f"{told}.", [*worked, *self.read(document, setting).figures()])


PAPERS = {
    each.paper: each
    for each in (
        Experiments(
            "m-invariance",
            "m-Invariance (Xiao and Tao, SIGMOD 2007)",
            "benchmarks.experiments",
            "experiments.json",
            (experiments.Setting(), experiments.QUICK),
            MInvarianceFigures.of,
        ),
        Experiments(
            "m-Distinct",
            "Challenging more updates: m-Distinct (Li and Zhou)",
            "benchmarks.update_experiments",
            "updates.json",
            (update_experiments.Setting(), update_experiments.QUICK),
            MDistinctFigures.of,
        ),
        Experiments(
            "equivalence",
            "Preventing equivalence attacks in updated, anonymized data",
            "benchmarks.equivalence_experiments",
            "equivalence.json",
            (equivalence_experiments.Setting(), equivalence_experiments.QUICK),
            EquivalenceFigures.of,
        ),
        Experiments(
            "monotonic",
            "Maintaining k-anonymity against incremental updates (Pei and others)",
            "benchmarks.monotonic_experiments",
            "monotonic.json",
            (monotonic_experiments.Setting(), monotonic_experiments.QUICK),
            MonotonicFigures.of,
        ),
    )
}


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes and less: five minutes, not hours")
    parser.add_argument("--output", type=Path, default=Path("build/figures"), help="default: %(default)s")
    parser.add_argument(
        "--papers", nargs="+", choices=PAPERS, default=list(PAPERS), metavar="PAPER", help=", ".join(PAPERS)
    )
    arguments = parser.parse_args(words)
    folder = arguments.output / ("quick" if arguments.quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for name in arguments.papers:
        PAPERS[name].run(folder, quick=arguments.quick)
        drawn.append(PAPERS[name].drawn(folder, quick=arguments.quick))
    page = folder / "index.html"
    page.write_text(as_page(drawn, quick=arguments.quick), encoding="utf-8")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in counted(drawn))
    print(f"Wrote {page}: {counts}.")
    return 0


def counted(papers: Iterable[Paper]) -> list[tuple[str, int]]:
    """Return how many claims end how."""
    verdicts = [claim.verdict for paper in papers for figure in paper.figures for claim in figure.claims]
    return [(verdict, verdicts.count(verdict)) for verdict in VERDICTS]


def as_page(papers: Sequence[Paper], *, quick: bool) -> str:
    """Return the page: where this program and the papers agree and where not, then all figures."""
    title = "The papers' figures, made again"
    return render_page(
        "sections.html.j2",
        title=f"{title} (quick)" if quick else title,
        mark="Simulated people: nobody is named.",
        sheet="series-audit",
        inside=False,
        sections=[_summary(papers, quick=quick), *map(_section, papers)],
    )


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


if __name__ == "__main__":
    sys.exit(main())
