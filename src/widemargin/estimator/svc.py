"""Support vector machines for classes.

Problem  SVC    min 1/2 |w|^2 + sum_i C_i xi_i            s.t.  y_i (w.phi(x_i) + b) >= 1 - xi_i,  xi >= 0
         NuSVC  min 1/2 |w|^2 - nu W rho + sum_i w_i xi_i  s.t.  y_i (w.phi(x_i) + b) >= rho - xi_i, then divided by rho
Stops    when the duality gap and the violation of the optimality conditions, recomputed in float64, are what was asked for
Method   solver/svm; classes one against one, as LIBSVM, or one against the rest   [CortesVapnik95; ScholkopfEtAl00]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..base.errors import BadInput
from ..base.params import StrOptions, fraction, positive
from ..certificate.record import SVMCertificate, merge
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from ..model.curve import CPath
from ..model.dual import DualPoints
from ..model.kernel import KernelModel
from ..model.multiclass import Part, binary_parts
from ..model.pairs import PairsModel, pairs
from .base import Classifier
from .kernel_input import KernelInput
from .kernel_support import KernelTraining, refuse_overflow
from .probability import Probabilities
from .svc_path import path
from .svm_fit import Solved, SVMFit, refuse_sparse_matrix


@dataclass(kw_only=True, eq=False, repr=False)
class SupportVectorClassifier(SVMFit, KernelInput, Classifier):
    """Everything but the problem itself."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        **KernelInput._parameter_constraints,
        **SVMFit._parameter_constraints,
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
        "break_ties": ["boolean"],
    }

    multiclass: str = "ovo"
    decision_function_shape: str = "ovr"
    break_ties: bool = False
    random_state: Any = None

    def _problem(self, signs: np.ndarray, weight: np.ndarray) -> BoxProblem:
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Solve the problem of the class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` the square matrix of kernel values.
        y : array-like of shape (n_samples,)
            Labels of any kind.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent.

        Returns
        -------
        self
        """
        self._validate_params()
        refuse_sparse_matrix(self.kernel, X)
        data = self._read(X, y, sample_weight)
        parts = binary_parts(len(data.labels.classes), self.multiclass)
        places = [part.among(data.y) for part in parts]
        problems = [self._part_problem(data, part) for part in parts]  # tells what cannot be before any kernel value
        source = GramSource(data.kernel, data.items, self._threads())
        refuse_overflow(source)
        solved = self._solve_all(source, places, problems)
        self.classes_, self.kernel_ = data.labels.classes, data.kernel
        self._keep(source, data, places, solved)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (_num_samples(X),)
        self.certificate_ = self._merged(data, [s.certificate for s in solved])
        self._tell(solved)
        return self

    def _part_problem(self, data: KernelTraining, part: Part) -> BoxProblem:
        rows = part.among(data.y)
        signs = part.signs(data.y) if rows is None else part.signs(data.y[rows])
        weight = np.ones(data.n) if data.weight is None else data.weight
        return self._problem(signs, weight if rows is None else weight[rows])

    # ---- what is kept ------------------------------------------------------------------------------------------

    def _keep(self, source: GramSource, data: KernelTraining, places: list[Any], solved: list[Solved]) -> None:
        """The support in the order of the classes, coefficients in LIBSVM's layout, as users of the peers expect."""
        k, n = len(self.classes_), data.n
        where = [np.arange(n) if p is None else p for p in places]
        coefs = [s.coef for s in solved]
        used = np.zeros(n, dtype=bool)
        free = np.zeros(n, dtype=bool)
        for place, s, c in zip(where, solved, coefs, strict=True):
            used[place[c != 0]] = True
            b, p = s.solution.b, s.problem
            free[place[(b > p.lower) & (b < p.upper)]] = True
        support = np.flatnonzero(used)
        support = support[np.argsort(data.y[support], kind="stable")]
        at = np.full(n, -1)
        at[support] = np.arange(len(support))
        paired = k > 2 and self.multiclass == "ovo"
        self.dual_coef_ = np.zeros((k - 1 if paired else len(solved), len(support)))
        for q, (place, c) in enumerate(zip(where, coefs, strict=True)):
            here = np.flatnonzero(c)
            rows = self._coef_rows(data.y[place[here]], q) if paired else np.full(here.size, q)
            self.dual_coef_[rows, at[place[here]]] = -c[here] if paired else c[here]
        self.intercept_ = np.array([s.intercept for s in solved]) * (-1.0 if paired else 1.0)
        self.n_support_ = np.bincount(data.y[support], minlength=k).astype(np.int32)
        self._keep_support(source, support, data.kept)
        self.support_free_ = free[support]
        self.n_iter_ = np.array([s.solution.steps for s in solved], dtype=np.int32)
        self.proof_: DualPoints | None = DualPoints.of([s.point for s in solved])
        with np.errstate(divide="ignore"):
            self.margin_ = np.array([s.scale / np.sqrt(max(s.solution.square, 0.0)) for s in solved])

    def _coef_rows(self, classes: np.ndarray, q: int) -> np.ndarray:
        i, j = list(pairs(len(self.classes_)))[q]
        return np.where(classes == i, j - 1, i)

    @property
    def _paired(self) -> bool:
        return len(self.classes_) > 2 and self.multiclass == "ovo"

    @property
    def model_(self) -> KernelModel | PairsModel:
        check_is_fitted(self)
        if self._paired:
            return PairsModel(self.kernel_, self.support_items_, self.dual_coef_, self.n_support_, self.intercept_)
        return KernelModel(self.kernel_, self.support_items_, self.dual_coef_, self.intercept_)

    @property
    def margin_width_(self) -> np.ndarray:
        """2 / |w|: from one margin to the other."""
        return 2 * self.margin_

    def distances(self, X: Any) -> np.ndarray:
        """Signed distance of each row from the boundary of each binary part, in feature space."""
        scores = self.model_.scores(self._items(X), self._threads()) * self.margin_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    # ---- certificate -------------------------------------------------------------------------------------------

    def _merged(self, data: KernelTraining, certificates: list[SVMCertificate]) -> Any:
        names = [part.name(self.classes_) for part in binary_parts(len(self.classes_), self.multiclass)]
        return merge(dict(zip(names, certificates, strict=True)), data_digest=data.digest)

    def _certify(self, data: KernelTraining, *, prove: bool = False) -> Any:
        source = GramSource(self.kernel_, data.items, self._threads())
        of_row = np.full(data.n, -1)
        given = np.full(int(self.support_.max(initial=-1)) + 1, -1)
        given[self.support_] = np.arange(len(self.support_))
        numbers = data.numbers(np.arange(data.n))
        inside = numbers < len(given)
        of_row[inside] = given[numbers[inside]]
        certificates = []
        for q, part in enumerate(binary_parts(len(self.classes_), self.multiclass)):
            rows = part.among(data.y)
            place = np.arange(data.n) if rows is None else rows
            coef = self._part_coef(q, data.y[place], of_row[place])
            problem = self._part_problem(data, part)
            point = self.proof_[q] if self.proof_ is not None else None
            b = self._split(problem, coef) if point is None else point.b
            sign = -1.0 if self._paired else 1.0
            certificates.append(
                self._certificate(
                    source if rows is None else source.take(rows),
                    problem,
                    b,
                    sign * float(self.intercept_[q]),
                    0.0 if point is None else point.rho,
                    coef,
                )
            )
        return self._merged(data, certificates)

    def _split(self, problem: BoxProblem, coef: np.ndarray) -> np.ndarray:
        return coef

    def _part_coef(self, q: int, classes: np.ndarray, at: np.ndarray) -> np.ndarray:
        """The model's coefficients of a part, by its items."""
        coef = np.zeros(len(at))
        here = np.flatnonzero(at >= 0)
        if self._paired:
            coef[here] = -self.dual_coef_[self._coef_rows(classes[here], q), at[here]]
        else:
            coef[here] = self.dual_coef_[q, at[here]]
        return coef

    # ---- decisions ---------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score of the second class (two classes), or one score a class or pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items
            With `kernel="precomputed"` kernel values between these and all training rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or, with `decision_function_shape="ovo"`, one column a pair:
        positive values of pair (i, j) speak for class i
        """
        check_is_fitted(self)
        scores = self.model_.scores(self._items(X), self._threads())
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.multiclass == "ovr" or self.decision_function_shape == "ovo":
            return scores
        return _ovr_decision_function(scores < 0, -scores, len(self.classes_))

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row: the sign, most pairs won, or the highest score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a list of items

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if self._paired and self.break_ties and self.decision_function_shape == "ovo":
            raise BadInput("break_ties must be False when decision_function_shape is 'ovo': set one or the other.")
        if self._paired and not self.break_ties:
            return self.classes_[self._most_pairs(self.model_.scores(self._items(X), self._threads()))]
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    def _most_pairs(self, scores: np.ndarray) -> np.ndarray:
        votes = np.zeros((len(scores), len(self.classes_)), dtype=np.int32)
        for p, (i, j) in enumerate(pairs(len(self.classes_))):
            won = scores[:, p] > 0
            votes[:, i] += won
            votes[:, j] += ~won
        return votes.argmax(axis=1)

    def _weights(self) -> np.ndarray:
        if not self._paired:
            return super()._weights()
        rows = self.support_vectors_
        ends = np.cumsum(self.n_support_)
        sums = [self.dual_coef_[:, e - c : e] @ rows[e - c : e] for e, c in zip(ends, self.n_support_, strict=True)]
        return np.vstack([sums[i][j - 1] + sums[j][i] for i, j in pairs(len(self.classes_))])


@dataclass(kw_only=True, eq=False, repr=False)
class SVC(Probabilities, SupportVectorClassifier):
    """Support vector machine with a soft margin; the hard margin with C=inf."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorClassifier._parameter_constraints,
        **Probabilities._parameter_constraints,
        "C": [positive()],
    }

    C: float = 1.0

    def path(self, X: Any, y: Any, Cs: Any, sample_weight: Any = None) -> CPath:
        """The machines for many C with everything else as here; this one stays as it is.

        One set of kernel values serves all pairs of classes and all C; from the smallest C on, each solution is the start of
        the next. The optimum of each is that of a fit of its own, with the same certificate.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        Cs : array-like of float
            Positive, in any order.

        Returns
        -------
        CPath
            `Cs` (rising), `models` (an SVC each), `gaps`, `n_iter`, `seconds`
        """
        return path(self, X, y, Cs, sample_weight)

    def _problem(self, signs: np.ndarray, weight: np.ndarray) -> BoxProblem:
        return BoxProblem.c_svc(signs, self.C * weight)


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVC(Probabilities, SupportVectorClassifier):
    """Support vector machine whose nu bounds the share of margin errors from above, that of the support from below."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorClassifier._parameter_constraints,
        **Probabilities._parameter_constraints,
        "nu": [fraction("right")],
    }

    nu: float = 0.5

    def _problem(self, signs: np.ndarray, weight: np.ndarray) -> BoxProblem:
        return BoxProblem.nu_svc(signs, weight, self.nu)

    def _divisor(self, problem: BoxProblem, rho: float) -> float:
        return rho
