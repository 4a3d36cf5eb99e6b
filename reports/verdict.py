"""The verdict in one sentence, in numbers of people if it is about people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from audit.clauses.registry import clause_of
from audit.findings.wording import ROWS
from audit.model.adversary import ADVERSARIES
from audit.model.measures import PEOPLE, found_of
from audit.model.report import AttackReport, Report
from audit.runtime.phrases import Phrase, figure, parted, percent, printable, say, say_count
from reports import count_sentences as counts
from reports.sentences import (
    named,
    rests_on_guesses,
    result_text,
    seconds,
    status_in_words,
    value_of,
    violating,
    violation_text,
)

_HARMLESS = Phrase("Values that are declared to be harmless are not counted.")
_NEARLY = 0.9  # a value with this probability is always shown


def headline(report: Report) -> tuple[str, str]:
    """Return the verdict in a few sentences, and its colour; a report about one person has none."""
    text, colour = _verdict(report)
    certain = more_certain(report)
    if certain is None:
        return text, colour
    return f"{text} {if_unchanged(certain)}", "yellow" if certain and colour == "green" else colour


_BY_EACH_ALONE = Phrase(
    "This counts only what the groups of each person show by themselves: the groups of several people together may "
    'make further values certain. An audit finds these by the changes that can happen: delete transitions = "any", and '
    "let `audit init --confirm` draft those that the key shows, and ask about them."
)


def if_unchanged(certain: int) -> str:
    """Return a warning: what holds if any value may follow any other, and for how many people that decides it."""
    return f"{_if_unchanged(certain)} {_BY_EACH_ALONE}"


def _if_unchanged(certain: int) -> str:
    """Return for how many people the assumption decides it, by the groups of each person alone."""
    if not certain:
        return say(
            "This rests on the assumption that any value of a person may become any other; comparing each person's "
            "groups over the releases, as if values did not change, makes nobody's value certain, harmless ones not "
            "counted."
        )
    return say_count(
        "This rests on the assumption that any value of a person may become any other: if values do not change, the "
        "[value|values] of at least {count} [person is|people are] certain, harmless ones not counted (of those whose "
        "value did not: about the others, whoever compares their groups is wrong in some release).",
        certain,
    )


def more_certain(report: Report) -> int | None:
    """Return for how many people a value is certain if it does not change; None if no more than the verdict counts."""
    certain = report.adversary.certain_if_unchanged
    found = max((each.people or 0 for each in violating(report)), default=0)
    return None if certain is not None and certain <= found and found else certain


def more_if_unchanged(before: Report, after: Report) -> Iterator[str]:
    """Yield that a release makes more values certain if values do not change, which the policy does not judge."""
    fewer, more = before.adversary.certain_if_unchanged or 0, more_certain(after) or 0
    if more > fewer:
        sentence = say(
            "If values do not change, the values of at least {more} people are certain with this release, and of at "
            "least {fewer} without it. The policy does not forbid this, as it takes any change for possible.",
            more=figure(more),
            fewer=figure(fewer),
        )
        yield f"{sentence} {_BY_EACH_ALONE}"


def _verdict(report: Report) -> tuple[str, str]:
    """Return the verdict under the assumptions, and its colour."""
    if report.tables is not None:
        return (
            (_excepted(report.left_out), "green")
            if report.left_out and report.policy.passed
            else counts.headline(report)
        )
    if report.about is not None:
        return _of_one(report, printable(report.about))
    if report.policy.violations:
        worst, counted = _worst(report)
        unsafe = say("INTERRUPTED, and NOT SAFE: {worst}.", worst=worst) if report.interrupted else None
        further = () if counted else left_out(report)
        return " ".join([unsafe or say("NOT SAFE: {worst}.", worst=worst), *further]), "red"
    ran = _tried(report)
    if report.interrupted:
        return say("INTERRUPTED: the attacks that had finished found nothing: {attacks}.", attacks=ran), "yellow"
    if report.policy.undecided:
        return _undecided(report), "yellow"
    return _with_likely(_holding(report, ran), report), "green"


def split(report: Report) -> Iterator[str]:
    """Yield, for certain values, what one release alone discloses, and what all releases disclose together."""
    certain = [attack for attack in violating(report) if attack.people]
    if not certain or len(report.series.releases) < 2:
        return
    alone = [each for each in report.panel if each.certain]
    if alone:
        worst = max(alone, key=lambda each: each.certain)
        yield say(
            "Single releases: in {count} of {all}, people are in groups whose rows all have the same value; in release "
            "{release} these are {people}.",
            count=len({each.release for each in alone}),
            all=len(report.series.releases),
            release=printable(worst.release),
            people=(PEOPLE if ADVERSARIES[report.adversary.kind].reads_key else ROWS).counted(worst.certain),
        )
    else:
        yield say("Single releases: none has a group whose rows all have the same value.")
    most = max(certain, key=lambda attack: attack.people or 0)
    together = say("All releases together: a value is certain for {found}.", found=_certain(report, most))
    yield " ".join([together, *left_out(report)])


def _certain(report: Report, attack: AttackReport) -> str:
    """Return for how many people an attack is certain of a value, and what it has to know of them."""
    found = found_of(attack.people or 0, PEOPLE.counted(report.individuals), at_least=attack.incomplete)
    if attack.people_at_once is not None:
        return say(
            "{found}, if it is known in which releases they are (at most {count} of them can be there at once)",
            found=found,
            count=figure(attack.people_at_once),
        )
    return found


def left_out(report: Report) -> Iterator[str]:
    """Yield what is left out of what was counted."""
    if report.known_before:
        yield say_count(
            "{count} [finding is|findings are] waived or in the baseline, and not counted.", report.known_before
        )
    elif report.left_out:
        yield say_count("{count} [finding is|findings are] waived and not counted.", report.left_out)
    if report.has_harmless:
        yield str(_HARMLESS)


def in_short(report: Report) -> str:
    """Return the verdict, and a line for each attack."""
    found = [
        f"{named(one)}: {result_text(one, report.policy.violations)} ({status_in_words(one.status)}, {seconds(one)})"
        for one in report.attacks
    ]
    return "\n  ".join([f"{printable(report.series.name, 200)}: {headline(report)[0]}", *found])


def _tried(report: Report) -> str:
    return ", ".join(dict.fromkeys(attack.attack for attack in report.attacks if attack.ran))


def contradicted(report: Report) -> str:
    """Return a sentence on how people's own published values contradict the assumptions."""
    return say("THE ASSUMPTIONS DO NOT HOLD: {what}.", what=_contradiction(report))


