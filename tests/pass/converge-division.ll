; What a region with collectives computes of values from outside is computed in front of it, by all
; lanes: not a division, whose divisor may be 0 in those that the region keeps away from it.
; RUN: lanewise-compile --pass converge --device cuda:sm_90 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.warp_sum.i32(i32) convergent nounwind

; CHECK-LABEL: define win64cc void @guarded(
; CHECK-NOT: urem i32 %n, %d
; CHECK: urem i32 %n, 7
; CHECK: br label %enter
; CHECK: ; preds = %begin
; CHECK: ; preds = %begin
; CHECK-NEXT: urem i32 %n, %d
define win64cc void @guarded(ptr %out, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr i32, ptr %out, i64 %i
  %d = load i32, ptr %at
  %some = icmp ne i32 %d, 0
  br i1 %some, label %divide, label %end
divide:
  %rest = urem i32 %n, %d
  %other = urem i32 %n, 7
  %term = add i32 %rest, %other
  %sum = call i32 @lw.warp_sum.i32(i32 %term) [ "lw.instance"(i64 0) ]
  store i32 %sum, ptr %at
  br label %end
end:
  ret void
}
