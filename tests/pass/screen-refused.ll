; Kernels that cannot be screened get no screen: an atomic, a fence, a pointer from memory, a lane's
; register in another, a variable that may have no value. The last one has a screen.
; RUN: lanewise-compile --pass screen --device check %s | FileCheck %s

; CHECK-NOT: @lw.screen.atomic
; CHECK-NOT: @lw.screen.ordered
; CHECK-NOT: @lw.screen.fenced
; CHECK-NOT: @lw.screen.loaded
; CHECK-NOT: @lw.screen.shuffled
; CHECK-NOT: @lw.screen.unset
; CHECK: @lw.screen.plain

declare void @lw.fence_device()
declare i32 @lw.shuffle_down.i32(i32, i32)

define win64cc void @atomic(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}

define win64cc void @ordered(ptr %p) {
  %v = load atomic i32, ptr %p monotonic, align 4
  ret void
}

define win64cc void @fenced(ptr %p) {
  call void @lw.fence_device()
  store i32 1, ptr %p
  ret void
}

define win64cc void @loaded(ptr %p) {
  %q = load ptr, ptr %p
  store i32 1, ptr %q
  ret void
}

define win64cc void @shuffled(ptr %p) {
  %v = call i32 @lw.shuffle_down.i32(i32 1, i32 2) [ "lw.instance"(i64 0) ]
  store i32 %v, ptr %p
  ret void
}

define win64cc void @unset(ptr %p) {
  %v = alloca i32
  %x = load i32, ptr %v
  store i32 %x, ptr %p
  ret void
}

define win64cc void @plain(ptr %p) {
  %v = alloca i32
  store i32 1, ptr %v
  %x = load i32, ptr %v
  store i32 %x, ptr %p
  ret void
}
