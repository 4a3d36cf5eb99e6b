"""Reports in every format: they hold what they are meant to, lose no column, and tell nothing that is unknown."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

import audit
from attacks.registry import all_attacks
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.pipeline.audit_run import run_audit
from reports.audit_page import over_time
from reports.charts import lines
from reports.formats import Html, Text
from reports.page import Bullets, Page, Section
from reports.text import Paper
from tests.cli.forms import EXAMPLES, FORMS
from tests.helpers.paper import on_paper, picture
from tests.helpers.running import run_main

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/series.toml"))
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "</style><style>*{display:none}",
    "javascript:alert(1)",
    "$\\frac{1}{2}$",
]
TAGS = {
    "html", "head", "meta", "title", "style", "body", "div", "main", "h1", "h2", "h3", "p", "span", "ul", "li", "table",
    "thead", "tbody", "tr", "th", "td", "caption", "figure", "figcaption", "details", "summary", "code", "header",
    "section", "h4", "h5", "svg", "g", "path", "text", "defs", "pattern", "br",
}  # fmt: skip


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.text, self.open = [], "", []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def rendered(folder, **options):
    return Html().render(run_audit(open_series(folder), all_attacks(), AuditOptions(**options)))


@pytest.mark.many
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reveal", [False, True])
def test_a_page_holds_text_tables_and_pictures_alone(name, reveal):
    page = Tags(rendered(EXAMPLES / name, reveal=reveal))
    assert {tag for tag, _ in page.tags} <= TAGS | {"a"}
    for _, attributes in page.tags:
        assert not {name for name in attributes if name.startswith("on") or name in {"style", "src"}}
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert set(links) <= {f"#{attributes['id']}" for tag, attributes in page.tags if tag == "tr" and "id" in attributes}
    assert ("INTERNAL" in page.text) == reveal
    assert ("Shareable" in page.text) != reveal


def test_the_policy_allows_the_styles_and_nothing_else():
    text = rendered(EXAMPLES / "hospital-l-diverse")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = [a["content"] for _, a in Tags(text).tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_names_in_pictures_do_nothing():
    series = [(name, [1]) for name in HOSTILE]
    drawn = picture(lines(HOSTILE[0], HOSTILE[:1], series, axes=(HOSTILE[0], HOSTILE[1])))
    assert "alert" in drawn
    assert {tag for tag, _ in Tags(drawn).tags} <= TAGS


def told(folder, width=100, **options):
    report = run_audit(open_series(folder), all_attacks(), AuditOptions(findings=0, **options))
    return on_paper(report, width, "here")


@pytest.mark.parametrize("form", ["hospital-l-diverse", "outsider", "two_values"])
def test_80_columns_hold_every_column(tmp_path, form):
    FORMS[form](tmp_path / "s")
    text = told(tmp_path / "s", width=80)
    tables = [line for line in text.splitlines() if re.match(r"(attack|release) ", line)]
    assert max(map(len, text.splitlines())) <= 80
    for head in ("status", "finds", "time"):
        assert head in tables[0]
    last = next(line for line in tables if "marketer" in line)
    assert last.split()[-1] == "unique"
    assert "…" not in text


def test_a_release_that_breaks_k_is_marked(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    assert "✗" not in told(tmp_path / "s")
    text = told(tmp_path / "s", limits={"k": 3.0})
    assert re.search(r"^1 +✗ 2 ", text, re.MULTILINE)
    assert "✗ breaks a limit of the policy." in text
    assert re.search(r"^2 +✗ 2 ", text, re.MULTILINE)  # each release, not only the one that the policy lists
    for limit in (3.0, 4.0, 5.0):
        report = run_audit(open_series(tmp_path / "s"), all_attacks(), AuditOptions(findings=0, limits={"k": limit}))
        text = on_paper(report, 100, "here")
        assert text.count("✗ ") - 1 == len({each.release for each in report.panel if each.small.smallest < limit})


@pytest.mark.parametrize(
    ("name", "options", "command"),
    [
        ("hospital-l-diverse", {}, "$ audit here --reveal --format html --output inside.html"),
        ("hospital-l-diverse", {"reveal": True}, "$ audit explain here --individual ID"),
        ("ward-2-distinct", {}, "$ audit next here CANDIDATE"),
        ("ward-2-distinct", {"time_limit": 1e-6}, "$ audit here --time-limit 60"),
    ],
)
def test_the_next_command_is_told(name, options, command):
    report = run_audit(open_series(EXAMPLES / name), all_attacks(), AuditOptions(findings=1, **options))
    assert on_paper(report, 100, "here").splitlines()[-1].strip() == command


def test_a_line_that_stands_further_in_is_wrapped_as_far_in():
    page = Page("s", False, [], [Section("", [Bullets([f"  {'word ' * 30}"], soft=True)])])
    first, second = (line for line in Paper(width=80).drawn(page).splitlines() if "word" in line)
    assert first.index("word") == second.index("word") == 4


HOSPITAL = str(EXAMPLES / "hospital-l-diverse")


def suite(*words):
    code, out, _ = run_main(*words, "--format", "junit")
    return code, ET.fromstring(out)  # noqa: S314 - our own output


def test_each_clause_is_a_test_case():
    code, found = suite(HOSPITAL, "--attack", "intersection")
    states = {case.get("name"): [child.tag for child in case] for case in found.iter("testcase")}
    assert code == 1
    assert states["max_risk 1"] == ["failure"]
    assert states["min_e 2"] == ["skipped"]
    counts = {name: int(found.get(name, "-1")) for name in ("tests", "failures", "errors", "skipped")}
    tags = [tag for each in states.values() for tag in each]
    assert counts == {
        "tests": len(states), "failures": tags.count("failure"), "errors": tags.count("error"),
        "skipped": tags.count("skipped"),
    }  # fmt: skip


def test_an_undecided_clause_is_an_error():
    code, found = suite(str(EXAMPLES / "clinic-2-equivalence"), "--attack", "intersection", "--policy", "min_e=5")
    tags = {case.get("name"): [child.tag for child in case] for case in found.iter("testcase")}
    assert ("error" in tags["min_e 5"]) == (code == 3)


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
    assert picture(whole).count('class="point') == picture(part).count('class="point') + 1
    assert part.head[1] == "certain by intersection, at least"


def test_the_table_on_the_terminal_says_so(report):
    def first(shown):
        lines = [line.split() for line in Text().render(shown).splitlines()]
        [line] = [line for line in lines if len(line) == 2 and line[0] == "1"]
        return line[1]

    assert (first(report), first(unfinished(report))) == ("0", "?")
