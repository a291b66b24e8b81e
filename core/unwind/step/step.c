/* SPDX-License-Identifier: MIT */
/*
 * Takes one step: computes the caller's registers from a rule, the frame's registers and target
 * memory.
 *
 * The unwind methods are tried in order, best first. A pc outside of code was reached by a bad
 * call, which only unwind_step_call() can undo. Otherwise .eh_frame restores all registers, .sframe
 * those needed for a stack trace, a Breakpad file those it lists, and a Go program's table those
 * that Go preserves. PLT stubs are recognized by their code. Last comes the frame-pointer chain, a
 * guess that must pass plausibility checks.
 */
#include "step.h"

#include "code_path.h"
#include "signal_trampoline.h"

#include "base/sized.h"
#include "base/target_memory.h"
#include "isa/calls.h"
#include "unwind/step/function_code.h"
#include "unwind/tables/unwind_tables.h"

#include <string.h>

/* Decides whether an address is a return address, which lies in code and follows a call. */

enum {
	CALL_MAX = 7, /* size in bytes of the longest call without redundant prefixes */
};

/*
 * Return true if a call ends at `pc`, or if cairn cannot recognize the machine's calls. Calls on
 * i386 and x32 have the same encoding as on amd64. Set *hidden if the code is unreadable.
 */
static bool is_after_call(const struct cairn_target *target, enum cairn_machine of, uint64_t pc,
                          bool *hidden)
{
	const bool is_x86 = of == CAIRN_MACHINE_I386 || of == CAIRN_MACHINE_X32;
	const enum cairn_machine machine = is_x86 ? CAIRN_MACHINE_AMD64 : of;
	struct calls_instruction instruction;
	uint8_t code[CALL_MAX];

	*hidden = false;
	if (!calls_supported(machine))
		return true;
	*hidden = !memory_read(target, pc - CALL_MAX, code, sizeof(code));
	if (*hidden)
		return false;
	for (size_t at = 0; at < sizeof(code); at++)
		if (calls_next(machine, (struct cairn_bytes){ code, sizeof(code) }, at,
		               &instruction) &&
		    instruction.is_call && at + instruction.length == sizeof(code))
			return true;
	return false;
}

bool unwind_is_jit_code(const struct unwind_context *u, uint64_t pc)
{
	const struct generated_code *code = &u->space->code;

	return code->contains && code->contains(code->context, pc) && !space_find(u->space, pc);
}

bool unwind_is_in_code(const struct unwind_context *u, uint64_t pc)
{
	struct module *module = space_find(u->space, pc);

	return module ? module_is_code(module, pc - module->bias) : unwind_is_jit_code(u, pc);
}

bool unwind_is_return(const struct unwind_context *u, uint64_t pc)
{
	bool hidden;

	return unwind_is_in_code(u, pc - 1) &&
	       is_after_call(&u->space->target, u->frame->machine, pc, &hidden);
}

bool unwind_leads_back(const struct unwind_context *u, uint64_t pc)
{
	const struct cairn_registers at = unwind_registers_at(u, pc);
	uint64_t start;

	return unwind_is_return(u, pc) ||
	       (signal_trampoline_find(&u->space->target, &at, &start) && start == pc);
}

bool unwind_may_be_return(const struct unwind_context *u, uint64_t pc)
{
	bool hidden;

	return pc != 0 && unwind_is_in_code(u, pc - 1) &&
	       (is_after_call(&u->space->target, u->frame->machine, pc, &hidden) || hidden);
}

bool unwind_is_return_frame(struct cairn_space *space, const struct cairn_registers *frame)
{
	struct cairn_step step;
	const struct unwind_context u = unwind_begin(space, frame, CAIRN_FRAME_RETURN, &step);

	return u.arch && unwind_is_return(&u, frame->pc);
}

static bool is_known_start(const struct module *module, uint64_t va)
{
	for (unsigned i = 0; i < MODULE_STARTS; i++)
		if (va != 0 && module->starts[i] == va)
			return true;
	return false;
}

