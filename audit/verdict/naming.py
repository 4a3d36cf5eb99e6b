"""Naming: finding ids that say nothing, and pseudonyms instead of people."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from audit.reading.series import PRIVATE, Series

_KEY_FILE = "finding.key"
_KEY_BYTES = 32


class Namer:
    """Names findings and people.

    An id is an HMAC over what the finding says, under a key kept in the series' `private/`; without that folder the
    key is drawn for this report alone (`stable` is then false). A pseudonym is a person's rank in the order of such
    HMACs among the people whom one report mentions, so it holds within that report.
    """

    def __init__(self, series: Series, *, reveal: bool) -> None:
        self._people = series.people
        self._reveal = reveal
        key = private_key(series.manifest.folder / PRIVATE)
        self.stable = key is not None
        self._key = key or secrets.token_bytes(_KEY_BYTES)
        self._pseudonyms: dict[int, str] = {}

    def _digest(self, *parts: str) -> str:
        message = json.dumps(parts).encode()
        return hmac.digest(self._key, message, "sha256").hex()

    def finding(self, attack: str, kind: str, person: int, release: str, value: str) -> str:
        """Return the id of a finding about one person."""
        return f"{attack}-{self._digest(attack, kind, self._people.name(person), release, value)[:16]}"

    def introduce(self, people: Iterable[int]) -> None:
        """Number the people whom the report will mention."""
        order = sorted({int(p) for p in people}, key=lambda p: self._digest("person", self._people.name(p)))
        self._pseudonyms = {person: f"person-{rank:06d}" for rank, person in enumerate(order, start=1)}

    def person(self, code: int) -> str:
        """Return how a person who was introduced is called in the report."""
        return self._people.name(code) if self._reveal else self._pseudonyms[code]


def private_key(folder: Path) -> bytes | None:
    """Return the key kept in a series' private folder, made when there is none yet; None without the folder."""
    path = folder / _KEY_FILE
    if not folder.is_dir():
        return None
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    except OSError:
        return None
    else:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(_KEY_BYTES))
    try:
        key = bytes.fromhex(path.read_text().strip())
    except (OSError, ValueError):
        return None
    return key if len(key) >= _KEY_BYTES else None
