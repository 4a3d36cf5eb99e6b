"""Selection: from claims as columns to the few findings that a report shows, checked and named, and which are new.

`located` adds the places of a finding's groups: files, lines, and the published cells of their rows. The ladder has the
people that each attack finds first; people are also counted by risk, by release and in findings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from audit.adversary.held_series import HeldSeries, record_of
from audit.adversary.view import View
from audit.clauses.clause import ClauseKnowledge
from audit.clauses.registry import CLAUSES
from audit.io.tables import Coded, Table
from audit.judgement.pseudonyms import Pseudonymizer, ReportNames
from audit.judgement.scoring import changed_values, listed_values, true_values
from audit.model.arrays import Codes, Flags, Places, flagged
from audit.model.errors import Problems
from audit.model.finding import Check, Claims, Finding, GroupLines, RiskSize, Size
from audit.model.measures import PEOPLE
from audit.model.outcome import NOWHERE, Result, Risks, tenth_of
from audit.model.report import Exposure, FoundPerson, LadderStep
from audit.runtime.budget import Budget

_MOST_CELLS = 12
_MOST_LINES = 10_000


@dataclass(frozen=True)
class _File:
    """A file of a release, some of its columns, the group of each row, and the column of record ids."""

    table: Table
    group: Coded
    cells: tuple[str, ...]
    id: str | None = None

    @cached_property
    def _codes(self) -> dict[str, int]:
        return self.group.by_name()

    def lines(self, tag: str, group: str) -> Iterator[GroupLines]:
        """Yield the lines of a group, by the release's tag, if the group is in the file."""
        if group in self._codes:
            rows = np.flatnonzero(self.group.codes == self._codes[group])[:_MOST_LINES]
            yield self._at(tag, group, rows, self.cells)

    def of_record(self, tag: str, rows: Places) -> Iterator[GroupLines]:
        """Yield the line of a record, which has at most one row, by the release's tag, with its id."""
        names = self.cells if self.id is None else (self.id, *self.cells)
        for row in rows.tolist():
            yield self._at(tag, self.group.name(int(self.group.codes[row])), rows, names)

    def _at(self, tag: str, group: str, rows: Places, names: tuple[str, ...]) -> GroupLines:
        lines = tuple(self.table.line(row) for row in rows.tolist())
        return GroupLines(tag, group, self.table.shown, lines, _cells(self, rows, names))


def located(results: Sequence[Result[View]], releases: HeldSeries) -> list[Result[View]]:
    """Return results whose findings have the locations of the groups in their certificates and proofs."""
    read = cache(lambda tag: list(_files(releases, tag)))

    def placed(finding: Finding[str]) -> Finding[str]:
        if (linked := finding.linked()) is not None:
            return replace(finding, located=tuple(of_record(*linked)))
        groups = dict.fromkeys(finding.places())
        lines = (one for tag, group in groups for file in read(tag) for one in file.lines(tag, group))
        return replace(finding, located=tuple(lines))

    def of_record(record: int, after: str | None) -> Iterator[GroupLines]:
        tags = releases.series.tags
        for tag, seen in zip(tags[: tags.index(after) + 1 if after else None], releases.seen, strict=False):
            rows = np.flatnonzero(record_of(seen) == record)
            for file in read(tag) if len(rows) else ():
                yield from file.of_record(tag, rows)

    return [replace(each, shown=tuple(map(placed, each.shown))) for each in results]


