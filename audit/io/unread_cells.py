"""Unread cells: doubts about cells not understood or ambiguous, and cells that match no value of a register.

Only distinct texts are read, so that the size of a series does not matter. A text is quoted only on request.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace
from fractions import Fraction

import numpy as np

from audit.clauses.registry import ON_VALUES
from audit.io.attributes import QuasiIdentifier, are_codes
from audit.io.background_knowledge import Register
from audit.io.cell_reading import codes_for_unknown, unknown_among, unmasked, unread
from audit.io.cells import CellError, Interval, Kind, NumberSet, ValueSet
from audit.io.foreign_files import is_foreign
from audit.io.notations import UNIT, as_plain_number, with_decimal_point
from audit.io.rules.cell_meaning import ColumnTypes, Spelled
from audit.io.rules.spelling import Crosswalk, Decimal, Fold, written_alike
from audit.io.series import Series
from audit.io.table_forms import is_text
from audit.io.toml import toml_key, toml_text
from audit.model.errors import Doubt, Problems
from audit.runtime.phrases import Noun, Reason, ReasonKind, in_quotes, printable, say, say_count

_SHOWN = 3
_FEW_WORDS = 12  # the most texts of a list that a register and the releases should share
_SHORTEST_CODE = 4  # numbers of one length, such as postcodes; shorter ones may be ages
_POINTED = re.compile(r"[+-]?[0-9,]*\.[0-9.]*")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_SHORTENED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{1,3})+")
_EXCHANGED = str.maketrans(".,", ",.")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_UNIT = re.compile(rf"^[$€£]\s?|(?<=[0-9])\s?{UNIT}$", re.IGNORECASE)


def unread_cells(series: Series, *, register: bool, reveal: bool) -> tuple[Doubt, ...]:
    """Return a doubt for each column with texts that were not understood, or are ambiguous.

    Only distinct texts are read, so that the size of the series does not matter.

    Args:
        series: the series, which has been read.
        register: whether people were matched by their exact values, so that findings depend on what cells cover.
        reveal: whether to quote a text.

    Raises:
        InputError: a release cannot be read.
    """
    reasons = (Reason(why, ReasonKind.UNDECLARED) for why in _reasons(series, reveal=reveal))
    return (*(Doubt(why, guessed=register) for why in reasons), *_points(series))


def other_words(series: Series, register: Register) -> Iterator[Doubt]:
    """Yield a doubt for each short list of exact values that the register and a release share, but each lacks some.

    `spelled` accepts such texts, as of places where no person of the register lives. But if the register has other
    words for the same values, such as M and H, they match no person. Nor does a text that says that a value is not
    known, though it may mean any value.
    """
    for (name, attribute), values in zip(series.attributes.items(), register.values, strict=True):
        if attribute.kind is not Kind.CATEGORICAL or attribute.hierarchy is not None:
            continue
        own, *releases = (
            _known(attribute, texts)
            for texts in (values, *(series.texts_in(at, name) for at in range(len(series.tags))))
        )
        if unknown := sorted({text for it in releases for text in unknown_among(it - own)}):
            what = say(
                '"{column}" has texts that may say that a value is not known ({texts}), and fit nobody of the '
                "register: list them under missing, so that they may be anybody's",
                column=printable(name),
                texts=in_quotes(unknown, _SHOWN),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES, guessed=True)
        if not attribute.spelled and any(_lists_others(attribute, text, own) for it in releases for text in own & it):
            what = say(
                '"{column}" has a value of the register that is read as a list of others: if each text is one value, '
                'write {example} under [columns]; a set is then written {{"a, b", "c"}}',
                column=printable(name),
                example=f"spelled = [{toml_text(name)}]",
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES, guessed=True)
        if attribute.spelled and any(
            len(own | it) <= _FEW_WORDS and own & it and own - it and it - own for it in releases
        ):
            what = say(
                'the register and the releases have different texts in "{column}": if they are other words for the '
                "same values, list them in crosswalk.csv (columns release,from,to; write register as the release), and "
                "write {example} under [columns] in place of spelled",
                column=printable(name),
                example=f'crosswalk = {{ {toml_key(name)} = "crosswalk.csv" }}',
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)


def _lists_others(attribute: QuasiIdentifier, text: str, values: Set[str]) -> bool:
    """Return whether a text that is a value itself is read as a list in which there is another value."""
    cell = attribute.cells[attribute.number(text)]
    return isinstance(cell, ValueSet) and text in cell.members and len(cell.members & values) > 1


def cells_of_other_length(series: Series, register: Register, *, reveal: bool) -> Iterator[str]:
    """Yield a sentence for each column with a cell that begins as values of the register, of other lengths, do.

    Such a cell (`28*` or `28`, where the register has 28025) covers none of them, since each star is one character.
    """
    for (name, attribute), values in zip(series.attributes.items(), register.values, strict=True):
        if attribute.spelled or attribute.kind.is_date:
            continue
        exact = _known(attribute, values)
        coded = len(min(exact, default="")) >= _SHORTEST_CODE and are_codes(frozenset(exact))
        shown = {
            text: begin
            for text in series.texts(name)
            if text.strip("*") and text not in exact and text not in attribute.missing
            if (begin := unmasked(text)) != text or _may_be_cut(attribute, text, coded=coded)
        }
        lengths = defaultdict[str, set[int]](set)
        for size in {len(begin) for begin in shown.values()}:
            for value in exact:
                if len(value) > size:
                    lengths[value[:size]].add(len(value))
        known = {len(value) for value in exact}
        for text, begin in shown.items():
            of_peers = lengths[begin] if attribute.kind is Kind.CATEGORICAL and begin != text else known
            if lengths[begin] and len(text) not in of_peers and not _covers_any(attribute, text, exact):
                yield say(
                    '"{column}" has a cell that covers nobody, since no value of the register that begins like it has '
                    "as many characters (first: {place}): write a star for each hidden character, such as 204** for "
                    "20431, or list the cell in crosswalk.csv (columns release,from,to) and write {example} under "
                    "[columns]; if the texts of the column are exact values, write spelled = [{key}]",
                    column=printable(name),
                    place=place_of(series, name, text, reveal=reveal),
                    example=f'crosswalk = {{ {toml_key(name)} = "crosswalk.csv" }}',
                    key=toml_text(name),
                )
                break


def spelled_otherwise(series: Series, register: Register) -> Iterator[Doubt]:
    """Yield a doubt for each column with a value of the register that cells of a release may write in another way.

    A person who may be in the data, and is in no cell, counts as absent, even if only the spelling differs. A
    line of the crosswalk that gives a value of the register its own name says that no cell means it.
    """
    for (name, attribute), values in zip(series.attributes.items(), register.values, strict=True):
        if attribute.spelled or attribute.kind is not Kind.CATEGORICAL:
            continue
        own = series.rules[Crosswalk].walks.get(("", name), {})
        exact = sorted(value for value in _known(attribute, values) if own.get(value) != value)
        found = set[str]()
        for position in range(len(series.tags)):
            found |= _in_other_words(attribute, sorted(_known(attribute, series.texts_in(position, name))), exact)
        if found:
            what = say_count(
                '"{column}" has {count} [value|values] in the register that a release may write in another way, since '
                "no cell there covers [it|them], and people with [it|them] are not judged: write [it|them] in one way",
                len(found),
                column=printable(name),
            )
            remedy = say(
                "or list them in crosswalk.csv (columns release,from,to; write register as the release; a line "
                "register,x,x says that x is none of those) and write {example} under [columns]",
                example=f'crosswalk = {{ {toml_key(name)} = "crosswalk.csv" }}',
            )
            yield Doubt(Reason(f"{what}, {remedy}", ReasonKind.UNDECLARED), ON_VALUES)


def _in_other_words(attribute: QuasiIdentifier, texts: Sequence[str], values: Sequence[str]) -> set[str]:
    """Return the values that no cell covers, and that cells may write in another way: zeros, a letter, words."""
    cells = np.array([attribute.number(text) for text in texts], dtype=np.int64)
    absent = [values[at] for at in np.flatnonzero(~attribute.covers(cells, values).any(axis=0)).tolist()]
    read = (attribute.cells[number] for number in cells.tolist())
    shown = {text for cell in read if isinstance(cell, ValueSet) for text in cell.members}
    zeros = [[value.zfill(size) for value in absent] for size in {*map(len, texts)}]
    zeros.append([value.lstrip("0") or value for value in absent])
    is_number = np.any([attribute.covers(cells, each).any(axis=0) for each in zeros], axis=0)
    begun = {text.casefold()[:size] for text in shown for size in range(1, _SHORTEST_CODE)}
    return written_alike(absent, shown) | {
        value
        for value, is_other in zip(absent, is_number.tolist(), strict=True)
        if is_other or (len(value) < _SHORTEST_CODE and value.isalpha() and value.casefold() in begun)
    }


def _known(attribute: QuasiIdentifier, texts: Collection[str]) -> set[str]:
    """Return the texts that are neither missing nor masked as a whole."""
    return {text for text in texts if text.strip("*") and text not in attribute.missing}


def _may_be_cut(attribute: QuasiIdentifier, text: str, *, coded: bool) -> bool:
    """Return whether a text without a mask may be the beginning of an exact value; of a number, only of a code."""
    if attribute.kind is Kind.CATEGORICAL:
        return attribute.hierarchy is None and _is_single(attribute, text)
    return coded and text.isdigit()


def _covers_any(attribute: QuasiIdentifier, text: str, exact: Collection[str]) -> bool:
    return bool(attribute.covers(np.array([attribute.number(text)]), [*exact]).any())


def _points(series: Series) -> Iterator[Doubt]:
    """Yield a doubt for each sensitive column whose points may be decimal points or separate thousands.

    So may its commas be, where they are declared to be decimal. The doubt is about closeness alone if the same numbers
    are equal in both readings, else about all values.
    """
    rules = series.columns.rules
    sign = rules[Decimal].sign
    for name in series.columns.sensitive if sign != "." else ():
        if rules[ColumnTypes].kinds.get(name) == Kind.CATEGORICAL.value or (sign and name in rules[Spelled].columns):
            continue
        texts = {text.translate(_EXCHANGED) if sign else text for text in _as_written(series, name)}
        points = sorted(filter(_POINTED.fullmatch, texts))
        if points and all(map(_THOUSANDS.fullmatch, points)):
            column, text = printable(name), points[0].translate(_EXCHANGED) if sign else points[0]
            what = say(
                'the point in numbers of "{column}", such as {text}, may be a decimal point or separate thousands: '
                'write under [columns] decimal = "." for a decimal point, decimal = "," for thousands',
                column=column,
                text=text,
            )
            if sign:
                what = say(
                    'the comma in numbers of "{column}", such as {text}, may separate thousands, though decimal = ",": '
                    'if it does, write the numbers without it, else write spelled = ["{column}"] under [columns]',
                    column=column,
                    text=text,
                )
            readings = {(as_plain_number(text), as_plain_number(with_decimal_point(text))) for text in texts}
            is_same = all(len({pair[side] for pair in readings}) == len(readings) for side in (0, 1))
            clauses = frozenset({"closeness"}) if is_same else ON_VALUES
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), clauses, guessed=True)


def _as_written(series: Series, name: str) -> set[str]:
    """Return the distinct texts of a sensitive column as text files write them, without units: signs, and zeros behind.

    Empty, without reading files again, if no number has a point or can have lost one with its zeros, or if a number
    with a point cannot group thousands.
    """
    found, names = set[str](), [_UNIT.sub("", text) for text in series.vocabularies[name].names]
    pointed = [*filter(_POINTED.fullmatch, names)]
    may_be_shortened = bool(series.rules.respellings(name)) and any(map(_WHOLE.fullmatch, names))
    if not (pointed or may_be_shortened) or not all(map(_SHORTENED.fullmatch, pointed)):
        return found
    for files in series.manifest.releases:
        adjustments = series.adjustments(files.tag)
        bare = replace(adjustments, rules=adjustments.rules.without(Decimal, Fold, ColumnTypes))
        for path, shown in files.halves:
            table = None if is_foreign(path) else bare.read(path, shown, [name], Problems())
            if table is not None and is_text(table.arrow(name).type.value_type):
                found.update(_UNIT.sub("", text) for text in table.distinct(name))
    return found


_ASTRAY = Noun(
    '"{column}" has numbers and ranges except for {count} [text|texts] (first: {place}): list [it|them] under missing '
    "if [it stands for an unknown value|they stand for unknown values], else write [it as a number or a range|them as "
    "numbers or ranges], once published in the column `to` of crosswalk.csv (release,from,to), with "
    'crosswalk = {{ "{column}" = "crosswalk.csv" }} under [columns]'
)
_UNREAD = Noun(
    '"{column}": {count} [text looks like a range, a list or a mask and is|distinct texts look like ranges, lists or '
    "masks and are] not read (first: {place}); write [it|them] as [20, 39], >=65 or 021**, or, if texts are exact "
    'values, spelled = ["{column}"] under [columns]'
)
_COMMAS = Noun(
    '"{column}" looks like numbers with decimal commas, and is read as sets of values (first: {place}); write decimal '
    '= "," under [columns], or spelled = ["{column}"] if texts are exact values'
)
_FAULTY = Noun(
    '"{column}": {count} [text does|distinct texts do] not fit the type of the column (first: {place}); correct '
    "[it|them], or declare the column categorical under types"
)
_SENTINELS = Noun(
    '"{column}": {count} [number|numbers] far from all others [looks like a code|look like codes] for unknown values '
    'beside ranges (first: {place}); list [it|them] under missing, or write types = {{ "{column}" = "numeric" }} under '
    "[columns] if [it is a number|they are numbers]"
)


def _reasons(series: Series, *, reveal: bool) -> Iterator[str]:
    for name, attribute in series.attributes.items():
        every = [] if attribute.spelled else list(series.texts(name))
        texts, what = _unclear(series, attribute, every)
        if texts:
            place = place_of(series, name, texts[0], reveal=reveal)
            yield what.counted(len(texts), column=printable(name), place=place)


def _unclear(series: Series, attribute: QuasiIdentifier, texts: Sequence[str]) -> tuple[list[str], Noun]:
    """Return the texts of a column that were not understood, or are ambiguous, and what to do about them."""
    rules = series.columns.rules
    if attribute.kind is Kind.CATEGORICAL:
        found = [text for text in texts if unread(text, attribute.hierarchy, attribute.missing)]
        if not found:
            return rules[Decimal].commas(series.columns, attribute.name, texts), _COMMAS
        astray = _stray_of_kind(attribute, texts)
        return (astray, _ASTRAY) if astray else (found, _UNREAD)
    found = [text for text in texts if _is_faulty(attribute, text)]
    if found or attribute.name in rules[ColumnTypes].kinds:
        return found, _FAULTY
    return _sentinels(attribute, texts), _SENTINELS


def place_of(series: Series, name: str, text: str, *, reveal: bool) -> str:
    """Return the file and the line of a text's first occurrence, with the text if requested."""
    where = "{}:{}".format(*_stands(series, name, text))
    return f'{where}, "{printable(text)}"' if reveal else where