/*
 * Cache addresses that do not follow a call. A module's code, like its tables, is assumed not to
 * change while the module is loaded.
 */
bool cairn_space_follows_call(struct cairn_space *space, uint64_t pc)
{
	struct module *module = space_query(space, pc);
	if (!module)
		return true;
	uint64_t va = pc - module->bias;
	bool hidden;
	if (is_known_start(module, va))
		return false;
	if (is_after_call(&space->target, module->machine, pc, &hidden))
		return true;
	module->starts[module->next_start++ % MODULE_STARTS] = va;
	return false;
}

bool unwind_read_link(const struct unwind_context *u, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;

	if (!register_known(frame, u->arch->ra))
		return false;
	*pc = arch_strip(u->arch, frame->value[u->arch->ra], u->space->signature_bits);
	return *pc != 0 && (unwind_leads_back(u, *pc) || unwind_may_be_return(u, *pc));
}

enum {
	ENTRY_SIZE = 48, /* assumed size of an entry point without a row, typical for C libraries */
};

bool unwind_stop(struct unwind_context *u, enum cairn_stop why)
{
	u->step->stop = why;
	return false;
}

bool unwind_stop_without_rule(struct unwind_context *u, enum cairn_status searched)
{
	return unwind_stop(u,
	                   searched == CAIRN_NOT_FOUND ? CAIRN_STOP_NO_ROW : CAIRN_STOP_BAD_TABLE);
}

static bool evaluate_location(const struct unwind_context *u,
                              const struct cairn_register_rule *place, unsigned self,
                              uint64_t *value)
{
	const struct cairn_registers *frame = u->frame;
	bool from_cfa = place->base == CAIRN_BASE_CFA;
	uint64_t base = from_cfa ? u->step->cfa : 0;

	if (place->kind == CAIRN_REGISTER_UNDEFINED)
		return false;
	unsigned number = place->kind == CAIRN_REGISTER_SAME_VALUE ? self : place->base;
	if (!from_cfa || place->kind == CAIRN_REGISTER_SAME_VALUE) {
		if (!register_known(frame, number))
			return false;
		base = frame->value[number];
	}
	uint64_t sum =
		base + (place->kind == CAIRN_REGISTER_SAME_VALUE ? 0 : (uint64_t)place->offset);
	if (place->kind != CAIRN_REGISTER_MEMORY) {
		*value = sum;
		return true;
	}
	return unwind_read_word(u, sum, value);
}

void unwind_return_to(struct unwind_context *u, enum cairn_unwind_method method, uint64_t cfa,
                      uint64_t pc)
{
	u->step->method = method;
	u->step->cfa = cfa;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	u->step->caller = unwind_registers_at(u, pc);
}

uint64_t unwind_substitute_cfa(const struct unwind_context *u)
{
	return u->frame->value[u->arch->sp] - (uint64_t)(int64_t)u->arch->sp_from_cfa;
}

/*
 * Recognize an entry point without a row. Its only call starts the C library. The size of the entry
 * point is a guess and other startup code lies nearby, so this applies only to frames that have
 * made a call.
 */
void unwind_note_uncovered_entry(struct unwind_context *u)
{
	if (u->kind != CAIRN_FRAME_RETURN || !u->module->entry ||
	    u->va - u->module->entry >= ENTRY_SIZE)
		return;
	u->step->at_entry = true;
	u->step->function = u->module->entry + u->module->bias;
	u->step->cfa = unwind_substitute_cfa(u);
}

void unwind_keep_saved_registers(const struct unwind_context *u, struct cairn_registers *caller)
{
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		if ((u->arch->saved >> i & 1) && register_known(u->frame, i))
			register_set(caller, i, u->frame->value[i]);
}