def _files(releases: HeldSeries, tag: str) -> Iterator[_File]:
    """Yield the files of a release, two for an Anatomy pair, with their cells as they are spelled there."""
    series, position, problems = releases.series, releases.series.tags.index(tag), Problems()
    files, columns, adjustments = series.manifest.releases[position], series.manifest.columns, series.adjustments(tag)
    quasi, group = tuple(columns.quasi_identifiers), releases.seen[position].release.group
    ids = [] if columns.record is None else [columns.record]
    rows = adjustments.read_written(files.rows, files.shown, [*quasi, *ids], problems)
    if rows is not None and (rows.rows == len(group.codes) or not quasi):
        unpublished = [name for name in quasi if name in adjustments.unpublished]
        yield _File(adjustments.adjusted(rows, unpublished), group, quasi, columns.record)
    if files.values is not None and columns.group is not None:
        wanted = [columns.group, *columns.sensitive]
        values = adjustments.read_written(files.values, files.values_shown, wanted, problems)
        if values is not None:
            groups = adjustments.adjusted(values, [columns.group]).coded(columns.group)
            yield _File(values, groups, tuple(columns.sensitive))


def _cells(file: _File, rows: Places, names: tuple[str, ...]) -> tuple[dict[str, str], ...]:
    """Return the distinct cells of some rows, in the order of the file, at most twelve."""
    columns = [file.table.coded(name) for name in names]
    found: dict[tuple[str, ...], None] = {}
    for row in rows.tolist():
        found.setdefault(tuple(column.name(int(column.codes[row])) for column in columns))
        if len(found) == _MOST_CELLS:
            break
    return tuple(dict(zip(names, texts, strict=True)) for texts in found) if columns else ()


_TRIES = 5
_MOST_IDS, _MOST_IDS_ONCE = 1 << 17, 1 << 9


K = TypeVar("K", bound=Claims)


@dataclass
class Selection(Generic[K]):
    """The claims of one kind of one attack, ranked by risk, release and id.

    Attributes:
        attack: the attack's name.
        claims: the claims.
        names: the names of its codes.
        waived: the indices of accepted claims.
        taken: the selected findings, checked, each with its id, in the order of the report.
    """

    attack: str
    claims: K
    names: ReportNames
    waived: Places = field(default_factory=lambda: NOWHERE)
    taken: list[tuple[str, Finding[int]]] = field(default_factory=list)

    def ids(self, places: Places, *, stable: bool = False) -> list[str]:
        """Return the ids of the claims at some indices; the ids that waivers use, if `stable`."""
        said = self.claims.identities(places, self.names)
        return [self.names.namer.finding(self.attack, *each, stable=stable) for each in said]

    def alike_ids(self, place: int) -> tuple[str, ...]:
        """Return the stable ids that a claim would have about each other person who looks alike."""
        kinds, person = self.names.evidence.possible_kinds, self.claims.person
        if kinds is None or person is None or person[place] < 0:
            return ()
        code, instead = int(person[place]), self.names.instead
        own = kinds.kinds[code].name
        _, *others = kinds.names_of(code, self.names.evidence.series.people, instead.get(own))
        found = []
        for name in others:
            [said] = self.claims.identities(np.array([place]), replace(self.names, instead={own: name}))
            found.append(self.names.namer.finding(self.attack, *said, stable=True))
        return tuple(found)

    def stable_ids(self) -> list[str]:
        """Return the ids of all claims that waivers and baselines use."""
        return self.ids(self.claims.everything(), stable=True)

    @cached_property
    def sizes(self) -> Sequence[Size]:
        """How much each claim discloses; 1 if its id already says everything."""
        sizes = self.claims.sizes()
        return [RiskSize(1)] * len(self.claims) if sizes is None else sizes

    def covered(self, accepted: Mapping[str, Size], *, stable: bool = False) -> Flags:
        """Return which claims disclose no more than accepted, by id; shape (claims,), bool."""
        said = zip(self.ids(self.claims.everything(), stable=stable), self.sizes, strict=True)
        return np.array([ident in accepted and accepted[ident].covers(size) for ident, size in said], dtype=np.bool_)

    @cached_property
    def _check(self) -> Check:
        return self.claims.check(self.names.evidence)

    def select(self, most: int | None, waived: Places) -> None:
        """Select the first `most` claims (all, if None) that are not waived and have a certificate.

        Raises:
            BrokenCertificateError: a certificate is wrong; this is a bug of the program.
        """
        places = self._worst(None if most is None else most * _TRIES, waived)
        step = len(places) if most is None else most
        taken: list[tuple[str, Finding[int]]] = []
        for start in range(0, len(places), max(step, 1)):
            chosen = places[start : start + step]
            found = zip(chosen.tolist(), self.ids(chosen), self._check(chosen), strict=True)
            lists = most is None and self.names.namer.stable
            taken += [
                (ident, replace(finding, alike=self.alike_ids(place)) if lists else finding)
                for place, ident, finding in found
                if finding is not None
            ]
            if most is not None and len(taken) >= most:
                break
        self.taken = self.claims.in_order(taken[:most], len(self.names.evidence.tags) - 1)

    def _worst(self, most: int | None, waived: Places) -> Places:
        total = len(self.claims) - len(waived)
        most = total if most is None else min(most, total)
        if not most:
            return np.zeros(0, dtype=np.intp)
        # Only claims as bad as the last one shown need an id; if there are many, some are drawn at random.
        near, namer = self.claims.worst(most, waived), self.names.namer
        if len(near) > max(most, _MOST_IDS if namer.stable else _MOST_IDS_ONCE):
            lots = namer.draws.random(len(near))
            near = near[np.lexsort((lots, self.claims.release[near], -self.claims.severity[near]))[:most]]
        risk, release = self.claims.severity[near], self.claims.release[near]
        ids = self.ids(near)
        order = sorted(range(len(near)), key=lambda i: (-risk[i], int(release[i]), ids[i]))
        return near[order[:most]]

    @property
    def findings(self) -> list[Finding[int]]:
        """The selected findings, as codes."""
        return [finding for _, finding in self.taken]

    def mentioned(self) -> Iterable[tuple[str, str]]:
        """Yield the kinds and identifiers of the members and records that the selected findings mention."""
        for finding in self.findings:
            yield from map(self.names.called, finding.mentioned())
            yield from (("record", self.names.record_identifier(record)) for record in finding.records())

    def named(self) -> tuple[Finding[str], ...]:
        """Return the selected findings with names; the namer must know all who are mentioned."""
        return tuple(replace(finding.named(self.names), id=ident) for ident, finding in self.taken)


