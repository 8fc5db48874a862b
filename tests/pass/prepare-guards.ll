; A check that another implies goes. The others of a block stand in front of its accesses, with what
; they need; one that needs what was loaded follows the load. None passes by a barrier.
; RUN: lanewise-compile --pass prepare --device cpu:avx512 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare void @lw.barrier()
declare void @lw.guard.i32(i1, i32, i1, i64, i64, i64, i64, i64, i64, i64,
    i64) nounwind memory(inaccessiblemem: readwrite) nomerge

; CHECK-LABEL: define win64cc void @k(
; CHECK: call i32 @lw.thread_idx.x()
; CHECK: icmp uge i32 [[T:%.*]], %n
; CHECK-NEXT: call void @lw.guard.i32(i1 {{%.*}}, i32 [[T]], i1 true, i64 4, i64 0,
; CHECK-SAME: i64 %limit, i64 0,
; CHECK-NOT: load
; CHECK: [[NEXT:%.*]] = add
; CHECK: call void @lw.guard.i32(i1 {{%.*}}, i32 [[NEXT]], i1 true, i64 4, i64 0, i64 %limit, i64 0,
; CHECK-NOT: guard
; CHECK: [[AT:%.*]] = load i32
; CHECK: call void @lw.guard.i32(i1 {{%.*}}, i32 [[AT]], i1 true, i64 4, i64 0, i64 %limit, i64 0,
; CHECK-NOT: guard
; CHECK: call void @lw.barrier()
; CHECK: call void @lw.guard.i32(i1 {{%.*}}, i32 %m, i1 true, i64 4, i64 0, i64 %limit, i64 1,
; CHECK-NOT: guard
; CHECK: ret void
define win64cc void @k(ptr %x, i32 %n, i64 %limit, i32 %m) {
  %t = call i32 @lw.thread_idx.x()
  %f = icmp uge i32 %t, %n
  call void @lw.guard.i32(i1 %f, i32 %t, i1 true, i64 4, i64 0, i64 %limit, i64 0, i64 0, i64 4,
    i64 64, i64 0)
  %w = sext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %w
  %at = load i32, ptr %p
  call void @lw.guard.i32(i1 %f, i32 %t, i1 true, i64 4, i64 0, i64 %limit, i64 1, i64 0, i64 4,
    i64 64, i64 0)
  store i32 %m, ptr %p
  %next = add i32 %t, %m
  %g = icmp uge i32 %next, %n
  call void @lw.guard.i32(i1 %g, i32 %next, i1 true, i64 4, i64 0, i64 %limit, i64 0, i64 0,
    i64 4, i64 64, i64 0)
  %v = sext i32 %next to i64
  %q = getelementptr i32, ptr %x, i64 %v
  %b = load i32, ptr %q
  %h = icmp uge i32 %at, %n
  call void @lw.guard.i32(i1 %h, i32 %at, i1 true, i64 4, i64 0, i64 %limit, i64 0, i64 0, i64 4,
    i64 64, i64 0)
  %u = sext i32 %at to i64
  %r = getelementptr i32, ptr %x, i64 %u
  store i32 %b, ptr %r
  call void @lw.barrier() [ "lw.instance"(i64 0) ]
  %k = icmp uge i32 %m, %n
  call void @lw.guard.i32(i1 %k, i32 %m, i1 true, i64 4, i64 0, i64 %limit, i64 1, i64 0, i64 4,
    i64 64, i64 0)
  %y = sext i32 %m to i64
  %s = getelementptr i32, ptr %x, i64 %y
  store i32 1, ptr %s
  ret void
}
