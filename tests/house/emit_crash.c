/* SPDX-License-Identifier: MIT */
/*
 * Loads the libraries that it is given, and crashes inside malloc(): a handler that allocates would
 * come back there, and says so.  At the end it tells that errno is as it was.
 *
 *	emit_crash LIBRARY...
 */
#define _GNU_SOURCE

#include <cairn_emit.h>

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { ARENA = 64 << 20, HEADER = 16, WRONG = 3, ODD_ERROR = 77 };

static struct cairn_modules modules;
static char arena[ARENA];
static size_t used;
static volatile bool armed, in_handler;

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(WRONG);
}

__attribute__((noinline)) void *malloc(size_t size)
{
	if (in_handler) {
		say("malloc in the handler\n");
		_exit(WRONG);
	}
	if (armed)
		*(volatile int *)8 = 7;
	size_t whole = (size + 2 * HEADER - 1) / HEADER * HEADER;
	if (whole > ARENA - used)
		return NULL;
	char *at = arena + used;
	used += whole;
	memcpy(at, &size, sizeof(size));
	return at + HEADER;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size); /* the arena is zero */
}

void *realloc(void *old, size_t size)
{
	char *new = malloc(size);
	size_t had = 0;

	if (old)
		memcpy(&had, (char *)old - HEADER, sizeof(had));
	if (new &&old)
		memcpy(new, old, had < size ? had : size);
	return new;
}

void free(void *old)
{
	(void)old;
}

static uint64_t pc_of(const ucontext_t *context, uint64_t *frame)
{
#if defined(__x86_64__)
	*frame = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
	*frame = context->uc_mcontext.regs[29];
	return context->uc_mcontext.pc;
#endif
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	uint64_t frame, caller, pc = pc_of(context, &frame);

	(void)info;
	in_handler = true;
	errno = ODD_ERROR;
	if (cairn_emit_reset(-1))
		say("a closed descriptor took a line\n");
	cairn_emit_context(STDERR_FILENO, &modules);
	cairn_emit_bt(STDERR_FILENO, 0, pc, CAIRN_EMIT_PC);
	memcpy(&caller, (const char *)(uintptr_t)frame + sizeof(uint64_t), sizeof(caller));
	cairn_emit_bt(STDERR_FILENO, 1, caller, CAIRN_EMIT_RA);
	say(errno == ODD_ERROR ? "errno is kept\n" : "errno is lost\n");
	signal(number, SIG_DFL);
	raise(number);
}

__attribute__((noinline)) static size_t work(size_t size)
{
	char *memory = malloc(size);

	return (size_t)(memory - arena) + 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO };

	for (int i = 1; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL)) {
			say(dlerror());
			return WRONG;
		}
	cairn_modules_collect(&modules);
	sigaction(SIGSEGV, &action, NULL);
	armed = true;
	return work(100) == 0;
}
