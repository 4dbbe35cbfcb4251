"""Which charts a report has: values of the document in, SVG text out."""

from __future__ import annotations

from typing import Any

from .svg import Line, bar_chart, interval_chart, line_chart
from .words import TRACE, label, percent

_COLOURS = "abcdef"
_SHARE = [k / 100 for k in range(101)]
_UNIT = (0.0, 1.0, 0.0, 1.0)


def model_charts(test: dict[str, Any], pages: dict[str, Any]) -> dict[str, Any]:
    """The charts of one model by name; "training" is a list."""
    found: dict[str, Any] = {}
    if "margins" in pages:
        found["margins"] = _distribution(pages["margins"], "margin", pages["unit"] == "probability")
    if "errors" in pages:
        found["errors"] = _distribution(pages["errors"], "size of the error", False)
    if "calibration" in pages:
        c = pages["calibration"]
        line = Line(c["said"], c["true"], "", marks=True)
        found["calibration"] = line_chart([line], "probability said", "share that was so", diagonal=True, box=_UNIT)
    if pages.get("ranks"):
        found |= rank_charts([("", pages["ranks"])])
    if "cloud" in pages:
        cloud = Line(pages["cloud"]["truth"], pages["cloud"]["called"], "", joined=False)
        found["cloud"] = line_chart([cloud], "truth", "predicted", diagonal=True)
    told = pages["explanation"]
    if told["features"]:
        found["explanation"] = bar_chart([(name, value) for name, value in told["features"]], told["kind"])
    if pages["training"]["curves"]:
        found["training"] = _training(pages["training"])
    return found


def rank_charts(models: list[tuple[str, dict[str, Any]]]) -> dict[str, str]:
    """ROC and precision by what is found, of one model or several."""
    roc, pr = [], []
    for k, (name, r) in enumerate(models[: len(_COLOURS)]):
        roc.append(Line(r["alarms"], r["found"], name, _COLOURS[k]))
        pr.append(Line(r["found"][1:], r["precision"], name, _COLOURS[k]))
    return {
        "roc": line_chart(roc, "false alarms, as a share", "found, as a share", diagonal=True, box=_UNIT),
        "pr": line_chart(pr, "found, as a share", "of those called, right", box=_UNIT),
    }


def document_charts(document: dict[str, Any]) -> dict[str, str]:
    """Charts of the search, of bias and variance, of models side by side."""
    found: dict[str, str] = {}
    if "tuning" in document:
        found["search"] = _search(document["tuning"])
    spread = document["pages"].get("spread")
    if spread:
        parts = ["bias", "variance", "loss"]
        names = {"bias": "bias (with noise)", "variance": "variance", "loss": "both: the loss"}
        found["spread"] = bar_chart([(names[part], spread[part]) for part in parts], spread["measure"])
        if len(spread["by_rows"]["rows"]) > 1:
            found["by_rows"] = _by_rows(spread)
    models = document.get("models", [])
    if len(models) > 1:
        found |= _side_by_side(models, document["kind"])
    return found


def _side_by_side(models: list[dict[str, Any]], kind: str) -> dict[str, str]:
    if kind == "classes":
        bars = [(m["name"], *m["test"]["accuracy_interval"], m["test"]["accuracy"]) for m in models]
        found = {"scores": interval_chart(bars, "right, with 95 % intervals", percent)}
    else:
        rows = [(m["name"], *m["test"]["mean_squared_error_interval"], m["loss"]) for m in models]
        found = {"scores": interval_chart(rows, "mean squared error, with 95 % intervals", label)}
    ranked = [(m["name"], m["pages"]["ranks"]) for m in models if m["pages"].get("ranks")]
    return {**found, **(rank_charts(ranked) if len(ranked) > 1 else {})}


def _distribution(values: dict[str, list[float]], name: str, unit: bool) -> str:
    lines = [Line(values["test"], _SHARE, "test rows", "a")]
    if "train" in values:
        lines.insert(0, Line(values["train"], _SHARE, "rows learnt from", "b"))
    box = (-1.0, 1.0, 0.0, 1.0) if unit else None
    return line_chart(lines, name, "share of rows below", box=box)


def _training(training: dict[str, Any]) -> list[tuple[str, str]]:
    """(caption, chart) of each column; objective and lower bound share one, since they meet at the best fit."""
    curves = {curve["name"]: curve for curve in training["curves"]}
    charts = []
    if "primal" in curves and "dual" in curves:
        both = [(curves.pop("primal"), "objective", "a"), (curves.pop("dual"), "lower bound", "b")]
        lines = [Line(c["x"], c["y"], name, colour) for c, name, colour in both]
        log_x = _wide(both[0][0]["x"], 50)
        charts.append(("They meet at the best fit", line_chart(lines, training["step"], "objective", log_x=log_x)))
    for key, curve in curves.items():
        x, y = curve["x"], curve["y"]
        name = TRACE.get(key, key.replace("_", " "))
        line = Line(x, y, "", marks=len(x) <= 30)
        chart = line_chart([line], training["step"], name, log_x=_wide(x, 50), log_y=_wide(y, 100))
        charts.append((f"{name[:1].upper()}{name[1:]} by {training['step']}", chart))
    return charts


def _wide(values: list[float], times: float) -> bool:
    return min(values) > 0 and max(values) > times * min(values)


def _search(tuning: dict[str, Any]) -> str:
    """Loss along C of the winner's learner, or the leaderboard as bars."""
    winner = tuning["winner"]
    along = [
        t
        for t in tuning["trials"]
        if t["learner"] == winner["learner"]
        and t["rows"] == winner["rows"]
        and "learn__C" in t["setting"]
        and {**t["setting"], "learn__C": 0} == {**winner["setting"], "learn__C": 0}
    ]
    if len(along) < 3:
        return bar_chart([(t["learner"], t["loss"]) for t in tuning["leaderboard"]], tuning["measure"])
    along.sort(key=lambda t: t["setting"]["learn__C"])
    Cs, losses = [t["setting"]["learn__C"] for t in along], [t["loss"] for t in along]
    lines = [
        Line(Cs, losses, f"{winner['learner']} along C", marks=True),
        Line([winner["setting"]["learn__C"]], [winner["loss"]], "chosen", "b", joined=False),
    ]
    return line_chart(lines, "C", tuning["measure"], log_x=True)


def _by_rows(spread: dict[str, Any]) -> str:
    curve = spread["by_rows"]
    lines = [
        Line(curve["rows"], curve["train"], "rows learnt from", "b", marks=True),
        Line(curve["rows"], curve["test"], "held-out rows", "a", marks=True),
    ]
    return line_chart(lines, "rows to learn from", spread["measure"], log_x=True)
