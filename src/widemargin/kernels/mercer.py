"""Whether a function is a kernel: its matrix between any items must have no negative eigenvalue.

Problem  the smallest eigenvalue of K = k(X, X), and if it is negative a vector c with cᵀKc < 0
Symbols  n items; e the error of a value: `tol` of the largest |k|, or four times what the values themselves betray,
         k(x, z) - k(z, x) and k(x, x) computed in two ways, if that is more
Bound    errors of the values move an eigenvalue by at most n e (Weyl's inequality), the solver by less than
         8 n 2^-53 n max|k|; cᵀKc is recomputed from the values, with an error of at most (e + 1.01 (2n + 8) 2^-53
         max|k|) (Σ|c|)²                                                                         [Higham02, sec. 3.1]
Says     psd=False is proved by c. psd=True speaks of these items only
Method   [Mercer1909]; LAPACK's solver for one eigenvalue
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from ..base.errors import BadInput, NotPositiveSemidefinite
from ..base.seeds import seed_from
from ..base.threads import threads
from ..base.warn import warn
from .function import finite
from .items import RowItems
from .resolve import as_kernel
from .sample import MERCER, drawn

MOST, CHEAP = 2000, 200  # items looked at
UNIT = 2.0**-53
TOL = 2.0**-44
ASYMMETRY = 1e-6  # of the largest value: far more than rounding


@dataclass(frozen=True, eq=False)
class Mercer:
    """What a sample of items tells of a kernel.

    Attributes
    ----------
    psd : False if a negative eigenvalue or an asymmetry is proved, True if neither was found on these items.
    smallest : the smallest eigenvalue of the matrix between the items.
    bound : its possible error by rounding.
    n, n_items : items looked at, and items given.
    items : their numbers.
    witness : c with cᵀKc < 0 on these items, or None.
    value : cᵀKc, recomputed from the kernel values.
    value_bound : its possible error by rounding.
    asymmetry : the largest |k(x, z) - k(z, x)|.
    kernel : the formula.
    """

    psd: bool
    smallest: float
    bound: float
    n: int
    n_items: int
    items: np.ndarray
    witness: np.ndarray | None
    value: float | None
    value_bound: float | None
    asymmetry: float
    kernel: str

    def __str__(self) -> str:
        where = f"on {self.n} items" + (f" drawn from {self.n_items}" if self.n < self.n_items else "")
        found = f"the smallest eigenvalue {where} is {self.smallest:.3g} (rounding: {self.bound:.1e})"
        if self.psd:
            return f"{self.kernel}: no sign against positive semidefinite; {found}"
        if self.witness is None:
            return f"{self.kernel} is not symmetric: k(x, z) and k(z, x) differ by up to {self.asymmetry:.3g} {where}"
        return (
            f"{self.kernel} is not positive semidefinite: {found}, and the witness c gives cᵀKc = {self.value:.3g} "
            f"(± {self.value_bound:.1e})"
        )


def mercer(
    kernel: Any, X: Any, *, tol: float = TOL, max_items: int = MOST, random_state: Any = 0, n_jobs: int | None = None
) -> Mercer:
    """Look for a proof that a kernel is not positive semidefinite.

    Parameters
    ----------
    kernel : kernel or callable
    X : rows, or whatever the kernel compares
        For a precomputed kernel the square matrix.
    tol : float, default=2**-44
        How exact kernel values are, relative to the largest.
    max_items : int, default=2000
        If there are more, so many are drawn.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional

    Returns
    -------
    Mercer
    """
    if not (np.isfinite(tol) and tol >= 0):
        raise BadInput(f"tol is {tol!r}: it must be finite and not negative.")
    if max_items < 1:
        raise BadInput(f"max_items is {max_items!r}: at least one item is needed.")
    kernel = as_kernel(kernel, RowItems.checked(X).X if isinstance(kernel, str) else None)
    items = kernel.prepare(X)
    return _looked_at(kernel, items, tol, max_items, seed_from(random_state), threads(n_jobs))


def _looked_at(kernel: Any, items: Any, tol: float, most: int, seed: int, n_threads: int) -> Mercer:
    chosen = drawn(len(items), most, seed, MERCER)
    if not len(chosen):
        raise BadInput("there are no items: a kernel is tried on at least one.")
    sample = items.take(chosen)
    K = finite(kernel.block(sample, sample, n_threads))
    n, size = len(chosen), float(np.abs(K).max())
    asymmetry = float(np.abs(K - K.T).max())
    symmetric = asymmetry <= ASYMMETRY * size
    drift = float(np.abs(np.diag(K) - kernel.diag(sample)).max())
    e = max(tol * size, 4 * drift, 4 * asymmetry if symmetric else 0.0)
    S = (K + K.T) / 2
    values, vectors = eigh(S, subset_by_index=[0, 0])
    smallest, c = float(values[0]), vectors[:, 0]
    bound = n * (e + 8 * n * UNIT * size)
    value = float(c @ (S @ c))
    value_bound = float((e + 1.01 * (2 * n + 8) * UNIT * size) * np.abs(c).sum() ** 2)
    negative = smallest < -bound and value < -value_bound
    return Mercer(
        psd=symmetric and not negative,
        smallest=smallest,
        bound=bound,
        n=n,
        n_items=len(items),
        items=chosen,
        witness=c if negative else None,
        value=value if negative else None,
        value_bound=value_bound if negative else None,
        asymmetry=asymmetry,
        kernel=str(kernel),
    )


def warn_unless_psd(kernel: Any, items: Any, *, seed: int = 0) -> Mercer | None:
    """Warns, with the witness, if at most 200 of the items prove that the kernel is none; for an estimator's fit.

    Looks only at kernels that may be indefinite (Tanh, functions, precomputed matrices, and what is made of them).
    """
    if not getattr(kernel, "may_be_indefinite", False):
        return None
    found = _looked_at(kernel, items, TOL, CHEAP, seed, 1)
    if not found.psd:
        warn(NotPositiveSemidefinite(f"{found}; {_advice(found, items)}", found))
    return found


def _advice(found: Mercer, items: Any) -> str:
    """A matrix that was rounded to float32 is seldom positive semidefinite, whatever it was before."""
    single = getattr(items, "given", None) == np.float32
    if single and -found.smallest <= found.n * float(np.finfo(np.float32).eps * np.abs(items.matrix).max()):
        return "that much is the rounding of its float32 values: compute them in float64 for a certificate that holds."
    return "the problem may have no optimum."
