/* SPDX-License-Identifier: MIT */
/*
 * Unwinds by the pclntab of a Go program, which the host supplies for the module. For each
 * instruction, the pclntab states the size of the frame below the return address. Go preserves no
 * registers across calls except the frame pointer.
 */
#include "step.h"

#include "base/bytes.h"
#include "base/target_memory.h"
#include "formats/gopclntab.h"

#include <string.h>

enum {
	INJECTED_SIZE = 16, /* number of stack bytes used by an injected call: one word, aligned */
	/* maximum distance below a frame pointer to search for a return address */
	UNWIND_GO_FRAME_MAX = 4096,
	GO_G_AARCH64 = 28, /* register that contains g, the current goroutine, in all Go code */
};

static bool find_frame_size(const struct gopclntab *table,
                            const struct gopclntab_function *function, uint64_t va,
                            struct gopclntab_run *run)
{
	struct gopclntab_values values = gopclntab_values(table, function, function->stack);

	while (gopclntab_next_run(&values, run))
		if (va < run->high)
			return run->value >= 0;
	return false;
}

/*
 * Set the step's rule. On amd64 the frame lies below the pushed return address, and the frame
 * pointer is saved directly below the return address. On aarch64 the return address is in the link
 * register until the frame exists, then at the low end of the frame, and the frame pointer is saved
 * just below the frame.
 */
static void fill_go_rule(struct unwind_context *u, const struct gopclntab *table,
                         const struct gopclntab_function *function, const struct gopclntab_run *run)
{
	struct cairn_rule *rule = &u->step->rule;
	const int32_t pushed = u->arch->link ? 0 : u->arch->word;
	const int32_t below = u->arch->link ? run->value : pushed;

	*rule = (struct cairn_rule){
		.cfa = { CAIRN_REGISTER_VALUE, u->arch->sp, run->value + pushed },
		.ra = { below > 0 ? CAIRN_REGISTER_MEMORY : CAIRN_REGISTER_SAME_VALUE,
		        CAIRN_BASE_CFA, -below },
		.fp = { CAIRN_REGISTER_SAME_VALUE, CAIRN_BASE_CFA, 0 },
		.start = run->low,
		.end = run->high,
		.function = function->start,
		.function_end = function->end,
		.machine = u->frame->machine,
		.outermost = gopclntab_is_outermost(table, function)
	};
}

struct go_frame {
	const struct gopclntab *table;
	struct gopclntab_function function;
	uint64_t bias;
};

static bool find_go_function(struct unwind_context *u, struct go_frame *go)
{
	const struct go_tables *tables = &u->space->go;
	uint64_t index;

	if (u->frame->machine != CAIRN_MACHINE_AMD64 && u->frame->machine != CAIRN_MACHINE_AARCH64)
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	if (!unwind_find_module(u))
		return false;
	const uint64_t pc = u->va + u->module->bias;
	go->table = tables->find(tables->context, pc, &go->bias);
	if (!go->table)
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	if (!gopclntab_find(go->table, pc - go->bias, &index) ||
	    !gopclntab_read_function(go->table, index, &go->function))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	u->step->function = go->function.start + go->bias;
	return true;
}

static bool find_go_rule(struct unwind_context *u, const struct go_frame *go)
{
	struct gopclntab_run run;

	if (!find_frame_size(go->table, &go->function, u->va + u->module->bias - go->bias, &run))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	fill_go_rule(u, go->table, &go->function, &run);
	return true;
}

/*
 * Restore the caller's frame pointer. A function saves it at `at`, directly below the return
 * address, before it sets the register to that location. So if the register contains `at`, load the
 * saved value; otherwise the register is unchanged.
 */
static void restore_frame_pointer(struct unwind_context *u, uint64_t at)
{
	const struct cairn_registers *frame = u->frame;
	uint64_t saved;

	if (!register_known(frame, u->arch->fp))
		return;
	if (frame->value[u->arch->fp] != at) {
		register_set(&u->step->caller, u->arch->fp, frame->value[u->arch->fp]);
		return;
	}
	u->step->rule.fp = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA,
		                                         (int32_t)(at - u->step->cfa) };
	if (unwind_read_word(u, at, &saved))
		register_set(&u->step->caller, u->arch->fp, saved);
}

/*
 * Find the return address. Set *at to its location on the stack, even if it is still in the link
 * register and not yet stored there.
 */
