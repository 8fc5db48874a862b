/* The kernels that `lanewise bench op`, `operations` and `dot` time and compare with. */
    .include "text.inc"
    text kernels, c, dot
    text kernels, c, dot_tree
    text steps, c, copy
    text steps, c, dot_atomic
    text steps, c, dot_warp
    text steps, c, peak
    text steps, c, read
    .quad 0, 0, 0
    .section .note.GNU-stack, "", @progbits
