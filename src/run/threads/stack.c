/* stack.c - calls on another stack, which can be left at any instruction.
 *
 * lw__stack_switch saves what a function has to keep in a frame on its own stack, and notes where.
 * To leave the call is to continue at lw__stack_return with that frame: in a signal handler by what
 * the system restores, elsewhere by lw__stack_leave. The stack pointer is moved down before it
 * leaves its stack, so that valgrind takes LW_STACK_FRAME bytes for in use.
 */
#include "run/threads/threads.h"

void lw__stack_return(void);

#if defined(__aarch64__)
__asm__(".text\n"
        ".hidden lw__stack_switch, lw__stack_return, lw__stack_leave\n"
        ".globl lw__stack_switch, lw__stack_return, lw__stack_leave\n"
        ".type lw__stack_switch, %function\n"
        ".p2align 4\n"
        "lw__stack_switch:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-160]!\n"
        "    .cfi_def_cfa_offset 160\n"
        "    .cfi_offset 29, -160\n"
        "    .cfi_offset 30, -152\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register 29\n"
        "    stp x19, x20, [x29, #16]\n"
        "    stp x21, x22, [x29, #32]\n"
        "    stp x23, x24, [x29, #48]\n"
        "    stp x25, x26, [x29, #64]\n"
        "    stp x27, x28, [x29, #80]\n"
        "    stp d8, d9, [x29, #96]\n"
        "    stp d10, d11, [x29, #112]\n"
        "    stp d12, d13, [x29, #128]\n"
        "    stp d14, d15, [x29, #144]\n"
        "    sub sp, sp, #320\n"
        "    str x29, [x1]\n"
        "    mov sp, x0\n"
        "    mov x8, x2\n"
        "    ldr x9, [x8]\n"
        "    ldp x0, x1, [x8, #8]\n"
        "    ldp x2, x3, [x8, #24]\n"
        "    ldp x4, x5, [x8, #40]\n"
        "    blr x9\n"
        "lw__stack_return:\n"
        "    mov sp, x29\n"
        "    ldp x19, x20, [x29, #16]\n"
        "    ldp x21, x22, [x29, #32]\n"
        "    ldp x23, x24, [x29, #48]\n"
        "    ldp x25, x26, [x29, #64]\n"
        "    ldp x27, x28, [x29, #80]\n"
        "    ldp d8, d9, [x29, #96]\n"
        "    ldp d10, d11, [x29, #112]\n"
        "    ldp d12, d13, [x29, #128]\n"
        "    ldp d14, d15, [x29, #144]\n"
        "    ldp x29, x30, [sp], #160\n"
        "    .cfi_def_cfa 31, 0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        "lw__stack_leave:\n"
        "    mov x29, x0\n"
        "    b lw__stack_return\n"
        ".size lw__stack_switch, . - lw__stack_switch\n");
#else
__asm__(".text\n"
        ".hidden lw__stack_switch, lw__stack_return, lw__stack_leave\n"
        ".globl lw__stack_switch, lw__stack_return, lw__stack_leave\n"
        ".type lw__stack_switch, @function\n"
        ".p2align 4\n"
        "lw__stack_switch:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset 6, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register 6\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $280, %rsp\n"
        "    movq %rbp, (%rsi)\n"
        "    movq %rdi, %rsp\n"
        "    movq %rdx, %rax\n"
        "    movq 8(%rax), %rdi\n"
        "    movq 16(%rax), %rsi\n"
        "    movq 24(%rax), %rdx\n"
        "    movq 32(%rax), %rcx\n"
        "    movq 40(%rax), %r8\n"
        "    movq 48(%rax), %r9\n"
        "    callq *(%rax)\n"
        "lw__stack_return:\n"
        "    leaq -40(%rbp), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa 7, 8\n"
        "    retq\n"
        "    .cfi_endproc\n"
        "lw__stack_leave:\n"
        "    movq %rdi, %rbp\n"
        "    jmp lw__stack_return\n"
        ".size lw__stack_switch, . - lw__stack_switch\n");
#endif

uintptr_t lw__stack_pc(const ucontext_t *context)
{
#if defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#endif
}

uintptr_t lw__stack_sp(const ucontext_t *context)
{
#if defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.sp;
#else
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#endif
}

void lw__stack_go_on(ucontext_t *context, const char *frame)
{
#if defined(__aarch64__)
    context->uc_mcontext.pc = (uintptr_t)lw__stack_return;
    context->uc_mcontext.sp = (uintptr_t)frame;
    context->uc_mcontext.regs[29] = (uintptr_t)frame;
#else
    enum { DIRECTION = 0x400 };

    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)lw__stack_return;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)(frame - LW_STACK_FRAME);
    context->uc_mcontext.gregs[REG_RBP] = (greg_t)(uintptr_t)frame;
    context->uc_mcontext.gregs[REG_EFL] &= ~DIRECTION;
#endif
}