def _contradiction(report: Report) -> str:
    """Return how many people's values contradict the assumptions, and how."""
    changed, infeasible = report.contradictions.changed, report.contradictions.infeasible
    said = []
    if changed:
        said.append(
            say_count(
                "the [value|values] of {count} [person changes although it|people change although they] must not",
                changed,
            )
        )
    if infeasible:
        said.append(say_count("no value at all is possible for {count} [person|people]", infeasible))
    return parted(said)


def _of_one(report: Report, who: str) -> tuple[str, str]:
    """Return a sentence that counts the findings about one person; it is not a verdict on the series."""
    if count := sum(attack.findings_total for attack in report.attacks):
        return say_count(
            "About {who} alone: {count} [finding|findings]. This is not a verdict on the series.", count, who=who
        ), "red"
    if report.interrupted or report.contradictions or any(attack.incomplete for attack in report.attacks):
        return say(
            "About {who} alone: no value was found to be certain, but not everything was decided. This is not a "
            "verdict on the series.",
            who=who,
        ), "yellow"
    return say(
        "About {who} alone: no value is certain, or known to equal that of one other person. This is not a verdict on "
        "the series.",
        who=who,
    ), "green"


def _undecided(report: Report) -> str:
    """Return a sentence: not everything was decided, for how many people, or because the assumptions do not hold."""
    if report.contradictions:
        return say("UNDECIDED, because the assumptions do not hold: {what}.", what=_contradiction(report))
    if report.failed:
        names = ", ".join(report.failed)
        return say("UNDECIDED: {attacks} failed, and what would have been found is not known.", attacks=names)
    if any(each.measure == "policy" for each in report.policy.undecided):
        return say("UNDECIDED: no attack that ran decides a clause ({attacks}).", attacks=_tried(report))
    if report.policy.if_confirmed and rests_on_guesses(report):
        return say("UNDECIDED, because the result depends on guesses; if they are right, the policy does not hold.")
    if report.policy.if_confirmed:
        return say(
            "UNDECIDED, because the result depends on how the files are read; as they are read now, the policy does "
            "not hold."
        )
    if any(each.state == "unsized" for each in report.policy.waived):
        head = say("UNDECIDED: the waivers do not say how much they accept; add the lines below to them.")
    elif people := judged_people(report):
        head = say(
            "UNDECIDED: no violation was found for {people}, but not every clause of the policy could be decided.",
            people=PEOPLE.counted(people),
        )
    else:
        head = say("UNDECIDED: no violation was found, but not every clause of the policy could be decided.")
    return _with_likely(head, report)


