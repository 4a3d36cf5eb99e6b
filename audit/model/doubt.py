"""Doubts: what a verdict rests on and the program did not read, did not judge, or only guessed."""

from __future__ import annotations

from dataclasses import dataclass

from audit.runtime.reasons import Reason

ON_VALUES = frozenset({"max_risk", "max_ever_risk", "closeness", "min_e"})
"""The clauses that rest on what is known of values."""


@dataclass(frozen=True)
class Doubt:
    """A reason for which clauses of the policy cannot be decided, whatever the attacks found.

    Attributes:
        reason: what is in doubt, and what to declare or to correct, in one sentence.
        clauses: the clauses that rest on it; None where all of them do.
        guessed: whether findings rest on it too, so that a clause which they violate is undecided as well.
    """

    reason: Reason
    clauses: frozenset[str] | None = None
    guessed: bool = False

    def concerns(self, clause: str) -> bool:
        """Return whether a clause rests on what is in doubt.

        >>> unread = Doubt(Reason("a cell of Age was not read"), frozenset({"k"}))
        >>> unread.concerns("k"), unread.concerns("min_e")
        (True, False)
        """
        return self.clauses is None or clause in self.clauses
