; The number of a predicate is made in each block that wants it: further on the driver's assembler
; may make it anew from a register in which another predicate is by then.
; RUN: lanewise-compile --pass ptx --device cuda:sm_90 %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @numbers(
; CHECK: zext i1 {{%.*}} to i8
; CHECK: store volatile i8
; CHECK: {{^}}then:
; CHECK: call i16 asm "selp.u16 $0, 1, 0, $1;", "=h,b"(i1
; CHECK: store volatile i8
define ptx_kernel void @numbers(ptr addrspace(1) %out, i32 %a, i32 %b) {
entry:
  %differ = icmp ne i32 %a, %b
  %number = zext i1 %differ to i8
  store volatile i8 %number, ptr addrspace(1) %out
  %some = icmp sgt i32 %a, 9
  br i1 %some, label %then, label %end
then:
  %at = getelementptr i8, ptr addrspace(1) %out, i32 %a
  store volatile i8 %number, ptr addrspace(1) %at
  br label %end
end:
  ret void
}
