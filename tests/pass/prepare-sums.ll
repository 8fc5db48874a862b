; A loop that carries four sums: of 64 vectors for 16 pieces half are in registers, so eight
; iterations become one. One piece has room for all: left as it is. So is a loop that the source
; speaks about. Where loads and stores of what is carried are few beside the work, four iterations
; are enough. Each iteration's sum stays in its iteration.
; RUN: lanewise-compile --pass prepare --device cpu:avx512 --block 256,1,1 %s | FileCheck %s
; RUN: lanewise-compile --pass prepare --device cpu:avx512 --block 16,1,1 %s |
; RUN:     FileCheck %s --check-prefix=FEW

declare i32 @lw.thread_idx.x()

; CHECK-LABEL: @sums
; CHECK-COUNT-8: load float
; CHECK-NOT: load float
; CHECK: ret void
; CHECK-LABEL: @told
; CHECK-COUNT-1: load float
; CHECK-NOT: load float
; CHECK: ret void

; CHECK-LABEL: @works
; CHECK-COUNT-4: load float
; CHECK-NOT: load float
; CHECK: ret void

; CHECK-LABEL: @order
; CHECK: [[FIRST:%.*]] = load float
; CHECK-NOT: load float
; CHECK: fadd float {{%.*}}, [[FIRST]]
; CHECK: [[SECOND:%.*]] = load float
; CHECK-NOT: load float
; CHECK: fadd float {{%.*}}, [[SECOND]]
; CHECK-COUNT-6: load float
; CHECK-NOT: load float
; CHECK: ret void

; FEW-LABEL: @sums
; FEW-COUNT-1: load float
; FEW-NOT: load float
; FEW: ret void
define win64cc void @sums(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi float [ 0.0, %entry ], [ %a1, %loop ]
  %b = phi float [ 1.0, %entry ], [ %b1, %loop ]
  %c = phi float [ 2.0, %entry ], [ %c1, %loop ]
  %d = phi float [ 3.0, %entry ], [ %d1, %loop ]
  %p = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %p
  %a1 = fadd float %a, %v
  %b1 = fmul float %b, %v
  %c1 = fsub float %c, %v
  %d1 = fdiv float %d, %v
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, 640
  br i1 %more, label %loop, label %done
done:
  %ab = fadd float %a1, %b1
  %cd = fadd float %c1, %d1
  %sum = fadd float %ab, %cd
  %wide = zext i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %wide
  store float %sum, ptr %to
  ret void
}

define win64cc void @told(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi float [ 0.0, %entry ], [ %a1, %loop ]
  %b = phi float [ 1.0, %entry ], [ %b1, %loop ]
  %c = phi float [ 2.0, %entry ], [ %c1, %loop ]
  %p = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %p
  %a1 = fadd float %a, %v
  %b1 = fmul float %b, %v
  %c1 = fsub float %c, %v
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, 640
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  %ab = fadd float %a1, %b1
  %sum = fadd float %ab, %c1
  %wide = zext i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %wide
  store float %sum, ptr %to
  ret void
}
define win64cc void @works(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi float [ 0.0, %entry ], [ %a1, %loop ]
  %b = phi float [ 1.0, %entry ], [ %b1, %loop ]
  %c = phi float [ 2.0, %entry ], [ %c1, %loop ]
  %p = getelementptr float, ptr %in, i64 %i
  %w0 = load float, ptr %p
  %w1 = fmul float %w0, %w0
  %w2 = fmul float %w1, %w1
  %w3 = fmul float %w2, %w2
  %w4 = fmul float %w3, %w3
  %w5 = fmul float %w4, %w4
  %w6 = fmul float %w5, %w5
  %w7 = fmul float %w6, %w6
  %w8 = fmul float %w7, %w7
  %w9 = fmul float %w8, %w8
  %w10 = fmul float %w9, %w9
  %w11 = fmul float %w10, %w10
  %w12 = fmul float %w11, %w11
  %w13 = fmul float %w12, %w12
  %w14 = fmul float %w13, %w13
  %w15 = fmul float %w14, %w14
  %w16 = fmul float %w15, %w15
  %w17 = fmul float %w16, %w16
  %w18 = fmul float %w17, %w17
  %a1 = fadd float %a, %w18
  %b1 = fmul float %b, %w18
  %c1 = fsub float %c, %w18
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, 640
  br i1 %more, label %loop, label %done
done:
  %ab = fadd float %a1, %b1
  %sum = fadd float %ab, %c1
  %wide = zext i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %wide
  store float %sum, ptr %to
  ret void
}

define win64cc void @order(ptr %out, ptr %in) {
entry:
  %t = call i32 @lw.thread_idx.x()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %a = phi float [ 0.0, %entry ], [ %a1, %body ]
  %b = phi float [ 1.0, %entry ], [ %b1, %body ]
  %c = phi float [ 2.0, %entry ], [ %c1, %body ]
  %more = icmp ne i64 %i, 640
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %p
  %a1 = fadd float %a, %v
  %b1 = fmul float %b, %v
  %c1 = fsub float %c, %v
  %next = add i64 %i, 1
  br label %loop
done:
  %ab = fadd float %a, %b
  %sum = fadd float %ab, %c
  %wide = zext i32 %t to i64
  %to = getelementptr float, ptr %out, i64 %wide
  store float %sum, ptr %to
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