def _holding(report: Report, ran: str) -> str:
    """Return a sentence: the policy holds, with its exceptions, and what this means for people."""
    waived = _waived(report)
    harmless, others = report.has_harmless, _of_others(report, ran)
    if report.known_before:
        head = _excepted(report.known_before)
    elif waived:
        head = say_count("The policy holds, except for what is waived: {count} [finding|findings].", waived)
    elif harmless:
        return f"{say('The policy holds, except for values that are declared to be harmless.')} {others}"
    else:
        return _of_all(report, ran)
    return f"{head} {_HARMLESS} {others}" if harmless else f"{head} {others}"


def _waived(report: Report) -> int:
    """Return the number of findings that are waived, with the small classes of releases."""
    applied = [each.group for each in report.policy.waived if each.state == "applied"]
    classes = applied.count("*")
    return (report.left_out or len(applied) - classes) + classes


def _excepted(count: int) -> str:
    return say_count(
        "The policy holds, except for what is waived or in the baseline: {count} [finding|findings].", count
    )


_HOLDS = {
    ("people", True): Phrase(
        "The policy holds: of {people}, nobody's value is certain by any attack tried ({attacks})."
    ),
    ("people", False): Phrase(
        "The policy holds: of {people}, nobody's value is known with {share} or more by any attack tried ({attacks})."
    ),
    ("others", True): Phrase("Of {people}, nobody else's value is certain by any attack tried ({attacks})."),
    ("others", False): Phrase(
        "Of {people}, nobody else's value is known with {share} or more by any attack tried ({attacks})."
    ),
    ("rows", True): Phrase(
        "The policy holds: of {rows}, none gives its value away for certain by any attack tried ({attacks})."
    ),
    ("rows", False): Phrase(
        "The policy holds: of {rows}, none gives its value away with {share} or more by any attack tried ({attacks})."
    ),
    ("releases", True): Phrase(
        "The policy holds for each release by itself; several releases together were not judged: of {rows}, none gives "
        "its value away for certain by any attack tried ({attacks})."
    ),
    ("releases", False): Phrase(
        "The policy holds for each release by itself; several releases together were not judged: of {rows}, none gives "
        "its value away with {share} or more by any attack tried ({attacks})."
    ),
}
"""What holds, by what it is about, and whether the limit is certainty."""


