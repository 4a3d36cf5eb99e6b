"""The explanation of what can be learnt of one person, as text for reading. It names people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from audit.model.adversary import ADVERSARIES
from audit.model.errors import printable
from audit.model.explanation import Explained, ExplainedVersion, Explanation, Said
from audit.model.report import NamedDisclosure, NamedEquivalence, NamedFinding, NamedPin
from audit.model.words import number
from reports.finding_text import UNPROVED, places, unproved
from reports.proof_text import either, in_full, listed
from reports.sentences import multiset

_WIDTH = 100


def text(explanation: Explanation) -> str:
    """Return the explanation, release by release, then finding by finding."""
    who, adversary = printable(explanation.individual, 200), explanation.adversary
    changing = "values may change along the transitions" if adversary.transitions else "values never change"
    lines = [
        printable(explanation.series, 200),
        f"{who}, seen by somebody who {ADVERSARIES[adversary.kind].sentence} ({adversary.kind}); {changing}.",
        "This names people: keep it inside.",
    ]
    for each in explanation.explained:
        lines += ["", *_explained(each, several=len(explanation.explained) > 1)]
    return "\n".join(wrapped for line in lines for wrapped in _wrapped(line)) + "\n"


def _wrapped(line: str) -> list[str]:
    """Return a line in lines that are not too long, the later ones further in."""
    inwards = " " * (len(line) - len(line.lstrip()) + 4)
    wrapped = textwrap.wrap(line, _WIDTH, subsequent_indent=inwards, break_long_words=False, break_on_hyphens=False)
    return wrapped or [""]


def _explained(explained: Explained, *, several: bool) -> Iterator[str]:
    if several:
        yield from [printable(explained.sensitive), ""]
    alone = "update-graph" if any(each.attack == "update-graph" for each in explained.said) else "intersection"
    for version in explained.versions:
        yield from _version(version, alone)
    if explained.absent:
        yield f"not in {'release' if len(explained.absent) == 1 else 'releases'} {listed(explained.absent)}"
    for said in explained.said:
        yield from _said(said)


def _version(version: ExplainedVersion, alone: str) -> Iterator[str]:
    several = len(version.groups) > 1
    groups = ", ".join(map(printable, version.groups))
    yield f"release {printable(version.release)}, {'one of groups' if several else 'group'} {groups}"
    if version.known is not None:
        yield f"  known beforehand: {printable(version.known)}"
        return
    facts = [("there", _either(version.candidates)), (f"left by {alone}", _either(version.alone))]
    if version.together is not None:
        facts.append(("left by joint", _either(version.together)))
    if version.open:
        facts.append(("of these open", f"{_either(version.open)} (neither shown to be possible nor ruled out)"))
    if version.ruled_out:
        facts.append(("ruled out by joint", listed(version.ruled_out)))
    for attack in dict.fromkeys(share.attack for share in version.shares):
        shares = [f"{printable(s.value)} {number(s.risk)}" for s in version.shares if s.attack == attack]
        facts.append((f"risk by {attack}", ", ".join(shares)))
    if version.truth is not None:
        facts.append(("in truth", printable(version.truth)))
    wide = max(len(name) for name, _ in facts)
    yield from (f"  {name.ljust(wide)}  {what}" for name, what in facts)


def _said(said: Said) -> Iterator[str]:
    """Yield what an attack says, its findings with all that shows them."""
    why = f" ({said.status}: {printable(said.reason, 400)})" if said.reason else ""
    if not said.findings and not why:
        return
    yield from ["", f"{said.attack}{why}"]
    for finding in said.findings:
        yield from (f"  {line}" for line in _finding(finding, by_version=said.attack != "intersection"))
    if not said.findings:
        yield "  nothing is found out of this person for certain"


def _finding(finding: NamedFinding, *, by_version: bool) -> Iterator[str]:
    if isinstance(finding, NamedDisclosure):
        when = "in" if by_version else "certain from"
        on = "" if by_version else " on"
        yield _titled(f"{printable(finding.value)}, {when} release {printable(finding.release)}{on}", finding.id)
        for step in finding.certificate:
            left = step.candidates if step.feasible is None else step.feasible
            kept = "" if set(left) == set(step.candidates) else f"; on a possible path {_either(left)}"
            groups = ", ".join(map(printable, step.groups))
            yield f"  release {printable(step.release)}, group {groups}: {_either(step.candidates)}{kept}"
        if finding.proof is not None:
            yield from (f"  {line}" for line in in_full(finding.proof, finding.individual, finding.value))
        yield from [f"  {UNPROVED}"] if finding.evidence == "solver" else []
    elif isinstance(finding, NamedEquivalence | NamedPin):
        if isinstance(finding, NamedPin):
            said = f"{printable(finding.value)}, certain from release {printable(finding.release)} on"
        else:
            said = f"{multiset(finding.left)} has the same value as {multiset(finding.right)}"
        yield _titled(said, finding.id)
        if finding.error is not None:
            yield f"  {unproved(finding.error)}"
        for group in finding.certificate:
            yield f"  {group.weight:>4} x release {printable(group.release)}, group {printable(group.group)}"
    yield from (f"  {line}" for line in places(finding))


def _titled(said: str, ident: str) -> str:
    return f"{said}   [{ident}]"


def _either(values: Sequence[str]) -> str:
    return either(values) if values else "nothing: the assumptions do not hold"
