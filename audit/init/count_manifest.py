"""The manifest that guessed rules of count tables are, and what `audit init` says of it."""

from __future__ import annotations

from collections.abc import Mapping

from audit.init.count_rules import RuleGuesses
from audit.init.draft import ManifestDraft, Row
from audit.io.manifest import NAME
from audit.io.toml import toml_array, toml_key, toml_text
from audit.model.json_types import UNBOUNDED


def tables_draft(rules: RuleGuesses) -> ManifestDraft:
    """Return the draft that rules are."""
    markers = {text: _ends(ends) for text, ends in rules.markers.items()}
    facts: list[Row] = [
        ("recognised", rules.shape),
        ("releases", f"{len(rules.releases)}" if not rules.series else f"one for each {rules.series['releases_by']}"),
        ("dimensions", ", ".join(rules.dimensions)),
        ("counts", rules.value or rules.extra.get("values") or rules.extra.get("wide", "")),
        ("totals", ", ".join(f"{name} {label}" for name, label in rules.totals.items()) or "none found"),
        ("markers", ", ".join(f"{text} {ends}" for text, ends in markers.items()) or "none found"),
        ("rounding", f"to {rules.rounding[0]} ({rules.rounding[1]})" if rules.rounding else "none found"),
        ("over time", rules.over_time),
    ]
    found, unsure = {"Guessed from the tables found": facts}, tuple(rules.unconfirmed)
    return ManifestDraft(NAME, manifest_text(rules), found, tuple(rules.doubts), unsure=unsure, asks=bool(unsure))


def _ends(ends: tuple[int, int]) -> str:
    return f"[{ends[0]}, {'inf' if ends[1] >= UNBOUNDED else ends[1]}]"


def _inline(entries: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{toml_key(key)} = {value}" for key, value in entries.items()) + " }"


def manifest_text(rules: RuleGuesses) -> str:
    """Return the manifest, each guess with its reason."""
    markers = {text: _ends(ends) for text, ends in rules.markers.items()}
    lines = [
        f"# Guessed by `audit init`: {rules.shape}. Correct what is wrong; see the manual's page on count tables.",
        "[series]",
        'kind = "tables"',
        f"releases = {toml_array(map(toml_text, rules.releases))}",
        *(f"{key} = {toml_text(value)}" for key, value in rules.series.items()),
        "",
        "[table]",
        f"dimensions = {toml_array(map(toml_text, rules.dimensions))}   # what a number counts",
    ]
    if rules.value:
        lines.append(f"value = {toml_text(rules.value)}   # the column with the counts")
    lines += [f"{key} = {value}" for key, value in rules.extra.items()]
    totals = _inline(
        {name: toml_text(label) for name, label in [*rules.totals.items(), *((n, "") for n in rules.no_total)]}
    )
    lines.append(f"totals = {totals}   # labels of everybody")
    lines.append(f"markers = {_inline(markers)}   # what else a value can be, and the counts that it stands for")
    for key, texts, why in (
        ("codes", rules.codes, "dimensions of codes: one that begins with another one is inside of it"),
        ("open", rules.open, "dimensions whose labels do not cover everybody"),
        ("not_published", rules.not_published, "not applicable, not available"),
        ("not_counts", rules.not_counts, "codes and periods; numbers that say nothing about the counts"),
    ):
        if texts:
            lines.append(f"{key} = {toml_array(map(toml_text, texts))}   # {why}")
    if rules.rounding:
        lines.append(f'rounding = {{ to = {rules.rounding[0]}, how = "{rules.rounding[1]}" }}')
    lines.append(f'over_time = "{rules.over_time}"   # same, cumulative or independent')
    if rules.min_count is not None:
        lines += ["", "[policy]", f"min_count = {rules.min_count}   # the least count that may be known"]
    if rules.unconfirmed:
        keys = toml_array(map(toml_text, rules.unconfirmed))
        lines += ["", "[unconfirmed]   # guesses; strike out what is right", f"keys = {keys}"]
    return "\n".join(lines) + "\n"
