"""A second checker of witnesses about people, written from docs/reference/witness.md alone, for tiny series.

It shares no code with the checkers of the program; it uses dictionaries and enumeration where those use arrays.
It returns what is not shown, and raises `UnsupportedError` where a series is refused.
"""

import csv
import gzip
import hashlib
import json
import math
import re
import tomllib
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise, product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ALLOWED = {
    "series": "name published releases",
    "columns": "sensitive quasi_identifiers group individual count delimiter similar types spelled unlinkable "
    "harmless left_out decimal encoding renamed changing unnamed",
    "adversary": "register transitions known",
    "counterfeits": None, "anonymized": None, "policy": None, "waiver": None,
}  # fmt: skip
KEYS = {
    "values": "of total certain two", "different": "people", "same": "people", "close": "within of total certain two",
    "near": "within of total certain two", "categories": "of total certain two", "k": "rows people",
    "min_e": "at_least", "findings": "people", "equivalent": "people",
}  # fmt: skip
SIGNS = "€£°§´–—…’‘“”„«»\xa0µ¹²³½±×©®™†‡•ªº¿¡"
NUMBER = r"(-?\d+(?:\.\d+)?)"


class UnsupportedError(Exception):
    """The series or the witness has something that a checker refuses."""


class NotShownError(Exception):
    """Something that is stated is not shown."""


def refuse(when, what="unsupported"):
    if when:
        raise UnsupportedError(what)


def require(holds, what="not shown"):
    if not holds:
        raise NotShownError(what)


def same_json(*documents):
    """Whether documents are the same, also in the form of their numbers."""
    return len({json.dumps(each, sort_keys=True) for each in documents}) == 1


def objection(folder, where, *, restate=False):
    """Return why a witness does not show all that it states, or ""; `restate`: state what is found instead."""
    try:
        statement = json.loads((Path(where) / "statement.json").read_text())
        require(statement["format"] == "series-audit witness 2", "the format")
        series = {"register": OfRegister}.get(statement["adversary"], Series)(Path(folder), statement)
        check(series, Path(where), statement, restate=restate)
    except (NotShownError, KeyError, TypeError, ValueError, IndexError, OSError) as error:
        return repr(error)
    return ""


def check(series, where, statement, *, restate):
    require(statement["claims"] and isinstance(statement["rests"], list))
    people, values = None, [tuple(each) for each in statement["values"]]
    require({*values} <= series.published, "values")
    if statement["adversary"] in ("linked", "register"):
        people = People(series, where, values)
    for claim in statement["claims"]:
        name = claim["claim"]
        refuse(name not in KEYS, name)
        require(set(claim) == {"claim", "sensitive", *KEYS[name].split()}, "keys of a claim")
        require((claim["sensitive"] is None) == (name == "k"), "sensitive")
        require(claim["sensitive"] in (None, *series.sensitive), "sensitive")
        if "of" in claim:
            found = Sets(series, people, claim["of"]).counted(claim)
        else:
            found = getattr(series if name == "k" else people, f"claim_{name}")(claim)
        same = same_json({"claim": name, "sensitive": claim["sensitive"], **found}, claim)
        require(restate or same, f"{claim}: {found}")
        claim.update(found)
    for name, (content, rows) in series.read.items():
        require(statement["files"].get(name) == {"sha256": hashlib.sha256(content).hexdigest(), "rows": rows}, name)
    if restate:
        (where / "statement.json").write_text(json.dumps(statement))


# -- reading ----------------------------------------------------------------------------------------------


