; A vector of 64-bit integers is divided lane by lane: LLVM 19's code generator, which would do so,
; for AVX-512 first makes lanes of the divisor undefined that nobody asks for, and then the whole.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @lw.cpu.divide(
; CHECK: urem i64 {{.*}}, 7
; CHECK: insertelement <4 x i64> {{.*}}, i64 0, i{{32|64}} 1
; CHECK: urem i64 {{.*}}, 9
; CHECK: urem i64 {{.*}}, 7
; CHECK-NOT: rem <4 x i64>
; CHECK: sdiv i64
; CHECK-NOT: div <4 x i64>
; CHECK: udiv <4 x i32>
define i32 @lw.cpu.divide(ptr %out, ptr %in, <4 x i64> %v, <4 x i64> %by, <4 x i32> %w) {
  %r = urem <4 x i64> %v, <i64 7, i64 1, i64 9, i64 7>
  store <4 x i64> %r, ptr %out
  %q = sdiv <4 x i64> %v, %by
  store <4 x i64> %q, ptr %in
  %n = udiv <4 x i32> %w, <i32 7, i32 1, i32 9, i32 7>
  %to = getelementptr i8, ptr %in, i64 64
  store <4 x i32> %n, ptr %to
  ret i32 0
}
