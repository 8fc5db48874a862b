; RUN: lanewise-compile --pass instance %s | FileCheck %s
; Without loops an instance is its place; the then-arm comes before the else-arm.

declare i32 @lw.warp_sum.i32(i32) convergent
declare void @lw.barrier() convergent

define i32 @arms(i1 %c, i32 %v) {
; CHECK-LABEL: define i32 @arms(
; CHECK: br i1 %c, label %[[THEN:.*]], label %[[ELSE:.*]]
entry:
  br i1 %c, label %then, label %else
; CHECK: else:
; CHECK: call i32 @lw.warp_sum.i32(i32 2) [ "lw.instance"(i64 1) ]
else:
  %b = call i32 @lw.warp_sum.i32(i32 2)
  br label %end
; CHECK: then:
; CHECK: call i32 @lw.warp_sum.i32(i32 1) [ "lw.instance"(i64 0) ]
then:
  %a = call i32 @lw.warp_sum.i32(i32 1)
  br label %end
; CHECK: call void @lw.barrier() [ "lw.instance"(i64 2) ]
; CHECK: call i32 @lw.warp_sum.i32(i32 %{{.*}}) [ "lw.instance"(i64 3) ]
end:
  %r = phi i32 [ %a, %then ], [ %b, %else ]
  call void @lw.barrier()
  %s = call i32 @lw.warp_sum.i32(i32 %r)
  ret i32 %s
}

; Nothing is counted without a collective.
define i32 @alone(i32 %n) {
; CHECK-LABEL: define i32 @alone(
; CHECK-NOT: alloca
; CHECK: ret i32
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %end
end:
  ret i32 %next
}