class Series:
    """What the files of a series say."""

    def __init__(self, folder, statement):
        self.folder, self.read, self.adversary = folder, {}, statement["adversary"]
        self.heads = {}  # the columns of each file
        refuse(self.adversary not in ("linked", "register", "published"))
        content = (folder / "series.toml").read_bytes()
        self.read["series.toml"] = content, None
        self.manifest = manifest = tomllib.loads(content.decode())
        if manifest.get("adversary", {}).get("transitions") == "never":
            manifest["adversary"].pop("transitions")
        for part, entries in manifest.items():
            refuse(part not in ALLOWED, part)
            refuse(ALLOWED[part] and not {*entries} <= {*ALLOWED[part].split()}, part)
        columns, known = manifest["columns"], manifest.get("adversary", {})
        sensitive = columns["sensitive"]
        self.sensitive = [sensitive] if isinstance(sensitive, str) else sensitive
        columns = {"quasi_identifiers": [], **columns}
        self.quasi, self.columns = columns["quasi_identifiers"], columns
        unlinked = self.adversary == "published"
        refuse(len(self.sensitive) > 1 and {"transitions", "known"} & {*known})
        self.keyed = False
        self.rows, self.held, self.tags = [], [], []  # by release: (group, value, name) of rows; values of groups
        self.cells = []
        for release in self.releases():
            self.read_release(release, unlinked)
        self.published = {value for held in self.held for counts in held.values() for value in counts}
        self.transitions = self.read_transitions(known) if not unlinked else None
        self.known = {} if unlinked or self.adversary == "register" else self.read_known(known)
        refuse(self.adversary == "register" and "known" in known, "known")

    def releases(self):
        found = []
        for each in self.manifest["series"]["releases"]:
            if isinstance(each, dict) or not set(each) & set("*?["):
                found.append(each)
                continue
            names = sorted(path.relative_to(self.folder).as_posix() for path in self.folder.glob(each))
            refuse(not names or len({re.sub(r"\d+", "#", name) for name in names}) > 1)
            numbers = {name: [int(number) for number in re.findall(r"\d+", name)] for name in names}
            refuse(len({*map(tuple, numbers.values())}) < len(names))
            found += sorted(names, key=numbers.get)
        return found

    def table(self, name, tag="", columns=()):
        content = (self.folder / name).read_bytes()
        if name.endswith(".parquet"):
            table = pq.read_table(self.folder / name)
            head, lines = table.column_names, [[*line.values()] for line in table.to_pylist()]
            lines = [["" if cell is None else str(cell).strip() for cell in line] for line in lines]
        else:
            refuse(not name.endswith((".csv", ".csv.gz")), name)
            head, lines = self.csv_lines(gzip.decompress(content) if name.endswith(".gz") else content)
        if self.columns.get("decimal") == ",":
            lines = pointed(lines)
        renamed = self.columns.get("renamed", {}).get(tag, {})
        head = [renamed.get(column.strip(), column.strip()) for column in head]
        refuse(len({*head}) < len(head), "a column twice")
        refuse(not {*columns} <= {*head}, f"a column of {name}")
        self.read[name] = content, len(lines)
        self.heads[name] = head
        return [dict(zip(head, line, strict=True)) for line in lines]

    def csv_lines(self, content):
        encoding = self.columns.get("encoding", "utf-8-sig")
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            refuse("encoding" in self.columns or not content.decode("utf-8", "ignore").isascii())
            text = content.decode("cp1252", "replace")
            refuse(any(not sign.isascii() and not sign.isalpha() and sign not in SIGNS for sign in text))
        marks = [mark for mark in ",;|\t" if mark in text.partition("\n")[0]]
        refuse(len(marks) > 1 and "delimiter" not in self.columns, "several delimiters")
        mark = self.columns.get("delimiter", (marks or ",")[0])
        try:
            lines = [line for line in csv.reader(text.splitlines(keepends=True), strict=True, delimiter=mark) if line]
        except csv.Error as error:
            raise UnsupportedError("no CSV file") from error
        head, *lines = [[cell.strip() for cell in line] for line in lines]
        every = [head, *lines]
        refuse(any(len(line) != len(head) or any(cell[:1] in ('"', "'") for cell in line) for line in every), "cells")
        return head, lines

    def read_release(self, release, unlinked):
        pair = isinstance(release, dict)
        name = release["rows"] if pair else release
        tag = re.sub(r"\.(rows|values)$", "", Path(name.removesuffix(".gz")).stem)
        rows = self.table(name, tag)
        self.tags.append(tag)
        group = self.columns.get("group")
        quasi = [] if pair else self.columns["quasi_identifiers"]
        wanted = [*quasi, *([group] if group else []), *([] if pair else self.sensitive)]
        refuse(not {*wanted} <= {*self.heads[name]}, f"a column of {name}")
        cells = {column: alike([row[column] or "*" for row in rows], self.types(column)) for column in quasi}
        labels = [(row.get(group), *(cells[c][row[c] or "*"] for c in quasi)) for row in rows]
        values = [None if pair else tuple(row[column] for column in self.sensitive) for row in rows]
        held = defaultdict(Counter)
        for label, value in zip(labels, values, strict=True):
            held[label][value] += 1
        if pair:
            counts = defaultdict(Counter)
            for row in self.table(release["values"], tag):
                count = int(row[self.columns.get("count", "count")])
                refuse(count < 1)
                counts[row[group],][tuple(row[column] for column in self.sensitive)] += count
            refuse({g: c.total() for g, c in counts.items()} != {g: c.total() for g, c in held.items()})
            held = counts
        refuse(any("" in value for counts in held.values() for value in counts), "no value")
        self.held.append(held)
        names = self.names(rows, tag, unlinked)
        if self.columns.get("unnamed") == "people" and tag not in self.manifest.get("counterfeits", {}):
            names = [name or None for name in names]
        refuse(max(Counter(filter(None, names)).values(), default=0) > 1, "two rows of one person")
        self.rows.append(list(zip(labels, values, names, strict=True)))
        self.cells.append([[row.get(column, "") or "*" for column in self.quasi or []] for row in rows])

    def types(self, column):
        return self.columns.get("types", {}).get(column)

    def names(self, rows, tag, unlinked):
        """Whose row each is: a name, "" for a counterfeit, None for a stranger's."""
        key, column = f"private/{tag}.key.csv", self.columns.get("individual")
        if (self.folder / key).exists():
            self.keyed = True
            lines = [(int(line["row"]), line["individual"]) for line in self.table(key, columns=["row", "individual"])]
            refuse(len({row for row, _ in lines}) < len(lines) or any(not 0 <= row < len(rows) for row, _ in lines))
            return [dict(lines).get(row) for row in range(len(rows))]
        column = column if rows and column in rows[0] else None
        self.keyed |= bool(column)
        return [row[column] if column else None for row in rows]

    @cached_property
    def counterfeits(self):
        """How many counterfeits each group has, by release, where they are published and there is no key."""
        found = [Counter() for _ in self.tags]
        for tag, rows, fakes in zip(self.tags, self.rows, found, strict=True):
            file = self.manifest.get("counterfeits", {}).get(tag)
            sizes = Counter(label[0] for label, *_ in rows)
            group = self.columns.get("group")
            for line in self.table(file, columns=[group, "Count"]) if file and not self.keyed else []:
                refuse(not line["Count"].isdecimal())
                fakes[line[group]] += int(line["Count"])
            require(all(group in sizes for group in fakes), "an unknown group")
            refuse(any(number > sizes[group] for group, number in fakes.items()))
        return found

    def read_transitions(self, known):
        """The pairs of values that may follow each other; None where values never change."""
        file = known.get("transitions")
        if file is None:
            return None
        if file == "any":
            return {*product(self.published, repeat=2)}
        lines = self.table(file, columns=["from", "to"])
        found = set()
        for line in lines:
            text = line.get("probability", "")
            if text:
                refuse(not re.fullmatch(r"\d+(\.\d+)?|\d+/\d+", text) or re.fullmatch(r"\d+/0+", text))
                refuse(Fraction(text) > 1)
            if not text or Fraction(text):
                found.add(((line["from"],), (line["to"],)))
        refuse({value for (value,) in self.published} - {line["from"] for line in lines}, "no line from a value")
        return None if all(a == b for a, b in found) else found

    def read_known(self, known):
        """The known value of people in releases; the release is None for all of them."""
        found = {}
        for line in self.table(known["known"], columns=["individual", "value"]) if "known" in known else []:
            tag = line.get("release")
            refuse(all(line["individual"] not in {name for *_, name in rows} for rows in self.rows), "nobody")
            refuse((line["value"],) not in self.published or tag not in (None, "", *self.tags), "known")
            tag = tag if self.transitions is not None else None
            for at in [self.tags.index(tag)] if tag else range(len(self.tags)):
                value = (line["value"],)
                refuse(found.setdefault((line["individual"], at), value) != value, "two known values")
        return found

    # -- what is counted --

    def claim_k(self, claim):
        rows, people = [], []
        for release, counterfeits in zip(self.rows, self.counterfeits, strict=True):
            members, pool = defaultdict(list), Counter(label[0] for label, *_ in release)
            for label, _, name in release:
                members[label].append(name)
            for label, names in members.items():
                fakes = sum(name is not None and name[:1] in ("", "~") for name in names)
                if counterfeits[label[0]]:
                    whole = counterfeits[label[0]] == pool[label[0]]
                    fakes = len(names) if whole else min(counterfeits[label[0]], len(names) - 1)
                if fakes < len(names):
                    rows.append(len(names))
                    people.append(len(names) - fakes)
        return {"rows": min(rows), "people": min(people)}

    def class_sets(self):
        """Yield the values of each class that may have a person who is judged."""
        for at, (release, counterfeits, held) in enumerate(zip(self.rows, self.counterfeits, self.held, strict=True)):
            pool = Counter(label[0] for label, *_ in release)
            for label, values in held.items():
                names = [name for own, _, name in release if own == label]
                real = [name for name in names if name is None or name[:1] not in ("", "~")]
                if any((name, at) not in self.known for name in real) and counterfeits[label[0]] < pool[label[0]]:
                    yield {*values}

    # -- what a witness says of people --

    def presence(self):
        found = defaultdict(dict)
        for at, rows in enumerate(self.rows):
            for group, _, name in rows:
                if name:
                    found[name][at] = group
        return found

    def worlds(self, table, people):
        names = [name for name in table.column_names if name.startswith("world_")]
        head = {"individual", *names, *(["release"] if people.changing else [])}
        require(all(pa.types.is_signed_integer(table.schema.field(name).type) for name in names), "whole numbers")
        require({*table.column_names} == head and len(head) == len(table.column_names), "columns of worlds")
        require(names and {*names} == {f"world_{number}" for number in range(len(names))}, "numbers of worlds")
        lines = table.to_pylist()
        found = [{} for _ in names]
        for line in lines:
            person = line["individual"]
            places = people.at.get(person, {})
            chosen = [self.tags.index(line["release"])] if people.changing else places
            require(places and {*chosen} <= {*places}, "somebody else")
            for number, world in enumerate(found):
                code = line[f"world_{number}"]
                code = line["world_0"] if code is None else code
                require(0 <= code < len(people.values), "a value")
                for at in chosen:
                    require((person, at) not in world, "a line twice")
                    world[person, at] = people.values[code]
        for world in found:
            require(
                {*world} == {(person, at) for person, places in people.at.items() for at in places}, "somebody left out"
            )
            people.check_world(world)
        return found

    def cost(self, costs, at, group, value):
        """The points of somebody in a group who has a value."""
        return costs.get((at, group, value), 0)

    def first_left(self, people):
        return {
            (person, at): {self.known[person, at]} if (person, at) in self.known else {*self.held[at][group]}
            for person, places in people.at.items()
            for at, group in places.items()
        }


