/* SPDX-License-Identifier: MIT */
/*
 * The unwinder of the process goes through code with each rule: from within a call of each function of rules.c, nested in each other, all
 * are found and main() at the end; so it is with 3,000 other functions around, and after functions at the same addresses were replaced.
 */
#define _GNU_SOURCE
#define main rules_main
int rules_main(int argc, char **argv);
#include "rules.c"
#undef main

#include <unwind.h>

enum { DEPTH = 64, OTHERS = 3000 };

struct trace {
	uintptr_t pc[DEPTH];
	int count;
};

static struct trace trace;

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
	struct trace *into = argument;

	into->pc[into->count++] = _Unwind_GetIP(context);
	return into->count < DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static long take_trace(long value)
{
	if (++depth < FUNCTIONS)
		return call(depth, value + 1, take_trace);
	trace.count = 0;
	_Unwind_Backtrace(take_frame, &trace);
	return value;
}

static bool is_inside(uintptr_t pc, const void *begin, size_t size)
{
	return pc - (uintptr_t)begin <= size;
}

static int count_found(void)
{
	const size_t sizes[] = { 0,
		                 (size_t)(pointer_end - pointer),
		                 (size_t)(fixed_end - fixed),
		                 (size_t)(region_end - region),
		                 (size_t)(aligned_end - aligned),
		                 (size_t)(pushed_end - pushed) };
	int found = 0;

	for (int which = 1; which < FUNCTIONS; which++)
		for (int i = 0; i < trace.count; i++)
			if (is_inside(trace.pc[i], which == SHIM ? made_region : made[which],
			              sizes[which])) {
				found++;
				break;
			}
	return found;
}

static int check_trace(const char *when)
{
	depth = 0;
	take_trace(1);
	const int found = count_found();
	if (found == FUNCTIONS - 1 && trace.count >= 2 * FUNCTIONS)
		return 0;
	printf("%s: %d functions in %d frames\n", when, found, trace.count);
	return 1;
}

static void add_others(uint8_t *at, cairn_jit_code **code)
{
	for (int i = 0; i < OTHERS; i++) {
		const struct cairn_jit_function function = {
			.code = at + 16 * i, .size = 16, .frame = { .kind = CAIRN_JIT_NO_FRAME }
		};
		code[i] = cairn_jit_add(&function);
	}
}

int main(void)
{
	static uint8_t others[OTHERS * 16];
	static cairn_jit_code *code[OTHERS];
	int bad = 0;

	cairn_jit_use(CAIRN_JIT_DEBUGGER | CAIRN_JIT_BACKTRACE);
	buffer = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC,
	              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return 3;
	make_all();
	bad |= check_trace("alone");
	add_others(others, code);
	bad |= check_trace("with others");
	for (int i = 0; i < OTHERS; i += 2)
		cairn_jit_remove(code[i]);
	add_others(others, code);
	bad |= check_trace("after others were replaced");
	/* where the frames were, other rules are now */
	used = 0;
	cairn_jit_code *over = cairn_jit_add(&(struct cairn_jit_function){
		.code = buffer, .size = 4096, .frame = { .kind = CAIRN_JIT_NO_FRAME } });
	cairn_jit_remove(over);
	make_all();
	bad |= check_trace("in their place again");
	if (!bad)
		printf("good\n");
	return bad;
}
