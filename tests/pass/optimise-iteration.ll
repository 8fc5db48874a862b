; A loop whose iterations are a step apart that only the launch knows: the rows of the next one are
; fetched, of each buffer those that are furthest ahead. The others have been touched before.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

; CHECK-LABEL: @lw.cpu.planes
; CHECK: loop:
; CHECK-COUNT-16: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; CHECK-NOT: prefetch
; CHECK: ret i32
define i32 @lw.cpu.planes(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %a = load ptr, ptr %launch
  %to.at = getelementptr i8, ptr %launch, i64 8
  %to = load ptr, ptr %to.at
  %plane = load i64, ptr %worker
  br label %loop
loop:
  %z = phi i64 [ 0, %entry ], [ %z.next, %loop ]
  %i0 = phi i64 [ 0, %entry ], [ %n0, %loop ]
  %i1 = phi i64 [ 32, %entry ], [ %n1, %loop ]
  %i2 = phi i64 [ 64, %entry ], [ %n2, %loop ]
  %i3 = phi i64 [ 96, %entry ], [ %n3, %loop ]
  %i4 = phi i64 [ 128, %entry ], [ %n4, %loop ]
  %i5 = phi i64 [ 160, %entry ], [ %n5, %loop ]
  %i6 = phi i64 [ 192, %entry ], [ %n6, %loop ]
  %i7 = phi i64 [ 224, %entry ], [ %n7, %loop ]
  %n0 = add i64 %i0, %plane
  %p0 = getelementptr float, ptr %a, i64 %n0
  %here0 = load <16 x float>, ptr %p0, align 4
  %q0 = getelementptr float, ptr %p0, i64 %plane
  %above0 = load <16 x float>, ptr %q0, align 4
  %sum0 = fadd <16 x float> %here0, %above0
  %r0 = getelementptr float, ptr %to, i64 %n0
  store <16 x float> %sum0, ptr %r0, align 4
  %n1 = add i64 %i1, %plane
  %p1 = getelementptr float, ptr %a, i64 %n1
  %here1 = load <16 x float>, ptr %p1, align 4
  %q1 = getelementptr float, ptr %p1, i64 %plane
  %above1 = load <16 x float>, ptr %q1, align 4
  %sum1 = fadd <16 x float> %here1, %above1
  %r1 = getelementptr float, ptr %to, i64 %n1
  store <16 x float> %sum1, ptr %r1, align 4
  %n2 = add i64 %i2, %plane
  %p2 = getelementptr float, ptr %a, i64 %n2
  %here2 = load <16 x float>, ptr %p2, align 4
  %q2 = getelementptr float, ptr %p2, i64 %plane
  %above2 = load <16 x float>, ptr %q2, align 4
  %sum2 = fadd <16 x float> %here2, %above2
  %r2 = getelementptr float, ptr %to, i64 %n2
  store <16 x float> %sum2, ptr %r2, align 4
  %n3 = add i64 %i3, %plane
  %p3 = getelementptr float, ptr %a, i64 %n3
  %here3 = load <16 x float>, ptr %p3, align 4
  %q3 = getelementptr float, ptr %p3, i64 %plane
  %above3 = load <16 x float>, ptr %q3, align 4
  %sum3 = fadd <16 x float> %here3, %above3
  %r3 = getelementptr float, ptr %to, i64 %n3
  store <16 x float> %sum3, ptr %r3, align 4
  %n4 = add i64 %i4, %plane
  %p4 = getelementptr float, ptr %a, i64 %n4
  %here4 = load <16 x float>, ptr %p4, align 4
  %q4 = getelementptr float, ptr %p4, i64 %plane
  %above4 = load <16 x float>, ptr %q4, align 4
  %sum4 = fadd <16 x float> %here4, %above4
  %r4 = getelementptr float, ptr %to, i64 %n4
  store <16 x float> %sum4, ptr %r4, align 4
  %n5 = add i64 %i5, %plane
  %p5 = getelementptr float, ptr %a, i64 %n5
  %here5 = load <16 x float>, ptr %p5, align 4
  %q5 = getelementptr float, ptr %p5, i64 %plane
  %above5 = load <16 x float>, ptr %q5, align 4
  %sum5 = fadd <16 x float> %here5, %above5
  %r5 = getelementptr float, ptr %to, i64 %n5
  store <16 x float> %sum5, ptr %r5, align 4
  %n6 = add i64 %i6, %plane
  %p6 = getelementptr float, ptr %a, i64 %n6
  %here6 = load <16 x float>, ptr %p6, align 4
  %q6 = getelementptr float, ptr %p6, i64 %plane
  %above6 = load <16 x float>, ptr %q6, align 4
  %sum6 = fadd <16 x float> %here6, %above6
  %r6 = getelementptr float, ptr %to, i64 %n6
  store <16 x float> %sum6, ptr %r6, align 4
  %n7 = add i64 %i7, %plane
  %p7 = getelementptr float, ptr %a, i64 %n7
  %here7 = load <16 x float>, ptr %p7, align 4
  %q7 = getelementptr float, ptr %p7, i64 %plane
  %above7 = load <16 x float>, ptr %q7, align 4
  %sum7 = fadd <16 x float> %here7, %above7
  %r7 = getelementptr float, ptr %to, i64 %n7
  store <16 x float> %sum7, ptr %r7, align 4
  %z.next = add i64 %z, 1
  %more = icmp ult i64 %z.next, %count
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}
