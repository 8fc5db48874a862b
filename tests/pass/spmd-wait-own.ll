; A loop that ends by what another thread writes waits: the kernel is made in gangs of a warp. One
; that ends by the thread's own variable, volatile as it is, does not.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 64,1,1 %s | FileCheck %s
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 64,1,1 %s \
; RUN:     | FileCheck %s --check-prefix=GANG

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: @lw.gang.own
; CHECK: define i32 @lw.cpu.own(
; CHECK-NOT: @lw.gang.own
define win64cc void @own(ptr %in) {
entry:
  %i = alloca i32
  store volatile i32 0, ptr %i
  br label %loop
loop:
  %v = load volatile i32, ptr %i
  %more = add i32 %v, 1
  store volatile i32 %more, ptr %i
  %n = load i32, ptr %in
  %c = icmp slt i32 %more, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; GANG: define internal ptr @lw.gang.other(
define win64cc void @other(ptr %in) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %in
  %c = icmp slt i32 %v, 5
  br i1 %c, label %loop, label %end
end:
  ret void
}
