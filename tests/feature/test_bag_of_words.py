"""Text as sparse rows: the same terms and figures as scikit-learn's, whatever the letters."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from widemargin import BagOfWords, _core
from widemargin.errors import BadInput, CannotStore
from widemargin.feature.letters import letter_table
from widemargin.store import load, save

MAILS = [
    "WINNER!! Claim £1,000.50 at http://www.Foo.com/bar, don't wait",
    "see you at the meeting on 12:30, bring 5 copies",
    "The meeting is off. The meeting is on again!",
    "",
]
# Letters that behave oddly: capitals of another length, final sigma, dotted I, marks, digits of other scripts, spaces.
ODD = (
    "aAbB_09 .\t\n\u00a0\u1680\u2028\u0130\u0131\u03a3\u03c3\u03c2\u023a\u212a\u00df\u1e9e\u0301\u0660\u2167\u3042"
    "\U0001d400\U0001f600\ud800"
)
texts = st.text(st.one_of(st.sampled_from(ODD), st.characters()), max_size=60)


def same(a, b):
    a, b = sp.csr_array(a), sp.csr_array(b)
    return a.shape == b.shape and a.dtype == b.dtype and (a != b).nnz == 0


def agree(documents, **params):
    """Vocabulary, rows, and rows of a second reading are scikit-learn's, or both refuse."""
    theirs, ours = CountVectorizer(**params), BagOfWords(**params)
    try:
        X = theirs.fit_transform(documents)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:20]):
            ours.fit_transform(documents)
        return
    Y = ours.fit_transform(documents)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert same(X, Y)
    assert type(X) is type(Y)
    assert same(theirs.transform(documents[::-1]), ours.transform(documents[::-1]))


@given(st.lists(texts, min_size=1, max_size=5))
def test_words_of_any_letters_are_those_of_scikit_learn(documents):
    agree(documents)


@given(
    st.lists(texts, min_size=1, max_size=4),
    st.sampled_from(["word", "char", "char_wb"]),
    st.integers(1, 3),
    st.integers(0, 2),
    st.booleans(),
)
def test_pieces_of_words_and_letters_are_those_of_scikit_learn(documents, analyzer, low, more, lowercase):
    agree(documents, analyzer=analyzer, ngram_range=(low, low + more), lowercase=lowercase)


@pytest.mark.parametrize(
    "params",
    [
        {"stop_words": "english"},
        {"stop_words": ["the", "is"], "ngram_range": (1, 3)},
        {"min_df": 2},
        {"max_df": 0.4, "max_features": 7},
        {"binary": True, "dtype": np.float32},
        {"strip_accents": "unicode"},
        {"strip_accents": "ascii", "analyzer": "char_wb", "ngram_range": (2, 4)},
        {"vocabulary": ["meeting", "the", "off"]},
        {"vocabulary": {"meeting": 1, "the": 0}},
        {"tokenizer": str.split, "token_pattern": None},
        {"token_pattern": r"(?u)\b\w+\b"},
        {"preprocessor": str.upper},
        {"analyzer": str.split},
    ],
    ids=str,
)
def test_every_parameter_means_what_it_means_in_scikit_learn(params):
    agree([*MAILS, "Ärger über ΣΑΣ und İstanbul"], **params)


def test_bytes_and_files_are_read_as_scikit_learn_reads_them(tmp_path):
    path = tmp_path / "mail.txt"
    path.write_bytes("Grüße aus Köln".encode("latin-1"))
    agree([str(path)], input="filename", encoding="latin-1")
    agree([b"plain bytes", "text"])
    with pytest.raises(UnicodeDecodeError):
        BagOfWords().fit([b"\xff\xfe"])


def test_a_generator_of_documents_is_read_once():
    assert same(BagOfWords().fit_transform(iter(MAILS)), BagOfWords().fit_transform(MAILS))


@given(st.lists(texts, min_size=1, max_size=5))
def test_hash_values_are_those_of_scikit_learn(documents):
    theirs = HashingVectorizer(n_features=97, alternate_sign=False, norm=None, dtype=np.int64)
    assert same(theirs.transform([d.replace("\ud800", "") for d in documents]),
                BagOfWords(hashing=97).transform([d.replace("\ud800", "") for d in documents]))  # fmt: skip


def test_hash_values_need_no_fit_but_weights_of_rare_terms_do():
    rows = BagOfWords(hashing=64).transform(MAILS)
    assert same(rows, BagOfWords(hashing=64).fit(MAILS).transform(MAILS))
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        BagOfWords(hashing=64, values="tfidf").transform(MAILS)


@pytest.mark.parametrize("params", [{"hashing": 50}, {}, {"analyzer": "char", "ngram_range": (1, 3)}])
def test_rows_do_not_depend_on_threads(params):
    documents = MAILS * 9
    one, many = BagOfWords(**params), BagOfWords(**params, n_jobs=3)
    assert same(one.fit_transform(documents), many.fit_transform(documents))
    assert one.vocabulary_ == many.vocabulary_


