; A check compares the number that the address has, in its own width, with a count that is known
; where the kernel begins. What lies at a negative constant is before the number.
; RUN: lanewise-compile --pass guard %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@table = internal constant [8 x i32] zeroinitializer

declare void @lw.access(ptr, i64, i32)
declare void @lw.index(i1, i64, i64, ptr, i32, i1)

; CHECK-LABEL: define win64cc void @buffer(ptr %0, ptr %1, i32 %2, i64 %3, ptr %4)
; CHECK: load i64, ptr {{%.*}}, align 8, !invariant.load
; CHECK: [[START:%.*]] = sub i64
; CHECK: [[SIGNED:%.*]] = call i64 @llvm.umin.i64(i64 {{%.*}}, i64 2147483648)
; CHECK-NEXT: [[COUNT:%.*]] = trunc i64 [[SIGNED]] to i32
; CHECK: [[WIDE:%.*]] = udiv i64 {{%.*}}, 8
; CHECK: [[UNSIGNED:%.*]] = call i64 @llvm.umin.i64(i64 {{%.*}}, i64 4294967295)
; CHECK-NEXT: [[OTHER:%.*]] = trunc i64 [[UNSIGNED]] to i32
; CHECK: loop:
; CHECK-NOT: load
; CHECK: [[NUMBER:%.*]] = sub i32 %2, 0
; CHECK-NEXT: [[FAILS:%.*]] = icmp uge i32 [[NUMBER]], [[COUNT]]
; CHECK: call void @lw.guard.i32(i1 [[FAILS]], i32 %2, i1 true, i64 4, i64
; CHECK: [[LONG:%.*]] = sub i64 %3, 0
; CHECK-NEXT: icmp uge i64 [[LONG]], [[WIDE]]
; CHECK: call void @lw.guard.i64(i1 {{%.*}}, i64 %3, i1 true, i64 8, i64
; CHECK: [[LESS:%.*]] = sub i32 %2, 1
; CHECK-NEXT: icmp uge i32 [[LESS]], [[OTHER]]
; CHECK-NEXT: [[BEFORE:%.*]] = add i64 [[START]], -4
; CHECK-NEXT: call void @lw.guard.i32(i1 {{%.*}}, i32 %2, i1 false, i64 4, i64 [[BEFORE]], i64
define win64cc void @buffer(ptr %x, ptr %y, i32 %i, i64 %j) {
entry:
  br label %loop
loop:
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  call void @lw.access(ptr %p, i64 4, i32 0)
  %q = getelementptr double, ptr %y, i64 %j
  call void @lw.access(ptr %q, i64 8, i32 1)
  %z = zext i32 %i to i64
  %r = getelementptr float, ptr %x, i64 %z
  %before = getelementptr i8, ptr %r, i64 -4
  call void @lw.access(ptr %before, i64 4, i32 0)
  ret void
}

; An index is compared with its count.
; CHECK-LABEL: define win64cc void @variable(i32 %0, ptr %1)
; CHECK: call void @lw.guard.i32(i1 {{%.*}}, i32 %0, i1 true, i64 4, i64 0, i64 29, i64 0,
; CHECK: call void @lw.guard.i32(i1 {{%.*}}, i32 %0, i1 true, i64 1, i64 0, i64 7, i64 3,
define win64cc void @variable(i32 %i) {
entry:
  %wide = sext i32 %i to i64
  %p = getelementptr [8 x i32], ptr @table, i64 0, i64 %wide
  call void @lw.access(ptr %p, i64 4, i32 0)
  %ok = icmp ult i64 %wide, 7
  call void @lw.index(i1 %ok, i64 %wide, i64 7, ptr null, i32 -1, i1 false)
  ret void
}
