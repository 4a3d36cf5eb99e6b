"""l-diversity: no sensitive value has more than one in l of a group's rows.

If rows of one group have different cells, each row class counts as a group. All published rows count, counterfeits
included; values that are declared harmless may have any frequency. Each sensitive attribute is checked by itself. This
is the form of l-diversity of the m-invariance paper, and the weakest that limits the risk of a guess to 1/l.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from audit.io.releases import GroupContents, KeyedRelease
from audit.io.rules.disclosure import Harmless
from audit.io.series import Series
from audit.principles.principle import (
    BrokenClause,
    Check,
    OneByOne,
    PrincipleNeeds,
    first_rows,
    of_attribute,
    seen_in_rows,
)
from audit.runtime.phrases import printable, say


@dataclass(frozen=True)
class LDiversity:
    """No value has more than 1/`l` of the rows of a group."""

    l: int  # noqa: E741 - the literature's name
    name: ClassVar[str] = "l-diversity"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds()

    def start(self, series: Series, /) -> Check:
        """Return a check of the groups of each release."""

        def broken(release: KeyedRelease) -> list[BrokenClause]:
            groups = release.by_class()
            return [b for name in release.entry_value for b in self.frequent(series, groups, name)]

        return OneByOne(broken)

    def frequent(self, series: Series, release: KeyedRelease, sensitive: str) -> list[BrokenClause]:
        """Return the groups in which a value of an attribute is too frequent, with their most frequent value."""
        held, names = release.contents(sensitive), series.vocabularies[sensitive].names
        harmless = series.vocabularies[sensitive].codes(series.rules[Harmless].values.get(sensitive, ()))
        counted = ~np.isin(held.value, harmless)
        held = GroupContents(held.group[counted], held.value[counted], held.rows[counted])
        size, row = release.group_people(), first_rows(release.group.codes, release.group.size)
        most = np.zeros(len(size), dtype=np.int64)
        np.maximum.at(most, held.group, held.rows)
        over = np.flatnonzero(most > size // self.l)  # count * l > size, where the product might not fit

        def what(number: int) -> str:
            group = int(over[number])
            values = held.value[(held.group == group) & (held.rows == most[group])]
            value = printable(min(names[code] for code in values))
            return say("{value} has {most} of {rows} rows", value=value, most=int(most[group]), rows=int(size[group]))

        clause = say("groups with a value in more than 1/{l} of their rows", l=self.l)
        return seen_in_rows(release, of_attribute(clause, series, sensitive), row[over], what)
