"""Operations computed by NumPy's loops although instructions exist, with the reason for each."""

from __future__ import annotations

# Kinds are those of the loop's inputs, as in `np.dtype.kind`.
BY_LOOP = {
    ("multiply", "c"): "fuses multiplications and additions, on processors that can",
    ("square", "c"): "fuses multiplications and additions, on processors that can",
    ("absolute", "c"): "is a square root of a sum that is fused, by processor and stride",
    ("sqrt", "c"): "a function of NumPy's own, or of the C library",
    ("sign", "c"): "divides by the absolute value, by the C library's hypot",
    ("power", "f"): "vectors of NumPy's own, and other ways for an exponent that is a number",
    ("power", "c"): "squares for small whole exponents, else the C library",
    ("float_power", "f"): "as power",
    ("float_power", "c"): "as power",
    ("hypot", "f"): "the C library, which rounds as it sees fit",
    ("arctan2", "f"): "vectors of NumPy's own, or the C library",
    ("logaddexp", "f"): "made of functions of the C library",
    ("logaddexp2", "f"): "made of functions of the C library",
    ("cbrt", "f"): "vectors of NumPy's own, or the C library",
    **{
        (name, kind): "vectors of NumPy's own, or the C library, by processor"
        for name in (
            "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh"
            " arcsinh arccosh arctanh"
        ).split()
        for kind in "fc"
    },
}
