"""Work on parts of small networks, and of those with links: kernels for engines, which need nothing but an excerpt.

When the time is up, what was found so far is kept, and parts not begun remain as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_

import numpy as np
import numpy.typing as npt

from attacks.joint.counting import Counter
from attacks.joint.domains import masks, packed
from attacks.joint.excerpts import Excerpt
from attacks.joint.narrowing import Narrowing, mask_of
from attacks.joint.network import Numbers, Words
from attacks.joint.programme import Programme, twins
from audit.core.budget import Budget
from audit.core.evidence import Codes


@dataclass(frozen=True)
class Counted:
    """The worlds of a part that was counted.

    Attributes:
        number: how many there are, up to a factor that is common to all parts.
        share: the share of them in which a track of the part has a value; shape (tracks, values).
        shown: the values that some world has; shape (tracks, words), uint64.
        touched: the cells that its tracks may take rows of.
    """

    number: Fraction
    share: npt.NDArray[np.float64]
    shown: Words
    touched: Numbers


@dataclass(frozen=True)
class Shown:
    """What worlds of a part have shown.

    Attributes:
        shown: the values that some world has; shape (tracks, words), uint64.
        world: the values in one of them, or None; shape (tracks,), int32.
        done: whether what is not shown is proved impossible.
        feasible: whether there may be a world.
    """

    shown: Words
    world: Codes | None
    done: bool
    feasible: bool


def counted(excerpt: Excerpt, most: int, budget: Budget) -> list[Counted | None]:
    """Count the worlds of each part, or give up after so many steps."""
    return [None if budget.spent() else _counted(excerpt, part, most) for part in excerpt.parts]


def _counted(excerpt: Excerpt, part: Sequence[int], most: int) -> Counted | None:
    counter = Counter(excerpt.local(part), excerpt.rows, excerpt.transitions)
    found = counter.count(part, most)
    if found is None:
        return None
    share = np.zeros((len(part), int(excerpt.network.class_of.max(initial=0)) + 1))
    if found.number:
        for row, track in enumerate(part):
            weights = found.weights[track]
            share[row, list(weights)] = [float(weight / found.weight) for weight in weights.values()]
    held = np.zeros(share.shape, dtype=np.bool_)
    for row, track in enumerate(part):
        held[row, [value for value, weight in found.weights[track].items() if weight]] = True
    return Counted(found.number, share, packed(held), np.array(sorted(found.touched), dtype=np.int64))


def asked(excerpt: Excerpt, budget: Budget) -> list[Shown | None]:
    """Ask for worlds of each part that show what is possible."""
    return [None if budget.spent() else _asked(excerpt, part, budget) for part in excerpt.parts]


def _asked(excerpt: Excerpt, part: Sequence[int], budget: Budget) -> Shown:
    local = excerpt.local(part)
    programme = Programme(local, Counter(local, excerpt.rows, excerpt.transitions), part)
    alike = twins(local, part)
    shown = _before(excerpt, part, alike)
    unseen = {track: local.domain[track] & ~mask for track, mask in shown.items()}
    done, last = True, None
    try:
        for world in programme.worlds(unseen, budget):
            if world is None:
                done = False
                break
            last = np.array([world[track] for track in part], dtype=np.int32)
            for some in alike:
                shown[some[0]] |= mask_of(world[track] for track in some)
                unseen[some[0]] &= ~shown[some[0]]
    except ValueError:
        return Shown(excerpt.shown[list(part)], None, done=False, feasible=False)
    each = {track: shown[some[0]] for some in alike for track in some}
    return Shown(_words(local, [each[track] for track in part]), last, done, feasible=True)


def _before(excerpt: Excerpt, part: Sequence[int], alike: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return what was shown before of the first of each that are alike."""
    before = dict(zip(part, masks(excerpt.shown[list(part)]), strict=True))
    return {some[0]: reduce(or_, (before[track] for track in some)) for some in alike}


def _words(local: Narrowing, found: Sequence[int]) -> Words:
    width = local.network.domain.shape[1] * 8
    content = b"".join(mask.to_bytes(width, "little") for mask in found)
    return np.frombuffer(content, dtype=np.uint64).reshape(len(found), -1)
