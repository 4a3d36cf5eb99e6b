"""Wording: what a report says in sentences, for formats that people read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from audit.model.adversary import ADVERSARIES
from audit.model.errors import printable
from audit.model.outcome import INTERRUPTED
from audit.model.report import HIDDEN, AttackReport, Input, Report, Violation, Waived
from audit.model.words import plural
from reports.phrases import say

CONTRADICTED = (
    "Give [adversary] transitions that allow what happens (`audit init` drafts them from the keys), or "
    'transitions = "any" where any value may follow any, or correct the data.'
)
BY_ITSELF = (
    "Each release was judged by itself, as nothing ties each person to one row of it. To judge what several releases "
    "give away together, add one of: a key (private/<release>.key.csv with row,individual, or [columns] individual, "
    'with rows = "latest" where people have several rows), for those who know somebody\'s group; a register of exact '
    "values ([adversary] register), for those who know people; published record ids ([columns] record)."
)
_BROKEN = {
    "certain": "max_risk: {value} of somebody is certain by {attack}, and no risk may reach {most}",
    "max_risk": "max_risk: {value} of somebody is known with {risk} by {attack}, and no risk may reach {most}",
    "max_ever_risk": "max_ever_risk: somebody has ever had a grave value with {risk} by {attack}, and no such risk may "
    "reach {most}",
    "min_e": "min_e: people on a side of an equivalence by {attack}: {number}, and there have to be {limit}",
    "k": "k: records that fit what is known of one by {attack}: {number}, and there have to be {limit}",
    "k alone": "k: rows that look alike in release {release} alone: {number}, and there have to be {limit}",
}
"""How a clause does not hold: by an attack, or by a release alone."""
_BROKEN_ELSE = "{measure}: {number} by {attack}, and the limit is {limit}"
_CANDIDATES_SHOWN = 12
_NAMES_SHOWN = 20
_MAKES_UNIQUE = 0.05
_NEARLY = 0.9  # a value so probable is told in any case


def facts(report: Report) -> str:
    """Return the sizes of what was audited."""
    series = report.series
    parts = [
        plural(len(series.releases), "release"),
        plural(series.rows, "row"),
        plural(series.individuals, "person", "people"),
        plural(series.counterfeits, "counterfeit"),
        plural(series.groups, "group"),
        plural(series.sensitive_values, "sensitive value"),
    ]
    return ", ".join(part for part in parts if not part.startswith("0 "))


def adversary(report: Report) -> str:
    """Return who was assumed to attack."""
    assumed = report.adversary
    who = ADVERSARIES[assumed.kind]
    values = "; values may change along the transitions" if assumed.transitions else "; values never change"
    known = f"; {plural(assumed.known, 'person', 'people')} known beforehand" if assumed.known else ""
    return f"The adversary {who.sentence} ({who.name}){values if who.knows_people else ''}{known}."


def contradicted(report: Report) -> str:
    """Return how people's own published values contradict the assumptions, which they do."""
    changed, infeasible = report.contradictions.changed, report.contradictions.infeasible
    said = []
    if changed:
        said.append(f"the value of {plural(changed, 'person', 'people')} changes as it never should{_names(report)}")
    if infeasible:
        said.append(f"no value at all is left to {plural(infeasible, 'person', 'people')}")
    return f"THE ASSUMPTIONS DO NOT HOLD: {'; '.join(said)}."


def _names(report: Report) -> str:
    """Return who they are whose values change, where people are named."""
    people = report.contradictions.people
    if not people:
        return ""
    shown = ", ".join(printable(name) for name in people[:_NAMES_SHOWN])
    return f" ({shown}{f' and {len(people) - _NAMES_SHOWN:,} more' if len(people) > _NAMES_SHOWN else ''})"


def settings(report: Report) -> str:
    """Return the policy in force and the time limit."""
    limits = ", ".join(f"{name} {limit:g}" for name, limit in report.policy.limits.items())
    patience = "no time limit" if report.time_limit is None else f"at most {report.time_limit:g} s for each attack"
    return f"Policy: {limits}. Run with {patience}."


def waivers(report: Report) -> Iterable[str]:
    """Yield what became of each waiver."""
    for waived in report.policy.waived:
        what = {
            "applied": "is waived",
            "expired": "WAS waived, the waiver has expired and counts no more",
            "unknown": "is waived, but no finding has this id"
            if waived.finding
            else "is waived, but nothing is found of it",
        }[waived.state]
        yield f"{_waived(waived)} {what} (until {waived.expires}: {printable(waived.reason, 200)})"


def _waived(waived: Waived) -> str:
    """Return what a waiver is about."""
    if waived.finding is not None:
        return printable(waived.finding)
    if waived.individual is not None:
        whom = waived.individual if waived.individual != HIDDEN else f"a person, who is {HIDDEN},"
        return f"what is found of {printable(whom)}"
    return f"what is found in group {printable(waived.group or '')} of release {printable(waived.release or '')}"


