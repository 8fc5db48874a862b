# `show --stage ptx`: what GPUs are told. Floats are rounded after every operation and nothing is
# flushed; memory is of a known kind; four neighbours are one access; the block's size is known.
cat >k.c <<'TEXT'
#include <lanewise/kernel.h>
KERNEL BLOCK(64) void k(float4 *out, const float4 *a, float b)
{
    SHARED float row[64];
    float4 x = a[global_idx.x];
    row[thread_idx.x] = x.x * b + x.y;
    barrier();
    x.z = row[63 - thread_idx.x] / b;
    x.w = sqrt(x.w) + warp_sum(x.y);
    out[global_idx.x] = x;
}
TEXT
"$LANEWISE" show k.c --stage ptx >out || exit 1
want() { grep -q "$1" out || { echo "no '$1' in:"; cat out; exit 1; }; }
lacks() { ! grep -q "$1" out || { echo "'$1' in:"; cat out; exit 1; }; }
want '^\.visible \.entry k('
want '\.reqntid 64, 1, 1'
want 'ld\.global\.v4\.f32'
want 'st\.global\.v4\.f32'
want 'st\.shared\.f32'
want 'ld\.shared\.f32'
want 'mul\.rn\.f32'
want 'add\.rn\.f32'
want 'div\.rn\.f32'
want 'sqrt\.rn\.f32'
want 'bar\.sync'
want 'shfl\.sync\.bfly'
lacks 'fma\.'
lacks 'ftz'
lacks 'approx'
lacks '\bst\.f32\|\bld\.f32\|\bst\.v4\|\bld\.v4'
lacks 'vote\.sync'
lacks 'griddepcontrol'

# from sm_90 on a launch may begin while the one in front ends: no access comes before the wait
"$LANEWISE" show k.c --stage ptx -d cuda:sm_90 >out || exit 1
want 'griddepcontrol\.wait'
! sed '/griddepcontrol/,$d' out | grep 'ld\.global\|st\.global\|bar\.' || exit 1
