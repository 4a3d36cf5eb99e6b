"""Waivers: the findings accepted today, each only as precisely as it was known, and the state of each waiver.

A baseline, an earlier report, accepts its findings in the same way.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from audit.clauses.registry import CLAUSES, ON_VALUES, OWN
from audit.findings.count import count_id
from audit.io.cell_reading import parse_value
from audit.io.cells import Kind
from audit.io.encoding import COUNTERFEIT
from audit.io.manifest import Waiver
from audit.io.toml import toml_value
from audit.judgement.selection import Selection
from audit.model.accepted_size import CloseSize, RiskSize, SealedInterval, Size, SmallClasses
from audit.model.arrays import UNBOUNDED, Flags, Places
from audit.model.audit_history import AuditHistory, PastReport
from audit.model.errors import Doubt, UsageError
from audit.model.json_types import WITHOUT_RESULT, WORSE, WaiverState
from audit.model.report import HIDDEN, BaselineFacts, CountSize, Report, SealedCount, Waived
from audit.model.scored import NOWHERE
from audit.runtime.phrases import Reason, ReasonKind, printable, printable_path, say, say_count


@dataclass
class NamedFindings:
    """Findings that waivers may name by their ids.

    Attributes:
        ids: the id of each finding; empty without a key, because then no waiver can name them.
        sizes: how precisely each is known.
        clauses: the clauses that each decides.
    """

    ids: Sequence[str]
    sizes: Sequence[Any]
    clauses: Sequence[frozenset[str]]

    def __len__(self) -> int:
        """Return how many findings there are."""
        return len(self.sizes)

    def named(self, waiver: Waiver) -> Flags:
        """Return which findings a waiver names; shape (findings,), bool."""
        found = np.zeros(len(self), dtype=np.bool_)
        if waiver.finding is not None and self.ids:
            matches = matcher(waiver.finding)
            found[:] = [matches(ident) is not None for ident in self.ids]
        return found

    def within(self, sizes: Mapping[str, Any]) -> Flags:
        """Return the findings that are known no more precisely than accepted; shape (findings,), bool."""
        known = zip(self.ids, self.sizes, strict=True) if self.ids else ()
        found = [ident in sizes and sizes[ident].covers(size) for ident, size in known]
        return np.array(found or [False] * len(self), dtype=np.bool_)

    @property
    def whose(self) -> Sequence[frozenset[str]]:
        """For each finding, its people, who may accept it."""
        return [frozenset()] * len(self)

    def meant(self, individual: str, names: frozenset[str]) -> frozenset[str]:
        """Return which of some people a name means."""
        return names & {individual}


class FoundClaims(NamedFindings):
    """The claims of an attack on people: waivers may name these by id, or by a group of theirs."""

    def __init__(self, selection: Selection[Any]) -> None:
        self.selection, self.namer = selection, selection.names.namer
        decided, sizes = frozenset(_decided(selection)), selection.sizes
        super().__init__(selection.stable_ids() if self.namer.keyed else (), sizes, [decided] * len(sizes))

    def named(self, waiver: Waiver) -> Flags:
        """Return which claims a waiver names; shape (claims,), bool."""
        if waiver.individual is not None:
            meant = [bool(self.meant(waiver.individual, names)) for names in self.whose]
            return np.array(meant, dtype=np.bool_)
        return super().named(waiver) if waiver.group is None else self._in_group(waiver)

    @cached_property
    def whose(self) -> Sequence[frozenset[str]]:
        """For each claim, its people; of those who may be in the data, all who look alike."""
        claims, evidence = self.selection.claims, self.selection.names.evidence
        people, kinds = claims.concerned(self.selection.names), evidence.possible_kinds
        if kinds is not None and claims.person is not None:
            alike = {code: kinds.names_of(code, evidence.series.people) for code in set(claims.person.tolist()) - {-1}}
            people = [
                names.union(alike.get(code, ())) for names, code in zip(people, claims.person.tolist(), strict=True)
            ]
        return [frozenset(name for name in names if not name.startswith(COUNTERFEIT)) for names in people]

    def meant(self, individual: str, names: frozenset[str]) -> frozenset[str]:
        """Return which of some people a name means, by identifier or stable pseudonym."""
        called = self.namer.pseudonym
        known = {each for each in names if self.namer.keyed and called("person", each) == individual}
        return frozenset(known | (names & {individual}))

    def _in_group(self, waiver: Waiver) -> Flags:
        evidence, claims = self.selection.names.evidence, self.selection.claims
        found, groups = np.zeros(len(claims), dtype=np.bool_), claims.groups()
        if waiver.release not in evidence.tags:
            return found
        release = evidence.tags.index(waiver.release)
        if groups is not None:
            found[:] = [at == release and waiver.group in ("*", group) for at, group in groups]
        elif claims.person is not None:
            # Claims about people who are certainly in the group.
            at = np.flatnonzero(claims.person >= 0)
            if evidence.transitions is not None:
                at = at[np.isin(claims.release[at], (release, -1))]
            people = np.unique(claims.person[at])
            people = people[np.isin(people, evidence.pools(release).person)].astype(np.int32)
            names = evidence.source.groups(release, people) if len(people) else []
            inside = [waiver.group in ("*", *each) and len(each) == 1 for each in names]
            found[at] = np.isin(claims.person[at], people[np.array(inside, dtype=np.bool_)])
        return found


def _decided(selection: Selection[Any]) -> Iterator[str]:
    """Yield the clauses that depend on some claims; clauses of other packages may depend on any."""
    claims = selection.claims
    yield from set(CLAUSES) - set(OWN)
    yield from filter(None, [claims.clause])
    if claims.highest_risk(NOWHERE) is not None:
        yield from ON_VALUES
    if claims.smallest_e(NOWHERE) is not None:
        yield "min_e"
    if claims.smallest_class(NOWHERE) is not None:
        yield "k"


@dataclass
class WaiverBook:
    """The waivers of a series that are valid today, and the outcome of each.

    Attributes:
        waivers, today: the waivers, and the date at which they are judged.
        key: the publisher's key, with which what is accepted is sealed; without it, None, a waiver with seals does not
            state how much it accepts.
    """

    waivers: Sequence[Waiver]
    today: datetime.date
    key: bytes | None = None
    _states: dict[int, WaiverState] = field(default_factory=dict)
    _unsized: dict[int, tuple[dict[str, Any], set[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.waivers = [_with_key(each, self.key) for each in self.waivers]

    def judge(self, found: NamedFindings, known: Flags) -> tuple[Flags, Flags]:
        """Return what is waived, and what would be if its waivers stated how much they accept; shapes (findings,).

        `known` are findings that are accepted anyhow.
        """
        covered, without_size = np.zeros((2, len(found)), dtype=np.bool_)
        # A finding about several people harms each of them, so one person's acceptance is not enough.
        asked = [set(each) for each in found.whose] if any(each.individual for _, each in self._live()) else []
        left = [set(each) for each in asked]
        unsized: list[tuple[int, Flags]] = []
        for place, waiver in self._live():
            named = found.named(waiver)
            if not named.any():
                continue
            met = named if waiver.sizes is None else named & found.within(waiver.sizes)
            self._note(place, "unsized" if waiver.sizes is None else "applied" if met.any() else "exceeded")
            if waiver.sizes is None:
                unsized.append((place, named))
            if waiver.individual is None:
                without_size |= met
                covered |= met & (waiver.sizes is not None)
            for at in np.flatnonzero(met).tolist() if waiver.individual is not None else ():
                meant = found.meant(waiver.individual or "", found.whose[at])
                asked[at] -= meant
                left[at] -= frozenset() if waiver.sizes is None else meant
        about_people = [bool(found.whose[at]) for at in range(len(asked))]
        if asked:
            covered |= about_people & ~np.array([bool(each) for each in left], dtype=np.bool_)
            without_size |= about_people & ~np.array([bool(each) for each in asked], dtype=np.bool_)
        without_size &= ~(covered | known)
        for place, named in unsized:
            self._ask(place, found, np.flatnonzero(named), np.flatnonzero(named & ~(covered | known)))
        return covered, without_size

    def accepts(self, release: str, small: SmallClasses) -> bool:
        """Return whether the small classes of a release are accepted, even by a waiver that does not state a size.

        A waiver of an earlier version does not state one either, and means the smallest class alone.
        """
        found = False
        for place, waiver in self._live():
            if waiver.group != "*" or waiver.release != release:
                continue
            accepted = {} if waiver.sizes is None else waiver.sizes
            if isinstance(accepted.get("k"), SmallClasses):
                covers = accepted["k"].covers(small)
                self._note(place, "applied" if covers else "exceeded")
                found = found or covers
            elif waiver.sizes is None or "k" in accepted:
                self._note(place, "unsized")
                sizes, clauses = self._unsized.setdefault(place, (dict(accepted), set()))
                sizes["k"] = small
                clauses.add("k")
                found = True
        return found

    def doubts(self, *, reveal: bool, stable: bool) -> Iterator[Doubt]:
        """Yield a doubt for each waiver that does not state how much it accepts, with the line to add.

        Only a report with `stable` ids contains the ids of findings that the waiver does not name itself.
        """
        for place, (sizes, clauses) in sorted(self._unsized.items()):
            waiver = self.waivers[place]
            alone = waiver.finding is not None and "*" not in waiver.finding
            texts = {ident: self._text(ident, size) for ident, size in sorted(sizes.items())}
            said = f"{{ {', '.join(f'{ident} = {text}' for ident, text in texts.items())} }}"
            if alone and texts:
                [said] = texts.values()
            what = printable(waiver.finding or (waiver.individual if reveal and waiver.individual else say("a person")))
            if waiver.release is not None:
                group, release = printable(waiver.group or ""), printable(waiver.release)
                what = say("group {group} of release {release}", group=group, release=release)
            reason = say(
                "the waiver of {finding} does not say how much it accepts; add {line} to it, or delete it",
                finding=what,
                line=f"size = {said}",
            )
            if not (stable or alone):
                reason = say(
                    "the waiver of {finding} does not say how much it accepts; audit the series with --stable-ids, "
                    "and add the line that it prints, or delete the waiver",
                    finding=what,
                )
            yield Doubt(Reason(reason, ReasonKind.NEEDS), frozenset(clauses))

    def outcomes(self, *, reveal: bool) -> list[Waived]:
        """Return the outcome of each waiver; its people and reason only if names are revealed."""
        report = []
        for place, waiver in enumerate(self.waivers):
            state = "expired" if waiver.expires < self.today else self._states.get(place, "unknown")
            individual = waiver.individual if reveal or waiver.individual is None else HIDDEN
            reason = waiver.reason if reveal else say("the reason is shown with --reveal")
            report.append(
                Waived(
                    waiver.finding, reason, waiver.expires.isoformat(), state, individual, waiver.group, waiver.release
                )
            )
        return report

    def _live(self) -> list[tuple[int, Waiver]]:
        return [(place, waiver) for place, waiver in enumerate(self.waivers) if waiver.expires >= self.today]

    def _note(self, place: int, state: WaiverState) -> None:
        if self._states.get(place) != "applied":
            self._states[place] = state

    def _ask(self, place: int, found: NamedFindings, named: Places, left: Places) -> None:
        """Record what a waiver must state, if it leaves findings that nothing else accepts."""
        if len(left):
            sizes, clauses = self._unsized.setdefault(place, ({}, set()))
            sizes.update({found.ids[at]: found.sizes[at] for at in named} if found.ids else {})
            clauses.update(*(found.clauses[at] for at in left))

    def _text(self, ident: str, size: CountSize | Size) -> str:
        """Return how a manifest states how much of a finding is accepted."""
        if isinstance(size, CountSize) and self.key is None:
            return toml_value(vars(size))
        written = stated(ident, size, self.key or b"")
        return f"{written:.17g}" if isinstance(written, float) else toml_value(written)


def stated(ident: str, size: CountSize | Size, key: bytes) -> object:
    """Return how a manifest states how much of a finding is accepted: counts and numbers of people are sealed."""
    return (size.sealed(ident, key) if isinstance(size, CountSize | CloseSize) else size).written()


def _with_key(waiver: Waiver, key: bytes | None) -> Waiver:
    """Return a waiver with the key of its seals; without a key, such a waiver does not state how much it accepts."""
    sizes = waiver.sizes or {}
    sealed = {
        ident: replace(size, key=key) for ident, size in sizes.items() if isinstance(size, SealedCount | SealedInterval)
    }
    return replace(waiver, sizes=None if key is None else {**sizes, **sealed}) if sealed else waiver


def matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return a function that matches ids with a pattern in which `*` means any characters.

    >>> bool(matcher("joint-*")("joint-12")), bool(matcher("joint-1")("joint-12"))
    (True, False)
    """
    return re.compile(".*".join(map(re.escape, pattern.split("*")))).fullmatch


