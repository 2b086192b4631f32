"""Calls that the fuzzer of library calls makes: expressions with a letter for each argument.

`fuzz.call_values.KINDS` says what the letters stand for.  A tilde in front lets floats differ in
their last bits, as the entry `reduction-order` of the ledger does; an equals sign leaves out what
the order of equal elements decides (`open-order`).  Several lines in braces are a function's body.
"""

from __future__ import annotations

import cmath
import math

from fuzz import array_templates

_ONE_ARRAY = """
all any max min sum prod argmax argmin cumsum cumprod nancumsum nancumprod ptp
nanmax nanmin nanargmax nanargmin ~nansum ~nanprod ~nanmean ~nanvar ~nanstd ~nanmedian ~mean ~var
~std ~median ~average count_nonzero sort
"""  # also along an axis
_PLAIN = """
np.argwhere(A) np.flatnonzero(A) np.nonzero(A) np.where(A) np.isfinite(A) np.isinf(A) np.isnan(A)
np.isfinite(X) np.isinf(X) np.isnan(X) np.nan_to_num(A) np.nan_to_num(A,nan=F) np.unique(A)
np.unique(A,return_counts=True) np.unique(A,return_inverse=True) np.unique(A,return_index=True)
np.amin(A,K) np.diff(A) np.diff(A,N) np.diff(A,1,K) np.ediff1d(A) np.trapezoid(L) np.trapezoid(L,M)
np.allclose(A,B) np.array_equal(A,B) np.isclose(A,B) np.isclose(A,X) np.isclose(X,A)
np.array_equiv(A,B) np.array_equiv(A,X) np.empty(H).shape np.empty(N,D).shape np.amax(A)
np.isclose(A,B,F,F) np.isclose(A,A,equal_nan=True) ~np.interp(A,V,V) ~np.interp(R,V,V)
np.polyval(L,A) np.polyval(L,X) np.histogram(A) np.histogram(A,N) np.histogram(A,V) np.bincount(J)
np.bincount(J,None,N) np.bincount(J,L) ~np.convolve(L,M) ~np.correlate(L,M)
~np.convolve(L,M,'same') ~np.correlate(L,M,'full') np.append(A,B) np.append(A,X) np.append(A,B,K)
np.column_stack((G,G)) np.concatenate((A,B)) np.concatenate((A,A),K) np.concatenate((A,B),None)
np.stack((A,A),K) np.hstack((G,G)) np.vstack((G,G)) np.dstack((G,G)) np.delete(A,O) np.delete(A,J)
np.delete(A,slice(O,O)) np.insert(A,O,X) np.insert(L,O,M) np.insert(A,J,X) np.insert(L,(O,O),M)
np.array(((X,Y),(Y,X)),D) np.insert(A,slice(O,O),X) np.tile(A,N) np.tile(A,H) np.tile(X,H)
np.asarray(A) np.asarray(A,D) np.asarray(X) np.array(A) np.array(A,D) np.array((X,Y))
np.array((X,Y),D) np.ascontiguousarray(A) np.asfortranarray(A) np.copy(A) np.empty_like(A).shape
np.zeros_like(A) np.ones_like(A) np.zeros_like(A,D) np.full_like(A,X) np.full_like(A,X,D)
np.full(H,X) np.full(H,X,D) np.zeros(H) np.zeros(N) np.ones(H,D) np.zeros(H,D) np.eye(N)
np.eye(N,N,O) np.eye(N,N,O,D) np.identity(N) np.tri(N) np.tri(N,N,O) np.tril(G) np.tril(G,O)
np.triu(G,O) np.vander(L) np.vander(L,N) np.vander(L,N,True) np.meshgrid(L,M) np.arange(R)
np.arange(R,R) np.arange(R,R,R) np.arange(R,R,R,D) np.linspace(R,R) np.linspace(R,R,N)
np.linspace(R,R,N,False) np.linspace(R,R,N,True,True) np.linspace(R,R,N,dtype=D)
~np.logspace(R,R,N) ~np.geomspace(R,R,N) ~np.dot(A,B) np.dot(A,X) ~np.dot(L,M) ~np.dot(T,L)
~np.dot(T,T) ~np.vdot(A,B) ~np.inner(G,G) np.outer(A,B) np.kron(L,M) np.kron(T,T) ~np.cross(L,M)
~np.matmul(G,G) ~(G@G) np.trace(T) np.trace(T,O) np.digitize(A,S) np.digitize(R,S)
np.digitize(A,S,True) np.searchsorted(S,A) np.searchsorted(S,R) np.searchsorted(S,A,'right')
S.searchsorted(R,'right') S.searchsorted(A) np.clip(A,X,Y) np.clip(A,B,X) np.clip(A,X,None)
np.clip(A,None,X) A.clip(X,Y) np.clip(X,Y,X) np.extract(C,A) np.maximum(A,B) np.minimum(A,B)
np.round(A) np.round(A,O) np.around(A) A.round(N)
np.maximum(A,X) np.minimum(X,A) np.maximum(X,Y) np.repeat(A,N) np.repeat(A,J) np.repeat(A,N,K)
A.repeat(J,K) np.take(A,O) np.take(A,I) np.take(A,O,K) np.take(A,J,K) A.take(I)
np.take_along_axis(T,T.astype(np.int64),K) np.take_along_axis(L,J,0) np.where(C,A,B)
np.where(C,A,X) np.where(C,X,Y) np.where(X,X,Y) np.intersect1d(A,B) np.union1d(A,B)
np.setdiff1d(A,B) np.setxor1d(A,B) np.isin(A,B) np.isin(X,A) np.atleast_1d(A) np.atleast_2d(A)
np.atleast_3d(A) np.atleast_1d(X) np.atleast_2d(X) np.diag(G) np.diag(G,O) np.diagflat(A)
np.diagflat(A,O) np.diagonal(G) np.diagonal(T,O) T.diagonal(O) np.expand_dims(A,K) np.flip(A)
np.flip(A,K) np.fliplr(G) np.flipud(G) np.moveaxis(G,K,K) np.roll(A,O) np.roll(A,O,K) np.rot90(G)
np.rot90(T,O) np.squeeze(A,K) np.swapaxes(G,K,K) np.transpose(A) np.transpose(T,(K,K))
A.transpose() A.squeeze(K) A.swapaxes(K,K) np.argsort(A,kind='stable')
np.argsort(A,K,kind='stable') A.argsort(kind='stable') np.sort(A,axis=None) =np.partition(L,O)
=np.partition(G,O,K) =np.partition(L,(O,O)) ~np.corrcoef(G) ~np.cov(G) ~np.percentile(A,Q)
~np.quantile(A,Q) ~np.nanpercentile(A,Q) ~np.nanquantile(A,Q) ~np.quantile(A,L)
~np.average(A,weights=B) ~np.average(A,weights=A) ~np.var(A,ddof=R) ~np.std(A,K,ddof=R) ~A.var()
~A.std(K) ~A.mean(K) np.sum(A,K,keepdims=True) np.max(A,P) np.min(A,P,keepdims=True) np.any(A,P)
~np.mean(A,P) np.all(A,keepdims=True) ~np.mean(A,K,keepdims=True) np.prod(A,P) A.sum(K) A.prod()
A.max(K) A.min() A.all(K) A.any() A.argmax(K) A.argmin() A.cumsum(K) A.cumprod()
np.broadcast_shapes(H,H) np.broadcast_shapes(H,N,H) np.broadcast_to(A,H) np.broadcast_to(X,H)
np.broadcast_to(A,N)
np.shape(A) np.size(A) np.ndim(A) np.ravel(A) np.reshape(A,H) A.reshape(N,N) A.reshape(H)
A.ravel() A.flatten() A.copy() A.astype(D) A.item() A.item(O) A.T A.real A.imag A.shape A.strides
A.astype(D,copy=False)
A.ndim A.size A.itemsize A.nbytes A.dtype A.view(D) A[O] A[O,O] A[O:O] A[::O] A[O:O:O] A[...,O]
A[None,O] A[:,O] A[O:,O:] A.flat[O] len(A) len(A.flat) A[()] (X,A) tuple(A.shape) bool(L) bool(A)
float(A) int(A) complex(A) abs(A) abs(X) round(R) round(R,O) round(F,O) pow(X,Y) pow(Z,Z,Z)
divmod(R,R) min(R,R) max(R,R,R) min(L) max(L) sum(L) any(L) all(L) int(R) float(R) complex(X)
complex(R,R) bool(X) len(range(Z,Z,Z)) range(Z,Z,Z)[O] (Z<=Z<=Z) int(X) float(X) sum((X,Y,X))
min((R,R)) max((R,R,R)) tuple(range(2))[O] slice(O,O,O).indices(5) isinstance(X,int) X.real X.imag
X.conjugate() Z.bit_length() Z.bit_count() F.is_integer() F.as_integer_ratio()
Z.as_integer_ratio() X+Y X-Y X*Y X/Y R//R R%R X**Y Z<<N Z>>N Z&Z Z|Z Z^Z -X (not\\tX) (X==Y) (R<R)
np.add.reduce(A) np.add.reduce(A,K) np.add.reduce(A,None) np.add.reduce(L,0,D)
np.add.reduce(A,K,where=C) np.add.reduce(A,P,keepdims=True) np.add.reduce(A,K,initial=X)
np.multiply.reduce(A,K) np.subtract.reduce(A) np.subtract.reduce(A,K) np.maximum.reduce(A,K)
np.fmin.reduce(A,K) np.logical_xor.reduce(A,K) np.bitwise_or.reduce(A,None) ~np.hypot.reduce(A,P)
np.add.accumulate(A) np.subtract.accumulate(A,K) ~np.multiply.accumulate(L,0,D)
np.maximum.accumulate(A,K) np.add.reduceat(L,J) np.subtract.reduceat(G,J,K) np.multiply.outer(A,B)
np.add.outer(A,X) np.subtract.outer(X,L) np.sum(L,dtype=D) np.sum(A,K,where=C) np.sum(A,initial=X)
np.max(A,initial=X) ~np.prod(A,P,where=C) ~np.mean(A,K,D) ~np.var(A,P)
np.any(A,K,where=C) np.ptp(A,P) np.argmin(A,K,keepdims=True) ~np.nansum(A,P)
~np.nanmean(A,P,keepdims=True) ~np.nanvar(A,P) ~np.nanstd(A,K,ddof=R)
np.nanmin(A,P) np.nanmax(A,K,initial=X)
np.uint8(R) np.int16(R) np.uint64(R) np.int64(R) np.float32(X) np.complex64(X) np.bool_(X)
""" + "\n".join(f"np.int32({x}) np.uint32({x}) np.int8({x})" for x in "FZ")

