; A kernel becomes a coroutine: arguments from the packed ones, a suspension at the collective with
; the operation, its operand and its instance in the thread's record, the result from there. LLVM is
; told that nobody destroys it: it crashed over the code that is never reached of such a function.
; RUN: lanewise-compile --pass ref %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare float @lw.warp_sum.f32(float)

; CHECK-NOT: define {{.*}}@sum(
define win64cc void @sum(ptr %out, float %v) {
  %r = call float @lw.warp_sum.f32(float %v) [ "lw.instance"(i64 7) ]
  store float %r, ptr %out
  ret void
}

; CHECK-LABEL: define ptr @lw.ref.sum(ptr %0) #0
; CHECK: call token @llvm.coro.id
; CHECK: call ptr {{.*}}(ptr %0, i64 {{.*}}, i64 {{.*}})
; CHECK: br i1 {{.*}}, label %no_frame, label %begin
; CHECK: call ptr @llvm.coro.begin
; CHECK: [[ARGS:%.*]] = load ptr
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr [[ARGS]], i64 8
; CHECK: [[V:%.*]] = load float, ptr [[AT]]
; CHECK: store i32 2,
; CHECK: bitcast float [[V]] to i32
; CHECK: store i64 7,
; CHECK: store i32 1,
; CHECK: call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK: [[BITS:%.*]] = load i64
; CHECK: [[LOW:%.*]] = trunc i64 [[BITS]] to i32
; CHECK: [[R:%.*]] = bitcast i32 [[LOW]] to float
; CHECK: store float [[R]]
; CHECK: store i32 1,
; CHECK: br label %final
; CHECK: call i8 @llvm.coro.suspend(token none, i1 true)
; CHECK-LABEL: define void @lw.resume(ptr %0)
; CHECK: call void @llvm.coro.resume(ptr %0)
; CHECK: attributes #0 = { {{.*}}coro_only_destroy_when_complete {{.*}}presplitcoroutine
