; Lanes leave a loop with atomics one by one, and the driver's assembler may have them go on like
; that: all are told to come together in front of the first collective behind it, on each way there,
; and not in front of those that follow on that.
; RUN: lanewise-compile --pass converge --device cuda:sm_90 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.warp_id() memory(none)
declare i32 @lw.warp_sum.i32(i32) convergent nounwind
declare void @lw.barrier() convergent nounwind

; Behind the loop, and in front of it nothing.
; CHECK-LABEL: define win64cc void @waits(
; CHECK-NOT: come_together
; CHECK: @lw_cuda_warp_sum_i32(
; CHECK: atomicrmw or
; CHECK: call void @lw_cuda_come_together(
; CHECK-NEXT: @lw_cuda_warp_sum_i32(
; CHECK-NOT: come_together
; CHECK: @lw_cuda_barrier(
define win64cc void @waits(ptr %cells, ptr %out, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr i32, ptr %cells, i64 %i
  %before = call i32 @lw.warp_sum.i32(i32 %n) [ "lw.instance"(i64 0) ]
  br label %wait
wait:
  %old = atomicrmw or ptr %at, i32 0 monotonic
  %again = icmp eq i32 %old, 0
  br i1 %again, label %wait, label %done
done:
  %sum = call i32 @lw.warp_sum.i32(i32 %old) [ "lw.instance"(i64 1) ]
  %twice = call i32 @lw.warp_sum.i32(i32 %sum) [ "lw.instance"(i64 2) ]
  call void @lw.barrier() [ "lw.instance"(i64 3) ]
  %to = getelementptr i32, ptr %out, i64 %i
  %all = add i32 %before, %twice
  store i32 %all, ptr %to
  ret void
}

; A branch that parts lanes leaves them apart if such a loop is in it, or it in such a loop.
; CHECK-LABEL: define win64cc void @branches(
; CHECK-NOT: come_together
; CHECK: @lw_cuda_warp_sum_i32(
; CHECK: atomicrmw or
; CHECK: call void @lw_cuda_come_together(
; CHECK-NEXT: @lw_cuda_warp_sum_i32(
; CHECK: atomicrmw add
; CHECK: call void @lw_cuda_come_together(
; CHECK-NEXT: @lw_cuda_warp_sum_i32(
; CHECK-NOT: come_together
; CHECK: @lw_cuda_warp_sum_i32(
; CHECK: ret void
define win64cc void @branches(ptr %cells, ptr %out, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr i32, ptr %cells, i64 %i
  %to = getelementptr i32, ptr %out, i64 %i
  %some = icmp ult i32 %t, 5
  br i1 %some, label %arm, label %join
arm:
  store i32 %n, ptr %to
  br label %join
join:
  %none = call i32 @lw.warp_sum.i32(i32 %n) [ "lw.instance"(i64 0) ]
  br i1 %some, label %wait, label %waited
wait:
  %old = atomicrmw or ptr %at, i32 0 monotonic
  %again = icmp eq i32 %old, 0
  br i1 %again, label %wait, label %waited
waited:
  %one = call i32 @lw.warp_sum.i32(i32 %none) [ "lw.instance"(i64 1) ]
  br label %loop
loop:
  %k = phi i32 [ 0, %waited ], [ %next, %latch ]
  %v = phi i32 [ %one, %waited ], [ %last, %latch ]
  %was = atomicrmw add ptr %cells, i32 %v monotonic
  br i1 %some, label %inner, label %latch
inner:
  store i32 %was, ptr %to
  br label %latch
latch:
  %last = call i32 @lw.warp_sum.i32(i32 %v) [ "lw.instance"(i64 2, i32 %k) ]
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %sum = call i32 @lw.warp_sum.i32(i32 %last) [ "lw.instance"(i64 3) ]
  store i32 %sum, ptr %to
  ret void
}

; Of two ways that a warp takes as one, lanes may be apart on one.
; CHECK-LABEL: define win64cc void @ways(
; CHECK: atomicrmw or
; CHECK-NOT: come_together
; CHECK: @lw_cuda_warp_sum_i32(i32 -1, i32 %n)
; CHECK: call void @lw_cuda_come_together(
; CHECK-NEXT: @lw_cuda_warp_sum_i32(
define win64cc void @ways(ptr %cells, ptr %out, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr i32, ptr %cells, i64 %i
  %to = getelementptr i32, ptr %out, i64 %i
  %which = icmp ult i32 %n, 5
  br i1 %which, label %wait, label %other
wait:
  %old = atomicrmw or ptr %at, i32 0 monotonic
  %again = icmp eq i32 %old, 0
  br i1 %again, label %wait, label %join
other:
  %one = call i32 @lw.warp_sum.i32(i32 %n) [ "lw.instance"(i64 0) ]
  br label %join
join:
  %v = phi i32 [ %old, %wait ], [ %one, %other ]
  %sum = call i32 @lw.warp_sum.i32(i32 %v) [ "lw.instance"(i64 1) ]
  store i32 %sum, ptr %to
  ret void
}

; Lanes reach the code between two sync points of a rendezvous one by one, even if only the block
; diverges there: after an operation of bytes, which becomes a loop, they reconverge in the
; rendezvous only.
; CHECK-LABEL: define win64cc void @awaited(
; CHECK: atomicrmw add ptr %{{.*}}, i8 5
; CHECK-NEXT: br i1
; CHECK: {{^}}rendezvous:
; CHECK-NEXT: call void @lw_cuda_come_together(
define win64cc void @awaited(ptr %cells, i32 %warps) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %w = call i32 @lw.warp_id()
  %gone = icmp sge i32 %w, %warps
  %low = and i32 %t, 3
  %waits = icmp eq i32 %low, 0
  br i1 %gone, label %end, label %stay
stay:
  br i1 %waits, label %wait, label %go
wait:
  call void @lw.barrier() [ "lw.instance"(i64 0) ]
  br label %go
go:
  %at = getelementptr i8, ptr %cells, i32 %t
  %old = atomicrmw add ptr %at, i8 5 monotonic
  br i1 %waits, label %again, label %end
again:
  call void @lw.barrier() [ "lw.instance"(i64 1) ]
  br label %end
end:
  ret void
}
