; An element of a private array, the same one in all lanes, under a mask: all threads' copies of it
; lie together, so the whole row is loaded, blended and stored; no masked access.
; RUN: lanewise-compile --pass spmd --device cpu:avx2 --block 8,1,1 %s | FileCheck %s

declare i32 @lw.thread_idx.x()

; CHECK-LABEL: define i32 @lw.cpu.own
; CHECK-NOT: masked.load
; CHECK-NOT: masked.store
; CHECK: load <8 x i8>
; CHECK: select <8 x i1>
; CHECK: store <8 x i8>
; CHECK-NOT: masked.load
; CHECK-NOT: masked.store
; CHECK: br label %joined
define win64cc void @own(ptr %out, ptr %in, i64 %k) {
entry:
  %array = alloca [4 x i8]
  %t = call i32 @lw.thread_idx.x()
  %wide = zext nneg i32 %t to i64
  %from = getelementptr i8, ptr %in, i64 %wide
  %v = load i8, ptr %from
  %at = getelementptr i8, ptr %array, i64 %k
  store i8 %v, ptr %at
  %some = icmp sgt i8 %v, 3
  br i1 %some, label %then, label %join
then:
  %old = load i8, ptr %at
  %new = add i8 %old, 5
  store i8 %new, ptr %at
  br label %join
join:
  %last = load i8, ptr %at
  %to = getelementptr i8, ptr %out, i64 %wide
  store i8 %last, ptr %to
  ret void
}
