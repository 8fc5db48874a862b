; A loop that lanes leave in different iterations: those that stay are a mask, and what leaves with
; the others is blended into what has left before.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.trips(
; CHECK: mixed:
; CHECK: [[OLD:%.*]] = load <16 x i32>, ptr [[LAST:%.*]], align
; CHECK-NEXT: [[NEW:%.*]] = select <16 x i1> {{%.*}}, <16 x i32> {{%.*}}, <16 x i32> [[OLD]]
; CHECK-NEXT: store <16 x i32> [[NEW]], ptr [[LAST]], align
; CHECK: class:
; CHECK: [[MORE:%.*]] = icmp ult <16 x i32>
; CHECK: [[STAY:%.*]] = select <16 x i1> [[MASK:%.*]], <16 x i1> [[MORE]], <16 x i1> zeroinit
; CHECK: [[LEAVE:%.*]] = xor <16 x i1> [[MASK]], [[STAY]]
; CHECK: or <16 x i1> {{%.*}}, [[STAY]]
; CHECK: select <16 x i1> [[LEAVE]], <16 x i32> {{%.*}}, <16 x i32>
; CHECK: {{^}}}

define win64cc void @trips(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %i
  %limit = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v = phi i32 [ 1, %entry ], [ %v.next, %loop ]
  %v.next = mul i32 %v, 3
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %limit
  br i1 %more, label %loop, label %done
done:
  %last = phi i32 [ %v.next, %loop ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %last, ptr %to
  ret void
}
