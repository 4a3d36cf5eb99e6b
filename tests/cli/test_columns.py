"""Roles of published columns: none without one is passed over, and what is declared unlinkable ties no rows."""

import random

import numpy as np
import pytest

from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import printed, read_audit, refused, run_audit, run_main
from tests.mutants.mutant import kills

COLUMNS = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
HEAD = ["Age", "Disease", "Remarks"]
DECLARED = 'unlinkable = { Remarks = "free text, which no outsider can know" }'


def rows(release, remark, count=40):
    return [[f"{20 + 10 * (n % 2)}-{29 + 10 * (n % 2)}", ["flu", "cold", "gout"][n % 3], remark(release, n)]
            for n in range(count)]  # fmt: skip


def series(folder, *releases, more=""):
    return series_of(folder, releases, COLUMNS + more)


def remarked(folder, remark, more="", releases=2):
    return series(folder, *([HEAD, *rows(tag, remark)] for tag in range(releases)), more=more)


def judged(folder, *words):
    code, result = read_audit(folder, *words)
    return code, {each["clause"]: each for each in result["policy"]["clauses"]}, result


def test_a_column_without_a_role_is_named(tmp_path):
    code, clauses, result = judged(remarked(tmp_path, lambda tag, n: "ok"))
    assert code == 3
    for name in ("k", "max_risk"):
        assert clauses[name]["state"] == "undecided"
        assert clauses[name]["reason"].startswith('the published column "Remarks" has no role: name it under')
    assert "unjudged-column" not in {each["kind"] for each in result["warnings"]}


def test_what_is_unlinkable_is_said_with_its_reason(tmp_path):
    folder = remarked(tmp_path, lambda tag, n: f"{tag}-{n}", DECLARED)
    code, clauses, result = judged(folder)
    assert (code, clauses["k"]["state"], clauses["max_risk"]["state"]) == (0, "holds", "holds")
    [said] = [each for each in result["warnings"] if each["kind"] == "unlinkable-column"]
    assert said["examples"] == ["Remarks: free text, which no outsider can know"]
    assert "free text, which no outsider can know" in run_main(str(folder))[1]


@pytest.mark.parametrize(("shared", "state"), [(0, "holds"), (2, "holds"), (3, "undecided"), (40, "undecided")])
def test_texts_that_tie_rows_are_no_longer_unlinkable(tmp_path, shared, state):
    """Of 40 rows, two may be tied by chance; more tie people."""
    folder = remarked(tmp_path, lambda tag, n: f"note {n}" if n < shared else f"{tag} note {n}", DECLARED)
    code, clauses, _ = judged(folder)
    assert code == (0 if state == "holds" else 3)
    for name in ("k", "max_risk"):
        assert clauses[name]["state"] == state
        assert (f'{shared} texts of the unlinkable column "Remarks"' in str(clauses[name]["reason"])) == (code == 3)


