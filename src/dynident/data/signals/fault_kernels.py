"""Compiled kernels that look at every sample of a log: values that neither their neighbours nor the motion support."""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.compiled import compiler
from dynident.data.signals import faulty_samples
from dynident.data.signals.faulty_samples import ISOLATED, REPEATED, ZERO

#: What `scales` holds: usual change from one sample to the next; smallest deviation of an isolated sample, and of an exact zero; smallest
#: changes, 0 where values repeat honestly; share of those that repeat once; usual change of a position; the value at and above which
#: an effort is saturated rather than repeated.
USUAL, LEAST, LEAST_ZERO, RESOLUTION, REPEATING, SPEED, SATURATED = range(7)
#: Changes on either side that tell what is usual around a sample, and numbers of memory that they need.
_SIDE, WORK = 5, 16
#: Samples in a row that are isolated.
_FEW = 3
#: How many times the roughness around it a value is off; exact zeros need less, because no sensor reads 0 so often.
_OFF, _OFF_ZERO = 12.0, 6.0
#: Neighbours that are off by this share of it support a value; those on either side agree to this share of it, or to this of the leap.
_SUPPORT, _AGREE, _BACK = 0.25, 0.5, 0.1
#: Values are repeated where others around them change by at least this share of what is usual in the log.
_CHANGING = 0.25
#: A joint moves at this share of its usual speed, and a position that was held leaps by this share of the motion that it missed.
_MOVING, _MISSED = 0.1, 0.5
#: Positions are off by more than so many changes per sample, or it may be their stamps.
_LATE = 3.0
#: A joint moves on evenly where over so many samples its speed changes by less than so many times the usual speed.
_LAG, _EVEN = 3, 1.5

_compile = compiler(calls=(faulty_samples,), nogil=True, _nrt=False, error_model="numpy")


@_compile
def mark_faults(
    x: Array,
    q: Array,
    codes: Array,
    begin: int,
    stop: int,
    starts: IntArray,
    scales: Array,
    zeros: BoolArray,
    dense: BoolArray,
    own: bool,
    rare: float,
    work: Array,
    state: IntArray,
) -> int:
    """Codes (N, n) of the faults of a signal (N, n) to those there are, from row `begin` to `stop`, sample after sample; returns how many
    are new. Rows are looked at in blocks one after the other, and `state` is what a block leaves to the next.

    q : (N, n)                Positions, which tell whether a joint moves.
    starts : (segments + 1,)  First sample of each segment, then N.
    scales : (7, n)           By the names above, of each joint.
    zeros : (n,)              Whether exact zeros of a moving joint are missing samples.
    dense : (n,)              Whether there are so many faults that they are beside each other.
    own : whether the signal is q.   rare : logarithm of a probability that is too small.
    work : (WORK,), state : (3, n)   Memory.
    """
    n, new, least = x.shape[1], 0, scales[LEAST]
    first, last = state[0], state[1]  # of the run of equal values so far
    for s in range(len(starts) - 1):
        low, high = starts[s], starts[s + 1]
        if high <= begin or low >= stop:
            continue
        single = state[2, 0] > 0  # whether the run of every joint is the sample before
        if low >= begin:
            for j in range(n):
                first[j], last[j] = -1, -1
            single = False
        for k in range(max(low, begin), min(high, stop)):
            if single and k > low + 1 and _is_ordinary(x, codes, k, least, own):
                continue
            if single:
                for j in range(n):
                    first[j], last[j] = k - 1, k - 1
            single = True
            for j in range(n):
                if codes[k, j] == 0:
                    p, v = last[j], x[k, j]
                    if p >= 0 and v == x[p, j]:
                        last[j] = k
                    elif p < 0:
                        first[j], last[j] = k, k
                    else:
                        marked, jump = 0, abs(v - x[p, j])
                        if own and p > low and codes[p - 1, j] == 0:  # smooth, so that the next change is about the same
                            jump = abs(v - 2.0 * x[p, j] + x[p - 1, j])
                        if jump > least[j] or (v == 0.0 and (zeros[j] or jump > scales[LEAST_ZERO, j])):
                            marked = _mark_excursion(x, q, codes, j, p, k, low, high, scales, zeros[j], dense[j], own, work)
                        if marked == 0:
                            if p - first[j] > 1 and scales[RESOLUTION, j] > 0.0 and abs(x[p, j]) < scales[SATURATED, j]:
                                marked = _mark_repeats(x, q, codes, j, first[j], p, k, low, high, scales, dense[j], own, rare, work)
                            first[j], last[j] = k, k
                        new += marked
                single = single and first[j] == k
        state[2, 0] = 1 if single else 0
    return new


