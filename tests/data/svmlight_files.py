"""Made-up svmlight files for the tests."""

from __future__ import annotations

import io

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import vstack

from widemargin.data import read_svmlight

TEXT = b"""# a comment: with 1:2 in it
+1 1:0.5 3:-2e-3 7:1

-1 2:1 # trailing 9:9
0.25
2 10:1e5\t11:+.5 12:7.
"""

numbers = st.floats(allow_nan=False, width=64) | st.integers(-99999, 99999) | st.decimals(-1000, 1000, places=6)
blanks = st.sampled_from([" ", "  ", "\t", " \t "])
line_ends = st.sampled_from(["\n", "\r\n", " \n", "\n\n", " # 1:2 x\n", "\n#\n"])


@st.composite
def files(draw, label=numbers):
    lines = []
    for _ in range(draw(st.integers(0, 12))):
        indices = sorted(draw(st.sets(st.integers(0, 30) | st.integers(0, 2**31 - 2), max_size=6)))
        entries = [f"{draw(blanks)}{i}:{draw(numbers)}" for i in indices]
        lines.append(f"{draw(label)}{''.join(entries)}{draw(line_ends)}")
    return "".join(lines).encode()


def read(text: bytes, **options):
    return read_svmlight(io.BytesIO(text), **options)


def same(a, b) -> None:
    """The matrices and the arrays after them are equal entry for entry, as stored."""
    assert a[0].shape == b[0].shape
    for x, y in zip((a[0].data, a[0].indices, a[0].indptr), (b[0].data, b[0].indices, b[0].indptr), strict=True):
        np.testing.assert_array_equal(x, y)
    for x, y in zip(a[1:], b[1:], strict=True):
        np.testing.assert_array_equal(x, y)


def stacked(batches):
    """Batches of a stream as one."""
    Xs, ys = zip(*batches, strict=True)
    return vstack(Xs, format="csr"), np.concatenate(ys)
