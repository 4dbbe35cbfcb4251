"""The report: a document of plain values in, one HTML text out. No mathematics here."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from .charts import document_charts, model_charts
from .markdown import markdown_report
from .svg import histogram
from .words import EXPLAINED, STATES, TOKENS, figure, figures_of, label, number, percent, proof_figures, setting_words

_PARTS = 12  # of a certificate that are listed


def html_report(document: dict[str, Any]) -> str:
    """One HTML file; every text of the data is shown as text, whatever it holds."""
    import jinja2
    from markupsafe import Markup

    folder = files(__package__)
    loader = jinja2.FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8"))
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=loader)
    environment.filters |= {"figure": figure, "label": label, "percent": percent}
    environment.filters["histogram"] = lambda counts: Markup(histogram(counts))
    models = [_model(model, document["kind"]) for model in document.get("models", [document])]
    charts = document_charts(document)
    sliders = json.dumps([model["pages"].get("thresholds") for model in models], allow_nan=False)
    return environment.get_template("report.html").render(
        d=document,
        models=models,
        charts={name: Markup(chart) for name, chart in charts.items()},
        css=Markup(folder.joinpath("report.css").read_text(encoding="utf-8")),
        script=Markup(folder.joinpath("report.js").read_text(encoding="utf-8")),
        data_json=Markup(_inside_script(json.dumps(document, allow_nan=False))),
        sliders=Markup(_inside_script(sliders)),
        marks=STATES,
        leaderboard=_leaderboard(document),
    )


def written_report(document: dict[str, Any], shape: str) -> str:
    """The report as "html", "md" or "json"."""
    if shape == "json":
        return json.dumps(document, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
    return {"html": html_report, "md": markdown_report}[shape](document)


def _inside_script(text: str) -> str:
    """JSON that cannot end the element it stands in."""
    return text.replace("<", "\\u003c")


def _model(model: dict[str, Any], kind: str) -> dict[str, Any]:
    """What the template needs of one model."""
    from markupsafe import Markup

    charts = model_charts(model["test"], model["pages"])
    training = [(name, Markup(chart)) for name, chart in charts.pop("training", [])]
    return {
        **model,
        "figures": figures_of(model["test"], model["pages"]),
        "charts": {name: Markup(chart) for name, chart in charts.items()},
        "training": training,
        "explained": _explained(model, kind),
        "proof": _proof(model["certificate"]),
    }


def _explained(model: dict[str, Any], kind: str) -> str:
    told = model["pages"]["explanation"]
    if told["kind"] not in EXPLAINED:
        return ""
    classes = model["test"].get("classes", ())
    which = 2 if kind == "numbers" else 0 if len(classes) == 2 else 1
    words = EXPLAINED[told["kind"]][which]
    is_text = any("text" in row for row in model["pages"].get("most_wrong", []))
    second = label(classes[1]) if len(classes) == 2 else ""
    words = words.replace("{what}", "words" if is_text else "columns").replace("{second}", second)
    return f"{words} {TOKENS}" if is_text else words


def _proof(certificate: dict[str, Any] | None) -> dict[str, Any] | None:
    if certificate is None:
        return None
    claims = [(name, part["claim"]) for name, part in (certificate.get("parts") or {}).items()]
    return {
        "claim": certificate["claim"],
        "kind": certificate.get("kind"),
        "holds": certificate.get("holds"),
        "figures": proof_figures(certificate),
        "parts": claims[:_PARTS],
        "left": max(0, len(claims) - _PARTS),
    }


def _leaderboard(document: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for place, trial in enumerate(document.get("tuning", {}).get("leaderboard", [])):
        rows.append(
            {
                "place": place + 1,
                "learner": trial["learner"],
                "settings": setting_words(trial["setting"]),
                "loss": number(trial["loss"]),
                "se": number(trial["se"]),
                "rows": trial["rows"],
                "seconds": number(trial["seconds"]),
                "gap": figure(trial["gap"]),
            }
        )
    return rows
