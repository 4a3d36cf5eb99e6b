"""Publish in memory, without files and checks, if values change: the loss of m-invariance, the time of m-Distinct.

Source: m-Distinct paper, Sections VI-B and VI-C3.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from anonymizers.m_distinct.method import MDistinctAnonymizer
from anonymizers.m_invariance import MInvarianceAnonymizer
from audit.io.microdata import open_microdata
from audit.io.releases import IdentifierEncoder, Vocabulary
from audit.model.anonymizer import Draft, PublicationHistory, PublishedRelease, Snapshot
from audit.model.arrays import Flags


def invalidated(microdata: Path, m: int) -> list[int]:
    """Return how many records m-invariance could not publish again, up to each release.

    Such a record has a value that the signature of its last group lacks, so that no group can have both; from then on
    it is left out. New rows that are not m-eligible wait.
    """
    method, so_far, rng = MInvarianceAnonymizer(m, withhold=True), PublicationHistory(), np.random.default_rng(1)
    lost = np.zeros(0, dtype=np.int32)
    timeline = []
    for snapshot in snapshots(microdata):
        lost = np.union1d(lost, snapshot.person[~_fits(snapshot, so_far)])
        kept = _some(snapshot, ~np.isin(snapshot.person, lost))
        back = so_far.signatures_of(kept.person) >= 0
        # m-invariance refuses changed values, even where the signature has the new one.
        so_far.value[kept.person[back]] = kept.value[back]
        so_far.add(past(kept, method.publish(kept, so_far, rng)))
        timeline.append(len(lost))
    return timeline


def second_release(microdata: Path, m: int, times: int) -> float:
    """Return how many seconds m-Distinct takes to form the second release: the median, after a run to warm up."""
    first, second, *_ = snapshots(microdata)
    method, so_far = MDistinctAnonymizer(m), PublicationHistory()
    so_far.add(past(first, method.publish(first, so_far, np.random.default_rng(1))))
    seconds = []
    for _ in range(times + 1):
        begun = time.perf_counter()
        method.publish(second, so_far, np.random.default_rng(2))
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds[1:])


def snapshots(microdata: Path) -> Iterator[Snapshot]:
    """Yield the snapshots of a folder, people and values having the same codes in all."""
    opened, people, vocabulary = open_microdata(microdata), IdentifierEncoder(), Vocabulary()
    transitions = None if opened.updates is None else opened.updates.numbered(vocabulary)
    for position in range(len(opened.tags)):
        yield opened.read(position, people, vocabulary, transitions=transitions).snapshot


def past(snapshot: Snapshot, draft: Draft) -> PublishedRelease:
    """Return a draft as a published release."""
    person, own = (np.append(codes, np.int32(-1))[draft.row] for codes in (snapshot.person, snapshot.value))
    return PublishedRelease(snapshot.tag, person, draft.group, draft.group, draft.value, None, own)


def _fits(snapshot: Snapshot, so_far: PublicationHistory) -> Flags:
    """Return whose signature contains their value; people who were never published may have any value."""
    holds = np.zeros((len(so_far.signatures) + 1, len(snapshot.values)), dtype=np.bool_)
    for number, signature in enumerate(so_far.signatures):
        holds[number, list(signature)] = True
    holds[-1] = True
    return holds[so_far.signatures_of(snapshot.person), snapshot.value]


def _some(snapshot: Snapshot, chosen: Flags) -> Snapshot:
    return replace(snapshot, person=snapshot.person[chosen], value=snapshot.value[chosen], point=snapshot.point[chosen])
