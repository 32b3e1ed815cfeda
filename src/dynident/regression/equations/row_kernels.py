"""Compiled kernel of rows: columns beside the links' into lines."""

# pyright: basic

from __future__ import annotations

from dynident.core.arrays import Array, IntArray
from dynident.core.compiled import compiler

# "reassoc" lets sums over samples be vectorised; the order is fixed when this is compiled.
_compile = compiler(nogil=True, _nrt=False, error_model="numpy", fastmath={"contract", "nsz", "reassoc"})


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
