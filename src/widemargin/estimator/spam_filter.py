"""A filter for raw mails: learns from spam and ham, or from one of them alone, and from corrections.

Problem  both kinds: LinearSVC, 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w.x_i + b))^2 on rows of words and pieces of
         letters; one kind: OneClassSVM with a linear kernel, its region scaled to an edge of 1
Stops    as those machines, with their certificate
Method   a correction is one step of the passive-aggressive rule: the smallest change of w after which the mail lies on
         its side with margin 1 [CrammerEtAl06, sec. 3]. The bias, which all mails share, changes only for a mail
         without a word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput, DataMismatch
from ..base.params import Integral, Interval, Real, positive
from ..certificate.record import Certificate
from ..feature.mail_rows import MailRows
from .base import Certified
from .linear_svc import LinearSVC
from .one_class import OneClassSVM
from .whole import whole_or_nothing

_ROUNDING = 1e-9  # what a correction may fall short by, since sums are rounded
_EDGE = 1e-3  # the machine knows its edge to its tolerance
_LABELS: tuple[tuple[Any, Any], ...] = (("ham", "spam"), (False, True), (0, 1), (-1, 1))


@dataclass(frozen=True)
class Explanation:
    """Why a mail was called what it was called.

    Attributes
    ----------
    label : the verdict.
    score : float
        The sum of all shares and the bias; spam where it is above the threshold.
    words : list of (str, float)
        Words and their shares of the score, the largest first; positive ones speak for spam. Names before a colon say
        in which part of the mail a word stood; pieces of letters count to the words that they stand in.
    bias : float
        What is added whatever the mail holds.
    others : float
        The shares of all words that are not listed.
    """

    label: Any
    score: float
    words: list[tuple[str, float]]
    bias: float
    others: float

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON-able values."""
        label = self.label.item() if isinstance(self.label, np.generic) else self.label
        words = [{"word": word, "share": share} for word, share in self.words]
        return {"label": label, "score": self.score, "bias": self.bias, "others": self.others, "words": words}


