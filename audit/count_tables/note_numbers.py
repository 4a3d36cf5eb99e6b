"""Numbers in the lines beside a table (titles, notes): which may be counts that the table does not publish.

What such a line says of the tables is not read: most of them are about dates, sources and rules. A number that is
recognised as none of these may be a count, so that the publisher has to read the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from audit.count_tables.acro_sessions import SESSION
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import Interval, number_of, said_range
from audit.io.foreign_files import WORKBOOKS, read_foreign
from audit.io.naming import MONTHS
from audit.io.notations import plain
from audit.io.table_forms import form_of, legend, lines_beside
from audit.io.tables import header
from audit.model.arrays import UNBOUNDED
from audit.model.errors import Problems

_WORDS = {
    word: str(number)
    for number, words in enumerate(
        ("two zwei zweier deux dos beide beiden beider ambos ambas twins zwillinge jumeaux jumelles mellizos",
         "three drei dreier trois tres triplets drillinge triplés triplées trillizos",
         "four vier quatre cuatro", "five fünf cinq cinco", "six sechs seis", "seven sieben sept siete",
         "eight acht huit ocho", "nine neun nueve", "ten zehn dix diez", "eleven elf onze",
         "twelve zwölf douze doce dozen dutzend douzaine docena"), 2
    )
    for word in words.split()
}  # fmt: skip
_A_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(_WORDS)})(?![\w-])")
_PERSON = (
    r"(?:(?:fe)?male|(?:wo)?man|girl|boy|child|person|pupil|student|patient|resident|case|death|birth|victim|frau|mann|"
    r"mädchen|junge|kind|[\w-]*fall|schüler(?:in)?|patientin|femme|homme|fille|garçon|enfant|personne|élève|décès|cas|"
    r"mujer|hombre|niñ[oa]|persona|caso|alumn[oa]|paciente|muerte|fallecid[oa])\b(?! households?)"
)
_PEOPLE = (
    r"(?:(?:fe)?males|(?:wo)?men|girls|boys|children|people|persons|pupils|students|patients|residents|cases|deaths|births|"
    r"victims|femmes|hommes|filles|garçons|enfants|personnes|élèves|décès|cas|frauen|männer|mädchen|jungen|kinder|personen|"
    r"menschen|fälle|schüler(?:innen)?|patient(?:inn)?en|mujeres|hombres|niñ[oa]s|personas|casos)\b"
)
_ONE = re.compile(
    r"(?<!than )(?<!least )(?<!no )(?<!any )(?<!each )(?<!this )(?<!every )(?<!per )(?<!or )(?<!which )(?<!to )"
    rf"(?<![\w-])one(?![\w-])(?! (?:of(?! (?:them|(?:these|those|the) {_PEOPLE}))|or|another|decimal|record|row|"
    r"year|time)\b)|"
    r"(?:(?<=darunter )|(?<=darunter ist )|(?<=darunter war )|(?<=davon )|(?<=davon ist )|(?<=davon war )|"
    r"(?<=nur )|(?<=genau )|(?<=lediglich )|(?<=dont )|(?<=seulement )|(?<=s[oó]lo ))"
    r"(?:eine?r?|une?|una)\b|\b(?:une? seule?|una? sol[oa]|a single)\b|"
    r"(?<!no )(?<!any )(?<!each )(?<!every )(?<!keine )(?<!jede )"
    rf"\b(?:single|sole|lone|only|isolated|seule?|únic[oa]|einzelne[nrms]?) {_PERSON}|"
    r"(?<!\bkeine )(?<!\bkein )(?<!\bals )\b(?:eine?[nrms]? )?einzige[nrms]?\b|"
    r"\bcas (?:isolé|unique)\b|\bcaso (?:aislado|único)\b|(?<!\bim )(?<!\bin )\beinzel(?:fall|person)\b|"
    r"\beine?[rs]? (?:davon|von ihnen)\b|\bl?'?une? d'(?:elles|eux|entre (?:elles|eux))|\bun[oa] de ell[oa]s\b"
)
_NO_NUMBER = r"(?! (?:[0-9]|fewer|less|more|weniger|mehr|moins|plus|menos|más|two|zwei|deux|dos)\b)"
_PROTECTS = (
    r"\b(?:to protect|zum schutz|pour protéger|para proteger) (?:an)?(?:other|ander|weiter|d.autre|une autre|otr)\w*\b"
)
ALSO_OTHERS = re.compile(
    r"secondar|sekundär|secondaire|secundari|complement|complément|gegengesperr|gegensperr|consequential|induits?\b|"
    rf"\b(?:and|or|und|oder|bzw\.|sowie|et|ou|ainsi que|y|o)\b{_NO_NUMBER}[^.;]{{0,60}}?{_PROTECTS}"
    rf"(?!['’]| {_PEOPLE})|"
    rf"{_PROTECTS} (?:\w+ )?(?:cell|value|figure|count|wert|zelle|zahl|valeur|cellule|valor|celda)\w{{0,2}}\b|"
    rf"\b(?:or|oder|bzw\.|sowie|ou|ainsi que|o)\b{_NO_NUMBER}[^.;]{{0,60}}?\b(?:suppress|withh|hidden|masked|disclos|"
    r"gesperrt|unterdrückt|geheim|verdeckt|masqu|supprim|secret|confiden|ocult|suprim)",
    re.IGNORECASE,
)
"""Words of a note on a sign which also stands for cells that are hidden to protect others, and may have any count."""
_WORDS_READ = 16
_COUNTED_UP = re.compile(r"\b([0-9]{1,3})(?:, [0-9]{1,3})+,? (?:or|oder|ou|o|and|und|et|y) ([0-9]{1,3})\b")
_TWO = re.compile(r"(?<![\w-])both(?![\w-])(?! (?:[\w-]+ ){1,2}and\b)")
_HALF_A_DOZEN = re.compile(r"\b(?:half (?:a )?dozen|halbe[sn]? dutzend|demi-douzaine|media docena)\b")
# "neuf" is new as well, and "once" is English, too.
_BEFORE_PEOPLE = re.compile(
    rf"(?<![\w-])neuf(?= {_PEOPLE})|"
    r"(?<![\w-])(once)(?= (?:mujer|hombre|niñ|persona|caso|alumn|paciente|muerte|fallecid)\w*s\b)"
)
_N = r"[0-9]+(?:[.,'][0-9]+)*"
_AND = r"(?: ?(?:-|/|to|and|or|bis|und|oder|à|et|ou|a|y|o) ?)"
_MANY = rf"{_N}(?:{_AND}{_N})*"
_LISTED = rf"{_N}(?:(?:,|{_AND}) ?{_N})*"
_ACCENTED = ("märz", "jänner", "février", "août", "décembre")
_MONTH = rf"(?:{'|'.join(sorted([*MONTHS, *_ACCENTED], key=len, reverse=True))})\b\.?"
_YEAR = "(?:1[5-9]|20|21)[0-9]{2}"
_DAY = r"[0-9]{1,2}(?:\.|st|nd|rd|th|er)?"
_REFERENCES = (
    "tables?|figures?|charts?|sheets?|pages?|pp?\\.|(?:foot)?notes?|annex(?:es)?|appendi(?:x|ces)|sections?|chapters?|"
    "version|release|no\\.|nr\\.|article|art\\.|§|key stage|year group|years?|quarter|week|wave|tabellen?|tab\\.|"
    "abbildung|abb\\.|seiten?|anmerkung(?:en)?|fußnoten?|anhang|abschnitt|kapitel|quartal|kw|woche|heft|tableaux?|"
    "graphiques?|remarques?|trimestre|semaine|semana|cuadros?|tablas?|páginas?|notas?|anexo|stufe|jahrgang"
)
_HARMLESS = re.compile(
    "|".join(
        (
            r"(?:https?://|www\.)\S+|\S+@\S+",
            r"(?:tel(?:ephone|efon|éfono)?|phone|fon|tél(?:éphone)?|fax|contact)\b[^0-9+]{0,12}\+?[0-9][0-9 ()/-]*",
            r"(?:\+|\b00|\b0)[0-9][0-9 ()/-]{6,}",
            r"^(?:(?:notes?|notas?|anmerkung(?:en)?|hinweise?|fußnoten?|remarques?) ?: ?)?\W*[0-9]{1,2}[.)\]](?= )|"
            r"\[[0-9]{1,2}\]|^\([0-9]{1,2}\)",
            r"(?:^|[;,] ?)[0-9]+ ?= ",
            r"[0-9]{1,4}([./-]) ?[0-9]{1,2}\1(?: ?[0-9]{2,4})?",
            rf"{_YEAR}(?:[/-][0-9]{{1,4}})?(?![0-9])|\bn(?:°|[or]\.?) ?[0-9]+/{_YEAR}|[0-9]{{1,2}}/{_YEAR}",
            r"(?<!\w)[a-z] [ivx]+ [0-9]{1,2} ?- ?(?:hj|vj|j|m) ?[0-9]{0,2} ?/ ?(?:20)?[0-9]{2}(?= ?(?:[^\w ]|$))",
            r"§ ?[0-9]+[a-z]?\b(?:,? (?:abs\.|absatz|satz|nr\.) ?[0-9]+)*|\bbgbl\. [ivx]+ s\. [0-9]+",  # of laws
            r"[0-9]{1,2}:[0-9]{2}|[0-9]{1,2}\.[0-9]{2}(?: ?[ap]m| uhr)",
            rf"{_DAY}(?: (?:of|de|do))? {_MONTH}|{_DAY}{_AND}{_DAY} {_MONTH}",
            rf"{_MONTH} {_DAY}(?=,? {_YEAR}|\W*$|[,.;)])",
            r"[0-9]+(?:st|nd|rd|th|er|ère|e|º|ª)\b",
            rf"\b(?:{_REFERENCES}) ?{_MANY}(?: ?[a-z])?(?= ?(?:[^\w ]|$|of\b|in\b|and\b))",
            r"(?:per|pro|je|pour|por) (?:1(?=[.,' ]000)|[0-9]{2,})(?:[.,'][0-9]+)*(?: [0-9]{3})*",
            rf"{_MANY} ?(?:%|‰|per ?cent|prozent|pour cent|por ciento)",
            r"\b(?:aged?|ages|alter\w*|âgée?s?|âge|edad(?:es)?)"
            rf"(?: (?:of|von|de|groups?|from|under|over|unter|über|ab))*:? {_MANY}(?:, {_N}-{_N})*",
            r"\bprecision: [0-9]+|[0-9]{13,}",
            r"[0-9]{1,2}\. (?:klassen?|jahrg\w+|schul\w+|quartals?|(?:viertel|halb)jahre?s?|woche|lebensjahr\w*)\b",
            rf"{_MANY}(?: (?:or more|oder mehr|ou plus|o más))?[ -]?"
            r"(?:years?|yrs?|months?|weeks?|days?|hours?|minutes?|seconds?|decimals?|digits?|significant|"
            r"tables?|categor\w+|columns?|(?:work|spread)?sheets?|workbooks?|tabs?|feuilles?|onglets?|\w*blätter[ns]?|hojas?|"
            r"regions?|nations?|countries|groups?|quarters?|terms?|versions?|points?|"
            r"places|jahr\w*|monat\w*|woche\w*|tage?n?|stunden?|dezimal\w*|nachkomma\w*|stellen?|tabellen?|spalten?|"
            r"gruppen?|quartal\w*|ans?|années?|mois|semaines?|jours?|heures?|décimales?|chiffres? après|tableaux?|"
            r"colonnes?|groupes?|trimestres?|thirds?|drittel|tiers|tercios?|sexe?s|genders|geschlecht\w*|sexos|géneros|areas|"
            r"sources|surveys|datasets|files|releases|periods|gebieten?|quellen?|zeiträumen?|dateien?|enquêtes|périodes|"
            r"fuentes|periodos|encuestas|años?|mes(?:es)?|semanas?|días?|horas?|decimales?|tablas?|columnas?|grupos?)\b",
            r"[£$€] ?[0-9][0-9.,]*",
        )
    )
)
_NAMED = re.compile(
    rf"\b(?=[A-Z])(?i:{_REFERENCES}) ?{_MANY}|\b(?i:tables|notes|figures|key stage|year group)s? {_MANY}|"
    rf"^(?:T|Tab) ?{_MANY}(?= +[^\W\d])(?! +(?i:{_PERSON}|{_PEOPLE}))"  # the number of a table before its title
)
_ROUNDED = re.compile(
    r"(?:\b(?:round\w*|nearest|multiples?|base|gerundet\w*|vielfache\w*|arrondi\w*|redonde\w*|múltiplos?)"
    rf"(?: [^\W\d]+){{0,3}} {_N})|{_N} (?:gerundet|rounded)\b"
)
_OF_VALUES = re.compile(
    r"\b(?:counts?|values?|numbers?|figures?|cells?|frequenc\w+|werten?|fallzahlen?|zahlen(?:werten?)?|häufigkeiten|angaben|"
    rf"effectifs?|valeurs?|nombres?|valor(?:es)?|cifras?|recuentos?|números?)"
    rf"(?: (?:of|from|with|von|mit|de|avec|con))? ({_LISTED})"
)
_NUMBER = re.compile(
    r"(?<!\w)(?<![0-9][.,'/-])[0-9]{1,3}(?:[.,' ][0-9]{3})+(?!\w)|"
    r"(?<!\w)(?<![0-9][.,'/])(?<!\w-)[0-9]+(?![\w]|[.,':][0-9]|-[^\W\d])"
)
_REACH = 5  # words
_TENTHS = "zweite|dritte|vierte|fünfte|sechste|siebte|achte|neunte|zehnte"
_SOME = (
    rf"(?:{_N}|two|three|four|five|six|seven|eight|nine|ten|deux|trois|quatre|cinq|sept|huit|neuf|dix|dos|tres|cuatro|"
    r"cinco|seis|siete|ocho|nueve|diez|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)"
)
_PARTS = (
    "thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|tiers|quarts?|cinquièmes?|sixièmes?|dixièmes?|"
    "tercios?|cuartos?|quintos?|sextos?|décimos?"
)
_PERIODS = "year|month|week|day|wave|quarter|jahr|monat|woche|tag|quartal|schuljahr"
_PERCENT = r"(?:%|‰|per ?cent|prozent|pour cent|por ciento)"
_SHARE = re.compile(
    "|".join(
        (
            rf"{_N} ?(?:{_PERCENT}|percentage points?|points? de pourcentage)",
            r"\b(?:share|proportion|rates?|ratio|anteil\w*|quote|taux|part|proporci[oó]n|tasa)\b"
            r"[^.;]*[^0-9.,]0[.,][0-9]",
            rf"\b(?:a|an|one|two|three|four|un|une|le|les deux|deux|trois|dos|tres) (?:{_PARTS})\b"
            r"(?= (?:of|were|was|are|is|des?|du|del)\b| d'|\W*$)",
            r"(?<!first )(?<!second )(?<!last )(?<!1st )(?<!2nd )(?<!erste )(?<!zweite )(?<!ersten )(?<!zweiten )"
            r"(?<!primera )(?<!segunda )"
            r"\b(?:half|halved|doubled|tripled|twice|thrice|hälfte|halbiert|verdoppelt|verdreifacht|moitié|mitad)\b",
            r"\b(?:ein|zwei|drei|vier|das|dem) (?:drittel|viertel|\w+tel)n?\b|\b(?:drittel|viertel)n? (?:der|aller)\b",
            r"\b(?:every (?:second|third|fourth|fifth|sixth|tenth)|"
            rf"jede[rsmn]? (?:{_TENTHS})[rsmn]?)\b(?! (?:{_PERIODS}))",
            r"\b(?:doppelt|dreimal|halb) so\b|\b(?:la|una) (?:tercera|cuarta|quinta|sexta|décima) parte\b",
            r"\b(?:doubl|tripl)é\w*\b|\b(?:duplic|triplic)\w+",
            rf"\b(?:one|two|three|{_N}) (?:in|out of) (?:every )?{_SOME}\b|\bun[oa] de cada\b|"
            rf"\b(?:une?|deux|{_N}) (?:\w+ )?sur {_SOME}\b|\b(?:eine?[rs]?|{_N}) von {_SOME}\b",
        )
    )
)
_COVERAGE = (
    "response|coverage|completeness|rücklauf\\w*|abdeckung\\w*|erfassungs\\w*|vollständigkeit\\w*|couverture|exhaustivité|"
    "taux de réponse|cobertura|tasa de respuesta"
)
_OF_THE_METHOD = re.compile(
    rf"(?<![0-9.,])100(?:[.,]0+)? ?{_PERCENT}|"
    rf"\b9[0-9](?:[.,][0-9])? ?{_PERCENT}[- ](?:confidence|konfidenz|vertrauens|ci\b|prediction|credib)\w*|"
    rf"(?:confidence|confiance|intervalos?|konfidenz\w*)[^.;]{{0,40}}9[0-9](?:[.,][0-9])? ?{_PERCENT}|"
    rf"\b(?:{_COVERAGE})\b[^.;]{{0,40}}?{_N} ?{_PERCENT}|{_N} ?-?{_PERCENT}[- ]?(?:random |sub)?(?:sample|stichprobe)"
)
"""Percentages of the method, not of people: of sums, confidence intervals, coverage, samples."""


def has_share(text: str) -> bool:
    """Return whether a line has a share of people, as a percentage or a fraction, from which counts may follow.

    >>> has_share("25 % were under 18"), has_share("One in four is a girl"), has_share("Jeder vierte Kranke")
    (True, True, True)
    >>> has_share("May not sum to 100%"), has_share("95% confidence intervals"), has_share("the third quarter")
    (False, False, False)
    """
    return _SHARE.search(_OF_THE_METHOD.sub(" ; ", plain(text))) is not None


def range_within(words: str) -> Interval | None:
    """Return the range of counts that a note names in words; None if it names none.

    >>> range_within("counts from 1 to 4 are hidden"), range_within("1, 2, 3 oder 4"), range_within("confidential")
    ((1, 4), (1, 4), None)
    """
    parts = _COUNTED_UP.sub(r"\1 to \2", words).split()[:_WORDS_READ]
    spans = sorted(combinations(range(len(parts) + 1), 2), key=lambda span: span[0] - span[1])
    return next((ends for a, b in spans if (ends := said_range(" ".join(parts[a:b]).strip(",.;"))) is not None), None)


def noted_range(path: Path, sign: str, without: Container[str] = ()) -> tuple[Interval, str] | None:
    """Return the range of counts for which a sign stands by the notes beside a table, and the text of a note.

    Notes whose texts are in `without` do not count. None if none names a range, or if one says that the sign also
    stands for cells that protect others.
    """
    notes = [(text, words) for _, text in lines_beside(path) for _, words in legend([sign], [text])]
    notes = [(text, words) for text, words in notes if text not in without]
    named = [(ends, text) for text, words in notes if (ends := range_within(words)) is not None]
    if not named or any(ALSO_OTHERS.search(words) for _, words in notes):
        return None
    ranges = [ends for ends, _ in named]
    return (min(low for low, _ in ranges), max(high for _, high in ranges)), named[0][1]


_TO_BASE = re.compile(
    rf"{_ROUNDED.pattern}(?![.,]?[0-9])"
    "(?! (?:decimal|digit|significant|place|dezimal|nachkomma|stelle|d[ée]cima|chiffre|cifra))"
)
_HOW = {
    "random": re.compile(r"random|zuf[aä]ll|aléatoir|aleatori"),
    "down": re.compile(r"\bround\w* down\b|abgerund|inférieur|inferior"),
    "up": re.compile(r"\bround\w* up\b|aufgerund|supérieur|superior"),
}


def noted_rounding(lines: Iterable[str]) -> tuple[int, str, str] | None:
    """Return the base and the kind of rounding that one of the lines states, and its text; None if none does.

    >>> noted_rounding(["Auf 2 Stellen gerundet", "Zahlen sind auf 5 gerundet"])
    (5, 'nearest', 'Zahlen sind auf 5 gerundet')
    """
    for text in lines:
        said = plain(text)
        for found in _TO_BASE.finditer(said):
            base = re.findall("[0-9]+", found[0])[-1]
            if base in (found[0].split()[0], found[0].split()[-1]) and int(base) > 1:
                return int(base), next((how for how, words in _HOW.items() if words.search(said)), "nearest"), text
    return None


def unread_counts(counts: PublishedCounts, min_count: int) -> list[tuple[str, str]]:
    """Return the place and the text of each line beside a table with a number that may be a count it does not publish.

    These are counts below `min_count`, and those that a hidden or rounded number can stand for; beside such numbers
    also shares, from which they may follow. Lines that `not_counts` names are left out.
    """
    files, may_disclose = {part.file.path: part.file.shown for part in counts.parts}, _disclosing(counts, min_count)
    return [
        (f"{shown}:{line}", text)
        for path, shown in files.items()
        for line, text in (lines_beside(path) if path.name != SESSION else ())
        if text not in counts.manifest.not_counts
        and may_disclose(_without_columns(path, shown, _without_number_of_table(path, line, text)))
    ]


def notes_among_rows(counts: PublishedCounts, min_count: int) -> list[tuple[str, str]]:
    """Return the place and the text of each first or last row without a count that may be a note which discloses one.

    Its text are its labels that no row with a count has: of a note in several cells, that is the note.
    """
    found, shown = dict[str, str](), counts.text != ""
    for path in dict.fromkeys(part.file.path for part in counts.parts):
        of_file = [(at, part) for at, part in enumerate(counts.parts) if part.file.path == path]
        parts = [(part, counts.row[shown & (counts.file == at)]) for at, part in of_file]
        last = max((part.table.line(row) for part, rows in parts for row in rows[-1:].tolist()), default=0)
        first = min((part.table.line(int(rows.min())) for part, rows in parts if len(rows)), default=0)
        ends = [
            (part, row)
            for part, rows in parts
            for row in (*range(min(rows.tolist(), default=0)), *range(int(rows.max(initial=-1)) + 1, part.table.rows))
            if not first <= part.table.line(row) <= last
        ]
        if ends:
            may_disclose = _disclosing(counts, min_count)
            known = {labels[row] for part, rows in parts for labels in part.labels.values() for row in rows.tolist()}
            for part, row in ends:
                text = "; ".join(labels[row] for labels in part.labels.values() if labels[row] not in known)
                if may_disclose(re.sub(r"(?<=[).\]]); ", " ", text)):  # "1) see above" begins with a sign, no number
                    found[f"{part.file.shown}:{part.table.line(row)}"] = text
    return [*found.items()]


def _disclosing(counts: PublishedCounts, min_count: int) -> Callable[[str], bool]:
    """Return whether a text has a number that may be a hidden or small count, or a share of one."""
    manifest = counts.manifest
    exact = counts.lower == counts.upper
    published = {*counts.lower[exact & counts.number].tolist(), *map(number_of, {*counts.text.tolist()})}
    ends = {*manifest.markers.values(), *filter(None, map(said_range, manifest.markers))}
    rules = {0, 1, min_count, min_count - 1, *(end + more for pair in ends for end in pair for more in (0, 1))}
    rules |= {manifest.threshold or 0, (manifest.threshold or 1) - 1, manifest.perturbation}
    low, high = np.unique(np.column_stack([counts.lower, counts.upper])[~exact], axis=0).reshape(-1, 2).T
    from_none = bool(((low == 0) & (high < UNBOUNDED)).any())

    def may_disclose(text: str) -> bool:
        return (len(low) > 0 and has_share(text)) or any(
            n < min_count or (n not in published and bool(((low <= n) & (n <= high)).any()))
            for n in numbers_that_may_count(text, rules, min_count)
            if n or from_none
        )

    return may_disclose


_OF_TABLE = re.compile(r"(?:t(?:ab(?:elle|le|leau|la)?)?)?[ _-]?0*([0-9]{1,3})(?![0-9])", re.IGNORECASE)


def _without_number_of_table(path: Path, line: str, text: str) -> str:
    """Return a title without the number with which it and the name of its file or sheet begin, as the table's number.

    A number of people, such as `2 women`, is none.
    """
    name = (read_foreign(path).sheet if path.suffix.lower() in WORKBOOKS else None) or path.stem
    number, header = _OF_TABLE.match(name), form_of(path).header_line(path)
    if number is None or not line.isdigit() or int(line) >= (header or 0):
        return text
    return re.sub(rf"^{number[1]} +(?=[^\W\d])(?!(?i:{_PERSON}|{_PEOPLE}))", "", text)


def _without_columns(path: Path, shown: str, text: str) -> str:
    """Return a line without names of columns that have a number, such as `Kreis 1)`, as a header of two lines has them.

    A name that is a number alone may be a count here.
    """
    for name in sorted(header(path, shown, Problems()) or (), key=len, reverse=True):
        if re.search("[0-9]", name) and re.search(r"[^\W\d_]", name):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", ";", text)
    return text


def numbers_that_may_count(text: str, rules: set[int], min_count: int) -> Iterator[int]:
    """Yield the whole numbers in a line that may be counts: no dates, references, ages, percentages and rules.

    Args:
        text: the line.
        rules: numbers that the rules of the tables name, such as the ends of what a marker stands for.
        min_count: the least count that is not small; a range that begins or ends above it says nothing of small counts.

    >>> say = lambda text: list(numbers_that_may_count(text, {0, 1, 4, 5}, 5))
    >>> say("* In Camden 3 pupils were excluded"), say("Note: of these, two women"), say("Total 12, of which 4 in Bury")
    ([3], [2], [12, 4])
    >>> say("* = 1 to 4; published 12 March 2024"), say("Table 3: 2024/25, rounded to the nearest 10")
    ([], [])
    >>> say("Fewer than 5 are hidden, as are 1-4"), say("fewer than 3 in Bury"), say("3 worksheets and 2 tabs")
    ([], [3], [])
    """
    said = plain(_NAMED.sub(" ; ", text))
    said = _BEFORE_PEOPLE.sub(lambda word: "11" if word[1] else "9", _HALF_A_DOZEN.sub("6", _TWO.sub("2", said)))
    said = _A_WORD.sub(lambda word: _WORDS[word[0]], _ONE.sub("1", said))
    said = _HARMLESS.sub(" ; ", re.sub(r"([<>]=?)", r" \1", said))
    said = _ROUNDED.sub(" ; ", said)

    def is_rule(number: int) -> bool:
        return number in rules or number >= min_count

    listed = (
        found
        for found in _OF_VALUES.finditer(said)
        if all(int(n) < max(rules) or is_rule(int(n)) for n in re.findall("[0-9]+", found[1]))
    )
    covered = [found.span(1) for found in listed]
    words = [*re.finditer(r"\S+", said)]
    for number in _NUMBER.finditer(said):
        if any(start <= number.start() < end for start, end in covered):
            continue
        at = next(place for place, word in enumerate(words) if word.end() > number.start())
        windows = (
            said[words[first].start() : words[last].end()].strip(".,;:()[] ")
            for first in range(max(0, at - _REACH), at + 1)
            for last in range(at, min(len(words), at + _REACH))
            if last - first < _REACH
        )
        ranges = (ends for window in windows if (ends := said_range(window)) is not None)
        if not any(all(map(is_rule, ends)) for ends in ranges):
            yield int(re.sub(r"\D", "", number[0]))