static bool find_return_pc(struct unwind_context *u, uint64_t *at, uint64_t *pc)
{
	const struct cairn_register_rule *ra = &u->step->rule.ra;

	*at = u->step->cfa + (uint64_t)ra->offset;
	if (ra->kind == CAIRN_REGISTER_MEMORY)
		return unwind_read_word(u, *at, pc) || unwind_stop(u, CAIRN_STOP_RA_UNREADABLE);
	/* only the innermost frame's link register is valid; calls have overwritten it in others */
	if (u->kind == CAIRN_FRAME_RETURN || !register_known(u->frame, u->arch->ra))
		return unwind_stop(u, CAIRN_STOP_LINK_UNKNOWN);
	*pc = u->frame->value[u->arch->ra];
	return true;
}

static bool find_go_caller(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	uint64_t at, pc;

	if (!register_known(frame, u->arch->sp))
		return unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
	u->step->cfa = unwind_substitute_cfa(u);
	if (u->step->rule.outermost)
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	u->step->cfa = frame->value[u->arch->sp] + (uint64_t)u->step->rule.cfa.offset;
	if (!unwind_is_plausible_cfa(u, u->step->cfa))
		return unwind_stop(u, CAIRN_STOP_CFA_IMPLAUSIBLE);
	if (!find_return_pc(u, &at, &pc))
		return false;
	u->step->caller = unwind_registers_at(u, arch_strip(u->arch, pc, u->space->signature_bits));
	register_set(&u->step->caller, u->arch->sp, u->step->cfa);
	restore_frame_pointer(u, at - u->arch->word);
	if (u->arch->link && register_known(frame, GO_G_AARCH64))
		register_set(&u->step->caller, GO_G_AARCH64, frame->value[GO_G_AARCH64]);
	return true;
}

static bool has_go_name(const struct gopclntab_function *function, const char *name)
{
	return function->name.size == strlen(name) &&
	       memcmp(function->name.data, name, function->name.size) == 0;
}

/* Return true if the runtime injects calls to this function at arbitrary instructions. */
static bool is_injected(const struct gopclntab_function *function)
{
	static const char *const names[] = { "runtime.sigpanic", "runtime.asyncPreempt" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (has_go_name(function, names[i]))
			return true;
	return false;
}

/*
 * Undo an injected call on a machine with a link register. The runtime pushed the link register
 * before replacing it with the address of the interrupted instruction. The caller is therefore at
 * this instruction and not after a call.
 */
static void pop_link_register(struct unwind_context *u)
{
	struct cairn_registers *caller = &u->step->caller;
	uint64_t link;

	if (!unwind_read_word(u, u->step->cfa, &link))
		return;
	register_set(caller, u->arch->ra, link);
	register_set(caller, u->arch->sp, u->step->cfa + INJECTED_SIZE);
	u->step->caller_kind = CAIRN_FRAME_PC;
}

/*
 * Return true if the function writes the stack pointer, so that the pclntab does not describe its
 * frame.
 */
static bool writes_sp(const struct gopclntab *table, const struct gopclntab_function *function)
{
	/*
	 * functions that write the stack pointer, but that the pclntab does not flag before Go 1.17
	 */
	static const char *const names[] = { "runtime.mcall", "runtime.morestack",
		                             "runtime.systemstack", "runtime.asmcgocall" };

	if (gopclntab_is_outermost(table, function) || has_go_name(function, "runtime.cgocallback"))
		/*
		 * cgocallback switches stacks, but its frame has the same size on both stacks, so
		 * the pclntab describes it
		 */
		return false;
	if (table->layout > GOPCLNTAB_1_2 && (function->flags & GOPCLNTAB_WRITES_SP))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && table->layout < GOPCLNTAB_1_18;
	     i++)
		if (has_go_name(function, names[i]))
			return true;
	return false;
}

/*
 * Find the target of the direct call that returns to `pc`. Return false if no such call precedes
 * `pc`.
 */
static bool find_call_target(const struct unwind_context *u, uint64_t pc, uint64_t *called)
{
	enum { CALL = 0xe8, CALL_SIZE = 5, BL = 0x25, BL_SHIFT = 26, BL_SIZE = 4 };
	uint8_t code[CALL_SIZE];

	if (u->arch->link) {
		if (!memory_read(&u->space->target, pc - BL_SIZE, code, BL_SIZE))
			return false;
		const uint32_t word = bytes_u32(code, false);
		const int32_t distance = (int32_t)(word << (32 - BL_SHIFT)) >> (32 - BL_SHIFT);
		*called = pc - BL_SIZE + (uint64_t)(int64_t)distance * BL_SIZE;
		return word >> BL_SHIFT == BL;
	}
	if (!memory_read(&u->space->target, pc - CALL_SIZE, code, CALL_SIZE) || code[0] != CALL)
		return false;
	*called = pc + (uint64_t)(int64_t)(int32_t)bytes_u32(code + 1, false);
	return true;
}

