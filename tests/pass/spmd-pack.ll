; A store to where the set bits below the lane's own are counted: if these are the lanes that store,
; and the index does not wrap around, the elements are packed and stored at once. Else, and where
; one element lies two apart from the next, it is a scatter.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 32,1,1 %s | FileCheck %s
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 32,1,1 %s |
; RUN:     FileCheck %s --check-prefix=AVX2

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @llvm.ctpop.i32(i32)

; CHECK-LABEL: define i32 @lw.cpu.pack(
; The second piece's elements begin behind those of the first.
; CHECK: and i32 [[KEPT:%.*]], 65535
; CHECK: [[BELOW:%.*]] = call i32 @llvm.ctpop.i32(
; CHECK: [[COUNT:%.*]] = call i32 @llvm.ctpop.i32(
; CHECK: [[PLACE:%.*]] = add i32 %{{.*}}, [[BELOW]]
; CHECK: zext i32 [[PLACE]] to i64
; CHECK: [[FIRST:%.*]] = getelementptr float
; CHECK: [[END:%.*]] = add i32 [[BELOW]], [[COUNT]]
; CHECK: [[BEHIND:%.*]] = getelementptr float
; CHECK: lshr i32 [[KEPT]], 16
; CHECK: [[SAME:%.*]] = icmp eq i16
; CHECK: [[ROW:%.*]] = getelementptr float, ptr [[FIRST]], i32 [[COUNT]]
; CHECK: [[WHOLE:%.*]] = icmp eq ptr [[ROW]], [[BEHIND]]
; CHECK: [[PACKED:%.*]] = and i1 [[SAME]], [[WHOLE]]
; CHECK: br i1 [[PACKED]], label %packed{{.*}}, label %apart
; CHECK: packed
; CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; CHECK: call <16 x float> @llvm.x86.avx512.mask.compress.v16f32(
; CHECK: call void @llvm.masked.store.v16f32.p0(
; CHECK: apart
; CHECK: call void @llvm.masked.scatter
; AVX2-LABEL: define i32 @lw.cpu.pack(
; AVX2: packed
; AVX2: call <8 x i32> @llvm.x86.avx2.permd(
; AVX2-NOT: masked.store
; AVX2: store <8 x float>
; AVX2: store <4 x float>
; AVX2: store <2 x float>
; AVX2: store <1 x float>
define win64cc void @pack(ptr %out, ptr %in, i32 %kept, i32 %first) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %from
  %keep = fcmp ogt float %v, 0.5
  br i1 %keep, label %then, label %done
then:
  %one = shl nuw i32 1, %t
  %lower = add i32 %one, -1
  %bits = and i32 %kept, %lower
  %rank = call i32 @llvm.ctpop.i32(i32 %bits)
  %at = add i32 %first, %rank
  %wide = zext i32 %at to i64
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %v, ptr %to
  br label %done
done:
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.pairs(
; CHECK-NOT: compress
; CHECK: call void @llvm.masked.scatter
; CHECK-NOT: compress
; AVX2-LABEL: define i32 @lw.cpu.pairs(
; AVX2-NOT: permd
define win64cc void @pairs(ptr %out, ptr %in, i32 %kept) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %from
  %one = shl nuw i32 1, %t
  %lower = add i32 %one, -1
  %bits = and i32 %kept, %lower
  %rank = call i32 @llvm.ctpop.i32(i32 %bits)
  %twice = shl i32 %rank, 1
  %wide = zext i32 %twice to i64
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %v, ptr %to
  ret void
}
