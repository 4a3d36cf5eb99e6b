"""A manifest guessed for a series of count tables: which form its files have, and what its numbers say of the rules.

Only the publisher knows the rules: what other readings of the files satisfy too is written down as a guess.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from audit.count_tables.acro_outputs import SESSION
from audit.count_tables.manifest import parse_table_manifest
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_files import below_table, refuse_lone_row
from audit.init.count_columns import CountFiles, is_running, read_files
from audit.init.count_forms import FORMS
from audit.init.count_rules import TableGuesses, guess_numbers
from audit.init.count_sessions import session_rules
from audit.init.count_sums import guess_totals, widen_refuted
from audit.io.tables import is_table
from audit.io.toml import natural
from audit.model.errors import InputError, Problems, printable


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
