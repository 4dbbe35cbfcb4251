"""From raw mails to a verdict with its words: learning from both kinds or one, corrections, files, proofs."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from widemargin import SpamFilter, certify
from widemargin.data import load_sms_spam
from widemargin.errors import BadInput, DataMismatch, WrongType
from widemargin.store import load, save

TEXTS, LABELS = load_sms_spam()
FIRST = SpamFilter(columns=1 << 14).fit(TEXTS[:600], LABELS[:600])
SPAM = "WINNER!! You have won a FREE prize, call 09061701461 now"


def learnt():
    return pickle.loads(pickle.dumps(FIRST))


def test_spam_is_told_from_ham():
    model = SpamFilter().fit(TEXTS[:3000], LABELS[:3000])
    called, truth = model.predict(TEXTS[3000:]), LABELS[3000:]
    assert (called == truth).mean() > 0.98
    assert (called[truth == "ham"] == "spam").mean() < 0.003
    assert model.score(TEXTS[3000:], truth) == (called == truth).mean()


def test_headers_html_and_charsets_do_not_hide_spam():
    html = "<html><p>WIN<b></b>NER!! You have won a FR<!-- x -->EE prize,</p> call 09061701461 now</html>"
    raw = f"From: a@b.c\nSubject: prize\nContent-Type: text/html; charset=utf-8\n\n{html}".encode()
    model = learnt()
    assert model.predict([SPAM, raw, raw.decode()]).tolist() == ["spam"] * 3
    assert model.predict(["see you at home tonight"]).tolist() == ["ham"]


@pytest.mark.parametrize("kind", ["spam", "ham"])
def test_one_kind_alone_is_learnt(kind):
    mails = [text for text, label in zip(TEXTS[:2000], LABELS, strict=False) if label == kind]
    model = SpamFilter(nu=0.2, columns=1 << 14).fit(mails, [kind] * len(mails))
    assert model.classes_.tolist() == ["ham", "spam"]
    outside = (model.predict(mails) != kind).mean()
    assert outside <= 0.2 + 1e-9  # nu bounds the share outside
    assert certify(model, mails, [kind] * len(mails)).holds
    if kind == "spam":
        called, truth = model.predict(TEXTS[2000:3000]), LABELS[2000:3000]
        assert (called[truth == "spam"] == "spam").mean() > 0.6
        assert (called[truth == "ham"] == "spam").mean() < 0.1


def test_the_shares_of_words_add_up_to_the_score():
    model = learnt()
    for mail in [SPAM, *TEXTS[600:640], b"Subject: FREE\nContent-Type: text/html\n\n<b>prize</b>!", ""]:
        told = model.explain(mail, top=5)
        assert sum(share for _, share in told.words) + told.others + told.bias == pytest.approx(told.score, abs=1e-12)
        assert told.score == model.decision_function([mail])[0]
        assert told.label == model.predict([mail])[0]
        assert len(told.words) <= 5
    words = dict(model.explain(SPAM, top=50).words)
    assert words["call"] > 0
    assert words["free"] > 0
    assert model.explain(SPAM).to_dict()["label"] == "spam"


@pytest.mark.theorem("CrammerEtAl06")
@given(st.lists(st.tuples(st.text(max_size=40), st.booleans()), min_size=1, max_size=4), st.booleans())
def test_a_corrected_mail_lies_on_its_side_with_margin_one(mails, fresh):
    """After w += t y x with t = (1 - y s)+ / |x|^2, the mail's y s is at least 1."""
    model = SpamFilter(columns=1 << 10) if fresh else learnt()
    for text, spam in mails:
        model.partial_fit([text], ["spam" if spam else "ham"])
        assert (1 if spam else -1) * model.decision_function([text])[0] >= 1 - 1e-9
        assert model.predict([text])[0] == ("spam" if spam else "ham")
    assert model.n_corrections_ == len(mails)


def test_corrections_learn_words_that_were_never_seen():
    model = learnt()
    mail = "Quorxy blimfant zzyzx!"
    assert model.predict([mail])[0] == "ham"
    before = model.decision_function(TEXTS[600:1200])
    assert model.partial_fit([mail], ["spam"]).predict([mail])[0] == "spam"
    assert model.predict(["blimfant quorxy"])[0] == "spam"
    assert (np.sign(before) == np.sign(model.decision_function(TEXTS[600:1200]))).mean() > 0.97
    assert model.n_changes_ == 1
    assert model.certificate_.holds is None
    with pytest.raises(DataMismatch, match="1 corrections came after"):
        certify(model, TEXTS[:600], LABELS[:600])
    model.partial_fit([mail], ["spam"])
    assert model.n_changes_ == 1  # it lay right already


