; What a loop's test loads again in each iteration is loaded once, where the buffer is restrict and
; only read: past the atomic, with its check. A counter that begins in memory has the int's width.
; RUN: lanewise-compile --pass prepare --device cpu:avx512 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare void @lw.guard.i32(i1, i32, i1, i64, i64, i64, i64, i64, i64, i64, i64)

; CHECK-LABEL: define {{.*}}void @edges(
; CHECK-COUNT-2: call void @lw.guard.i32(
; CHECK: [[BEGIN:%.*]] = load i32
; CHECK: [[END:%.*]] = load i32
; CHECK: br label %head
; CHECK: head:
; CHECK-NEXT: [[E:%.*]] = phi i32 [ [[BEGIN]], %entry ]
; CHECK-NEXT: icmp slt i32 [[E]], [[END]]
; CHECK: body:
; CHECK: [[WIDE:%.*]] = sext i32 [[E]] to i64
; CHECK: getelementptr inbounds i32, ptr %edge, i64 [[WIDE]]
; CHECK: add nsw i32 [[E]], 1
define win64cc void @edges(ptr "lw.restrict" %begin, ptr %edge, ptr %sum, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds i32, ptr %begin, i64 %i
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %out = icmp uge i32 %t, %n
  call void @lw.guard.i32(i1 %out, i32 %t, i1 true, i64 4, i64 0, i64 99, i64 0, i64 0,
      i64 4, i64 99, i64 0)
  %first = load i32, ptr %p
  %start = sext i32 %first to i64
  %less = add i32 %n, -1
  br label %head
head:
  %e = phi i64 [ %start, %entry ], [ %e.next, %body ]
  %beyond = icmp uge i32 %t, %less
  call void @lw.guard.i32(i1 %beyond, i32 %t, i1 true, i64 4, i64 4, i64 99, i64 0, i64 0,
      i64 4, i64 99, i64 0)
  %last = load i32, ptr %q
  %end = sext i32 %last to i64
  %more = icmp slt i64 %e, %end
  br i1 %more, label %body, label %done
body:
  %from = getelementptr inbounds i32, ptr %edge, i64 %e
  %v = load i32, ptr %from
  %old = atomicrmw add ptr %sum, i32 %v monotonic, align 4
  %e.next = add nsw i64 %e, 1
  br label %head
done:
  ret void
}

; The kernel writes to the buffer: the load stays.
; CHECK-LABEL: define {{.*}}void @written(
; CHECK: head:
; CHECK: load i32
; CHECK: body:
define win64cc void @written(ptr "lw.restrict" %begin, ptr %edge, ptr %sum) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds i32, ptr %begin, i64 %i
  br label %head
head:
  %e = phi i32 [ 0, %entry ], [ %e.next, %body ]
  %last = load i32, ptr %p
  %more = icmp slt i32 %e, %last
  br i1 %more, label %body, label %done
body:
  %v = load i32, ptr %edge
  store i32 %v, ptr %p
  %old = atomicrmw add ptr %sum, i32 %v monotonic, align 4
  %e.next = add nsw i32 %e, 1
  br label %head
done:
  ret void
}

; It is counted before it is compared, and may be one more than an int holds.
; CHECK-LABEL: define {{.*}}void @counted(
; CHECK: phi i64
define win64cc void @counted(ptr "lw.restrict" %begin, ptr %edge, ptr %sum, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds i32, ptr %begin, i64 %i
  %first = load i32, ptr %p
  %start = sext i32 %first to i64
  %end = sext i32 %n to i64
  br label %head
head:
  %e = phi i64 [ %start, %entry ], [ %e.next, %body ]
  %e.next = add nsw i64 %e, 1
  %more = icmp slt i64 %e, %end
  br i1 %more, label %body, label %done
body:
  %from = getelementptr inbounds i32, ptr %edge, i64 %e
  %v = load i32, ptr %from
  %old = atomicrmw add ptr %sum, i32 %v monotonic, align 4
  br label %head
done:
  %to = getelementptr inbounds i64, ptr %sum, i64 %i
  store i64 %e.next, ptr %to
  ret void
}
