"""No command fails in any other way than it should, whatever is wrong with the files that it is given.

Series, count tables, microdata and files of every kind that `init` reads are spoilt.
"""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.forms import edit, snapshot
from tests.cli.mutating import HOSTILE, NotHere, change_bytes, change_cell, csv_file, flip
from tests.cli.test_mutations import MUTATIONS, mutated, trace_of
from tests.helpers.amount import some
from tests.helpers.messy import KINDS
from tests.helpers.running import run_main

ROUNDS = some(4)
TESTS = Path(__file__).parent.parent
MICRODATA = sorted(path.parent for path in (TESTS / "examples").glob("*/microdata.toml"))
COUNT_TABLES = sorted((TESTS / "count_table_examples").iterdir())
METHODS = {
    "m-invariance": ("--m", "2"),
    "l-diversity": ("--l", "2"),
    "mondrian": ("--k", "2"),
    "monotonic-mondrian": ("--k", "2"),
    "m-distinct": ("--m", "2"),
    "e-equivalence": ("--m", "2", "--e", "1"),
}
PRINCIPLES = {
    "k-anonymity": ("--k", "2"),
    "l-diversity": ("--l", "2"),
    "m-unique": ("--m", "2"),
    "m-invariance": ("--m", "2"),
    "m-distinct": ("--m", "2"),
    "e-equivalence": ("--e", "2"),
}
ROWS = [
    ["Patient", "Age", "Town", "Group", "Disease"],
    *(
        [f"p{n}", ("20-29", "30-39")[n % 2], ("Bath", "Leeds")[n // 2 % 2], str(n // 4), ("flu", "gout")[n % 2]]
        for n in range(24)
    ),
]


# -- what is spoilt ---------------------------------------------------------------------------------------


def series(folder: Path, rng: random.Random) -> Path:
    return mutated(folder, rng.choice(sorted(MUTATIONS)), rng)[1]


def spoilt(folder: Path, rng: random.Random) -> None:
    """Change bytes, or a cell, of some file of any kind."""
    path = rng.choice(sorted(each for each in folder.rglob("*") if each.is_file()))
    kind = rng.choice(["flip", "cut", "noise", "cell", "cell", "gone", "empty", "nul", "nothing"])
    data = path.read_bytes()
    if kind == "cell":
        try:
            change_cell(csv_file(folder, rng), rng, rng.choice([*HOSTILE, "", "1.5", "-3"]))
        except (NotHere, UnicodeDecodeError):
            kind = "flip"
    if kind == "flip":
        change_bytes(path, lambda inside: flip(inside, rng, rng.choice([1, 3, 40])))
    elif kind == "cut":
        path.write_bytes(data[: rng.randrange(len(data) + 1)])
    elif kind == "noise":
        path.write_bytes(rng.randbytes(rng.choice([1, 100, 5000])))
    elif kind == "gone":
        path.unlink()
    elif kind in ("empty", "nul"):
        path.write_bytes(b"" if kind == "empty" else data.replace(b"1", b"\0"))


def copied(examples: list[Path], folder: Path, rng: random.Random) -> Path:
    found = Path(shutil.copytree(rng.choice(examples), folder / "copied"))
    spoilt(found, rng)
    return found


def files(folder: Path, rng: random.Random) -> Path:
    """Releases in a notation, without a manifest."""
    found = folder / "files"
    found.mkdir()
    for name in ("q1", "q2")[: rng.randint(1, 2)]:
        KINDS[rng.choice(sorted(KINDS))](found / name, ROWS)
    spoilt(found, rng)
    return found


# -- commands ---------------------------------------------------------------------------------------------


def any_series(folder: Path, rng: random.Random) -> Path:
    return series(folder, rng) if rng.random() < 0.7 else copied(COUNT_TABLES, folder, rng)


def candidate_of(folder: Path, rng: random.Random) -> str:
    """Some table in the folder, a candidate or not."""
    tables = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".toml"]
    return str(rng.choice(sorted(tables))) if tables else str(folder / "gone.csv")


def a_format(rng: random.Random, *names: str) -> list[str]:
    return ["--format", rng.choice(names)]


def judge(folder: Path, rng: random.Random) -> list[str]:
    found = any_series(folder, rng)
    forms = a_format(rng, "text", "json", "markdown", "html", "sarif", "junit")
    document = [[], ["--document", rng.choice(["dpia", "expert", "wp29", "satre", "openmed"])]]
    risks = ["--risks", str(folder / "risks.csv")]
    return [str(found), *rng.choice([forms, *document, risks])]


def judge_next(folder: Path, rng: random.Random) -> list[str]:
    found = any_series(folder, rng)
    forms = a_format(rng, "text", "json", "markdown", "html", "sarif")
    return ["next", str(found), candidate_of(found, rng), *forms]


def repair(folder: Path, rng: random.Random) -> list[str]:
    found = any_series(folder, rng)
    return ["repair", str(found), candidate_of(found, rng), "--output", str(folder / "out"), "--time-limit", "20"]


def explain(folder: Path, rng: random.Random) -> list[str]:
    found = any_series(folder, rng)
    who = rng.choice(["Bob", "Alice", "p1", "0", "c1", "x\x1b[2J"])
    about = rng.choice([["--individual", who], ["--cell", "area=A"]])
    return ["explain", str(found), *about, *a_format(rng, "text", "json", "html")]


def check(folder: Path, rng: random.Random) -> list[str]:
    name = rng.choice(sorted(PRINCIPLES))
    words = ["--principle", name, *PRINCIPLES[name], *a_format(rng, "text", "json")]
    return ["check", str(any_series(folder, rng)), *words]


def compare(folder: Path, rng: random.Random) -> list[str]:
    forms = a_format(rng, "text", "json", "html", "csv", "markdown")
    beside = rng.choice([[], [str(TESTS / "examples" / "hospital-l-diverse")]])
    return ["compare", str(any_series(folder, rng)), *beside, *forms, "--queries", "20"]


def plan(folder: Path, rng: random.Random) -> list[str]:
    name = rng.choice(sorted(METHODS))
    words = ["--method", name, "--queries", "20", "--time-limit", "10"]
    return ["plan", str(copied(MICRODATA, folder, rng)), *words, *a_format(rng, "text", "json", "markdown")]


def anonymize(folder: Path, rng: random.Random) -> list[str]:
    """Publish spoilt microdata, or go on with a spoilt series that has published the first snapshot of them."""
    name = rng.choice(sorted(METHODS))
    micro = Path(shutil.copytree(rng.choice(MICRODATA), folder / "copied"))
    words = ["anonymize", "--no-audit", str(micro), "--method", name, *METHODS[name], "--output", str(folder / "out")]
    if rng.random() < 0.5:
        manifest = (micro / "microdata.toml").read_text(encoding="utf-8")
        edit(micro / "microdata.toml", '"1.csv", "2.csv"', '"1.csv"')
        run_main(*words)
        (micro / "microdata.toml").write_text(manifest, encoding="utf-8")
    spoilt(rng.choice([path for path in (micro, folder / "out") if path.is_dir()]), rng)
    return words


def begin(folder: Path, rng: random.Random) -> list[str]:
    if rng.random() < 0.2:
        found = series(folder, rng)
        if (found / "series.toml").is_file():  # a spoilt folder may hold a folder of that name
            (found / "series.toml").unlink()
    else:
        found = files(folder, rng)
    return ["init", str(found), "--yes", *rng.choice([[], [], ["--microdata"]])]


def waive(folder: Path, rng: random.Random) -> list[str]:
    who = rng.choice(["joint-*", "person-000001", "Bob", "[x", "\x1b[2J"])
    until = rng.choice(["2099-01-31", "yesterday", "2001-01-01"])
    return ["waive", str(any_series(folder, rng)), who, "--reason", "a reason", "--until", until]


def findings(folder: Path, rng: random.Random) -> list[str]:
    found = any_series(folder, rng)
    output = ["--output", str(folder / "list.xlsx"), "--format", "xlsx"]
    return [
        "findings",
        str(found),
        *rng.choice([output, a_format(rng, "text", "csv")]),
        *rng.choice([[], ["--sort", "size"]]),
    ]


def history(folder: Path, rng: random.Random) -> list[str]:
    found = any_series(folder, rng)
    reports = found / "reports"
    if not reports.exists():
        reports.mkdir()
        _, out, _ = run_main(str(TESTS / "examples" / "hospital-2-invariant"), "--format", "json")
        for number in range(2):
            (reports / f"{number}.json").write_text(out, encoding="utf-8")
        spoilt(reports, rng)
    return ["history", str(found), *a_format(rng, "text", "json", "markdown", "html")]


def verify(folder: Path, rng: random.Random) -> list[str]:
    found = Path(shutil.copytree(TESTS / "examples" / "hospital-l-diverse", folder / "series"))
    run_main(str(found), "--witness", str(folder / "witness"))
    spoilt(rng.choice([found, folder / "witness"]), rng)
    return ["verify", str(found), str(folder / "witness")]


COMMANDS: dict[str, Callable[[Path, random.Random], list[str]]] = {
    "audit": judge,
    "next": judge_next,
    "repair": repair,
    "explain": explain,
    "check": check,
    "compare": compare,
    "plan": plan,
    "anonymize": anonymize,
    "init": begin,
    "waive": waive,
    "findings": findings,
    "history": history,
    "verify": verify,
}
MAY_WRITE_INTO_ITS_FOLDER = {"init", "waive", "anonymize", "findings"}


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_on_spoilt_files(command, number, tmp_path):
    rng = random.Random(f"{command}-{number}")  # noqa: S311
    words = COMMANDS[command](tmp_path, rng)
    before = snapshot(tmp_path)
    code, out, err = run_main(*words)
    told = f"{' '.join(words)}: exit {code}\n{err[:3000]}\n{trace_of(err)}"
    assert code in {0, 1, 2, 3}, told
    assert "Traceback" not in err + out, told
    assert "\x1b" not in out + err, told
    if code == 2:
        lines = [line for line in err.splitlines() if line.startswith("audit: ")]
        assert lines or out.startswith("not supported: ") or json.loads(out), told
    if code == 2 or command not in MAY_WRITE_INTO_ITS_FOLDER:
        assert set(snapshot(tmp_path).items()) >= set(before.items()), told


def test_every_command_is_tried():
    from audit.cli.main import COMMANDS as known

    assert set(COMMANDS) - {"audit"} == set(known) - {"simulate", "demo"}