def headline(report: Report) -> tuple[str, str]:
    """Return the verdict in one sentence, and its colour."""
    if report.policy.violations:
        return f"{'INTERRUPTED, and ' if report.interrupted else ''}NOT SAFE: {_worst(report)}.", "red"
    if report.interrupted:
        done = ", ".join(attack.attack for attack in report.attacks if attack.status != "skipped")
        return f"INTERRUPTED: nothing was found by what had come to an end: {done}.", "yellow"
    if report.policy.undecided:
        return (
            "UNDECIDED: nothing was found, but not everything that the policy asks could be decided."
            f"{_nearly_certain(report)}",
            "yellow",
        )
    asked = ", ".join(attack.attack for attack in report.attacks if attack.status != "skipped")
    waived = sum(each.state == "applied" for each in report.policy.waived)
    but = f", but for what is waived: {plural(waived, 'finding')}" if waived else ""
    if report.known_before:
        but = f", but for what is waived or in the baseline: {plural(report.known_before, 'finding')}"
    return f"The policy holds against: {asked}{but}.{_nearly_certain(report)}", "green"


def _worst(report: Report) -> str:
    """Return the worst that violates the policy, in people: values that are certain, likely values, equal people, k."""
    found = violating(report)
    certain = [attack for attack in found if attack.people]
    if certain:
        worst = max(certain, key=lambda attack: attack.people or 0)  # of equals the first, which takes the least
        more = "at least " if worst.incomplete else ""
        value = f"the value of {printable(worst.sensitive)}" if worst.sensitive else "the sensitive value"
        people = plural(report.series.individuals, "person", "people")
        return f"by {worst.attack}, {value} is certain for {more}{worst.people or 0:,} of {people}"
    likely = [each for each in report.policy.violations if each.measure == "max_risk"]
    highest = {(each.attack, each.sensitive): each.value for each in likely}
    reaching = [each for each in report.attacks if (each.attack, each.sensitive) in highest]
    counts = [(each, highest[each.attack, each.sensitive], each.risks.at_limit) for each in reaching]
    if told := _likely(counts, report.policy.limits.get("max_risk", 1.0)):
        return told
    if not found or not any(attack.findings_total for attack in found):
        return violation_told(report.policy.violations[0])
    worst = max(reversed(found), key=lambda each: (each.measures.about_values, each.findings_total))
    value = f"the value of {printable(worst.sensitive)}" if worst.sensitive else "the sensitive value"
    return f"by {worst.attack}, {worst.measures.accusation(value, at_least=worst.incomplete)}"


def _nearly_certain(report: Report) -> str:
    """Return a sentence on values that are nearly certain, though the policy allows it; nothing without any."""
    told = _likely([(each, each.risks.max_risk, each.risks.above_0_9) for each in report.attacks], _NEARLY)
    return f" {told[0].upper()}{told[1:]}." if told else ""


def _likely(attacks: Iterable[tuple[AttackReport, object, object]], share: float) -> str:
    """Return how probable people's values are that are not certain; nothing where no people are counted.

    With each attack go the highest risk, and how many people reach a share. A posterior over all worlds is told rather
    than a product of shares in a person's own groups.
    """
    known = [(each, risk, count) for each, risk, count in attacks if isinstance(risk, float) and isinstance(count, int)]
    known = [(each, risk, count) for each, risk, count in known if count]
    if not known:
        return ""
    exact = [one for one in known if one[0].measures.about_everybody and not one[0].incomplete]
    worst, risk, count = max(exact or known, key=lambda one: one[1])
    value = f" of {printable(worst.sensitive)}" if worst.sensitive else ""
    told = f"by {worst.attack}, one person's value{value} is known with {percent(risk)}"
    return told + (f", {plural(count - 1, 'other')} with {percent(share)} or more" if count > 1 else "")


def percent(share: float) -> str:
    """Return a probability in percent; rounding makes it no certainty.

    >>> percent(0.974), percent(0.99999), percent(1.0)
    ('97 %', '99.9 %', '100 %')
    """
    return "100 %" if share == 1 else f"{min(100 * share, 99.9):.3g} %" if share > 0.99 else f"{100 * share:.0f} %"


def violating(report: Report) -> list[AttackReport]:
    """Return the attacks that violate a clause of the policy."""
    violated = {(violation.attack, violation.sensitive) for violation in report.policy.violations}
    return [attack for attack in report.attacks if (attack.attack, attack.sensitive) in violated]


def reasons(report: Report) -> Iterable[str]:
    """Yield what is behind the verdict, clause by clause."""
    yield from violated(report)
    yield from undecided(report)


