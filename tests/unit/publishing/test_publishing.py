"""Publishing with a method that is known by heart: what is written, what is kept, what is refused."""

import ast
import csv
import re
import stat
import subprocess
import sys
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import audit.publishing.publish as publish_module
from audit.io import candidate
from audit.io.microdata import open_microdata
from audit.model.anonymizer import Bounds, Draft
from audit.model.errors import AuditError, InputError
from audit.principles.registry import find
from audit.publishing.publish import BrokenPromiseError, PublishOptions, PublishResult, publish
from audit.publishing.renderer import widened
from audit.publishing.series_folder import SeriesTransaction
from tests.helpers.microdata import Pairs, write_microdata

FIRST = [("Bo", 21, "Rye", "flu"), ("Al", 22, "Ely", "cold"), ("Cy", 40, "Rye", "flu"), ("Di", 41, "Rye", "gout")]
SECOND = [*FIRST[:3], ("Ed", 23, "Ely", "cold"), ("Flo", 24, "York", "gout")]
BOTH = {"1": FIRST, "2": SECOND}
TWO = find("k-anonymity", {"k": 2})
ANY = find("l-diversity", {"l": 1})


def publish_to(folder: Path, micro: Path, method: Pairs | None = None, **options: object) -> tuple[PublishResult, ...]:
    method = method or Pairs()
    principle = ANY if options.get("form") == "anatomy" or method.fake else TWO
    return publish(open_microdata(micro), folder, method, principle, PublishOptions(**{"seed": 0, **options}))


