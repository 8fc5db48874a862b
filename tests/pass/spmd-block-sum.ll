; A block sum of 64 threads is the fixed tree in registers: 7 additions of vectors; the result is
; one scalar.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare float @lw.block_sum.f32(float) convergent nounwind

; CHECK-LABEL: define i32 @lw.cpu.sum(
; CHECK-COUNT-4: load <16 x float>
; Lanes and their neighbours of two vectors at once, 4 vectors to 2; then those two apart, 2 to 1.
; CHECK-COUNT-3: fadd <16 x float>
; Four more steps within the last.
; CHECK-COUNT-4: fadd <16 x float>
; CHECK-NOT: fadd
; CHECK: [[SUM:%.*]] = extractelement <16 x float> {{%.*}}, i32 0
; CHECK-NEXT: store float [[SUM]], ptr
; CHECK-NOT: @lw.block_sum
; CHECK: {{^}}}
define win64cc void @sum(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %from
  %s = call float @lw.block_sum.f32(float %v) [ "lw.instance"(i64 0) ]
  store float %s, ptr %out
  ret void
}
