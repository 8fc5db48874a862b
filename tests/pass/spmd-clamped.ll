; A row of neighbours that is clamped at an edge is read as a vector where scalars tell that no lane
; is clamped. Else it is compared with a row. Numbers that are loaded are gathered at once.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @llvm.smax.i32(i32, i32)

; CHECK-LABEL: define i32 @lw.cpu.clamped(
; The first lane's number and the last's, and none in between wraps around.
; CHECK: [[LAST:%.*]] = add i32 [[X:%.*]], 15
; CHECK: icmp sge i32 [[LAST]], [[X]]
; CHECK: icmp sge i32 [[X]], 1
; CHECK: icmp sge i32 {{%.*}}, 1
; CHECK: [[FAILS:%.*]] = freeze i1
; CHECK: br i1 [[FAILS]], label %clamped, label %inside
; CHECK: inside:
; CHECK-NEXT: call <16 x float> @llvm.masked.load.v16f32.p0(
; CHECK: clamped:
; CHECK: icmp ne <16 x i64>
; CHECK: br i1 {{%.*}}, label %row, label %edge
; CHECK: row:
; CHECK-NEXT: call <16 x float> @llvm.masked.load.v16f32.p0(
; CHECK: edge:
; CHECK-NEXT: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
define win64cc void @clamped(ptr %out, ptr %in, i32 %from) {
  %t = call i32 @lw.thread_idx.x()
  %x = add nsw i32 %t, %from
  %clamped = call i32 @llvm.smax.i32(i32 %x, i32 1)
  %west = add nsw i32 %clamped, -1
  %wide = sext i32 %west to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p, align 4
  %w = sext i32 %x to i64
  %q = getelementptr float, ptr %out, i64 %w
  store float %v, ptr %q, align 4
  ret void
}

; The same of a choice: x + 1 where it is below n, else n - 1.
; CHECK-LABEL: define i32 @lw.cpu.chosen(
; CHECK: [[LAST:%.*]] = add i32 [[X:%.*]], 15
; CHECK: icmp sge i32 [[LAST]], [[X]]
; CHECK: icmp slt i32 [[X]], [[N:%.*]]
; CHECK: icmp slt i32 {{%.*}}, [[N]]
; CHECK: br i1 {{%.*}}, label %clamped, label %inside
define win64cc void @chosen(ptr %out, ptr %in, i32 %n, i32 %from) {
  %t = call i32 @lw.thread_idx.x()
  %x = add nsw i32 %t, %from
  %inside = icmp slt i32 %x, %n
  %last = add nsw i32 %n, -1
  %east = select i1 %inside, i32 %x, i32 %last
  %wide = sext i32 %east to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p, align 4
  %w = sext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %w
  store float %v, ptr %q, align 4
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.looked_up(
; CHECK-NOT: row:
; CHECK: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
define win64cc void @looked_up(ptr %out, ptr %in, ptr %at) {
  %t = call i32 @lw.thread_idx.x()
  %wide = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %at, i64 %wide
  %x = load i32, ptr %p, align 4
  %wide2 = sext i32 %x to i64
  %q = getelementptr float, ptr %in, i64 %wide2
  %v = load float, ptr %q, align 4
  %r = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %r, align 4
  ret void
}
