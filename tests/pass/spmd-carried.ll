; Of a loop that carries few values two pieces go side by side; where theirs would fill the 16
; registers, one after the other.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 16,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.few(
; CHECK: fmul <8 x float>
; CHECK-NOT: fadd
; CHECK: fmul <8 x float>
; CHECK: {{^}}}
define win64cc void @few(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %wide = zext nneg i32 %t to i64
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %n0, %loop ]
  %s1 = phi float [ 1.0, %entry ], [ %n1, %loop ]
  %at = add i64 %i, %wide
  %p = getelementptr inbounds float, ptr %in, i64 %at
  %v = load float, ptr %p
  %w = fmul float %v, 3.0
  %n0 = fadd float %s0, %w
  %n1 = fadd float %s1, %w
  %next = add nuw nsw i64 %i, 16
  %more = icmp ne i64 %next, 640
  br i1 %more, label %loop, label %done
done:
  %l0 = phi float [ %n0, %loop ]
  %l1 = phi float [ %n1, %loop ]
  %r1 = fdiv float %l0, %l1
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %r1, ptr %to
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.many(
; CHECK: fmul <8 x float>
; CHECK-NOT: fmul
; CHECK-COUNT-8: fadd <8 x float>
; CHECK: fmul <8 x float>
; CHECK-COUNT-8: fadd <8 x float>
; CHECK: {{^}}}
define win64cc void @many(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %wide = zext nneg i32 %t to i64
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %n0, %loop ]
  %s1 = phi float [ 1.0, %entry ], [ %n1, %loop ]
  %s2 = phi float [ 2.0, %entry ], [ %n2, %loop ]
  %s3 = phi float [ 3.0, %entry ], [ %n3, %loop ]
  %s4 = phi float [ 4.0, %entry ], [ %n4, %loop ]
  %s5 = phi float [ 5.0, %entry ], [ %n5, %loop ]
  %s6 = phi float [ 6.0, %entry ], [ %n6, %loop ]
  %s7 = phi float [ 7.0, %entry ], [ %n7, %loop ]
  %at = add i64 %i, %wide
  %p = getelementptr inbounds float, ptr %in, i64 %at
  %v = load float, ptr %p
  %w = fmul float %v, 3.0
  %n0 = fadd float %s0, %w
  %n1 = fadd float %s1, %w
  %n2 = fadd float %s2, %w
  %n3 = fadd float %s3, %w
  %n4 = fadd float %s4, %w
  %n5 = fadd float %s5, %w
  %n6 = fadd float %s6, %w
  %n7 = fadd float %s7, %w
  %next = add nuw nsw i64 %i, 16
  %more = icmp ne i64 %next, 640
  br i1 %more, label %loop, label %done
done:
  %l0 = phi float [ %n0, %loop ]
  %l1 = phi float [ %n1, %loop ]
  %l2 = phi float [ %n2, %loop ]
  %l3 = phi float [ %n3, %loop ]
  %l4 = phi float [ %n4, %loop ]
  %l5 = phi float [ %n5, %loop ]
  %l6 = phi float [ %n6, %loop ]
  %l7 = phi float [ %n7, %loop ]
  %r1 = fdiv float %l0, %l1
  %r2 = fdiv float %r1, %l2
  %r3 = fdiv float %r2, %l3
  %r4 = fdiv float %r3, %l4
  %r5 = fdiv float %r4, %l5
  %r6 = fdiv float %r5, %l6
  %r7 = fdiv float %r6, %l7
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %r7, ptr %to
  ret void
}
