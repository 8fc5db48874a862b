; Constants whose lanes LLVM's code generator takes for undefined: in a choice of two a lane that is
; poison is what it is in the other; lanes that decide alone come with a bit that is never set.
; RUN: lanewise-compile --pass optimise --device cpu:avx512 %s | FileCheck %s

; CHECK-LABEL: @lw.cpu.choice
; CHECK: select {{.*}} <i8 0, i8 1, i8 7, i8 poison>, <4 x i8> <i8 1, i8 1, i8 6, i8 poison>
define i32 @lw.cpu.choice(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %v = load <4 x i8>, ptr %launch
  %none = icmp eq <4 x i8> %v, zeroinitializer
  %one = select <4 x i1> %none, <4 x i8> <i8 0, i8 1, i8 7, i8 poison>,
                                <4 x i8> <i8 1, i8 poison, i8 6, i8 poison>
  store <4 x i8> %one, ptr %worker
  ret i32 0
}

; CHECK-LABEL: @lw.cpu.alone
; CHECK: %[[sign:.*]] = ashr i64 {{%.*}}, 63
; CHECK-DAG: xor <4 x i32> {{%.*}}, <i32 1, i32 0, i32 0, i32 0>
; CHECK-DAG: xor <4 x i32> {{%.*}}, <i32 4, i32 -1, i32 4, i32 4>
; CHECK-DAG: xor <4 x i32> {{%.*}}, <i32 1, i32 1, i32 0, i32 1>
; CHECK-NOT: xor <4 x i32>
; CHECK: and <4 x i32> {{%.*}}, <i32 6, i32 2, i32 6, i32 6>
; CHECK: mul <4 x i32> {{%.*}}, <i32 0, i32 1, i32 2, i32 3>
define i32 @lw.cpu.alone(ptr %launch, ptr %worker, i64 %first, i64 %count) {
entry:
  %v = load <4 x i32>, ptr %launch
  %masked = and <4 x i32> %v, <i32 1, i32 0, i32 0, i32 0>
  store volatile <4 x i32> %masked, ptr %worker
  %set = or <4 x i32> %v, <i32 4, i32 -1, i32 4, i32 4>
  store volatile <4 x i32> %set, ptr %worker
  %all = and <4 x i32> %v, <i32 6, i32 2, i32 6, i32 6>
  store volatile <4 x i32> %all, ptr %worker
  %kept = mul <4 x i32> %v, <i32 1, i32 1, i32 0, i32 1>
  store volatile <4 x i32> %kept, ptr %worker
  %rows = mul <4 x i32> %v, <i32 0, i32 1, i32 2, i32 3>
  store volatile <4 x i32> %rows, ptr %worker
  ret i32 0
}
