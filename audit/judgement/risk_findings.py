"""Findings of risks below certainty: people whose value is as probable as the policy's limit, or more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from audit.adversary.view import View
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.waivers import Claimed
from audit.model.arrays import Codes, Places
from audit.model.named_findings import DisclosureStep, NamedRisk
from audit.model.outcome import Risks
from audit.model.scored import Judged, reaches_all
from audit.verification.disclosure import Checker, follows
from audit.verification.followed_records import published_by

_MOST_IDS = 1 << 17


@dataclass
class RiskSelection:
    """The risks of one attack at or above a limit below 1, ranked; those that are taken are told.

    Certain values are findings of their own. `places` are entries of the risks that are not waived; shape (n,).
    """

    evidence: View
    judged: Judged
    risks: Risks
    limit: float
    namer: Pseudonymizer
    places: Places = field(init=False)
    _taken: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        risk = self.risks.risk
        left = reaches_all(risk, self.limit) & (risk < 1.0)
        left[self.judged.waived_risks] = False
        self.places = np.flatnonzero(left)

    def ids(self, places: Places, *, stable: bool = False) -> list[str]:
        """Return the ids of some risks; those that waivers name, if `stable`."""
        tags = (*self.evidence.tags, "")
        rows = zip(self.risks.person[places].tolist(), self.risks.release[places].tolist(), strict=True)
        name = self.judged.attack.name
        # What people are who are followed by record ids is no risk of before.
        about = (self.evidence.sensitive,) if self.evidence.followed else ()
        return [
            self.namer.finding(name, "risk", self.evidence.name(p), tags[r], *about, stable=stable) for p, r in rows
        ]

    def claimed(self) -> Claimed:
        """Return the risks as waivers look at them."""
        person, release = self.risks.person[self.places], self.risks.release[self.places].astype(np.int32)
        return Claimed(
            self.evidence,
            lambda: self.ids(self.places, stable=True),
            lambda: [frozenset((self.evidence.name(who),)) for who in person.tolist()],
            person,
            release,
            risk=self.risks.risk[self.places],
        )

    def select(self, most: int | None) -> None:
        """Take the highest risks, at most so many."""
        risk, release = self.risks.risk[self.places], self.risks.release[self.places]
        near = self.places
        if most is not None and len(near) > most:
            least = np.partition(risk, len(risk) - most)[len(risk) - most] if most else np.inf
            near = near[risk >= least][: max(most, _MOST_IDS)]
        ids = self.ids(near)
        risk, release = self.risks.risk[near], self.risks.release[near]
        order = sorted(range(len(near)), key=lambda i: (-risk[i], int(release[i]), ids[i]))[:most]
        self._taken = [(ids[i], int(near[i])) for i in order]

    def mentioned(self) -> list[tuple[str, str]]:
        """Return whom the risks that were taken are about."""
        return [("person", self.evidence.name(int(self.risks.person[place]))) for _, place in self._taken]

    @property
    def selected(self) -> list[tuple[str, int | None]]:
        """The risks that were taken: the id, and whose each is."""
        return [(ident, int(self.risks.person[place])) for ident, place in self._taken]

    def to_report(self) -> tuple[NamedRisk, ...]:
        """Return the risks that were taken as they are told, each with the person's own groups."""
        transitions = self.evidence.transitions
        after = None if transitions is None else follows(transitions.exact)
        checker = Checker(published_by(self.evidence.source))
        told = []
        for ident, place in self._taken:
            person, release = int(self.risks.person[place]), int(self.risks.release[place])
            steps = tuple(
                DisclosureStep(self.evidence.tags[step.release], step.groups, self._texts(step.candidates), None)
                for step in checker.own(person, after)
            )
            # Which of several values is true, and where, is for those inside alone; that there is a finding, for all.
            value = int(self._values[place]) if self.namer.reveal else -1
            told.append(
                NamedRisk(
                    ident,
                    self.namer.display_name("person", self.evidence.name(person)),
                    self.evidence.tags[release] if release >= 0 else steps[-1].release,
                    None if value < 0 else self.evidence.values[value],
                    float(self.risks.risk[place]),
                    steps if self.namer.reveal else (),
                    everywhere=release < 0,
                )
            )
        return tuple(told)

    @cached_property
    def _values(self) -> Codes:
        return true_values(self.evidence, self.risks)

    def _texts(self, codes: Sequence[int]) -> tuple[str, ...]:
        return tuple(sorted(self.evidence.values[code] for code in codes))


def true_values(evidence: View, risks: Risks) -> Codes:
    """Return the value that each risk is of: the true one, -1 where it is not known; shape (entries,), int32."""
    values, key = np.full(len(risks.person), -1, dtype=np.int32), evidence.key
    for release in np.unique(risks.release).tolist():
        known = key.of_people() if release < 0 else key.of_versions(release)
        if known is not None:
            mine = np.flatnonzero(risks.release == release)
            person = np.arange(len(known)) if release < 0 else evidence.pools(release).person
            of_person = np.full(int(max(person.max(initial=-1), risks.person[mine].max())) + 1, -1, dtype=np.int32)
            of_person[person] = known
            values[mine] = of_person[risks.person[mine]]
    return values