@dataclass(kw_only=True, eq=False, repr=False)
class SpamFilter(ClassifierMixin, Certified):
    """Tells spam from ham, from raw mails to a verdict with its words.

    Parameters
    ----------
    C : float, default=1.0
        Price of the losses, where both kinds are learnt from.
    nu : float, default=0.1
        Share of the mails that may lie outside, where one kind alone is learnt from.
    threshold : float, default=0.0
        A mail is spam if its score is above it. Raise it where a false alarm costs more than spam that comes through.
    words : (int, int), default=(1, 2)
        Least and most words in a term.
    letters : (int, int) or None, default=(2, 5)
        Least and most letters in a piece of a word; None does without.
    headers : tuple of str, default=()
        Headers whose words count too, beside those of the subject, such as ("from", "reply-to").
    columns : int, default=524288
        Of the hash table of words, and of that of letters.
    max_time : float, optional
        Most seconds for the machine; the model that is there by then is kept.
    n_jobs : int, optional
        Threads; the result does not depend on them.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Ham and spam, as the labels of the fit have it.
    columns_, weights_ : ndarray
        Columns that are known, and their weights; positive ones speak for spam.
    intercept_ : float
    machine_ : LinearSVC, OneClassSVM or None
        What was fitted; its proof too. None where there were only corrections.
    certificate_ : Certificate
        That of the machine; after corrections one that says so.
    n_corrections_, n_changes_ : int
        Mails given to `partial_fit` since, and how many of them changed the weights.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints,
        "C": [positive()],
        "nu": [Interval(Real, 0, 1, closed="right")],
        "threshold": [Real],
        "words": [tuple, list],
        "letters": [tuple, list, None],
        "headers": [tuple, list],
        "columns": [Interval(Integral, 1, 1 << 30, closed="both")],
        "max_time": [positive(), None],
    }

    C: float = 1.0
    nu: float = 0.1
    threshold: float = 0.0
    words: tuple[int, int] = (1, 2)
    letters: tuple[int, int] | None = (2, 5)
    headers: tuple[str, ...] = ()
    columns: int = 1 << 19
    max_time: float | None = None

    # ---- learning --------------------------------------------------------------------------------------------------

    @whole_or_nothing
    def fit(self, X: Iterable[Any], y: Any, sample_weight: Any = None) -> SpamFilter:
        """Learn from mails.

        Parameters
        ----------
        X : iterable of bytes, str or email.message.Message
            Raw mails; text without headers is read as a body.
        y : array-like
            "ham" and "spam", or False and True, 0 and 1, -1 and 1. Labels of one kind alone are learnt as one class.
        sample_weight : array-like of shape (n_mails,), optional
            A weight of 3 is a mail that stands there three times.

        Returns
        -------
        self
        """
        rows = self._rows()
        blocks = rows.blocks(rows.read(_mails(X)))
        classes, y = _read_labels(y, blocks[0].shape[0])
        X, used = rows.learnable(blocks)
        if not len(used):
            raise BadInput(f"none of the {X.shape[0]} mails holds a word: there is nothing to learn from")
        one = np.unique(y)
        options: dict[str, Any] = {"n_jobs": self.n_jobs, "max_time": self.max_time}
        if len(one) == 1:
            machine: Any = OneClassSVM(kernel="linear", nu=self.nu, **options).fit(X, None, sample_weight)
            weights, intercept = _one_class(machine, 1.0 if one[0] else -1.0)
        else:
            machine = LinearSVC(C=self.C, **options).fit(X, y, sample_weight)
            weights, intercept = machine.coef_[0], float(machine.intercept_[0])
        self.classes_, self.machine_, self.certificate_ = classes, machine, machine.certificate_
        self.columns_, self.weights_, self.intercept_ = used, np.ascontiguousarray(weights), intercept
        self.n_corrections_ = self.n_changes_ = 0
        vars(self).pop("_lookup", None)
        return self

    def partial_fit(self, X: Iterable[Any], y: Any, classes: Any = None) -> SpamFilter:
        """Learn from corrections, one mail after the other; each is then called what it was said to be.

        Parameters
        ----------
        X : iterable of mails
        y : array-like
            What they are.
        classes : ignored

        Returns
        -------
        self
        """
        rows = self._rows()
        mails = rows.read(_mails(X))
        known, y = _read_labels(y, len(mails))
        if not hasattr(self, "classes_"):
            self.classes_, self.machine_ = known, None
            self.columns_, self.weights_, self.intercept_ = np.zeros(0, np.int64), np.zeros(0), 0.0
            self.n_corrections_ = self.n_changes_ = 0
        elif known.tolist() != self.classes_.tolist():
            raise BadInput(f"labels are {known.tolist()}, the filter was fitted with {self.classes_.tolist()}")
        weights, known_columns = (table.copy() for table in self._tables())
        for mail, label in zip(mails, y, strict=True):
            self._correct(rows, rows.blocks([mail]), 1.0 if label else -1.0, weights, known_columns)
        self.columns_ = np.flatnonzero(known_columns)
        self.weights_ = weights[self.columns_]
        self._lookup = weights, known_columns
        self.certificate_ = _corrected(self.machine_, self.n_corrections_, self.n_changes_)
        return self

    def _correct(self, rows: MailRows, blocks: Any, sign: float, weights: np.ndarray, known: np.ndarray) -> None:
        """The smallest change of weights after which sign * (score - threshold) >= 1; new words become known."""
        self.n_corrections_ += 1

        def short() -> float:
            score = float(rows.scores(blocks, weights, known)[0]) + self.intercept_
            return 1.0 - sign * (score - self.threshold)

        if short() <= _ROUNDING:
            return
        columns, values = rows.whole(blocks)
        known[columns] = 1.0
        step = sign * max(short(), 0.0)
        if len(columns):
            weights[columns] += step / (values @ values) * values
        else:
            self.intercept_ += step
        self.n_changes_ += 1

    # ---- verdicts --------------------------------------------------------------------------------------------------

    def decision_function(self, X: Iterable[Any]) -> np.ndarray:
        """Scores of mails: the higher, the more it is spam.

        Parameters
        ----------
        X : iterable of mails

        Returns
        -------
        ndarray of shape (n_mails,)
        """
        check_is_fitted(self)
        rows = self._rows()
        mails = rows.read(_mails(X))
        return rows.scores(rows.blocks(mails), *self._tables()) + self.intercept_ if mails else np.zeros(0)

    def predict(self, X: Iterable[Any]) -> np.ndarray:
        """Ham or spam, for each mail.

        Parameters
        ----------
        X : iterable of mails

        Returns
        -------
        ndarray of shape (n_mails,)
        """
        spam = self.decision_function(X) > self.threshold
        return self.classes_[spam.astype(int)]

    def explain(self, mail: Any, top: int = 10) -> Explanation:
        """The words that decided about one mail.

        Parameters
        ----------
        mail : bytes, str or email.message.Message
        top : int, default=10
            Most words to list.

        Returns
        -------
        Explanation
        """
        check_is_fitted(self)
        rows = self._rows()
        weights, known = self._tables()
        terms = rows.terms(rows.read([mail])[0], known)
        shares = sorted(((name, float(values @ weights[columns])) for name, values, columns in terms),
                        key=lambda item: (-abs(item[1]), item[0]))  # fmt: skip
        score = float(self.decision_function([mail])[0])
        return Explanation(
            self.classes_[int(score > self.threshold)],
            score,
            [(name, share) for name, share in shares[:top] if share],
            self.intercept_,
            sum(share for _, share in shares[top:]),
        )

    # ---- parts -----------------------------------------------------------------------------------------------------

    def _rows(self) -> MailRows:
        self._validate_params()
        for name, pair in (("words", self.words), ("letters", self.letters)):
            if pair is not None and not (len(pair) == 2 and 1 <= pair[0] <= pair[1] <= 20):
                raise BadInput(f"{name}={pair!r}: two whole numbers from 1 to 20 are due, the smaller first")
        letters = None if self.letters is None else (self.letters[0], self.letters[1])
        return MailRows((self.words[0], self.words[1]), letters, tuple(self.headers), self.columns, self.n_jobs)

    def _tables(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights of all columns, and 1 for those that are known; made once."""
        width = self.columns * (1 if self.letters is None else 2)
        kept = vars(self).get("_lookup")
        if kept is None or len(kept[0]) != width:
            if len(self.columns_) and self.columns_[-1] >= width:
                raise BadInput(f"the filter was fitted with more columns than {width}: fit it again")
            kept = self._lookup = np.zeros(width), np.zeros(width)
            kept[0][self.columns_] = self.weights_
            kept[1][self.columns_] = 1.0
        return kept

    def _recertify(self, X: Any, y: Any, sample_weight: Any, *, prove: bool) -> Any:
        if self.n_corrections_ or self.machine_ is None:
            raise DataMismatch(
                f"{self.n_corrections_} corrections came after the fit: there is no fit on these data to certify."
            )
        rows = self._rows()
        blocks = rows.blocks(rows.read(_mails(X)))
        _, y = _read_labels(y, blocks[0].shape[0])
        X, used = rows.learnable(blocks)
        if not np.array_equal(used, self.columns_):
            raise DataMismatch(
                f"these are not the mails of the fit: {len(used)} columns, the fit had {len(self.columns_)}."
            )
        return self.machine_._recertify(X, y, sample_weight, prove=prove)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_lookup"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = tags.input_tags.sparse = False
        tags.classifier_tags.multi_class = False
        return tags


