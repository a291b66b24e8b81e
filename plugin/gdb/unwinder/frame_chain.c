/* SPDX-License-Identifier: MIT */
/* Recognizes consecutive frames in one backtrace, and remembers which frames GDB unwinds itself. */
#include "frame_chain.h"

#include "registers.h"
#include "unwinder.h"

enum {
	AMD64_FP = 6,
	AMD64_SP = 7,
	WORD = 8,
	ELF_HEADER = 64,
};

static void forget_plans(struct frame_chain *chain)
{
	chain->era++;
	chain->module_count = 0;
}

static void forget_stack(struct frame_chain *chain)
{
	chain->linked = chain->expects = chain->follows = false;
	chain->stack++;
}

void frame_chain_reset(struct frame_chain *chain)
{
	forget_stack(chain);
	forget_plans(chain);
	chain->run = 0;
	chain->place = NULL;
}

/*
 * Return true if GDB calls from the same location in its code as before, and soon after the
 * previous query.
 */
static bool goes_on(struct frame_chain *chain, const struct gdb_unwind_callbacks *cb)
{
	const uint64_t now = unwinder_clock();
	const bool soon = now - chain->asked_at < CHAIN_SOON, same = chain->place == cb;

	chain->run = same ? chain->run + (chain->run < CHAIN_DEEP) : 0;
	chain->place = cb;
	chain->asked_at = now;
	return same && soon;
}

/*
 * Return true if plans can be used. The unwinder setting must be `auto`, and the target must have
 * neither JIT code nor captured stacks, which modules and plans do not describe.
 */
static bool is_plain_target(const struct unwinder *u)
{
	return u->policy == UNWIND_POLICY_AUTO && !u->jit_code && *u->captures == 0;
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
	/* reset both flags before the following calls, which may throw an exception */
	chain->expects = chain->linked = false;
	chain->follows = registers_read_pc(cb, &frame) && frame.pc == chain->next.pc;
	chain->linked = chain->follows;
	return chain->follows;
}

/* Return the index of the recorded module that overlaps this one, or CHAIN_MODULES. */
static unsigned find_near_module(const struct frame_chain *chain, const struct cairn_module *module)
{
	for (unsigned i = 0; i < chain->module_count; i++)
		if (module->low < chain->modules[i].high && module->high > chain->modules[i].low)
			return i;
	return CHAIN_MODULES;
}

/*
 * Hash the ELF header and the build ID. Comparing addresses is not sufficient, because another
 * module may have been loaded at the address of an unloaded one.
 */
static uint64_t sum_module_headers(const struct cairn_module *module)
{
	const struct cairn_bytes parts[] = { module->headers, module->build_id };
	uint64_t sum = 0xcbf29ce484222325;

	for (unsigned i = 0; i < 2; i++)
		for (size_t at = 0; at < parts[i].size && at < ELF_HEADER; at++)
			sum = (sum ^ parts[i].data[at]) * 0x100000001b3;
	return sum;
}

static bool is_same_module(const struct frame_chain *chain, unsigned at,
                           const struct cairn_module *module)
{
	return chain->modules[at].low == module->low && chain->modules[at].high == module->high &&
	       chain->modules[at].headers == module->headers.data &&
	       chain->modules[at].print == sum_module_headers(module);
}

/*
 * Find the module that contains the pc, check that it is unchanged, and store its index in *number.
 * Returns false if no module contains the pc.
 */
static bool look_at_module(struct unwinder *u, uint64_t pc, unsigned *number)
{
	struct frame_chain *chain = &u->chain;
	struct cairn_module module;

	if (cairn_space_module(u->space, pc, &module) != CAIRN_OK)
		return false;
	*number = find_near_module(chain, &module);
	if ((*number == CHAIN_MODULES && chain->module_count == CHAIN_MODULES) ||
	    (*number < CHAIN_MODULES && !is_same_module(chain, *number, &module))) {
		forget_plans(chain);
		*number = CHAIN_MODULES;
	}
	if (*number == CHAIN_MODULES) {
		*number = chain->module_count++;
		chain->modules[*number].low = module.low;
		chain->modules[*number].high = module.high;
		chain->modules[*number].headers = module.headers.data;
		chain->modules[*number].print = sum_module_headers(&module);
	}
	chain->modules[*number].stack = chain->stack;
	return true;
}

void frame_chain_begin(struct unwinder *u, const struct cairn_registers *frame)
{
	struct frame_chain *chain = &u->chain;
	const bool linked = chain->expects && frame->pc == chain->next.pc;
	const unsigned era = chain->era;
	unsigned number;

	chain->expects = chain->linked = false;
	if (look_at_module(u, frame->pc, &number) && era == chain->era)
		chain->linked = linked;
}

static struct frame_plan *plan_place(struct frame_chain *chain, uint64_t pc)
{
	return &chain->plans[(pc ^ pc >> 11) & (CHAIN_PLANS - 1)];
}

static bool is_about(const struct frame_chain *chain, const struct frame_plan *plan, uint64_t pc)
{
	return plan->pc == pc && plan->era == chain->era;
}

/*
 * Return the plan for the pc, or NULL if there is no plan or the pc's module has not been checked
 * during this stack.
 */
static const struct frame_plan *find_plan(struct frame_chain *chain, uint64_t pc)
{
	const struct frame_plan *plan = plan_place(chain, pc);

	return is_about(chain, plan, pc) && !plan->seen &&
	                       chain->modules[plan->module].stack == chain->stack
	               ? plan
	               : NULL;
}

