/* SPDX-License-Identifier: MIT */
/* Walks a stack. Each step tries the unwind methods in order, and then follows the code itself. */
#include "stack_walk.h"

#include "base/target_memory.h"
#include "base/text_table.h"
#include "unwind/step/step.h"

const char *stack_end_text(enum cairn_stack_end_kind end)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_STACK_OUTERMOST] = "outermost frame",
		[CAIRN_STACK_UNKNOWN] = "no caller found",
		[CAIRN_STACK_LIMIT] = "more frames follow",
		[CAIRN_STACK_CIRCLE] = "the frames repeat in a cycle",
		[CAIRN_STACK_NO_CONTEXT] = "its registers are not known",
	};

	return TEXT_AT(texts, end, "none");
}

const char *stack_end_name(enum cairn_stack_end_kind end)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_STACK_OUTERMOST] = "outermost",
		[CAIRN_STACK_UNKNOWN] = "no-caller",
		[CAIRN_STACK_LIMIT] = "limit",
		[CAIRN_STACK_CIRCLE] = "circle",
		[CAIRN_STACK_NO_CONTEXT] = "no-registers",
	};

	return TEXT_AT(texts, end, "none");
}

uint64_t stack_walk_lookup_address(const struct stack_walk *walk)
{
	const struct cairn_frame frame = { walk->kind, walk->registers.pc, 1 };

	return cairn_frame_lookup_address(&frame);
}

/* Return true if no table describes the frame, so that the unwinder may follow its code. */
static bool should_follow_code(const struct cairn_step *step)
{
	return step->stop == CAIRN_STOP_NO_ROW || step->stop == CAIRN_STOP_NO_TABLE ||
	       step->stop == CAIRN_STOP_NO_MODULE || step->stop == CAIRN_STOP_BAD_TABLE;
}

/*
 * Return true at the end of a chain of frame pointers. By convention, programs and threads start
 * with a frame pointer of 0.
 */
static bool is_end_of_chain(const struct stack_walk *walk)
{
	const struct arch *arch = arch_of(walk->registers.machine);

	return walk->found == CAIRN_UNWIND_METHOD_FRAME_POINTER && arch &&
	       register_known(&walk->registers, arch->fp) && walk->registers.value[arch->fp] == 0;
}

/*
 * Step out of a function that was set up as the caller of another function but has not called
 * anything. The callee's return address is the function's first byte, so the byte before it does
 * not belong to the function. Context switching libraries enter start functions this way.
 */
static bool step_from_start(struct stack_walk *walk)
{
	struct cairn_step step;

	if (walk->kind != CAIRN_FRAME_RETURN)
		return false;
	bool found = cairn_unwind(walk->space, &walk->registers, CAIRN_FRAME_PC, NULL, &step);
	if (step.function != walk->registers.pc)
		return false;
	if (!found)
		step.stop = CAIRN_STOP_OUTERMOST;
	walk->kind = CAIRN_FRAME_PC;
	walk->step = step;
	return true;
}

/*
 * Return true if following the code (`bare`) gives the right caller although the frame-pointer
 * chain leads elsewhere. Either the chain leads to an address that does not follow a call, or the
 * function does not use the frame pointer, so that the chain skips its caller. Outside of modules,
 * JIT code may have return addresses that do not follow a call, but no path through code leads
 * there.
 */
static bool is_better_than_chain(const struct stack_walk *walk, const struct cairn_step *bare)
{
	const struct cairn_registers *callee = &walk->registers, *caller = &bare->caller;
	const unsigned fp = arch_of(callee->machine)->fp;

	return !unwind_is_return_frame(walk->space, &walk->step.caller) ||
	       (bare->cfa < walk->step.cfa && register_known(caller, fp) &&
	        caller->value[fp] == callee->value[fp]);
}

/*
 * Return true if the frame-pointer step is only a guess: on amd64, the innermost frame is in a
 * module, its function may not have set up rbp yet, and following the code did not show whether it
 * has. Exclude code outside of all modules, because JIT code has its own conventions.
 */
