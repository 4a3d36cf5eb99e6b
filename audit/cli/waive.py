"""`audit waive SERIES ID...`, or a list: accept findings until a date, with a reason, in the manifest."""

from __future__ import annotations

import argparse
import datetime

from audit.cli.command import Commands, add_settings, asked, local, opened, put, settings_for
from audit.io.manifest import NAME
from audit.model.errors import UsageError
from audit.runtime.phrases import printable, printable_path, say, say_count

_SHOWN = 50
"""The most ids that a message names; a list has all."""


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "waive",
        description="Write waivers into a series' manifest. An ID is the id of a finding in a report with "
        "--stable-ids (* stands for any characters), or a person: an identifier, or a pseudonym from such a report.",
        epilog="Exit codes: 0 written, 2 wrong usage or input.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder with a series.toml")
    parser.add_argument("ids", metavar="ID", nargs="*", help="the finding or person to accept")
    parser.add_argument(
        "--group",
        action="append",
        nargs=2,
        default=[],
        metavar=("RELEASE", "GROUP"),
        help="accept everything found in this group of this release (may be repeated); * means all groups, "
        "and its classes smaller than k, which have no ids",
    )
    add_settings(parser, "adversary", "policy")
    parser.add_argument(
        "--list",
        metavar="FILE",
        type=local,
        help="accept each finding of a list from `audit findings` (CSV or xlsx) in which you filled in a reason and "
        "a date",
    )
    parser.add_argument(
        "--reason", default="", metavar="TEXT", help="the reason for each ID; it is written into the manifest"
    )
    parser.add_argument("--until", metavar="DATE", type=_date, help="the last day of the waiver, such as 2030-01-31")


def _date(text: str) -> datetime.date:
    from audit.judgement.waivers import day

    found = day(text)
    if found is None:
        raise argparse.ArgumentTypeError(
            say("{text} is not a date; write year, month and day, such as 2030-01-31", text=printable(text, 40))
        )
    return found


def run(arguments: argparse.Namespace) -> int:
    """Write waivers, and return the exit code, 0.

    Raises:
        UsageError: the date is past, or there is neither a key for stable ids nor a folder for one.
        InputError: the manifest cannot be read.
    """
    series = opened(arguments)
    accepted = {"reason": arguments.reason, "until": arguments.until, "listed": arguments.list}
    left: tuple[str, ...] = ()
    with asked(arguments) as given:
        if series.kind == "tables":
            if given["policy"] or arguments.group:
                raise UsageError.say(
                    "findings of count tables are accepted by their ids alone; leave --policy and --group out"
                )
            settings_for(series, arguments, given)
            before = series.opened.waivers
            after = series.waive(*arguments.ids, **accepted).opened.waivers
        else:
            how = {"adversary": given["adversary"], "policy": given["policy"]}
            waived = series.waive(*arguments.ids, groups=list(map(tuple, arguments.group)), **accepted, **how)
            before, after, left = series.opened.manifest.waivers, waived.opened.manifest.waivers, waived.not_waived
    new = [each for each in after if each not in before]
    file, many = printable_path(series.folder / NAME), len(new)
    wrote = say_count("Wrote {count} [waiver|waivers] into {file}.", many, file=file)
    put(f"{wrote if many else say('Nothing was written: {file} has these waivers already.', file=file)}\n")
    if replaced := many - (len(after) - len(before)):
        again = say_count(
            "{count} of them [replaces an earlier waiver|replace earlier waivers] of the same [finding, person or "
            "group|findings, people or groups].",
            replaced,
        )
        put(f"{again}\n")
    wide = [each for each in (*arguments.ids, *(group for _, group in arguments.group)) if "*" in each]
    if wide and new:
        named = [each for each in new if len(each.sizes or ()) > 1 or series.kind == "tables"]
        careful = say_count(
            "Careful: {patterns} accepts {count} [finding, whatever it discloses|findings, whatever they disclose]; "
            "until {day} [it does not count|none of them counts] for the policy.",
            sum(len(each.sizes or ()) for each in named),
            patterns=printable(" ".join(wide), 80),
            day=arguments.until,
        )
        put(f"{careful}\n")
    if left:
        more = say_count(
            "{count} further [finding is|findings are] about the same people, and not waived; name [its id|their ids] "
            "to waive [it|them]: {ids}",
            len(left),
            ids=" ".join([*left[:_SHOWN], *["…"] * (len(left) > _SHOWN)]),
        )
        put(f"{more}\n")
    return 0
