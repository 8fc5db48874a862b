; What a kernel may access, as the device `check` is told: bytes of a granule, 1 for reads and 2 for
; writes and 4 for atomics, bytes of block memory. The record's address is behind the arguments.
; RUN: lanewise-compile --pass screen --device check %s | FileCheck %s

; CHECK: [[ROWS:@[0-9]+]] = internal constant [5 x { i32, i32, i64 }]
; CHECK-SAME: { i32 4, i32 3, i64 0 }
; CHECK-SAME: { i32 1, i32 1, i64 0 }
; CHECK-SAME: { i32 1, i32 0, i64 0 }
; CHECK-SAME: { i32 4, i32 4, i64 0 }
; CHECK-SAME: { i32 8, i32 3, i64 64 }
; CHECK: @lw.screen.K = constant { i64, i64, i64, ptr } { i64 8, i64 4, i64 5, ptr [[ROWS]] }
; CHECK: @lw.common = constant
@tile = internal global [8 x i64] undef, section "lw.shared", align 16

declare i32 @lw.thread_idx.x()
declare void @lw.barrier()

define win64cc void @K(ptr %floats, ptr %bytes, i32 %n, ptr %counts) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = sext i32 %t to i64
  %at = getelementptr inbounds <4 x float>, ptr %floats, i64 %i
  %four = load <4 x float>, ptr %at, align 4
  %one = extractelement <4 x float> %four, i64 0
  %to = getelementptr inbounds float, ptr %floats, i64 %i
  store float %one, ptr %to, align 4
  %from = getelementptr inbounds i8, ptr %bytes, i64 %i
  %byte = load i8, ptr %from, align 1
  %wide = zext i8 %byte to i64
  %own = getelementptr inbounds [8 x i64], ptr @tile, i64 0, i64 %i
  store i64 %wide, ptr %own, align 8
  call void @lw.barrier() [ "lw.instance"(i64 0) ]
  %back = load i64, ptr %own, align 8
  %less = trunc i64 %back to i8
  %count = getelementptr inbounds i32, ptr %counts, i64 %back
  %old = atomicrmw add ptr %count, i32 1 monotonic
  ret void
}