static bool is_unproven_chain(const struct stack_walk *walk, bool found)
{
	return found && walk->kind == CAIRN_FRAME_PC &&
	       walk->registers.machine == CAIRN_MACHINE_AMD64 &&
	       space_find(walk->space, walk->registers.pc);
}

static bool should_compare(struct cairn_space *space, bool known)
{
	if (known || space->compared == SPACE_COMPARED_MAX)
		return false;
	space->compared++;
	return true;
}

/*
 * Step by following the code. In an innermost frame this takes precedence over the frame-pointer
 * chain, because a leaf function may have no frame. In a caller it takes precedence only if it
 * shows that the chain is wrong.
 */
static bool step_by_code(struct stack_walk *walk, bool found)
{
	const uint64_t pc = walk->registers.pc;
	uint64_t *chained = &walk->space->chained[(pc ^ pc >> 8 ^ pc >> 16) % SPACE_CHAINED];
	const bool compares = found && walk->kind == CAIRN_FRAME_RETURN;
	struct cairn_step bare;

	if (walk->step.at_entry || (compares && !should_compare(walk->space, *chained == pc)))
		return false;
	const bool follows = unwind_by_code(walk->space, &walk->registers, walk->kind, &bare) &&
	                     (!compares || is_better_than_chain(walk, &bare));
	if (follows)
		walk->step = bare;
	else if (is_unproven_chain(walk, found))
		walk->step.guessed = true;
	else if (compares)
		*chained = pc;
	return follows;
}

/*
 * Return true if unwind tables would be more reliable than the step we already have, which followed
 * the frame-pointer chain or analyzed the code of a stub or leaf function.
 */
static bool would_table_help(const struct cairn_step *step, bool found)
{
	return found ? step->guessed || step->method == CAIRN_UNWIND_METHOD_FRAME_POINTER ||
	                       step->method == CAIRN_UNWIND_METHOD_CALL
	             : should_follow_code(step);
}

static bool step_by_tables(struct stack_walk *walk)
{
	bool found = cairn_unwind(walk->space, &walk->registers, walk->kind, NULL, &walk->step);
	bool lacks = would_table_help(&walk->step, found);

	if (!lacks || !walk->want_tables ||
	    !walk->want_tables(walk->context, stack_walk_lookup_address(walk)))
		return found;
	return cairn_unwind(walk->space, &walk->registers, walk->kind, NULL, &walk->step);
}

/*
 * Step by searching the stack, as a last resort. If the search fails, keep the earlier stop reason.
 */
static bool step_by_scan(struct stack_walk *walk)
{
	struct cairn_step scanned;

	if (walk->step.at_entry ||
	    !unwind_scan(walk->space, &walk->registers, walk->kind, &scanned))
		return false;
	walk->step = scanned;
	return true;
}

/*
 * Accept a caller that is not in code if a valid rule led to it: the stack was overwritten, or the
 * code was unmapped. The program would return to this address, so show it as the last frame.
 */
static bool step_astray(struct stack_walk *walk)
{
	if (walk->step.stop != CAIRN_STOP_RA_IMPLAUSIBLE || walk->step.caller.pc == 0)
		return false;
	walk->astray = true;
	walk->step.stop = CAIRN_STOP_NONE;
	return true;
}

/*
 * Return true if the return address has been overwritten: the frame is certain, but its return
 * address cannot be code. A search of the stack would then find return addresses from earlier
 * calls. In a minidump without a list of mappings, only addresses outside of amd64 user space are
 * known not to be code.
 */
static bool is_overwritten(const struct stack_walk *walk)
{
	enum { AMD64_BITS = 47 };
	const struct generated_code *code = &walk->space->code;
	const uint64_t pc = walk->step.caller.pc;

	return walk->step.stop == CAIRN_STOP_RA_IMPLAUSIBLE && !walk->guesses &&
	       ((code->excludes && code->excludes(code->context, pc)) ||
	        (walk->registers.machine == CAIRN_MACHINE_AMD64 && pc >> AMD64_BITS != 0));
}

