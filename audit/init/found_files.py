"""Find the role of each file by its folder, name and columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from audit.init.columns import Column, read_columns
from audit.init.guesses import Guesses
from audit.init.rolls import differ, lines_of_people, lines_once, matched, times_of
from audit.io.cell_reading import Hierarchy
from audit.io.manifest import (
    KEY_COLUMNS,
    NAME,
    POSSIBLE,
    PRIVATE,
    REGISTER_COLUMNS,
    ReleaseFiles,
    key_file,
    key_name,
)
from audit.io.naming import ID_KINDS, in_time, is_quasi, kind, named_like, names_waves, natural, sensitivity, stay
from audit.io.paths import is_inside, is_there
from audit.io.tables import SUFFIXES, header, is_table, note_absent
from audit.io.toml import release_tag
from audit.model.errors import Problems, UsageError
from audit.runtime.phrases import Phrase, in_quotes, printable, say, say_count

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


def find_files(folder: Path, guesses: Guesses, home: str = "releases") -> FoundFiles:
    """Find the role of each file of a folder; `home` is the subfolder of the releases, if it exists.

    Raises:
        UsageError: the folder does not exist, or holds no releases.
        InputError: a table cannot be read.
    """
    if not folder.is_dir():
        state = say("this is a file") if folder.exists() else say("there is no such folder")
        raise UsageError.say("{folder}: {state}; name the folder that holds the releases", folder=folder, state=state)
    found, problems = FoundFiles(folder, guesses), Problems()
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
    if found.guesses.name != NAME:
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
