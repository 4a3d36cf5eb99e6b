"""TOML: read and write the files that describe the tables beside them: `series.toml` and `microdata.toml`."""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from audit.io.naming import in_time
from audit.io.paths import is_inside, is_there, matching
from audit.io.tables import SUFFIXES, is_table
from audit.model.arrays import UNBOUNDED
from audit.model.errors import Problems
from audit.runtime.phrases import Phrase, did_you_mean, printable, say

Toml: TypeAlias = Any
"""A value of TOML."""

_LINE = 110  # characters; a longer list is written over several lines


def release_tag(name: str) -> str:
    """Return the tag of a release: the name of its file without folders and endings.

    >>> release_tag("releases/2024Q1.rows.csv.gz")
    '2024Q1'
    """
    tag = name.replace("\\", "/").rsplit("/", 1)[-1]
    for ending in (".gz", *SUFFIXES, ".rows", ".values"):
        tag = tag[: len(tag) - len(ending)] if tag.lower().endswith(ending) else tag
    return tag


def read_text(folder: Path, name: str, absent: str, problems: Problems, no_folder: str | None = None) -> str | None:
    """Return the text of a TOML file in a folder; None after noting why it cannot be read.

    Args:
        folder: the folder.
        name: the name of the file.
        absent: the remedy if the folder has no such file.
        problems: receives the problem.
        no_folder: the remedy if the folder does not exist; None: to correct the path.
    """
    path, no_folder = folder / name, no_folder or say("correct the path")
    try:
        if is_there(path) and not path.is_file():  # opening a pipe would wait forever
            problems.add(
                str(path), say("this is a folder or a pipe, not a file"), say("write a {file} in its place", file=name)
            )
            return None
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        problems.add(str(path), say("there is no such file"), absent if folder.is_dir() else no_folder)
    except UnicodeDecodeError:
        problems.add(name, say("the text is not UTF-8"), say("save the file as UTF-8"))
    except NotADirectoryError:
        problems.add(str(folder), say("this is a file, not a folder"), no_folder)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = error.strerror if isinstance(error, OSError) else None
        problems.add(str(path), why or say("the file cannot be read"), say("check the path and its permissions"))
    return None