/*
 * Return true if `pc` follows a call in Go code to the frame's function. A wrapper has the same
 * name as the function. The names of entry points that jump to the function
 * (runtime.morestack_noctxt) and of linker trampolines begin with its name.
 */
static bool follows_call_of(const struct unwind_context *u, const struct go_frame *go, uint64_t pc)
{
	const struct cairn_bytes name = go->function.name;
	struct gopclntab_function target;
	uint64_t called, index;

	return name.size > 0 && gopclntab_find(go->table, pc - 1 - go->bias, &index) &&
	       find_call_target(u, pc, &called) &&
	       gopclntab_find(go->table, called - go->bias, &index) &&
	       gopclntab_read_function(go->table, index, &target) &&
	       target.name.size >= name.size && memcmp(target.name.data, name.data, name.size) == 0;
}

/*
 * Find the caller, assuming that `sp` was the stack pointer at function entry. Try each frame size
 * that the function has, and return true once a return address follows a call to the function.
 */
static bool find_caller_at(struct unwind_context *u, const struct go_frame *go, uint64_t sp)
{
	enum { RUNS_MAX = 64 };
	struct gopclntab_values values =
		gopclntab_values(go->table, &go->function, go->function.stack);
	struct cairn_registers entered = *u->frame;
	struct unwind_context on = *u;
	struct gopclntab_run run;
	int32_t before = -1;

	register_set(&entered, u->arch->sp, sp);
	on.frame = &entered;
	for (unsigned i = 0; i < RUNS_MAX && gopclntab_next_run(&values, &run); i++) {
		if (run.value < 0 || run.value == before)
			continue;
		before = run.value;
		fill_go_rule(&on, go->table, &go->function, &run);
		if (find_go_caller(&on) && follows_call_of(u, go, u->step->caller.pc))
			return true;
	}
	return false;
}

/*
 * Find the caller of runtime.systemstack. Up to Go 1.20 it has no frame of its own on amd64. The
 * frame pointer is therefore the caller's, and the return address is below it, at a distance equal
 * to the caller's frame size.
 */
static bool find_caller_below(struct unwind_context *u, const struct go_frame *go, uint64_t fp)
{
	struct gopclntab_function caller;
	struct gopclntab_run run;
	uint64_t pc, index;

	for (uint64_t size = u->arch->word; size <= UNWIND_GO_FRAME_MAX; size += u->arch->word)
		if (unwind_read_word(u, fp - size, &pc) && follows_call_of(u, go, pc) &&
		    gopclntab_find(go->table, pc - 1 - go->bias, &index) &&
		    gopclntab_read_function(go->table, index, &caller) &&
		    find_frame_size(go->table, &caller, pc - 1 - go->bias, &run) &&
		    (uint64_t)run.value == size)
			return find_caller_at(u, go, fp - size);
	return false;
}

/*
 * Find the caller through the goroutine (aarch64). The g register points to g0, whose m field
 * points to the thread, m. m.curg points to the goroutine that m runs, whose saved sp leads to the
 * caller. The offset of curg in m differs between Go releases, so try each word: the right one
 * points to a goroutine whose own m field points back to m.
 */
static bool find_caller_by_goroutine(struct unwind_context *u, const struct go_frame *go)
{
	enum { THREAD_AT = 48, SP_AT = 56, THREAD_WORDS = 64 };
	const uint64_t own = u->frame->value[GO_G_AARCH64];
	uint64_t thread, other, its, sp;

	if (!u->arch->link || !register_known(u->frame, GO_G_AARCH64) ||
	    !unwind_read_word(u, own + THREAD_AT, &thread))
		return false;
	for (unsigned i = 0; i < THREAD_WORDS; i++)
		if (unwind_read_word(u, thread + (uint64_t)i * u->arch->word, &other) &&
		    other != own && unwind_read_word(u, other + THREAD_AT, &its) && its == thread &&
		    unwind_read_word(u, other + SP_AT, &sp) && find_caller_at(u, go, sp))
			return true;
	return false;
}

/*
 * Find the caller of a runtime function that switches to the g0 stack or aligns the stack for C.
 * The old stack pointer is in a register that C preserves (nanotime1), in the frame (asmcgocall,
 * which stores g and the distance from the end of the goroutine's stack, because that stack may
 * move), or in the frame pointer (systemstack). The right one leads to a return address that
 * follows a call to the function.
 */
