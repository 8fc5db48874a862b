; Without mask registers a mask goes from block to block as words, a lane's in its sign: through a
; phi, and to another block that it dominates. Bitwise operations are done on such words, a && b as
; a select among them; a choice between two masks is none. With mask registers nothing changes.
; RUN: lanewise-compile --pass optimise --device cpu:avx2 %s | FileCheck %s
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck --check-prefix=KEPT %s

; CHECK-LABEL: @lw.cpu.k
; CHECK: [[A:%.*]] = fcmp olt <8 x float>
; CHECK-NEXT: [[FIRST:%.*]] = sext <8 x i1> [[A]] to <8 x i32>
; CHECK: [[C:%.*]] = fcmp ogt <8 x float>
; CHECK-NEXT: [[OTHER:%.*]] = sext <8 x i1> [[C]] to <8 x i32>
; CHECK: loop:
; CHECK: [[WORDS:%.*]] = phi <8 x i32> [ [[FIRST]], {{%.*}} ], [ [[LEFT:%.*]], %loop ]
; CHECK-NOT: phi <8 x i1>
; CHECK: [[B:%.*]] = fcmp une <8 x float>
; CHECK-NEXT: [[MORE:%.*]] = sext <8 x i1> [[B]] to <8 x i32>
; CHECK: [[SURE:%.*]] = freeze <8 x i32> [[MORE]]
; CHECK-NEXT: [[LEFT]] = and <8 x i32> [[WORDS]], [[SURE]]
; CHECK: end:
; CHECK: [[THERE:%.*]] = icmp slt <8 x i32> [[OTHER]], zeroinitializer
; CHECK: select <8 x i1> [[THERE]], <8 x i1> {{%.*}}, <8 x i1> {{%.*}}
; CHECK: ret i32

; KEPT-LABEL: @lw.cpu.k
; KEPT: phi <8 x i1>
; KEPT-NOT: sext <8 x i1>
; KEPT: ret i32
define i32 @lw.cpu.k(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %x = load <8 x float>, ptr %launch
  %y = load <8 x float>, ptr %worker
  %a = fcmp olt <8 x float> %x, %y
  %c = fcmp ogt <8 x float> %x, zeroinitializer
  br label %loop
loop:
  %mask = phi <8 x i1> [ %a, %entry ], [ %left, %loop ]
  %v = phi <8 x float> [ %x, %entry ], [ %v.next, %loop ]
  %w = fmul <8 x float> %v, %y
  %v.next = select <8 x i1> %c, <8 x float> %w, <8 x float> %v
  %b = fcmp une <8 x float> %v.next, %x
  %left = select <8 x i1> %mask, <8 x i1> %b, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %left to i8
  %any = icmp ne i8 %bits, 0
  br i1 %any, label %loop, label %end
end:
  %d = fcmp ult <8 x float> %v, %y
  %e = fcmp uno <8 x float> %v, %y
  %chosen = select <8 x i1> %c, <8 x i1> %d, <8 x i1> %e
  %last = bitcast <8 x i1> %chosen to i8
  %r = zext i8 %last to i32
  ret i32 %r
}
