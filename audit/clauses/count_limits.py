"""The clauses of the policy for count tables: how precisely a hidden or small count may be known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from audit.clauses.clause import ClauseDecision, Limit, ended
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import HIDE_FURTHER, PERHAPS_LARGE, PROTECTED, SAME_KIND, SMALL_COUNT
from audit.model.errors import Doubt
from audit.model.report import CountSize
from audit.runtime.phrases import Phrase, Reason


class CountClause(Limit):
    """One clause of the policy for count tables.

    Attributes:
        rules: the questions that it judges.
        needs: the key of the manifest without which there are no such questions; empty for none.
        least: the smallest valid limit.
    """

    remedy: ClassVar[str] = HIDE_FURTHER.sentence
    default: ClassVar[float | None] = 2
    example: ClassVar[str] = "write a whole number from 2"
    rules: ClassVar[frozenset[int]]
    needs: ClassVar[str] = ""
    least: ClassVar[int] = 2

    def allows(self, limit: float) -> bool:
        """Return whether a number is whole and large enough."""
        return self.least <= limit < UNBOUNDED and limit == int(limit)

    def parse(self, value: object) -> int:
        """Return a limit as a whole number."""
        return int(super().parse(value))

    def violated(self, size: CountSize, limit: int) -> bool:
        """Return whether a finding about one of its questions violates a limit."""
        return True

    def decided(
        self, limit: float, broken: Collection[str], doubts: Iterable[Doubt], open_: Mapping[int, Reason]
    ) -> ClauseDecision:
        """Return how the clause ends.

        Args:
            limit: the limit in force.
            broken: the names of the clauses with a certain finding.
            doubts: the data that was not read, not judged, or only guessed.
            open_: why questions are undecided, by rule.
        """
        reasons = [each.reason for each in doubts if each.concerns(self.name)]
        reasons += dict.fromkeys(reason for rule, reason in open_.items() if rule in self.rules)
        return ended(self, limit, reasons, broken=self.name in broken)


class MinCount(CountClause):
    """The least count that may be disclosed; the default follows from what the manifest says of hidden counts."""

    name: ClassVar[str] = "min_count"
    default: ClassVar[float | None] = None
    fails: ClassVar[str] = "A count smaller than the policy's min_count is known, exactly or approximately."
    meaning: ClassVar[Phrase] = Phrase("smallest count that may be known")
    rules: ClassVar[frozenset[int]] = frozenset((SMALL_COUNT, PERHAPS_LARGE))

    def violated(self, size: CountSize, limit: int) -> bool:
        """Return whether a finding shows that the count is small."""
        return size.lower >= 1 and size.upper < limit


class MinWidth(CountClause):
    """How many values a hidden count must be able to have."""

    name: ClassVar[str] = "min_width"
    fails: ClassVar[str] = "A hidden count has fewer possible values left than the policy's min_width."
    meaning: ClassVar[Phrase] = Phrase("smallest allowed number of possible values of a hidden count")
    example: ClassVar[str] = "write a whole number from 1"
    rules: ClassVar[frozenset[int]] = frozenset((PROTECTED, PERHAPS_LARGE))
    least: ClassVar[int] = 1

    def violated(self, size: CountSize, limit: int) -> bool:
        """Return whether a finding leaves the count fewer values."""
        return size.upper - size.lower + 1 < limit


class MinLabels(CountClause):
    """How many different labels the people of a cell must have, if a dimension is sensitive."""

    name: ClassVar[str] = "min_labels"
    fails: ClassVar[str] = "The people counted in a cell have fewer different labels than the policy's min_labels."
    meaning: ClassVar[Phrase] = Phrase("smallest allowed number of categories among a cell’s people")
    rules: ClassVar[frozenset[int]] = frozenset((SAME_KIND,))
    needs: ClassVar[str] = "sensitive"


COUNT_CLAUSES: Mapping[str, CountClause] = {clause.name: clause for clause in (MinCount(), MinWidth(), MinLabels())}
"""The clauses of the policy for count tables, by name."""
