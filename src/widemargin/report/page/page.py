"""The report of `easy`: a document of plain values in, one HTML or Markdown text out. No mathematics here."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from .svg import Line, bar_chart, line_chart, number

_STATES = {"fine": "✓", "note": "i", "warning": "!"}


def html_report(document: dict[str, Any]) -> str:
    """One HTML file; every text of the data is shown as text, whatever it holds."""
    import jinja2

    folder = files(__package__)
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["figure"] = _figure
    template = environment.from_string(folder.joinpath("report.html").read_text(encoding="utf-8"))
    safe = json.dumps(document, allow_nan=False).replace("<", "\\u003c")
    return template.render(
        d=document,
        charts={name: jinja2.utils.markupsafe.Markup(chart) for name, chart in _charts(document).items()},
        css=jinja2.utils.markupsafe.Markup(folder.joinpath("report.css").read_text(encoding="utf-8")),
        script=jinja2.utils.markupsafe.Markup(folder.joinpath("report.js").read_text(encoding="utf-8")),
        data=jinja2.utils.markupsafe.Markup(safe),
        marks=_STATES,
        rows=_leaderboard(document),
        figures=_figures(document),
    )


def markdown_report(document: dict[str, Any]) -> str:
    """The same in a few lines of Markdown."""
    lines = [f"# {_plain(document['target'])} of {_plain(document['source'])}", ""]
    lines += [f"- {_plain(sentence)}" for sentence in document["verdict"]]
    lines += ["", "| check | finding | what to do |", "|---|---|---|"]
    for check in document["checks"]:
        lines.append(f"| {_STATES[check['state']]} {check['name']} | {_plain(check['finding'])} | {_plain(check['advice'])} |")
    lines += ["", "| learner | settings | loss | ± |", "|---|---|---|---|"]
    for row in _leaderboard(document):
        lines.append(f"| {_plain(row['learner'])} | {_plain(row['settings'])} | {row['loss']} | {row['se']} |")
    fence = "`" * 3
    return "\n".join([*lines, "", f"{fence}python", document["python"].rstrip(), fence, ""])


def _plain(text: Any) -> str:
    """Text that Markdown leaves as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>|#" else " " if c in "\r\n" else c for c in str(text))


def _figure(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else number(value) if isinstance(value, float) else str(value)


def _leaderboard(document: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for place, trial in enumerate(document["tuning"]["leaderboard"]):
        setting = {k.removeprefix("learn__").replace("estimator__", ""): v for k, v in trial["setting"].items()}
        rows.append(
            {
                "place": place + 1,
                "learner": trial["learner"],
                "settings": ", ".join(f"{k}={_figure(v)}" for k, v in setting.items()),
                "loss": number(trial["loss"]),
                "se": number(trial["se"]),
                "rows": trial["rows"],
                "seconds": number(trial["seconds"]),
                "gap": _figure(trial["gap"]),
            }
        )
    return rows


def _figures(document: dict[str, Any]) -> list[tuple[str, str]]:
    names = {
        "accuracy": "right",
        "log_loss": "log loss",
        "cost": "cost in all",
        "mean_cost": "cost a row",
        "r2": "explained variance",
        "mean_absolute_error": "mean absolute error",
        "root_mean_squared_error": "root mean squared error",
    }
    test = document["test"]
    found = [(name, _figure(float(test[key]))) for key, name in names.items() if test.get(key) is not None]
    if "thresholds" in document["pages"]:
        found.append(("area under ROC", _figure(document["pages"]["thresholds"]["auc"])))
    return [("test rows", _figure(test["rows"])), *found]


# ---- charts ----------------------------------------------------------------------------------------------------------


def _charts(document: dict[str, Any]) -> dict[str, str]:
    pages, found = document["pages"], {}
    found["search"] = _search(document)
    if "margins" in pages:
        share = [k / 100 for k in range(101)]
        lines = [
            Line(pages["margins"]["train"], share, "learnt from", "b"),
            Line(pages["margins"]["test"], share, "test", "a"),
        ]
        found["margins"] = line_chart(lines, "margin", "share of rows below", box=(-1.0, 1.0, 0.0, 1.0))
    if "calibration" in pages:
        c = pages["calibration"]
        line = Line(c["said"], c["true"], "", "a", marks=True)
        found["calibration"] = line_chart([line], "probability said", "share that was so", diagonal=True, box=(0.0, 1.0, 0.0, 1.0))
    if "thresholds" in pages:
        found |= _thresholds(pages["thresholds"])
    if "cloud" in pages:
        cloud = Line(pages["cloud"]["truth"], pages["cloud"]["called"], "", "a", joined=False)
        found["cloud"] = line_chart([cloud], "truth", "predicted", diagonal=True)
    told = pages["explanation"]
    if told["features"]:
        found["explanation"] = bar_chart([(name, value) for name, value in told["features"]], told["kind"])
    return {name: chart for name, chart in found.items() if chart}


def _search(document: dict[str, Any]) -> str:
    """Loss along C of the winner's learner, or the leaderboard as bars."""
    winner, trials = document["tuning"]["winner"], document["tuning"]["trials"]
    along = [
        t
        for t in trials
        if t["learner"] == winner["learner"]
        and t["rows"] == winner["rows"]
        and "learn__C" in t["setting"]
        and {**t["setting"], "learn__C": 0} == {**winner["setting"], "learn__C": 0}
    ]
    if len(along) < 3:
        board = document["tuning"]["leaderboard"]
        return bar_chart([(t["learner"], t["loss"]) for t in board], document["tuning"]["measure"])
    Cs, losses = [t["setting"]["learn__C"] for t in along], [t["loss"] for t in along]
    lines = [
        Line(Cs, losses, "", "a", marks=True),
        Line([winner["setting"]["learn__C"]], [winner["loss"]], "", "b", joined=False),
    ]
    return line_chart(lines, "C", document["tuning"]["measure"], log_x=True)


def _thresholds(t: dict[str, Any]) -> dict[str, str]:
    if not t["positive"] or not t["negative"]:
        return {}
    hits, alarms = [v / t["positive"] for v in t["tp"]], [v / t["negative"] for v in t["fp"]]
    called = [(a, b) for a, b in zip(t["tp"], t["fp"], strict=True) if a + b]
    roc = line_chart([Line(alarms, hits, "")], "false alarms", "found", diagonal=True, box=(0.0, 1.0, 0.0, 1.0))
    pr = Line([a / t["positive"] for a, _ in called], [a / (a + b) for a, b in called], "")
    return {"roc": roc, "pr": line_chart([pr], "found", "of those called, right", box=(0.0, 1.0, 0.0, 1.0))}
