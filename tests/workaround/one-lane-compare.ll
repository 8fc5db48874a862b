; LLVM 19 makes no code of some comparisons of vectors whose lanes are constants but one.
; RUN: lanewise-compile --pass optimise --device cpu:baseline %s | timeout 10 llc -o /dev/null

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @lw.cpu.compare(ptr %out, i32 %x) {
  %v = insertelement <16 x i32> <
      i32 1, i32 5, i32 poison, i32 127, i32 127, i32 -1, i32 127, i32 -1,
      i32 127, i32 0, i32 0, i32 1, i32 5, i32 0, i32 1, i32 -1>, i32 %x, i64 2
  %c = icmp slt <16 x i32> %v, <
      i32 2, i32 -127, i32 3, i32 128, i32 -127, i32 128, i32 2, i32 0,
      i32 2, i32 -127, i32 -127, i32 0, i32 2, i32 128, i32 0, i32 6>
  %s = select <16 x i1> %c, <16 x i32> <
      i32 127, i32 0, i32 0, i32 127, i32 -1, i32 0, i32 5, i32 2,
      i32 -1, i32 5, i32 127, i32 5, i32 -128, i32 127, i32 0, i32 2>, <16 x i32> zeroinitializer
  store <16 x i32> %s, ptr %out
  ret i32 0
}
