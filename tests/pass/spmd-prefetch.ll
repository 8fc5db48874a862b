; A prefetch whose lanes lie side by side is one for each cache line; at one address it is one; of
; lanes anywhere one a lane. Lanes that are masked off do not search for pages.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 32,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; CHECK-LABEL: define i32 @lw.cpu.row(
; CHECK: call void @llvm.prefetch.p0(ptr [[FIRST:%.*]], i32 1, i32 2, i32 1)
; CHECK: [[NEXT:%.*]] = getelementptr i8, ptr {{.*}}, i64 64
; CHECK: call void @llvm.prefetch.p0(ptr [[NEXT]], i32 1, i32 2, i32 1)
; CHECK-NOT: prefetch
; CHECK: {{^}}}
define win64cc void @row(ptr %x) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr float, ptr %x, i64 %i
  call void @llvm.prefetch.p0(ptr %at, i32 1, i32 2, i32 1)
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.one(
; CHECK: call void @llvm.prefetch.p0(ptr {{%.*}}, i32 0, i32 3, i32 1)
; CHECK-NOT: prefetch
; CHECK: {{^}}}
define win64cc void @one(ptr %x) {
entry:
  call void @llvm.prefetch.p0(ptr %x, i32 0, i32 3, i32 1)
  ret void
}

; CHECK-LABEL: define i32 @lw.cpu.scattered(
; CHECK: [[WHERE:%.*]] = select <8 x i1> {{.*}}, <8 x ptr> {{.*}}, <8 x ptr>
; CHECK: [[LANE:%.*]] = extractelement <8 x ptr> [[WHERE]], i32 0
; CHECK: call void @llvm.prefetch.p0(ptr [[LANE]], i32 0, i32 3, i32 1)
; CHECK: extractelement <8 x ptr> [[WHERE]], i32 7
; CHECK: {{^}}}
define win64cc void @scattered(ptr %x, ptr %place) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %from = getelementptr i64, ptr %place, i64 %i
  %k = load i64, ptr %from
  %some = icmp sgt i64 %k, 0
  br i1 %some, label %fetch, label %end

fetch:
  %at = getelementptr float, ptr %x, i64 %k
  call void @llvm.prefetch.p0(ptr %at, i32 0, i32 3, i32 1)
  br label %end

end:
  ret void
}
