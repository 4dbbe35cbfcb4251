"""Documents as sparse rows: which words stand in them, and how often.

Problem  X with a row for each document and a column for each term: 1 where the term stands there (presence), how often
         (count), its share of all terms of the document (share), or its count times a weight for rare terms (tfidf)
Symbols  terms: words, pieces of n words, or pieces of n letters; columns in the order of the terms, or of hash values
Method   all parameters, terms and figures are those of scikit-learn's CountVectorizer; only the counting is done in the
         core. What a Python function has a hand in (tokenizer, preprocessor, analyzer, another token_pattern) goes the
         way of scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ..base.errors import BadInput
from ..base.params import Declared, StrOptions, count
from ..base.pickles import LookedOver
from ..base.threads import threads
from .letters import SPECIAL, letter_table

TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # scikit-learn's, and what the core cuts text by
_KINDS = {"word": 0, "mail": 1, "char": 2, "char_wb": 3}
_BATCH = 1 << 10  # documents in hand at a time


class BagOfWords(LookedOver, Declared, CountVectorizer):
    """As scikit-learn's CountVectorizer, many times faster.

    Parameters
    ----------
    values : {"count", "presence", "share", "tfidf"}, default="count"
        What stands in a row: how often a term occurs in the document; 1; its share of all terms of the document; or its
        count times ln((1 + n) / (1 + documents with the term)) + 1, rows of length 1 (scikit-learn's TfidfTransformer).
    tokens : {"words", "mail"}, default="words"
        "mail" keeps what tells spam: numbers (as they stand, and as `#k` for k digits), signs of money, `!` and `!!`,
        `^caps` for words in capitals, `url:host` for addresses; needs analyzer="word".
    hashing : int, optional
        So many columns, each for all terms of one hash value: no dictionary to learn or to keep.
    n_jobs : int, optional
        Threads. The result does not depend on them.
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, token_pattern, \
ngram_range, analyzer, max_df, min_df, max_features, vocabulary, binary, dtype
        As in scikit-learn's CountVectorizer.

    Attributes
    ----------
    vocabulary_ : dict
        Term -> column.
    idf_ : array
        With values="tfidf": the weight of each term.
    """

    _parameter_constraints: ClassVar[dict] = {
        **CountVectorizer._parameter_constraints,
        "values": [StrOptions({"count", "presence", "share", "tfidf"})],
        "tokens": [StrOptions({"words", "mail"})],
        "hashing": [count(), None],
        "n_jobs": [None, int],
    }

    def __init__(
        self,
        *,
        values: str = "count",
        tokens: str = "words",
        hashing: int | None = None,
        n_jobs: int | None = None,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.int64,
    ) -> None:
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
        )
        self.values = values
        self.tokens = tokens
        self.hashing = hashing
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Iterable[Any], y: Any = None) -> BagOfWords:
        """Learn the dictionary of the documents."""
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> Any:
        """Learn the dictionary and return the rows."""
        self._validate_params()
        self._check_choices()
        if self.hashing is not None:
            self.vocabulary_: dict[str, int] = {}
            X = self._hashed(raw_documents)
        else:
            X = super().fit_transform(raw_documents)
        if self.values == "tfidf":
            self._tfidf = TfidfTransformer().fit(X)
            self.idf_ = self._tfidf.idf_
        return self._valued(X)

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """The rows of the documents; terms that are not in the dictionary do not count."""
        if self.hashing is not None:
            self._validate_params()
            self._check_choices()
            if self.values == "tfidf":
                check_is_fitted(self)
            return self._valued(self._hashed(raw_documents))
        return self._valued(super().transform(raw_documents))

    def build_analyzer(self) -> Any:
        """A function from a document to its terms."""
        if self._kind() != _KINDS["mail"]:
            return super().build_analyzer()
        counter = self._counter(None)
        return lambda doc: counter.terms(self._text(doc))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vocabulary_") or (self.hashing is not None and self.values != "tfidf")

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_known"}

    # ---- values ----------------------------------------------------------------------------------------------------

    def _check_choices(self) -> None:
        if self.tokens == "mail" and self._kind() is None:
            raise BadInput(
                f'tokens="mail" brings its own words: leave analyzer, tokenizer, preprocessor and token_pattern alone '
                f"(analyzer is {self.analyzer!r}), or use tokens='words'"
            )
        if self.hashing is None:
            return
        if self._kind() is None:
            raise BadInput(
                "hashing is done by the core: it takes no tokenizer, preprocessor, analyzer or token_pattern"
            )
        learnt = {"vocabulary": None, "max_features": None, "min_df": 1, "max_df": 1.0}
        for name, plain in learnt.items():
            if getattr(self, name) != plain:
                raise BadInput(
                    f"hashing={self.hashing} learns no dictionary: {name}={getattr(self, name)!r} has no meaning"
                )

    def _valued(self, X: Any) -> Any:
        if self.values == "presence":
            X.data.fill(1)
        elif self.values == "share":
            X = normalize(X.astype(self._real()), norm="l1", copy=False)
        elif self.values == "tfidf":
            X = self._tfidf.transform(X.astype(self._real()), copy=False)
        return X

    def _real(self) -> type:
        return np.float32 if self.dtype == np.float32 else np.float64

    # ---- counting --------------------------------------------------------------------------------------------------

    def _kind(self) -> int | None:
        """The number of the core's way to cut text, None where a Python function does it."""
        if self.preprocessor is not None or self.tokenizer is not None or self.analyzer not in list(_KINDS):
            return None
        if self.analyzer != "word":
            return None if self.tokens == "mail" else _KINDS[self.analyzer]
        if self.token_pattern != TOKEN_PATTERN:
            return None
        return _KINDS["mail" if self.tokens == "mail" else "word"]

    def _counter(self, known: _core.Terms | None) -> _core.TextCounter:
        kind = self._kind()
        assert kind is not None
        low, high = self.ngram_range
        stop_words = (self.get_stop_words() or ()) if kind <= _KINDS["mail"] else ()
        return _core.TextCounter(
            letter_table(),
            _core.Terms(_encoded(sorted(set(stop_words)))),
            kind,
            self.lowercase and self.strip_accents is None,
            low,
            high,
            known,
            self.hashing or 0,
            threads(self.n_jobs),
        )

    def _text(self, document: Any) -> bytes:
        """A document as the core takes it; what depends on more than one letter is done here."""
        text = document if type(document) is str and self.input == "content" else self.decode(document)
        if self.strip_accents is not None:
            text = self.build_preprocessor()(text)
        elif self.lowercase and not text.isascii() and SPECIAL.search(text):
            text = text.lower()
        return text.encode("utf-8", "surrogatepass")

    def _count(
        self, documents: Iterable[Any], known: _core.Terms | None, columns: int
    ) -> tuple[_core.Terms, sp.csr_array]:
        counter, texts = self._counter(known), iter(documents)
        plain = self.input == "content" and self.strip_accents is None
        while batch := list(islice(texts, _BATCH)):
            counter.feed(batch, self._text, plain)
        terms, index, counts, ends = counter.take()
        wide = np.int64 if len(index) > np.iinfo(np.int32).max else np.int32
        starts = np.zeros(len(ends) + 1, wide)
        starts[1:] = ends
        shape = (len(ends), columns or len(terms))
        counts, index = counts.astype(self.dtype, copy=False), index.astype(wide, copy=False)
        return terms, sp.csr_array((counts, index, starts), shape=shape)

    def _hashed(self, documents: Iterable[Any]) -> Any:
        if isinstance(documents, str):
            raise BadInput("Iterable over raw text documents expected, string object received.")
        assert self.hashing is not None
        X = self._count(documents, None, self.hashing)[1]
        if self.binary:
            X.data.fill(1)
        return X if get_config()["sparse_interface"] == "sparray" else sp.csr_matrix(X)

    def _count_vocab(self, raw_documents: Iterable[Any], fixed_vocab: bool) -> tuple[dict[str, int], Any]:
        """scikit-learn's own loop over documents, done by the core."""
        if self._kind() is None:
            return super()._count_vocab(raw_documents, fixed_vocab)
        if fixed_vocab:
            return self.vocabulary_, self._count(raw_documents, self._known_terms(), len(self.vocabulary_))[1]
        super().build_analyzer()  # warns of stop words that no text can hold
        terms, X = self._count(raw_documents, None, 0)
        if not len(terms):
            raise BadInput("empty vocabulary; perhaps the documents only contain stop words")
        vocabulary = terms.numbers()
        self._known = (vocabulary, len(vocabulary), terms)
        return vocabulary, X

    def _sort_features(self, X: Any, vocabulary: dict[str, int]) -> Any:
        return X if self._kind() is not None else super()._sort_features(X, vocabulary)

    def _limit_features(
        self, X: Any, vocabulary: dict[str, int], high: Any = None, low: Any = None, limit: Any = None
    ) -> Any:
        if limit is None and (high is None or high >= X.shape[0]) and (low is None or low <= 1):
            return X  # every term stands in a document
        return super()._limit_features(X, vocabulary, high, low, limit)

    def _known_terms(self) -> _core.Terms:
        """The dictionary as the core knows it, made once for a vocabulary_."""
        kept = self.__dict__.get("_known")
        if kept is None or kept[0] is not self.vocabulary_ or kept[1] != len(self.vocabulary_):
            terms = sorted(self.vocabulary_, key=self.vocabulary_.__getitem__)
            kept = self._known = (self.vocabulary_, len(terms), _core.Terms(_encoded(terms)))
        return kept[2]


def _encoded(terms: Iterable[str]) -> list[bytes]:
    return [term.encode("utf-8", "surrogatepass") for term in terms]