# -- cells ------------------------------------------------------------------------------------------------


def pointed(lines):
    """Cells with decimal commas, with points."""
    found, old = [], {}
    for line in lines:
        new = [re.sub(r"(\d),(?=\d)", r"\1.", cell) for cell in line]
        new = [after.replace("; ", ", ") if after != cell else cell for cell, after in zip(line, new, strict=True)]
        for at, (cell, after) in enumerate(zip(line, new, strict=True)):
            refuse(old.setdefault((at, after), cell) != cell)
            refuse(re.search(r"\d\.\d{3}(?!\d)", cell) and not any(sign.isalpha() for sign in cell))
        found.append(new)
    return found


def ends(cell):  # noqa: PLR0911 - a form each
    """The lower and upper end of a cell of numbers, each with whether it belongs; None for `*`."""
    if not cell.strip("*"):
        return None
    if match := re.fullmatch(NUMBER, cell):
        return (Fraction(match[1]), 0), (Fraction(match[1]), 0)
    if match := re.fullmatch(rf"([\[\](]?)\s*{NUMBER}\s*[,-]\s*{NUMBER}\s*([\[\])]?)", cell):
        if bool(match[1]) != bool(match[4]) or (not match[1] and "," in cell):
            return False
        if Fraction(match[2]) > Fraction(match[3]):
            return False
        closed = match[1] in ("", "[") and match[4] in ("", "]")
        refuse(Fraction(match[2]) == Fraction(match[3]) and not closed, "a range without numbers")
        return (Fraction(match[2]), int(match[1] in "](" and match[1] != "")), (
            Fraction(match[3]), -int(match[4] in "[)" and match[4] != ""))  # fmt: skip
    if match := re.fullmatch(rf"(>=|<=|>|<)\s*{NUMBER}|{NUMBER}\s*\+", cell):
        sign, number = match[1] or ">=", Fraction(match[2] or match[3])
        low = (number, int(sign == ">")) if ">" in sign else (-math.inf, 0)
        return low, ((number, -int(sign == "<")) if "<" in sign else (math.inf, 0))
    if match := re.fullmatch(r"(\d+)(\*+)", cell):
        scale = 10 ** len(match[2])
        return (Fraction(int(match[1]) * scale), 0), (Fraction(int(match[1]) * scale + scale - 1), 0)
    return False


