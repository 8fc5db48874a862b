; A cycle that is entered at two blocks gets one block that it is entered at: in a cycle of two
; entries the driver's assembler lets lanes wait for others than those that are on their way.
; RUN: lanewise-compile --pass ptx --device cuda:sm_90 %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @two_entries(
; CHECK-NEXT: {{^}}entry:
; CHECK-NEXT: br label %[[ENTRY:.*]]
; CHECK: {{^}}first:
; CHECK: br i1 %leaves, label %end, label %[[ENTRY]]
; CHECK: {{^}}second:
; CHECK: br i1 {{%.*}}, label %end, label %[[ENTRY]]
; CHECK: {{^}}[[ENTRY]]:
; CHECK-NEXT: phi i1 [ %at_second, %entry ], [ true, %first ], [ false, %second ]
; CHECK-NEXT: br i1 {{%.*}}, label %second, label %first
define ptx_kernel void @two_entries(ptr addrspace(1) %out, i1 %at_second) {
entry:
  br i1 %at_second, label %second, label %first

first:
  %a = load volatile i32, ptr addrspace(1) %out
  %leaves = icmp eq i32 %a, 0
  br i1 %leaves, label %end, label %second

second:
  %b = load volatile i32, ptr addrspace(1) %out
  %again = icmp ne i32 %b, 1
  br i1 %again, label %first, label %end

end:
  ret void
}
