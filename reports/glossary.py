"""Glossary: the terms of a page that not every reader knows."""

from __future__ import annotations

from audit.clauses.registry import clause_of
from audit.model.count_tables import TablesFacts
from audit.model.report import Report
from audit.runtime.phrases import Phrase, figure, percent, say
from reports.count_tables import sentences as counts

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
