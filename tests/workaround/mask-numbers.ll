; LLVM 19 makes no code of a sum of a mask's lanes of which the first is 0, for AVX-512.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | timeout 10 llc -mcpu=x86-64-v4 \
; RUN:   -mtriple=x86_64-linux -o /dev/null

define i32 @lw.cpu.sum(ptr %out, <4 x i16> %x) {
  %set = icmp sgt <4 x i16> %x, zeroinitializer
  %one = and <4 x i1> %set, <i1 0, i1 1, i1 0, i1 0>
  %ones = zext <4 x i1> %one to <4 x i32>
  %next = shufflevector <4 x i32> %ones, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %twos = add <4 x i32> %ones, %next
  %far = shufflevector <4 x i32> %twos, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
  %fours = add <4 x i32> %twos, %far
  %sum = extractelement <4 x i32> %fours, i64 0
  store i32 %sum, ptr %out
  ret i32 0
}
