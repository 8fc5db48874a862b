/* The kernels' texts as data of the program, which then needs no files: for each a name, and where
 * its text begins and ends. Paths are relative to this folder, an -I of the assembler.
 */
    .macro text folder, suffix, name
    .section .rodata
1:  .asciz "\folder/\name"
2:  .incbin "\folder/\name\().\suffix"
3:  .byte 0
    .section .data.rel.ro, "aw"
    .balign 8
    .quad 1b, 2b, 3b
    .endm

    .section .data.rel.ro, "aw"
    .balign 8
    .globl bench_texts
    .hidden bench_texts
bench_texts:
    .macro kernel name
    text kernels, c, \name
    text opencl, cl, \name
    .endm
    kernel attention
    kernel attention_one
    kernel average
    kernel barriers
    kernel bitonic
    kernel compact
    kernel csr
    kernel difference
    kernel dot
    kernel dot_tree
    kernel empty
    kernel histogram
    kernel layernorm
    kernel mandelbrot
    kernel matmul
    kernel matmul_4x4
    kernel nbody
    kernel normalise
    kernel scan
    kernel softmax
    kernel stencil
    kernel transpose
    .quad 0, 0, 0
    .section .note.GNU-stack, "", @progbits
