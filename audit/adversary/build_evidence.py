"""Gathering: whom a series lets one assume as the adversary, and what that adversary sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod

import numpy as np

from audit.adversary.combined_values import CombinedVocabulary
from audit.adversary.followed_people import FollowedPeopleSource, UnfollowedError
from audit.adversary.held_series import HeldSeries
from audit.adversary.record_linkage import FollowedRecords, RowContentsSource
from audit.adversary.register import source_of
from audit.adversary.view import FollowedKey, SeriesKey, View
from audit.io import manifest as manifests
from audit.io.background_knowledge import Register, read_register, read_transitions
from audit.io.diagnostics import is_there
from audit.io.rules.rows import EPISODES, SeveralRows
from audit.io.series import Series
from audit.io.transitions import check_size
from audit.io.unread_cells import check_register_texts
from audit.model.adversary import ADVERSARIES, REGISTER, AdversaryKind
from audit.model.arrays import Codes
from audit.model.errors import UsageError
from audit.model.evidence import CombinedName, Transitions
from audit.runtime.phrases import say


def build_evidence(
    series: Series, adversary: AdversaryKind | None = None, *, records: bool = False, follow: bool = False
) -> tuple[View, ...]:
    """Return what an adversary sees of a series, one view per sensitive attribute, and one of all together.

    The last one is of the combinations of values that rows have, where there are several attributes and nothing is
    known beforehand. With `follow` there is one more where people are known and record ids are published: that of these
    combinations with the ids, by which rows are followed. Where they cannot be, the first says why.

    Without `adversary` the worst case that the series allows is taken: `linked`, then `register`, then
    `pseudonym`, then `published`. All releases are read when one is first asked for, record ids and the cells beside
    them only with `records`.

    Raises:
        UsageError: the series lacks what the adversary needs.
        InputError: the register, the transitions or the known values cannot be read or contradict the series.
    """
    kind = choose(series, adversary)
    follow = follow and ADVERSARIES[kind].knows_people and _has_records(series)
    register = _register(series) if ADVERSARIES[kind].has_register else None
    releases = HeldSeries(series, kind, register, records=(records or follow) and _has_records(series))
    each = tuple(_evidence(releases, kind, name) for name in series.manifest.columns.sensitive)
    every = each if releases.combined is None else (*each, _combined(releases, releases.combined, each))
    if not follow:
        return every
    try:
        return (*every, _followed(each))
    except UnfollowedError as error:
        return (replace(every[0], unfollowed=error.reason), *every[1:])


def choose(series: Series, adversary: AdversaryKind | None) -> AdversaryKind:
    """Return the adversary to assume.

    Raises:
        UsageError: the series lacks what the adversary needs.
        InputError: some releases have a key and some have none.
    """
    episodes = series.columns.rules[SeveralRows].choice == EPISODES
    offered = {None} if episodes and adversary is None else series.offers
    allowed = (each for each in ADVERSARIES.values() if each.requires in offered)
    chosen = next(allowed) if adversary is None else ADVERSARIES[adversary]
    if episodes and chosen.requires is not None:
        what = 'rows = "episodes" leaves open whose row is whose'
        raise UsageError(f"{manifests.NAME}: {what}, which the adversary `{chosen.name}` needs; leave --adversary out")
    if chosen.requires not in offered:
        what = f"the adversary `{chosen.name}` needs {chosen.needs}"
        raise UsageError(f"{manifests.NAME}: {what}; add it or choose another")
    if chosen.requires == "key":
        series.check_keys()
    return chosen.name


def _register(series: Series) -> Register:
    """Return what the adversary `register` knows.

    Raises:
        InputError: it cannot be read, or has nothing in common with the releases.
    """
    register = read_register(series)
    check_register_texts(series, register)
    return register


def _has_records(series: Series) -> bool:
    """Return whether published ids link the rows of one record each."""
    return series.manifest.columns.record is not None and series.columns.rules[SeveralRows].choice != EPISODES


def _evidence(releases: HeldSeries, kind: AdversaryKind, sensitive: str) -> View:
    series = releases.series
    vocabulary = series.vocabularies[sensitive]
    has_transitions = series.manifest.values_change
    transitions = read_transitions(series, sensitive, vocabulary) if has_transitions else None
    source = source_of(releases, sensitive, None if transitions is None else transitions.listed)
    if transitions is not None and transitions.constant:
        source.constant, transitions = True, None
    if series.manifest.known is not None and ADVERSARIES[kind].knows_people:
        source.learn()
    known = 0 if source.known is None else len(np.unique(source.known.person))
    followed = FollowedRecords(releases) if _has_records(series) else None
    rows, tags = series.about_rows, series.tags
    alone = None if knows_all_rows(releases) else source
    key = SeriesKey(source)
    return View(
        *(kind, sensitive, tags, transitions, known, rows, source, vocabulary.names, followed, alone),
        warm_start=key.world,
        rows_of=RowContentsSource(releases, sensitive),
        growing=series.manifest.growing,
        key=key,
    )


def knows_all_rows(releases: HeldSeries) -> bool:
    """Return whether a column of the releases says whose every row is, for an adversary who knows that."""
    series = releases.series
    by_column = not any(is_there(series.key_path(files)) for files in series.manifest.releases)
    return releases.adversary.knows_groups and by_column and series.columns.rules[SeveralRows].choice is None


def _combined(releases: HeldSeries, combined: CombinedVocabulary, each: tuple[View, ...]) -> View:
    """Return what is seen of the combinations of all sensitive attributes.

    Raises:
        InputError: releases cannot be read; they are, where values change, so that all combinations have a code.
    """
    source = source_of(releases, combined.name, None)
    source.combined = combined
    transitions = None
    changing = [seen.transitions for seen in each]
    if any(steps is not None for steps in changing):
        for seen in each:
            for release in range(len(releases)):
                seen.pools(release)  # the transitions say what may follow each value
        source.constant = False
        transitions = _together(releases.series, changing, combined.parts())
    name = CombinedName(combined.name)
    name.attributes = combined.attributes
    key = SeriesKey(source)
    return replace(
        each[0],
        sensitive=name,
        transitions=transitions,
        source=source,
        key=key,
        warm_start=key.world,
        values=combined.names,
        records=None,
        published=None,
        rows_of=None,
        combined=combined,
    )


def _followed(each: tuple[View, ...]) -> View:
    """Return what is seen when rows are followed by record ids too.

    Raises:
        UnfollowedError: they cannot be.
        InputError: releases cannot be read; all of them are.
    """
    first = each[0]
    if any(seen.transitions is not None for seen in each):
        raise UnfollowedError(say("values change, and what record ids tell of people then is not judged"))
    if first.source.series.manifest.known is not None:
        raise UnfollowedError(say("values are known beforehand; audit without `known` as well"))
    source = FollowedPeopleSource(first.source, len(first.tags))
    attributes = (str(source.series.manifest.columns.record), *(seen.sensitive for seen in each))
    name = CombinedName(" + ".join(attributes))
    name.attributes = attributes
    alone = replace(first, sensitive=name, tags=first.tags[-1:], records=None, published=None, rows_of=None)
    return _of_records(replace(alone, followed=True), source)


def followed_until(evidence: View, count: int) -> View:
    """Return evidence of people who are followed by record ids, of the first so many releases alone.

    Raises:
        UnfollowedError: they cannot be.
    """
    if not isinstance(evidence.source, FollowedPeopleSource):
        raise TypeError("nobody is followed")
    return _of_records(evidence, FollowedPeopleSource(evidence.source.plain, count))


def _of_records(evidence: View, source: FollowedPeopleSource) -> View:
    """Return evidence from another source, that of all records; who may be several is not known to be in one group."""
    kind = evidence.kind if source.settled else REGISTER.name
    key, names = FollowedKey(source), source.vocabulary.names
    start = None if evidence.warm_start is None else key.world
    return replace(
        evidence, kind=kind, source=source, values=names, combined=source.combined, key=key, warm_start=start
    )


def _together(series: Series, transitions: Sequence[Transitions | None], parts: Codes) -> Transitions:
    """Return which combination may follow which: all attributes change at once, each by itself, None never.

    Raises:
        InputError: there are too many combinations.
    """
    size = len(parts)
    check_size(str(series.manifest.transitions), size)
    steps = [
        np.equal.outer(codes, codes).astype(np.float64) if each is None else each.weight[np.ix_(codes, codes)]
        for each, codes in zip(transitions, parts.T, strict=True)
    ]
    possible = np.all([step > 0 for step in steps], axis=0)
    weight = np.where(possible, np.maximum(np.prod(steps, axis=0), np.finfo(np.float64).tiny), 0.0)
    exact = {}
    for before, after in np.argwhere(possible).tolist():
        pairs = zip(transitions, parts[before].tolist(), parts[after].tolist(), strict=True)
        moves = (each.exact[a, b] for each, a, b in pairs if each is not None)
        exact[before, after] = prod(moves, start=Fraction(1))
    return Transitions(weight, exact, np.ones(size, dtype=np.bool_))