struct unwind_context unwind_begin(struct cairn_space *space, const struct cairn_registers *frame,
                                   enum cairn_frame_kind kind, struct cairn_step *step)
{
	space_begin_query(space);
	return (struct unwind_context){ .space = space,
		                        .arch = arch_of(frame->machine),
		                        .frame = frame,
		                        .kind = kind,
		                        .step = step };
}

bool unwind_find_module(struct unwind_context *u)
{
	const uint64_t pc = unwind_lookup_address(u);

	u->module = space_find(u->space, pc);
	if (!u->module)
		return unwind_stop(u, CAIRN_STOP_NO_MODULE);
	if (u->module->machine != u->frame->machine || u->module->big != u->frame->big_endian)
		return unwind_stop(u, CAIRN_STOP_MACHINE);
	u->va = pc - u->module->bias;
	return true;
}

static bool find_rule(struct unwind_context *u)
{
	const struct cairn_rule *rule;

	if (!unwind_find_module(u))
		return false;
	if (!module_rules(u->space, u->module))
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	const enum cairn_status found =
		module_find_rule(u->space, u->module, u->va, &rule, &u->step->fault);
	if (found == CAIRN_NOT_FOUND)
		unwind_note_uncovered_entry(u);
	if (found != CAIRN_OK)
		return unwind_stop_without_rule(u, found);
	u->step->rule = *rule;
	u->step->function = rule->function + u->module->bias;
	u->step->at_entry = u->module->entry && u->module->entry == rule->function;
	return rule->machine == u->frame->machine || unwind_stop(u, CAIRN_STOP_MACHINE);
}

/*
 * GNU as 2.40 and 2.44 write sp+0 for rules that SFrame cannot express. On amd64 such a CFA is
 * impossible, because the return address below the CFA would also be below the stack pointer.
 */
bool unwind_is_plausible_cfa(const struct unwind_context *u, uint64_t cfa)
{
	const struct cairn_rule *rule = &u->step->rule;
	uint64_t sp = u->frame->value[u->arch->sp];
	uint64_t caller_sp = cfa + (uint64_t)(int64_t)u->arch->sp_from_cfa;
	bool leaf = u->kind == CAIRN_FRAME_PC && rule->ra.kind != CAIRN_REGISTER_MEMORY;

	if (cfa % u->arch->word != 0 || caller_sp < sp)
		return false;
	if (rule->cfa.base == u->arch->fp && u->frame->value[u->arch->fp] < sp)
		return false;
	return caller_sp > sp || (leaf && u->arch->link);
}

/* Find the CFA. An outermost frame has no CFA, so use its stack pointer. */
static bool find_cfa(struct unwind_context *u)
{
	const struct cairn_rule *rule = &u->step->rule;
	uint64_t cfa;

	if (!register_known(u->frame, u->arch->sp))
		return unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
	u->step->cfa = unwind_substitute_cfa(u);
	if (rule->outermost)
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	if (!evaluate_location(u, &rule->cfa, u->arch->sp, &cfa))
		return unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
	u->step->cfa = cfa;
	if (rule->ra.kind == CAIRN_REGISTER_SAME_VALUE && u->kind != CAIRN_FRAME_PC)
		return unwind_stop(u, CAIRN_STOP_LINK_UNKNOWN);
	if (!unwind_is_plausible_cfa(u, cfa))
		return unwind_stop(u, CAIRN_STOP_CFA_IMPLAUSIBLE);
	return true;
}

bool unwind_is_code(const struct unwind_context *u, uint64_t pc)
{
	struct module *module = space_find(u->space, pc);
	const struct generated_code *code = &u->space->code;
	uint8_t byte;

	if (module)
		return module_is_code(module, pc - module->bias);
	if (code->excludes && code->excludes(code->context, pc))
		return false;
	return memory_read(&u->space->target, pc, &byte, 1) ||
	       (code->contains && code->contains(code->context, pc));
}

