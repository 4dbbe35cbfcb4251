"""What all kernel machines share: the parameters that name a kernel, and reading what the kernel compares."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils.validation import _num_samples

from ..base.params import HasMethods, Integral, Interval, StrOptions, positive
from ..data.items import read_items
from ..data.rows import Training, read_rows
from ..kernels.expression import with_params
from ..kernels.function import looks_like_rows
from ..kernels.items import RowItems
from ..kernels.precomputed import Precomputed
from ..kernels.resolve import NAMES, as_kernel
from .base import NumberTargets
from .kernel_support import KernelTraining


@dataclass(kw_only=True, eq=False, repr=False)
class KernelInput:
    """Comes before a class whose `_read` takes rows of numbers."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(NAMES)), callable, HasMethods(["prepare", "block", "diag"])],
        "gamma": [StrOptions({"scale", "auto"}), positive()],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
        "cache_size": [StrOptions({"auto"}), positive()],
    }

    kernel: Any = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    cache_size: float | str = "auto"

    def _takes_rows(self, X: Any) -> bool:
        if isinstance(self.kernel, str) or getattr(self.kernel, "rows", False):
            return True
        return callable(self.kernel) and not hasattr(self.kernel, "prepare") and looks_like_rows(X)

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> KernelTraining:
        """Arrays are checked only where the kernel is one of rows."""
        if self._takes_rows(X):
            data = super()._read(X, y, sample_weight, **options)  # type: ignore[misc]
            kernel = self._resolved(data)
            if isinstance(kernel, Precomputed):
                return KernelTraining.of(data, kernel, kernel.training(data.X, _num_samples(X), data.kept))
            items = RowItems(data.X)
            vars(items)["native"] = data.rows
            return KernelTraining.of(data, kernel, items)
        kernel = as_kernel(self.kernel)
        data = read_items(
            kernel.prepare(X),
            y,
            sample_weight,
            class_weight=getattr(self, "class_weight", None),
            labels=options.get("labels"),
            regression=isinstance(self, NumberTargets),
        )
        return KernelTraining.of(data, kernel, data.X)

    def _resolved(self, data: Training) -> Any:
        return as_kernel(
            self.kernel,
            data.X,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            weight=data.weight,
            names=getattr(self, "feature_names_in_", None),
        )

    def _items(self, X: Any) -> Any:
        """Items of a prediction."""
        if not self._takes_rows(X):
            return self.kernel_.prepare(X)
        X = read_rows(self, X)
        return self.kernel_.against_training(X) if isinstance(self.kernel_, Precomputed) else RowItems(X)

    def set_params(self, **params: Any):
        """Set parameters; `kernel__gamma` and the like make a new kernel, since kernels never change."""
        inner = {k.removeprefix("kernel__"): v for k, v in params.items() if k.startswith("kernel__")}
        super().set_params(**{k: v for k, v in params.items() if not k.startswith("kernel__")})  # type: ignore[misc]
        if inner:
            self.kernel = with_params(self.kernel, **inner)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
