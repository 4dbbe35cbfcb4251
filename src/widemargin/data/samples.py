"""Two small real data sets that travel with the package; sources and licences in bundled/LICENSES.md.

Iris is Fisher's own table (1936), as in R and scikit-learn. The widespread UCI copy differs from it in two flowers:
the 35th (petal width 0.1 instead of 0.2) and the 38th (sepal width 3.1 and petal length 1.5 instead of 3.6 and 1.4).
"""

from __future__ import annotations

import csv
import lzma
from importlib.resources import files
from typing import Any

import numpy as np

IRIS_FEATURES = ("sepal length", "sepal width", "petal length", "petal width")
# Words, and the signs that betray an advertisement.
_TOKEN = r"(?u)\w\w+|[$£!]"


def load_iris_tenths() -> tuple[np.ndarray, np.ndarray]:
    """Iris in whole tenths of a centimetre, the precision of the measurements, so that sums are exact.

    Returns
    -------
    X : ndarray of shape (150, 4), float64 holding whole numbers
        Sepal length, sepal width, petal length, petal width (`IRIS_FEATURES`).
    y : ndarray of 150 str
        "setosa", "versicolor", "virginica", 50 each, in this order.
    """
    text = (files("widemargin.data") / "bundled" / "iris.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(text.splitlines()))[1:]
    return np.array([row[:4] for row in rows], dtype=np.float64), np.array([row[4] for row in rows])


def load_iris() -> tuple[np.ndarray, np.ndarray]:
    """Iris in centimetres; otherwise as `load_iris_tenths`."""
    tenths, species = load_iris_tenths()
    return tenths / 10.0, species


def load_sms_spam() -> tuple[list[str], np.ndarray]:
    """The SMS Spam Collection: 5574 messages in English, 747 of them spam.

    Returns
    -------
    texts : list of str
    labels : ndarray of str
        "ham" or "spam".
    """
    text = lzma.decompress((files("widemargin.data") / "bundled" / "sms_spam.tsv.xz").read_bytes()).decode("utf-8")
    pairs = [line.split("\t", 1) for line in text.split("\n") if line]
    return [message for _, message in pairs], np.array([label for label, _ in pairs])


def sms_features(min_messages: int = 2) -> tuple[Any, np.ndarray, np.ndarray]:
    """The SMS Spam Collection as a bag of words: how often each word occurs in each message.

    Parameters
    ----------
    min_messages : int
        Words that occur in fewer messages are left out.

    Returns
    -------
    X : CSR matrix of float64, one row a message
    y : ndarray of str
        "ham" or "spam".
    words : ndarray of str
        The word of each column, in lower case; the signs $, £ and ! count as words.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    texts, labels = load_sms_spam()
    counter = CountVectorizer(token_pattern=_TOKEN, min_df=min_messages, dtype=np.float64)
    return counter.fit_transform(texts), labels, counter.get_feature_names_out().astype(str)