static bool find_return_address(struct unwind_context *u, uint64_t *pc)
{
	const struct cairn_register_rule *place = &u->step->rule.ra;

	if (!evaluate_location(u, place, u->arch->ra, pc))
		return unwind_stop(u, place->kind == CAIRN_REGISTER_MEMORY
		                              ? CAIRN_STOP_RA_UNREADABLE
		                              : CAIRN_STOP_LINK_UNKNOWN);
	*pc = arch_strip(u->arch, *pc, u->space->signature_bits);
	return true;
}

static void fill_caller(struct unwind_context *u, uint64_t pc)
{
	struct cairn_registers *caller = &u->step->caller;
	uint64_t fp;

	*caller = (struct cairn_registers){ .machine = u->frame->machine,
		                            .big_endian = u->frame->big_endian,
		                            .pc = pc };
	register_set(caller, u->arch->sp, u->step->cfa + (uint64_t)(int64_t)u->arch->sp_from_cfa);
	if (evaluate_location(u, &u->step->rule.fp, u->arch->fp, &fp))
		register_set(caller, u->arch->fp, fp);
	if (u->arch->link)
		register_set(caller, u->arch->ra, pc);
	u->step->caller_kind = u->step->rule.signal ? CAIRN_FRAME_PC : CAIRN_FRAME_RETURN;
	if (!u->module)
		return;
	const struct callee_saved_frame at = { u->frame, u->step->rule.function, u->va,
		                               u->step->cfa };
	callee_saved_recover(u->space, u->module, &at, caller);
}

static bool check_return_address(struct unwind_context *u)
{
	uint64_t pc = u->step->caller.pc;
	const struct cairn_frame next = { u->step->caller_kind, pc, 1 };
	uint64_t start;

	/*
	 * Accept any pc that a signal has interrupted, because the program may have called an
	 * address without code. Accept code at the pc even if the lookup address (pc - 1) is not
	 * code, because a trampoline may be at the start of its mapping. Accept a trampoline on a
	 * non-executable stack, because kernels wrote it there before they had a vDSO.
	 */
	return next.kind != CAIRN_FRAME_RETURN ||
	       unwind_is_code(u, cairn_frame_lookup_address(&next)) || unwind_is_code(u, pc) ||
	       signal_trampoline_find(&u->space->target, &u->step->caller, &start) ||
	       unwind_stop(u, CAIRN_STOP_RA_IMPLAUSIBLE);
}

bool unwind_check_caller(struct unwind_context *u)
{
	/*
	 * if a program's entry point is a C function, its rule mistakes an argument for the return
	 * address, so stop without looking at the address
	 */
	if (u->step->at_entry)
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	return check_return_address(u);
}

static bool step_by_row(struct unwind_context *u)
{
	uint64_t pc;

	if (!find_rule(u))
		return false;
	u->step->method = CAIRN_UNWIND_METHOD_SFRAME;
	if (!find_cfa(u) || !find_return_address(u, &pc))
		return false;
	fill_caller(u, pc);
	return true;
}

static bool unwind_step_jit_code(struct unwind_context *u)
{
	const struct jit_code_rules *rules = &u->space->made;
	struct cairn_rule *rule = &u->step->rule;
	uint64_t pc;

	u->module = NULL;
	if (!rules->find || !rules->find(rules->context, unwind_lookup_address(u), u->frame, rule))
		return unwind_stop(u, CAIRN_STOP_NO_MODULE);
	u->step->function = rule->function;
	u->step->method = CAIRN_UNWIND_METHOD_CFI;
	if (!find_cfa(u) || !find_return_address(u, &pc))
		return false;
	fill_caller(u, pc);
	return unwind_check_caller(u);
}

static bool unwind_step_sframe(struct unwind_context *u)
{
	return step_by_row(u) && unwind_check_caller(u);
}

