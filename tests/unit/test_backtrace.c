/* SPDX-License-Identifier: MIT */
/* The stack of this program: in functions, signal handlers and JIT code, and when it is damaged. */
#define _GNU_SOURCE
#include "unit.h"

#include <cairn_jit.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { FRAMES = 64, PAGE = 4096 };

static _Thread_local struct cairn_backtrace_frame frames[FRAMES];
static _Thread_local size_t depth;

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
static const bool supported = true;
#else
static const bool supported = false;
#endif

#ifdef __x86_64__
#define PC(uc) (*(uint64_t *)&(uc)->uc_mcontext.gregs[REG_RIP])
#define SP(uc) (*(uint64_t *)&(uc)->uc_mcontext.gregs[REG_RSP])
#define FP(uc) (*(uint64_t *)&(uc)->uc_mcontext.gregs[REG_RBP])
#elif defined(__aarch64__)
#define PC(uc) (*(uint64_t *)&(uc)->uc_mcontext.pc)
#define SP(uc) (*(uint64_t *)&(uc)->uc_mcontext.sp)
#define FP(uc) (*(uint64_t *)&(uc)->uc_mcontext.regs[29])
#endif

#define RETURN_ADDRESS ((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))

static void check_lookups(size_t first)
{
	for (size_t i = first; i < depth; i++)
		ck_assert(frames[i].lookup == frames[i].pc || frames[i].lookup == frames[i].pc - 1);
}

static __attribute__((noinline)) uintptr_t capture(size_t capacity)
{
	errno = EDOM;
	depth = cairn_backtrace(NULL, frames, capacity);
	ck_assert_int_eq(errno, EDOM);
	return RETURN_ADDRESS;
}

static __attribute__((noinline)) uintptr_t recurse(int levels, size_t capacity)
{
	const uintptr_t found = levels > 0 ? recurse(levels - 1, capacity) : capture(capacity);

	__asm__ volatile("" ::: "memory");
	return found;
}

START_TEST(own_stack)
{
	if (!supported)
		return;
	ck_assert_uint_eq(recurse(20, FRAMES), frames[1].pc);
	ck_assert_uint_gt(depth, 24);
	ck_assert_uint_lt(depth, FRAMES);
	for (size_t i = 3; i < 21; i++)
		ck_assert_uint_eq(frames[i].pc, frames[2].pc);
	check_lookups(0);
	recurse(20, 5);
	ck_assert_uint_eq(depth, 5);
	frames[0].pc = 1;
	capture(0);
	ck_assert_uint_eq(depth, 0);
	ck_assert_uint_eq(frames[0].pc, 1);
}
END_TEST

#ifdef PC

static _Thread_local uint64_t interrupted;
static _Thread_local size_t inner_depth;

static void on_signal(int number, siginfo_t *info, void *context)
{
	struct cairn_backtrace_frame inner[FRAMES];
	ucontext_t *uc = context;
	size_t at = 0;

	(void)number;
	(void)info;
	interrupted = PC(uc);
	depth = cairn_backtrace(context, frames, FRAMES);
	inner_depth = cairn_backtrace(NULL, inner, FRAMES);
	while (at < inner_depth && inner[at].pc != interrupted)
		at++;
	/* the handler, perhaps a function that called it, and the trampoline */
	ck_assert_uint_ge(at, 2);
	ck_assert_uint_le(at, 3);
	ck_assert_uint_eq(inner[at].lookup, inner[at].pc);
	ck_assert_uint_eq(inner[at - 1].lookup, inner[at - 1].pc);
	ck_assert_uint_eq(inner_depth - at, depth);
	for (size_t i = 0; i < depth; i++)
		ck_assert_uint_eq(inner[at + i].pc, frames[i].pc);
}

static void handle(int flags)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags };

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

static __attribute__((noinline)) uintptr_t interrupt(int levels)
{
	uintptr_t found = RETURN_ADDRESS;

	if (levels > 0)
		found = interrupt(levels - 1);
	else
		raise(SIGUSR1);
	__asm__ volatile("" ::: "memory");
	return found;
}

