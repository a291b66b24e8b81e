/* SPDX-License-Identifier: MIT */
/* Stops threads with a timer signal, and compares the stacks that several unwinders capture. */
#define _GNU_SOURCE
#include "stops.h"

#include <cairn.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>

/* Loaded with dlopen(), because a linked libunwind would also replace libgcc's unwinder for exceptions. */
static int (*init_cursor)(unw_cursor_t *cursor, unw_context_t *context, int flags);
static int (*step_cursor)(unw_cursor_t *cursor);
static int (*read_cursor)(unw_cursor_t *cursor, int number, unw_word_t *value);
#define NAME_OF(macro) NAME_OF_EXPANDED(macro)
#define NAME_OF_EXPANDED(name) #name
#endif

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { FRAMES = 1200, KEPT = 12, TAIL = 2, SHOWN = 80 };

struct stack {
	uint64_t pc[FRAMES];
	size_t count;
};

/* A stop for which the unwinders disagree. Printed at the end. */
struct kept {
	const char *who;
	bool ours_good, theirs_good;
	struct stack ours, theirs;
};

volatile unsigned long stops_sink;
unsigned stops_unentered = 2;
__thread struct shadow shadow __attribute__((tls_model("initial-exec"), visibility("default")));

/* Addresses of libgcc. Its tables are wrong for its last instructions before an exception reaches its handler. */
static uint64_t libgcc_low, libgcc_high;
/*
 * Number of stops where the rules are missing or wrong, so that backtrace() fails too: in libgcc (see above), in _init(),
 * and in the destructors of crtbegin.o.
 */
static atomic_ulong without_rules;

static atomic_ulong stops, wrong, frames_seen, glibc_wrong, glibc_undecided, unwind_wrong, unwind_undecided;
static unsigned long wanted = 1000;
static bool verbose;
static struct kept kept[KEPT];
static atomic_uint kept_count;

struct thread {
	uint64_t tail[TAIL];
	timer_t timer;
	bool armed;
	unsigned random;
	struct cairn_backtrace_frame frames[FRAMES];
	struct stack ours, theirs;
	void *list[FRAMES];
};

static __thread struct thread *self __attribute__((tls_model("initial-exec")));

static void arm(struct thread *t)
{
	struct itimerspec when = { { 0, 0 }, { 0, 0 } };

	t->random = t->random * 1103515245u + 12345u;
	when.it_value.tv_nsec = 5000 + (long)((t->random >> 8) % 60000);
	timer_settime(t->timer, 0, &when, NULL);
}

/* Bounds of the program's own code, defined by the linker. */
extern const char __executable_start[], etext[];

static bool is_own(uint64_t pc)
{
	return pc >= (uintptr_t)__executable_start && pc < (uintptr_t)etext;
}

/*
 * Return true if the stack contains all return addresses of the shadow stack, in the same order, and ends in
 * the frames where the thread began. Calls between functions of the program that the shadow stack lacks are
 * errors, except for the innermost ones, which may be before ENTER() or after LEAVE().
 */
static bool is_good(const struct stack *stack)
{
	size_t at = stack->count;
	unsigned unknown = 0;

	if (stack->count < TAIL ||
	    memcmp(&stack->pc[stack->count - TAIL], self->tail, sizeof(self->tail)) != 0)
		return false;
	/* start with the outermost frame, because the innermost frames may have equal return addresses */
	for (unsigned i = 0; i < shadow.depth; i++) {
		while (--at > 0 && stack->pc[at] != (uintptr_t)shadow.ra[i])
			if (is_own(stack->pc[at]) && is_own(stack->pc[at - 1]))
				return false;
		if (at == 0)
			return false;
	}
	while (shadow.depth > 0 && --at > 0)
		unknown += is_own(stack->pc[at]) && is_own(stack->pc[at - 1]);
	return unknown <= stops_unentered;
}

static void keep(const char *who, bool ours_good, bool theirs_good, const struct stack *ours,
                 const struct stack *theirs)
{
	const unsigned at = atomic_fetch_add(&kept_count, 1);

	if (at >= KEPT)
		return;
	kept[at].who = who;
	kept[at].ours_good = ours_good;
	kept[at].theirs_good = theirs_good;
	kept[at].ours = *ours;
	kept[at].theirs = *theirs;
}

static bool is_same(const struct stack *a, const struct stack *b)
{
	return a->count == b->count && memcmp(a->pc, b->pc, a->count * sizeof(a->pc[0])) == 0;
}

static void compare(const char *who, bool ours_good, const struct stack *ours,
                    const struct stack *theirs, atomic_ulong *bad, atomic_ulong *undecided)
{
	if (is_same(ours, theirs))
		return;
	const bool good = is_good(theirs);
	atomic_fetch_add(good ? undecided : bad, 1);
	if (good || verbose || !ours_good)
		keep(who, ours_good, good, ours, theirs);
}

