"""The text of a guessed manifest: TOML, with the reason of each guess beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap

from audit.init.column_meanings import Meaning
from audit.init.found_files import FoundFiles, is_unicode
from audit.io.manifest import PRIVATE, ReleaseFiles
from audit.io.rules.registry import RULES
from audit.io.toml import toml_array, toml_key, toml_text
from audit.model.errors import printable

_HEAD = """\
# Guessed by `audit init` from the files in this folder and their first rows.
# Check what is marked as a guess: only the publisher knows what the columns mean."""
_POLICY = """\
# [policy]        # what makes the audit fail; these are the defaults
# max_risk = 1.0  # any risk that reaches it
# min_e = 2       # an e-equivalence below it
# k = 2           # an inferred class that is smaller"""
_WIDTH = 110
DRAFTED_TRANSITIONS = "transitions.csv"


def transitions(meaning: Meaning) -> str:
    """Return the text of a draft of the transitions, with how often each happened."""
    text = io.StringIO(newline="")
    rows = [(old, new, times) for (old, new), times in meaning.changes.items()]
    csv.writer(text, lineterminator="\n").writerows([("from", "to", "count"), *rows])
    return text.getvalue()


def document(found: FoundFiles, meaning: Meaning) -> str:
    """Return the text of a manifest."""
    tables = {
        "[series]": _series(found),
        "[columns]": _columns(found, meaning),
        "[adversary]": _adversary(found, meaning),
        "[unconfirmed]": _unconfirmed({**found.unsure, **meaning.unsure}),
        "[counterfeits]": [_pair(toml_key(tag), shown) for tag, shown in meaning.counterfeits.items()],
    }
    written = ["\n".join([head, *lines]) for head, content in tables.items() if (lines := list(content))]
    return "\n\n".join([_HEAD, *written, _POLICY]) + "\n"


def _unconfirmed(keys: Iterable[str]) -> Iterator[str]:
    listed = [toml_text(key) for key in keys]
    if listed:
        yield from _said(
            "guesses: the files allow other readings, so that nothing that rests on them is decided. Check these keys "
            "and delete them here, or let `audit init --confirm` ask"
        )
        yield f"keys = {toml_array(listed)}"


def _series(found: FoundFiles) -> Iterator[str]:
    name = found.folder.resolve().name.strip()
    if name and is_unicode(name):
        yield _pair("name", name)
    why = "published in this order" if len(found.releases) > 1 else ""
    yield f"releases = {toml_array(map(_entry, found.releases))}{_beside(why)}"
    for reason, names in _by_reason(found.unused):
        yield from _said(f"not used, as {reason}: {names}")


def _entry(release: ReleaseFiles) -> str:
    if release.values is None:
        return toml_text(release.shown)
    return f"{{ {_pair('rows', release.shown)}, {_pair('values', release.values_shown)} }}"


def _columns(found: FoundFiles, meaning: Meaning) -> Iterator[str]:
    yield from _chosen(meaning, "sensitive")
    yield f"quasi_identifiers = {toml_array(toml_text(column.name) for column in meaning.quasi)}"
    quasi = {column.name: meaning.why[column.name] for column in meaning.quasi}
    reasons = "; ".join(f"{names} ({why})" for why, names in _by_reason(quasi))
    yield from _said(f"guess: {reasons or 'no column has generalized cells'}")
    yield from _chosen(meaning, "group", "individual", "record")
    if column := meaning.chosen.get("individual"):
        yield "# the worst case: the adversary knows everybody's group. If this column was itself published,"
        yield f"# write record = {_quoted(column.name)} instead; if neither, delete the line"
    elif found.keys:
        yield f"# whose rows they are is in {PRIVATE}/, for {found.keys} of the releases"
    if not found.pair() or "count" not in meaning.why:  # the name that pairs have by default
        yield from _chosen(meaning, "count")
    for kind in RULES:
        yield from (f"{line}{_beside(kind.why)}" for line in meaning.rules[kind].lines())
    for reason, names in _by_reason(meaning.left):
        yield from _said(f"without a role, as {reason}: {names}")


def _chosen(meaning: Meaning, *keys: str) -> Iterator[str]:
    for key in keys:
        if key in meaning.chosen:
            name = meaning.chosen[key].name
            yield _pair(key, name, meaning.why[name])


def _adversary(found: FoundFiles, meaning: Meaning) -> Iterator[str]:
    for role, shown in found.beside.items():
        yield _pair(role, shown, "recognized by its columns")
        if role in meaning.misfits:
            yield from _said(f"an audit refuses it as it is: {meaning.misfits[role]}")
    if meaning.changes:
        yield from _said(
            "values of people change, as the keys tell: transitions.csv lists how, with counts. A change that is not "
            'listed is taken for impossible; complete the file, or write transitions = "any" where any may happen'
        )
        yield _pair("transitions", DRAFTED_TRANSITIONS, "drafted from the keys")


# -- TOML ---------------------------------------------------------------------------------------------------------


def _pair(key: str, text: str, why: str = "") -> str:
    return f"{key} = {toml_text(text)}{_beside(why)}"


def _beside(why: str) -> str:
    return f"  # guess: {printable(why, 2_000)}" if why else ""


def _said(text: str) -> list[str]:
    """Return a comment, on as many lines as it needs."""
    lines = wrap(printable(text, 2_000), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in lines]


def _by_reason(reasons: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return each reason with the names that it is given for."""
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(_quoted(name))
    return [(why, ", ".join(quoted)) for why, quoted in names.items()]


def _quoted(name: str) -> str:
    """Return a name as it may be quoted in a sentence."""
    return f'"{printable(name)}"'
