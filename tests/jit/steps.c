/* SPDX-License-Identifier: MIT */
/*
 * The program steps through each function of rules.c by itself (the trap flag of amd64), by either exit, and asks the unwinder of the
 * process at each instruction: the caller's pc and the registers that it keeps are what they were at the function's entry.
 * backtrace() of the C library, which may go by another unwinder, must have the same pcs.
 *
 *	steps              at each instruction
 *	steps ask COMMAND  asks a command, to which the process's number is appended, for a stack at each instruction, and not the unwinder
 *	steps calls        _Unwind_Backtrace only where the function calls: LLVM's unwinder applies a row that begins at the pc of
 *	                   a signal frame too late, in code of any compiler
 */
#define _GNU_SOURCE
#define main rules_main
int rules_main(int argc, char **argv);
#include "rules.c"
#undef main

#include <execinfo.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unwind.h>

enum { DEPTH = 64, KEPT = 6 };

static const int kept_dwarf[KEPT] = { 3, 6, 12, 13, 14, 15 },
		 kept_context[KEPT] = { REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15 };

static struct {
	uint64_t pc, kept[KEPT];
} wanted;

struct search {
	uint64_t at; /* the pc of the function that is stepped through */
	bool met, right;
};

static unsigned steps, asked, wrong, wrong_backtrace;
static bool calls_only;
static const char *command; /* NULL: the unwinder of the process is asked */

static _Unwind_Reason_Code check_frame(struct _Unwind_Context *context, void *argument)
{
	struct search *search = argument;
	int before = 0;
	const uint64_t pc = _Unwind_GetIPInfo(context, &before);

	if (!search->met) {
		search->met = pc == search->at;
		return _URC_NO_REASON;
	}
	search->right = pc == wanted.pc;
	for (int i = 0; i < KEPT; i++)
		search->right = search->right &&
		                (uint64_t)_Unwind_GetGR(context, kept_dwarf[i]) == wanted.kept[i];
	return _URC_END_OF_STACK;
}

static bool has_pcs(uint64_t at)
{
	void *pc[DEPTH];
	const int count = backtrace(pc, DEPTH);

	for (int i = 0; i + 1 < count; i++)
		if ((uint64_t)(uintptr_t)pc[i] == at)
			return (uint64_t)(uintptr_t)pc[i + 1] == wanted.pc;
	return false;
}

/* The command's next frame that has an address, as in "#3  0x0000000000401000 in made ()"; 0: there is none. */
static uint64_t read_frame(FILE *stack)
{
	char line[1024];

	while (fgets(line, sizeof(line), stack)) {
		const char *address = line[0] == '#' ? strstr(line, " 0x") : NULL;
		if (address)
			return strtoull(address, NULL, 16);
	}
	return 0;
}

static void ask_command(uint64_t at)
{
	char text[1024];
	uint64_t pc;

	snprintf(text, sizeof(text), "%s %ld", command, (long)getpid());
	FILE *stack = popen(text, "r");
	while ((pc = stack ? read_frame(stack) : 0) != 0 && pc != at)
		continue;
	asked++;
	if (pc == 0 || read_frame(stack) != wanted.pc) {
		printf("wrong: %#lx\n", (long)(at - (uint64_t)(uintptr_t)buffer));
		wrong++;
	}
	while (stack && read_frame(stack) != 0)
		continue;
	if (stack)
		pclose(stack);
}

/* `at` is where the made function is, or the place to which its call returns. */
static void ask_unwinder(uint64_t at)
{
	struct search search = { .at = at };

	asked++;
	_Unwind_Backtrace(check_frame, &search);
	if (!search.right)
		printf("wrong: %#lx\n", (long)(at - (uint64_t)(uintptr_t)buffer));
	wrong += !search.right;
	wrong_backtrace += !has_pcs(at);
}

static bool is_made(uint64_t pc)
{
	return pc - (uint64_t)(uintptr_t)buffer < used;
}

static bool is_entry(uint64_t pc)
{
	for (int i = 0; i < FUNCTIONS; i++)
		if (pc == (uint64_t)(uintptr_t)made[i])
			return true;
	return false;
}

static void note_step(int number, siginfo_t *info, void *argument)
{
	const greg_t *regs = ((ucontext_t *)argument)->uc_mcontext.gregs;
	const uint64_t pc = (uint64_t)regs[REG_RIP];
	uint64_t back;

	(void)number;
	(void)info;
	memcpy(&back, (const void *)(uintptr_t)regs[REG_RSP], sizeof(back));
	if (is_entry(pc)) {
		wanted.pc = back;
		for (int i = 0; i < KEPT; i++)
			wanted.kept[i] = (uint64_t)regs[kept_context[i]];
	}
	steps += is_made(pc);
	if (command && is_made(pc))
		ask_command(pc);
	else if (command)
		return;
	else if (pc == (uint64_t)(uintptr_t)callee)
		ask_unwinder(back);
	else if (is_made(pc) && calls_only)
		wrong_backtrace += !has_pcs(pc);
	else if (is_made(pc))
		ask_unwinder(pc);
}

static void set_trap_flag(bool on)
{
	__asm__ volatile("pushfq\n\tandq %0, (%%rsp)\n\torq %1, (%%rsp)\n\tpopfq"
	                 :
	                 : "r"(~(uint64_t)0x100), "r"((uint64_t)on << 8)
	                 : "memory", "cc");
}

static void step_all(void)
{
	long sum = 0;

	for (int i = 0; i < FUNCTIONS; i++)
		for (long value = 0; value < 4; value += 3) {
			set_trap_flag(true);
			sum += call(i, value, callee);
			set_trap_flag(false);
		}
	printf("%ld: %u steps, %u of %u wrong, %u by backtrace()\n", sum, steps, wrong, asked,
	       wrong_backtrace);
}

int main(int argc, char **argv)
{
	calls_only = argc > 1;
	command = argc > 2 ? argv[2] : NULL;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	const struct sigaction action = { .sa_sigaction = note_step, .sa_flags = SA_SIGINFO };

	cairn_jit_use(CAIRN_JIT_DEBUGGER | CAIRN_JIT_BACKTRACE);
	buffer = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC,
	                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED || sigaction(SIGTRAP, &action, NULL) != 0)
		return 3;
	make_all();
	step_all();
	return steps < 100 || asked < FUNCTIONS - 1 || wrong > 0 || wrong_backtrace > 0;
}
