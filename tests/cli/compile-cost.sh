# compile-cost.sh - --time-passes says which pass takes how long, ours and LLVM's; code that becomes
# too long for a block is made for smaller gangs.
set -eu

scans() # NUMBER: a kernel with so many scans of the block
{
    echo '#include <lanewise/kernel.h>'
    echo 'KERNEL void k(int *o) { int a = o[thread_idx.x];'
    i=0
    while [ $i -lt "$1" ]; do
        echo "a = block_inclusive_sum(a ^ $i);"
        i=$((i + 1))
    done
    echo 'o[thread_idx.x] = a; }'
}

scans 30 >scans.c
"$BUILD/src/compile/lanewise-compile" --time-passes --device cpu:avx2 --block 64,1,1 scans.c >table
head -1 table | grep -q 'cpu s .*share .*MiB .*peak MiB .*pass'
for pass in front prepare spmd optimise object linked; do
    grep -Eq "^ +[0-9.]+ +[0-9.]+% +-?[0-9]+ +[0-9]+  $pass\$" table
done
grep -q '^ .*    InstCombinePass$' table
grep -q '^ .*    X86 DAG->DAG Instruction Selection$' table

widened() # SCANS: does the kernel's code run in gangs?
{
    scans "$1" >scans.c
    "$BUILD/src/compile/lanewise-compile" --show widened --device cpu:avx2 --block 1024,1,1 \
        --out 1 scans.c >widened
    grep -q 'lw.cpu.k' widened || exit 1
    grep -q 'lw.gang.k' widened
}
! widened 3 || { echo "a short kernel runs in gangs"; exit 1; }
widened 100 || { echo "a long kernel is one gang"; exit 1; }
