/* The kernels' texts, and those of their twins in OpenCL C, as data of the program. */
    .include "text.inc"
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
