"""Boosting of text: rules against a slow oracle, the bound, labels of every kind, what a round touches."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.oracle import boosting as oracle

import widemargin as wm
from widemargin.base.errors import BadInput
from widemargin.solver.weak import Sample
from widemargin.solver.words import WordBooster, WordSolver, label_signs

TEXTS = [
    "buy cheap pills now",
    "meeting at noon",
    "cheap offer, buy today",
    "lunch meeting tomorrow",
    "win cash now",
    "project notes attached",
] * 4
NAMES = np.array(["spam", "ham", "spam", "ham", "spam", "notes"] * 4)
SEVERAL = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1], [0, 0, 1]] * 4)


@st.composite
def tables(draw):
    """Few documents of few terms; two classes, three, or three labels each."""
    n, d, kind = draw(st.integers(4, 12)), draw(st.integers(1, 5)), draw(st.sampled_from(["two", "three", "several"]))
    X = np.array(draw(st.lists(st.lists(st.integers(0, 2), min_size=d, max_size=d), min_size=n, max_size=n)), float)
    if kind == "several":
        y = np.array(draw(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=n, max_size=n)))
        assume(set(np.unique(y)) == {0, 1})
        return X, y
    k = 2 if kind == "two" else 3
    y = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    assume(len(set(y.tolist())) == k)
    return X, y


def signs_of(model, y):
    if y.ndim == 2:
        return np.where(y, 1.0, -1.0)
    codes = np.searchsorted(model.classes_, y)
    if len(model.classes_) == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(len(model.classes_)), 1.0, -1.0)


@given(tables(), st.booleans())
def test_every_rule_has_the_least_z_of_all_terms(table, abstain):
    """Z and votes of each round from all weights, computed anew."""
    X, y = table
    model = wm.TextBooster(6, abstain=abstain).fit(X, y)
    signs = signs_of(model, y)
    F = np.zeros(signs.shape)
    eta = 0.5 / signs.size
    for t in range(model.n_rounds_):
        w = np.exp(-signs * F)
        w /= w.sum()
        z = oracle.word_z(X > 0, signs, w, abstain)
        column = model.stumps_.column[t]
        assert z[column] <= min(z) + 1e-12
        votes = oracle.word_votes(X[:, column] > 0, signs, w, eta, abstain)
        np.testing.assert_allclose(model.stumps_.values[t, :2], votes, rtol=1e-9, atol=1e-12)
        F += model.stumps_.values[t][(X[:, column] > 0).astype(int)]
    np.testing.assert_allclose(model._sum(X), F, atol=1e-9)


@pytest.mark.theorem("SchapireSinger99")
@given(tables(), st.integers(1, 12))
def test_the_error_of_labels_is_at_most_the_product_of_z(table, rounds):
    """mean over documents and labels of [y F <= 0] <= mean exp(-y F) = prod Z_t."""
    X, y = table
    model = wm.TextBooster(rounds).fit(X, y)
    signs = signs_of(model, y)
    solver = WordSolver(
        WordBooster(),
        Sample(sp.csr_array(X), y if y.ndim == 2 else np.searchsorted(model.classes_, y), None, len(model.classes_)),
        rate=1.0,
        smoothing=None,
        abstain=False,
        threads=1,
    )
    state = solver.start()
    solver.advance(state, rounds, rounds)
    F = model._sum(X)
    loss = float(np.exp(-signs * F).mean())
    assert (signs * F <= 0).mean() <= loss * (1 + 1e-9)
    assert loss == pytest.approx(math.prod(solver.z), rel=1e-9)
    assert all(z < 1 for z in solver.z)
    assert wm.certify(model, X, y).holds
    assert model.certificate_.training_error <= model.certificate_.loss_bound * (1 + 1e-9)


def test_a_round_touches_only_documents_that_hold_its_term():
    rng = np.random.default_rng(0)
    X = sp.random(400, 60, 0.05, format="csr", random_state=rng)
    y = (np.asarray(X[:, [0, 1, 2]].sum(axis=1)).ravel() > 0).astype(int)
    y = np.where(rng.random(400) < 0.2, 1 - y, y)  # separable documents soon weigh so little that all are weighed anew
    sample = Sample(sp.csr_array(X), y, None, 2)
    solver = WordSolver(WordBooster(), sample, rate=1.0, smoothing=None, abstain=False, threads=1)
    state = solver.start()
    solver.advance(state, 20, 20)
    holders = np.bincount(X.indices, minlength=60)
    assert state.rounds > 3
    assert solver.touched == holders[state.stumps().column].sum() < 400 * state.rounds / 4


@pytest.mark.parametrize("y", [NAMES == "spam", NAMES, SEVERAL], ids=["two", "three", "several"])
def test_texts_and_their_counts_give_the_same_rules(y):
    texts = wm.TextBooster(8).fit(TEXTS, y)
    counts = wm.BagOfWords().fit_transform(TEXTS)
    table = wm.TextBooster(8).fit(counts, y)
    assert texts.stumps_.values.tobytes() == table.stumps_.values.tobytes()
    assert (texts.predict(TEXTS) == table.predict(counts)).all()
    assert (texts.predict(TEXTS) == y).all()
    assert texts.predict_proba(TEXTS).shape == (len(TEXTS), 2 if np.ndim(y) == 1 and len(set(y)) == 2 else 3)
    terms = [texts.terms()[c] for c in texts.stumps_.column]
    assert len(texts.rules()) == len(terms) > 2
    assert all(f"where {term!r} stands" in rule for term, rule in zip(terms, texts.rules(), strict=True))
    with pytest.raises(BadInput, match="table"):
        texts.predict(counts)
    with pytest.raises(BadInput, match="texts"):
        table.predict(TEXTS)


def test_two_words_can_be_a_rule():
    texts = ["not good", "good", "not bad", "bad"] * 6
    y = [0, 1, 1, 0] * 6
    single = wm.TextBooster(10).fit(texts, y)
    double = wm.TextBooster(10, words=wm.BagOfWords(ngram_range=(1, 2))).fit(texts, y)
    assert single.score(texts, y) < 1
    assert double.score(texts, y) == 1
    assert any("not good" in rule or "not bad" in rule for rule in double.rules())


@given(tables(), st.lists(st.integers(1, 3), min_size=12, max_size=12))
def test_a_weight_of_two_is_a_document_that_stands_there_twice(table, weights):
    X, y = table
    u = np.array(weights[: len(X)])
    weighted = wm.TextBooster(6).fit(X, y, sample_weight=u)
    repeated = wm.TextBooster(6).fit(np.repeat(X, u, axis=0), np.repeat(y, u, axis=0))
    assert weighted.stumps_.column.tolist() == repeated.stumps_.column.tolist()
    assert weighted.stumps_.values.tobytes() == repeated.stumps_.values.tobytes()


@pytest.mark.parametrize("y", [NAMES == "spam", NAMES, SEVERAL], ids=["two", "three", "several"])
def test_threads_steps_and_warm_starts_change_no_bit(y):
    whole = wm.TextBooster(20).fit(TEXTS, y)
    looked = wm.TextBooster(20, n_jobs=2, observe=lambda *look: None, max_time=1e9).fit(TEXTS, y)
    parts = wm.TextBooster(7, warm_start=True).fit(TEXTS, y).set_params(n_estimators=20).fit(TEXTS, y)
    for other in (looked, parts):
        assert whole.stumps_.values.tobytes() == other.stumps_.values.tobytes()
        assert whole.stumps_.column.tobytes() == other.stumps_.column.tobytes()


def test_very_many_rounds_stay_in_range():
    """Votes without end on separable documents: numbers are made anew before they leave their range."""
    rng = np.random.default_rng(1)
    X = (rng.random((60, 8)) < 0.4).astype(float)
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 1).astype(int)
    model = wm.TextBooster(3000, smoothing=1e-12).fit(X, y)
    assert np.isfinite(model.stumps_.values).all()
    assert wm.certify(model, X, y).holds
    signs = np.where(y == 1, 1.0, -1.0)
    F = np.zeros(60)
    for t in range(model.n_rounds_):
        if t % 500 == 0:
            w = np.exp(-signs * F - (-signs * F).max())[:, None]
            z = oracle.word_z(X > 0, signs[:, None], w / w.sum(), False)
            assert z[model.stumps_.column[t]] <= min(z) + 1e-9
        F += model.stumps_.values[t, :, 0][(X[:, model.stumps_.column[t]] > 0).astype(int)]


def test_early_stopping_and_stages():
    rng = np.random.default_rng(2)
    X = (rng.random((300, 30)) < 0.2).astype(float)
    y = np.where(rng.random(300) < 0.2, rng.integers(0, 2, 300), X[:, 3].astype(int))
    model = wm.TextBooster(200, early_stopping=True, validation_fraction=0.3).fit(X, y)
    assert model.n_rounds_ < 200
    assert "held out" in model.stop_reason_
    several = wm.TextBooster(200, early_stopping=True).fit(X, np.column_stack([y, 1 - y, X[:, 4]]).astype(int))
    assert several.n_rounds_ < 200
    for one in (model, several):
        *_, last = one.staged_predict(X)
        assert (last == one.predict(X)).all()
    assert model.feature_importances_.argmax() == 3


def test_what_cannot_be_read_is_told():
    with pytest.raises(BadInput, match="list of documents"):
        wm.TextBooster().fit("one text", [1])
    with pytest.raises(BadInput, match="class_weight"):
        wm.TextBooster(class_weight="balanced").fit(TEXTS, SEVERAL)
    with pytest.raises(BadInput, match="only one class"):
        wm.TextBooster().fit(TEXTS, ["a"] * len(TEXTS))


def test_signs_of_labels():
    two = label_signs(Sample(None, np.array([0, 1]), None, 2))
    assert two.tolist() == [[-1], [1]]
    assert label_signs(Sample(None, np.array([2, 0]), None, 3)).tolist() == [[-1, -1, 1], [1, -1, -1]]
    assert label_signs(Sample(None, np.array([[1, 0]]), None, 2)).tolist() == [[1, -1]]
