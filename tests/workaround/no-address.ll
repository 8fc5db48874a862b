; LLVM 19 gives addresses that nobody has defined any register, for AVX-512 also that of the
; gather's result. No such instruction exists.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | llc -mcpu=x86-64-v4 \
; RUN:   -mtriple=x86_64-linux | FileCheck %s

declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)

; CHECK: lw.cpu.gather:
; CHECK-NOT: vgather{{.*}}%zmm[[ADDRESSES:[0-9]+]]), %{{[yz]}}mm[[ADDRESSES]] {
; CHECK: retq
define i32 @lw.cpu.gather(ptr %launch, ptr %worker, i64 %first, i64 %count, <16 x i1> %m) {
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(
      <16 x ptr> undef, i32 4, <16 x i1> %m, <16 x float> zeroinitializer)
  store <16 x float> %v, ptr %worker
  ret i32 0
}