def _of_all(report: Report, ran: str) -> str:
    """Return what holds, in numbers of people if possible; if only files are known, each release was judged alone."""
    held = {each.clause: each.limit for each in report.policy.ended("holds")}
    limit, k = held.get("max_risk"), held.get("k")
    if limit is None and k is not None:
        return say(
            "The policy holds: at least {k} records have each description that all releases together give, by all "
            "attacks tried ({attacks}).",
            k=figure(k, "g"),
            attacks=ran,
        )
    if limit is None:
        return say("The policy holds against: {attacks}.", attacks=ran)
    alone = not ADVERSARIES[report.adversary.kind].reads_key and len(report.series.releases) > 1
    return _held("people" if judged_people(report) else "releases" if alone else "rows", report, limit, ran)


def _of_others(report: Report, ran: str) -> str:
    """Return what holds for people without a waived finding or one in the baseline."""
    limit = {each.clause: each.limit for each in report.policy.ended("holds")}.get("max_risk")
    if limit is None or not judged_people(report):
        return say("It was audited against: {attacks}.", attacks=_tried(report))
    return _held("others", report, limit, ran)


def _held(about: str, report: Report, limit: float, ran: str) -> str:
    people, rows = PEOPLE.counted(judged_people(report)), ROWS.counted(report.series.rows)
    return _HOLDS[about, limit >= 1].filled(people=people, rows=rows, share=percent(limit), attacks=ran)


def judged_people(report: Report) -> int:
    """Return the number of people in the verdict: those whose value is not known beforehand."""
    return report.individuals - report.adversary.known


def _worst(report: Report) -> tuple[str, bool]:
    """Return the worst violation of the policy, and whether it counts what is left out, too.

    It is in people: certain values, likely values, equal people, k.
    """
    first = report.policy.violations[0]
    if first.kind == "similar" or clause_of(first.measure).further:
        return violation_text(first), False
    found = violating(report)
    if certain := _most_certain(report, found):
        return _with_rows(certain, report), False
    likely = [each for each in report.policy.violations if each.measure == "max_risk" and each.kind is None]
    highest = {(each.attack, each.sensitive): (each.value, each.people) for each in likely}
    reaching = [each for each in report.attacks if (each.attack, each.sensitive) in highest]
    reached = [(each, *highest[each.attack, each.sensitive]) for each in reaching]
    if text := _likely(report, reached, report.policy.limits.get("max_risk", 1.0)):
        return text, False
    found = [attack for attack in found if attack.findings_total]
    if not found:
        return violation_text(first), False
    worst = max(reversed(found), key=lambda each: (each.measures.about_values, each.findings_total))
    least = getattr(worst.measures, "min_e", None)
    if first.measure == "min_e" and first.value == 1 and least is not None and least.upper != 1:
        # Measures are those of linear reasoning; worlds of other attacks show more.
        return say("at least two people certainly have the same value"), False
    accusation = worst.measures.accusation(value_of(worst.sensitive), at_least=worst.incomplete)
    counted = bool(report.left_out) or (report.has_harmless and worst.measures.about_values)
    return (_with_excepted(accusation, worst) if counted else accusation), counted


def _with_excepted(accusation: str, attack: AttackReport) -> str:
    """Return how many findings of an attack violate the policy, and what it finds with those that do not."""
    return say_count(
        "{count} [finding|findings] of {attack} [violates|violate] the policy; with those that are accepted, because "
        "they are waived, in the baseline or about harmless values: {accusation}",
        attack.findings_total,
        attack=named(attack),
        accusation=accusation,
    )


def _most_certain(report: Report, attacks: Sequence[AttackReport]) -> str:
    """Return of how many people the value is certain by the attack that finds most of them; nothing if by none."""
    certain = [attack for attack in attacks if attack.people]
    if not certain:
        return ""
    worst = max(certain, key=lambda attack: attack.people or 0)  # of equals the first, which needs the least
    return say("{value} is certain for {found}", value=value_of(worst.sensitive), found=_certain(report, worst))


