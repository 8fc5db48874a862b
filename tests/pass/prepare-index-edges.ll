; A short block to which the thread index leads and data as well is copied: lanes of the index are
; constants then. One whose value is used after it stays.
; RUN: lanewise-compile --pass prepare --device cpu:avx512 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define {{.*}}void @halo(
; CHECK: [[LAST:%.*]] = icmp eq i32 {{%.*}}, 31
; CHECK: [[BORDER:%.*]] = icmp eq i32 {{%.*}}, %n
; CHECK: br i1 [[LAST]], label %by.index, label %by.data
; CHECK: by.data:
; CHECK: br i1 [[BORDER]], label %edge, label %done
; CHECK: by.index:
; CHECK: store float
; CHECK: edge:
; CHECK: store float
define win64cc void @halo(ptr %tile, ptr %from, i32 %x, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %last = icmp eq i32 %t, 31
  br i1 %last, label %edge, label %other
other:
  %at = add i32 %x, %t
  %border = icmp eq i32 %at, %n
  br i1 %border, label %edge, label %done
edge:
  %p = getelementptr float, ptr %from, i64 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr %tile, i64 %i
  store float %v, ptr %q
  br label %done
done:
  ret void
}

; Two branches, as they are left of a chain of comparisons with the index.
; CHECK-LABEL: define {{.*}}void @chain(
; CHECK: br i1 {{%.*}}, label %{{.*}}, label %by.index
; CHECK: by.index:
; CHECK: store float
; CHECK: edge:
; CHECK: store float
define win64cc void @chain(ptr %tile, ptr %from, i32 %x, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %q = getelementptr float, ptr %tile, i64 %i
  %lower = icmp ult i32 %t, 31
  br i1 %lower, label %more, label %edge
more:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %begin, label %other
begin:
  %w = load float, ptr %from
  store float %w, ptr %tile
  br label %other
other:
  %at = add i32 %x, %t
  %border = icmp eq i32 %at, %n
  br i1 %border, label %edge, label %done
edge:
  %p = getelementptr float, ptr %from, i64 %i
  %v = load float, ptr %p
  store float %v, ptr %q
  br label %done
done:
  ret void
}

; CHECK-LABEL: define {{.*}}void @used(
; CHECK-NOT: by.index
define win64cc void @used(ptr %tile, ptr %from, i32 %x, i32 %n) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %last = icmp eq i32 %t, 31
  br i1 %last, label %edge, label %other
other:
  %at = add i32 %x, %t
  %border = icmp eq i32 %at, %n
  br i1 %border, label %edge, label %done
edge:
  %p = getelementptr float, ptr %from, i64 %i
  %v = load float, ptr %p
  %q = getelementptr float, ptr %tile, i64 %i
  store float %v, ptr %q
  br label %done
done:
  %sum = phi float [ %v, %edge ], [ 0.0, %other ]
  %r = getelementptr float, ptr %from, i64 %i
  store float %sum, ptr %r
  ret void
}
