"""Proofs: why a value is certain, as exclusions that a reader can count.

What narrowing, counting or a programme has found is derived again, with reasons, from the groups around the person
alone: first the person's own, then those of the people in them, and so on, until it follows. Where narrowing is not
enough, cases are told apart: each value that is left is assumed and led to a contradiction, if need be through cases
of somebody else's. Of all reasons those are kept that the conclusion needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from attacks.joint.deciding import Decision
from attacks.joint.domains import masks
from attacks.joint.narrowing import Mask, Narrowing, Reason, members
from audit.core.evidence import Codes, Evidence
from audit.core.outcome import Case, Disclosure, Disclosures, Exclusion, Places, Proof

# Blocks around a person that are looked at, one after the other as long as nothing follows.
_RINGS = (1, 10, 40, 160, 640)
_CASES_DEEP = 3
_CASES_WIDE = 4
# Assumptions tried for one claim; each costs about as much as narrowing its ring again.
_MOST_TRIALS = 200


def disclosures(evidence: Evidence, decision: Decision, person: Codes, release: Codes, value: Codes) -> Disclosures:
    """Return what is claimed of versions; each finding has its proof, or is None where none was found that is short."""
    prover = Prover(evidence, decision)

    def build(places: Places) -> list[Disclosure | None]:
        found: list[Disclosure | None] = []
        for place in places.tolist():
            claim = int(person[place]), int(release[place]), int(value[place])
            proof = prover.prove(*claim)
            found.append(None if proof is None else Disclosure(*claim, 1.0, (), proof))
        return found

    nothing = {"versions": int(decision.network.versions.counted.sum()), "certain": 0}
    return Disclosures(person, release, value, build, nothing)


class Prover:
    """Finds proofs of what was decided."""

    def __init__(self, evidence: Evidence, decision: Decision) -> None:
        self._evidence, self._network, self._own = evidence, decision.network, decision.own
        versions = self._network.versions
        self._order = np.lexsort((versions.release, versions.person))
        self._person = np.zeros(self._network.tracks, dtype=np.int64)
        self._person[versions.track] = versions.person
        self._people: set[int] = set()
        self._all_known: dict[int, dict[tuple[int, int], set[int]]] = {}
        self._trials = 0

    def prove(self, person: int, release: int, value: int) -> Proof | None:
        """Return why a person has a value in a release; None where that takes too many steps."""
        network = self._network
        track = int(network.versions.track[self._version(person, release)])
        kind = int(network.class_of[value])
        self._trials = 0
        for ring in _RINGS:
            self._people = set()
            narrowing, whole = self._around(track, ring)
            narrowing.run()
            if not narrowing.feasible:
                return None
            proof = self._concluded(narrowing, (person, release), kind, last=ring == _RINGS[-1] or whole)
            if proof is not None or whole:
                return proof
        return None

    def _concluded(self, narrowing: Narrowing, claim: tuple[int, int], kind: int, *, last: bool) -> Proof | None:
        """Return the proof that a version has a value, from what was narrowed, by cases where they are worth trying."""
        version = self._version(*claim)
        track = int(self._network.versions.track[version])
        left = narrowing.domain[track]
        if left == 1 << kind:
            return Proof(self._exclusions(narrowing.reasons, {track}))
        if not left >> kind & 1 or (left.bit_count() > _CASES_WIDE and not last):
            return None
        cases = self._cases(narrowing, version, left & ~(1 << kind), _CASES_DEEP)
        if cases is None:
            return None
        return Proof(self._exclusions(narrowing.reasons, {track}), tuple(cases))

    def _cases(self, narrowing: Narrowing, version: int, values: Mask, deep: int) -> list[Case] | None:
        """Return why a version has none of some values, each by what follows from it."""
        versions, found = self._network.versions, []
        track = int(versions.track[version])
        for kind in members(values):
            self._trials += 1
            if self._trials > _MOST_TRIALS:
                return None
            trial = narrowing.copy()
            if not trial.restrict(track, 1 << kind):
                proof = Proof(self._exclusions(trial.reasons, trial.empty))
            else:
                further = self._split(trial, track, deep)
                if further is None:
                    return None
                proof = further
            claim = int(versions.person[version]), int(versions.release[version])
            found += [Case(*claim, value, proof) for value in self._values(version, kind)]
        return found

    def _split(self, narrowing: Narrowing, track: int, deep: int) -> Proof | None:
        """Return why nothing at all is possible any more, by the cases of somebody who has few."""
        if not deep:
            return None
        near = [t for t, mask in narrowing.domain.items() if 1 < mask.bit_count() <= 2 and t != track]
        for other in sorted(near, key=lambda t: (narrowing.domain[t].bit_count(), t))[:_CASES_WIDE]:
            cases = self._cases(narrowing, self._seen(other), narrowing.domain[other], deep - 1)
            if cases is not None:
                return Proof(self._exclusions(narrowing.reasons, {other}), tuple(cases))
        return None

    # -- from the network to people, groups and values --------------------------------------------------------

    def _version(self, person: int, release: int) -> int:
        versions = self._network.versions
        first = int(np.searchsorted(versions.person[self._order], person))
        place = first
        while versions.release[self._order[place]] != release:
            place += 1
        return int(self._order[place])

    def _seen(self, track: int) -> int:
        """Return the first version of a track that has rows to be found out."""
        start, seats = self._network.by_track
        return int(self._network.seat_version[seats[start[track]]])

    def _values(self, version: int, kind: int) -> list[int]:
        """Return the values of a class that the groups of a version hold."""
        network = self._network
        release, host = int(network.versions.release[version]), int(network.versions.host[version])
        hosts = network.hosts[release]
        groups = hosts.group[hosts.start[host] : hosts.start[host + 1]].tolist()
        held = {value for group in groups for value in self._held(release, group)}
        return [value for value in sorted(held) if network.class_of[value] == kind]

    def _around(self, track: int, most: int) -> tuple[Narrowing, bool]:
        """Return the blocks around a track, at most so many but its own, and whether there are no others."""
        network = self._network
        start, seats = network.by_track
        blocks: dict[int, None] = {}
        queue, seen = [track], {track}
        for here in queue:
            for seat in seats[start[here] : start[here + 1]].tolist():
                block = int(network.block_of[seat])
                if block in blocks or (len(blocks) >= most and here != track):
                    continue
                blocks[block] = None
                for other in network.seat[network.seat_start[block] : network.seat_start[block + 1]].tolist():
                    if other not in seen:
                        seen.add(other)
                        queue.append(other)
            queue += [other for other in self._neighbours(here) if other not in seen]
            seen.update(queue)
        tracks = sorted(seen)
        domain = dict(zip(tracks, masks(self._own[tracks]), strict=True))
        narrowing = Narrowing(network, domain, blocks)
        narrowing.link([(a, b) for a in tracks for b in self._after(a) if b in seen])
        touched = {int(network.block_of[s]) for t in tracks for s in seats[start[t] : start[t + 1]].tolist()}
        return narrowing, len(touched) == len(blocks)

    def _neighbours(self, track: int) -> list[int]:
        return [*self._after(track), *self._before(track)]

    def _after(self, track: int) -> list[int]:
        link = self._network.link
        return link[link[:, 0] == track, 1].tolist() if len(link) else []

    def _before(self, track: int) -> list[int]:
        link = self._network.link
        return link[link[:, 1] == track, 0].tolist() if len(link) else []

    def _exclusions(self, reasons: Sequence[Reason], needed: Iterable[int]) -> tuple[Exclusion, ...]:
        """Return the reasons that some tracks' losses rest on, in order, after what is known beforehand.

        What one version of a person loses, others may lose by it; and what cases rest on is shown before them.
        """
        network, kept = self._network, []
        self._people |= {self._person[track] for track in needed}
        for reason in reversed(reasons):
            if not self._people.isdisjoint(self._person[track] for track in reason.lost):
                kept.append(reason)
                self._people |= {self._person[network.seat[seat]] for seat in reason.seats}
        told = [self._exclusion(reason) for reason in reversed(kept)]
        return (*self._known(), *dict.fromkeys(told))

    def _exclusion(self, reason: Reason) -> Exclusion:
        network, release = self._network, int(self._network.release[reason.block])
        rows = set()
        for cell in reason.cells:
            group = int(network.cell_group[cell])
            rows |= {
                (group, value)
                for value in self._held(release, group)
                if network.class_of[value] == network.cell_value[cell]
            }
        people = {int(network.versions.person[network.seat_version[seat]]) for seat in reason.seats}
        return self._told(release, rows, people)

    def _told(self, release: int, rows: set[tuple[int, int]], people: set[int]) -> Exclusion:
        """Return an exclusion with the holders whose values are known beforehand, and names of groups."""
        hosts = self._network.hosts[release]
        if self._evidence.kind == "linked":
            known = np.flatnonzero(hosts.fixed >= 0)
            group = hosts.group[hosts.start[:-1]]
            people |= {int(hosts.person[k]) for k in known.tolist() if (int(group[k]), int(hosts.fixed[k])) in rows}
        order = sorted(rows)
        names = self._evidence.source.group_names(release, np.array([group for group, _ in order], dtype=np.int32))
        told = tuple((name, value) for name, (_, value) in zip(names, order, strict=True))
        return Exclusion(release, told, tuple(sorted(people)))

    def _held(self, release: int, group: int) -> list[int]:
        """Return the values that a group publishes, those of known people among them."""
        hosts = self._evidence.source.hosts(release)
        return np.unique(hosts.contents.value[hosts.contents.bag == group]).tolist()

    def _known(self) -> list[Exclusion]:
        """Return which rows of the groups of people mentioned those have whose values are known beforehand."""
        found: list[Exclusion] = []
        for release, hosts in enumerate(self._network.hosts):
            if not (hosts.fixed >= 0).any():
                continue
            mentioned = np.flatnonzero(np.isin(hosts.person, list(self._people)))
            groups = {
                group for h in mentioned.tolist() for group in hosts.group[hosts.start[h] : hosts.start[h + 1]].tolist()
            }
            found += [self._told(release, {row}, who) for row, who in self._taken(release).items() if row[0] in groups]
        return found

    def _taken(self, release: int) -> dict[tuple[int, int], set[int]]:
        """Return the groups and values all of whose rows people have whose values and groups are known, and who."""
        if release not in self._all_known:
            hosts = self._evidence.source.hosts(release)
            sure = np.flatnonzero((hosts.fixed >= 0) & (np.diff(hosts.start) == 1)).tolist()
            who: dict[tuple[int, int], set[int]] = {}
            for host in sure:
                row = int(hosts.group[hosts.start[host]]), int(hosts.fixed[host])
                who.setdefault(row, set()).add(int(hosts.person[host]))
            table = hosts.contents.tabled(hosts.n_groups, hosts.values)
            self._all_known[release] = {row: people for row, people in who.items() if table[row] == len(people)}
        return self._all_known[release]
