"""Several rows of one person in a release: how often that happens, what is said of it, and what it leaves undecided."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audit.io.adjustments import adjusted_names, read_adjusted, respelled
from audit.io.diagnostics import is_there
from audit.io.manifest import EPISODES, LATEST, ReleaseFiles
from audit.io.series import Series
from audit.io.tables import Table, read_table
from audit.model.doubt import Doubt
from audit.model.errors import Problems
from audit.model.report import ReportWarning
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind


def several_rows_doubts(series: Series) -> Iterator[Doubt]:
    """Yield why nothing that is said of people holds; nothing where each person has one row in every release."""
    if series.manifest.columns.rows is None or repeated(series) == (0, 0):
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
    people, further = repeated(series) or (0, 0)
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


def repeated(series: Series) -> tuple[int, int] | None:
    """Return how often a person has several rows in one release, and how many these are beyond one each.

    None where nothing says whose rows some release has.
    """
    people = further = 0
    for files in series.manifest.releases:
        table = _identifiers(series, files)
        if table is None:
            return None
        coded = table.coded("individual")
        times = np.bincount(coded.codes, minlength=coded.size)
        times = times[[coded.name(code) != "" for code in range(coded.size)]]
        people, further = people + int((times > 1).sum()), further + int(np.maximum(times - 1, 0).sum())
    return people, further


def _identifiers(series: Series, files: ReleaseFiles) -> Table | None:
    """Return whose rows a release has, as a column `individual`; None where neither a key nor a column says it."""
    problems, path, column = Problems(), series.key_path(files), series.manifest.columns.individual
    if is_there(path):
        key = read_table(path, series.manifest.shown(path), ["individual"], problems)
        return None if key is None else respelled(key, series.notation)
    adjustments = series.adjustments(files.tag)
    if column is None or column not in (adjusted_names(files.rows, files.shown, adjustments, problems) or ()):
        return None
    table = read_adjusted(files.rows, files.shown, [column], adjustments, problems)
    return None if table is None else table.renamed({column: "individual"})
