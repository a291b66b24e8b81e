/* SPDX-License-Identifier: MIT */
/* Recognizes the frames of one backtrace by the frame before, and remembers which of them GDB unwinds. */
#include "frame_chain.h"

#include "registers.h"
#include "unwinder.h"

#include <time.h>

enum {
	AMD64_FP = 6,
	AMD64_SP = 7,
	WORD = 8,
};

static uint64_t read_clock_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void forget_plans(struct frame_chain *chain)
{
	chain->stack++;
	chain->module_count = 0;
}

static void forget_stack(struct frame_chain *chain)
{
	chain->linked = chain->expects = chain->follows = false;
	forget_plans(chain);
}

void frame_chain_reset(struct frame_chain *chain)
{
	forget_stack(chain);
	chain->run = 0;
	chain->place = NULL;
}

bool frame_chain_is_soon(const struct frame_chain *chain)
{
	return read_clock_ns() - chain->asked_at < CHAIN_SOON;
}

/* Is it asked from the same place, and soon? */
static bool goes_on(struct frame_chain *chain, const struct gdb_unwind_callbacks *cb)
{
	const uint64_t now = read_clock_ns();
	const bool soon = now - chain->asked_at < CHAIN_SOON, same = chain->place == cb;

	chain->run = same ? chain->run + (chain->run < CHAIN_DEEP) : 0;
	chain->place = cb;
	chain->asked_at = now;
	return same && soon;
}

/* Where code is made, or stacks are, other things count than modules and rules. */
static bool is_plain_target(const struct unwinder *u)
{
	return u->policy == UNWIND_POLICY_AUTO && !u->made_code && *u->captures == 0;
}

bool frame_chain_follow(struct unwinder *u, struct gdb_unwind_callbacks *cb)
{
	struct frame_chain *chain = &u->chain;
	struct cairn_registers frame = { .machine = chain->next.machine,
		                         .big_endian = chain->next.big_endian };

	chain->follows = false;
	if (!goes_on(chain, cb) || !is_plain_target(u)) {
		forget_stack(chain);
		return false;
	}
	if (!chain->expects || !chain->linked)
		return false;
	chain->expects = chain->linked = false; /* what follows may leave by an exception */
	chain->follows = registers_read_pc(cb, &frame) && frame.pc == chain->next.pc;
	chain->linked = chain->follows;
	return chain->follows;
}

/* Is the module at this address the one that it was, for all frames that have plans? */
static bool is_module_known(struct frame_chain *chain, const struct cairn_module *module)
{
	for (unsigned i = 0; i < chain->module_count; i++)
		if (module->low < chain->modules[i].high && module->high > chain->modules[i].low)
			return module->low == chain->modules[i].low &&
			       module->high == chain->modules[i].high &&
			       module->headers.data == chain->modules[i].headers;
	if (chain->module_count == CHAIN_MODULES)
		return false;
	chain->modules[chain->module_count].low = module->low;
	chain->modules[chain->module_count].high = module->high;
	chain->modules[chain->module_count++].headers = module->headers.data;
	return true;
}

void frame_chain_begin(struct unwinder *u, const struct cairn_registers *frame)
{
	struct frame_chain *chain = &u->chain;
	const bool linked = chain->expects && frame->pc == chain->next.pc;
	struct cairn_module module;

	chain->expects = chain->linked = false;
	if (cairn_space_module(u->space, frame->pc, &module) != CAIRN_OK ||
	    !is_module_known(chain, &module)) {
		forget_plans(chain);
		return;
	}
	chain->linked = linked;
}

static struct frame_plan *plan_place(struct frame_chain *chain, uint64_t pc)
{
	return &chain->plans[(pc ^ pc >> 11) & (CHAIN_PLANS - 1)];
}

const struct frame_plan *frame_chain_plan(struct frame_chain *chain, uint64_t pc)
{
	const struct frame_plan *plan = plan_place(chain, pc);

	return plan->pc == pc && plan->stack == chain->stack ? plan : NULL;
}

/* Can a plan have it? */
static bool is_simple_place(const struct cairn_register_rule *place,
                            enum cairn_register_rule_kind kind)
{
	return place->kind == kind && place->offset == (int32_t)place->offset &&
	       (kind == CAIRN_REGISTER_VALUE ? place->base == AMD64_SP || place->base == AMD64_FP
	                                     : place->base == CAIRN_BASE_CFA);
}