static void find_caller_by_methods(struct stack_walk *walk)
{
	bool found = step_by_tables(walk);
	bool guessed = found && walk->step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER;

	if (found && !guessed)
		return;
	if ((guessed || should_follow_code(&walk->step)) &&
	    (step_from_start(walk) || step_by_code(walk, found)))
		found = walk->step.stop == CAIRN_STOP_NONE;
	if (found)
		return;
	bool outermost = walk->step.stop == CAIRN_STOP_OUTERMOST || is_end_of_chain(walk);
	if (!outermost &&
	    ((walk->may_scan && !is_overwritten(walk) && step_by_scan(walk)) || step_astray(walk)))
		return;
	walk->end = outermost ? CAIRN_STACK_OUTERMOST : CAIRN_STACK_UNKNOWN;
}

/*
 * Find the frame's caller, and set walk->step or walk->end. In a second mapping of code, use the
 * rules of the first mapping.
 */
static void find_caller(struct stack_walk *walk)
{
	const uint64_t pc = walk->registers.pc;

	space_find_remapped(walk->space, &walk->registers.pc);
	find_caller_by_methods(walk);
	walk->registers.pc = pc;
}

bool stack_walk_begin(struct stack_walk *walk, const struct cairn_registers *registers)
{
	const bool bounded = walk->limit > 0 && walk->limit < STACK_WALK_MAX;

	*walk = (struct stack_walk){ .space = walk->space,
		                     .want_tables = walk->want_tables,
		                     .context = walk->context,
		                     .may_scan = walk->may_scan,
		                     .registers = *registers,
		                     .kind = CAIRN_FRAME_PC,
		                     .limit = bounded ? walk->limit : STACK_WALK_MAX,
		                     .end = CAIRN_STACK_NO_CONTEXT };
	if (!arch_of(registers->machine))
		return false;
	walk->end = CAIRN_STACK_GOES_ON;
	cairn_space_begin_query(walk->space);
	walk->seen = *registers;
	find_caller(walk);
	return true;
}

static bool has_same_registers(const struct cairn_registers *a, const struct cairn_registers *b)
{
	if (a->pc != b->pc || a->known != b->known)
		return false;
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		if (register_known(a, i) && a->value[i] != b->value[i])
			return false;
	return true;
}

/*
 * Return true if the walk is in a cycle, in which equal registers lead to equal callers. Comparing
 * stack pointers does not suffice, because they may be unknown in every frame. Uses Brent's
 * algorithm: the remembered frame is replaced at each power of two.
 */
static bool is_circle(struct stack_walk *walk)
{
	if (has_same_registers(&walk->registers, &walk->seen))
		return true;
	if ((walk->level & (walk->level - 1)) == 0)
		walk->seen = walk->registers;
	return false;
}

bool stack_walk_next(struct stack_walk *walk)
{
	if (walk->end != CAIRN_STACK_GOES_ON)
		return false;
	if (walk->level + 1 >= walk->limit) {
		walk->end = CAIRN_STACK_LIMIT;
		return false;
	}
	/*
	 * If the return address is in a link register that has not been saved, a frame can be its
	 * own caller.
	 */
	if (has_same_registers(&walk->step.caller, &walk->registers)) {
		walk->end = CAIRN_STACK_CIRCLE;
		return false;
	}
	if (registers_stack_pointer(&walk->step.caller) <
	            registers_stack_pointer(&walk->registers) &&
	    register_known(&walk->step.caller, arch_of(walk->registers.machine)->sp) &&
	    walk->switches++ == STACK_WALK_SWITCHES) {
		walk->end = CAIRN_STACK_LIMIT;
		return false;
	}
	walk->registers = walk->step.caller;
	walk->kind = walk->step.caller_kind;
	walk->found = walk->step.method;
	walk->guessed = walk->step.guessed;
	walk->guesses |= walk->guessed;
	walk->level++;
	if (is_circle(walk)) {
		walk->end = CAIRN_STACK_CIRCLE;
		return false;
	}
	if (walk->astray) {
		walk->step = (struct cairn_step){ .stop = CAIRN_STOP_NO_MODULE };
		walk->end = CAIRN_STACK_UNKNOWN;
		return true;
	}
	find_caller(walk);
	return true;
}