def _mails(X: Any) -> Any:
    if isinstance(X, (str, bytes)):
        raise BadInput("a list of mails is due, not one mail: put it into brackets, [mail]")
    return X


def _read_labels(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The two labels, and True for spam."""
    if y is None:
        raise BadInput('y is missing: it says what each mail is; for spam alone it is ["spam"] * number of mails')
    given = np.asarray(y)
    if given.ndim != 1 or len(given) != n:
        raise BadInput(f"there are {n} mails and labels of shape {given.shape}: one label a mail is due")
    if n == 0:
        raise BadInput("there are no mails: at least one is needed")
    found = set(given.tolist())
    for ham, spam in _LABELS:
        if found <= {ham, spam} and all(type(label) is type(ham) for label in found):
            return np.array([ham, spam]), given == spam
    few = ", ".join(map(repr, sorted(map(str, found))[:5]))
    raise BadInput(f'labels are "ham" and "spam", or 0 and 1; these are {few}: say which of them is spam')


def _one_class(machine: OneClassSVM, sign: float) -> tuple[np.ndarray, float]:
    """Weights and bias of a region, scaled so that its edge lies at a product of 1; what is on the edge is inside."""
    weights = machine.coef_
    weights = np.asarray(weights.toarray() if hasattr(weights, "toarray") else weights, float)[0]
    edge = -float(machine.intercept_[0])
    scale = sign / edge if edge > 0 else sign
    return weights * scale, -edge * scale * (1 - _EDGE)


def _corrected(machine: Any, mails: int, changes: int) -> Certificate:
    told = "a filter that learns from corrections alone" if machine is None else "the machine of the fit"
    return Certificate(
        claim=f"{told} was given {mails} corrections since, and {changes} of them changed it: nothing is claimed of it",
        kind="estimate",
    )
