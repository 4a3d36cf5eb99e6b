"""Sentences of a report, for formats that people read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from audit.clauses.registry import clause_of
from audit.findings.count import COUNT_KINDS
from audit.findings.wording import RELEASES, ROWS, enumerated, places
from audit.model.adversary import ADVERSARIES
from audit.model.count_tables import TablesFacts
from audit.model.errors import SENTENCE
from audit.model.finding import Finding
from audit.model.measures import PEOPLE, Measures
from audit.model.report import (
    HIDDEN,
    AdversaryFacts,
    AttackReport,
    Exposure,
    Input,
    ReleasePanel,
    Report,
    Violation,
    Waived,
)
from audit.runtime.phrases import (
    Noun,
    Phrase,
    Reason,
    ReasonKind,
    day,
    figure,
    joined,
    kind_of,
    parted,
    percent,
    placed,
    printable,
    risk_text,
    say,
    say_count,
    typed,
)
from reports import count_sentences as counts

CONTRADICTED = Phrase(
    "Give [adversary] transitions that allow what happens (`audit init` drafts them from the keys), or transitions = "
    '"any" where any value may follow any, or correct the data.'
)
BY_ITSELF = Phrase(
    "Each release was judged by itself, because nothing links people to rows, or people have several rows in one. To "
    "judge what several releases disclose together, publish one row for each person and add one of these: a key "
    "(private/<release>.key.csv with row,individual, or [columns] individual), against adversaries who know somebody's "
    "group; a register of exact values ([adversary] register), against adversaries who know people; published record "
    "ids ([columns] record)."
)
_ENDED = {
    "not judged": Phrase("not judged: {clauses} ({reason})"),
    "not asked": Phrase("not asked: {clauses} ({reason})"),
}
_STATUS = {
    "complete": Phrase("complete"),
    "incomplete": Phrase("incomplete"),
    "skipped": Phrase("skipped"),
    "failed": Phrase("failed"),
}
_WAIVED = {
    "applied": Phrase("{what} is waived (until {until}: {reason})"),
    "expired": Phrase("{what} WAS waived; the waiver has expired and no longer counts (until {until}: {reason})"),
    "exceeded": Phrase("{what} is waived, but more is found now than was accepted (until {until}: {reason})"),
    "unsized": Phrase("{what} is waived, but the waiver does not say how much of it (until {until}: {reason})"),
    "lost": Phrase("{what} is waived, but no finding has this id (until {until}: {reason})"),
    "unknown": Phrase("{what} is waived, but nothing was found (until {until}: {reason})"),
}
_CLAUSE = {"holds": Phrase("holds"), "violated": Phrase("is violated")}
UNKNOWN = risk_text(None)
REVEAL = Phrase("See who they are with --reveal; that report is for internal use only.")
DECLARE = Phrase("Declare in series.toml what is not decided, and audit again.")
IS_CSV = Phrase("It is a CSV file now: titles, notes and further sheets of the original are not in it.")
_CUT_OFF = (ReasonKind.TIME_LIMIT, ReasonKind.INTERRUPTED)
_NAMES_SHOWN = 20
_MAKES_UNIQUE = 0.05
_BLAMED = 5


_LISTED = Noun("{count} [person|people] in the register")


def facts(report: Report) -> str:
    """Return the sizes of what was audited."""
    series = report.series
    if isinstance(series, TablesFacts):
        return counts.facts(series)
    sizes = [
        (RELEASES, len(series.releases)),
        (ROWS, series.rows),
        (PEOPLE if ADVERSARIES[report.adversary.kind].knows_presence else _LISTED, series.individuals),
        (Noun("{count} [counterfeit|counterfeits]"), series.counterfeits),
        (Noun("{count} [group|groups]"), series.groups),
        (Noun("{count} sensitive [value|values]"), series.sensitive_values),
    ]
    return ", ".join(noun.counted(count) for noun, count in sizes if count)


def adversary(report: Report) -> str:
    """Return the assumed adversary."""
    if report.tables is not None:
        return f"{counts.adversary(report.tables)} {counts.scope()}"
    assumed = report.adversary
    who = ADVERSARIES[assumed.kind]
    said = [str(who.sentence)]
    if who.knows_people:
        said.append(changing(assumed))
    if assumed.known:
        said.append(say_count("{count} [person|people] known beforehand", assumed.known))
    return f"{parted(said)}."


def changing(assumed: AdversaryFacts) -> str:
    """Return whether values may change, in words."""
    if assumed.any_change:
        return say("any value may become any other")
    return say("values may change along the transitions") if assumed.transitions else say("values never change")


def settings(report: Report) -> str:
    """Return the policy in force and the time limit."""
    limits = ", ".join(f"{name} {figure(limit, 'g')}" for name, limit in report.policy.limits.items())
    if report.time_limit is None:
        return say("Policy: {limits}. Run with no time limit.", limits=limits)
    seconds = figure(report.time_limit, "g")
    return say("Policy: {limits}. Run with at most {seconds} s for each attack.", limits=limits, seconds=seconds)


def waivers(report: Report) -> Iterable[str]:
    """Yield the outcome of each waiver."""
    for each in report.policy.waived:
        text = _WAIVED["lost" if each.state == "unknown" and each.finding else each.state]
        yield text.filled(what=_waived(each), until=day(each.expires), reason=printable(each.reason, 200))


def _waived(waived: Waived) -> str:
    """Return the subject of a waiver."""
    if waived.finding is not None:
        return printable(waived.finding)
    if waived.individual == HIDDEN:
        return say("what is found about a person, who is shown with --reveal,")
    if waived.individual is not None:
        return say("what is found about {who}", who=printable(waived.individual))
    return say(
        "what is found in group {group} of release {release}",
        group=printable(waived.group or ""),
        release=printable(waived.release or ""),
    )


def value_of(sensitive: str | None) -> str:
    """Return the name of the value that attacks find."""
    return say("the value of {name}", name=printable(sensitive)) if sensitive else say("the sensitive value")


def violating(report: Report) -> list[AttackReport]:
    """Return the attacks that violate a clause of the policy."""
    violated = {(violation.attack, violation.sensitive) for violation in report.policy.violations}
    return [attack for attack in report.attacks if (attack.attack, attack.sensitive) in violated]


def reasons(report: Report) -> Iterable[str]:
    """Yield the reasons of the verdict by clause, and people whose values contradict the assumptions, if named."""
    yield from changed(report)
    yield from violated(report)
    yield from undecided(report)


def changed(report: Report) -> Iterable[str]:
    """Yield the people whose values contradict the assumptions, or are certain unless they change, if named."""
    if people := report.adversary.people_if_unchanged:
        certain = enumerated([*map(printable, people)], _NAMES_SHOWN)
        yield say("certain if values do not change, by the groups of each alone: {names}", names=certain)
    if report.contradictions.people:
        names = [printable(name) for name in report.contradictions.people]
        yield say("values change although they must not: {names}", names=enumerated(names, _NAMES_SHOWN))


def ended(report: Report) -> Iterable[str]:
    """Yield, for an audit that was cut off, what is decided, what is not, and how far it got."""
    if not (report.interrupted or out_of_time(report)):
        return
    states = [(each.clause, each.state) for each in report.policy.clauses]
    decided = [f"{clause} {_CLAUSE[state]}" for clause, state in states if state in _CLAUSE]
    yield say("Decided: {clauses}.", clauses=", ".join(decided) or say("none"))
    yield say(
        "Open: {clauses}.", clauses=", ".join(one for one, state in states if state not in _CLAUSE) or say("none")
    )
    done = [named(each) for each in report.attacks if each.status == "complete"]
    cut = [named(each) for each in report.attacks if kind_of(each.reason) in _CUT_OFF]
    yield say("Finished: {done}. Cut off: {cut}.", done=", ".join(done) or say("none"), cut=", ".join(cut))


def violated(report: Report) -> Iterable[str]:
    """Yield the violated clauses of the policy; for clauses that releases break alone, how many do."""
    for text in _once(report.policy.violations):
        yield say("Violated: {what}.", what=text)
    broken = breaking_releases(report)
    if len(broken) < 2:
        return
    so = say("This is so in {count} of {all} releases.", count=len(broken), all=len(report.series.releases))
    if any(each.kind == "people" for each in report.policy.violations):
        yield so
    else:
        worst = max(broken.values(), key=lambda each: (each.alone, -each.k))
        alone = say_count(
            "In release {release}, {count} of {rows} rows [is|are] unique.",
            worst.alone,
            release=printable(worst.release),
            rows=figure(worst.rows),
        )
        yield f"{so} {alone}"


def breaking_releases(report: Report) -> dict[str, ReleasePanel]:
    """Return the releases that break a limit alone; the policy lists the worst, and says whether people count."""
    alone = {each.release: each for each in report.policy.violations if each.attack is None}
    limit = max((each.limit for each in alone.values()), default=0)
    people = any(each.kind == "people" for each in alone.values())
    return {each.release: each for each in report.panel if (each.small.smallest if people else each.k) < limit}


def _once(violations: Iterable[Violation]) -> Iterable[str]:
    """Yield the violations, once if several attacks find the same, or one does on several attributes."""
    by: dict[str, dict[str, Violation]] = {}
    for violation in violations:
        text = violation_text(replace(violation, attack=violation.attack and "", people=None))
        by.setdefault(text, {}).setdefault(violation.attack or "", violation)
    for attacks in by.values():
        found = next(iter(attacks)) if len(attacks) == 1 else say("{count} attacks", count=len(attacks))
        most = max(attacks.values(), key=lambda each: each.people or 0)
        yield violation_text(replace(most, attack=found or None))


def violation_text(violation: Violation) -> str:
    """Return a clause's requirement and its violation, in numbers of people or counts if possible; no full stop."""
    if violation.measure in COUNT_KINDS:
        return COUNT_KINDS[violation.measure].found.counted(int(violation.value))
    return clause_of(violation.measure).broken(violation)


