"""Running an audit: evidence to attacks, outcomes to scores, scores to a decision, all of it to a report."""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt

from audit.core.budget import Budget
from audit.core.engine import Engine, Local, cores
from audit.core.errors import UsageError
from audit.core.evidence import AdversaryKind, Evidence
from audit.core.interrupting import still_heard
from audit.core.outcome import Attack, Finding, PerPerson, Places
from audit.core.report import (
    AdversaryFacts,
    AttackReport,
    Contradictions,
    Input,
    PolicyReport,
    ReleasePanel,
    Report,
    SeriesFacts,
    Undecided,
    Waived,
)
from audit.describing import Descriptions, facts, rows_of_files
from audit.linking.gathering import gather
from audit.linking.linked import LinkedSource
from audit.ranges import Ranges
from audit.reading.series import Series
from audit.reading.tables import count_rows
from audit.verdict import policy
from audit.verdict.findings import AnyShelf, shelve
from audit.verdict.ladder import ladder
from audit.verdict.naming import Namer
from audit.verdict.policy import Judged
from audit.verdict.scoring import Scored, changed_values, score

_HIDDEN = "the reason is shown with --reveal"
Shelves = Sequence[AnyShelf | None]
Flags = npt.NDArray[np.bool_]
Watch = Callable[[str], Callable[[int, int], None] | None]


@dataclass(frozen=True)
class Options:
    """How to audit.

    Attributes:
        adversary: whom to assume; the worst case that the series allows when None.
        limits: clauses of the policy that replace those of the manifest.
        time_limit: seconds per attack and sensitive attribute; None is without limit.
        findings: how many findings to show of each attack; None for all.
        reveal: whether to name people.
        named: whether the attacks were asked for by name.
        watch: given an attack's name, returns who is told of its progress.
        engine: where attacks have their work done.
        apart: whether releases too are read there, and people attacked in ranges.
        today: the date at which waivers are judged.
    """

    adversary: AdversaryKind | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    time_limit: float | None = 300.0
    findings: int | None = 20
    reveal: bool = False
    named: bool = False
    watch: Watch = lambda _: None
    engine: Engine = field(default_factory=lambda: Local(cores()))
    apart: bool = False
    today: datetime.date = field(default_factory=datetime.date.today)


@dataclass(frozen=True)
class Attacked:
    """A series with what some attacks found out of it, not yet told: each result with the evidence that it is from.

    `changed` tells for each evidence, by person code, whose own published values contradict the assumptions.
    """

    series: Series
    evidence: Sequence[Evidence]
    changed: Sequence[Flags]
    judged: list[tuple[Evidence, Judged]]
    facts: SeriesFacts
    inputs: tuple[Input, ...]
    panel: tuple[ReleasePanel, ...]

    def shelves(self, namer: Namer) -> Shelves:
        """Return what each result claims; None where nothing can be."""
        return [_shelf(seen, entry, namer) for seen, entry in self.judged]


def run_audit(series: Series, attacks: Sequence[Attack], options: Options) -> Report:
    """Return the report of some attacks on a series.

    Raises:
        InputError, UsageError: as for `attack`.
    """
    return tell(attack(series, attacks, options), Namer(series, reveal=options.reveal), options)


def attack(series: Series, attacks: Sequence[Attack], options: Options) -> Attacked:
    """Run some attacks on a series.

    Raises:
        InputError: the series cannot be read, or contradicts its register or known values.
        UsageError: no attack applies, or one that was asked for by name does not.
    """
    limits = _limits(series, options)
    attacks = [each.under(limits) for each in attacks]
    evidence = gather(series, options.adversary, records=any(not each.per_attribute for each in attacks))
    source = evidence[0].source
    if not isinstance(source, LinkedSource):
        raise TypeError("this evidence does not come from a series")
    apart = options.apart and evidence[0].kind != "pseudonym" and any(isinstance(each, PerPerson) for each in attacks)
    paths = _inputs(series, options)
    with ThreadPoolExecutor(1) as thread:
        hasher = options.engine if options.apart else thread
        digests = {name: hasher.submit(_digest, path) for name, path in paths.items()}
        ranges = Ranges(series, evidence, options.engine) if apart else None
        descriptions = Descriptions(source)
        judged = [
            (seen, Judged(each, _sensitive(each, seen, evidence), _attack(each, seen, options, ranges)))
            for seen in evidence
            for each in attacks
            if each.per_attribute or seen is evidence[0]
        ]
        _check_applies([entry for _, entry in judged], named=options.named)
        described = descriptions.all() if ranges is None else ranges.described
        rows = rows_of_files(series, described)
        inputs = tuple(
            Input(name, digest.result(), rows[name] if name in rows else count_rows(paths[name]))
            for name, digest in digests.items()
        )
        present = source.releases.present() if ranges is None else ranges.present
    panel = tuple(one for each in described for one in each.panel)
    changed = _changed(evidence, ranges)
    return Attacked(series, evidence, changed, judged, facts(source, present, described), inputs, panel)


