"""Names in reports: ids of findings that reveal nothing, pseudonyms of people and records, or their identifiers."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from audit.adversary.followed_people import FollowedRecords
from audit.adversary.view import View, build_evidence
from audit.io.atomic_files import hide_from_version_control, write_file
from audit.io.manifest import PRIVATE
from audit.io.paths import is_remote
from audit.io.releases import COUNTERFEIT
from audit.io.series import Series
from audit.model.adversary import AdversaryKind
from audit.model.errors import InputError, Problem, UsageError
from audit.model.evidence import RowSource
from audit.model.finding import Member, decoded
from audit.runtime.phrases import joined, printable, say, say_count

_UNKNOWN = "unknown "  # before the place of an unknown person
_KEY_FILE = "finding.key"
_KEY_BYTES = 32
_OF_SET = re.compile(r" \([0-9]+(, [0-9]+)*\)$")
_REVEALED = bytes(_KEY_BYTES)
"""The key of reports that name people: their ids need not hide anything, and are the same in every run."""


class Pseudonymizer:
    """Names findings, people and records.

    An id is an HMAC of the content of a finding. By default its key is drawn for each report that names no one, so that
    two reports cannot be joined by their ids. If the series' `private/` contains a key, as written by `audit init`, or
    ids are to be `stable`, that key is used and ids are the same in every report. A pseudonym is a person's rank in the
    order of such HMACs among the people in one report; a stable pseudonym is a part of the HMAC.

    Waivers name findings by their stable ids; `keyed` means that there is a key for these. If ids are to be stable and
    there is no key, one is created, unless nothing may be written there (`makes` is false). Callers that print no ids
    give a `key`, so that the order of findings is the same in every run.

    Raises:
        UsageError: ids are to be stable, but there is no local folder for a key.
        InputError: the file of the key contains no key.
    """

    def __init__(
        self, series: Series, *, reveal: bool, stable: bool = False, makes: bool = True, key: bytes | None = None
    ) -> None:
        self.reveal = reveal
        kept = self.kept = private_key(series.manifest.folder / PRIVATE, make=stable and makes)
        self.stable = stable or kept is not None
        if stable and kept is None:
            what = "stable ids need a key in a folder private/ on this machine"
            raise UsageError(
                f"{series.manifest.name}: {what}; make one in the series folder, or leave --stable-ids out"
            )
        self._kept = kept or secrets.token_bytes(_KEY_BYTES)
        drawn = _REVEALED if reveal else secrets.token_bytes(_KEY_BYTES)
        self._key = key or (self._kept if self.stable else drawn)
        self._pseudonyms: dict[tuple[str, str], str] = {}
        self.stand_in: dict[str, str] = {}
        """The person to name in place of the one who represents people who look alike, by the latter."""

    @property
    def keyed(self) -> bool:
        """Whether there is a key for stable ids."""
        return self.kept is not None

    def _digest(self, *parts: str, stable: bool = False) -> str:
        message = json.dumps(parts).encode()
        return hmac.digest(self._kept if stable else self._key, message, "sha256").hex()

    def finding(self, attack: str, kind: str, *said: str, stable: bool = False) -> str:
        """Return the id of a finding, from its person and its content; the id that waivers use, if `stable`."""
        return f"{attack}-{self._digest(attack, kind, *said, stable=stable)[:16]}"

    def pseudonym(self, noun: str, name: str) -> str:
        """Return a person's stable pseudonym, even if this report uses another name."""
        return f"{noun}-{self._digest(noun, name, stable=True)[:12]}"

    @property
    def draws(self) -> np.random.Generator:
        """The source of randomness that depends only on the key of the ids."""
        return np.random.default_rng(int(self._digest("lots"), 16))

    def assign(self, mentioned: Iterable[tuple[str, str]]) -> None:
        """Assign names to the members in the report: their kind (`person`, `record`) and their identifier."""
        count: dict[str, int] = {}
        for noun, name in sorted(set(mentioned), key=lambda one: self._digest(*one)):
            count[noun] = count.get(noun, 0) + 1
            pseudonym = self.pseudonym(noun, name) if self.stable else f"{noun}-{count[noun]:06d}"
            self._pseudonyms[noun, name] = pseudonym

    def display_name(self, noun: str, name: str) -> str:
        """Return the name in the report of a member that was assigned one."""
        return name if self.reveal else self._pseudonyms[noun, name]