def broken_by(violation: Violation, report: Report) -> list[str]:
    """Return the clauses that a violation breaks: if it is by counts, each one that is violated."""
    return [violation.measure] if report.tables is None else [each.clause for each in report.policy.ended("violated")]


def rests_on_guesses(report: Report) -> bool:
    """Return whether something is undecided because the manifest guesses it."""
    return any(kind_of(each.reason) is ReasonKind.UNCONFIRMED for each in report.policy.undecided)


def _if_confirmed(report: Report) -> Iterator[str]:
    for broken in _once(report.policy.if_confirmed):
        if rests_on_guesses(report):
            yield say("Violated if the guesses are right: {violation}.", violation=broken)
        else:
            yield say("Violated as the files are read now: {violation}.", violation=broken)


def undecided(report: Report) -> Iterable[str]:
    """Yield the undecided clauses of the policy, and those that were not judged."""
    yield from _if_confirmed(report)
    violated = {each.clause for each in report.policy.ended("violated")}
    for why, clauses in undecided_clauses(report).items():
        judged = {"assumptions", *violated}  # which the verdict or a sentence above states
        open_ones, shown = [each for each in clauses if each not in judged], printable(why, SENTENCE)
        if not open_ones and (further := [each for each in clauses if each in violated]):
            yield say("More may violate {clauses}: {reason}", clauses=joined(further), reason=shown)
        elif open_ones == ["policy"]:
            yield shown
        elif len(open_ones) == 1:
            yield say("{clause} is not decided: {reason}", clause=open_ones[0], reason=shown)
        elif open_ones:
            yield say("{clauses} are not decided: {reason}", clauses=joined(open_ones), reason=shown)
    for state, text in _ENDED.items():
        ended: dict[str | None, list[str]] = {}
        for each in report.policy.ended(state):
            ended.setdefault(each.reason, []).append(each.clause)
        for reason, clauses in ended.items():
            yield text.filled(clauses=", ".join(clauses), reason=printable(reason or "", SENTENCE))


