"""Numbers in titles and notes: rules, dates and references are none that may be counts; everything else may be one."""

import pytest

from audit.count_tables.note_numbers import has_share, numbers_that_may_count
from tests.mutants.mutant import kills

RULES = {0, 1, 4, 5}  # of a table in which a sign stands for 1 to 4, and counts from 5 on are not small

SAY_NOTHING_OF_COUNTS = """\
Figures are rounded to the nearest 5
Numbers have been rounded to the nearest five.
All counts are randomly rounded to base 3.
1. Includes pupils in 2024/25
1. Residents, at the end of March
(1) Estimates are provisional.
[note 1] Data for Year 3 are provisional.
Notes 1 and 2 apply to Table 2.
This workbook contains 3 worksheets.
Ce classeur compte 2 feuilles.
Diese Datei hat 3 Tabellenblätter.
Table 3: Admissions by area and sex, 2023 to 2024
Table 1.2a Exclusions, by local authority
T 1  Opfer von Gewaltdelikten 2023 nach Verwaltungsbezirken, Geschlecht und Alter
T1 Opfer 2023
Tab 2.3 Decesos
Tab. 1 Opfer 2023
Table 1 Victims of violence, 2023
Tableau 1 Victimes de violences
Tabelle 2.3 Opfer von Gewaltdelikten
c = suppressed (1 to 4)
* = 1 to 4
[c] = fewer than 5 people
0 = less than 0.5
'-' means zero; '..' means not available
Counts between 1 and 5 are replaced by *
Cells with 1, 2, 3 or 4 people are suppressed.
Values of 1 to 4 have been suppressed and are shown as 'c'.
Numbers less than 5 have been replaced with an asterisk (*).
* Small numbers, below 5, are not shown
Suppressed if n<5
Fewer than five
Percentages are rounded to 1 decimal place and may not sum to 100%.
The 95% confidence intervals use Byar's method.
Rates are per 100,000 population, mid-2022 estimates.
Rates are per 1,000
Taux pour 1 000 habitants
Einwohner je 1.000
Statistischer Bericht A I 3 - j/23
A IV 2 – j / 2021
Nach § 16 Abs. 4 Satz 2 BStatG
KHStatV vom 10. April 1990 (BGBl. I S. 730)
Règlement (CE) n° 223/2009
Source: DfE, published 12 March 2024
Data are as at 1 April 2023, extracted on March 5, 2024.
Last updated: 14/03/2024 09:30
Reporting period: 2023-04-01 to 2024-03-31
Q1 2024 (January to March)
Contact: statistics@example.org, tel. 020 7946 0123
For further details see https://www.example.org/statistics/3/4
Pupils aged 4 to 15 at 31 August 2023.
Children aged under 5 are included.
2-year average
Key stage 2 pupils. KS4 is in table 5.
A pupil may be counted in more than one area.
Persons may appear in two or more categories.
The two tables count the same people.
COVID-19 admissions, ICD-10 codes U07.1
Open Government Licence v3.0
Age groups: 0-4, 5-9, 10-14
Nota: 1) Datos provisionales
Show Suppressed: True; Precision: 1
Zahlenwerte von 1, 2, 3 oder 4 werden anonymisiert.
Stand: 12.3.2024
Werte von 1 bis 4 werden durch * ersetzt.
Fallzahlen unter 5 werden nicht ausgewiesen.
Die Angaben sind auf ein Vielfaches von 5 gerundet.
Anmerkung: Stichtag 31. Dezember 2023.
1) Einschließlich Schüler der 3. Klasse
Note : les effectifs inférieurs à 5 sont masqués.
s : secret statistique (moins de 5)
Champ : France hors Mayotte, personnes âgées de 15 ans ou plus, au 1er janvier 2024.
Les valeurs entre 1 et 4 sont remplacées par *.
Nota: los valores menores de 5 no se publican.
Los valores de 1 a 4 se sustituyen por *.
Fuente: INE, 12 de marzo de 2024
Quelle: Statistik einer Behörde
Source: a survey of an agency, in one of the regions
Ein Fall ist eine Person, die in einem Krankenhaus behandelt wurde.
Un cas est une personne hospitalisée. Un caso es una persona hospitalizada.
Both sexes, all ages
Both men and women are counted. Only people who were counted once appear.
Only women are counted, once cases are closed; no single person can be recognised.
Beide Geschlechter, alle Altersgruppen
Les deux sexes, un nouveau tableau
Ambos sexos, todas las edades
Im Einzelfall sind Abweichungen möglich; Angaben zu Einzelfällen fehlen.
Single person households, single years of age""".splitlines()

