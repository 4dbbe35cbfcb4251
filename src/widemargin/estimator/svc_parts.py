"""What support vector classifiers keep of their binary parts, in LIBSVM's layout, and how it is certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..base.errors import BadInput
from ..certificate.record import SVMCertificate, merge
from ..data.labels import class_factors
from ..kernels.gram import GramSource
from ..model.box import BoxProblem
from ..model.boxes import BoxProblems
from ..model.dual import DualPoint, DualPoints
from ..model.kernel import KernelModel
from ..model.multiclass import Part, binary_parts, rows_of_parts
from ..model.pairs import PairRows, PairsModel, pairs
from .kernel_support import KernelTraining
from .svm_hard import proof_against, refuse
from .svm_input import known_psd
from .svm_solved import Solved, SolvedParts
from .svm_support import SVMSupport
from .svm_work import Work


class ClassifierParts(SVMSupport):
    """The parts of two classes, of all pairs, or of each class and the rest."""

    def _parts(self, data: KernelTraining) -> list[Part]:
        return binary_parts(len(data.labels.classes), self.multiclass)

    def _places(self, data: KernelTraining) -> Sequence[np.ndarray | None]:
        """The rows of each part; None = all."""
        k = len(data.labels.classes)
        return PairRows(data.y, k) if k > 2 and self.multiclass == "ovo" else [None] * (1 if k == 2 else k)

    def _problems(self, data: KernelTraining, places: Sequence[np.ndarray | None]) -> Sequence[BoxProblem]:
        if isinstance(places, PairRows):
            return self._pair_problems(places, None if data.weight is None else data.weight[places.items])
        return [self._part_problem(data, part, None) for part in self._parts(data)]

    def _pair_problems(self, places: PairRows, weight: np.ndarray | None) -> BoxProblems:
        spans = [slice(e - n, e) for e, n in zip(places.ends.tolist(), places.sizes.tolist(), strict=True)]
        return BoxProblems.of([self._problem(places.signs[s], None if weight is None else weight[s]) for s in spans])

    def _part_problem(self, data: KernelTraining, part: Part, rows: np.ndarray | None) -> BoxProblem:
        signs = part.signs(data.y) if rows is None else part.signs(data.y[rows])
        weight = data.weight if data.weight is None or rows is None else data.weight[rows]
        return self._problem(signs, weight)

    # ---- what is kept ------------------------------------------------------------------------------------------

    def _learnt(self, work: Work, solved: SolvedParts) -> dict[str, Any]:
        """The support in the order of the classes, coefficients as users of the peers expect them."""
        data = work.data
        k, n, classes = len(data.labels.classes), data.n, data.labels.classes
        pairs, coef = isinstance(work.places, PairRows), solved.coef
        here = np.flatnonzero(coef != 0)  # much faster than of the numbers themselves
        items, coef = work.places.items[here] if pairs else here % n, coef[here]
        used, free = np.zeros((2, n), dtype=bool)
        used[items] = True
        free[items[solved.free(here)]] = True
        support = np.flatnonzero(used)
        support = support[np.argsort(data.y[support], kind="stable")]
        with np.errstate(divide="ignore"):
            margin = solved.scale / np.sqrt(np.maximum(solved.square, 0.0))
        return {
            "classes_": classes,
            "kernel_": data.kernel,
            **self._support(work, support, self._coefficients(work, here, items, coef, support)),
            "support_free_": free[support],
            "intercept_": solved.intercept * (-1.0 if pairs else 1.0),
            "n_support_": np.bincount(data.y[support], minlength=k).astype(np.int32),
            "n_iter_": np.maximum(solved.steps, 1).astype(np.int32),
            "margin_": margin,
            "slacks_": self._slacks(work, solved[0]) if k == 2 else None,
        }

    def _coefficients(
        self, work: Work, here: np.ndarray, items: np.ndarray, coef: np.ndarray, support: np.ndarray
    ) -> np.ndarray:
        """The table of all parts from their coefficients that are not 0, at places `here`."""
        n, k, places = work.data.n, len(work.data.labels.classes), work.places
        at = np.empty(n, dtype=np.intp)
        at[support] = np.arange(len(support))
        if isinstance(places, PairRows):
            # An item of class i keeps its coefficient for the pair in row j - 1, one of class j in row i.
            of_half = (places.classes[:, ::-1] - [1, 0]).ravel().astype(np.int32)
            rows = np.repeat(of_half, places.halves.ravel())[here]
            table, coef = np.zeros((k - 1, len(support))), -coef
        else:
            rows, table = here // n, np.zeros((len(places), len(support)))
        table[rows, at[items]] = coef
        return table

    def _slacks(self, work: Work, s: Solved) -> np.ndarray | None:
        """xi of each row that was given, NaN for those of weight 0; None where the fit was cut off."""
        if s.solution.f is None:
            return None
        scores = s.solution.f / s.scale + s.intercept
        return work.of_given(np.maximum(0.0, 1 - (2.0 * work.data.y - 1) * scores), None, np.nan)

    def _class_weights(self, data: KernelTraining, sample_weight: Any, n: int) -> np.ndarray:
        """What class_weight multiplies C of each class with."""
        if self.class_weight is None:
            return np.ones(len(data.labels.classes))
        if isinstance(self.class_weight, dict):
            here = set(data.labels.classes.tolist())
            wish = {label: factor for label, factor in self.class_weight.items() if label in here}
            return class_factors(wish, data.labels, data.y, None)
        weight = np.broadcast_to(np.asarray(1.0 if sample_weight is None else sample_weight, float), n)
        return class_factors(self.class_weight, data.labels, data.y, weight[data.numbers(np.arange(data.n))])

    @property
    def _paired(self) -> bool:
        return len(self.classes_) > 2 and self.multiclass == "ovo"

    def _model(self, a: Mapping[str, Any]) -> KernelModel | PairsModel:
        coef = self._dense(a["dual_coef_"])
        if a["n_support_"].sum() != coef.shape[1]:
            raise BadInput(f"The internal representation of {type(self).__name__} was altered: fit it again.")
        if len(a["classes_"]) > 2 and self.multiclass == "ovo":
            return PairsModel(a["kernel_"], a["support_items_"], coef, a["n_support_"], a["intercept_"])
        return KernelModel(a["kernel_"], a["support_items_"], coef, a["intercept_"])

    @property
    def model_(self) -> KernelModel | PairsModel:
        """The expansions in kernel values, one for each binary part."""
        check_is_fitted(self)
        return self._model(vars(self))

    def _weights(self) -> Any:
        if not self._paired:
            return super()._weights()
        rows, coef = self.support_vectors_, self._dense(self.dual_coef_)
        ends = np.cumsum(self.n_support_)
        sums = [coef[:, e - c : e] @ rows[e - c : e] for e, c in zip(ends, self.n_support_, strict=True)]
        W = np.vstack([sums[i][j - 1] + sums[j][i] for i, j in pairs(len(self.classes_))])
        return type(rows)(W) if sp.issparse(rows) else W

    # ---- certificate -------------------------------------------------------------------------------------------

    def _proof(self, points: DualPoints) -> DualPoints:
        return points

    def _merged(self, data: KernelTraining, certificates: list[SVMCertificate]) -> Any:
        names, digest = [part.name(data.labels.classes) for part in self._parts(data)], data.digest
        whole = merge(dict(zip(names, certificates, strict=True)), data_digest=digest)
        return whole if whole.data_digest == digest else replace(whole, data_digest=digest)

    def _certify(self, data: KernelTraining, *, prove: bool = False) -> Any:
        source = GramSource(self.kernel_, data.items, self._threads())
        psd = known_psd(self.kernel_, data.items)
        of_row = self._place_in_support(data)
        certificates = []
        table = self._dense(self.dual_coef_)
        of_pair = list(pairs(len(self.classes_)))
        parts = self._parts(data)
        for q, (part, rows) in enumerate(zip(parts, rows_of_parts(parts, data.y), strict=True)):
            place = np.arange(data.n) if rows is None else rows
            problem = self._part_problem(data, part, rows)
            coef = self._part_coef(table, of_pair[q], q, data.y[place], of_row[place])
            point = self._point(problem, coef) if self.proof_ is None else self.proof_[q]
            here = source if rows is None else source.take(rows)
            intercept = float(self.intercept_[q]) * (-1.0 if self._paired else 1.0)
            certificates.append(self._certificate(here, problem, point, intercept, coef, psd))
        return self._merged(data, certificates)

    def _point(self, problem: BoxProblem, coef: np.ndarray) -> DualPoint:
        """The proof from coefficients alone, where it was left out of a file."""
        return DualPoint(coef)

    def _part_coef(
        self, table: np.ndarray, pair: tuple[int, int], q: int, classes: np.ndarray, at: np.ndarray
    ) -> np.ndarray:
        """The model's coefficients of a part, by its items."""
        coef = np.zeros(len(at))
        here = np.flatnonzero(at >= 0)
        if self._paired:
            coef[here] = -table[coef_rows(classes[here], *pair), at[here]]
        else:
            coef[here] = table[q, at[here]]
        return coef

    def _refuse_inseparable(self, work: Work, k: int, source: GramSource, solved: Solved, *, last: bool) -> None:
        """For C=inf: raises with the proof, or at the last attempt without."""
        proof = proof_against(source, solved.problem, solved.solution.b)
        if proof is None and not (last and solved.certificate.primal == np.inf):
            return
        witness = None if proof is None else work.of_given(proof[1], work.places[k], 0.0)
        name = self._parts(work.data)[k].name(work.data.labels.classes)
        refuse(name, solved.problem.n, proof, witness)

    def _refuse_ties(self) -> None:
        if self._paired and self.break_ties and self.decision_function_shape == "ovo":
            raise BadInput("break_ties must be False when decision_function_shape is 'ovo': set one or the other.")


def coef_rows(classes: np.ndarray, i: int, j: int) -> np.ndarray:
    """Where LIBSVM keeps the coefficients of a pair: those of class i in row j - 1, those of class j in row i."""
    return np.where(classes == i, j - 1, i)