def undecided_clauses(report: Report) -> dict[str, list[str]]:
    """Return the reasons for undecided clauses, each with all its clauses, including assumptions."""
    found: dict[str, list[str]] = {}
    for clause in report.policy.undecided:
        found.setdefault(clause.reason, []).append(clause.measure)
    # Several attributes may have the same reason.
    return {reason: list(dict.fromkeys(clauses)) for reason, clauses in found.items()}


def warnings(report: Report) -> Iterable[str]:
    """Yield the irregularities of the files."""
    for each in report.warnings:
        text = f"{each.text[0].upper()}{each.text[1:]}"
        if each.examples:
            examples = parted(printable(example, 200) for example in each.examples)
            yield say("{warning} ({examples}).", warning=text, examples=examples)
        else:
            yield f"{text}."


def proved(report: Report) -> Iterable[str]:
    """Yield what a witness shows, what it does not show, and how to check it."""
    if report.witness is None:
        return
    yield from (f"{text[0].upper()}{text[1:]}." for text in report.witness.shown)
    for text in report.witness.rests:
        yield say(
            "The witness does not prove everything; for the rest you have to trust the program: {what}.", what=text
        )
    if report.tables is None:
        yield say(
            "To check it, run `{command}`, or `{alone}` with the checkers alone, on the releases, the keys and the "
            "witness, which names people.",
            command=placed("audit verify SERIES FOLDER"),
            alone=placed("python verify.py SERIES FOLDER"),
        )
    else:
        yield say(
            "To check it, run `{command}`, or `{alone}` with the checkers alone, on the published files and the "
            "witness, which names no one.",
            command=placed("audit verify SERIES FOLDER"),
            alone=placed("python verify_tables.py SERIES FOLDER"),
        )


