"""`audit anonymize MICRODATA --method NAME --output SERIES`: publish every snapshot not yet published."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audit.cli import command
from audit.model.errors import UsageError
from audit.runtime.phrases import Phrase, Reason, ReasonKind, figure, printable, printable_path, say, say_count, typed

if TYPE_CHECKING:
    from audit.api.series import PublishedSeries
    from audit.model.anonymizer import Anonymizer
    from audit.publishing.publish import PublishResult


def add_parser(commands: command.Commands) -> None:
    """Register the command and its arguments."""
    from anonymizers.count_tables import COUNT_METHODS, COUNT_OPTIONS
    from anonymizers.registry import METHODS
    from audit.model.options import options_by_name

    parser = commands.add_parser(
        "anonymize",
        description="Publish every snapshot that is not yet published, using the series so far and its keys.",
    )
    what = "folder with a microdata.toml, or of a series of exact count tables"
    parser.add_argument("microdata", type=command.local, metavar="MICRODATA", help=what)
    options = options_by_name({name: METHODS.load(name) for name in METHODS.names})
    counts = f"; for count tables: {', '.join(COUNT_METHODS)}"
    flags = {name: [option.flag for option, methods in options.values() if name in methods] for name in METHODS.names}
    methods = "; ".join(f"{name} ({', '.join(some)})" for name, some in flags.items()) + counts
    parser.add_argument(
        "--method", required=True, choices=command.Names((*METHODS.names, *COUNT_METHODS)), metavar="NAME", help=methods
    )
    parser.add_argument(
        "--output", required=True, type=command.local, metavar="SERIES", help="folder of the series, new or to continue"
    )
    for option, _ in options.values():
        command.add_option(parser, option, option.help)
    for option in COUNT_OPTIONS.values():
        command.add_option(parser, option, option.help)
    seconds = "seconds for each attack of the audit, or, for count tables, for secondary suppression"
    command.add_settings(parser, "time_limit", help=seconds)
    parser.add_argument("--no-audit", action="store_true", help="do not judge the new releases by the policy")
    parser.add_argument(
        "--close",
        action="store_true",
        help="form groups as if a value that may follow in several steps might follow in one; the audit does not",
    )
    parser.add_argument(
        "--publish",
        choices=["generalization", "anatomy"],
        help="form of the releases; default: as in the series so far, or as the method prefers",
    )
    parser.add_argument(
        "--seed",
        type=command.counted(0, command.GREATEST_SEED),
        metavar="N",
        help="the same seed gives the same bytes; keep it secret; default: a secret seed",
    )


def run(arguments: argparse.Namespace) -> int:
    """Publish the snapshots that are not out yet, print a summary, and return the exit code of an audit.

    A release that would break the policy of a series that keeps it is not published.

    Raises:
        UsageError: an option does not fit the method or the microdata, or the series cannot be continued.
        InputError: the microdata or the series are faulty, or the promise cannot be kept.
    """
    from anonymizers import registry as methods
    from anonymizers.count_tables import COUNT_METHODS
    from audit.api.series import published
    from audit.io.manifest import is_table_series
    from audit.io.microdata import open_microdata
    from audit.pipeline.progress import counting
    from audit.publishing.publish import PublishOptions

    if is_table_series(arguments.microdata):
        return _publish_tables(arguments)
    if arguments.method in COUNT_METHODS:
        what = 'is for count tables: it needs a series.toml with kind = "tables" in the folder'
        raise UsageError(f"{arguments.method} {what}")
    method = methods.find(arguments.method, command.options_given(arguments))
    microdata, added = open_microdata(arguments.microdata), None
    if arguments.close:
        microdata, added = microdata.closed()
    done: list[PublishResult] = []
    limit = 0.0 if arguments.no_audit else arguments.time_limit
    try:
        with counting(f"publishing by {method.name}", shown=command.shows_progress()) as watch:
            how = PublishOptions(arguments.publish, arguments.seed, done.append, watch)
            series = published(microdata, arguments.output, method, how, limit)
    except BaseException:
        if done:  # what is published stays published, even after an error
            command.put("".join(f"{line}\n" for line in _summary(done, method, arguments.output, added)))
        raise
    lines = [] if series.refused is not None and not done else _summary(done, method, arguments.output, added)
    if done and (left_out := microdata.rows_left_out()):
        lines.append(
            say_count(
                'Of all snapshots, {count} [row is|rows are] left out because of [its|their] "{column}" (left_out in '
                "microdata.toml).",
                left_out,
                column=printable(microdata.sensitive),
            )
        )
    lines += _verdict(series, method, arguments.microdata, new=len(done) == len(series.releases))
    if done:
        lines.append(say("Next: {command}", command=typed(f"audit {printable_path(arguments.output)}")))
    command.put("".join(f"{line}\n" for line in lines))
    return 0 if series.verdict is None else series.verdict.policy.exit_code


def _verdict(series: PublishedSeries, method: Anonymizer, microdata: Path, *, new: bool) -> list[str]:
    """Return the verdict of the audit, and what to do, in lines; none if there was no audit."""
    from reports.sentences import reasons
    from reports.verdict import contradicted, headline

    report = series.verdict
    if report is None:
        return []
    lines = [headline(report)[0], *(f"  {each}" for each in reasons(report))]
    plan = typed(f"audit plan {printable(shlex.quote(str(microdata)), 400)}")
    if series.refused is None:
        if report.policy.exit_code:
            lines.append(say("Do not pass the new releases on before this is settled."))
            if new:
                way = say(
                    "If it cannot be settled, remove the folder; then publish anew, as the method draws at random, or "
                    "compare methods: {command}.",
                    command=plan,
                )
                lines.append(way)
        return lines
    not_published = say(
        "Release {release} is not published: it keeps {promise}, but would make the series break its policy.",
        release=printable(series.refused),
        promise=method.promise,
    )
    if report.contradictions:  # whatever is drawn, the values stay as they are
        state = say(
            "Other groups do not change that. Say which values may follow which (`audit init --microdata "
            "--confirm` asks, and writes the file of transitions), copy this file into the series and name it "
            "under [adversary] in series.toml; or correct the data. Then run the command again."
        )
        return [not_published, contradicted(report), state, *lines]
    redo = say(
        "Run the command again: other groups are drawn (unless --seed is the same). If that does not help, "
        "compare methods: {command}. With --no-audit, it is published unjudged.",
        command=plan,
    )
    return [not_published, *lines, redo]


def _publish_tables(arguments: argparse.Namespace) -> int:
    """Publish a series of exact tables, print a summary, and return the exit code.

    If an audit prevents publication, the exit code is that of the audit.
    """
    from audit.api.count_tables import published
    from audit.api.series import load
    from reports.repair import not_published

    if arguments.close or arguments.publish:
        raise UsageError("--close and --publish are for microdata; leave them out for count tables")
    given = command.options_given(arguments)
    tables = load(arguments.microdata, kind="tables").opened
    settings = {"time_limit": arguments.time_limit, "progress": command.shows_progress()}
    audited = published(tables, arguments.method, arguments.output, arguments.seed, given, settings)
    if audited is not None and (lines := not_published(audited)):
        command.put("".join(f"{line}\n" for line in lines))
        if isinstance(audited, Reason):
            return 130 if audited.kind == ReasonKind.INTERRUPTED else 3
        return audited.exit_code
    where = printable(shlex.quote(str(arguments.output)), 400)
    about = {"folder": where, "method": arguments.method}
    if audited is None:
        done = say_count(
            "Published {count} [release|releases] in {folder} by {method}, each table protected by itself: that does "
            "not protect them from each other.",
            len(tables.releases),
            **about,
        )
    else:
        done = say_count(
            "Published {count} [release|releases] in {folder} by {method}, all tables together: an audit of them "
            "passes.",
            len(tables.releases),
            **about,
        )
    command.put(f"{done}\n{say('Next: {command}', command=typed(f'audit {where}'))}\n")
    return 0


_EXACT = Phrase(
    "Exact quasi-identifiers are published: anyone who knows a person's can find the person's row, but not which value "
    "of its group is the person's."
)


def _summary(published: Sequence[PublishResult], method: Anonymizer, series: Path, added: int | None) -> list[str]:
    """Return the lines of what was published, as a table for a terminal; `added` pairs completed the transitions."""
    where = printable_path(series)
    if not published:
        nothing = say(
            "Nothing to publish: every snapshot that microdata.toml lists is out already, in {folder}.", folder=where
        )
        return [nothing, say("To publish another one, add its file to snapshots in microdata.toml.")]
    heads = say("rows"), say("groups"), say("counterfeits"), say("withheld"), say("seconds")
    widths = [max(10, len(head) + 2) for head in heads]
    first = max(16, len(say("release")) + 2)
    lines = [f"{say('release'):<{first}}{''.join(map(str.rjust, heads, widths))}"]
    for each in published:
        counts = [figure(many, ",d") for many in (each.rows, each.groups, each.counterfeits, each.withheld)]
        cells = map(str.rjust, [*counts, figure(each.seconds, ".2f")], widths)
        lines.append(f"{printable(each.tag):<{first}}{''.join(cells)}")
    exact = any((series / "releases").glob("*.values.*"))
    lines += [
        "",
        say_count(
            "Published {count} [release|releases] in {folder} by {method}.",
            len(published),
            folder=where,
            method=method.name,
        ),
        *([str(_EXACT)] if exact else []),
        say("{promise} holds: the written files were checked before they were put in place.", promise=method.promise),
        *(
            []
            if added is None
            else [
                say(
                    "It holds with {count} further changes of values, which complete the transitions. The series does "
                    "not list them, and the audit judges by the transitions alone.",
                    count=added,
                )
            ]
        ),
        say("The key (who is who) is in private/: never publish it."),
    ]
    return lines
