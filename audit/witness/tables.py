"""Write the witness of a series of count tables: tables of whole numbers, proofs of findings, and a statement.

The witness contains only what follows from published numbers, so it may be published, too. The checker reads the files
by itself. Integer programs search for tables in the checker's terms, and the statement counts as the checker counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from audit.clauses.registry import COUNT_CLAUSES
from audit.count_tables.build_evidence import EvidencePart
from audit.count_tables.judged_counts import JudgedCounts
from audit.count_tables.published_counts import PublishedCounts
from audit.model.arrays import UNBOUNDED, Counts, Flags, Floats, Matrix
from audit.model.count_tables import BoundProof, CaseSplit
from audit.model.report import Report
from audit.runtime.budget import Budget
from audit.runtime.phrases import figure, say
from audit.witness.statement import Witness, supported, unshown
from audit.witness.verify_asked import StatedBoxes, check_asked
from audit.witness.verify_sums import Proofs, decided
from audit.witness.verify_tables import FORMAT, RULES, Box, TableSeries, need

_MOST, _TURNS, _WORTHWHILE = 2_000_000, 60, 3
Fit = Callable[[Matrix, Floats, Floats, int, Floats, Budget], Counts | None]
"""Finds whole numbers, each up to a limit, whose rows are between low and high, and that make a cost small."""


class TablesWriter:
    """Collects the questions, in the checker's boxes, and their answers.

    Args:
        counts: the published counts; the checker reads the files by itself.
        limits: the policy in force.

    Raises:
        UsageError: the checker does not support the series.
    """

    def __init__(self, counts: PublishedCounts, limits: Mapping[str, int]) -> None:
        with supported():
            self.series = series = TableSeries(counts.manifest.folder)
            need(series.limits == {rule: limits[rule] for rule in RULES}, "a policy other than that of series.toml")
            need(len(series.rows) == len(counts.release), "a series whose rows the checker reads differently")
            shown = np.array([bool(text) for _, _, text in series.rows], dtype=np.bool_)
            need((shown == counts.shown).all(), "a series whose values the checker reads differently")
            upper = [UNBOUNDED if end == float("inf") else end for end in series.high[: shown.sum()]]
            ends = series.low[: shown.sum()], np.array(upper, dtype=np.int64)
            same = (counts.lower[shown] == ends[0]).all() and (counts.upper[shown] == ends[1]).all()
            need(same, "a series whose numbers the checker takes to stand for other counts")
            self.number = np.cumsum(shown) - 1  # of each row that shows something
            self.atoms = [_same_atoms(series, counts, place) for place in range(len(series.dimensions))]
        self.absent = {box: at for at, box in enumerate(series.box) if at >= shown.sum()}  # rows that are left out
        self.sets: list[dict[frozenset[int], int]] = [{} for _ in series.dimensions]
        self.asked: dict[str, dict[tuple[int, ...], int]] = {rule: {} for rule in RULES}
        self.found: dict[str, set[int]] = {rule: set() for rule in RULES}
        self.proofs: dict[str, list[Any]] = {rule: [] for rule in RULES}

    def witness(self, judged: JudgedCounts, report: Report, fit: Fit, budget: Budget) -> Witness:
        """Return the witness of a verdict, as far as tables and proofs show it.

        Raises:
            UsageError: the checker does not support a question.
        """
        for question, verdict in enumerate(judged.verdict.tolist()):
            part, at, outcome = judged.at(question)
            violated = judged.violated(question) if verdict > 0 else ()
            for rule in (name for name in RULES if part.questions.rule[at] in COUNT_CLAUSES[name].rules):
                box = self.stated(part, part.tables.asked[at].tolist())
                place = self.asked[rule].setdefault(box, len(self.asked[rule]))
                if rule in violated and place not in self.found[rule]:
                    self.found[rule].add(place)
                    for bound in outcome.bounds(at):
                        self.proofs[rule].append([place, bound.is_upper, bound.value, self.proof(part, bound.proof)])
        with supported():
            return self.completed(report, fit, budget)

    def stated(self, part: EvidencePart, box: Sequence[int]) -> tuple[int, ...]:
        """Return a box in the form of the statement: a period, the earlier one or -1, and a set on each axis."""
        last, since, some = self._atoms_of(part, box)
        return (
            last,
            since,
            *(numbers.setdefault(one, len(numbers)) for one, numbers in zip(some, self.sets, strict=True)),
        )

    def _atoms_of(self, part: EvidencePart, box: Sequence[int]) -> tuple[int, int, list[frozenset[int]]]:
        """Return a box as its period, the earlier one or -1, and the checker's atoms on each axis."""
        *places, time = box
        periods = part.tables.axes[-1].members[time].tolist()
        first, last = periods[0], periods[-1]
        if self.series.over_time == "independent":
            first, last = 0, int(part.questions.release[0])
        some = [
            frozenset(atom for one in axis.members[place].tolist() for atom in atoms[one])
            for axis, place, atoms in zip(part.tables.axes, places, self.atoms, strict=False)
        ]
        return last, first - 1, some

    def proof(self, part: EvidencePart, proof: BoundProof) -> dict[str, Any]:
        """Return a proof in the form of the statement."""
        if isinstance(proof, CaseSplit):
            halves = {"below": self.proof(part, proof.below), "above": self.proof(part, proof.above)}
            return {"box": self.stated(part, proof.box), "at": proof.at, **halves}
        terms = []
        for term in proof.terms:
            place = -1 - term.index if term.assumed else self._number(part, term.index)
            terms.append([place, term.weight.numerator, term.weight.denominator])
        return {"sum": terms, **({"impossible": True} if proof.impossible else {})}

    def _number(self, part: EvidencePart, index: int) -> int:
        """Return the checker's number of a published number, or of a row that is left out."""
        if part.rows[index] >= 0:
            return int(self.number[part.rows[index]])
        period, since, some = self._atoms_of(part, part.tables.boxes[index].tolist())
        return self.absent[self.series.boxed(period, some, since)]

    def completed(self, report: Report, fit: Fit, budget: Budget) -> Witness:
        """Return the contents of the witness, with tables of whole numbers that answer the questions."""
        series, names = self.series, self.series.dimensions
        sets = {
            name: [[atoms[atom] for atom in sorted(one)] for one in some]
            for name, atoms, some in zip(names, series.atoms, self.sets, strict=False)
        }
        boxes = StatedBoxes(series, sets)
        asked = {rule: [boxes.read(each) for each in some] for rule, some in self.asked.items()}
        large = check_asked(series, asked)
        proofs, several, claims = Proofs(series, boxes.read), dict[str, Flags](), []
        search = _Search(series, asked, self.found, large, fit)
        search.run(budget)
        need(search.tables, "a series for which no table of whole numbers was found")
        for rule in RULES:
            ends, limit = proofs.ends(asked[rule], self.proofs[rule]), series.limits[rule]
            several[rule], certain = decided(rule, limit, search.seen(rule), ends, large)
            counted = {"settled": int(several[rule].sum()), "findings": int(certain.sum())}
            claims.append({"claim": rule, "limit": limit, "questions": len(asked[rule]), **counted})
        questions = {"sets": sets, **{rule: list(some) for rule, some in self.asked.items()}, "proofs": self.proofs}
        stated = {"format": FORMAT, "claims": claims, "rests": list(_rests(claims, report))}
        tables = {"tables.parquet": pa.table(search.columns())}
        texts = {"questions.json": f"{json.dumps(questions, separators=(',', ':'))}\n"}
        return Witness(series, stated, tables, texts, private=False)


