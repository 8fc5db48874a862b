# A break out of a scope with variables leaves the loop: an iteration asks once whether it does.
cat >scope.c <<'END'
#include <lanewise/kernel.h>
KERNEL void steps(int *out, const float *from)
{
    float x = from[thread_idx.x];
    int step;
    for (step = 0; step < 100; step++) {
        float square = x * x;
        if (square > 4)
            break;
        x = square + x;
    }
    out[thread_idx.x] = step;
}
END
"$LANEWISE" show scope.c --stage uniform >uniform.ll || exit 1
[ "$(grep -c ' br i1 ' uniform.ll)" -eq 2 ] || { cat uniform.ll; exit 1; }
