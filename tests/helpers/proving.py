"""Find proofs about all people at once by brute force: all sets of people, then one case after another.

Slow on purpose, with names instead of codes, and complete: everything certain has a proof.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise

from audit.findings.disclosure import Disclosure
from audit.findings.proof import Proof, RefutedCase, RowPoints
from tests.helpers.tiny import TinySeries
from tests.oracle.per_person import hosts, known_values

Row = tuple[str, str]
Histories = dict[tuple[str, int], frozenset[Row]]


@dataclass
class Prover:
    """Proves what is certain in a series; `number` and `codes` are the codes of people and values."""

    series: TinySeries
    adversary: str
    number: dict[str, int]
    codes: dict[str, int]

    def claim(self, person: str, release: int, value: str) -> Disclosure:
        """A finding that a version has a value, with its proof; there is none if the value is not certain."""
        rows = self.start()
        assert all(rows.values())
        rows[person, release] = frozenset(row for row in rows[person, release] if row[1] != value)
        proof = self.refuted(rows, (person, release))
        return Disclosure(self.number[person], release, self.codes[value], 1.0, (), proof)

    def refuted(self, rows: Histories, first: tuple[str, int] | None = None) -> Proof:
        """Why nothing fits: nobody has anything left, or too few rows, or each value of somebody in turn."""
        rows = dict(rows)
        self.prune(rows)
        nobody = next((who for (who, _), some in rows.items() if not some), None)
        if nobody is not None:
            return Proof((), (self.number[nobody],))
        few = self.too_few(rows)
        if few is not None:
            release, holders, taken = few
            points = tuple(RowPoints(release, group, self.codes[value], 1) for group, value in sorted(taken))
            return Proof(points, tuple(sorted(self.number[who] for who in holders)))
        several = [version for version in rows if len(values(rows[version])) > 1]
        who, when = first if first in several else min(several, default=(None, None))
        assert who is not None, "there is a world"
        cases = [self.case(rows, who, when, value) for value in sorted(values(rows[who, when]))]
        return Proof((), (), tuple(cases))

    def case(self, rows: Histories, person: str, release: int, value: str) -> RefutedCase:
        inner = dict(rows)
        inner[person, release] = frozenset(row for row in rows[person, release] if row[1] == value)
        return RefutedCase(self.number[person], release, self.codes[value], self.refuted(inner))

    def start(self) -> Histories:
        """The rows that everybody may have, by their own groups alone."""
        rows = {}
        for j in range(len(self.series.releases)):
            known = known_values(self.series, j, self.adversary)
            for person in self.present(j):
                where = hosts(self.series, person, j, self.adversary)
                rows[person, j] = frozenset(
                    (name, row.value)
                    for row in self.series.releases[j]
                    if (name := self.series.places[j][row]) in where and known.get(person, row.value) == row.value
                )
        self.prune(rows)
        return rows

    def present(self, release: int) -> list[str]:
        if self.adversary == "register":
            return sorted(line.individual for line in self.series.register or () if line.release == release)
        return sorted(row.individual for row in self.series.releases[release] if row.individual is not None)

    def prune(self, rows: Histories) -> None:
        for person in {person for person, _ in rows}:
            stay = sorted(j for who, j in rows if who == person)
            for _ in stay:
                for before, after in pairwise(stay):
                    here, there = rows[person, before], rows[person, after]
                    step = self.series.step
                    rows[person, before] = frozenset(a for a in here if any(step(a[1], b[1]) for b in there))
                    rows[person, after] = frozenset(b for b in there if any(step(a[1], b[1]) for a in here))

    def too_few(self, rows: Histories) -> tuple[int, tuple[str, ...], frozenset[Row]] | None:
        """People who can have nothing but some rows of a release, of which there are fewer than people."""
        for j, release in enumerate(self.series.releases):
            here = self.present(j)
            for holders in (some for size in range(1, len(here) + 1) for some in combinations(here, size)):
                taken = frozenset[Row]().union(*(rows[who, j] for who in holders))
                if sum((self.series.places[j][row], row.value) in taken for row in release) < len(holders):
                    return j, holders, taken
        return None


def values(rows: frozenset[Row]) -> set[str]:
    return {value for _, value in rows}
