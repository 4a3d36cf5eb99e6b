"""Warnings of a report about irregular files, a baseline, a register or known values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from audit.adversary.view import View, build_evidence, handed
from audit.io.irregularities import irregularities
from audit.io.naming import names_waves
from audit.io.paths import is_there
from audit.io.rules.rows_and_values import Similar, Unlinkable
from audit.io.series import Series
from audit.io.toml import toml_key
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.scoring import listed_values
from audit.model.outcome import PerPersonAttack, Result
from audit.model.report import MisreadWarning, ReportWarning
from audit.pipeline.attack_run import AuditRun
from audit.runtime.phrases import Noun, figure, in_quotes, joined, parted, printable, say, say_count

_COLUMNS_SHOWN = 6
_MANY_COUNTERFEITS = 0.1


def report_warnings(run: AuditRun, namer: Pseudonymizer) -> tuple[ReportWarning, ...]:
    """Return the warnings of a report."""
    return (
        *_baseline_warnings(run, namer),
        *irregularities(run.series, reveal=run.options.reveal),
        *_file_warnings(run),
        *_known_warnings(run),
        *_key_warnings(run),
        *_wave_warnings(run.series),
        *_register_warnings(run),
        *_harmless_warnings(run.series, run.results),
    )


def _baseline_warnings(run: AuditRun, namer: Pseudonymizer) -> Iterator[ReportWarning]:
    """Yield a warning if findings of the baseline cannot be recognised because the key of their ids is missing."""
    if run.options.baseline is not None and not namer.keyed:
        what = say(
            "the key of the baseline's ids, private/finding.key, is missing, so all findings count as new; put it back"
        )
        yield ReportWarning("baseline", what)


def _file_warnings(run: AuditRun) -> Iterator[ReportWarning]:
    """Yield warnings about files with the same content and about many counterfeits."""
    by_hash: dict[str, list[str]] = {}
    for each in run.inputs:
        by_hash.setdefault(each.sha256, []).append(each.path)
    twice = tuple(" = ".join(paths) for paths in by_hash.values() if len(paths) > 1)
    if twice:
        what = say("files have the same content; publish each release once, or correct the manifest")
        yield ReportWarning("duplicates", what, twice)
    share, rows = run.facts.counterfeits, run.facts.rows
    if share > _MANY_COUNTERFEITS * rows:
        what = say(
            "{share} of the rows are counterfeits; users of the series cannot tell them from people",
            share=figure(share / rows, ".0%"),
        )
        yield ReportWarning("counterfeit-share", what)


def _known_warnings(attacked: AuditRun) -> Iterator[ReportWarning]:
    """Yield warnings about known values that are not used, or that are certain even without being known."""
    series, adversary = attacked.series, attacked.evidence[0].adversary
    if series.manifest.known is None:
        return
    if not adversary.knows_people:
        what = say(
            "the values in {file} are not used, because the adversary `{name}` knows nobody by name; add a key or a "
            "register, or leave `known` out",
            file=series.manifest.known,
            name=adversary.name,
        )
        yield ReportWarning("known", what)
        return
    people = _disclosed(attacked)
    if people:
        what = say_count(
            "{count} [person is|people are] not counted because [the value is|their values are] known, but [it|these] "
            "could be found, too: also audit without `known`",
            people,
        )
        yield ReportWarning("known", what)


_UNLISTED = Noun(
    "{count} [row has|rows have] no identifier in [its|their] key, and [is|are] judged as [the row of an unknown "
    "person|rows of unknown people]"
)


def _key_warnings(attacked: AuditRun) -> Iterator[ReportWarning]:
    """Yield a warning about rows whose key does not say whose they are."""
    series, held = attacked.series, attacked.evidence[0].held
    manifest, unlisted = series.manifest, [int(release.unknown.sum()) for release in held.keyed]
    keys = [(each, manifest.key_path(each)) for each in manifest.releases]
    files = [manifest.shown(path) if is_there(path) else each.shown for each, path in keys]
    places = zip(files, unlisted, held.keyed, strict=True)
    if examples := tuple(f"{file}: {count:,} / {release.rows:,}" for file, count, release in places if count):
        yield ReportWarning("key", _UNLISTED.counted(sum(unlisted)), examples)


def _wave_warnings(series: Series) -> Iterator[ReportWarning]:
    """Yield a warning for files whose rows an unlinkable column divides into waves, in which people come again.

    It is named like a wave, and the texts of another unlinkable column repeat, but never in one wave.
    """
    declared = series.columns.rules[Unlinkable].columns
    waves = [*filter(names_waves, declared)]
    for files in series.manifest.releases if waves else ():
        table = None if files.by else series.adjustments(files.tag).read_there(files.rows, files.shown, declared)
        coded = {} if table is None else {name: table.coded(name) for name in declared if name in table}
        for by, other in product([name for name in waves if name in coded], coded):
            one, who = coded[by], coded[other]
            pairs = np.unique(one.codes * np.int64(who.size) + who.codes)
            if by != other and 3 * who.size <= 2 * len(pairs) == 2 * len(who.codes):
                what = say(
                    'the unlinkable column "{column}" divides {file} into waves, as the texts of "{other}" come again '
                    'in other waves alone; all rows were judged as one release: write releases_by = "{column}" under '
                    "[series], or declare one of the columns among quasi_identifiers",
                    column=printable(by),
                    file=printable(files.shown),
                    other=printable(other),
                )
                yield MisreadWarning("unlinkable-column", what)


def _register_warnings(attacked: AuditRun) -> Iterator[ReportWarning]:
    """Yield warnings about people in the register who need not be in the data, and about quasi-identifiers it lacks."""
    register, kinds = attacked.evidence[0].held.register, attacked.evidence[0].possible_kinds
    if kinds is not None:
        what = say_count(
            "the register lists {listed} people who may be in the data. People who look alike in every release are "
            "judged once, for each set of releases that one person can be in; {count} [of them fits|people fit] no row "
            "of any release",
            kinds.uncovered,
            listed=kinds.listed,
        )
        yield ReportWarning("register", what)
    if register is not None and register.lacking:
        names = [attacked.series.manifest.columns.quasi_identifiers[place] for place in register.lacking]
        columns = in_quotes(names, _COLUMNS_SHOWN)
        unsaid = [name for name in names if name not in attacked.series.manifest.register_lacks]
        what = say_count(
            "the register lacks the [quasi-identifier|quasi-identifiers] {columns}, so that any value of [it|them] is "
            "taken to fit a person; somebody who knows [it|them] finds out more, which `k` and `homogeneity` judge. If "
            "the register has [it under another name|them under other names], write {columns} and [that name|those "
            "names] under [register]",
            len(register.lacking),
            columns=columns,
        )
        yield ReportWarning("register", what)
        if unsaid:
            what = say(
                "the register lacks {columns}, which may follow from other columns of it (an age from a day of birth, "
                "a region from a postcode): write the name of the column that has the same values under [register], "
                "or add what follows to the register as a column (ages, with a line for each person and release); if "
                "it follows from none, write {lines} there",
                lines=joined([f"{toml_key(printable(name))} = false" for name in unsaid], _COLUMNS_SHOWN),
                columns=in_quotes(unsaid, _COLUMNS_SHOWN),
            )
            yield MisreadWarning("register", what)


def _harmless_warnings(series: Series, results: Sequence[Result[View]]) -> Iterator[ReportWarning]:
    """Yield a warning about findings of harmless values only, and about what the others together disclose."""
    if listed := listed_values(series):
        accepted = sum(len(entry.waived) for entry in results)
        what = (
            say("no finding is about harmless values alone")
            if not accepted
            else say_count(
                "{count} [finding is|findings are] about harmless values alone, as the manifest declares, and "
                "[violates|violate] nothing",
                accepted,
            )
        )
        values = {f"{printable(name)}: {printable(text)}": (name, text) for name, text in listed}
        absent = [shown for shown, (name, text) in values.items() if series.vocabularies[name].find(text) < 0]
        if absent:
            what = parted([what, say("no release has {values}", values=joined(absent, _COLUMNS_SHOWN))])
        names = series.columns.rules[Similar].names
        others = sorted({name for name, _ in listed if names.get(name) is False})
        if others:
            more = say(
                "that a person certainly has another value of {columns} may be known, too, as declared",
                columns=joined([*map(printable, others)], _COLUMNS_SHOWN),
            )
            what = parted([what, more])
        yield ReportWarning("harmless-value", what, tuple(values))


def _disclosed(attacked: AuditRun) -> int:
    """Return how many people with a known value a per-person attack finds if no value is known.

    It has the rest of the attack's time.
    """
    results = [each for each in attacked.results if isinstance(each.attack, PerPersonAttack)]
    used = {(id(each.evidence), each.attack.name): each.seconds for each in results}
    attacks = [each.attack for each in results]
    plain = Series.of(replace(attacked.series.manifest, known=None))
    seen = {evidence.sensitive: evidence for evidence in build_evidence(plain, attacked.evidence[0].kind)}
    found = set[str]()
    for evidence in attacked.evidence:
        known = evidence.beforehand
        if not attacks or known is None:
            continue
        names = [attacked.series.people.name(code) for code in np.unique(known.person).tolist()]
        attack = attacks[-1]  # the last one also decides if values change
        budget = attacked.options.budget(attack.name, used[id(evidence), attack.name])
        outcome = attack.run(handed(seen[evidence.sensitive]), budget)
        people = None if outcome.claims is None else outcome.claims.versions
        if people is not None:
            there = np.isin(plain.people.codes(names), people)
            found |= {name for name, certain in zip(names, there.tolist(), strict=True) if certain}
    return len(found)
