; A check is one branch that is seldom taken. Behind it the access is compared exactly, and a thread
; that is refused tells the launch, and exits.
; RUN: lanewise-compile --pass converge --device cuda:sm_90 --block 64,1,1 %s |
; RUN:     lanewise-compile --pass lower --device cuda:sm_90 --block 64,1,1 /dev/stdin |
; RUN:     FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@says = private constant [2 x i8] c"k\00", align 8

; Nothing but the bytes of the object is a text.
; CHECK: @lw_uses = addrspace(1) constant i32 48
; CHECK: @lw_text = addrspace(1) constant [2 x i8]
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: [[FAILS:%.*]] = icmp uge i32 [[I:%.*]], 12
; CHECK-NEXT: br i1 [[FAILS]], label %outside, label %[[ON:[0-9a-z]+]], !prof
; CHECK: outside:
; CHECK-NEXT: [[HIDDEN:%.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 [[I]])
; CHECK-NEXT: [[NUMBER:%.*]] = sext i32 [[HIDDEN]] to i64
; CHECK-NEXT: [[BYTES:%.*]] = mul i64 [[NUMBER]], 4
; CHECK-NEXT: [[OFFSET:%.*]] = add i64 16, [[BYTES]]
; CHECK-NEXT: [[OUT:%.*]] = icmp uge i64 [[OFFSET]], 61
; CHECK-NEXT: br i1 [[OUT]], label %refused, label %[[ON]]
; CHECK: refused:
; CHECK: call void @lw_cuda_refused(
; CHECK-SAME: i32 0, i64 1, i64 ptrtoint ({{.*}}@lw_text{{.*}}), i64 [[OFFSET]], i64 4, i64 64,
; CHECK-NEXT: call void asm sideeffect "exit;", ""()
; CHECK-NEXT: br label %[[ON]]
; CHECK: [[ON]]:
; CHECK-NEXT: store i32 1
; CHECK-NOT: lw.guard
define win64cc void @k(ptr %x, i64 %base, i32 %i) {
entry:
  %fails = icmp uge i32 %i, 12
  call void @lw.guard.i32(i1 %fails, i32 %i, i1 true, i64 4, i64 16, i64 61,
                          i64 1, i64 ptrtoint (ptr @says to i64), i64 4, i64 64, i64 %base)
  store i32 1, ptr %x
  ret void
}

declare void @lw.guard.i32(i1, i32, i1, i64, i64, i64, i64, i64, i64, i64, i64)
