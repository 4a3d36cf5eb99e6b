"""A manifest guessed for a series of count tables: which form its files have, and what its numbers say of the rules.

Only the publisher knows the rules: what other readings of the files satisfy too is written down as a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import inf
from pathlib import Path

from audit.count_tables.acro_outputs import SESSION
from audit.count_tables.manifest import parse_table_manifest
from audit.count_tables.number_texts import number_of, said_range
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.read_counts import read_counts
from audit.count_tables.sums import LINES, Line, lines_along, totals_by_sums
from audit.count_tables.table_files import below_table, refuse_lone_row
from audit.count_tables.table_rules import STATISTIC
from audit.init.count_columns import CountFiles, is_running, is_total_word, read_files
from audit.init.count_forms import FORMS
from audit.init.count_metadata import session_rules
from audit.init.count_rules import TableGuesses, guess_numbers
from audit.io.argus_files import covered_by_digits
from audit.io.tables import is_table
from audit.io.toml import natural, toml_key
from audit.model.errors import InputError, Problems, printable
from audit.model.json_types import UNBOUNDED


def guess_tables(folder: Path) -> TableGuesses | None:
    """Return a manifest for the count tables in a folder; None where it holds none that are recognised."""
    sessions = sorted((each for each in folder.glob(f"**/{SESSION}") if each.is_file()), key=lambda p: natural(str(p)))
    if sessions:
        rules: TableGuesses | None = session_rules(folder, [each.relative_to(folder).as_posix() for each in sessions])
    else:
        files = _files(folder)
        found = read_files(folder, files) if files else None
        rules = None if found is None else _recognised(found)
    if rules is None:
        return None
    settle(folder, rules)
    releases, table = rules.document["series"]["releases"], rules.table
    if len(releases) > 1 or rules.periods:
        if is_running(table.get("value", "")):
            table["over_time"] = "cumulative"
        rules.doubt("table.over_time", _OVER_TIME[table["over_time"]])
    markers = (f"{text} [{ends[0]}, {ends[1]}]" for text, ends in table["markers"].items())
    rounding = table.get("rounding")
    rules.found["Guessed from the tables found"] = [
        ("recognised", rules.shape),
        ("releases", next((f"one for each {name}" for name in rules.periods), f"{len(releases)}")),
        ("dimensions", ", ".join(table["dimensions"])),
        ("counts", table.get("value") or ", ".join(table.get("values") or table["wide"]["columns"])),
        ("totals", ", ".join(f"{name} {label}" for name, label in rules.totals.items()) or "none found"),
        ("markers", ", ".join(markers) or "none found"),
        ("rounding", f"to {rounding['to']} ({rounding['how']})" if rounding else "none found"),
        ("over time", table["over_time"]),
    ]
    return rules


def _files(folder: Path) -> list[Path]:
    inside = folder / "releases" if (folder / "releases").is_dir() else folder
    files = sorted((each for each in inside.iterdir() if is_table(each)), key=lambda path: natural(path.name))
    return [each for each in files if not each.name.endswith(".meta.csv")]


def _recognised(files: CountFiles) -> TableGuesses | None:
    rules = next((rules for form in FORMS if (rules := form(files)) is not None), None)
    if rules is not None:
        _read_below(files, rules)
    return rules


def _read_below(files: CountFiles, rules: TableGuesses) -> None:
    """Say which notes stand below the tables, and refuse last rows that may be some.

    Raises:
        InputError: a file has such a row.
    """
    problems = Problems()
    often = Counter(next(iter(files.columns.values())))
    known = {*rules.totals.values(), *(text for text, times in often.items() if times > 1)}
    for path, shown in zip(files.files, files.shown, strict=True):
        refuse_lone_row(path, shown, known, problems)
        notes = below_table(path).notes
        if notes:
            (line, text), many = notes[0], len(notes)
            lines = f"{many} lines, from line {line} on, are notes" if many > 1 else f"line {line} is a note"
            rules.doubts.append(f'Below the table in {shown}, {lines} and no rows: "{printable(text, 60)}".')
    problems.check()


def settle(folder: Path, rules: TableGuesses) -> None:
    """Guess the rules of the numbers, and hold the totals against the sums that the files show."""
    guess_numbers(rules)
    for _ in range(3):
        counts = _read(folder, rules)
        if counts is None:
            rules.doubt("table.totals", "The files could not be read with these rules; audit says why.")
            return
        if not guess_totals(rules, counts) and not widen_refuted(rules, counts):
            return


def _read(folder: Path, rules: TableGuesses) -> PublishedCounts | None:
    try:
        manifest = parse_table_manifest(folder, rules.text(), problems := Problems())
        return None if manifest is None or problems.found else read_counts(manifest)
    except InputError:
        return None


_OVER_TIME = {
    "same": "All releases are taken to be about the same people.",
    "cumulative": "Each release is taken to count the people of the one before and newcomers.",
    "independent": "Releases are taken to be about different people; if they only grow, write cumulative.",
}


_LEAST_PERTURBED, _MOST_PERTURBED = 2, 5


def guess_totals(rules: TableGuesses, counts: PublishedCounts) -> bool:
    """Settle totals by their sums; return whether a rule changed, so that the files are to be read again."""
    changed = False
    for place, dimension in enumerate(counts.dimensions):
        name = dimension.axis.name
        if name == STATISTIC or name in rules.table.get("codes", ()):
            continue
        if name not in counts.nested and "categories" not in rules.table and _take_codes(rules, counts, place, name):
            changed = True
            continue
        if name not in rules.totals:
            found = totals_by_sums(lines_along(counts, place))
            by_word = [label for label in found if is_total_word(label)]
            if len(found) == 1 or len(by_word) == 1:
                rules.table["totals"][name] = (by_word or found)[0]
                changed = True
            else:
                _note_no_total(rules, counts, place, name)
            continue
        if name in counts.nested:
            _check_nested(rules, name, list(_coarse_lines(counts, place)))
        else:
            lines = list(_total_lines(counts, place))
            if "perturbation" not in rules.table and _take_perturbation(rules, lines):
                return True
            _check_total(rules, name, lines)
    return changed


_CODE = re.compile(r"[A-Z0-9]*[0-9][A-Z0-9.]*|[A-Z]{1,3}")


def _take_codes(rules: TableGuesses, counts: PublishedCounts, place: int, name: str) -> bool:
    """Take labels for codes that lie inside of those with which they begin, if no line refutes it; return whether.

    Of plain numbers, such as ages, at least one line has to show it.
    """
    lines = lines_along(counts, place)
    labels = sorted({label for line in lines for label in line} - {rules.totals.get(name)} - {"(rest)"})
    inside = covered_by_digits(labels)
    parents = [label for label, ends in inside.items() if len(ends) > 1]
    if not parents or not all(map(_CODE.fullmatch, labels)):
        return False
    shown = 0
    for line in lines:
        for label in parents:
            total, parts = line.get(label), [line.get(end) for end in inside[label]]
            low = sum(ends[0] for ends in parts if ends is not None)
            if total is not None and low > total[1]:
                return False
            if total is not None and None not in parts:
                if sum(ends[1] for ends in parts if ends is not None) < total[0]:
                    return False
                shown += total[0] > 0
    if not shown and all(label.isdigit() for label in labels):
        return False
    rules.add("codes", [name])
    rules.table["totals"].pop(name, None)
    rules.doubt("table.codes", f"Labels of {name} that begin with another one are taken to be inside of it.")
    return True


def _note_no_total(rules: TableGuesses, counts: PublishedCounts, place: int, name: str) -> None:
    several = dimension_labels(counts, place) > 1
    if several:
        rules.table["totals"].setdefault(name, "")
    if several and (counts.hidden.any() or not counts.shown.all()):
        rules.doubt(
            f"table.totals.{toml_key(name)}",
            f"{name} has no label that is known to stand for everybody; name it in totals, if there is one.",
        )


def dimension_labels(counts: PublishedCounts, place: int) -> int:
    """Return how many labels of a dimension were published."""
    return len(set(counts.label[:, place].tolist()))


def _total_lines(counts: PublishedCounts, place: int) -> Iterator[Line]:
    """Yield the lines of a dimension as the total, called "", and the atoms that it covers."""
    dimension = counts.dimensions[place]
    total = dimension.labels[dimension.total]
    atoms = {dimension.labels[one] for one in dimension.atom_label.tolist()} - {total}
    for line in lines_along(counts, place):
        if total in line and len(atoms) > 1:
            yield {"": line[total]} | {atom: line.get(atom) for atom in atoms if atom in line or atom != "(rest)"}


def _coarse_lines(counts: PublishedCounts, place: int) -> Iterator[Line]:
    """Yield for each label of a dimension that covers several atoms its lines: itself, called "", and these atoms."""
    dimension = counts.dimensions[place]
    members = dimension.axis.members
    atoms = [dimension.labels[one] for one in dimension.atom_label.tolist()]
    covers = {label: members[at] for label, at in zip(dimension.labels, dimension.set_of.tolist(), strict=True)}
    for line in lines_along(counts, place):
        for label, ends in line.items():
            if len(covers[label]) > 1:
                yield {"": ends} | {atoms[atom]: line.get(atoms[atom]) for atom in covers[label].tolist()}


def _check_nested(rules: TableGuesses, name: str, lines: list[Line]) -> None:
    """Note whether the sums of nested labels show that they make up those around them."""
    shown, unequal = 0, 0
    for line in lines:
        total, parts = line[""], [ends for label, ends in line.items() if label != ""]
        if total is not None and all(ends is not None for ends in parts):
            low, high = (sum(ends[side] for ends in parts if ends is not None) for side in (0, 1))
            unequal += low > total[1] or high < total[0]
            shown += total[0] > 0
    if unequal or shown < LINES:
        rules.doubt(
            "table.nested",
            f"That the labels of {name} make up those around them holds in {shown - unequal} of {shown} whole lines.",
        )


def _take_perturbation(rules: TableGuesses, lines: list[Line]) -> bool:
    """Take numbers for perturbed where sums are a little above some totals and below others; return whether."""
    off, least = list[tuple[int, int]](), UNBOUNDED
    for line in lines:
        total, parts = line[""], [ends for label, ends in line.items() if label != ""]
        known = [ends for ends in parts if ends is not None]
        if total is not None and len(known) == len(parts):
            low, high = (sum(ends[side] for ends in known) for side in (0, 1))
            off.append((low - total[1] if low > total[1] else min(0, high - total[0]), len(parts) + 1))
            least = min(least, total[0])
    most = max((-(-abs(by) // many) for by, many in off), default=0)
    both = any(by > 0 for by, _ in off) and any(by < 0 for by, _ in off)
    if not both or most > _MOST_PERTURBED or least < _LEAST_PERTURBED * most:
        return False
    most = max(_LEAST_PERTURBED, most)
    rules.table["perturbation"] = most
    rules.doubt(
        "table.perturbation",
        f"Sums are a little above or below totals: numbers are taken to be off by up to {most}; write by how much.",
    )
    return True


def _check_total(rules: TableGuesses, name: str, lines: list[Line]) -> None:
    """Note whether the sums of a dimension's labels show that its total is one."""
    shown, above, below = 0, 0, 0
    for line in lines:
        total, parts = line[""], [ends for label, ends in line.items() if label != ""]
        if total is None:
            continue
        known = [ends for ends in parts if ends is not None]
        below += sum(ends[0] for ends in known) > total[1]
        if len(known) == len(parts):
            above += sum(ends[1] for ends in known) < total[0]
            shown += total[0] > 0
    if below:
        rules.doubt(
            f"table.totals.{toml_key(name)}",
            f"The labels of {name} add up to more than its total in {below} lines: some overlap; write categories.",
        )
    elif above and _zeros_hide(rules, lines):
        pass
    elif above:
        rules.table["open"] = sorted({*rules.table.get("open", ()), name})
        rules.doubt(
            f"table.totals.{toml_key(name)}",
            f"The labels of {name} add up to less than its total in {above} of {shown} lines, so that it is open.",
        )
    elif shown < LINES and f"table.totals.{toml_key(name)}" not in rules.said:
        rules.doubt(
            f"table.totals.{toml_key(name)}",
            f"That the labels of {name} make up {rules.totals[name]} is shown by {shown} whole lines only.",
        )


