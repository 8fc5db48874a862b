; Where a block touches many rows, what the next block will touch is fetched: the rows of one block
; further along x, in a grid that is wide enough.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

; Along x: 32 columns, 128 bytes, further.
; CHECK-LABEL: @lw.cpu.rows
; CHECK: [[WIDE:%.*]] = icmp uge i32 %grid, 4
; CHECK: [[STEP:%.*]] = zext i1 [[WIDE]] to i64
; CHECK: [[X:%.*]] = shl i64 [[STEP]], 5
; CHECK: block:
; CHECK-COUNT-8: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 2, i32 1)
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.rows(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %n = load i64, ptr %worker
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %y = phi i32 [ 0, %entry ], [ %y.next, %next ]
  %x32 = shl i32 %x, 5
  %col = sext i32 %x32 to i64
  %y32 = shl i32 %y, 5
  %line = sext i32 %y32 to i64
  %l0 = add i64 %line, 0
  %o0 = mul i64 %l0, %n
  %r0 = getelementptr float, ptr %a, i64 %o0
  %p0 = getelementptr float, ptr %r0, i64 %col
  %v0 = load volatile <16 x float>, ptr %p0, align 4
  %l1 = add i64 %line, 1
  %o1 = mul i64 %l1, %n
  %r1 = getelementptr float, ptr %a, i64 %o1
  %p1 = getelementptr float, ptr %r1, i64 %col
  %v1 = load volatile <16 x float>, ptr %p1, align 4
  %l2 = add i64 %line, 2
  %o2 = mul i64 %l2, %n
  %r2 = getelementptr float, ptr %a, i64 %o2
  %p2 = getelementptr float, ptr %r2, i64 %col
  %v2 = load volatile <16 x float>, ptr %p2, align 4
  %l3 = add i64 %line, 3
  %o3 = mul i64 %l3, %n
  %r3 = getelementptr float, ptr %a, i64 %o3
  %p3 = getelementptr float, ptr %r3, i64 %col
  %v3 = load volatile <16 x float>, ptr %p3, align 4
  %l4 = add i64 %line, 4
  %o4 = mul i64 %l4, %n
  %r4 = getelementptr float, ptr %a, i64 %o4
  %p4 = getelementptr float, ptr %r4, i64 %col
  %v4 = load volatile <16 x float>, ptr %p4, align 4
  %l5 = add i64 %line, 5
  %o5 = mul i64 %l5, %n
  %r5 = getelementptr float, ptr %a, i64 %o5
  %p5 = getelementptr float, ptr %r5, i64 %col
  %v5 = load volatile <16 x float>, ptr %p5, align 4
  %l6 = add i64 %line, 6
  %o6 = mul i64 %l6, %n
  %r6 = getelementptr float, ptr %a, i64 %o6
  %p6 = getelementptr float, ptr %r6, i64 %col
  %v6 = load volatile <16 x float>, ptr %p6, align 4
  %l7 = add i64 %line, 7
  %o7 = mul i64 %l7, %n
  %r7 = getelementptr float, ptr %a, i64 %o7
  %p7 = getelementptr float, ptr %r7, i64 %col
  %v7 = load volatile <16 x float>, ptr %p7, align 4
  br label %next
next:
  %linear.next = add i64 %linear, 1
  %x.more = add i32 %x, 1
  %full = icmp eq i32 %x.more, %grid
  %x.next = select i1 %full, i32 0, i32 %x.more
  %carry = zext i1 %full to i32
  %y.next = add i32 %y, %carry
  %again = icmp ult i64 %linear.next, %count
  br i1 %again, label %block, label %out
out:
  ret i32 0
}

