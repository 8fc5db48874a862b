; A halving tree in block memory, unrolled for 256 threads: in each step only the pieces that add do
; anything, and none under a mask: 8 + 4 + 2 + 1 whole vectors, then half a one.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 256,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare void @lw.barrier() convergent nounwind

@part = internal global [256 x float] undef, section "lw.shared", align 16

; CHECK-LABEL: define i32 @lw.cpu.tree(
; CHECK-NOT: masked
; CHECK-COUNT-15: fadd <16 x float>
; CHECK: load <8 x float>
; CHECK: fadd <16 x float>
; CHECK: store <8 x float>
; CHECK-NOT: {{fadd|masked}}
; CHECK: {{^}}}
define win64cc void @tree(ptr %out) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr inbounds [256 x float], ptr @part, i64 0, i64 %i
  %mine.128 = icmp ult i32 %t, 128
  br i1 %mine.128, label %add.128, label %then.128
add.128:
  %other.128 = getelementptr inbounds i8, ptr %at, i64 512
  %a.128 = load float, ptr %at
  %b.128 = load float, ptr %other.128
  %sum.128 = fadd float %a.128, %b.128
  store float %sum.128, ptr %at
  br label %then.128
then.128:
  call void @lw.barrier() [ "lw.instance"(i64 0) ]
  %mine.64 = icmp ult i32 %t, 64
  br i1 %mine.64, label %add.64, label %then.64
add.64:
  %other.64 = getelementptr inbounds i8, ptr %at, i64 256
  %a.64 = load float, ptr %at
  %b.64 = load float, ptr %other.64
  %sum.64 = fadd float %a.64, %b.64
  store float %sum.64, ptr %at
  br label %then.64
then.64:
  call void @lw.barrier() [ "lw.instance"(i64 1) ]
  %mine.32 = icmp ult i32 %t, 32
  br i1 %mine.32, label %add.32, label %then.32
add.32:
  %other.32 = getelementptr inbounds i8, ptr %at, i64 128
  %a.32 = load float, ptr %at
  %b.32 = load float, ptr %other.32
  %sum.32 = fadd float %a.32, %b.32
  store float %sum.32, ptr %at
  br label %then.32
then.32:
  call void @lw.barrier() [ "lw.instance"(i64 2) ]
  %mine.16 = icmp ult i32 %t, 16
  br i1 %mine.16, label %add.16, label %then.16
add.16:
  %other.16 = getelementptr inbounds i8, ptr %at, i64 64
  %a.16 = load float, ptr %at
  %b.16 = load float, ptr %other.16
  %sum.16 = fadd float %a.16, %b.16
  store float %sum.16, ptr %at
  br label %then.16
then.16:
  call void @lw.barrier() [ "lw.instance"(i64 3) ]
  %mine.8 = icmp ult i32 %t, 8
  br i1 %mine.8, label %add.8, label %then.8
add.8:
  %other.8 = getelementptr inbounds i8, ptr %at, i64 32
  %a.8 = load float, ptr %at
  %b.8 = load float, ptr %other.8
  %sum.8 = fadd float %a.8, %b.8
  store float %sum.8, ptr %at
  br label %then.8
then.8:
  call void @lw.barrier() [ "lw.instance"(i64 4) ]
  %r = load float, ptr @part
  store float %r, ptr %out
  ret void
}
