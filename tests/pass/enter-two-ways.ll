; RUN: lanewise-compile --pass enter %s | FileCheck %s
; A loop that is jumped into is entered at one block, which tells where to go on. What comes from
; within goes its way as before: top -> middle is no edge of the new block.

define win64cc void @middle(ptr %out, i1 %c, i32 %n) {
; CHECK-LABEL: define win64cc void @middle(
; CHECK: side:
; CHECK-NEXT: br label %enter
; CHECK: enter:
; CHECK-NEXT: %way = phi i32 [ 0, %{{[^ ]+}} ], [ 0, %back ], [ 1, %side ]
; CHECK-NEXT: switch i32 %way, label %top [
; CHECK-NEXT: i32 1, label %middle
; CHECK: top:
; CHECK: br label %middle
; CHECK: back:
; CHECK: br label %enter
entry:
  br i1 %c, label %middle, label %top
top:
  store i32 1, ptr %out
  br label %middle
middle:
  store i32 2, ptr %out
  %v = load i32, ptr %out
  %go = icmp slt i32 %v, %n
  br i1 %go, label %back, label %end
back:
  br label %top
end:
  ret void
}

; CHECK-LABEL: define win64cc void @natural(
; CHECK-NOT: enter:
define win64cc void @natural(i1 %c) {
entry:
  br label %top
top:
  br i1 %c, label %top, label %end
end:
  ret void
}
