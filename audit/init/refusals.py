"""Refusals: what reading refuses of the files that a manifest names, and what an audit judges, by the reader itself."""

from __future__ import annotations

from pathlib import Path

from audit.adversary.view import build_evidence, choose
from audit.io.background_knowledge import read_register
from audit.io.microdata import NAME, open_microdata
from audit.io.releases import IdentifierEncoder
from audit.io.roles import MOST_ROWS, check_keys_are_read
from audit.io.rules.rows_and_values import EPISODES, SeveralRows
from audit.io.series import open_series
from audit.model.adversary import ADVERSARIES
from audit.model.errors import InputError
from audit.runtime.phrases import say


def refused(manifest: Path) -> list[str]:
    """Return why an audit refuses a series about people, or methods refuse microdata; none of a large series."""
    try:
        if manifest.name == NAME:
            microdata, people = open_microdata(manifest), IdentifierEncoder()
            microdata.check_spelling(microdata.read_all(people), people)
            return []
        series = open_series(manifest)
        check_keys_are_read(series.manifest)
        choose(series, None)
        if series.about_rows <= MOST_ROWS:
            build_evidence(series, records=True, follow=True)
            if series.manifest.register is not None:  # which an audit does not need beside a key
                read_register(series)
    except InputError as error:
        if manifest.name == NAME:
            return [say("Methods refuse this: {problem}.", problem=each) for each in error.problems]
        return [say("Nothing yet: an audit refuses these files: {why}.", why=error.problems[0])]
    return []


def judged(manifest: Path) -> str:
    """Return what an audit of a series about people judges, and what is needed to judge more; or why it refuses it."""
    if found := refused(manifest):
        return found[0]
    series = open_series(manifest)
    adversary = ADVERSARIES[choose(series, None)]
    more = say(
        "To judge what the releases disclose together, add one of: a key (private/<release>.key.csv with "
        "row,individual, rows counted from 0), a register.csv (individual,first,last and the exact quasi-identifiers), "
        "or a published record id."
    )
    if series.columns.rules[SeveralRows].choice == EPISODES:  # beside which no key says more
        more = say(
            'People have several rows in one release (rows = "episodes"), so that each row is judged by itself. To '
            "judge what the releases disclose together, publish one row for each person; or, if a column has the date "
            'of a row, write date = "…" and rows = "latest" or "first".'
        )
    return f"{adversary.sentence}." if adversary.knows_people else f"{adversary.sentence}. {more}"