/*
 * Reset the pc's plan, so that it only records that a frame has been seen at this pc. Returns NULL
 * if no module contains the pc.
 */
static struct frame_plan *note_frame(struct unwinder *u, uint64_t pc)
{
	struct frame_plan *plan = plan_place(&u->chain, pc);
	unsigned module;

	if (!look_at_module(u, pc, &module))
		return NULL;
	*plan = (struct frame_plan){
		.pc = pc, .era = u->chain.era, .module = (uint8_t)module, .seen = true
	};
	return plan;
}

/* Return true if a plan for this pc is likely to be reused. Records that a frame has been seen. */
static bool wants_plan(struct unwinder *u, uint64_t pc)
{
	const struct frame_chain *chain = &u->chain;
	const struct frame_plan *plan = plan_place(&u->chain, pc);

	if (!is_plain_target(u) || chain->run == 0)
		return false;
	const bool seen = is_about(chain, plan, pc), none = seen && plan->none;
	if (!seen)
		note_frame(u, pc);
	return !none && (seen || chain->run == CHAIN_DEEP);
}

static bool is_simple_location(const struct cairn_register_rule *place,
                               enum cairn_register_rule_kind kind)
{
	return place->kind == kind && place->offset == (int32_t)place->offset &&
	       (kind == CAIRN_REGISTER_VALUE ? place->base == AMD64_SP || place->base == AMD64_FP
	                                     : place->base == CAIRN_BASE_CFA);
}

static bool can_plan(const struct cairn_rule *rule)
{
	return rule->machine == CAIRN_MACHINE_AMD64 && !rule->signal && !rule->outermost &&
	       !rule->mangled && is_simple_location(&rule->cfa, CAIRN_REGISTER_VALUE) &&
	       is_simple_location(&rule->ra, CAIRN_REGISTER_MEMORY) && rule->ra.offset == -WORD &&
	       (rule->fp.kind == CAIRN_REGISTER_SAME_VALUE ||
	        is_simple_location(&rule->fp, CAIRN_REGISTER_MEMORY));
}

static bool read_stack_word(struct unwinder *u, uint64_t address, uint64_t *word)
{
	uint8_t bytes[WORD];

	if (!memory_lines_read(&u->lines, u->target_read, address, bytes, sizeof(bytes)))
		return false;
	*word = registers_load_word(bytes, false);
	return true;
}

/*
 * Compute the caller from the plan, and expect the next query to be about the caller. Returns false
 * if the plan does not lead to a caller.
 */
static bool expect_caller(struct unwinder *u, const struct cairn_registers *frame,
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
	const struct frame_plan *plan = find_plan(chain, chain->next.pc);

	if (!plan)
		return false;
	const struct cairn_registers frame = chain->next;
	if (!expect_caller(u, &frame, plan))
		return plan->always_gdb;
	if (plan->always_gdb || find_plan(chain, chain->next.pc))
		return true;
	/*
	 * undo expect_caller(): the caller may be a signal trampoline, and then cairn must unwind
	 * this frame
	 */
	chain->next = frame;
	chain->expects = false;
	return false;
}

void frame_chain_pass(struct unwinder *u, const struct cairn_registers *frame,
                      const struct cairn_rule *rule, bool always_gdb)
{
	struct frame_plan *plan = is_plain_target(u) ? note_frame(u, frame->pc) : NULL;

	if (!plan)
		return;
	plan->none = !rule || !can_plan(rule);
	if (plan->none)
		return;
	plan->seen = false;
	plan->saves_fp = rule->fp.kind == CAIRN_REGISTER_MEMORY;
	plan->fp = plan->saves_fp ? (int32_t)rule->fp.offset : 0;
	plan->cfa_by_fp = rule->cfa.base == AMD64_FP;
	plan->cfa = (int32_t)rule->cfa.offset;
	plan->always_gdb = always_gdb;
	expect_caller(u, frame, plan);
}

/*
 * Find the unwind rule for a frame that GDB unwinds itself. Returns false if the pc is not a return
 * address or no rule covers the call.
 */
static bool find_gdb_rule(struct unwinder *u, const struct cairn_registers *frame,
                          struct cairn_rule *rule)
{
	struct cairn_fault fault;

	return cairn_guess_frame_kind(u->space, frame) == CAIRN_FRAME_RETURN &&
	       cairn_space_cfi_rule(u->space, frame->pc - 1, rule, &fault) == CAIRN_OK;
}

void frame_chain_pass_ordinary(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame)
{
	static const struct cairn_register_rule by_frame_pointer = { CAIRN_REGISTER_VALUE, AMD64_FP,
		                                                     0 };
	const struct frame_plan *plan = find_plan(&u->chain, frame->pc);
	struct cairn_rule rule;

	if (frame->machine != CAIRN_MACHINE_AMD64 || (!plan && !wants_plan(u, frame->pc)))
		return;
	registers_read_stack(cb, frame);
	if (plan && plan->cfa_by_fp)
		registers_read_base(cb, frame, &by_frame_pointer);
	if (plan) {
		expect_caller(u, frame, plan);
		return;
	}
	const bool found = find_gdb_rule(u, frame, &rule);
	if (found)
		registers_read_base(cb, frame, &rule.cfa);
	frame_chain_pass(u, frame, found ? &rule : NULL, true);
}

void frame_chain_answer(struct unwinder *u, const struct cairn_registers *caller)
{
	if (caller->machine != CAIRN_MACHINE_AMD64 || caller->pc == 0)
		return;
	u->chain.next = *caller;
	u->chain.expects = u->chain.complete = true;
}
