/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * vfork, prctl and syscall, which no C function can wrap: vfork returns twice
 * on one stack, the others take any number of arguments and may be vfork.
 *
 * vfork(2): while the child runs on the parent's memory, the thread's slot
 * pointer is a dummy, so that what the child allocates is not counted in the
 * parent's slot.  Registers other than rax, rcx and r11 keep over the system
 * call, in the parent and in the child.
 *
 * prctl(2), syscall(2): as in the C library, but a call that installs a seccomp
 * filter goes to process.c.
 */
#include <asm/unistd_64.h>

#define PR_SET_SECCOMP 22
#define SECCOMP_SET_MODE_FILTER 1 /* 0 is strict mode, others set none */

	.text

	.globl vfork
	.type vfork, @function
	.p2align 4
vfork:
	.cfi_startproc
	endbr64
	movq	hl_self@gottpoff(%rip), %rdx
	movq	%fs:(%rdx), %rsi		/* the parent's slot */
	leaq	hl_vfork_dummy(%rip), %rax
	movq	%rax, %fs:(%rdx)
	popq	%rdi				/* the child overwrites the stack */
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %rdi
	movl	$__NR_vfork, %eax
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rip, 0
	testq	%rax, %rax
	jz	1f
	movq	%fs:(%rdx), %rdi		/* what the child left there */
	movq	%rsi, %fs:(%rdx)
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	hl_vfork_over
	popq	%rax
	.cfi_adjust_cfa_offset -8
	cmpq	$-4095, %rax
	jae	hl_error
1:	ret
	.cfi_endproc
	.size vfork, .-vfork

	.globl prctl
	.type prctl, @function
	.p2align 4
prctl:
	.cfi_startproc
	endbr64
	cmpl	$PR_SET_SECCOMP, %edi
	je	hl_prctl_seccomp
	movq	%rcx, %r10
	movl	$__NR_prctl, %eax
	syscall
	cmpq	$-4095, %rax
	jae	hl_error
	ret
	.cfi_endproc
	.size prctl, .-prctl

	.globl syscall
	.type syscall, @function
	.p2align 4
syscall:
	.cfi_startproc
	endbr64
	cmpq	$__NR_seccomp, %rdi
	je	2f
	cmpq	$__NR_prctl, %rdi
	jne	3f
	cmpl	$PR_SET_SECCOMP, %esi
	je	hl_syscall_seccomp
3:	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	hl_error
	ret
2:	cmpl	$SECCOMP_SET_MODE_FILTER, %esi
	jbe	hl_syscall_seccomp
	jmp	3b
	.cfi_endproc
	.size syscall, .-syscall

	/* errno = -rax, return -1; entered by a jump */
	.type hl_error, @function
hl_error:
	.cfi_startproc
	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	*__errno_location@GOTPCREL(%rip)
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size hl_error, .-hl_error

	.section .note.GNU-stack, "", @progbits
