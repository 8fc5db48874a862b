; RUN: lanewise-compile --pass half %s | FileCheck %s
; A divisor that could trap becomes 1: zero, and -1 under the smallest integer.

define i32 @signed(i32 %n, i32 %d) {
; CHECK-LABEL: define i32 @signed(
; CHECK-DAG: %[[ZERO:.*]] = icmp eq i32 %d, 0
; CHECK-DAG: %[[MINUS:.*]] = icmp eq i32 %d, -1
; CHECK-DAG: %[[LEAST:.*]] = icmp eq i32 %n, -2147483648
; CHECK: %[[BOTH:.*]] = and i1 %[[MINUS]], %[[LEAST]]
; CHECK: %[[BAD:.*]] = or i1 %[[ZERO]], %[[BOTH]]
; CHECK: %[[SAFE:.*]] = select i1 %[[BAD]], i32 1, i32 %d
; CHECK: sdiv i32 %n, %[[SAFE]]
  %q = sdiv i32 %n, %d
  ret i32 %q
}

define i64 @unsigned(i64 %n, i64 %d) {
; CHECK-LABEL: define i64 @unsigned(
; CHECK-NOT: -1
; CHECK: %[[ZERO:.*]] = icmp eq i64 %d, 0
; CHECK: %[[SAFE:.*]] = select i1 %[[ZERO]], i64 1, i64 %d
; CHECK: urem i64 %n, %[[SAFE]]
  %r = urem i64 %n, %d
  ret i64 %r
}

; Constants that cannot trap are let be; those that can are not.
define i32 @constants(i32 %n) {
; CHECK-LABEL: define i32 @constants(
; CHECK-NEXT: %a = sdiv i32 %n, 7
; CHECK-NEXT: %b = srem i32 %a, -2
; CHECK: %[[SAFE:.*]] = select i1 %{{.*}}, i32 1, i32 -1
; CHECK: sdiv i32 %b, %[[SAFE]]
  %a = sdiv i32 %n, 7
  %b = srem i32 %a, -2
  %c = sdiv i32 %b, -1
  ret i32 %c
}

; A vector is divided element by element: LLVM takes one that traps for undefined behaviour of all.
define <2 x i16> @vector(<2 x i16> %n, <2 x i16> %d) {
; CHECK-LABEL: define <2 x i16> @vector(
; CHECK: %[[N0:.*]] = extractelement <2 x i16> %n, i32 0
; CHECK: %[[D0:.*]] = extractelement <2 x i16> %d, i32 0
; CHECK: icmp eq i16 %[[N0]], -32768
; CHECK: %[[SAFE:.*]] = select i1 %{{.*}}, i16 1, i16 %[[D0]]
; CHECK: %[[R:.*]] = srem i16 %[[N0]], %[[SAFE]]
; CHECK: insertelement <2 x i16> undef, i16 %[[R]], i32 0
; CHECK: extractelement <2 x i16> %n, i32 1
; CHECK: srem i16
; CHECK-NOT: srem <2
  %r = srem <2 x i16> %n, %d
  ret <2 x i16> %r
}
