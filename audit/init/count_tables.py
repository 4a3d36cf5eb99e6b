"""Guess the manifest of a series of count tables: the form of its files, and the rules that its numbers show.

Only the publisher knows the rules: if the files allow other readings, the manifest calls a rule a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import inf
from pathlib import Path
from typing import NoReturn

from audit.count_tables.acro_sessions import SESSION
from audit.count_tables.doubts import unread_columns
from audit.count_tables.label_doubts import inside_another
from audit.count_tables.manifest import parse_table_manifest, refuse_lone_row
from audit.count_tables.note_numbers import unread_counts
from audit.count_tables.published_counts import (
    LINES,
    PublishedCounts,
    Sum,
    adds_up,
    lines_along,
    sums_along,
    totals_not_by_chance,
)
from audit.count_tables.published_texts import (
    is_like_a_number,
    is_total_word,
    number_of,
    said_range,
    total_of,
)
from audit.count_tables.read_counts import read_counts
from audit.count_tables.release_doubts import only_grow
from audit.count_tables.table_rules import STATISTIC
from audit.init.count_beside import declare_rates
from audit.init.count_columns import (
    CountFiles,
    files_by_columns,
    is_population,
    is_running,
    joined_files,
    kinds_of,
    rates_of,
    read_files,
    separate_rates,
    with_rates,
)
from audit.init.count_forms import FORMS, note_remarks
from audit.init.count_metadata import session_rules
from audit.init.count_parts import (
    LabelParts,
    LabelSums,
    OverlappingLabels,
    find_bands,
    find_kinds,
    find_parts,
    find_sums,
)
from audit.init.count_refusals import (
    refuse_nameless,
    refuse_numbers_as_markers,
    refuse_title,
    refuse_unrecognised,
)
from audit.init.count_rules import (
    TableGuesses,
    guess_numbers,
    in_words,
    limit_within,
    said_beside,
    take_perturbation,
    take_rounding,
)
from audit.init.found_files import FOLDERS, SNAPSHOTS, UNORDERED, sheets_of
from audit.io.foreign_files import covered_by_digits, is_foreign, read_foreign
from audit.io.naming import in_time, natural
from audit.io.table_forms import below_table, legend
from audit.io.tables import is_of_counts
from audit.io.toml import release_tag, toml_key, toml_line
from audit.model.errors import InputError, Problem, Problems
from audit.runtime.phrases import Phrase, joined, parted, printable, say, say_count


def guess_tables(folder: Path) -> TableGuesses | None:
    """Return a manifest for the count tables in a folder; None if none are recognised.

    Raises:
        InputError: a file is a table of counts that is not understood.
    """
    sessions = sorted((each for each in folder.glob(f"**/{SESSION}") if each.is_file()), key=lambda p: natural(str(p)))
    if sessions:
        found = None
        rules: TableGuesses | None = session_rules(folder, [each.relative_to(folder).as_posix() for each in sessions])
    else:
        files = _files(folder)
        refuse_title(folder, files[:1])  # a title above a later table changes the names of its columns
        counts_alone, rates = separate_rates(folder, files)
        found, rules = _recognised(folder, counts_alone, rates)
        if rules is None and rates:
            found, rules = _recognised(folder, files)
        if rules is None:
            refuse_unrecognised(folder, files, found)
    if rules is None:
        return None
    settle(folder, rules)
    if found is not None:
        refuse_nameless(found, rules)
        refuse_numbers_as_markers(found, rules)
    if (counts := _read(folder, rules)) is not None:
        _propose_parts(rules, counts)
        _ask_about_columns(rules, counts)
        _ask_about_lines(rules, counts)
    releases, table = rules.document["series"]["releases"], rules.table
    tags = [release_tag(each) if isinstance(each, str) else each["tag"] for each in releases]
    if not in_time(tags)[1]:
        rules.doubt("series.releases", str(UNORDERED))
    if len(releases) > 1 or rules.periods:
        if is_running(table.get("value", "")) or all(map(is_running, tags)):
            table["over_time"] = "cumulative"
        is_growing = table["over_time"] == "independent" and counts is not None and only_grow(counts)
        rules.doubt("table.over_time", str(_GROWING if is_growing else _OVER_TIME[table["over_time"]]))
    books = (read_foreign(path) for path in (() if found is None else found.files) if is_foreign(path))
    sheets = dict.fromkeys(
        parted(sheets_of(book, (*book.tables_left, *book.like_tables))) for book in books if book.sheet is not None
    )
    rules.found[say("Guessed from the tables found")] = [
        (say("recognised"), rules.shape),
        (
            say("releases"),
            next((say("one for each {column}", column=name) for name in rules.periods), f"{len(releases)}"),
        ),
        *((say("read from"), each) for each in sheets),
        *((name, printable(toml_line(value), 400)) for name, value in table.items() if value and name != "markers"),
        (say("markers"), ", ".join(f"{text} {in_words(*ends)}" for text, ends in table["markers"].items())),
    ]
    return rules


def _files(folder: Path) -> list[Path]:
    """Return the tables of a folder, or, if it has none, those of the folders in it, each of which is a release."""
    inside = folder / "releases" if (folder / "releases").is_dir() else folder
    within = {each.name: each for each in inside.iterdir() if each.is_dir() and not _has_role(each.name)}
    for places in ([inside], [within[name] for name in in_time(within)[0]]):
        tables = [[each.name for each in place.iterdir() if is_of_counts(each)] for place in places]
        found = [place / name for place, names in zip(places, tables, strict=True) for name in in_time(names)[0]]
        if found:
            break
    return found


def _has_role(name: str) -> bool:
    return name.startswith(".") or name in {*FOLDERS, SNAPSHOTS, "categories"}


def _recognised(
    folder: Path, files: Sequence[Path], rates: Sequence[CountFiles] = ()
) -> tuple[CountFiles | None, TableGuesses | None]:
    """Return files of counts, and their rules with those of tables of rates; None if they are not recognised."""
    found = read_files(folder, files) if files else None
    common = None if found is None else _form_of(found, rates)
    columns = files_by_columns(files)
    known = {*chain(*columns)}
    groups = [read_files(folder, some, known) for some in columns.values()] if len(columns) > 1 else []
    parts = [part for part in groups if part is not None]
    rules = _recognised_together(folder, columns, parts, common, rates) or common
    if rules is not None and rules is common and found is not None:
        _read_below(found, rules)
    if rules is not None:
        for part in parts:
            _declare_rates_of_each(rules, part, parts)
    return found, rules


def _declare_rates_of_each(rules: TableGuesses, part: CountFiles, parts: Sequence[CountFiles]) -> None:
    """Declare the rates of tables whose columns differ from those of others: shares of the totals in these tables."""
    names = [*rules.table["dimensions"], *chain(*rules.table.get("nested", {}).values())]
    value, kinds = rules.table.get("value"), kinds_of(part.columns)
    own = [n for n in (*kinds.numbers, *kinds.counts) if not all(n in other.columns for other in parts)]
    if own and value in part.columns:
        lacking = {n: [rules.totals.get(n, "")] * sum(part.rows_of) for n in names if n not in part.columns}
        declare_rates(rules, replace(part, columns=part.columns | lacking), [], own)


def _form_of(files: CountFiles, rates: Sequence[CountFiles] = ()) -> TableGuesses | None:
    rules = next((rules for form in FORMS if (rules := form(files)) is not None), None)
    if rules is None or not rates:
        return rules
    rules = _form_of(with_rates(files, rates))
    given = [] if rules is None else rules.table.get("rates", [])
    known = [name for each in (given if isinstance(given, list) else [given]) for name in each.values()]
    left = [name for part in rates for name in rates_of(part) if name not in known]
    if rules is not None and left:
        why = say(
            "{names}: no denominators were found with which these numbers agree; if they are rates of the counts, say "
            "so under rates, and delete them in not_counts.",
            names=", ".join(left),
        )
        rules.add("not_counts", [name for name in left if name not in rules.table.get("not_counts", ())], why)
    return rules


def _recognised_together(
    folder: Path,
    columns: Mapping[tuple[str, ...], Sequence[Path]],
    parts: Sequence[CountFiles],
    common: TableGuesses | None,
    rates: Sequence[CountFiles],
) -> TableGuesses | None:
    """Return the rules of tables with different columns that were published together, such as by sex and by age.

    A table without a dimension counts the people of its total. A column of labels that other tables lack is a
    dimension, though it may have a single label, such as girls. If the tables have rules by their `common` columns,
    they are together only if several belong to one release; otherwise such columns are remarks.

    Raises:
        InputError: each is a table of counts, but they cannot be read together.
    """
    alone = [(rules, part) for part in parts if (rules := _form_of(part)) is not None]
    widest = max(({*part.columns} for _, part in alone), key=len, default=set[str]())
    # What is a table of counts with a further column of labels is one without it, too.
    is_alike = all(widest.issuperset(part.columns) for part in parts)
    if not 1 < len(columns) == len(parts) or not (len(alone) == len(parts) or (alone and common is None and is_alike)):
        return None
    shared = set.intersection(*({*part.columns} for part in parts))
    named, inner, single = dict[str, str | None](), dict[str, str](), dict[str, str]()
    for rules, part in alone:
        settle(folder, rules)
        named |= {name: rules.totals.get(name) for name in rules.table["dimensions"]}
        inner |= {name: "" for path in rules.table.get("nested", {}).values() for name in path}
        labels = (name for name in kinds_of(part.columns).labels if name not in shared and not part.varies(name))
        single |= {
            name: total_of(part.columns[name]) or "Total"
            for name in labels
            if not any(map(is_like_a_number, part.columns[name]))
        }
    totals = {name: label or "Total" for name, label in named.items()}
    own = [
        name for name in single | inner | totals if any(name in part.columns for part in parts) and name not in shared
    ]
    found = joined_files(parts, single | inner | totals)
    if found is not None:
        _refuse_two_wide(found, [part for rules, part in alone if "wide" in rules.table])
    if common is not None and not own:
        return None
    together = None if found is None else _form_of(found, rates)
    is_whole = together is not None and totals.keys() <= {*together.table["dimensions"]}
    if common is not None and not (is_whole and found is not None and any(isinstance(r, dict) for r in found.releases)):
        note_remarks(common, own)
        return None
    if found is None or together is None or not is_whole:
        _refuse_apart(folder, parts, columns)
    together.table["totals"] |= totals
    _read_below(found, together)
    together.doubt(
        "series.releases",
        say(
            "Tables with different columns are assumed to be published together and to count the same people or cases; "
            "a table without a column counts those of all its labels."
        ),
    )
    return together


def _refuse_two_wide(found: CountFiles, wide: Sequence[CountFiles]) -> None:
    """Refuse tables of one release that have the labels of different dimensions as columns.

    Raises:
        InputError: there are such tables.
    """
    for release in found.releases:
        tables = release["tables"] if isinstance(release, dict) else []
        several = [shown for part in wide for shown in part.shown if shown in tables][:2]
        if len(several) > 1 and not any({*several} <= {*part.shown} for part in wide):
            what = say("like {other}, this table has labels as columns, and they are other ones", other=several[0])
            remedy = say(
                "write a row for each count in both of them, with its label in a column of its own, and the counts in "
                "columns of one name, such as area,sex,count and area,age,count"
            )
            raise InputError([Problem(several[1], what, remedy, line=1)])


def _refuse_apart(folder: Path, parts: Sequence[CountFiles], columns: Collection[Sequence[str]]) -> NoReturn:
    """Refuse tables of counts with different columns that cannot be read together.

    Raises:
        InputError: always.
    """
    what = say("the files are tables of counts, but have other columns each")
    last = parts[-1].files[0]
    release = last.parent.name if last.parent != folder else release_tag(last.name)
    remedy = say(
        "if each table counts other people, give each a folder of its own, with a file for each release (such as "
        "{example}), and run `audit init` on each folder; if they count the same people, write all in one form (a "
        "row for each count, one name for their columns of counts), and name those of one release alike but for "
        "one word, such as 2024-sex.csv and 2024-age.csv; a column that a table lacks has Total in each row",
        example=printable(f"{release_tag(last.name)}/{release}.csv"),
    )
    others = [{*names}.difference(*(other for other in columns if other is not names)) for names in columns]
    if all(len(names) == 1 for names in others):
        listed = ", ".join(f'"{printable(name)}"' for names in others for name in names)
        what = say("one column has another name in each file: {listed}", listed=listed)
        remedy = say(
            "if they have the counts of one table at several times, give them one name in all files, such as count"
        )
    blamed = parts[-1]
    for part in parts:
        if (name := next(iter(kinds := kinds_of(part.columns).counts), "")) and all(map(is_population, kinds)):
            what = say("this table has populations alone, in {column}", column=printable(name))
            remedy = say(
                "write this column into the table of the rates, beside those with the same labels, and delete this file"
            )
            blamed = part
    raise InputError([Problem(blamed.shown[0], what, remedy, line=1)])


def _read_below(files: CountFiles, rules: TableGuesses) -> None:
    """Read what remarks beside the tables say of signs, and refuse last rows that may be remarks.

    Raises:
        InputError: a file has such a row.
    """
    problems, signs = Problems(), [text for text in rules.texts if text and number_of(text) is None]
    often = Counter(next(iter(files.columns.values())))
    often.subtract(lone[1] for path in files.files if (lone := below_table(path).lone) is not None)
    known = {*rules.totals.values(), *(text for text, times in often.items() if times > 0)}
    for path, shown in zip(files.files, files.shown, strict=True):
        refuse_lone_row(path, shown, known, problems)
        beside = said_beside(path, shown)
        rules.hidden_below |= {*filter(None, map(limit_within, beside))}
        for sign, words in legend(signs, beside):
            old = rules.legend.setdefault(sign, words)
            rules.legend[sign] = old if words in old else f"{old}; {words}"
    problems.check()


def _ask_about_columns(rules: TableGuesses, counts: PublishedCounts) -> None:
    """Ask what the columns are that are not judged; `audit` names the same ones."""
    if beside := list(chain(*unread_columns(counts))):
        names = joined([printable(name) for name in beside], most=8)
        why = say("Columns beside the counts are not judged: {names}; state what they are.", names=names)
        books = {part.file.path for part in counts.parts if is_foreign(part.file.path)}
        if hidden := {*beside} & {name for path in books for name in read_foreign(path).hidden}:
            more = say_count(
                "{names} [is|are] hidden in the workbook, but whoever has it can show [this column|these columns]; "
                "delete there what should not be published.",
                len(hidden),
                names=joined([printable(name) for name in beside if name in hidden], most=8),
            )
            why = f"{why} {more}"
        why = " ".join([why, *(rules.nearly[name] for name in beside if name in rules.nearly)])
        rules.doubts.append(why)
        rules.left["columns"] = dict.fromkeys(beside, why)


def _ask_about_lines(rules: TableGuesses, counts: PublishedCounts) -> None:
    """Ask whether lines beside the tables disclose counts, where numbers in them may be counts."""
    if unread := unread_counts(counts, counts.manifest.limits({})["min_count"]):
        why = say(
            "Lines beside the tables ({places}) have numbers that may be counts or shares, and are not read; if one "
            "discloses a hidden or small count, change it in the file, and delete it in not_counts.",
            places=", ".join(place for place, _ in unread),
        )
        rules.add("not_counts", [*dict.fromkeys(text for _, text in unread)], why)


def settle(folder: Path, rules: TableGuesses) -> None:
    """Guess the rules of the numbers, and compare the totals with the sums that the files show."""
    guess_numbers(rules)
    for _ in range(_ROUNDS):
        _read_rates(rules)
        counts = _read(folder, rules)
        if counts is None or not (
            take_rounding(rules, counts) or guess_totals(rules, counts) or widen_refuted(rules, counts)
        ):
            return


def _read_rates(rules: TableGuesses) -> None:
    """Read rates beside numbers that are not exact as computed from these numbers, with which they agree."""
    given = rules.table.get("rates", [])
    is_exact = rules.table.keys().isdisjoint(("rounding", "perturbation"))
    for rates in given if isinstance(given, list) else [given]:
        if not is_exact and "of" not in rates:
            rates["of"] = "published"
            why = say(
                "{column} agrees with the numbers as they are published, which are not exact; if it was computed from "
                'the exact counts, delete of = "published".',
                column=rates.get("column") or rates["measure"],
            )
            rules.doubt("table.rates", why)


def _read(folder: Path, rules: TableGuesses) -> PublishedCounts | None:
    try:
        manifest = parse_table_manifest(folder, rules.text(), problems := Problems())
        return None if manifest is None or problems.found else read_counts(manifest)
    except InputError:
        return None


def _propose_parts(rules: TableGuesses, counts: PublishedCounts) -> None:
    """Propose a file of categories, as a guess, where labels say they are parts, or are sums; compare the total."""
    for place, dimension in enumerate(counts.dimensions):
        name, lines = dimension.axis.name, lines_along(counts, place)
        if name in {STATISTIC, *counts.manifest.codes, *counts.manifest.nested, *rules.table.get("categories", ())}:
            continue
        total, key = rules.totals.get(name), toml_key(name)
        labels = [*dict.fromkeys(dimension.labels[code] for code in counts.label[:, place].tolist())]
        is_open = total is None or name in rules.table.get("open", ())
        added = find_sums(labels, total, lines)
        parts: LabelParts | LabelSums | OverlappingLabels | None = added
        if added is None or not added.explains(labels):
            parts = find_parts(labels, total, lines, is_open=is_open) or added
            parts = parts or find_bands(labels, total, lines) or find_kinds(labels, total, lines)
        if parts is None:
            continue
        rules.unsure.pop(f"table.totals.{key}", None)
        rules.forget_why(f"table.totals.{key}")
        if total is None:
            rules.table["totals"].pop(name, None)  # the categories say what no label of a total does
        elif isinstance(parts, OverlappingLabels):
            if parts.is_open:
                rules.table["open"] = sorted({*rules.table.get("open", ()), name})
        else:  # lines with some of these add up to it
            sums = ((line.get(total), [line.get(label) for label in parts.within]) for line in lines)
            _check_total(rules, name, [Sum(ends, some) for ends, some in sums if ends is not None])
        file = "categories/" + re.sub(r"[^\w-]+", "_", name) + ".csv"
        rules.add_file(file, parts.categories())
        rules.state("table.categories", {name: file})
        for why in (doubts := parts.doubts(file)):
            rules.doubt(f"table.categories.{key}", why)
        rules.why[f"table.categories.{key}"] = " ".join(doubts)


_OVER_TIME = {
    "same": Phrase("All releases are assumed to be about the same people or cases."),
    "cumulative": Phrase("Each release is assumed to count the people or cases of the one before and new ones."),
    "independent": Phrase(
        'Releases are assumed to count different people or cases; if they count the same ones, write "same"; if they '
        'only grow, write "cumulative".'
    ),
}


_GROWING = Phrase(
    "No number falls from one release to the next, as where each counts those from the beginning of the year to its "
    'end: then write "cumulative"; releases are assumed to count different people.'
)


_ROUNDS = 4  # in which the guesses are compared with the sums


def guess_totals(rules: TableGuesses, counts: PublishedCounts) -> bool:
    """Check totals by their sums; return whether a rule changed, so that the files must be read again."""
    changed, nested = False, counts.manifest.nested
    if _nest(rules, counts) or _drop_absent(rules, counts):
        return True
    exact = [*chain(*(unit for unit in counts.units() if adds_up(counts, unit)))]
    for place, dimension in enumerate(counts.dimensions):
        name = dimension.axis.name
        if name == STATISTIC or name in rules.table.get("codes", ()):
            continue
        if name not in nested and "categories" not in rules.table and _take_codes(rules, counts, place, name):
            changed = True
            continue
        if name not in rules.totals:
            found = totals_not_by_chance(lines_along(counts, place))
            by_word = [label for label in found if is_total_word(label)]
            if len(found) == 1 or len(by_word) == 1:
                rules.table["totals"][name] = (by_word or found)[0]
                changed = True
            else:
                _note_no_total(rules, counts, place, name)
        elif name in nested:
            _check_nested(rules, name, list(sums_along(counts, place, dimension.labels)))
        else:
            sums = list(sums_along(counts, place, [dimension.labels[dimension.total]]))
            if "perturbation" not in rules.table and take_perturbation(rules, counts, place, exact):
                return True
            _check_total(rules, name, sums)
            if dimension.axis.atoms == 1 and len({*counts.label[:, place].tolist()}) > 1:
                rules.table["open"] = sorted({*rules.table.get("open", ()), name})
    return changed


def _nest(rules: TableGuesses, counts: PublishedCounts) -> bool:
    """Make one dimension of two columns of which one lies inside the other; return whether there were such."""
    for each in inside_another(counts):
        if not {each.inner, each.outer} <= rules.totals.keys():
            continue
        for column in (each.inner, each.outer):
            rules.table["dimensions"].remove(column)
            del rules.table["totals"][column]
            rules.forget_why(key := f"table.totals.{toml_key(column)}")
            rules.unsure.pop(key, None)
        rules.table["dimensions"].insert(0, each.name)
        rules.table["totals"] |= each.totals
        rules.table.setdefault("nested", {})[each.name] = [*each.path]
        why = say(
            "Each label of {inner} occurs beside only one label of {outer}, and is assumed to lie inside it.",
            inner=each.inner,
            outer=each.path[-2],
        )
        if each.whole is not None:
            more = say(
                '"{label}" is assumed to be the total of each label of {outer}.', label=each.whole, outer=each.outer
            )
            why = f"{why} {more}"
        rules.doubt("table.nested", why)
        return True
    return False


_CODE = re.compile(r"[A-Z0-9]*[0-9][A-Z0-9.]*|[A-Z]{1,3}")


def _take_codes(rules: TableGuesses, counts: PublishedCounts, place: int, name: str) -> bool:
    """Nest labels in the labels with which they begin, if no line refutes it; return whether they were nested.

    For plain numbers, such as ages, at least one line must show it.
    """
    lines = lines_along(counts, place)
    labels = sorted({label for line in lines for label in line} - {rules.totals.get(name)} - {"(rest)"})
    inside = {label: ends for label, ends in covered_by_digits(labels).items() if len(ends) > 1}
    if not inside or not all(map(_CODE.fullmatch, labels)):
        return False
    sums = [
        Sum(total, [line.get(end) for end in ends])
        for line in lines
        for label, ends in inside.items()
        if (total := line.get(label)) is not None
    ]
    shown = any(each.shows for each in sums)
    if any(each.gap for each in sums) or (not shown and all(label.isdigit() for label in labels)):
        return False
    rules.table["totals"].pop(name, None)
    why = say("Labels of {column} that begin with another label are assumed to lie inside it.", column=name)
    rules.add("codes", [name], why)
    return True


def _drop_absent(rules: TableGuesses, counts: PublishedCounts) -> bool:
    """Name no total that no table has, as of ACRO's tables without margins; return whether there was one."""
    absent = [
        each.axis.name
        for place, each in enumerate(counts.dimensions)
        if each.axis.name in rules.totals.keys() - counts.manifest.nested.keys()
        and not (counts.label[:, place] == each.total).any()
    ]
    rules.table["totals"] |= dict.fromkeys(absent, "")
    return bool(absent)