static void on_stop(int number, siginfo_t *info, void *context)
{
	struct thread *t = self;
	const int error = errno;

	(void)number;
	(void)info;
	if (!t || !t->armed)
		return;
	t->ours.count = cairn_backtrace(context, t->frames, FRAMES);
	for (size_t i = 0; i < t->ours.count; i++)
		t->ours.pc[i] = t->frames[i].pc;
	const bool good = is_good(&t->ours);
	atomic_fetch_add(&stops, 1);
	atomic_fetch_add(&frames_seen, t->ours.count);

	/* backtrace() crashes where the tables are wrong */
	if (!good && t->ours.pc[0] - libgcc_low < libgcc_high - libgcc_low) {
		atomic_fetch_add(&without_rules, 1);
		arm(t);
		errno = error;
		return;
	}
	const int count = backtrace(t->list, FRAMES);
	int first = 0;
	while (first < count && (uintptr_t)t->list[first] != t->ours.pc[0])
		first++;
	t->theirs.count = 0;
	for (int i = first; i < count; i++)
		t->theirs.pc[t->theirs.count++] = (uintptr_t)t->list[i];
	compare("backtrace()", good, &t->ours, &t->theirs, &glibc_wrong, &glibc_undecided);
	if (!good && is_same(&t->ours, &t->theirs)) {
		atomic_fetch_add(&without_rules, 1);
	} else if (!good) {
		atomic_fetch_add(&wrong, 1);
		keep("wrong", false, is_good(&t->theirs), &t->ours, &t->theirs);
	}
#ifdef HAVE_LIBUNWIND
	unw_cursor_t cursor;
	unw_word_t pc;
	t->theirs.count = 0;
	if (!init_cursor) {
		arm(t);
		errno = error;
		return;
	}
	if (init_cursor(&cursor, context, UNW_INIT_SIGNAL_FRAME) == 0)
		do {
			read_cursor(&cursor, UNW_REG_IP, &pc);
			if (pc == 0)
				break;
			t->theirs.pc[t->theirs.count++] = pc;
		} while (t->theirs.count < FRAMES && step_cursor(&cursor) > 0);
	compare("libunwind", good, &t->ours, &t->theirs, &unwind_wrong, &unwind_undecided);
#endif
	arm(t);
	errno = error;
}

bool stops_enough(void)
{
	return atomic_load(&stops) >= wanted;
}

static int note_libgcc(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	if (!strstr(info->dlpi_name, "libgcc_s"))
		return 0;
	libgcc_low = info->dlpi_addr;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			libgcc_high = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	return 1;
}

void stops_begin(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_stop, .sa_flags = SA_SIGINFO | SA_RESTART };
	void *warm[4];

	if (argc > 1)
		wanted = strtoul(argv[1], NULL, 10);
	verbose = argc > 2;
	backtrace(warm, 4);
	dl_iterate_phdr(note_libgcc, NULL);
#ifdef HAVE_LIBUNWIND
	/* STOPS=alone skips libunwind, whose cache does not notice that libraries are unloaded */
	const char *choice = getenv("STOPS");
	void *library = choice ? NULL : dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *found[] = { library ? dlsym(library, NAME_OF(unw_init_local2)) : NULL,
		          library ? dlsym(library, NAME_OF(unw_step)) : NULL,
		          library ? dlsym(library, NAME_OF(unw_get_reg)) : NULL };
	if (found[0] && found[1] && found[2]) {
		memcpy(&init_cursor, &found[0], sizeof(found[0]));
		memcpy(&step_cursor, &found[1], sizeof(found[1]));
		memcpy(&read_cursor, &found[2], sizeof(found[2]));
	}
#endif
	sigaction(SIGPROF, &action, NULL);
	stops_thread_begin();
}

void stops_thread_begin(void)
{
	struct thread *t = calloc(1, sizeof(*t));
	void *list[64];
	const int count = backtrace(list, 64);
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };

	for (int i = 0; i < TAIL; i++)
		t->tail[i] = (uintptr_t)list[count - TAIL + i];
	event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
	t->random = (unsigned)syscall(SYS_gettid) * 7919u + (unsigned)time(NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &t->timer) != 0) {
		perror("timer_create");
		exit(2);
	}
	self = t;
	t->armed = true;
	arm(t);
}

void stops_thread_end(void)
{
	struct thread *t = self;

	t->armed = false;
	timer_delete(t->timer);
	self = NULL;
	free(t);
}

static void print_pc(uint64_t pc)
{
	Dl_info info;

	if (dladdr((void *)(uintptr_t)pc, &info) == 0)
		printf(" %#lx ?", (unsigned long)pc);
	else
		printf(" %#lx %s+%#lx %s", (unsigned long)pc, strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname,
		       (unsigned long)(pc - (uintptr_t)info.dli_fbase), info.dli_sname ? info.dli_sname : "");
}

static void print_kept(const struct kept *k)
{
	size_t at = 0;

	while (at < k->ours.count && at < k->theirs.count && k->ours.pc[at] == k->theirs.pc[at])
		at++;
	printf("%s: %zu frames of cairn (%s) and %zu (%s), different from frame %zu\n", k->who, k->ours.count,
	       k->ours_good ? "good" : "bad", k->theirs.count, k->theirs_good ? "good" : "bad", at);
	at -= at > 3 ? 3 : at;
	for (size_t i = 0; i < (verbose ? 9 : 4); i++) {
		printf("  %zu cairn", i + at);
		if (i + at < k->ours.count)
			print_pc(k->ours.pc[i + at]);
		printf("\n    other");
		if (i + at < k->theirs.count)
			print_pc(k->theirs.pc[i + at]);
		printf("\n");
	}
}

int stops_end(const char *name)
{
	stops_thread_end();
	printf("%s: %lu stops, %lu frames: cairn wrong at %lu, without rules %lu; backtrace() wrong at %lu, undecided %lu;"
#ifdef HAVE_LIBUNWIND
	       " libunwind wrong at %lu, undecided %lu\n",
#else
	       " no libunwind\n",
#endif
	       name, (unsigned long)stops, (unsigned long)frames_seen, (unsigned long)wrong, (unsigned long)without_rules, (unsigned long)glibc_wrong,
	       (unsigned long)glibc_undecided
#ifdef HAVE_LIBUNWIND
	       , (unsigned long)unwind_wrong, (unsigned long)unwind_undecided
#endif
	);
	for (unsigned i = 0; i < kept_count && i < KEPT; i++)
		print_kept(&kept[i]);
	return wrong != 0 || stops < wanted;
}
