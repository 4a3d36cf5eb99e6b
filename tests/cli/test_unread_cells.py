"""Cells are read, or the verdict is undecided, or the input refused: each case beside the nearest one that holds."""

import pytest

from tests.cli.forms import edit
from tests.helpers.messy import series_of, write
from tests.helpers.running import read_audit, refused, run_main
from tests.mutants.mutant import kills


def series(
    folder,
    rows,
    *,
    people=None,
    columns="",
    adversary="",
    header="g,born,d",
    group='group = "g"',
    risk="max_risk = 0.9",
):
    """A series of one release, with a register where people are given by their exact values."""
    beside = {}
    if people is not None:
        lines = [f"P{place},{value},1,1" for place, value in enumerate(people)]
        beside["register"] = "\n".join(["individual,born,first,last", *lines, ""])
        adversary = '[adversary]\nregister = "register.csv"\n'
    columns = f'{group}\nquasi_identifiers = ["born"]\nsensitive = "d"\n{columns}'
    return series_of(folder, ["\n".join([header, *rows, ""])], columns, f"{adversary}[policy]\n{risk}", **beside)


def rows(low, high, *, star="*"):
    """Ten rows of one class with one value, a class of stars, and one of other people."""
    return [
        *([f'1,"{low}",HIV'] * 10),
        *(f'2,"{star}",{value}' for value in ("HIV", "flu")),
        *(f'3,"{high}",{value}' for value in ("gas", "flu", "ulc")),
    ]


def reasons(result):
    return [each["reason"] for each in result["policy"]["undecided"]]


def test_ranges_in_words_and_dates_are_read(tmp_path):
    """Bob is 33, or born in March 1990: ten of twelve rows that may be his have HIV, and one star row more."""
    for name, low, high, bob in (
        ("to", "30 to 39", "40 to 49", "33"),
        ("dates", "[1990-01-01, 1990-12-31]", "[1970-01-01, 1989-12-31]", "1990-03-05"),
    ):
        code, result = read_audit(series(tmp_path / name, rows(low, high), people=[bob]))
        assert code == 1
        assert {each["measure"] for each in result["policy"]["violations"]} == {"max_risk"}
        assert reasons(result) == []
        # He is safe where half of these rows have another value.
        mixed = [line.replace("HIV", "gas") if place % 2 else line for place, line in enumerate(rows(low, high))]
        code, result = read_audit(series(tmp_path / f"{name}-safe", mixed, people=[bob]))
        assert (code, reasons(result)) == (0, [])


@pytest.mark.parametrize("missing", ['["80+"]', '["20 to 39"]', '["<18"]', '["2024-01 to 2024-03"]'])
def test_missing_may_not_be_a_range(missing, tmp_path):
    folder = series(tmp_path / "s", rows("30 to 39", "40 to 49"), people=["33"], columns=f"missing = {missing}")
    err = refused(str(folder))
    assert "series.toml:" in err
    assert "looks like a range" in err
    text = (folder / "series.toml").read_text()
    (folder / "series.toml").write_text(text.replace(missing, '["?", "NA", "999"]').replace("33", "45"))
    assert run_main(str(folder))[0] == 1


UNREAD = ["20 -> 39", "65 and beyond", "0**1", "[a, b]", "<5k", "20-39 widgets", "&lt;5"]