; 32 lines of n.
; CHECK-LABEL: @lw.cpu.columns
; CHECK: mul i64 {{.*}}, %n
; CHECK: block:
; CHECK-COUNT-9: call void @llvm.prefetch.p0
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.columns(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %n = load i64, ptr %worker
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %y = phi i32 [ 0, %entry ], [ %y.next, %next ]
  %x32 = shl i32 %x, 5
  %col = sext i32 %x32 to i64
  %y32 = shl i32 %y, 5
  %line = sext i32 %y32 to i64
  %l0 = add i64 %col, 0
  %o0 = mul i64 %l0, %n
  %r0 = getelementptr float, ptr %a, i64 %o0
  %p0 = getelementptr float, ptr %r0, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p0, align 4
  %l1 = add i64 %col, 1
  %o1 = mul i64 %l1, %n
  %r1 = getelementptr float, ptr %a, i64 %o1
  %p1 = getelementptr float, ptr %r1, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p1, align 4
  %l2 = add i64 %col, 2
  %o2 = mul i64 %l2, %n
  %r2 = getelementptr float, ptr %a, i64 %o2
  %p2 = getelementptr float, ptr %r2, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p2, align 4
  %l3 = add i64 %col, 3
  %o3 = mul i64 %l3, %n
  %r3 = getelementptr float, ptr %a, i64 %o3
  %p3 = getelementptr float, ptr %r3, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p3, align 4
  %l4 = add i64 %col, 4
  %o4 = mul i64 %l4, %n
  %r4 = getelementptr float, ptr %a, i64 %o4
  %p4 = getelementptr float, ptr %r4, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p4, align 4
  %l5 = add i64 %col, 5
  %o5 = mul i64 %l5, %n
  %r5 = getelementptr float, ptr %a, i64 %o5
  %p5 = getelementptr float, ptr %r5, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p5, align 4
  %l6 = add i64 %col, 6
  %o6 = mul i64 %l6, %n
  %r6 = getelementptr float, ptr %a, i64 %o6
  %p6 = getelementptr float, ptr %r6, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p6, align 4
  %l7 = add i64 %col, 7
  %o7 = mul i64 %l7, %n
  %r7 = getelementptr float, ptr %a, i64 %o7
  %p7 = getelementptr float, ptr %r7, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p7, align 4
  %l8 = add i64 %col, 8
  %o8 = mul i64 %l8, %n
  %r8 = getelementptr float, ptr %a, i64 %o8
  %p8 = getelementptr float, ptr %r8, i64 %line
  store volatile <16 x float> zeroinitializer, ptr %p8, align 4
  br label %next
next:
  %linear.next = add i64 %linear, 1
  %x.more = add i32 %x, 1
  %full = icmp eq i32 %x.more, %grid
  %x.next = select i1 %full, i32 0, i32 %x.more
  %carry = zext i1 %full to i32
  %y.next = add i32 %y, %carry
  %again = icmp ult i64 %linear.next, %count
  br i1 %again, label %block, label %out
out:
  ret i32 0
}

; Hardware follows a few.
; CHECK-LABEL: @lw.cpu.few
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.few(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %n = load i64, ptr %worker
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %y = phi i32 [ 0, %entry ], [ %y.next, %next ]
  %x32 = shl i32 %x, 5
  %col = sext i32 %x32 to i64
  %y32 = shl i32 %y, 5
  %line = sext i32 %y32 to i64
  %l0 = add i64 %line, 0
  %o0 = mul i64 %l0, %n
  %r0 = getelementptr float, ptr %a, i64 %o0
  %p0 = getelementptr float, ptr %r0, i64 %col
  %v0 = load volatile <16 x float>, ptr %p0, align 4
  %l1 = add i64 %line, 1
  %o1 = mul i64 %l1, %n
  %r1 = getelementptr float, ptr %a, i64 %o1
  %p1 = getelementptr float, ptr %r1, i64 %col
  %v1 = load volatile <16 x float>, ptr %p1, align 4
  %l2 = add i64 %line, 2
  %o2 = mul i64 %l2, %n
  %r2 = getelementptr float, ptr %a, i64 %o2
  %p2 = getelementptr float, ptr %r2, i64 %col
  %v2 = load volatile <16 x float>, ptr %p2, align 4
  %l3 = add i64 %line, 3
  %o3 = mul i64 %l3, %n
  %r3 = getelementptr float, ptr %a, i64 %o3
  %p3 = getelementptr float, ptr %r3, i64 %col
  %v3 = load volatile <16 x float>, ptr %p3, align 4
  %l4 = add i64 %line, 4
  %o4 = mul i64 %l4, %n
  %r4 = getelementptr float, ptr %a, i64 %o4
  %p4 = getelementptr float, ptr %r4, i64 %col
  %v4 = load volatile <16 x float>, ptr %p4, align 4
  %l5 = add i64 %line, 5
  %o5 = mul i64 %l5, %n
  %r5 = getelementptr float, ptr %a, i64 %o5
  %p5 = getelementptr float, ptr %r5, i64 %col
  %v5 = load volatile <16 x float>, ptr %p5, align 4
  %l6 = add i64 %line, 6
  %o6 = mul i64 %l6, %n
  %r6 = getelementptr float, ptr %a, i64 %o6
  %p6 = getelementptr float, ptr %r6, i64 %col
  %v6 = load volatile <16 x float>, ptr %p6, align 4
  br label %next
next:
  %linear.next = add i64 %linear, 1
  %x.more = add i32 %x, 1
  %full = icmp eq i32 %x.more, %grid
  %x.next = select i1 %full, i32 0, i32 %x.more
  %carry = zext i1 %full to i32
  %y.next = add i32 %y, %carry
  %again = icmp ult i64 %linear.next, %count
  br i1 %again, label %block, label %out
out:
  ret i32 0
}

