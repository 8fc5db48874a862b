# npy.sh - buffers from and to NumPy files: what is written can be read, with shape and dtype.
set -eu

cat >copy.c <<'END'
#include <lanewise/kernel.h>
struct pair {
    float x;
    int n;
};
KERNEL void scale(float *a) { a[thread_idx.x] *= 2; }
KERNEL void halfway(__bf16 *a) { a[0] = 3; }
KERNEL void pairs(struct pair *p) { p[thread_idx.x].n++; }
END

run() { "$LANEWISE" run copy.c "$@"; }
same() { [ "$1" = "$2" ] || { printf '%s\n' "is       $1" "expected $2"; exit 1; }; }

same "$(run -k scale -b 6 'f32[2,3]=iota:a.npy')" \
    'a: f32[2,3] = [[ 0.0,  2.0,  4.0],
               [ 6.0,  8.0, 10.0]]'
same "$(run -k scale -b 6 @a.npy:a.npy)" 'a: f32[2,3] = [[ 0.0,  4.0,  8.0],
               [12.0, 16.0, 20.0]]'
same "$(run -k scale -b 6 -d null @a.npy)" 'a: f32[2,3] = [[ 0.0,  4.0,  8.0],
               [12.0, 16.0, 20.0]]'

# 10 bytes, then a dictionary; the data begin at a multiple of 64.
same "$(head -c 6 a.npy | tail -c 5)" NUMPY
same "$(tail -c +11 a.npy | head -c 59)" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
same "$(wc -c <a.npy | tr -d ' ')" $((128 + 24))

same "$(run -k halfway -b 1 'bf16[2]:b.npy')" 'a: bf16[2] = [3.0, 0.0]'
same "$(run -k halfway -b 1 -d null bf16@b.npy)" 'a: bf16[2] = [3.0, 0.0]'
same "$(run -k pairs -b 2 'struct[2]={0.5,1},{1.5,2}:p.npy')" 'p: struct[2] = [{0.5, 2}, {1.5, 3}]'
same "$(run -k pairs -b 2 struct@p.npy)" 'p: struct[2] = [{0.5, 3}, {1.5, 4}]'
same "$(run -k pairs -d null @p.npy)" \
    'p: u8[2,8] = [[  0,   0,   0,  63,   2,   0,   0,   0],
              [  0,   0, 192,  63,   3,   0,   0,   0]]'

# A repeated launch starts from the file again.
same "$(run -k scale -b 6 --time=3 @a.npy | head -n 2)" \
    'a: f32[2,3] = [[ 0.0,  8.0, 16.0],
               [24.0, 32.0, 40.0]]'

# An output that cannot be written leaves nothing behind.
mkdir full && chmod 500 full
if ! touch full/x 2>/dev/null; then
    status=0
    run -k scale -b 1 'f32[1]:full/o.npy' 2>err || status=$?
    same "$status" 2
fi
same "$(find . -name '*.tmp')" ''
