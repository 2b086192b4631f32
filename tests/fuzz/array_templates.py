"""Calls for the fuzzer: indexing by arrays, linear algebra, transforms, random numbers, and the
functions of NumPy that are used less.  `fuzz.call_templates` says what the letters mean.
"""

from __future__ import annotations

INDEXING = """
A[I]
A[J]
A[I, J]
A[:, J]
A[J, :]
A[J, O]
A[O, J]
A[J, None]
A[None, J]
A[..., J]
A[J, ..., J]
A[J, O:O]
A[:, J, ::O]
A[C]
L[C]
L[L > X]
A[A == A]
T[T > X]
T[T[:, 0] > X]
T[:, T[0] > X]
T[T[:, 0] > X, O]
T[J, J]
T[J][:, J]
T[I % 2]
T[I % 2, I % 2]
T[np.ix_(J, J)]
L[np.nonzero(L)]
T[np.nonzero(T)]
T[np.where(T > X)]
A[np.array((0, -1))]
A[L > X, J]
A[True]
A[False]
A[True, O]
A[np.bool_(O)]
G[..., I]
L[J[:, None]]
L[J].sum()
T[J].sum(0)
(L[J] * L[J]).sum()
np.exp(L[J % 2])
L[L > X].sum()
L[I] + M[I]
len(A[J])
np.take(A, I, mode='wrap')
np.take(A, J, K, mode='clip')
np.take(A, I, K)
A.take(J, K)
np.take_along_axis(L, J, 0)
np.take_along_axis(A, np.argsort(A, kind='stable'), -1)
np.compress(J, A)
np.compress(C, A)
np.compress(J, A, K)
np.compress(J > 0, L)
A.compress(J > 0, K)
np.extract(C, A)
np.choose(J, (L, M))
np.choose(I, (A, B), mode='wrap')
np.choose(J, (X, Y), mode='clip')
np.select((L > 0, L < X), (L, M))
np.select((L > 0, L < X), (L, X), Y)
np.ix_(L, M)
np.unravel_index(J, H)
np.ravel_multi_index((J, J), H, mode='wrap')
np.ravel_multi_index((J, J), H)
"""

STORES = (
    "A[I] = X\nreturn A",
    "A[J] = B\nreturn A",
    "L[J] = M\nreturn L",
    "L[J] = L\nreturn L",
    "L[J] += X\nreturn L",
    "L[J] -= M\nreturn L",
    "L[J] += L\nreturn L",
    "A[C] = X\nreturn A",
    "A[C] = L\nreturn A",
    "L[L > X] = Y\nreturn L",
    "L[L > X] += Y\nreturn L",
    "L[L > X] = L[L > X] * 2\nreturn L",
    "L[L > 0] = M\nreturn L",
    "T[T > X] = Y\nreturn T",
    "T[T > X] *= 2\nreturn T",
    "T[J] = L\nreturn T",
    "T[:, J] = X\nreturn T",
    "T[J, O] = L\nreturn T",
    "T[J, J] = X\nreturn T",
    "T[J, J] += 1\nreturn T",
    "T[np.ix_(J, J)] = X\nreturn T",
    "T[T[:, 0] > X] = L\nreturn T",
    "T[:, T[0] > X] = Y\nreturn T",
    "T[J, :] -= L\nreturn T",
    "A.flat[J] = X\nreturn A",
    "A.flat[O:O] = X\nreturn A",
    "A.flat = X\nreturn A",
    "np.put(A, I, X)\nreturn A",
    "np.put(A, J, L)\nreturn A",
    "np.put(A, J, L, mode='wrap')\nreturn A",
    "np.put(A, J, X, mode='clip')\nreturn A",
    "np.place(L, L > X, M)\nreturn L",
    "np.place(A, C, L)\nreturn A",
    "np.putmask(L, L > X, M)\nreturn L",
    "np.putmask(A, C, L)\nreturn A",
    "np.copyto(A, X)\nreturn A",
    "np.copyto(A, B)\nreturn A",
    "np.copyto(A, B, where=C)\nreturn A",
    "np.put_along_axis(L, J, X, 0)\nreturn L",
    "np.put_along_axis(T, np.argsort(T, kind='stable'), X, K)\nreturn T",
    "np.fill_diagonal(T, X)\nreturn T",
    "np.fill_diagonal(G, L)\nreturn G",
)

