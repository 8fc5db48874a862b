; Declarations have no subprogram behind `clean`: those of overloads share name and line, and LLVM,
; when it strips all debug information but lines, makes definitions of them, which it then takes for
; invalid. Bodies keep theirs.
; RUN: lanewise-compile --pass clean %s >clean.ll
; RUN: FileCheck %s <clean.ll
; RUN: opt-19 -passes=strip-nonlinetable-debuginfo -S clean.ll >stripped.ll
; RUN: FileCheck %s --check-prefix=STRIPPED <stripped.ll

; CHECK: declare float @lw.warp_sum.f32(float){{$}}
; CHECK: declare double @lw.warp_sum.f64(double){{$}}
; CHECK: define {{.*}}@k({{.*}} !dbg
; STRIPPED: define {{.*}}@k({{.*}} !dbg
declare !dbg !5 float @lw.warp_sum.f32(float)
declare !dbg !6 double @lw.warp_sum.f64(double)

define win64cc void @k(ptr %x, ptr %y) !dbg !7 {
  %a = load float, ptr %x, !dbg !8
  %b = call float @lw.warp_sum.f32(float %a), !dbg !8
  store float %b, ptr %x, !dbg !8
  %c = load double, ptr %y, !dbg !8
  %d = call double @lw.warp_sum.f64(double %c), !dbg !8
  store double %d, ptr %y, !dbg !8
  ret void, !dbg !8
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.c", directory: "/")
!2 = !DISubroutineType(types: !{null})
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{null, null})
!5 = !DISubprogram(name: "warp_sum", linkageName: "lw.warp_sum.f32",
                   scope: !1, file: !1, line: 9, type: !2, spFlags: DISPFlagOptimized)
!6 = !DISubprogram(name: "warp_sum", linkageName: "lw.warp_sum.f64",
                   scope: !1, file: !1, line: 9, type: !4, spFlags: DISPFlagOptimized)
!7 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 20, type: !2, unit: !0,
                            spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 21, scope: !7)
