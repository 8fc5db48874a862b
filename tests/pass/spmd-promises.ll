; What an instruction promises it promises for the threads that run it. Thread 0, whose value stands
; for all where they are linear, may be none of them: here it is masked off. Addresses and truncated
; numbers keep no promise either; of a uniform value the promises stay.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 16,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.block_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.before(
; CHECK: trunc nuw nsw i64 {{%.*}} to i8
; CHECK-NOT: {{getelementptr (inbounds|nusw|nuw) float}}
; CHECK-NOT: {{(add|mul|shl|trunc) n[us]w}}
; CHECK: {{^}}}
define win64cc void @before(ptr %out, i64 %n, ptr %small) {
entry:
  %least = trunc nuw nsw i64 %n to i8
  store i8 %least, ptr %small
  %t = call i32 @lw.thread_idx.x()
  %b = call i32 @lw.block_idx.x()
  %first = shl i32 %b, 4
  %i = add nsw i32 %first, %t
  %wide = sext i32 %i to i64
  %inside = icmp sgt i32 %i, 0
  br i1 %inside, label %store, label %done
store:
  %k = add nsw i64 %wide, -1
  %place = getelementptr inbounds float, ptr %out, i64 %k
  store float 1.0, ptr %place
  %low = trunc nuw nsw i64 %k to i32
  %low.wide = sext i32 %low to i64
  %other = getelementptr inbounds float, ptr %out, i64 %low.wide
  store float 2.0, ptr %other
  br label %done
done:
  ret void
}
