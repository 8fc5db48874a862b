"""Functions of SciPy or scikit-learn that dispatch by the array API standard, on Arrays and on
NumPy's: the results must agree. In a process of its own, as SciPy reads SCIPY_ARRAY_API once.

    python dispatch.py scipy|sklearn
"""
from __future__ import annotations

import os
import sys
from typing import Any, Callable

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np

import lanewise as lw

Function = Callable[[Callable[[Any], Any]], Any]  # of what makes its arrays
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 3)), RNG.normal(size=(20, 3))
V, P = RNG.normal(size=50), RNG.uniform(0.1, 0.9, size=50)
A, B = RNG.integers(0, 3, 20), RNG.integers(0, 3, 20)


def of_scipy() -> dict[str, Function]:
    from scipy import differentiate, integrate, ndimage, optimize, special, stats
    from scipy.cluster import vq
    return {
        "skew": lambda a: stats.skew(a(X)), "zscore": lambda a: stats.zscore(a(X)),
        "gmean": lambda a: stats.gmean(a(P)), "entropy": lambda a: stats.entropy(a(P)),
        "kurtosis": lambda a: stats.kurtosis(a(X), axis=1),
        "ttest_ind": lambda a: stats.ttest_ind(a(V), a(P)).pvalue,
        "pearsonr": lambda a: stats.pearsonr(a(V), a(P)).statistic,
        "chisquare": lambda a: stats.chisquare(a(P)).statistic,
        "rankdata": lambda a: stats.rankdata(a(A)),
        "trim_mean": lambda a: stats.trim_mean(a(V), 0.1),
        "logsumexp": lambda a: special.logsumexp(a(X), axis=1),
        "softmax": lambda a: special.softmax(a(X), axis=1),
        "xlogy": lambda a: special.xlogy(a(P), a(P)),
        "whiten": lambda a: vq.whiten(a(X)), "vq": lambda a: vq.vq(a(X), a(Y))[0],
        "kmeans": lambda a: vq.kmeans(a(X), a(Y[:3]))[0],
        "gaussian_filter": lambda a: ndimage.gaussian_filter(a(X), 1.0),
        "trapezoid": lambda a: integrate.trapezoid(a(V)),
        "rosen": lambda a: optimize.rosen(a(V)),
        "derivative": lambda a: differentiate.derivative(lambda z: z**3, a(V)).df,
    }


def of_sklearn() -> dict[str, Function]:
    import sklearn
    from sklearn import metrics, naive_bayes, preprocessing
    from sklearn.metrics import pairwise
    sklearn.set_config(array_api_dispatch=True)

    def scaled(made: Any) -> Function:
        return lambda a: made.fit(a(X)).transform(a(X))
    return {
        "StandardScaler": scaled(preprocessing.StandardScaler()),
        "MinMaxScaler": scaled(preprocessing.MinMaxScaler()),
        "MaxAbsScaler": scaled(preprocessing.MaxAbsScaler()),
        "Normalizer": scaled(preprocessing.Normalizer()),
        "PolynomialFeatures": scaled(preprocessing.PolynomialFeatures(2)),
        "LabelEncoder": lambda a: preprocessing.LabelEncoder().fit_transform(a(A)),
        "GaussianNB": lambda a: naive_bayes.GaussianNB().fit(a(X), a(A)).predict_proba(a(X)),
        "accuracy_score": lambda a: metrics.accuracy_score(a(A), a(B)),
        "confusion_matrix": lambda a: metrics.confusion_matrix(a(A), a(B)),
        "f1_score": lambda a: metrics.f1_score(a(A), a(B), average="macro"),
        "log_loss": lambda a: metrics.log_loss(a((V > 0) * 1), a(P)),
        "mean_squared_error": lambda a: metrics.mean_squared_error(a(X), a(Y)),
        "r2_score": lambda a: metrics.r2_score(a(V), a(P)),
        "brier_score_loss": lambda a: metrics.brier_score_loss(a((V > 0) * 1), a(P)),
        "euclidean_distances": lambda a: pairwise.euclidean_distances(a(X), a(Y)),
        "cosine_similarity": lambda a: pairwise.cosine_similarity(a(X), a(Y)),
        "rbf_kernel": lambda a: pairwise.rbf_kernel(a(X), a(Y)),
        "manhattan_distances": lambda a: pairwise.manhattan_distances(a(X), a(Y)),
    }


def main() -> None:
    functions = {"scipy": of_scipy, "sklearn": of_sklearn}[sys.argv[1]]()
    for name, function in functions.items():
        wanted, got = function(np.asarray), function(lw.asarray)
        assert type(got) is (float if type(wanted) is float else lw.Array), (name, type(got))
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-9, atol=1e-12,
                                   err_msg=name)
    print(len(functions), "agree")


if __name__ == "__main__":
    main()
