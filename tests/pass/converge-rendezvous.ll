; A loop that lanes leave in different iterations, with a collective in it. Lanes wait for it in the
; rendezvous, where all lanes of the warp vote which are there, and run the collective for those.
; It has no other predecessor; the other lanes go back to the rendezvous. The sync point is executed
; again while lanes wait.
; RUN: lanewise-compile --pass converge --device cuda:sm_90 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.warp_sum.i32(i32) convergent nounwind

; CHECK-LABEL: define win64cc void @leaving(
; CHECK: rendezvous:
; CHECK-NEXT: call void @lw_cuda_warp_sync(i32 -1)
; CHECK: switch i32 {{.*}}, label %begin [
; CHECK-NEXT: i32 -1, label %check
; CHECK-NEXT: i32 0, label %round
; CHECK: check:
; CHECK: [[THERE:%.*]] = icmp eq i32 {{.*}}, 0
; CHECK: [[MASK:%.*]] = call i32 @lw_cuda_who(i1 [[THERE]])
; CHECK: br i1 {{.*}}, label %held, label %round
; CHECK: round:
; CHECK: call i32 @lw_cuda_who(
; CHECK: br i1 {{.*}}, label %check, label %joined
; CHECK: held:
; CHECK: br label %[[OWN:.*]]
; CHECK: {{^}}}
define win64cc void @leaving(ptr %out) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %trips = and i64 %i, 7
  br label %head
head:
  %trip = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %go = icmp ult i64 %trip, %trips
  br i1 %go, label %body, label %end
body:
  %all = call i32 @lw.warp_sum.i32(i32 %t) [ "lw.instance"(i64 0, i64 %trip, i64 0) ]
  %more = add i32 %sum, %all
  %next = add nuw nsw i64 %trip, 1
  br label %head
end:
  %at = getelementptr i32, ptr %out, i64 %i
  store i32 %sum, ptr %at
  ret void
}
