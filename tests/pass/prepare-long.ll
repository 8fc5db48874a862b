; A loop with block operations and more iterations than become straight code stays as it is: copies
; of some iterations would only be longer code.
; RUN: lanewise-compile --pass prepare --device cpu:avx512 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @lw.barrier() convergent
declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: @long(
; CHECK: call void @lw.barrier()
; CHECK-NOT: call void @lw.barrier()
; CHECK: ret void
define win64cc void @long(ptr %x) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %p = getelementptr float, ptr %x, i32 %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k2, %next ]
  %done = icmp eq i32 %k, 160
  br i1 %done, label %out, label %next
next:
  %v = load float, ptr %p
  %w = fmul float %v, %v
  store float %w, ptr %p
  call void @lw.barrier() [ "lw.instance"(i64 1, i32 %k, i64 0, i64 0, i64 0) ]
  %k2 = add nuw nsw i32 %k, 1
  br label %loop
out:
  ret void
}