def violated(report: Report) -> Iterable[str]:
    """Yield the clauses of the policy that do not hold."""
    for violation in report.policy.violations:
        yield violation_told(violation)


def violation_told(violation: Violation) -> str:
    """Return how a clause does not hold, in people wherever it is about people; without a full stop."""
    alone = violation.attack is None
    kind = "certain" if violation.measure == "max_risk" and violation.value == 1 else violation.measure
    value = say("the value of {name}", name=printable(violation.sensitive)) if violation.sensitive else say("a value")
    return say(
        _BROKEN.get(f"{kind} alone" if alone else kind, _BROKEN_ELSE),
        measure=violation.measure,
        attack=violation.attack or "",
        release=printable(violation.release or ""),
        value=value,
        number=f"{violation.value:,g}",
        limit=f"{violation.limit:.12g}",
        risk=percent(min(violation.value, 1.0)),
        most=percent(min(violation.limit, 1.0)),
    )


def undecided(report: Report) -> Iterable[str]:
    """Yield the clauses of the policy that are not decided, and those that were not judged."""
    for clause in report.policy.undecided:
        yield f"{clause.measure} is not decided: {printable(clause.reason, 400)}"
    for state in ("not judged", "not asked"):
        ended: dict[str | None, list[str]] = {}
        for each in report.policy.ended(state):
            ended.setdefault(each.reason, []).append(each.clause)
        for reason, clauses in ended.items():
            yield f"{state}: {', '.join(clauses)} ({printable(reason or '', 400)})"


def warnings(report: Report) -> Iterable[str]:
    """Yield what is irregular about the files."""
    for each in report.warnings:
        examples = f" ({'; '.join(printable(example, 200) for example in each.examples)})" if each.examples else ""
        yield f"{each.text[0].upper()}{each.text[1:]}{examples}."


def skipped(report: Report) -> Iterable[str]:
    """Yield why attacks are incomplete or do not apply, those with one reason together."""
    attacks: dict[tuple[str, str], list[str]] = {}
    for attack in report.attacks:
        if attack.reason:
            attacks.setdefault((attack.status, attack.reason), []).append(attack.attack)
    for (status, reason), names in attacks.items():
        listed = ", ".join(dict.fromkeys(names))
        yield f"{listed} {'is' if len(set(names)) == 1 else 'are'} {status}: {printable(reason, 400)}."


def notes(report: Report) -> Iterable[str]:
    """Yield how to take what is shown."""
    yield from _reached(report)
    own = (note for attack in report.attacks for note in attack.measures.notes(named(attack)))
    yield from dict.fromkeys(own)
    who = ADVERSARIES[report.adversary.kind]
    if not who.reads_key:
        yield BY_ITSELF
    if who.caution and any(isinstance(a.risks.max_risk, float) for a in report.attacks):
        yield who.caution


def fingerprint(file: Input) -> str:
    """Return a file's SHA-256, and of what it is where private columns are left out."""
    return file.sha256 if file.columns is None else f"{file.sha256} (of its published columns, as CSV)"


def people(report: Report) -> Iterable[str]:
    """Yield those of whom a finding is shown, each once, with what finds them."""
    for each in report.people:
        of = f" ({printable(each.sensitive)})" if each.sensitive else ""
        yield f"{printable(each.individual)}{of}: by {', '.join(each.reasons)}"


def secrecy(report: Report) -> Iterable[str]:
    """Yield how names are hidden, and what can be learnt from the report all the same."""
    if report.ids_are_stable:
        yield "Ids of findings and pseudonyms stay from one report with --stable-ids to the next."
    else:
        yield "Ids of findings and pseudonyms hold for this report only."
    if not report.revealed and any(attack.findings for attack in report.attacks):
        yield (
            "Findings name groups and values: whoever has the releases too, and knows which group somebody is in, can "
            "find the person's finding here. Without findings (--findings 0) the report tells numbers alone."
        )


def _with(share: float) -> str:
    return "for certain" if share == 1 else f"with {percent(share)} or more"


def _reached(report: Report) -> Iterable[str]:
    """Yield how many people's values are as probable as the policy's limit, 0.9 and 0.5."""
    limit = report.policy.limits.get("max_risk", 1.0)
    of_attribute: dict[str | None, str] = {}
    for attack in report.attacks:
        counts = {limit: attack.risks.at_limit, 0.9: attack.risks.above_0_9, 0.5: attack.risks.above_0_5}
        known = {share: count for share, count in counts.items() if isinstance(count, int)}
        if any(known.values()) and len(known) == len(counts):
            told = ", ".join(f"{known[share]:,} {_with(share)}" for share in sorted(known, reverse=True))
            of_attribute[attack.sensitive] = f"People whose value is known by {named(attack)}: {told}."
    yield from of_attribute.values()  # of the attack that deduces most


