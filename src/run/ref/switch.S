/* switch.S - from one stack to another, and the start of a new one; stack.c calls both.
 *
 *     void lw__ref_switch(void **from, void *to)
 *         keeps on this stack what a function must keep, leaves its place in *from, goes on at `to`
 *     lw__ref_begin
 *         where a new stack begins: calls a function with a thread, then lw__ref_stack_end. The
 *         unwinder is told that nobody called it, so a debugger's backtrace ends here.
 *
 * source   System V ABI, AMD64 supplement, section 3.2; Arm AAPCS64, section 6
 */
        .text
        .hidden lw__ref_switch
        .hidden lw__ref_begin
        .hidden lw__ref_stack_end
        .globl  lw__ref_switch
        .globl  lw__ref_begin
        .type   lw__ref_switch, %function
        .type   lw__ref_begin, %function

#if defined(__x86_64__)
lw__ref_switch:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   lw__ref_switch, . - lw__ref_switch

/* rbx: the thread; r12: the function. ORDER FIRST_FRAME: stack.c */
lw__ref_begin:
        .cfi_startproc
        .cfi_undefined rip
        movq    %rbx, %rdi
        call    *%r12
        movq    %rbx, %rdi
        call    lw__ref_stack_end
        ud2
        .cfi_endproc
        .size   lw__ref_begin, . - lw__ref_begin

#elif defined(__aarch64__)
lw__ref_switch:
        .cfi_startproc
        sub     sp, sp, #160
        .cfi_def_cfa_offset 160
        stp     x19, x20, [sp, #0]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        .cfi_offset 29, -80
        .cfi_offset 30, -72
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mov     x9, sp
        str     x9, [x0]
        mov     sp, x1
        ldp     x19, x20, [sp, #0]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #160
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   lw__ref_switch, . - lw__ref_switch

/* x19: the thread; x20: the function. ORDER FIRST_FRAME: stack.c */
lw__ref_begin:
        .cfi_startproc
        .cfi_undefined x30
        mov     x0, x19
        blr     x20
        mov     x0, x19
        bl      lw__ref_stack_end
        brk     #1
        .cfi_endproc
        .size   lw__ref_begin, . - lw__ref_begin
#else
#error "switch.S knows x86-64 and AArch64"
#endif
        .section .note.GNU-stack, "", %progbits
