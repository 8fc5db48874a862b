# Maths functions choose by selects: where a kernel calls one, its lanes stay together. Left are
# the loops of fmod and remainder and, in sin, cos and tan, the branch to the reduction of huge
# arguments.
{
    echo '#include <lanewise/kernel.h>'
    for f in exp exp2 log log2 sin cos tan tanh erf sqrt rsqrt cbrt fabs floor ceil trunc round \
        rint logb exp10 expm1 log10 log1p sinh cosh \
        asinh acosh atanh asin acos atan erfc pow fmod fmin fmax copysign \
        fdim remainder hypot atan2 fma; do
        case $f in
        pow | fmod | fmin | fmax | copysign | fdim | remainder | hypot | atan2)
            arguments='*x, x[1]' ;;
        fma) arguments='*x, x[1], x[2]' ;;
        *) arguments='*x' ;;
        esac
        for type in float double; do
            echo "KERNEL void ${f}_$type($type *x) { *x = $f($arguments); }"
        done
    done
} >maths.c
"$LANEWISE" show maths.c --stage ir >maths.ll || exit 1

awk '
    /^define / { match($0, /@[a-z0-9_]+/); name = substr($0, RSTART + 1, RLENGTH - 1); n[name] = 0 }
    / br i1 | switch | indirectbr / { n[name]++ }
    END { for (name in n) if (name ~ /_(float|double)$/) print name, n[name] }' maths.ll |
    sort >branches
cat >allowed <<'END'
cos_double 1
cos_float 1
fmod_double 1
fmod_float 1
remainder_double 1
remainder_float 1
sin_double 1
sin_float 1
tan_double 1
tan_float 1
END
grep -v ' 0$' branches | diff allowed - || exit 1
[ "$(wc -l <branches)" -eq 84 ]
