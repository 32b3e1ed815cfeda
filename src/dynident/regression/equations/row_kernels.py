"""Compiled kernels of rows: columns beside the links' into lines, and lines into Gram matrices of preconditioned rows.

Lines are WIDTH samples long, and the lines of a group follow each other, their number a multiple of 4 (further ones are zero). Four
lines are worked on with four others: 16 multiply-adds for 8 loads, in loops over samples that vectorise because WIDTH is a compile-time
constant. BLAS needs more than twice as long for so few columns. Nothing here depends on a number of threads.
"""

# pyright: basic

from __future__ import annotations

from dynident.core.arrays import Array, IntArray
from dynident.core.compiled import compiler
from dynident.dynamics import kernels

#: Samples per line: all lines of a seven-joint arm stay in a second-level cache of 1 MB.
WIDTH = W = 320
#: Lines of a group are a multiple of this.
LINES = 4
# Samples that a triangle is solved for at once: 48 lines of them stay in a first-level cache of 32 kB.
_TILE = 80

# "reassoc" lets sums over samples be vectorised; the order is fixed when this is compiled.
_options = {"nogil": True, "_nrt": False, "error_model": "numpy", "fastmath": {"contract", "nsz", "reassoc"}}
_compile, _compile_all = compiler(**_options), compiler(calls=(kernels,), **_options)
_write_regressor = kernels.regressor_lines


@_compile
def append_columns(columns: Array, lines: IntArray, known: Array, effort: Array, sums: IntArray, start: int, out: Array) -> None:
    """Columns (N, n, k) of the samples from `start` on to their lines (n, k), and the right-hand sides to the lines `sums` (n,).

    A negative line is not wanted. The right-hand side is the effort (N, n) minus what is in its line already and minus columns times
    `known` (n, k). Samples beyond the last become zero in every line of `out`.
    """
    count = min(out.shape[1], effort.shape[0] - start)
    for j in range(effort.shape[1]):
        total = out[sums[j]]
        for k in range(lines.shape[1]):
            if lines[j, k] >= 0:
                line = out[lines[j, k]]
                for s in range(count):
                    line[s] = columns[start + s, j, k]
            if known[j, k] != 0.0:
                for s in range(count):
                    total[s] += known[j, k] * columns[start + s, j, k]
        for s in range(count):
            total[s] = effort[start + s, j] - total[s]
    if count < out.shape[1]:
        out[:, count:] = 0.0


@_compile_all
def add_motion(writer, motion, others, scale, lines, grams) -> None:
    """All rows of some samples into Gram matrices, WIDTH samples after the others: threads that call this seldom wait for each other.

    writer : `RegressorLines.state`. motion : q, dq, ddq (N, n).
    others : columns, lines, known, effort and sums of `append_columns`.
    scale : (N, n) factors of the rows, or (0, n) for none.
    lines : (lines, WIDTH), and the same memory as one line; grams : offsets, factors and grams of `add_grams`.
    """
    w, entries, places, known_links, sums = writer
    q, dq, ddq = motion
    columns, of_columns, known, effort, _ = others
    table, line = lines
    offsets, factors, totals = grams
    for start in range(0, q.shape[0], W):
        _write_regressor(w, entries, places, known_links, sums, q, dq, ddq, start, table)
        append_columns(columns, of_columns, known, effort, sums, start, table)
        if scale.shape[0] > 0:
            for g in range(offsets.shape[0] - 1):
                for row in range(offsets[g], offsets[g + 1]):
                    for s in range(min(W, q.shape[0] - start)):
                        table[row, s] *= scale[start + s, g]
        add_grams(line, offsets, factors, totals)


