"""What is one under two names is asked about: totals, ties of rows, spellings and people; what cannot be one is not."""

from dataclasses import replace

import pytest

from audit.io import roles
from audit.io.irregularities import are_others
from audit.model.errors import InputError
from audit.pipeline import audit_run
from tests.cli.forms import edit
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import printed, read_audit, run_main
from tests.mutants.mutant import kills

COLUMNS = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
APART = "similar = { Disease = false }"  # what codes of one disease have in common may be known
DISEASES = ["flu", "cold", "gout", "asthma"]


def undecided(folder):
    """Return the exit code and the reasons why clauses are undecided."""
    code, result = read_audit(folder)
    return code, " ".join(str(each["reason"]) for each in result["policy"]["clauses"] if each["state"] == "undecided")


def asked(said, *series):
    """Return the exit code of an audit, which is undecided for a reason that says something, or decided."""
    code, why = undecided(series_of(*series))
    assert (said in why) == (code == 3), why
    return code


def of_ages(*classes):
    """Return a table of classes, each of its values; the last class has two, of which nothing is asked."""
    ages = ("20-39", "40-59", "60-79")
    rows = [[age, value] for age, values in zip(ages, [*classes, ["flu", "gout"]], strict=False) for value in values]
    return [["Age", "Disease"], *rows]


@kills("audit.io.roles.sums_of_others", "2 * total == total.sum()", "total < 0")
@pytest.mark.parametrize(("more", "code"), [(0, 3), (1, 0)])
def test_a_value_whose_count_is_that_of_all_others_may_be_a_total(tmp_path, more, code):
    """Each class has one disease, and a line that says so under another name; of other counts it is a disease."""
    rows = [[age, value, str(count)] for age, name, count in [("20-39", "flu", 3), ("40-59", "cold", 2)]
            for value, count in [(name, count), ("any cause", count + more)]]  # fmt: skip
    table, count = [["Age", "Disease", "count"], *rows], 'count = "count"\n'
    assert asked('ignore_rows = { Disease = ["any cause"] }', tmp_path / "1", [table], COLUMNS + count) == code
    for line, exits in (('ignore_rows = { Disease = ["any cause"] }', 1), ('spelled = ["Disease"]', 0)):
        assert read_audit(series_of(tmp_path / line[:6], [table], f"{COLUMNS}{count}{line}\n"))[0] == exits


TIES = {
    "hyphen": ((["X"], lambda n: [f"A{n}"]), (["X"], lambda n: [f"a-{n}"]), True),
    "other name": ((["X"], lambda n: [f"text {n}"]), (["Y"], lambda n: [f"text {n}"]), True),
    "pair": ((["X", "Y"], lambda n: [f"x{n % 8}", f"y{n // 8}"]),) * 2 + (True,),
    "decimals": ((["X"], lambda n: [f"{n + 0.5}"]), (["X"], lambda n: [f"{n},50"]), True),
    "unit": ((["X"], lambda n: [f"{n + 0.5}"]), (["X"], lambda n: [f"{n}.5 days"]), True),
    "days": (
        (["X"], lambda n: [f"2024-{n // 28 + 1:02}-{n % 28 + 1:02}"]),
        (["X"], lambda n: [f"{n % 28 + 1:02}.{n // 28 + 1:02}.2024"]),
        True,
    ),
    "coarse pair": ((["X", "Y"], lambda n: [f"x{n % 2}", f"y{n % 2}"]),) * 2 + (False,),
    "other texts": ((["X"], lambda n: [f"text {n}"]), (["Y"], lambda n: [f"note {n}"]), False),
}