MAY_COUNT = {
    "In Zweibrücken je 3 Fälle": 3,
    "A I 3 - j/23: 3 Fälle": 3,
    "Nach § 16, 3 Fälle": 3,
    "Rates are per 1,000; 3 boys": 3,
    "dont pour 2 femmes de Mayotte": 2,
    "* In Camden 3 pupils were excluded": 3,
    "1. In Camden, three pupils were excluded": 3,
    "Note: of these, 2 women": 2,
    "Total of which 4 in Camden": 4,
    "c = suppressed (1 to 4); in Camden it is 3": 3,
    "Camden: 3": 3,
    "Note: Camden,,3": 3,
    "Camden;3;women": 3,
    "Note: Camden (2 pupils) excluded": 2,
    "One pupil in Camden was excluded": 1,
    "Fewer than 3 pupils in Camden": 3,
    "At least 3 of them in Camden": 3,
    "Counts below 5 are hidden. Hidden in Camden: 3.": 3,
    "In March 3 pupils were excluded": 3,
    "In Table 2 Camden has 3 pupils": 3,
    "2024: 3 pupils": 3,
    "As in Table 2, 3 pupils": 3,
    "Pupils aged 16, 3 in Camden": 3,
    "On 12 March, 3 pupils": 3,
    "Note: 1. In Camden 3 pupils": 3,
    "Rounded to 5; in Camden 3 pupils": 3,
    "Anmerkung: In Camden wurden drei Schüler ausgeschlossen": 3,
    "Anmerkung: darunter ein Fall": 1,
    "Note : deux élèves à Camden": 2,
    "Nota: tres alumnos en Camden": 3,
    "Beide Frauen wohnen in Camden": 2,
    "Einer der beiden Fälle": 2,
    "Einzelfall in Camden": 1,
    "Ein Einzelfall wurde ausgeschlossen": 1,
    "Die einzige Frau in Camden": 1,
    "Eine davon wohnt in Camden": 1,
    "Elf Frauen, zwölf Männer": 11,
    "Ein Dutzend Fälle": 12,
    "Ein halbes Dutzend Fälle": 6,
    "Both women live in Camden": 2,
    "Title: a single case in Camden": 1,
    "Single case in Camden": 1,
    "The only woman in Camden": 1,
    "One of them lives in Camden": 1,
    "Eleven deaths": 11,
    "Twelve deaths": 12,
    "Half a dozen women": 6,
    "Les deux décès à Camden": 2,
    "La seule femme de Camden": 1,
    "Le seul décès de Camden": 1,
    "Neuf décès à Camden": 9,
    "Onze femmes": 11,
    "Une douzaine de femmes": 12,
    "L'une d'elles habite Camden": 1,
    "Un cas isolé à Camden": 1,
    "Ambos casos de Camden": 2,
    "Ambas mujeres": 2,
    "La única mujer de Camden": 1,
    "Sólo una mujer": 1,
    "Once mujeres": 11,
    "Doce mujeres": 12,
    "Caso aislado en Camden": 1,
    "Una de ellas vive en Camden": 1,
    "Darunter ist ein Kind": 1,
    "Die Fälle betreffen Drillinge": 3,
    "Twins in Camden": 2,
    "T 3 Frauen": 3,
    "Total 3 women": 3,
    "T 1 Opfer, darunter 3 in Mainz": 3,
}

TELLS_SHARE = """\
Ein Viertel der Fälle in Camden war unter 18 Jahre alt.
In Camden waren 25 % der Erkrankten unter 18 Jahre alt.
In Camden war jeder vierte Kranke unter 18 Jahre alt.
Die Hälfte der Fälle
Zwei Drittel der Fälle
Ein Fünftel der Fälle
Jede dritte Frau
Die Fälle haben sich verdoppelt.
Gegenüber dem Vorjahr gingen die Fälle in Camden um 70 % zurück.
In Camden betrug der Anteil der unter 18-Jährigen 0,25.
Hearing impairment is the primary need of 1.66% of boys in Camden.
One in four of the cases in Camden
2 out of 3 cases
A quarter of the cases were girls.
Two thirds of the pupils
Half of them live in Camden.
Every third case
The share of girls was 0.25
Un quart des cas
La moitié des femmes
Une personne sur quatre
Les deux tiers des décès
50 pour cent des cas
La mitad de los casos
Uno de cada cuatro casos
La cuarta parte de los casos""".splitlines()

TELLS_NO_SHARE = """\
Percentages may not sum to 100 %.
Intervalle de confiance à 95 %
95 %-Konfidenzintervall
Response rate: 87%
Based on a 10% sample
The first half of 2024, and its third quarter
In der zweiten Hälfte des Jahres
Jedes zweite Jahr
Rates per 1.5 million
Third parties, by quarter""".splitlines()


@pytest.mark.parametrize("text", TELLS_SHARE)
def test_a_percentage_or_a_fraction_tells_a_share(text):
    assert has_share(text)


@pytest.mark.parametrize("text", [*SAY_NOTHING_OF_COUNTS, *TELLS_NO_SHARE])
def test_sums_of_percentages_intervals_and_periods_tell_no_share(text):
    assert not has_share(text)


@pytest.mark.parametrize("text", SAY_NOTHING_OF_COUNTS)
def test_rules_dates_and_references_are_no_counts(text):
    assert not [number for number in numbers_that_may_count(text, RULES, 5) if number < 5]


@kills("audit.count_tables.note_numbers.numbers_that_may_count", "all(map(is_rule, ends))", "any(map(is_rule, ends))")
@kills("audit.count_tables.note_numbers.numbers_that_may_count", '_ONE.sub("1", said)', "said")
@pytest.mark.parametrize("text", MAY_COUNT)
def test_every_other_number_may_be_a_count(text):
    assert MAY_COUNT[text] in [*numbers_that_may_count(text, RULES, 5)]
