; CUDA: gvn widens an index on each edge to a join where one edge has it widened already. The phi of
; both is one number, computed at the join. A phi of two numbers stays.
; RUN: lanewise-compile --pass clean %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define {{.*}}@one_number(
; CHECK: phi float
; CHECK-NEXT: [[WIDE:%.*]] = sext i32 %i to i64
; CHECK-NEXT: getelementptr inbounds float, ptr %out, i64 [[WIDE]]
define win64cc void @one_number(ptr %out, ptr %in, i32 %by) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = sub nsw i32 %t, %by
  %inside = icmp sgt i32 %i, -1
  br i1 %inside, label %some, label %on
some:
  %wide = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %wide
  %x = load float, ptr %from
  br label %on
on:
  %sum = phi float [ 0.0, %entry ], [ %x, %some ]
  %wide2 = sext i32 %i to i64
  %to = getelementptr inbounds float, ptr %out, i64 %wide2
  store float %sum, ptr %to
  ret void
}

; CHECK-LABEL: define {{.*}}@two_numbers(
; CHECK: %at.in = phi i32
define win64cc void @two_numbers(ptr %out, ptr %in, i32 %by) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %inside = icmp sgt i32 %t, %by
  br i1 %inside, label %some, label %others
some:
  %wide = sext i32 %t to i64
  store float 1.0, ptr %in
  br label %on
others:
  %wide2 = sext i32 %by to i64
  store float 2.0, ptr %in
  br label %on
on:
  %at = phi i64 [ %wide, %some ], [ %wide2, %others ]
  %to = getelementptr inbounds float, ptr %out, i64 %at
  store float 0.0, ptr %to
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"lw.cuda", i32 1}
