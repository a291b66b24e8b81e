/* SPDX-License-Identifier: MIT */
/*
 * Starts itself and a thread as a C library without unwind tables does: no path of the first functions' code leads to
 * their callers. It is linked alone, without tables of its own.
 */
#define STACK_BYTES 65536

static char stack[STACK_BYTES] __attribute__((aligned(16)));
static volatile int passed, ready;

long call_kernel(long number, long a, long b, long c);
long start_thread(long flags, void *stack_end);
void main_function(void);
void thread_function(void);

/* The last three end in calls that do not return: what follows them in memory is not theirs. */
__asm__(".text\n"
        ".globl _start\n"
        "_start: xor %ebp, %ebp\n and $-16, %rsp\n call start_c\n .balign 16\n"
        "start_c: lea run_program(%rip), %rax\n jmp *%rax\n .balign 16\n"
        ".globl call_kernel\n"
        "call_kernel: mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n mov %rcx, %rdx\n"
        " syscall\n ret\n .balign 16\n"
        ".globl start_thread\n"
        "start_thread: mov $56, %eax\n xor %edx, %edx\n xor %r10d, %r10d\n xor %r8d, %r8d\n"
        " syscall\n test %eax, %eax\n jnz 1f\n xor %ebp, %ebp\n lea run_thread(%rip), %r9\n"
        " call *%r9\n mov %eax, %edi\n xor %eax, %eax\n mov $60, %al\n syscall\n hlt\n"
        "1: ret\n .balign 16\n"
        "run_program: push %rbx\n lea main_function(%rip), %rbx\n sub $16, %rsp\n mov $7, %ebp\n"
        " call *%rbx\n mov %eax, %edi\n call end_program\n .balign 16\n"
        "run_thread: push %rbp\n push %rbx\n mov $7, %ebp\n sub $8, %rsp\n call thread_function\n"
        " mov %eax, %edi\n call end_program\n .balign 16\n"
        "end_program: mov $231, %eax\n syscall\n hlt\n");

__attribute__((noinline)) static void wait_here(void)
{
	while (call_kernel(34, 0, 0, 0) != 0) /* pause() */
		passed++;
}

void thread_function(void)
{
	ready = 1;
	wait_here();
	passed++;
}

void main_function(void)
{
	enum { SHARED = 0x10f00 }; /* CLONE_VM, FS, FILES, SIGHAND, THREAD */

	start_thread(SHARED, stack + sizeof(stack));
	while (!ready)
		call_kernel(24, 0, 0, 0); /* sched_yield() */
	call_kernel(1, 1, (long)"ready\n", 6);
	wait_here();
	passed++;
}
