"""Rows of the case table: the families of polynomials."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import SMALL, TABLE, WEIGHTS

C = np.array([0.5, -1.25, 2.0, 0.75, -0.3])
D = np.array([1.5, 0.25, -2.0])
X = np.array([[0.1, -0.7, 2.5], [np.nan, -0.0, np.inf]])

ROWS = [
    row(
        lambda x, c: (
            np.polynomial.polynomial.polyval(x, c),
            np.polynomial.polynomial.polyval(0.5, c),
        ),
        X,
        C,
    ),
    row(lambda x, c: np.polynomial.polynomial.polyval2d(x, x, c), X[:, 0], TABLE),
    row(
        lambda x, c: np.polynomial.polynomial.polyval3d(x, x, x, c),
        C,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(lambda x, c: np.polynomial.polynomial.polygrid2d(x, x, c), C, TABLE),
    row(
        lambda x, c: np.polynomial.polynomial.polygrid3d(x, x, x, c),
        D,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(
        lambda a, b: (
            np.polynomial.polynomial.polyadd(a, b),
            np.polynomial.polynomial.polysub(b, a),
        ),
        C,
        D,
    ),
    row(
        lambda a, b: (np.polynomial.polynomial.polymul(a, b), np.polynomial.polynomial.polymulx(b)),
        C,
        D,
    ),
    row(
        lambda a, b: (
            np.polynomial.polynomial.polydiv(a, b),
            np.polynomial.polynomial.polypow(b, 3),
        ),
        C,
        D,
    ),
    row(
        lambda a: (
            np.polynomial.polynomial.polyder(a),
            np.polynomial.polynomial.polyint(a, 2, 1.5),
        ),
        C,
    ),
    row(
        lambda a: (
            np.polynomial.polynomial.polyvander(a, 4),
            np.polynomial.polynomial.polyfit(a, a * a, 2),
        ),
        C,
    ),
    row(
        lambda x, c: (
            np.polynomial.chebyshev.chebval(x, c),
            np.polynomial.chebyshev.chebval(0.5, c),
        ),
        X,
        C,
    ),
    row(lambda x, c: np.polynomial.chebyshev.chebval2d(x, x, c), X[:, 0], TABLE),
    row(
        lambda x, c: np.polynomial.chebyshev.chebval3d(x, x, x, c),
        C,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(lambda x, c: np.polynomial.chebyshev.chebgrid2d(x, x, c), C, TABLE),
    row(
        lambda x, c: np.polynomial.chebyshev.chebgrid3d(x, x, x, c),
        D,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(
        lambda a, b: (np.polynomial.chebyshev.chebadd(a, b), np.polynomial.chebyshev.chebsub(b, a)),
        C,
        D,
    ),
    row(
        lambda a, b: (np.polynomial.chebyshev.chebmul(a, b), np.polynomial.chebyshev.chebmulx(b)),
        C,
        D,
    ),
    row(
        lambda a, b: (np.polynomial.chebyshev.chebdiv(a, b), np.polynomial.chebyshev.chebpow(b, 3)),
        C,
        D,
    ),
    row(
        lambda a: (np.polynomial.chebyshev.chebder(a), np.polynomial.chebyshev.chebint(a, 2, 1.5)),
        C,
    ),
    row(
        lambda a: (
            np.polynomial.chebyshev.chebvander(a, 4),
            np.polynomial.chebyshev.chebfit(a, a * a, 2),
        ),
        C,
    ),
    row(
        lambda x, c: (np.polynomial.legendre.legval(x, c), np.polynomial.legendre.legval(0.5, c)),
        X,
        C,
    ),
    row(lambda x, c: np.polynomial.legendre.legval2d(x, x, c), X[:, 0], TABLE),
    row(
        lambda x, c: np.polynomial.legendre.legval3d(x, x, x, c), C, np.arange(8.0).reshape(2, 2, 2)
    ),
    row(lambda x, c: np.polynomial.legendre.leggrid2d(x, x, c), C, TABLE),
    row(
        lambda x, c: np.polynomial.legendre.leggrid3d(x, x, x, c),
        D,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(
        lambda a, b: (np.polynomial.legendre.legadd(a, b), np.polynomial.legendre.legsub(b, a)),
        C,
        D,
    ),
    row(
        lambda a, b: (np.polynomial.legendre.legmul(a, b), np.polynomial.legendre.legmulx(b)), C, D
    ),
    row(
        lambda a, b: (np.polynomial.legendre.legdiv(a, b), np.polynomial.legendre.legpow(b, 3)),
        C,
        D,
    ),
    row(lambda a: (np.polynomial.legendre.legder(a), np.polynomial.legendre.legint(a, 2, 1.5)), C),
    row(
        lambda a: (
            np.polynomial.legendre.legvander(a, 4),
            np.polynomial.legendre.legfit(a, a * a, 2),
        ),
        C,
    ),
    row(
        lambda x, c: (np.polynomial.hermite.hermval(x, c), np.polynomial.hermite.hermval(0.5, c)),
        X,
        C,
    ),
    row(lambda x, c: np.polynomial.hermite.hermval2d(x, x, c), X[:, 0], TABLE),
    row(
        lambda x, c: np.polynomial.hermite.hermval3d(x, x, x, c), C, np.arange(8.0).reshape(2, 2, 2)
    ),
    row(lambda x, c: np.polynomial.hermite.hermgrid2d(x, x, c), C, TABLE),
    row(
        lambda x, c: np.polynomial.hermite.hermgrid3d(x, x, x, c),
        D,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(
        lambda a, b: (np.polynomial.hermite.hermadd(a, b), np.polynomial.hermite.hermsub(b, a)),
        C,
        D,
    ),
    row(
        lambda a, b: (np.polynomial.hermite.hermmul(a, b), np.polynomial.hermite.hermmulx(b)), C, D
    ),
    row(
        lambda a, b: (np.polynomial.hermite.hermdiv(a, b), np.polynomial.hermite.hermpow(b, 3)),
        C,
        D,
    ),
    row(lambda a: (np.polynomial.hermite.hermder(a), np.polynomial.hermite.hermint(a, 2, 1.5)), C),
    row(
        lambda a: (
            np.polynomial.hermite.hermvander(a, 4),
            np.polynomial.hermite.hermfit(a, a * a, 2),
        ),
        C,
    ),
    row(
        lambda x, c: (
            np.polynomial.hermite_e.hermeval(x, c),
            np.polynomial.hermite_e.hermeval(0.5, c),
        ),
        X,
        C,
    ),
    row(lambda x, c: np.polynomial.hermite_e.hermeval2d(x, x, c), X[:, 0], TABLE),
    row(
        lambda x, c: np.polynomial.hermite_e.hermeval3d(x, x, x, c),
        C,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(lambda x, c: np.polynomial.hermite_e.hermegrid2d(x, x, c), C, TABLE),
    row(
        lambda x, c: np.polynomial.hermite_e.hermegrid3d(x, x, x, c),
        D,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(
        lambda a, b: (
            np.polynomial.hermite_e.hermeadd(a, b),
            np.polynomial.hermite_e.hermesub(b, a),
        ),
        C,
        D,
    ),
    row(
        lambda a, b: (np.polynomial.hermite_e.hermemul(a, b), np.polynomial.hermite_e.hermemulx(b)),
        C,
        D,
    ),
    row(
        lambda a, b: (
            np.polynomial.hermite_e.hermediv(a, b),
            np.polynomial.hermite_e.hermepow(b, 3),
        ),
        C,
        D,
    ),
    row(
        lambda a: (
            np.polynomial.hermite_e.hermeder(a),
            np.polynomial.hermite_e.hermeint(a, 2, 1.5),
        ),
        C,
    ),
    row(
        lambda a: (
            np.polynomial.hermite_e.hermevander(a, 4),
            np.polynomial.hermite_e.hermefit(a, a * a, 2),
        ),
        C,
    ),
    row(
        lambda x, c: (np.polynomial.laguerre.lagval(x, c), np.polynomial.laguerre.lagval(0.5, c)),
        X,
        C,
    ),
    row(lambda x, c: np.polynomial.laguerre.lagval2d(x, x, c), X[:, 0], TABLE),
    row(
        lambda x, c: np.polynomial.laguerre.lagval3d(x, x, x, c), C, np.arange(8.0).reshape(2, 2, 2)
    ),
    row(lambda x, c: np.polynomial.laguerre.laggrid2d(x, x, c), C, TABLE),
    row(
        lambda x, c: np.polynomial.laguerre.laggrid3d(x, x, x, c),
        D,
        np.arange(8.0).reshape(2, 2, 2),
    ),
    row(
        lambda a, b: (np.polynomial.laguerre.lagadd(a, b), np.polynomial.laguerre.lagsub(b, a)),
        C,
        D,
    ),
    row(
        lambda a, b: (np.polynomial.laguerre.lagmul(a, b), np.polynomial.laguerre.lagmulx(b)), C, D
    ),
    row(
        lambda a, b: (np.polynomial.laguerre.lagdiv(a, b), np.polynomial.laguerre.lagpow(b, 3)),
        C,
        D,
    ),
    row(lambda a: (np.polynomial.laguerre.lagder(a), np.polynomial.laguerre.lagint(a, 2, 1.5)), C),
    row(
        lambda a: (
            np.polynomial.laguerre.lagvander(a, 4),
            np.polynomial.laguerre.lagfit(a, a * a, 2),
        ),
        C,
    ),
    row(lambda x, c: np.polynomial.legendre.legval(x, c), X.astype("f"), TABLE.T[:, ::-1]),
    row(lambda x, c: np.polynomial.chebyshev.chebval(x, c, tensor=False), D, TABLE[:, :3]),
    row(lambda x, c: np.polynomial.hermite.hermval(x, c), SMALL, WEIGHTS.astype("F")),
    row(lambda a, b: np.polynomial.legendre.legmul(a, b), C.astype("f"), D.astype("f")),
    row(lambda a: np.polynomial.legendre.legmulx(a), C + 1j),
    row(lambda a: np.polynomial.laguerre.lagder(a, -1), C),
    row(lambda a: np.polynomial.legendre.legint(a, 1, (1, 2)), C),
    row(lambda a: np.polynomial.legendre.legder(a, 2, 0.5, axis=1), TABLE),
    row(lambda a, b: np.polynomial.chebyshev.chebadd(a, b), C[:0], D),
    row(lambda a, b: np.polynomial.hermite.hermdiv(a, b), C, np.zeros(2)),
    row(lambda a: np.polynomial.polynomial.polypow(a, -1), C),
    row(lambda a: np.polynomial.legendre.legpow(a, 17), C),
    row(lambda a: np.polynomial.polynomial.polycompanion(a), C),
    row(lambda a: np.polynomial.polynomial.polyroots(a), C + 1j),
    row(lambda n: np.polynomial.legendre.leggauss(n), 9),
    row(lambda n: np.polynomial.laguerre.laggauss(n), 6),
    row(lambda n: np.polynomial.laguerre.laggauss(n), 0),
    row(lambda: np.polynomial.chebyshev.chebpts1(5)),
    row(lambda: np.polynomial.chebyshev.chebpts2(5)),
    row(lambda: np.polynomial.chebyshev.chebgauss(5)),
    row(lambda a: np.polynomial.chebyshev.chebweight(a / 4), C),
    row(lambda a: np.polynomial.polyutils.trimcoef(a, 0.4), C),
    row(lambda a: np.polynomial.polyutils.trimseq(a), np.array([1.0, 2, 0, 0])),
    # NumPy adds 0.0 first, so that there is no -0.0
    row(lambda x: np.polynomial.polynomial.polyvander(x, 3), np.array([-0.0, 1.0])),
    row(lambda x: np.polynomial.chebyshev.chebvander(x, 3), np.array([-0.0, 1.0])),
    row(lambda x: np.polynomial.legendre.legvander(x, 3), np.array([-0.0, 1.0])),
    row(lambda x: np.polynomial.hermite.hermvander(x, 3), np.array([-0.0, 1.0])),
    row(lambda x: np.polynomial.hermite_e.hermevander(x, 3), np.array([-0.0, 1.0])),
    row(lambda x: np.polynomial.laguerre.lagvander(x, 3), np.array([-0.0, 1.0])),
    row(lambda x: np.polynomial.chebyshev.chebvander(x, 3), np.array([-0.0 - 0.0j, 1.0])),
]
