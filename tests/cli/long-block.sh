# long-block.sh - a long block of a kernel is cut into parts, which come one after the other: every
# instruction is still there once, phis are in the first part, and what follows sees the last.
set -eu
{
    echo 'define i32 @lw.cpu.k(ptr %launch, ptr %worker, i64 %first, i64 %count) {'
    echo 'entry:'
    echo '  br label %long'
    echo 'long:'
    echo '  %trip = phi i32 [ 0, %entry ], [ %next, %long ]'
    i=0
    while [ $i -lt 4000 ]; do
        echo "  store volatile i32 $i, ptr %launch"
        i=$((i + 1))
    done
    echo '  %next = add i32 %trip, 1'
    echo '  %more = icmp ult i32 %next, 10'
    echo '  br i1 %more, label %long, label %done'
    echo 'done:'
    echo '  %last = phi i32 [ %trip, %long ]'
    echo '  ret i32 %last'
    echo '}'
} >k.ll
"$BUILD/src/compile/lanewise-compile" --pass optimise --device cpu:avx2 k.ll >out.ll
[ "$(grep -c '^part' out.ll)" -eq 1 ]
[ "$(grep -c 'store volatile' out.ll)" -eq 4000 ]
[ "$(awk '/store volatile/ && $4 + 0 != n++ { bad++ } END { print bad + 0 }' out.ll)" -eq 0 ]
sed -n '/^part/,/store/p' out.ll | grep -q ' = phi i32 '