LINEAR = """
~np.linalg.solve(W, W)
~np.linalg.solve(W, L)
~np.linalg.inv(W)
~np.linalg.det(W)
~np.linalg.slogdet(W)
~np.linalg.cholesky(W @ W.T)
~np.linalg.qr(W, 'r')
~np.linalg.svd(W, compute_uv=False)
~np.linalg.svdvals(W)
~np.linalg.eigvalsh(W)
~np.linalg.eigvalsh(W, 'U')
~np.linalg.pinv(W)
np.linalg.matrix_rank(W)
~np.linalg.cond(W)
~np.linalg.cond(W, 1)
~np.linalg.norm(A)
~np.linalg.norm(G, axis=K)
~np.linalg.norm(L, 1)
~np.linalg.norm(L, np.inf)
~np.linalg.norm(L, -np.inf)
~np.linalg.norm(L, 0)
~np.linalg.norm(L, 3)
~np.linalg.norm(T, 'fro')
~np.linalg.norm(T, 'nuc')
~np.linalg.norm(T, 1)
~np.linalg.norm(T, -1)
~np.linalg.norm(T, 2)
~np.linalg.norm(T, np.inf)
~np.linalg.norm(A, axis=P)
~np.linalg.norm(T, axis=K, keepdims=True)
~np.linalg.vector_norm(A)
~np.linalg.vector_norm(A, axis=K, keepdims=True)
~np.linalg.matrix_norm(G)
~np.linalg.matrix_power(W, 3)
~np.linalg.matrix_power(W, 0)
~np.linalg.matrix_power(W, -2)
~np.linalg.multi_dot((T, T))
~np.linalg.multi_dot((W, W, W))
np.linalg.trace(G)
np.linalg.diagonal(G)
np.linalg.diagonal(G, offset=O)
np.linalg.outer(L, M)
~np.linalg.cross(G, G)
~np.linalg.matmul(G, G)
~np.linalg.tensordot(G, G, 1)
~np.linalg.vecdot(G, G)
np.linalg.matrix_transpose(G)
~np.linalg.lstsq(W, L)[0]
~np.linalg.tensorsolve(W, L)
~np.tensordot(A, B, 1)
~np.tensordot(A, B, 0)
~np.tensordot(T, T, ((0,), (0,)))
~np.tensordot(T, T, 2)
~np.vecdot(G, G)
~np.matvec(T, L)
~np.vecmat(L, T)
~np.einsum('ij,jk->ik', T, T)
~np.einsum('ij,kj', T, T)
~np.einsum('ii', T)
~np.einsum('ii->i', T)
~np.einsum('ij->ji', T)
~np.einsum('ij->', T)
~np.einsum('ij->j', T)
~np.einsum('i,i', L, M)
~np.einsum('i,j->ij', L, M)
~np.einsum('i,i->i', L, M)
~np.einsum('ij,j->i', T, L)
~np.einsum('...j,...j->...', G, G)
~np.einsum('...i->i...', G)
~np.einsum('ij,ij,ij->i', T, T, T)
~np.einsum('i,ij,j->', L, T, M)
np.matrix_transpose(G)
np.trace(G, O, 0, 1)
~np.dot(G, G)
~np.inner(A, B)
~L.dot(M)
~T.dot(L)
np.kron(A, B)
"""

TRANSFORMS = """
np.fft.fft(G)
np.fft.fft(A, N)
np.fft.fft(G, N, K)
np.fft.fft(L, norm='ortho')
np.fft.ifft(G)
np.fft.ifft(L, N)
np.fft.rfft(G)
np.fft.rfft(L, N)
np.fft.irfft(G)
np.fft.irfft(L, N)
np.fft.hfft(L)
np.fft.ihfft(L)
np.fft.fft2(T)
np.fft.ifft2(T)
np.fft.rfft2(T)
np.fft.irfft2(T)
np.fft.fftn(A)
np.fft.ifftn(G)
np.fft.rfftn(G)
np.fft.irfftn(G)
np.fft.fftn(T, axes=(0,))
np.fft.fftn(T, (3, 2))
np.fft.fftfreq(N)
np.fft.fftfreq(N, F)
np.fft.rfftfreq(N)
np.fft.fftshift(A)
np.fft.fftshift(A, K)
np.fft.ifftshift(A)
"""

