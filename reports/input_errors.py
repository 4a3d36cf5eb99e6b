"""Errors of usage and input (exit code 2), for programs that asked for JSON or SARIF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from audit.model.errors import SENTENCE, InputError, Problem
from audit.model.json_types import Items
from audit.model.report import Tool
from audit.runtime.phrases import printable, printable_path
from audit.runtime.version import VERSION
from reports.json_values import as_json, json_object
from reports.sarif import artifact, automation, location, log, message, tool

_LONGEST = 1500


@dataclass(frozen=True)
class ErrorEntry:
    """One problem.

    Attributes:
        file: its file, relative to the series if it is inside; null if the problem is not in a file.
        line: counted from 1, the header included; null for the whole file.
        column: the column's name, or null.
        message: the problem.
        remedy: what to do about it; null if the message contains it.
    """

    file: str | None
    line: int | None
    column: str | None
    message: str
    remedy: str | None


@dataclass(frozen=True)
class ErrorDocument:
    """What a command writes on standard output with --format json when usage or input is wrong (exit code 2).

    Attributes:
        schema_version: the version of this form.
        tool: what made this.
        exit_code: the exit code of the command.
        problems: all problems.
    """

    schema_version: ClassVar[Literal[2]] = 2
    exit_code: ClassVar[Literal[2]] = 2
    tool: Tool
    problems: Annotated[tuple[ErrorEntry, ...], Items(1)]


def written(form: str, error: BaseException, lines: Sequence[str], series: str, folder: str) -> str:
    """Return the document of an error, as JSON or SARIF.

    Args:
        form: `json` or `sarif`.
        error: the error.
        lines: the text on standard error.
        series: the name of the series' folder.
        folder: the series' folder in its repository; empty outside a repository.
    """
    entries = tuple(map(_of_line, lines))
    if isinstance(error, InputError):
        entries = tuple(map(_of_problem, error.problems))
    if form == "sarif":
        return _sarif(entries, series, folder)
    return as_json(json_object(ErrorDocument(Tool(VERSION), entries)))


def _of_problem(problem: Problem) -> ErrorEntry:
    return ErrorEntry(
        file=printable_path(problem.file),
        line=problem.line,
        column=None if problem.column is None else printable(problem.column),
        message=printable(problem.what, SENTENCE),
        remedy=printable(problem.remedy, SENTENCE),
    )


def _of_line(line: str) -> ErrorEntry:
    """Return an error of usage as an entry: its message, and what to do."""
    what, mark, remedy = printable(line, _LONGEST).rpartition("; ")
    return ErrorEntry(None, None, None, what if mark else remedy, remedy if mark else None)


def _sarif(entries: Sequence[ErrorEntry], series: str, folder: str) -> str:
    """Return the problems as notifications of a run without results: the run searched for none."""
    notifications = [_notification(each, folder) for each in entries]
    invocation = {"executionSuccessful": False, "exitCode": 2, "toolExecutionNotifications": notifications}
    about = {"tool": tool(VERSION, {}), "automationDetails": automation(series, folder)}
    return log({**about, "invocations": [invocation]})


def _notification(entry: ErrorEntry, folder: str) -> dict[str, object]:
    column = "" if entry.column is None else f'column "{entry.column}": '
    said = f"{column}{entry.message}" if entry.remedy is None else f"{column}{entry.message}; {entry.remedy}"
    notification: dict[str, object] = {"level": "error", "message": message(said)}
    if entry.file is None or entry.file.startswith("/") or ":" in entry.file or ".." in entry.file:
        return notification if entry.file is None else {**notification, "message": message(f"{entry.file}: {said}")}
    return {**notification, "locations": [location(artifact(entry.file, folder), entry.line)]}
