; What the thread's place chooses between is computed in place and selected from, where the arms
; compute values and no more: both, or one. Not where an arm stores, nor where data decide, nor
; where a condition is chosen.
; RUN: lanewise-compile --pass prepare --device cpu:avx512 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare float @llvm.sqrt.f32(float) memory(none)

; CHECK-LABEL: @two_arms(
; CHECK-NOT: br
; CHECK: [[ROOT:%.*]] = call float @llvm.sqrt.f32(
; CHECK-NEXT: select i1 %low, float {{%.*}}, float [[ROOT]]
; CHECK-NOT: br
; CHECK: ret void
define win64cc void @two_arms(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %x = load float, ptr %in
  %bit = and i32 %t, 4
  %low = icmp eq i32 %bit, 0
  br i1 %low, label %left, label %right
left:
  %a = fmul float %x, %x
  %b = fadd float %a, 1.0
  %b2 = fmul float %b, 3.0
  %b3 = fadd float %b2, %a
  br label %on
right:
  %c = fdiv float 1.0, %x
  %d = fdiv float %c, 3.0
  %e = call float @llvm.sqrt.f32(float %d)
  br label %on
on:
  %v = phi float [ %b3, %left ], [ %e, %right ]
  store float %v, ptr %out
  ret void
}

; CHECK-LABEL: @one_arm(
; CHECK-NOT: br
; CHECK: select
; CHECK-NOT: br
; CHECK: ret void
define win64cc void @one_arm(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %x = load float, ptr %in
  %last = icmp eq i32 %t, 63
  br i1 %last, label %arm, label %on
arm:
  %a = fdiv float 1.0, %x
  %b = fdiv float %a, 3.0
  %c = call float @llvm.sqrt.f32(float %b)
  br label %on
on:
  %v = phi float [ %x, %entry ], [ %c, %arm ]
  store float %v, ptr %out
  ret void
}

; CHECK-LABEL: @stores(
; CHECK: br i1
define win64cc void @stores(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %last = icmp eq i32 %t, 63
  br i1 %last, label %arm, label %on
arm:
  store float 1.0, ptr %out
  br label %on
on:
  %v = phi float [ 2.0, %entry ], [ 4.0, %arm ]
  store float %v, ptr %in
  ret void
}

; CHECK-LABEL: @by_data(
; CHECK: br i1
define win64cc void @by_data(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %x = load float, ptr %in
  %bit = and i32 %t, 4
  %low = icmp eq i32 %bit, %n
  br i1 %low, label %left, label %right
left:
  %a = fmul float %x, %x
  %b = fadd float %a, 1.0
  %b2 = fmul float %b, 3.0
  %b3 = fadd float %b2, %a
  br label %on
right:
  %c = fdiv float 1.0, %x
  %d = fdiv float %c, 3.0
  %e = call float @llvm.sqrt.f32(float %d)
  br label %on
on:
  %v = phi float [ %b3, %left ], [ %e, %right ]
  store float %v, ptr %out
  ret void
}

; CHECK-LABEL: @condition(
; CHECK: br i1
define win64cc void @condition(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %x = load float, ptr %in
  %bit = and i32 %t, 4
  %low = icmp eq i32 %bit, 0
  br i1 %low, label %left, label %right
left:
  %a = fmul float %x, %x
  %b = fadd float %a, 1.0
  %b2 = fmul float %b, 3.0
  %b3 = fadd float %b2, %a
  %p = fcmp olt float %b3, 2.0
  br label %on
right:
  %c = fdiv float 1.0, %x
  %d = fdiv float %c, 3.0
  %e = call float @llvm.sqrt.f32(float %d)
  %q = fcmp ogt float %e, 3.0
  br label %on
on:
  %v = phi i1 [ %p, %left ], [ %q, %right ]
  %w = zext i1 %v to i32
  store i32 %w, ptr %out
  ret void
}