@pytest.mark.parametrize(("stable", "code"), [(True, 3), (False, 0)])
def test_texts_that_tie_rows_beside_a_quasi_identifier(tmp_path, stable, code):
    """Two people of a household have its number, one of each sex; numbers of few texts tie some rows by chance."""
    draw = random.Random(5)  # noqa: S311
    tables = []
    for _ in range(2):
        people = [(n // 2 if stable else draw.randrange(20), "mf"[n % 2], "abc"[n % 3]) for n in range(80)]
        draw.shuffle(people)
        cells = [["*", sex, value, f"h{number}"] for number, sex, value in people]
        tables.append([["Age", "Sex", "Disease", "Remarks"], *cells])
    columns = COLUMNS.replace('["Age"]', '["Age", "Sex"]') + DECLARED
    ended, clauses, _ = judged(series_of(tmp_path, tables, columns))
    assert ended == code
    said = 'texts of the columns "Remarks" and "Sex", which are compared with each other or taken together, occur once'
    assert (said in str(clauses["max_risk"]["reason"])) == stable


HOUSEHOLDS = [(n // 2, n % 2) for n in range(30)] + [(n, 0) for n in range(15, 25)]  # of two people, and of one


@kills("audit.io.roles.shared_by_few", "pairs > _TIMES * near / 2 + FEW_TIES", "True")
@pytest.mark.parametrize(
    ("weight", "said"),
    [
        (lambda home, n: f"{1000 + 37 * home * home}.5", True),
        (lambda home, n: f"{1000 + 37 * n * n}.5", False),
        (lambda home, n: str(home % 4), False),
        (lambda home, n: str(1000 + (n * n) % 59), False),
        (lambda home, n: "moved" if home % 9 == 0 else "", False),
    ],
    ids=["household", "own", "few", "chance", "remarks"],
)
def test_weights_that_few_rows_share(tmp_path, weight, said):
    """Two people of a household have its weight, which no outsider knows, and which no other household has."""
    cells = [["*", "abc"[n % 3], weight(home, n)] for n, (home, _) in enumerate(HOUSEHOLDS)]
    code, clauses, _ = judged(series(tmp_path, [HEAD, *cells], more=DECLARED))
    assert (code, "15 texts of the unlinkable column" in str(clauses["k"]["reason"])) == (
        (3, True) if said else (0, False)
    )


@kills("audit.io.likely_equal._counted", "if most < len(by_rest) <= 2 * counted else []", "")
@kills("audit.io.likely_equal.alike_but_for_a_number", "cases(texts, _SHORT)", "cases(texts)")
@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("{}-0{}", True),
        ("H{}.{}", True),
        ("{}0{}", True),
        ("{}{}", True),
        ("{3}-{1}", True),
        ("h{3}/{1}", True),
        ("h{3}p{1}", True),
        ("{2}-01", False),
        ("{2}", False),
        ("2024-{2}", False),
    ],
)
def test_record_ids_that_show_households(tmp_path, form, said):
    """That the spelling of the ids is exact does not say that what they have in common says nothing."""
    ids = [form.format(10221 + 7 * home, member + 1, 20001 + n, home) for n, (home, member) in enumerate(HOUSEHOLDS)]
    cells = [["*", "abc"[n % 3], each] for n, each in enumerate(ids)]
    for spelled in ("", 'spelled = ["Remarks"]'):
        code, clauses, _ = judged(series(tmp_path, [HEAD, *cells], more=f'record = "Remarks"\n{spelled}'))
        reason = str(clauses["k"]["reason"])
        assert (code, '30 record ids of "Remarks" are alike but' in reason) == ((3, True) if said else (0, False))
        assert "spellings" not in reason
    why = 'unlinkable = { Remarks = "only we know who lives with whom" }'
    code, clauses, shown = judged(
        series(tmp_path, [HEAD, *cells], more=f'record = "Remarks"\nspelled = ["Remarks"]\n{why}')
    )
    assert (code, clauses["k"]["state"]) == (0, "holds")
    assert "only we know who lives with whom" in str(shown["warnings"])


@kills("audit.io.series.Series.alike_ids", "[*releases, every]", "releases")
@kills("audit.io.likely_equal.alike_but_for_a_number", "len(each) < len(texts) <= ", "len(texts) <= ")
@kills("audit.io.likely_equal.alike_but_for_a_number", "<= _MEMBERS * len(each)", "< 99 * len(each)")
@pytest.mark.parametrize(
    ("head", "form", "said"),
    [
        (["Case"], "{}-{}", True),
        (["Household", "Case"], "{} {}", True),
        (["Household", "Case"], "{0} {2}", True),  # a case of its own in each row
        (["Place", "Case"], "{3} {2}", False),
    ],
)
@pytest.mark.parametrize("apart", [True, False])
def test_record_ids_of_people_who_are_in_no_release_together_show_households(tmp_path, head, form, said, apart):
    ids = [
        form.format(10221 + 7 * home, member + 1, 20001 + n, home % 2) for n, (home, member) in enumerate(HOUSEHOLDS)
    ]
    rows = [["*", "abc"[n % 3], *each.split()] for n, each in enumerate(ids)]
    tables = [rows[:30:2] + rows[30:35], rows[1:30:2] + rows[35:]] if apart else [rows]
    more = f'record = {head}\nspelled = ["{" + ".join(head)}"]'
    code, clauses, _ = judged(series(tmp_path, *([[*HEAD[:2], *head], *each] for each in tables), more=more))
    assert (code, "30 record ids" in str(clauses["k"]["reason"])) == ((3, True) if said else (0, False))


TYING = {
    "values": (lambda tag, n: ["ok", f"{1000 + 37 * ((n + tag) % 200)},25"], 'decimal = ","'),
    "rounded": (lambda tag, n: ["ok", str(round(1003 + 40 * n, -tag))], ""),
    "unlinkable": (lambda tag, n: [f"note {n}" if n < 9 else "-", "abc"[n % 3]], ""),
}


@kills("audit.io.roles.tied_texts", "not (linked or by_chance)", "not by_chance", case="[values-0]")
@kills("audit.io.roles.tied_texts", "many - linked[at]", "many", case="[values-8]")
@kills(
    "audit.io.roles.tied_texts", "names.encode(table.arrow(record))", "np.zeros(table.rows, int)", case="[values-200]"
)
@kills("audit.judgement.doubts._unlinked_numbers", "~linked if", "linked if", case="[rounded-200]")
@pytest.mark.parametrize("anew", [0, 8, 200])
@pytest.mark.parametrize("kind", TYING)
def test_texts_tie_rows_as_if_there_were_no_record_ids_where_these_are_drawn_anew(tmp_path, kind, anew):
    """Record ids that are in both releases link rows already; of rows with other ids, the texts link them."""
    texts, more = TYING[kind]
    tables = [
        [[*HEAD, "Id"], *(["20-59", value, text, f"R{(n * 7919) % 1000 + 1000 * tag * (n < anew)}"]
                          for n in range(200) for text, value in [texts(tag, n)])]
        for tag in range(2)
    ]  # fmt: skip
    said = []
    for record in ('record = "Id"\nspelled = ["Id"]\n', ""):
        found = [row if record else row[:-1] for table in tables for row in table]
        _, clauses, _ = judged(series(tmp_path, found[:201], found[201:], more=f"{DECLARED}\n{record}{more}"))
        said.append("link their rows" in str(clauses["k"]["reason"]))
    assert said == [anew > 0, True]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('unlinkable = { Remarks = " " }', '`unlinkable`: "Remarks" has no reason; write Remarks ='),
        ('unlinkable = ["Remarks"]', "`unlinkable`: this has to be a table of texts"),
        ('unlinkable = { Age = "x" }', "`Age`: the column has two roles"),
    ],
)
def test_what_unlinkable_needs(tmp_path, line, what):
    err = refused(str(remarked(tmp_path, lambda tag, n: "ok", line)))
    assert what in err
    assert "series.toml:6: " in err or "series.toml:5: " in err


