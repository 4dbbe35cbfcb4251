"""Bags of words as stored objects: the terms lie in one array of bytes, so that the header of a million is small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from ..base.errors import CannotStore
from .estimators import EstimatorSpec
from .objects import ObjectSpec
from .rules import Array, Labels, Part, Plain, Rule
from .values import Violation

if TYPE_CHECKING:
    from ..feature.bag_of_words import BagOfWords

MOST_WORDS = 1 << 16  # in a row
_TYPES = ("int32", "int64", "float32", "float64")
_FUNCTIONS = ("strip_accents", "preprocessor", "tokenizer", "analyzer")


def _fields(bag: BagOfWords) -> dict[str, Any]:
    params = {name: value for name, value in bag.get_params(deep=False).items() if name not in ("vocabulary", "dtype")}
    for name in _FUNCTIONS:
        if callable(params[name]):
            raise CannotStore(
                f"{name}={params[name]!r} is a function, and files hold no code: use one of the built-in ways"
            )
    params["ngram_range"] = list(params["ngram_range"])
    terms = getattr(bag, "vocabulary_", None)
    texts = [] if terms is None else [t.encode("utf-8", "surrogatepass") for t in sorted(terms, key=terms.__getitem__)]
    return {
        "params": params,
        "dtype": np.dtype(bag.dtype).name,
        "fixed": bag.vocabulary is not None,
        "fitted": terms is not None,
        "text": np.frombuffer(b"".join(texts), np.uint8),
        "ends": np.cumsum([len(text) for text in texts], dtype=np.int64),
        "idf": getattr(bag, "idf_", None),
    }


def _terms(text: np.ndarray, ends: np.ndarray) -> dict[str, int]:
    starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    if len(ends) != 0 and (ends[-1] != len(text) or (ends <= starts).any()):
        raise Violation(f"the ends of {len(ends)} terms do not lie in a text of {len(text)} bytes")
    whole = text.tobytes()
    try:
        terms = [
            whole[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
    except UnicodeDecodeError as error:
        raise Violation(f"a term is no text: {error}") from error
    made = {term: column for column, term in enumerate(terms)}
    if len(made) != len(terms):
        raise Violation(f"{len(terms) - len(made)} terms stand there twice")
    return made


def _make(cls: Any, values: dict[str, Any]) -> BagOfWords:
    params = values["params"]
    due = set(cls().get_params()) - {"vocabulary", "dtype"}
    if type(params) is not dict or set(params) != due or values["dtype"] not in _TYPES:
        raise Violation("the parameters are missing or unknown")
    terms = _terms(values["text"], values["ends"])
    if type(params["ngram_range"]) is list:
        params = {**params, "ngram_range": tuple(params["ngram_range"])}
    sizes = params["ngram_range"]
    if type(sizes) is not tuple or list(map(type, sizes)) != [int, int] or not 1 <= sizes[0] <= sizes[1] <= MOST_WORDS:
        raise Violation(f"ngram_range={sizes!r} says no numbers of words")
    kept = sorted(terms, key=terms.__getitem__) if values["fixed"] else None
    bag = cls(**params, dtype=np.dtype(values["dtype"]).type, vocabulary=kept)
    try:
        bag._validate_params()
        bag._check_choices()
    except ValueError as error:
        raise Violation(str(error)) from error
    if not values["fitted"]:
        return bag
    bag.vocabulary_, bag.fixed_vocabulary_ = terms, values["fixed"]
    if (values["idf"] is None) != (bag.values != "tfidf"):
        raise Violation("the weights of rare terms are missing, or nobody asked for them")
    if values["idf"] is not None:
        columns = bag.hashing or len(terms)
        if len(values["idf"]) != columns:
            raise Violation(f"idf has {len(values['idf'])} weights for {columns} columns")
        bag._tfidf = TfidfTransformer()
        bag._tfidf.idf_ = values["idf"]
        bag.idf_ = bag._tfidf.idf_
    return bag


def _look(bag: Any, known: Any) -> None:
    """Terms have columns of their own, without gaps, and weights are as many."""
    if not hasattr(bag, "vocabulary_"):
        return
    terms = bag.vocabulary_
    if not all(type(term) is str for term in terms) or sorted(terms.values()) != list(range(len(terms))):
        raise Violation(f"the {len(terms)} terms do not have columns of their own")
    if hasattr(bag, "idf_"):
        Array(("f4", "f8"), (bag.hashing or len(terms),)).bind(bag.idf_, "idf_", {})


BAG_OF_WORDS = ObjectSpec(
    "widemargin.feature.bag_of_words:BagOfWords",
    1,
    _fields,
    _make,
    {
        "params": Rule(),
        "dtype": Plain(str),
        "fixed": Plain(bool),
        "fitted": Plain(bool),
        "text": Array("u1", ("bytes",)),
        "ends": Array("i8", ("terms",), low=0),
        "idf": Array(("f4", "f8"), ("weights",), optional=True),
    },
    look=_look,
)

SPAM_FILTER = EstimatorSpec(
    "widemargin.estimator.spam_filter:SpamFilter",
    1,
    {
        "classes_": Labels(2),
        "columns_": Array("i8", ("m",), low=0, below=1 << 31),
        "weights_": Array("f8", ("m",)),
        "intercept_": Plain(float),
        "machine_": Part("LinearSVC", "OneClassSVM", optional=True),
        "certificate_": Rule(optional=True),
        "n_corrections_": Plain(int, low=0),
        "n_changes_": Plain(int, low=0),
    },
)