@kills("audit.io.rules.rows_and_values.Unlinkable.doubts", "and any(together)", "and False")
@kills("audit.io.roles._skeletons", "_core(text) if", "text if")
@kills("audit.io.roles._measure", "if _DAY.match(text) else ()", "if False else ()")
@pytest.mark.parametrize(("first", "last", "tie"), TIES.values(), ids=TIES)
def test_unlinkable_columns_tie_rows_in_other_words(tmp_path, first, last, tie):
    releases = [
        [["Age", *names, "Disease"], *(["20-39", *texts(n), DISEASES[(n // step) % 4]] for n in range(40))]
        for step, (names, texts) in ((1, first), (2, last))
    ]
    names = ", ".join(f"{name} = 'free text'" for name in dict.fromkeys([*first[0], *last[0]]))
    columns = f"{COLUMNS}unlinkable = {{ {names} }}\n"
    assert asked("once in each of two releases", tmp_path, releases, columns) == 3 * tie


NARROWING = {
    "a weight by town": (lambda n, town: f"{1000 + 7 * town},5", True),
    "most of them": (lambda n, town: f"{1000 + 7 * (town if n % 40 else n % 3)},5", True),
    "independent": (lambda n, town: f"{1000 + n * 7919 % 1009 % 6},5", False),
    "free text": (lambda n, town: f"text {n}", False),
    "constant": (lambda n, town: "1", False),
    "of a class": (lambda n, town: f"class {n // 4 % 8} {n % 7}", False),
}


@kills("audit.io.roles.narrowing_texts", "pairs - exclude <= _NARROWED", "True")
@kills("audit.io.roles.narrowing_texts", "_LESS * exclude <= chance * pairs and", "True or")
@pytest.mark.parametrize(("text", "narrows"), NARROWING.values(), ids=NARROWING)
def test_an_unlinkable_column_may_show_what_coarser_cells_hide(tmp_path, text, narrows):
    """Towns are 0 to 5; some classes publish two towns or none, but a weight by town stands beside towns, too."""
    cells = ["{town}", "{town}", "{town}", "*", "{{{low}, {high}}}"]
    rows = [["Town", "Disease", "Weight"]]
    for n in range(240):
        town = n // 8 % 6
        cell = cells[n // 48].format(town=f"T{town}", low=f"T{town // 2 * 2}", high=f"T{town // 2 * 2 + 1}")
        rows.append([cell, DISEASES[n % 4], text(n, town)])
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Town"]\nunlinkable = { Weight = "calibrated by us" }\n'
    assert asked('column "Weight" have cells of "Town"', tmp_path, [rows], columns) == 3 * narrows


def test_what_earlier_releases_show_by_a_weight_blocks_no_later_one_once_it_is_declared(tmp_path):
    """The advice works: the column is judged, and the next release adds nothing."""
    rows = [["*" if n < 48 else f"T{n // 8 % 6}", DISEASES[n % 4], f"{1000 + 7 * (n // 8 % 6)}"] for n in range(240)]
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Town"]\nunlinkable = { Weight = "ours" }\n'
    head = ["Town", "Disease", "Weight"]
    folder = series_of(tmp_path / "s", [[head, *rows]], columns)
    write(tmp_path / "2.csv", as_csv([head, *([*row[:2], "*"] for row in rows)]))
    words = ["repair", str(folder), str(tmp_path / "2.csv"), "--output"]
    code, out = printed(*words, str(tmp_path / "a"))
    assert (code, "declare it, and write * for it in the next" in out) == (3, True)
    edit(folder / "series.toml", '["Town"]', '["Town", "Weight"]')
    edit(folder / "series.toml", 'unlinkable = { Weight = "ours" }\n', "")
    assert run_main(*words, str(tmp_path / "b"))[0] == 0


@kills("audit.io.rules.spelling._skeletons", "skeletons(text)", "[fold(text)]")
@kills("audit.io.notations.skeletons", ", skeleton(fold(text).translate(_DIGRAPHS))", "")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Müdigkeit", "Muedigkeit", True),
        ("Haut & Haar", "Haut und Haar", True),
        ("toux et fièvre", "toux&fièvre", True),
        ("flu", "flu (confirmed)", True),
        ("flu", "Flu n=3", True),
        ("flu", "flu, of two weeks", True),
        ("flu", "Disease: flu", True),
        ("flu", "b'flu'", True),
        ("Müdigkeit", "Müdigkeit".encode().decode("cp1252"), True),
        ("Müdigkeit", "Müdigkeit".encode().decode("cp1252").encode().decode("cp1252"), True),
        ("60 000 € et plus", "plus de 60 000 €", True),
        ("60 000 € et plus", "≥ 60 000 €", True),
        ("20 000 à 34 999 €", "de 20 000 à 34 999 euros", True),
        ("moins de 10 000 €", "0 à 9 999 €", True),
        ("20-35 k€", "20.000 bis 35.000 €", True),
        ("20-35 k€", "35-50 k€", False),
        ("2-5 days", "2-5 weeks", False),
        ("Diabète de type 2", "Diabète type II", True),
        ("Diabète de type 2", "Diabète de type 1", False),
        ("oui", "O", True),
        ("K", "SEN Support (K)", True),
        ("ASD", "Autistic Spectrum Disorder", True),
        ("EHCP", "E.H.C. Plan", True),
        ("E10", "E11", False),
        ("E11.9", "E11.90", True),
        ("C34.1", "C34.1-", True),
        ("I10", "I10.-", True),
        ("J45.0", "J45.0G", True),
        ("E11.9", "E11.91", False),
        ("B20", "B20.0", False),
        ("E", "Epilepsy", False),
        ("Müdigkeit", "Mut", False),
        ("Haut und Haar", "Haut oder Haar", False),
    ],
)
def test_two_spellings_of_one_value_are_asked_about(tmp_path, one, other, same):
    table = of_ages([one, other, one], [other, other, one])[:-2]
    assert asked("may be another spelling of a value", tmp_path, [table], f"{COLUMNS}\n{APART}") == 3 * same


@kills("audit.pipeline.audit_run._decide", "if settling and", "if False and")
@kills("audit.pipeline.audit_run._unsettled", 'old == "violated" != new', 'old == "violated" != ""')
@kills("audit.judgement.doubts.audit_doubts", "if doubt.between and followed", "if False", case="[flu-1800 EUR-3]")
@kills("audit.judgement.doubts.audit_doubts", "between and followed", "between", case="[flu-1800 EUR-3]")
@kills("audit.io.rules.cell_meaning.ColumnTypes.doubts", ", between=True", "", case="[flu-1800 EUR-3]")
@pytest.mark.parametrize(
    ("value", "pay", "code"),
    [
        ("flu", "900", 0),
        ("flu # end", "900", 3),
        ("Flu.", "900", 3),
        ("gout", "900", 1),
        ("flu", "1 800", 1),
        ("flu", "1800 EUR", 3),
    ],
)
def test_values_in_two_spellings_do_not_rule_each_other_out(tmp_path, value, pay, code):
    """A value that a later release writes otherwise looks like one that nobody has any more."""
    head = ["Who", "Age", "Disease", "Pay"]
    rows = [["Ann", "20-39", "flu", "900"], ["Bo", "20-39", "cold", "1800"]]
    again = [["Ann", "20-39", value, pay], *rows[1:]]
    columns = 'individual = "Who"\nquasi_identifiers = ["Age"]\nsensitive = ["Disease", "Pay"]\n'
    types = 'types = { Pay = "numeric" }\n[policy]\nmin_e = 1\n'
    found = read_audit(series_of(tmp_path / "1", [[head, *rows], [head, *again]], columns + types))
    assert found[0] == code
    alone = [[head, *(["Dot", "40-59", "flu", "5000"], ["Eve", "40-59", value, "5000"], *again)]] * 2
    assert read_audit(series_of(tmp_path / "2", alone, columns.split("\n", 1)[1] + types), "--k", "1")[0] == 1


@kills("audit.io.rules.spelling.rows_like_no_people", "some[row] = ", "some[row] = True or ")
@kills("audit.io.rules.spelling.OtherReading.of", ", *_equal_digits(texts)", "")
@kills("audit.io.roles.SeriesTexts.record", "np.flatnonzero(rows", "np.flatnonzero(False & rows")
@pytest.mark.parametrize(
    ("town", "illness", "code"),
    [
        ("01234", "flu", 0),
        ("D-01234", "flu", 3),
        ("1,234", "flu", 3),
        ("01234 Ort", "flu", 3),
        ("51063", "flu", 1),  # the other class has one row left
        ("56789", "flu", 1),
        ("99", "99", 3),  # a row of missing values is nobody
        ("What town?", "What disease?", 3),
        ("(2)", "(1)", 3),
        ("yes", "no", 1),
    ],
)
def test_a_violation_that_another_reading_removes_is_undecided(tmp_path, town, illness, code):
    columns = 'quasi_identifiers = ["Town"]\nsensitive = "Disease"\n'
    last = [[town, illness]] if illness == "flu" else [["01234", "flu"], [town, illness]]
    table = [["Town", "Disease"], ["01234", "gout"], ["51063", "flu"], ["51063", "gout"], *last]
    for said in ("the violation depends on", "(the first: "):
        assert asked(said, tmp_path / "1", [table], columns) == code
    spelled = 'spelled = ["Town", "Disease"]\n'
    assert read_audit(series_of(tmp_path / "2", [table], columns + spelled))[0] == bool(code)
    # What is certain in both readings stays a violation.
    certain = [["20095", "asthma"], ["20095", "asthma"], ["80331", "gout"]]
    assert read_audit(series_of(tmp_path / "3", [[*table, *certain]], columns))[0] == 1


def test_people_with_an_identifier_in_two_spellings_do_not_violate(tmp_path):
    head, rows = ["Who", "Age", "Disease"], [["P1", "20-39", "flu"], ["P2", "20-39", "gout"]]
    columns = 'individual = "Who"\nquasi_identifiers = ["Age"]\nsensitive = "Disease"\n[policy]\nmin_e = 1\n'
    for name, code in (("P1", 0), ("'P1", 3), ("P1 (new)", 3), ("P3", 0)):
        again = [[name, *rows[0][1:]], rows[1]]
        assert read_audit(series_of(tmp_path / name, [[head, *rows], [head, *again]], columns))[0] == code


def people(name, step):
    return [["Who", "Age", "Disease"], *(
        [name(n), "20-39" if n < 12 else "40-59", DISEASES[n % 4 if n % 12 < 4 or step == 1 else (n + 4) % 4]]
        for n in range(24)
    )]  # fmt: skip


@kills("audit.io.irregularities._strangers", "series.keyed and ", "False and ")
@pytest.mark.parametrize(
    ("first", "last", "others"),
    [
        (lambda n: f"Q1-{n}", lambda n: f"Q2-{n}", True),
        (lambda n: f"{2024000 + n}", lambda n: f"{2025000 + n}", True),
        (lambda n: f"{n}/jan", lambda n: f"{n}/march", True),
        (lambda n: f"{n * 7919 % 1009}a", lambda n: f"{n * 7907 % 1013}b", True),
        (lambda n: f"Q1-{n}", lambda n: f"Q1-{n}", False),
        (lambda n: f"P{n}", lambda n: f"P{n + 12}", False),
    ],
)
def test_people_of_whom_nobody_comes_again_are_asked_about(tmp_path, first, last, others):
    releases = [people(first, 1), people(last, 2)]
    individual = 'individual = "Who"\n'
    _, why = undecided(series_of(tmp_path / "1", releases, COLUMNS + individual))
    assert ("published ids are drawn anew for each release, write spelled" in why) == others
    _, why = undecided(series_of(tmp_path / "2", releases, f'{COLUMNS}{individual}spelled = ["individual"]\n'))
    assert "differ between releases" not in why
    folder = series_of(tmp_path / "3", [[row[1:] for row in rows] for rows in releases], COLUMNS)
    for place, (_, *rows) in enumerate(releases, 1):
        key = [["row", "individual"], *([str(at), row[0]] for at, row in enumerate(rows))]
        write(folder / "private" / f"{place}.key.csv", as_csv(key))
    assert ("differ between releases" in undecided(folder)[1]) == others


@kills("audit.io.irregularities._strangers", "if alone or any(", "if any(")
@pytest.mark.parametrize("places", [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 0, 0)])
def test_a_release_none_of_whose_people_are_in_another_is_asked_about(tmp_path, places):
    """Nothing else in one release says whose its people are, as if that year's names were pseudonyms of its own."""
    forms = ["P{}".format, lambda n: f"{n * 7907 % 1013}z"]
    releases = [people(forms[place], step) for step, place in enumerate(places, 1)]
    _, why = undecided(series_of(tmp_path, releases, f'{COLUMNS}individual = "Who"\n'))
    assert ("differ between releases" in why) == (len({*places}) > 1)


@kills("audit.io.irregularities.are_others", "(list, _PARTS.findall)", "(list,)")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Q1-{}", "Q2-{}", True),
        ("{}/jan", "{}/march", True),
        ("2024{:03}", "2025{:03}", True),
        ("{0}-2024-{0}", "{0}-2025-{0}", True),
        ("Q1-{}", "Q1-{}", False),
        ("{}", "{} (1)", True),
        ("p{}", "p{},00", True),
        ("{}", "{}b", True),
        ("{}", "{}00", True),
        ("K-{}", "K-{}00", True),
        ("{}", "1{}", False),
    ],
)
def test_few_people_are_others_by_what_all_of_a_release_share(one, other, same):
    names = [{form.format(n) for n in range(6, 15)} for form in (one, other)]
    assert are_others(*names) == same
    assert not are_others(names[0], {f"{n * 7919 % 1009}x" for n in range(9)})


@kills("audit.io.notations.skeleton", "if not unicodedata.combining(each)", "")
@kills("audit.io.likely_equal.together", "one in people and other in people", "False")
@pytest.mark.many
@pytest.mark.parametrize("other", ["Jose", "1 José", "a) José", "(revised) José", "darunter José", "• José", "José †"])
@pytest.mark.parametrize("together", [True, False])
def test_two_identifiers_in_one_release_are_two_people(tmp_path, together, other):
    """José and Jose in one release are two people; in two releases they may be one."""
    head, rest = ["Who", "Age", "Disease"], [["Ann", "20-39", "gout"], ["Bob", "20-39", "cold"]]
    both = [["José", "20-39", "flu"], [other, "20-39", "cold"]]
    releases = [[head, *both, *rest]] if together else [[head, both[0], *rest], [head, both[1], *rest]]
    _, why = undecided(series_of(tmp_path, releases, COLUMNS + 'individual = "Who"\n'))
    assert ("may be another spelling" in why) == (not together)


@kills("audit.pipeline.audit_run._decide", 'each.state in ("violated", "holds")', 'each.state == "violated"')
@pytest.mark.parametrize(
    "other", ["flu?", "flu!", "~flu", "=flu", "<flu", "flu (B)", "flu G", "V.a. flu", "flu / suspected"]
)
def test_what_holds_only_if_similar_texts_are_different_values_is_undecided(tmp_path, other):
    """The first class has one value with a mark; a class with a value of another name beside it needs no question."""
    for values, code in ((["flu", other, "flu"], 3), (["flu", other, "cold"], 0)):
        for line in ("", 'spelled = ["Disease"]'):
            said = (tmp_path / f"{code}{line[:1]}", [of_ages(values)], COLUMNS + line)
            assert asked('spelled = ["Disease"]', *said) == (0 if line else code)


ALIKE = [
    ("C34|x", "C34/x"),
    ("C34 x*", "C34 x+"),
    ("C34.0 x", "C34,0 x"),
    ("x (C34)", "C34 x"),
    ("lung ca (C34)", "C34: lung ca"),
    ("arterielle Hypertonie", "Hypertonie, arterielle"),
    ("Typ 2 Diabetes", "Diabetes (Typ 2)"),
    ("Hypertonie G", "Hypertonie V"),
    ("I10.90 G", "I10.90 Z"),
    ("V.a. Sepsis", "Z.n. Sepsis"),
    ("Verdacht auf Sepsis", "V. a. Sepsis"),
    ("Fu?prellung", "Fußprellung"),
    ("Fu_prellung", "Fußprellung"),
    ("Fu\ufffdprellung", "Fussprellung"),
    ("M??digkeit", "Müdigkeit"),
    ("M?digkeit", "Muedigkeit"),
    ("B?r", "Bär"),
    ("Diabetis", "Diabetes"),
    ("Brochnitis", "Bronchitis"),
    ("Bronchits", "Bronchitis"),
    ("Diabetis melitus Typ 2", "Diabetes mellitus Typ 2"),
    ("Diab. mell.", "Diabetes mellitus"),
    ("Diab mell", "Diabetes mellitus"),
    ("Hypert.", "Hypertonie"),
]
DIFFERENT = [
    ("Diabetes type 1", "Diabetes type 2"),
    ("Diabetes mellitus", "Diabetes insipidus"),
    ("ICD C34", "ICD C35"),
    ("C34.0", "C34.1"),
    ("HIV+", "HIV-"),
    ("B20 HIV+", "Z21 HIV-"),
    ("CD4 <200", "CD4 >200"),
    ("male", "female"),
    ("Stufe I", "Stufe II"),
    ("Stufe I.", "Stufe II"),
    ("Stufe I", "Stufe V"),
    ("Hepatitis A", "Hepatitis B"),
    ("Hepatitis A", "Hepatitis G"),
    ("Hypertonie A", "Hypertonie G"),
    ("Grad 1 Stufe 2", "Stufe 1 Grad 2"),
    ("Grad I Stufe II", "Stufe I Grad II"),
    ("1/2", "2/1"),
    ("hypertension", "hypotension"),
    ("Hyperthyreose", "Hypothyreose"),
    ("Myelitis", "Pyelitis"),
    ("symptomatic", "asymptomatic"),
    ("Angina", "Agina"),
    ("Bär", "Bor"),
    ("Arm", "Armbruch"),
    ("Fraktur links", "Fraktur rechts"),
]


@kills("audit.io.rules.spelling._in_order", "tuple(sorted(words)) if movable else words", "tuple(sorted(words))")
@kills("audit.io.rules.spelling._like_words", "range(1, len", "range(len")
@kills("audit.io.rules.spelling._of_other_certainty", '<= {"", *"agvz"}', "<= {*letters.values()}")
@kills("audit.io.rules.spelling._abbreviations", "short not in pointed", "1")
@pytest.mark.parametrize(
    ("one", "other", "exits"), [*((*pair, 3) for pair in ALIKE), *((*pair, 0) for pair in DIFFERENT)]
)
def test_what_holds_only_if_two_notations_are_two_values_is_undecided(tmp_path, one, other, exits):
    assert asked('spelled = ["Disease"]', tmp_path, [of_ages([one, other])], f"{COLUMNS}\n{APART}") == exits


@kills("audit.pipeline.audit_run._unsettled", 'both == ("holds", "undecided")', "False")
@pytest.mark.parametrize("fault", ["time", "input"])
def test_what_holds_in_one_reading_and_is_not_judged_in_another_is_undecided(tmp_path, monkeypatch, fault):
    """Two notations in two classes are harmless, but only the second audit knows."""
    rows = [["20-39", "Diabetis"], ["20-39", "gout"], ["40-59", "Diabetes"], ["40-59", "gout"]]
    run_attacks = audit_run.run_attacks  # the second time; the first is called elsewhere

    def fails(series, attacks, options):
        if fault == "input":
            raise InputError([])
        found = run_attacks(series, attacks, options)
        cut = [replace(each, outcome=replace(each.outcome, status="incomplete")) for each in found.results]
        return replace(found, results=cut)

    folder = series_of(tmp_path, [[["Age", "Disease"], *rows]], COLUMNS)
    assert read_audit(folder)[0] == 0
    monkeypatch.setattr(audit_run, "run_attacks", fails)
    code, why = undecided(folder)
    assert (code, "it was not decided whether the policy also holds" in why) == (3, True)


UNKNOWN = """unknown|unbekannt|k. A.|99|NA|-|?|NSP|nr|REFU|NOBT|NK|refus|Refus de répondre|Refused to answer|Declined
(vide)|Ne sait pas|Non-réponse|non renseigné|Prefer not to say|Not recorded|Information not yet obtained|Missing|Pending
Refused / NYO|NYO|Awaiting assessment|SEN support but no specialist assessment of type of need (NSA)
noch nicht kodiert|gesperrt|in Bearbeitung|Supp
Don't know|Not applicable|Unclassified|Unknown or refused|verweigert|weiß nicht|noch nicht erhoben|fehlend|sin dato
unbekannt (R69)|R69 unbekannt|R69|Unbekannte Diagnose|Unbekannte Ursache (R69)|unbek.|---|???|—|#NV|#N/A|#WERT!|n.v.|XXX
keine Diagnose|ohne Diagnose|no diagnosis|sans diagnostic|sin diagnóstico|diagnostic inconnu|not specified
nicht näher bezeichnet|non diagnostiqué|no diagnosticado|desconocido|x|Z|[c]|:|/|*"""
VALUES = """other|sonstige|autre|otros|none|keine|no|healthy|o. B.|not pregnant|non-smoker|XX|+|#1|FUO|R10
Fever of unknown origin|Infektion unbekannter Ursache|Sonstige Diagnose"""


@kills("audit.judgement.doubts._diverse_by", "values[group[~known]] == 1", "values[group[~known]] < 0")
@kills("audit.io.cell_reading._letters", '_SIGNS.sub("", skeleton(_CODE_BESIDE.sub("", text)))', "text")
@kills("audit.io.cell_reading._letters", '_CODE_BESIDE.sub("", text)', "text", case="[unbekannt (R69)]")
@pytest.mark.many
@pytest.mark.parametrize("unknown", UNKNOWN.replace("\n", "|").split("|"))
def test_a_text_for_what_is_not_known_is_no_second_value(tmp_path, unknown):
    said = "may say that a value is not known"
    for values, code in ((["flu", unknown, "flu"] * 2, 3), (["flu", unknown, "cold"] * 2, 0)):
        assert asked(said, tmp_path / f"{code}", [of_ages(values)], COLUMNS) == code
    undecided(series_of(tmp_path / "alone", [of_ages([unknown] * 2)], COLUMNS))
    lines = ['spelled = ["Disease"]', f'missing = ["{unknown}"]', f'harmless = {{ Disease = ["{unknown}"] }}']
    columns = f"{COLUMNS}{lines[len(unknown) % 3]}\n"
    assert read_audit(series_of(tmp_path / "line", [of_ages(["flu", unknown, "flu"] * 2)], columns))[0] == 0


@kills("audit.judgement.doubts._one_in_common", "and len(known) < len(values[pool])", "")
@kills("audit.judgement.doubts._one_in_common", "known & {*before}", "{*before}")
@kills("audit.judgement.doubts._one_in_common", "== 1", "== 0")
@pytest.mark.parametrize(
    ("first", "last", "code"),
    [
        ("flu unknown cold", "flu unknown gout", 3),
        ("flu unknown cold", "flu unknown cold", 0),
        ("flu unknown cold", "flu asthma gout", 1),
        ("flu asthma cold", "flu asthma gout", 0),
    ],
)
def test_a_value_that_is_not_known_hides_nothing_over_releases_either(tmp_path, first, last, code):
    """Flu, or it is not known: so it is for P0, who is in a group of each release (exit 0)."""
    releases = []
    for at, values in enumerate((first.split(), last.split())):
        others = [[f"Q{n}", "40-59", value] for n, value in enumerate(("gout", "cold", "asthma"))]
        rows = [[f"P{at * bool(n)}{n}", "20-39", value] for n, value in enumerate(values)]
        releases.append([["Who", "Age", "Disease"], *rows, *others])
    columns = COLUMNS + 'individual = "Who"\n[policy]\nmin_e = 1\n'
    assert asked("may say that a value is not known", tmp_path, releases, columns) == code


@kills("audit.io.rules.rows_and_values.Unlinkable._narrowing", "[:_MOST_PAIRS]", "[:0]")
@pytest.mark.parametrize("shows", [True, False])
def test_two_unlinkable_columns_may_show_it_together(tmp_path, shows):
    """Of a town, one column shows a number that is added to it, and the other the sum; alone they show nothing."""
    rows = [["Town", "Disease", "A", "B"]]
    for n in range(240):
        town, added = n // 4 % 6, n // 24 % 5 * 7 + n % 3
        both = f"b{(town + added) % 6 if shows else n * 7919 % 1009 % 6}"
        rows.append([f"T{town}" if n % 4 else "*", DISEASES[n // 3 % 4], f"a{added % 6}", both])
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Town"]\nunlinkable = { A = "ours", B = "ours" }\n'
    _, why = undecided(series_of(tmp_path, [rows], columns))
    assert ('columns "A" and "B" have cells of "Town"' in why) == shows


@kills("audit.judgement.doubts._tied_rounded", "if not fine < unit", "if fine < unit")
@pytest.mark.parametrize(("by", "alike", "code"), [(1000, 1, 3), (1, 1, 0), (50000, 1, 1), (1000, 2, 0)])
def test_numbers_link_rows_to_those_that_are_rounded(tmp_path, by, alike, code):
    """Each release has the pays of the same people, one of them in thousands; without a key, rows are not linked."""
    pays = [10000 + n % (60 // alike) * 7919 % 90007 for n in range(60)]
    first = [[f"{n // 3 * 5}+", str(pay)] for n, pay in enumerate(pays)]
    last = [[f"{n // 6 * 10}+", str(round(pay / by) * by if by > 1 else pay + 7 * n + 3)] for n, pay in enumerate(pays)]
    columns = 'sensitive = "Pay"\nquasi_identifiers = ["Age"]\nspelled = ["Age"]\ntypes = { Pay = "numeric" }\n'
    tables = [[["Age", "Pay"], *rows] for rows in (first, last)]
    said = "and, rounded, once in another one"
    assert asked(said, tmp_path, tables, columns + "[policy]\ncloseness = 0\n") == code


@kills("audit.judgement.doubts.unknown_doubts", "if held.records", "if False")
@pytest.mark.parametrize(("text", "code"), [("unknown", 3), ("asthma", 0)])
def test_nor_does_it_over_the_releases_of_a_record(tmp_path, text, code):
    """Of two records in both releases one has flu, and of the other it is not known; four are in one release each."""
    releases = []
    for at, pair in enumerate((["cold", "gout"], ["acne", "cough"])):
        rows = zip(["R0", "R1", f"R{at}0", f"R{at}1"], ["flu", text, *pair], strict=True)
        releases.append([["Id", "Age", "Disease"], *([who, "20-39", value] for who, value in rows)])
    columns = f'{COLUMNS}record = "Id"\nspelled = ["Id"]\n'
    assert asked("may say that a value is not known", tmp_path, releases, columns) == code


@pytest.mark.parametrize(
    ("numbers", "code"),
    [("3 99 4 2", 3), ("3 -9 4 2", 3), ("3 98 4 2", 3), ("1200 9999 900 1500", 3), ("1200 1999 900 1500", 0),
     ("3 -3 4 2", 0), ("a x b c", 0)],
)  # fmt: skip
def test_a_code_among_numbers_may_say_that_a_value_is_not_known(tmp_path, numbers, code):
    one, other, *last = numbers.split()
    assert asked("may say that a value is not known", tmp_path, [of_ages([one, other], last)[:-2]], COLUMNS) == code


@pytest.mark.parametrize("value", VALUES.replace("\n", "|").split("|"))
def test_the_remaining_values_and_none_at_all_are_values(tmp_path, value):
    assert read_audit(series_of(tmp_path, [of_ages(["flu", value])], COLUMNS))[0] == 0


LISTS = ["flu,gout", "flu; gout", "gout;Flu", "flu|gout", "{gout, flu}"]


@kills("audit.judgement.doubts._share", "len(values) > 1 and", "False and")
@kills("audit.judgement.doubts._values_in", 'part in alone or list_sign(name) != ","', "True")
@pytest.mark.parametrize(
    ("values", "code"),
    [
        *((["flu", other], 3) for other in LISTS),
        *((["cold", other], 0) for other in LISTS),
        *((["flu", other, "cold"], 0) for other in LISTS),
        (["virus, acute", "fever, acute"], 0),
        (["sore throat", "throat ache"], 0),
        (["flu;virus", "virus;fever"], 3),
    ],
    ids=str,
)
def test_a_list_with_the_value_of_all_others_in_a_group_is_no_second_value(tmp_path, values, code):
    """A list of other values, or a group with a value beside it, needs no question."""
    for line, exits in (("", code), ('spelled = ["Disease"]', 0)):
        assert asked("lists of values", tmp_path / f"s{line[:1]}", [of_ages(values)], COLUMNS + line) == exits


RESPELT = {
    "as it is": str,
    "year": lambda name: f"{name}/24",
    "year before": lambda name: f"2024-{name}",
    "copy": lambda name: f"{name}_2",
    "check digit": lambda name: f"{name}-{int(name) % 7}",
    "letter": lambda name: f"{int(name)}B",
    "decimal": lambda name: f"{int(name)},0",
    "exponent": lambda name: f"{int(name) / 1000:.3f}E+03".replace(".", ","),
    "thousands": lambda name: f"{int(name):,}",
    "hyphen": lambda name: f"{name[:6]}-{name[6:]}",
    "letters like digits": lambda name: name.replace("0", "O").replace("1", "l"),
    "office": lambda name: f"UKM{name}",
    "zeros": lambda name: name.lstrip("0"),
    "number": lambda name: f"Pat. {int(name)}",
    "office and year": lambda name: f"K {int(name)}/24",
}


@kills("audit.io.likely_equal._may_be_one", "one.kind[0] != other.kind[0]", "False")
@kills("audit.io.releases._parts", "<= _LONGEST", "< 0")
@pytest.mark.many
@pytest.mark.parametrize("respelt", RESPELT.values(), ids=RESPELT)
@pytest.mark.parametrize("people", [{"7"}, {"7", "9"}], ids=["one", "two"])
def test_people_whose_identifiers_are_respelt_are_never_judged_as_others(tmp_path, monkeypatch, respelt, people):
    """Each of these people has one value in common in two groups, and as somebody else in each of them two."""
    first = ["7 A HIV", "8 A flu", "9 B asthma", "10 B gout", "11 C flu", "12 C asthma"]
    beside = "9" if "9" in people else "17"
    last = ["7 A HIV", f"{beside} A asthma", "11 C flu", "12 C asthma", "15 E flu", "16 E asthma"]
    columns = 'sensitive = "Disease"\ngroup = "Group"\nindividual = "Who"\n[policy]\nmin_e = 1\n'

    def table(rows, changed):
        cells = ((f"{4100 + int(who):08}", who in changed, *cells) for who, *cells in map(str.split, rows))
        return [["Who", "Group", "Disease"], *([respelt(who) if new else who, *more] for who, new, *more in cells)]

    for most in (roles.MOST_ROWS, 0):
        monkeypatch.setattr(roles, "MOST_ROWS", most)
        folder = series_of(tmp_path / str(most), [table(first, set()), table(last, people)], columns)
        assert read_audit(folder)[0] == (1 if respelt is str else 3)


@kills("audit.io.likely_equal.nested", "chances * both <= count + both", "both >= 0")
@pytest.mark.parametrize("form", ["{}/24", "{}-2"])
def test_two_systems_of_identifiers_side_by_side_are_of_different_people(tmp_path, form):
    """Both count from the same number: one pair of them never occurs together, seventeen do."""
    plain = [str(n) for n in range(101, 119)]
    other = [form.format(n) for n in plain]
    releases = [
        [["Who", "Group", "Disease"], *([who, f"G{at // 4}", DISEASES[at % 4]] for at, who in enumerate(each))]
        for each in ([*plain, *other[1:]], [*plain[1:], *other], [*plain[1:], *other])
    ]
    columns = 'sensitive = "Disease"\ngroup = "Group"\nindividual = "Who"\n[policy]\nmin_e = 1\n'
    assert "spelling" not in undecided(series_of(tmp_path, releases, columns))[1]


@pytest.mark.parametrize(
    ("names", "same"),
    [
        (["51234-01", "51234-02", "51235-01", "51236-01"], True),
        (["51234", "51234-02", "51235", "51236"], True),
        (["51234", "51237-02", "51235", "51236"], False),
        (["P512A", "P512B", "P513A", "P514A"], True),
        (["512/2", "512/1", "513/1", "513/2", "514/1", "514/2"], True),
        (["51234-01", "51235-01", "51236-01", "51237-02"], False),
        (["101-01", "101-02", "102-01", "102-02"], False),
        (["512/23", "512/24", "513/23", "514/24"], False),
        (["Ann-1", "Ann-2", "Bob-1", "Eve-1"], False),
    ],
)
def test_two_cases_of_one_person_in_a_release_are_asked_about(tmp_path, names, same):
    """Their rows have one value: as two people, each of its class may have another."""
    table = [["Who", "Age", "Disease"], *([who, "20-39", DISEASES[at // 2]] for at, who in enumerate(names))]
    assert asked("the number of a case", tmp_path, [table], COLUMNS + 'individual = "Who"\n') == 3 * same