def selection_of(result: Result[View], namer: Pseudonymizer) -> Selection[Claims] | None:
    """Return the selection from the claims of a result; None if its attack cannot claim anything."""
    names = ReportNames(result.evidence, namer)
    return None if result.claims is None else Selection(result.attack.name, result.claims, names, result.waived)


def selections_of(result: Result[View], namer: Pseudonymizer, limits: Mapping[str, float]) -> list[Selection[Claims]]:
    """Return all selections: from the attack's claims, then from what reaches the limits of clauses."""
    own, names = selection_of(result, namer), ReportNames(result.evidence, namer)
    more = [Selection(result.attack.name, each, names) for each in claims_of(result, limits)]
    return more if own is None else [own, *more]


def gathered(result: Result[View], limits: Mapping[str, float]) -> Result[View]:
    """Return a result with the statistics that the clauses in force need besides the attack's outcome."""
    seen, watch = result.evidence, result.watch
    left_out, truth = partial(changed_values, seen, seen.key), partial(true_values, seen)
    known = ClauseKnowledge(limits, seen.series.grave, listed_values(seen.series), left_out, truth)
    for name in limits:
        result = watch.ask(CLAUSES[name], partial(CLAUSES[name].statistic, result, known), result)
    return replace(result, watch=watch)  # a clause of another package may have returned a new result


def claims_of(result: Result[View], limits: Mapping[str, float]) -> Iterator[Claims]:
    """Yield the parts of a result that reach the limits of clauses, without the attack's own claims."""
    for name, limit in limits.items():
        clause, truth = CLAUSES[name], partial(true_values, result.evidence)
        for question in (partial(clause.claims, result, limit, truth), partial(clause.more_claims, result)):
            claims = result.watch.ask(clause, question, None)
            if claims is not None:
                yield claims