def skipped(report: Report) -> Iterable[str]:
    """Yield why attacks are incomplete or failed, grouped by reason; then which were not tried."""
    for (status, reason), names in _reasons(report).items():
        about = {"attacks": ", ".join(names), "reason": printable(reason, SENTENCE)}
        if status == "failed":
            yield say_count("{attacks} failed: {reason}.", len(names), **about)
        elif status != "skipped":
            yield say_count("{attacks} [is|are] incomplete: {reason}.", len(names), **about)
    aside = [
        f"{', '.join(names)} ({printable(reason, SENTENCE)})"
        for (status, reason), names in _reasons(report).items()
        if status == "skipped"
    ]
    if aside:
        yield say("Not tried: {attacks}.", attacks="; ".join(aside))


def _reasons(report: Report) -> dict[tuple[str, str], list[str]]:
    """Return the attacks with a reason, by status and reason; not why one is skipped for some attributes alone."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    ran = {attack.attack for attack in report.attacks if attack.ran}
    for attack in report.attacks:
        if attack.reason and not (attack.status == "skipped" and attack.attack in ran):
            found.setdefault((attack.status, attack.reason), {})[attack.attack] = None
    return {key: list(names) for key, names in found.items()}


def ended_early(name: str, attack: AttackReport) -> str:
    """Return why an attack is incomplete or does not apply, without a full stop."""
    reason = printable(attack.reason or "", SENTENCE)
    if attack.status == "skipped":
        return say("{attack} is skipped: {reason}", attack=name, reason=reason)
    if attack.status == "failed":
        return say("{attack} failed: {reason}", attack=name, reason=reason)
    return say("{attack} is incomplete: {reason}", attack=name, reason=reason)


def status_in_words(status: str) -> str:
    """Return the status of an attack in a word."""
    return str(_STATUS[status])


def notes(report: Report) -> Iterable[str]:
    """Yield notes on the meaning of the figures."""
    yield from _reached(report)
    own = (note for attack in report.attacks for note in attack.measures.notes(named(attack)))
    yield from dict.fromkeys(own)
    if unknown := [named(attack) for attack in report.attacks if UNKNOWN in risk_cells(report, attack)]:
        yield say(
            "? means that {attacks} did not count all ways in which values can belong to people, so that this risk is "
            "not known; values that are certain are found all the same.",
            attacks=joined(unknown),
        )
    who = ADVERSARIES[report.adversary.kind]
    if not who.reads_key:
        yield str(BY_ITSELF)
    if who.caution and any(isinstance(a.risks.max_risk, float) for a in report.attacks):
        yield str(who.caution)


def risk_cells(report: Report, attack: AttackReport) -> list[str]:
    """Return the highest and the mean risk by an attack, as cells of a table; empty if it has none."""
    cells = [risk_text(attack.risks[name]) if name in attack.risks else "" for name in ("max_risk", "mean_risk")]
    if cells[0] == UNKNOWN and attack.people is None and attack.status == "complete":
        # An attack on rows only looks for risks that reach the limit.
        cells[0] = say("below {limit}", limit=risk_text(report.policy.limits.get("max_risk", 1.0)))
    return cells


def fingerprint(file: Input) -> str:
    """Return a file's SHA-256, and what it covers if private columns are left out."""
    if file.columns is None:
        return file.sha256
    return say("{sha256} (of its published columns, as CSV)", sha256=file.sha256)


