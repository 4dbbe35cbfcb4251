"""The problems of the race: made ones by a seed, real ones from WIDEMARGIN_DATA."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

Data = tuple[Any, np.ndarray]


def text(n: int = 200_000, d: int = 100_000, per_row: int = 60) -> Data:
    """Rows of 60 words by Zipf's law, tf-idf, length 1; labels by a random direction, 5 % of them turned over."""
    rng = np.random.default_rng(0)
    p = 1 / np.arange(1, d + 1) ** 1.05
    words = np.minimum(np.searchsorted(np.cumsum(p / p.sum()), rng.random((n, per_row))), d - 1).astype(np.int32)
    X = sp.csr_matrix((np.ones(n * per_row, np.float32), (np.repeat(np.arange(n), per_row), words.ravel())), (n, d))
    X.data = 1 + np.log(X.data)
    X.data *= np.log(n / np.maximum(np.bincount(X.indices, minlength=d), 1)).astype(np.float32)[X.indices]
    length = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
    X.data /= np.repeat(length, np.diff(X.indptr)).astype(np.float32)
    score = X @ rng.standard_normal(d)
    return X, signs(score > np.median(score), rng, 0.05)


def dense(n: int = 500_000, d: int = 50) -> Data:
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n, d, n_informative=25, n_redundant=10, n_clusters_per_class=8, flip_y=0.0, random_state=0
    )
    return (X - X.mean(axis=0)) / X.std(axis=0), signs(y > 0, np.random.default_rng(0), 0.1)


def signs(positive: np.ndarray, rng: np.random.Generator, noise: float) -> np.ndarray:
    y = np.where(positive, 1.0, -1.0)
    y[rng.random(len(y)) < noise] *= -1
    return y


def _loader() -> Any:
    sys.path.insert(0, os.environ["WIDEMARGIN_DATA"])
    import load

    return load.load


def real(name: str) -> Data:
    load = _loader()
    try:
        X, y = load(name, "train")
    except ValueError:
        X, y = load(name)
    classes = np.unique(y)
    return X, np.where(y == classes[-1], 1.0, -1.0) if len(classes) == 2 else y


def tokens(document: str) -> list[str]:
    return re.findall(r"[a-z]{2,}", document.lower())


def news20() -> Data:
    from sklearn.feature_extraction.text import TfidfVectorizer

    posts, y = _loader()("news20", "train")
    y = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.float64)  # liblinear takes numbers
    return TfidfVectorizer(analyzer=tokens, sublinear_tf=True).fit_transform(posts), y


def reuters() -> Data:
    """The topic "earn" against all others."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    posts, topics = _loader()("reuters21578", "train")
    y = np.array([1.0 if "earn" in t else -1.0 for t in topics])
    return TfidfVectorizer(analyzer=tokens, sublinear_tf=True).fit_transform(posts), y


MADE: dict[str, Callable[[], Data]] = {"text": text, "dense": dense}
REAL: dict[str, Callable[[], Data]] = {
    **{name: lambda name=name: real(name) for name in ("a9a", "w8a", "ijcnn1", "sector")},
    "news20": news20,
    "reuters": reuters,
}
SMALL = ("spambase", "svmguide1", "svmguide3", "splice_libsvm", "mushrooms", "banknote", "liver", "higgs_7k", "musk1",
         "a9a", "w8a", "ijcnn1")  # fmt: skip


def kept(name: str) -> Data:
    """Made once: later processes read it."""
    folder = Path(os.environ.get("WIDEMARGIN_KEPT", Path(__file__).parents[2] / "out" / "linear_race"))
    folder.mkdir(parents=True, exist_ok=True)
    rows, labels = folder / f"{name}.npz", folder / f"{name}_y.npy"
    if not labels.exists():
        X, y = {**MADE, **REAL}[name]()
        sp.save_npz(rows, sp.csr_matrix(X)) if sp.issparse(X) else np.savez(rows, dense=X)
        np.save(labels, y)
    with np.load(rows) as file:
        X = file.get("dense")
    return sp.load_npz(rows) if X is None else X, np.load(labels)