Json: TypeAlias = Any
"""What was read of a JSON file."""


def found_before(baseline: BaselineFacts, selection: Selection[Any]) -> Flags:
    """Return which claims were found before, at least as precisely; shape (claims,), bool.

    A claim about people who look alike was found before if it was found about each of them, in the same releases of
    the report.
    """
    seen = selection.names.evidence
    if seen.possible_kinds is not None:
        positions = {seen.tags.index(tag): at for at, tag in enumerate(baseline.releases) if tag in seen.tags}
        earlier = seen.possible_kinds.earlier_names(positions, seen.series.people)
        selection = replace(selection, names=replace(selection.names, instead=earlier))
    known: dict[str, Size] = {}
    if selection.claims.sizes() is None:
        known.update(dict.fromkeys(baseline.known, RiskSize(1)))
    else:
        known.update({each: RiskSize(baseline.risks.get(each, 0.0)) for each in baseline.known})
        intervals = baseline.intervals.items()
        known.update({each: CloseSize(Fraction(low), Fraction(high)) for each, (low, high) in intervals})
    found = selection.covered(known, stable=True)
    for place in np.flatnonzero(found).tolist():
        size = selection.sizes[place]
        found[place] = all(each in known and known[each].covers(size) for each in selection.alike_ids(place))
    return found


