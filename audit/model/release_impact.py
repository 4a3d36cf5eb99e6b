"""Release impact: what would change if one more release were published, as data that formats render.

`Repair` is the result of changing the candidate until nothing new is found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Annotated, ClassVar

from audit.model.count_tables import Rounding
from audit.model.finding import Finding
from audit.model.json_types import INLINED, OMITTED, UNWRITTEN, Less, Omittable, Probability, Status, WrittenAs
from audit.model.report import COUNTS, AttackReport, Contradictions, PolicyReport, Report
from audit.runtime.phrases import Phrase, Reason, ReasonKind

MERGE, MOVE, COARSEN, WITHHOLD, REDRAW = "merge", "move", "coarsen", "withhold", "redraw"
MOVES = (MERGE, MOVE, COARSEN, WITHHOLD, REDRAW)
"""All kinds of changes, as named by `--only`."""


@dataclass(frozen=True)
class Move:
    """One change of a candidate.

    Attributes:
        kind: `merge`, `move`, `coarsen`, `withhold` or `redraw` (new record ids).
        groups: the published names of the groups: those that are merged, the one that a row leaves and the one that it
            enters, or the coarsened ones; none if all are coarsened.
        lines: the lines of the withheld or moved rows in the candidate's file.
        cost: the loss, in units of one row's information.
        column: the coarsened quasi-identifier, or that of the record ids.
        cells: what its cells become if all are coarsened.
    """

    kind: str
    groups: tuple[str, ...]
    lines: tuple[int, ...]
    cost: float
    column: str | None = None
    cells: tuple[str, ...] = ()


CHANGES = Less("repair_entry", ("candidate", "files", "before", "after", "refused", "register", "proved", "stopped"))
"""The changes of a repair that is not written."""


@dataclass(frozen=True)
class Repair:
    """A candidate that keeps the policy, or why there is none.

    Attributes:
        candidate: its tag.
        moves: the changes; empty if the unchanged candidate keeps the policy, or if no repair was found.
        lost: the share of the candidate's information that is lost, in [0, 1].
        files: the written tables; empty without a repair.
        before: the audit of the series so far.
        after: the audit of the series with the repaired candidate; without a repair, with the unchanged candidate.
        audits: the number of candidates that were audited.
        refused: why there is no repair; None if there is one.
        register: the register that was written with it, and belongs into the series; None if none was written.
        proved: whether it is proved that there is no repair.
        withholds_much: whether the repair withholds more than one row in twenty.
        stopped: why the search ended early; None if it did not.
        sums: the number of the candidate's rows that `ignore_rows` leaves out; they are not written.
        bare: whether the candidate was a workbook or the like, whose titles and notes are not in the CSV file written.
        numbered: the columns of the written table that number its rows anew.
        key: the column of the written table that says whose row it is; None if there is none.
        restricted: whether some kinds of changes were not allowed.
        undecided: why the policy is undecided with changes that violate nothing, where the manifest may decide it.
        breaks_promise: the promise of the series that only the repaired candidate breaks; None if it is kept, or if the
            manifest declares none.
    """

    candidate: str
    moves: tuple[Move, ...]
    lost: Annotated[Probability, WrittenAs("information_lost")]
    files: tuple[str, ...]
    before: Report
    after: Report
    audits: int
    refused: str | None = None
    register: str | None = None
    proved: bool = False
    withholds_much: Annotated[bool, UNWRITTEN] = False
    stopped: Reason | None = None
    sums: Annotated[int, UNWRITTEN] = 0
    bare: Annotated[bool, UNWRITTEN] = False
    numbered: Annotated[tuple[str, ...], UNWRITTEN] = ()
    key: Annotated[str | None, UNWRITTEN] = None
    restricted: Annotated[bool, UNWRITTEN] = False
    undecided: Annotated[str | None, UNWRITTEN] = None
    breaks_promise: str | None = None

    @property
    def repaired(self) -> bool:
        """Whether there is a repair."""
        return self.refused is None

    @property
    def exit_code(self) -> int:
        """The exit code: 0 with a repair, 1 if it is proved that there is none, 3 if none was found, 130 if stopped."""
        if self.stopped is not None and self.stopped.kind == ReasonKind.INTERRUPTED:
            return 130
        if self.refused is None:
            return 0
        return 1 if self.proved else 3


@dataclass(frozen=True)
class GroupRows:
    """Rows of one group of the candidate.

    Attributes:
        group: the group.
        lines: the lines of the candidate's file, from 1, with the header; in Parquet, rows from 1.
    """

    group: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Cause:
    """The cause of a new finding.

    Attributes:
        releases: the earlier releases from which it follows, together with the candidate.
        least: whether each of them is known to be necessary.
        rows: the rows of the candidate from which it follows, by group.
    """

    releases: tuple[str, ...]
    least: bool
    rows: tuple[GroupRows, ...]


@dataclass(frozen=True)
class NewFinding:
    """A finding that the candidate would add.

    Attributes:
        finding: the finding in the audit of the series with the candidate.
        cause: its cause.
    """

    finding: Annotated[Finding[str], INLINED]
    cause: Cause


@dataclass(frozen=True)
class Change:
    """A measure of an attack without and with the candidate; None if the attack has no such measure.

    Attributes:
        measure: the measure; an entry of a table is written as `compromised 1`.
        before: without the candidate.
        after: with it.
    """

    measure: str
    before: object
    after: object


@dataclass(frozen=True)
class ComparedAttack:
    """One attack without and with the candidate.

    Attributes:
        after: with the candidate.
        status_before: the status without the candidate.
        changes: the measures that differ, except timelines.
        old: the number of findings without the candidate.
        new: the number of findings that the candidate adds.
        people: the number of people with a value that is only certain with the candidate.
        findings: the most severe findings that the candidate adds.
    """

    after: Annotated[AttackReport, INLINED, COUNTS]
    status_before: Status
    changes: tuple[Change, ...]
    old: Annotated[int, WrittenAs("found_before")]
    new: Annotated[int, WrittenAs("newly_found")]
    people: Annotated[int, WrittenAs("people_newly_found")]
    findings: Annotated[tuple[NewFinding, ...], WrittenAs("new_findings")]


@dataclass(frozen=True)
class Candidate:
    """The candidate.

    Attributes:
        release: its tag.
        files: its files.
        key: the file with the person of each row; null if there is no such file.
        column: the column in which the tag marks its rows; null if it is the whole file.
    """

    release: str
    files: tuple[str, ...]
    key: str | None
    column: str | None


@dataclass(frozen=True)
class AuditBefore:
    """The audit without the candidate.

    Attributes:
        policy: the decision.
        contradictions: people whose own published values contradict the assumptions.
        attacks: each attack, without its findings.
    """

    policy: PolicyReport
    contradictions: Contradictions
    attacks: Annotated[tuple[AttackReport, ...], COUNTS]


@dataclass(frozen=True)
class HiddenCell:
    """A cell of a candidate to hide, or to show.

    Attributes:
        cell: its label by dimension.
        shown: its text now.
        file: its file.
        line: the line in this file.
        sign: the marker or the count to write; empty for none.
    """

    cell: dict[str, str]
    shown: str
    file: str
    line: int
    sign: str


COUNTS_OPEN = Phrase("Some counts are undecided; give more time with --time-limit SECONDS.")


@dataclass(frozen=True)
class CellRepair:
    """Cells of a candidate's tables to hide or to show, so that it adds no finding.

    Attributes:
        hide: the cells to hide so that no finding is new; each of them is necessary. Empty if no finding is new, null
            if no such set was found.
        show: the hidden cells whose counts follow from earlier releases, so that they are to be shown.
        hidden: the other cells of the candidate that show a sign, or nothing, in place of a count.
        changes: where no cells to hide were found, the cells whose changes say more of earlier counts.
        unavoidable: a sentence for each new finding that is found even with all cells hidden.
        least: whether it is proved that no cheaper cells achieve the same.
        rounding: the finest coarser rounding that achieves the same; null if none was found or needed.
        undecided: whether more questions are open with it, or with it repaired, than without it.
        written: the files that were written with these cells hidden; the reports are about the written files.
        stopped: why the search for such cells ended early; absent if it was complete.
        own_sign: a sign that no table has, and that may stand for any count in the cells to leave empty, or, where none
            were found, in those that cannot be; an empty text if no sign may.
        emptied: the columns that a repair emptied beside hidden counts.
        rates: the columns of rates without which no finding is new, if that is so.
        rated: whether rates stand beside cells to hide.
        bare: whether the candidate is a workbook or the like, of which a repair writes a CSV file.
        ends_year: whether it is the last of the parts of a year, which are about other people each.
        unsaid: whether the manifest is still to say that empty cells can be any count, as the reports suppose.
        repairs: whether it is a repair, with or without written files.
    """

    hide: tuple[HiddenCell, ...] | None
    rounding: Rounding | None
    undecided: Annotated[bool, UNWRITTEN]
    show: Annotated[tuple[HiddenCell, ...], OMITTED] = ()
    hidden: Annotated[tuple[HiddenCell, ...], UNWRITTEN] = ()
    changes: Annotated[tuple[HiddenCell, ...], OMITTED] = ()
    unavoidable: Annotated[tuple[str, ...], UNWRITTEN] = ()
    least: bool = False
    written: Annotated[tuple[str, ...], OMITTED] = ()
    stopped: Omittable[Reason] = None
    own_sign: Annotated[str, UNWRITTEN] = ""
    emptied: Annotated[tuple[str, ...], UNWRITTEN] = ()
    rates: Annotated[tuple[str, ...], UNWRITTEN] = ()
    rated: Annotated[bool, UNWRITTEN] = False
    bare: Annotated[bool, UNWRITTEN] = False
    ends_year: Annotated[bool, UNWRITTEN] = False
    unsaid: Annotated[bool, UNWRITTEN] = False
    repairs: Annotated[bool, UNWRITTEN] = False

    def exit_code(self, without: Report, after: Report) -> int:
        """Return the exit code, given the reports on the series without and with the candidate.

        It is 130 if the search was interrupted. For a repair, it is that of the series with the written files, or of
        what they add to a series that violates the policy without them; 1 if there is no repair, 3 if it is undecided.
        """
        code = after.exit_code
        if self.stopped is not None and self.stopped.kind is ReasonKind.INTERRUPTED:
            return 130
        if not self.repairs or code == 130:
            return code
        if self.hide is None:
            return 1 if self.stopped is None else 3
        if without.policy.violations and code == 1:
            return 3 if self.undecided or after.policy.undecided else 0
        return code or (3 if self.undecided else 0)


@dataclass(frozen=True)
class ReleaseImpact:
    """The contents of `audit next SERIES CANDIDATE --format json`, and of `audit repair` for count tables.

    Attributes:
        after: the audit of the series with the candidate.
        without: the audit of the series without it.
        attacks: each attack without the candidate and with it.
        candidate: the candidate.
        adds: the decision on what the candidate adds, as if the rest were accepted.
        not_computed: why no repair was searched for, each reason once.
        repair: a repair that keeps the policy, if one was found; it is not written.
        cells: the cells of tables to hide or to show; absent for data about people.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("before",)
    after: Annotated[Report, INLINED]
    without: Annotated[Report, UNWRITTEN]
    attacks: tuple[ComparedAttack, ...]
    candidate: Candidate
    adds: Annotated[PolicyReport, UNWRITTEN]
    not_computed: tuple[str, ...] = ()
    repair: Annotated[Repair | None, CHANGES] = None
    cells: Omittable[CellRepair] = None

    @property
    def before(self) -> AuditBefore:
        """The audit without the candidate."""
        found = replace(self.without.contradictions, people=None)
        return AuditBefore(self.without.policy, found, self.without.attacks)

    @property
    def new_total(self) -> int:
        """The number of findings that the candidate would add, over all attacks."""
        return sum(attack.new for attack in self.attacks)

    @property
    def repaired(self) -> bool:
        """Whether nothing new can be derived from what was written."""
        return self.cells is not None and bool(self.cells.written) and not self.cells.undecided

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were written."""
        return () if self.cells is None else self.cells.written

    @property
    def adds_nothing(self) -> bool:
        """Whether the policy is broken, but the candidate adds nothing that it forbids to the earlier releases."""
        broken = self.after.policy.violations if self.cells is not None else not self.without.policy.passed
        return bool(broken) and self.adds.passed

    @property
    def exit_code(self) -> int:
        """The exit code of the series with the candidate; 130 if the search for a repair was interrupted."""
        if self.cells is not None:
            return self.cells.exit_code(self.without, self.after)
        return 130 if self.repair is not None and self.repair.exit_code == 130 else self.after.exit_code


def alone(release: str, file: str) -> str:
    """Return a name for the file of one release alone, beside a file of several.

    >>> alone("2022/23", "in/panel.csv.gz")
    '2022-23.csv'
    """
    return release.replace("/", "-") + PurePath(file.removesuffix(".gz")).suffix


def changed(before: AttackReport, after: AttackReport) -> tuple[Change, ...]:
    """Return the measures of an attack that differ, except timelines.

    An entry of a table within a measure is compared as a measure of its own, such as `compromised 1`; bounds are not.
    """
    old, new = _flat(before.figures), _flat(after.figures)
    names = [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]
    return tuple(Change(name, old.get(name), new.get(name)) for name in names)


def _flat(measures: dict[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in measures.items():
        if isinstance(value, dict) and "lower" not in value:
            flat |= {f"{name} {key}": entry for key, entry in value.items()}
        elif not isinstance(value, list):
            flat[name] = value
    return flat
