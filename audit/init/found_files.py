"""Find the role of each file by its folder, name and columns, and summarize files and columns for a terminal.

A roll is a file that lists people who may be in the data, by their names or days of birth, such as an electoral roll.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from audit.init.columns import Column, partition, read_columns
from audit.init.guesses import Guesses, Row
from audit.io.background_knowledge import years_of
from audit.io.cell_reading import Hierarchy
from audit.io.dialect import UTF_8, read_dialect
from audit.io.foreign_files import ForeignTable, is_foreign, read_foreign
from audit.io.manifest import KEY_COLUMNS, NAME, POSSIBLE, PRIVATE, REGISTER_COLUMNS, ReleaseFiles, key_file, key_name
from audit.io.naming import (
    ID_KINDS,
    in_time,
    is_quasi,
    kind,
    named_like,
    names_waves,
    natural,
    sensitivity,
    stay,
    topic,
)
from audit.io.notations import skeleton
from audit.io.paths import is_inside, is_there
from audit.io.table_forms import form_of
from audit.io.tables import SUFFIXES, header, is_table, note_absent
from audit.io.toml import release_tag
from audit.model.errors import Problems, UsageError
from audit.runtime.phrases import Phrase, figure, in_quotes, joined, parted, printable, say, say_count

_OCCUPATION = 7  # how sensitive an occupation sounds, which many rolls list
_NEARLY = 0.95
"""The share of lines that differ from each other in a roll, which may list someone twice."""


def matched(own: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Return the name in the series of each column of a file beside it; its own name where none is the same.

    >>> matched(["Nom", "Date de naissance", "sexe"], ["Année de naissance", "Sexe", "Diagnostic"])
    {'Nom': 'Nom', 'Date de naissance': 'Année de naissance', 'sexe': 'Sexe'}
    """
    free = [name for name in columns if name not in own]
    found = dict[str, str]()
    for theirs in own:
        about = topic(theirs)
        like = [name for name in free if skeleton(name) == skeleton(theirs)]
        like = like or [name for name in free if about is not None and topic(name) == about]
        rivals = [name for name in own if topic(name) == about is not None]
        sole = theirs not in columns and len(like) == 1 and (skeleton(like[0]) == skeleton(theirs) or len(rivals) == 1)
        found[theirs] = like[0] if sole else theirs
    return found


def lines_of_people(names: Sequence[str], path: Path) -> str | list[str] | None:
    """Return the column, or the columns together, that name a person in a roll; None of other tables."""
    if not {*REGISTER_COLUMNS}.isdisjoint(names) or any(sensitivity(name) > _OCCUPATION for name in names):
        return None
    columns = [*read_columns([(path, path.name)]).values()]
    days = [each for each in columns if topic(each.name) == "birth" and each.are_days]
    own = [*(each for each in columns if each.holds_names), *days]
    waves = [each for each in columns if names_waves(each.name)]
    if not own or not differ([*own, *waves]):
        return None
    rest = [each for each in columns if each not in [*own, *waves] and not (topic(each.name) or is_quasi(each.name))]
    once = [each for each in rest if each.unique or differ([each, *waves], share=1)]
    codes = [each.name for each in once if not each.row_numbers and " " not in "".join(each.some)]
    if codes:
        return codes[0]
    several = own if differ([*own, *waves], share=1) else [each for each in columns if each not in waves]
    names = [each.name for each in several]
    return names[0] if len(names) == 1 else names


