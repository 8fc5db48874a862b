; RUN: lanewise-compile --pass half %s | FileCheck %s
; Conversions to 16-bit floats round once: 64-bit integers and double have functions of their own,
; smaller integers are exact in double.

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
; CHECK: fptosi float %[[F]] to i32
  %x = fptosi bfloat %h to i32
  ret i32 %x
}
