"""Compiled twin of the kernel of `attacks.feasible_values`, for large series; that one is its oracle."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.runtime.compiling import inlined, kernel

Array: TypeAlias = npt.NDArray[Any]
_ONE = np.uint64(1)
_OCTET = np.uint64(255)


@inlined
def _image(tables: Array, sets: Array, row: int, word: int) -> Any:  # noqa: ANN401 - inlined
    """Return a word of the values that are in a relation with some value of a set, by `SetTable`'s tables."""
    found = np.uint64(0)
    octets = tables.shape[1]
    for place in range(sets.shape[1]):
        bits = sets[row, place]
        for octet in range(place * 8, min(place * 8 + 8, octets)):
            found |= tables[word, octet, bits & _OCTET]
            bits >>= np.uint64(8)
    return found


@kernel
def extend(  # noqa: PLR0913, PLR0917 - numba takes arrays, not objects
    sets: Array,
    earlier: Array,
    last: Array,
    silent: Array,
    person: Array,
    pool: Array,
    fixed: Array,
    allowed: Array,
    after: Array,
    before: Array,
    first: int,
) -> int:
    """Add versions of distinct people, the first of them numbered `first`; return how many more are disclosed.

    `sets`, `earlier`, `last` and `silent` are as `FeasibleValues` keeps them, and changed; `after` and `before` the
    tables of its relations; `silent` and `fixed` are empty where no value is known beforehand. Threads may share the
    versions, for people are distinct.
    """
    words = sets.shape[1]
    silence, known = len(silent) > 0, len(fixed) > 0
    more = 0
    for i in range(len(person)):
        p, slot = person[i], first + i
        at = last[p]
        earlier[slot] = at
        last[p] = slot
        held, lone = 0, True
        for word in range(words):
            bits = allowed[pool[i], word]
            if known and fixed[i] >= 0:
                bits = _ONE << np.uint64(fixed[i] & 63) if fixed[i] >> 6 == word else np.uint64(0)
            if at >= 0:
                bits &= _image(after, sets, at, word)
            sets[slot, word] = bits
            held += bits != 0
            lone &= bits & (bits - _ONE) == 0
        if held == 1 and lone and not (silence and silent[slot]):
            more += 1
        # Values of the versions before that lead nowhere any more.
        here = slot
        while at >= 0:
            changed, had, were_lone, held, lone = False, 0, True, 0, True
            for word in range(words):
                old = sets[at, word]
                new = old & _image(before, sets, here, word)
                changed |= new != old
                had += old != 0
                were_lone &= old & (old - _ONE) == 0
                held += new != 0
                lone &= new & (new - _ONE) == 0
                sets[at, word] = new
            if not changed:
                break
            if not (silence and silent[at]):
                more += int(held == 1 and lone) - int(had == 1 and were_lone)
            here = at
            at = earlier[at]
    return more
