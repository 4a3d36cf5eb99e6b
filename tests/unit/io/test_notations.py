"""Notations of numbers and days mean what their plain forms mean, and what looks like one and is not read is seen."""

import datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.io.attributes import QuasiIdentifier, coarser
from audit.io.cell_reading import covers, infer_kind, parse, parse_value, unread
from audit.io.cells import Anything, CellError, Interval, Kind, show
from audit.io.notations import with_decimal_point

CLOSED = (
    *("{a} to {b}", "{a} – {b}", "{a}–{b}", "{a}..{b}", "{a}...{b}", "{a}~{b}", "{a} ~ {b}", "[{a},{b}]"),
    *(
        "{a} bis {b}",
        "{a} à {b}",
        "{a} a {b}",
        "from {a} to {b}",
        "von {a} bis {b}",
        "de {a} à {b}",
        "desde {a} hasta {b}",
    ),
    *("between {a} and {b}", "zwischen {a} und {b}", "entre {a} et {b}", "entre {a} y {b}", "{a}-{b} years"),
    *("{a} years to {b} years", "{a} bis {b} Jahre", "{a} à {b} ans", "{a} a {b} años", "[{a}.0, {b}.0]"),
)
UPWARDS = (
    *(
        "{a}+",
        "{a} +",
        "{a}+ years",
        "{a} and over",
        "{a} or older",
        "{a} or Older",
        "{a} years and older",
        "at least {a}",
    ),
    *("[{a}, inf)", "[{a}, ∞[", "≥{a}", "{a} und älter", "{a} Jahre und älter", "ab {a}", "mindestens {a} Jahre"),
    *(
        "{a} et plus",
        "{a} ans et plus",
        "{a} et +",
        "{a} ans et +",
        "{a} y +",
        "à partir de {a}",
        "{a} y más",
        "{a} años o más",
        "a partir de {a}",
    ),
    *("{a} and later", "{a} or after", "{a} onwards", "{a} und später", "{a} oder danach", "{a} et après"),
    *(
        "{a} u. ä.",
        "{a} Jahre u. ä.",
        "{a} u.ä.",
        "{a} u. älter",
        "{a} u. m.",
        "{a} oder mehr",
        "{a} ff.",
        "{a} & over",
    ),
    *("{a} ou plus tard", "{a} y después", "{a} o posterior", "{a} en adelante"),
)
DOWNWARDS = (
    *("{a} or younger", "{a} or under", "{a} and under", "up to {a}", "at most {a}", "(-inf, {a}]", "≤ {a}"),
    *("{a} und jünger", "bis {a}", "höchstens {a}", "{a} et moins", "jusqu'à {a}", "{a} o menos", "hasta {a}"),
    *("{a} and earlier", "{a} or before", "{a} und früher", "{a} oder davor", "{a} et avant", "{a} y antes"),
    *("{a} ou plus tôt", "{a} y anteriores", "{a} u. j.", "{a} u. jünger", "{a} Jahre u. weniger", "{a} & under"),
)
BELOW = (
    *(
        "under {a}",
        "less than {a}",
        "Under {a}",
        "younger than {a}",
        "(-inf, {a})",
        "unter {a}",
        "weniger als {a} Jahre",
    ),
    *("moins de {a}", "moins de {a} ans", "menos de {a}", "menores de {a} años"),
)
NUMBERS = st.integers(0, 120)


@given(NUMBERS, NUMBERS, st.sampled_from(CLOSED))
def test_ranges_in_every_notation_are_the_interval_in_brackets(one, other, form):
    a, b = sorted((one, other))
    text = form.format(a=a, b=b)
    assert parse(text, Kind.NUMERIC) == parse(f"[{a}, {b}]", Kind.NUMERIC) == Interval(Fraction(a), Fraction(b))
    assert infer_kind([text, str(b)]) is Kind.NUMERIC
    assert a == b or unread(text, None)  # in a column of texts it is not read


