"""Reasons: sentences that say why a result is missing or incomplete, with a kind that a program can read."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from audit.runtime.phrases import parted


class ReasonKind(IntEnum):
    """Kinds of reasons, in order of precedence."""

    TIME_LIMIT = 1
    UNFIT = 2
    """The attack is not for series of this kind."""
    NEEDS = 3
    """The manifest lacks something."""
    CONTRADICTION = 4
    INTERRUPTED = 5
    TOO_HARD = 6
    """The attack gave up before the time limit."""
    UNCONFIRMED = 7
    """The manifest guesses, or gives a column no role; `audit init --confirm` asks about it."""
    UNDECLARED = 8
    """The manifest does not say what only its publisher knows."""


class Reason(str):
    """A sentence, in the language in use when it was made, and its kind, None if it has none.

    >>> reason = Reason("it needs a key", ReasonKind.NEEDS)
    >>> reason == "it needs a key", kind_of(reason).name, kind_of("so it is")
    (True, 'NEEDS', None)
    """

    kind: ReasonKind | None

    def __new__(cls, text: str, kind: ReasonKind | None = None) -> Reason:
        """Make a reason."""
        reason = super().__new__(cls, text)
        reason.kind = kind
        return reason


def kind_of(*reasons: str | None) -> ReasonKind | None:
    """Return the kind that comes first among reasons; None if none of them has a kind."""
    known = [reason.kind for reason in reasons if isinstance(reason, Reason) and reason.kind is not None]
    return min(known, default=None)


def combined(reasons: Iterable[str]) -> Reason | None:
    """Return several reasons as one; None without reasons.

    >>> combined(["too large", "too late"])
    'too large; too late'
    """
    several = list(reasons)
    return Reason(parted(several), kind_of(*several)) if several else None
