/* SPDX-License-Identifier: MIT */
/*
 * Registers of every frame by .sframe beside those by .eh_frame, while a program runs instruction
 * by instruction (Linux, amd64).
 *
 *	registers [-vw] [-e EACH] [-n STOPS] [-i STEPS] [-o FILE] PROGRAM [ARGUMENT...]
 *
 * The program must have both tables.  Each time it stands in its own code, up to EACH times at one
 * pc, its stack is unwound twice, and pc, sp, rbx, rbp, r12 to r15 of each frame compared: `same`,
 * `lost` where .eh_frame knows the value and .sframe does not, `wrong` where both know another one.
 * -i: let the program take so many steps from its entry on, at most.  -v: a line for each place of a loss or error.
 * -w: where .sframe has a row, cairn sees nothing of the program's .eh_frame, as in a program that has none.
 * -o: append the functions in which it stood, counted from the beginning of its code.
 * The status is 0 when nothing is wrong, 1 when something is, 2 when it could not be tried.
 */
#include "../lib/steps.h"

#include <cairn.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PT_GNU_SFRAME
#define PT_GNU_SFRAME 0x6474e554
#endif

enum {
	FRAMES = 64, /* of one stack */
	PLACES = 1 << 20,
	RBP = 6,
	RSP = 7,
	COMPARED = 7,
};

static const uint8_t compared[COMPARED] = { 3, RBP, RSP, 12, 13, 14, 15 };
static const char *const names[COMPARED] = { "rbx", "rbp", "rsp", "r12", "r13", "r14", "r15" };

/* How often something was seen at an address; open addressing, never full. */
struct places {
	struct {
		uint64_t key;
		unsigned count;
	} of[PLACES];
	size_t used;
};

struct run {
	pid_t child;
	int memory;
	struct cairn_space *space;
	struct cairn_space *without; /* the same memory, and .eh_frame of the program not found */
	uint64_t frame_header;       /* of the program header that leads to it; 0: not hidden */
	uint64_t low, high;          /* the program's own code */
	unsigned each;
	unsigned long stops_max, steps_max;
	bool verbose;
	unsigned long steps, stops, frames, by_sframe, same, lost, wrong;
	struct places pcs, functions, causes;
};

static unsigned *count_at(struct places *places, uint64_t key)
{
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 40) % PLACES;

	while (places->of[at].count && places->of[at].key != key)
		at = (at + 1) % PLACES;
	if (places->of[at].count == 0 && ++places->used > PLACES / 2) {
		fprintf(stderr, "registers: too many places\n");
		exit(2);
	}
	places->of[at].key = key;
	return &places->of[at].count;
}

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct run *r = context;

	return pread(r->memory, buffer, size, (off_t)address) == (ssize_t)size ? CAIRN_OK
	                                                                       : CAIRN_UNREADABLE;
}

/* The program without .eh_frame: the program header that leads to it has another type. */
static enum cairn_status read_without(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct run *r = context;
	enum cairn_status status = read_memory(context, address, buffer, size);

	for (size_t i = 0; i < sizeof(Elf64_Word) && r->frame_header; i++)
		if (r->frame_header + i - address < size)
			((uint8_t *)buffer)[r->frame_header + i - address] = PT_NULL;
	return status;
}

static void take_registers(const struct user_regs_struct *from, struct cairn_registers *to)
{
	*to = (struct cairn_registers){ .machine = CAIRN_MACHINE_AMD64,
		                        .pc = from->rip,
		                        .known = 0xffff,
		                        .value = { from->rax, from->rdx, from->rcx, from->rbx,
		                                   from->rsi, from->rdi, from->rbp, from->rsp,
		                                   from->r8, from->r9, from->r10, from->r11,
		                                   from->r12, from->r13, from->r14, from->r15 } };
}

static bool is_known(const struct cairn_registers *frame, unsigned reg)
{
	return frame->known >> reg & 1;
}

/* Of a frame whose callee had the register: its module's code, its register, once each. */
static void report_place(struct run *r, const char *what, const struct cairn_registers *callee,
                         const struct cairn_step *ours, unsigned which, uint64_t told, uint64_t is)
{
	uint64_t place = callee->pc * 16 + which * 2 + (*what == 'w');

	if (!r->verbose || (*count_at(&r->causes, place))++ > 0)
		return;
	printf("%s %s pc 0x%llx function 0x%llx+0x%llx: 0x%llx, is 0x%llx\n", what, names[which],
	       (unsigned long long)callee->pc,
	       (unsigned long long)(ours->method == CAIRN_UNWIND_METHOD_SFRAME ? ours->rule.function
	                                                                       : 0),
	       (unsigned long long)(callee->pc - ours->function), (unsigned long long)told,
	       (unsigned long long)is);
}

