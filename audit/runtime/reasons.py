"""Reasons: why something is not known, in a sentence, and of what kind that is, for whoever acts on it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from audit.runtime.phrases import parted


class ReasonKind(IntEnum):
    """Kinds of reasons; of several the first counts."""

    TIME_LIMIT = 1
    UNFIT = 2
    """The series is none of those that it is for."""
    NEEDS = 3
    """The manifest lacks something."""
    CONTRADICTION = 4
    INTERRUPTED = 5
    TOO_HARD = 6
    """It gave up before its time was over."""
    UNCONFIRMED = 7
    """The manifest guesses, or gives a column no role: what `audit init --confirm` asks."""
    UNDECLARED = 8
    """The manifest does not say what only its publisher knows."""


class Reason(str):
    """A sentence in the language that was in use when it was said, and its kind; None where no kind is known.

    >>> reason = Reason("it needs a key", ReasonKind.NEEDS)
    >>> reason == "it needs a key", kind_of(reason).name, kind_of("so it is")
    (True, 'NEEDS', None)
    """

    kind: ReasonKind | None

    def __new__(cls, text: str, kind: ReasonKind | None = None) -> Reason:
        """Make a text that has a kind as well."""
        reason = super().__new__(cls, text)
        reason.kind = kind
        return reason


def kind_of(*reasons: str | None) -> ReasonKind | None:
    """Return the kind that counts of some reasons; None where none is known."""
    known = [reason.kind for reason in reasons if isinstance(reason, Reason) and reason.kind is not None]
    return min(known, default=None)


def combined(reasons: Iterable[str]) -> Reason | None:
    """Return several reasons as one; None where there are none.

    >>> combined(["too large", "too late"])
    'too large; too late'
    """
    several = list(reasons)
    return Reason(parted(several), kind_of(*several)) if several else None
