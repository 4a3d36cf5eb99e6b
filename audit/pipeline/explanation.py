"""Explain one person, or one record: run the attacks on all, and return the results about this one.

If the adversary knows no people, the rows that the key or the record id shows are judged by the classes that hold them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.adversary.held_series import record_of
from audit.adversary.known_groups import PossibleKind
from audit.adversary.view import View, choose
from audit.io import manifest
from audit.io.rules.rows_and_values import EPISODES, SeveralRows
from audit.io.series import Series
from audit.judgement.check_disclosure import Checker
from audit.judgement.check_record import about_rows
from audit.judgement.pseudonyms import find, identifier_of, judged_as
from audit.judgement.published_rows import published_by
from audit.judgement.selection import claims_of
from audit.model.adversary import ADVERSARIES, PSEUDONYM
from audit.model.arrays import Codes, Places
from audit.model.audit_options import AuditOptions
from audit.model.command_results import Explained, ExplainedVersion, Explanation, Said, Share
from audit.model.errors import UsageError
from audit.model.outcome import Attack, Outcome, Result
from audit.model.report import Report
from audit.pipeline.attack_run import AuditRun, run_attacks
from audit.pipeline.audit_run import build_report, pseudonymizer
from audit.runtime.budget import Budget
from audit.runtime.phrases import printable, say


def explain_person(
    series: Series, attacks: Sequence[Attack], individual: str, options: AuditOptions, *, is_record: bool = False
) -> tuple[Explanation, Report]:
    """Return what attacks find about one person, or about the record with this id, and the report; both name people.

    Raises:
        UsageError: there is no such person or record, the series does not say who is in it, or no attack is about
            values.
        InputError: the series cannot be read.
    """
    if is_record:
        options = replace(options, adversary=PSEUDONYM.name)
    known = ADVERSARIES[choose(series, options.adversary)].knows_people
    if not (known or is_record or series.columns.rules[SeveralRows].choice == EPISODES):
        keys = say("[columns] individual, or a key file for each release; or [adversary] register")
        what = say("the series does not say who is in it; add {keys}", keys=keys)
        if series.manifest.columns.record is not None:
            what = say("{what}; or name a record with --record ID", what=what)
        raise UsageError(f"{manifest.NAME}: {what}")
    # A waiver does not keep an adversary from learning a value.
    series.manifest = replace(series.manifest, waivers=())
    chosen = [attack for attack in attacks if attack.per_attribute]
    if not chosen:
        what = say("this attack is not about people; name an attack on people's values")
        raise UsageError(f"--attack: {what}")
    revealing = replace(options, findings=None, reveal=True)
    namer = pseudonymizer(series, revealing)
    attacked = run_attacks(series, chosen, revealing, individual=individual if known else None)
    limits, views = attacked.limits, attacked.evidence
    person = find(views, individual) if known else {}
    rows = _rows_of(views[0], individual, is_record=is_record)
    if not known and not any(map(len, rows)):
        option, where = ("--record", say("the releases")) if is_record else ("--individual", say("the keys"))
        what = say("{id} is not in {where}; write it exactly as it is there", id=printable(individual), where=where)
        raise UsageError(f"{option}: {what}")
    namer.stand_in = dict(_stand_ins(views, identifier_of(series, individual), person))
    results = [_about(each, person.get(each.evidence.sensitive, -1), rows, limits) for each in attacked.results]
    attacked = replace(attacked, results=results)
    report = replace(build_report(attacked, namer), about=individual)
    explained = _explanation(report, attacked, individual, person, options.time_limit)
    if not known:
        explained = replace(explained, explained=tuple(_explained_rows(view, rows, report) for view in views))
    return replace(explained, not_judged=_not_judged(views[0])), report


def _rows_of(view: View, individual: str, *, is_record: bool) -> list[Places]:
    """Return the rows of a person by the keys, or those of a record, of each release; empty if they are not known."""
    held, series = view.held, view.series
    if is_record:
        code = held.names.find(individual.strip())
        return [np.flatnonzero(record_of(seen) == code) for seen in held.seen]
    code = series.person(identifier_of(series, individual))
    owners = (keyed.person if keyed.owner is None else keyed.owner for keyed in held.keyed)
    return [np.zeros(0, np.intp) if who is None or code < 0 else np.flatnonzero(who == code) for who in owners]


def _not_judged(view: View) -> str | None:
    """Return what is not used that may disclose more about a person."""
    if view.unfollowed is not None:
        return say("what record ids disclose beside the groups of people ({reason})", reason=view.unfollowed)
    if view.series.columns.rules[SeveralRows].choice == EPISODES:
        return say("what several rows or releases disclose together about one person")
    return None


def _about(result: Result[View], person: int, rows: Sequence[Places], limits: Mapping[str, float]) -> Result[View]:
    """Return a result without findings about other people, or about classes without the person's rows."""
    own = [] if result.claims is None else [result.claims]
    for claims in [*own, *claims_of(result, limits)]:
        if claims.counts_rows:
            others = np.flatnonzero(~about_rows(claims.certify(claims.everything()), result.evidence, rows))
        elif claims in own:
            continue  # the attack was asked about this person
        else:
            others = claims.everything() if claims.person is None else np.flatnonzero(claims.person != person)
        result = result.accepting(claims, others)
    return result


