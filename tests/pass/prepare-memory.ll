; What another thread may write in between is loaded again: block and global memory behind a barrier
; or a block operation; without one, a value is loaded once.
; RUN: lanewise-compile --pass prepare --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare void @lw.barrier() convergent nounwind
declare float @lw.block_sum.f32(float) convergent nounwind

@part = internal global [64 x float] undef, section "lw.shared", align 16

; CHECK-LABEL: @reload(
; CHECK: store float %v, ptr @part
; CHECK: call void @lw.barrier()
; CHECK: %[[A:.*]] = load float, ptr @part
; CHECK: call float @lw.block_sum.f32(float %[[A]])
; CHECK: %[[B:.*]] = load float, ptr @part
; CHECK: fadd float %[[A]], %[[B]]
; CHECK-NOT: load
; CHECK: ret void
define win64cc void @reload(ptr %out, float %v) {
  store float %v, ptr @part
  call void @lw.barrier() [ "lw.instance"(i64 0) ]
  %a = load float, ptr @part
  %s = call float @lw.block_sum.f32(float %a) [ "lw.instance"(i64 1) ]
  %b = load float, ptr @part
  %c = load float, ptr @part
  %ab = fadd float %a, %b
  %abc = fadd float %ab, %c
  %r = fadd float %abc, %s
  store float %r, ptr %out
  ret void
}

; CHECK-LABEL: @global(
; CHECK: load float, ptr %g
; CHECK: call void @lw.barrier()
; CHECK: load float, ptr %g
; CHECK: ret void
define win64cc void @global(ptr %g, ptr %out) {
  %a = load float, ptr %g
  call void @lw.barrier() [ "lw.instance"(i64 0) ]
  %b = load float, ptr %g
  %s = fadd float %a, %b
  store float %s, ptr %out
  ret void
}

; Two collectives of different places stay two, each in its arm.
; CHECK-LABEL: @arms(
; CHECK: br i1
; CHECK: call float @lw.block_sum.f32(float %v) [ "lw.instance"(i64 0) ]
; CHECK: call float @lw.block_sum.f32(float %v) [ "lw.instance"(i64 1) ]
; CHECK: ret void
define win64cc void @arms(ptr %out, float %v, i1 %c) {
  br i1 %c, label %then, label %else
then:
  %a = call float @lw.block_sum.f32(float %v) [ "lw.instance"(i64 0) ]
  br label %end
else:
  %b = call float @lw.block_sum.f32(float %v) [ "lw.instance"(i64 1) ]
  br label %end
end:
  %r = phi float [ %a, %then ], [ %b, %else ]
  store float %r, ptr %out
  ret void
}
