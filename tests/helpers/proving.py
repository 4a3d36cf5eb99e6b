"""Find proofs about everybody at once by brute force: all sets of people, then one case after the other.

Slow on purpose, in names instead of codes, and complete: whatever is certain has a proof.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise

from audit.core.outcome import Case, Disclosure, Exclusion, Proof
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
        """A finding that a version has a value, with its proof if there is one."""
        rows = self.start()
        exclusions, fits = self.exclude(rows)
        assert fits
        left = values(rows[person, release]) - {value}
        cases = tuple(self.case(rows, person, release, other) for other in sorted(left))
        proof = Proof(exclusions, cases)
        return Disclosure(self.number[person], release, self.codes[value], 1.0, (), proof)

    def case(self, rows: Histories, person: str, release: int, value: str) -> Case:
        inner = dict(rows)
        inner[person, release] = frozenset(row for row in rows[person, release] if row[1] == value)
        exclusions, fits = self.exclude(inner)
        cases: tuple[Case, ...] = ()
        if fits:
            who, when = min((v for v in inner if len(values(inner[v])) > 1), default=(None, None))
            assert who is not None, "there is a world with this value"
            cases = tuple(self.case(inner, who, when, other) for other in sorted(values(inner[who, when])))
        return Case(self.number[person], release, self.codes[value], Proof(exclusions, cases))

    def start(self) -> Histories:
        """The rows that everybody may have, by their own groups alone."""
        rows = {}
        for j in range(len(self.series.releases)):
            known = known_values(self.series, j, self.adversary)
            for person in self.present(j):
                where = hosts(self.series, person, j, self.adversary)
                rows[person, j] = frozenset(
                    (row.group, row.value)
                    for row in self.series.releases[j]
                    if row.group in where and known.get(person, row.value) == row.value
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

    def exclude(self, rows: Histories) -> tuple[tuple[Exclusion, ...], bool]:
        """Take rows away until nothing changes: the exclusions, and whether everybody is left something."""
        found: list[Exclusion] = []
        self.prune(rows)
        while all(rows.values()):
            step = self.exclusion(rows)
            if step is None:
                return tuple(found), True
            release, holders, taken, count = step
            told = tuple((group, self.codes[value]) for group, value in sorted(taken))
            found.append(Exclusion(release, told, tuple(sorted(self.number[who] for who in holders))))
            if count < len(holders):
                return tuple(found), False
            for who, j in rows:
                if j == release and who not in holders:
                    rows[who, j] -= taken
            self.prune(rows)
        return tuple(found), False

    def exclusion(self, rows: Histories) -> tuple[int, tuple[str, ...], frozenset[Row], int] | None:
        """The next step. Too few rows come first: else somebody could lose everything whom the proof does not name."""
        full = None
        for j, release in enumerate(self.series.releases):
            here = self.present(j)
            for holders in (some for size in range(1, len(here) + 1) for some in combinations(here, size)):
                taken = frozenset[Row]().union(*(rows[who, j] for who in holders))
                count = sum((row.group, row.value) in taken for row in release)
                if count < len(holders):
                    return j, holders, taken, count
                others = any(rows[who, j] & taken for who in here if who not in holders)
                if count == len(holders) and others and full is None:
                    full = j, holders, taken, count
        return full


def values(rows: frozenset[Row]) -> set[str]:
    return {value for _, value in rows}