def is_known(known: Mapping[str, CountSize], ident: str, size: CountSize) -> bool:
    """Return whether the baseline knew a count at least as precisely."""
    return ident in known and known[ident].covers(size)


def _small_classes(report: Json) -> dict[str, SmallClasses]:
    """Return the small classes of each release that has some; a violation names only the worst one.

    Reports of earlier versions do not list their rows, so these classes count as new.
    """
    limits = [each["limit"] for each in report["policy"]["violations"] if each["attack"] is None]
    known = dict(report.get("baseline", {}).get("classes", {}))
    for each in report.get("panel", ()) if limits else ():
        smallest = min(each["k"], each["k"] if each["k_people"] is None else each["k_people"])
        if smallest < max(limits) and "below_k" in each:
            known[each["release"]] = {"smallest": smallest, "rows": each["below_k"]}
    sizes = {str(tag): size for tag, size in known.items() if isinstance(size, dict)}
    return {tag: SmallClasses(int(size["smallest"]), int(size["rows"])) for tag, size in sizes.items()}


def _counts(report: Json) -> dict[str, CountSize]:
    """Return the counts that a report knows, including those of findings that it did not show."""
    found = dict(report.get("baseline", {}).get("counts", {}))
    for each in (each for attack in report["attacks"] for each in attack["findings"]):
        found |= dict.fromkeys((each["id"], _lasting_id(report, each)), each)
    if any(each["kind"] not in WORSE for each in found.values()):
        raise ValueError("a count has another kind")
    return {str(ident): _size(each) for ident, each in found.items()}


