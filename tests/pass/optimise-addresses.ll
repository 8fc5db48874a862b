; An address that lies a constant behind another is made where it is used, though it is the same in
; all iterations of the loop: an instruction has room for the constant, registers are few.
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

; What many accesses lie a constant behind is added up once: an instruction has room for the index,
; too, but takes longer with one. One for which there are few stays part of them.
; CHECK-LABEL: define i32 @lw.cpu.sums(
; CHECK: [[HERE:%.*]] = getelementptr float, ptr %a, i64 %k
; CHECK-NEXT: [[SUM:%.*]] = freeze ptr [[HERE]]
; CHECK: getelementptr i8, ptr [[SUM]], i64 64
; CHECK: getelementptr i8, ptr [[SUM]], i64 192
; CHECK: [[FEW:%.*]] = getelementptr float, ptr %b, i64 %k
; CHECK-NOT: freeze
; CHECK: getelementptr i8, ptr [[FEW]], i64 64
define i32 @lw.cpu.sums(ptr %a, ptr %b, i64 %k) {
  %here = getelementptr float, ptr %a, i64 %k
  %at1 = getelementptr i8, ptr %here, i64 64
  %at2 = getelementptr i8, ptr %here, i64 128
  %at3 = getelementptr i8, ptr %here, i64 192
  store volatile i32 0, ptr %here
  store volatile i32 1, ptr %at1
  store volatile i32 2, ptr %at2
  store volatile i32 3, ptr %at3
  %there = getelementptr float, ptr %b, i64 %k
  %next = getelementptr i8, ptr %there, i64 64
  store volatile i32 4, ptr %there
  store volatile i32 5, ptr %next
  ret i32 0
}
