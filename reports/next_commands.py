"""Next commands: what to type after a verdict."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from audit.model.adversary import ADVERSARIES
from audit.model.errors import SENTENCE, printable
from audit.model.report import Report
from audit.runtime.phrases import ReasonKind, kind_of, say, typed
from reports.sentences import out_of_time

_MORE_TIME = 10


def commands(report: Report) -> Iterator[str]:
    """Yield the commands to type next."""
    if out_of_time(report):
        more = "" if report.time_limit is None else f" --time-limit {max(60, _MORE_TIME * report.time_limit):g}"
        yield f"audit SERIES{more}"
    if any(kind_of(each.reason) is ReasonKind.UNCONFIRMED for each in report.policy.undecided):
        yield "audit init SERIES --confirm"
    if not report.policy.violations:
        if not report.policy.undecided:
            yield "audit next SERIES CANDIDATE"
        return
    if not report.revealed and ADVERSARIES[report.adversary.kind].reads_key:
        yield "audit SERIES --reveal --format html --output inside.html"
    elif report.people and ADVERSARIES[report.adversary.kind].knows_people:
        yield "audit explain SERIES --individual ID"


def repairing(files: Iterable[str], more: str = "") -> str:
    """Return the command that repairs a candidate, of one file or more."""
    command = f"audit repair SERIES {' '.join(map(shlex.quote, files))} --output repaired{more}"
    return printable(f"`{typed(command)}`", SENTENCE)


def copying(release: str, column: str, alone: str) -> str:
    """Return the sentence that a release is to be copied into a file of its own, which can be repaired."""
    return say(
        'Copy the header and the rows with "{release}" in the column "{column}" into {alone}.',
        release=printable(release),
        column=printable(column),
        alone=printable(alone),
    )
