"""The clauses of the policy for count tables: how precisely a hidden or small count may be known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from audit.clauses.clause import ClauseDecision, Limit, ended
from audit.clauses.registry import limit_of
from audit.model.count_report import HIDE_FURTHER
from audit.model.count_tables import PROTECTED, SAME_KIND, SMALL_COUNT
from audit.model.errors import Doubt
from audit.model.json_types import UNBOUNDED
from audit.runtime.phrases import Reason


class CountClause(Limit):
    """One clause of the policy for count tables.

    Attributes:
        rule: the questions that it judges.
        least: the smallest valid limit.
    """

    remedy: ClassVar[str] = HIDE_FURTHER.sentence
    default: ClassVar[float | None] = 2
    example: ClassVar[str] = "write a whole number from 2"
    rule: ClassVar[int]
    least: ClassVar[int] = 2

    def allows(self, limit: float) -> bool:
        """Return whether a number is whole and large enough."""
        return self.least <= limit < UNBOUNDED and limit == int(limit)

    def parse(self, value: object) -> int:
        """Return a limit as a whole number."""
        return int(super().parse(value))

    def decided(
        self, limit: float, broken: Collection[int], doubts: Iterable[Doubt], open_: Mapping[int, Reason]
    ) -> ClauseDecision:
        """Return how the clause ends.

        Args:
            limit: the limit in force.
            broken: the rules with a certain finding.
            doubts: the data that was not read, not judged, or only guessed.
            open_: why questions are undecided, by rule.
        """
        reasons = [each.reason for each in doubts if each.concerns(self.name)]
        reasons += [open_[self.rule]] if self.rule in open_ else []
        return ended(self, limit, reasons, broken=self.rule in broken)


class MinCount(CountClause):
    """The least count that may be disclosed; the default follows from what the manifest says of hidden counts."""

    name: ClassVar[str] = "min_count"
    default: ClassVar[float | None] = None
    fails: ClassVar[str] = "A count smaller than the policy's min_count is known, exactly or approximately."
    rule: ClassVar[int] = SMALL_COUNT


class MinWidth(CountClause):
    """How many values a hidden count must be able to have."""

    name: ClassVar[str] = "min_width"
    fails: ClassVar[str] = "A hidden count has fewer possible values left than the policy's min_width."
    example: ClassVar[str] = "write a whole number from 1"
    rule: ClassVar[int] = PROTECTED
    least: ClassVar[int] = 1


class MinLabels(CountClause):
    """How many different labels the people of a cell must have, if a dimension is sensitive."""

    name: ClassVar[str] = "min_labels"
    fails: ClassVar[str] = "The people counted in a cell have fewer different labels than the policy's min_labels."
    rule: ClassVar[int] = SAME_KIND


COUNT_CLAUSES: Mapping[str, CountClause] = {clause.name: clause for clause in (MinCount(), MinWidth(), MinLabels())}
"""The clauses of the policy for count tables, by name."""


def count_limit_of(name: str, value: object) -> float:
    """Return the limit of a clause of the policy for count tables.

    Raises:
        ValueError: as for `limit_of`.
    """
    return limit_of(name, value, COUNT_CLAUSES, "the policy of count tables has no such clause")
