/* SPDX-License-Identifier: MIT */
/*
 * Functions as compilers make them, for each rule of cairn_jit.h.  rules.c copies them to where it makes code.  What it says about them
 * is in tables of offsets here, so that no number is typed twice.  Each has two exits, and calls its second argument.
 */
	.section .rodata
	.macro template name
	.balign 16
	.globl \name
\name:
	.endm
	/* where its second line begins, behind the prologue */
	.macro body name
	.globl \name\()_body
\name\()_body:
	.endm
	.macro ends name
	.globl \name\()_end
\name\()_end:
	.endm

#if defined(__x86_64__)

	/* Neither pushes nor calls. */
	template leaf
	endbr64
	lea 1(%rdi), %rax
	body leaf
	test %rdi, %rdi
	je 1f
	add %rdi, %rax
	ret
1:	mov $7, %eax
	ret
	ends leaf

	template pointer
	endbr64
	push %rbp
	mov %rsp, %rbp
	push %rbx
	push %r12
	body pointer
	mov %rdi, %rbx
	mov $5, %r12d
	test %rdi, %rdi
	je 1f
	call *%rsi
	add %rbx, %rax
	pop %r12
	pop %rbx
	pop %rbp
pointer_exit_1:
	ret
1:	mov $7, %eax
	lea -16(%rbp), %rsp
	pop %r12
	pop %rbx
	pop %rbp
pointer_exit_2:
	ret
	ends pointer
	.balign 4
	.globl pointer_exits
pointer_exits:
	.long pointer_exit_1 - pointer, pointer_exit_2 - pointer

	template fixed
	push %rbx
	push %r12
	sub $24, %rsp
	body fixed
	mov %rdi, %rbx
	mov $5, %r12d
	test %rdi, %rdi
	je 1f
	call *%rsi
	add %rbx, %rax
fixed_exit_1:
	add $24, %rsp
	pop %r12
	pop %rbx
	ret
1:	mov $7, %eax
fixed_exit_2:
	add $24, %rsp
	pop %r12
	pop %rbx
	ret
	ends fixed
	.balign 4
	.globl fixed_exits
fixed_exits:
	.long fixed_exit_1 - fixed, fixed_exit_2 - fixed

	/* Sets a frame up and jumps to its third argument, which jumps back to what rbx says. */
	template shim
	push %rbp
	mov %rsp, %rbp
	push %rbx
	push %rbx
	lea 1f(%rip), %rbx
	body shim
	jmp *%rdx
1:	pop %rbx
	pop %rbx
	pop %rbp
shim_exit:
	ret
	ends shim
	.balign 4
	.globl shim_exits
shim_exits:
	.long shim_exit - shim

	template region
	test %rdi, %rdi
	je 1f
	body region
	call *%rsi
	add $1, %rax
	jmp *%rbx
1:	mov $7, %eax
	jmp *%rbx
	ends region

	/* Aligns its stack to 64 bytes, and saves a register by `mov`. */
	template aligned
	push %rbp
aligned_1:
	mov %rsp, %rbp
aligned_2:
	and $-64, %rsp
	sub $64, %rsp
	mov %rbx, -8(%rbp)
aligned_3:
	body aligned
	mov %rdi, %rbx
	test %rdi, %rdi
	je 1f
	call *%rsi
	add %rbx, %rax
1:	mov -8(%rbp), %rbx
	leave
aligned_4:
	ret
	ends aligned
	.balign 4
	.globl aligned_offsets
aligned_offsets:
	.long 0, aligned_1 - aligned, aligned_2 - aligned, aligned_3 - aligned, aligned_4 - aligned

	/* Pushes arguments of a call. */
	template pushed
	push %rbx
pushed_1:
	body pushed
	mov %rdi, %rbx
	test %rdi, %rdi
	je 1f
	push $1
pushed_2:
	push $2
pushed_3:
	call *%rsi
	add $16, %rsp
pushed_4:
	add %rbx, %rax
