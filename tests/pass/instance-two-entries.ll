; RUN: lanewise-compile --pass instance %s | FileCheck %s
; A loop with two entries: whichever way a thread comes in, it is in iteration 0.

declare i32 @lw.warp_sum.i32(i32) convergent

define i32 @middle(i1 %c, i32 %n) {
; CHECK-LABEL: define i32 @middle(
entry:
  br i1 %c, label %jump, label %top
; CHECK: jump:
; CHECK: store i64 0, ptr %trip
jump:
  br label %middle
top:
  br label %loop
; CHECK: loop:
; CHECK: call i32 @lw.warp_sum.i32(i32 1) [ "lw.instance"(i64 0, i64 %{{[0-9]+}}, i64 0) ]
loop:
  %i = phi i32 [ 0, %top ], [ %next, %middle ]
  %a = call i32 @lw.warp_sum.i32(i32 1)
  br label %middle
; CHECK: middle:
; CHECK: call i32 @lw.warp_sum.i32(i32 2) [ "lw.instance"(i64 0, i64 %{{[0-9]+}}, i64 1) ]
middle:
  %j = phi i32 [ 0, %jump ], [ %i, %loop ]
  %b = call i32 @lw.warp_sum.i32(i32 2)
  %next = add i32 %j, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %end
end:
  ret i32 %b
}
