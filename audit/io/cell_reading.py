"""Cell reading: return the meaning of a text in a column of numbers, days or texts, and read hierarchies of labels.

Each distinct text is parsed once, not once per row. Messages never quote a text, which may be private.
"""

from __future__ import annotations

import html
import io
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audit.io.cells import (
    Anything,
    Cell,
    CellError,
    Interval,
    Kind,
    Masked,
    ValueSet,
    cover_numbers,
    cover_texts,
    members_in,
    number_cell,
)
from audit.io.dialect import UTF_8, Dialect, damages, guess_encoding, note_unreadable
from audit.io.notations import (
    LONGEST_NUMBER,
    Reading,
    interval_in,
    is_plain_number,
    kind_of_days,
    looks_generalized,
    looks_ranged,
    read_interval,
    read_number,
    single_day,
    skeleton,
)
from audit.model.errors import Problems
from audit.runtime.phrases import Phrase, say

_FORM = Phrase("write one line per leaf as `leaf;…;*`, with the same number of levels on every line")


@dataclass(frozen=True)
class Hierarchy:
    """A hierarchy of labels: which leaves each label covers.

    A label that stands at several levels, or in several branches, covers the leaves below all of its places.

    Attributes:
        name: the name of the file.
        levels: `levels[0][i]` is leaf i, and `levels[j][i]` its ancestor at level j.

    >>> places = Hierarchy("places", (("Rome", "Oslo"), ("South", "North"), ("*", "*")))
    >>> sorted(places.leaves_of("*"))
    ['Oslo', 'Rome']
    """

    name: str
    levels: tuple[tuple[str, ...], ...]

    @cached_property
    def _below(self) -> dict[str, frozenset[str]]:
        below: defaultdict[str, set[str]] = defaultdict(set)
        for level in self.levels:
            for leaf, label in zip(self.levels[0], level, strict=True):
                below[label].add(leaf)
        return {label: frozenset(leaves) for label, leaves in below.items()}

    def respelled(self, spell: Callable[[str], str]) -> Hierarchy:
        """Return the hierarchy with its labels spelled as cells are: those that differ only in spelling become one."""
        return Hierarchy(self.name, tuple(tuple(map(spell, level)) for level in self.levels))

    def leaves_of(self, label: str) -> frozenset[str] | None:
        """Return the leaves that `label` covers, or None if it is not in this hierarchy."""
        return self._below.get(label)

    def table(self) -> pa.Table:
        """Return the hierarchy as a table whose header is the branch of the first leaf, since the form has none."""
        rest = [pa.array(level[1:], pa.string()) for level in self.levels]
        return pa.Table.from_arrays(rest, names=[level[0] for level in self.levels])

    def label_of(self, leaves: frozenset[str]) -> str | None:
        """Return the first label that covers exactly these leaves, or None if there is none."""
        labels = (label for level in self.levels for label in level)
        return next((label for label in labels if self._below[label] == leaves), None)


def read_hierarchy(path: Path, shown: str, problems: Problems) -> Hierarchy | None:
    """Read the hierarchy at `path`, or note all its problems in `problems` and return None.

    `shown` is the name of the file for the user.
    """
    before = len(problems.found)
    branches: dict[str, tuple[str, ...]] = {}
    try:
        depth = 0
        for line, branch in _branches(path):
            depth = depth or len(branch)
            trouble = _trouble(branch, depth)
            if trouble is not None:
                problems.add(shown, trouble, str(_FORM), line=line)
            elif branches.setdefault(branch[0], branch) != branch:
                what = say("this leaf is on an earlier line with other ancestors")
                problems.add(shown, what, say("keep one line for each leaf"), line=line)
    except damages() as error:
        note_unreadable(path, shown, error, problems)
    if not branches and len(problems.found) == before:
        problems.add(shown, say("the hierarchy is empty"), str(_FORM))
    return None if len(problems.found) > before else Hierarchy(shown, tuple(zip(*branches.values(), strict=True)))