@given(NUMBERS, NUMBERS, st.sampled_from([*CLOSED, *UPWARDS, *DOWNWARDS, *BELOW, "{a}", "{a} kg", "[{a}; {b}]"]))
def test_decimal_commas_mean_the_same_in_every_notation(one, other, form):
    a, b = sorted((one, other))
    bare = form.replace(".0", "").replace("{a},{b}", "{a}, {b}")  # of `[1,5,2,5]` nobody knows which comma is which
    comma, point = (bare.format(a=f"{a}{sign}5", b=f"{b}{sign}5") for sign in ",.")
    assert parse(with_decimal_point(comma), Kind.NUMERIC) == parse(point.replace(";", ","), Kind.NUMERIC)
    assert with_decimal_point(point) == point.replace("; ", ", ")


@given(NUMBERS, st.sampled_from(UPWARDS))
def test_open_upper_ends(a, form):
    assert parse(form.format(a=a), Kind.NUMERIC) == Interval(Fraction(a), None)
    assert unread(form.format(a=a), None)


@given(NUMBERS, st.sampled_from(DOWNWARDS))
def test_open_lower_ends(a, form):
    assert parse(form.format(a=a), Kind.NUMERIC) == Interval(None, Fraction(a))
    assert unread(form.format(a=a), None)


@pytest.mark.parametrize(
    ("plain", "texts"),
    [
        ("]19, 39]", ["(19.0, 39.0]"]),
        ("[18, 25[", ["18 bis unter 25"]),
        ("[20, 30[", ["20 to under 30", "de 20 à moins de 30 ans"]),
        ("[30, 39]", ["30s", "30er"]),
        ("[1990, 1999]", ["1990s"]),
        (">65", ["over 65", "über 65", "plus de 65 ans", "más de 65"]),
        ("021**", ["021##", "021xx"]),
        ("02*", ["02x"]),
        ("{20, 30}", ["20;30", "20|30", "{'20', '30'}", '["20", "30"]']),
        ("[20, 39]", ["$20-$39"]),
        ("[-5, -1]", ["-5 to -1"]),
    ],
)
def test_what_else_numbers_are_written_as(texts, plain):
    for text in texts:
        assert parse(text, Kind.NUMERIC) == parse(plain, Kind.NUMERIC)


@pytest.mark.parametrize("text", ["(inf, 3]", "[3, -inf)", "39 to 20", "100s", "20 years to 39 months", "20 thru"])
def test_invalid_ranges_are_refused(text):
    with pytest.raises(CellError):
        parse(text, Kind.NUMERIC)


# units


def test_units_are_read_and_do_not_mix():
    assert infer_kind(["20-39 years", "40 yrs", "65+"]) is Kind.NUMERIC
    assert infer_kind(["20-39 years", "6 months"]) is Kind.CATEGORICAL
    age = QuasiIdentifier("age", Kind.NUMERIC, None, frozenset())
    assert age.number("20-39 years") == age.number("20-39")
    age.check_exact("33 years")
    for other in ("6 months", "6 months - 12"):
        with pytest.raises(CellError, match="unit"):
            age.number(other)
    with pytest.raises(CellError, match="unit"):
        age.check_exact("33 months")


# days


def day(text):
    return Fraction(datetime.date.fromisoformat(text).toordinal())


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1990-03-05", "1990-03-05", "1990-03-05"),
        ("1990-03-05 00:00:00", "1990-03-05", "1990-03-05"),
        ("31.12.2024", "2024-12-31", "2024-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2024-03-**", "2024-03-01", "2024-03-31"),
        ("2024-**-**", "2024-01-01", "2024-12-31"),
        ("2024Q1", "2024-01-01", "2024-03-31"),
        ("Q4 2024", "2024-10-01", "2024-12-31"),
        ("[1990-01-01, 1990-12-31]", "1990-01-01", "1990-12-31"),
        ("(1990-01-01, 1990-12-31)", "1990-01-02", "1990-12-30"),
        ("2024-01 to 2024-03", "2024-01-01", "2024-03-31"),
        ("01.01.2024 - 31.03.2024", "2024-01-01", "2024-03-31"),
        ("2024Q1-2024Q2", "2024-01-01", "2024-06-30"),
        (">=2024-03", "2024-03-01", None),
        (">2024-03", "2024-04-01", None),
        ("before 2024-03", None, "2024-02-29"),
        ("ab 01.03.2024", "2024-03-01", None),
    ],
)
def test_days(text, low, high):
    cell = Interval(None if low is None else day(low), None if high is None else day(high))
    assert parse(text, Kind.DATE) == cell
    assert infer_kind([text, "1990-03-05"]) is Kind.DATE
    assert parse(show(cell, Kind.DATE), Kind.DATE) == cell


