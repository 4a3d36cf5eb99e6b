"""The inner loop of the local search: one move after the other, each the best of some that mend a violated bound.

Sources: WalkSAT (Selman, Kautz and Cohen, AAAI 1994), with weights on what is still violated (Morris, AAAI 1993).
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Counts
from audit.runtime.compiling import kernel


@kernel
def _cost(
    moves: tuple[np.ndarray, np.ndarray, np.ndarray],
    low: Counts,
    high: Counts,
    value: Counts,
    weight: Counts,
    move: int,
    way: int,
) -> int:
    """Return by how much a move, there or back, makes the weighted violations worse."""
    start, place, sign = moves
    cost = 0
    for at in range(start[move], start[move + 1]):
        other = place[at]
        if way * sign[at] > 0:
            if value[other] >= high[other]:
                cost += weight[other]
            elif value[other] < low[other]:
                cost -= weight[other]
        elif value[other] <= low[other]:
            cost += weight[other]
        elif value[other] > high[other]:
            cost -= weight[other]
    return cost


@kernel
def _make(
    moves: tuple[np.ndarray, np.ndarray, np.ndarray],
    low: Counts,
    high: Counts,
    value: Counts,
    bad: Counts,
    where: Counts,
    count: int,
    move: int,
    way: int,
) -> int:
    """Make a move; `bad` lists the `count` violated places, `where` has where each is listed. Returns the new count."""
    start, place, sign = moves
    for at in range(start[move], start[move + 1]):
        other = place[at]
        value[other] += way * sign[at]
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
            cost = _cost(moves, low, high, value, weight, move, way)
            if cost < best_cost:
                best, best_cost, best_way = move, cost, way
        if best_cost >= 0 and weight[place] > 1:
            weight[place] += 1
        count = _make(moves, low, high, value, bad, where, count, best, best_way)
    return count


@kernel
def probe(
    moves: tuple[np.ndarray, np.ndarray, np.ndarray],
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
    goals: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    low: Counts,
    high: Counts,
    value: Counts,
    log: tuple[np.ndarray, np.ndarray, np.ndarray],
    limits: tuple[int, int, int],
) -> int:
    """Look from one table for others, one for each goal, in which a sum lies between other limits.

    Returns for how many goals one was looked for, before `log` was full.

    Args:
        moves: for each move where it begins, the places that it changes, and by how much (CSC).
        rows: for each place where it begins, the moves that change it, and by how much (CSR).
        goals: for each goal where it begins, the moves that change its sum, and by how much (CSR); then the sum, its
            least and its greatest value.
        low: shape (places,), int64; least values.
        high: shape (places,), int64; greatest values.
        value: shape (places,), int64; those of the table, all between `low` and `high`; as before when this returns.
        log: for each goal where the moves to its table end, negative where none was found; the moves; their directions.
        limits: how many moves to make at most for each goal, from how many to choose each, and a seed.
    """
    move_start, move_place, move_sign = moves
    row_start, row_move, row_sign = rows
    goal_start, goal_move, goal_sign, goal_now, goal_low, goal_high = goals
    log_end, log_move, log_way = log
    places = len(value)
    weight = np.ones(places, dtype=np.int64)
    bad = np.empty(places + 1, dtype=np.int64)
    where = np.full(places, -1, dtype=np.int64)
    effect = np.zeros(len(move_start) - 1, dtype=np.int64)
    heavy = np.empty(limits[0] + 1, dtype=np.int64)
    state = np.uint64(limits[2] * 2 + 1)
    used = 0
    for goal in range(len(goal_now)):
        if used + limits[0] > len(log_move):
            return goal
        first = used
        for entry in range(goal_start[goal], goal_start[goal + 1]):
            effect[goal_move[entry]] = goal_sign[entry]
        now, least, most, goal_weight = goal_now[goal], goal_low[goal], goal_high[goal], 1
        count, heavies = 0, 0
        for _ in range(limits[0]):
            missed = now < least or now > most
            if count == 0 and not missed:
                break
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            pick = int(state >> np.uint64(33)) % (count + missed)
            if pick == count:
                wanted = 1 if now < least else -1
                begin, size = goal_start[goal], goal_start[goal + 1] - goal_start[goal]
            else:
                place = bad[pick]
                wanted = 1 if value[place] < low[place] else -1
                begin, size = row_start[place], row_start[place + 1] - row_start[place]
            if size == 0:
                break
            best, best_cost, best_way = -1, 1 << 60, 0
            for choice in range(min(limits[1], size)):
                entry = begin + choice
                if size > limits[1]:
                    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                    entry = begin + int(state >> np.uint64(33)) % size
                if pick == count:
                    move, way = goal_move[entry], wanted * goal_sign[entry]
                else:
                    move, way = row_move[entry], wanted * row_sign[entry]
                change = way * effect[move]
                cost = 0
                if change > 0:
                    cost = goal_weight if now >= most else -goal_weight if now < least else 0
                elif change < 0:
                    cost = goal_weight if now <= least else -goal_weight if now > most else 0
                cost += _cost(moves, low, high, value, weight, move, way)
                if size <= limits[1]:  # all are looked at, so that ties are broken at random
                    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                    cost = 16 * cost + int(state >> np.uint64(60))
                if cost < best_cost:
                    best, best_cost, best_way = move, cost, way
            if best_cost >= 0:
                if pick == count:
                    goal_weight += 1
                else:
                    if weight[place] == 1:
                        heavy[heavies] = place
                        heavies += 1
                    weight[place] += 1
            now += best_way * effect[best]
            log_move[used], log_way[used] = best, best_way
            used += 1
            count = _make(moves, low, high, value, bad, where, count, best, best_way)
        found = count == 0 and least <= now <= most
        for entry in range(first, used):
            move = log_move[entry]
            for at in range(move_start[move], move_start[move + 1]):
                value[move_place[at]] -= log_way[entry] * move_sign[at]
        for each in range(count):
            where[bad[each]] = -1
        for each in range(heavies):
            weight[heavy[each]] = 1
        for entry in range(goal_start[goal], goal_start[goal + 1]):
            effect[goal_move[entry]] = 0
        if found:
            log_end[goal] = used
        else:
            used = first
            log_end[goal] = -1
    return len(goal_now)