def numbers_in(cell):
    """The numbers of a set in braces; None for other texts."""
    if cell[:1] != "{" or cell[-1:] != "}":
        return None
    parts = [part.strip() for part in cell[1:-1].split(",")]
    return frozenset(map(Fraction, parts)) if all(re.fullmatch(NUMBER, part) for part in parts) else None


def numeric_cell(cell):
    """A set of several numbers, or else the ends of a cell; False for texts."""
    found = numbers_in(cell)
    if found is None:
        return ends(cell)
    return found if len(found) > 1 else ((min(found), 0), (min(found), 0))


def is_numeric(cells, declared):
    if declared == "numeric":
        return all(numeric_cell(cell) is not False for cell in cells if cell != "*")
    return declared is None and all(ends(cell) is not False for cell in cells if cell != "*")


def plain_list(cell):
    """The members of a set in braces or of a list, None for other texts."""
    inner = cell[1:-1] if cell[:1] == "{" and cell[-1:] == "}" else cell
    if re.search(r"[^\w,. -]|\d[xX]", inner):
        return None
    found = {part.strip() for part in inner.split(",")}
    return None if "" in found else found


def alike(cells, declared):
    """What stands for each cell of a column: equal for equal cells. Refuse cells that may mean the same."""
    cells = {*cells}
    digits = {cell: frozenset(re.findall(r"\d+(?:\.\d+)?", cell)) for cell in cells}
    if is_numeric(cells, declared) and declared:
        return {cell: "*" if cell == "*" else numeric_cell(cell) for cell in cells}
    if is_numeric(cells, declared):
        found = {cell: "*" if cell == "*" else ends(cell) for cell in cells}
        for one, other in combinations([cell for cell in cells if cell != "*"], 2):
            refuse(found[one] == found[other] and digits[one] != digits[other], "equal ends, other digits")
            refuse(found[one] != found[other] and whole(found[one]) == whole(found[other]) is not None, "whole")
        return found
    refuse(declared == "numeric")
    lists = {cell: plain_list(cell) if declared == "categorical" else None for cell in cells}
    for one, other in combinations(cells, 2):
        like = any(a == b for a, b in zip(looks(one), looks(other), strict=True))
        refuse(like and (lists[one] is None or lists[one] != lists[other]), "cells that may mean the same")
    forms = {re.sub(r"\*+", "*", re.sub(r"\s", "", re.sub(r"\d+(?:\.\d+)?", "#", cell.casefold())))
             for cell in cells if digits[cell]}  # fmt: skip
    worded = {re.fullmatch(r"([^\W\d_]+)#(,\1#)*", form) for form in forms}
    words = {match[1] for match in worded if match}
    one = len(forms) <= 1 and not any(re.search("#e[+-]?#", form) for form in forms)
    refuse(not one and not (all(worded) and len(words) == 1), "several notations")
    return {cell: frozenset(own) if (own := lists[cell]) and ("{" in cell or "," not in cell) else cell
            for cell in cells}  # fmt: skip