@pytest.mark.parametrize("text", ["2024-13", "2024-02-30", "2024Q5", "03/04/2024", "2024-03-01 to 2024-02-01", "x"])
def test_invalid_days_are_refused(text):
    with pytest.raises(CellError):
        parse(text, Kind.DATE)


def test_slashes_are_read_where_they_allow_one_order():
    assert infer_kind(["03/04/2024", "13/04/2024"]) is Kind.DAY_FIRST
    assert infer_kind(["03/04/2024", "04/13/2024"]) is Kind.MONTH_FIRST
    assert infer_kind(["03/04/2024", "04/05/2024"]) is Kind.CATEGORICAL
    assert infer_kind(["13/04/2024", "04/13/2024"]) is Kind.CATEGORICAL
    assert parse("03/04/2024", Kind.DAY_FIRST) == parse("2024-04-03", Kind.DATE)
    assert parse("03/04/2024", Kind.MONTH_FIRST) == parse("2024-03-04", Kind.DATE)
    assert parse("2024/03/04", Kind.DATE) == parse("2024-03-04", Kind.DATE)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["2024", "2025"], Kind.NUMERIC),
        (["2024-03", "2024-04"], Kind.DATE),
        (["2024-2025", "2024"], Kind.NUMERIC),
        (["2024-03", "2024"], Kind.DATE),
        (["2024-03-01", "*"], Kind.DATE),
        (["2024-03-01", "unknown"], Kind.CATEGORICAL),
        (["2024-03-01 13:30:00"], Kind.CATEGORICAL),  # as days, times would be lost
    ],
)
def test_kinds_of_columns_of_days(column, kind):
    assert infer_kind(column) is kind


def test_a_month_in_a_register_is_any_of_its_days():
    cells = [parse(text, Kind.DATE) for text in ("2024-03", "2024-03-17", "2024Q1", ">=2024-03-20", "2024-04", "*")]
    assert covers(cells, ["2024-03"], Kind.DATE)[:, 0].tolist() == [True, True, True, True, False, True]
    assert covers(cells, ["2024-03-18"], Kind.DATE)[:, 0].tolist() == [True, False, True, False, False, True]
    assert parse_value("2024-03-17", Kind.DATE) == day("2024-03-17")
    with pytest.raises(CellError, match="single day"):
        parse_value("2024-03", Kind.DATE)


def test_days_are_coarsened_along_the_calendar():
    cell = parse("2024-03-17", Kind.DATE)
    for coarse in ("2024-03", "2024Q1", "2024", "2020-2029"):
        cell = coarser(cell, kind=Kind.DATE)
        assert cell == parse(coarse, Kind.DATE)
    assert coarser(cell, kind=Kind.DATE) == Anything()
    assert coarser(parse("2024-03-30 to 2024-04-02", Kind.DATE), kind=Kind.DATE) == parse("2024", Kind.DATE)


# what is not read


@pytest.mark.parametrize(
    "text",
    [
        *("20 to 39", "65+", "20 -> 39", "20-39 widgets", "ages 20 to 39", "65 and beyond", "<5k", ">50K", "A00-B99"),
        *("[a, b]", "(a, b)", "{a", "a, 20-39", "0**1", "*1", "02?", "2x", "10##1", "100s", "9:00-10:00"),
        *("01/02/2024 - 03/04/2024", "Jan 2020 - Feb 2021", "20,000-30,000", "2024-01-01/2024-12-31"),
    ],
)
def test_texts_that_look_like_more_than_one_value_are_seen(text):
    assert unread(text, None)


@pytest.mark.parametrize(
    "text",
    [
        *("female", "Some-college", "7th-8th", "United-States", "Asian-Pac-Islander,White", "C#", "XX", "A+", "AB-"),
        *("{a, b}", "a;b", "['a', 'b']", "021**", "021##", "*", "", "?", "5", "12 Main St", "[redacted]", "2024-03-01"),
        *("Outlying-US(Guam-USVI-etc)", "2024-03", "HS-grad", "O'Neil", "St. John's", "13/04/2024"),
    ],
)
def test_other_texts_are_not(text):
    assert not unread(text, None, frozenset("?"))
