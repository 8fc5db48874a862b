; A sum at a uniform address whose old values are used: one operation for all lanes. A lane's old
; value has the operands of the active lanes below it. Lanes that need an operation each are taken
; from memory by their numbers, and their results are bits.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; A uniform operand: the active lanes are counted.
; CHECK-LABEL: define i32 @lw.cpu.push(
; CHECK: call i16 @llvm.ctpop.i16(
; CHECK: zext <16 x i1> %{{.*}} to <16 x i8>
; CHECK-COUNT-4: shufflevector <16 x i8>
; CHECK: call i16 @llvm.ctpop.i16(
; CHECK: [[ALL:%.*]] = add i32
; CHECK-NOT: lane:
; CHECK: atomicrmw add ptr %{{.*}}, i32 [[ALL]] monotonic
; CHECK-NOT: atomicrmw
; CHECK-LABEL: define i32 @lw.cpu.reserve(
define win64cc void @push(ptr %next, ptr %in, ptr %count) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %i
  %v = load i32, ptr %from
  %keep = icmp sgt i32 %v, 0
  br i1 %keep, label %then, label %done
then:
  %at = atomicrmw add ptr %count, i32 1 monotonic, align 4
  %wide = sext i32 %at to i64
  %to = getelementptr inbounds i32, ptr %next, i64 %wide
  store i32 %v, ptr %to
  br label %done
done:
  ret void
}

; Operands of their own: their sums, a piece after the other.
; CHECK: [[FIRST:%.*]] = extractelement <16 x i32> %{{.*}}, i32 15
; CHECK: [[SECOND:%.*]] = extractelement <16 x i32> %{{.*}}, i32 15
; CHECK: [[ALL:%.*]] = add i32 [[FIRST]], [[SECOND]]
; CHECK: [[OLD:%.*]] = atomicrmw sub ptr %{{.*}}, i32 [[ALL]] monotonic
; CHECK: insertelement <16 x i32> poison, i32 [[OLD]]
; CHECK: sub <16 x i32>
; CHECK-NOT: atomicrmw
; CHECK-LABEL: define i32 @lw.cpu.claim(
define win64cc void @reserve(ptr %out, ptr %in, ptr %count) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %i
  %v = load i32, ptr %from
  %at = atomicrmw sub ptr %count, i32 %v monotonic, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %at, ptr %to
  ret void
}

; CHECK: store <16 x ptr> %{{.*}}, ptr %lanes, align 64
; CHECK: br label %lanes
; CHECK: lane:
; CHECK-NOT: extractelement
; CHECK: cmpxchg ptr
; CHECK: [[DONE:%.*]] = extractvalue { i32, i1 } %{{.*}}, 1
; CHECK-NOT: insertelement <16 x i1>
; CHECK: shl i64
; CHECK: lanes.done:
define win64cc void @claim(ptr %owner, ptr %in, ptr %out, i32 %me) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %i
  %v = load i32, ptr %from
  %wide = sext i32 %v to i64
  %at = getelementptr inbounds i32, ptr %owner, i64 %wide
  %pair = cmpxchg ptr %at, i32 -1, i32 %me monotonic monotonic, align 4
  %won = extractvalue { i32, i1 } %pair, 1
  %one = zext i1 %won to i32
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %one, ptr %to
  ret void
}
