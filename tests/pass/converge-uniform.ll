; Where control flow is the block's, all lanes take part: the mask is a constant where warps are
; whole. Nothing asks who is there. All warps come to a block operation (i1 true).
; RUN: lanewise-compile --pass converge --device cuda:sm_90 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.block_idx.x() memory(none)
declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.warp_sum.i32(i32) convergent nounwind
declare i32 @lw.block_sum.i32(i32) convergent nounwind

; CHECK-LABEL: define win64cc void @uniform(
; CHECK-NOT: lw_cuda_who
; CHECK: call i32 @lw_cuda_warp_sum_i32(i32 -1,
; CHECK: call i32 @lw_cuda_block_sum_i32(i32 -1, i32 {{.*}}, i32 64, i32 {{.*}}, i1 true,
; CHECK-NOT: lw_cuda_who
; CHECK: {{^}}}
define win64cc void @uniform(ptr %out) {
entry:
  %b = call i32 @lw.block_idx.x()
  %t = call i32 @lw.thread_idx.x()
  %first = icmp eq i32 %b, 0
  br i1 %first, label %sum, label %end
sum:
  %warp = call i32 @lw.warp_sum.i32(i32 %t) [ "lw.instance"(i64 0) ]
  %all = call i32 @lw.block_sum.i32(i32 %warp) [ "lw.instance"(i64 1) ]
  %i = zext nneg i32 %t to i64
  %at = getelementptr i32, ptr %out, i64 %i
  store i32 %all, ptr %at
  br label %end
end:
  ret void
}