def _is_about_tables(report: Json) -> bool:
    return bool(report["series"].get("kind") == "tables")


def _lasting_id(report: Json, finding: Json) -> str:
    """Return the id of a finding; one about a count is made again: until version 0.3 it could name a release."""
    if not _is_about_tables(report):
        return str(finding["id"])
    about = finding.get("measure"), finding["release"], finding.get("since"), finding["cell"], finding.get("dimension")
    return count_id(report["series"].get("over_time"), *about)


def _has_lasting_ids(report: Json) -> bool:
    """Return whether the ids of a report's findings are valid in later reports, as those about counts are."""
    return _is_about_tables(report) or bool(report.get("stable_ids"))


def _intervals(report: Json) -> dict[str, tuple[str, str]]:
    """Return the intervals of people's values in a report by finding id, including findings that it did not show."""
    found = {str(ident): (ends[0], ends[1]) for ident, ends in report.get("baseline", {}).get("intervals", {}).items()}
    for each in (each for attack in report["attacks"] for each in attack["findings"]):
        if {"lower", "upper", "individual"} <= each.keys() and each["risk"] == 1:
            lower, upper = (str(parse_value(each[name], Kind.NUMERIC)) for name in ("lower", "upper"))
            found |= dict.fromkeys(_ids(each), (lower, upper))
    return found


