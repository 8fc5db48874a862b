; A branch that the thread's place decides has its join to itself, so that its region lies within
; that of the branch around it. One that something else decides has not.
; RUN: lanewise-compile --pass prepare --device cpu:avx512 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare void @lw.barrier() convergent

; CHECK-LABEL: @by_place(
; CHECK: br i1 %outer, label %inside, label %done
; CHECK: inside:
; CHECK: br i1 {{%.*}}, label %then, label %join
; CHECK: then:
; CHECK: br label %join
; CHECK: join:
; CHECK-NEXT: [[OWN:%.*]] = phi i32 [ 3, %inside ], [ 7, %then ]
; CHECK-NEXT: br label %done
; CHECK: done:
; CHECK-NEXT: {{%.*}} = phi i32 [ 0, %entry ], [ [[OWN]], %join ]
define win64cc void @by_place(ptr %out, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %outer = icmp slt i32 %t, %n
  br i1 %outer, label %inside, label %done
inside:
  store i32 1, ptr %out
  %left = icmp eq i32 %t, 3
  br i1 %left, label %then, label %done
then:
  fence release
  store i32 2, ptr %out
  br label %done
done:
  %v = phi i32 [ 0, %entry ], [ 3, %inside ], [ 7, %then ]
  call void @lw.barrier() [ "lw.instance"(i64 0) ]
  store i32 %v, ptr %out
  ret void
}

; CHECK-LABEL: @by_data(
; CHECK-NOT: join:
; CHECK: {{^}}}
define win64cc void @by_data(ptr %out, i32 %n, i32 %m) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %outer = icmp slt i32 %t, %n
  br i1 %outer, label %inside, label %done
inside:
  store i32 1, ptr %out
  %left = icmp eq i32 %t, %m
  br i1 %left, label %then, label %done
then:
  fence release
  store i32 2, ptr %out
  br label %done
done:
  %v = phi i32 [ 0, %entry ], [ 3, %inside ], [ 7, %then ]
  call void @lw.barrier() [ "lw.instance"(i64 0) ]
  store i32 %v, ptr %out
  ret void
}
