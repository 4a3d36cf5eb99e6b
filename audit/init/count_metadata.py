"""Count tables of tau-Argus and of ACRO sessions; what their metadata say is not a guess."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import inf
from pathlib import Path

from audit.count_tables.acro_sessions import PEOPLE, SessionOutput, lines_of, session_outputs
from audit.count_tables.published_texts import number_of
from audit.init.count_columns import CountFiles
from audit.init.count_rules import TableGuesses, stands_for
from audit.io.foreign_files import (
    ENDING,
    ArgusFileError,
    ArgusMetadata,
    ArgusVariable,
    covered_codes,
    hierarchy_beside,
    metadata_beside,
    read_metadata,
)
from audit.io.toml import toml_key
from audit.model.errors import InputError, Problems
from audit.runtime.phrases import printable, say, say_count

_SECONDARY, _EMPTY, _DASH = "M", "E", "-"
_NUMBERED = {str(number) for number in range(15)}


def tau_argus(files: CountFiles) -> TableGuesses | None:
    """Return the rules of tables of tau-Argus.

    Raises:
        InputError: the tables do not hold counts, or their metadata differ.
    """
    if not any(each.name.lower().endswith(ENDING) for each in files.files):
        return None
    metadata = _metadata(files)
    count = _count_of(files, metadata)
    dimensions = [each.name for each in metadata.of_kind("label")]
    rules = TableGuesses.of(say("tables of tau-Argus"), files.shown, dimensions, count.name)
    for variable in metadata.of_kind("label"):
        rules.table["totals"][variable.name] = variable.total
        rules.said.add(f"table.totals.{toml_key(variable.name)}")
    nested = [each for each in metadata.of_kind("label") if each.hierarchy is not None or each.digits]
    if nested:
        first = files.shown[0][: -len(ENDING)] + metadata_beside(files.files[0]).suffix
        rules.table["categories"] = dict.fromkeys((each.name for each in nested), first)
    signs = [""] * len(files.columns[count.name])
    for variable in metadata.of_kind("status")[:1]:
        rules.table["status"] = variable.name
        signs = files.columns[variable.name]
    primary = _is(signs, metadata.unsafe)
    empty = _is(signs, _EMPTY) | _is(files.columns[count.name], _DASH)
    rules.table["markers"] |= dict.fromkeys(sorted(_is(signs, _SECONDARY) - primary), (0, inf))
    rules.table["markers"] |= dict.fromkeys(sorted(empty), (0, 0))
    _add_status(rules, files.columns[count.name], signs, primary, _is(signs, _SECONDARY) | primary)
    kept = [each.name for each in metadata.of_kind("cost", "level", "audit")]
    if kept:
        why = say("{names}: assumed unpublished, because tau-Argus keeps them for its own use.", names=", ".join(kept))
        rules.assume("not_counts", kept, why)
    return rules


def _metadata(files: CountFiles) -> ArgusMetadata:
    """Return the common metadata of all tables.

    Raises:
        InputError: they cannot be read, or they differ.
    """
    problems, found = Problems(), list[ArgusMetadata]()
    for file, shown in zip(files.files, files.shown, strict=True):
        try:
            found.append(read_metadata(file))
            for variable in found[-1].of_kind("label"):
                covered = _hierarchy(files, variable, len(found) - 1)
                if covered != _hierarchy(files, variable, 0):
                    what = f"the hierarchy of {variable.name} is another one than that of {files.shown[0]}"
                    problems.add(shown, what, "audit them as two series")
        except (ArgusFileError, OSError) as error:
            problems.add(shown, str(error.args[0]), "put all files of tau-Argus beside it")
    said = {(each.separator, *((v.name, v.kind, v.total, v.digits) for v in each.variables[1:])) for each in found}
    if len(said) > 1 and not problems.found:
        problems.add(files.shown[0], "the metadata of the tables differ", "audit them as two series")
    problems.check()
    return found[0]


def _hierarchy(files: CountFiles, variable: ArgusVariable, place: int) -> dict[str, list[str]]:
    if variable.hierarchy is None:
        return {}
    return covered_codes(hierarchy_beside(files.files[place], variable.hierarchy), variable.leading)


def _count_of(files: CountFiles, metadata: ArgusMetadata) -> ArgusVariable:
    """Return the variable with the counts: the frequencies, else the only variable with numbers if all are whole.

    Raises:
        InputError: there is none.
    """
    frequency, responses = metadata.of_kind("frequency"), metadata.of_kind("response")
    if frequency or (len(responses) == 1 and all(number_of(t) is not None for t in _shown(files, responses[0]))):
        return (frequency or responses)[0]
    problems = Problems()
    what = f"no variable of {metadata_beside(files.files[0]).name} has counts: none is a <FREQUENCY>"
    problems.add(files.shown[0], what, "audit the table with the frequencies; magnitudes are not judged")
    raise InputError(problems.found)


def _shown(files: CountFiles, variable: ArgusVariable) -> list[str]:
    return [text for text in set(files.columns[variable.name]) if any(map(str.isdigit, text))]


def _is(texts: Iterable[str], *signs: str) -> set[str]:
    """Return the texts that are one of some markers, ignoring case."""
    return {text for text in texts if text.casefold() in {sign.casefold() for sign in signs}}


def _add_status(
    rules: TableGuesses, values: Sequence[str], signs: Sequence[str], primary: set[str], hidden: set[str]
) -> None:
    """Add the counts that markers of unsafe cells stand for, and whether hidden cells have numbers beside them."""
    rules.texts.update(sign if sign in hidden else text for text, sign in zip(values, signs, strict=True))
    cells = [(number_of(value), sign) for value, sign in zip(values, signs, strict=True)]
    beside = [n for n, sign in cells if sign in hidden and n is not None]
    if beside:
        rules.assume(
            "status_hides",
            True,
            say_count(
                "The file has the [number|numbers] of {count} [cell that is|cells that are] unsafe or hidden to "
                "protect others: [it is|they are] assumed unpublished.",
                len(beside),
            ),
        )
    for sign in sorted(primary) if beside else ():
        largest = max((n for n, each in cells if each in primary and n is not None), default=1)
        rules.assume_marker(sign, (1, largest), stands_for(sign, (1, largest)))


def tau_argus_csv(files: CountFiles) -> TableGuesses | None:
    """Refuse CSV files of tau-Argus with numbers for the status of cells, because they hold all counts.

    Raises:
        InputError: the files are of this form.
    """
    if files.names[-2:] == ["Freq", "Status"] and files.has("Status") and set(files.columns["Status"]) <= _NUMBERED:
        problems = Problems()
        what = "tau-Argus wrote the number of a status beside each count, hidden or not"
        remedy = "write the table without the status, or as .tab with .rda"
        problems.add(files.shown[0], what, remedy, column="Status")
        raise InputError(problems.found)
    return None


_COUNTED = "counted"


def session_rules(folder: Path, shown: list[str]) -> TableGuesses:
    """Return the rules of all sessions, which are assumed to be about the same people.

    Raises:
        InputError: files of tables are missing, no session has a table of counts, or only some tables are rounded.
    """
    problems = Problems()
    outputs = [(folder / name, each) for name in shown for each in session_outputs(folder / name, name, problems)]
    problems.check()
    _check_files(folder, outputs)
    tables = [(path, each) for path, each in outputs if each.statistics]
    bases = {each.rounding for _, each in tables}
    if len(bases) != 1:
        what = "no table of these sessions has counts" if not bases else "some tables of these sessions are rounded"
        remedy = "name tables of counts" if not bases else "finalise them in a session of their own"
        problems.add(shown[0], what, remedy)
        problems.check()
    dimensions = dict.fromkeys(name for _, each in tables for name in each.variables)
    rules = TableGuesses.of(say("sessions of ACRO"), shown, [*dimensions], "count")
    rules.table["over_time"] = "same"
    rules.table["totals"] = dict.fromkeys(dimensions, "All")
    rules.texts.update(text for path, each in tables for text in _numbers(path.parent / each.file, each))
    rules.doubts.append(say('All tables are assumed to be about the same people: over_time = "same".'))
    _add_statistics(rules, list(dict.fromkeys(name for _, each in tables for name in each.statistics)))
    rules.said.add("table.rounding")
    base = bases.pop()
    if base is not None:
        rules.table["rounding"] = {"to": base, "how": "even" if base % 2 == 0 else "nearest"}
    thresholds = {threshold for name in shown if (threshold := _threshold((folder / name).parent)) is not None}
    if thresholds:
        rules.state("policy.min_count", max(thresholds))
        rules.table["markers"]["threshold"] = (0, max(thresholds) - 1)
    else:
        rules.texts["threshold"] += 1
    return rules


def _check_files(folder: Path, outputs: list[tuple[Path, SessionOutput]]) -> None:
    """Refuse sessions without the files of their tables."""
    problems = Problems()
    for path in dict.fromkeys(path for path, _ in outputs):
        tables = [each.file for of, each in outputs if of == path and each.is_table]
        missing = [name for name in tables if not lines_of(path.parent / name)]
        if missing:
            what = f"tables of this session are missing or empty: {', '.join(map(printable, missing))}"
            problems.add(path.relative_to(folder).as_posix(), what, "put their files beside results.json")
    problems.check()


def _add_statistics(rules: TableGuesses, statistics: list[str]) -> None:
    """Add the statistics unless only people are counted: a variable may lack values, so its values are counted, too."""
    if statistics == [PEOPLE]:
        return
    rules.table.update({"measure": _COUNTED, "measures": statistics})
    parts = [name for name in statistics if name != PEOPLE]
    if PEOPLE in statistics:
        rules.table["part_of"] = dict.fromkeys(parts, PEOPLE)
        why = say("Values of {names} are counted too, read as parts of the people.", names=", ".join(parts))
        rules.doubts.append(why)


def _threshold(folder: Path) -> int | None:
    """Return the threshold that a session's configuration names."""
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("safe_threshold")
    except (OSError, ValueError, AttributeError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 1 else None


def _numbers(path: Path, output: SessionOutput) -> list[str]:
    places = [each.place for each in output.columns if each.statistic]
    lines = lines_of(path)[output.first :]
    return [line[at] for line in lines for at in places if at < len(line) and number_of(line[at]) is not None]
