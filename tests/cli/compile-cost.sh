# compile-cost.sh - --time-passes says which pass takes how long, ours and LLVM's.
set -eu

{
    echo '#include <lanewise/kernel.h>'
    echo 'KERNEL void k(int *o) { int a = o[thread_idx.x];'
    i=0
    while [ $i -lt 30 ]; do
        echo "a = block_inclusive_sum(a ^ $i);"
        i=$((i + 1))
    done
    echo 'o[thread_idx.x] = a; }'
} >scans.c

"$BUILD/src/compile/lanewise-compile" --time-passes --device cpu:avx2 --block 64,1,1 scans.c >table
head -1 table | grep -q 'cpu s .*share .*MiB .*peak MiB .*pass'
for pass in front prepare spmd optimise object linked; do
    grep -Eq "^ +[0-9.]+ +[0-9.]+% +-?[0-9]+ +[0-9]+  $pass\$" table
done
grep -q '^ .*    InstCombinePass$' table
grep -q '^ .*    X86 DAG->DAG Instruction Selection$' table
