"""Adversaries that an audit can assume: what each knows, and what the series must contain for it.

Evidence, attacks and texts read these properties. Only the choice of a witness's checker (`audit/witness/writer.py`),
which supports some adversaries alone, compares names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from audit.runtime.phrases import Phrase

AdversaryKind = Literal["linked", "register", "possible", "pseudonym", "published"]
_KEY = Phrase("the key of any release")


@dataclass(frozen=True)
class Adversary:
    """One kind of adversary.

    Attributes:
        name: its name on the command line, in manifests and reports.
        sentence: what the adversary knows.
        person: a description in plain words; completes "Audited for …".
        needs: what the series must contain so that the adversary can be assumed, in words.
        requires: the name of that part of the series; None if any series will do.
        knows_people: whether people are known by identifier, so that attacks on people apply.
        has_register: whether people are matched by their exact quasi-identifiers, so that cells matter.
        knows_presence: whether the adversary knows which of these people are in a release; if not, each person is
            judged separately.
        reads_key: whether the audit reads the keys of releases, as knowledge or to compare risks with the truth.
        people_listed: the file that lists the people, in words.
        caution: how to read a risk for this adversary; None if no caution is needed.
    """

    name: AdversaryKind
    sentence: Phrase
    person: Phrase
    needs: str
    requires: Literal["key", "register", "roll", "record"] | None = None
    knows_people: bool = False
    has_register: bool = False
    knows_presence: bool = True
    reads_key: bool = True
    people_listed: Phrase = _KEY
    caution: Phrase | None = None

    @property
    def knows_groups(self) -> bool:
        """Whether the adversary knows which group of each release holds which person."""
        return self.knows_people and not self.has_register


LINKED = Adversary(
    "linked",
    Phrase("The adversary knows who is in which group of every release (linked)"),
    Phrase("an adversary who knows the group of every person in each release"),
    "[columns] individual, or a key file for each release",
    "key",
    knows_people=True,
)
REGISTER = Adversary(
    "register",
    Phrase("The adversary has a register: exact quasi-identifiers and presence (register)"),
    Phrase("an adversary who knows who is in which release, and everyone's exact quasi-identifiers"),
    "[adversary] register",
    "register",
    knows_people=True,
    has_register=True,
    people_listed=Phrase("the register"),
    caution=Phrase(
        "A risk can exceed 1/m even where the series is m-invariant: the proof of that bound "
        "(m-invariance paper, Lemma 3) ignores the worlds that break the principle, and the adversary is "
        "not assumed to know the principle."
    ),
)
POSSIBLE = Adversary(
    "possible",
    Phrase(
        "The adversary has a register of people who may be in the data, as may others whom it does not list: exact "
        "quasi-identifiers alone (possible)"
    ),
    Phrase("an adversary who has everyone's exact quasi-identifiers, and does not know who is in a release"),
    '[adversary] register, with presence = "possible"',
    "roll",
    knows_people=True,
    has_register=True,
    knows_presence=False,
    people_listed=Phrase("the register"),
)
PSEUDONYM = Adversary(
    "pseudonym",
    Phrase(
        "The adversary has the published files and their record ids, and may know a person's quasi-identifiers in each "
        "release (pseudonym)"
    ),
    Phrase(
        "an adversary who has the published files, in which record ids link the rows of a record, and may know a "
        "person's quasi-identifiers in each release"
    ),
    "[columns] record",
    "record",
)
PUBLISHED = Adversary(
    "published",
    Phrase(
        "The adversary has the published files, and may know a person's quasi-identifiers in one release (published)"
    ),
    Phrase("an adversary who has the published files, and may know a person's quasi-identifiers in one release"),
    "nothing",
    reads_key=False,
)

ADVERSARIES: Mapping[str, Adversary] = {each.name: each for each in (LINKED, REGISTER, POSSIBLE, PSEUDONYM, PUBLISHED)}
"""All adversaries by name; among those that a series allows, the first one learns most."""