bool unwind_step_signal(struct unwind_context *u, uint64_t start)
{
	u->step->signal = true;
	u->step->method = CAIRN_UNWIND_METHOD_SIGNAL;
	u->step->function = start;
	u->step->cfa = unwind_substitute_cfa(u);
	u->step->caller_kind = CAIRN_FRAME_PC;
	return signal_trampoline_unwind(&u->space->target, u->frame, &u->step->caller) ||
	       unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
}

static bool unwind_by_sframe(struct cairn_space *space, const struct cairn_registers *frame,
                             enum cairn_frame_kind kind, bool unchecked, struct cairn_step *step)
{
	struct unwind_context u = unwind_begin(space, frame, kind, step);
	uint64_t start;

	*step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
	if (!u.arch)
		return unwind_stop(&u, CAIRN_STOP_MACHINE);
	/* check the pc itself first, because a trampoline may directly follow another function */
	if (signal_trampoline_find(&space->target, frame, &start))
		return unwind_step_signal(&u, start);
	/*
	 * report a rule that does not lead to code, even at the program's entry point, because the
	 * host unwinds only by SFrame
	 */
	return step_by_row(&u) && (unchecked || check_return_address(&u)) &&
	       (!step->at_entry || unwind_stop(&u, CAIRN_STOP_OUTERMOST));
}

bool cairn_return_address(struct cairn_space *space, const struct cairn_registers *frame,
                          enum cairn_frame_kind kind, uint64_t *pc)
{
	struct cairn_step step = { .stop = CAIRN_STOP_NONE };
	struct unwind_context u = unwind_begin(space, frame, kind, &step);

	return u.arch && find_rule(&u) && find_cfa(&u) && find_return_address(&u, pc);
}

/*
 * Return the cache slot in which to record that the pc is not in a trampoline. Return NULL if no
 * known module for this machine contains the pc.
 */
static uint64_t *find_plain_place(struct cairn_space *space, const struct cairn_registers *frame,
                                  uint64_t *va)
{
	struct module *module = space_find_known(space, frame->pc);

	if (!module || module->machine != frame->machine)
		return NULL;
	*va = frame->pc - module->bias;
	return &module->plain[(*va ^ *va >> 6) % MODULE_PLAIN];
}

/*
 * Cache negative results, because a debugger unwinds thousands of frames at a few addresses, and
 * its reads are slow.
 */
bool cairn_find_signal_trampoline(struct cairn_space *space, const struct cairn_registers *frame,
                                  uint64_t *start)
{
	uint64_t va = 0, *plain = find_plain_place(space, frame, &va);
	uint8_t byte;

	if (plain && va != 0 && *plain == va)
		return false;
	if (signal_trampoline_find(&space->target, frame, start))
		return true;
	if (plain && memory_read(&space->target, frame->pc, &byte, 1))
		*plain = va;
	return false;
}

enum cairn_frame_kind cairn_guess_frame_kind(struct cairn_space *space,
                                             const struct cairn_registers *frame)
{
	const struct arch *arch = arch_of(frame->machine);
	uint64_t left = ~frame->pc, start;

	/*
	 * a handler returns to a trampoline although the trampoline has made no call, and no call
	 * is made from address 0, so the pc is exact in both cases
	 */
	if (!arch || frame->pc == 0 || cairn_find_signal_trampoline(space, frame, &start))
		return CAIRN_FRAME_PC;
	if (arch->link && register_known(frame, arch->ra))
		left = arch_strip(arch, frame->value[arch->ra], space->signature_bits);
	else if (!arch->link && register_known(frame, arch->sp) &&
	         !arch_read_word(arch, &space->target, frame->big_endian,
	                         frame->value[arch->sp] - arch->word, &left))
		return CAIRN_FRAME_PC;
	return left == frame->pc ? CAIRN_FRAME_RETURN : CAIRN_FRAME_PC;
}

enum cairn_status cairn_space_sframe_rule(struct cairn_space *space, uint64_t pc,
                                          struct cairn_rule *rule, struct cairn_fault *fault)
{
	const struct cairn_rule *found;

