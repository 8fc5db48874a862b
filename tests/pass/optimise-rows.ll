; A loop that begins where memory says reads a row, behind which most often the next lies: what is
; further on is fetched, once for each line. Not where a row begins by a rule, nor what a loop adds
; up that lies anywhere.
; RUN: lanewise-compile --pass optimise --device cpu:avx2 %s | FileCheck %s

; CHECK-LABEL: @lw.cpu.sparse
; CHECK: [[LEFT:%.*]] = load volatile <8 x float>, ptr [[AT:%.*]], align 4
; CHECK-NEXT: [[ON:%.*]] = getelementptr i8, ptr [[AT]], i64 512
; CHECK-NEXT: call void @llvm.prefetch.p0(ptr {{.*}}[[ON]], i32 0, i32 2, i32 1)
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.sparse(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %start = load ptr, ptr %worker
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %row = sext i32 %x to i64
  %p = getelementptr i64, ptr %start, i64 %row
  %begin = load i64, ptr %p
  %p2 = getelementptr i64, ptr %p, i64 1
  %end = load i64, ptr %p2
  br label %trip
trip:
  %i = phi i64 [ %begin, %block ], [ %i.next, %trip ]
  %at = getelementptr float, ptr %a, i64 %i
  %v = load volatile <8 x float>, ptr %at, align 4
  %at2 = getelementptr i8, ptr %at, i64 32
  %w = load volatile <8 x float>, ptr %at2, align 4
  %i.next = add i64 %i, 16
  %on = icmp slt i64 %i.next, %end
  br i1 %on, label %trip, label %next
next:
  %x1 = add i32 %x, 1
  %full = icmp eq i32 %x1, %grid
  %x.next = select i1 %full, i32 0, i32 %x1
  %linear.next = add i64 %linear, 1
  %more = icmp ult i64 %linear.next, %count
  br i1 %more, label %block, label %done
done:
  ret i32 0
}

; CHECK-LABEL: @lw.cpu.dense
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.dense(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %row = sext i32 %x to i64
  %begin = mul i64 %row, 1000
  %end = add i64 %begin, 1000
  br label %trip
trip:
  %i = phi i64 [ %begin, %block ], [ %i.next, %trip ]
  %at = getelementptr float, ptr %a, i64 %i
  %v = load volatile <8 x float>, ptr %at, align 4
  %i.next = add i64 %i, 8
  %on = icmp slt i64 %i.next, %end
  br i1 %on, label %trip, label %next
next:
  %x1 = add i32 %x, 1
  %full = icmp eq i32 %x1, %grid
  %x.next = select i1 %full, i32 0, i32 %x1
  %linear.next = add i64 %linear, 1
  %more = icmp ult i64 %linear.next, %count
  br i1 %more, label %block, label %done
done:
  ret i32 0
}

; CHECK-LABEL: @lw.cpu.chain
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.chain(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %row = sext i32 %x to i64
  %p = getelementptr i64, ptr %a, i64 %row
  %begin = load i64, ptr %p
  br label %trip
trip:
  %i = phi i64 [ %begin, %block ], [ %i.next, %trip ]
  %at = getelementptr float, ptr %a, i64 %i
  %v = load volatile <8 x float>, ptr %at, align 4
  %link = getelementptr i64, ptr %a, i64 %i
  %i.next = load i64, ptr %link
  %on = icmp sgt i64 %i.next, 0
  br i1 %on, label %trip, label %next
next:
  %x1 = add i32 %x, 1
  %full = icmp eq i32 %x1, %grid
  %x.next = select i1 %full, i32 0, i32 %x1
  %linear.next = add i64 %linear, 1
  %more = icmp ult i64 %linear.next, %count
  br i1 %more, label %block, label %done
done:
  ret i32 0
}
