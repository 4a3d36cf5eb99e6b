"""`series-bench`: run methods and score them, at once or with a third party that keeps the truth; draw papers' figures.

A method is named as this project has it (`attack/joint`), or is a file of yours with one function: `publish`,
`protect` or `attack` (docs/series-bench.md).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from audit.model.errors import AuditError
from series_bench import VERSION
from series_bench.cases import PUBLIC_SEEDS, cases, read_tasks, write_tasks
from series_bench.files import write_text
from series_bench.methods import FUNCTIONS, MethodError, answer, baselines, find_method
from series_bench.papers import PAPERS
from series_bench.papers.processes import BenchmarkError
from series_bench.results import Result, as_page, tabled
from series_bench.scoring import AnswerError, score

SUBMISSION = "submission.json"
_MODULE = "series_bench.command"


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return 0 if it succeeded, 2 if not."""
    arguments = _parser().parse_args(words)
    try:
        done: int = arguments.run(arguments)
    except (AuditError, MethodError, AnswerError, OSError, ValueError, BenchmarkError) as error:
        print(f"series-bench: {error}", file=sys.stderr)
        return 2
    return done


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="series-bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"series-bench {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="run|tasks|submit|score|figures")
    run = commands.add_parser("run", help="run methods on the public tasks and score them")
    run.add_argument("methods", nargs="*", metavar="METHOD", help="default: all methods of this project")
    run.add_argument("--quick", action="store_true", help="the first seed alone")
    run.add_argument("--output", type=Path, default=Path("build/series-bench"), help="default: %(default)s")
    run.set_defaults(run=_run)
    tasks = commands.add_parser("tasks", help="write what methods are given, and nothing of the truth")
    tasks.add_argument("--output", type=Path, required=True, help="folder to write; must be new")
    _add_secret(tasks)
    tasks.set_defaults(run=_tasks)
    submit = commands.add_parser("submit", help="write a method's answers to tasks")
    submit.add_argument("method", metavar="METHOD")
    submit.add_argument("--tasks", type=Path, required=True, help="folder that `series-bench tasks` wrote")
    submit.add_argument("--output", type=Path, required=True, help="folder to write; must be new")
    submit.set_defaults(run=_submit)
    score_ = commands.add_parser("score", help="hold answers against the truth")
    score_.add_argument("submissions", type=Path, nargs="+", metavar="SUBMISSION", help="folder that `submit` wrote")
    score_.add_argument("--output", type=Path, default=Path("build/series-bench"), help="default: %(default)s")
    _add_secret(score_)
    score_.set_defaults(run=_score)
    figures = commands.add_parser("figures", help="run the papers' experiments and draw all their figures on one page")
    figures.add_argument("--quick", action="store_true", help="a tenth of the sizes and less: five minutes, not hours")
    figures.add_argument("--output", type=Path, default=Path("build/figures"), help="default: %(default)s")
    figures.add_argument("--papers", nargs="+", choices=PAPERS, default=PAPERS, metavar="PAPER", help=", ".join(PAPERS))
    drawn = "table with the columns id, Age, Gender, Education, Birthplace and Occupation; default: simulated people"
    figures.add_argument("--population", type=Path, metavar="TABLE", help=drawn)
    figures.set_defaults(run=_figures)
    return parser


def _add_secret(parser: argparse.ArgumentParser) -> None:
    told = "file with the secret of held-out tasks, any text; whoever has it knows the truth. Default: the public tasks"
    parser.add_argument("--secret", type=Path, help=told)


def _secret(path: Path | None) -> str:
    """Return the secret of held-out tasks, nothing for the public ones.

    Raises:
        ValueError: the file is empty.
    """
    if path is None:
        return ""
    text = path.read_text(encoding="utf-8").strip()
    if not text:
        raise ValueError(f"{path}: the secret is empty; write a long random text into it")
    return text


def _run(arguments: argparse.Namespace) -> int:
    known = baselines()
    names = [name if name in known else str(Path(name).absolute()) for name in arguments.methods or known]
    kinds = {find_method(name).kind for name in names}
    seeds = PUBLIC_SEEDS[:1] if arguments.quick else PUBLIC_SEEDS
    wanted = list(cases(seeds, [kind for kind in FUNCTIONS if kind in kinds]))
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="series-bench-") as work:
        folder = Path(work)
        write_tasks(folder / "tasks", wanted)
        for number, name in enumerate(names):
            answers = folder / f"answers-{number}"
            words = ["submit", name, "--tasks", str(folder / "tasks"), "--output", str(answers)]
            home = folder / f"home-{number}"
            home.mkdir()
            # A process of its own, which has the tasks and nothing else; the truth is drawn once it is over.
            done = subprocess.run([sys.executable, "-P", "-m", _MODULE, *words], cwd=home, check=False)
            if done.returncode:
                return done.returncode
            results += _scored(answers, "")
    return _write(results, arguments.output)


def _tasks(arguments: argparse.Namespace) -> int:
    arguments.output.mkdir(parents=True)
    write_tasks(arguments.output, list(cases(PUBLIC_SEEDS, FUNCTIONS)), _secret(arguments.secret))
    return 0


def _submit(arguments: argparse.Namespace) -> int:
    method = find_method(arguments.method)
    wanted = [case for case in read_tasks(arguments.tasks) if case.kind == method.kind]
    arguments.output.mkdir(parents=True)
    seconds = {}
    for case in wanted:
        print(f"{method.name}: {case.name} {case.seed}", file=sys.stderr, flush=True)
        start = time.perf_counter()
        answer(method, case, arguments.tasks / case.folder, arguments.output / case.folder)
        seconds[case.folder] = round(time.perf_counter() - start, 3)
    tasks = [{"kind": case.kind, "name": case.name, "seed": case.seed} for case in wanted]
    document = {"version": VERSION, "method": method.name, "tasks": tasks, "seconds": seconds}
    write_text(arguments.output / SUBMISSION, json.dumps(document, indent=1) + "\n")
    return 0


def _score(arguments: argparse.Namespace) -> int:
    secret = _secret(arguments.secret)
    return _write([result for folder in arguments.submissions for result in _scored(folder, secret)], arguments.output)


def _figures(arguments: argparse.Namespace) -> int:
    from series_bench.papers.figures import draw

    draw(arguments.papers, arguments.output, arguments.population, quick=arguments.quick)
    return 0


def _scored(folder: Path, secret: str) -> Iterable[Result]:
    document = json.loads((folder / SUBMISSION).read_text(encoding="utf-8"))
    for case in read_tasks(folder, SUBMISSION):
        start = time.perf_counter()
        scores = score(case, folder / case.folder, secret)
        print(
            f"{document['method']}: {case.name} {case.seed} scored in {time.perf_counter() - start:.1f} s",
            file=sys.stderr,
        )
        yield Result(document["method"], case, {**scores, "seconds": document["seconds"].get(case.folder, 0.0)})


def _write(results: Sequence[Result], output: Path) -> int:
    output.mkdir(parents=True, exist_ok=True)
    table = tabled(results)
    write_text(output / "results.csv", table.to_csv(index=False, lineterminator="\n"))
    write_text(output / "index.html", as_page(table))
    print(f"Wrote {output / 'results.csv'} and {output / 'index.html'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