	*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "no SFrame row covers the address" };
	struct module *module = space_query(space, pc);
	if (!module)
		return CAIRN_NOT_FOUND;
	enum cairn_status status =
		module_find_rule(space, module, pc - module->bias, &found, fault);
	if (status == CAIRN_OK)
		*rule = *found;
	return status;
}

/* Return true if a table covered the pc, even if its entry was damaged. */
static bool had_rule(enum cairn_stop stop)
{
	return stop != CAIRN_STOP_NO_MODULE && stop != CAIRN_STOP_NO_TABLE &&
	       stop != CAIRN_STOP_NO_ROW && stop != CAIRN_STOP_MACHINE;
}

/*
 * Return true if a valid rule has decided the step. Even if the rule leads nowhere, a guess could
 * not do better.
 */
static bool is_final(struct cairn_step *step)
{
	/* by convention, the outermost frame has the return address 0 */
	if (step->stop == CAIRN_STOP_RA_IMPLAUSIBLE && step->caller.pc == 0)
		step->stop = CAIRN_STOP_OUTERMOST;
	return step->stop == CAIRN_STOP_NONE || step->stop == CAIRN_STOP_OUTERMOST ||
	       step->stop == CAIRN_STOP_RA_IMPLAUSIBLE || step->stop == CAIRN_STOP_RA_UNREADABLE;
}

static void reset_step(struct unwind_context *u)
{
	*u->step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
}

/*
 * Try one unwind table. If it fails like the tables before it, keep the more informative stop
 * reason.
 */
static bool unwind_by_table(struct unwind_context *u, bool (*step)(struct unwind_context *u))
{
	const struct cairn_step without = *u->step;

	reset_step(u);
	step(u);
	if (is_final(u->step))
		return true;
	if (had_rule(without.stop) && !had_rule(u->step->stop))
		*u->step = without;
	return false;
}

static bool unwind_by_tables(struct unwind_context *u)
{
	reset_step(u);
	unwind_step_cfi(u);
	if (unwind_crosses_go_stacks(u))
		return unwind_by_table(u, unwind_step_go);
	return is_final(u->step) || unwind_by_table(u, unwind_step_sframe) ||
	       (u->space->breakpad.find && unwind_by_table(u, unwind_step_stack_cfi)) ||
	       (u->space->go.find && unwind_by_table(u, unwind_step_go)) ||
	       (u->step->stop == CAIRN_STOP_NO_MODULE && unwind_by_table(u, unwind_step_jit_code));
}

static bool is_at_bare_entry(struct unwind_context *u)
{
	if (had_rule(u->step->stop) || !unwind_find_module(u))
		return false;
	unwind_note_uncovered_entry(u);
	return u->step->at_entry;
}

/*
 * Try the frame pointer at a possible entry point. The size of an entry point is only an estimate,
 * so the frame may be in a small function nearby. The frame-pointer chain of such a function leads
 * to an address after a call, whereas the chain of the real entry point does not.
 */
static bool unwind_past_bare_entry(struct unwind_context *u)
{
	const struct cairn_step at_entry = *u->step;

	reset_step(u);
	if (unwind_step_frame_pointer(u) && unwind_is_return(u, u->step->caller.pc))
		return true;
	*u->step = at_entry;
	return unwind_stop(u, CAIRN_STOP_OUTERMOST);
}

/* Return true if the code alone proves that the frame is the outermost one of its thread. */
static bool is_end_of_thread(struct unwind_context *u)
{
	if (had_rule(u->step->stop) ||
	    !(first_frame_ends_thread(u) || first_frame_is_new_thread(u)))
		return false;
	u->step->cfa = unwind_substitute_cfa(u);
	return true;
}

/*
 * Return the offset from the CFA at which a signal handler's return address is stored: where a call
 * would have pushed it, or else where the rule says. Return 0 if the rule states no location.
 */
