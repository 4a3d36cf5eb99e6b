"""What each release gives away by itself, against counting by hand."""

import random
from collections import Counter, defaultdict

import pytest

from tests.helpers.amount import some
from tests.helpers.messy import series_of, write
from tests.helpers.running import read_audit
from tests.mutants.mutant import kills

COLUMNS = 'sensitive = "Disease"\nquasi_identifiers = ["Age", "Zip"]\n'


def series(folder, releases, more=""):
    unused = ", ".join(f'{name} = "drawn for this test"' for name in "gn" if f'"{name}"' not in more)
    declared = f"unlinkable = {{ {unused} }}\n" if unused else ""
    return series_of(
        folder, [[["g", "Age", "Zip", "Disease", "n"], *rows] for rows in releases], COLUMNS + declared + more
    )


def homogeneity(folder, *words):
    code, result = read_audit(folder, *words)
    [entry] = [each for each in result["attacks"] if each["attack"] == "homogeneity"]
    return code, entry, result


def by_hand(releases, *, group, count, limit):
    """Classes in which one value's share is 1 or reaches the limit, as release, rows, value and share."""
    found, shares = [], []
    for place, rows in enumerate(releases, 1):
        classes = defaultdict(Counter)
        for g, age, zip_code, disease, n in rows:
            classes[g if group else None, age, zip_code][disease] += int(n) if count else 1
        for values in classes.values():
            total = sum(values.values())
            most = max(values.values())
            shares.append(most / total)
            if most == total or most / total >= limit - 1e-12:
                likeliest = {value for value, times in values.items() if times == most}
                found.append((str(place), total, likeliest, most / total))
    return found, max(shares)


@kills("audit.io.releases.RowClasses.of", "if varying:", "if False:")
@pytest.mark.parametrize("seed", range(some(40)))
def test_classes_are_those_counted_by_hand(tmp_path, seed):
    rng = random.Random(seed)  # noqa: S311
    group, count, limit = rng.random() < 0.5, rng.random() < 0.5, rng.choice([1.0, 0.5, 0.75])
    releases = [
        [
            [
                rng.choice("xy"),
                rng.choice(["20-30", "30-40"]),
                rng.choice(["1*", "2*"]),
                rng.choice("abc"),
                rng.randint(1, 3),
            ]
            for _ in range(rng.randint(4, 14))
        ]
        for _ in range(rng.randint(1, 3))
    ]
    more = ('group = "g"\n' if group else "") + ('count = "n"\n' if count else "")
    code, entry, result = homogeneity(
        series(tmp_path, releases, more), "--policy", f"max_risk={limit}", "--findings", "all"
    )
    expected, highest = by_hand(releases, group=group, count=count, limit=limit)
    assert entry["status"] == "complete"
    assert entry["findings_total"] == len(expected) == entry["measures"]["at_limit"]
    told = [(f["release"], f["rows"], f["value"], f["risk"]) for f in entry["findings"]]
    left = list(expected)
    for release, rows, value, risk in told:
        match = next(e for e in left if (e[0], e[1], e[3]) == (release, rows, risk) and value in e[2])
        left.remove(match)
    assert entry["measures"]["max_risk"] == highest
    smallest = min(each["k"] for each in result["panel"])
    assert code == (1 if expected or smallest < 2 else 0)
    assert result["adversary"]["kind"] == "published"


def test_a_group_of_counterfeits_gives_nobody_away(tmp_path):
    rows = [["x", "1", "1", "a", 1], ["x", "1", "1", "a", 1], ["y", "2", "2", "a", 1], ["y", "2", "2", "b", 1]]
    folder = series(tmp_path, [rows], 'group = "g"\n[counterfeits]\n1 = "fake.csv"')
    write(folder / "fake.csv", "g,Count\nx,1\n")
    assert homogeneity(folder)[1]["findings_total"] == 1
    write(folder / "fake.csv", "g,Count\nx,2\n")
    assert homogeneity(folder)[1]["findings_total"] == 0
