; A choice of two floats of which one is minus zero is made of their bits: of 1 or -1 and minus zero
; the driver's assembler makes the number of a comparison, whose zero has no sign.
; RUN: lanewise-compile --pass ptx --device cuda:sm_90 %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @choose(
; CHECK: select i1 {{%.*}}, i32 1065353216, i32 -2147483648
; CHECK: select i1 {{%.*}}, i32 -2147483648, i32 -1082130432
; CHECK: select i1 {{%.*}}, float 1.000000e+00, float 0.000000e+00
; CHECK: select i1 {{%.*}}, float %x, float -0.000000e+00
; CHECK: select i1 {{%.*}}, <2 x i32> <i32 1065353216, i32 1073741824>,
; CHECK-SAME: <2 x i32> <i32 -2147483648, i32 0>
; CHECK: select i1 {{%.*}}, double 1.000000e+00, double -0.000000e+00
define ptx_kernel void @choose(ptr addrspace(1) %out, float %x, float %y) {
entry:
  %same = fcmp oeq float %x, %y
  %one = select i1 %same, float 1.0, float -0.0
  store volatile float %one, ptr addrspace(1) %out
  %less = fcmp olt float %x, %y
  %minus = select i1 %less, float -0.0, float -1.0
  store volatile float %minus, ptr addrspace(1) %out
  %plus = select i1 %same, float 1.0, float 0.0
  store volatile float %plus, ptr addrspace(1) %out
  %any = select i1 %less, float %x, float -0.0
  store volatile float %any, ptr addrspace(1) %out
  %two = select i1 %same, <2 x float> <float 1.0, float 2.0>, <2 x float> <float -0.0, float 0.0>
  store volatile <2 x float> %two, ptr addrspace(1) %out
  %wide = select i1 %same, double 1.0, double -0.0
  store volatile double %wide, ptr addrspace(1) %out
  ret void
}
