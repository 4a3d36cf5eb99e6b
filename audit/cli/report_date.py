"""The date that reports bear."""

from __future__ import annotations

import datetime
import os

from audit.model.errors import UsageError, printable


def report_date() -> datetime.date:
    """Return today, or the day of SOURCE_DATE_EPOCH where that is set, so that a report can be made again alike.

    Waivers are judged by the clock all the same: what has expired stays expired.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is no such number.
    """
    told = os.environ.get("SOURCE_DATE_EPOCH")
    if not told:
        return datetime.date.today()
    try:
        return datetime.datetime.fromtimestamp(int(told), tz=datetime.UTC).date()
    except (ValueError, OverflowError, OSError):
        what = "this is no time in seconds since 1970-01-01"
        raise UsageError(f"SOURCE_DATE_EPOCH={printable(told, 40)}: {what}; correct it, or unset it") from None