def _note_no_total(rules: TableGuesses, counts: PublishedCounts, place: int, name: str) -> None:
    if len(set(counts.label[:, place].tolist())) > 1:
        rules.table["totals"].setdefault(name, "")
        if counts.hidden.any() or not counts.shown[~counts.without_count].all():
            why = say(
                "{column} has no label that is known to stand for everybody; if it has one, name it under totals.",
                column=name,
            )
            rules.doubt(f"table.totals.{toml_key(name)}", why)


def _check_nested(rules: TableGuesses, name: str, sums: list[Sum]) -> None:
    """Note whether the sums show that nested labels add up to the labels around them."""
    shown, unequal = sum(each.shows for each in sums), sum(each.is_whole and each.gap != 0 for each in sums)
    if unequal or shown < LINES:
        why = say(
            "The labels of {column} add up to those above them in {equal} of {shown} lines with numbers for all of "
            "them.",
            column=name,
            equal=shown - unequal,
            shown=shown,
        )
        if not shown and not unequal:
            why = say(
                "No line with numbers for all of them shows that labels of {column} lie in those above.", column=name
            )
        rules.doubt("table.nested", why)


def _check_total(rules: TableGuesses, name: str, sums: list[Sum]) -> None:
    """Note whether the sums of a dimension's labels confirm its total."""
    key, shown = f"table.totals.{toml_key(name)}", sum(each.shows for each in sums)
    above, below = (sum(side * each.gap > 0 for each in sums) for side in (-1, 1))
    if below:
        why = say_count(
            "The labels of {column} add up to more than its total in {count} [line|lines]: some overlap; write "
            "categories.",
            below,
            column=name,
        )
        rules.doubt(key, why)
    elif above and not _zeros_hide(rules, sums):
        rules.table["open"] = sorted({*rules.table.get("open", ()), name})
        why = say(
            "The labels of {column} add up to less than its total in {above} of {shown} lines: they need not cover "
            "all.",
            column=name,
            above=above,
            shown=shown,
        )
        rules.doubt(key, why)
    elif not above and shown < LINES and key not in rules.said:
        why = say_count(
            '"{total}" is taken to stand for everybody in {column}; only {count} [line|lines] with numbers for all of '
            "its labels [shows|show] that the others add up to it.",
            shown,
            column=name,
            total=rules.totals[name],
        )
        if not shown:
            why = say(
                '"{total}" is taken to stand for everybody in {column}; no line has numbers for the labels of '
                "all releases, so none shows that they add up to it.",
                column=name,
                total=rules.totals[name],
            )
        rules.doubt(key, why)


