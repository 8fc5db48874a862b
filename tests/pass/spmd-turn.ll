; Threads that go down a column: rows of sixteen bytes are loaded and turned, four pieces at a time,
; and stored the other way round; no gather, no scatter. Where only some lanes run, there are. A
; larger block does so in rounds.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,16,1 %s | FileCheck %s
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 16,6,1 %s |
; RUN:     FileCheck %s --check-prefix=REST
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 8,8,1 %s |
; RUN:     FileCheck %s --check-prefix=AVX2

declare i32 @lw.thread_idx.x()
declare i32 @lw.thread_idx.y()

; CHECK-LABEL: define i32 @lw.cpu.down
; CHECK-NOT: gather
; CHECK-NOT: scatter
; CHECK: round:
; CHECK-COUNT-16: load <4 x float>, ptr {{.*}}, align 4
; CHECK: shufflevector <16 x float>
; CHECK-SAME: <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, {{.*}}, i32 29>
; CHECK-COUNT-16: store <4 x float>
; CHECK-NOT: store <
; CHECK: br label %done

; six columns: four of them together, two alone
; REST-LABEL: define i32 @lw.cpu.down
; REST-COUNT-16: load <4 x float>
; REST-COUNT-2: call <16 x float> @llvm.masked.gather
; REST-NOT: masked.gather
; REST-COUNT-16: store <4 x float>
; REST-COUNT-2: call void @llvm.masked.scatter
; REST: br label %done

; AVX2-LABEL: define i32 @lw.cpu.down
; AVX2-NOT: gather
; AVX2-COUNT-8: load <4 x float>
; AVX2: shufflevector <8 x float>
; AVX2-SAME: <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
define win64cc void @down(ptr %out, ptr %in) {
  %x = call i32 @lw.thread_idx.x()
  %y = call i32 @lw.thread_idx.y()
  %row = mul nuw nsw i32 %x, 33
  %at = add nuw nsw i32 %row, %y
  %wide = zext nneg i32 %at to i64
  %from = getelementptr inbounds float, ptr %in, i64 %wide
  %v = load float, ptr %from, align 4
  %to = getelementptr inbounds float, ptr %out, i64 %wide
  store float %v, ptr %to, align 4
  ret void
}
