# check-marks.sh - the marks of a finding are below its accesses, whatever comes before them: tabs,
# or characters of several bytes.
set -eu
cat >marks.c <<'C'
#include <lanewise/kernel.h>
KERNEL void k(int *a)
{
	/* é → 𝛼 */ a[0] = /* ü */ a[thread_idx.x];
}
C
"$LANEWISE" check marks.c -k k -b 2 'i32[2]=iota' >text && { echo "status 0"; exit 1; }
grep -m 1 -A 1 ' 4 | ' text >marks
cat >expected <<'C'
     4 | 	/* é → 𝛼 */ a[0] = /* ü */ a[thread_idx.x];
       | 	                 ^         ^
C
diff expected marks