def _zeros_hide(rules: TableGuesses, sums: list[Sum]) -> bool:
    """If exactly the lines with a 0 lack people, assume that 0 is a marker; return whether."""
    lacking = [each for each in sums if each.gap < 0]
    if not all((0, 0) in each.parts for each in lacking):
        return False
    positive = [n for text in rules.texts if (n := number_of(text)) is not None and n > 0]
    why = say("Totals exceed the sums of their labels only where a 0 is shown: 0 is assumed to hide small counts.")
    rules.assume_marker("0", (0, max(1, min(positive, default=2) - 1)), why)
    return True


_HIDES_SMALL = Phrase('it also hides small counts, as large ones do not add up to "{total}".')
_HIDES_LARGE = Phrase('it also hides large counts, as small ones do not add up to "{total}".')


def widen_refuted(rules: TableGuesses, counts: PublishedCounts) -> bool:
    """Widen guessed markers that a line refutes; return whether any was widened.

    Of larger counts, those below the least number come first: in a rounded table they may be hidden, too.
    """
    markers = rules.table["markers"]
    least = min((n for text in rules.texts if (n := number_of(text)) is not None and n > 0), default=0)
    said = {text: (named[0], ends[1]) for text, ends in markers.items() if (named := said_range(text))}
    widest = dict.fromkeys(markers, (0, inf)) | said
    guessed = sorted(text for text, ends in markers.items() if ends != widest[text])
    refuted = {*counts.text[counts.lower > counts.upper]}.intersection(guessed)
    for text in sorted(refuted):
        rules.widen(text, widest[text], say("it also hides other counts, as a rate of it shows."))
    if refuted:
        return True
    for place, dimension in enumerate(counts.dimensions):
        if not guessed or dimension.total < 0 or dimension.rest >= 0:
            continue
        nested = dimension.axis.name in counts.manifest.nested
        labels = dimension.labels if nested else [dimension.labels[dimension.total]]
        for each in sums_along(counts, place, labels, hidden=True):
            total = each.label or rules.totals.get(dimension.axis.name, dimension.axis.name)
            above = each.gap > 0 and each.total not in markers.values()  # a hidden total may be larger
            wider = _perhaps_narrow(each, {text: markers[text] for text in guessed})
            if each.gap and wider:
                for text in wider:
                    low, high = markers[text]
                    if above:
                        rules.widen(text, (0, high if low == 1 else inf), _HIDES_SMALL.filled(total=total))
                    elif high < least - 1:
                        why = say("counts up to {most} do not add up to {total}.", most=high, total=total)
                        rules.widen(text, (low, least - 1), why)
                    else:
                        rules.widen(text, (low, inf), _HIDES_LARGE.filled(total=total))
                return True
    return False


def _perhaps_narrow(refuting: Sum, markers: Mapping[str, tuple[int, float]]) -> list[str]:
    """Return the markers that a sum may refute: of those that exclude 0 alone, where zeros would close its gap.

    A marker that is said to stand for nothing is doubted last.
    """
    if refuting.gap < 0 or refuting.total in markers.values():
        bounded = [text for text, (_, most) in markers.items() if most < inf and said_range(text) is None]
        return [text for text in bounded if markers[text] != (0, 0)] or bounded
    wider = [text for text, (least, _) in markers.items() if least > 1]
    closed = refuting.gap <= sum(part is not None and part[0] == 1 < part[1] for part in refuting.parts)
    return wider or [text for text, (least, _) in markers.items() if closed and least == 1]