static void check_interrupted(uintptr_t wanted)
{
	size_t at = 0;

	ck_assert_uint_eq(frames[0].pc, interrupted);
	ck_assert_uint_eq(frames[0].lookup, interrupted);
	while (at < depth && frames[at].pc != wanted)
		at++;
	ck_assert_uint_gt(at, 0);
	ck_assert_uint_lt(at, 5); /* raise() calls other functions of the C library */
	for (size_t i = at; i < at + 10; i++)
		ck_assert_uint_eq(frames[i].pc, wanted);
	check_lookups(1);
}

START_TEST(signal_handler)
{
	handle(0);
	for (int i = 0; i < 3; i++)
		check_interrupted(interrupt(10));
}
END_TEST

/* Documented: 4 KiB of stack suffice, besides what the kernel and the handler need. */
static void on_small_stack(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	interrupted = PC((ucontext_t *)context);
	depth = cairn_backtrace(context, frames, FRAMES);
}

START_TEST(small_alternate_stack)
{
#ifdef __SANITIZE_ADDRESS__
	const size_t needed = 1 << 16; /* for red zones around variables */
#else
	const size_t needed = 4096;
#endif
	const size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + needed;
	const size_t pages = (size + PAGE - 1) / PAGE + 1;
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                    -1, 0);
	struct sigaction action = { .sa_sigaction = on_small_stack,
		                    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(memory, PAGE, PROT_NONE), 0);
	/* end the stack so that its low end is the guard page */
	recurse(0, FRAMES); /* binds functions of the C library, which takes much stack */
	const stack_t stack = { .ss_sp = memory + PAGE, .ss_size = size };
	ck_assert_int_eq(sigaltstack(&stack, NULL), 0);
	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	for (int i = 0; i < 3; i++)
		check_interrupted(interrupt(10));
}
END_TEST

static void *in_thread(void *context)
{
	(void)context;
	handle(0);
	check_interrupted(interrupt(10));
	recurse(3, FRAMES);
	return NULL;
}

START_TEST(threads)
{
	pthread_t thread[4];

	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, in_thread, NULL), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}
END_TEST

static ucontext_t outside, inside;
static char coroutine_stack[1 << 16];

static void coroutine(void)
{
	recurse(3, FRAMES);
}

START_TEST(makecontext_stack)
{
	ck_assert_int_eq(getcontext(&inside), 0);
	inside.uc_stack.ss_sp = coroutine_stack;
	inside.uc_stack.ss_size = sizeof(coroutine_stack);
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	/* capture(), recurse() four times, coroutine() and its start */
	ck_assert_uint_ge(depth, 5);
	ck_assert_uint_le(depth, 8);
}
END_TEST

/* Stacks that a damaged program may have. Each ends the walk. */
START_TEST(damaged_stacks)
{
	uint64_t stack[64];
	uint64_t *none =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ucontext_t uc;
	const uint64_t bad[] = { 0,
		                 8,
		                 0x1234567,
		                 UINT64_MAX - 7,
		                 UINT64_C(1) << 63,
		                 (uintptr_t)none,
		                 (uintptr_t)none + PAGE - 8,
		                 (uintptr_t)stack + 3,
		                 (uintptr_t)stack };

	mprotect(none, PAGE, PROT_NONE);
	memset(&uc, 0, sizeof(uc));
	for (size_t i = 0; i < sizeof(stack) / sizeof(*stack); i++)
		stack[i] = (uintptr_t)&stack[i & ~(size_t)3];
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++)
			for (int code = 0; code < 3; code++) {
				PC(&uc) = code == 0   ? bad[i]
				          : code == 1 ? (uintptr_t)capture
				                      : (uintptr_t)memcpy;
				SP(&uc) = bad[k];
				FP(&uc) = bad[(i + k) % (sizeof(bad) / sizeof(*bad))];
				depth = cairn_backtrace(&uc, frames, FRAMES);
				ck_assert_uint_ge(depth, 1);
				ck_assert_uint_eq(frames[0].pc, PC(&uc));
			}
	ck_assert_uint_eq(cairn_backtrace(none, frames, FRAMES), 0);
	ck_assert_uint_eq(cairn_backtrace((void *)(uintptr_t)8, frames, FRAMES), 0);
}
END_TEST

