"""Naming: finding ids that say nothing, and pseudonyms instead of people and records."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from audit.core.evidence import Codes
from audit.reading.manifest import PRIVATE
from audit.reading.numbering import People
from audit.reading.places import is_remote
from audit.reading.series import Series

_KEY_FILE = "finding.key"
_KEY_BYTES = 32


class Namer:
    """Names findings, people and records.

    An id is an HMAC over what the finding says, under a key kept in the series' `private/`; without that folder the
    key is drawn for this report alone (`stable` is then false). A pseudonym is somebody's rank in the order of such
    HMACs among the people, or the records, whom one report mentions, so it holds within that report.

    Unless it `writes`, and to a folder of this machine, nothing is left there, and a key that is not there yet is drawn
    for this report alone.
    """

    def __init__(self, series: Series, *, reveal: bool, writes: bool = True) -> None:
        self.reveal = reveal
        key = private_key(series.manifest.folder / PRIVATE, make=writes)
        self.stable = key is not None
        self._key = key or secrets.token_bytes(_KEY_BYTES)
        self._pseudonyms: dict[tuple[str, str], str] = {}

    def _digest(self, *parts: str) -> str:
        message = json.dumps(parts).encode()
        return hmac.digest(self._key, message, "sha256").hex()

    def finding(self, attack: str, kind: str, *said: str) -> str:
        """Return the id of a finding: who it is about, and what it says."""
        return f"{attack}-{self._digest(attack, kind, *said)[:16]}"

    def lots(self, people: People, codes: Codes) -> npt.NDArray[np.uint64]:
        """Return a number for each of some people, which depends on the key and on the identifier alone."""
        lots = np.empty(len(codes), dtype=np.uint64)
        plain = codes < people.plain
        secret = np.frombuffer(bytes.fromhex(self._digest("lots")), dtype="<u8")
        lots[plain] = _mixed(_mixed(codes[plain].astype(np.uint64) ^ secret[0]) ^ secret[1])
        for place in np.flatnonzero(~plain):
            lots[place] = int(self._digest("lot", people.name(int(codes[place])))[:16], 16)
        return lots

    def introduce(self, mentioned: Iterable[tuple[str, str]]) -> None:
        """Number those whom the report will mention: what each is (`person`, `record`), and the identifier."""
        count: dict[str, int] = {}
        for noun, name in sorted(set(mentioned), key=lambda one: self._digest(*one)):
            count[noun] = count.get(noun, 0) + 1
            self._pseudonyms[noun, name] = f"{noun}-{count[noun]:06d}"

    def call(self, noun: str, name: str) -> str:
        """Return how somebody who was introduced is called in the report."""
        return name if self.reveal else self._pseudonyms[noun, name]


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return a permutation of the numbers of 64 bits (Steele, Lea, Flood, "Fast splittable pseudorandom numbers")."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return numbers ^ (numbers >> np.uint64(31))


def private_key(folder: Path, *, make: bool) -> bytes | None:
    """Return the key kept in a series' private folder, if need be made there when there is none; else None."""
    path = folder / _KEY_FILE
    remote = is_remote(folder)
    if not (remote or folder.is_dir()):
        return None
    if make and not remote and not _made(path):
        return None
    try:
        key = bytes.fromhex(path.read_text().strip())
    except (OSError, ValueError):
        return None
    return key if len(key) >= _KEY_BYTES else None


def _made(path: Path) -> bool:
    """Make a key where there is none; false where that cannot be done."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return True
    except OSError:
        return False
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(_KEY_BYTES))
    return True