def test_values_are_counts_presence_shares_or_weights():
    counts = BagOfWords().fit_transform(MAILS).toarray()
    assert (BagOfWords(values="presence").fit_transform(MAILS).toarray() == (counts > 0)).all()
    shares = BagOfWords(values="share").fit_transform(MAILS).toarray()
    np.testing.assert_allclose(shares * np.maximum(counts.sum(axis=1, keepdims=True), 1), counts, atol=1e-15)
    ours = BagOfWords(values="tfidf")
    theirs = TfidfVectorizer()
    np.testing.assert_allclose(ours.fit_transform(MAILS).toarray(), theirs.fit_transform(MAILS).toarray(), atol=1e-15)
    np.testing.assert_allclose(ours.idf_, theirs.idf_)
    np.testing.assert_allclose(ours.transform(MAILS[:2]).toarray(), theirs.transform(MAILS[:2]).toarray(), atol=1e-15)
    assert BagOfWords(values="tfidf", dtype=np.float32).fit_transform(MAILS).dtype == np.float32


def test_mail_keeps_money_numbers_capitals_cries_and_addresses():
    terms = BagOfWords(tokens="mail").build_analyzer()
    assert terms(MAILS[0]) == [
        "winner", "^caps", "!!", "claim", "£", "1,000.50", "#6", "at",
        "url:foo.com", "foo", "com", "bar", "don't", "wait",
    ]  # fmt: skip
    assert terms("5% I, o'clock; 12:30. wow! HTTPS://A.B.c. www.x") == [
        "5", "#1", "%", "o'clock", "12:30", "#4", "wow", "!", "url:a.b.c", "url:x",
    ]  # fmt: skip
    assert terms("") == []
    assert BagOfWords(tokens="mail", stop_words=["#6", "at"]).build_analyzer()("at 123456") == ["123456"]
    rows = BagOfWords(tokens="mail", ngram_range=(2, 2)).fit(["free £ 5"])
    assert sorted(rows.vocabulary_) == ["5 #1", "free £", "£ 5"]


@given(texts, st.booleans())
def test_mail_reads_any_letters(text, lowercase):
    bag = BagOfWords(tokens="mail", lowercase=lowercase)
    terms = bag.build_analyzer()(text)
    row = bag.fit(["anchor", text]).transform([text])
    assert row.sum() == len(terms)


def test_a_bag_is_cloned_pickled_and_printed():
    bag = BagOfWords(tokens="mail", ngram_range=(1, 2)).fit(MAILS)
    bag.transform(MAILS)
    again = pickle.loads(pickle.dumps(bag))
    assert same(bag.transform(MAILS), again.transform(MAILS))
    assert clone(bag).get_params() == bag.get_params()
    assert "mail" in repr(bag)
    assert list(bag.get_feature_names_out()) == sorted(bag.vocabulary_)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"values": "tfidf", "tokens": "mail", "ngram_range": (1, 2), "dtype": np.float32},
        {"hashing": 33, "values": "tfidf"},
        {"vocabulary": ["the", "meeting"], "stop_words": ["is", "on"]},
    ],
    ids=str,
)
def test_a_bag_comes_back_from_a_file_as_it_was(params, tmp_path):
    for bag in (BagOfWords(**params), BagOfWords(**params).fit(MAILS)):
        save(bag, tmp_path / "bag.wm")
        again = load(tmp_path / "bag.wm")
        assert again.get_params().keys() == bag.get_params().keys()
        assert again.dtype == bag.dtype
        assert hasattr(again, "vocabulary_") == hasattr(bag, "vocabulary_")
    assert same(bag.transform(MAILS), again.transform(MAILS))


def test_functions_are_not_stored(tmp_path):
    with pytest.raises(CannotStore, match="files hold no code"):
        save(BagOfWords(tokenizer=str.split, token_pattern=None).fit(MAILS), tmp_path / "bag.wm")
    assert not list(tmp_path.iterdir())


def test_a_changed_vocabulary_is_noticed():
    bag = BagOfWords().fit(MAILS)
    bag.transform(MAILS)
    bag.vocabulary_ = {"meeting": 0}
    assert bag.transform(MAILS).shape == (4, 1)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"tokens": "mail", "analyzer": "char"}, 'tokens="mail" brings its own words'),
        ({"tokens": "mail", "tokenizer": str.split}, 'tokens="mail" brings its own words'),
        ({"hashing": 8, "tokenizer": str.split}, "hashing is done by the core"),
        ({"hashing": 8, "min_df": 2}, "min_df=2 has no meaning"),
        ({"hashing": 0}, "hashing"),
        ({"values": "weight"}, "values"),
        ({"ngram_range": (2, 1)}, "ngram_range"),
    ],
    ids=str,
)
def test_what_cannot_be_is_told(params, words):
    with pytest.raises(ValueError, match=words):
        BagOfWords(**params).fit_transform(MAILS)


def test_one_text_is_no_list_of_documents():
    for bag in (BagOfWords(), BagOfWords(hashing=8)):
        with pytest.raises(ValueError, match="string object received"):
            bag.fit_transform("one text")
    with pytest.raises(BadInput, match="empty vocabulary"):
        BagOfWords().fit(["a b c"])


def test_documents_stay_while_they_are_counted():
    """Even if reading one of them empties the list."""
    counter = _core.TextCounter(letter_table(), _core.Terms([]), 0, True, 1, 1, None, 0, 1)
    documents = [f"text{i} and some words" for i in range(500)] + [b"odd"] * 5000

    def prepare(document):
        documents.clear()
        return document

    counter.feed(documents, prepare, True)
    terms, _, counts, ends = counter.take()
    assert len(ends) == 5500
    assert len(terms) == 504
    assert counts.sum() == 500 * 4 + 5000
