/* SPDX-License-Identifier: MIT */
/*
 * A program that reports where it crashed, without symbols and without help from outside:
 *
 *	cc -g -fno-omit-frame-pointer -Icore/include docs/examples/crash.c \
 *		build/core/libcairn-markup.a -o crash
 *	./crash 2>&1 | cairn markup --exe crash
 *
 * The handler runs on a stack of its own, and follows the chain of frame pointers (x86-64, AArch64)
 * as long as that leads up the stack; optimized code may leave out the caller of a function that has
 * no frame of its own.  With an argument it divides by zero, without one it writes
 * through a null pointer.
 */
#define _GNU_SOURCE

#include <cairn_emit.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { FRAMES = 64, HANDLER_STACK = 1 << 16, STACK = 8 << 20 };

static struct cairn_modules modules;
static char handler_stack[HANDLER_STACK];

/* Where the program was interrupted. */
static uint64_t pc_of(const ucontext_t *context, uint64_t *frame, uint64_t *stack)
{
#if defined(__x86_64__)
	*frame = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
	*stack = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	*frame = context->uc_mcontext.regs[29];
	*stack = context->uc_mcontext.sp;
	return context->uc_mcontext.pc;
#else
	(void)context;
	*frame = *stack = 0;
	return 0;
#endif
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	uint64_t frame, stack, pc = pc_of(context, &frame, &stack);

	(void)info;
	cairn_emit_context(STDERR_FILENO, &modules);
	cairn_emit_bt(STDERR_FILENO, 0, pc, CAIRN_EMIT_PC);
	for (unsigned i = 1; i < FRAMES; i++) {
		uint64_t record[2]; /* the caller's frame pointer, and the return address */
		if (frame % sizeof(uint64_t) != 0 || frame < stack || frame - stack > STACK)
			break;
		memcpy(record, (const void *)(uintptr_t)frame, sizeof(record));
		if (record[1] == 0)
			break;
		cairn_emit_bt(STDERR_FILENO, i, record[1], CAIRN_EMIT_RA);
		if (record[0] <= frame)
			break;
		frame = record[0];
	}
	signal(number, SIG_DFL);
	raise(number);
}

__attribute__((noinline)) static int break_down(volatile int *where, int by)
{
	*where = 7;
	return 42 / by;
}

__attribute__((noinline)) static int work(int count)
{
	static volatile int good;

	return break_down(count > 1 ? &good : NULL, count - 2) + 1;
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	(void)argv;
	cairn_modules_collect(&modules);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	printf("working\n");
	fflush(stdout);
	return work(argc);
}
