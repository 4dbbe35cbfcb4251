"""What figures are called in a report, and how numbers are written."""

from __future__ import annotations

from typing import Any

STATES = {"fine": "✓", "note": "i", "warning": "!"}

_FIGURES = {
    "accuracy": "right",
    "log_loss": "log loss",
    "cost": "cost in all",
    "mean_cost": "cost a row",
    "r2": "explained variance",
    "mean_absolute_error": "mean absolute error",
    "root_mean_squared_error": "root mean squared error",
}
_SHARES = ("accuracy", "r2")

PROOF = {
    "primal": "objective of this solution",
    "dual": "no solution can lie below",
    "gap": "so it is at most this far from the best",
    "relative_gap": "the same as a share of the objective",
    "kkt_violation": "largest violation of the conditions of a best solution",
    "infeasibility": "violation of the constraints",
    "n_free": "rows with a coefficient inside its bounds",
    "n_bounded": "rows with a coefficient at its bound",
    "rounding": "rounding of this check itself, at most",
    "margin": "margin",
    "margin_upper": "no separator has a wider margin than",
    "radius": "radius of the rows",
    "updates": "updates",
    "mistake_bound": "updates can be at most",
    "rows_wrong": "training rows on the wrong side",
    "separable": "can be separated",
    "training_error": "training error",
    "oob_error": "error on rows that a tree has not seen",
    "oob_se": "its standard error",
    "n_oob": "rows judged so",
    "strength": "strength: mean margin of the votes",
    "correlation": "correlation of the trees",
    "error_bound": "bound on the error from strength and correlation",
    "n_trees": "trees",
    "n_rounds": "rounds",
    "product_z": "bound on the training error, a product over the rounds",
    "exp_bound": "mean exponential loss, which bounds the training error",
    "loss_bound": "mean loss, which bounds the training error",
    "min_margin": "least margin of a training row",
    "min_edge": "least edge of a round",
    "margin_gap": "the least margin could be wider by at most",
}

TRACE = {
    "relative_gap": "relative gap to the best",
    "gap": "gap to the best",
    "primal": "objective",
    "dual": "lower bound",
    "violation": "violation",
    "error": "weighted error of the round",
    "loss": "training loss",
    "test_error": "errors on the test rows",
    "test_squared_error": "squared error on the test rows",
    "epoch_updates": "updates in the epoch",
}

EXPLAINED = {
    "weights": (
        "Weights of the {what}. Blue ones speak for {second}, orange ones against it.",
        "Weights of the {what}: the largest over the classes, without sign.",
        "Weights of the {what}. Blue ones raise the prediction, orange ones lower it.",
    ),
    "importances": ("How much each column took part in telling rows apart.",) * 3,
    "loss when shuffled": ("How much the loss rises when a column is dealt out anew among the rows.",) * 3,
}

TOKENS = "#5 is any number of five digits, ^caps a word in capitals, url:… the host of a link."


def number(value: float) -> str:
    """Three digits; numbers that people can read are not written with powers of ten."""
    if 1000 <= abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e")


def figure(value: Any) -> str:
    """A value for people: whole numbers in full, others to three or four digits."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def label(value: Any) -> str:
    """A class as it stands in the file: no separators in whole numbers."""
    return number(value) if isinstance(value, float) else str(value)


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f} %"


def figures_of(test: dict[str, Any], pages: dict[str, Any]) -> list[tuple[str, str]]:
    """The tiles: (name, value) of what was found on the test rows."""
    found = [("test rows", figure(test["rows"]))]
    for key, name in _FIGURES.items():
        if test.get(key) is not None:
            found.append((name, percent(test[key]) if key in _SHARES else figure(float(test[key]))))
    if pages.get("ranks"):
        found.append(("area under ROC", f"{pages['ranks']['auc']:.4f}"))
        found.append(("average precision", f"{pages['ranks']['average_precision']:.4f}"))
    return found


def setting_words(setting: dict[str, Any]) -> str:
    short = {key.removeprefix("learn__").replace("estimator__", ""): value for key, value in setting.items()}
    return ", ".join(f"{key}={label(value)}" for key, value in short.items())


def proof_figures(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    """(in words, value) of the figures of a certificate that are known."""
    return [
        (words, f"{certificate[key]:.7g}" if isinstance(certificate[key], float) else figure(certificate[key]))
        for key, words in PROOF.items()
        if isinstance(certificate.get(key), int | float | bool)
    ]
