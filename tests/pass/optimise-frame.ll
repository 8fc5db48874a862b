; Vectors that are spilled do not lie across two lines of the cache: the frame is aligned to them,
; with 128 bits it always is.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s
; RUN: lanewise-compile --pass optimise --device cpu:avx2 %s | FileCheck %s
; RUN: lanewise-compile --pass optimise --device cpu:baseline %s | FileCheck --check-prefix=NOT %s

; CHECK: define i32 @lw.cpu.k({{.*}}) [[WORDS:#[0-9]+]]
; CHECK: attributes [[WORDS]] = {{.*}}"stackrealign"
; NOT: define i32 @lw.cpu.k(
; NOT-NOT: stackrealign
define i32 @lw.cpu.k(ptr %launch, ptr %worker, i64 %first, i64 %count) {
  ret i32 0
}
