"""Doubts: data that the program did not read, did not judge, or only guessed, on which a verdict depends."""

from __future__ import annotations

from dataclasses import dataclass

from audit.runtime.phrases import Reason

ON_VALUES = frozenset({"max_risk", "max_ever_risk", "closeness", "min_e"})
"""The clauses that depend on knowledge of values."""


@dataclass(frozen=True)
class Doubt:
    """A reason why clauses of the policy cannot be decided, whatever the attacks found.

    Attributes:
        reason: what is in doubt, and what to declare or to correct, in one sentence.
        clauses: the clauses that depend on it; None for all.
        guessed: whether findings depend on it, too, so that even a clause which they violate is undecided.
    """

    reason: Reason
    clauses: frozenset[str] | None = None
    guessed: bool = False

    def concerns(self, clause: str) -> bool:
        """Return whether a clause depends on what is in doubt.

        >>> unread = Doubt(Reason("a cell of Age was not read"), frozenset({"k"}))
        >>> unread.concerns("k"), unread.concerns("min_e")
        (True, False)
        """
        return self.clauses is None or clause in self.clauses
