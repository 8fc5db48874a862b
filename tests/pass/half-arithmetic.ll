; RUN: lanewise-compile --pass half %s | FileCheck %s
; 16-bit floats are computed in float and rounded by devlib after each operation.

declare float @lw.f16_to_f32(i16)
declare float @lw.bf16_to_f32(i16)
declare i16 @lw.f32_to_f16(float)
declare i16 @lw.f32_to_bf16(float)

define half @add(half %a, half %b) {
; CHECK-LABEL: define half @add(
; CHECK-DAG: %[[A:.*]] = bitcast half %a to i16
; CHECK-DAG: %[[B:.*]] = bitcast half %b to i16
; CHECK-DAG: %[[X:.*]] = call float @lw.f16_to_f32(i16 %[[A]])
; CHECK-DAG: %[[Y:.*]] = call float @lw.f16_to_f32(i16 %[[B]])
; CHECK: %[[S:.*]] = fadd float %[[X]], %[[Y]]
; CHECK: %[[R:.*]] = call i16 @lw.f32_to_f16(float %[[S]])
; CHECK: %[[H:.*]] = bitcast i16 %[[R]] to half
; CHECK: ret half %[[H]]
  %s = fadd half %a, %b
  ret half %s
}

; Two operations are two roundings.
define bfloat @twice(bfloat %a, bfloat %b) {
; CHECK-LABEL: define bfloat @twice(
; CHECK: fmul float
; CHECK: call i16 @lw.f32_to_bf16(
; CHECK: call float @lw.bf16_to_f32(
; CHECK: fsub float
; CHECK: call i16 @lw.f32_to_bf16(
; CHECK-NOT: fmul bfloat
  %p = fmul bfloat %a, %b
  %s = fsub bfloat %p, %a
  ret bfloat %s
}

; A comparison is exact in float; the sign is a bit.
define i1 @compare(half %a, bfloat %b) {
; CHECK-LABEL: define i1 @compare(
; CHECK: fcmp olt float
; CHECK: xor i16 %{{.*}}, -32768
; CHECK: fcmp une float
; CHECK-NOT: fneg
  %c = fcmp olt half %a, 0xH3C00
  %n = fneg bfloat %b
  %d = fcmp une bfloat %n, %b
  %r = and i1 %c, %d
  ret i1 %r
}

define <2 x half> @vector(<2 x half> %a, <2 x half> %b) {
; CHECK-LABEL: define <2 x half> @vector(
; CHECK: fdiv <2 x float>
; CHECK-COUNT-2: call i16 @lw.f32_to_f16(
; CHECK-NOT: fdiv <2 x half>
  %q = fdiv <2 x half> %a, %b
  ret <2 x half> %q
}

; float itself stays.
define float @single(float %a, float %b) {
; CHECK-LABEL: define float @single(
; CHECK-NEXT: %s = fadd float %a, %b
; CHECK-NEXT: ret float %s
  %s = fadd float %a, %b
  ret float %s
}