@pytest.mark.parametrize("beside", ["Age", "Disease"])
def test_in_a_pair_each_file_has_its_own_roles(tmp_path, beside):
    """The value beside its row, or a quasi-identifier beside the values, is read by nothing, and so has no role."""
    exact = [[str(20 + n), str(n // 4), ["flu", "cold"][n % 2]] for n in range(8)]
    for column in ("", beside):
        more = column == "Disease"
        first = [["Age", "Group", *(["Disease"] if more else [])], *([age, group, *([value] if more else [])]
                 for age, group, value in exact)]  # fmt: skip
        older = column == "Age"
        values = [["Group", "Disease", "count", *(["Age"] if older else [])]]
        values += [
            [str(group), value, "2", *(["old"] if older else [])] for group in (0, 1) for value in ("flu", "cold")
        ]
        write(tmp_path / "1.rows.csv", as_csv(first))
        write(tmp_path / "1.values.csv", as_csv(values))
        head = '[series]\nreleases = [{ rows = "1.rows.csv", values = "1.values.csv" }]\n[columns]\n'
        write(tmp_path / "series.toml", f'{head}{COLUMNS}group = "Group"\n')
        code, clauses, _ = judged(tmp_path, "--k", "2")
        assert (code, clauses["k"]["state"]) == ((3, "undecided") if column else (0, "holds"))
        assert (f'"{column}" has no role' in str(clauses["k"]["reason"])) == bool(column)


# -- guesses ------------------------------------------------------------------------------------------------------

SMALL = [[*row[:2], "ok"] for row in rows(0, lambda tag, n: "", 40)] + [["50-59", "hiv", "ok"]]


def guessed(folder, keys, table):
    """A series in which some keys are guesses: 40 people of two ages, and maybe one who is alone."""
    listed = ", ".join(f'"{key}"' for key in keys)
    more = f"{DECLARED}\n[unconfirmed]\nkeys = [{listed}]" if keys else DECLARED
    return series(folder, [HEAD, *table], more=more)


@pytest.mark.parametrize(("table", "code"), [(SMALL[:-1], 0), (SMALL, 1)])
@pytest.mark.parametrize("key", ["columns.quasi_identifiers", "columns.sensitive", "series.releases"])
def test_what_rests_on_a_guess_neither_holds_nor_is_violated(tmp_path, table, code, key):
    found, clauses, result = judged(guessed(tmp_path, [], table))
    state = {each: clauses[each]["state"] for each in ("k", "max_risk")}
    assert (found, set(state.values())) == (code, {"violated" if code else "holds"})
    assert "if_confirmed" not in result["policy"]
    found, clauses, shown = judged(guessed(tmp_path, [key], table))
    assert (found, shown["policy"]["passed"], shown["policy"]["violations"]) == (3, False, [])
    for each in ("k", "max_risk"):
        assert clauses[each]["state"] == "undecided"
        assert clauses[each]["reason"].startswith(f"{key} is a guess: check it and delete it under [unconfirmed]")
    assert shown["policy"].get("if_confirmed", []) == result["policy"]["violations"]
    total = sum(each["findings_total"] for each in result["attacks"])
    assert sum(each["findings_total"] for each in shown["attacks"]) == total
    text = " ".join(run_main(str(tmp_path))[1].split())
    assert (
        "UNDECIDED, because the result depends on guesses; if they are right, the policy does not hold." in text
    ) == bool(code)
    assert f"$ audit init {tmp_path} --confirm".replace(" ", "") in text.replace(" ", "")


@pytest.mark.parametrize("table", [SMALL[:-1], SMALL])
@pytest.mark.parametrize("key", ["", "columns.sensitive"])
def test_a_promise_that_rests_on_a_guess_is_undecided(tmp_path, table, key):
    folder = guessed(tmp_path, [key] * bool(key), table)
    code, out, _ = run_main("check", str(folder), "--principle", "k-anonymity", "--k", "2", "--format", "json")
    assert code == (3 if key else int(table is SMALL))
    assert ("columns.sensitive is a guess" in out) == bool(key)


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ('["columns.count"]', "`columns.count`: [unconfirmed] names a key that is not in this file; if its line was"),
        ('["sensitive"]', "`sensitive`: [unconfirmed] names a key that is not in this file"),
        ('["columns..sensitive"]', "[unconfirmed] names a key that is not in this file"),
        ('["unconfirmed.keys"]', "[unconfirmed] names a key that is not in this file"),
        ('"columns.sensitive"', "`keys`: this has to be a list of texts"),
    ],
)
def test_a_guess_names_a_key_of_the_manifest(tmp_path, keys, what):
    more = f"{DECLARED}\n[unconfirmed]\nkeys = {keys}"
    err = refused(str(series(tmp_path, [HEAD, *SMALL], more=more)))
    assert what in err
    assert "series.toml:" in err
    err = refused(str(series(tmp_path, [HEAD, *SMALL], more=f"{DECLARED}\n[unconfirmed]\nsure = []")))
    assert "`sure`: [unconfirmed] has no such key" in err


# -- numbers ------------------------------------------------------------------------------------------------------


def paid(folder, values, more="", sensitive='"Pay"'):
    table = [["Owner", "Age", "Pay"], *([f"p{n}", "20-29", values[n % len(values)]] for n in range(12))]
    columns = COLUMNS.replace('"Disease"', sensitive)
    return judged(series_of(folder, [table], f'{columns}individual = "Owner"\n{more}'))


@pytest.mark.parametrize(
    ("values", "more", "state"),
    [
        (["30000", "30100", "30200"], "", "undecided"),
        (["1", "2", "?"], 'missing = ["?"]', "holds"),
        (["1,50", "1,52", "1,53"], 'decimal = ","', "undecided"),
        (["30000", "30100", "30200"], 'types = { Pay = "categorical" }', None),
        (["30000", "30100", "none"], "", "holds"),
        (["10-20", "20-30", "30-40"], "", "holds"),
    ],
)
def test_numbers_that_may_be_codes_are_judged_as_both(tmp_path, values, more, state):
    code, clauses, _ = paid(tmp_path, values, more)
    assert (code, clauses["k"]["state"], clauses["max_risk"]["state"]) == (
        3 if state == "undecided" else 0,
        "holds",
        "holds",
    )
    assert clauses.get("closeness", {"state": None})["state"] == state
    assert state != "undecided" or 'the numbers of "Pay" may be amounts' in clauses["closeness"]["reason"]


def test_what_is_published_of_numbers_is_declared(tmp_path):
    table = [["id", "Age", "Pay"], *([f"p{n}", str(20 + n), str(1000 * (n % 5))] for n in range(20))]
    write(tmp_path / "people/1.csv", as_csv(table))
    text = '[microdata]\nsnapshots = ["1.csv"]\n[columns]\nindividual = "id"\nquasi_identifiers = ["Age"]\n'
    write(tmp_path / "people/microdata.toml", f'{text}sensitive = "Pay"\n')
    folder = tmp_path / "out"
    words = ("--method", "m-invariance", "--m", "2", "--output", str(folder))
    assert run_main("anonymize", "--no-audit", str(tmp_path / "people"), *words)[0] == 0
    code, clauses, _ = judged(folder)
    assert (code, clauses["max_risk"]["state"], clauses["closeness"]["state"]) == (0, "holds", "holds")


# -- empty cells --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "code"),
    [(lambda row: f"town {row}", 3), (lambda row: f"town {row % 6}", 0)],
    ids=["each stands once", "each stands twice"],
)
def test_sensitive_values_that_stand_once_tie_rows_that_nobody_is_known_to_have(tmp_path, values, code):
    """Each release alone has two rows of every class; linked by their values, both rows' classes share one value."""
    ages = ("20-29", "30-39", "40-49")
    tables = [[["age", "town"], *([ages[n // tag % 3], values(n)] for n in range(12))] for tag in (1, 2)]
    series_of(tmp_path, tables, 'quasi_identifiers = ["age"]\nsensitive = "town"')
    found, result, _ = run_audit(tmp_path)
    said = [each["reason"] for each in result["policy"]["undecided"]]
    assert (found, any('values of "town" occur once' in each for each in said)) == (code, code == 3)
    assert "--confirm" not in run_main(str(tmp_path))[1]  # nothing is left to confirm


@kills("audit.io.roles.tied_texts", "who != whose and", "False and")
@kills("audit.io.roles.in_key", "rows if table.kept is None else numbered(table.kept, table.in_file)", "rows")
@pytest.mark.parametrize("numbers", ["drawn", "kept"])
@pytest.mark.parametrize("key", ["file", "column", None])
def test_numbers_that_are_drawn_for_each_row_link_none_where_the_key_shows_other_people(tmp_path, numbers, key):
    """By chance, half of 60 numbers of 100 are in the next release, too."""
    draw, tables = np.random.default_rng(0), []
    for tag in range(2):
        number = draw.permutation(100) if numbers == "drawn" else np.arange(7, 107)
        rows = [[f"{n % 3}0-{n % 3}9", number[n] + 100, "abcd"[n // 3 % 4], f"P{n}"] for n in draw.permutation(60)]
        tables.append([["Age", "Nr", "D", "Who"], ["Total", 0, 60, ""], *rows])
        if key == "file":
            listed = [[place, row[3]] for place, row in enumerate(rows, 1)]
            write(tmp_path / f"private/{tag + 1}.key.csv", as_csv([["row", "individual"], *listed]))
    columns = 'quasi_identifiers = ["Age"]\nsensitive = "D"\nunlinkable.Nr = "drawn"\nignore_rows.Age = ["Total"]\n'
    tables = tables if key == "column" else [[row[:3] for row in table] for table in tables]
    folder = series_of(tmp_path, tables, f'{columns}individual = "Who"\n' if key == "column" else columns)
    code, out = printed(str(folder))
    asked = numbers == "kept" or key is None
    assert (code, 'of the unlinkable column "Nr" occur once in each of two' in out) == (3 if asked else 0, asked)
