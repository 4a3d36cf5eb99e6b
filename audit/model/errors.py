"""Errors that a user can mend, and the problems in files that they list.

::

    AuditError                 an error that the user can mend; exit code 2
    ├── UsageError             the arguments of the command do not fit the series or each other
    └── InputError             files are missing or faulty; holds `Problem`s

Everything else that reaches the command line is a bug (exit code 4).

Doubts: data that the program did not read, did not judge, or only guessed, on which a verdict depends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from audit.runtime.phrases import Reason, printable, printable_path, say, say_count


@dataclass(frozen=True)
class Doubt:
    """A reason why clauses of the policy cannot be decided, whatever the attacks found.

    Attributes:
        reason: what is in doubt, and what to declare or to correct, in one sentence.
        clauses: the clauses that depend on it; None for all.
        guessed: whether findings depend on it, too, so that even a clause which they violate is undecided.
        between: whether findings that compare values of several releases depend on it.
    """

    reason: Reason
    clauses: frozenset[str] | None = None
    guessed: bool = False
    between: bool = False

    def concerns(self, clause: str) -> bool:
        """Return whether a clause depends on what is in doubt.

        >>> unread = Doubt(Reason("a cell of Age was not read"), frozenset({"k"}))
        >>> unread.concerns("k"), unread.concerns("min_e")
        (True, False)
        """
        return self.clauses is None or clause in self.clauses


T = TypeVar("T")
SENTENCE = 4_000
"""The most characters of a sentence; sentences are shorter, and texts that they quote are cut separately."""
_PART_SHOWN = 800  # characters of a problem or its remedy, which may quote a cell of any length
_PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in one place, and its remedy.

    Attributes:
        file: the file, as the user knows it.
        what: what is wrong. It never quotes a private cell (of a key, a register, an identifier), and neither does
            `remedy`.
        remedy: what to do.
        line: the line of the file, counted from 1 with the header, as in an editor; None if no line is at fault.
        column: the column; None if no column is at fault.
    """

    file: str
    what: str
    remedy: str
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        """Return a text such as `file:line, column "c": what; remedy`."""
        line = "" if self.line is None else f":{self.line}"
        column = "" if self.column is None else say(', column "{column}"', column=printable(self.column))
        place = f"{printable_path(self.file)}{line}{column}"
        what, remedy = printable(self.what, _PART_SHOWN), printable(self.remedy, _PART_SHOWN)
        return say("{place}: {what}; {remedy}", place=place, what=what, remedy=remedy)


class AuditError(Exception):
    """An error that the user can mend."""


class UsageError(AuditError):
    """The arguments of the command do not fit the series or each other."""

    @classmethod
    def say(cls, sentence: str, /, **values: object) -> Self:
        """Return the error that a sentence, with its placeholders filled, says in the language in use."""
        return cls(say(sentence, **values))


class OptionError(UsageError):
    """An option is unknown or missing; `sentence` says so, with names of options as its argument writes them.

    Attributes:
        typed: the sentence with options as on the command line; `str` has their names in Python.
    """

    def __init__(self, sentence: Callable[[Callable[[str], str]], str]) -> None:
        self.typed = sentence(flag)
        super().__init__(sentence(str))


def flag(name: str) -> str:
    """Return an option as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


class InputError(AuditError):
    """One or more files are missing or faulty."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)
        lines = [str(problem) for problem in self.problems[:_PROBLEMS_SHOWN]]
        if hidden := len(self.problems) - len(lines):
            lines.append(say_count("and {count} more [problem|problems] like these", hidden))
        self._text = "\n".join(lines)  # written now, in the language of the run that found the problems

    def __str__(self) -> str:
        """Return a line for each problem, at most twenty, and how many more there are."""
        return self._text


@dataclass(slots=True)
class Problems:
    """Collects problems, so that all problems of a series are reported at once.

    Attributes:
        found: the problems.
        called: what the file calls columns that are noted by their names in the series.
    """

    found: list[Problem] = field(default_factory=list)
    called: Mapping[str, str] = field(default_factory=dict)

    def add(self, file: str, what: str, remedy: str, *, line: int | None = None, column: str | None = None) -> None:
        """Note a problem."""
        self.found.append(Problem(file, what, remedy, line, self.called.get(column or "", column)))

    def check(self) -> None:
        """Refuse to go on if a problem was noted.

        Raises:
            InputError: a problem was noted.
        """
        self.checked(self)

    def checked(self, read: T | None) -> T:
        """Return the result of a reader.

        Raises:
            InputError: a problem was noted, or nothing could be read.
        """
        if self.found or read is None:
            raise InputError([*dict.fromkeys(self.found)])
        return read


@contextmanager
def within(path: str) -> Iterator[None]:
    """Add the folder's path to the files in an `InputError`, so that messages about several folders are clear."""
    try:
        yield
    except InputError as error:
        raise InputError(
            each if each.file.startswith(path) else replace(each, file=f"{path}/{each.file}") for each in error.problems
        ) from error
