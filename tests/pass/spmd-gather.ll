; Indices of 32 bits stay that, with a sign or without, and constant offsets go to the base: an
; instruction takes sixteen of them, but eight of 64 bits.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.pick(
; CHECK: [[AT:%.*]] = load <16 x i32>
; CHECK: getelementptr i8, ptr
; CHECK: [[WIDE:%.*]] = sext <16 x i32> [[AT]] to <16 x i64>
; CHECK: [[P:%.*]] = getelementptr i32, ptr %{{.*}}, <16 x i64> [[WIDE]]
; CHECK: call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> [[P]]
; CHECK: [[BASE:%.*]] = getelementptr i8, ptr %{{.*}}, i64 4
; CHECK: [[AGAIN:%.*]] = sext <16 x i32> [[AT]] to <16 x i64>
; CHECK: [[Q:%.*]] = getelementptr i32, ptr [[BASE]], <16 x i64> [[AGAIN]]
; CHECK: call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> [[Q]]
define win64cc void @pick(ptr %out, ptr %from, ptr %index) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %where = getelementptr inbounds i32, ptr %index, i64 %i
  %at = load i32, ptr %where
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds i32, ptr %from, i64 %wide
  %a = load i32, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %b = load i32, ptr %q
  %sum = add i32 %a, %b
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %sum, ptr %to
  ret void
}
