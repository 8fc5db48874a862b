; A block maximum of floats by maxps: both orders and an `and`. NaNs have all bits set before.
; A value that is known to be a number has no NaNs. The minimum is made of the negated values.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare float @lw.block_max.f32(float) convergent nounwind
declare float @lw.block_min.f32(float) convergent nounwind

; CHECK-LABEL: define i32 @lw.cpu.most(
; CHECK: [[NAN:%.*]] = fcmp uno <8 x float>
; CHECK-NEXT: [[ALL:%.*]] = sext <8 x i1> [[NAN]] to <8 x i32>
; CHECK-NEXT: or <8 x i32> {{%.*}}, [[ALL]]
; CHECK-COUNT-3: fcmp uno <8 x float>
; Four vectors to one, then three steps within it.
; CHECK: [[AB:%.*]] = call <8 x float> {{.*}}max.ps.256({{.*}} [[A:%.*]], {{.*}} [[B:%.*]])
; CHECK-NEXT: [[BA:%.*]] = call <8 x float> {{.*}}max.ps.256(<8 x float> [[B]], <8 x float> [[A]])
; CHECK: [[X:%.*]] = bitcast <8 x float> [[AB]] to <8 x i32>
; CHECK: [[Y:%.*]] = bitcast <8 x float> [[BA]] to <8 x i32>
; CHECK: and <8 x i32> [[X]], [[Y]]
; CHECK-COUNT-10: @llvm.x86.avx.max.ps.256
; CHECK-NOT: @llvm.x86.avx.max.ps.256
; CHECK: {{^}}}
define win64cc void @most(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %from
  %m = call float @lw.block_max.f32(float %v) [ "lw.instance"(i64 0) ]
  store float %m, ptr %out
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.least_number(
; CHECK-NOT: fcmp uno
; CHECK-COUNT-4: fneg <8 x float>
; CHECK-COUNT-12: @llvm.x86.avx.max.ps.256
; CHECK-NOT: @llvm.x86.avx.min
; CHECK: [[LEAST:%.*]] = extractelement <8 x float>
; CHECK-NEXT: fneg float [[LEAST]]
; CHECK: {{^}}}
define win64cc void @least_number(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %i
  %n = load i32, ptr %from
  %v = sitofp i32 %n to float
  %m = call float @lw.block_min.f32(float %v) [ "lw.instance"(i64 0) ]
  store float %m, ptr %out
  ret void
}