def _explained_rows(view: View, rows: Sequence[Places], report: Report) -> Explained:
    """Return the classes of some rows, and the findings about them."""
    said = tuple(
        Said(each.attack, each.status, each.reason, each.findings)
        for each in report.attacks
        if each.ran and each.sensitive in {None, view.sensitive}
    )
    versions = tuple(_row(view, at, row) for at, places in enumerate(rows) for row in places.tolist())
    absent = tuple(tag for tag, places in zip(view.tags, rows, strict=True) if not len(places))
    return Explained(view.sensitive, versions, absent, said)


def _row(view: View, position: int, row: int) -> ExplainedVersion:
    """Return a row, and how often its class has each value."""
    published, release = view.source.published(position), view.held.seen[position].release
    place = int(published.place[row])
    bag, value, count = published.contents
    mine = bag == place
    often = np.bincount(value[mine], weights=None if count is None else count[mine])
    values = sorted(np.flatnonzero(often).tolist(), key=lambda code: (-often[code], view.values[code]))
    shares = (Share("homogeneity", view.values[code], float(often[code] / often.sum())) for code in values)
    truth = view.values[release.entry_value[view.sensitive][row]] if release.values_by_row else None
    [group] = view.source.published_names(position, published.group[place : place + 1])
    texts = tuple(sorted(view.values[code] for code in values))
    return ExplainedVersion(view.tags[position], (group,), texts, None, None, None, None, tuple(shares), None, truth)


def _explanation(
    report: Report, run: AuditRun, individual: str, person: Mapping[str, int], seconds: float | None
) -> Explanation:
    """Return the explanation of one person.

    Args:
        report: the report of the attacks about this person alone.
        run: the run of the attacks.
        individual: the person's identifier.
        person: the person's code in the evidence of each attribute.
        seconds: the time limit for each risk; None means no limit.
    """
    explained, views = [], run.evidence
    found = {(each.evidence.sensitive, each.attack.name): each.of_all for each in run.results}
    for sensitive in dict.fromkeys(name for name, _ in found if name in person):
        mine = {name: all_ for (of, name), all_ in found.items() if of == sensitive and all_ is not None}
        said = tuple(
            Said(attack.attack, attack.status, attack.reason, attack.findings)
            for attack in report.attacks
            if attack.sensitive in {None, sensitive} and attack.attack in _worth_telling(mine)
        )
        [view] = [each for each in views if each.sensitive == sensitive]
        explained.append(_Person(view, mine, person[sensitive], seconds).explained(said))
    asked = identifier_of(views[0].series, individual)
    also = dict.fromkeys(name for view in views for name in judged_as(view, asked) if name != asked)
    alike = max((kind.alike for kind in _kinds_of(views, person)), default=1)
    return Explanation(report.series.name, individual, report.adversary, tuple(explained), tuple(also), alike - 1)


def _kinds_of(views: Sequence[View], person: Mapping[str, int]) -> Iterator[PossibleKind]:
    """Yield the kinds in which people who may be in the data are judged, given their codes by attribute."""
    for view in views:
        if view.possible_kinds is not None and view.sensitive in person:
            yield view.possible_kinds.kinds[person[view.sensitive]]


