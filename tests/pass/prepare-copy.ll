; Struct copies between places in global memory are loads and stores of what the alignment allows,
; all loads first; a copy of unknown size stays.
; RUN: lanewise-compile --pass prepare --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: @copy(
; CHECK: load i32, ptr %in, align 4
; CHECK: load i32, ptr {{.*}}, align 4
; CHECK: load i16, ptr {{.*}}, align 2
; CHECK-NOT: load
; CHECK: store i32 {{.*}}, ptr %out, align 4
; CHECK: store i32 {{.*}}, align 4
; CHECK: store i16 {{.*}}, align 2
; CHECK-NOT: @llvm.mem
; CHECK: ret void
define win64cc void @copy(ptr %out, ptr %in) {
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %out, ptr align 8 %in, i64 10, i1 false)
  ret void
}

; CHECK-LABEL: @fill(
; CHECK: store i64 72340172838076673, ptr %out, align 8
; CHECK: store i64 72340172838076673, ptr {{.*}}, align 8
; CHECK: ret void
define win64cc void @fill(ptr %out) {
  call void @llvm.memset.p0.i64(ptr align 16 %out, i8 1, i64 16, i1 false)
  ret void
}

; CHECK-LABEL: @unknown(
; CHECK: call void @llvm.memcpy
define win64cc void @unknown(ptr %out, ptr %in, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %in, i64 %n, i1 false)
  ret void
}
