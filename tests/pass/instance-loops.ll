; RUN: lanewise-compile --pass instance %s | FileCheck %s
; An instance in loops: for each its place and its iteration, the outer first, then the own place.
; The iteration is 0 on the way into the loop and one more on the way back.

declare i32 @lw.warp_sum.i32(i32) convergent

define i32 @nested(i32 %n, i32 %v) {
; CHECK-LABEL: define i32 @nested(
; CHECK-DAG: %[[T1:trip[0-9]*]] = alloca i64
; CHECK-DAG: %[[T2:trip[0-9]*]] = alloca i64
entry:
  %before = call i32 @lw.warp_sum.i32(i32 1)
; CHECK: call i32 @lw.warp_sum.i32(i32 1) [ "lw.instance"(i64 0) ]
; CHECK: store i64 0, ptr %[[OUTER:trip[0-9]*]],
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
; CHECK: outer:
; CHECK: store i64 0, ptr %[[INNER:trip[0-9]*]],
; CHECK: inner:
; CHECK-DAG: %[[I:[0-9]+]] = load i64, ptr %[[OUTER]],
; CHECK-DAG: %[[J:[0-9]+]] = load i64, ptr %[[INNER]],
; CHECK: call i32 @lw.warp_sum.i32(i32 2)
; CHECK-SAME: [ "lw.instance"(i64 1, i64 %[[I]], i64 0, i64 %[[J]], i64 0) ]
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ]
  %s = call i32 @lw.warp_sum.i32(i32 2)
  br label %inner.latch
; CHECK: inner.latch:
inner.latch:
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %v
; CHECK: add i64 %{{[0-9]+}}, 1
; CHECK-NEXT: store i64 %{{[0-9]+}}, ptr %[[INNER]],
  br i1 %more, label %inner, label %latch
; CHECK: {{^}}latch:
; CHECK: %[[K:[0-9]+]] = load i64, ptr %[[OUTER]],
; CHECK: call i32 @lw.warp_sum.i32(i32 3) [ "lw.instance"(i64 1, i64 %[[K]], i64 1) ]
latch:
  %t = call i32 @lw.warp_sum.i32(i32 3)
  %i.next = add i32 %i, 1
  %again = icmp slt i32 %i.next, %n
; CHECK: add i64 %{{[0-9]+}}, 1
; CHECK-NEXT: store i64 %{{[0-9]+}}, ptr %[[OUTER]],
  br i1 %again, label %outer, label %end
; CHECK: {{^}}end:
; CHECK: call i32 @lw.warp_sum.i32(i32 4) [ "lw.instance"(i64 2) ]
end:
  %u = call i32 @lw.warp_sum.i32(i32 4)
  ret i32 %u
}