def advice(report: Report) -> Iterable[str]:
    """Yield what a publisher would do now."""
    found = [attack for attack in violating(report) if attack.findings_total]
    yield from _remedies(found)
    if report.policy.violations and not found:
        yield "Publish larger or more even groups, or accept a higher limit with --policy max_risk=…"
    if report.policy.violations:
        yield from _singling_advice(report)
    if report.contradictions:
        yield "Decide first whether values may change; until then nothing below certainty can be relied on."
    if any(attack.reason and "time limit" in attack.reason for attack in report.attacks):
        yield "Give more time with --time-limit SECONDS."
    if found and not report.ids_are_stable:
        yield "Ids hold for this report only; with --stable-ids they stay, and findings can be waived."
    if found and not report.revealed and ADVERSARIES[report.adversary.kind].reads_key:
        yield "See who they are with --reveal; keep that report inside."
    if not found and not report.policy.violations:
        if report.policy.passed and not report.interrupted:
            yield "Keep this report with the release; audit again, with the next release added, before that goes out."
        together = [attack.status for attack in report.attacks if attack.measures.about_everybody]
        if set(together) != {"complete"}:
            yield "Somebody who reasons about everybody's values at once may deduce more than was found here."


def _singling_advice(report: Report) -> Iterable[str]:
    """Yield the columns that make many rows unique, which ranges would mend."""
    shares: dict[str, tuple[float, str]] = {}
    for panel in report.panel:
        for each in panel.singling:
            share = max(each.alone, each.by_itself)
            if share >= _MAKES_UNIQUE and share > shares.get(each.column, (0.0, ""))[0]:
                shares[each.column] = share, panel.release
    for column, (share, release) in sorted(shares.items(), key=lambda item: -item[1][0]):
        yield (
            f"{printable(column)} makes {share:.0%} of the rows of release {printable(release)} unique: publish it in "
            "ranges or broader classes, or leave it out."
        )


def _remedies(found: Sequence[AttackReport]) -> Iterable[str]:
    """Yield what would have kept people from being found."""
    if found:
        yield "Do not publish another release of this kind: what is out cannot be taken back, more would be added."
    yield from dict.fromkeys(attack.measures.remedy for attack in found)


def absent(attack: AttackReport) -> str:
    """Return why there is nothing of an attack, in a word or two."""
    return "interrupted" if attack.reason == INTERRUPTED else "does not apply"


def fallen(attack: AttackReport) -> str:
    """Return how many people or versions an attack is certain about, or how many records were in too small a class."""
    return attack.measures.found_in_words(at_least=attack.incomplete) + _alone(attack)


def _alone(attack: AttackReport) -> str:
    alone = attack.risks.alone
    return f", and {plural(alone, 'person', 'people')} whose values contradict" if isinstance(alone, int) else ""


def known_of(attack: AttackReport) -> tuple[int, str] | None:
    """Return of how many `fallen` tells, and what they are; None where there are none."""
    subjects = attack.measures.subjects
    return (subjects, attack.measures.subjects_label) if subjects else None


def share_fallen(attack: AttackReport) -> float:
    """Return the share of those of whom `fallen` tells, in [0, 1]."""
    return attack.measures.found / attack.measures.subjects if attack.measures.subjects else 0.0


def named(attack: AttackReport) -> str:
    """Return an attack's name, with the attribute when several are audited."""
    return f"{attack.attack} ({printable(attack.sensitive)})" if attack.sensitive else attack.attack


def seconds(attack: AttackReport) -> str:
    """Return how long an attack took."""
    return f"{attack.seconds:.2f} s"


def listing(texts: Sequence[str]) -> str:
    """Return texts one after the other, the first dozen of them."""
    shown = ", ".join(printable(text) for text in texts[:_CANDIDATES_SHOWN])
    hidden = len(texts) - _CANDIDATES_SHOWN
    return f"{shown} and {hidden} more" if hidden > 0 else shown


def counted(attack: AttackReport) -> str:
    """Return what an attack's timeline counts."""
    return attack.measures.timeline_label


def multiset(side: Mapping[str, int]) -> str:
    """Return a side of an equivalence, each with how often it is counted where that is more than once.

    >>> multiset({"Bob": 1, "Dan": 2})
    '{Bob, 2 x Dan}'
    """
    names = [printable(name) if times == 1 else f"{times} x {printable(name)}" for name, times in side.items()]
    return names[0] if len(names) == 1 and set(side.values()) == {1} else f"{{{', '.join(names)}}}"


def described(cells: Mapping[str, str]) -> str:
    """Return the cells of a record, each with its quasi-identifier."""
    return ", ".join(f"{printable(name)} {printable(cell)}" for name, cell in cells.items())