def _limits(series: Series, options: Options) -> dict[str, float]:
    return {**policy.DEFAULTS, **series.manifest.policy, **options.limits}


def _sensitive(attack: Attack, seen: Evidence, evidence: Sequence[Evidence]) -> str | None:
    return seen.sensitive if len(evidence) > 1 and attack.per_attribute else None


def _attack(attack: Attack, evidence: Evidence, options: Options, ranges: Ranges | None) -> Scored:
    start = time.perf_counter()
    budget = Budget(options.time_limit, options.watch(attack.ident), options.engine)
    with still_heard():
        if ranges is not None and isinstance(attack, PerPerson):
            scored = ranges.attack(attack, evidence, budget)
        else:
            scored = score(evidence, attack.run(evidence, budget), budget)
    return Scored(scored.outcome, scored.risks, time.perf_counter() - start)


def _changed(evidence: Sequence[Evidence], ranges: Ranges | None) -> list[Flags]:
    """Return, for each evidence, by person code, whose own published values contradict the assumptions."""
    found = []
    for seen in evidence:
        changed = None if ranges is None else ranges.changed(seen)
        if changed is None and seen.kind != "pseudonym":
            changed = changed_values(seen)
        found.append(np.zeros(0, dtype=np.bool_) if changed is None else changed)
    return found


def _check_applies(judged: Sequence[Judged], *, named: bool) -> None:
    skipped: dict[str, list[str]] = {}
    for entry in judged:
        if entry.scored.outcome.status == "skipped":
            skipped.setdefault(str(entry.scored.outcome.reason), []).append(entry.attack.ident)
    reasons = "; ".join(f"{', '.join(dict.fromkeys(idents))}: {reason}" for reason, idents in skipped.items())
    if reasons and named:
        raise UsageError(f"an attack that was asked for does not apply - {reasons}; leave it out, or add what it needs")
    if sum(len(idents) for idents in skipped.values()) == len(judged):
        raise UsageError(f"no attack applies to this series - {reasons}; add what they need to the manifest")


def tell(attacked: Attacked, namer: Namer, options: Options) -> Report:
    """Return what attacks found out as a report."""
    series, evidence, shelves = attacked.series, attacked.evidence, attacked.shelves(namer)
    entries, waived = _waive(series, [entry for _, entry in attacked.judged], shelves, namer, options)
    contradictions = _contradictions(evidence, attacked.changed, entries)
    return Report(
        tool_version=version("series-audit"),
        inputs=attacked.inputs,
        series=attacked.facts,
        adversary=AdversaryFacts(
            evidence[0].kind, evidence[0].transitions is not None, max(seen.known for seen in evidence)
        ),
        attacks=_attack_reports(series, entries, shelves, namer, options),
        contradictions=contradictions,
        policy=_decide(series, evidence, entries, waived, contradictions, options),
        time_limit=options.time_limit,
        revealed=options.reveal,
        ids_are_stable=namer.stable,
        ladder=ladder(entries),
        panel=attacked.panel,
    )


def told_of(
    attacked: Attacked, hidden: Sequence[Places], namer: Namer, options: Options
) -> tuple[tuple[AttackReport, ...], list[Sequence[Finding]], list[Places]]:
    """Return what attacks found less the claims that are hidden, and less those that are waived, at some places.

    Each attack's findings are returned as they are told and as codes; then the places of all claims that are left.
    """
    series, shelves = attacked.series, attacked.shelves(namer)
    entries, _ = _waive(series, [entry for _, entry in attacked.judged], shelves, namer, options)
    less = [
        replace(entry, waived=np.union1d(entry.waived, places).astype(np.intp))
        for entry, places in zip(entries, hidden, strict=True)
    ]
    reports = _attack_reports(series, less, shelves, namer, options)
    findings: list[Sequence[Finding]] = [() if shelf is None else shelf.findings for shelf in shelves]
    left = [
        np.delete(np.arange(0 if shelf is None else len(shelf.claims)), entry.waived)
        for shelf, entry in zip(shelves, less, strict=True)
    ]
    return reports, findings, left


def _shelf(seen: Evidence, entry: Judged, namer: Namer) -> AnyShelf | None:
    claims = entry.scored.outcome.claims
    return None if claims is None else shelve(entry.attack.ident, seen, claims, namer)