# What draws from NumPy's own state leaves the same one behind, too.
_DRAWN = """
rand(3)
randn(4)
random()
random_sample(H)
randint(9)
randint(O, 9, 5)
randint(0, 200, N, np.uint8)
choice(5)
choice(L)
choice(L, 3)
choice(L, 2, False)
permutation(N)
permutation(L)
permutation(T)
uniform(R, R)
uniform(R, R, N)
normal(R, R)
normal(R, R, N)
normal(L, R)
standard_normal(N)
exponential(R, N)
standard_exponential(N)
gamma(R, R, N)
standard_gamma(R, N)
beta(R, R, N)
binomial(9, R, N)
binomial(N, 0.3, 5)
chisquare(R, N)
f(R, R, N)
geometric(R, N)
gumbel(R, R, N)
hypergeometric(5, 6, N)
laplace(R, R, N)
logistic(R, R, N)
lognormal(R, R, N)
logseries(R, N)
multinomial(9, (0.2, 0.3, 0.5))
negative_binomial(5, R, N)
noncentral_chisquare(R, R, N)
noncentral_f(R, R, R, N)
pareto(R, N)
poisson(R, N)
poisson(40.0, N)
power(R, N)
rayleigh(R, N)
standard_cauchy(N)
standard_t(R, N)
triangular(R, R, R, N)
vonmises(R, R, N)
wald(R, R, N)
weibull(R, N)
zipf(R, N)
dirichlet((1.0, 2.0, R), N)
"""
_GENERATED = """
integers(9)
integers(O, 9, 5)
integers(0, 200, N, np.uint8)
integers(0, 200, N, endpoint=True)
integers(J, 9)
random()
random(N)
random(H, np.float32)
choice(5)
choice(L, 3)
choice(L, 2, False)
choice(T, N)
permutation(N)
permutation(L)
permutation(T, K)
permuted(T, axis=K)
standard_normal(N, np.float32)
standard_exponential(N, method='inv')
"""
_BOTH = "uniform normal exponential standard_normal gamma beta chisquare f geometric gumbel laplace"
_BOTH += " logistic lognormal logseries pareto poisson power rayleigh standard_cauchy standard_t"
_BOTH += " triangular vonmises wald weibull zipf standard_gamma standard_exponential binomial"
_BOTH += " negative_binomial noncentral_chisquare noncentral_f hypergeometric multinomial dirichlet"


def _random() -> list[str]:
    drawn = _DRAWN.strip().splitlines()
    made = _GENERATED.strip().splitlines()
    shared = [one for one in drawn if one.partition("(")[0] in _BOTH.split()]
    ends = "return r, np.random.random()"
    legacy = [f"np.random.seed(7)\nr = np.random.{one}\n{ends}" for one in drawn]
    legacy += [f"np.random.seed(7)\nnp.random.shuffle({a})\nreturn {a}" for a in "LT"]
    new = [f"r = U.{one}\nreturn r, U.random()" for one in (*made, *shared)]
    new += [f"U.shuffle({a})\nreturn {a}, U.random()" for a in ("L", "T")]
    return [*legacy, *new, "U.shuffle(T, K)\nreturn T"]


