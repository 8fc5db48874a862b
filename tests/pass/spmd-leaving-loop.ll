; A loop that lanes leave by a break asks once an iteration whether any are left: those that stay
; come to the latch, and from there all go back to the header, which asks nobody. Where nobody stays
; the loop is over. The copy without masks asks first whether all stay.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,1,1 %s | FileCheck %s

; CHECK-LABEL: define i32 @lw.cpu.trips(
; CHECK: check: ; No predecessors!
; CHECK: br i1 {{%.*}}, label %class, label %check1
; CHECK: check1:
; CHECK: br i1 {{%.*}}, label %class2, label %joined
; CHECK: repeat: ; No predecessors!
; CHECK: [[OVER:%.*]] = icmp ugt <16 x i32>
; CHECK: [[BITS:%.*]] = bitcast <16 x i1> {{%.*}} to i16
; CHECK: [[NONE:%.*]] = icmp eq i16 {{%.*}}, 0
; CHECK-NEXT: br i1 [[NONE]], label %none, label %some
; CHECK: class2:
; CHECK: mul i32 {{%.*}}, 3
; CHECK: br label %class{{$}}
; CHECK: {{^}}}

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

define win64cc void @trips(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %i
  %limit = load i32, ptr %from
  br label %header
header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  %v = phi i32 [ 1, %entry ], [ %v.next, %latch ]
  %over = icmp ugt i32 %v, %limit
  br i1 %over, label %done, label %latch
latch:
  %v.next = mul i32 %v, 3
  %k.next = add i32 %k, 1
  br label %header
done:
  %last = phi i32 [ %k, %header ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %last, ptr %to
  ret void
}
