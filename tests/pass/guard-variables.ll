; A variable that the clean-up has left behind other code is one that a pointer from memory may be
; into: its address is compared, where the kernel begins.
; RUN: lanewise-compile --pass guard %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @lw.access(ptr, i64, i32)

; CHECK-LABEL: define win64cc void @k(
; CHECK: [[PLACES:%.*]] = alloca [2 x ptr]
; CHECK: [[OWN:%.*]] = alloca i32
; CHECK: [[BASE:%.*]] = ptrtoint ptr [[OWN]] to i64
; CHECK: sub i64 {{%.*}}, [[BASE]]
; CHECK: call void @lw.guard.i32(
define win64cc void @k(ptr %x, i64 %i) {
entry:
  %first = getelementptr i8, ptr %x, i64 2
  %places = alloca [2 x ptr]
  %own = alloca i32
  store i32 0, ptr %own
  store ptr %own, ptr %places
  %at = getelementptr [2 x ptr], ptr %places, i64 0, i64 %i
  store ptr %own, ptr %at
  %p = load ptr, ptr %places
  call void @lw.access(ptr %p, i64 4, i32 0)
  %v = load i32, ptr %p
  store i32 %v, ptr %first
  ret void
}
