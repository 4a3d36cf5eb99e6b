"""Rules about the form of files: their delimiter and encoding, and other names of their columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from audit.io.dialect import is_encoding
from audit.io.rules.rule import NOTHING, ColumnRule, Columns, Headers
from audit.io.toml import Reader
from audit.model.errors import Problems
from audit.runtime.phrases import Phrase, printable, say


class _OfTextFiles(ColumnRule):
    """A rule about text files."""

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the fault that no release is a text file."""
        if self.stated and not headers.texts:
            yield say("no release is a text file, so {nothing}", nothing=NOTHING), say("leave it out")


@dataclass(frozen=True)
class Delimiter(_OfTextFiles, key="delimiter", form=Reader.value):
    """`delimiter = ";"`: the text between two cells of a text file; None means that it is guessed."""

    sign: str | None = None

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault that the sign is not one character, or has another meaning in text files."""
        sign = self.sign
        if sign is not None and (not isinstance(sign, str) or len(sign) != 1 or sign in '"\r\n'):
            yield say("this is not a delimiter"), say('write ",", ";", "|" or, for a tab, "\\t"')


@dataclass(frozen=True)
class Encoding(_OfTextFiles, key="encoding", form=Reader.text):
    """`encoding = "cp1252"`: the encoding of a text file; None means that it is guessed."""

    name: str | None = None

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault that Python does not know the encoding."""
        if self.name is not None and not is_encoding(self.name):
            yield (
                say('unknown encoding "{name}"', name=self.name),
                say('write one such as "utf-8", "cp1252" or "latin-1"'),
            )


@dataclass(frozen=True)
class Renamed(
    ColumnRule, key="renamed", form=Reader.mappings, why=Phrase("these columns look like those of the other releases")
):
    """`renamed = { "2024Q3" = { Diagnose = "Disease" } }`: what the series calls the columns of a release's file."""

    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def header(self, names: list[str], tag: str, shown: str, problems: Problems) -> list[str] | None:
        """Return the header with the new names; None after noting that another column has one of them."""
        renamed = self.names.get(tag, {})
        for old, new in renamed.items():
            if old in names and new in names and new not in renamed:
                what = say('`renamed` gives it the name "{new}", which another column of the file has', new=new)
                remedy = say("delete the entry from the manifest, or rename the other column too")
                problems.add(shown, what, remedy, column=old)
                return None
        return [renamed.get(name, name) for name in names]

    def lacking(self, names: Collection[str], tag: str, beside: str | None) -> Iterator[tuple[str, str, str]]:
        """Yield the columns to rename that the files of the release lack, and that no file beside it has."""
        for old, new in self.names.get(tag, {}).items():
            if old not in names and new != beside:
                what = say('`renamed` calls it "{new}", but the file has no such column', new=new)
                yield old, what, say("correct the entry in the manifest")

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the fault of each release that the series does not have."""
        for tag in self.names:
            if tag not in headers.tags:
                yield (
                    say('there is no release "{tag}", so {nothing}', tag=printable(tag), nothing=NOTHING),
                    say("write the tag of a release, or put the file of that release beside the others"),
                )
