"""Naming: what the names of columns, and of releases, say."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from operator import eq

from audit.io.notations import words_in

# -- releases ---------------------------------------------------------------------------------------------------------


_MONTHS = (
    "january januar janvier enero jan jaenner janner ene",
    "february februar fevrier febrero feb fev",
    "march maerz marz mars marzo mar mrz",
    "april avril abril apr avr abr",
    "may mai mayo",
    "june juni juin junio jun",
    "july juli juillet julio jul",
    "august aout agosto aug ago",
    "september septembre septiembre sep sept",
    "october oktober octobre octubre oct okt",
    "november novembre noviembre nov",
    "december dezember decembre diciembre dec dez dic",
)
_ORDINALS = (
    "first erste erster erstes premier premiere primera primer primero i one eins un uno una winter hiver invierno",
    "second zweite zweiter zweites deuxieme seconde segunda segundo ii two zwei deux dos spring fruehling fruhling "
    "fruhjahr printemps primavera",
    "third dritte dritter drittes troisieme tercera tercer tercero iii three drei trois tres summer sommer ete verano",
    "fourth vierte vierter viertes quatrieme cuarta cuarto iv four vier quatre cuatro autumn fall herbst automne otono",
    "fifth fuenfte funfte funfter funftes cinquieme quinta quinto v five funf cinq cinco",
    "sixth sechste sechster sechstes sixieme sexta sexto vi six sechs seis",
    "seventh siebte siebter siebtes septieme septima septimo vii seven sieben siete",
    "eighth achte achter achtes huitieme octava octavo viii eight acht huit ocho",
    "ninth neunte neunter neuntes neuvieme novena noveno ix nine neun neuf nueve",
    "tenth zehnte zehnter zehntes dixieme decima decimo x ten zehn dix diez",
)
_NUMBERS = {word: at for words in (_ORDINALS, _MONTHS) for at, line in enumerate(words, 1) for word in line.split()}
MONTHS = frozenset(word for line in _MONTHS for word in line.split())
"""The names of months in four languages, without accents."""
_PARTS = re.compile(r"([0-9]+)(?:st|nd|rd|th|ere?|eme|e|o|a)?(?![a-z0-9])|([0-9]+)|([a-z]+)")
_MONTH_AND_YEAR = re.compile(r"(?<![0-9])(0[1-9]|1[0-2])((?:19|20)[0-9]{2})(?![0-9])")
_YEARS = range(1900, 2100)
_MONTHS_OF_YEAR = 12
_QUARTER = re.compile(r"\bq\b|0q0|q0|quart|t0|trimest|vierteljahr")
_OF_A_YEAR = re.compile(
    r"\b(?:12|twelve|zwolf|douze|doce) (?:\w+ )?(?:months?|monate?n?|mois|meses)\b|\byears? (?:ended|ending|to)\b"
    r"|\brolling\b|\bgleitend|\bglissant|\bmovil|\b(?:jahr|zwolfmonatszeitraum) bis\b|\bannee (?:terminee|jusqu)"
    r"|\bano (?:terminado|hasta)\b"
)


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that orders numbers inside names by value.

    >>> sorted(["r10.csv", "r2.csv"], key=natural)
    ['r2.csv', 'r10.csv']
    """
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]+", name)
    return [(0, int(p), "") if p.isascii() and p.isdigit() and len(p) < 19 else (1, 0, p) for p in parts]


def in_time(names: Iterable[str]) -> tuple[list[str], bool]:
    """Return names of releases in the order of publication, and whether they show this order.

    Numbers and names of months show it where the names are alike otherwise, or if each has another year. Seasons and
    ordinals in words may do so, as may days before or behind months.

    >>> in_time(["2023-10", "2023-2"]), in_time(["11/2022", "02/2023"]), in_time(["April 2023", "Januar 2023"])
    ((['2023-2', '2023-10'], True), (['11/2022', '02/2023'], True), (['Januar 2023', 'April 2023'], True))
    >>> in_time(["autumn", "spring", "summer"]), in_time(["VIII", "IX"]), in_time(["klinik_2", "hospital_1"])
    ((['spring', 'summer', 'autumn'], False), (['VIII', 'IX'], False), (['hospital_1', 'klinik_2'], False))
    """
    read = {name: _read(name) for name in names}
    order, other = (sorted(read, key=lambda name: (_readings(read[name][0])[at], natural(name))) for at in (0, 1))
    years = [[number for number in numbers if number in _YEARS] for numbers, _, _ in read.values()]
    is_yearly = all(len(each) == 1 for each in years) and len({each[0] for each in years}) == len(read)
    is_alike = len({rest for _, rest, _ in read.values()}) == 1 and all(clear for _, _, clear in read.values())
    return order, len(read) < 2 or is_yearly or (is_alike and order == other)


