"""The inner loop of the local search: one move after the other, each the best of some that mend a violated bound.

Sources: WalkSAT (Selman, Kautz and Cohen, AAAI 1994), with weights on what stays violated (Morris, AAAI 1993).
"""

from __future__ import annotations

import numpy as np

from audit.model.count_tables import Counts
from audit.runtime.compiling import kernel


@kernel
def mend(
    moves: tuple[np.ndarray, np.ndarray, np.ndarray],
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
    low: Counts,
    high: Counts,
    value: Counts,
    weight: Counts,
    limits: tuple[int, int, int],
) -> int:
    """Change `value` until it lies between `low` and `high` everywhere; returns how many places are still violated.

    Args:
        moves: for each move where it begins, the places that it changes, and by how much (CSC).
        rows: for each place where it begins, the moves that change it, and by how much (CSR).
        low: shape (places,), int64; least values.
        high: shape (places,), int64; greatest values.
        value: shape (places,), int64; changed in place.
        weight: shape (places,), int64; how bad a violation is; grows, changed in place, unless it is 1.
        limits: how many moves to make at most, from how many to choose each, and a seed of the random choices.
    """
    move_start, move_place, move_sign = moves
    row_start, row_move, row_sign = rows
    places = len(value)
    bad = np.empty(places, dtype=np.int64)
    where = np.full(places, -1, dtype=np.int64)
    count = 0
    for place in range(places):
        if value[place] < low[place] or value[place] > high[place]:
            bad[count] = place
            where[place] = count
            count += 1
    state = np.uint64(limits[2] * 2 + 1)
    for _ in range(limits[0]):
        if count == 0:
            break
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        place = bad[int(state >> np.uint64(33)) % count]
        wanted = 1 if value[place] < low[place] else -1
        begin, size = row_start[place], row_start[place + 1] - row_start[place]
        if size == 0:
            return count
        best, best_cost, best_way = -1, 1 << 60, 0
        for _ in range(min(limits[1], size)):
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            entry = begin + int(state >> np.uint64(33)) % size
            move, way = row_move[entry], wanted * row_sign[entry]
            cost = 0
            for at in range(move_start[move], move_start[move + 1]):
                other = move_place[at]
                change = way * move_sign[at]
                if change > 0:
                    if value[other] >= high[other]:
                        cost += weight[other]
                    elif value[other] < low[other]:
                        cost -= weight[other]
                elif value[other] <= low[other]:
                    cost += weight[other]
                elif value[other] > high[other]:
                    cost -= weight[other]
            if cost < best_cost:
                best, best_cost, best_way = move, cost, way
        if best_cost >= 0 and weight[place] > 1:
            weight[place] += 1
        for at in range(move_start[best], move_start[best + 1]):
            other = move_place[at]
            value[other] += best_way * move_sign[at]
            violated = value[other] < low[other] or value[other] > high[other]
            if violated and where[other] < 0:
                bad[count] = other
                where[other] = count
                count += 1
            elif not violated and where[other] >= 0:
                count -= 1
                last = bad[count]
                bad[where[other]] = last
                where[last] = where[other]
                where[other] = -1
    return count
