; A range of the warp's own is compared at the two ends of each piece, by scalars; the vectors are
; made only where lanes part. Numbers narrower than 32 bits are compared lane by lane.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.warp_id() memory(none)
declare i32 @lw.lane_id() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.range(
; CHECK: [[LAST:%.*]] = add i64 [[FIRST:%.*]], 15
; CHECK-NEXT: icmp ule i64 [[FIRST]], [[LAST]]
; CHECK-NEXT: icmp ult i64 [[LAST]], [[END:%.*]]
; CHECK-NEXT: icmp ult i64 [[FIRST]], [[END]]
; CHECK-NOT: icmp ult <16 x i64>
; CHECK: br i1 {{.*}}, label %all, label %some
; CHECK-LABEL: define i32 @lw.cpu.narrow(
; CHECK: icmp ult <16 x i16>
define win64cc void @range(ptr %out, ptr %start) {
entry:
  %w = call i32 @lw.warp_id()
  %l = call i32 @lw.lane_id()
  %at = getelementptr i64, ptr %start, i32 %w
  %first = load i64, ptr %at
  %next = getelementptr i64, ptr %at, i32 1
  %end = load i64, ptr %next
  %lane = zext i32 %l to i64
  %i = add i64 %first, %lane
  %in = icmp ult i64 %i, %end
  br i1 %in, label %then, label %done
then:
  %to = getelementptr i64, ptr %out, i64 %i
  store i64 %i, ptr %to
  br label %done
done:
  ret void
}

define win64cc void @narrow(ptr %out, ptr %start) {
entry:
  %w = call i32 @lw.warp_id()
  %l = call i32 @lw.lane_id()
  %at = getelementptr i16, ptr %start, i32 %w
  %first = load i16, ptr %at
  %next = getelementptr i16, ptr %at, i32 1
  %end = load i16, ptr %next
  %lane = trunc i32 %l to i16
  %i = add i16 %first, %lane
  %in = icmp ult i16 %i, %end
  br i1 %in, label %then, label %done
then:
  %to = getelementptr i16, ptr %out, i32 %l
  store i16 %i, ptr %to
  br label %done
done:
  ret void
}
