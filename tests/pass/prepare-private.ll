; A private array whose indices are loop counters becomes values; one that an argument indexes
; stays.
; RUN: lanewise-compile --pass prepare --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: @sums(
; CHECK-NOT: alloca
; CHECK: ret void
define win64cc void @sums(ptr %in, ptr %out, i32 %n) {
entry:
  %sum = alloca [4 x [4 x float]], align 16
  call void @llvm.memset.p0.i64(ptr align 16 %sum, i8 0, i64 64, i1 false)
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %k.next, %outer.latch ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %rows, label %done
rows:
  %i = phi i64 [ 0, %outer ], [ %i.next, %rows.latch ]
  %i.more = icmp ult i64 %i, 4
  br i1 %i.more, label %columns, label %outer.latch
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.body ]
  %j.more = icmp ult i64 %j, 4
  br i1 %j.more, label %columns.body, label %rows.latch
columns.body:
  %from = getelementptr inbounds float, ptr %in, i64 %j
  %v = load float, ptr %from
  %at = getelementptr inbounds [4 x [4 x float]], ptr %sum, i64 0, i64 %i, i64 %j
  %old = load float, ptr %at
  %new = fadd float %old, %v
  store float %new, ptr %at
  %j.next = add nuw i64 %j, 1
  br label %columns
rows.latch:
  %i.next = add nuw i64 %i, 1
  br label %rows
outer.latch:
  %k.next = add nsw i32 %k, 1
  br label %outer
done:
  %last = getelementptr inbounds [4 x [4 x float]], ptr %sum, i64 0, i64 3, i64 2
  %r = load float, ptr %last
  store float %r, ptr %out
  ret void
}

; CHECK-LABEL: @table(
; CHECK: alloca [4 x i32]
; CHECK: ret void
define win64cc void @table(ptr %out, i64 %which) {
  %t = alloca [4 x i32], align 4
  %t1 = getelementptr inbounds [4 x i32], ptr %t, i64 0, i64 1
  store i32 10, ptr %t
  store i32 11, ptr %t1
  %at = getelementptr inbounds [4 x i32], ptr %t, i64 0, i64 %which
  %v = load i32, ptr %at
  store i32 %v, ptr %out
  ret void
}

; The index is a counter and an argument: straight code would not make values of the array.
; CHECK-LABEL: @shifted(
; CHECK: alloca [64 x i32]
; CHECK-COUNT-1: store volatile i32 7
; CHECK-NOT: store volatile
; CHECK: ret void
define win64cc void @shifted(ptr %out, i64 %from, i64 %which) {
entry:
  %t = alloca [64 x i32], align 4
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %index = add i64 %k, %from
  %at = getelementptr inbounds [64 x i32], ptr %t, i64 0, i64 %index
  %value = trunc i64 %k to i32
  store i32 %value, ptr %at
  store volatile i32 7, ptr %out
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, 48
  br i1 %more, label %loop, label %done
done:
  %last = getelementptr inbounds [64 x i32], ptr %t, i64 0, i64 %which
  %r = load i32, ptr %last
  store i32 %r, ptr %out
  ret void
}