/* Both ways to the caller of the frames `callee`. */
static void compare_frame(struct run *r, const struct cairn_registers *callee,
                          const struct cairn_step *ours, const struct cairn_step *theirs)
{
	const struct cairn_registers *a = &ours->caller, *b = &theirs->caller;

	r->frames++;
	if (a->pc == b->pc)
		r->same++;
	else
		r->wrong++;
	for (unsigned i = 0; i < COMPARED; i++) {
		unsigned reg = compared[i];
		if (!is_known(b, reg))
			continue;
		if (!is_known(a, reg)) {
			r->lost++;
			if (is_known(callee, reg))
				report_place(r, "lost", callee, ours, i, 0, b->value[reg]);
		} else if (a->value[reg] == b->value[reg]) {
			r->same++;
		} else {
			r->wrong++;
			report_place(r, "wrong", callee, ours, i, a->value[reg], b->value[reg]);
		}
	}
}

/* By .sframe where it has a row, as a debugger would with its own way elsewhere. */
static bool step_ours(struct run *r, const struct cairn_registers *frame,
                      enum cairn_frame_kind kind, struct cairn_step *step)
{
	if (step_by_sframe(r->without, frame, kind, step))
		return true;
	return step->stop != CAIRN_STOP_OUTERMOST && step_by_any(r->space, frame, kind, step);
}

static void compare_stack(struct run *r, const struct cairn_registers *innermost)
{
	struct cairn_registers ours = *innermost, theirs = *innermost;
	enum cairn_frame_kind kind = CAIRN_FRAME_PC;
	struct cairn_step a, b;

	r->stops++;
	for (unsigned n = 0; n < FRAMES; n++) {
		bool found = step_by_any(r->space, &theirs, kind, &b);
		if (n == 0)
			(*count_at(&r->functions, b.function))++;
		if (!found || b.method == CAIRN_UNWIND_METHOD_FRAME_POINTER)
			return;
		if (!step_ours(r, &ours, kind, &a)) {
			r->wrong++;
			report_place(r, "wrong end", &ours, &a, 2, 0, b.caller.pc);
			return;
		}
		r->by_sframe += a.method == CAIRN_UNWIND_METHOD_SFRAME;
		compare_frame(r, &ours, &a, &b);
		ours = a.caller;
		theirs = b.caller;
		kind = b.caller_kind;
	}
}

/* Where the program's own code is mapped. */
static bool find_code(struct run *r)
{
	char path[64], link[4096], line[4352], *name;
	unsigned long long low, high;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)r->child);
	ssize_t size = readlink(path, link, sizeof(link) - 1);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)r->child);
	FILE *maps = size > 0 ? fopen(path, "r") : NULL;
	if (!maps)
		return false;
	link[size] = 0;
	while (fgets(line, sizeof(line), maps)) {
		char mode[5];
		if (sscanf(line, "%llx-%llx %4s", &low, &high, mode) != 3 || mode[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = 0;
		name = strchr(line, '/');
		if (!name || strcmp(name, link) != 0)
			continue;
		r->low = r->low ? r->low : low;
		r->high = high;
	}
	fclose(maps);
	return r->high > 0;
}

/* One instruction; false when the program has ended.  Signals are handed on. */
static bool step_program(struct run *r)
{
	static int signal_number;
	int status;

	if (ptrace(PTRACE_SINGLESTEP, r->child, NULL, (void *)(intptr_t)signal_number) != 0 ||
	    waitpid(r->child, &status, 0) != r->child || !WIFSTOPPED(status))
		return false;
	signal_number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return true;
}

static void run_program(struct run *r)
{
	struct user_regs_struct regs;
	struct cairn_registers frame;

	for (; r->steps < r->steps_max && r->stops < r->stops_max && step_program(r); r->steps++) {
		if (ptrace(PTRACE_GETREGS, r->child, NULL, &regs) != 0)
			return;
		if (regs.rip - r->low >= r->high - r->low ||
		    (*count_at(&r->pcs, regs.rip))++ >= r->each)
			continue;
		take_registers(&regs, &frame);
		compare_stack(r, &frame);
	}
}

/* What the kernel has told the program; 0: nothing of this type. */
static uint64_t find_told(const struct run *r, uint64_t type)
{
	char path[64];
	uint64_t entry[2] = { 0, 0 };

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)r->child);
	int auxv = open(path, O_RDONLY);
	while (auxv >= 0 && read(auxv, entry, sizeof(entry)) == sizeof(entry) && entry[0] != 0)
		if (entry[0] == type) {
			close(auxv);
			return entry[1];
		}
	if (auxv >= 0)
		close(auxv);
	return 0;
}

