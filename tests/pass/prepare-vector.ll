; float4 and its kind are scalars: lanes are the only vectors there will be.
; RUN: lanewise-compile --pass prepare --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @vector(
; CHECK-COUNT-4: load float
; CHECK-COUNT-4: fmul float
; CHECK-COUNT-4: store float
; CHECK-NOT: <4 x
; CHECK: ret void
define win64cc void @vector(ptr %out, ptr %in, float %k) {
  %v = load <4 x float>, ptr %in, align 16
  %k0 = insertelement <4 x float> poison, float %k, i64 0
  %ks = shufflevector <4 x float> %k0, <4 x float> poison, <4 x i32> zeroinitializer
  %p = fmul <4 x float> %v, %ks
  %r = shufflevector <4 x float> %p, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  store <4 x float> %r, ptr %out, align 16
  ret void
}
