"""Waivers: which findings are accepted today, and what became of each waiver."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from audit.adversary.view import View
from audit.io.encoding import COUNTERFEIT
from audit.io.manifest import Waiver
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.selection import Selection
from audit.model.arrays import Flags
from audit.model.finding import Claims
from audit.model.json_types import WaiverState
from audit.model.report import HIDDEN, Waived
from audit.runtime.phrases import say


@dataclass
class WaiverBook:
    """The waivers of a series that hold today, and which of them found something to waive."""

    waivers: Sequence[Waiver]
    today: datetime.date
    namer: Pseudonymizer
    _used: set[int] = field(default_factory=set)

    def waived(self, selection: Selection[Any]) -> Flags:
        """Return which claims are waived; shape (claims,)."""
        found = np.zeros(len(selection.claims), dtype=np.bool_)
        for mask in (self._by_id(selection), self._by_individual(selection), self._by_group(selection)):
            if mask is not None:
                found |= mask
        return found

    def accepts_release(self, tag: str) -> bool:
        """Return whether the smallest class of a release is accepted, all of whose groups are."""
        found = False
        for place, waiver in self._live():
            if waiver.group == "*" and waiver.release == tag:
                self._used.add(place)
                found = True
        return found

    def outcomes(self, *, reveal: bool) -> list[Waived]:
        """Return what became of each waiver; whom it names, and why, only when revealed."""
        report = []
        for place, waiver in enumerate(self.waivers):
            state: WaiverState = "applied" if place in self._used else "unknown"
            if waiver.expires < self.today:
                state = "expired"
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

    def _by_id(self, selection: Selection[Any]) -> Flags | None:
        live = [(place, waiver.finding) for place, waiver in self._live() if waiver.finding is not None]
        if not live or not self.namer.keyed:
            return None
        ids = selection.stable_ids()
        found = np.zeros(len(ids), dtype=np.bool_)
        for place, pattern in live:
            matches = matcher(pattern)
            mask = np.fromiter((matches(ident) is not None for ident in ids), dtype=np.bool_, count=len(ids))
            self._note(place, mask)
            found |= mask
        return found

    def _by_individual(self, selection: Selection[Any]) -> Flags | None:
        live = [(place, waiver.individual) for place, waiver in self._live() if waiver.individual is not None]
        if not live:
            return None
        people = selection.claims.concerned(selection.names)
        # What is found of several people harms each of them: that one of them accepts it is not enough.
        left = [{name for name in names if not name.startswith(COUNTERFEIT)} for names in people]
        named = np.array([bool(names) for names in left], dtype=np.bool_)
        for place, individual in live:
            accepted = [{name for name in names if self._is(name, individual)} for names in left]
            self._note(place, np.array([bool(names) for names in accepted], dtype=np.bool_))
            left = [names - gone for names, gone in zip(left, accepted, strict=True)]
        return named & np.array([not names for names in left], dtype=np.bool_)

    def _is(self, name: str, individual: str) -> bool:
        """Return whether somebody is meant, by identifier or stable pseudonym."""
        return name == individual or (self.namer.keyed and self.namer.pseudonym("person", name) == individual)

    def _by_group(self, selection: Selection[Any]) -> Flags | None:
        live = [(place, waiver) for place, waiver in self._live() if waiver.group is not None]
        evidence, claims = selection.names.evidence, selection.claims
        groups = claims.groups() if live else None
        if not live or (groups is None and claims.person is None):
            return None
        found = np.zeros(len(claims), dtype=np.bool_)
        for place, waiver in live:
            if waiver.release not in evidence.tags:
                continue
            release = evidence.tags.index(waiver.release)
            if groups is None:
                mask = self._of_people(waiver, release, evidence, claims)
            else:
                inside = [at == release and waiver.group in ("*", group) for at, group in groups]
                mask = np.array(inside, dtype=np.bool_)
            self._note(place, mask)
            found |= mask
        return found

    def _of_people(self, waiver: Waiver, release: int, evidence: View, claims: Claims) -> Flags:
        """Return which claims are about people who are certain to be in a waived group of a release."""
        mask = np.zeros(len(claims), dtype=np.bool_)
        if claims.person is None:
            return mask
        at = np.flatnonzero(claims.person >= 0)
        if evidence.transitions is not None:
            at = at[np.isin(claims.release[at], (release, -1))]
        people = np.unique(claims.person[at])
        people = people[np.isin(people, evidence.pools(release).person)].astype(np.int32)
        groups = evidence.source.groups(release, people) if len(people) else []
        inside = [waiver.group in ("*", *names) and len(names) == 1 for names in groups]
        mask[at] = np.isin(claims.person[at], people[np.array(inside, dtype=np.bool_)])
        return mask

    def _note(self, place: int, mask: Flags) -> None:
        if mask.any():
            self._used.add(place)


def matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return what matches ids with a pattern in which `*` stands for any characters.

    >>> bool(matcher("joint-*")("joint-12")), bool(matcher("joint-1")("joint-12"))
    (True, False)
    """
    return re.compile(".*".join(map(re.escape, pattern.split("*")))).fullmatch