/* Reports the program without its .eh_frame, and hides the program header that leads to it. */
static bool hide_frames(struct run *r)
{
	uint64_t at = find_told(r, AT_PHDR), count = find_told(r, AT_PHNUM), bias = 0;
	struct cairn_host_module report = { .machine = CAIRN_MACHINE_AMD64 };
	Elf64_Phdr h;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t place = at + i * sizeof(h);
		if (pread(r->memory, &h, sizeof(h), (off_t)place) != sizeof(h))
			return false;
		if (h.p_type == PT_PHDR)
			bias = at - h.p_vaddr;
		else if (h.p_type == PT_GNU_EH_FRAME)
			r->frame_header = place;
		else if (h.p_type == PT_GNU_SFRAME)
			report.sframe = (struct cairn_range){ bias + h.p_vaddr,
				                              bias + h.p_vaddr + h.p_memsz };
		else if (h.p_type == PT_LOAD && h.p_offset == 0)
			report.low = bias + h.p_vaddr;
		if (h.p_type == PT_LOAD)
			report.high = bias + h.p_vaddr + h.p_memsz;
	}
	cairn_space_begin_modules(r->without);
	bool added = cairn_space_add_module(r->without, &report) == CAIRN_OK;
	cairn_space_end_modules(r->without);
	return added;
}

/* The dynamic linker may need a million instructions of the libraries of a C++ program: it runs freely. */
static bool run_to_entry(const struct run *r)
{
	enum { BREAKPOINT = 0xcc };
	uint64_t entry = find_told(r, AT_ENTRY);
	struct user_regs_struct regs;
	int status;

	errno = 0;
	long word = ptrace(PTRACE_PEEKTEXT, r->child, (void *)(uintptr_t)entry, NULL);
	if (errno != 0 ||
	    ptrace(PTRACE_POKETEXT, r->child, (void *)(uintptr_t)entry,
	           (void *)(intptr_t)((word & ~0xffL) | BREAKPOINT)) != 0 ||
	    ptrace(PTRACE_CONT, r->child, NULL, NULL) != 0 ||
	    waitpid(r->child, &status, 0) != r->child || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_POKETEXT, r->child, (void *)(uintptr_t)entry, (void *)(intptr_t)word) !=
	            0 ||
	    ptrace(PTRACE_GETREGS, r->child, NULL, &regs) != 0 || regs.rip != entry + 1)
		return false;
	regs.rip = entry;
	return ptrace(PTRACE_SETREGS, r->child, NULL, &regs) == 0;
}

static bool start_program(struct run *r, char **arguments)
{
	char path[64];
	int status;

	r->child = fork();
	if (r->child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(arguments[0], arguments);
		_exit(127);
	}
	if (r->child < 0 || waitpid(r->child, &status, 0) != r->child || !WIFSTOPPED(status))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)r->child);
	r->memory = open(path, O_RDONLY);
	return r->memory >= 0 && find_code(r) && run_to_entry(r);
}

static void list_functions(const struct run *r, const char *path)
{
	FILE *file = fopen(path, "a");

	for (size_t i = 0; file && i < PLACES; i++)
		if (r->functions.of[i].count)
			fprintf(file, "0x%llx\n",
			        (unsigned long long)(r->functions.of[i].key - r->low));
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	static struct run r = { .each = 4, .stops_max = ~0ul, .steps_max = ~0ul };
	const struct cairn_target target = { read_memory, &r }, without = { read_without, &r };
	const char *list = NULL;
	bool hide = false;
	int option;

	while ((option = getopt(argc, argv, "+vwe:n:i:o:")) != -1)
		switch (option) {
		case 'v':
			r.verbose = true;
			break;
		case 'w':
			hide = true;
			break;
		case 'e':
			r.each = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'n':
			r.stops_max = strtoul(optarg, NULL, 0);
			break;
		case 'i':
			r.steps_max = strtoul(optarg, NULL, 0);
			break;
		case 'o':
			list = optarg;
			break;
		default:
			return 2;
		}
	r.space = cairn_space_new(&target);
	r.without = cairn_space_new(&without);
	if (optind == argc || !r.space || !r.without || !start_program(&r, argv + optind)) {
		fprintf(stderr, "registers: the program cannot be followed\n");
		return 2;
	}
	if (hide && !hide_frames(&r)) {
		fprintf(stderr, "registers: the program's headers cannot be read\n");
		return 2;
	}
	run_program(&r);
	kill(r.child, SIGKILL);
	if (list)
		list_functions(&r, list);
	cairn_space_free(r.space);
	cairn_space_free(r.without);
	printf("%lu steps, %lu stops in %zu functions, %lu frames (%lu by SFrame): %lu values "
	       "same, %lu lost, "
	       "%lu wrong\n",
	       r.steps, r.stops, r.functions.used, r.frames, r.by_sframe, r.same, r.lost, r.wrong);
	return r.wrong > 0;
}
