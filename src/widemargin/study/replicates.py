"""Bootstrap replicates and what each of them leaves out.

Problem  from the n rows of D draw m at random: D_b for b = 0 .. B-1; the held-out rows are T_b = D - D_b
Symbols  each row is held out with probability (1 - 1/n)^m (with replacement: about 0.368 for m = n) or 1 - m/n
Method   [Efron79]; held-out rows as a test set of their own [Breiman96]. Replicate b is a function of (seed, b) alone,
         so it can be drawn in any order, on any number of threads, and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..base.errors import BadInput
from ..base.seeds import keyed


@dataclass(frozen=True)
class Bootstrap:
    """B replicates of the rows 0 .. n-1; iterating gives (rows drawn, rows held out) for each.

    Attributes
    ----------
    n, m, B : int
        Rows, draws a replicate, replicates.
    seed : int
    replace : bool
        Whether a row can be drawn twice.
    """

    n: int
    m: int
    B: int
    seed: int = 0
    replace: bool = True

    def rows(self, b: int) -> np.ndarray:
        """D_b: the rows of replicate b, in the order drawn, repeated as often as drawn."""
        random = keyed(self.seed, "sample", self._checked(b))
        if self.replace:
            return (random.random(self.m) * self.n).astype(np.int64)
        return np.argsort(random.random(self.n), kind="stable")[: self.m]

    def counts(self, b: int) -> np.ndarray:
        """How often each row is in D_b."""
        return np.bincount(self.rows(b), minlength=self.n)

    def held_out(self, b: int) -> np.ndarray:
        """T_b: the rows that are not in D_b, in order."""
        return np.flatnonzero(self.counts(b) == 0)

    def __len__(self) -> int:
        return self.B

    def __getitem__(self, b: int) -> tuple[np.ndarray, np.ndarray]:
        rows = self.rows(b)
        return rows, np.flatnonzero(np.bincount(rows, minlength=self.n) == 0)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        return (self[b] for b in range(self.B))

    @property
    def expected_share(self) -> float:
        """The probability of a row to be held out: (1 - 1/n)^m, or 1 - m/n without replacement."""
        return (1 - 1 / self.n) ** self.m if self.replace else 1 - self.m / self.n

    @property
    def held_out_share(self) -> float:
        """The share that was held out, over all replicates."""
        return float(np.mean([np.count_nonzero(self.counts(b) == 0) for b in range(self.B)])) / self.n

    def _checked(self, b: int) -> int:
        if not 0 <= b < self.B:
            raise IndexError(f"there are replicates 0 to {self.B - 1}, but no {b}")
        return b


def bootstrap(n: int, m: int | None = None, B: int = 100, seed: int = 0, *, replace: bool = True) -> Bootstrap:
    """Draw B times m of n rows.

    Parameters
    ----------
    n : int
        Rows.
    m : int, optional
        Draws a replicate, at most n; n if not given.
    B : int, default=100
        Replicates.
    seed : int, default=0
        Of all draws; replicate b depends on (seed, b) only.
    replace : bool, default=True
        Whether a row can be drawn twice; False gives random subsets.

    Returns
    -------
    Bootstrap
        `for rows, held_out in bootstrap(150): …`
    """
    m = n if m is None else m
    for name, value, least in (("n", n, 1), ("m", m, 1), ("B", B, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise BadInput(f"{name} is {value!r}: it must be a whole number of at least {least}.")
    if m > n:
        raise BadInput(f"m={m} draws from n={n} rows: a replicate is at most as large as the data.")
    if not isinstance(replace, bool | np.bool_):
        raise BadInput(f"replace is {replace!r}: it must be True or False.")
    return Bootstrap(int(n), int(m), int(B), int(seed), bool(replace))
