"""Summary text: the verdict, what to do and to type, and the terms, for people responsible for a release."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from audit.clauses.clause import RiskClause
from audit.clauses.registry import clause_of
from audit.model.adversary import ADVERSARIES
from audit.model.count_tables import TablesFacts
from audit.model.errors import SENTENCE
from audit.model.report import Report, Violation
from audit.runtime.phrases import Phrase, ReasonKind, figure, joined, kind_of, percent, printable, say, say_count, typed
from reports import count_sentences as counts
from reports.sentences import adversary, out_of_time, undecided_clauses, violating
from reports.verdict import more_certain

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


def repairing(files: Iterable[str]) -> str:
    """Return the command that repairs a candidate, of one file or more."""
    return _of_candidate("repair", files, "--output repaired")


def judging(files: Iterable[str]) -> str:
    """Return the sentence that names the command which judges a repaired candidate, and writes the page to sign."""
    command = _of_candidate("next", files, "--output next.html")
    return say("{command} judges the candidate as it is now, and writes the page to sign.", command=command)


def _of_candidate(name: str, files: Iterable[str], options: str) -> str:
    command = f"audit {name} SERIES {' '.join(map(shlex.quote, files))} {options}"
    return printable(f"`{typed(command)}`", SENTENCE)


def copying(release: str, column: str, alone: str) -> str:
    """Return the sentence that a release is to be copied into a file of its own, which can be repaired."""
    return say(
        'Copy the header and the rows with "{release}" in the column "{column}" into {alone}.',
        release=printable(release),
        column=printable(column),
        alone=printable(alone),
    )


_WHAT = {"assumptions": Phrase("Assumptions"), "policy": Phrase("Policy")}
_STATES = {"not judged": Phrase("not judged"), "not asked": Phrase("not asked")}
_TAKES = {
    ReasonKind.TIME_LIMIT: Phrase("more time: --time-limit SECONDS"),
    ReasonKind.UNFIT: Phrase("nothing: the attack is not for this kind of series"),
    **dict.fromkeys(
        (ReasonKind.NEEDS, ReasonKind.UNDECLARED), Phrase("what the reason says, in series.toml or in the files")
    ),
    ReasonKind.CONTRADICTION: Phrase("corrected data, or other assumptions in series.toml"),
    ReasonKind.UNCONFIRMED: Phrase("your answer: {command}"),
    ReasonKind.TOO_HARD: Phrase("perhaps more time: --time-limit SECONDS; it may stay open"),
}


def last_release(report: Report) -> str:
    """Return the tag of the last release."""
    return printable(report.series.releases[-1], 60)


def assumed(report: Report) -> str:
    """Return the assumed adversary in a sentence."""
    if report.tables is not None:
        return adversary(report)
    who = ADVERSARIES[report.adversary.kind].person
    return say("Audited for {who} ({name}).", who=who, name=report.adversary.kind)


def next_step(report: Report) -> str:
    """Return what to do now, in a sentence."""
    last = last_release(report)
    if report.contradictions:
        return say("Correct the data, or say which values may follow which, and audit again before anything goes out.")
    if report.policy.violations and only_last(report):
        return say(
            "Do not publish release {release} if it is not out yet: without it, nothing was found.", release=last
        )
    if report.policy.violations:
        return _with_violations(report)
    if report.interrupted or report.policy.undecided:
        return say(
            "This is not a clearance: what is still open, below, must be decided before release {release} goes out.",
            release=last,
        )
    return say(
        "The clauses that were checked allow release {release} to go out; audit again before the next release.",
        release=last,
    )


def _with_violations(report: Report) -> str:
    """Return what to do where releases that are out violate the policy."""
    if report.tables is not None and report.tables.over_time == "independent":
        if len(report.tables.releases) == 1:
            return say(
                "Do not publish release {release} if it is not out yet: it violates the policy. If it is out, you "
                "cannot take it back; protect further releases better, and audit each before it goes out.",
                release=last_release(report),
            )
        return say(
            "You cannot take back what is published. A further release is about other counts: protect it better, and "
            "audit it before it goes out."
        )
    if len(report.series.releases) == 1:
        return say(
            "Do not publish release {release} if it is not out yet: it violates the policy by itself. If it is out, "
            "you cannot take it back, and each further release would disclose more.",
            release=last_release(report),
        )
    return say(
        "Publish no further release of this kind: you cannot take back what is published, and each further release "
        "would disclose more."
    )


def only_last(report: Report) -> bool:
    """Return whether it is known that everything that breaks the policy came with the last release."""
    if len(report.series.releases) < 2 or report.tables is not None or not report.policy.violations:
        return False
    if not all(_counted_by_timeline(each, report) for each in report.policy.violations):
        return False
    if any(attack.incomplete for attack in violating(report)):  # otherwise earlier counts may be too low
        return False
    lines = [attack.measures.timeline for attack in violating(report)]
    return all(isinstance(line, list) and len(line) > 1 and line[-2] == 0 for line in lines)


def _counted_by_timeline(violation: Violation, report: Report) -> bool:
    """Return whether timelines count what violates a clause, and so show when it began; they count no risks."""
    if violation.attack is None:
        last = report.series.releases[-1]
        return all(each.small.smallest >= violation.limit for each in report.panel if each.release != last)
    clause = clause_of(violation.measure)
    return clause.timed and violation.kind is None and (violation.value == 1 or not isinstance(clause, RiskClause))


def since(report: Report) -> Iterator[str]:
    """Yield what is new since an earlier report."""
    old = report.baseline
    if old is None:
        return
    verdict = say("the policy held") if old.passed else say("the policy did not hold")
    if old.made is not None:
        yield say("The earlier report is of {date}; at that time, {verdict}.", date=old.made, verdict=verdict)
    else:
        yield say("The earlier report has no date; at that time, {verdict}.", verdict=verdict)
    added = [printable(tag, 60) for tag in report.series.releases if tag not in old.releases]
    if added:
        yield say("New releases: {releases}.", releases=joined(added))
    else:
        yield say("No release has been added.")
    new = sum(attack.findings_total for attack in report.attacks)
    yield say_count("{count} [finding is|findings are] new; only new findings count here.", new)
    yield say_count("{count} [finding of that report is|findings of that report are] found again.", old.still)


def decision(report: Report, *, adds_nothing: bool) -> tuple[str, list[str]]:
    """Return what the verdict permits, in a sentence, and the decisions that it leaves.

    With `adds_nothing`, the earlier releases alone do not keep the policy, and the last one adds nothing forbidden.
    """
    last = last_release(report)
    refused = say("Release {release} does not go out, for this reason:", release=last)
    if adds_nothing and not report.contradictions:
        return say(
            "To what the earlier releases disclose, release {release} adds nothing that the policy forbids: whether it "
            "goes out is your decision.",
            release=last,
        ), [say("Release {release} goes out, as it adds nothing:", release=last), refused]
    if report.policy.violations or report.contradictions:
        ways = [
            say("Release {release} does not go out.", release=last),
            say("Release {release} goes out changed, after an audit of what was changed:", release=last),
        ]
        accepting = [say("The findings are accepted, for this reason and until this date:")]
        ways += accepting if report.policy.violations else []
        return say("The verdict does not allow this release to go out as it is."), ways
    if report.interrupted or report.policy.undecided:
        return say("The verdict neither allows nor forbids this release: not everything was decided."), [
            say("Release {release} waits until what is open has been decided.", release=last),
            say("Release {release} is published anyway; what is undecided is accepted, for this reason:", release=last),
        ]
    allowed = say("The verdict allows this release to go out, under the assumptions stated here.")
    if certain := more_certain(report):
        allowed = say_count(
            "The verdict allows this release to go out only if any value of a person may become any other: check that "
            "this is so of the {count} [person|people], at least, whose value is otherwise certain.",
            certain,
        )
    return allowed, [
        say("Release {release} may go out.", release=last),
        refused,
    ]


def assumptions(report: Report) -> Iterator[str]:
    """Yield the assumptions of the verdict."""
    series = report.series
    if isinstance(series, TablesFacts):
        yield counts.adversary(series)
        yield from counts.rules(series)
        yield from counts.labels(series)
        yield from counts.allowed(series, report.policy.limits)
        empty = report.count_measures.empty
        if isinstance(empty, int) and not series.rules.absent_is_zero:
            yield say_count("{count} [cell is|cells are] empty: nothing is assumed of [its count|their counts].", empty)
        return
    who = ADVERSARIES[report.adversary.kind]
    yield f"{who.sentence}."
    if report.adversary.any_change:
        yield say(
            "Any value of a person may become any other from release to release: this does not use what a reader knows "
            "about changes that do not happen, such as that a chronic illness stays."
        )
    elif report.adversary.transitions:
        yield say("Values of people may change from release to release, as the transitions allow.")
    elif who.knows_people or series.ids_recur:
        yield say("The value of a person is the same in all releases.")
    if report.adversary.known:
        yield say_count(
            "The values of {count} [person|people] are known beforehand, and are not counted.", report.adversary.known
        )
    yield say(
        "Only the files named on this page are judged, not what they disclose beside other publications about the same "
        "people."
    )
    if len(series.columns.get("sensitive", ())) > 1 or (
        len(report.series.releases) > 1 and (who.knows_people or "record" in series.columns)
    ):
        yield say(
            "Apart from what the series states as known, nobody knows a sensitive value of a person in any release, as "
            "an employer knows an income: by it, the person's row may be found, and so its other values and, if record "
            "ids or people link the releases, those of its other rows."
        )
    yield say(
        "Nobody combines the groups of people who are known to have one value in common, as those of a household have "
        "its income."
    )
    yield say(
        "Any value may be anybody's: nobody rules one out by what is generally known, such as an illness that only men "
        "have. Where a group has few people of one kind, check that each value is possible for several of them."
    )
    yield say(
        "Texts that differ count as different, however near they are, such as two codes of one illness, unless the "
        "publisher has said which ones are near."
    )
    if series.spelled:
        yield say(
            "Texts of {columns} are read as they are spelled: each is one exact value, or a person of its own, even if "
            "it looks like a range, a list or another one.",
            columns=joined([f'"{printable(name)}"' for name in series.spelled]),
        )
    yield from _whose_rows(report)


def _whose_rows(report: Report) -> Iterator[str]:
    """Yield what is assumed of the people of the rows: without a key, that each row is of another one."""
    who = ADVERSARIES[report.adversary.kind]
    several = any(each.kind == "duplicates" and not each.examples for each in report.warnings)  # not equal files
    if who.knows_people and not who.has_register:
        yield say("The key is right about whose row is whose.")
    elif not several:
        yield say("Nobody has several rows in one release.")
    if who.has_register:
        yield say("The register is right about the people that it lists.")


def open_questions(report: Report) -> Iterator[tuple[str, str, str]]:
    """Yield what was not judged, why, and what would be needed."""
    open_clauses = undecided_clauses(report)
    for reason, clauses in open_clauses.items():
        what = joined([str(_WHAT[each]) if each in _WHAT else each for each in clauses])
        yield what, printable(reason, SENTENCE), _would_take(reason, report)
    for state, name in _STATES.items():
        for each in report.policy.ended(state):
            yield each.clause, printable(each.reason or str(name), SENTENCE), _would_take(each.reason, report)


def _would_take(reason: str | None, report: Report) -> str:
    """Return what it would take; where the assumptions do not hold, what has no other reason waits for that."""
    kind = kind_of(reason)
    if kind is None and report.contradictions:
        kind = ReasonKind.CONTRADICTION
    return _TAKES[kind].filled(command=typed("audit init SERIES --confirm")) if kind in _TAKES else ""


def readers(report: Report) -> Iterator[str]:
    """Yield who learns what from this page."""
    if report.tables is not None:
        yield from counts.readers(report)
        return
    if report.revealed:
        yield say("This version names people, their cells and lines. It is only for colleagues who may see the data.")
        return
    yield say("People have pseudonyms here, and their quasi-identifiers are not shown.")
    if any(attack.findings for attack in report.attacks):
        yield say(
            "Somebody who has the published files as well, and knows in which group a person is, can find that "
            "person's finding here, by its groups and values, and so learn what the audit found out."
        )
        yield say("To share numbers alone, make this page with --findings 0.")
    else:
        yield say("It contains only numbers: somebody who has the files learns nothing more about anybody from it.")


ATTACKS = {
    "intersection": Phrase("What all groups of a person have in common, release by release."),
    "update-graph": Phrase("The histories of values that a person's groups and the allowed changes leave possible."),
    "equivalence": Phrase(
        "Sums and differences of groups that leave few people on each side; the people on both sides then have the "
        "same values."
    ),
    "joint": Phrase("Reasoning about all people at once: which assignments of rows to people fit all releases."),
    "inference-table": Phrase(
        "What a record's cells in all releases have in common, and how many records have the same description."
    ),
    "homogeneity": Phrase("Rows that look alike and all have one sensitive value."),
    "correspondence": Phrase("Which rows of one release can be which rows of the next."),
    "inference": Phrase(
        "How well a statistical model guesses values, compared with people on whom it was not trained."
    ),
    "differencing": Phrase("Sums and differences of published counts, over tables and releases."),
}


def of_attacks(report: Report) -> list[tuple[str, str]]:
    """Return the attacks that ran, each with what it looks at."""
    ran = dict.fromkeys(attack.attack for attack in report.attacks if attack.ran and attack.attack in ATTACKS)
    return [(name, str(ATTACKS[name])) for name in ran]


def glossary(report: Report) -> list[tuple[str, str]]:
    """Return the terms that the page uses, each with its meaning."""
    limits = ((name, clause_of(name).meaning, figure(limit, "g")) for name, limit in report.policy.limits.items())
    clauses = [(name, say("{name}: {text}", name=str(means), text=limit)) for name, means, limit in limits if means]
    if isinstance(report.series, TablesFacts):
        return [*counts.words(), *clauses]
    words = [
        (say("release"), say("One table as published at one time; the series is all of them.")),
        (say("version"), say("One person in one release.")),
        (say("group"), say("Rows published together; a reader cannot see which row belongs to whom.")),
        (say("sensitive value"), say("What no one may learn about a person, such as a diagnosis.")),
        (say("quasi-identifier"), say("A column by which a person might be recognised, such as age or postcode.")),
        (
            say("risk"),
            say(
                "How probable a person's true value is to the adversary; {certainty} is certainty.",
                certainty=percent(1),
            ),
        ),
        (
            say("finding, certificate"),
            say("Something that an attack proves, with a certificate: the steps by which anyone can check it."),
        ),
    ]
    if report.series.counterfeits:
        words.append((say("counterfeit"), say("A published row that belongs to no person.")))
    if report.policy.waived:
        words.append((say("waiver"), say("A finding that somebody accepted, with a reason and until a date.")))
    if any(attack.attack == "equivalence" and attack.ran for attack in report.attacks):
        words += [
            (
                say("e, e-equivalence"),
                say("Together, e people have the same values as e others; with e = 1, two people have the same value."),
            ),
            (say("m-invariance"), say("Each person's groups have the same m values in all releases.")),
        ]
    return [*words, *clauses]


def of_panel() -> list[tuple[str, str]]:
    """Return the terms of the table of releases, each with its meaning."""
    return [
        (say("k"), say("The smallest number of rows of a release that look alike.")),
        (
            say("l, entropy l"),
            say(
                "The smallest number of different values among rows that look alike (with 2, the release is "
                "2-diverse). Entropy l is smaller if one of the values is frequent."
            ),
        ),
        (
            say("t"),
            say("How far the distribution of values among rows that look alike is from that of the whole release."),
        ),
        (
            say("prosecutor, journalist, marketer"),
            say(
                "The risk that a row is traced to its person. Prosecutor: by somebody who knows that the person is "
                "in the release. Journalist: by somebody who knows a population. Marketer: the expected share of all "
                "rows that are traced."
            ),
        ),
    ]
