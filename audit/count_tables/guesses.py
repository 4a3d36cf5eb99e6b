"""What a manifest is without its guesses: what is found all the same stands."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from audit.count_tables.manifest import TableManifest
from audit.count_tables.published_counts import Ends, PublishedCounts
from audit.count_tables.published_texts import said_range
from audit.count_tables.read_counts import read_counts
from audit.io.toml import toml_key
from audit.model.count_report import Rounding
from audit.model.errors import InputError
from audit.model.json_types import UNBOUNDED


def without_guesses(counts: PublishedCounts) -> PublishedCounts | None:
    """Return what was published, read with nothing that is only a guess; None where it cannot be read so."""
    try:
        manifest = _weakest(counts.manifest)
        again = None if manifest is None else read_counts(manifest)
    except InputError:
        return None
    if again is None or len(again.release) != len(counts.release):
        return None
    emptied = again.shown & ~counts.shown  # cells that a repair tries to hide
    return replace(
        again,
        lower=np.where(emptied, 0, again.lower),
        upper=np.where(emptied, UNBOUNDED, again.upper),
        hidden=again.hidden & ~emptied,
        number=again.number & ~emptied,
    )


def _weakest(manifest: TableManifest) -> TableManifest | None:
    """Return a manifest that says no more than what is sure; None where a key is a guess without which nothing is."""
    found = manifest
    for key in manifest.unconfirmed:
        weaker = next((weaker for about, weaker in _WEAKER.items() if is_about(key, about)), None)
        if weaker is None:
            return None
        found = weaker(found)
    return replace(found, unconfirmed=())


def is_about(key: str, about: str) -> bool:
    """Return whether a key of the manifest is one, or an entry of it."""
    return key == about or key.startswith(f"{about}.")


def guessed_entries(manifest: TableManifest, about: str) -> Mapping[str, Any]:
    """Return the entries of `table.totals` or `table.markers` that are guesses: all of them, or those named."""
    entries: Mapping[str, Any] = getattr(manifest, about.removeprefix("table."))
    keys = manifest.unconfirmed
    return {name: entry for name, entry in entries.items() if about in keys or f"{about}.{toml_key(name)}" in keys}


def _open_markers(manifest: TableManifest) -> TableManifest:
    markers = dict(manifest.markers)
    for text, ends in guessed_entries(manifest, "table.markers").items():
        markers[text] = (said_range(text) or ends) if is_said(text, ends) else (0, UNBOUNDED)
    return replace(manifest, markers=markers)


def _sure_totals(manifest: TableManifest) -> TableManifest:
    guessed = guessed_entries(manifest, "table.totals")
    return replace(manifest, totals={name: label for name, label in manifest.totals.items() if name not in guessed})


def _widest_rounding(manifest: TableManifest) -> TableManifest:
    rounding = manifest.rounding
    if rounding is None or rounding.how == "midpoint":
        return manifest
    return replace(manifest, rounding=Rounding(rounding.to, "random"))


def _not_cumulative(manifest: TableManifest) -> TableManifest:
    return replace(manifest, over_time="independent") if manifest.over_time == "cumulative" else manifest


_WEAKER: Mapping[str, Callable[[TableManifest], TableManifest]] = {
    "table.markers": _open_markers,
    "table.threshold": lambda manifest: replace(manifest, threshold=None),
    "table.rounding": _widest_rounding,
    "table.over_time": lambda manifest: replace(manifest, over_time="independent"),
    "table.totals": _sure_totals,
    "table.nested": lambda manifest: replace(
        manifest, with_rest=frozenset(manifest.nested), open=manifest.open | set(manifest.nested)
    ),
    "table.codes": lambda manifest: replace(manifest, codes=frozenset()),
    "table.absent": lambda manifest: replace(manifest, absent_is_zero=False),
    "table.rates": lambda manifest: replace(manifest, rates=()),
    "table.part_of": lambda manifest: replace(manifest, part_of={}),
    "table.change": lambda manifest: replace(manifest, change=None),
    "series.releases": _not_cumulative,
    "table.status_hides": lambda manifest: manifest,
    "table.not_counts": lambda manifest: manifest,
    "policy.min_count": lambda manifest: manifest,
}
"""What is left of a manifest without a guess; a finding that needs any other key stands only with it.

That numbers are not published, or say nothing, is a guess by which less is known: what is found with it stands.
"""


def is_said(text: str, ends: Ends) -> bool:
    """Return whether a marker itself says that it stands for no other counts than these."""
    said = said_range(text)
    return said is not None and said[0] <= ends[0] and ends[1] == said[1]


def is_narrowest(text: str, ends: Ends) -> bool:
    """Return whether a marker is read as narrowly as it can be: "fewer than 5" may stand for 0 too, or not."""
    return is_said(text, ends) and (ends[0] > 0 or any(map(str.isdigit, text[:2])))


def surest_limits(manifest: TableManifest, limits: Mapping[str, int], given: Container[str]) -> dict[str, int]:
    """Return the policy, `min_count` the least there is where it is not given and a guess says it."""
    if "min_count" in given:
        return dict(limits)
    if "min_count" in manifest.policy:
        guessed = "policy.min_count" in manifest.unconfirmed
    elif manifest.threshold is not None:
        guessed = "table.threshold" in manifest.unconfirmed
    else:
        markers = guessed_entries(manifest, "table.markers").items()
        guessed = any(ends[1] < UNBOUNDED and not is_said(text, ends) for text, ends in markers)
    return {**limits, "min_count": 2} if guessed else dict(limits)