@pytest.mark.many
@pytest.mark.parametrize("text", UNREAD)
@pytest.mark.parametrize("adversary", ["published", "linked", "pseudonym", "register"])
def test_what_looks_like_a_range_and_is_not_read_is_undecided(adversary, text, tmp_path):
    """Under every adversary, naming file, line and column; with its texts declared as exact values all holds."""
    columns = {"linked": 'individual = "id"', "pseudonym": 'record = "id"'}.get(adversary, "")
    table = [
        *(f'{group},"{text}",{value}' for group in (1, 2) for value in ("flu", "gas")),
        *(f"3,other,{value}" for value in ("flu", "gas", "ulc")),
    ]
    table = [f"{line},P{number}" for number, line in enumerate(table)] if columns else table
    people = [f'"{text}"', "other"] if adversary == "register" else None
    found = []
    for name, more in (("unread", ""), ("spelled", 'spelled = ["born"]')):
        folder = series(
            tmp_path / name,
            table,
            columns=f"{columns}\n{more}",
            people=people,
            header="g,born,d,id" if columns else "g,born,d",
            risk="",
        )
        found.append(read_audit(folder))
    (code, result), (exit_spelled, spelled) = found
    assert code == 3
    assert any('"born"' in each and "1.csv:2" in each and "spelled" in each for each in reasons(result))
    assert (exit_spelled, reasons(spelled)) == (0, [])


def test_texts_are_quoted_where_names_are(tmp_path):
    folder = series(tmp_path / "s", rows("20 -> 39", "a"))
    assert not any("->" in each for each in reasons(read_audit(folder)[1]))
    assert any("->" in each for each in reasons(read_audit(folder, "--reveal")[1]))


def test_under_a_register_a_text_that_nobody_has_is_refused(tmp_path):
    """A label beside stars that equals nothing in the register covers no person: it may be a class of several texts."""
    table = [f"{group},{cell},{value}" for group, cell in ((1, "north"), (2, "*")) for value in ("flu", "gas")]
    folder = series(tmp_path / "strange", table, people=["Oslo", "Bergen"])
    err = refused(str(folder))
    assert '1.csv:2, column "born"' in err
    assert "spelled" in err
    # Its own value is no stranger's, nor are declared texts, nor texts beside no other cells.
    assert read_audit(series(tmp_path / "own", table, people=["north"]))[0] == 0
    assert read_audit(series(tmp_path / "spelled", table, people=["Oslo"], columns='spelled = ["born"]'))[0] == 0
    plain = [f"{group},{cell},{value}" for group, cell in ((1, "F"), (2, "M")) for value in ("flu", "gas")]
    assert read_audit(series(tmp_path / "plain", plain, people=["F"]))[0] == 0
    assert run_main(str(series(tmp_path / "other", plain, people=["F", "X"])))[0] == 2


@kills("audit.io.unread_cells.check_register_texts", "series.texts_in(position, name)", "series.texts(name)")
@pytest.mark.parametrize("coarse", ["North/East", "Other", "N"])
def test_a_coarser_name_in_one_release_is_refused_though_another_one_is_exact(coarse, tmp_path):
    """Who lives in North may be in these rows: that no row of the release has North says so."""
    exact = [f"{group},{cell},{value}" for group, cell in ((1, "North"), (2, "East")) for value in ("flu", "gas")]
    later = [f"{group},{cell},{value}" for group, cell in ((1, coarse), (2, "East")) for value in ("flu", "gas")]
    folder = series(tmp_path / "s", exact, people=["North", "East"])
    table = (folder / "1.csv").read_text(encoding="utf-8").splitlines()
    (folder / "2.csv").write_text("\n".join([table[0], *later, ""]), encoding="utf-8")
    edit(folder / "series.toml", '"1.csv"', '"1.csv", "2.csv"')
    edit(folder / "register.csv", ",1,1", ",1,2")
    assert '2.csv:2, column "born"' in refused(str(folder))
    (folder / "2.csv").write_text("\n".join([table[0], *exact, "3,West,flu", "3,West,gas", ""]), encoding="utf-8")
    assert run_main(str(folder))[0] == 3


_MASKED = [  # the register's values for Ann and for others, the cell of her group, the exit if she may be, or is, there
    ("LS1 4", "N1 1", "LS**", (3, 2)),
    ("LS1 4", "BD1 1", "XY*", (0, 2)),
    ("28", "48", "2", (0, 2)),
    *(("LS1 4", "BD1 1", cell, codes) for cell, codes in (("LS***", (1, 1)), ("LS*", (3, 2)), ("LS******", (3, 2)))),
    ("LS1 4", "BD1 1", "LS", (2, 2)),
    *(("LS1 4", "LS1 4", cell, (3, 3)) for cell in ("LS*", "LS")),
    ("28025", "48001", "28***", (1, 1)),
    *(("28025", "48001", cell, (3, 2)) for cell in ("28*", "28")),
    ("2", "48", "2*", (0, 2)),
]


