; Masks that keep the lower eight of sixteen lanes are no constants for the code generator: neither
; as one operand, nor as the shuffle that instcombine makes of a select by one. A masked access
; keeps its own: with it go the addresses that nobody has defined.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

; CHECK-LABEL: @lw.cpu.k
; CHECK: [[AT:%.*]] = ptrtoint ptr %launch to i64
; CHECK: [[BIT:%.*]] = lshr i64 [[AT]], 63
; CHECK: [[HALF:%.*]] = icmp ult <16 x i32>
; CHECK: [[A:%.*]] = icmp sgt <16 x i32> %x, zeroinitializer
; CHECK: select <16 x i1> [[HALF]], <16 x i1> [[A]]
; CHECK-NOT: shufflevector <16 x i1>
; CHECK: ret i32
define i32 @lw.cpu.k(ptr %launch, ptr %worker, i64 %first, i64 %count) {
  br label %go
go:
  %x = load <16 x i32>, ptr %launch
  %a = icmp sgt <16 x i32> %x, zeroinitializer
  %half = select <16 x i1>
      <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1,
      i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>,
      <16 x i1> %a, <16 x i1> zeroinitializer
  %bits = bitcast <16 x i1> %half to i16
  %r = zext i16 %bits to i32
  ret i32 %r
}

; CHECK-LABEL: @lw.cpu.m
; CHECK: @llvm.masked.gather
; CHECK-SAME: i32 4, <16 x i1> <i1 true, {{(i1 true, )*}}i1 false, {{(i1 false, )*}}i1 false>
define i32 @lw.cpu.m(ptr %launch, ptr %worker, i64 %first, i64 %count) {
  %x = load <16 x i64>, ptr %launch
  %at = getelementptr i8, ptr %worker, <16 x i64> %x
  %v = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(
      <16 x ptr> %at, i32 4,
      <16 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1,
      i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>,
      <16 x i32> zeroinitializer)
  %r = extractelement <16 x i32> %v, i32 3
  ret i32 %r
}
declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i32>)
