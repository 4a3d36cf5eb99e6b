"""What an attack that did not finish did not count is unknown, and not drawn or told as nobody."""

from dataclasses import replace

import pytest

import audit
from reports.formats import Text
from reports.page_charts import over_time
from reports.summary_text import only_last
from tests.cli.forms import EXAMPLES


@pytest.fixture(scope="module")
def report():
    """Of the first release alone nothing is certain, after the second one something is."""
    found = audit.load(EXAMPLES / "hospital-l-diverse").attack("intersection", findings=0).report
    assert found.attacks[0].measures.timeline[0] == 0 < found.attacks[0].measures.timeline[1]
    return found


def unfinished(report):
    [attack] = report.attacks
    return replace(report, attacks=(replace(attack, status="incomplete", reason="the time was up"),))


def test_the_picture_has_no_point_where_nothing_is_known(report):
    [whole], [part] = over_time(report), over_time(unfinished(report))
    last = whole.rows[1][1]
    assert [row[1] for row in whole.rows] == ["0", last]
    assert [row[1] for row in part.rows] == ["", last]
    assert whole.svg.count('class="point') == part.svg.count('class="point') + 1
    assert part.head[1] == "intersection, at least"


def test_the_table_on_the_terminal_says_so(report):
    def first(shown):
        lines = [line.split() for line in Text().render(shown).splitlines()]
        [line] = [line for line in lines if len(line) == 2 and line[0] == "1"]
        return line[1]

    assert (first(report), first(unfinished(report))) == ("0", "?")


def test_the_last_release_alone_is_not_blamed_where_the_others_were_not_judged(report):
    assert only_last(report)
    assert not only_last(unfinished(report))


TABLE = [("none", 6), ("flu", 1), ("gas", 1), ("ulcer", 1), ("HIV", 1)]


def published(folder, releases):
    """The same table of three groups of ten, so many times: a second one tells nothing that the first one did not."""
    folder.mkdir()
    rows = [
        f"{'abc'[group]}{row},{group},{value}"
        for group in range(3)
        for row, value in enumerate(value for value, times in TABLE for _ in range(times))
    ]
    for tag in range(releases):
        (folder / f"w{tag}.csv").write_text("\n".join(["who,group,disease", *rows]) + "\n")
    names = ", ".join(f'"w{tag}.csv"' for tag in range(releases))
    (folder / "series.toml").write_text(
        f'[series]\nname = "x"\nreleases = [{names}]\n'
        '[columns]\nindividual = "who"\ngroup = "group"\nsensitive = "disease"\n'
    )
    return audit.load(folder)


@pytest.mark.parametrize("limit", [0.9, 0.5])
def test_the_last_release_is_blamed_only_if_the_others_keep_the_policy(tmp_path, limit):
    whole = published(tmp_path / "whole", 4).audit(policy={"max_risk": limit}).report
    without = published(tmp_path / "less", 3).audit(policy={"max_risk": limit}).report
    assert not (only_last(whole) and without.policy.violations)
    assert "is certain for none" not in Text().render(whole)
