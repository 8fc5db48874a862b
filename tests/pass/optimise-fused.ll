; Without an instruction for fma, a function for each type of vector has the calls lane by lane;
; with one, the intrinsic stays. A scalar is left to LLVM.
; RUN: lanewise-compile --pass optimise --device cpu:baseline %s | FileCheck %s
; RUN: lanewise-compile --pass optimise --device cpu:avx2 %s | FileCheck %s --check-prefix=FMA

declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare float @llvm.fma.f32(float, float, float)

; CHECK-LABEL: define i32 @lw.cpu.k
; CHECK: call <4 x float> @lw.fma.v4f32(<4 x float> %a, <4 x float> %b, <4 x float> %b)
; CHECK: call <4 x double> @lw.fma.v4f64(
; CHECK: call <4 x float> @lw.fma.v4f32(
; CHECK: call float @llvm.fma.f32(
; CHECK: define internal <4 x float> @lw.fma.v4f32({{.*}}) [[A:#[0-9]+]]
; CHECK-NEXT: call <4 x float> @llvm.fma.v4f32(<4 x float> %0, <4 x float> %1, <4 x float> %2)
; CHECK: define internal <4 x double> @lw.fma.v4f64(
; CHECK: attributes [[A]] = { {{.*}}noinline
; FMA-NOT: @lw.fma
; FMA: call <4 x float> @llvm.fma.v4f32(
; FMA-NOT: @lw.fma
define i32 @lw.cpu.k(ptr %launch, ptr %worker, i64 %first, i64 %count, <4 x float> %a,
                     <4 x float> %b, <4 x double> %c, float %s) {
  %v = call <4 x float> @llvm.fma.v4f32(<4 x float> %a, <4 x float> %b, <4 x float> %b)
  %w = call <4 x double> @llvm.fma.v4f64(<4 x double> %c, <4 x double> %c, <4 x double> %c)
  %x = call <4 x float> @llvm.fma.v4f32(<4 x float> %v, <4 x float> %v, <4 x float> %v)
  %y = call float @llvm.fma.f32(float %s, float %s, float %s)
  store <4 x float> %x, ptr %worker
  store <4 x double> %w, ptr %launch
  %p = getelementptr i8, ptr %worker, i64 64
  store float %y, ptr %p
  ret i32 0
}
