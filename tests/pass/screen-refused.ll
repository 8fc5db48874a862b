; Kernels that cannot be screened get no screen: a fence, a pointer from memory, a lane's register
; in another, a variable that may have no value. Nor do atomics by which a thread may learn of
; others: whose result is used, that order others, whose order shows in what they leave, of several
; kinds or widths. The last ones have a screen.
; RUN: lanewise-compile --pass screen --device check %s | FileCheck %s

; CHECK-NOT: @lw.screen.learns
; CHECK-NOT: @lw.screen.releases
; CHECK-NOT: @lw.screen.exchanges
; CHECK-NOT: @lw.screen.rounds
; CHECK-NOT: @lw.screen.kinds
; CHECK-NOT: @lw.screen.widths
; CHECK-NOT: @lw.screen.bytes
; CHECK-NOT: @lw.screen.ordered
; CHECK-NOT: @lw.screen.fenced
; CHECK-NOT: @lw.screen.loaded
; CHECK-NOT: @lw.screen.shuffled
; CHECK-NOT: @lw.screen.unset
; CHECK-DAG: @lw.screen.counts
; CHECK-DAG: @lw.screen.plain

declare void @lw.fence_device()
declare i32 @lw.shuffle_down.i32(i32, i32)

define win64cc void @learns(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  store i32 %old, ptr %p
  ret void
}

define win64cc void @releases(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 release
  ret void
}

define win64cc void @exchanges(ptr %p) {
  %old = atomicrmw xchg ptr %p, i32 1 monotonic
  ret void
}

define win64cc void @rounds(ptr %p) {
  %old = atomicrmw fadd ptr %p, float 1.0 monotonic
  ret void
}

define win64cc void @kinds(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %more = atomicrmw max ptr %p, i32 1 monotonic
  ret void
}

define win64cc void @widths(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %more = atomicrmw add ptr %p, i64 1 monotonic
  ret void
}

define win64cc void @bytes(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  store i8 1, ptr %p
  ret void
}

define win64cc void @counts(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %more = atomicrmw sub ptr %p, i32 1 monotonic
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
