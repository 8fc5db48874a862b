; Lanes that a constant chooses between two results become a masked operation: the choice is a
; select by a mask that the code generator does not take for a constant, in the end one constant and
; the sign of an address. What another instruction uses as well is no masked operation, and what
; moves lanes no choice.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

; CHECK-LABEL: @lw.cpu.k
; CHECK: [[AT:%.*]] = ptrtoint ptr %launch to i64
; CHECK: [[SIGN:%.*]] = ashr i64 [[AT]], 63
; CHECK: [[NEVER:%.*]] = trunc {{.*}}i64 [[SIGN]] to i16
; CHECK: [[BITS:%.*]] = xor i16 [[NEVER]], 13107
; CHECK: [[MASK:%.*]] = bitcast i16 [[BITS]] to <16 x i1>
; CHECK: [[LEAST:%.*]] = select <16 x i1> {{.*}}, <16 x float> %x, <16 x float> %y
; CHECK: [[MOST:%.*]] = select <16 x i1> {{.*}}, <16 x float> %x, <16 x float> %y
; CHECK: select <16 x i1> [[MASK]], <16 x float> [[LEAST]], <16 x float> [[MOST]]
; CHECK: shufflevector <16 x float> %x, <16 x float> %y
; CHECK: ret i32
define i32 @lw.cpu.k(ptr %launch, ptr %worker, i64 %first, i64 %count) {
  %x = load <16 x float>, ptr %launch
  %y = load <16 x float>, ptr %worker
  %is_low = fcmp olt <16 x float> %x, %y
  %least = select <16 x i1> %is_low, <16 x float> %x, <16 x float> %y
  %is_high = fcmp ogt <16 x float> %x, %y
  %most = select <16 x i1> %is_high, <16 x float> %x, <16 x float> %y
  %chosen = select <16 x i1>
      <i1 1, i1 1, i1 0, i1 0, i1 1, i1 1, i1 0, i1 0,
      i1 1, i1 1, i1 0, i1 0, i1 1, i1 1, i1 0, i1 0>,
      <16 x float> %least, <16 x float> %most
  store <16 x float> %chosen, ptr %launch
  %neither = select <16 x i1>
      <i1 1, i1 1, i1 0, i1 0, i1 1, i1 1, i1 0, i1 0,
      i1 1, i1 1, i1 0, i1 0, i1 1, i1 1, i1 0, i1 0>,
      <16 x float> %x, <16 x float> %y
  store <16 x float> %neither, ptr %worker
  ret i32 0
}
