; Branches by the thread's number have joins of their own. Where two gangs share their code it is
; not known which threads these are, so the three are one region: under masks there is one copy of
; what is behind them.
; RUN: lanewise-compile --pass spmd --device cpu:avx2/32 --block 64,1,1 %s | FileCheck %s

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @lw.thread_idx.x() memory(none)

; CHECK-LABEL: define internal ptr @lw.gang.shared(
; CHECK-COUNT-4: call void @llvm.masked.store.v8i32.p0(<8 x i32> <i32 3, i32 3,
; CHECK-NOT: call void @llvm.masked.store.v8i32.p0(<8 x i32> <i32 3, i32 3,
; CHECK: {{^}}}
define win64cc void @shared(ptr %out) {
entry:
  %t = call i32 @lw.thread_idx.x()
  %i = zext nneg i32 %t to i64
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  %few = icmp ult i32 %t, 9
  br i1 %few, label %zero, label %most
zero:
  store i32 0, ptr %to
  br label %end
most:
  %more = icmp ult i32 %t, 14
  br i1 %more, label %one, label %rest
one:
  store i32 1, ptr %to
  br label %join1
rest:
  %many = icmp ult i32 %t, 20
  br i1 %many, label %two, label %three
two:
  store i32 2, ptr %to
  br label %join2
three:
  store i32 3, ptr %to
  br label %join2
join2:
  br label %join1
join1:
  br label %end
end:
  ret void
}
