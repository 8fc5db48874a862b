; RUN: lanewise-compile --pass instance %s | FileCheck %s
; An arm that leaves a loop, laid out among the loop's blocks, is in the iteration it leaves; the
; block behind the loop is in none, though it is reached from the arm.

declare i32 @lw.warp_sum.i32(i32) convergent

define i32 @leaving(i32 %n, i32 %v) {
; CHECK-LABEL: define i32 @leaving(
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %mine = icmp eq i32 %i, %v
  br i1 %mine, label %arm, label %more
; CHECK: arm:
; CHECK: %[[TRIP:[0-9]+]] = load i64, ptr %trip
; CHECK: call i32 @lw.warp_sum.i32(i32 %v) [ "lw.instance"(i64 0, i64 %[[TRIP]], i64 0) ]
arm:
  %s = call i32 @lw.warp_sum.i32(i32 %v)
  br label %end
more:
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %end
; CHECK: end:
; CHECK: call i32 @lw.warp_sum.i32(i32 %{{.*}}) [ "lw.instance"(i64 1) ]
end:
  %r = phi i32 [ %s, %arm ], [ %v, %more ]
  %all = call i32 @lw.warp_sum.i32(i32 %r)
  ret i32 %all
}