def _stands(series: Series, name: str, text: str) -> tuple[str, int | None]:
    """Return the file and the line of the release in which a text occurs first."""
    files = series.manifest.releases[series.texts(name)[text]]
    table = series.adjustments(files.tag).read(files.rows, files.shown, [name], Problems())
    if table is None:
        return files.shown, None
    return files.shown, table.line(int(np.flatnonzero(table.where(name, text.__eq__))[0]))


def _is_faulty(attribute: QuasiIdentifier, text: str) -> bool:
    try:
        attribute.number(text)
    except CellError:
        return True
    return False


def _stray_of_kind(attribute: QuasiIdentifier, texts: Sequence[str]) -> list[str]:
    """Return the texts that keep a column from being numbers or dates; empty if more than half of its texts do."""
    kinds = (QuasiIdentifier(attribute.name, kind, None, attribute.missing) for kind in (Kind.NUMERIC, Kind.DATE))
    fewest = min(([text for text in texts if _is_faulty(numbers, text)] for numbers in kinds), key=len)
    return fewest if len(fewest) <= len(texts) / 2 else []


def _sentinels(attribute: QuasiIdentifier, texts: Sequence[str]) -> list[str]:
    """Return the numbers beside ranges that look like codes: 99, 8888 or -1, far outside of all ranges."""
    if attribute.kind is not Kind.NUMERIC:
        return []
    numbers, ends = dict[str, Fraction](), list[Fraction]()
    for text in texts:
        cell = attribute.cells[attribute.number(text)]
        if isinstance(cell, Interval) and cell.low is not None and cell.low == cell.high:
            numbers[text] = cell.low
        elif isinstance(cell, Interval | NumberSet):
            both = cell.members if isinstance(cell, NumberSet) else (cell.low, cell.high)
            ends += [end for end in both if end is not None]
    return codes_for_unknown(numbers, ends) if ends else []