_BODIES = (
    "A.fill(X)\nreturn A",
    "A[:] = X\nreturn A",
    "A[...] = B\nreturn A",
    "L[O] = X\nreturn L",
    "T[O, :] = L\nreturn T",
    "L[O:O] = M\nreturn L",
    "L[::O] = X\nreturn L",
    "A.flat[O] = X\nreturn A",
    "A += X\nreturn A",
    "A -= B\nreturn A",
    "A *= X\nreturn A",
    "A /= B\nreturn A",
    "A //= X\nreturn A",
    "A %= X\nreturn A",
    "A &= X\nreturn A",
    "A |= B\nreturn A",
    "A ^= X\nreturn A",
    "G.sort()\nreturn G",
    "G.sort(K)\nreturn G",
    "np.add.at(L, J, X)\nreturn L",
    "np.subtract.at(L, J, M)\nreturn L",
    "np.maximum.at(T, J, X)\nreturn T",
    "np.add.at(A, slice(O, O), X)\nreturn A",
    "np.negative.at(L, J)\nreturn L",
    "return R in A",
    "return R not in A",
)


def _math() -> list[str]:
    two = "atan2 copysign fmod gcd hypot lcm nextafter pow remainder comb perm ldexp isclose log"
    found = []
    for module, letter in ((math, "R"), (cmath, "E")):
        for name in dir(module):
            function = getattr(module, name)
            if not callable(function) or name.startswith("_") or name in ("fsum", "dist", "prod"):
                continue
            call = f"{module.__name__}.{name}"
            number = "Z" if name in ("gcd", "lcm", "comb", "perm", "factorial", "isqrt") else letter
            if name == "ldexp":
                found.append(f"{call}(R,Z)")
            elif name == "rect" or name in two.split():
                found.append(f"{call}({number},{number})")
            if name != "ldexp" and (name not in two.split() or name == "log"):
                found.append(f"{call}({number})" if name != "rect" else f"{call}(R,R)")
    return found


_OPERATORS = [
    *(f"operator.{name}(X,Y)" for name in "add sub mul truediv floordiv mod pow".split()),
    *(f"operator.{name}(Z,Z)" for name in "and_ or_ xor lshift rshift".split()),
    *(f"operator.{name}(R,R)" for name in "eq ne lt le gt ge".split()),
    *(f"operator.{name}(X)" for name in "abs neg pos not_ truth".split()),
    *(f"operator.{name}(Z)" for name in "invert inv index".split()),
    "operator.getitem(A,O)",
    "operator.contains(A,X)",
    "operator.is_(X,None)",
]


def _templates() -> list[str]:
    found = []
    for word in _ONE_ARRAY.split():
        close, name = word.startswith("~"), word.lstrip("~")
        for arguments in ("A", "A,K"):
            found.append(f"{'~' if close else ''}np.{name}({arguments})")
    found += [word.replace("\\t", " ") for word in _PLAIN.split()]
    found += [*_BODIES, *_math(), *_OPERATORS]
    return list(dict.fromkeys([*found, *array_templates.TEMPLATES]))


TEMPLATES = _templates()
