; A vector of which one lane alone is no constant is not compared with constants that differ, which
; is without end in LLVM 19's code generator: that lane is.
; RUN: lanewise-compile --pass optimise --device cpu:baseline %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @lw.cpu.one(
; CHECK: [[BIT:%.*]] = icmp sgt i32 %x, 0
; CHECK: insertelement <4 x i1> <i1 {{.*}}, i1 true, i1 false, i1 true>, i1 [[BIT]], i64 0
; CHECK-NOT: icmp sgt <4 x i32>
define i32 @lw.cpu.one(ptr %out, i32 %x) {
  %v = insertelement <4 x i32> <i32 poison, i32 1, i32 2, i32 3>, i32 %x, i64 0
  %c = icmp sgt <4 x i32> %v, <i32 0, i32 0, i32 5, i32 -1>
  %s = select <4 x i1> %c, <4 x i32> <i32 7, i32 8, i32 9, i32 10>, <4 x i32> zeroinitializer
  store <4 x i32> %s, ptr %out
  ret i32 0
}
