"""Write a formula of a series, and a proof of findings, as VeriPB and the checker of proofs read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from audit.model.arrays import Integers
from audit.witness.points import Step
from audit.witness.verify import Published
from audit.witness.verify_points import Left
from audit.witness.verify_proof import HEAD, Formula, named


def proof_lines(series: Published, formula: Formula, worlds: Integers, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines of a proof: sums of constraints, what each strikes out, what is certain then, and worlds.

    Args:
        series: as the checkers read it.
        formula: what it says.
        worlds: those that are stated; shape (worlds, 1, people).
        steps: points that prove what is in no world.
    """
    yield from (HEAD, f"f {len(formula.constraints)}")
    left, numbers = Left(series), np.arange(len(series.values))
    for step in steps:
        before = left.values[0].copy()
        left.step(step, numbers)
        yield _sum(series, formula, step, before)
        for person, value in np.argwhere(before & ~left.values[0]).tolist():
            yield f"rup 1 {named(-formula.variable[person, value])} >= 1 ;"
    for at in range(len(series.sensitive)):
        for person in np.flatnonzero(series.judged.any(axis=0)).tolist():
            mine = {formula.variable[person, value] for value in np.flatnonzero(left.values[0, person]).tolist()}
            for some in formula.alike(series, person, at).values():
                if mine <= some:
                    yield f"rup {' '.join(f'1 {named(each)}' for each in sorted(some))} >= 1 ;"
    for world in worlds[:, 0]:
        yield f"v {' '.join(named(formula.variable[each]) for each in enumerate(world.tolist()))}"


def _sum(series: Published, formula: Formula, step: Step, left: Integers) -> str:
    """Return the sum that a step stands for: points of rows, less what each person spends at the least."""
    price = {(int(series.first[at] + series.group[at][row]), value): points for at, row, value, points in step}
    price = {each: points for each, points in price.items() if each in formula.cap}  # no one has another row
    parts = [f"{formula.cap[each]} {points} *" for each, points in price.items()]
    groups = sorted({group for group, _ in price})
    for person in np.flatnonzero(np.isin(series.home, groups).any(axis=0)).tolist():
        home, values = series.home[:, person].tolist(), np.flatnonzero(left[person]).tolist()
        if least := min(sum(price.get((group, value), 0) for group in home) for value in values):
            parts.append(f"{1 + 2 * person} {least} *")
    return " ".join(["pol", parts[0], *(f"{each} +" for each in parts[1:])])
