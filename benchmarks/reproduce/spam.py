"""How good is SpamFilter, against the best pipeline of scikit-learn that can be tuned in the same time?

SMS spam, SpamAssassin and Ling-spam of WIDEMARGIN_DATA; five folds (Ling-spam: its ten published parts, two at a time;
SpamAssassin: the first collection of each kind to learn from, the second to test).
SpamFilter has its default settings on all of them and is not tuned. scikit-learn's pipelines (words or letters, counts,
presence or tf-idf; LinearSVC, LogisticRegression, naive Bayes) are compared by three folds of the training mails, in
the order below, until they have used as much CPU time as the fit of SpamFilter, and in a second figure at least
--seconds for each fold; at least one is always tried. They are given the texts that `parse_mail` made, for nothing.

    spam.py [--seconds 10] [sms_spam] [lingspam] [spamassassin]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import widemargin as wm
from widemargin.data import parse_mail

RESULTS = Path(__file__).parents[1] / "results" / "spam.json"
SETS = ("sms_spam", "lingspam", "spamassassin")


def candidates() -> dict[str, Any]:
    """What somebody who knows text would try, the most promising first."""
    pair = {"ngram_range": (1, 2), "sublinear_tf": True}
    letters = {"analyzer": "char_wb", "ngram_range": (2, 5), "min_df": 2, "sublinear_tf": True}
    made: dict[str, Any] = {}
    for C in (1, 10):
        made[f"tf-idf, 1-2 words, LinearSVC {C}"] = make_pipeline(TfidfVectorizer(**pair), LinearSVC(C=C))
    for C in (1, 10):
        made[f"tf-idf, 2-5 letters, LinearSVC {C}"] = make_pipeline(TfidfVectorizer(**letters), LinearSVC(C=C))
    made["presence, 1-2 words, LinearSVC 0.1"] = make_pipeline(
        CountVectorizer(binary=True, ngram_range=(1, 2)), LinearSVC(C=0.1)
    )
    for alpha in (0.1, 0.01, 1.0):
        made[f"counts, words, MultinomialNB {alpha}"] = make_pipeline(CountVectorizer(), MultinomialNB(alpha=alpha))
    made["tf-idf, 1-2 words, ComplementNB 0.1"] = make_pipeline(TfidfVectorizer(**pair), ComplementNB(alpha=0.1))
    for C in (10, 100):
        made[f"tf-idf, words, LogisticRegression {C}"] = make_pipeline(
            TfidfVectorizer(sublinear_tf=True), LogisticRegression(C=C, max_iter=1000)
        )
    made["tf-idf, 1-2 words, LinearSVC 100"] = make_pipeline(TfidfVectorizer(**pair), LinearSVC(C=100))
    made["tf-idf, 2-5 letters, LinearSVC 100"] = make_pipeline(TfidfVectorizer(**letters), LinearSVC(C=100))
    return made


def tuned(texts: np.ndarray, y: np.ndarray, budgets: list[float]) -> list[tuple[str, Any]]:
    """For each budget of CPU seconds, the name of the best candidate so far."""
    began, best, score, found = time.process_time(), "", -1.0, []
    budgets = sorted(budgets)
    for name, pipe in candidates().items():
        while best and budgets and time.process_time() - began > budgets[0]:
            found.append(best)
            budgets.pop(0)
        if not budgets:
            break
        right = 0
        for learn, check in StratifiedKFold(3, shuffle=True, random_state=1).split(texts, y):
            right += int((clone(pipe).fit(texts[learn], y[learn]).predict(texts[check]) == y[check]).sum())
        if right > score:
            best, score = name, right
    found += [best] * len(budgets)
    return [(name, candidates()[name]) for name in found]


def read(name: str) -> tuple[list[Any], np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Mails, whether they are spam, and folds."""
    import load

    if name == "lingspam":
        mails, y, part = load.lingspam()
        order = np.arange(len(y))
        folds = [(order[(part - 1) // 2 != k], order[(part - 1) // 2 == k]) for k in range(5)]
        return [mail.encode("latin-1") for mail in mails], y == 1, folds
    if name == "spamassassin":
        found = list(load._members("spamassassin", "spamassassin.tar.xz"))
        first = np.array([place.split("/")[0].endswith("-1") for place, _ in found])
        spam = np.array([place.startswith("spam") for place, _ in found])
        return [mail for _, mail in found], spam, [(np.flatnonzero(first), np.flatnonzero(~first))]
    mails, y = load.load(name)
    y = np.asarray(y) == ("spam" if np.asarray(y).dtype.kind == "U" else 1)
    return list(mails), y, list(StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(y)), y))


def figures(called: np.ndarray, y: np.ndarray) -> dict[str, float]:
    return {
        "errors": int((called != y).sum()),
        "accuracy": float((called == y).mean()),
        "false_alarms": int((called & ~y).sum()),
        "false_alarm_rate": float(called[~y].mean()),
        "spam_missed": int((~called & y).sum()),
    }


def study(name: str, more: float) -> dict[str, Any]:
    mails, y, folds = read(name)
    read_mails = [parse_mail(mail) for mail in mails]
    texts = np.array([f"{mail.subject}\n{mail.body}" for mail in read_mails], dtype=object)
    called = {who: np.zeros(len(y), bool) for who in ("SpamFilter", "same time", "more time")}
    seconds, chosen = [], []
    for learn, test in folds:
        began = time.process_time()
        ours = wm.SpamFilter().fit([mails[i] for i in learn], y[learn])
        seconds.append(time.process_time() - began)
        called["SpamFilter"][test] = ours.predict([mails[i] for i in test])
        picks = tuned(texts[learn], y[learn], [seconds[-1], max(more, seconds[-1])])
        chosen.append([pick for pick, _ in picks])
        for who, (_, pipe) in zip(("same time", "more time"), picks, strict=True):
            called[who][test] = pipe.fit(texts[learn], y[learn]).predict(texts[test])
        print(f"  {name}: fit {seconds[-1]:.1f} s; {chosen[-1]}", flush=True)
    tested = np.concatenate([test for _, test in folds])
    result = {who: figures(said[tested], y[tested]) for who, said in called.items()}
    for who, found in result.items():
        print(f"{name:13} {who:20} errors {found['errors']:4} accuracy {found['accuracy']:.4f}   "
              f"false alarms {found['false_alarms']:3} ({found['false_alarm_rate']:.4f})", flush=True)  # fmt: skip
    told = {"mails": len(y), "spam": int(y.sum()), "tested": len(tested), "more_seconds": more}
    return {**told, "fit_seconds": seconds, "chosen": chosen, "results": result}


def main(wanted: list[str], seconds: float) -> int:
    if "WIDEMARGIN_DATA" not in os.environ:
        print("WIDEMARGIN_DATA is not set: there are no mails")
        return 0
    sys.path.insert(0, os.environ["WIDEMARGIN_DATA"])
    warnings.simplefilter("ignore")
    for name in wanted or SETS:
        made = study(name, seconds)
        table = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        table[name] = made
        RESULTS.write_text(json.dumps(table, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", metavar="set", help=", ".join(SETS))
    parser.add_argument("--seconds", type=float, default=10.0)
    said = parser.parse_args()
    sys.exit(main(said.sets, said.seconds))
