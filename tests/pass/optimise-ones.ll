; A mask's lanes as numbers are a choice of 1 and 0 for AVX-512, where LLVM's code generator comes
; to no end if it adds them up and the first is 0.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s
; RUN: lanewise-compile --pass optimise --device cpu:avx2 %s | FileCheck %s --check-prefix=AVX2

; CHECK-LABEL: @lw.cpu.ones
; CHECK-NOT: zext <16 x i1>
; CHECK: select <16 x i1> {{%.*}}, <16 x i32> <i32 1, i32 1, {{.*}}>, <16 x i32> zeroinitializer
; CHECK-NOT: zext <16 x i1>
; CHECK: ret i32
; AVX2-LABEL: @lw.cpu.ones
; AVX2: zext <16 x i1>
define i32 @lw.cpu.ones(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %v = load <16 x i32>, ptr %launch
  %none = icmp eq <16 x i32> %v, zeroinitializer
  %ones = zext <16 x i1> %none to <16 x i32>
  %two = shl <16 x i32> %ones, %v
  store <16 x i32> %two, ptr %worker
  ret i32 0
}