@_compile
def _is_ordinary(x, codes, k, least, is_position):
    """Whether nothing about the sample k of any joint asks for a closer look: in use, not zero, and a little off from the one before."""
    look = False
    if is_position:
        for j in range(x.shape[1]):
            v, before = x[k, j], x[k - 1, j]
            look |= (codes[k, j] != 0) | (abs(v - 2.0 * before + x[k - 2, j]) > least[j]) | (v == before) | (v == 0.0)
    else:
        for j in range(x.shape[1]):
            v, before = x[k, j], x[k - 1, j]
            look |= (codes[k, j] != 0) | (abs(v - before) > least[j]) | (v == before) | (v == 0.0)
    return not look


@_compile
def _mark_excursion(x, q, codes, j, p, k, low, high, scales, missing, dense, is_position, work):
    """Samples from k on that are off both from the one before, p, and from the first that is not; how many they are."""
    zero = x[k, j] == 0.0
    usual, speed = scales[USUAL, j], scales[SPEED, j]
    back = max(scales[LEAST, j], _BACK * abs(x[k, j] - x[p, j]))
    t, count = k, 0  # the sample after them
    while t < high:
        if codes[t, j] == 0:
            if count > 0 and (x[t, j] != 0.0 if zero else abs(x[t, j] - x[p, j]) < back + 2.0 * (t - p) * usual):
                break
            count += 1
            if count > _FEW and not zero:
                return 0
        t += 1
    if t >= high:
        return 0
    moves = is_position or _moves(q, j, p, t, speed)
    code = 0
    if zero and missing and moves:
        code = ZERO
    else:
        height = np.inf
        for i in range(k, t):
            if codes[i, j] == 0:
                height = min(height, abs(x[i, j] - x[p, j] - (x[t, j] - x[p, j]) * (i - p) / (t - p)))
        few = count <= _FEW
        if zero and not few:  # what is beside a long run may have moved on; the run itself is what is wrong
            height = min(abs(x[p, j]), abs(x[t, j]))
        slope, rough, _, nearest = _look_around(x, j, codes, p, t, low, high, dense, work)
        enough = scales[LEAST_ZERO if zero else LEAST, j]
        if is_position and not zero:  # stamps that are late or early move a position along its path
            enough = max(enough, _LATE * (t - p) * usual)
        off = _OFF_ZERO if zero else _OFF
        apart = abs(x[t, j] - x[p, j] - slope * (t - p))
        agrees = not few or apart < _AGREE * height + 6.0 * rough
        supported = nearest - abs(slope) > _SUPPORT * height
        alone = is_position or (_is_even(q, j, k, t - 1, low, high, speed) if few else moves)
        if height > enough and height > off * rough and agrees and not supported and alone:
            code = ZERO if zero else ISOLATED
    if code == 0:
        return 0
    marked = 0
    for i in range(k, t):
        if codes[i, j] == 0:
            codes[i, j] = code
            marked += 1
    return marked