static int64_t find_trampoline_place(const struct unwind_context *u)
{
	const struct cairn_register_rule *ra = &u->step->rule.ra;

	if (!u->arch->link)
		return -(int64_t)u->arch->word;
	return ra->kind == CAIRN_REGISTER_MEMORY && ra->base == CAIRN_BASE_CFA ? ra->offset : 0;
}

/*
 * Unwind from Go's signal handler. Go marks it as the outermost function of the signal stack.
 * However, the kernel has stored the address of the signal trampoline as the handler's return
 * address, so the stack continues with the interrupted code.
 */
static bool unwind_past_signal_handler(struct unwind_context *u)
{
	const struct cairn_register_rule *rule = &u->step->rule.cfa;
	const struct arch *arch = u->arch;
	struct cairn_registers caller = unwind_registers_at(u, 0);
	uint64_t cfa, start;
	int64_t place = find_trampoline_place(u);

	if (u->step->stop != CAIRN_STOP_OUTERMOST || place == 0 ||
	    rule->kind != CAIRN_REGISTER_VALUE || rule->base != arch->sp ||
	    !register_known(u->frame, arch->sp))
		return false;
	cfa = u->frame->value[arch->sp] + (uint64_t)rule->offset;
	if (!unwind_is_plausible_cfa(u, cfa) ||
	    !unwind_read_word(u, cfa + (uint64_t)place, &caller.pc))
		return false;
	register_set(&caller, arch->sp, cfa);
	if (!signal_trampoline_find(&u->space->target, &caller, &start))
		return false;
	u->step->stop = CAIRN_STOP_NONE;
	u->step->cfa = cfa;
	u->step->caller = caller;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	return true;
}

static bool try_unwind_methods(struct unwind_context *u)
{
	if (unwind_step_call(u))
		return true;
	if (unwind_by_tables(u))
		return u->step->stop == CAIRN_STOP_NONE || unwind_past_signal_handler(u);
	if (!had_rule(u->step->stop) && unwind_step_hidden_signal(u))
		return true;
	if (is_at_bare_entry(u))
		return unwind_past_bare_entry(u);
	if (is_end_of_thread(u))
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	const struct cairn_step without = *u->step;
	reset_step(u);
	if (unwind_step_stub(u) || unwind_step_link_stub(u) || unwind_step_link(u) ||
	    unwind_step_return(u) || (!had_rule(without.stop) && unwind_step_hidden(u)) ||
	    unwind_step_trap(u) || unwind_step_frame_pointer(u) ||
	    u->step->stop == CAIRN_STOP_OUTERMOST)
		return u->step->stop == CAIRN_STOP_NONE;
	*u->step = without;
	return false;
}

static bool unwind_by_any(struct cairn_space *space, const struct cairn_registers *frame,
                          enum cairn_frame_kind kind, struct cairn_step *step)
{
	struct unwind_context u = unwind_begin(space, frame, kind, step);
	uint64_t start;

	reset_step(&u);
	if (!u.arch)
		return unwind_stop(&u, CAIRN_STOP_MACHINE);
	if (signal_trampoline_find_or_hidden(&space->target, frame, &start, &u.hidden))
		return unwind_step_signal(&u, start);
	return try_unwind_methods(&u);
}

bool cairn_unwind(struct cairn_space *space, const struct cairn_registers *frame,
                  enum cairn_frame_kind kind, const struct cairn_unwind_options *options,
                  struct cairn_step *step)
{
	struct cairn_unwind_options taken = CAIRN_UNWIND_OPTIONS;

	sized_take(&taken, sizeof(taken), options);
	switch (taken.by) {
	case CAIRN_UNWIND_BY_SFRAME:
		return unwind_by_sframe(space, frame, kind, taken.accept_any_return, step);
	case CAIRN_UNWIND_BY_CODE:
		return unwind_by_code(space, frame, kind, step);
	case CAIRN_UNWIND_BY_ANY:
		break;
	}
	return unwind_by_any(space, frame, kind, step);
}