static bool find_entering_stack(struct unwind_context *u, const struct go_frame *go)
{
	enum { KEPT_WORDS = 8, STACK_HIGH = 8 };
	const struct cairn_registers *frame = u->frame;
	const struct arch *arch = u->arch;
	const uint64_t sp = frame->value[arch->sp], fp = frame->value[arch->fp];
	uint64_t before = 0, kept, high;

	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		if ((arch->saved >> i & 1) && i != arch->fp && register_known(frame, i) &&
		    frame->value[i] % arch->word == 0 && find_caller_at(u, go, frame->value[i]))
			return true;
	for (unsigned i = 0; i < KEPT_WORDS; i++, before = kept) {
		if (!unwind_read_word(u, sp + (uint64_t)i * arch->word, &kept))
			break;
		/*
		 * asmcgocall stores g and the distance from the end of the goroutine's stack: g is
		 * above the distance on amd64 and below it on aarch64
		 */
		if ((kept % arch->word == 0 && kept > sp && find_caller_at(u, go, kept)) ||
		    (i > 0 && unwind_read_word(u, kept + STACK_HIGH, &high) &&
		     find_caller_at(u, go, high - before)) ||
		    (i > 0 && unwind_read_word(u, before + STACK_HIGH, &high) &&
		     find_caller_at(u, go, high - kept)))
			return true;
	}
	if (find_caller_by_goroutine(u, go))
		return true;
	if (!register_known(frame, arch->fp) || fp % arch->word != 0)
		return false;
	return find_caller_at(u, go, arch->link ? fp + arch->word : fp) ||
	       (!arch->link && find_caller_below(u, go, fp));
}

/*
 * Unwind from a function that writes the stack pointer. Functions that runtime.mcall and
 * runtime.morestack call on the g0 stack do not return, and the goroutine may already run
 * elsewhere. The stack therefore ends there, as it does in Go's own backtraces.
 */
static bool step_across_stacks(struct unwind_context *u, const struct go_frame *go)
{
	const bool leaves = has_go_name(&go->function, "runtime.mcall") ||
	                    has_go_name(&go->function, "runtime.morestack");
	const bool innermost = u->kind == CAIRN_FRAME_PC;
	uint64_t sp;

	if (!register_known(u->frame, u->arch->sp))
		return unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
	sp = u->frame->value[u->arch->sp];
	if ((innermost && find_caller_at(u, go, sp)) || (!leaves && find_entering_stack(u, go)) ||
	    (!innermost && find_caller_at(u, go, sp))) {
		u->step->stop = CAIRN_STOP_NONE;
		return true;
	}
	u->step->cfa = unwind_substitute_cfa(u);
	return unwind_stop(u, leaves ? CAIRN_STOP_OUTERMOST : CAIRN_STOP_RA_UNREADABLE);
}

/*
 * Check the caller. Go functions are called only from linked code, so an address outside of code
 * cannot be a return address.
 */
static bool check_go_caller(struct unwind_context *u)
{
	const uint64_t pc = u->step->caller.pc;

	return (u->step->caller_kind != CAIRN_FRAME_RETURN || unwind_is_in_code(u, pc - 1) ||
	        unwind_is_in_code(u, pc) || unwind_stop(u, CAIRN_STOP_RA_IMPLAUSIBLE)) &&
	       unwind_check_caller(u);
}

static void begin_go_step(struct unwind_context *u)
{
	u->step->method = CAIRN_UNWIND_METHOD_GO;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
}

bool unwind_step_go(struct unwind_context *u)
{
	struct go_frame go;

	if (!find_go_function(u, &go))
		return false;
	begin_go_step(u);
	if (writes_sp(go.table, &go.function))
		return step_across_stacks(u, &go);
	if (!find_go_rule(u, &go) || !find_go_caller(u))
		return false;
	if (u->arch->link && is_injected(&go.function))
		pop_link_register(u);
	/*
	 * cgocallback returns to the start of systemstack_switch, which the runtime has stored as a
	 * placeholder for an address in asmcgocall; no call precedes it, so look up the exact pc
	 */
	if (has_go_name(&go.function, "runtime.cgocallback"))
		u->step->caller_kind = CAIRN_FRAME_PC;
	return check_go_caller(u);
}

/*
 * The Go linker generates .debug_frame from the frame sizes in the pclntab, so it is wrong for the
 * same functions. C code does not reach this check, because programs with C code describe it in
 * .eh_frame.
 */
bool unwind_crosses_go_stacks(struct unwind_context *u)
{
	struct cairn_step without = *u->step;
	struct go_frame go;
	uint64_t fde;

	if (!u->space->go.find || !u->module || !u->module->debug_frame || u->step->signal ||
	    !debug_frame_index_find(u->module->debug_frame, u->va, &fde))
		return false;
	if (find_go_function(u, &go) && writes_sp(go.table, &go.function))
		return true;
	*u->step = without;
	return false;
}
