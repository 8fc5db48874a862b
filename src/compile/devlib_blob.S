/* devlib's bitcode as data of lanewise-compile; LW_DEVLIB is its path, from the build. */
    .section .rodata
    .globl lw__devlib_begin, lw__devlib_end
    .hidden lw__devlib_begin, lw__devlib_end
    .balign 16
lw__devlib_begin:
    .incbin LW_DEVLIB
lw__devlib_end:
    .section .note.GNU-stack, "", @progbits
