; What lanes rarely need lies in a block that is jumped over where no lane of the four pieces
; needs it: with it goes all that only this result wants, but nothing that others use too.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare float @lw.rarely.f32(float, float, i1) memory(none)

; CHECK-LABEL: define i32 @lw.cpu.scale(
; CHECK: [[SHARED:%.*]] = fmul <8 x float> {{%.*}}, <float 3.0
; CHECK-NOT: fdiv
; CHECK: [[NONE:%.*]] = bitcast <8 x i1> [[ANY:%.*]] to i8
; CHECK-NEXT: [[SOME:%.*]] = icmp ne i8 [[NONE]], 0
; CHECK-NEXT: br i1 [[SOME]], label %rare, label %usual, {{.*}}!prof
; CHECK: rare:
; CHECK: fadd <8 x float> [[SHARED]],
; CHECK-COUNT-4: fdiv <8 x float>
; CHECK-NOT: fdiv
; CHECK-COUNT-4: select <8 x i1>
; CHECK: br label %usual
; CHECK: usual:
; CHECK-COUNT-4: phi <8 x float>
; CHECK: {{^}}}
define win64cc void @scale(ptr %out, ptr %in) {
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %x = load float, ptr %from
  %shared = fmul float %x, 3.0
  %more = fadd float %shared, 5.0
  %other = fdiv float 1.0, %more
  %usual = fadd float %shared, 7.0
  %rare = fcmp olt float %x, 0.0
  %v = call float @lw.rarely.f32(float %usual, float %other, i1 %rare)
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}

; What only a later call wants, in another block, is made where it stands.
; CHECK-LABEL: define i32 @lw.cpu.twice(
; CHECK: [[LATER:%.*]] = fdiv <8 x float> <float 2.0
; CHECK: store <8 x float> [[LATER]], ptr [[SLOT:%.*]], align
; CHECK: rare:
; CHECK: fdiv <8 x float> <float 1.0
; CHECK: {{^}}rare{{[0-9]+}}:
; CHECK: load <8 x float>, ptr [[SLOT]],
; CHECK: {{^}}}
define win64cc void @twice(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %x = load float, ptr %from
  %later = fdiv float 2.0, %x
  %other = fdiv float 1.0, %x
  %rare = fcmp olt float %x, 0.0
  %v = call float @lw.rarely.f32(float %x, float %other, i1 %rare)
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to
  %more = icmp sgt i32 %n, 1
  br i1 %more, label %again, label %end
again:
  %w = call float @lw.rarely.f32(float %x, float %later, i1 %rare)
  store float %w, ptr %to
  br label %end
end:
  ret void
}
