"""The timeline cache: what attacks counted after each of the first releases of a series, kept for later audits.

What is counted after some releases depends on nothing that comes later. So an entry is some counts under a key, which
is a keyed hash (HMAC, SHA-256) of all that they depend on: what the attack is shown of these releases, its options, the
versions of the program and of the solvers. Where any of it changes the key is another one, and they are counted anew.

Only counts are kept that depend neither on later releases nor on the clock: exact ones, and bounds of which the attack
knows that. No clause of a policy reads them.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

Content = npt.NDArray[np.integer] | npt.NDArray[np.bool_] | str
"""What an attack is shown of a release, or of the adversary: an array or a text."""

_MOST = 5_000


class TimelineCache:
    """Counts by key.

    Attributes:
        secret: the key of the hashes.
        entries: the counts; those that were asked for or added last are last.
        changed: whether any were added.

    >>> cache = TimelineCache(b"secret")
    >>> one, both = cache.keys("attack", [[np.array([1, 2])], [np.array([3])]])
    >>> cache.keep({one: (0,)})
    >>> cache.known([one, both])
    [(0,), None]
    """

    def __init__(self, secret: bytes, entries: Mapping[str, tuple[int, ...]] | None = None) -> None:
        """Begin with the entries of earlier audits."""
        self.secret = secret
        self.entries = dict(entries or {})
        self.changed = False

    def keys(self, attack: str, releases: Iterable[Iterable[Content]]) -> list[str]:
        """Return the key of the first release, of the first two, and so on.

        Args:
            attack: which attack it is, with its options.
            releases: what it is shown of each release; each is looked at once.
        """
        seen, found = hmac.new(self.secret, attack.encode(), "sha256"), []
        for release in releases:
            for content in release:
                # Their lengths keep contents apart that would be the same bytes, one after the other.
                if isinstance(content, str):
                    seen.update(f"text {len(content)} {content}".encode())
                else:
                    seen.update(f"array {content.shape} ".encode())
                    seen.update(np.ascontiguousarray(content, dtype=np.int64).reshape(-1).data)
            found.append(seen.copy().hexdigest())
            seen.update(b"next release ")
        return found

    def known(self, keys: Iterable[str]) -> list[tuple[int, ...] | None]:
        """Return the counts under some keys; None where there are none."""
        found = []
        for key in keys:
            counts = self.entries.pop(key, None)
            if counts is not None:
                self.entries[key] = counts
            found.append(counts)
        return found

    def keep(self, counts: Mapping[str, tuple[int, ...]]) -> None:
        """Add exact counts; of very many, those that nobody asked for are dropped."""
        self.changed |= any(self.entries.get(key) != each for key, each in counts.items())
        self.entries |= counts
        for key in list(self.entries)[: max(0, len(self.entries) - _MOST)]:
            del self.entries[key]
