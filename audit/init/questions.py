"""Questions to the person who knows what the columns mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Question:
    """A question with the answers that it has.

    Attributes:
        text: one or more sentences.
        answers: what may be answered, each with what follows; none where it is answered by a text.
        default: the answer to an empty line.
    """

    text: str
    answers: dict[str, str]
    default: str


Ask: TypeAlias = Callable[[Question], str]
"""Returns one of a question's answers."""


def yes_or_no(text: str, *, default: bool) -> Question:
    """Return a question that is answered by yes or no."""
    return Question(text, {"yes": "", "no": ""}, "yes" if default else "no")


def text_of(text: str, default: str = "") -> Question:
    """Return a question that is answered by a text."""
    return Question(text, {}, default)
