"""Several rows of one person in a release: how often that happens, what is said of it, and what it leaves undecided."""

from __future__ import annotations

from collections.abc import Iterator

from audit.io.manifest import EPISODES, LATEST
from audit.io.series import Series
from audit.model.doubt import Doubt
from audit.model.report import ReportWarning
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind


def several_rows_doubts(series: Series) -> Iterator[Doubt]:
    """Yield why nothing that is said of people holds; nothing where each person has one row in every release."""
    if series.manifest.columns.rows is None or series.repeated_rows == (0, 0):
        return
    what = say(
        "people may have several rows in one release, and what these disclose together is not judged; publish one row "
        "for each person, or show who each row is ([columns] individual) if nobody has several"
    )
    yield Doubt(Reason(what, ReasonKind.NEEDS))


def several_rows_warnings(series: Series) -> Iterator[ReportWarning]:
    """Yield what becomes of several rows of one person, and of how many."""
    columns = series.manifest.columns
    if columns.rows is None:
        return
    people, further = series.repeated_rows or (0, 0)
    if columns.rows == EPISODES:
        what = say(
            "people have several rows: each release and each row is judged by itself, because the manifest "
            'says rows = "episodes". What several rows or releases disclose together about one person is '
            'not judged, and rows that look alike may all belong to one person; with rows = "latest" or '
            '"first" and a date column, one row is judged for each person'
        )
        if people:
            what = say(
                "people have several rows ({count} times in one release): each release and each row is judged"
                ' by itself, because the manifest says rows = "episodes". What several rows or releases '
                "disclose together about one person is not judged, and rows that look alike may all belong to"
                ' one person; with rows = "latest" or "first" and a date column, one row is judged for each '
                "person",
                count=people,
            )
    elif columns.rows == LATEST:
        what = say(
            "the latest row of each person counts as the person's; {count} further rows are judged like those "
            "of people of whom nothing else is known",
            count=further,
        )
    else:
        what = say(
            "the first row of each person counts as the person's; {count} further rows are judged like those "
            "of people of whom nothing else is known",
            count=further,
        )
    yield ReportWarning("duplicates", what)