def _size(finding: Json) -> CountSize:
    upper = UNBOUNDED if finding["upper"] is None else int(finding["upper"])
    return CountSize(finding["kind"], int(finding["lower"]), upper)


def _ids(finding: Json) -> list[str]:
    """Return the ids of a finding about each of the people who look alike."""
    return [*map(str, (finding["id"], *finding.get("alike", ())))]


def read_baseline(path: Path, *, of_tables: bool = False) -> BaselineFacts:
    """Return the baseline in a JSON report on people, or on count tables if `of_tables`.

    Raises:
        UsageError: it cannot be read, is not such a report, has no stable ids, or does not show all findings.
    """
    shown = printable_path(path)
    with _read(path, f"--baseline {shown}") as report:
        attacks = [(entry["findings"], entry["findings_total"]) for entry in report["attacks"]]
        found = [finding for findings, _ in attacks for finding in findings]
        ids = frozenset(ident for finding in found for ident in _ids(finding))
        earlier = report.get("baseline", {"known": ()})
        forgotten = "known" not in earlier
        ids |= frozenset(map(str, earlier.get("known", ())))
        risks = {str(ident): float(risk) for ident, risk in earlier.get("risks", {}).items()}
        risks |= {ident: float(each["risk"]) for each in found if "risk" in each for ident in _ids(each)}
        about_tables = _is_about_tables(report)
        classes, intervals = _small_classes(report), {} if about_tables else _intervals(report)
        counts = _counts(report) if about_tables else {}
        stable, releases = _has_lasting_ids(report), tuple(map(str, report["series"]["releases"]))
        passed, made = bool(report["policy"]["passed"]), _day(report)
        digests = frozenset(str(each["sha256"]) for each in report["inputs"])
    if about_tables != of_tables:
        kinds = say("a series of count tables"), say("a series of rows about people")
        this, series = kinds if about_tables else kinds[::-1]
        what = say("it is about {this}, but you audit {series}; name a report on that", this=this, series=series)
        raise UsageError(f"--baseline {shown}: {what}")
    how = say("make it with {words}", words=f"--format json{'' if of_tables else ' --stable-ids'} --findings all")
    if forgotten:
        what = say("it was made with a baseline by an earlier version, and does not say what it left out")
        raise UsageError(f"--baseline {shown}: {what}; {how}")
    if not stable:
        raise UsageError(f"--baseline {shown}: {say('its ids are valid in that report only')}; {how}")
    left_out = sum(total - len(findings) for findings, total in attacks)
    if left_out:
        what = say_count("it leaves {count} [finding|findings] out", left_out)
        raise UsageError(f"--baseline {shown}: {what}; {how}")
    known = tuple(sorted(ids))
    return BaselineFacts(made, releases, passed, len(ids), 0, known, classes, risks, counts, intervals, digests)