; Two lines a row: the third vector lies in the second.
; CHECK-LABEL: @lw.cpu.wide
; CHECK-COUNT-16: call void @llvm.prefetch.p0
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.wide(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %n = load i64, ptr %worker
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %y = phi i32 [ 0, %entry ], [ %y.next, %next ]
  %x32 = shl i32 %x, 5
  %col = sext i32 %x32 to i64
  %y32 = shl i32 %y, 5
  %line = sext i32 %y32 to i64
  %l0 = add i64 %line, 0
  %o0 = mul i64 %l0, %n
  %r0 = getelementptr float, ptr %a, i64 %o0
  %p0 = getelementptr float, ptr %r0, i64 %col
  %v0 = load volatile <16 x float>, ptr %p0, align 4
  %l1 = add i64 %line, 1
  %o1 = mul i64 %l1, %n
  %r1 = getelementptr float, ptr %a, i64 %o1
  %p1 = getelementptr float, ptr %r1, i64 %col
  %v1 = load volatile <16 x float>, ptr %p1, align 4
  %l2 = add i64 %line, 2
  %o2 = mul i64 %l2, %n
  %r2 = getelementptr float, ptr %a, i64 %o2
  %p2 = getelementptr float, ptr %r2, i64 %col
  %v2 = load volatile <16 x float>, ptr %p2, align 4
  %l3 = add i64 %line, 3
  %o3 = mul i64 %l3, %n
  %r3 = getelementptr float, ptr %a, i64 %o3
  %p3 = getelementptr float, ptr %r3, i64 %col
  %v3 = load volatile <16 x float>, ptr %p3, align 4
  %l4 = add i64 %line, 4
  %o4 = mul i64 %l4, %n
  %r4 = getelementptr float, ptr %a, i64 %o4
  %p4 = getelementptr float, ptr %r4, i64 %col
  %v4 = load volatile <16 x float>, ptr %p4, align 4
  %l5 = add i64 %line, 5
  %o5 = mul i64 %l5, %n
  %r5 = getelementptr float, ptr %a, i64 %o5
  %p5 = getelementptr float, ptr %r5, i64 %col
  %v5 = load volatile <16 x float>, ptr %p5, align 4
  %l6 = add i64 %line, 6
  %o6 = mul i64 %l6, %n
  %r6 = getelementptr float, ptr %a, i64 %o6
  %p6 = getelementptr float, ptr %r6, i64 %col
  %v6 = load volatile <16 x float>, ptr %p6, align 4
  %l7 = add i64 %line, 7
  %o7 = mul i64 %l7, %n
  %r7 = getelementptr float, ptr %a, i64 %o7
  %p7 = getelementptr float, ptr %r7, i64 %col
  %v7 = load volatile <16 x float>, ptr %p7, align 4
  %q0 = getelementptr i8, ptr %p0, i64 64
  %w0 = load volatile <8 x float>, ptr %q0, align 4
  %s0 = getelementptr i8, ptr %p0, i64 96
  %t0 = load volatile <8 x float>, ptr %s0, align 4
  %q1 = getelementptr i8, ptr %p1, i64 64
  %w1 = load volatile <8 x float>, ptr %q1, align 4
  %s1 = getelementptr i8, ptr %p1, i64 96
  %t1 = load volatile <8 x float>, ptr %s1, align 4
  %q2 = getelementptr i8, ptr %p2, i64 64
  %w2 = load volatile <8 x float>, ptr %q2, align 4
  %s2 = getelementptr i8, ptr %p2, i64 96
  %t2 = load volatile <8 x float>, ptr %s2, align 4
  %q3 = getelementptr i8, ptr %p3, i64 64
  %w3 = load volatile <8 x float>, ptr %q3, align 4
  %s3 = getelementptr i8, ptr %p3, i64 96
  %t3 = load volatile <8 x float>, ptr %s3, align 4
  %q4 = getelementptr i8, ptr %p4, i64 64
  %w4 = load volatile <8 x float>, ptr %q4, align 4
  %s4 = getelementptr i8, ptr %p4, i64 96
  %t4 = load volatile <8 x float>, ptr %s4, align 4
  %q5 = getelementptr i8, ptr %p5, i64 64
  %w5 = load volatile <8 x float>, ptr %q5, align 4
  %s5 = getelementptr i8, ptr %p5, i64 96
  %t5 = load volatile <8 x float>, ptr %s5, align 4
  %q6 = getelementptr i8, ptr %p6, i64 64
  %w6 = load volatile <8 x float>, ptr %q6, align 4
  %s6 = getelementptr i8, ptr %p6, i64 96
  %t6 = load volatile <8 x float>, ptr %s6, align 4
  %q7 = getelementptr i8, ptr %p7, i64 64
  %w7 = load volatile <8 x float>, ptr %q7, align 4
  %s7 = getelementptr i8, ptr %p7, i64 96
  %t7 = load volatile <8 x float>, ptr %s7, align 4
  br label %next
next:
  %linear.next = add i64 %linear, 1
  %x.more = add i32 %x, 1
  %full = icmp eq i32 %x.more, %grid
  %x.next = select i1 %full, i32 0, i32 %x.more
  %carry = zext i1 %full to i32
  %y.next = add i32 %y, %carry
  %again = icmp ult i64 %linear.next, %count
  br i1 %again, label %block, label %out
out:
  ret i32 0
}

