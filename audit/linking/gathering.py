"""Gathering: whom a series lets one assume as the adversary, and what that adversary sees."""

from __future__ import annotations

import numpy as np

from audit.core.errors import UsageError
from audit.core.evidence import AdversaryKind, Evidence
from audit.linking.linked import LinkedSource
from audit.linking.records import FollowedRecords
from audit.linking.register import RegisterSource
from audit.linking.releases import Releases
from audit.reading import manifest as manifests
from audit.reading.knowledge import read_transitions
from audit.reading.series import Series

ADVERSARIES: tuple[AdversaryKind, ...] = ("linked", "register", "pseudonym")


def gather(series: Series, adversary: AdversaryKind | None = None, *, records: bool = False) -> tuple[Evidence, ...]:
    """Return what an adversary sees of a series, one `Evidence` per sensitive attribute.

    Without `adversary` the worst case that the series allows is taken: `linked`, then `register`, then
    `pseudonym`. Releases are read when an attack asks for them, record ids and the cells beside them only with
    `records`.

    Raises:
        UsageError: the series lacks what the adversary needs.
        InputError: the register, the transitions or the known values cannot be read or contradict the series.
    """
    kind = choose(series, adversary)
    releases = Releases(series, kind, records=records and series.manifest.columns.record is not None)
    return tuple(_evidence(releases, kind, name) for name in series.manifest.columns.sensitive)


def choose(series: Series, adversary: AdversaryKind | None) -> AdversaryKind:
    """Return the adversary to assume.

    Raises:
        UsageError: the series lacks what the adversary needs.
        InputError: some releases have a key and some have none.
    """
    columns = series.manifest.columns
    needs = {
        "linked": (series.started_keys, "[columns] individual, or a key file for each release"),
        "register": (series.manifest.register is not None, "[adversary] register"),
        "pseudonym": (columns.record is not None, "[columns] record"),
    }
    chosen = adversary or next((kind for kind in ADVERSARIES if needs[kind][0]), None)
    if chosen is None:
        everything = "; or ".join(needs[kind][1] for kind in ADVERSARIES)
        raise UsageError(f"{manifests.NAME}: no adversary can be assumed; add {everything}")
    has, what = needs[chosen]
    if not has:
        raise UsageError(f"{manifests.NAME}: the adversary `{chosen}` needs {what}; add it or choose another")
    if chosen == "linked":
        series.check_keys()
    return chosen


def _evidence(releases: Releases, kind: AdversaryKind, sensitive: str) -> Evidence:
    series = releases.series
    vocabulary = series.vocabularies[sensitive]
    has_transitions = series.manifest.transitions is not None
    transitions = read_transitions(series, vocabulary) if has_transitions else None
    listed = None if transitions is None else transitions.listed
    if releases.register is not None:
        source: LinkedSource = RegisterSource(releases, sensitive, listed, releases.register)
    else:
        source = LinkedSource(releases, sensitive, listed)
    if series.manifest.known is not None and kind != "pseudonym":
        source.learn()
    known = 0 if source.known is None else len(np.unique(source.known.person))
    followed = None if series.manifest.columns.record is None else FollowedRecords(releases)
    rows, tags = series.about_rows, series.tags
    return Evidence(kind, sensitive, tags, transitions, known, rows, source, vocabulary.names, followed)
