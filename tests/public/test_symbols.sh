#!/usr/bin/env bash
# The libraries take nothing from others that rounds differently from one processor to the next: no libm function with code of
# its own for each (math/elementary.h has ours), no BLAS.
set -u
libraries=$(ls "$(dirname "$PELT")"/libpelt*.so)
found=$(nm -D --undefined-only $libraries | awk '{sub(/@.*/, "", $2); print $2}' |
    grep -xE '(sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erf|fma|tgamma|lgamma)[fl]?|cblas_.*|LAPACKE_.*|d(gemm|sytrf|syevd|potrf)_')
[ -z "$found" ] && exit 0
echo "$libraries: called are" $found
echo "their last bits depend on the processor: take pelti_sinf and its kind from math/elementary.h (dense.h, eigen.h for matrices)"
exit 1
