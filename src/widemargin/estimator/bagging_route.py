"""What callers hand on to the members of a bag, by scikit-learn's metadata routing."""

from __future__ import annotations

from typing import Any

import sklearn
from sklearn.utils.metadata_routing import process_routing

from ..base.errors import BadInput


def routed(bag: Any, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the members' method that `method` of the bag calls."""
    if not params:
        return {}
    if not sklearn.get_config()["enable_metadata_routing"]:
        if method == "fit":
            return params
        raise BadInput(
            f"{method} of {type(bag).__name__} was given {sorted(params)}: such arguments are handed on only with "
            "sklearn.set_config(enable_metadata_routing=True)."
        )
    wanted = process_routing(bag, method, **params).estimator
    return dict(wanted[members_method(bag, method)])


def members_method(bag: Any, method: str) -> str:
    """What members are asked when the bag is: probabilities where they have any."""
    if method in ("fit", "decision_function") or not hasattr(bag, "predict_proba"):
        return method
    likely = getattr(bag, "vote", "mean") == "mean" and hasattr(bag._template(), "predict_proba")
    return "predict_proba" if likely else "predict"
