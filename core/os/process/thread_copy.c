/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Reads registers by ptrace, and stacks by process_vm_readv(). */
#include "thread_copy.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum {
	PAGE = 4096,
	GUARD = 1 << 16, /* bytes of a guard that are skipped */
};

/* In which set the thread pointer is, if not among the general registers; 0: it is there, or not known. */
static int find_tls_set(size_t registers_size)
{
#if defined(__x86_64__)
	return registers_size < sizeof(struct user_regs_struct) ? NT_386_TLS : 0;
#elif defined(__aarch64__)
	(void)registers_size;
	return NT_ARM_TLS;
#else
	(void)registers_size;
	return 0;
#endif
}

static bool copy_set(const struct os_captured_thread *thread, int which, void *to, size_t *size)
{
	struct iovec set = { to, *size };
	const bool copied =
		ptrace(PTRACE_GETREGSET, (pid_t)thread->tid, (void *)(intptr_t)which, &set) == 0;

	*size = copied ? set.iov_len : 0;
	return copied;
}

void thread_copy_registers(struct os_captured_thread *thread)
{
	thread->registers_size = sizeof(thread->registers);
	if (!copy_set(thread, NT_PRSTATUS, thread->registers, &thread->registers_size)) {
		thread->error = errno;
		return;
	}
	const int tls = find_tls_set(thread->registers_size);
	thread->tls_size = tls ? sizeof(thread->tls) : 0;
	if (tls)
		(void)copy_set(thread, tls, thread->tls, &thread->tls_size);
}

/*
 * Copy at most `most` bytes of a stack, and return false if there is more of it. glibc 2.43 makes the guard of a stack with
 * MADV_GUARD_INSTALL, so that it is part of the mapping: if the stack overflowed, the first pages cannot be read.
 */
static bool copy_range(struct thread_copy *copy, const struct os_stack_range *wanted, size_t most,
                       struct os_captured_stack *stack)
{
	const size_t left = copy->capture->room - copy->used;
	uint64_t low = wanted->range.low, size = wanted->range.high - low;
	ssize_t got = 0;

	most = left < most ? left : most;
	for (;;) {
		struct iovec to = { copy->capture->memory + copy->used,
			            size < most ? (size_t)size : most };
		struct iovec from = { (void *)(uintptr_t)low, to.iov_len };
		if (to.iov_len > 0)
			got = process_vm_readv((pid_t)copy->process->living, &to, 1, &from, 1, 0);
		const uint64_t rest = PAGE - low % PAGE;
		if (got >= 0 || errno != EFAULT || size <= rest || low - wanted->range.low >= GUARD)
			break;
		low += rest;
		size -= rest;
	}
	*stack = (struct os_captured_stack){ low, copy->used, got > 0 ? (size_t)got : 0,
		                             wanted->frame };
	copy->used += stack->size;
	return stack->size == size;
}

/* The part of a range that was not copied yet, up to what was; empty: its first byte was. */
static void cut_copied(const struct os_captured_thread *thread, struct cairn_range *range)
{
	for (size_t i = 0; i < thread->stack_count; i++) {
		const struct os_captured_stack *stack = &thread->stacks[i];
		if (range->low - stack->low < stack->size)
			range->high = range->low;
		else if (stack->low > range->low && stack->low < range->high)
			range->high = stack->low;
	}
}

/*
 * One more run of the thread's memory, within its share, of which *left is left. A stack in a large mapping, as Go has them on its
 * heap, leaves some of that to the stacks that frame pointers lead to.
 */
static void add_stack(struct thread_copy *copy, struct os_captured_thread *thread,
                      struct os_stack_range wanted, size_t *left)
{
	if (thread->stack_count == OS_THREAD_STACKS)
		return;
	cut_copied(thread, &wanted.range);
	if (wanted.guessed && wanted.range.high - wanted.range.low > OS_STACK_GUESSED_MAX)
		wanted.range.high = wanted.range.low + OS_STACK_GUESSED_MAX;
	if (wanted.range.low >= wanted.range.high)
		return;
	struct os_captured_stack *stack = &thread->stacks[thread->stack_count];
	const size_t kept =
		wanted.guessed ? 0 : copy->share / (OS_STACK_MAX / OS_STACK_GUESSED_MAX);
	const bool whole = copy_range(copy, &wanted, *left > kept ? *left - kept : 0, stack);
	thread->cut |= !whole && !wanted.guessed;
	*left -= stack->size;
	thread->stack_count += stack->size > 0;
}

/* The one that the thread runs on, then those that lead on from each. */
void thread_copy_stacks(struct thread_copy *copy, struct os_captured_thread *thread)
{
	const struct os_thread_plan *plan = copy->plan;
	struct os_stack_range further[OS_THREAD_STACKS];
	size_t left = copy->share;

	add_stack(copy, thread,
	          plan->find_stack(plan->context, thread->registers, thread->registers_size),
	          &left);
	for (size_t run = 0; run < thread->stack_count; run++) {
		const struct cairn_bytes copied = { copy->capture->memory + thread->stacks[run].at,
			                            thread->stacks[run].size };
		const size_t count =
			plan->find_further(plan->context, thread, run, copied, further);
		for (size_t i = 0; i < count; i++)
			add_stack(copy, thread, further[i], &left);
	}
}
