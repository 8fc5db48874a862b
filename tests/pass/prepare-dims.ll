; The block's dimensions are constants; indices along an axis of one thread are 0; what is left
; knows its range. The grid is not known.
; RUN: lanewise-compile --pass prepare --block 24,2,1 %s | FileCheck %s
; RUN: lanewise-compile --pass prepare --block 7,1,1 %s | FileCheck --check-prefix=SMALL %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.thread_idx.y() memory(none)
declare i32 @lw.thread_idx.z() memory(none)
declare i32 @lw.block_dim.x() memory(none)
declare i32 @lw.block_dim.y() memory(none)
declare i32 @lw.block_dim.z() memory(none)
declare i32 @lw.block_idx.x() memory(none)
declare i32 @lw.block_idx.y() memory(none)
declare i32 @lw.grid_dim.x() memory(none)
declare i32 @lw.lane_id() memory(none)
declare i32 @lw.warp_id() memory(none)

; CHECK-LABEL: @places(
; CHECK-NOT: @lw.thread_idx.z()
; CHECK-NOT: @lw.block_dim
; CHECK-DAG: call i32 @lw.thread_idx.x(){{.*}} !range ![[X:[0-9]+]]
; CHECK-DAG: call i32 @lw.thread_idx.y(){{.*}} !range ![[TWO:[0-9]+]]
; CHECK-DAG: call i32 @lw.lane_id(){{.*}} !range ![[LANE:[0-9]+]]
; CHECK-DAG: call i32 @lw.warp_id(){{.*}} !range ![[TWO]]
; CHECK-DAG: call i32 @lw.block_idx.x(){{.*}} !range ![[BLOCK:[0-9]+]]
; CHECK-DAG: call i32 @lw.block_idx.y(){{.*}} !range ![[BLOCK_Y:[0-9]+]]
; CHECK-DAG: call i32 @lw.grid_dim.x(){{.*}} !range ![[GRID:[0-9]+]]
; CHECK-DAG: store i32 0, ptr %z
; CHECK-DAG: store i32 241, ptr %dim
; CHECK: ret void
; CHECK-DAG: ![[X]] = !{i32 0, i32 24}
; CHECK-DAG: ![[TWO]] = !{i32 0, i32 2}
; CHECK-DAG: ![[LANE]] = !{i32 0, i32 32}
; CHECK-DAG: ![[BLOCK]] = !{i32 0, i32 2147483647}
; CHECK-DAG: ![[BLOCK_Y]] = !{i32 0, i32 65535}
; CHECK-DAG: ![[GRID]] = !{i32 1, i32 -2147483648}

; SMALL-LABEL: @places(
; SMALL-NOT: @lw.thread_idx.y()
; SMALL-NOT: @lw.warp_id()
; SMALL: call i32 @lw.lane_id(){{.*}} !range ![[SEVEN:[0-9]+]]
; SMALL: ![[SEVEN]] = !{i32 0, i32 7}

define win64cc void @places(ptr %x, ptr %y, ptr %z, ptr %dim, ptr %lane, ptr %warp, ptr %b, ptr %by,
                            ptr %grid) {
  %tx = call i32 @lw.thread_idx.x()
  store i32 %tx, ptr %x
  %ty = call i32 @lw.thread_idx.y()
  store i32 %ty, ptr %y
  %tz = call i32 @lw.thread_idx.z()
  store i32 %tz, ptr %z
  %dx = call i32 @lw.block_dim.x()
  %dy = call i32 @lw.block_dim.y()
  %dz = call i32 @lw.block_dim.z()
  %m = mul i32 %dx, 10
  %a = add i32 %m, %dy
  %s = sub i32 %a, %dz
  store i32 %s, ptr %dim
  %l = call i32 @lw.lane_id()
  store i32 %l, ptr %lane
  %w = call i32 @lw.warp_id()
  store i32 %w, ptr %warp
  %bx = call i32 @lw.block_idx.x()
  store i32 %bx, ptr %b
  %biy = call i32 @lw.block_idx.y()
  store i32 %biy, ptr %by
  %g = call i32 @lw.grid_dim.x()
  store i32 %g, ptr %grid
  ret void
}