WIDE = """
np.apply_along_axis(np.sum, K, A)
np.apply_over_axes(np.sum, A, (0,))
np.fromfunction(np.add, (3, 2))
np.fromiter((X, Y), D)
np.real_if_close(A)
np.piecewise(L, (L > 0, L < X), (X, Y))
np.finfo(np.float32).eps
np.iinfo(np.int8).max
np.isdtype(D, 'integral')
np.issubdtype(D, np.integer)
np.histogramdd(T, (2, 2))
~np.polyfit(L, M, 1)
~np.roots(L)
np.dsplit(np.zeros((2, 2, 4)), 2)
np.angle(A)
np.angle(A, True)
np.array_split(A, 3)
np.array_split(A, 2, K)
np.split(A, 2)
np.split(L, (1, 3))
np.hsplit(G, 2)
np.vsplit(T, 2)
np.unstack(T)
np.asanyarray(A)
np.asarray_chkfinite(A)
np.bartlett(N)
np.blackman(N)
np.hamming(N)
np.hanning(N)
np.kaiser(N, F)
~np.i0(A)
np.sinc(A)
np.sinc(X)
np.block([A, A])
np.broadcast_arrays(A, B)
np.copy(A)
np.cumulative_sum(L)
np.cumulative_sum(T, axis=K, include_initial=True)
np.cumulative_prod(L)
np.diag_indices(N)
np.diag_indices_from(T)
np.fix(A)
np.gradient(L)
np.gradient(L, F)
np.gradient(L, L)
np.gradient(G, axis=K)
np.gradient(T, edge_order=2)
np.histogram2d(L, M)
np.histogram2d(L, M, N)
np.histogram_bin_edges(L, N)
np.imag(A)
np.real(A)
np.imag(X)
np.real(X)
np.iscomplex(A)
np.iscomplexobj(A)
np.isreal(A)
np.isrealobj(A)
np.isfortran(A)
np.isneginf(A)
np.isposinf(A)
np.isscalar(A)
np.isscalar(X)
np.iterable(A)
np.indices((2, 3))
np.indices(H)
np.mask_indices(3, np.triu)
np.may_share_memory(A, B)
np.shares_memory(A, A)
np.packbits(A)
np.packbits(A, K)
np.packbits(C, bitorder='little')
np.unpackbits(J)
np.pad(A, 1)
np.pad(L, N)
np.pad(L, (1, 2))
np.pad(T, ((1, 2), (0, 1)))
np.pad(A, 2, 'edge')
np.pad(A, 2, 'reflect')
np.pad(L, N, 'symmetric')
np.pad(L, N, 'wrap')
np.pad(A, 1, 'constant', constant_values=X)
np.pad(L, 2, 'linear_ramp', end_values=X)
np.pad(A, 1, 'maximum')
np.pad(A, 1, 'minimum')
~np.pad(A, 1, 'mean')
~np.pad(A, 1, 'median')
np.permute_dims(T, (1, 0))
np.poly(L)
np.polyadd(L, M)
np.polysub(L, M)
np.polymul(L, M)
np.polyder(L)
np.polyder(L, N)
np.polyint(L)
~np.polydiv(L, M)
np.reshape(A, (-1,))
np.reshape(A, H, 'F')
np.resize(A, H)
np.ravel(A, 'F')
np.require(A)
np.rollaxis(G, K)
np.rollaxis(G, K, 1)
np.select((C, C), (A, A), X)
np.sort_complex(A)
np.tril_indices(N)
np.tril_indices(N, O)
np.triu_indices(N, O, N)
np.tril_indices_from(T)
np.triu_indices_from(T, O)
np.trim_zeros(L)
np.trim_zeros(L, 'f')
np.trim_zeros(L, 'b')
np.unwrap(A)
np.unwrap(L, period=F)
np.nan_to_num(A, nan=F, posinf=F, neginf=F)
np.concat((A, B))
np.frombuffer(np.ascontiguousarray(L), np.uint8)
np.lib.stride_tricks.sliding_window_view(L, 2)
np.common_type(A, B)
np.result_type(A, B)
np.result_type(A, X)
np.can_cast(D, D)
np.promote_types(D, D)
np.min_scalar_type(X)
"""