1:	pop %rbx
pushed_5:
	ret
	ends pushed
	.balign 4
	.globl pushed_offsets
pushed_offsets:
	.long 0, pushed_1 - pushed, pushed_2 - pushed, pushed_3 - pushed, pushed_4 - pushed, pushed_5 - pushed

#elif defined(__aarch64__)

	template leaf
	add x1, x0, #1
	body leaf
	cbz x0, 1f
	add x0, x0, x1
	ret
1:	mov x0, #7
	ret
	ends leaf

	template pointer
	stp x29, x30, [sp, #-48]!
	mov x29, sp
	stp x19, x20, [sp, #16]
	str x21, [sp, #32]
	body pointer
	mov x19, x0
	mov x20, #5
	mov x21, #6
	cbz x0, 1f
	blr x1
	add x0, x0, x19
	ldr x21, [sp, #32]
	ldp x19, x20, [sp, #16]
	ldp x29, x30, [sp], #48
pointer_exit_1:
	ret
1:	mov x0, #7
	ldr x21, [sp, #32]
	ldp x19, x20, [sp, #16]
	ldp x29, x30, [sp], #48
pointer_exit_2:
	ret
	ends pointer
	.balign 4
	.globl pointer_exits
pointer_exits:
	.long pointer_exit_1 - pointer, pointer_exit_2 - pointer

	template fixed
	stp x29, x30, [sp, #-32]!
	stp x19, x20, [sp, #16]
	body fixed
	mov x19, x0
	mov x20, #5
	cbz x0, 1f
	blr x1
	add x0, x0, x19
	ldp x19, x20, [sp, #16]
	ldp x29, x30, [sp], #32
fixed_exit_1:
	ret
1:	mov x0, #7
	ldp x19, x20, [sp, #16]
	ldp x29, x30, [sp], #32
fixed_exit_2:
	ret
	ends fixed
	.balign 4
	.globl fixed_exits
fixed_exits:
	.long fixed_exit_1 - fixed, fixed_exit_2 - fixed

	template shim
	stp x29, x30, [sp, #-32]!
	mov x29, sp
	str x19, [sp, #16]
	adr x19, 1f
	body shim
	br x2
1:	ldr x19, [sp, #16]
	ldp x29, x30, [sp], #32
shim_exit:
	ret
	ends shim
	.balign 4
	.globl shim_exits
shim_exits:
	.long shim_exit - shim

	template region
	cbz x0, 1f
	body region
	blr x1
	add x0, x0, #1
	br x19
1:	mov x0, #7
	br x19
	ends region

	template aligned
	stp x29, x30, [sp, #-32]!
aligned_1:
	mov x29, sp
aligned_2:
	and x9, x29, #-64
	sub sp, x9, #64
	str x19, [x29, #16]
aligned_3:
	body aligned
	mov x19, x0
	cbz x0, 1f
	blr x1
	add x0, x0, x19
1:	ldr x19, [x29, #16]
	mov sp, x29
	ldp x29, x30, [sp], #32
aligned_4:
	ret
	ends aligned
	.balign 4
	.globl aligned_offsets
aligned_offsets:
	.long 0, aligned_1 - aligned, aligned_2 - aligned, aligned_3 - aligned, aligned_4 - aligned

	template pushed
	stp x19, x30, [sp, #-16]!
pushed_1:
	body pushed
	mov x19, x0
	cbz x0, 1f
	sub sp, sp, #16
pushed_2:
	sub sp, sp, #16
pushed_3:
	blr x1
	add sp, sp, #32
pushed_4:
	add x0, x0, x19
1:	ldp x19, x30, [sp], #16
pushed_5:
	ret
	ends pushed
	.balign 4
	.globl pushed_offsets
pushed_offsets:
	.long 0, pushed_1 - pushed, pushed_2 - pushed, pushed_3 - pushed, pushed_4 - pushed, pushed_5 - pushed

#endif
	.section .note.GNU-stack, "", %progbits