static bool make_plan(struct frame_plan *plan, uint64_t pc, const struct cairn_rule *rule)
{
	if (rule->machine != CAIRN_MACHINE_AMD64 || rule->signal || rule->outermost ||
	    rule->mangled || !is_simple_place(&rule->cfa, CAIRN_REGISTER_VALUE) ||
	    !is_simple_place(&rule->ra, CAIRN_REGISTER_MEMORY) || rule->ra.offset != -WORD)
		return false;
	const bool saves_fp = rule->fp.kind != CAIRN_REGISTER_SAME_VALUE;
	if (saves_fp && !is_simple_place(&rule->fp, CAIRN_REGISTER_MEMORY))
		return false;
	*plan = (struct frame_plan){ .pc = pc,
		                     .cfa = (int32_t)rule->cfa.offset,
		                     .fp = saves_fp ? (int32_t)rule->fp.offset : 0,
		                     .cfa_by_fp = rule->cfa.base == AMD64_FP,
		                     .saves_fp = saves_fp };
	return true;
}

static bool read_stack_word(struct unwinder *u, uint64_t address, uint64_t *word)
{
	uint8_t bytes[WORD];

	if (!memory_lines_read(&u->lines, u->target_read, address, bytes, sizeof(bytes)))
		return false;
	*word = 0;
	for (unsigned i = WORD; i-- > 0;)
		*word = *word << 8 | bytes[i];
	return true;
}

bool frame_chain_expect(struct unwinder *u, const struct cairn_registers *frame,
                        const struct frame_plan *plan)
{
	struct frame_chain *chain = &u->chain;
	struct cairn_registers *next = &chain->next;
	const int base = plan->cfa_by_fp ? AMD64_FP : AMD64_SP;
	const uint64_t has_fp = frame->known & UINT64_C(1) << AMD64_FP;
	uint64_t pc, fp = frame->value[AMD64_FP];

	if (!(frame->known >> base & 1))
		return false;
	const uint64_t cfa = frame->value[base] + (uint64_t)(int64_t)plan->cfa;
	if (!read_stack_word(u, cfa - WORD, &pc) ||
	    (plan->saves_fp && !read_stack_word(u, cfa + (uint64_t)(int64_t)plan->fp, &fp)))
		return false;
	next->machine = CAIRN_MACHINE_AMD64;
	next->big_endian = false;
	next->pc = pc;
	next->value[AMD64_SP] = cfa;
	next->value[AMD64_FP] = fp;
	next->known = UINT64_C(1) << AMD64_SP | (plan->saves_fp ? UINT64_C(1) << AMD64_FP : has_fp);
	chain->complete = false;
	chain->expects = true;
	return true;
}

bool frame_chain_is_for_gdb(struct unwinder *u)
{
	struct frame_chain *chain = &u->chain;
	const struct frame_plan *plan = frame_chain_plan(chain, chain->next.pc);

	if (!plan)
		return false;
	const struct cairn_registers frame = chain->next;
	if (!frame_chain_expect(u, &frame, plan))
		return plan->always_gdb;
	if (plan->always_gdb || frame_chain_plan(chain, chain->next.pc))
		return true;
	chain->next = frame; /* its caller may be at a trampoline */
	chain->expects = false;
	return false;
}

void frame_chain_pass(struct unwinder *u, const struct cairn_registers *frame,
                      const struct cairn_rule *rule, bool always_gdb)
{
	struct frame_plan plan;

	if (!is_plain_target(u) || !make_plan(&plan, frame->pc, rule))
		return;
	plan.always_gdb = always_gdb;
	plan.stack = u->chain.stack;
	*plan_place(&u->chain, frame->pc) = plan;
	frame_chain_expect(u, frame, &plan);
}

void frame_chain_answer(struct unwinder *u, const struct cairn_registers *caller)
{
	if (caller->machine != CAIRN_MACHINE_AMD64 || caller->pc == 0)
		return;
	u->chain.next = *caller;
	u->chain.expects = u->chain.complete = true;
}