def _waive(
    series: Series, judged: list[Judged], shelves: Shelves, namer: Namer, options: Options
) -> tuple[list[Judged], list[Waived]]:
    """Return the results with their waived claims marked, and what became of each waiver."""
    waivers = series.manifest.waivers
    if not waivers:
        return judged, []
    ids = [[] if shelf is None else shelf.ids(np.arange(len(shelf.claims))) for shelf in shelves]
    present = frozenset(ident for some in ids for ident in some)
    applied, told = policy.sort_waivers(waivers, present, options.today, stable=namer.stable)
    gone = [[place for place, ident in enumerate(some) if ident in applied] for some in ids]
    marked = [replace(entry, waived=np.array(some, dtype=np.intp)) for entry, some in zip(judged, gone, strict=True)]
    # A reason may name people.
    return marked, told if options.reveal else [replace(each, reason=_HIDDEN) for each in told]


def _attack_reports(
    series: Series, judged: Sequence[Judged], shelves: Shelves, namer: Namer, options: Options
) -> tuple[AttackReport, ...]:
    for entry, shelf in zip(judged, shelves, strict=True):
        if shelf is not None:
            shelf.take(options.findings, entry.waived)
    named = [_named(series, entry) for entry in judged]
    mentioned = [one for shelf in shelves if shelf is not None for one in shelf.mentioned()]
    namer.introduce([*mentioned, *(("person", name) for names in named for name in names.values())])
    return tuple(
        AttackReport(
            attack=entry.attack.ident,
            sensitive=entry.sensitive,
            status=entry.scored.outcome.status,
            reason=entry.scored.outcome.reason,
            seconds=round(entry.scored.seconds, 6),
            measures={**entry.scored.measures, **{key: namer.call("person", name) for key, name in names.items()}},
            findings=() if shelf is None else shelf.told(),
            findings_total=0 if shelf is None else len(shelf.claims) - len(entry.waived),
        )
        for entry, shelf, names in zip(judged, shelves, named, strict=True)
    )


def _named(series: Series, entry: Judged) -> dict[str, str]:
    """Return the measures of an attack that are people, by their identifiers."""
    return {key: series.people.name(code) for key, code in entry.scored.outcome.people.items()}


def _contradictions(evidence: Sequence[Evidence], changed: Sequence[Flags], judged: Sequence[Judged]) -> Contradictions:
    by_name = {seen.sensitive: people for seen, people in zip(evidence, changed, strict=True)}
    infeasible = 0
    for entry in judged:
        risks = entry.scored.risks
        if risks is not None:
            lost = np.unique(risks.person[np.isnan(risks.risk)])
            own = by_name[entry.sensitive or evidence[0].sensitive]
            infeasible = max(infeasible, int((~own[lost]).sum()))
    return Contradictions(sum(int(people.sum()) for people in changed), infeasible)


def _decide(
    series: Series,
    evidence: Sequence[Evidence],
    judged: Sequence[Judged],
    waived: Sequence[Waived],
    contradictions: Contradictions,
    options: Options,
) -> PolicyReport:
    limits = _limits(series, options)
    violations, undecided, not_asked = policy.decide(limits, judged, evidence, all_attacks=not options.named)
    for clause in sorted(set(not_asked) & set(options.limits)):
        undecided.append(Undecided(clause, "no attack that was asked for decides it"))
        not_asked.remove(clause)
    if _linked_values(series, evidence, judged) and not any(each.measure == "max_risk" for each in violations):
        what = "the series publishes record ids, which link a record's values over the releases"
        undecided.append(Undecided("max_risk", f"{what}; no attack of this version follows a person's value by them"))
    if contradictions:
        undecided.append(Undecided("assumptions", "people's own published values contradict them"))
    return policy.policy_report(limits, (violations, undecided, not_asked), waived)


def _linked_values(series: Series, evidence: Sequence[Evidence], judged: Sequence[Judged]) -> bool:
    """Tell whether record ids tell more of people's values than the attacks used that judged them.

    The same id stands beside the same person's value in each release: of the rows of a person's groups, only those
    whose record is in all of them can be the person's.
    """
    about_values = any(
        "max_risk" in entry.attack.decides and entry.scored.outcome.status != "skipped" for entry in judged
    )
    several = len(series.tags) > 1 and series.manifest.columns.record is not None
    return several and about_values and all(seen.kind != "pseudonym" for seen in evidence)


def _inputs(series: Series, options: Options) -> dict[str, Path]:
    """Return the files to fingerprint; a register's or known values' fingerprint could confirm a guess of them."""
    manifest, paths = series.manifest, dict[str, Path]()
    for release in manifest.releases:
        paths[release.shown] = release.rows
        if release.values is not None:
            paths[release.values_shown] = release.values
        name = manifest.counterfeits.get(release.tag)
        paths |= {} if name is None else {name: manifest.folder / name}
    names = [manifest.transitions, *([manifest.register, manifest.known] if options.reveal else [])]
    return paths | {name: manifest.folder / name for name in names if name}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
