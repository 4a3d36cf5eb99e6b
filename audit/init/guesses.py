"""Guesses: the entries of a manifest with their reasons, and which of them the files leave open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TypeAlias

from audit.io.manifest import NAME
from audit.io.rules.registry import RULES
from audit.io.rules.rule import ColumnRule
from audit.io.table_writer import csv_text
from audit.io.toml import UNCONFIRMED, Toml, key_path, toml_key, toml_line, toml_value
from audit.runtime.phrases import Phrase, parted, printable, say

Row: TypeAlias = tuple[str, ...]

_OF_SERIES = ("microdata", "series", "columns", "table", "domains", "updates", "adversary", "register", "policy")
_TABLES = (*_OF_SERIES, UNCONFIRMED)
_ROLES = ("name", "kind", "releases", "sensitive", "quasi_identifiers", "group", "individual", "record", "count")
_PLACES = {key: place for place, key in enumerate((*_ROLES, *(rule.key for rule in RULES)))}
_LEFT = {
    "series": Phrase("not used, as {why}: {names}"),
    "columns": Phrase("without a role, as {why}: {names}"),
    "domains": Phrase("not declared, as {why}: {names}"),
}
_WIDTH = 110


@dataclass
class Guesses:
    """The entries of a manifest that is guessed.

    Attributes:
        head, tail: comments at its beginning and end, without `#`.
        name: its file.
        document: the entries, by table and key.
        why: the reasons of entries by key; for quasi-identifiers, by `columns.quasi_identifiers` and column.
        below: comments below entries, by key.
        left: by table, the items that are not used, with the reasons.
        unsure: keys that are guesses: no file beside the releases says them, no one was asked, and another reading of
            the files is possible.
        doubts: sentences about what to check first.
        quoting: by key, the reason that the terminal shows in place of that in the manifest; it may quote cells.
        found: rows of cells by title for the terminal; the last cell of a row is a text of any length.
        following: the next command, with `{folder}` in place of the folder.
        files: further files to write, by name.
    """

    head: str
    tail: str = ""
    name: str = NAME
    document: dict[str, dict[str, Toml]] = field(default_factory=lambda: defaultdict(dict))
    why: dict[str, str] = field(default_factory=dict)
    below: dict[str, str] = field(default_factory=dict)
    left: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    unsure: dict[str, None] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    quoting: dict[str, str] = field(default_factory=dict)
    found: dict[str, list[Row]] = field(default_factory=dict)
    following: str = "audit {folder}"
    files: dict[str, str] = field(default_factory=dict)

    def state(self, key: str, value: Toml, why: str = "", *, sure: bool = True) -> None:
        """State an entry; a list or a table extends the entry under the same key."""
        table, _, name = key.partition(".")
        old = self.document[table].get(name)
        if isinstance(old, Mapping | Set):
            value = old | value
        elif isinstance(old, list | tuple):
            value = [*old, *value]
        self.document[table][name] = value
        if why:
            self.why[key] = why
        if not sure:
            self.unsure[key] = None

    def state_rule(self, rule: ColumnRule, why: str = "", *, sure: bool = True, quoting: str = "") -> None:
        """State a column rule unless it is empty; `quoting` is the reason that the terminal shows, which may quote."""
        if rule.stated:
            self.state(key := f"columns.{rule.key}", rule.stated, why or str(rule.why), sure=sure)
            if quoting:
                self.quoting[key] = parted(filter(None, [self.quoting.get(key), quoting]))

    def column(self, key: str, default: Toml = None) -> Toml:
        """Return the entry under a key of `[columns]`."""
        return self.document["columns"].get(key, default)

    def doubt(self, key: str, why: str) -> None:
        """Note that a key is a guess, and why."""
        self.unsure[key] = None
        self.why.setdefault(key, why)
        if why not in self.doubts:
            self.doubts.append(why)

    def add_file(self, name: str, lines: Iterable[tuple[str, ...]]) -> None:
        """Add a CSV file to those that are written."""
        self.files[name] = csv_text(lines)

    def forget_why(self, key: str) -> None:
        """Forget why a key is a guess, as another reason will be given or it is none any more."""
        if (why := self.why.pop(key, "")) in self.doubts:
            self.doubts.remove(why)

    def to_check(self) -> list[str]:
        """Return a line for each thing to check: further doubts, and each guess without one, with its reason."""
        lines = [*self.doubts]
        for key in self.unsure if self.name == NAME else [key for key in self.why if not key.startswith("domains.")]:
            below = self.below.get(key, "").removeprefix(say("guess: ")).replace("\n", ". ")
            why = parted(filter(None, [self.quoting.get(key) or self.why.get(key), below]))
            if not any(doubt in why for doubt in self.doubts):
                value: Toml = self.document
                for name in key_path(key):
                    value = value[name]
                lines.append(f"{key} = {printable(toml_line(value), 400)}{f' ({why})' if why else ''}")
        return lines

    @property
    def asks(self) -> bool:
        """Whether there are questions for the publisher."""
        return bool(self.unsure or self.left["columns"])

    def text(self) -> str:
        """Return the manifest as TOML, each guess with its reason beside it."""
        tables = {table: [*self._lines(table)] for table in [*self.document]}
        if self.unsure:
            why = say(
                "guesses: the files allow other readings, so nothing that depends on these keys is decided. Check "
                "them and delete them here, or let `audit init --confirm` ask"
            )
            tables[UNCONFIRMED] = [*in_lines(why), f"keys = {toml_value([*self.unsure])}"]
        in_order = [*(table for table in _TABLES if table in tables), *sorted(tables.keys() - _TABLES)]
        blocks = ["\n".join([f"[{table}]", *tables[table]]) for table in in_order if tables[table]]
        head, tail = ("\n".join(f"# {line}" for line in text.splitlines()) for text in (self.head, self.tail))
        return "\n\n".join(filter(None, [head, *blocks, tail])) + "\n"

    def _lines(self, table: str) -> Iterator[str]:
        entries, mark = self.document[table], say("guess: ")
        for name in sorted(entries, key=lambda name: _PLACES.get(name, len(_PLACES)) * (self.name == NAME)):
            key, value = f"{table}.{name}", entries[name]
            lines = dotted_lines(name, value)
            own = table == "columns" or any(f"{table}.{path}" in self.why for path in lines)
            for path, line in lines.items() if own else [(name, f"{toml_key(name)} = {toml_value(value)}")]:
                why = self.why.get(f"{table}.{path}", self.why.get(key, ""))
                marked = "" if self.name == NAME and self.unsure.keys().isdisjoint({key, f"{table}.{path}"}) else mark
                yield f"{line}{f'  # {marked}{printable(why, 2_000)}' if why else ''}"
            for part in self.below.get(key, "").splitlines():
                yield from in_lines(part)
        for why, names in by_reason(self.left[table]):
            yield from in_lines(_LEFT[table].filled(why=why, names=names))


def dotted_lines(name: str, value: Toml) -> dict[str, str]:
    """Return the lines that state a value by their keys, one for each entry of a table."""
    name = toml_key(name)
    parts = {f"{name}.{toml_key(part)}": entry for part, entry in value.items()} if isinstance(value, Mapping) else {}
    return {path: f"{path} = {toml_value(entry)}" for path, entry in (parts or {name: value}).items()}


def in_lines(text: str) -> list[str]:
    """Return a comment on as many lines as necessary."""
    lines = wrap(printable(text, 2_000), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in lines]


def by_reason(reasons: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return each reason with the names that have it."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, why in reasons.items():
        names[why].append(f'"{printable(name)}"')
    return [(why, ", ".join(quoted)) for why, quoted in names.items()]
