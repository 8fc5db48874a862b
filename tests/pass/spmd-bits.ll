; Of a row of lanes whose first is at a multiple of 256, a mask is a row from a known place, an
; exclusive or a row from another one, a shift one number for each warp; with lanes that carry out
; of the bits that are known - the first is at a multiple of 4 - they are not.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.block_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.row(
; CHECK-NOT: gather
; CHECK: load float,
; CHECK-NOT: gather
; CHECK-COUNT-8: load <8 x float>,
; CHECK-NOT: {{gather|load <}}
; CHECK: {{^}}}
define win64cc void @row(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %b = call i32 @lw.block_idx.x()
  %first = mul nuw nsw i32 %b, 256
  %i = add nuw nsw i32 %first, %t
  %and = and i32 %i, 31
  %xor = xor i32 %i, 64
  %shr = lshr i32 %i, 5
  %and.i = zext nneg i32 %and to i64
  %xor.i = zext nneg i32 %xor to i64
  %shr.i = zext nneg i32 %shr to i64
  %and.p = getelementptr inbounds float, ptr %in, i64 %and.i
  %xor.p = getelementptr inbounds float, ptr %in, i64 %xor.i
  %shr.p = getelementptr inbounds float, ptr %in, i64 %shr.i
  %and.v = load float, ptr %and.p
  %xor.v = load float, ptr %xor.p
  %shr.v = load float, ptr %shr.p
  %sum = fadd float %and.v, %xor.v
  %all = fadd float %sum, %shr.v
  %i.i = zext nneg i32 %i to i64
  %to = getelementptr inbounds float, ptr %out, i64 %i.i
  store float %all, ptr %to
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.carried(
; CHECK: call <8 x float> @llvm.masked.gather
; CHECK: {{^}}}
define win64cc void @carried(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %b = call i32 @lw.block_idx.x()
  %first = mul nuw nsw i32 %b, 4
  %i = add nuw nsw i32 %first, %t
  %and = and i32 %i, 31
  %and.i = zext nneg i32 %and to i64
  %and.p = getelementptr inbounds float, ptr %in, i64 %and.i
  %v = load float, ptr %and.p
  %i.i = zext nneg i32 %i to i64
  %to = getelementptr inbounds float, ptr %out, i64 %i.i
  store float %v, ptr %to
  ret void
}

; A field's address has not the low bits of its struct's.
; CHECK-LABEL: define i32 @lw.cpu.field(
; CHECK: and <8 x i64>
; CHECK: {{^}}}
define win64cc void @field(ptr %out) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %b = call i32 @lw.block_idx.x()
  %first = mul nuw nsw i32 %b, 4096
  %rows = shl nuw nsw i32 %t, 3
  %i = add nuw nsw i32 %first, %rows
  %i.i = zext nneg i32 %i to i64
  %record = inttoptr i64 %i.i to ptr
  %field = getelementptr { i8, [7 x i8] }, ptr %record, i64 0, i32 1
  %address = ptrtoint ptr %field to i64
  %and = and i64 %address, 7
  %j = zext nneg i32 %t to i64
  %to = getelementptr inbounds i64, ptr %out, i64 %j
  store i64 %and, ptr %to
  ret void
}

; Nothing is known of what was loaded, and shifted by 0 it is not the same for all.
; CHECK-LABEL: define i32 @lw.cpu.by_nothing(
; CHECK: load <8 x i32>
; CHECK: store <8 x i32>
; CHECK: {{^}}}
define win64cc void @by_nothing(ptr %out) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %j = zext nneg i32 %t to i64
  %at = getelementptr inbounds i32, ptr %out, i64 %j
  %v = load i32, ptr %at
  %same = lshr i32 %v, 0
  %more = mul i32 %same, %same
  store i32 %more, ptr %at
  ret void
}
