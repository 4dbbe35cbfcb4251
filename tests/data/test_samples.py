"""The data sets that travel with the package."""

from importlib.resources import files

import numpy as np
import sklearn.datasets

from widemargin.data import load_iris, load_iris_tenths, load_sms_spam, read_table, sms_features


def test_iris_is_fishers_table_in_whole_tenths():
    tenths, species = load_iris_tenths()
    assert tenths.shape == (150, 4)
    np.testing.assert_array_equal(tenths, np.rint(tenths))
    # The two flowers in which the UCI copy departs from the paper.
    assert tenths[34].tolist() == [49, 31, 15, 2]
    assert tenths[37].tolist() == [49, 36, 14, 1]
    assert np.unique(species, return_counts=True)[1].tolist() == [50, 50, 50]


def test_iris_in_centimetres_equals_scikit_learns():
    X, y = load_iris()
    theirs = sklearn.datasets.load_iris()
    np.testing.assert_array_equal(X, theirs.data)
    np.testing.assert_array_equal(y, theirs.target_names[theirs.target])


def test_bundled_iris_is_a_table_like_any_other():
    table = read_table(files("widemargin.data") / "bundled" / "iris.csv", "species")
    np.testing.assert_array_equal(table.X, load_iris_tenths()[0])


def test_sms_spam_has_its_published_counts():
    texts, labels = load_sms_spam()
    assert len(texts) == len(labels) == 5574
    assert int(np.sum(labels == "spam")) == 747
    assert int(np.sum(labels == "ham")) == 4827
    assert texts[0].startswith("Go until jurong point")


def test_sms_features_count_words():
    X, _, words = sms_features()
    assert X.shape == (5574, len(words))
    assert X.format == "csr"
    free = int(np.flatnonzero(words == "free")[0])
    texts, _ = load_sms_spam()
    assert X[:, [free]].toarray().ravel()[2] == texts[2].lower().split().count("free") == 1
    assert {"$", "£", "!"} <= set(words.tolist())
    assert X.getnnz(axis=0).min() >= 2


def test_licences_name_the_creators():
    text = (files("widemargin.data") / "bundled" / "LICENSES.md").read_text(encoding="utf-8")
    for words in ("Almeida", "Gómez Hidalgo", "Yamakami", "Fisher", "CC BY 4.0"):
        assert words in text