def select_findings(
    results: Sequence[Result[View]],
    namer: Pseudonymizer,
    limits: Mapping[str, float],
    most: int | None,
    budget: Budget,
) -> list[Result[View]]:
    """Return results with the findings that a report shows, at most `most`; the attack's claims come first."""
    chosen: list[list[Selection[Claims]]] = []
    for result in budget.each(list(results)):
        budget.stage(f"choosing findings of {result.attack.name}, with their proofs")
        chosen.append(selections_of(result, namer, limits))
        left = most
        for each in chosen[-1]:
            each.select(left, each.waived)
            left = None if left is None else left - len(each.taken)
    budget.stage("naming whom and what is found")
    namer.assign(one for selections in chosen for each in selections for one in each.mentioned())
    return [
        replace(
            result,
            found=tuple(finding for each in selections for finding in each.findings),
            shown=tuple(finding for each in selections for finding in each.named()),
            total=sum(len(each.claims) - len(each.waived) for each in selections),
        )
        for result, selections in zip(results, chosen, strict=True)
    ]


CertainValue: TypeAlias = tuple[str | None, str, str]
"""An attribute (None if there is only one), a person and the person's value, where values never change."""


class KnownClaims:
    """The claims, and what reached the limits of clauses, in an earlier audit."""

    def __init__(self, results: Sequence[Result[View]], namer: Pseudonymizer, limits: Mapping[str, float]) -> None:
        self._namer, self._limits = namer, limits
        self._known = {
            (result.label, type(each.claims)): each
            for result in results
            for each in selections_of(result, namer, limits)
        }
        # A value that one attack found certain is known, whichever attack finds it again.
        self._certain = {each for result in results for each in certain_values(result)}
        self._views = {result.sensitive: result.evidence for result in results}

    def accepted(self, result: Result[View]) -> Result[View]:
        """Return a later result in which claims that disclose nothing more are accepted; both use one key for ids.

        Equal values are claimed as a chain of pairs through each class, and another chain may say the same. So a pair
        is new only if two classes have become one.
        """
        earlier = self._earlier_names(result)
        for each in selections_of(result, self._namer, self._limits):
            before = self._known.get((result.label, type(each.claims)))
            if before is not None:
                said = dict(zip(before.ids(before.claims.everything()), before.sizes, strict=True))
                renamed = replace(each, names=replace(each.names, instead=earlier))
                known = renamed.covered(said) | each.claims.same_before(before.claims, each.names, before.names)
                result = result.accepting(each.claims, np.flatnonzero(known))
        return result.without(still_certain(result, self._certain, earlier))

    def _earlier_names(self, result: Result[View]) -> dict[str, str]:
        """Return the name that each kind of people had without the last release, by its name.

        One more release splits kinds of people who may be in the data. What was known of a kind is known of each part
        of it, in the same earlier releases.
        """
        now, was = result.evidence, self._views.get(result.sensitive)
        if now.possible_kinds is None or was is None or was.possible_kinds is None:
            return {}
        found = {}
        for kind in now.possible_kinds.kinds.values():
            earlier = tuple(release for release in kind.releases if release < len(was.tags))
            for code in was.possible_kinds.of_person(was.series.person(now.name(kind.person))):
                old = was.possible_kinds.kinds[code]
                if old.releases == earlier:
                    found[kind.name] = old.name
        return found


def certain_values(result: Result[View], instead: Mapping[str, str] | None = None) -> list[CertainValue]:
    """Return what each disclosure of a person's value says, whatever the release; nothing if values may change.

    People have their names in `instead`, where it has one.
    """
    claims, evidence = result.claims, result.evidence
    if claims is None or claims.versions is None or evidence.transitions is not None:
        return []
    names = [evidence.name(person) for person in claims.versions.tolist()]
    return [
        (evidence.attribute(value) or result.sensitive, (instead or {}).get(name, name), evidence.values[value])
        for name, value in zip(names, claims.values().tolist(), strict=True)
    ]