def private_key(folder: Path, *, make: bool) -> bytes | None:
    """Return the key in a series' private folder, created if necessary and allowed; otherwise None.

    Raises:
        InputError: the file of the key contains no key.
    """
    path = folder / _KEY_FILE
    remote = is_remote(folder)
    if not (remote or folder.is_dir()):
        return None
    if make and not remote and not _made(path):
        return None
    try:
        text = path.read_text().strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        text = ""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) < _KEY_BYTES:
        what = "this file contains no key, so findings cannot have the ids of earlier reports"
        remedy = "put back the file as it was; or delete it, and write waivers anew from a report with --stable-ids"
        raise InputError([Problem(f"{PRIVATE}/{_KEY_FILE}", what, remedy)])
    return key


def keep_key(folder: Path) -> bool:
    """Create `private/` in a series' folder, if missing, and a key in it; return whether the key is new."""
    if (folder / PRIVATE / _KEY_FILE).exists():
        return False
    with suppress(OSError):  # without a key, ids are drawn for each report
        (folder / PRIVATE).mkdir(mode=0o700, exist_ok=True)
        return private_key(folder / PRIVATE, make=True) is not None
    return False


def _made(path: Path) -> bool:
    """Create a key if there is none; return false if this is impossible."""
    try:
        write_file(path, secrets.token_hex(_KEY_BYTES), mode=0o600, new=True)
        hide_from_version_control(path.parent)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


@dataclass(frozen=True)
class ReportNames:
    """Turns the codes of some evidence into the publisher's names, and into names in a report.

    Attributes:
        evidence: the evidence.
        namer: makes ids and pseudonyms.
        instead: names of people in place of others, for the ids that claims would have about those.
    """

    evidence: View
    namer: Pseudonymizer
    instead: Mapping[str, str] = field(default_factory=dict)

    @property
    def reveal(self) -> bool:
        """Whether people are named."""
        return self.namer.reveal

    def identifier(self, member: Member) -> str:
        """Return the identifier of a person or counterfeit; a row of an unknown person has its place as identifier."""
        if isinstance(member, int):
            name = self.evidence.name(member)
            return self.instead.get(name, name)
        keyed, tag = self.evidence.held.keyed[member.release], self.evidence.tags[member.release]
        mark = _UNKNOWN if keyed.unknown.any() and not keyed.nameless else COUNTERFEIT
        return f"{mark}(release {tag}, group {member.group}, {member.number + 1})"

    def record_identifier(self, record: int) -> str:
        """Return the identifier of a record."""
        return self.evidence.held.names.name(record)

    def called(self, member: Member) -> tuple[str, str]:
        """Return the kind of a member and its identifier."""
        name = self.identifier(member)
        return ("counterfeit" if name.startswith(COUNTERFEIT) else "person"), name

    def member(self, code: Member, releases: tuple[int, ...] = ()) -> str:
        """Return the name of a person or counterfeit; for people who may be in the data, with the condition.

        That is to be in all `releases` if these suffice, otherwise in all in which they are judged.
        """
        kinds = self.evidence.possible_kinds
        kind = None if kinds is None or not isinstance(code, int) else kinds.kinds.get(code)
        if kind is None:
            return self.namer.display_name(*self.called(code))
        name = self.evidence.name(kind.person) if self.reveal else self.namer.display_name(*self.called(code))
        name = self.namer.stand_in.get(name, name)
        there = releases or kind.releases
        listed = joined([*map(printable, self.releases(there))])
        if kind.alike == 1:
            return say("{name} (if in {releases})", name=name, releases=listed)
        return say_count(
            "{name} (or {count} [other who looks|others who look] alike; at most {most} of them at once; if in "
            "{releases})",
            kind.alike - 1,
            name=name,
            most=kind.at_most(there),
            releases=listed,
        )

    def members(self, codes: Iterable[Member]) -> tuple[str, ...]:
        """Return the names of people, sorted: the order of their codes could reveal who they are."""
        return tuple(sorted(map(self.member, codes)))

    def record(self, code: int) -> str:
        """Return the name of a record."""
        return self.namer.display_name("record", self.record_identifier(code))

    def release(self, code: int) -> str:
        """Return the tag of a release."""
        return self.evidence.tags[code]

    def releases(self, codes: Iterable[int]) -> tuple[str, ...]:
        """Return the tags of some releases."""
        return tuple(map(self.release, codes))

    def value(self, code: int) -> str:
        """Return a sensitive value."""
        return self.evidence.values[code]

    def values(self, codes: Iterable[int]) -> tuple[str, ...]:
        """Return some values, sorted."""
        return tuple(sorted(map(self.value, codes)))

    def attribute(self, value: int) -> str | None:
        """Return which of several combined attributes a claimed value belongs to; None for a value or combination."""
        return self.evidence.attribute(value)

    def cells(self, codes: Mapping[int, int]) -> dict[str, str] | None:
        """Return cells of rows by quasi-identifier; None if the report may not show them."""
        return self._texts(codes, self.evidence.rows_of)

    def record_cells(self, codes: Mapping[int, int]) -> dict[str, str] | None:
        """Return the intersection of a record's cells; None if the report may not show it."""
        source = self.evidence.records
        known = {at: cell for at, cell in codes.items() if source is None or not source.is_absent(at, cell)}
        return self._texts(known, source)

    def _texts(self, codes: Mapping[int, int], source: RowSource | FollowedRecords | None) -> dict[str, str] | None:
        if source is None or not self.reveal:
            return None
        return {source.attributes[at]: source.text(at, cell) for at, cell in codes.items()}

    def side(self, members: Mapping[Member, int]) -> dict[str, int]:
        """Return how often each member on a side is counted."""
        return {self.member(who): times for who, times in members.items()}

    def spent(self, parts: Iterable[Any]) -> tuple[Any, ...]:
        """Return the points that people spend, sorted by name."""
        return tuple(sorted((decoded(each, self) for each in parts), key=lambda each: str(each.individual)))

    def costs(self, by_value: Iterable[tuple[int, int]]) -> tuple[tuple[str, int], ...]:
        """Return the points of each value, sorted."""
        return tuple(sorted((self.value(value), cost) for value, cost in by_value))


