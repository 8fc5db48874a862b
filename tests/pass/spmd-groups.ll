; Lanes that leave a loop in different iterations make it two pieces at a time; where the loop reads
; memory side by side all go together.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 96,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; The counter that all share begins again for each group.
; CHECK-LABEL: define i32 @lw.cpu.apart(
; CHECK: store i32 7, ptr [[COUNTER:%.*]], align
; CHECK: [[FIRST:%.*]] = load i32, ptr [[COUNTER]], align
; CHECK: store i32 [[FIRST]], ptr [[COUNTER]], align
; CHECK: group:
; CHECK-NEXT: store i32 [[FIRST]], ptr [[COUNTER]], align
; CHECK: group{{[0-9]+}}:
; CHECK-NEXT: store i32 [[FIRST]], ptr [[COUNTER]], align
; CHECK-NOT: {{^}}group
; CHECK-LABEL: define i32 @lw.cpu.together(
; CHECK-NOT: {{^}}group
; CHECK: {{^}}}
define win64cc void @apart(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %i
  %limit = load i32, ptr %from
  br label %loop
loop:
  %k = phi i32 [ 7, %entry ], [ %k.next, %loop ]
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

define win64cc void @together(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  br label %loop
loop:
  %k = phi i64 [ %i, %entry ], [ %k.next, %loop ]
  %v = phi i32 [ 1, %entry ], [ %v.next, %loop ]
  %from = getelementptr inbounds i32, ptr %in, i64 %k
  %x = load i32, ptr %from
  %v.next = mul i32 %v, %x
  %k.next = add nuw nsw i64 %k, 96
  %more = icmp ult i32 %v.next, 1000
  br i1 %more, label %loop, label %done
done:
  %last = phi i32 [ %v.next, %loop ]
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %last, ptr %to
  ret void
}