@kills(
    "audit.io.unread_cells.cells_of_other_length", "if attribute.kind is Kind.CATEGORICAL and begin != text", "if False"
)
@kills("audit.io.unread_cells.cells_of_other_length", "if lengths[begin] and", "if")
@kills("audit.io.unread_cells._may_be_cut", "coded and ", "")
@pytest.mark.many
@pytest.mark.parametrize(("ann", "others", "cell", "codes"), _MASKED)
def test_a_cell_that_only_begins_like_values_of_the_register_is_asked_about(ann, others, cell, codes, tmp_path):
    """Ann alone has gout, if the cell covers her; a cell of another length than her value covers nobody."""
    rest = "".join(f"{others},{each}\n" for each in ("flu", "gas", "ulc"))
    tables = [f"born,d\n{cell},gout\n{cell},{each}\n{rest}" for each in ("flu", "gas")]
    possible, asked = 'presence = "possible"\n', codes[0] == 3
    modes = [(possible, "", codes[0]), ("", "", codes[1])]
    answers = {'crosswalk = { born = "crosswalk.csv" }': 1, 'spelled = ["born"]': 3}
    modes += [(possible, answer, code * (ann != others)) for answer, code in answers.items()] * asked
    for place, (presence, columns, code) in enumerate(modes):
        folder = series_of(
            tmp_path / str(place),
            tables,
            f'quasi_identifiers = ["born"]\nsensitive = "d"\n{columns}',
            f'[adversary]\nregister = "register.csv"\n{presence}',
            register=f"individual,born,first,last\nAnn,{ann},1,2\nBob,{others},1,2\n",
            crosswalk=f"release,from,to\n1,{cell},{ann}\n2,{cell},{ann}\n",
        )
        found, out, err = run_main(str(folder))
        said = " ".join(f"{out} {err}".split())
        assert (found, "has a cell that covers nobody" in said) == (code, asked and not columns), said


def test_codes_beside_ranges_are_undecided(tmp_path):
    """8888 beside ranges of ages means not known, or is a number: only the publisher knows."""
    table = ["1,25-34,a", "1,25-34,b", "2,8888,a", "2,8888,c", "3,>74,a", "3,>74,b", "4,<25,a", "4,<25,b"]
    code, result = read_audit(series(tmp_path / "code", table, people=["30", "80"]))
    assert code == 3
    assert any("1.csv:4" in each and "missing" in each for each in reasons(result))
    for name, columns in (("missing", 'missing = ["8888"]'), ("number", 'types = { born = "numeric" }')):
        code, result = read_audit(series(tmp_path / name, table, people=["30", "80"], columns=columns))
        assert (code, reasons(result)) == (0, [])
    near = [line.replace("8888", "77") for line in table]
    assert read_audit(series(tmp_path / "near", near, people=["30", "80"]))[0] == 0


def test_rows_of_stars_alone_count_in_no_class(tmp_path):
    """Where neither groups nor record ids are published; in a class of their own they are judged as all are."""
    more, stars = ["20-39,flu", "20-39,gas"], ["*,flu", "*,gas"]
    bare = {"group": "", "header": "born,d"}
    code, result = read_audit(series(tmp_path / "none", [*more, *more, *stars], **bare), "--k", "3")
    assert code == 0
    assert [(each["k"], each["suppressed"]) for each in result["panel"]] == [(4, 2)]
    code, result = read_audit(
        series(tmp_path / "grouped", [*(f"1,{line}" for line in [*more, *more]), "2,*,flu", "2,*,gas"]), "--k", "3"
    )
    assert code == 1
    assert [(each["k"], each["suppressed"]) for each in result["panel"]] == [(2, 0)]
    code, result = read_audit(series(tmp_path / "all", stars, **bare), "--k", "3")
    assert code == 1
    code, out, _ = run_main(str(tmp_path / "none"), "--k", "3")
    assert code == 0
    assert "suppressed" in out
    # One row of them still gives its value away to those who know whose it is.
    assert read_audit(series(tmp_path / "one", [*more, "*,flu"], **bare))[0] == 1


