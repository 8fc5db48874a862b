; A guard has the plain code for blocks that lie in front of the limit, and a masked copy for the
; one across it.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 32,1,1 %s | FileCheck %s
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 32,1,1 %s |
; RUN:     FileCheck %s --check-prefix=LANES

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.block_idx.x() memory(none)

; Lane by lane it is compared only where they part.
; LANES-LABEL: define i32 @lw.cpu.scale(
; LANES-NOT: icmp slt <16 x i32>
; LANES: mixed:
; LANES-COUNT-2: icmp slt <16 x i32>
; LANES-NOT: icmp slt <16 x i32>
; LANES: {{^}}}
; CHECK-LABEL: define i32 @lw.cpu.scale(
; Where the last thread is inside so are all; where the first is not, none is.
; CHECK: [[LAST:%.*]] = add i32 {{%.*}}, 31
; CHECK-NEXT: [[ALL:%.*]] = icmp slt i32 [[LAST]], [[N:%.*]]
; CHECK-NEXT: icmp slt i32 {{%.*}}, [[N]]
; CHECK: br i1 [[ALL]], label %all, label %some
; CHECK-COUNT-2: load <16 x float>
; CHECK-COUNT-2: store <16 x float>
; CHECK: class:
; CHECK-COUNT-2: call void @llvm.masked.store.v16f32.p0(
; CHECK-NOT: masked.store
; CHECK: {{^}}}
define win64cc void @scale(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %b = call i32 @lw.block_idx.x()
  %first = shl nuw nsw i32 %b, 5
  %at = add nuw nsw i32 %first, %t
  %inside = icmp slt i32 %at, %n
  br i1 %inside, label %then, label %done
then:
  %i = zext nneg i32 %at to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %from
  %twice = fmul float %v, 2.0
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %twice, ptr %to
  br label %done
done:
  ret void
}
