"""Checker: read a series release by release and check that it keeps a principle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from audit.io import manifest as manifests
from audit.io.release_reading import read_release
from audit.io.releases import KeyedRelease
from audit.io.series import Series
from audit.model.anonymizer import Promise
from audit.model.errors import UsageError
from audit.principles.principle import SHOWN, BrokenClause, Principle, PrincipleViolation, promise_of


@dataclass(frozen=True)
class Verdict:
    """Whether a series keeps a promise.

    Attributes:
        promise: the principle and its parameters.
        rows: rows of all releases together.
        broken: number of offences by clause; empty if the promise is kept or undecided.
        first: the first offences, in the order of releases and of their rows; at most `SHOWN`.
        undecided: why the check cannot decide whether the promise is kept; None if it decided.
    """

    promise: Promise
    rows: int
    broken: Mapping[str, int]
    first: tuple[PrincipleViolation, ...]
    undecided: str | None = None

    @property
    def holds(self) -> bool:
        """Whether the check proved that the promise is kept."""
        return not self.broken and self.undecided is None

    @property
    def offences(self) -> int:
        """Number of offences against all clauses."""
        return sum(self.broken.values())


def checked(principle: Principle, series: Series) -> Verdict:
    """Return whether a series keeps a principle; read one release at a time.

    Raises:
        UsageError: the series lacks what the principle needs.
        InputError: a release, or its key, is faulty or missing.
    """
    require(principle, series)
    check = principle.start(series)
    rows, broken, first, doubts = 0, Counter[str](), list[PrincipleViolation](), list[BrokenClause]()
    for position in range(len(series.tags)):
        release = read(principle, series, position)
        rows += release.rows
        found = check.add(release)
        doubts += [breach for breach in found if not breach.decided]
        found = [breach for breach in found if breach.decided]
        for breach in found:
            broken[breach.clause] += breach.total
        offences = [offence for breach in found for offence in breach.first]
        # In the order of rows; offences without a row come first.
        first += sorted(offences, key=lambda offence: -1 if offence.row is None else offence.row)
    undecided = str(doubts[0]) if doubts and not broken else None
    return Verdict(promise_of(principle), rows, dict(broken), tuple(first[:SHOWN]), undecided)


def require(principle: Principle, series: Series) -> None:
    """Refuse a series that lacks what a principle needs.

    Raises:
        UsageError: the manifest names no quasi-identifiers, no groups, or nothing that links the releases.
        InputError: only some releases have a key.
    """
    needs, columns = principle.needs, series.manifest.columns
    if needs.cells == "required" and not columns.quasi_identifiers:
        raise UsageError(f"{manifests.NAME}: {principle.name} needs [columns] quasi_identifiers; add them")
    if needs.cells != "ignored" and not columns.quasi_identifiers and columns.group is None:
        raise UsageError(f"{manifests.NAME}: {principle.name} needs [columns] quasi_identifiers or group; add them")
    if needs.key != "ignored":
        series.check_keys()
    if needs.key == "required" and not series.keyed and not (needs.record and columns.record):
        what = "[columns] individual, or a key file for each release" + ", or [columns] record" * needs.record
        raise UsageError(f"{manifests.NAME}: {principle.name} needs {what}; add it")


def read(principle: Principle, series: Series, position: int) -> KeyedRelease:
    """Return a release with the columns that a principle needs.

    Raises:
        InputError: the release is faulty.
    """
    needs, columns = principle.needs, series.manifest.columns
    cells = columns.quasi_identifiers if needs.cells != "ignored" else ()
    records = needs.record and columns.record is not None and not series.keyed
    return read_release(series, position, cells, key=needs.key != "ignored", records=records)