def test_a_series_of_dates_is_continued_in_dates(tmp_path):
    """By an anonymizer, whose cells read back as what they stand for, and audited by the key that it writes."""
    people = [(f"P{n}", f"1990-{1 + n % 12:02}-{1 + n:02}", "flu" if n % 2 else "gas") for n in range(12)]
    snapshot = "who,born,d\n" + "".join(f"{who},{born},{value}\n" for who, born, value in people)
    micro = tmp_path / "micro"
    micro.mkdir()
    for tag in ("1", "2"):
        (micro / f"{tag}.csv").write_text(snapshot)
    (micro / "microdata.toml").write_text(
        '[microdata]\nname = "m"\nsnapshots = ["1.csv", "2.csv"]\n'
        '[columns]\nindividual = "who"\nquasi_identifiers = ["born"]\nsensitive = "d"\n'
    )
    rows = [f'{n // 2},"[1990-01-01, 1990-12-31]",{value}' for n, (_, _, value) in enumerate(people)]
    folder = series(tmp_path / "s", rows, risk="")
    (folder / "private").mkdir()
    keys = "".join(f"{row},{who}\n" for row, (who, _, _) in enumerate(people))
    (folder / "private" / "1.key.csv").write_text(f"row,individual\n{keys}")
    words = ("anonymize", "--no-audit", micro, "--method", "m-invariance", "--m", "2", "--output", folder)
    code, out, err = run_main(*map(str, words))
    assert code == 0, (out, err)
    cells = {line.rsplit(",", 1)[0].split(",", 1)[1] for line in (folder / "2.csv").read_text().splitlines()[1:]}
    assert all(cell.startswith('"[1990-') for cell in cells)
    assert not any("born" in each for each in reasons(read_audit(folder)[1]))


_OTHERWISE = [  # the register's value for Ann, a cell of her group, the exit of an audit: others are in "Getafe"
    *((value, "Alcalá de Henares", 3) for value in ("ALCALÁ DE HENARES", "Alcala de Henares", "Henares, Alcalá de")),
    *((value, "Alcalá de Henares", 3) for value in ("Alcalá de H.", "alcalá  de henares")),
    *(("8001", cell, 3) for cell in ("080**", "08001")),
    *(("08001", cell, 3) for cell in ("80**", "8001")),
    ("M", "Mujer", 3),
    *((value, "Alcalá de Henares", 0) for value in ("Leganés", "Alcorcón", "28001")),
    ("9001", "080**", 0),
]


@kills("audit.io.unread_cells._in_other_words", "written_alike(absent, shown)", "set[str]()")
@kills("audit.io.unread_cells._in_other_words", 'value.lstrip("0") or value', "value")
@kills("audit.io.unread_cells.spelled_otherwise", " if own.get(value) != value", "")
@pytest.mark.many
@pytest.mark.parametrize(("ann", "cell", "code"), _OTHERWISE)
def test_a_value_of_possible_people_that_a_release_writes_otherwise_is_asked_about(ann, cell, code, tmp_path):
    """Ann alone has gout, in both releases, if the cell means her value; whom no cell covers is not judged."""
    own = cell.replace("**", "02")
    rest = "".join(f"{born},50,{each}\n" for born in (cell, "Getafe") for each in ("flu", "gas", "ulc"))
    tables = [f"born,age,d\n{cell},30,gout\n{cell},30,{each}\n{rest}" for each in ("flu", "gas")]
    crosswalk, asked = 'crosswalk = { born = "crosswalk.csv" }', code == 3
    modes = [("", own, code), (crosswalk, ann, 0), *[(crosswalk, own, 1)] * (asked and "*" not in cell)]
    for place, (columns, meant, expected) in enumerate(modes):
        folder = series_of(
            tmp_path / str(place),
            tables,
            f'quasi_identifiers = ["born", "age"]\nsensitive = "d"\n{columns}',
            '[adversary]\nregister = "register.csv"\npresence = "possible"\n',
            register=f'individual,born,age\nAnn,"{ann}",30\nZoe,{own},50\nBob,Getafe,50\nEve,Getafe,50\n',
            crosswalk=f'release,from,to\nregister,"{ann}","{meant}"\n',
        )
        found, out, _ = run_main(str(folder))
        assert (found, "may write in another way" in " ".join(out.split())) == (expected, expected == 3), out