def _same_atoms(series: TableSeries, counts: PublishedCounts, place: int) -> list[list[int]]:
    """Return the checker's atom of each atom of a dimension: both are covered by the same labels."""
    labels = {code: row[1][place] for code, row in zip(counts.label[:, place].tolist(), series.rows, strict=True)}
    dimension, covered = counts.dimensions[place], series.covered[place]
    found: dict[frozenset[int], list[int]] = {}
    for atom in range(len(series.atoms[place])):
        found.setdefault(frozenset(code for code, label in labels.items() if atom in covered[label]), []).append(atom)
    sets = {code: {*dimension.axis.members[int(dimension.set_of[code])].tolist()} for code in labels}
    mine = [frozenset(c for c, some in sets.items() if atom in some) for atom in range(dimension.axis.atoms)]
    need(len({*mine}) == len(mine) and {*mine} == {*found}, f"other labels of {dimension.axis.name} in the checker")
    return [found[each] for each in mine]


class _Search:
    """Searches for tables of whole numbers in which the counts without a finding have several values."""

    def __init__(
        self, series: TableSeries, asked: Mapping[str, Sequence[Box]], found: Mapping[str, set[int]],
        large: Sequence[bool], fit: Fit,
    ) -> None:  # fmt: skip
        self.series, self.asked, self.found, self.large, self.fit = series, asked, found, large, fit
        self.tables = list[Counts]()
        self._counts: dict[str, list[Counts]] = {rule: [] for rule in RULES}
        self.rng = np.random.default_rng(0)
        self.low = np.array(series.low, dtype=np.float64)
        self.high = np.array(series.high, dtype=np.float64)
        finite = self.high[np.isfinite(self.high)].max(initial=0)
        self.most = int(max(finite, self.low.max(initial=0))) + 4 * sum(series.limits.values())

    @cached_property
    def members(self) -> list[list[list[int]]]:
        """The atoms of each set of each axis."""
        return [[sorted(some) for some in sets] for sets in self.series.sets]

    def cells(self, box: Box) -> Counts:
        """Return the flat indices of the cells in a box; shape (cells of the box,), int64."""
        atoms = [some[place] for some, place in zip(self.members, box, strict=True)]
        return np.ravel_multi_index(np.ix_(*atoms), tuple(map(len, self.series.atoms))).ravel()

    @cached_property
    def rows(self) -> Matrix:
        """Which cells each published number counts; CSR, shape (numbers, cells)."""
        from scipy import sparse

        distinct = {box: self.cells(box) for box in dict.fromkeys(self.series.box)}
        inside = [distinct[box] for box in self.series.box]
        start = np.cumsum([0, *map(len, inside)])
        need(start[-1] <= _MOST, "a series with this many cells")
        entries = np.ones(int(start[-1]), dtype=np.int64), np.concatenate(inside), start
        return sparse.csr_matrix(entries, shape=(len(inside), int(np.prod(list(map(len, self.series.atoms))))))

    def run(self, budget: Budget) -> None:
        """Search for tables: first tables that settle many questions, then one for each open question."""
        self.try_cost(np.zeros(self.rows.shape[1]), budget)
        for turn in range(_TURNS):
            before = self.open()
            if not self.tables or len(before) <= _WORTHWHILE or budget.exhausted():
                break
            sign = (1.0, -1.0)[turn] if turn < 2 else self.rng.choice([-1.0, 1.0], len(before))
            self.try_cost(self.cost(before, sign * self.rng.uniform(0.5, 1.0, len(before))), budget)
            if turn > 1 and len(before) - len(self.open()) < _WORTHWHILE:
                break
        for one in self.open() if self.tables else ():
            for sign in (1.0, -1.0):
                if one in self.open() and not budget.exhausted():
                    self.try_cost(self.cost([one], np.array([sign])), budget)

    def cost(self, some: Sequence[tuple[str, int]], weights: Floats) -> Floats:
        """Return the cost of each cell, given weights for the counts of some questions; shape (cells,), float64."""
        cost = np.zeros(self.rows.shape[1])
        for (rule, place), weight in zip(some, weights.tolist(), strict=True):
            cost[self.cells(self.asked[rule][place])] += weight
        return cost

    def try_cost(self, cost: Floats, budget: Budget) -> None:
        """Search for a table with a small cost, and keep it if it agrees with the published numbers."""
        found = self.fit(self.rows, self.low, self.high, self.most, cost, budget)
        if found is None or (found < 0).any():
            return
        count = self.rows @ found
        if ((self.low <= count) & (count <= self.high)).all():
            table = found.reshape(tuple(map(len, self.series.atoms)))
            self.tables.append(table)
            for rule in RULES:
                self._counts[rule].append(self.series.counts(table, self.asked[rule]))

    def seen(self, rule: str) -> Counts:
        """Return the counts of each question in each table; shape (tables, questions)."""
        return np.stack(self._counts[rule])

    def open(self) -> list[tuple[str, int]]:
        """Return the questions that are neither findings nor settled by the tables."""
        if not self.tables:
            return []
        found = list[tuple[str, int]]()
        for rule in RULES:
            nothing = [(0, float("inf"))] * len(self.asked[rule])
            several, _ = decided(rule, self.series.limits[rule], self.seen(rule), nothing, self.large)
            found += [(rule, at) for at in np.flatnonzero(~several).tolist() if at not in self.found[rule]]
        return found

    def columns(self) -> dict[str, list[Any]]:
        """Return the tables as columns, without the cells that are 0 in all of them."""
        every = np.stack(self.tables)
        places = np.nonzero(every.any(axis=0))
        names = zip((*self.series.dimensions, "(period)"), self.series.atoms, places, strict=True)
        found: dict[str, list[Any]] = {name: [atoms[at] for at in place.tolist()] for name, atoms, place in names}
        return found | {f"table_{number}": table[places].tolist() for number, table in enumerate(every)}


def _rests(claims: Sequence[Mapping[str, Any]], report: Report) -> Iterator[str]:
    """Yield the parts of the verdict that have no evidence."""
    yield say("that sums of labels other than those checked disclose nothing")
    of = {claim["claim"]: claim for claim in claims}
    for claim in claims:
        open_ = claim["questions"] - claim["settled"] - claim["findings"]
        if open_:
            yield say(
                "{open} of {questions} counts that {clause} is about, which have no evidence",
                open=figure(open_),
                questions=figure(claim["questions"]),
                clause=claim["claim"],
            )
    for clause in report.policy.clauses:
        claim = of.get(clause.clause, {"questions": 1, "settled": 0, "findings": 0})
        holds = clause.state == "holds" and claim["questions"] == claim["settled"]
        if not holds and not (clause.state == "violated" and claim["findings"]):
            yield unshown(clause)