; In a loop inside, these are not what a block touches once.
; CHECK-LABEL: @lw.cpu.inside
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.inside(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %n = load i64, ptr %worker
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %y = phi i32 [ 0, %entry ], [ %y.next, %next ]
  %x32 = shl i32 %x, 5
  %col = sext i32 %x32 to i64
  %y32 = shl i32 %y, 5
  %line = sext i32 %y32 to i64
  br label %inner
inner:
  %l0 = add i64 %line, 0
  %o0 = mul i64 %l0, %n
  %r0 = getelementptr float, ptr %a, i64 %o0
  %p0 = getelementptr float, ptr %r0, i64 %col
  %v0 = load volatile <16 x float>, ptr %p0, align 4
  %l1 = add i64 %line, 1
  %o1 = mul i64 %l1, %n
  %r1 = getelementptr float, ptr %a, i64 %o1
  %p1 = getelementptr float, ptr %r1, i64 %col
  %v1 = load volatile <16 x float>, ptr %p1, align 4
  %l2 = add i64 %line, 2
  %o2 = mul i64 %l2, %n
  %r2 = getelementptr float, ptr %a, i64 %o2
  %p2 = getelementptr float, ptr %r2, i64 %col
  %v2 = load volatile <16 x float>, ptr %p2, align 4
  %l3 = add i64 %line, 3
  %o3 = mul i64 %l3, %n
  %r3 = getelementptr float, ptr %a, i64 %o3
  %p3 = getelementptr float, ptr %r3, i64 %col
  %v3 = load volatile <16 x float>, ptr %p3, align 4
  %l4 = add i64 %line, 4
  %o4 = mul i64 %l4, %n
  %r4 = getelementptr float, ptr %a, i64 %o4
  %p4 = getelementptr float, ptr %r4, i64 %col
  %v4 = load volatile <16 x float>, ptr %p4, align 4
  %l5 = add i64 %line, 5
  %o5 = mul i64 %l5, %n
  %r5 = getelementptr float, ptr %a, i64 %o5
  %p5 = getelementptr float, ptr %r5, i64 %col
  %v5 = load volatile <16 x float>, ptr %p5, align 4
  %l6 = add i64 %line, 6
  %o6 = mul i64 %l6, %n
  %r6 = getelementptr float, ptr %a, i64 %o6
  %p6 = getelementptr float, ptr %r6, i64 %col
  %v6 = load volatile <16 x float>, ptr %p6, align 4
  %l7 = add i64 %line, 7
  %o7 = mul i64 %l7, %n
  %r7 = getelementptr float, ptr %a, i64 %o7
  %p7 = getelementptr float, ptr %r7, i64 %col
  %v7 = load volatile <16 x float>, ptr %p7, align 4
  %more = load volatile i1, ptr %launch
  br i1 %more, label %inner, label %end
end:
  br label %next
next:
  %linear.next = add i64 %linear, 1
  %x.more = add i32 %x, 1
  %full = icmp eq i32 %x.more, %grid
  %x.next = select i1 %full, i32 0, i32 %x.more
  %carry = zext i1 %full to i32
  %y.next = add i32 %y, %carry
  %again = icmp ult i64 %linear.next, %count
  br i1 %again, label %block, label %out
out:
  ret i32 0
}