def everything(folder: Path) -> dict[str, bytes]:
    """All files of a folder but the lock, which is empty."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def keyed(series: Path, tag: str) -> list[dict[str, str]]:
    """The rows of a release with whose they are."""
    key = {int(line["row"]): line["individual"] for line in rows(series / f"private/{tag}.key.csv")}
    return [{**row, "who": key[place]} for place, row in enumerate(rows(series / f"releases/{tag}.csv"))]


@pytest.fixture
def micro(tmp_path):
    return write_microdata(tmp_path / "micro", BOTH)


def test_private_things_are_private(tmp_path, micro):
    publish_to(tmp_path / "out", micro)
    assert stat.S_IMODE((tmp_path / "out/private").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "out/private/1.key.csv").stat().st_mode) == 0o600
    public = b"".join(content for name, content in everything(tmp_path / "out").items() if "private" not in name)
    assert not any(name.encode() in public for name in ("Bo,", "Al,", "Flo"))


def test_without_a_seed_nobody_can_repeat_the_draws(tmp_path, micro):
    for name in ("one", "other"):
        publish_to(tmp_path / name, micro, Pairs(linked=True), seed=None)
    assert rows(tmp_path / "one/releases/1.csv") != rows(tmp_path / "other/releases/1.csv")


def test_records_keep_their_ids_and_newcomers_get_random_ones(tmp_path, micro):
    publish_to(tmp_path / "out", micro, Pairs(linked=True))
    ids = [{row["who"]: row["Record"] for row in keyed(tmp_path / "out", tag)} for tag in "12"]
    assert {who: ids[0][who] for who in ("Bo", "Al", "Cy")} == {who: ids[1][who] for who in ("Bo", "Al", "Cy")}
    assert len({*ids[0].values(), *ids[1].values()}) == 6


# -- refusals: each says why, and nothing on disk changes ------------------------------------------------------------


def refused(call, *words: str) -> None:
    with pytest.raises(AuditError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_a_broken_promise_is_a_bug_and_is_not_written(tmp_path, micro):
    with pytest.raises(BrokenPromiseError):
        publish_to(tmp_path / "out", micro, Pairs(cheat=True))
    assert not (tmp_path / "out").exists()


def test_two_publishers_at_once_are_refused(tmp_path, micro):
    publish_to(tmp_path / "out", write_microdata(tmp_path / "first", {"1": FIRST}))
    before = everything(tmp_path / "out")
    with SeriesTransaction(tmp_path / "out"):
        script = (
            "import sys\nfrom pathlib import Path\nfrom tests.unit.publishing.test_publishing import *\n"
            "publish_to(Path(sys.argv[1]), Path(sys.argv[2]))"
        )
        found = subprocess.run(
            [sys.executable, "-c", script, tmp_path / "out", micro], capture_output=True, text=True, check=False
        )
        assert "another process is publishing" in found.stderr
        assert everything(tmp_path / "out") == before
    assert len(publish_to(tmp_path / "out", micro)) == 1


# -- small parts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("length", [1, 2, 5, Fraction(1, 2)])
def test_short_intervals_are_widened_to_a_grid_that_does_not_depend_on_them(length, whole):
    length = Fraction(length)
    grid = set()
    for first in range(-7, 8):
        for last in range(first, 8):
            low, high = widened(Fraction(first), Fraction(last), length, whole=whole)
            assert low <= first <= last <= high
            assert high - low + whole >= length or (low, high) == (first, last)
            if last - first + whole < length:
                assert low % length == 0
                grid.add((low, high))
    for one in grid:
        for other in grid:
            assert one == other or one[0] != other[0] or one[1] != other[1]


def test_a_whole_domain_is_a_star_and_what_no_set_can_name_is_too(tmp_path):
    towns = [("Bo", 21, "a*", "flu"), ("Al", 22, "c", "cold"), ("Cy", 40, "d", "flu"), ("Di", 41, "d", "gout")]
    micro = write_microdata(tmp_path / "micro", {"1": towns})
    publish_to(tmp_path / "out", micro)
    assert {row["who"]: row["Town"] for row in keyed(tmp_path / "out", "1")} == {
        "Bo": "*",
        "Al": "*",
        "Cy": "d",
        "Di": "d",
    }
    plain = [(who, age, town.replace("*", "b"), value) for who, age, town, value in towns]
    micro = write_microdata(tmp_path / "plain", {"1": plain}, domains='Town = ["ab", "c"]')
    refused(lambda: publish_to(tmp_path / "no", micro), '1.csv:4, column "Town"', "not in the declared domain")


# -- what is written wrong is not put in place -----------------------------------------------------------------------


@contextmanager
def tampered(change):
    """Publishing with tables that are changed on their way to the disk."""
    stage = SeriesTransaction.stage
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SeriesTransaction, "stage", lambda self, tables: stage(self, change(dict(tables))))
        yield


def swapped(tables, name, column):
    table = tables[name]
    at = table.column_names.index(column)
    texts = table.column(column).to_pylist()
    tables[name] = table.set_column(at, column, [texts[::-1]])
    return tables


@pytest.mark.parametrize(
    ("change", "form", "told"),
    [
        (lambda t: swapped(t, "releases/1.csv", "Disease"), "generalization", "true value"),
        (lambda t: swapped(t, "releases/1.csv", "Age"), "generalization", "does not cover"),
        (lambda t: swapped(t, "releases/1.csv", "Town"), "generalization", "does not cover"),
        (lambda t: swapped(t, "private/1.key.csv", "individual"), "generalization", "does not read back"),
        (lambda t: swapped(t, "releases/1.values.csv", "Disease"), "anatomy", "true value"),
        (lambda t: swapped(t, "releases/1.rows.csv", "Age"), "anatomy", "does not cover"),
    ],
)
def test_a_release_that_is_not_the_truth_is_not_put_in_place(tmp_path, micro, change, form, told):
    with tampered(change), pytest.raises(BrokenPromiseError, match=told):
        publish_to(tmp_path / "out", micro, form=form)
    assert not (tmp_path / "out").exists()


def test_counterfeits_that_are_not_counted_are_not_put_in_place(tmp_path, micro):
    def doubled(tables):
        table = tables["counterfeits/1.csv"]
        tables["counterfeits/1.csv"] = table.set_column(1, "Count", [[2]])
        return tables

    with tampered(doubled), pytest.raises((BrokenPromiseError, InputError)):
        publish_to(tmp_path / "out", micro, Pairs(fake=True))
    assert not (tmp_path / "out").exists()


def test_values_of_people_who_wait_are_not_named(tmp_path):
    """A set of values names only those of published people, unless the domain is declared and public anyway."""
    towns = ["Aargau", "Bern", "Zug", "Zug"]
    people = [(f"p{n}", 30 + n, town, "flu" if n % 2 else "cold") for n, town in enumerate(towns)]
    micro = write_microdata(tmp_path / "micro", {"1": people})
    for domains, town in (("", "{Aargau, Zug}"), ('Town = ["Aargau", "Bern", "Zug", "Uri"]', "{Aargau, Bern, Zug}")):
        write_microdata(micro, {"1": people}, domains=domains)
        out = tmp_path / f"out{len(domains)}"
        publish(open_microdata(micro), out, WithoutBern(), TWO, PublishOptions(seed=1))
        assert {row["Town"] for row in rows(out / "releases/1.csv")} == {town}


class WithoutBern(Pairs):
    """Everybody but the second row, in one group."""

    def publish(self, snapshot, so_far, rng, /):
        row = np.array([0, 2, 3], dtype=np.int32)
        point = snapshot.point[row]
        cells = Bounds(point.min(axis=0)[np.newaxis], point.max(axis=0)[np.newaxis])
        return Draft(row, np.zeros(3, dtype=np.int32), snapshot.value[row], cells)


def test_what_stops_publishing_is_said_in_sentences():
    """The series that a method cannot continue was named in English between German sentences."""
    found = []
    for path in (Path(candidate.__file__), *Path(publish_module.__file__).parent.glob("*.py")):
        for raised in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(raised, ast.Raise) and getattr(getattr(raised.exc, "func", None), "id", "") == "UsageError":
                said = {id(part) for each in ast.walk(raised.exc) if is_said(each) for part in ast.walk(each)}
                texts = [
                    each for each in ast.walk(raised.exc) if isinstance(each, ast.Constant) and id(each) not in said
                ]
                found += [each.value for each in texts if re.search("[a-z]{2,} [a-z]{2,}", str(each.value))]
    assert found == []


def is_said(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"say", "say_count"}