def _branches(path: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the number and the labels of each line that is not blank."""
    content = path.read_bytes()
    encoding = guess_encoding(content)
    text = content.decode("utf-8-sig" if encoding == UTF_8 else encoding)
    delimiter = next((sign for sign in ";\t|," if sign in text.partition("\n")[0]), ";")
    for line, row in Dialect(delimiter).rows(io.StringIO(text, newline=""), strict=True):
        branch = tuple(label.strip() for label in row)
        if any(branch):
            yield line, branch


def _trouble(branch: tuple[str, ...], depth: int) -> str | None:
    """Return the fault of a branch in a hierarchy with `depth` levels; None if it has none."""
    if len(branch) != depth:
        return say("this line has {levels} levels, but the first line has {depth}", levels=len(branch), depth=depth)
    if depth == 1:
        return say("this line has a single level; levels are separated by `;`")
    if not all(branch):
        return say("a label on this line is empty")
    return None


# -- the meaning of texts ---------------------------------------------------------------------------------------------


_NOTHING: frozenset[str] = frozenset()
_SENTINEL_DIGITS = ("7", "8", "9")
_NOT_ALONE = 7  # a code only beside 8 or 9
MARKERS = frozenset({"?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null"})  # of unknown values
_WHAT = (
    "(?:value|wert|valeur|valor|diagnos[a-z]{0,5}|(?:todes)?ursachen?|causes?|causas?|grund|reason|krankheit|disease|illness|"
    "maladie|enfermedad|code)?"
)
_UNKNOWN = (  # of letters without accents
    "(?:unknown|unbekannt(?:e[mnrs]?)?|inconnue?s?|desconocid[oa]s?|not(?:yet)?(?:known|stated|recorded|obtained|available|"
    "applicable|answered|asked|assessed|collected|reported|given|provided|disclosed|specified|determined|documented|"
    "declared|diagnosed|sure)|nicht(?:bekannt|erhoben|erfasst|angegeben|beantwortet|ermittelt|verfue?gbar|vorhanden|"
    "bestimmt|zutreffend|dokumentiert)|(?:keine|ohne|fehlende)(?:angaben?|antwort|auskunft|information(?:en)?|daten|"
    "diagnosen?)|diagnosefehlt|(?:non|pas|sans|aucune?)(?:de)?(?:renseign|repon|connu|communiqu|disponib|precis|recueilli|"
    "declar|determin|evalu|applicab|concern|obten|saisi|specifi|diagnosti|information|donnee)[a-z]{0,3}|no(?:sabe|contesta|"
    "consta|disponible|responde|aplica(?:ble)?|procede|(?:informa|registra|especifica|determina|declara|recogi|obteni|"
    "diagnostica)d[oa])|sin(?:datos?|respuesta|informacion|especificar|diagnosticos?)|(?:do(?:es)?|did)no?t(?:know|answer|"
    "respond)|no(?:answer|response|information|data|diagnos[ei]s)|weiss(?:ich|es)?nicht|sai[ts]pas|prononcepas|refuse[sd]?|"
    "declined|verweigert|manquante?s?)"
)
_UNKNOWN_SIGNS = re.compile(  # of casefolded texts without blanks
    r"[ko]\.a\.?|n[./][acdkv]\.?|ns/nc|s/d|[-.?\u2010-\u2015\u2026]+|#[^\W\d][\w/]*[!?]?"
)
_SAYS_UNKNOWN = re.compile(rf"{_WHAT}{_UNKNOWN}{_WHAT}")
_MAY_SAY_UNKNOWN = re.compile(  # of letters without accents, and digits: at the end of a text, or its whole
    rf".*{_UNKNOWN}|[0-9]*(?:nspp?|nr|nk|dk|nc|na|nd|nv|ka|sd|nan|null|unk|unbek|desc|x{{3,}}|nobt|refu|refus(?:al|(?:e|ed|es)?"
    r"(?:to|de)?(?:answer|say|repon|respond).*)?|r[69]9|"
    r"declin(?:ed?|es)to(?:answer|say|state|respond)|(?:prefi?er|rather).*(?:no|pas).*|(?:mochte|moechte|will)nicht.*|verweiger.*|"
    r"(?:se)?(?:niega|rehusa).*|rechaza.*(?:responder|contestar)|missing(?:data|values?)?|(?:data|values?)missing|"
    r"fehl(?:t|end(?:er?|es)?(?:werte?)?)|vide|vacio|blank|empty|pending|pendiente|ausstehend|enattente|tb[acd]|"
    r"un(?:classified|specified|stated|recorded|determined|disclosed|available|sure)|withheld|entfae?llt|trifftnichtzu|"
    r"nichtna(?:e?)herbezeichnet|sansobjet|indetermine?e?|indeterminad[oa]|faltante|perdido|ignorado|(?:refused)?nyo|"
    r"awaiting.*|.*no(?:t|specialist)assess.*|nochnicht.*|.*nachgereicht|inbearbeitung|offen|folgt|unklar|gesperrt|"
    r"geheim(?:gehalten)?|supp(?:ressed)?|redacted|confidential|confidentiel(?:le)?|confidencial)"
)
_OFFICIAL_SIGNS = re.compile(r"[*/:~]|[\[(](?:[ckuxz]|low)[\])]", re.IGNORECASE)
_LETTERS = frozenset("xzXZ")
_SEX = re.compile(
    r"(?:fe)?male|(?:wo)?man|homme|femme|mann|frau|m\u00e4nnlich|weiblich|hombre|mujer|varón", re.IGNORECASE
)
_CODE_BESIDE = re.compile(r"^[A-Za-z][0-9]{2}(?:\.[0-9-]+)?[\s:]+|\s*[\[(][A-Za-z][0-9]{2}(?:\.[0-9-]+)?[\])]$")
_SIGNS = re.compile(r"[\W_]+")
_CODE = re.compile(r"9+[789]|([78])\1+")  # beside texts
_FAR = 2  # a code is more than this many times as large as all other numbers
# The letter x is a mask only if it cannot be a size: after two digits, or twice.
_DIGIT_MASK = re.compile(r"([0-9]+?)([*]+|[#]+|(?<=[0-9]{2})[xX]|[xX]{2,})")
_MAY_HAVE_UNIT = re.compile(r"[^\W\d_]|[%€$£]")
_TEXT_MASK = re.compile(r"(.+?)([*]+|(?<=[0-9])[#]+|(?<=[0-9]{2})[xX]|(?<=[0-9])[xX]{2,})", re.DOTALL)


def infer_kind(texts: Iterable[str], missing: frozenset[str] = _NOTHING) -> Kind:
    """Return NUMERIC, or a kind of days, if all unmasked cells are of it; else CATEGORICAL.

    A reversed or empty interval counts as a range of numbers; `parse` reports its fault. Numbers with several units do
    not compare, and are categorical.
    """
    stripped = map(str.strip, texts)
    unmasked = [text for text in stripped if not _is_unknown(text, missing) and _read_digit_mask(text) is None]
    if not unmasked:
        return Kind.CATEGORICAL
    units: set[str | None] = set()
    valid = True
    for text in unmasked:
        if is_plain_number(text):
            continue
        try:
            read = _read_ordered(text, Kind.NUMERIC, None, missing)
        except CellError:
            valid = False
            continue
        if read is None:
            return _kind_of_days(unmasked, missing)
        units.add(read[1])
    if not valid and (kind := _kind_of_days(unmasked, missing)).is_date:
        return kind
    return Kind.NUMERIC if len(units - {None}) <= 1 else Kind.CATEGORICAL


def _kind_of_days(texts: Sequence[str], missing: frozenset[str]) -> Kind:
    """Return the kind of days if all texts are days, otherwise CATEGORICAL."""
    kind = kind_of_days(texts) if any("/" in text for text in texts) else Kind.DATE
    try:
        return kind if all(_read_ordered(text, kind, None, missing) for text in texts) else Kind.CATEGORICAL
    except CellError:
        return Kind.CATEGORICAL


def parse(text: str, kind: Kind, hierarchy: Hierarchy | None = None, missing: frozenset[str] = _NOTHING) -> Cell:
    """Return the cell that a text means in a column of this kind.

    Raises:
        CellError: the text means no cell of such a column.

    >>> parse("21-22", Kind.NUMERIC) == parse("21 to 22 years", Kind.NUMERIC)
    True
    >>> parse("204**", Kind.CATEGORICAL)
    Masked(prefix='204', length=5)
    """
    text = text.strip()
    if _is_unknown(text, missing):
        return Anything()
    if not text:
        raise CellError(
            say("the cell is empty"), say("write `*` where no value is published, or declare it as `missing`")
        )
    if kind is Kind.CATEGORICAL:
        return _parse_text(text, hierarchy, missing)
    read = _read_ordered(text, kind, hierarchy, missing)
    if read is not None:
        return read[0]
    if kind is Kind.NUMERIC and (masked := _read_digit_mask(text)) is not None:
        return masked
    what, remedy = say("the cell is neither a number nor a range or set of numbers"), "21, [21, 22], >=65, {21, 25}"
    if kind.is_date:
        what, remedy = say("the cell is neither a date nor a range of dates"), "2024-03-17, [2024-03-01, 2024-03-31]"
    raise CellError(
        what,
        say(
            'write it as one of {forms}; or, if its text stands for an unknown value, write missing = ["…"] with this '
            "text under [columns]; or declare the column categorical under types",
            forms=remedy,
        ),
    )


def exact_text(text: str, missing: frozenset[str] = _NOTHING) -> Cell:
    """Return the cell of an exact value or of a set, all in quotes; `Anything` for `*` and texts that are `missing`.

    Raises:
        CellError: the text is empty, and the empty text is not `missing`.
    """
    text = text.strip()
    if not text or _is_unknown(text, missing):
        return parse(text, Kind.CATEGORICAL, None, missing)
    members = members_in(text[1:-1]) if text.startswith('{"') and text.endswith('"}') else [(text, True)]
    return ValueSet(
        frozenset(each for each, _ in members) if all(quoted for _, quoted in members) else frozenset([text])
    )


def unit_of(text: str) -> str | None:
    """Return the unit beside a cell's numbers, by its standard name; None if there is none."""
    if not _MAY_HAVE_UNIT.search(text):
        return None
    read = interval_in(text)
    return None if read is None else read.unit


def parse_value(text: str, kind: Kind, missing: frozenset[str] = _NOTHING) -> Fraction | str | None:
    """Return the exact text, number, or day number that a text means; None if unknown (empty, `*` or missing).

    Raises:
        CellError: the text is not an exact value of this kind.
    """
    known = _strip_value(text, missing)
    if kind is Kind.CATEGORICAL or known is None:
        return known
    if kind.is_date:
        return _day(parse_point(text, kind, missing))
    number = read_number(known)
    if number is None:
        raise _not_a_number()
    return number


def number_in(text: str, missing: frozenset[str] = _NOTHING) -> Fraction | None:
    """Return the number that a cell gives exactly; None for others, and if it is unknown."""
    known = _strip_value(text, missing)
    return None if known is None else read_number(known)


def day_in(text: str, kind: Kind, missing: frozenset[str] = _NOTHING) -> Fraction | None:
    """Return the number of the day, or of the first day of the month or quarter, that a text gives; None for others.

    >>> day_in("1970-01-01 10:20", Kind.DATE), day_in("1970-01", Kind.DATE), day_in("flu", Kind.DATE)
    (Fraction(719163, 1), Fraction(719163, 1), None)
    """
    day = single_day(text, kind)
    if day is not None and text not in missing:
        return Fraction(day)
    try:
        point = parse_point(text, kind, missing)
    except CellError:
        return None
    return None if point is None else point.low


def codes_for_unknown(numbers: Mapping[str, Fraction], ends: Iterable[Fraction] = ()) -> list[str]:
    """Return the texts of numbers that look like codes for unknown values: 99, 8888 or -1, far from all others.

    `ends` are the ends of ranges beside the numbers.

    >>> codes_for_unknown({text: Fraction(text) for text in ("34", "47", "-9", "88", "999")})
    ['-9', '999']
    """
    codes = {text: number for text, number in numbers.items() if _is_code(number)}
    others = [*ends, *(number for text, number in numbers.items() if text not in codes)]
    if not others:
        return []
    high, low = max([Fraction(0), *others]), min(others)
    return [text for text, number in codes.items() if number > _FAR * high or number < 0 <= low]


def codes_among(numbers: Mapping[str, Fraction], rows: Mapping[str, int]) -> list[str]:
    """Return the texts of numbers that look like codes for unknown values, given in how many rows each stands.

    Beside those far from all others, these are 7 to 9, 97 to 99 and so on at the end of whole numbers: of one digit
    after a gap, 7 not alone; of more digits if they stand in more rows than the ten numbers before them together.

    >>> codes_among({text: Fraction(text) for text in "12349"}, dict.fromkeys("12349", 5))
    ['9']
    """
    far = codes_for_unknown(numbers)
    left = sorted((number, text) for text, number in numbers.items() if text not in far)
    power = 10 ** len(str(abs(left[-1][0]))) if left else 0
    near = [text for number, text in left if number >= power - 3]
    before = [(number, text) for number, text in left if number < power - 3]
    if not (near and before) or any(number.denominator > 1 for number, _ in left):
        return far
    first, last = numbers[near[0]], numbers[near[-1]]
    beside = sum(rows.get(text, 0) for number, text in before if number >= first - 10)
    many = 0 < beside < max(rows.get(text, 0) for text in near)
    after_gap = first - 1 > before[-1][0] and last > _NOT_ALONE
    return [*far, *near] if (after_gap if power == 10 else many) else far


def may_be_unknown(text: str) -> bool:
    """Return whether a text may stand for an unknown value: a sign, or words that say so.

    The remaining values of a classification, such as "other", and none at all are values.

    >>> [
    ...     text
    ...     for text in ("n. d.", "Unbekannte Ursache (R69)", "NA", "---", "#NV", "none", "other")
    ...     if may_be_unknown(text)
    ... ]
    ['n. d.', 'Unbekannte Ursache (R69)', 'NA', '---', '#NV']
    """
    signs = _UNKNOWN_SIGNS.fullmatch("".join(text.split()).casefold())
    return text in MARKERS or (signs or _SAYS_UNKNOWN.fullmatch(_letters(text))) is not None


def _letters(text: str) -> str:
    """Return the letters without accents, and the digits, of a text without the code of a disease beside it."""
    return _SIGNS.sub("", skeleton(_CODE_BESIDE.sub("", text)))


def unknown_among(texts: Collection[str], *, of_numbers: bool = False) -> list[str]:
    """Return the sensitive texts that say that a value is not known: words, signs, and codes beside other texts.

    A letter of statistics offices (x, z) counts beside longer texts; codes among numbers alone do if `of_numbers`.

    >>> unknown_among(["Poor", "Good", "-8", "97", "NA", "x"]), unknown_among(["1", "3", "-1", "99"])
    (['-8', '97', 'NA', 'x'], [])
    >>> unknown_among(["1", "3", "-3", "-1", "98"], of_numbers=True), unknown_among(["f", "m", "x", "[c]", "*"])
    (['98'], ['[c]', '*'])
    >>> unknown_among(["-1", "0", "1"], of_numbers=True), unknown_among(["Female", "Male", "X"])
    ([], [])
    >>> unknown_among(["none", "Refus de répondre", "Rather not say", "(vide)", "Non-réponse", "not pregnant", "NR"])
    ['Refus de répondre', 'Rather not say', '(vide)', 'Non-réponse', 'NR']
    """
    numbers = {text: number for text in texts if (number := number_in(text)) is not None}
    words = {text for text in texts if may_be_unknown(text) or _MAY_SAY_UNKNOWN.fullmatch(_letters(text))}
    words |= {text for text in texts if _OFFICIAL_SIGNS.fullmatch(text)}
    beside = {*texts} - {*numbers, *words, ""}
    if any(len(text) > 1 for text in beside) and all(len(text) > 1 or text in _LETTERS for text in beside):
        words |= {text for text in beside & _LETTERS if text != "X" or not any(map(_SEX.fullmatch, beside))}
    is_scale = {*numbers.values()} == {-number for number in numbers.values()}  # as from -1 to 1
    whole = {text for text, number in numbers.items() if number < 0 and number.denominator == 1 and not is_scale}
    coded = {t for t in numbers if _CODE.fullmatch(t)} | {t for t in whole if beside or _is_code(numbers[t])}
    others = [Fraction(0), *(number for text, number in numbers.items() if text not in coded)]
    high, low = max(others), min(others)
    may_be = coded if beside or of_numbers else ()
    far = {text for text in may_be if numbers[text] > _FAR * high or numbers[text] < 0 <= low}
    return [text for text in texts if text in far or text in words]


def _is_code(number: Fraction) -> bool:
    digits = str(abs(number))
    alike = len(set(digits)) == 1 and digits[0] in _SENTINEL_DIGITS
    return number == -1 or (alike and (number < 0 or len(digits) > 1))


_WRITE_DAY = Phrase("write it as 2024-03-17, or declare the column categorical")


def _day(point: Interval | None) -> Fraction | None:
    if point is not None and point.low != point.high:
        raise CellError(say("the value is not a single day"), str(_WRITE_DAY))
    return None if point is None else point.low


def parse_point(text: str, kind: Kind, missing: frozenset[str] = _NOTHING) -> Interval | None:
    """Return the number, the day, or the days of the month, quarter or year that a text means; None if it is unknown.

    A number may have a unit.

    Raises:
        CellError: the text is none of these.
    """
    known = _strip_value(text, missing)
    if known is None:
        return None
    read = _exact(known, kind)
    if read is not None and read.interval is not None:
        return read.interval
    if kind.is_date:
        raise CellError(say("the value is not a date"), str(_WRITE_DAY))
    raise _not_a_number()


def _not_a_number() -> CellError:
    remedy = say("write a decimal number of at most 40 characters, or declare the column categorical")
    return CellError(say("the value is not a number"), remedy)


def _exact(text: str, kind: Kind) -> Reading | None:
    """Return the meaning of a text that is a single number with its unit, or a date."""
    read = interval_in(text, kind)
    if read is None or read.interval is None or not read.is_point:
        return None
    return read


def covers(
    cells: Sequence[Cell], values: Sequence[str], kind: Kind, missing: frozenset[str] = _NOTHING
) -> NDArray[np.bool_]:
    """Return whether each cell covers each exact value; shape (cells, values), bool.

    Every cell covers an unknown value; in a column of days, a cell covers a month if it contains a day of it.

    Raises:
        CellError: a value is not a number or a day, in a column of these.
    """
    if kind is Kind.CATEGORICAL:
        return cover_texts(cells, [_strip_value(value, missing) for value in values])
    return cover_numbers(cells, [parse_point(value, kind, missing) for value in values])


def unread(text: str, hierarchy: Hierarchy | None, missing: frozenset[str] = _NOTHING) -> bool:
    """Return whether a text of a categorical column is, or looks like, a range, list or mask that was not read as one.

    >>> unread("20 to 39", None), unread("{a, b}", None), unread("a, 20-39", None), unread("204**", None)
    (True, False, True, False)
    >>> unread("&lt;5", None), unread("K&ouml;ln", None), unread("a;b", None)
    (True, False, False)
    """
    text = html.unescape(text.strip())
    if not text or _is_unknown(text, missing) or _is_label(text, hierarchy):
        return False
    try:
        cell = _parse_text(text, hierarchy, missing)
    except CellError:
        return looks_generalized(text)
    if not isinstance(cell, ValueSet):
        return False
    members = _braced(text) or _split(text)
    if members is None:
        return is_range(text, looks_generalized)
    return any(is_range(member, looks_generalized) for member in members if not _is_label(member, hierarchy))


def is_range(text: str, looks: Callable[[str], bool] = looks_ranged) -> bool:
    """Return whether a text is, or looks like, more than one number or day."""
    for kind in (Kind.NUMERIC, Kind.DATE):
        if (read := interval_in(text, kind)) is not None:
            return not read.is_point
    return looks(text)


def bands_among(texts: Iterable[str]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the least and the largest number of each text that is a band of numbers.

    Empty if fewer than two are, or if they have several units.
    """
    read = {text: found for text in texts if (found := interval_in(text)) is not None and not found.is_point}
    ends = {text: (each.interval.low, each.interval.high) for text, each in read.items() if each.interval is not None}
    bands = {text: (low, high) for text, (low, high) in ends.items() if low is not None and high is not None}
    return bands if len(bands) > 1 and len({read[text].unit for text in bands}) == 1 else {}


def without_whole(cell: ValueSet) -> ValueSet:
    """Return the members of a list without the whole text, which `parse` adds because it may be a single value."""
    for member in cell.members:
        parts = _split(member)
        if parts is not None and frozenset(filter(None, parts)) == cell.members - {member}:
            return ValueSet(cell.members - {member})
    return cell


def _is_unknown(text: str, missing: frozenset[str]) -> bool:
    return text in missing or (text != "" and not text.strip("*"))


def _is_label(text: str, hierarchy: Hierarchy | None) -> bool:
    return hierarchy is not None and hierarchy.leaves_of(text) is not None


def _leaves(texts: Iterable[str], hierarchy: Hierarchy | None) -> set[str]:
    """Return the leaves below labels; other texts unchanged."""
    below = hierarchy.leaves_of if hierarchy is not None else lambda _: None
    return {leaf for text in texts for leaf in below(text) or (text,)}


def _braced(text: str) -> list[str] | None:
    """Return the members of a set in braces, or of a list of quoted texts, even blank ones; None for other texts."""
    braced = text.startswith("{") and text.endswith("}")
    if not braced and not (text.startswith("[") and text.endswith("]")):
        return None
    found = members_in(text[1:-1])
    if not braced and not all(is_quoted for _, is_quoted in found):
        return None
    members = [member for member, _ in found]
    if not any(members):
        raise CellError(say("the set is empty"), say("write its members as {{a, b}}, or `*` where nothing is said"))
    return members


def list_sign(text: str) -> str | None:
    """Return the separator of a list without braces, None if there is none."""
    return next((sign for sign in "|;," if sign in text), None)


def listed(text: str) -> list[str]:
    """Return the members of a set or a list; none for other texts.

    >>> listed("{a, b}"), listed("a;b"), listed("a b")
    (['a', 'b'], ['a', 'b'], [])
    """
    sign = list_sign(text)
    return [] if sign is None else [*filter(None, map(str.strip, text.strip("{}[]").split(sign)))]


def _split(text: str) -> list[str] | None:
    """Return the members of a list without braces; None for an interval or a text that is not a list."""
    sign = list_sign(text)
    if sign is None or (text[0] in "[(]" and text[-1] in "[)]"):
        return None
    return [member.strip() for member in text.split(sign)]


def _strip_value(text: str, missing: frozenset[str]) -> str | None:
    text = text.strip()
    return None if not text or _is_unknown(text, missing) else text


def _read_digit_mask(text: str) -> Interval | None:
    """Return the interval of masked digits: `204**` is 20400 to 20499."""
    found = _DIGIT_MASK.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    if found is None:
        return None
    step = 10 ** len(found[2])
    low = Fraction(int(found[1]) * step)
    return Interval(low, low + step - 1)


def _read_ordered(
    text: str, kind: Kind, hierarchy: Hierarchy | None, missing: frozenset[str]
) -> tuple[Cell, str | None] | None:
    """Return the cell and the unit of a label, set, list, range, number or date; None for other texts."""
    members = [text] if _is_label(text, hierarchy) else _braced(text)
    if members is None:
        read = read_interval(text, kind)
        if read is not None:
            return (Anything() if read.interval is None else read.interval), read.unit
        members = _split(text) if "," not in text else None
        if members is None:
            return None
    if any(_is_unknown(member, missing) for member in members):
        return Anything(), None
    points = [_exact(leaf, kind) for leaf in _leaves(filter(None, members), hierarchy)]
    numbers, units = set[Fraction](), set[str | None]()
    for point in points:
        if point is None or point.interval is None or point.interval.low != point.interval.high:
            return None
        numbers.update(end for end in (point.interval.low,) if end is not None)
        units.add(point.unit)
    cell = number_cell(frozenset(numbers))
    return None if cell is None or len(units - {None}) > 1 else (cell, next(iter(units - {None}), None))


def _parse_text(text: str, hierarchy: Hierarchy | None, missing: frozenset[str]) -> Cell:
    """Return the cell of a label, set, list, masked prefix or, without a hierarchy, of any text."""
    if _is_label(text, hierarchy):
        return ValueSet(frozenset(_leaves([text], hierarchy)))
    members = _braced(text) or _listed(text, hierarchy)
    if members == [text] and (masked := _TEXT_MASK.fullmatch(text)) is not None:
        return Masked(masked[1], len(text))
    if any(_is_unknown(member, missing) for member in members):
        return Anything()
    members = [member for member in members if member]
    unlabelled = [member for member in members if not _is_label(member, hierarchy)]
    if any(member.endswith("*") for member in unlabelled):
        raise CellError(
            say("a member of the set is masked"), say("write the set as one masked prefix, or spell it out")
        )
    if hierarchy is not None and (unlabelled or not members):
        raise CellError(
            say("the cell is not a label of the column's hierarchy"), say("add the label to the hierarchy file")
        )
    return ValueSet(frozenset(_leaves(members, hierarchy)))


def unmasked(text: str) -> str:
    """Return what a text shows before its mask; the whole text if it has none.

    >>> unmasked("204**"), unmasked("204")
    ('204', '204')
    """
    masked = _TEXT_MASK.fullmatch(text)
    return text if masked is None else masked[1]


def _listed(text: str, hierarchy: Hierarchy | None) -> list[str]:
    """Return the parts of a list; without a hierarchy also the whole text, which may be a single value."""
    members = _split(text)
    if members is None:
        return [text]
    return members if hierarchy is not None else [*members, text]
