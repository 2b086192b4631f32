"""Make each element-wise operation on arrays an array expression (stage 5a).

    $0.1 = a * b     ->     $0.1 = arrayexpr(ty=array(float64, 1d, C), expr=a * b, args=(a, b))
                            body($a, $b):
                            label 1:
                                $1 = element multiply($a, $b)
                                give $1
                            end

    $0.2 = call np.sum($0.1)    ->    $0.2 = arrayreduce(ty=float64, expr=sum($0.1), ...)

The body has the operations on elements, with the conversions that NumPy performs.  `a += b` stores
in the existing array.
"""

from __future__ import annotations

from cutaway.stages.arrays import making
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Rewrite every element-wise operation and every reduction."""
    making.rewrite(unit, unit.editor())
