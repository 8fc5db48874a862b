/* devlib's bitcode as data of lanewise-compile; LW_DEVLIB, LW_DEVLIB_CUDA are paths, from the
 * build. */
    .section .rodata
    .globl lw__devlib_begin, lw__devlib_end
    .hidden lw__devlib_begin, lw__devlib_end
    .balign 16
lw__devlib_begin:
    .incbin LW_DEVLIB
lw__devlib_end:
    .globl lw__devlib_cuda_begin, lw__devlib_cuda_end
    .hidden lw__devlib_cuda_begin, lw__devlib_cuda_end
    .balign 16
lw__devlib_cuda_begin:
    .incbin LW_DEVLIB_CUDA
lw__devlib_cuda_end:
    .section .note.GNU-stack, "", @progbits