def _with_rows(certain: str, report: Report) -> str:
    """Return how many people's values are certain, and how many further findings are about rows that look alike."""
    about_rows = {each.attack for each in report.policy.violations if each.measure == "max_risk" and not each.people}
    for each in report.attacks:
        if each.attack in about_rows and each.people is None and each.findings_total:
            certain = say_count(
                "{certain}, and {count} [finding|findings] of {attack} [is|are] about whoever is in a class of rows "
                "that look alike",
                each.findings_total,
                certain=certain,
                attack=named(each),
            )
    return certain


def _with_likely(head: str, report: Report) -> str:
    """Return a verdict with a sentence about values that are certain, or nearly, although nothing is violated.

    If the policy holds, certain values are those that are waived, in the baseline or harmless, and not counted.
    """
    likely = [(each, each.risks.max_risk, each.risks.above_0_9) for each in report.attacks]
    text = _most_certain(report, report.attacks) or _likely(report, likely, _NEARLY)
    # By all attacks together; of an attack that gives no probabilities, the text tells nothing.
    found = max((step.so_far for step in report.ladder), default=0)
    likeliest = [each.risks.at_limit for each, _, near in likely if isinstance(near, int)]
    certain = report.policy.limits.get("max_risk", 1.0) == 1
    if text and found > max((count for count in likeliest if certain and isinstance(count, int)), default=0):
        text = _sure(found)
    if text and report.policy.passed and any(each.risks.max_risk == 1 for each in report.attacks):
        if found and report.has_harmless and not report.known_before and not _waived(report):
            not_counted = say_count(
                "Not counted: {count} [person|people] whose value is certain, but declared to be harmless.", found
            )
            return f"{head} {not_counted}"
        return f"{head} {say('Among what is not counted, {found}.', found=text)}"
    return f"{head} {text[0].upper()}{text[1:]}." if text else head


def _sure(count: int, sensitive: str | None = None) -> str:
    """Return of how many people the value is certain."""
    if count > 1:
        return say("the values of {count} people are certain", count=count)
    return say("{value} of one person is certain", value=value_of(sensitive))


def _likely(report: Report, attacks: Iterable[tuple[AttackReport, object, object]], share: float) -> str:
    """Return the probabilities of people's values that are not certain; nothing if no people are counted.

    With each attack go the highest risk, and how many people reach a share. A posterior over all worlds is shown rather
    than a product of shares in a person's own groups, which is called an estimate.
    """
    known = [(each, risk, count) for each, risk, count in attacks if isinstance(risk, float) and isinstance(count, int)]
    exact = [one for one in known if one[0].measures.about_all_people and not one[0].incomplete]
    known = [(each, risk, count) for each, risk, count in exact or known if count]
    if not known:
        return ""
    reached = {id(one): one.risks.at_limit if isinstance(one.risks.at_limit, int) else 0 for one, _, _ in known}
    worst, risk, count = max(known, key=lambda one: (one[1], reached[id(one[0])], one[2]))
    at_limit = worst.risks.at_limit if report.policy.limits.get("max_risk", 1.0) == 1 else None
    certain = None if risk < 1 else count if 1 in (share, count) else at_limit
    about = {"share": percent(share), "risk": percent(risk)}
    if isinstance(certain, int):
        text = _sure(certain, worst.sensitive)
    elif count == 1:
        text = say("{value} of one person is known with {risk}", value=value_of(worst.sensitive), **about)
    elif about["risk"] == about["share"]:
        text = say("the values of {count} people are known with {share} or more", count=count, **about)
    else:
        text = say(
            "the values of {count} people are known with {share} or more, at most with {risk}",
            count=count,
            **about,
        )
    if isinstance(certain, int) and count > max(certain, 1):
        text = say_count(
            "{told}, {count} [other|others] with {share} or more",
            count - max(certain, 1),
            told=text,
            share=about["share"],
        )
    if exact or risk == 1:
        return text
    return say("by an estimate of {attack} from each person's own groups alone, {told}", attack=named(worst), told=text)
