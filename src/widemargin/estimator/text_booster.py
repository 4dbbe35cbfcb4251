"""Boosting of text: rules of one word each.

Problem  a sum of votes, some where a document holds a term and others where it does not, with few wrong labels
Stops    after n_estimators rounds, or when no term tells anything
Method   AdaBoost.MH with real votes [SchapireSinger00], [SchapireSinger99]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..base.params import HasMethods, StrOptions, positive
from ..certificate.boosting import BoostedRows, certify_boosting
from ..certificate.record import BoostingCertificate
from ..model.words import WordStumps
from ..solver.boost import BoostSolver, BoostState
from ..solver.boosters import Booster
from ..solver.weak import Sample
from ..solver.words import WordBooster, WordSolver
from .boosting_classes import BoostedClasses
from .boosting_input import BoostRows
from .boosting_rounds import Rounds
from .text_input import read_documents, read_texts


@dataclass(eq=False, repr=False)
class TextBooster(BoostedClasses, Rounds):
    """Rules of one word: each votes where a document holds its term, and where it does not.

    Parameters
    ----------
    n_estimators : int, default=100
        Most rounds; each adds one rule.
    words : transformer with fit_transform, optional
        What makes counts of texts; `BagOfWords()` where it is left out. `BagOfWords(ngram_range=(1, 2))` gives rules of
        two words, too. Tables of counts need none: a term is there where its number is larger than 0.
    abstain : bool, default=False
        Rules say nothing where their term is not.
    learning_rate : float, default=1.0
        Factor of the votes.
    smoothing : float, optional
        Added to the weights for and against a label on each side, as a share of all; None: half of a document's.
    early_stopping : bool, default=False
        Hold documents out and end when the error on them no longer falls.
    validation_fraction : float, default=0.1
        Share of the documents that are held out.
    n_iter_no_change : int, default=10
        Rounds without a fall after which the fit ends.
    warm_start : bool, default=False
        Keep the rules that are there and add to them.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights, by class; for one label a document.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Seed of the documents that are held out.
    max_time : float, optional
        Most seconds.
    observe : callable, optional
        Called as observe(step, columns, snapshot) at growing steps; True stops the fit.
    verbose : ignored

    Attributes
    ----------
    stumps_ : WordStumps
        The rules: columns, and votes without and with the term.
    words_ : transformer or None
        What has made counts of the texts; None where counts were given.
    n_rounds_ : int
    multilabel_ : bool
        Whether documents have several labels.
    classes_, n_classes_ : ndarray, int
        The classes, or the numbers of the labels.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each term in the differences of votes.
    certificate_ : BoostingCertificate
        Training error (of labels, where a document has several), and the mean exponential loss that bounds it.
    proof_ : BoostingProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Rounds._parameter_constraints,
        "words": [HasMethods(["fit_transform", "transform"]), None],
        "abstain": ["boolean"],
        "smoothing": [positive(), None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    n_estimators: int = 100
    words: Any = field(default=None, kw_only=True)
    abstain: bool = field(default=False, kw_only=True)
    learning_rate: float = field(default=1.0, kw_only=True)
    smoothing: float | None = field(default=None, kw_only=True)
    class_weight: Any = field(default=None, kw_only=True)

    # ---- the fit ---------------------------------------------------------------------------------------------------

    def _read(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> BoostRows:
        data = read_texts(self, X, y, sample_weight, fit="certificate_" not in vars(self) or reset, reset=reset)
        self.multilabel_ = data.y.ndim == 2
        return data

    def _booster(self, sample: Sample) -> Booster:
        return WordBooster()

    def _solver(self, booster: Booster, sample: Sample, seed: int) -> BoostSolver:
        return WordSolver(
            booster,
            sample,
            rate=float(self.learning_rate),
            smoothing=self.smoothing,
            abstain=self.abstain,
            threads=self._threads(),
        )

    def _claim_kind(self, k: int) -> str:
        return "labels" if self.multilabel_ else "exponential" if k == 2 else "mh"

    def _keep(self, state: BoostState, booster: Booster) -> None:
        super()._keep(state, booster)
        rules = state.stumps()
        self.stumps_ = WordStumps(rules.column, rules.threshold, rules.values, rules.steps)

    def _copy(self, state: BoostState, solver: BoostSolver) -> Any:
        copy = super()._copy(state, solver)
        copy.words_, copy.multilabel_ = self.words_, self.multilabel_
        return copy

    def _certify(self, data: BoostRows, *, prove: bool = False, each: bool = True) -> BoostingCertificate:
        k = len(data.labels)
        return certify_boosting(
            self._said_by_members(data.X),
            self.steps_,
            BoostedRows(data.y, data.u, k, data.X, self.stumps_, self._threads()),
            None if self.early_stopping else self.proof_,
            kind=self._claim_kind(k),
            data_digest=data.digest,
            each=each,
        )

    # ---- what they say ---------------------------------------------------------------------------------------------

    def _said_by_members(self, X: Any) -> Iterator[np.ndarray]:
        columns = sp.csc_array(X)
        yield from (self.stumps_.says(t, columns) for t in range(len(self.stumps_)))

    def _blocks(self, X: Any) -> Iterator[Any]:
        yield read_documents(self, X)

    def _sum_of(self, X: Any) -> np.ndarray:
        return self.start_ + self.stumps_.scores(X)

    def _labels(self, F: np.ndarray) -> np.ndarray:
        return (F > 0).astype(np.intp) if self.multilabel_ else super()._labels(F)

    def _scored(self, F: np.ndarray, rounds: int) -> np.ndarray:
        return F if self.multilabel_ else super()._scored(F, rounds)

    def _shares(self, F: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-2 * F)) if self.multilabel_ else super()._shares(F)

    def _held_loss(self, held: BoostRows) -> float:
        if not self.multilabel_:
            return super()._held_loss(held)
        wrong = ((self._sum_of(held.X) > 0) != held.y).mean(axis=1)
        return float(np.average(wrong, weights=held.u))

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each term in the differences between votes with and without it."""
        check_is_fitted(self)
        out = np.zeros(self.n_features_in_)
        np.add.at(out, self.stumps_.column, np.abs(self.stumps_.values[:, 1] - self.stumps_.values[:, 0]).sum(axis=1))
        total = out.sum()
        return out / total if total > 0 else out

    def terms(self) -> list[str]:
        """The term of each column.

        Returns
        -------
        list of str
        """
        check_is_fitted(self)
        if self.words_ is not None:
            return [str(name) for name in self.words_.get_feature_names_out()]
        return [
            str(name)
            for name in getattr(self, "feature_names_in_", map("column {}".format, range(self.n_features_in_)))
        ]

    def rules(self, n: int | None = None, *, votes: int = 3) -> list[str]:
        """The rules as sentences, in the order in which they were found.

        Parameters
        ----------
        n : int, optional
            How many; all where it is left out.
        votes : int, default=3
            Largest votes of a rule that are named, with more than two classes.

        Returns
        -------
        list of str
        """
        terms, out = self.terms(), []
        for t in range(min(len(self.stumps_), len(self.stumps_) if n is None else n)):
            absent, present = (self._said(self.stumps_.values[t, side], votes) for side in (0, 1))
            rule = f"where {terms[self.stumps_.column[t]]!r} stands: {present}"
            out.append(rule if self.abstain else f"{rule}; elsewhere: {absent}")
        return out

    def _said(self, vote: np.ndarray, votes: int) -> str:
        if len(vote) == 1 and not self.multilabel_:
            return f"{self.classes_[int(vote[0] > 0)]} {abs(vote[0]):.3g}"
        largest = np.argsort(-np.abs(vote), kind="stable")[:votes]
        return ", ".join(f"{self.classes_[c]} {vote[c]:+.3g}" for c in largest)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.poor_score = True  # terms are there or not: sizes of numbers tell nothing
        return tags