_PAGES = (".html", ".md")


def read_history(folder: Path) -> AuditHistory:
    """Return the history in the JSON reports of a folder, by date, then by number of releases, then by name.

    Raises:
        UsageError: the folder cannot be read, holds no report, or holds a JSON file that is not a report.
    """
    shown = printable_path(folder)
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".json" and path.is_file())
    except OSError as error:
        raise UsageError.say("{file}: the folder cannot be read; name the folder of the reports", file=shown) from error
    if not files:
        raise UsageError.say(
            "{file}: there are no reports here; write them with --format json --output FILE", file=shown
        )
    found = []
    for path in files:
        with _read(
            path, printable_path(path), f"; {say('check its permissions')}", f"; {say('move it away')}"
        ) as report:
            found.append(_past(path, report))
    found.sort(key=lambda each: (each.made or datetime.date.min, len(each.releases), each.file))
    return AuditHistory(tuple(found))


@contextmanager
def _read(path: Path, named: str, unreadable: str = "", other: str = "") -> Iterator[Json]:
    """Yield the contents of a JSON report; the text after the colon says what to do about a file that is not one.

    Raises:
        UsageError: the file cannot be read, is not a report, or is a report of another kind.
    """
    try:
        report = json.loads(path.read_bytes())
        if report["schema_version"] not in (1, Report.schema_version):  # what is read here is the same in both
            raise UsageError.say(
                "{file}: its schema_version is neither 1 nor {number}; make the report again with this version",
                file=named,
                number=Report.schema_version,
            )
        yield report
    except OSError as error:
        raise UsageError(f"{named}: {error.strerror or 'it cannot be read'}{unreadable}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = say("this is not a report of `audit SERIES --format json`")
        raise UsageError(f"{named}: {what}{other}") from error


def _day(report: Json) -> datetime.date | None:
    return datetime.date.fromisoformat(report["made"]) if "made" in report else None


def _past(path: Path, report: Json) -> PastReport:
    attacks = [entry for entry in report["attacks"] if entry["status"] not in WITHOUT_RESULT]
    shown = [_lasting_id(report, finding) for entry in attacks for finding in entry["findings"]]
    total = sum(int(entry["findings_total"]) for entry in attacks)
    earlier = report.get("baseline", {"known": [], "still": 0})
    lasting = _has_lasting_ids(report) and len(shown) == total and "known" in earlier
    pages = [path.with_suffix(ending).name for ending in _PAGES if path.with_suffix(ending).is_file()]
    return PastReport(
        file=path.name,
        page=pages[0] if pages else None,
        made=_day(report),
        version=str(report["tool"]["version"]),
        series=str(report["series"]["name"]),
        releases=tuple(str(tag) for tag in report["series"]["releases"]),
        verdict=_verdict(report),
        risks=_risks(attacks),
        certain=max((int(rung["so_far"]) for rung in report.get("ladder", ())), default=None),
        findings=total + int(earlier["still"]),
        ids=frozenset(shown) | frozenset(map(str, earlier["known"])) if lasting else None,
    )


def _verdict(report: Json) -> str:
    if report["policy"]["violations"]:
        return "violated"
    if report.get("interrupted"):
        return "interrupted"
    return "holds" if report["policy"]["passed"] else "undecided"


def _risks(attacks: Json) -> dict[str, float | None]:
    """Return the highest risk found by each attack that reports one; with several attributes, that of the worst one."""
    found: dict[str, float | None] = {}
    for entry in attacks:
        if "max_risk" in entry["measures"]:
            risk = entry["measures"]["max_risk"]
            before = found.get(entry["attack"])
            found[entry["attack"]] = before if risk is None else max(float(risk), before or 0.0)
    return found
