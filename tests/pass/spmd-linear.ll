; A load and a store of neighbouring elements are one vector each a piece, without masks, gathers
; or scatters; a piece that the block does not fill is a shorter one. Pieces go side by side.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 16,1,1 %s | FileCheck %s
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,1,1 %s >wide
; RUN: FileCheck --check-prefix=WIDE %s <wide
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 11,1,1 %s >part
; RUN: FileCheck --check-prefix=PART %s <part

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.copy(
; CHECK-NOT: call
; CHECK-COUNT-2: load <8 x float>
; CHECK-COUNT-2: store <8 x float>
; CHECK-NOT: <8 x float>
; CHECK: {{^}}}

; WIDE-LABEL: define i32 @lw.cpu.copy(
; WIDE-COUNT-2: <16 x float>
; WIDE-NOT: <16 x float>

; PART-LABEL: define i32 @lw.cpu.copy(
; PART: load <8 x float>
; PART: load <2 x float>
; PART: load <2 x float>
; PART-NOT: load
; PART: store <8 x float>
; PART: store <3 x float>
; PART-NOT: masked
; PART: {{^}}}
define win64cc void @copy(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %from
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}
