; A warp's lanes move values among themselves and vote before the next warp's begin: of what comes
; in between few values are live at a time. Sums go better for all warps together.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare float @lw.shuffle_xor.f32(float, i32) convergent
declare i32 @lw.ballot(i32) convergent
declare float @lw.warp_sum.f32(float) convergent

; CHECK-LABEL: define i32 @lw.cpu.moves(
; CHECK-COUNT-2: load <16 x float>
; CHECK-COUNT-2: shufflevector <16 x i32>
; CHECK-COUNT-2: fadd <16 x float>
; CHECK-COUNT-2: shufflevector <16 x i32>
; CHECK-COUNT-2: store <16 x float>
; CHECK-COUNT-2: load <16 x float>
; CHECK-COUNT-2: shufflevector <16 x i32>
; CHECK-COUNT-2: fadd <16 x float>
; CHECK-COUNT-2: shufflevector <16 x i32>
; CHECK-COUNT-2: store <16 x float>
define win64cc void @moves(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %at = zext i32 %t to i64
  %from = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %from
  %y = call float @lw.shuffle_xor.f32(float %x, i32 1) [ "lw.instance"(i64 0) ]
  %z = fadd float %x, %y
  %v = call float @lw.shuffle_xor.f32(float %z, i32 2) [ "lw.instance"(i64 1) ]
  %to = getelementptr float, ptr %out, i64 %at
  store float %v, ptr %to
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.sums(
; CHECK-COUNT-3: load <16 x float>, ptr {{%.*}}, align 4
; CHECK-NEXT: {{.*}}getelementptr
; CHECK-NEXT: load <16 x float>
; CHECK: fadd <16 x float>
define win64cc void @sums(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %at = zext i32 %t to i64
  %from = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %from
  %v = call float @lw.warp_sum.f32(float %x) [ "lw.instance"(i64 0) ]
  %to = getelementptr float, ptr %out, i64 %at
  store float %v, ptr %to
  ret void
}
