; A vector that a rare block and one other use is computed in both, and not in front of the branch.
; Where all lanes need it, it stays.
; RUN: lanewise-compile --pass optimise --device cpu:avx2 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @lw.guard.i32(i1, i32, i1, i64, i64, i64, i64, i64, i64, i64, i64)

; CHECK-LABEL: define i32 @lw.cpu.k(
; CHECK: entry:
; CHECK-NEXT: [[ALL:%.*]] = add <8 x i32> %v, %w
; CHECK-NEXT: store <8 x i32> [[ALL]], ptr %r
; CHECK-NEXT: br i1 %fails
; CHECK: rare:
; CHECK: mul <8 x i32> %v, %w
; CHECK: gaps:
; CHECK: mul <8 x i32> %v, %w
; CHECK: xor <8 x i32>
define i32 @lw.cpu.k(ptr %p, ptr %q, ptr %r, <8 x i32> %v, <8 x i32> %w, i1 %fails, i1 %has) {
entry:
  %all = add <8 x i32> %v, %w
  store <8 x i32> %all, ptr %r
  %some = mul <8 x i32> %v, %w
  %more = xor <8 x i32> %some, %all
  br i1 %fails, label %rare, label %on, !prof !0
rare:
  store volatile <8 x i32> %more, ptr %p
  br label %on
on:
  br i1 %has, label %gaps, label %done
gaps:
  store volatile <8 x i32> %more, ptr %q
  br label %done
done:
  ret i32 0
}

!0 = !{!"branch_weights", i32 1, i32 2000}
