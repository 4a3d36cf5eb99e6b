"""`audit SERIES`, the default command: run the attacks that apply, or those named, and give a verdict."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attacks.registry import ATTACKS, choose, find
from audit.cli.arguments import (
    ON_TABLES,
    Names,
    Parser,
    add_option,
    add_settings,
    counted,
    limit,
    local,
    options_given,
)
from audit.cli.output import check_output, check_spared, format_of, put
from audit.cli.progress import progress
from audit.cli.report_date import report_date
from audit.model.errors import UsageError, printable
from audit.model.options import Option, options_of
from audit.runtime.distributed.engines import ENGINES
from reports.documents.registry import DOCUMENTS
from reports.registry import FORMATS

if TYPE_CHECKING:
    from audit.model.report import Report
    from audit.pipeline.audit_run import AuditOptions, Progress
    from audit.runtime.engine import Engine

_HELP = frozenset({"-h", "--help"})


def add_arguments(main: Parser, commands: Iterable[str], words: Sequence[str]) -> None:
    """Add the default command's arguments to the parser; `words` are those of the command line."""
    others = ", ".join(commands)
    shown = f"folder or URL with a series.toml; or a command: {others}"
    main.series = main.add_argument("series", metavar="SERIES", help=shown)
    add_options(main, Names(FORMATS.names))
    main.add_argument(
        "--report",
        action="append",
        default=[],
        type=report_file,
        metavar="FORMAT=FILE",
        help="write the report to a file in this format as well (may be repeated)",
    )
    main.add_argument(
        "--document",
        choices=Names(DOCUMENTS.names),
        metavar="NAME",
        help=f"write a document about the audit instead of a report: {', '.join(DOCUMENTS.names)}",
    )
    main.add_argument(
        "--baseline",
        metavar="REPORT.json",
        type=local,
        help="an earlier report (--format json --stable-ids --findings all): fail only for what is new",
    )
    main.add_argument(
        "--recommend",
        action="store_true",
        help="where the policy is violated, look for the least change of the newest release that keeps it, as `audit "
        "repair` does, and tell what it costs; takes tens of audits",
    )
    main.add_argument(
        "--risks",
        metavar="FILE",
        type=local,
        help="write everybody's risks, one line for each person and release, as CSV or Parquet; it names people",
    )
    add_attack_options(main, words)


def report_file(text: str) -> tuple[str, Path]:
    """Return a format and a file of this machine, from `format=file`."""
    name, mark, file = text.partition("=")
    if not mark or not file or name not in Names(FORMATS.names):
        known = ", ".join(FORMATS.names)
        raise argparse.ArgumentTypeError(f"{printable(text)}: write FORMAT=FILE, the format being one of {known}")
    return name, local(file)


def add_attack_options(parser: Parser, words: Sequence[str]) -> None:
    """Add the options of all attacks, and of those that some words name as `package.module:Name`.

    Those of the attacks named alone where help is asked for, or where no word is another option: to know the others,
    all would be imported.
    """
    named = [other for word, other in pairwise([*words, ""]) if word == "--attack"]
    named += [word.removeprefix("--attack=") for word in words if word.startswith("--attack=")]
    named = list(dict.fromkeys(name for name in named if name in ATTACKS.names or ":" in name))
    if _HELP.isdisjoint(words) and not (named and _are_options(parser, named, words)):
        named = [*ATTACKS.names, *(name for name in named if name not in ATTACKS.names)]
    options: dict[str, tuple[Option, list[str]]] = {}
    for attack in map(find, named):
        for each in options_of(type(attack)):
            options.setdefault(each.name, (each, []))[1].append(attack.name)
    for each, names in options.values():
        add_option(parser, each, f"{', '.join(names)}: {each.help or 'see its documentation'}")


def _are_options(parser: Parser, attacks: Iterable[str], words: Iterable[str]) -> bool:
    """Return whether all words that look like options are those of a parser or of some attacks, written out."""
    own = {spelled(each.name) for attack in attacks for each in options_of(type(find(attack)))}
    return {word.partition("=")[0] for word in words if word.startswith("--")} <= parser.options | own


