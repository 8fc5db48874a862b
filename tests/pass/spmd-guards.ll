; Checks of lanes: nothing where constants show that all are within, a comparison of scalars for
; numbers that are linear over the block, one of vectors and one branch for several pieces else.
; Where one fails a loop looks at each lane: only what it cannot compute is stored for it.
; RUN: lanewise-compile --pass spmd --device cpu:avx512 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare i32 @lw.block_idx.x() memory(none)
declare void @lw.guard.i32(i1, i32, i1, i64, i64, i64, i64, i64, i64, i64,
    i64) nounwind memory(inaccessiblemem: readwrite) nomerge

; CHECK-LABEL: define i32 @lw.cpu.known(
; CHECK-NOT: rare
; CHECK: {{^}}}
define win64cc void @known(ptr %x) {
  %t = call i32 @lw.thread_idx.x()
  %f = icmp ugt i32 %t, 63
  call void @lw.guard.i32(i1 %f, i32 %t, i1 true, i64 4, i64 0, i64 253, i64 0, i64 0, i64 4,
    i64 256, i64 0)
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.linear(
; CHECK: [[MOST:%.*]] = call i32 @llvm.usub.sat.i32(i32 [[N:%.*]], i32 63)
; CHECK-NEXT: [[FAILS:%.*]] = icmp uge i32 {{%.*}}, [[MOST]]
; CHECK-NOT: icmp
; CHECK: br i1 {{%.*}}, label %rare, label %within, {{.*}}!prof
; CHECK: rare:
; CHECK-COUNT-4: store i32
; CHECK-NEXT: br label %look
; CHECK: look:
; CHECK: icmp uge i64
; CHECK: outside:
; CHECK: call void {{%.*}}(ptr
; CHECK-NEXT: br label %stop
; CHECK-NOT: rare
; CHECK: {{^}}}
define win64cc void @linear(ptr %x, i32 %n, i64 %limit) {
  %t = call i32 @lw.thread_idx.x()
  %b = call i32 @lw.block_idx.x()
  %m = mul i32 %b, 64
  %i = add i32 %m, %t
  %f = icmp uge i32 %i, %n
  call void @lw.guard.i32(i1 %f, i32 %i, i1 true, i64 4, i64 0, i64 %limit, i64 0, i64 0, i64 4,
    i64 256, i64 0)
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.varying(
; CHECK-COUNT-4: icmp uge <16 x i32>
; CHECK-COUNT-3: or <16 x i1>
; CHECK: br i1 {{%.*}}, label %rare, label %within, {{.*}}!prof
; CHECK: rare:
; CHECK-COUNT-4: store i32
; CHECK-COUNT-4: store <16 x i32>
; CHECK: within:
; CHECK-NOT: rare
; CHECK: look:
; CHECK: icmp uge i64
; CHECK: {{^}}}
define win64cc void @varying(ptr %x, i32 %n, i64 %limit) {
  %t = call i32 @lw.thread_idx.x()
  %w = sext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %w
  %at = load i32, ptr %p
  %f = icmp uge i32 %at, %n
  call void @lw.guard.i32(i1 %f, i32 %at, i1 true, i64 4, i64 0, i64 %limit, i64 0, i64 0, i64 4,
    i64 256, i64 0)
  %u = sext i32 %at to i64
  %q = getelementptr i32, ptr %x, i64 %u
  store i32 1, ptr %q
  ret void
}
