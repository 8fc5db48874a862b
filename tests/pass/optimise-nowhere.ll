; Addresses of lanes that never come to a gather or scatter are 0, not undefined, for which LLVM may
; take the register of the result: of the whole piece, or of lanes that nothing was put in. Those of
; the others stay, and so does a vector with an address in each lane. Lanes of a bitcast are others
; than its operand's, and any may be the one that is put in at a number.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.scatter.v16f32.v16p0(<16 x float>, <16 x ptr>, i32, <16 x i1>)

; CHECK-LABEL: @lw.cpu.k
; CHECK: @llvm.masked.gather.v16f32.v16p0(<16 x ptr> zeroinitializer
; CHECK: [[SOME:%.*]] = shufflevector <16 x ptr> {{%.*}}, <16 x ptr> zeroinitializer,
; CHECK-SAME: <i32 0, i32 1, i32 18, i32 19, {{.*}}, i32 31>
; CHECK: @llvm.masked.scatter.v16f32.v16p0(<16 x float> {{%.*}}, <16 x ptr> [[SOME]]
; CHECK: [[ALL:%.*]] = getelementptr float, ptr %worker, <16 x i64> %x
; CHECK-NOT: shufflevector
; CHECK: @llvm.masked.scatter.v16f32.v16p0(<16 x float> {{%.*}}, <16 x ptr> [[ALL]]
; CHECK-NOT: <16 x ptr> zeroinitializer
; CHECK: ret i32
define i32 @lw.cpu.k(ptr %launch, ptr %worker, i64 %first, i64 %count, <16 x i1> %m,
                     <16 x i64> %x, i64 %a, i64 %b) {
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(
      <16 x ptr> undef, i32 4, <16 x i1> %m, <16 x float> zeroinitializer)
  %i0 = insertelement <16 x i64> poison, i64 %a, i64 0
  %i1 = insertelement <16 x i64> %i0, i64 %b, i64 1
  %some = getelementptr float, ptr %worker, <16 x i64> %i1
  call void @llvm.masked.scatter.v16f32.v16p0(
      <16 x float> %v, <16 x ptr> %some, i32 4, <16 x i1> %m)
  %all = getelementptr float, ptr %worker, <16 x i64> %x
  call void @llvm.masked.scatter.v16f32.v16p0(
      <16 x float> %v, <16 x ptr> %all, i32 4, <16 x i1> %m)

  %wide = insertelement <8 x i64> poison, i64 %a, i64 1
  %parts = bitcast <8 x i64> %wide to <16 x i32>
  %second = shufflevector <16 x i32> %parts, <16 x i32> poison, <16 x i32> <
      i32 2, i32 3, i32 2, i32 3, i32 2, i32 3, i32 2, i32 3,
      i32 2, i32 3, i32 2, i32 3, i32 2, i32 3, i32 2, i32 3>
  %cast = getelementptr float, ptr %worker, <16 x i32> %second
  call void @llvm.masked.scatter.v16f32.v16p0(
      <16 x float> %v, <16 x ptr> %cast, i32 4, <16 x i1> %m)
  %any = insertelement <16 x i64> poison, i64 %a, i64 %b
  %one = shufflevector <16 x i64> %any, <16 x i64> poison, <16 x i32> zeroinitializer
  %put = getelementptr float, ptr %worker, <16 x i64> %one
  call void @llvm.masked.scatter.v16f32.v16p0(
      <16 x float> %v, <16 x ptr> %put, i32 4, <16 x i1> %m)
  ret i32 0
}
