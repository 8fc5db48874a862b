/* page.S - the page of a picture, with a place for its recording. */
        .section .rodata
        .globl  lw__picture_page, lw__picture_page_end
        .hidden lw__picture_page, lw__picture_page_end
lw__picture_page:
        .incbin "page.html"
        .ascii  "<script>\n"
        .incbin "page.js"
        .ascii  "</script>\n</body>\n</html>\n"
lw__picture_page_end:
        .byte   0
        .section .note.GNU-stack, "", %progbits