def still_certain(
    result: Result[View], before: Collection[CertainValue], instead: Mapping[str, str] | None = None
) -> Places:
    """Return the indices of the disclosures of values that were certain before: one more release adds nothing new."""
    return np.flatnonzero([each in before for each in certain_values(result, instead)]) if before else NOWHERE


def republished(releases: HeldSeries, position: int) -> int | None:
    """Return the latest earlier release with the same rows, people and groups, whatever the names of the groups."""
    own = _groups(releases, position)
    return next((each for each in reversed(range(position)) if _groups(releases, each) == own), None)


def repeated_claims(result: Result[View], position: int, earlier: int) -> Places:
    """Return the indices of the claims about rows that a republished release repeats from the earlier one.

    None, unless all claims of the earlier release are waived. If record ids link rows, claims about classes of records
    also follow from the releases in between.
    """
    claims = result.claims
    if claims is None or not claims.counts_rows or (result.evidence.records is not None and earlier < position - 1):
        return NOWHERE
    left = claims.release[result.left]
    return NOWHERE if (left == earlier).any() else np.flatnonzero(claims.release == position)


def _groups(releases: HeldSeries, position: int) -> Counter[object]:
    """Return the contents of the groups of a release: published cells and people by row, and a pair's values."""
    series, release = releases.series, releases.keyed[position]
    files, columns, problems = series.manifest.releases[position], series.manifest.columns, Problems()
    own = [*columns.sensitive, columns.count] if release.values_by_row else []
    wanted = [name for name in (*columns.quasi_identifiers, *own, columns.record) if name is not None]
    table = series.adjustments(files.tag).read(files.rows, files.shown, wanted, problems)
    problems.check()
    if table is None or (wanted and table.rows != release.rows):
        return Counter([position])
    person = [None] * release.rows if release.person is None else release.person.tolist()
    held: defaultdict[int, list[object]] = defaultdict(list)
    for group, *row in zip(release.group.codes.tolist(), person, *map(table.texts, wanted), strict=True):
        held[group].append(row)
    if not release.values_by_row:
        entries = [each.tolist() for each in release.entry_value.values()]
        entries += [] if release.entry_count is None else [release.entry_count.tolist()]
        for group, *values in zip(release.entry_group.tolist(), *entries, strict=True):
            held[group].append(values)
    return Counter(repr(sorted(each, key=repr)) for each in held.values())


def ladder(judged: Sequence[Result[View]]) -> tuple[LadderStep, ...]:
    """Return the attacks that find people's values, in order, each with the number of people it finds first.

    Waived claims count, because accepting a claim does not change which attack finds the person first.
    """
    known_before: dict[str | None, Flags] = {}
    rungs = []
    for entry in judged:
        people = certain_people(replace(entry, waived=NOWHERE))
        if people is None:
            continue
        before = known_before.get(entry.sensitive, np.zeros(0, dtype=np.bool_))
        here = flagged(people, max(len(before), int(people.max(initial=-1)) + 1))
        count, before_it = map(entry.evidence.count_people, (here, before))
        here[: len(before)] |= before
        known_before[entry.sensitive] = here
        so_far = entry.evidence.count_people(here)
        rungs.append(
            LadderStep(
                entry.attack.name,
                entry.sensitive,
                people=count,
                beyond=so_far - before_it,
                so_far=so_far,
                seconds=round(entry.seconds, 6),
            )
        )
    return tuple(rungs)


def people_found(entry: Result[View]) -> int | None:
    """Return how many people have a certain value, without waived claims; None if the result is not about people."""
    people = certain_people(entry)
    return None if people is None else entry.evidence.count_people(np.bincount(people) > 0)


def people_at_once(entry: Result[View]) -> int | None:
    """Return how many of these people can be in the data at once, at most; None if presence is known."""
    people, kinds = certain_people(entry), entry.evidence.possible_kinds
    return None if people is None or kinds is None else kinds.at_once(people)