KEYWORDS = """
np.sort(A, K, kind='stable')
np.sort(A, K, 'heapsort')
np.sort(A, stable=True)
=np.argsort(A, K)
np.argsort(A, K, stable=True)
=np.argpartition(L, 1)
np.lexsort((L, M))
np.lexsort((L, L, L))
np.lexsort(T)
np.lexsort(T, K)
np.searchsorted(S, A, 'right', np.argsort(S, kind='stable'))
np.argmax(A, K, keepdims=True)
np.count_nonzero(A, K, keepdims=True)
np.unique(A, True, True, True)
np.unique(T, axis=0)
np.unique(T, axis=1, return_inverse=True)
np.unique(A, equal_nan=False)
np.unique_all(A)
np.unique_counts(A)
np.unique_inverse(A)
=np.unique_values(A)
np.intersect1d(A, B, return_indices=True)
np.intersect1d(L, M, True)
np.isin(A, B, invert=True)
np.isin(A, B, assume_unique=True)
np.setdiff1d(L, M, True)
~np.average(A, K)
~np.average(A, K, keepdims=True)
~np.average(L, weights=M, returned=True)
~np.median(A, K, keepdims=True)
~np.median(A, P)
~np.percentile(A, Q, K)
~np.percentile(A, (10, Q), K, keepdims=True)
~np.quantile(A, Q, method='lower')
~np.quantile(A, Q, method='nearest')
~np.quantile(L, Q, method='hazen')
~np.quantile(L, Q, method='inverted_cdf')
~np.quantile(L, Q, weights=M, method='inverted_cdf')
~np.nanquantile(A, Q, K)
~np.nanpercentile(A, Q, K, keepdims=True)
~np.nanmedian(A, K, keepdims=True)
np.nancumsum(A, K)
np.nancumsum(A, K, D)
np.nancumprod(A, K)
~np.cov(G, bias=True)
~np.cov(G, ddof=N)
~np.cov(G, rowvar=False)
~np.cov(L, M)
~np.corrcoef(L, M)
np.histogram(A, N, (F, F))
np.histogram(A, V, density=True)
np.histogram(L, N, weights=M)
np.cumsum(A, K, D)
np.cumprod(A, K, D)
np.diff(A, 1, K, prepend=X)
np.diff(L, append=M)
np.ediff1d(L, X, Y)
~np.trapezoid(G, dx=F)
~np.trapezoid(G, axis=K)
~np.interp(A, V, V, F, F)
~np.interp(A, V, V, period=F)
np.clip(A, B, C)
np.clip(A, min=X)
np.clip(A, max=X)
np.allclose(A, B, equal_nan=True)
np.array_equal(A, B, True)
np.concatenate((A, B), dtype=D)
np.concatenate((A, B), K, dtype=D, casting='unsafe')
np.stack((A, A), axis=K, dtype=D, casting='unsafe')
np.roll(T, (O, O), (0, 1))
np.roll(A, O, K)
np.flip(A, P)
np.rot90(G, O, (1, 0))
np.expand_dims(A, P)
np.squeeze(A, P)
np.moveaxis(G, (0, 1), (1, 0))
np.moveaxis(T, (0,), (K,))
np.diagonal(G, O, 0, 1)
np.linspace(L, M, 3)
np.linspace(L, X, N, axis=K)
np.linspace(R, R, N, retstep=True)
np.full_like(A, X, D, shape=H)
np.zeros_like(A, D, 'F')
np.ones_like(A, shape=H)
np.eye(N, order='F')
np.meshgrid(L, M, indexing='ij')
np.meshgrid(L, M, sparse=True)
A.argpartition(0).shape
A.byteswap()
A.conj()
A.conjugate()
A.flatten('F')
A.copy('F')
A.ravel('F')
A.tobytes()
A.round(O)
A.std(K, ddof=1)
A.var(P, keepdims=True)
A.reshape(H, order='F')
A.astype(D, order='F')
A.argsort(K, 'stable')
A.mean(K, keepdims=True)
A.max(K, keepdims=True)
A.sum(K, D)
A.prod(K, keepdims=True, initial=X)
A.trace(O)
A.searchsorted(B)
A.repeat(J)
A.T.shape
A.flags.c_contiguous
A.flags.f_contiguous
A.flags.writeable
A.mT
np.add.reduce(A, K, initial=None)
np.add(A, B, dtype=D)
np.add(A, B, where=C)
np.add(A, X, casting='unsafe')
"""


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


TEMPLATES = [
    *_lines(INDEXING),
    *STORES,
    *_lines(LINEAR),
    *_lines(TRANSFORMS),
    *_random(),
    *_lines(WIDE),
    *_lines(KEYWORDS),
]
