; A loop whose iterations are the same for all threads stays one, with a scalar counter and branch.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 8,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.sum(
; CHECK-NOT: <8 x i1>
; CHECK: stop:
; CHECK-NOT: <8 x i1>
; CHECK: [[NEXT:%.*]] = add i32 {{%.*}}, 1
; CHECK: [[MORE:%.*]] = icmp slt i32 [[NEXT]], {{%.*}}
; CHECK: load <8 x float>
; CHECK: fadd <8 x float>
; CHECK: br i1 [[MORE]], label
; CHECK-NOT: <8 x i1>
; CHECK: {{^}}}
define win64cc void @sum(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s.next, %loop ]
  %row = shl nuw nsw i32 %k, 3
  %at = add nuw nsw i32 %row, %t
  %wide = zext nneg i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %from
  %s.next = fadd float %s, %v
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done
done:
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %s.next, ptr %to
  ret void
}