; The rows of every block are the same.
; CHECK-LABEL: @lw.cpu.same
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.same(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %n = load i64, ptr %worker
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %next ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %y = phi i32 [ 0, %entry ], [ %y.next, %next ]
  %x32 = shl i32 %x, 5
  %col = sext i32 %x32 to i64
  %y32 = shl i32 %y, 5
  %line = sext i32 %y32 to i64
  %l0 = add i64 %line, 0
  %o0 = mul i64 %l0, %n
  %r0 = getelementptr float, ptr %a, i64 %o0
  %p0 = getelementptr float, ptr %r0, i64 %line
  %v0 = load volatile <16 x float>, ptr %p0, align 4
  %l1 = add i64 %line, 1
  %o1 = mul i64 %l1, %n
  %r1 = getelementptr float, ptr %a, i64 %o1
  %p1 = getelementptr float, ptr %r1, i64 %line
  %v1 = load volatile <16 x float>, ptr %p1, align 4
  %l2 = add i64 %line, 2
  %o2 = mul i64 %l2, %n
  %r2 = getelementptr float, ptr %a, i64 %o2
  %p2 = getelementptr float, ptr %r2, i64 %line
  %v2 = load volatile <16 x float>, ptr %p2, align 4
  %l3 = add i64 %line, 3
  %o3 = mul i64 %l3, %n
  %r3 = getelementptr float, ptr %a, i64 %o3
  %p3 = getelementptr float, ptr %r3, i64 %line
  %v3 = load volatile <16 x float>, ptr %p3, align 4
  %l4 = add i64 %line, 4
  %o4 = mul i64 %l4, %n
  %r4 = getelementptr float, ptr %a, i64 %o4
  %p4 = getelementptr float, ptr %r4, i64 %line
  %v4 = load volatile <16 x float>, ptr %p4, align 4
  %l5 = add i64 %line, 5
  %o5 = mul i64 %l5, %n
  %r5 = getelementptr float, ptr %a, i64 %o5
  %p5 = getelementptr float, ptr %r5, i64 %line
  %v5 = load volatile <16 x float>, ptr %p5, align 4
  %l6 = add i64 %line, 6
  %o6 = mul i64 %l6, %n
  %r6 = getelementptr float, ptr %a, i64 %o6
  %p6 = getelementptr float, ptr %r6, i64 %line
  %v6 = load volatile <16 x float>, ptr %p6, align 4
  %l7 = add i64 %line, 7
  %o7 = mul i64 %l7, %n
  %r7 = getelementptr float, ptr %a, i64 %o7
  %p7 = getelementptr float, ptr %r7, i64 %line
  %v7 = load volatile <16 x float>, ptr %p7, align 4
  br label %next
next:
  %linear.next = add i64 %linear, 1
  %x.more = add i32 %x, 1
  %full = icmp eq i32 %x.more, %grid
  %x.next = select i1 %full, i32 0, i32 %x.more
  %carry = zext i1 %full to i32
  %y.next = add i32 %y, %carry
  %again = icmp ult i64 %linear.next, %count
  br i1 %again, label %block, label %out
out:
  ret i32 0
}

; An atomic holds back what would be loaded ahead: few rows, into the first cache.
; CHECK-LABEL: @lw.cpu.atomic
; CHECK: [[STEP:%.*]] = zext i1
; CHECK: [[COLUMN:%.*]] = shl i64 [[STEP]], 5
; CHECK: [[X:%.*]] = mul i64 [[COLUMN]], 4
; CHECK: block:
; CHECK: load volatile <16 x float>, ptr [[ROW:%.*]], align 4
; CHECK: [[NEXT:%.*]] = getelementptr i8, ptr [[ROW]], i64 [[X]]
; CHECK: call void @llvm.prefetch.p0(ptr [[NEXT]], i32 0, i32 3, i32 1)
; CHECK-NOT: prefetch
; CHECK: atomicrmw
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.atomic(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %grid = load i32, ptr %worker
  br label %block
block:
  %linear = phi i64 [ %first, %entry ], [ %linear.next, %block ]
  %x = phi i32 [ 0, %entry ], [ %x.next, %block ]
  %x32 = shl i32 %x, 5
  %col = sext i32 %x32 to i64
  %p = getelementptr float, ptr %a, i64 %col
  %v = load volatile <16 x float>, ptr %p, align 4
  %e = extractelement <16 x float> %v, i32 3
  %old = atomicrmw fadd ptr %launch, float %e monotonic
  %linear.next = add i64 %linear, 1
  %x.more = add i32 %x, 1
  %full = icmp eq i32 %x.more, %grid
  %x.next = select i1 %full, i32 0, i32 %x.more
  %again = icmp ult i64 %linear.next, %count
  br i1 %again, label %block, label %out
out:
  ret i32 0
}