def test_a_crosswalk_says_nothing_of_the_spelling_of_what_it_renames_to(tmp_path):
    """The register's X is 08001, whose zero the second release lost: Ann alone has gout in both."""
    rest = "".join(f"48***,50,{each}\n" for each in ("flu", "gas", "ulc"))
    folder = series_of(
        tmp_path,
        [f"born,age,d\n{cell},30,gout\n{cell},30,{d}\n{rest}" for cell, d in (("080**", "flu"), ("80**", "gas"))],
        'quasi_identifiers = ["born", "age"]\nsensitive = "d"\ncrosswalk = { born = "crosswalk.csv" }',
        '[adversary]\nregister = "register.csv"\npresence = "possible"\n',
        register="individual,born,age\nAnn,X,30\nBob,48001,50\nEve,48001,50\n",
        crosswalk="release,from,to\nregister,X,08001\n",
    )
    found, out, _ = run_main(str(folder))
    assert (found, "may write in another way" in " ".join(out.split())) == (3, True), out


@kills("audit.io.unread_cells._lists_others", "> 1", "> 9")
def test_a_value_with_a_comma_beside_its_part_is_no_list(tmp_path):
    """An artisan has flu in both releases; read as a list, the other class may be theirs, and nothing is certain."""
    ours, theirs = "Artisans", "Artisans, commerçants"
    beside = [f'"{theirs}",{value}' for value in ("HIV", "gas", "ulc")]
    lines = [["born,d", f"{ours},flu", f"{ours},{other}", *beside, ""] for other in ("gas", "ulc")]
    people = ["individual,born", *(f'P{place},"{text}"' for place, text in enumerate([ours, theirs] * 2)), ""]

    def audited(name, columns):
        columns = f'quasi_identifiers = ["born"]\nsensitive = "d"\n{columns}'
        adversary = '[adversary]\nregister = "register.csv"\npresence = "possible"'
        releases = ["\n".join(each) for each in lines]
        return read_audit(series_of(tmp_path / name, releases, columns, adversary, register="\n".join(people)))

    code, result = audited("list", "")
    assert code == 3
    assert any('spelled = ["born"]' in why for why in reasons(result))
    assert audited("value", 'spelled = ["born"]')[0] == 1


@pytest.mark.parametrize("sign", ["80 z. B.", "80 v. l."])
def test_an_open_end_in_signs_of_its_own_is_read_by_the_crosswalk_that_the_audit_names(sign, tmp_path):
    """The files are out, so that nobody can write another text there."""
    people = [f'{n % 3},"{("20-39", "40-79", sign)[n % 3]}",{("HIV", "flu", "gas")[n // 3 % 3]}' for n in range(27)]
    asked = read_audit(series(tmp_path / "asked", people))
    assert asked[0] == 3
    line = 'crosswalk = { "born" = "crosswalk.csv" }'
    assert any(f"crosswalk.csv (release,from,to), with {line} under [columns]" in each for each in reasons(asked[1]))
    folder = series(tmp_path / "read", people, columns=line)
    write(folder / "crosswalk.csv", f'release,from,to\n1,"{sign}",>=80\n')
    assert read_audit(folder)[0] == 0