def test_the_certificate_is_recomputed_and_other_mails_are_refused():
    assert certify(FIRST, TEXTS[:600], LABELS[:600]).holds
    with pytest.raises(DataMismatch):
        certify(FIRST, TEXTS[1:601], LABELS[:600])


def test_weights_repeat_mails():
    twice = SpamFilter(columns=1 << 10).fit([*TEXTS[:80], *TEXTS[:20]], [*LABELS[:80], *LABELS[:20]])
    weight = np.where(np.arange(80) < 20, 2.0, 1.0)
    once = SpamFilter(columns=1 << 10).fit(TEXTS[:80], LABELS[:80], weight)
    np.testing.assert_allclose(once.decision_function(TEXTS[:99]), twice.decision_function(TEXTS[:99]), atol=2e-2)


@pytest.mark.parametrize("labels", [("ham", "spam"), (0, 1), (-1, 1), (False, True)], ids=str)
def test_labels_keep_their_kind(labels):
    y = [labels[int(label == "spam")] for label in LABELS[:200]]
    model = SpamFilter(columns=1 << 12).fit(TEXTS[:200], y)
    assert model.classes_.tolist() == list(labels)
    assert model.predict([SPAM])[0] == labels[1]


def test_a_filter_comes_back_from_a_file_as_it_was(tmp_path):
    one_class = SpamFilter(columns=1 << 10, letters=None, headers=("from",)).fit(TEXTS[:50], ["ham"] * 50)
    for model in (
        FIRST,
        learnt().partial_fit([SPAM], ["ham"]),
        one_class,
        SpamFilter(letters=None).partial_fit(["a b"], [1]),
    ):
        save(model, tmp_path / "filter.wm")
        again = load(tmp_path / "filter.wm")
        assert (again.decision_function(TEXTS[:99]) == model.decision_function(TEXTS[:99])).all()
        assert again.certificate_.claim == model.certificate_.claim
        assert again.get_params() == model.get_params()
    save(SpamFilter(), tmp_path / "filter.wm")
    with pytest.raises(NotFittedError):
        load(tmp_path / "filter.wm").predict(["x"])
    save(FIRST, tmp_path / "filter.wm")
    assert certify(load(tmp_path / "filter.wm"), TEXTS[:600], LABELS[:600]).holds


def test_threads_do_not_show_and_clones_agree():
    many = clone(SpamFilter(columns=1 << 12)).set_params(n_jobs=3).fit(TEXTS[:200], LABELS[:200])
    one = SpamFilter(columns=1 << 12).fit(TEXTS[:200], LABELS[:200])
    assert (one.weights_ == many.weights_).all()
    assert "_lookup" not in vars(learnt())  # what is only kept to be quick does not travel


def test_hostile_mails_get_a_verdict():
    from tests.data.test_mail import HOSTILE

    assert set(learnt().predict(list(HOSTILE.values())).tolist()) <= {"ham", "spam"}


def test_the_threshold_moves_the_verdict():
    model = learnt()
    score = model.decision_function([SPAM])[0]
    assert model.set_params(threshold=float(score)).predict([SPAM])[0] == "ham"
    assert model.set_params(threshold=float(score) - 1e-9).predict([SPAM])[0] == "spam"
    assert model.set_params(threshold=100.0).partial_fit([SPAM], ["spam"]).predict([SPAM])[0] == "spam"


@pytest.mark.parametrize(
    ("mails", "labels", "words"),
    [
        (["a b", "c d"], ["good", "bad"], "say which of them is spam"),
        (["a b"], None, "y is missing"),
        (["a b", "c d"], ["spam"], "2 mails and labels of shape"),
        ([], [], "no mails"),
        (["", "."], ["spam", "ham"], "nothing to learn from"),
        ("one mail", ["spam"], "put it into brackets"),
        (["a b", "c d"], [0, "spam"], "say which|labels"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_cannot_be_learnt_from_is_told(mails, labels, words):
    model = SpamFilter(letters=None)
    with pytest.raises(BadInput, match=words):
        model.fit(mails, labels)
    assert not hasattr(model, "classes_")


def test_wrong_choices_are_told():
    for params, words in (
        ({"words": (2, 1)}, "words"),
        ({"letters": (1, 99)}, "letters"),
        ({"C": 0}, "C"),
        ({"nu": 2}, "nu"),
    ):
        with pytest.raises(ValueError, match=words):
            SpamFilter(**params).fit(["a b", "c d"], [0, 1])
    with pytest.raises(WrongType):
        learnt().predict([5])
    with pytest.raises(BadInput, match="fitted with"):
        learnt().partial_fit(["a b"], [1])
    assert learnt().predict([]).shape == (0,)