def named_like(name: str, others: Iterable[str]) -> bool:
    """Return whether a name differs from one of the others by its numbers or months alone.

    >>> named_like("taxes_2023", ["taxes_2021", "taxes_2022"]), named_like("roll_2023", ["taxes_2021"])
    (True, False)
    """
    return any(_read(name)[1] == _read(other)[1] for other in others)


def most_like(name: str, others: Iterable[str]) -> str | None:
    """Return the last of the names that differ from one by the fewest numbers or months, and by nothing else.

    >>> most_like("t1_2024", ["t1_2022", "t1_2023", "t2_2023"]), most_like("roll_2024", ["t1_2023"])
    ('t1_2023', None)
    """
    numbers, rest, _ = _read(name)
    alike = {other: read[0] for other in others if (read := _read(other))[1] == rest}
    return max(reversed(alike), key=lambda other: sum(map(eq, alike[other], numbers)), default=None)


def are_a_year(names: Sequence[str]) -> bool:
    """Return whether the last name completes the quarters, or the months, of its year.

    >>> are_a_year(["2024-Q4", *(f"2025-Q{n}" for n in (1, 2, 3, 4))]), are_a_year(["2025-Q1", "2025-Q2"])
    (True, False)
    """
    read = [_read(name)[:2] for name in names]
    year = next((number for number in read[-1][0] if number in _YEARS), None)
    parts = [sorted({*numbers} - {year}) for numbers, rest in read if year in numbers and rest == read[-1][1]]
    return sorted(parts) in ([[part] for part in range(1, most + 1)] for most in (4, 12))


def is_of_a_year(text: str) -> bool:
    """Return whether a text speaks of a year that may begin in any month.

    >>> [is_of_a_year(text) for text in ("12_months_to_March", "Zwölf Monate bis Juni", "année glissante", "2024")]
    [True, True, True, False]
    """
    return _OF_A_YEAR.search(re.sub(r"[\W_]+", " ", without_accents(text))) is not None


def month_of(name: str) -> int | None:
    """Return the last month or quarter that a name has, in months since the year 0, by the end of the quarter.

    >>> [month_of(name) for name in ("12 months to March 2024", "2024_Q1", "31.03.2024", "2024-03", "2023/24")]
    [24291, 24291, 24291, 24291, None]
    """
    numbers, rest, _ = _read(name)
    at = max((place for place, number in enumerate(numbers) if number in _YEARS), default=-1)
    beside = [*reversed(numbers[max(0, at - 1) : max(0, at)]), *numbers[at + 1 : at + 2]] if at >= 0 else []
    part = next((number for number in beside if 1 <= number <= _MONTHS_OF_YEAR), None)
    length = 3 if _QUARTER.search(rest) else 1
    return None if part is None or part * length > _MONTHS_OF_YEAR else _MONTHS_OF_YEAR * numbers[at] + part * length


def _read(name: str) -> tuple[tuple[int, ...], str, bool]:
    """Return the numbers in a name, what it has beside them, and whether no number is a word other than a month."""
    text = without_accents(_MONTH_AND_YEAR.sub(r"\1 \2", name))
    numbers, rest, is_clear, end = list[int](), list[str](), True, 0
    for part in _PARTS.finditer(text):
        ordinal, digits, word = part.groups()
        is_prefix = word is not None and len(word) == 1 and text[part.end() : part.end() + 1].isdigit()
        number = int(ordinal or digits) if word is None else None if is_prefix else _NUMBERS.get(word)
        rest += [text[end : part.start()], word if number is None else "0"]
        if number is not None:
            numbers.append(number)
            is_clear &= not word or word in MONTHS
        end = part.end()
    return tuple(numbers), "".join([*rest, text[end:]]), is_clear


