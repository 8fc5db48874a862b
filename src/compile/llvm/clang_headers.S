/* clang's own headers as data of lanewise-compile; LW_CLANG_HEADERS is a path, from the build. */
    .section .rodata
    .globl lw__clang_headers, lw__clang_headers_end
    .hidden lw__clang_headers, lw__clang_headers_end
lw__clang_headers:
    .incbin LW_CLANG_HEADERS
lw__clang_headers_end:
    .section .note.GNU-stack, "", @progbits
