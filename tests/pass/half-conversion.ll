; RUN: lanewise-compile --pass half %s | FileCheck %s
; Conversions to 16-bit floats round once: 64-bit integers and double have functions of their own,
; smaller integers are exact in double. Conversions to integers saturate.

declare float @lw.f16_to_f32(i16)
declare float @lw.bf16_to_f32(i16)
declare i16 @lw.f64_to_f16(double)
declare i16 @lw.f64_to_bf16(double)
declare i16 @lw.i64_to_f16(i64)
declare i16 @lw.u64_to_bf16(i64)

define half @from_double(double %x) {
; CHECK-LABEL: define half @from_double(
; CHECK: call i16 @lw.f64_to_f16(double %x)
  %h = fptrunc double %x to half
  ret half %h
}

define half @from_int(i32 %x) {
; CHECK-LABEL: define half @from_int(
; CHECK: %[[D:.*]] = sitofp i32 %x to double
; CHECK: call i16 @lw.f64_to_f16(double %[[D]])
  %h = sitofp i32 %x to half
  ret half %h
}

define bfloat @from_unsigned(i32 %x) {
; CHECK-LABEL: define bfloat @from_unsigned(
; CHECK: %[[D:.*]] = uitofp i32 %x to double
; CHECK: call i16 @lw.f64_to_bf16(double %[[D]])
  %h = uitofp i32 %x to bfloat
  ret bfloat %h
}

define half @from_long(i64 %x) {
; CHECK-LABEL: define half @from_long(
; CHECK: call i16 @lw.i64_to_f16(i64 %x)
  %h = sitofp i64 %x to half
  ret half %h
}

define bfloat @from_unsigned_long(i64 %x) {
; CHECK-LABEL: define bfloat @from_unsigned_long(
; CHECK: call i16 @lw.u64_to_bf16(i64 %x)
  %h = uitofp i64 %x to bfloat
  ret bfloat %h
}

define double @to_double(half %h) {
; CHECK-LABEL: define double @to_double(
; CHECK: %[[F:.*]] = call float @lw.f16_to_f32(
; CHECK: fpext float %[[F]] to double
  %x = fpext half %h to double
  ret double %x
}

define i32 @to_int(bfloat %h) {
; CHECK-LABEL: define i32 @to_int(
; CHECK: %[[F:.*]] = call float @lw.bf16_to_f32(
; CHECK: call i32 @llvm.fptosi.sat.i32.f32(float %[[F]])
  %x = call i32 @llvm.fptosi.sat.i32.bf16(bfloat %h)
  ret i32 %x
}

; clang's conversions of vectors are those of C: out of range they would be anything.
define <2 x i8> @to_vector(<2 x float> %v) {
; CHECK-LABEL: define <2 x i8> @to_vector(
; CHECK: %[[X:.*]] = extractelement <2 x float> %v, i32 0
; CHECK: %[[I:.*]] = call i8 @llvm.fptoui.sat.i8.f32(float %[[X]])
; CHECK: insertelement <2 x i8> poison, i8 %[[I]], i32 0
; CHECK: %[[Y:.*]] = extractelement <2 x float> %v, i32 1
; CHECK: call i8 @llvm.fptoui.sat.i8.f32(float %[[Y]])
  %i = fptoui <2 x float> %v to <2 x i8>
  ret <2 x i8> %i
}

define i64 @rounded(double %x) {
; CHECK-LABEL: define i64 @rounded(
; CHECK: %[[N:.*]] = call double @llvm.rint.f64(double %x)
; CHECK: call i64 @llvm.fptosi.sat.i64.f64(double %[[N]])
; CHECK: %[[A:.*]] = call double @llvm.round.f64(double %x)
; CHECK: call i64 @llvm.fptosi.sat.i64.f64(double %[[A]])
  %near = call i64 @llvm.lrint.i64.f64(double %x)
  %away = call i64 @llvm.lround.i64.f64(double %x)
  %sum = add i64 %near, %away
  ret i64 %sum
}

; What clang has folded to poison becomes 0 also within a vector; what one is built on may stay so.
define void @folded(ptr %p, i32 %x) {
; CHECK-LABEL: define void @folded(
; CHECK: store <4 x i32> <i32 0, i32 0, i32 3, i32 0>, ptr %p
; CHECK: insertelement <4 x i32> poison, i32 %x, i32 0
  store <4 x i32> <i32 poison, i32 poison, i32 3, i32 poison>, ptr %p
  %v = insertelement <4 x i32> poison, i32 %x, i32 0
  store <4 x i32> %v, ptr %p
  ret void
}
