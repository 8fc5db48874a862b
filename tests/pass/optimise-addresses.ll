; An address that lies a constant behind another is made where it is used, though it is the same in
; all trips of the loop: an instruction has room for the constant, registers are few.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)

; CHECK-LABEL: define i32 @lw.cpu.rows(
; CHECK-NOT: getelementptr
; CHECK: loop:
; CHECK: [[ONE:%.*]] = getelementptr i8, ptr %tile, i64 64
; CHECK-NEXT: load volatile <16 x float>, ptr [[ONE]]
; CHECK: [[TWO:%.*]] = getelementptr i8, ptr %tile, i64 64
; CHECK-NEXT: call <16 x float> @llvm.masked.load.v16f32.p0(ptr {{.*}}[[TWO]]
define i32 @lw.cpu.rows(ptr %tile, i32 %n, <16 x i1> %some) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %more ]
  %row = getelementptr i8, ptr %tile, i64 64
  %a = load volatile <16 x float>, ptr %row
  %odd = trunc i32 %k to i1
  br i1 %odd, label %again, label %more
again:
  %b = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %row, i32 4, <16 x i1> %some,
                                                     <16 x float> %a)
  store volatile <16 x float> %b, ptr %tile
  br label %more
more:
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret i32 0
}
