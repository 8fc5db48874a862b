; Numbers of 16 bits are negated by ~x + 1, which LLVM must not see through: of neg.s16 and abs.s16
; the driver's assembler takes the 32 bits that it computes in, where -32768 becomes 32768.
; RUN: lanewise-compile --pass ptx --device cuda:sm_90 %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i16 @llvm.abs.i16(i16, i1)
declare i32 @llvm.abs.i32(i32, i1)

; CHECK-LABEL: @negates(
; CHECK-NOT: sub i16
; CHECK: %[[X:.*]] = load volatile i16
; CHECK: call i16 asm "not.b16 $0, $1;\0A\09add.s16 $0, $0, 1;", "=h,h"(i16 %[[X]])
; CHECK: %[[SHL:.*]] = shl i16 %[[X]], 3
; CHECK: call i16 asm "not.b16 {{.*}}(i16 %[[SHL]])
; CHECK: %[[NEG:.*]] = call i16 asm "not.b16 {{.*}}(i16 %[[X]])
; CHECK: call i16 @llvm.smax.i16(i16 %[[X]], i16 %[[NEG]])
; CHECK: mul i16 %[[X]], -7
; CHECK: sub i16 5, %[[X]]
; CHECK: sub i32 0,
; CHECK: call i32 @llvm.abs.i32(
define ptx_kernel void @negates(ptr addrspace(1) %p, i32 %wide) {
entry:
  %x = load volatile i16, ptr addrspace(1) %p
  %minus = sub i16 0, %x
  store volatile i16 %minus, ptr addrspace(1) %p
  %eight = mul i16 %x, -8
  store volatile i16 %eight, ptr addrspace(1) %p
  %abs = call i16 @llvm.abs.i16(i16 %x, i1 false)
  store volatile i16 %abs, ptr addrspace(1) %p
  %seven = mul i16 %x, -7
  store volatile i16 %seven, ptr addrspace(1) %p
  %less = sub i16 5, %x
  store volatile i16 %less, ptr addrspace(1) %p
  %minus_wide = sub i32 0, %wide
  store volatile i32 %minus_wide, ptr addrspace(1) %p
  %abs_wide = call i32 @llvm.abs.i32(i32 %wide, i1 false)
  store volatile i32 %abs_wide, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: @vectors(
; CHECK: %[[A:.*]] = extractelement <2 x i16> %[[V:.*]], {{i32|i64}} 0
; CHECK: call i16 asm "not.b16 {{.*}}(i16 %[[A]])
; CHECK: %[[B:.*]] = extractelement <2 x i16> %[[V]], {{i32|i64}} 1
; CHECK: call i16 asm "not.b16 {{.*}}(i16 %[[B]])
; CHECK: shl i16 {{%.*}}, 1
; CHECK-NEXT: call i16 asm "not.b16
; CHECK: mul i16 {{%.*}}, 3
define ptx_kernel void @vectors(ptr addrspace(1) %p) {
entry:
  %v = load volatile <2 x i16>, ptr addrspace(1) %p
  %minus = sub <2 x i16> zeroinitializer, %v
  store volatile <2 x i16> %minus, ptr addrspace(1) %p
  %product = mul <2 x i16> %v, <i16 -2, i16 3>
  store volatile <2 x i16> %product, ptr addrspace(1) %p
  ret void
}
