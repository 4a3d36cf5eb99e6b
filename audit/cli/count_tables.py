"""The commands on series of count tables: what the commands of the same names do for people's data."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from attacks.differencing.attack import Differencing
from audit.cli.arguments import ON_TABLES, options_given
from audit.cli.output import check_output, check_spared, format_of, put, text_for
from audit.cli.progress import progress
from audit.cli.report_date import report_date
from audit.count_tables.manifest import clause_limit, read_table_manifest
from audit.model.errors import UsageError, printable, printable_path

if TYPE_CHECKING:
    from audit.count_tables.table_audit import CountOptions


def run_audit(arguments: argparse.Namespace) -> int:
    """Audit a series of count tables, write the report, and return the exit code."""
    from audit.count_tables.table_audit import audit_tables
    from audit.judgement.baseline import read_baseline

    _refuse_about_people(arguments)
    check_output(arguments.output)
    manifest = read_table_manifest(arguments.series)
    for file in (arguments.output, *(file for _, file in arguments.report)):
        check_output(file)
        check_spared(file, manifest)
    old = None if arguments.baseline is None else read_baseline(arguments.baseline, of_tables=True)
    with progress() as watch:
        how = replace(options(arguments), progress=watch, baseline=old)
        report = audit_tables(manifest, Differencing(), how)
    for form, file in [(arguments.format, arguments.output), *arguments.report]:
        put(format_of(form, file, arguments.series).render(report), file)
    return report.exit_code


def run_next(arguments: argparse.Namespace) -> int:
    """Judge a candidate beside the series, write what it adds, and return the exit code."""
    from audit.count_tables.candidate import judge_candidate, release_of
    from reports.count_tables.candidate import CANDIDATE, candidate_page

    check_output(arguments.output)
    manifest = read_table_manifest(arguments.series)
    check_spared(arguments.output, manifest)
    candidate = release_of([Path(name) for name in arguments.candidate])
    with progress() as watch:
        how = replace(options(arguments), progress=watch)
        found, _, _ = judge_candidate(manifest, candidate, Differencing(), how)
    if arguments.format == "text":
        put(text_for(arguments.output).drawn(candidate_page(found)), arguments.output)
    elif arguments.format in CANDIDATE:
        put(CANDIDATE[arguments.format](found), arguments.output)
    else:
        form = format_of(arguments.format, arguments.output, arguments.series)
        put(form.render(found.after), arguments.output)
    return found.after.exit_code


def run_explain(arguments: argparse.Namespace) -> int:
    """Tell what can be told of one cell, and return the exit code, 0."""
    from audit.count_tables.explain_cell import explain_cell
    from audit.count_tables.read_counts import read_counts
    from audit.count_tables.table_audit import CountOptions
    from reports.count_tables.candidate import EXPLANATION, explanation_page

    check_output(arguments.output)
    if not arguments.cell:
        raise UsageError("a series of count tables names nobody; say which cell: --cell area=N --cell sex=f")
    manifest = read_table_manifest(arguments.series)
    check_spared(arguments.output, manifest)
    wanted = dict(_label(text) for text in arguments.cell)
    how = CountOptions(time_limit=arguments.time_limit)
    told = explain_cell(read_counts(manifest), wanted, Differencing(both_ends=True), how)
    if arguments.format == "text":
        put(text_for(arguments.output).drawn(explanation_page(told)), arguments.output)
    elif arguments.format in EXPLANATION:
        put(EXPLANATION[arguments.format](told), arguments.output)
    else:
        raise UsageError(
            f"--format {arguments.format}: a cell is explained as {', '.join(EXPLANATION)}; use one of them"
        )
    return 0


def run_compare(arguments: argparse.Namespace) -> int:
    """Show what several series of count tables give away side by side, and return the exit code, 0."""
    from audit.count_tables.series_kind import is_table_series
    from audit.count_tables.table_audit import CountOptions, audit_tables
    from reports.count_tables.side_by_side import SIDE_BY_SIDE

    others = [path for path in arguments.series if not is_table_series(path)]
    if others:
        raise UsageError(
            f"{printable_path(others[0])}: this is no series of count tables, and the others are; compare like"
        )
    if arguments.format not in SIDE_BY_SIDE:
        known = ", ".join(SIDE_BY_SIDE)
        raise UsageError(f"--format {arguments.format}: count tables are compared as {known}; use one of them")
    check_output(arguments.output)
    how = CountOptions(time_limit=arguments.time_limit, findings=0)
    reports = [(path, audit_tables(read_table_manifest(path), Differencing(), how)) for path in arguments.series]
    put(SIDE_BY_SIDE[arguments.format](reports), arguments.output)
    return 0


def run_anonymize(arguments: argparse.Namespace) -> int:
    """Publish a series of exact tables, say what is out, and return the exit code.

    That is 0, or that of the audit by which nothing was published.
    """
    from anonymizers.count_tables import DRAWN, FOR_PEOPLE, SECONDARY, SecondarySuppression, count_method
    from audit.publishing.count_tables import Audited, Draw, publish_tables
    from reports.count_tables.candidate import not_published

    if options_given(arguments) or arguments.close or arguments.publish or arguments.min_length:
        raise UsageError(
            "for count tables, --threshold, --base, --largest and --seed are all options; leave others out"
        )
    given = {name: getattr(arguments, name) for name in ("threshold", "base", "largest")}
    name = arguments.method
    method = count_method(name, {option: value for option, value in given.items() if value is not None})
    if name in DRAWN and arguments.seed is None:
        raise UsageError(f"{name} draws at random: give --seed N, keep it secret, and the same for every release")
    draw = Draw(arguments.seed if name in DRAWN else None, name in FOR_PEOPLE)
    protect, audited = method.publish, None
    if isinstance(method, SecondarySuppression):
        protect, audited = method.primary.publish, Audited(Differencing(), SECONDARY)
    manifest = read_table_manifest(arguments.microdata)
    done = publish_tables(manifest, arguments.output, protect, method.rules, draw, audited)
    if done.manifest is None and done.report is not None:
        put("".join(f"{line}\n" for line in not_published(done.report)))
        return done.report.exit_code
    where = printable(shlex.quote(str(arguments.output)), 400)
    releases = "1 release" if len(manifest.releases) == 1 else f"{len(manifest.releases)} releases"
    protected = "all tables together: an audit of them passes"
    if done.report is None:
        protected = "each table protected by itself: that does not protect them from each other"
    put(f"Published {releases} in {where} by {name}, {protected}.\nNext: audit {where}\n")
    return 0


def waive(arguments: argparse.Namespace, folder: Path) -> int:
    """Write waivers for findings, and return how many."""
    from audit.count_tables.waived_counts import waive_counts

    manifest = read_table_manifest(folder)
    return waive_counts(manifest, Differencing(), arguments.ids, arguments.reason, arguments.until)


def _label(text: str) -> tuple[str, str]:
    name, equals, label = text.partition("=")
    if not equals:
        raise UsageError(f"--cell {printable(text)}: write dimension=label, such as --cell sex=f")
    return name.strip(), label.strip()


def run_repair(arguments: argparse.Namespace) -> int:
    """Write the candidate with the least further cells left empty, report on that, and return the exit code.

    That is 1 where no such cells were found.
    """
    from audit.count_tables.candidate import release_of
    from audit.count_tables.repaired_tables import repair_candidate
    from reports.count_tables.candidate import CANDIDATE

    manifest = read_table_manifest(arguments.series)
    candidate = release_of([Path(name) for name in arguments.candidate])
    found = repair_candidate(manifest, candidate, arguments.output, Differencing(), options(arguments))
    put(CANDIDATE[arguments.format](found))
    return found.repair_exit_code


def options(arguments: argparse.Namespace) -> CountOptions:
    """Return how to audit, as the arguments of `audit SERIES` say.

    Raises:
        UsageError: an argument has no meaning for count tables.
    """
    from audit.count_tables.table_audit import CountOptions

    others = [name for name in arguments.attack or () if name != ON_TABLES]
    if others:
        raise UsageError(f"{others[0]} does not apply to count tables, which name nobody; leave it out")
    if arguments.adversary is not None:
        raise UsageError("--adversary has no meaning for count tables: all that is needed was published; leave it out")
    limits = dict([*arguments.policy, *([arguments.k] if arguments.k else [])])
    for clause, value in limits.items():
        try:
            clause_limit(clause, value)
        except ValueError as trouble:
            raise UsageError(f"--policy {printable(clause)}: {'; '.join(trouble.args)}") from None
    return CountOptions(limits=limits, time_limit=arguments.time_limit, findings=arguments.findings, made=report_date())


def _refuse_about_people(arguments: argparse.Namespace) -> None:
    """Refuse what `audit SERIES` takes for people's data alone, and would do nothing here.

    Raises:
        UsageError: such an argument is given.
    """
    if given := next(iter(options_given(arguments)), None):
        option = f"--{given.replace('_', '-')}"
        raise UsageError(f"{option} is an option of an attack that is not about count tables; leave it out")
    if arguments.document is not None:
        raise UsageError("--document is about series of rows about people; for count tables, use --format html")
    if arguments.recommend:
        raise UsageError(
            "--recommend is about series of rows about people; of count tables `audit next SERIES TABLE` tells what to "
            "hide or to round more coarsely in a new table, and `audit repair` writes it"
        )
    if arguments.risks is not None:
        raise UsageError("--risks is a table of people, and count tables name nobody; leave it out")