@_compile
def add_grams(lines: Array, offsets: IntArray, factors: Array, grams: Array) -> None:
    """Add W Wᵀ of each group to its Gram matrix, W = R⁻ᵀ times the group's lines, which W replaces.

    offsets : (groups + 1,)  First line of each group.
    factors : (Σ c²,)        R of each group, upper triangular, c its number of lines.
    grams : (Σ c²,)          Upper triangles.
    """
    at = 0
    for g in range(offsets.shape[0] - 1):
        c = offsets[g + 1] - offsets[g]
        X = lines[offsets[g] * W : offsets[g + 1] * W]
        R, G = factors[at : at + c * c], grams[at : at + c * c]
        for first in range(0, W, _TILE):
            for i in range(0, c, 4):
                for k in range(0, i, 4):
                    _eliminate(R[k * c + i :], c, X[k * W + first :], X[i * W + first :])
                _divide(R[i * c + i :], c, X[i * W + first :])
        for i in range(0, c, 4):
            for j in range(i, c, 4):
                _multiply(X[i * W :], X[j * W :], G[i * c + j :], c)
        at += c * c


@_compile
def _eliminate(R, c, x, y):
    """y -= R[:4, :4]ᵀ x."""
    a00, a01, a02, a03 = R[0], R[1], R[2], R[3]
    a10, a11, a12, a13 = R[c], R[c + 1], R[c + 2], R[c + 3]
    a20, a21, a22, a23 = R[2 * c], R[2 * c + 1], R[2 * c + 2], R[2 * c + 3]
    a30, a31, a32, a33 = R[3 * c], R[3 * c + 1], R[3 * c + 2], R[3 * c + 3]
    for s in range(_TILE):
        x0, x1, x2, x3 = x[s], x[W + s], x[2 * W + s], x[3 * W + s]
        y[s] = y[s] - a00 * x0 - a10 * x1 - a20 * x2 - a30 * x3
        y[W + s] = y[W + s] - a01 * x0 - a11 * x1 - a21 * x2 - a31 * x3
        y[2 * W + s] = y[2 * W + s] - a02 * x0 - a12 * x1 - a22 * x2 - a32 * x3
        y[3 * W + s] = y[3 * W + s] - a03 * x0 - a13 * x1 - a23 * x2 - a33 * x3


@_compile
def _divide(R, c, y):
    """y = R[:4, :4]⁻ᵀ y, R triangular."""
    d0, d1, d2, d3 = 1.0 / R[0], 1.0 / R[c + 1], 1.0 / R[2 * c + 2], 1.0 / R[3 * c + 3]
    a01, a02, a03, a12, a13, a23 = R[1], R[2], R[3], R[c + 2], R[c + 3], R[2 * c + 3]
    for s in range(_TILE):
        y0 = y[s] * d0
        y1 = (y[W + s] - a01 * y0) * d1
        y2 = (y[2 * W + s] - a02 * y0 - a12 * y1) * d2
        y[s], y[W + s], y[2 * W + s] = y0, y1, y2
        y[3 * W + s] = (y[3 * W + s] - a03 * y0 - a13 * y1 - a23 * y2) * d3


@_compile
def _multiply(x, y, G, c):
    """G[:4, :4] += x yᵀ."""
    a00 = a01 = a02 = a03 = a10 = a11 = a12 = a13 = a20 = a21 = a22 = a23 = a30 = a31 = a32 = a33 = 0.0
    for s in range(W):
        x0, x1, x2, x3 = x[s], x[W + s], x[2 * W + s], x[3 * W + s]
        y0, y1, y2, y3 = y[s], y[W + s], y[2 * W + s], y[3 * W + s]
        a00 += x0 * y0
        a01 += x0 * y1
        a02 += x0 * y2
        a03 += x0 * y3
        a10 += x1 * y0
        a11 += x1 * y1
        a12 += x1 * y2
        a13 += x1 * y3
        a20 += x2 * y0
        a21 += x2 * y1
        a22 += x2 * y2
        a23 += x2 * y3
        a30 += x3 * y0
        a31 += x3 * y1
        a32 += x3 * y2
        a33 += x3 * y3
    G[0] += a00
    G[1] += a01
    G[2] += a02
    G[3] += a03
    G[c] += a10
    G[c + 1] += a11
    G[c + 2] += a12
    G[c + 3] += a13
    G[2 * c] += a20
    G[2 * c + 1] += a21
    G[2 * c + 2] += a22
    G[2 * c + 3] += a23
    G[3 * c] += a30
    G[3 * c + 1] += a31
    G[3 * c + 2] += a32
    G[3 * c + 3] += a33