def best_so_far(reason: Reason) -> str:
    """Return a sentence: the search for a repair ended early, and what it found."""
    return say("This is the best repair so far: {reason}. A longer search may change less.", reason=reason)


def people(report: Report) -> Iterable[str]:
    """Yield the people in shown findings, each once, with the attacks that find them."""
    for each in report.people:
        who = printable(each.individual, 200)
        if each.sensitive:
            who = f"{who} ({printable(each.sensitive)})"
        yield say("{who}: by {attacks}", who=who, attacks=", ".join(each.reasons))


def ids(report: Report) -> str:
    """Return where ids and pseudonyms are valid."""
    if report.ids_are_stable:
        return say("Ids of findings and pseudonyms are the same in every report with --stable-ids.")
    return say("Ids of findings and pseudonyms are valid in this report only.")


def _reached(report: Report) -> Iterable[str]:
    """Yield how many people's values reach the policy's limit, 0.9 and 0.5 as probability."""
    limit = report.policy.limits.get("max_risk", 1.0)
    of_attribute: dict[str | None, str] = {}
    for attack in report.attacks:
        shares = {limit: attack.risks.at_limit, 0.9: attack.risks.above_0_9, 0.5: attack.risks.above_0_5}
        known = {share: count for share, count in shares.items() if isinstance(count, int)}
        if any(known.values()) and len(known) == len(shares):
            sure = [say("{count} for certain", count=known.pop(1))] if 1 in known else []
            nearly = [
                say("{count} with {share} or more", count=known[share], share=percent(share))
                for share in sorted(known, reverse=True)
            ]
            about = {"attack": named(attack), "told": ", ".join(sure + nearly)}
            of_attribute[attack.sensitive] = (
                say("People whose value, harmless or not, is known by {attack}: {told}.", **about)
                if report.has_harmless
                else say("People whose value is known by {attack}: {told}.", **about)
            )
    yield from of_attribute.values()  # of the attack that deduces most
    if of_attribute and report.has_harmless:
        yield say(
            "The verdict and the findings leave out values that are declared to be harmless; what attacks find, risks, "
            "the people whose value is known, and those found after each release include them."
        )


def steps(finding: Finding[str]) -> Iterator[str]:
    """Yield the steps of a finding's certificate, with cases indented, and the locations of its groups."""
    yield from finding.steps()
    yield from places(finding.located)


_SEVERAL = Phrase("Withhold the rows of the people found, or put them into groups with several values.")


def measures(report: Report) -> Iterable[str]:
    """Yield what the publisher can do now, in words without commands."""
    found = [attack for attack in violating(report) if attack.findings_total]
    alone = str(_SEVERAL) if report.adversary.any_change else str(Measures.remedy)
    remedies = (str(attack.measures.remedy) for attack in found)
    yield from dict.fromkeys(alone if each == str(Measures.remedy) else each for each in remedies)
    if report.policy.violations and not found:
        yield say("Publish larger or more diverse groups, or accept a higher limit in the policy.")
    if report.policy.violations:
        yield from _singling_advice(report)
    if report.contradictions:
        yield say(
            "Decide first whether values may change; until then, no risk below {certainty} is reliable.",
            certainty=percent(1),
        )
    if not found and not report.policy.violations:
        if report.policy.passed and not report.interrupted:
            yield say("Keep this report with the release. Before you publish the next release, audit again with it.")
        together = [attack.status for attack in report.attacks if attack.measures.about_all_people]
        unfinished = not together or (not report.policy.passed and set(together) != {"complete"})
        adversary = ADVERSARIES[report.adversary.kind]
        # Who is in the data tells nothing about others if nobody knows it.
        if report.tables is None and unfinished and adversary.knows_people and adversary.knows_presence:
            yield say("More may follow from the values of all people together: no attack of that kind finished.")


