# matrices.sh - buffers of two and more axes are broken into lines as NumPy does it: what is fixed
# here, and the same text as np.array2string of whole numbers where NumPy is installed.
set -eu

cat >k.c <<'C'
#include <lanewise/kernel.h>
struct pair {
    int n;
    float x;
};
KERNEL void none(void *a) { (void)a; }
KERNEL void pairs(struct pair *a) { (void)a; }
C

prints() # ARG [KERNEL], and what is printed on standard input
{
    cat >expected
    "$LANEWISE" run k.c -k "${2:-none}" -d null "$1" >out
    diff expected out || { echo "$1" && exit 1; }
}
prints 'f32[3]=1,2.5,3' <<'END'
a: f32[3] = [1.0, 2.5, 3.0]
END
prints 'f32[2,3]=0,1,2.25,10,-11,12.5' <<'END'
a: f32[2,3] = [[  0.0 ,   1.0 ,   2.25],
               [ 10.0 , -11.0 ,  12.5 ]]
END
prints 'f64[2,2]=1,nan,-inf,10.5' <<'END'
a: f64[2,2] = [[ 1.0,  nan],
               [-inf, 10.5]]
END
prints 'f64[2,2]=1,1e-5,2.5,100' <<'END'
a: f64[2,2] = [[  1.0, 1e-05],
               [  2.5, 100.0]]
END
prints 'bool[2,2]=1,0,0,1' <<'END'
a: bool[2,2] = [[ true, false],
                [false,  true]]
END
prints 'i32[2,2,2]=iota' <<'END'
a: i32[2,2,2] = [[[0, 1],
                  [2, 3]],

                 [[4, 5],
                  [6, 7]]]
END
prints 'i32[7,200]=iota' <<'END'
a: i32[7,200] = [[   0,    1,    2, ...,  197,  198,  199],
                 [ 200,  201,  202, ...,  397,  398,  399],
                 [ 400,  401,  402, ...,  597,  598,  599],
                 ...,
                 [ 800,  801,  802, ...,  997,  998,  999],
                 [1000, 1001, 1002, ..., 1197, 1198, 1199],
                 [1200, 1201, 1202, ..., 1397, 1398, 1399]]
END
prints 'i32[2,0]' <<'END'
a: i32[2,0] = [[],
               []]
END
prints 'struct[2,2]={1,2.5},{10,3},{2,1},{3,4}' pairs <<'END'
a: struct[2,2] = [[ {1, 2.5}, {10, 3.0}],
                  [ {2, 1.0},  {3, 4.0}]]
END

python3 -c 'import numpy' 2>/dev/null || exit 0
cat >same.py <<'P'
import subprocess, sys
import numpy as np

for shape in [(1, 1), (2, 30), (3, 17), (1, 500), (4, 250), (2, 2, 25), (2, 3, 2, 4), (1001, 1),
              (1, 1001), (7, 7, 30), (2, 2, 300), (1, 1, 1, 1, 9), (10, 10, 10), (3, 334)]:
    for dtype, name in [("i4", "i32"), ("i1", "i8")]:
        text = ",".join(map(str, shape))
        a = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
        head = f"a: {name}[{text}] = "
        want = head + np.array2string(a, separator=", ", prefix=head)
        out = subprocess.run([sys.argv[1], "run", "k.c", "-k", "none", "-d", "null",
                              f"{name}[{text}]=iota"], capture_output=True, text=True)
        if out.stdout != want + "\n":
            sys.exit(f"{name}{shape}\n{out.stdout}{out.stderr}\nNumPy:\n{want}")
P
python3 same.py "$LANEWISE"