def spelled(name: str) -> str:
    """Return an option of an attack as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


_REPORT_FILE: Mapping[str, Any] = {"metavar": "FILE", "help": "write the report to a file"}


def add_options(parser: Parser, formats: Sequence[str], output: Mapping[str, Any] = _REPORT_FILE) -> None:
    """Add how to attack, to judge and to report: what every command that gives a verdict takes.

    Args:
        parser: the command's.
        formats: of its report.
        output: how `--output` is declared.
    """
    parser.add_argument(
        "--attack",
        action="append",
        choices=Names([*ATTACKS.names, ON_TABLES]),
        metavar="NAME",
        help=f"run this attack only (may be repeated): {', '.join(ATTACKS.names)}; of count tables: {ON_TABLES}; one "
        "your own, as package.module:Name; --attack NAME --help lists its options",
    )
    parser.add_argument("--format", choices=formats, default="text", help="default: text")
    parser.add_argument("--output", type=local, **output)
    add_settings(parser, "adversary", "policy")
    parser.add_argument(
        "--k",
        type=lambda text: limit(f"k={text}"),
        metavar="K",
        help="smallest allowed number of records that fit what is known about one; short for --policy k=K",
    )
    add_settings(parser, "findings", "time_limit")
    parser.add_argument(
        "--jobs", type=counted(1), metavar="N", help="how many tasks run at the same time; default: one for each core"
    )
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="where the work is done: threads of this process (default), or a cluster of dask.distributed",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address of the cluster; without it, one is started on this machine for the run",
    )
    add_settings(parser, "reveal", "stable_ids")


def run(arguments: argparse.Namespace) -> int:
    """Audit a series, write the report, and return the exit code."""
    from audit.count_tables.series_kind import CLAUSES, is_table_series
    from audit.io.paths import as_path, is_remote
    from audit.io.series import open_series
    from audit.judgement.baseline import read_baseline
    from audit.pipeline.audit_run import build_report, pseudonymizer, run_attacks
    from audit.pipeline.risk_table import risk_table, write_risks
    from audit.runtime.distributed.engines import engine

    where = as_path(arguments.series)  # once: a manifest at a URL is then fetched once
    if is_table_series(where):
        from audit.cli import count_tables

        return count_tables.run_audit(arguments)
    if ON_TABLES in (arguments.attack or ()):
        raise UsageError(f'{ON_TABLES} is about count tables: it needs kind = "tables" in series.toml; leave it out')
    if wrong := next((name for name, _ in arguments.policy if name in CLAUSES), None):
        raise UsageError(f"--policy {wrong}: this clause is about count tables; leave it out")
    _check_recommended(arguments)
    check_output(arguments.output)
    attacks = choose(arguments.attack or (), options_given(arguments), spelled)
    baseline = None if arguments.baseline is None else read_baseline(arguments.baseline)
    with progress() as watch:
        # A cluster's workers may have started in another folder.
        series = open_series(where.absolute() if arguments.engine == "dask" and not is_remote(where) else where)
        check_spared(arguments.output, series)
        for file in (arguments.risks, *(file for _, file in arguments.report)):
            check_output(file)
            check_spared(file, series)
        with engine(arguments.engine, arguments.jobs, arguments.scheduler) as chosen:
            how = replace(options(arguments, watch, chosen), keeps_finished=True, baseline=baseline)
            done = run_attacks(series, attacks, how)
            report = build_report(done, pseudonymizer(series, how), how)
            if arguments.recommend and report.policy.violations and not report.interrupted:
                from audit.repair.newest_release import recommend

                report = replace(report, recommendation=recommend(series, attacks, how))
            if arguments.risks is not None:
                write_risks(risk_table(done), arguments.risks)
        pages = _rendered(report, arguments, watch)
    for page, file in pages:
        put(page, file)
    return report.exit_code


def _check_recommended(arguments: argparse.Namespace) -> None:
    """Refuse to look for a recommendation that no page would tell.

    Raises:
        UsageError: there is none but a document that has no place for it.
    """
    if not arguments.recommend or arguments.document is None or arguments.report:
        return
    if not getattr(DOCUMENTS.load(arguments.document), "recommends", True):
        raise UsageError(
            f"--recommend: the form of the document {arguments.document} has no place for a recommendation; leave "
            "it out, or write a report as well (--report html=FILE)"
        )


def _rendered(report: Report, arguments: argparse.Namespace, watch: Progress) -> list[tuple[str, Path | None]]:
    """Return the pages that were asked for, each with its file; None is standard output."""
    from audit.runtime.budget import Budget

    if arguments.document is None:
        form = format_of(arguments.format, arguments.output, arguments.series)
    else:
        form = DOCUMENTS.load(arguments.document)()
    more = [(format_of(name, file, arguments.series), file) for name, file in arguments.report]
    told = Budget(on_progress=watch("report"))
    told.stage("writing")
    return [(each.render(report), file) for each, file in told.each([(form, arguments.output), *more])]


def options(arguments: argparse.Namespace, watch: Progress, engine: Engine) -> AuditOptions:
    """Return how to audit, as the arguments of `add_options` say."""
    from audit.pipeline.audit_run import AuditOptions

    return AuditOptions(
        adversary=arguments.adversary,
        engine=engine,
        limits=dict([*arguments.policy, *([arguments.k] if arguments.k else [])]),
        time_limit=arguments.time_limit,
        findings=arguments.findings,
        reveal=arguments.reveal,
        stable_ids=arguments.stable_ids,
        explicit=bool(arguments.attack),
        progress=watch,
        made=report_date(),
    )
