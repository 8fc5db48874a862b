; What one known lane of each piece does if a second condition holds, too: for it the condition is
; one scalar, so it is a branch, behind it a load and a store of one element; nothing is masked.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,2,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.thread_idx.y() memory(none)
declare i32 @lw.block_idx.x() memory(none)

; CHECK-LABEL: define i32 @lw.cpu.edge(
; CHECK-NOT: masked.
; CHECK: [[SOME:%.*]] = icmp sgt i32 {{%.*}}, 0
; CHECK: br i1 [[SOME]], label %together
; CHECK-NOT: masked.
; CHECK-COUNT-2: load float
; CHECK-COUNT-2: store float
; CHECK-NOT: masked.
; CHECK: {{^}}}
define win64cc void @edge(ptr %out, ptr %in) {
entry:
  %x = call i32 @lw.thread_idx.x()
  %y = call i32 @lw.thread_idx.y()
  %b = call i32 @lw.block_idx.x()
  %first = shl nuw nsw i32 %b, 4
  %at = or disjoint i32 %first, %x
  %left = icmp eq i32 %x, 0
  br i1 %left, label %guard, label %done
guard:
  %some = icmp sgt i32 %at, 0
  br i1 %some, label %then, label %done
then:
  %before = add nsw i32 %at, -1
  %i = sext i32 %before to i64
  %row = zext nneg i32 %y to i64
  %rows = shl i64 %row, 12
  %n = add i64 %rows, %i
  %from = getelementptr inbounds float, ptr %in, i64 %n
  %v = load float, ptr %from
  %to = getelementptr inbounds float, ptr %out, i64 %row
  store float %v, ptr %to
  br label %done
done:
  ret void
}

; Where the second condition is for run time, lane by lane, the first one is still known: of each
; piece lane 0 loads and stores, or nobody.
; CHECK-LABEL: define i32 @lw.cpu.perhaps(
; CHECK: icmp slt <16 x i32>
; CHECK-COUNT-2: load float
; CHECK-NOT: masked.
; CHECK-COUNT-2: store float
; CHECK-NOT: masked.
; CHECK: {{^}}}
define win64cc void @perhaps(ptr %out, ptr %in, ptr %choice) {
entry:
  %x = call i32 @lw.thread_idx.x()
  %y = call i32 @lw.thread_idx.y()
  %row = zext nneg i32 %y to i64
  %column = zext nneg i32 %x to i64
  %rows = shl i64 %row, 12
  %n = add i64 %rows, %column
  %where = getelementptr inbounds i32, ptr %choice, i64 %n
  %chosen = load i32, ptr %where
  %left = icmp eq i32 %x, 0
  %some = icmp slt i32 %chosen, 3
  br i1 %some, label %guard, label %done
guard:
  br i1 %left, label %then, label %done
then:
  %from = getelementptr inbounds float, ptr %in, i64 %n
  %v = load float, ptr %from
  %to = getelementptr inbounds float, ptr %out, i64 %row
  store float %v, ptr %to
  br label %done
done:
  ret void
}