def find(views: Sequence[View], individual: str) -> dict[str, int]:
    """Return the code of a person, or of a kind of people who may be in the data, by an identifier or a pseudonym.

    Raises:
        UsageError: the identifier is unknown, or stands for several kinds of people; the message lists no other
            identifiers.
    """
    name, found = identifier_of(views[0].series, individual), dict[str, int]()
    for view in views:
        if view.possible_kinds is not None:
            code = judged_as(view, name).get(name, -1)
        else:
            code = view.series.person(name)
            releases = map(view.source.candidate_groups, range(len(view.tags)))
            code = code if any(code in each.person and each.individual[code] for each in releases) else -1
        if code >= 0:
            found[view.sensitive] = code
    if found:
        return found
    if ways := dict.fromkeys(own for view in views for own in judged_as(view, name)):
        what = say(
            "the person is judged once for each set of releases; use {names}", names=joined([*map(printable, ways)])
        )
        raise UsageError(f"--individual: {what}")
    kinds, person = views[0].possible_kinds, views[0].series.person(name)
    if kinds is not None and kinds.why is not None and person in kinds.person:
        what = say("this person fits no row of any release; of those who fit none: {why}", why=kinds.why)
        raise UsageError(f"--individual: {what}")
    where = str(views[0].adversary.people_listed)
    what = say("no person with this identifier is in {where}; write it exactly as it is there", where=where)
    raise UsageError(f"--individual: {what}")


def identifier_of(series: Series, individual: str) -> str:
    """Return the identifier of a person, or of people who may be in some releases, whose pseudonym this may be."""
    if individual.startswith("person-") and series.person(individual) < 0:
        namer = Pseudonymizer(series, reveal=True)
        names = series.people.names(np.arange(series.people.size, dtype=np.int32)).to_pylist() if namer.keyed else []
        individual = next((name for name in names if namer.pseudonym("person", name) == individual), individual)
    return individual.strip()


def names_in_report(series: Series, individual: str, adversary: AdversaryKind, *, reveal: bool) -> list[str]:
    """Return the names that findings about a person have, given by an identifier or a pseudonym; empty if unknown.

    Of people who look alike, findings name one. Without a stored key, pseudonyms are those of one report only.
    """
    views, namer = build_evidence(series, adversary), Pseudonymizer(series, reveal=reveal)
    name = identifier_of(views[0].series, individual)
    named = [name] if adversary != "possible" and views[0].series.person(name) >= 0 else []
    kinds = [(view, view.possible_kinds.kinds) for view in views if view.possible_kinds is not None]
    codes = [(view, code, some[code].person) for view, some in kinds for code in judged_as(view, name).values()]
    named += [view.name(person if reveal else kind) for view, kind, person in codes]  # a pseudonym is a kind's own
    return named if reveal else [namer.pseudonym("person", each) for each in named if namer.keyed]


def judged_as(view: View, individual: str) -> dict[str, int]:
    """Return the kinds in which a person who may be in the data is judged, one for each set of releases, by name.

    The person may be named with such a set, `Ann (1, 2)`. All people who look alike are of the same kinds.
    """
    kinds, series = view.possible_kinds, view.series
    name = individual if series.person(individual) >= 0 else _OF_SET.sub("", individual)
    own = {} if kinds is None else {code: kinds.kinds[code] for code in kinds.of_person(series.person(name))}
    return {f"{name}{each.name[len(series.people.name(each.person)) :]}".strip(): code for code, each in own.items()}
