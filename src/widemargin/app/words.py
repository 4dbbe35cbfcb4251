"""The verdict in plain words, and what the search itself gives to think about."""

from __future__ import annotations

from typing import Any

from ..study.tuning_record import Tuning, setting_text
from .checks import Check
from .judgement import Judged
from .reading import Learnable


def verdict(data: Learnable, tuning: Tuning, judged: Judged) -> tuple[str, ...]:
    """Three or four sentences: what won, how good it is, against what, and what is proved of it."""
    winner, figures = tuning.winner, judged.figures
    settings = setting_text(winner.setting)
    if tuning.members:
        first = f"An average of {len(tuning.members)} learners won ({settings}), out of {len(tuning.trials)} trials."
    else:
        first = f"{winner.learner} won{f' with {settings}' if settings else ''}, out of {len(tuning.trials)} trials."
    if data.kind == "numbers":
        r2 = figures["r2"]
        good = (
            f"On {figures['rows']} rows never looked at before, predictions of {data.target} are off by "
            f"{figures['mean_absolute_error']:.4g} on average"
            + (f" and explain {r2:.1%} of the variance." if r2 is not None else ".")
        )
        plain = (
            f"The mean of the training rows has a mean squared error of {judged.baseline:.4g}, this {judged.loss:.4g}."
        )
    else:
        low, high = figures["accuracy_interval"]
        good = (
            f"On {figures['rows']} rows never looked at before it is right {figures['accuracy']:.2%} of the time "
            f"(95 % interval {low:.2%} to {high:.2%})."
        )
        plain = f"Always giving the same answer would be right {1 - judged.baseline:.2%} of the time."
        if "cost" in figures:
            plain = f"A row costs {judged.loss:.4g} on average; the cheapest single answer {judged.baseline:.4g}."
    proof = judged.certificate
    last = (
        "Nothing is proved of this fit: the learner has no certificate."
        if proof is None
        else f"Certificate: {proof['claim']}."
    )
    return (first, good, plain, last)


def check_search(tuning: Tuning, judged: Judged, estimator: Any) -> list[Check]:
    """Is it better than guessing, has it learnt by heart, did the search end at the rim, is the proof there?"""
    found = [_guessing(judged), _honest(tuning, judged), _rim(tuning)]
    proof = judged.certificate
    if proof is not None:
        state = {True: "fine", False: "warning", None: "note"}[proof.get("holds")]
        found.append(Check("certificate", state, proof["claim"]))
    left = tuning.left_out
    if left:
        found.append(Check("learners left out", "note", "; ".join(left), "give more time to have them tried"))
    return found


def _guessing(judged: Judged) -> Check:
    if judged.loss < judged.baseline:
        return Check("better than guessing", "fine", f"loss {judged.loss:.4g} against {judged.baseline:.4g}")
    return Check(
        "better than guessing",
        "warning",
        f"loss {judged.loss:.4g} against {judged.baseline:.4g} of always giving the same answer",
        "the columns say little about the target: look for others",
    )


def _honest(tuning: Tuning, judged: Judged) -> Check:
    """The test must agree with the search to within their errors."""
    w = tuning.winner
    if judged.loss <= w.loss + 3 * max(w.se, 1e-12):
        return Check("search and test agree", "fine", f"held-out rows {w.loss:.4g}, test rows {judged.loss:.4g}")
    return Check(
        "search and test agree",
        "warning",
        f"held-out rows {w.loss:.4g} ± {w.se:.2g}, test rows {judged.loss:.4g}",
        "the search found a setting that suits its own rows: fewer trials or more rows",
    )


def _rim(tuning: Tuning) -> Check:
    curve = [t for t in tuning.curve() if "learn__C" in t.setting]
    Cs = sorted({t.setting["learn__C"] for t in curve})
    C = tuning.winner.setting.get("learn__C")
    if C is None or len(Cs) < 3 or C not in (Cs[0], Cs[-1]):
        return Check("search not at its rim", "fine", "no better setting is likely beyond those tried")
    return Check("search not at its rim", "note", f"C={C:g} is the last that was tried", "wider settings may do better")