def advice(report: Report) -> Iterable[str]:
    """Yield what the publisher can do now, and with which options."""
    yield from measures(report)
    yield from _to_decide(report)
    if any(each.attack is None for each in report.policy.violations):
        yield say(
            "Classes smaller than k have no ids; to accept all those of a release: {command}.",
            command=typed("audit waive SERIES --group RELEASE '*' --reason TEXT --until DATE"),
        )
    if any(attack.findings_total for attack in violating(report)):
        if not report.ids_are_stable:
            yield say(
                "Ids are valid in this report only; with --stable-ids they are the same in every report, and "
                "findings can be waived."
            )
        if not report.revealed and ADVERSARIES[report.adversary.kind].reads_key:
            yield str(REVEAL)


def _to_decide(report: Report) -> Iterable[str]:
    """Yield what would decide what is open."""
    if out_of_time(report):
        yield say("Give more time with --time-limit SECONDS.")
    if report.tables is not None and any(kind_of(each.reason) is ReasonKind.NEEDS for each in report.policy.undecided):
        yield str(DECLARE)


def out_of_time(report: Report) -> bool:
    """Return whether more time might find more."""
    return any(kind_of(attack.reason) is ReasonKind.TIME_LIMIT for attack in report.attacks)


def _singling_advice(report: Report) -> Iterable[str]:
    """Yield the columns that make many rows unique, which ranges would prevent; several together if none does alone."""
    shares: dict[str, float] = {}
    for each in (one for panel in report.panel for one in panel.singling):
        share = each.by_itself if " + " in each.column else max(each.alone, each.by_itself)
        if share >= _MAKES_UNIQUE:
            shares[each.column] = max(share, shares.get(each.column, 0.0))
    worst = {name: share for name, share in shares.items() if " + " not in name} or shares
    said = [f"{printable(name)} ({figure(worst[name], '.0%')})" for name in sorted(worst, key=worst.__getitem__)[::-1]]
    if said:
        yield say(
            "Publish in ranges or broader classes, or leave out, what makes rows unique (with the share of rows in "
            "the worst release): {columns}.",
            columns=joined(said, most=_BLAMED),
        )


def people_alike(attack: AttackReport, violations: Iterable[Violation]) -> int:
    """Return of how many people who may be in the data an attack finds the category alone, against the policy."""
    about = (attack.attack, attack.sensitive)
    found = (each for each in violations if each.kind == "similar" and (each.attack, each.sensitive) == about)
    return 0 if attack.people or attack.people_at_once is None else max((each.people or 0 for each in found), default=0)


def _of_possible(attack: AttackReport, at_once: int, violations: Iterable[Violation]) -> str:
    """Return how many people who may be in the data an attack finds."""
    if attack.people:
        return say("{people}, at most {count} at once", people=PEOPLE.counted(attack.people), count=figure(at_once))
    if alike := people_alike(attack, violations):
        return say_count("the category of {count} [person|people]", alike)
    return say("no one so far") if attack.incomplete else say("nobody")


def result_text(attack: AttackReport, violations: Iterable[Violation] = ()) -> str:
    """Return the number of people or versions with certain values by an attack, or of records in too small a class.

    For an attack without a result, return why there is none. Of people who may be in the data, some may violate the
    policy by the category of their values alone.
    """
    if attack.status == "failed":
        return say("failed")
    if not attack.ran:
        return say("interrupted") if kind_of(attack.reason) is ReasonKind.INTERRUPTED else say("does not apply")
    if attack.people_at_once is not None:
        return _of_possible(attack, attack.people_at_once, violations)
    found = attack.measures.found_in_words(at_least=attack.incomplete)
    alone = attack.risks.alone
    if not isinstance(alone, int):
        return found
    return say_count("{found}, and {count} [person|people] whose values contradict the assumptions", alone, found=found)


def named(attack: AttackReport | Exposure) -> str:
    """Return an attack's name, with the attribute if several are audited."""
    return f"{attack.attack} ({printable(attack.sensitive)})" if attack.sensitive else attack.attack


def seconds(attack: AttackReport) -> str:
    """Return the time of an attack."""
    return f"{figure(attack.seconds, '.2f')} s"
