; In guarded code the address of each lane is computed where it is used, with the widening of its
; index: then a gather can do both. Without guards it stays.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @lw.guard.i32(i1, i32, i1, i64, i64, i64, i64, i64, i64, i64, i64)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)

; CHECK-LABEL: define i32 @lw.cpu.k(
; CHECK: inside:
; CHECK: [[WIDE:%.*]] = sext <16 x i32> %index to <16 x i64>
; CHECK: [[PLACE:%.*]] = getelementptr {{.*}}ptr %p, <16 x i64> [[WIDE]]
; CHECK: @llvm.masked.gather.v16f32.v16p0(<16 x ptr> [[PLACE]]
define i32 @lw.cpu.k(ptr %p, ptr %q, <16 x i32> %index, <16 x i1> %m, i1 %fails) {
entry:
  %wide = sext <16 x i32> %index to <16 x i64>
  %place = getelementptr float, ptr %p, <16 x i64> %wide
  store <16 x ptr> %place, ptr %q
  br i1 %fails, label %outside, label %inside, !prof !0
outside:
  ret i32 1
inside:
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %place, i32 4, <16 x i1> %m,
                                                          <16 x float> zeroinitializer)
  store volatile <16 x float> %v, ptr %q
  ret i32 0
}

!0 = !{!"branch_weights", i32 1, i32 2000}