@_compile
def _mark_repeats(x, q, codes, j, a, z, k, low, high, scales, dense, is_position, rare, work):
    """Samples after a, up to z, that repeat its value although the joint moves and others around them change; how many they are."""
    if not (is_position or _moves(q, j, a, k, scales[SPEED, j])):
        return 0
    _, _, change, _ = _look_around(x, j, codes, a, k, low, high, dense, work)
    repeats = 0
    for i in range(a + 1, z + 1):
        if codes[i, j] == 0:
            repeats += 1
    share = max(scales[RESOLUTION, j] / (scales[RESOLUTION, j] + change), scales[REPEATING, j], 1e-3)
    if change < _CHANGING * scales[USUAL, j] or repeats * np.log(share) > rare:
        return 0
    if is_position and abs(x[k, j] - x[z, j]) < _MISSED * repeats * change:
        return 0
    for i in range(a + 1, z + 1):
        if codes[i, j] == 0:
            codes[i, j] = REPEATED
    return repeats


@_compile
def _look_around(x, j, codes, p, k, low, high, dense, work):
    """Of the changes from sample to sample up to p or from k on, on the rougher side, and on the quieter one where faults are dense:
    their median, and the median deviation from it. Then the median of their sizes on both sides, and the smaller size of the two that
    are nearest to what is between."""
    slope, rough, size, nearest = 0.0, np.inf if dense else -1.0, 0.0, np.inf
    for side in range(2):
        i, step, count = (p, -1, 0) if side == 0 else (k, 1, 0)
        known, last = False, 0.0
        while low <= i < high and count < _SIDE:
            if codes[i, j] == 0:
                if known:
                    change = step * (x[i, j] - last)
                    if count == 0:
                        nearest = min(nearest, abs(change))
                    work[count] = change
                    count += 1
                known, last = True, x[i, j]
            i += step
        if count == 0:
            continue
        middle = _sorted_median(work, count)
        for m in range(count):
            work[_SIDE + m] = abs(work[m])
            work[m] = abs(work[m] - middle)
        size += 0.5 * _sorted_median(work[_SIDE:], count)
        deviation = _sorted_median(work, count)
        if deviation < rough if dense else deviation > rough:
            slope, rough = middle, deviation
    return slope, max(rough, 0.0), size, nearest


@_compile
def _sorted_median(values, count):
    """The median of the first so many values, which are sorted in place."""
    for i in range(1, count):
        value, place = values[i], i
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
    return values[count // 2]


@_compile
def _moves(q, j, a, z, speed):
    """Whether the joint goes anywhere between the samples a and z."""
    farthest = 0.0
    for i in range(a + 1, z + 1):
        farthest = max(farthest, abs(q[i, j] - q[a, j]))
    return farthest > _MOVING * (z - a) * speed


@_compile
def _is_even(q, j, a, z, low, high, speed):
    """Whether the joint moves on evenly around the samples a to z, so that nothing there needs another effort."""
    for i in range(max(a - 1, low + _LAG), min(z + 2, high - _LAG)):
        if abs(q[i - _LAG, j] - 2.0 * q[i, j] + q[i + _LAG, j]) > _EVEN * _LAG * speed:
            return False
    return True


@_compile
def count_zeros(x: Array, q: Array, codes: Array, starts: IntArray, speed: Array, apart: Array, found: Array) -> None:
    """Per joint, into found (n, 4): exact zeros of a moving joint, their runs, those runs whose neighbours are both farther than
    `apart` (n,) from zero, and the smallest other size."""
    n = x.shape[1]
    for j in range(n):
        found[j, 0], found[j, 1], found[j, 2], found[j, 3] = 0.0, 0.0, 0.0, np.inf
    for s in range(len(starts) - 1):
        for j in range(n):
            begin = -1
            for k in range(starts[s], starts[s + 1]):
                if codes[k, j] != 0:
                    continue
                size = abs(x[k, j])
                if size > 0.0:
                    found[j, 3] = min(found[j, 3], size)
                    if begin > starts[s] and _moves(q, j, begin - 1, k, speed[j]):
                        found[j, 0] += k - begin
                        found[j, 1] += 1.0
                        if size > apart[j] and abs(x[begin - 1, j]) > apart[j]:
                            found[j, 2] += 1.0
                    begin = -1
                elif begin < 0:
                    begin = k
