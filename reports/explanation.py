"""The explanation of what can be learnt of one person, as text for reading. It names people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from audit.findings.proof import either, listed
from audit.findings.wording import places
from audit.model.adversary import ADVERSARIES
from audit.model.errors import printable
from audit.model.explanation import Explained, ExplainedVersion, Explanation, Said
from audit.model.finding import Finding
from audit.runtime.phrases import risk_text, say, say_count
from reports.sentences import changing, status_in_words

_WIDTH = 100


def text(explanation: Explanation) -> str:
    """Return the explanation, release by release, then finding by finding."""
    who, adversary = printable(explanation.individual, 200), explanation.adversary
    lines = [
        printable(explanation.series, 200),
        say(
            "{who}, seen by {adversary} ({name}); {values}.",
            who=who,
            adversary=ADVERSARIES[adversary.kind].person,
            name=adversary.kind,
            values=changing(transitions=adversary.transitions),
        ),
        say("This names people: keep it inside."),
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
        yield say_count(
            "not in release {releases}",
            "not in releases {releases}",
            len(explained.absent),
            releases=listed(explained.absent),
        )
    for said in explained.said:
        yield from _said(said)


def _version(version: ExplainedVersion, alone: str) -> Iterator[str]:
    yield say_count(
        "release {release}, group {groups}",
        "release {release}, groups {groups}",
        len(version.groups),
        release=printable(version.release),
        groups=", ".join(map(printable, version.groups)),
    )
    if version.known is not None:
        yield f"  {say('known beforehand: {value}', value=printable(version.known))}"
        return
    facts = [
        (say("published there"), either(version.candidates)),
        (say("possible by {attack}", attack=alone), either(version.alone)),
    ]
    if version.together is not None:
        facts.append((say("possible by {attack}", attack="joint"), either(version.together)))
    if version.open:
        told = say("{values} (neither shown to be possible nor ruled out)", values=either(version.open))
        facts.append((say("of these undecided"), told))
    if version.ruled_out:
        facts.append((say("ruled out by {attack}", attack="joint"), listed(version.ruled_out)))
    for attack in dict.fromkeys(share.attack for share in version.shares):
        shares = [f"{printable(s.value)} {risk_text(s.risk)}" for s in version.shares if s.attack == attack]
        facts.append((say("risk by {attack}", attack=attack), ", ".join(shares)))
    if version.truth is not None:
        facts.append((say("true value"), printable(version.truth)))
    wide = max(len(name) for name, _ in facts)
    yield from (f"  {name.ljust(wide)}  {what}" for name, what in facts)


def _said(said: Said) -> Iterator[str]:
    """Yield what an attack says, its findings with all that shows them."""
    if not said.findings and not said.reason:
        return
    head = said.attack
    if said.reason:
        head = f"{head} ({status_in_words(said.status)}: {printable(said.reason, 400)})"
    yield from ["", head]
    for finding in said.findings:
        yield from (f"  {line}" for line in _finding(finding, by_version=said.attack != "intersection"))
    if not said.findings:
        yield f"  {say('nothing is certain about this person')}"


def _finding(finding: Finding[str], *, by_version: bool) -> Iterator[str]:
    head, *steps = finding.in_full(by_version=by_version)
    yield f"{head}   [{finding.id}]"
    yield from steps
    yield from (f"  {line}" for line in places(finding.located))
