"""Topics: a column names the question that the label beside it answers, as `SEN provision` or `FSM eligibility`.

The labels of each topic divide the same people, so that a table with topics has the margins of one dimension for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from audit.count_tables.published_counts import Ends, divide_a_total
from audit.count_tables.published_texts import number_of, total_of
from audit.init.count_columns import CountFiles
from audit.init.count_rules import TableGuesses
from audit.runtime.phrases import say

_NEARLY = 20  # rounded parts differ from their total by less than one in this many


@dataclass(frozen=True)
class Topics:
    """Two columns, one with topics and one with their labels; without names of topics there are no such columns.

    Attributes:
        column: the column that names the topic of a row, or says that the row is about all people.
        labels: the column with the labels.
        names: the topics.
    """

    column: str = ""
    labels: str = ""
    names: Sequence[str] = ()

    def declare(self, rules: TableGuesses) -> None:
        """Declare the two columns."""
        if not self.names:
            return
        rules.table.update({"breakdown": self.column, "levels": [self.labels]})
        why = say(
            "{column} names topics ({topics}): each is a dimension, as the labels of all of them together add up to "
            "more than the total, and those of each do not.",
            column=self.column,
            topics=", ".join(self.names),
        )
        rules.doubt("table.breakdown", why)


def with_topics(
    files: CountFiles, dimensions: list[str], value: str, beside: Sequence[str] = ()
) -> tuple[CountFiles, list[str], Topics]:
    """Return the files and dimensions with one for each topic in place of the columns of topics and labels.

    In the column of a topic, the rows of others have the total's label. `beside` are further columns of labels.
    """
    topics = find_topics(files, [*dimensions, *beside], value)
    if not topics.names:
        return files, dimensions, topics
    named, labels = files.columns[topics.column], files.columns[topics.labels]
    total = total_of(labels) or ""
    own = {n: [c if t == n else total for t, c in zip(named, labels, strict=True)] for n in topics.names}
    left = [name for name in dimensions if name not in (topics.column, topics.labels)]
    return replace(files, columns={**files.columns, **own}), [*left, *topics.names], topics


def find_topics(files: CountFiles, names: Sequence[str], value: str) -> Topics:
    """Return the columns of topics and of their labels among those named, if the numbers show them.

    Only the rows of the total have neither, and the labels of a topic are mostly its own.
    """
    columns = files.columns
    for column, labels in permutations(names, 2):
        topics, own = columns[column], columns[labels]
        whole = total_of(topics), total_of(own)
        pairs = {*zip(topics, own, strict=True)}
        if None in whole or any((t == whole[0]) != (c == whole[1]) for t, c in pairs):
            continue
        found = [topic for topic in dict.fromkeys(topics) if topic != whole[0]]
        is_named = not any(";" in topic or topic in columns or not topic for topic in found)
        if len(found) > 1 and is_named and 2 * len({*own}) > len(pairs) > len(found) + 1:
            others = [columns[name] for name in names if name not in (column, labels)]
            if _are_alternatives(topics, own, whole[0], columns[value], [*others, files.release_of_rows()]):
                return Topics(column, labels, found)
    return Topics()


def _are_alternatives(
    topics: Sequence[str],
    labels: Sequence[str],
    whole: str | None,
    values: Sequence[str],
    others: Sequence[Sequence[str]],
) -> bool:
    """Return whether the labels of all topics add up to more than the total in a line, but those of none do in any.

    Topics whose totals add up to it are its parts, as regions are.
    """
    lines: dict[tuple[str, ...], dict[str, dict[str, Ends | None]]] = {}
    for topic, label, text, *line in zip(topics, labels, values, *others, strict=True):
        number = number_of(text)
        lines.setdefault((*line,), {}).setdefault(topic, {})[label] = None if number is None else (number, number)
    known = [
        ((total[0], total[0] + total[0] // _NEARLY), parts)
        for parts in lines.values()
        if (total := next(iter(parts.pop(whole or "", {}).values()), None)) is not None and total[0]
    ]
    sums = [
        (most, [sum(ends[0] for ends in part.values() if ends) for part in parts.values()])
        for (_, most), parts in known
    ]
    are_within = all(max(parts, default=0) <= total for total, parts in sums)
    return are_within and any(sum(parts) > total for total, parts in sums) and not divide_a_total(known)