static void on_bad_call(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	depth = cairn_backtrace(context, frames, FRAMES);
	_exit(depth > 3 && frames[0].pc == interrupted && frames[1].lookup == frames[1].pc - 1 ? 7
	                                                                                       : 1);
}

static __attribute__((noinline)) void call(void (*function)(void))
{
	function();
	__asm__ volatile("" ::: "memory");
}

static void call_bad(uint64_t address)
{
	struct sigaction action = { .sa_sigaction = on_bad_call, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	interrupted = address;
	call((void (*)(void))(uintptr_t)address);
}

START_TEST(call_of_null)
{
	call_bad(0);
}
END_TEST

START_TEST(call_of_data)
{
	call_bad((uintptr_t)mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
END_TEST

#endif

#ifdef __x86_64__

/* push %rbp; mov %rsp,%rbp; sub $0x20,%rsp; call *%rdi; leave; ret */
static const uint8_t framed[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83,
	                          0xec, 0x20, 0xff, 0xd7, 0xc9, 0xc3 };
/* sub $0x28,%rsp; call *%rdi; nop; nop; add $0x28,%rsp; ret */
static const uint8_t frameless[] = { 0x48, 0x83, 0xec, 0x28, 0xff, 0xd7, 0x90, 0x90,
	                             0x90, 0x90, 0x48, 0x83, 0xc4, 0x28, 0xc3 };

static void capture_all(void)
{
	recurse(0, FRAMES);
}

static uintptr_t call_jit(uint8_t *code)
{
	((void (*)(void (*)(void)))(uintptr_t)code)(capture_all);
	return RETURN_ADDRESS;
}

static void check_jit(uint8_t *code, size_t call_end)
{
	for (int i = 0; i < 3; i++) {
		const uintptr_t caller = call_jit(code);
		ck_assert_uint_eq(frames[3].pc, (uintptr_t)code + call_end);
		ck_assert_uint_eq(frames[5].pc, caller);
	}
}

START_TEST(jit_code)
{
	uint8_t *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const uint32_t exits[] = { 11, 10 };
	struct cairn_jit_function function = {
		.code = code,
		.size = sizeof(framed),
		.frame = { .kind = CAIRN_JIT_FRAME_POINTER, .exits = exits, .exit_count = 1 },
	};

	memcpy(code, framed, sizeof(framed));
	cairn_jit_code *handle = cairn_jit_add(&function);
	ck_assert_ptr_nonnull(handle);
	check_jit(code, 10);
	/* the rules that were cached for the first function are wrong for the second one */
	for (int i = 0; i < 4; i++) {
		cairn_jit_remove(handle);
		memcpy(code, frameless, sizeof(frameless));
		function.size = sizeof(frameless);
		function.frame = (struct cairn_jit_frame){ .kind = CAIRN_JIT_FIXED_FRAME,
			                                   .frame_size = 0x28,
			                                   .exits = exits + 1,
			                                   .exit_count = 1 };
		handle = cairn_jit_add(&function);
		check_jit(code, 6);
		cairn_jit_remove(handle);
		memcpy(code, framed, sizeof(framed));
		function.size = sizeof(framed);
		function.frame = (struct cairn_jit_frame){ .kind = CAIRN_JIT_FRAME_POINTER,
			                                   .exits = exits,
			                                   .exit_count = 1 };
		handle = cairn_jit_add(&function);
		check_jit(code, 10);
	}
	cairn_jit_remove(handle);
	call_jit(code);
	ck_assert_uint_eq(depth, 4); /* the walk ends in code without rules */
}
END_TEST

START_TEST(jit_frames_to_copy)
{
	static uint8_t code[256];
	const uint64_t pc = (uintptr_t)code;
	struct cairn_jit_function function = { .code = code + 16,
		                               .size = 16,
		                               .frame = { .kind = CAIRN_JIT_NO_FRAME } };
	uint8_t buffer[128];
	uint64_t before, after;

	ck_assert_uint_eq(cairn_jit_rules(pc + 16, buffer, sizeof(buffer), &before), 0);
	cairn_jit_code *handle = cairn_jit_add(&function);
	ck_assert_uint_eq(cairn_jit_rules(pc + 15, buffer, sizeof(buffer), &after), 0);
	ck_assert_uint_gt(cairn_jit_rules(pc + 16, buffer, sizeof(buffer), &after), 40);
	ck_assert_uint_gt(cairn_jit_rules(pc + 31, buffer, sizeof(buffer), &after), 40);
	ck_assert_uint_eq(cairn_jit_rules(pc + 32, buffer, sizeof(buffer), &after), 0);
	ck_assert_uint_eq(cairn_jit_rules(pc + 16, buffer, 40, &after), 0);
	ck_assert_uint_eq(before, after);
	cairn_jit_remove(handle);
	ck_assert_uint_eq(cairn_jit_rules(pc + 16, buffer, sizeof(buffer), &after), 0);
	ck_assert_uint_ne(before, after);
	function.frame.kind = CAIRN_JIT_UNKNOWN_FRAME;
	handle = cairn_jit_add(&function);
	ck_assert_uint_eq(cairn_jit_rules(pc + 16, buffer, sizeof(buffer), &after), 0);
	cairn_jit_remove(handle);
}
END_TEST

#endif

static void check_name(struct cairn_stacks *self, uint64_t pc, const char *wanted)
{
	struct cairn_location names[CAIRN_STACK_NAMES];
	const size_t count = cairn_stacks_names(self, pc, names, CAIRN_STACK_NAMES);

	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(names[0].function.size, strlen(wanted));
	ck_assert_mem_eq(names[0].function.data, wanted, strlen(wanted));
}

START_TEST(own_names)
{
	struct cairn_stacks *self;
	struct cairn_error error;

	if (!supported)
		return;
	recurse(2, FRAMES);
	ck_assert_int_eq(cairn_stacks_open_self(&self, &error), CAIRN_OK);
	ck_assert_uint_eq(cairn_stacks_threads(self), 0);
	ck_assert_uint_gt(cairn_stacks_modules(self), 2);
	check_name(self, frames[0].lookup, "capture");
	check_name(self, frames[1].lookup, "recurse");
	check_name(self, frames[3].lookup, "recurse");
	/* not __wait4 or __GI___wait4, which are at the same address */
	check_name(self, (uintptr_t)wait4, "wait4");
	cairn_stacks_close(self);
}
END_TEST

#ifdef __x86_64__
START_TEST(own_names_of_jit_code)
{
	uint8_t *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct cairn_jit_function function = { .code = code, .size = 32, .name = "made" };
	cairn_jit_code *handle = cairn_jit_add(&function);
	struct cairn_stacks *self;

	ck_assert_int_eq(cairn_stacks_open_self(&self, NULL), CAIRN_OK);
	check_name(self, (uintptr_t)code + 5, "made");
	cairn_stacks_close(self);
	cairn_jit_remove(handle);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("backtrace");
	TCase *c = tcase_create("backtrace");

	tcase_add_test(c, own_stack);
	tcase_add_test(c, own_names);
#ifdef PC
	tcase_add_test(c, signal_handler);
	tcase_add_test(c, small_alternate_stack);
	tcase_add_test(c, threads);
	tcase_add_test(c, makecontext_stack);
	tcase_add_test(c, damaged_stacks);
	tcase_add_exit_test(c, call_of_null, 7);
	tcase_add_exit_test(c, call_of_data, 7);
#endif
#ifdef __x86_64__
	tcase_add_test(c, jit_code);
	tcase_add_test(c, jit_frames_to_copy);
	tcase_add_test(c, own_names_of_jit_code);
#endif
	suite_add_tcase(suite, c);
	return unit_run(suite);
}
