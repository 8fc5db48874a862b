; A compare-and-swap of 16 bits is the hardware's: LLVM 19 makes a loop of it, at an address that
; the driver's assembler loses in a loop around that. One of 32 bits is LLVM's.
; RUN: lanewise-compile --pass ptx --device cuda:sm_90 %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @swaps(
; CHECK: call i16 asm sideeffect "atom.shared.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h,~{memory}"(
; CHECK-SAME: ptr addrspace(3) %block, i16 %a, i16 %b)
; CHECK: icmp eq i16 {{%.*}}, %a
; CHECK: call i16 asm sideeffect "atom.global.cas.b16 $0, [$1], $2, $3;"
; CHECK: call i16 asm sideeffect "atom.cas.b16 $0, [$1], $2, $3;"
; CHECK: cmpxchg ptr addrspace(3) %block, i32 7, i32 9
define ptx_kernel void @swaps(ptr addrspace(3) %block, ptr addrspace(1) %all, ptr %any,
                              i16 %a, i16 %b) {
entry:
  %first = cmpxchg ptr addrspace(3) %block, i16 %a, i16 %b monotonic monotonic
  %old = extractvalue { i16, i1 } %first, 0
  %same = extractvalue { i16, i1 } %first, 1
  %chosen = select i1 %same, i16 %old, i16 3
  %second = cmpxchg ptr addrspace(1) %all, i16 %chosen, i16 %b monotonic monotonic
  %next = extractvalue { i16, i1 } %second, 0
  %third = cmpxchg ptr %any, i16 %next, i16 %b monotonic monotonic
  %wide = cmpxchg ptr addrspace(3) %block, i32 7, i32 9 monotonic monotonic
  ret void
}
