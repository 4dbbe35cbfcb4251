"""The certificate of a kernel perceptron: margins in feature space, and the bound on updates where they allow one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certificate.kernel import certify_kernel_perceptron
from ..certificate.record import PerceptronCertificate, merge
from ..data.rows import Training
from ..kernels.gram import GramSource
from ..model.multiclass import Part, binary_parts
from ..solver.online import row_steps
from .kernel_support import KernelTraining


class KernelMistakeBound:
    """What can be proved from kernel values and counts."""

    def _certify(self, data: KernelTraining, *, prove: bool = False) -> Any:
        """One certificate a part, merged; it speaks of the last expansion, whichever decides."""
        certificates = {}
        for k, part in enumerate(binary_parts(len(self.classes_), self.multiclass)):
            certificates[part.name(self.classes_)] = self._certify_part(data, k, part)
        return merge(certificates, data_digest=data.digest)

    def _certify_part(self, data: KernelTraining, k: int, part: Part) -> Any:
        if self.proof_ is None:
            return self._claim_little(data)
        among = part.among(data.y)
        rows = np.arange(data.n) if among is None else among
        source = GramSource(self.kernel_, data.items, self._threads())
        _, steps = row_steps(data.weight)
        coef = None
        if self.decide != "averaged":
            coef = np.zeros(len(self.support_) + len(self.unused_))
            coef[self.support_] = self.dual_coef_[k]
            coef = coef[data.numbers(rows)]
        return certify_kernel_perceptron(
            source if among is None else source.take(among),
            part.signs(data.y[rows]),
            self.proof_.counts_of(k, data.n)[rows],
            updates=int(self.proof_.updates[k]),
            coef=coef,
            eta=self.eta0,
            steps=None if steps is None else steps[rows],
            intercept=self.fit_intercept,
            data_digest=data.digest,
        )

    def _claim_little(self, data: Training | None) -> PerceptronCertificate:
        units = "batches" if data is None else "epochs"
        gone = "the rows of a stream are gone" if data is None else "the Gram matrix is large"
        return PerceptronCertificate(
            claim=f"{self.n_updates_} updates in {self.n_iter_} {units}; {gone}, so nothing else was recomputed"
            + ("" if data is None else " (certify(model, X, y) does it)"),
            data_digest="" if data is None else data.digest,
            updates=self.n_updates_,
        )
