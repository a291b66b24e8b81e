/* SPDX-License-Identifier: MIT */
/*
 * A part of a C library without unwind tables, as musl's is: its trampoline of signals has no symbol and no table, and is
 * behind a function that has one.
 */
void handle_signals(int signal, void (*handler)(int));
void wait_in_library(void);
void *get_trampoline(void);

__asm__(".text\n"
        ".globl get_trampoline\n.type get_trampoline, @function\n"
        "get_trampoline: lea 1f(%rip), %rax\n ret\n"
        "1: mov $15, %rax\n syscall\n"
        ".globl wait_in_library\n.type wait_in_library, @function\n"
        "wait_in_library: push %rbx\n1: mov $34, %eax\n syscall\n test %eax, %eax\n jne 1b\n pop %rbx\n ret\n");

void handle_signals(int signal, void (*handler)(int))
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} action = { handler, 0x04000000, get_trampoline(), 0 }; /* SA_RESTORER */
	long result;

	__asm__ volatile("mov $8, %%r10d\n syscall"
	                 : "=a"(result)
	                 : "0"(13l), "D"((long)signal), "S"(&action), "d"(0l)
	                 : "rcx", "r10", "r11", "memory");
}
