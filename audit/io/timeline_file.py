"""The file of the timeline cache, in the private folder of a series: keyed hashes and counts, nothing else.

A file that is damaged, cut short or changed by hand is taken for none: then all is counted anew, and it is replaced.
Two audits that end at once replace each other's file; what is lost is counted anew as well.
"""

from __future__ import annotations

import hmac
import json
import logging
import secrets
from contextlib import suppress
from pathlib import Path

from audit.io.atomic_files import hide_from_version_control, write_file
from audit.io.manifest import PRIVATE
from audit.io.paths import is_remote
from audit.model.timeline_cache import TimelineCache
from audit.runtime.version import exact_version

NAME = "timelines.json"
_FORMAT = 1
_SECRET_BYTES = 32
_LOG = logging.getLogger(__name__)


def read_timelines(folder: Path) -> TimelineCache | None:
    """Return the timeline cache of the series in a folder; None where it has no private folder of its own here."""
    if is_remote(folder):
        return None
    private = folder / PRIVATE
    if not private.is_dir() or not private.resolve().is_relative_to(folder.resolve()):
        return None
    try:
        return _read(private / NAME)
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        _LOG.info("the timeline cache is damaged or of another version: all is counted anew")
    return TimelineCache(secrets.token_bytes(_SECRET_BYTES))


def write_timelines(folder: Path, cache: TimelineCache) -> None:
    """Write what is new in a timeline cache; nothing is written where that cannot be done."""
    if not cache.changed:
        return
    body = {"format": _FORMAT, "secret": cache.secret.hex(), "counts": cache.entries}
    text = json.dumps({**body, "check": _check(cache.secret, body)}, separators=(",", ":"))
    private = folder / PRIVATE
    with suppress(OSError):
        write_file(private / NAME, f"{text}\n", mode=0o600)
        hide_from_version_control(private)


def _read(path: Path) -> TimelineCache:
    """Return what a file holds.

    Raises:
        OSError: it cannot be read.
        ValueError, KeyError, TypeError, AttributeError: it is not as it was written, or by another version.
    """
    body = json.loads(path.read_bytes())
    check, secret = body.pop("check"), bytes.fromhex(body["secret"])
    if body["format"] != _FORMAT or len(secret) != _SECRET_BYTES:
        raise ValueError("another format")
    if not hmac.compare_digest(check, _check(secret, body)):
        raise ValueError("changed")
    return TimelineCache(secret, {key: tuple(counts) for key, counts in body["counts"].items()})


def _check(secret: bytes, body: object) -> str:
    """Return a code that the file is as it was written, by this very program."""
    return hmac.digest(secret, f"{exact_version()} {json.dumps(body)}".encode(), "sha256").hex()