def whole(cell):
    """The least and greatest whole number of a cell, if it has any."""
    (low, above), (high, below) = cell or ((-math.inf, 0), (math.inf, 0))
    low = low if low == -math.inf else math.ceil(low) + (above if low == math.ceil(low) else 0)
    high = high if high == math.inf else math.floor(high) + (below if high == math.floor(high) else 0)
    return (low, high) if low <= high else None


def looks(cell):
    """The numbers (in two readings), words and signs of a text."""
    words = frozenset(re.findall(r"[^\W\d_]+", cell.casefold())), frozenset(re.findall(r"[<>]=?", cell))
    return [(frozenset(map(Fraction, re.findall(form, cell))), *words) for form in (r"\d+", r"\d+(?:\.\d+)?")]


def members(cell):
    """A set of texts, a mask (its beginning and length), or None for `*`."""
    if not cell.strip("*"):
        return None
    if cell.endswith("*"):
        return cell.rstrip("*"), len(cell)
    return frozenset(part.strip() for part in cell.removeprefix("{").removesuffix("}").split(","))


# -- people -----------------------------------------------------------------------------------------------


class People:
    """The worlds of a witness, and the values that its proofs leave to people."""

    def __init__(self, series, where, values):
        self.series, self.values = series, values
        self.changing = series.transitions is not None
        self.at = series.presence()  # by person: by release, the group
        table = pq.read_table(where / "worlds.parquet")
        self.worlds = series.worlds(table, self)
        self.judged = [
            (person, at)
            for person, places in self.at.items()
            if not person.startswith("~")
            for at in (places if self.changing else [min(places)])
            if (person, at) not in series.known
        ]
        self.left = series.first_left(self)
        self.narrow()
        if series.adversary in ("linked", "register"):
            self.proofs = json.loads((where / "proofs.json").read_text())
            for step in self.proofs["steps"]:
                self.strike_out(step)
        for subject in self.judged:
            require(not {world[subject] for world in self.worlds} - self.left[subject], "a world that is refuted")

    def check_world(self, world):
        """Check a world: a value of each person in each release."""
        taken = Counter()
        for (person, at), value in world.items():
            taken[at, self.at[person][at], value] += 1
            require(self.series.known.get((person, at), value) == value, "a known value")
        for (at, group, value), number in taken.items():
            require(number <= self.series.held[at][group][value], "a value more often than its group has it")
        for person, places in self.at.items():
            for before, after in pairwise(sorted(places)):
                require(self.follows(world[person, before], world[person, after]), "a change of values")

    def follows(self, one, other):
        return (one, other) in self.series.transitions if self.changing else one == other

    def histories(self, person, costs=None):
        """By release and value the least cost of a history that has it: forwards and backwards."""
        places = sorted(self.at[person])
        cost = {(at, value): self.series.cost(costs, at, self.at[person][at], value) if costs else 0
                for at in places for value in self.left[person, at]}  # fmt: skip
        ways = []
        for order, may in ((places, self.follows), (places[::-1], lambda a, b: self.follows(b, a))):
            best = {}
            for place, at in enumerate(order):
                for value in self.left[person, at]:
                    before = [0] if not place else [
                        best[order[place - 1], old] for old in self.left[person, order[place - 1]] if may(old, value)
                    ]  # fmt: skip
                    best[at, value] = min(before, default=math.inf) + cost[at, value]
            ways.append(best)
        return {key: ways[0][key] + ways[1][key] - cost[key] for key in cost}

    def narrow(self):
        for person in self.at:
            for (at, value), cost in self.histories(person).items():
                if cost == math.inf:
                    self.left[person, at].discard(value)

    def strike_out(self, step):
        costs = {}
        for at, row, value, points in step:
            require(all(type(each) is int and 0 <= each < 2**31 for each in (at, row, value, points)), "a step")
            costs[at, self.series.rows[at][row][0], self.values[value]] = points
        total = sum(points * self.series.held[at][group][value] for (at, group, value), points in costs.items())
        every = {person: self.histories(person, costs) for person in self.at}
        least = {person: min(found.values(), default=math.inf) for person, found in every.items()}
        spare = total - sum(least.values())
        require(spare >= 0, "a step that spends too much")
        for person, found in every.items():
            for (at, value), cost in found.items():
                if cost == math.inf or cost - least[person] > spare:
                    self.left[person, at].discard(value)

    # -- claims --

    def attribute(self, claim):
        return self.series.sensitive.index(claim["sensitive"])

    def claim_different(self, claim):
        require(not self.changing and self.series.adversary == "linked")
        at = self.attribute(claim)
        histories = [tuple(world[each][at] for world in self.worlds) for each in self.judged]
        require(len({*histories}) == len(histories), "two people who agree in all worlds")
        return {"people": len(histories)}

    def claim_same(self, claim):
        require(not self.changing and self.series.adversary == "linked")
        at = self.attribute(claim)
        certain = Counter(
            next(iter(left))
            for left in ({value[at] for value in self.left[each]} for each in self.judged)
            if len(left) == 1
        )
        found = sum(number for number in certain.values() if number > 1)
        require(found)
        return {"people": found}

    def claim_equivalent(self, claim):
        require(not self.changing and self.series.adversary == "linked")
        at, series = self.attribute(claim), self.series
        divisor, groups = self.proofs["sums"][claim["sensitive"]]
        require(type(divisor) is int and 1 <= divisor < 2**31)
        weights, total = Counter(), Counter()
        for release, row, weight in groups:
            require(all(type(each) is int and abs(each) < 2**31 for each in (release, row, weight)))
            require(release >= 0 and row >= 0)
            weights[release, series.rows[release][row][0]] += weight
        for (release, group), weight in weights.items():
            for value, number in series.held[release][group].items():
                total[value[at]] += weight * number
        require(not any(total.values()), "values are left over")
        sums, nameless = Counter(), []
        for release, rows in enumerate(series.rows):
            for group, _, name in rows:
                weight = weights[release, group]
                require(name is not None or not weight, "a stranger")
                if name:
                    sums[name] += weight
                else:
                    nameless.append(weight)
        every = [*sums.values(), *nameless]
        require(all(each % divisor == 0 for each in every) and not sum(every), "no equal sides")
        require(any(every), "nobody on a side")
        return {"people": sum(each for each in every if each > 0) // divisor}

    def claim_min_e(self, claim):
        series, edges = self.series, defaultdict(list)
        require(not self.changing and series.adversary == "linked" and not series.known and len(series.sensitive) == 1)
        require(all(name is not None for rows in series.rows for _, _, name in rows), "a stranger")
        sets = [{group: frozenset(counts) for group, counts in held.items()} for held in series.held]
        require(all(len({*each.values()}) == len(each) for each in sets), "two groups of one set")
        for places in self.at.values():
            first, last = min(places), max(places)
            require(len(places) == last - first + 1, "a gap")
            [kept] = {sets[at][group] for at, group in places.items()}
            edges[kept].append((first, last + 1))
        for at, rows in enumerate(series.rows):
            for group, _, name in rows:
                if name == "":
                    edges[sets[at][group]].append((at, at + 1))
        cuts = [cut for graph in edges.values() for cut in least_cuts(graph)]
        return {"at_least": -(-min(cuts) // 2)}

    def claim_findings(self, claim):
        raise UnsupportedError("proofs of VeriPB")


class Sets:
    """The values that are left to people or classes, and those of worlds."""

    def __init__(self, series, people, of):
        self.series, self.of = series, of
        if of == "classes":
            self.sets = [(values, values) for values in series.class_sets()]
        else:
            require(people is not None and of == ("people in releases" if people.changing else "people"), "of whom")
            self.sets = [(people.left[each], {world[each] for world in people.worlds}) for each in people.judged]

    def counted(self, claim):
        """Count the sets whose values agree, and those whose values in worlds do not."""
        agree = getattr(self, claim["claim"])(claim, self.series.sensitive.index(claim["sensitive"]))
        certain, two = (sum(agree(left) for left, _ in self.sets), sum(not agree(seen) for _, seen in self.sets))
        within = {"within": claim["within"]} if "within" in claim else {}
        return {**within, "of": self.of, "total": len(self.sets), "certain": certain, "two": two}

    def values(self, claim, at):
        return lambda values: len({value[at] for value in values}) == 1

    def close(self, claim, at, *, share=True):
        within = Fraction(claim["within"])
        require(re.fullmatch(r"\d+(\.\d+|/\d+)?", claim["within"]) and not (share and within >= 1), "within")
        refuse(not all(re.fullmatch(NUMBER, value[at]) for value in self.series.published), "no decimal numbers")

        def agree(values):
            numbers = [Fraction(value[at]) for value in values]
            return bool(numbers) and all(
                abs(a - b) <= (within * max(abs(a), abs(b)) if share else within) for a, b in combinations(numbers, 2)
            )

        return agree

    def near(self, claim, at):
        return self.close(claim, at, share=False)

    def categories(self, claim, at):
        found, name = defaultdict(set), self.series.columns["similar"][claim["sensitive"]]
        for line in self.series.table(name):
            found[line["value"]].add(line["category"])
        refuse(not all(found[value[at]] for value in self.series.published), "a value without a category")
        return lambda values: bool(set.intersection(*(found[value[at]] for value in values)))


def least_cuts(edges):
    """The least cut of each connected part of a graph, by trying all sides."""
    parts = []
    for edge in edges:
        joined = [part for part in parts if part & {*edge}]
        parts = [part for part in parts if part not in joined] + [{*edge}.union(*joined)]
    for part in parts:
        first, *others = sorted(part)
        yield min(
            sum((a in side) != (b in side) for a, b in edges if a in part)
            for size in range(len(others))
            for side in ({first, *chosen} for chosen in combinations(others, size))
        )


class OfRegister(Series):
    """A series beside a register: people are in releases, and their cells say which rows may be theirs."""

    def presence(self):
        lines, found = self.table(self.manifest["adversary"]["register"]), defaultdict(dict)
        for line in lines:
            refuse(not line["individual"], "a person without a name")
            if line.get("release"):
                places = [self.tags.index(line["release"])]
            else:
                places = range(int(line["first"]) - 1, int(line["last"]))
            for at in places:
                refuse(at in found[line["individual"]] or not 0 <= at < len(self.tags))
                found[line["individual"]][at] = line
        self.texts = {column: {line[column] for line in lines} for column in self.quasi if lines and column in lines[0]}
        self.numeric = {
            column: is_numeric([row[at] for rows in self.cells for row in rows], self.types(column))
            for at, column in enumerate(self.quasi)
        }
        return found

    def covers(self, line, at, row, *, otherwise):
        """Whether the cells of a row cover a person; `otherwise`: what cells of unknown meaning do."""
        return all(
            self.covered(column, cell, line[column], otherwise)
            for column, cell in zip(self.quasi, self.cells[at][row], strict=True)
            if column in self.texts
        )

    def covered(self, column, cell, exact, otherwise):  # noqa: PLR0911 - a form each
        if cell == exact or not cell.strip("*"):
            return True
        if not exact.strip("*"):
            return otherwise
        if self.numeric[column] or self.types(column) == "numeric":
            held, number = numeric_cell(cell), ends(exact)
            if not held or not number or number[0] != number[1]:
                return otherwise
            if isinstance(held, frozenset):
                return number[0][0] in held
            return held[0] <= number[0] and number[1] <= held[1]
        if re.search(r"[*,{}]", cell):
            form = members(cell)
            if isinstance(form, frozenset):
                return exact in form or (otherwise and not form <= self.texts[column])
            return otherwise if "*" in form[0] else len(exact) == form[1] and exact.startswith(form[0])
        return otherwise and cell not in self.texts[column]

    def worlds(self, table, people):
        numbers = range(sum(name.startswith("world_") for name in table.column_names))
        head = ["individual", "release", *(f"{name}_{number}" for number in numbers for name in ("row", "world"))]
        require(sorted(table.column_names) == sorted(head) and numbers, "columns of worlds")
        require(all(pa.types.is_signed_integer(table.schema.field(name).type) for name in head[2:]), "signed integers")
        found = [{} for _ in numbers]
        used = [{} for _ in numbers]
        for line in table.to_pylist():
            at = self.tags.index(line["release"])
            person = people.at.get(line["individual"], {})
            require(line["individual"] in people.at, "somebody else")
            require(at in person, "somebody who is absent")
            for number in numbers:
                row, code = (line[f"{name}_{number}"] for name in ("row", "world"))
                row, code = (line["row_0"] if row is None else row), (line["world_0"] if code is None else code)
                require(0 <= code < len(people.values) and 0 <= row < len(self.rows[at]), "a row or a value")
                require((line["individual"], at) not in found[number], "a line twice")
                require((at, row) not in used[number], "a row twice")
                require(self.covers(person[at], at, row, otherwise=False), "a row that does not cover")
                found[number][line["individual"], at] = people.values[code]
                used[number][at, row] = people.values[code]
        for world, rows in zip(found, used, strict=True):
            require({*world} == {(person, at) for person, places in people.at.items() for at in places}, "left out")
            groups, values = Counter(), Counter()
            for (at, row), value in rows.items():
                label, own, _ = self.rows[at][row]
                require(own in (None, value), "another value than the row has")
                groups[at, label[0]] += 1
                values[at, label, value] += 1
            for (at, group), number in groups.items():
                size = sum(label[0] == group for label, *_ in self.rows[at])
                require(number <= size - self.counterfeits[at][group], "more people than rows")
            for (at, label, value), number in values.items():
                require(number <= self.held[at][label][value], "a value more often than its group has it")
            for person, places in people.at.items():
                for before, after in pairwise(sorted(places)):
                    require(people.follows(world[person, before], world[person, after]), "a change of values")
        return found

    def groups_of(self, line, at):
        """The groups with rows that may cover a person."""
        return {label for row, (label, *_) in enumerate(self.rows[at]) if self.covers(line, at, row, otherwise=True)}

    def cost(self, costs, at, group, value):
        places = [label for label in self.groups_of(group, at) if self.held[at][label][value]]
        return min((costs.get((at, label, value), 0) for label in places), default=math.inf)

    def first_left(self, people):
        found = {}
        for person, places in people.at.items():
            for at, line in places.items():
                found[person, at] = {value for label in self.groups_of(line, at) for value in self.held[at][label]}
        if not people.changing:
            for person, places in people.at.items():
                found.update({(person, at): set.intersection(*(found[person, a] for a in places)) for at in places})
        return found
