"""The report in Markdown: the same document in tables and sentences, without pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .words import STATES, figure, figures_of, label, number, percent, proof_figures, setting_words

_MOST = 30  # classes of a table of errors


def markdown_report(document: dict[str, Any]) -> str:
    """A few screens of Markdown; whatever the data hold is shown as text."""
    lines = [f"# {_plain(document['target'])} of {_plain(document['source'])}", ""]
    lines += [f"- {_plain(sentence)}" for sentence in document["verdict"]]
    lines += _table(
        ("check", "finding", "what to do"),
        ((f"{STATES[c['state']]} {c['name']}", c["finding"], c["advice"]) for c in document["checks"]),
    )
    several = "models" in document
    for model in document.get("models", [document]):
        if several:
            lines += ["", f"## {_plain(model['name'])}"]
        lines += _model(model)
    for pair in document.get("pairs", []):
        lines += ["", _plain(_pair(pair))]
    if "tuning" in document:
        lines += _leaderboard(document["tuning"])
    for kind in ("python", "again"):
        if kind in document:
            lines += ["", *_fenced(document[kind], "python" if kind == "python" else "sh")]
    return "\n".join([*lines, ""])


def _model(model: dict[str, Any]) -> list[str]:
    test, pages, proof = model["test"], model["pages"], model["certificate"]
    lines = _table(("figure", "value"), figures_of(test, pages))
    if "confusion" in test and len(test["classes"]) <= _MOST:
        names = [label(c) for c in test["classes"]]
        lines += _table(
            ("true class", *names),
            ((name, *map(str, row)) for name, row in zip(names, test["confusion"], strict=True)),
        )
    if pages["explanation"]["features"]:
        told = pages["explanation"]
        if "member" in told:
            of = told["member"]
            lines += ["", _plain(f"Of the member {of['name']}, which has {percent(of['weight'])} of the weight:")]
        lines += _table((told["kind"], "value"), ((name, number(value)) for name, value in told["features"]))
    if proof is not None:
        lines += ["", _plain(f"Certificate: {proof['claim']}.")]
        lines += _table(("certificate", "value"), proof_figures(proof))
    return lines


def _leaderboard(tuning: dict[str, Any]) -> list[str]:
    rows = (
        (trial["learner"], setting_words(trial["setting"]), number(trial["loss"]), number(trial["se"]))
        for trial in tuning["leaderboard"]
    )
    return _table(("learner", "settings", tuning["measure"], "±"), rows)


def _pair(pair: dict[str, Any]) -> str:
    low, high = pair["interval"]
    return (
        f"{pair['first']} does better on {figure(pair['first_better'])} rows, {pair['second']} on "
        f"{figure(pair['second_better'])} (chance {percent(pair['chance'])}); mean loss of {pair['second']} less that "
        f"of {pair['first']}: {number(pair['difference'])}, 95 % interval {number(low)} to {number(high)}"
    )


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    cells = [list(head), *map(list, rows)]
    lines = ["| " + " | ".join(map(_plain, row)) + " |" for row in cells]
    return ["", lines[0], "|" + "---|" * len(cells[0]), *lines[1:]]


def _fenced(text: str, language: str) -> list[str]:
    """A block that the text itself cannot end."""
    fence = "`" * 3
    while fence in text:
        fence += "`"
    return [f"{fence}{language}", text.rstrip(), fence]


def _plain(text: Any) -> str:
    """Text that Markdown leaves as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>|#$&~!" else " " if c in "\r\n" else c for c in str(text))
