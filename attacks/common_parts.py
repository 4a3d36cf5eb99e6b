"""What remaining combinations have in common: one value of one of the attributes that are combined.

A person whose remaining combinations of (disease, income) all have one disease has that disease, whatever attacks on
diseases alone leave.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.candidates import NEVER, Candidates
from audit.model.arrays import Codes, Flags, Words
from audit.model.evidence import CandidatePools, Combinations, Evidence, claimed_code


def common_values(masks: Words, first: Codes, parts: Codes) -> Codes:
    """Return what some combinations have in common; shape (rows, attributes), int32, -1 where nothing.

    Args:
        masks: the combinations, as bits; shape (rows, words).
        first: the first of each, -1 where there is none; shape (rows,).
        parts: the values that each combination is of; shape (combinations, attributes).
    """
    found = np.full((len(masks), parts.shape[1]), -1, dtype=np.int32)
    rows = np.flatnonzero(first >= 0)
    for attribute in range(parts.shape[1]):
        value = parts[:, attribute]
        others = np.zeros((int(value.max(initial=-1)) + 1, masks.shape[1] * 64), dtype=np.bool_)
        others[:, : len(value)] = np.arange(len(others))[:, None] != value
        beside = np.packbits(others, axis=1, bitorder="little").view(np.uint64)
        mine = value[first[rows]]
        shared = ~(masks[rows] & beside[mine]).any(axis=1)
        found[rows[shared], attribute] = mine[shared]
    return found


def common_parts(evidence: Evidence) -> CommonParts | None:
    """Return what is to note what combinations have in common; None where values are of one attribute."""
    return None if evidence.combined is None else CommonParts(evidence.combined)


@dataclass
class CommonParts:
    """What each person's candidates have in common so far, noted release by release.

    Attributes:
        certain_at: the release after which a person's combinations had one value of an attribute in common, `NEVER`
            else; shape (people, attributes).
        timeline: number of people whose combinations had something in common, after each release.
        versions: number of versions of these people.
    """

    combined: Combinations

    def __post_init__(self) -> None:
        self.certain_at = np.full((0, len(self.combined.attributes)), NEVER, dtype=np.uint16)
        self.timeline: list[int] = []
        self.versions: list[int] = []

    def note(self, state: Candidates, pools: CandidatePools, release: int) -> None:
        """Take a release into account that was folded into the candidates."""
        more = len(state.versions) - len(self.certain_at)
        if more > 0:
            self.certain_at = np.pad(self.certain_at, ((0, more), (0, 0)), constant_values=NEVER)
        people = pools.person
        common = self.of(state, people)
        at = self.certain_at[people]
        self.certain_at[people] = np.where(common < 0, NEVER, np.minimum(at, np.uint16(release)))
        certain = self.certain
        self.timeline.append(int(np.count_nonzero(certain)))
        self.versions.append(int(state.versions[certain].sum(dtype=np.int64)))

    def of(self, state: Candidates, people: Codes) -> Codes:
        """Return what the candidates of some people have in common: see `common_values`."""
        return common_values(state.masks.take(people, axis=0), state.only(people), self.combined.parts())

    @property
    def certain(self) -> Flags:
        """Whose combinations have something in common, by person code."""
        return (self.certain_at != NEVER).any(axis=1)

    def claims(self, state: Candidates) -> tuple[Codes, Codes, Codes]:
        """Return person, release and code of each claim about one attribute of a person, in order of people."""
        person, attribute = np.nonzero(self.certain_at != NEVER)
        people = person.astype(np.int32)
        value = self.of(state, people)[np.arange(len(people)), attribute]
        code = claimed_code(attribute, value, len(self.combined.attributes))
        return people, self.certain_at[person, attribute].astype(np.int32), code
