; Loads of elements two apart are loads of whole vectors and a permutation; where memory says what
; to load it is a gather.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.pairs(
; CHECK-NOT: gather
; CHECK: load <16 x float>
; CHECK: load <16 x float>
; CHECK: shufflevector <16 x float>
; CHECK-SAME: <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 17, i32 19,
; CHECK: store <16 x float>
; CHECK-NOT: gather
; CHECK-LABEL: define i32 @lw.cpu.looked_up(
; CHECK: load <16 x i32>
; CHECK: call <16 x float> @llvm.masked.gather.v16f32.v16p0(
; CHECK: store <16 x float>
define win64cc void @pairs(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %j = shl nuw nsw i64 %i, 1
  %from = getelementptr inbounds float, ptr %in, i64 %j
  %v = load float, ptr %from
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}

define win64cc void @looked_up(ptr %out, ptr %in, ptr %where) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %where.i = getelementptr inbounds i32, ptr %where, i64 %i
  %at = load i32, ptr %where.i
  %j = sext i32 %at to i64
  %from = getelementptr inbounds float, ptr %in, i64 %j
  %v = load float, ptr %from
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}
