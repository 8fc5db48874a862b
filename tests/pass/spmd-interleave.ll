; The four floats of consecutive vectors: four whole loads, deinterleaved by two rounds of even and
; odd elements, and stored the other way; no gather, no load between. Where not all of a struct's
; fields are loaded, or a store lies between, each goes by itself.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.quads(
; CHECK-COUNT-4: load <16 x float>, ptr {{.*}}, align 16
; CHECK-NOT: load <16 x float>
; CHECK: shufflevector <16 x float> {{.*}} <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12,
; CHECK: shufflevector <16 x float> {{.*}} <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13,
; CHECK-NOT: load <16 x float>
; CHECK: shufflevector <16 x float> {{.*}} <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18,
; CHECK-COUNT-4: store <16 x float> {{.*}}, align 16
; CHECK-NOT: store <16 x float>
define win64cc void @quads(ptr %out, ptr %in) {
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds <4 x float>, ptr %in, i64 %i
  %from1 = getelementptr i8, ptr %from, i64 4
  %from2 = getelementptr i8, ptr %from, i64 8
  %from3 = getelementptr i8, ptr %from, i64 12
  %x = load float, ptr %from, align 16
  %y = load float, ptr %from1, align 4
  %z = load float, ptr %from2, align 8
  %w = load float, ptr %from3, align 4
  %to = getelementptr inbounds <4 x float>, ptr %out, i64 %i
  %to1 = getelementptr i8, ptr %to, i64 4
  %to2 = getelementptr i8, ptr %to, i64 8
  %to3 = getelementptr i8, ptr %to, i64 12
  store float %w, ptr %to, align 16
  store float %z, ptr %to1, align 4
  store float %y, ptr %to2, align 8
  store float %x, ptr %to3, align 4
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.between(
; CHECK: load <16 x i32>
; CHECK: store <16 x i32>
; CHECK: load <16 x i32>
; CHECK: store <16 x i32>
define win64cc void @between(ptr %out, ptr %in) {
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %j = shl nuw nsw i64 %i, 1
  %from = getelementptr inbounds i32, ptr %in, i64 %j
  %from1 = getelementptr i8, ptr %from, i64 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  %x = load i32, ptr %from
  store i32 %x, ptr %to
  %y = load i32, ptr %from1
  store i32 %y, ptr %to
  ret void
}
