"""Proofs in words: what is counted, what is weighed, and long ones in short."""

from audit.findings.proof import Proof, RefutedCase, RowPoints, Spending, in_full, in_short


def counted(rows, people, total=None):
    """Rows of one point each, of which everybody needs one."""
    points = tuple(RowPoints(release, group, value, 1, count) for release, group, value, count in rows)
    total = sum(row.rows for row in points) if total is None else total
    return Proof(points, (), (), total, tuple(Spending(name, 1, ()) for name in people))


WEIGHED = Proof(
    (RowPoints("1", "7", "flu", 2, 3), RowPoints("2", "9", "cold", 1, 1)),
    (),
    (),
    7,
    (Spending("A", 3, (("cold", 3), ("flu", 5))), Spending("B", 1, ()), Spending("C", 4, (("gout", 4),))),
)


def test_people_are_counted():
    assert in_short(counted([("2", "4", "flu", 1)], ["A", "B"]), "A", "cold") == [
        "release 2, group 4: 1 row with flu.",
        "B can have nothing else.",
        "Without cold, A would need one too: 2 people for 1 row, which is impossible.",
    ]
    assert in_short(counted([("2", "4", "flu", 1), ("1", "3", "gout", 2)], ["A", "B", "C", "D"]), "A", "cold") == [
        "release 2, group 4: 1 row with flu.",
        "release 1, group 3: 2 rows with gout.",
        "B, C and D must have one of these.",
        "Without cold, A would need one too: 4 people for 3 rows, which is impossible.",
    ]


def test_points_are_added_up():
    assert in_short(WEIGHED, "A", "measles") == [
        "Let rows cost points, 7 in all:",
        "  release 1, group 7: 3 rows with flu, 2 points each",
        "  release 2, group 9: 1 row with cold, 1 point",
        "Whatever they have, these 2 people spend at least 5 points: B (1) and C (4).",
        "Without measles, A would spend at least 3 points more: 8 of 7, which is impossible.",
    ]


def test_in_full_everybodys_choices_are_told():
    assert in_full(WEIGHED, "A", "measles")[-2:] == [
        "  A, without measles, may have cold (3 points) and flu (5 points)",
        "  C may have gout (4 points)",
    ]


def test_cases_follow_one_another():
    inner = counted([("2", "4", "flu", 1)], ["A", "B"])
    nobody = Proof((), (), nobody="Z")
    cases = Proof((), (), (RefutedCase("A", "2", "flu", inner), RefutedCase("A", "2", "gout", nobody)))
    assert in_short(cases, "A", "cold") == [
        "If A had flu in release 2:",
        "  release 2, group 4: 1 row with flu.",
        "  A and B can have nothing else.",
        "  That is 2 people for 1 row, which is impossible.",
        "If A had gout in release 2, nothing would be left to Z, which is impossible.",
    ]
    nested = Proof((), (), (RefutedCase("A", "2", "flu", cases),))
    assert "  No value is left to A in release 2." in in_short(nested, "A", "cold")


def test_what_is_long_is_cut():
    long = counted([("2", str(group), "flu", 1) for group in range(30)], [f"p{number}" for number in range(31)])
    said = in_short(long, "p0", "cold")
    assert len(said) == 12
    assert said[-1] == "and so on, 21 more lines: `audit explain` shows them all"
    assert len(in_full(long, "p0", "cold")) == 32
    many = counted([("2", "4", "flu", 30)], [f"p{number:02}" for number in range(31)])
    assert in_short(many, "p00", "cold")[1].endswith("p12 and 18 more can have nothing else.")


def test_names_are_printable():
    assert "\x1b" not in "".join(in_full(counted([("2", "\x1b", "\x1b", 1)], ["\x1b", "B"]), "B", "\x1b"))