def lines_once(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns of a file without lines that repeat others in every cell, as for each stay."""
    first = np.unique(partition([*columns.values()]), return_index=True)[1]
    return {name: replace(each, codes=each.codes[first], release=each.release[first]) for name, each in columns.items()}


def times_of(person: Sequence[Column], others: Sequence[Column], tags: Sequence[str]) -> list[Column]:
    """Return the columns of a register that say who is in which release; none if it does not say it.

    Two are, by their names or as the only ones, the first and the last release of a person. One is the release of a
    line: its texts are the tags of releases, or most people have several lines that differ in it.
    """
    named = stay([each.name for each in others])
    ends = [each for name in named for each in others if each.name == name] or [*others]
    if len(ends) == 2 and all(name_releases(each.texts, tags, coming=bool(named)) for each in ends):
        return ends
    dated = [each for each in others if each.name == "release" or names_waves(each.name)]
    several = not differ(person)
    return [each for each in dated if {*each.texts} <= {*tags} or (several and differ([*person, each]))][:1]


def name_releases(texts: Iterable[str], tags: Sequence[str], *, coming: bool = True) -> bool:
    """Return whether texts are positions or tags of releases, or the position of a `coming` one, years or blanks."""
    places = {*map(str, range(1, len(tags) + 1 + coming)), *tags, *[""] * coming}
    return places.issuperset(
        text for text in texts if not (coming and years_of(tags) and text.isdecimal() and years_of([text]))
    )


def differ(columns: Sequence[Column], share: float = _NEARLY) -> bool:
    """Return whether nearly all lines of a file differ from each other in some columns."""
    return int(partition(columns).max(initial=-1)) + 1 >= share * len(columns[0].codes)


QUASI = "quasi-identifier"
NAMES_RELEASES = Phrase("it names the release of a row, so all rows of a release share it")
BESIDE = {"register": Phrase("register"), "transitions": Phrase("transitions"), "known": Phrase("known values")}
"""The names of the kinds of files beside the releases, by their keys in the manifest."""
_MANIFESTS = frozenset({"series.toml", "microdata.toml"})
FOLDERS = frozenset({"releases", "counterfeits", "hierarchies", PRIVATE})
"""The folders of a series whose files have a role by their folder."""
SNAPSHOTS = "snapshots"  # the folder of tables that are not published yet
UNORDERED = Phrase("The names of the releases do not show their order; put them in the order of publication.")
_HALF = re.compile(r".*\.(rows|values)\.(?:csv|csv\.gz|parquet)", re.IGNORECASE)
_MANY = 16
_OF_KEYS = len(KEY_COLUMNS)


@dataclass
class FoundFiles:
    """The files of a folder, the columns of its releases, and guesses about them.

    Attributes:
        guesses: the guesses.
        releases: in the order that their names show.
        beside: the register, the transitions and the known values, by their key in the manifest.
        other_registers: further tables that list people.
        counterfeits: tables in counterfeits/.
        hierarchies: tables in hierarchies/, or tables named so.
        names: the columns of each table that is not a hierarchy.
        columns: all columns that the releases share, by name.
        labels: the hierarchies of columns, by name.
        roles: the roles of columns, by name, each with the reason.
    """

    folder: Path
    guesses: Guesses
    releases: list[ReleaseFiles] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)
    other_registers: list[str] = field(default_factory=list)
    counterfeits: list[str] = field(default_factory=list)
    hierarchies: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)
    labels: dict[str, Hierarchy] = field(default_factory=dict)
    roles: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def published(self) -> bool:
        """Whether the tables are published, not microdata."""
        return self.guesses.name == NAME

    @property
    def tags(self) -> list[str]:
        """The tags of the releases."""
        return [release.tag for release in self.releases]

    @property
    def unused(self) -> dict[str, str]:
        """Files that are not used, and why."""
        return self.guesses.left["series"]

    def renamed(self, tag: str) -> dict[str, str]:
        """Return the columns of the series by the columns of a release's file."""
        return self.guesses.column("renamed", {}).get(tag, {})

    def with_role(self, role: str) -> list[Column]:
        """Return the columns of a role."""
        return [self.columns[name] for name, (its, _) in self.roles.items() if its == role]

    def chosen(self, role: str) -> Column | None:
        """Return the column of a role that only one column can have."""
        return next(iter(self.with_role(role)), None)

    @property
    def sensitive(self) -> Column:
        """The sensitive column."""
        return self.with_role("sensitive")[0]

    @property
    def keys(self) -> list[Path]:
        """The key files of the releases that have one, in the order of the releases."""
        return [path for each in self.releases if is_there(path := key_file(self.folder, each))]

    def pair(self) -> ReleaseFiles | None:
        """Return the first release that is an Anatomy pair."""
        return next((release for release in self.releases if release.values), None)

    def register_columns(self) -> dict[str, str]:
        """Return what the register calls the columns that releases may have, too, by their names there.

        Names that differ only in spelling are the same, and so are the only ones about birth, postcode or sex.
        """
        names = self.names[self.beside["register"]] if "register" in self.beside else []
        person = self.guesses.document.get("register", {}).get("individual", [])
        own = [name for name in names if name not in {*REGISTER_COLUMNS, person if isinstance(person, str) else ""}]
        return {ours: theirs for theirs, ours in matched(own, [*self.columns]).items()}

    def texts(self, role: str, column: str) -> set[str]:
        """Return the distinct cells of a column in a file beside the releases; empty without the file or column."""
        shown, column = self.beside.get(role), self.guesses.document.get(role, {}).get(column, column)
        found = read_columns([(self.folder / shown, shown)]).get(column) if shown is not None else None
        return set(found.texts) if found is not None else set()


def find_files(folder: Path, guesses: Guesses) -> FoundFiles:
    """Find the role of each file of a folder; the releases may be in a subfolder.

    Raises:
        UsageError: the folder does not exist, or holds no releases.
        InputError: a table cannot be read.
    """
    if not folder.is_dir():
        state = say("this is a file") if folder.exists() else say("there is no such folder")
        raise UsageError.say("{folder}: {state}; name the folder that holds the releases", folder=folder, state=state)
    found, problems = FoundFiles(folder, guesses), Problems()
    home = "releases" if found.published or not (folder / SNAPSHOTS).is_dir() else SNAPSHOTS
    inside, beside = _listing(found, home), _listing(found, "")
    _note_folders(found, home)
    if not inside and (folder / "microdata.toml").exists():
        raise UsageError.say(
            "{folder}: by its microdata.toml, this folder holds microdata, which is not published; "
            "`audit anonymize` makes a series of releases from it; if its tables were "
            "published, as rows of people or as counts, move microdata.toml to another folder",
            folder=folder,
        )
    found.counterfeits = _with_columns(found, _listing(found, "counterfeits"), Problems())
    found.hierarchies = [name for name in beside if "hierarch" in name.casefold()]
    beside = [name for name in beside if name not in found.hierarchies]
    found.hierarchies += _listing(found, "hierarchies")
    releases = _with_columns(found, inside, problems)
    others = _with_columns(found, beside, Problems() if inside else problems)
    problems.check()
    private = _with_columns(found, _listing(found, PRIVATE), Problems())
    private = _without_keys(found, private, releases if inside else others)
    for shown in [*others, *private]:
        role = _role(set(found.names[shown]))
        if role and found.beside.setdefault(role, shown) != shown:
            found.unused[shown] = say("one more file of this kind: {role}", role=BESIDE[role])
            found.other_registers += [shown] * (role == "register")
    if "register" not in found.beside:
        _find_roll(found, [*releases, *others], [*others, *private])
    if "register" not in found.beside:
        _find_register(found, [*releases, *others], [*others, *private])
    unread = [shown for shown in private if shown not in found.unused and shown not in found.beside.values()]
    found.unused.update(dict.fromkeys(unread, say("nothing is read under this name there")))
    others = [shown for shown in others if shown not in found.unused and shown not in found.beside.values()]
    if inside:
        found.unused.update(dict.fromkeys(others, say("it is not in {folder}/", folder=home)))
    found.releases = list(_joined(found, releases if inside else _alike(found, others)))
    _check_releases(found)
    return found


def _listing(found: FoundFiles, sub: str) -> list[str]:
    """Return the tables in a folder by name; note as unused other files, and names that no manifest can hold."""
    place = found.folder / sub
    try:
        files = [path for path in place.iterdir() if path.is_file()] if place.is_dir() else []
    except OSError as error:
        raise UsageError.say(
            "{place}: {why}; check the folder's permissions", place=place, why=error.strerror
        ) from error
    paths = [path for path in files if is_table(path.name)]
    others = [path.name for path in files if not is_table(path.name) and not path.name.startswith(".")]
    for name in sorted(set() if sub == PRIVATE else set(others) - _MANIFESTS, key=natural):
        found.unused[f"{sub}/{name}" if sub else name] = _no_table(name)
    listed = []
    for name in sorted((path.name for path in paths), key=natural):
        shown = f"{sub}/{name}" if sub else name
        if name.startswith(".") or name.endswith(".key.csv"):
            continue
        if not is_inside(found.folder, shown):
            found.unused[shown] = say("the link leads out of the series folder")
        elif shown != shown.strip() or not is_unicode(shown):
            found.unused[shown] = say("a manifest cannot hold such a name")
        else:
            listed.append(shown)
    return listed


def _note_folders(found: FoundFiles, home: str) -> None:
    """Note as unused the tables in folders where none are expected."""
    for place in sorted(found.folder.iterdir(), key=lambda path: natural(path.name)):
        if place.is_dir() and place.name not in {*FOLDERS, home} and not place.name.startswith("."):
            try:
                tables = sum(path.is_file() and is_table(path.name) for path in place.rglob("*"))
            except OSError:
                continue
            if tables:
                found.unused[f"{place.name}/"] = say_count(
                    "[a table lies|{count} tables lie] there; put releases into {folder}/releases/, each with a name "
                    "of its own, and keys, which say whose the rows are, into {folder}/private/",
                    tables,
                    folder=found.folder.resolve().name,
                )


def _no_table(name: str) -> str:
    """Return why a file whose name is not that of a table is not used."""
    as_table = name.casefold().endswith((".txt", ".tsv", ".xls", ".xlsm", ".xlsb", ".dat", ".zip", ".json", ".rds"))
    if as_table:
        return say("its name is not that of a table; save it as .csv or .xlsx")
    return say("its name is not that of a table")


def is_unicode(text: str) -> bool:
    """Return whether a text is valid Unicode; names of files need not be."""
    return not any("\ud800" <= c <= "\udfff" for c in text)


def _with_columns(found: FoundFiles, listed: Iterable[str], problems: Problems) -> list[str]:
    """Return the tables whose header can be read."""
    for shown in listed:
        names = header(found.folder / shown, shown, problems)
        if names is None:
            found.unused[shown] = say("the header cannot be read")
        else:
            found.names[shown] = list(names)
    return [shown for shown in listed if shown in found.names]


def _role(names: set[str]) -> str | None:
    """Return the kind of a file beside the releases by its columns; None if it has none."""
    if {"from", "to"} <= names <= {"from", "to", "probability"}:
        return "transitions"
    if {"individual", "value"} <= names <= {"individual", "value", "release"}:
        return "known"
    return "register" if "individual" in names and ("release" in names or {"first", "last"} <= names) else None


def _without_keys(found: FoundFiles, private: Iterable[str], tables: Sequence[str]) -> list[str]:
    """Note as unused the private files that are like a release's key, but not called like one; return the others."""
    keys = dict[str, str]()
    for shown in private:
        about = [each for each in tables if release_tag(each) in shown]
        if about and len(found.names[shown]) == _OF_KEYS and _role({*found.names[shown]}) is None:
            table = max(about, key=lambda each: len(release_tag(each)))
            own, rows = (read_columns([(found.folder / each, each)]) for each in (shown, table))
            if _is_key(list(own.values()), rows):
                keys[shown] = say(
                    "like a key of {file}: name it {name}, with the columns row (counted from 0: the first row is 0) "
                    "and individual",
                    file=table,
                    name=f"{PRIVATE}/{key_name(release_tag(table))}",
                )
    found.unused.update(keys)
    return [shown for shown in private if shown not in keys]


def _is_key(own: Sequence[Column], rows: Mapping[str, Column]) -> bool:
    """Return whether two columns are like a key: all row numbers or ids of a release, and whose rows they are."""
    if len(own) != _OF_KEYS or not own[0].unique:
        return False
    number, person = own
    ids = rows.get(number.name)
    as_many = [each for each in rows.values() if len(each.codes) == len(number.codes)]
    everyone = bool(as_many) and (number.row_numbers or (ids in as_many and {*ids.texts} == {*number.texts}))
    named = kind(person.name) in ID_KINDS or person.unique
    return everyone and named and person.name not in rows and not (sensitivity(person.name) or is_quasi(person.name))


def _find_roll(found: FoundFiles, tables: Sequence[str], beside: Sequence[str]) -> None:
    """Note the roll: a table beside the releases whose lines are about single people, by their names or days of birth.

    It has quasi-identifiers of the other tables, and lacks what they say of people. Of several, the last one counts.
    """
    rolls = {
        shown: columns for shown in beside if (columns := lines_of_people(found.names[shown], found.folder / shown))
    }
    others = [shown for shown in tables if shown not in {*rolls, *found.beside.values()}]
    if not rolls or not others:
        return
    there = dict.fromkeys(name for shown in others for name in found.names[shown])
    shared = {shown: {*there} & {*matched(found.names[shown], [*there]).values()} for shown in rolls}
    fitting = [shown for shown, names in shared.items() if 0 < len(names) < len(there)]
    if not fitting:
        return
    last = _note_others(found, fitting)
    own = read_columns([(found.folder / last, last)])
    person = rolls[last]
    dated = [own[name] for name in dict.fromkeys([*stay(own), *filter(names_waves, own)])]
    people = [own[name] for name in ([person] if isinstance(person, str) else person)]
    _note_register(found, last, person, times_of(people, dated, [*map(release_tag, others)]))


def _note_others(found: FoundFiles, registers: Sequence[str]) -> str:
    """Note as unused all registers but the last one, and return that one."""
    *earlier, last = registers
    found.unused.update(dict.fromkeys(earlier, say("it lists people, as {file} does", file=last)))
    found.other_registers += earlier
    return last


def _note_register(found: FoundFiles, shown: str, person: str | list[str], times: Sequence[Column]) -> None:
    """Note the register: the columns that name a person, and those of `times_of`, which say who is in which release."""
    found.beside["register"] = shown
    several = isinstance(person, list)
    why = say("together, they name a person") if several else say("the lines of the register differ in it")
    if person != "individual":
        found.guesses.state("register.individual", person, why, sure=False)
    blank = say("the positions, tags or years of releases; blank: the person is still there")
    keys = {"release": say("the release of each line")} if len(times) == 1 else {"first": blank, "last": blank}
    for (name, why), column in zip(keys.items(), times, strict=False):
        if column.name != name:
            found.guesses.state(f"register.{name}", column.name, why, sure=False)
    if several or not times:
        why = say("a list of names may have people who are in no release")
        if not times:
            why = say("no column of the register names the releases of a person, by positions, tags or years")
        why = say(
            "{why}; a row may be about somebody whom the register lacks: if it lists everybody who can be in the data, "
            "add the releases of each person to it instead, as more follows from counting then",
            why=why,
        )
        found.guesses.state("adversary.presence", POSSIBLE, why, sure=False)


def _find_register(found: FoundFiles, tables: Sequence[str], beside: Sequence[str]) -> None:
    """Note the register: the only table that names people and has some, but not all, columns of the releases.

    Or the last of several with the same columns, one for each release.
    """
    registers = []
    for shown in beside:
        others = [each for each in tables if each not in {shown, *found.beside.values()}]
        same = [each for each in others if found.names[each] == found.names[shown]]
        if 0 < len(same) < len(others) - len(same):
            others = [each for each in others if each not in same]
        rest = [set(found.names[each]) for each in others]
        everywhere = set.intersection(*rest) if rest else set[str]()
        folded = {name.casefold(): name for name in everywhere}
        names = [name if name in everywhere else folded.get(name.casefold(), name) for name in found.names[shown]]
        own = [name for name in names if not any(name in others for others in rest)]
        lacking = {name for name in everywhere - {*names} if kind(name) not in ID_KINDS}  # else it calls ids otherwise
        if shown not in found.beside.values() and everywhere & {*names} and lacking:
            columns = lines_once(read_columns([(found.folder / shown, shown)]))
            tags = [release_tag(each) for each in others]
            dated = [each for name, each in columns.items() if name in own or names_waves(name)]
            times = {
                name: times_of([columns[name]], [each for each in dated if each.name != name], tags) for name in own
            }
            people = [name for name in own if _names_people(columns[name], times[name])]
            people.sort(key=lambda name: (name != "individual", kind(name) is None))
            registers += [(shown, people[0], times[people[0]])] if people else []
    if registers and len({tuple(found.names[shown]) for shown, *_ in registers}) == 1:
        _note_others(found, [shown for shown, *_ in registers])
        _note_register(found, *registers[-1])


def _names_people(column: Column, times: Sequence[Column]) -> bool:
    """Return whether a column may name people: by its name, or because each of many texts occurs once.

    Under such a name a few of them may have several lines. In a register with `times`, all may.
    """
    content = sensitivity(column.name) or is_quasi(column.name) or column.form is not None
    fractions = any("." in text or "," in text for text in column.some)
    many = len(column.codes) >= _MANY and not content and not fractions
    once = column.unique or (many and bool(times) and differ([column, *times], share=1))
    return (
        column.name == "individual" or (many and once) or (kind(column.name) in ID_KINDS and differ([column, *times]))
    )


def _alike(found: FoundFiles, listed: Sequence[str]) -> list[str]:
    """Note as unused the tables that lack most common columns, except halves of Anatomy pairs."""
    columns = {shown: set(found.names[shown]) for shown in listed if not _HALF.fullmatch(shown)}
    times = Counter(name for own in columns.values() for name in own)
    most = max(times.values(), default=0)
    common = {name for name in times if 2 * times[name] >= most}
    shared = {name for name in common if times[name] >= min(2, most)}
    strays = [
        shown for shown, own in columns.items() if all(2 * len(own & some) < len(some) for some in (common, shared))
    ]
    why = say("its columns differ from most; if it is a release, list it, and name its columns under `renamed`")
    if not found.published:
        why = say("its columns differ from most; if it belongs to them, give its columns the same names")
    found.unused.update(dict.fromkeys(strays, why))
    return [shown for shown in listed if shown not in strays]


def _joined(found: FoundFiles, listed: Sequence[str]) -> Iterator[ReleaseFiles]:
    """Yield the releases, with the halves of Anatomy pairs, `1.rows.csv` and `1.values.csv`, joined."""
    halves = dict[str, dict[str, str]]()
    for shown in listed:
        half = "" if (named := _HALF.fullmatch(shown)) is None else named[1].lower()
        own = halves.setdefault(release_tag(shown), {})
        if own.setdefault(half, shown) != shown or (len(own) > 1 and "" in own):
            found.unused[shown] = say("it has the same tag as {file}", file=next(iter(own.values())))
    for own in halves.values():
        first = next(iter(own.values()))
        tag = release_tag(own.get("rows", first))
        if next(iter(own)) == "":
            yield ReleaseFiles(tag, found.folder / first, first)
        elif {"rows", "values"} <= set(own):
            rows, values = own["rows"], own["values"]
            yield ReleaseFiles(tag, found.folder / rows, rows, found.folder / values, values)
        else:
            found.unused[first] = say("the other half of the pair is missing")


def _check_releases(found: FoundFiles) -> None:
    """Refuse a folder without releases; doubt an order that names do not show."""
    if not found.releases:
        unused = next((f" ({printable(name)}: {why})" for name, why in found.unused.items()), "")
        raise UsageError.say(
            "{folder}: there are no releases here{unused}; put the published tables ({names}) into {releases}, one "
            "file for each release, and run it again",
            folder=found.folder,
            unused=unused,
            names=", ".join(SUFFIXES),
            releases=found.folder / "releases",
        )
    order, is_clear = in_time(found.tags)
    found.releases.sort(key=lambda release: order.index(release.tag))
    tags = found.tags
    problems = Problems()
    for path in found.keys:
        shown = f"{PRIVATE}/{path.name}"
        if (names := header(path, shown, problems)) is not None:
            note_absent(path, shown, [*names], KEY_COLUMNS, problems)
    problems.check()
    entries = [
        each.shown if each.values is None else {"rows": each.shown, "values": each.values_shown}
        for each in found.releases
    ]
    found.guesses.state("series.releases", entries, "" if is_clear else say("published in this order"))
    if not is_clear:
        found.guesses.doubt("series.releases", str(UNORDERED))
    meant = [
        name
        for name, tag in ((name, release_tag(name)) for name in found.names if name in found.unused)
        if is_there(found.folder / PRIVATE / key_name(tag)) or named_like(tag, tags)
    ]
    if meant:
        why = say(
            "tables that are named like releases, or have a key, are left out: {names}; if one was published, list it",
            names=in_quotes(meant, _MANY),
        )
        found.guesses.state("series.releases", [], why, sure=False)


_ROLES = {
    "sensitive": Phrase("sensitive"),
    "quasi-identifier": Phrase("quasi-identifier"),
    "unlinkable": Phrase("unlinkable"),
    "individual": Phrase("individual"),
    "record": Phrase("record"),
    "group": Phrase("group"),
    "count": Phrase("count"),
}
_FILES_SHOWN = 24
_ALIKE_SHOWN = 12


def found_rows(found: FoundFiles) -> dict[str, list[Row]]:
    """Return the summary of files and columns."""
    return {
        say("Files"): _file_rows(found),
        say("Columns, with how many different cells"): _column_rows(found),
    }


def _file_rows(found: FoundFiles) -> list[Row]:
    """Return each file with its role, in one or more rows."""
    rows: list[Row] = []
    releases = [*{release.shown: release for release in found.releases}.values()]
    for release in releases[:_FILES_SHOWN]:
        rows += [(shown, _described(path, shown)) for path, shown in release.halves]
    if len(releases) > _FILES_SHOWN:
        more = say_count("… {count} more [release|releases]", len(releases) - _FILES_SHOWN)
        rows.append((more, ""))
    rows += [(shown, str(BESIDE[role])) for role, shown in found.beside.items()]
    counterfeits = found.guesses.document.get("counterfeits", {})
    rows += [(shown, say("counterfeits of release {release}", release=tag)) for tag, shown in counterfeits.items()]
    rows += [(hierarchy.name, say('hierarchy of "{column}"', column=name)) for name, hierarchy in found.labels.items()]
    if found.keys:
        keys = say("keys of {keys} of {releases} releases", keys=len(found.keys), releases=len(found.releases))
        rows.append(("private/", keys))
    return [*rows, *((shown, say("NOT USED: {why}", why=why)) for shown, why in found.unused.items())]


def _described(path: Path, shown: str) -> str:
    """Return the size of a table, and its format if it is not plain CSV."""
    names = header(path, shown, Problems()) or {}
    rows = say_count("{count} [row|rows]", form_of(path).rows(path))
    parts = [f"{rows}, {say_count('{count} [column|columns]', len(names))}"]
    if is_foreign(path):
        table = read_foreign(path)
        parts += sheets_of(table, table.other_sheets)
        parts += [_header_below(table.lines[0])] if table.above else []
    elif not path.name.endswith(".parquet"):
        dialect = read_dialect(path)
        parts += [say("not UTF-8, read as {encoding}", encoding=dialect.encoding)] if dialect.encoding != UTF_8 else []
        parts += [_header_below(1 + dialect.above)] if dialect.above else []
    return parted(parts)


def sheets_of(table: ForeignTable, left: Sequence[str]) -> list[str]:
    """Return the name of the sheet that is read, if there are several, and the names of those that are not used."""
    parts = [say('sheet "{sheet}"', sheet=table.sheet)] if table.sheet is not None else []
    if left:
        names = joined([f'"{name}"' for name in left], _ALIKE_SHOWN)
        parts.append(
            say_count("NOT USED: [sheet|sheets] {names} (a release is a file of its own)", len(left), names=names)
        )
    return parts


def _header_below(line: int) -> str:
    return say("its header is line {line}; the lines above it are not read", line=line)


def _column_rows(found: FoundFiles) -> list[Row]:
    """Return each column with its role, its number of distinct cells, and the reason."""
    unlinkable = found.guesses.column("unlinkable", {})
    roles = {**found.roles, **{name: ("unlinkable", why) for name, why in unlinkable.items()}}
    rows: list[Row] = []
    none, left = say("NO ROLE"), dict[str, list[str]]()
    for name, why in found.guesses.left["columns"].items():
        left.setdefault(why, []).append(name)
    folded = {why: names for why, names in left.items() if len(names) > _ALIKE_SHOWN}
    without = {name: why for name, why in found.guesses.left["columns"].items() if why not in folded}
    for name, column in found.columns.items():
        if name in roles or name in without or name not in found.guesses.left["columns"]:
            many = len({*column.texts} - {""})
            distinct = figure(many) if column.whole else say("over {count}", count=many)
            role, why = roles.get(name, ("", without.get(name, say("its name and cells say nothing"))))
            rows.append((name, str(_ROLES[role]) if role else none, distinct, why))
    rows += [(name, none, "", why) for name, why in without.items() if name not in found.columns]
    for why, names in folded.items():
        alike = say_count("{count} [column|columns]", len(names))
        rows.append((alike, none, "", f"{why}: {', '.join(names[:_ALIKE_SHOWN])}, …"))
    return rows