def _stand_ins(views: Sequence[View], individual: str, person: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the person who represents the explained one, and the explained one without a set of releases."""
    series = views[0].series
    for kind in _kinds_of(views, person):
        represented = series.people.name(kind.person)
        suffix = kind.name[len(represented) :].strip()
        yield represented, individual.removesuffix(suffix).strip() if suffix else individual


def _worth_telling(seen: Mapping[str, Outcome]) -> list[str]:
    """Return the attacks that apply, without `update-graph` if values never change: it then equals `intersection`."""
    ran = [name for name, each in seen.items() if each.ran]
    return [name for name in ran if name != "update-graph" or "intersection" not in ran]


class _Person:
    """One person's versions as attacks on one sensitive attribute see them."""

    def __init__(self, view: View, seen: Mapping[str, Outcome], code: int, seconds: float | None) -> None:
        self.evidence, self.code = view, code
        self.published = published_by(view)
        self.steps = {step.release: step for step in Checker(self.published).own(self.code)}
        self.joint = seen.get("joint")
        self.shares = {name: self._shares(seen[name], seconds) for name in _worth_telling(seen)}

    def explained(self, said: tuple[Said, ...]) -> Explained:
        """Return what is known about each version."""
        absent = tuple(tag for at, tag in enumerate(self.evidence.tags) if at not in self.steps)
        return Explained(self.evidence.sensitive, tuple(map(self._version, self.steps)), absent, said)

    def _version(self, release: int) -> ExplainedVersion:
        values, step = self.evidence.values, self.steps[release]
        known, truth = self.published.known(self.code, release), self._truth(release)
        together, left_open = self._together(release)
        shares = [
            Share(attack, values[value], risk)
            for attack, found in self.shares.items()
            for (at, value), risk in sorted(found.items(), key=lambda one: (-one[1], values[one[0][1]]))
            if at == release
        ]
        return ExplainedVersion(
            self.evidence.tags[release],
            step.groups,
            self._texts(step.candidates),
            self._texts(step.feasible or ()),
            None if together is None else self._texts(together),
            None if together is None else self._texts(set(step.feasible or ()) - set(together)),
            None if left_open is None else self._texts(left_open),
            tuple(shares),
            None if known is None else values[known],
            None if truth is None else values[truth],
        )

    def _together(self, release: int) -> tuple[Sequence[int] | None, Sequence[int] | None]:
        """Return the values that remain if all people are considered together, and those of them that are undecided."""
        if self.joint is None:
            return None, None
        knowing, claims = self.joint.knowing, self.joint.claims
        if knowing is not None:
            return knowing.possible(self.code, release), knowing.open(self.code, release)
        if claims is None or claims.versions is None:
            return None, None
        certain = claims.values()[(claims.versions == self.code) & (claims.release == release)].tolist()
        return (certain, ()) if certain else (None, None)

    def _shares(self, outcome: Outcome, seconds: float | None) -> dict[tuple[int, int], float]:
        """Return the probability of each value by release and value; empty if the attack has none."""
        found: dict[tuple[int, int], float] = {}
        if outcome.model is None:
            return found
        for value in {value for step in self.steps.values() for value in step.feasible or ()}:
            risks = outcome.model.risks(_AskFor(self.evidence, self.code, value), Budget(seconds))
            if risks is None:
                return {}
            for place in np.flatnonzero((risks.person == self.code) & ~np.isnan(risks.risk)).tolist():
                at = int(risks.release[place])
                found.update({(each, value): float(risks.risk[place]) for each in (self.steps if at < 0 else [at])})
        return found

    def _truth(self, release: int) -> int | None:
        """Return the person's own value if the key has it; None if the value is known beforehand."""
        values = self.evidence.key.of_versions(release)
        place = np.flatnonzero(self.evidence.pools(release).person == self.code)
        if values is None or not len(place) or values[place[0]] < 0:
            return None
        return int(values[place[0]])

    def _texts(self, codes: Iterable[int]) -> tuple[str, ...]:
        return tuple(sorted(self.evidence.values[code] for code in codes))


@dataclass(frozen=True)
class _AskFor:
    """Asks for the probability of a value for one person, and of the likeliest value for all others."""

    evidence: View
    person: int
    value: int

    def of_versions(self, release: int) -> Codes:
        """Return the value to ask for, for each person in the order of the release's pools."""
        return np.where(self.evidence.pools(release).person == self.person, self.value, -1).astype(np.int32)

    def of_people(self) -> Codes:
        """Return the value to ask for, by person code."""
        asked = np.full(self.evidence.series.people.size, -1, dtype=np.int32)
        asked[self.person] = self.value
        return asked
