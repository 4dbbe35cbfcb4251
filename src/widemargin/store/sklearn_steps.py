"""scikit-learn's scalers, imputers, encoders and selectors as stored types: what stands before a model in a pipeline.

Their attributes are declared as those of our own estimators are. Encoders look categories up by numbers that they keep,
so these are held to the lists that they point into.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from .estimators import EstimatorSpec
from .rules import Array, Each, Either, Labels, Part, Plain, Rule, Size, Sizes
from .values import Violation

FLOATS = ("f4", "f8")
MOST_FEATURES = 10_000_000  # of products: the file says a degree, and a few digits would fill any memory


def step(
    target: str, fitted: Mapping[str, Rule], *, made: Collection[str] = (), transient: Collection[str] = (), **more: Any
) -> EstimatorSpec:
    """The line of a class of scikit-learn; `made` names attributes that `restore` makes anew."""
    return EstimatorSpec(f"sklearn.{target}", 1, fitted, foreign=tuple(made), transient=transient, **more)


def numbers(*, optional: bool = False) -> Array:
    """One number a feature; those of an empty column may be NaN."""
    return Array(FLOATS, ("d",), finite=False, optional=optional)


class Dtype(Rule):
    """A type of arrays."""

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if not isinstance(value, np.dtype):
            raise Violation(f"{name} is no type of arrays")


class Entries(Rule):
    """One entry a feature: numbers, or strings and numbers mixed."""

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "iufO":
            raise Violation(f"{name} is no row of numbers or labels")
        Size("d").bind(len(value), name, sizes)


class Lists(Rule):
    """A list with an entry a feature, or an object array of that."""

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if not (type(value) is list or (isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 1)):
            raise Violation(f"{name} is no list")
        Size("d").bind(len(value), name, sizes)


_SEEN = Either(Plain(int, float, low=0), Array(("i8", "f8"), ("d",), low=0))
_COUNT = Plain(int, low=0)
_CATEGORIES: Mapping[str, Rule] = {
    "categories_": Each("d", Labels("_categories")),
    "_infrequent_enabled": Plain(bool),
    "_infrequent_indices": Lists(optional=True),
    "_default_to_infrequent_mappings": Lists(optional=True),
}


def _whole(value: Any, limit: int, name: str) -> None:
    if not isinstance(value, int | np.integer) or not 0 <= value < limit:
        raise Violation(f"{name} names {value!r} of {limit} categories")


def _groups_agree(encoder: Any) -> list[int]:
    """How many columns each feature has once rare categories are one."""
    try:  # scikit-learn itself checks it nowhere
        known = np.dtype(encoder.dtype).char in "?bBhHiIlLqQfd"
    except TypeError:
        known = False
    if not known:
        raise Violation(f"dtype is {encoder.dtype!r}, which is no type of numbers that it can give")
    sizes = [len(categories) for categories in encoder.categories_]
    if not encoder._infrequent_enabled:
        return sizes
    for name in ("_infrequent_indices", "_default_to_infrequent_mappings"):
        if not hasattr(encoder, name):
            raise Violation(f"{name} is missing")
    for j, size in enumerate(sizes):
        rare, groups = encoder._infrequent_indices[j], encoder._default_to_infrequent_mappings[j]
        if (rare is None) != (groups is None):
            raise Violation(f"feature {j} has rare categories or groups, but not both")
        if rare is None:
            continue
        Array("i8", ("rare",), low=0, below=size).bind(rare, "_infrequent_indices", {})
        Array("i8", (size,)).bind(groups, "_default_to_infrequent_mappings", {})
        if not rare.size or rare.min() < 0 or rare.max() >= size or groups.min() < 0 or groups.max() >= size:
            raise Violation(f"feature {j} of {size} categories groups some that are not there")
        sizes[j] = size - len(rare) + 1
        if not (groups < sizes[j]).all():
            raise Violation(f"feature {j} has {sizes[j]} groups and names {groups.max()}")
    return sizes


def _onehot_agrees(encoder: Any) -> None:
    if not hasattr(encoder, "categories_"):
        return
    widths = _groups_agree(encoder)
    dropped = encoder._drop_idx_after_grouping
    for j, one in enumerate(dropped.tolist() if dropped is not None else ()):
        if one is not None:
            _whole(one, widths[j], "_drop_idx_after_grouping")
            widths[j] -= 1
    for j, one in enumerate(encoder.drop_idx_.tolist() if encoder.drop_idx_ is not None else ()):
        if one is not None:
            _whole(one, len(encoder.categories_[j]), "drop_idx_")
    if list(encoder._n_features_outs) != widths:
        raise Violation(f"_n_features_outs says {encoder._n_features_outs} where {widths} columns are due")


def _ordinal_agrees(encoder: Any) -> None:
    if not hasattr(encoder, "categories_"):
        return
    _groups_agree(encoder)
    for feature, category in encoder._missing_indices.items():
        _whole(feature, len(encoder.categories_), "_missing_indices")
        _whole(category, len(encoder.categories_[feature]), "_missing_indices")


def _products_agree(products: Any) -> None:
    if hasattr(products, "n_output_features_"):
        again = type(products)(**products.get_params()).fit(np.broadcast_to(np.zeros(1), (1, products.n_features_in_)))
        for name in ("_min_degree", "_max_degree", "n_output_features_", "_n_out_full"):
            if getattr(products, name) != getattr(again, name):
                raise Violation(f"{name} is {getattr(products, name)} where {getattr(again, name)} is due")


def _indicator_agrees(indicator: Any) -> None:
    if hasattr(indicator, "features_") and indicator._n_features != getattr(
        indicator, "n_features_in_", indicator._n_features
    ):
        raise Violation(f"_n_features is {indicator._n_features}")


def _holds_no_code(transformer: Any) -> None:
    if transformer.func is not None or transformer.inverse_func is not None or callable(transformer.feature_names_out):
        raise Violation("its function is code, which a .wm file does not hold: only func=None can be stored")


_DATA = "preprocessing._data"
_ENCODERS = "preprocessing._encoders"

STEPS: dict[str, Any] = {
    "sklearn.StandardScaler": step(
        f"{_DATA}:StandardScaler",
        {
            "n_samples_seen_": _SEEN,
            "mean_": numbers(optional=True),
            "var_": numbers(optional=True),
            "scale_": numbers(optional=True),
        },
    ),
    "sklearn.MinMaxScaler": step(
        f"{_DATA}:MinMaxScaler",
        {
            "n_samples_seen_": _SEEN,
            **{name: numbers() for name in ("min_", "scale_", "data_min_", "data_max_", "data_range_")},
        },
    ),
    "sklearn.MaxAbsScaler": step(
        f"{_DATA}:MaxAbsScaler", {"n_samples_seen_": _SEEN, "max_abs_": numbers(), "scale_": numbers()}
    ),
    "sklearn.RobustScaler": step(
        f"{_DATA}:RobustScaler",
        {"n_features_in_": Size("d"), "center_": numbers(optional=True), "scale_": numbers(optional=True)},
    ),
    "sklearn.Normalizer": step(f"{_DATA}:Normalizer", {"n_features_in_": Size("d")}),
    "sklearn.PolynomialFeatures": step(
        "preprocessing._polynomial:PolynomialFeatures",
        {
            "n_features_in_": Size("d"),
            "_min_degree": _COUNT,
            "_max_degree": _COUNT,
            "n_output_features_": Plain(int, low=0, high=MOST_FEATURES),
            "_n_out_full": _COUNT,
        },
        agree=_products_agree,
    ),
    "sklearn.FunctionTransformer": step(
        "preprocessing._function_transformer:FunctionTransformer",
        {"n_features_in_": Size("d")},
        agree=_holds_no_code,
    ),
    "sklearn.VarianceThreshold": step(
        "feature_selection._variance_threshold:VarianceThreshold", {"variances_": numbers()}
    ),
    "sklearn.SimpleImputer": step(
        "impute._base:SimpleImputer",
        {
            "statistics_": Entries(),
            "_fit_dtype": Dtype(),
            "_fill_dtype": Dtype(),
            "indicator_": Part("MissingIndicator", optional=True, sizes=lambda part: {"d": part._n_features}),
        },
    ),
    "sklearn.MissingIndicator": step(
        "impute._base:MissingIndicator",
        {
            "features_": Array("i8", ("marked",), low=0, below="features"),
            "_n_features": Size("features"),
            "_precomputed": Plain(bool),
        },
        agree=_indicator_agrees,
    ),
    "sklearn.OneHotEncoder": step(
        f"{_ENCODERS}:OneHotEncoder",
        {
            **_CATEGORIES,
            "_drop_idx_after_grouping": Lists(optional=True),
            "drop_idx_": Lists(optional=True),
            "_n_features_outs": Lists(),
        },
        agree=_onehot_agrees,
    ),
    "sklearn.OrdinalEncoder": step(
        f"{_ENCODERS}:OrdinalEncoder", {**_CATEGORIES, "_missing_indices": Plain(dict)}, agree=_ordinal_agrees
    ),
    "sklearn.LabelEncoder": step("preprocessing._label:LabelEncoder", {"classes_": Labels("c")}),
    "sklearn.TfidfTransformer": step(
        "feature_extraction.text:TfidfTransformer",
        {"n_features_in_": Size("d"), "idf_": Array(FLOATS, ("d",), optional=True)},
    ),
}