def parse(text: str, name: str, remedy: str, problems: Problems) -> dict[str, Any] | None:
    """Return the document in a text; None after noting the line at which it is not TOML, with a remedy."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        problems.add(name, say("this is not TOML: {why}", why=re.sub(" [(]at .*", "", str(error))), remedy, line=line)
        return None


def line_of(lines: Sequence[str], key: str) -> int | None:
    """Return the first line of a document, from 1, that sets a key, or else has it in quotes; None if there is none.

    >>> line_of(["[columns]", 'types.Age = "numeric"'], "types")
    2
    """
    pattern = re.compile(rf"""^\s*(\[*\s*)?["']?{re.escape(key)}["']?\s*(=|\.|\])""")
    found = next((n for n, line in enumerate(lines, 1) if pattern.match(line)), None)
    return found or next((n for n, line in enumerate(lines, 1) if f'"{key}"' in line), None)


def refuse_keys(folder: Path, name: str, found: Sequence[tuple[str, str, str]]) -> None:
    """Refuse keys of a document that was already read, each with its fault and its remedy.

    Raises:
        InputError: there are such keys; it lists all of them, with their lines.
    """
    problems = Problems()
    lines = (read_text(folder, name, "", Problems()) or "").splitlines() if found else []
    for key, what, remedy in found:
        problems.add(name, f"`{key}`: {what}", remedy, line=line_of(lines, key))
    problems.check()


Sections: TypeAlias = Mapping[str, Collection[str] | None]


class Reader:
    """Reads a TOML document, and notes each problem with its line.

    Attributes:
        what: what the folder holds, in a word for messages.
        folder: the folder.
        name: the name of the file.
        lines: its lines.
        document: its content.
        problems: receives each problem.
        unordered: the pattern, or the column, of releases that does not show their order; None if there is none.
    """

    what: ClassVar[str]

    def __init__(self, folder: Path, name: str, text: str, document: dict[str, Any], problems: Problems) -> None:
        self.folder = folder
        self.name = name
        self.lines = text.splitlines()
        self.document = document
        self.problems = problems
        self.unordered: str | None = None

    @property
    def sections(self) -> Sections:
        """The tables, each with its keys; None if it may have any. A mapping has the form of each key."""
        return {}

    def note(self, key: str, what: str, remedy: str) -> None:
        """Note a fault of a key, and the remedy."""
        self.problems.add(self.name, f"`{key}`: {what}", remedy, line=line_of(self.lines, key))

    def ask_for(self, key: str, what: str, example: str) -> None:
        """Note a fault of a key; the remedy is an example of what to write."""
        self.note(key, what, say("write {example}", example=example))

    def check_names(self) -> None:
        """Note unknown tables and keys."""
        for table, content in self.document.items():
            entries = content if isinstance(content, list) else [content]
            own = dict.fromkeys(key for entry in entries if isinstance(entry, dict) for key in entry)
            if table not in self.sections:
                self.refuse(table, say("there is no such table"), [*self.sections])
            elif (keys := self.sections[table]) is not None:
                for key in (key for key in own if key not in keys):
                    self.refuse(key, say("[{table}] has no such key", table=table), sorted(keys))

    def refuse(self, name: str, what: str, known: Sequence[str]) -> None:
        """Note that a name is unknown, and the most similar one of those that are known."""
        self.note(name, what, say("use one of {names}", names=", ".join(known)) + did_you_mean(name, known))

    def check_tags(self, tags: Sequence[str], key: str = "releases") -> None:
        """Note tags that several releases, or snapshots, have; `key` lists them."""
        for tag in _repeated(tags):
            self.note(key, say('two releases have the tag "{tag}"', tag=tag), self.about_one_tag())

    def about_one_tag(self) -> str:
        """Return what to do about two releases with one tag."""
        return say("rename one of the files")

    def check_roles(self, columns: Iterable[str | None]) -> None:
        """Note columns that have several roles."""
        for name in _repeated([name for name in columns if name]):
            self.note(name, say("the column has two roles in [columns]"), say("give each role its own column"))

    def table(self, name: str) -> dict[str, Any]:
        """Return a table of the document; empty if it is absent or not a table."""
        content = self.document.get(name, {})
        if isinstance(content, dict):
            return content
        self.note(name, say("this has to be a table"), say("write [{name}] and its keys below it", name=name))
        return {}

    def read(self, section: str) -> dict[str, Any]:
        """Return the values of a section by key, each read by its form."""
        table, forms = self.table(section), self.sections[section]
        return {key: form(self, table, key) for key, form in forms.items()} if isinstance(forms, Mapping) else {}

    def value(self, table: Mapping[str, Any], key: str) -> object:
        """Return an entry, None if there is none."""
        return table.get(key)

    def text(self, table: Mapping[str, Any], key: str) -> str | None:
        """Return a stripped text that is not empty; None if it is absent, or after noting a problem."""
        value = table.get(key)
        if value is None or (isinstance(value, str) and value.strip()):
            return value.strip() if value else None
        self.ask_for(key, say("this has to be a text that is not empty"), f'{key} = "…"')
        return None

    def texts(self, table: Mapping[str, Any], key: str, *, empty: bool = False) -> tuple[str, ...]:
        """Return a list of distinct stripped texts, among them the empty one only if `empty`; () after a problem."""
        value = table.get(key, [])
        if isinstance(value, list) and all(isinstance(item, str) and (empty or item.strip()) for item in value):
            items = tuple(item.strip() for item in value)
            if len(set(items)) == len(items):
                return items
            self.note(key, say("a name is listed twice"), say("list each name once"))
            return ()
        self.ask_for(key, say("this has to be a list of texts"), f'{key} = ["…", "…"]')
        return ()

    def text_set(self, table: Mapping[str, Any], key: str) -> frozenset[str]:
        """Return the distinct texts of a list, as `texts`."""
        return frozenset(self.texts(table, key))

    def mapping(self, table: Mapping[str, Any], key: str) -> dict[str, str]:
        """Return a table whose entries are texts."""
        value = table.get(key, {})
        if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
            return value
        self.ask_for(key, say("this has to be a table of texts"), f'{key} = {{ Column = "…" }}')
        return {}

    def lists(self, table: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
        """Return a table of lists of distinct texts, among which may be the empty one."""
        entries = self.entries(table, key, '["…", "…"]')
        return {name: self.texts(entries, name, empty=True) for name in entries}

    def mappings(self, table: Mapping[str, Any], key: str) -> dict[str, dict[str, str]]:
        """Return a table of tables of texts."""
        entries = self.entries(table, key, '{ Column = "…" }')
        return {name: self.mapping(entries, name) for name in entries}

    def entries(self, table: Mapping[str, Any], key: str, example: str) -> Mapping[str, Any]:
        """Return a table; `example` is a value of one of its entries."""
        value = table.get(key, {})
        if isinstance(value, dict):
            return value
        self.ask_for(key, say("this has to be a table"), f'{key} = {{ "…" = {example} }}')
        return {}

    def day(self, table: Mapping[str, Any], key: str) -> datetime.date | None:
        """Return a day; None if it is absent, or after noting a problem."""
        value = table.get(key)
        if value is None or isinstance(value, datetime.date):
            return value.date() if isinstance(value, datetime.datetime) else value
        remedy = say("write {key} = 2030-01-01: year, month and day, without quotes", key=toml_key(key))
        self.note(key, say("this is not a date"), remedy)
        return None

    def files(self, table: Mapping[str, Any], key: str) -> dict[str, str]:
        """Return a table of paths inside the folder."""
        return {name: path for name, path in self.mapping(table, key).items() if self.inside(key, path)}

    def files_or_flags(self, table: Mapping[str, Any], key: str) -> dict[str, str | bool]:
        """Return a table of paths inside the folder, or of `true` or `false` in place of a path."""
        stated = table.get(key, {})
        if not (isinstance(stated, Mapping) and all(isinstance(item, str | bool) for item in stated.values())):
            what = say("this has to be a table of files, or of true or false")
            self.ask_for(key, what, f'{key} = {{ Column = "…" }}')
            return {}
        flags = {name: each for name, each in stated.items() if isinstance(each, bool)}
        paths = {name: path or "." for name, path in stated.items() if name not in flags}
        return {**flags, **self.files({key: paths}, key)}

    def path(self, table: Mapping[str, Any], key: str) -> str | None:
        """Return a path inside the folder; None if it is absent, or after noting a problem."""
        name = self.text(table, key)
        return name if name is None or self.inside(key, name) else None

    def inside(self, key: str, name: str) -> bool:
        """Return whether a path, with links resolved, is in the folder; note it if not."""
        inside = is_inside(self.folder, name)
        if not inside:
            self.note(
                key,
                say("the path leads out of the {what} folder", what=self.what),
                say("copy the file into the folder"),
            )
        return inside

    def tables(self, key: str, name: str, *, glob: bool = True) -> list[str]:
        """Return the table files that a path or (if `glob`) a pattern names, in the order of publication.

        Empty after noting a problem.
        """
        if not self.inside(key, name):
            return []
        names = [name]
        if glob and any(c in name for c in "*?[") and not is_there(self.folder / name):
            found = matching(self.folder, name)
            names, is_clear = in_time(found or ())
            self.unordered = self.unordered or (None if is_clear or key != "releases" else name)
            if found is None:
                self.note(
                    key, say('files that match "{name}" cannot be listed there', name=name), say("name each file")
                )
            elif not names:
                self.note(key, say('no file matches "{name}"', name=name), say("correct the pattern"))
        for each in names:
            if not is_table(each):
                self.note(
                    key,
                    say('"{each}" is not a table', each=each),
                    say("use files that end in {names}", names=", ".join(SUFFIXES)),
                )
                return []
            if not self.inside(key, each):
                return []
        return names


def _repeated(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


# -- forms of values -------------------------------------------------------------------------------------------------


Form: TypeAlias = Callable[[Reader, Mapping[str, Any], str], Any]
"""Returns the value of a key in a table; notes a value of another form, and returns the value of an absent key."""


def whole(least: int) -> Form:
    """Return the form of whole numbers from `least`; None if the key is absent."""

    def read(reader: Reader, table: Mapping[str, Any], key: str) -> int | None:
        value = table.get(key)
        if value is None or (type(value) is int and least <= value < UNBOUNDED):
            return value
        reader.ask_for(key, say("this has to be a whole number"), f"{key} = {max(least, 5)}")
        return None

    return read


def one_of(*known: object) -> Form:
    """Return the form of a value from a list, whose first one, the default, need not be written."""

    def read(reader: Reader, table: Mapping[str, Any], key: str) -> object:
        given = table.get(key, known[0])
        if any(given == each and type(given) is type(each) for each in known):
            return given
        words = ", ".join(toml_value(each) for each in known if each is not None)
        what = say("unknown value {value}", value=printable(toml_line(given)))
        reader.note(key, what, say("use {words}, or leave the line out", words=words))
        return known[0]

    return read


def record(
    what: Phrase, example: str, forms: Mapping[str, Form], needed: Sequence[str], made: Callable[..., Any]
) -> Form:
    """Return the form of a table from which an object is built; None if the table is absent or faulty.

    Args:
        what: the fault of other values, and of a table from which `made` returns None.
        example: a line that is valid, for the remedy.
        forms: the form of each allowed key.
        needed: the required keys.
        made: builds the object from the values, by key.
    """

    def read(reader: Reader, table: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401 - what is built
        given = table.get(key)
        if given is None:
            return None
        if isinstance(given, dict) and {*needed} <= set(given) <= set(forms):
            found = {name: form(reader, given, name) for name, form in forms.items() if name in given}
            if not any(each in (None, {}) for each in found.values()) and (built := made(**found)) is not None:
                return built
        reader.ask_for(key, str(what), example)
        return None

    return read


def several(form: Form) -> Form:
    """Return the form of a list of values of a form, or of one of them; faulty ones are left out."""

    def read(reader: Reader, table: Mapping[str, Any], key: str) -> tuple[Any, ...]:
        given = table.get(key, [])
        found = (form(reader, {key: each}, key) for each in (given if isinstance(given, list) else [given]))
        return tuple(each for each in found if each is not None)

    return read


# -- guesses ------------------------------------------------------------------------------------------------------


UNCONFIRMED = "unconfirmed"
"""The table of a manifest that lists guessed keys."""


def key_path(key: str) -> tuple[str, ...]:
    """Return the names in a dotted TOML key; empty for other texts.

    >>> key_path('columns.types."Date of birth"'), key_path("columns..x"), key_path("")
    (('columns', 'types', 'Date of birth'), (), ())
    """
    try:
        content: object = tomllib.loads(f"{key} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    names: list[str] = []
    while isinstance(content, dict) and len(content) == 1:
        [(name, content)] = content.items()
        names.append(name)
    return tuple(names) if content == 0 else ()


def value_under(document: Toml, key: str) -> object:
    """Return what a document has under a dotted key; None if it has nothing there."""
    content: object = document if key_path(key) else None
    for name in key_path(key):
        content = content.get(name) if isinstance(content, dict) else None
    return content


# -- writing ------------------------------------------------------------------------------------------------------


def toml_text(text: str) -> str:
    r"""Return a TOML string: as in JSON, but DEL is escaped, too.

    >>> toml_text('a"b\n')
    '"a\\"b\\n"'
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    """Return a TOML key, bare if possible."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_value(value: object) -> str:
    """Return a TOML value: a text, a number, a table, or a list; a set in the order of its texts, an empty text last.

    >>> toml_value({"a b": "c"}), toml_value(frozenset({"", "x"})), toml_value([1, 0.5, True])
    ('{ "a b" = "c" }', '["x", ""]', '[1, 0.5, true]')
    """
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, Mapping):
        entries = ", ".join(f"{toml_key(key)} = {toml_value(entry)}" for key, entry in value.items())
        return f"{{ {entries} }}" if entries else "{}"
    if isinstance(value, Iterable):
        in_order = sorted(value, key=lambda text: (not text, text)) if isinstance(value, Set) else value
        listed = [*map(toml_value, in_order)]
        line = f"[{', '.join(listed)}]"
        return line if len(line) <= _LINE else "\n".join(["[", *(f"    {item}," for item in listed), "]"])
    return str(value).lower()


def toml_line(value: object) -> str:
    """Return a TOML value on one line.

    >>> toml_line(["a" * 60, "b" * 60]) == f'["{"a" * 60}", "{"b" * 60}"]'
    True
    """
    return re.sub(r"(?<=\[)\n *|,\n(?=\])", "", toml_value(value)).replace("\n    ", " ")


def toml_document(tables: Mapping[str, Mapping[str, Toml]]) -> str:
    r"""Return a TOML document of tables, without empty tables and without keys whose value is None.

    >>> toml_document({"a": {"b": 1, "c": None}, "d": {}})
    '[a]\nb = 1\n'
    """
    lines = {
        name: [f"{toml_key(key)} = {toml_value(value)}\n" for key, value in table.items() if value is not None]
        for name, table in tables.items()
    }
    return "\n".join(f"[{name}]\n{''.join(own)}" for name, own in lines.items() if own)
