; In front of each access there is a check, unless it is to a constant place within a variable.
; at() becomes its index and a check: strict where the element is accessed, else the place behind
; the last is allowed.
; RUN: lanewise-compile --pass access %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@shared = internal global [4 x i32] undef, section "lw.shared"

declare i64 @lw.within(i64, i64, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

; CHECK-LABEL: define win64cc void @accesses(ptr %p, i64 %i)
; CHECK: %own = alloca
; CHECK-NEXT: store i32 1, ptr %own
; CHECK-NEXT: %last = getelementptr [4 x i32], ptr %own, i64 0, i64 3
; CHECK-NEXT: store i32 2, ptr %last
; CHECK-NEXT: %behind = getelementptr [4 x i32], ptr %own, i64 0, i64 4
; CHECK-NEXT: call void @lw.access(ptr %behind, i64 4, i32 1)
; CHECK-NEXT: store i32 3, ptr %behind
; CHECK-NEXT: %at = getelementptr [4 x i32], ptr @shared, i64 0, i64 %i
; CHECK-NEXT: call void @lw.access(ptr %at, i64 4, i32 0)
; CHECK-NEXT: %v = load i32, ptr %at
; CHECK-NEXT: call void @lw.access(ptr %p, i64 4, i32 2)
; CHECK-NEXT: atomicrmw add ptr %p
; CHECK-NEXT: call void @lw.access(ptr %p, i64 %i, i32 0)
; CHECK-NEXT: call void @lw.access(ptr %own, i64 %i, i32 1)
; CHECK-NEXT: call void @llvm.memcpy
define win64cc void @accesses(ptr nonnull dereferenceable(64) %p, i64 %i) {
  %own = alloca [4 x i32]
  store i32 1, ptr %own
  %last = getelementptr inbounds [4 x i32], ptr %own, i64 0, i64 3
  store i32 2, ptr %last
  %behind = getelementptr inbounds [4 x i32], ptr %own, i64 0, i64 4
  store i32 3, ptr %behind
  %at = getelementptr inbounds [4 x i32], ptr @shared, i64 0, i64 %i
  %v = load i32, ptr %at
  %old = atomicrmw add ptr %p, i32 %v monotonic
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %p, i64 %i, i1 false)
  ret void
}

; CHECK-LABEL: define win64cc void @tensors(
; CHECK: [[IN:%.*]] = icmp ult i64 %i, %n
; CHECK-NEXT: call void @lw.index(i1 [[IN]], i64 %i, i64 %n, ptr %data, i32 0, i1 false)
; CHECK: [[TO:%.*]] = icmp ule i64 %i, %n
; CHECK-NEXT: call void @lw.index(i1 [[TO]], i64 %i, i64 %n, ptr %data, i32 0, i1 true)
define win64cc void @tensors(ptr %data, i64 %i, i64 %n, ptr %out) {
  %in = call i64 @lw.within(i64 %i, i64 %n, i32 0)
  %element = getelementptr inbounds float, ptr %data, i64 %in
  store float 1.0, ptr %element
  %to = call i64 @lw.within(i64 %i, i64 %n, i32 0)
  %end = getelementptr inbounds float, ptr %data, i64 %to
  store ptr %end, ptr %out
  ret void
}

; A variable whose helper has returned: kind 4 more.
; CHECK-LABEL: define win64cc void @ended(
; CHECK: call void @llvm.lifetime.start
; CHECK-NEXT: store i32 1, ptr %own
; CHECK-NEXT: call void @llvm.lifetime.end
; CHECK-NEXT: call void @lw.access(ptr %own, i64 4, i32 4)
; CHECK-NEXT: load i32, ptr %own
define win64cc void @ended(ptr %out) {
  %own = alloca [2 x i32]
  call void @llvm.lifetime.start.p0(i64 8, ptr %own)
  store i32 1, ptr %own
  call void @llvm.lifetime.end.p0(i64 8, ptr %own)
  %v = load i32, ptr %own
  store i32 %v, ptr %out
  ret void
}
