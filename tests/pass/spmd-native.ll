; fmax and fmin stay calls until they are widened. With AVX-512 they are one instruction, of
; operands that are no signalling NaNs: what is loaded is quieted, what a loop over fmax carries is
; not. Else three, of numbers: a NaN that is loaded gives way to -inf.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,1,1 %s | FileCheck %s
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 8,1,1 %s >avx2
; RUN: FileCheck --check-prefix=AVX2 %s <avx2

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare float @lw.fmax.f32(float, float) nounwind willreturn memory(none)
declare double @lw.fmin.f64(double, double) nounwind willreturn memory(none)

; CHECK-LABEL: define i32 @lw.cpu.most(
; CHECK: [[X:%.*]] = load <16 x float>
; CHECK: [[Q:%.*]] = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(
; CHECK-SAME: <16 x float> [[X]], <16 x float> [[X]], i32 5,
; CHECK: call <16 x float> @llvm.x86.avx512.mask.range.ps.512(
; CHECK-SAME: <16 x float> [[Q]], i32 5,
; CHECK-NOT: call {{.*}}range.ps
; CHECK-LABEL: define i32 @lw.cpu.least(
; CHECK-COUNT-6: call <8 x double> @llvm.x86.avx512.mask.range.pd.512({{.*}}, i32 4,
; CHECK-NOT: call {{.*}}range.pd
; CHECK: {{^}}}

; AVX2-LABEL: define i32 @lw.cpu.most(
; AVX2: [[X:%.*]] = load <8 x float>
; AVX2: [[N:%.*]] = call <8 x float> @llvm.x86.avx.max.ps.256(<8 x float> [[X]], {{.*}}0xFFF0
; AVX2: call <8 x float> @llvm.x86.avx.max.ps.256({{.*}}[[N]]
; AVX2: call <8 x float> @llvm.x86.avx.max.ps.256({{.*}}[[N]]
; AVX2: and <8 x i32>
; AVX2-LABEL: define i32 @lw.cpu.least(
; AVX2-NOT: llvm.x86
; AVX2: fcmp olt <8 x double>
; AVX2: fcmp uno <8 x double>
; AVX2: {{^}}}
define win64cc void @most(ptr %out, ptr %in, i64 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %first = zext nneg i32 %t to i64
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi float [ 0xFFF0000000000000, %entry ], [ %more, %loop ]
  %row = shl nuw nsw i64 %i, 4
  %j = add nuw nsw i64 %row, %first
  %at = getelementptr inbounds float, ptr %in, i64 %j
  %x = load float, ptr %at
  %more = call float @lw.fmax.f32(float %most, float %x)
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr inbounds float, ptr %out, i64 %first
  store float %more, ptr %to
  ret void
}

define win64cc void @least(ptr %out, ptr %a, ptr %b) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %pa = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %pa
  %pb = getelementptr inbounds double, ptr %b, i64 %i
  %y = load double, ptr %pb
  %m = call double @lw.fmin.f64(double %x, double %y)
  %to = getelementptr inbounds double, ptr %out, i64 %i
  store double %m, ptr %to
  ret void
}
