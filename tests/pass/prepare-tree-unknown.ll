; A loop with barriers that goes around as often as memory says stays one, also where that is at
; most three times.
; RUN: lanewise-compile --pass prepare --block 8,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare void @lw.barrier() convergent nounwind

; CHECK-LABEL: @steps(
; CHECK: call void @lw.barrier()
; CHECK-NOT: @lw.barrier()
; CHECK: ret void
define win64cc void @steps(ptr %out) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %at = getelementptr inbounds i32, ptr %out, i32 %t
  %n = load i32, ptr %out
  %most = and i32 %n, 3
  br label %loop
loop:
  %s = phi i32 [ 0, %entry ], [ %s.next, %latch ]
  %trip = phi i64 [ 0, %entry ], [ %trip.next, %latch ]
  %more = icmp slt i32 %s, %most
  br i1 %more, label %latch, label %done
latch:
  call void @lw.barrier() [ "lw.instance"(i64 1, i64 %trip, i64 0) ]
  store i32 %s, ptr %at
  %s.next = add i32 %s, 1
  %trip.next = add i64 %trip, 1
  br label %loop
done:
  ret void
}