def without_accents(name: str) -> str:
    """Return a name in lower case without accents."""
    return "".join(each for each in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(each))


def _readings(numbers: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two ways to sort, the likelier first: from the year on; behind it days, months or both in either order."""
    at = next((at for at, number in enumerate(numbers) if number in _YEARS), None)
    if at == 0:
        return numbers, numbers
    if at is None:
        return numbers, numbers[::-1]
    beside = numbers[:at] + numbers[at + 1 :]
    return (numbers[at], *beside[::-1]), (numbers[at], *beside)


# -- columns ----------------------------------------------------------------------------------------------------------


def _ids(stems: str) -> re.Pattern[str]:
    number = "numero|num|no|nr|nbr|number|nummer|reference|referenz|referencia|ref"
    return re.compile(f"((id|{number})(de|du|del)?)?({'|'.join(stems.split())})(id|{number})?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KINDS = {
    "group": _ids(
        "group qigroup class eqclass equivalenceclass bucket cluster partition block gruppe gruppen klasse "
        "aquivalenzklasse groupe grupo gruppo gid ec eq"
    ),
    "count": _ids("counts? n cnt freq frequency multiplicity anzahl haufigkeit effectif cantidad conteggio"),
    "person": _ids(
        "owner person patient individual subject ssn customer client user username fullname member employee student "
        "participant respondent mrn utr patienten versicherten kunde kunden proprietaire propietario paciente paziente "
        "pupil upn schuler eleve alumno taxpayer steuer contribuable contribuyente pat proband mitarbeiter personal "
        "matrikel burger kvnr svnr ahv einwohnernr einwohnernummer assure usager salarie allocataire nir ipp nsecu "
        "securitesociale nhs nino nationalinsurance socialsecurity dni nif nss bsn codicefiscale "
        "pid pidp pers persnr persid persnum pnr pnum xwaveid nomemencr"
    ),
    "record": _ids(
        "record case pseudonyme? pseudoid seudonimo token hash entry encounter visit fall satz datensatz "
        "aktenzeichen dossier caso"
    ),
    "id": _ids(
        "id reference name uid hid hidp hhid guid uuid identifier identifiant identificador kennung nombre nom nome"
    ),
}
_WAVES = _words(
    "wave waves year quarter month period round release snapshot welle jahr quartal monat erhebung stichtag vague "
    "annee trimestre mois periode ola ano mes periodo census term semester sweep recensement enquete censo encuesta"
)
ID_KINDS = ("person", "record", "id", "content")  # the surest first; the last is recognised by cells
_HOW_MANY = _words("num number no nr count anzahl nombre numero")
_SENSITIVE = {
    10: _words(
        "sensitive secret disease diagnosis diagnoses diag illness condition disorder icd icd9 icd10 hiv symptom "
        "medication treatment krankheit diagnose maladie diagnostic diagnostico enfermedad malattia diagnosi ziekte "
        "sen disability behinderung handicap discapacidad pathology pathologie pathologies patologia patologias "
        "erkrankung erkrankungen therapy therapie medikament medikation medicament comorbidity comorbidite"
    ),
    8: _words(
        "salary income wage wages earnings pay gehalt einkommen einkunfte lohn salaire revenu salario ingreso "
        "stipendio renta rentas rendimiento baseimponible imponible liquidable patrimonio cuota cuotas sueldo nomina "
        "retribucion remuneracion prestacion prestaciones subsidio pension pensiones jubilacion deuda deudas "
        "impuesto irpf "
        "wealth networth assets debt debts benefit allowance taxable taxband taxbracket taxclass taxpaid taxdue "
        "incometax steuerklasse einkommensteuer steuerpflichtiges vermogen bruttolohn nettolohn stundenlohn monatslohn "
        "jahreslohn lohnstufe lohngruppe lohnklasse verdienst leistung sozialhilfe burgergeld wohngeld rente schulden "
        "patrimoine impot impots imposable imposition allocation prestation remuneration traitement retraite fortune "
        "dette dettes reddito patrimonio imposta inkomen uitkering"
    ),
    7: _words(
        "occupation profession job religion orientation beruf metier ocupacion profesion professione beroep konfession "
        "opinion politics political politique politico partei parti partido gewerkschaft syndicat"
    ),
    5: _words(
        "value score result outcome target label wert valeur valor valore health gesundheit sante salud salute "
        "scghq1 scghq2 scsf1 employment empstat jbstat"
    ),
}
_PLACES = _words(
    "zip zipcode postcode postal country state city town region county district province municipality gor lsoa msoa "
    "nuts zona zone area ward barrio distrito comarca municipio localidad quartier arrondissement canton kanton bezirk "
    "stadtteil gemeinde plz postleitzahl wohnort ort land pays ville departement cp pais ciudad provincia comune cap"
)
_QUASI = _PLACES | _words(
    "age sex gender race ethnicity ethnic birth birthdate birthday birthplace birthyear dob born nationality native "
    "education degree marital relationship address height alter geschlecht geburt bildung familienstand "
    "staatsangehorigkeit sexe naissance edad sexo nacimiento eta sesso nascita leeftijd geslacht"
)
_INSTITUTIONS = _words(
    "authority borough gebiet kreis landkreis commune comunidad trust icb hospital school practice provider schule "
    "krankenhaus klinik ecole hopital etablissement academie escuela colegio centro"
)
_WEIGHTS = _words(
    "weight weights weighting wgt gewicht gewichtung gewichtungsfaktor hochrechnungsfaktor hochrechnung poids "
    "ponderation ponderacion peso pond extri fexp extrapolation elevacion"
)
_BODIES = _words("body birth kg kilo kilos lb lbs korper geburt corporel naissance corporal nacer nacimiento")
_HOUSEHOLDS = _words(
    "household households menage menages foyer foyers haushalt haushalts haushalte hogar hogares vivienda"
)
_POSTAL = _words("zip zipcode postcode postal plz postleitzahl cp")
_TOPICS = {
    "postal": _POSTAL,
    "birth": _words("birth birthdate birthday birthyear dob born geburt geboren naissance nacimiento nascita"),
    "sex": _words("sex gender geschlecht sexe genre sexo genero sesso geslacht"),
}
_PEOPLES_NAMES = _words(
    "name names surname forename firstname lastname fullname namen nachname vorname vornamen familienname geburtsname "
    "rufname zuname nom noms prenom prenoms patronyme nombre nombres apellido apellidos nome cognome naam voornaam "
    "achternaam"
)
_BESIDE_NAMES = _words(
    "first last given family full middle christian maiden of the person elector voter and und et y d de du l naissance "
    "famille usage usuel marital personne electeur primer segundo"
)
_COMING = _words(
    "first from start entry arrival admission alta entrada inicio entree debut arrivee von beginn zugang aufnahme"
)
_CASE_IDS = _ids("case encounter visit stay episode fall falls los sejour visite hospitalisation ingreso episodio caso")
_CASES = _words(
    "admission admissions admitted discharge discharged encounter episode episodes visit stay aufnahme "
    "aufnahmedatum aufnahmemonat aufnahmejahr entlassung entlassungsdatum entlassdatum verweildauer sejour "
    "hospitalisation hospitalization ingreso episodio estancia besuch"
)
_LEAVING = _words("to until end exit departure discharge baja salida fin sortie depart bis ende abgang entlassung")
_ENDS_OF_WAVES = (  # beside "wave" and the like
    _words("premiere premier erste erster erstes primera primer first"),
    _words("derniere dernier letzte letzter letztes ultima ultimo last"),
)
COUNTED = (
    "MEASURE_VALUE", "METRIC_VALUE", "MEASURE_VALUE_SUPPRESSED", "OBS_VALUE", "count", "n", "number", "value",
    "patients", "admissions", "cases", "people", "persons", "headcount", "pupils", "attendances", "stays", "freq",
    "frequency", "obs", "deaths", "births", "usage", "enterprises", "anzahl", "fälle", "personen", "nombre", "effectif",
    "effectifs", "número", "patient_list_size", "casos", "cantidad", "cnt", "total_count",
)  # fmt: skip
"""Names of columns with counts, the surest first."""


_COUNT_WORDS = _words(
    "count counts cnt n number num cases deaths births patients people persons admissions pupils students benes "
    "anzahl faelle falle fallzahl fallzahlen nombre nb cas effectif effectifs casos numero headcount freq frequency "
    "tot deces nacidos gestorbene overledenen offences observation observations obs schuler schueler eleves alumnos "
    "einwohner declarantes contribuyentes"
)
NUMBERINGS = _words(
    "ags nr nummer lfd schlussel schluessel schlusselnr schlusselnummer schluesselnummer gemeindeschlussel "
    "gemeindeschluessel kreisschlussel kreisschluessel regionalschlussel regionalschluessel gemeindenummer kreisnummer "
    "kennziffer gemeindekennziffer insee codes codigos clave"
)
"""Words of the names of columns whose numbers stand for labels, such as the official key of a place."""
_CODE_WORDS = NUMBERINGS | _words(
    "code codigo id ids fips geoid dguid gss ons vector coordinate key uid nuts order sort rowkey decimals"
)
_CODES = re.compile(r"C[0-9]+V[0-9]+|TLIST\(.*\)|STATISTIC|_id")  # of PxStat, and of open data
_LONG_WORD = 6  # words of this length are also found inside compounds


def is_postal(name: str) -> bool:
    """Return whether a name is that of a postcode.

    >>> is_postal("PLZ"), is_postal("Código postal"), is_postal("Age")
    (True, True, False)
    """
    return any(word in _POSTAL for word in words_in(name))


def names_places(name: str) -> bool:
    """Return whether a name is that of places, areas or institutions.

    >>> names_places("commune"), names_places("Wohnort"), names_places("Age")
    (True, True, False)
    """
    return _speaks_of(name, _PLACES | _INSTITUTIONS)


def is_weight(name: str) -> bool:
    """Return whether a name is that of the weights of a survey, not of bodies.

    >>> is_weight("Hochrechnungsfaktor"), is_weight("Poids (calé)"), is_weight("Height"), is_weight("Geburtsgewicht")
    (True, True, False, False)
    """
    return _speaks_of(name, _WEIGHTS) and not _speaks_of(name, _BODIES)


def is_of_household(name: str) -> bool:
    """Return whether a name says that all people of a household have the value in common.

    >>> is_of_household("Revenu mensuel du ménage"), is_of_household("Haushaltseinkommen"), is_of_household("Income")
    (True, True, False)
    """
    return _speaks_of(name, _HOUSEHOLDS)


def topic(name: str) -> str | None:
    """Return what a name is about, if columns of other names about it hold the same: birth, postcode or sex.

    >>> topic("Année de naissance"), topic("DOB"), topic("Geschlecht"), topic("Birthplace")
    ('birth', 'birth', 'sex', None)
    """
    return next((topic for topic, keys in _TOPICS.items() if _speaks_of(name, keys) and "place" not in name), None)


def stay(names: Collection[str]) -> list[str]:
    """Return the columns that say by their names when a person comes and leaves; none unless there is one of each.

    >>> stay(["NIF", "Baja", "Fecha de alta"]), stay(["Aufnahme", "Zugang", "Abgang"])
    (['Fecha de alta', 'Baja'], [])
    >>> stay(["Dernière vague", "Première vague"]), stay(["First name", "Last name"])
    (['Première vague', 'Dernière vague'], [])
    """
    found = [
        [name for name in names if not (some | ends if names_waves(name) else some).isdisjoint(words_in(name))]
        for some, ends in zip((_COMING, _LEAVING), _ENDS_OF_WAVES, strict=True)
    ]
    return [name for own in found for name in own] if [*map(len, found)] == [1, 1] else []


def names_cases(name: str) -> bool:
    """Return whether a name is about cases, such as visits to a hospital, of which one person may have several.

    >>> [
    ...     name
    ...     for name in ("Fallnummer", "Admission month", "Durée du séjour", "LOS", "Fall term", "Nivel de los padres")
    ...     if names_cases(name)
    ... ]
    ['Fallnummer', 'Admission month', 'Durée du séjour', 'LOS']
    """
    words = words_in(name)
    return not _CASES.isdisjoint(words) or _CASE_IDS.fullmatch("".join(words)) is not None


def names_people(name: str) -> bool:
    """Return whether a name is that of a column with the names of people.

    >>> names_people("Nom d'usage"), names_people("Surname"), names_people("hospital name"), names_people("Famille")
    (True, True, False, False)
    """
    found = {*words_in(name)}
    return not _PEOPLES_NAMES.isdisjoint(found) and found <= _PEOPLES_NAMES | _BESIDE_NAMES


def kind(name: str) -> str | None:
    """Return the kind of column that a whole name means: `group`, `count`, one of `ID_KINDS`, or None.

    >>> kind("Numéro de patient"), kind("Pat.-Nr."), kind("Taxpayer reference"), kind("number of patients")
    ('person', 'person', 'person', None)
    """
    return next((kind for kind, pattern in _KINDS.items() if pattern.fullmatch("".join(words_in(name)))), None)


def names_pseudonyms(name: str) -> bool:
    """Return whether a name is that of pseudonyms, which stand for people rather than for their records.

    >>> names_pseudonyms("Patienten-Pseudonym"), names_pseudonyms("Seudónimo"), names_pseudonyms("Fall")
    (True, True, False)
    """
    return any("seudo" in word for word in words_in(name))


def names_waves(name: str) -> bool:
    """Return whether a name suggests that its column says when the row was collected.

    >>> (
    ...     names_waves("Erhebungsjahr"),
    ...     names_waves("survey_wave"),
    ...     names_waves("yearly income"),
    ...     names_waves("Geburtsjahr"),
    ... )
    (True, True, False, False)
    """
    last = words_in(name)[-1:]
    return (
        bool(last)
        and topic(name) != "birth"
        and (last[0] in _WAVES or any(last[0].endswith(key) for key in _WAVES if len(key) > 3))
    )


def is_quasi(name: str) -> bool:
    """Return whether a name is common for quasi-identifiers."""
    return _speaks_of(name, _QUASI)


def may_nest(one: str, other: str) -> bool:
    """Return whether two names suggest that what one column has lies in what the other has: places, or what is unknown.

    >>> (
    ...     may_nest("Local authority", "Regierungsbezirk"),
    ...     may_nest("Course", "Faculty"),
    ...     may_nest("School", "Course"),
    ...     may_nest("Age band", "Sex"),
    ... )
    (True, True, False, False)
    """
    are_places = {*map(names_places, (one, other))}
    return len(are_places) == 1 and (are_places == {True} or not (is_quasi(one) or is_quasi(other)))


def sensitivity(name: str) -> int:
    """Return how strongly a name suggests that its column is sensitive, from 0 to 10.

    >>> [*map(sensitivity, ("Hauptdiagnose", "Pathologie principale", "number of diagnoses", "Target"))]
    [10, 10, 0, 5]
    """
    counts = _HOW_MANY.issuperset(words_in(name)[:1])
    return 0 if counts else max((weight for weight, keys in _SENSITIVE.items() if _speaks_of(name, keys)), default=0)


def _speaks_of(name: str, keys: frozenset[str]) -> bool:
    found = {*words_in(name), "".join(words_in(name))}
    return not keys.isdisjoint(found) or any(len(key) >= _LONG_WORD and key in word for key in keys for word in found)


def speaks_of_counts(name: str) -> bool:
    """Return whether a column's name suggests that it holds counts.

    >>> speaks_of_counts("Bene_Feml_Cnt"), speaks_of_counts("age")
    (True, False)
    """
    return name.casefold() in {each.casefold() for each in COUNTED} or not _COUNT_WORDS.isdisjoint(words_in(name))


def names_codes(name: str) -> bool:
    """Return whether a column's name says that it has codes or numbers in place of labels.

    >>> [
    ...     *map(
    ...         names_codes,
    ...         ("Schlüssel-Nr.", "AGS", "Code INSEE", "Código", "Nr. der Fälle", "No. of cases", "Index (2015 = 100)"),
    ...     )
    ... ]
    [True, True, True, True, False, False, False]
    """
    if is_numbering(name):
        return not speaks_of_counts(name)
    return bool(_CODES.fullmatch(name)) or not _CODE_WORDS.isdisjoint(words_in(name))


def is_numbering(name: str) -> bool:
    """Return whether it is only by a word such as `Nr.`, which counts may have, too, that a name says so."""
    found = _CODE_WORDS.intersection(words_in(name))
    return bool(found) and found <= NUMBERINGS and not _CODES.fullmatch(name)
