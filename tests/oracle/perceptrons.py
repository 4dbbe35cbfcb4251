"""The perceptron family in plain NumPy: slow, short, obviously right."""

import numpy as np


def batch_perceptron(X, y, passes, rate, weight=None):
    """w after `passes` steps of the batch perceptron on rows extended by 1; rate(t) is the step of pass t."""
    Z = np.column_stack([X, np.ones(len(X))])
    s = np.ones(len(X)) if weight is None else np.asarray(weight, float)
    w = np.zeros(Z.shape[1])
    for t in range(passes):
        wrong = y * (Z @ w) <= 0
        if not wrong.any():
            break
        w = w + rate(t) / s.sum() * ((s * y)[wrong] @ Z[wrong])
    return w


def perceptron_vectors(X, y, orders, birth=1):
    """All vectors that a perceptron passes through, with their survival times."""
    Z = np.column_stack([X, np.ones(len(X))])
    vectors, lives = [np.zeros(Z.shape[1])], [0]
    for order in orders:
        for i in order:
            if y[i] * (Z[i] @ vectors[-1]) <= 0:
                vectors.append(vectors[-1] + y[i] * Z[i])
                lives.append(birth)
            else:
                lives[-1] += 1
    return np.array(vectors), np.array(lives)


def largest_margin(X, y):
    """Largest margin of a unit vector in the space extended by 1, and the vector (hard-margin SVM without bias)."""
    from sklearn.svm import SVC

    Z = np.column_stack([X, np.ones(len(X))])
    svm = SVC(kernel="precomputed", C=1e10, tol=1e-10).fit(
        np.block([[Z @ Z.T, -Z @ Z.T], [-Z @ Z.T, Z @ Z.T]]), np.r_[y, -y]
    )
    # Every row and its mirror image: by symmetry the bias of the SVM is 0.
    both = np.vstack([Z, -Z])
    w = svm.dual_coef_[0] @ both[svm.support_]
    return float((y * (Z @ w)).min() / np.linalg.norm(w)), w / np.linalg.norm(w)
