; A call of AMX's products gets its body, with target features of its own. The configuration is
; loaded once, the sums of a square once; each tile takes part in two products.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @lw.cpu.products(
; CHECK: call void @lw.amx_products(ptr %sums, ptr %x, ptr %x, i64 3, i64 2)
define i32 @lw.cpu.products(ptr %sums, ptr %x) {
  call void @lw.amx_products(ptr %sums, ptr %x, ptr %x, i64 3, i64 2)
  ret i32 0
}

; CHECK-LABEL: define internal void @lw.amx_products(
; CHECK-SAME: [[FEATURES:#[0-9]+]]
; CHECK: call void @llvm.x86.ldtilecfg(
; CHECK: square:
; CHECK-COUNT-4: call void @llvm.x86.tileloadd64(i8 {{[0-3]}}, ptr {{.*}}, i64 128)
; CHECK: step:
; CHECK-COUNT-4: call void @llvm.x86.tileloadd64(i8 {{[4-7]}},
; CHECK: call void @llvm.x86.tdpbf16ps(i8 0, i8 4, i8 6)
; CHECK: call void @llvm.x86.tdpbf16ps(i8 1, i8 4, i8 7)
; CHECK: call void @llvm.x86.tdpbf16ps(i8 2, i8 5, i8 6)
; CHECK: call void @llvm.x86.tdpbf16ps(i8 3, i8 5, i8 7)
; CHECK: whole:
; CHECK-COUNT-4: call void @llvm.x86.tilestored64(i8 {{[0-3]}}, ptr {{.*}}, i64 128)
; CHECK: call void @llvm.x86.tilerelease()
; CHECK: attributes [[FEATURES]] = {{.*}}"target-features"="+amx-tile,+amx-bf16"
declare void @lw.amx_products(ptr, ptr, ptr, i64, i64)