def _zeros_hide(rules: TableGuesses, lines: list[Line]) -> bool:
    """Take 0 for a marker where lines lack people just where they show a 0; return whether it is taken for one."""
    short, whole = 0, 0
    for line in lines:
        total, parts = line[""], [ends for label, ends in line.items() if label != ""]
        if total is None or any(ends is None for ends in parts):
            continue
        lacking = sum(ends[1] for ends in parts if ends is not None) < total[0]
        zero = any(ends == (0, 0) for ends in parts)
        if lacking and not zero:
            return False
        short += lacking
        whole += not lacking and not zero
    if not short:
        return False
    positive = [n for text in rules.texts if (n := number_of(text)) is not None and n > 0]
    rules.table["markers"]["0"] = (0, max(1, min(positive, default=2) - 1))
    rules.doubt(
        "table.markers.0",
        "Totals are larger than the sums of their labels only where a 0 is shown: 0 is taken to hide small counts.",
    )
    return True


def widen_refuted(rules: TableGuesses, counts: PublishedCounts) -> bool:
    """Widen guessed markers that some line refutes; return whether one was."""
    guessed = {text for text, ends in rules.table["markers"].items() if said_range(text) is None and ends[1] < inf}
    if not guessed:
        return False
    for place, dimension in enumerate(counts.dimensions):
        if dimension.total < 0:
            continue
        total = dimension.labels[dimension.total]
        atoms = {dimension.labels[one] for one in dimension.atom_label.tolist()}
        for line in lines_along(counts, place, hidden=True):
            ends = line.get(total)
            parts = [line.get(atom) for atom in atoms]
            if (
                ends is not None
                and dimension.rest < 0
                and all(parts)
                and sum(each[1] for each in parts if each) < ends[0]
            ):
                for text in guessed:
                    rules.table["markers"][text] = (rules.table["markers"][text][0], inf)
                signs = ", ".join(f'"{text}"' for text in sorted(guessed))
                rules.doubts.append(
                    f"{signs} also hides large counts, for small ones do not add up to {total}; any count is assumed."
                )
                return True
    return False
