"""Naming: finding ids that say nothing, and pseudonyms instead of people and records."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from audit.io.atomic_files import hide_from_version_control, write_file
from audit.io.manifest import PRIVATE
from audit.io.paths import is_remote
from audit.io.series import Series
from audit.model.errors import InputError, Problem, UsageError

_KEY_FILE = "finding.key"
_KEY_BYTES = 32
_REVEALED = bytes(_KEY_BYTES)
"""The key of reports that name people: their ids hide nothing, and are the same in every run."""


class Pseudonymizer:
    """Names findings, people and records.

    An id is an HMAC over what the finding says. Its key is drawn for each report that names no one, so that two of them
    cannot be joined by it; where one is kept in the series' `private/`, as `audit init` makes it, or ids are to be
    `stable`, it is that one, and the ids are the same in every report. A pseudonym is
    a person's rank in the order of such HMACs among the people in one report, or, when stable, part of the HMAC
    itself.

    Waivers name findings by their stable ids; `keyed` says that there is a key for these. Only when ids are to be
    stable a key is made where there is none yet, unless nothing is to be left there (`makes` is false). Callers that
    print no ids give a `key`, so that findings have the same order in every run.

    Raises:
        UsageError: ids are to be stable, and there is no folder on this machine to keep a key in.
        InputError: the key that is there is none.
    """

    def __init__(
        self, series: Series, *, reveal: bool, stable: bool = False, makes: bool = True, key: bytes | None = None
    ) -> None:
        self.reveal = reveal
        kept = private_key(series.manifest.folder / PRIVATE, make=stable and makes)
        self.stable = stable or kept is not None
        if stable and kept is None:
            what = "ids that are the same in every report need a folder private/ on this machine, which keeps their key"
            raise UsageError(
                f"{series.manifest.name}: {what}; make one in the series folder, or leave --stable-ids out"
            )
        self.keyed = kept is not None
        self._kept = kept or secrets.token_bytes(_KEY_BYTES)
        drawn = _REVEALED if reveal else secrets.token_bytes(_KEY_BYTES)
        self._key = key or (self._kept if self.stable else drawn)
        self._pseudonyms: dict[tuple[str, str], str] = {}

    def _digest(self, *parts: str, stable: bool = False) -> str:
        message = json.dumps(parts).encode()
        return hmac.digest(self._kept if stable else self._key, message, "sha256").hex()

    def finding(self, attack: str, kind: str, *said: str, stable: bool = False) -> str:
        """Return the id of a finding: who it is about, and what it says; the one that waivers name, if `stable`."""
        return f"{attack}-{self._digest(attack, kind, *said, stable=stable)[:16]}"

    def pseudonym(self, noun: str, name: str) -> str:
        """Return a person's stable pseudonym, whatever this report calls the person."""
        return f"{noun}-{self._digest(noun, name, stable=True)[:12]}"

    @property
    def draws(self) -> np.random.Generator:
        """What draws by the key of the ids alone."""
        return np.random.default_rng(int(self._digest("lots"), 16))

    def assign(self, mentioned: Iterable[tuple[str, str]]) -> None:
        """Number those that the report will mention: what each is (`person`, `record`), and the identifier."""
        count: dict[str, int] = {}
        for noun, name in sorted(set(mentioned), key=lambda one: self._digest(*one)):
            count[noun] = count.get(noun, 0) + 1
            pseudonym = self.pseudonym(noun, name) if self.stable else f"{noun}-{count[noun]:06d}"
            self._pseudonyms[noun, name] = pseudonym

    def display_name(self, noun: str, name: str) -> str:
        """Return the name in the report of one who was introduced."""
        return name if self.reveal else self._pseudonyms[noun, name]


def private_key(folder: Path, *, make: bool) -> bytes | None:
    """Return the key kept in a series' private folder, if need be made there when there is none; else None.

    Raises:
        InputError: there is a file, and it holds no key.
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
        what = "this holds no key, so that ids of findings cannot be those of earlier reports"
        remedy = "put back the file as it was; or delete it, and write waivers anew from a report with --stable-ids"
        raise InputError([Problem(f"{PRIVATE}/{_KEY_FILE}", what, remedy)])
    return key


def keep_key(folder: Path) -> bool:
    """Make `private/` in a series' folder, if need be, and a key in it; return whether there was none."""
    if (folder / PRIVATE / _KEY_FILE).exists():
        return False
    with suppress(OSError):  # without one ids are drawn for each report
        (folder / PRIVATE).mkdir(mode=0o700, exist_ok=True)
        return private_key(folder / PRIVATE, make=True) is not None
    return False


def _made(path: Path) -> bool:
    """Make a key where there is none; false where that cannot be done."""
    try:
        write_file(path, secrets.token_hex(_KEY_BYTES), mode=0o600, new=True)
        hide_from_version_control(path.parent)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True