def check_register_texts(series: Series, register: Register) -> None:
    """Refuse cells of the releases that match no exact value of the register.

    A cell that is not a value of the register, a label, a set or a mask matches no person. It is accepted if all cells
    of its column in the release are single texts and include every value of the register; else it may be a coarser name
    of values that the release lacks. A person whose value the register lacks matches every cell.

    Raises:
        InputError: a column also has generalized cells, or the register has values that no cell of the release equals.
    """
    problems = Problems()
    for (name, attribute), values in zip(series.attributes.items(), register.values, strict=True):
        if attribute.kind is not Kind.CATEGORICAL or attribute.hierarchy is not None or attribute.spelled:
            continue
        exact = _known(attribute, values)
        found = dict[str, None]()
        for position in range(len(series.tags)) if exact else ():
            texts = [text for text in series.texts_in(position, name) if text and text not in attribute.missing]
            single = [text for text in texts if _is_single(attribute, text)]
            if len(single) < len(texts) or not exact.issubset(single):
                found |= dict.fromkeys(text for text in single if text not in exact)
        unknown = [*found]
        if unknown:
            more = say(" (and {more} other texts)", more=len(unknown) - 1) if len(unknown) > 1 else ""
            what = say(
                "the text is not a value of the register, a label of a hierarchy, a set or a mask{more}", more=more
            )
            remedy = say(
                'write ranges as [20, 39] or >=65, sets, also a rest such as "Any other", as {{a, b}}; if the register '
                "has other words for these values, list them in crosswalk.csv (columns release,from,to; write register "
                'as the release) and write crosswalk = {{ {key} = "crosswalk.csv" }} under [columns]; if the column\'s '
                "texts are exact values, write spelled = [{text}] under [columns]",
                key=toml_key(name),
                text=toml_text(name),
            )
            file, line = _stands(series, name, unknown[0])
            problems.add(file, what, remedy, line=line, column=name)
    problems.check()


def _is_single(attribute: QuasiIdentifier, text: str) -> bool:
    """Return whether a cell stands for its text alone, not for a range, a set or a label."""
    try:
        cell = attribute.parse(text)
    except CellError:
        return False
    return isinstance(cell, ValueSet) and cell.members == {text}