def certain_people(entry: Result[View]) -> Codes | None:
    """Return the people with certain values, perhaps with repetitions, without waived claims; None if unknown."""
    claims = entry.claims
    return None if claims is None else claims.certain_people(entry.waived)


def exposure(judged: Sequence[Result[View]]) -> tuple[Exposure, ...]:
    """Return how many people each attack exposes, in the order of the attacks.

    Waived claims count: to accept a risk does not make it smaller.
    """
    found = []
    for entry in judged:
        outcome, risks = entry.outcome, entry.outcome.risks
        if not outcome.ran or not entry.attack.per_attribute or outcome.alone is not None:
            continue
        by_risk = None
        if (
            risks is not None
            and not risks.missing
            and outcome.claims is not None
            and outcome.claims.versions is not None
        ):
            by_risk = _people_by_risk(entry.evidence, risks)
        exposed = _after_release(entry)
        if by_risk is not None or exposed is not None:
            found.append(Exposure(entry.attack.name, entry.sensitive, by_risk, exposed))
    return tuple(found)


def _after_release(entry: Result[View]) -> tuple[int, ...] | None:
    """Return the number of people found after each release; None if the attack does not count people."""
    outcome, seen, claims = entry.outcome, entry.evidence, entry.claims
    timeline = outcome.measures.timeline
    if outcome.exposed is not None and seen.possible_kinds is None:
        return outcome.exposed
    people = None if claims is None else claims.versions
    of_kinds = seen.possible_kinds is not None and people is not None  # a kind stands for all who look alike
    if not isinstance(timeline, list) or not (of_kinds or outcome.measures.subjects_label is PEOPLE):
        return None
    if seen.possible_kinds is None or claims is None or people is None:
        return tuple(timeline) if outcome.measures.subjects is not None else None
    found = (np.bincount(people[claims.release <= at]) > 0 for at in range(len(timeline)))
    return tuple(map(seen.count_people, found))


def _people_by_risk(seen: View, risks: Risks) -> tuple[int, ...]:
    """Return the number of people by their highest risk, in tenths, and of exactly 1."""
    highest = np.full(int(risks.person.max(initial=-1)) + 1, -1, dtype=np.int8)
    known = ~np.isnan(risks.risk)
    np.maximum.at(highest, risks.person[known], tenth_of(risks.risk[known]).astype(np.int8))
    at_least = [*(seen.count_people(highest >= tenth) for tenth in range(11)), 0]
    return tuple(more - less for more, less in pairwise(at_least))


def found_people(results: Sequence[Result[View]], limits: Mapping[str, float]) -> tuple[FoundPerson, ...]:
    """Return the people in shown findings, each once for each attribute, in the order of the findings.

    The reasons list all attacks by which a value of the person is certain or reaches a limit, whether or not the
    finding is shown.
    """
    ids: dict[tuple[str | None, int], list[str]] = {}
    names: dict[int, str] = {}
    for entry in results:
        for finding, shown in zip(entry.found, entry.shown, strict=True):
            if (person := finding.person) is not None:
                ids.setdefault((entry.sensitive, person), []).append(shown.id)
                names.setdefault(person, shown.subject)
    reasons: dict[tuple[str | None, int], list[str]] = {key: [] for key in ids}
    for entry in results:
        people = [certain_people(entry), *(each.person for each in claims_of(entry, limits))]
        wanted = np.array([person for sensitive, person in ids if sensitive == entry.sensitive], dtype=np.int64)
        for some in people:
            for person in [] if some is None else wanted[np.isin(wanted, some)].tolist():
                mine = reasons[entry.sensitive, person]
                if entry.attack.name not in mine:
                    mine.append(entry.attack.name)
    return tuple(
        FoundPerson(names[person], sensitive, tuple(reasons[sensitive, person]), tuple(found))
        for (sensitive, person), found in ids.items()
    )
