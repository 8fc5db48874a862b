; The halving tree is straight code: one barrier a step, each with its iteration.
; RUN: lanewise-compile --pass prepare --block 8,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.block_dim.x() memory(none)
declare void @lw.barrier() convergent nounwind

@part = internal global [8 x float] undef, section "lw.shared", align 16

; CHECK-LABEL: @tree(
; CHECK: icmp ult i32 %t, 4
; CHECK: call void @lw.barrier() [ "lw.instance"(i64 1, i64 0, i64 0) ]
; CHECK: icmp ult i32 %t, 2
; CHECK: call void @lw.barrier() [ "lw.instance"(i64 1, i64 1, i64 0) ]
; CHECK: icmp eq i32 %t, 0
; CHECK: call void @lw.barrier() [ "lw.instance"(i64 1, i64 2, i64 0) ]
; CHECK-NOT: @lw.barrier
; CHECK-NOT: phi
; CHECK: ret void
define win64cc void @tree(ptr %out) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %dim = call i32 @lw.block_dim.x()
  %half = sdiv i32 %dim, 2
  br label %loop
loop:
  %s = phi i32 [ %half, %entry ], [ %s.next, %latch ]
  %trip = phi i64 [ 0, %entry ], [ %trip.next, %latch ]
  %more = icmp sgt i32 %s, 0
  br i1 %more, label %body, label %done
body:
  %mine = icmp slt i32 %t, %s
  br i1 %mine, label %add, label %latch
add:
  %at = getelementptr inbounds [8 x float], ptr @part, i64 0, i32 %t
  %from = add i32 %t, %s
  %other = getelementptr inbounds [8 x float], ptr @part, i64 0, i32 %from
  %a = load float, ptr %at
  %b = load float, ptr %other
  %sum = fadd float %a, %b
  store float %sum, ptr %at
  br label %latch
latch:
  call void @lw.barrier() [ "lw.instance"(i64 1, i64 %trip, i64 0) ]
  %s.next = sdiv i32 %s, 2
  %trip.next = add i64 %trip, 1
  br label %loop
done:
  %r = load float, ptr @part
  store float %r, ptr %out
  ret void
}
