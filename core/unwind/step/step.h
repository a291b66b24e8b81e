/* SPDX-License-Identifier: MIT */
/*
 * State and checks that the unwind methods share. A method sets the caller in u->step and returns
 * true, or sets step->stop and returns false.
 */
#ifndef CAIRN_UNWIND_STEP_STEP_H
#define CAIRN_UNWIND_STEP_STEP_H

#include "base/target_memory.h"
#include "unwind/tables/modules.h"

enum {
	/* maximum number of consecutive frames that leave the stack pointer unchanged */
	UNWIND_STAYS_MAX = 4,
};

struct unwind_context {
	struct cairn_space *space;
	const struct arch *arch;
	const struct cairn_registers *frame;
	enum cairn_frame_kind kind;
	bool hidden; /* code at the pc is unreadable; set only for CAIRN_UNWIND_BY_ANY */
	/* the code does not show whether the link register still contains the return address */
	bool undecided;
	struct module *module;
	uint64_t va; /* link-time address in `module` for table lookups */
	struct cairn_step *step;
};

/* Begin a step. u->arch is NULL for an unknown machine. */
struct unwind_context unwind_begin(struct cairn_space *space, const struct cairn_registers *frame,
                                   enum cairn_frame_kind kind, struct cairn_step *step);

bool unwind_stop(struct unwind_context *u, enum cairn_stop why);

/* Set the stop reason after a search with this status has found no rule. */
bool unwind_stop_without_rule(struct unwind_context *u, enum cairn_status searched);

/*
 * Find the module that contains the pc, and the va to look up in it. Return false if no module
 * contains the pc or the module is for a different machine.
 */
bool unwind_find_module(struct unwind_context *u);

static inline uint64_t unwind_lookup_address(const struct unwind_context *u)
{
	const struct cairn_frame asked = { u->kind, u->frame->pc, 1 };

	return cairn_frame_lookup_address(&asked);
}

static inline bool unwind_read_word(const struct unwind_context *u, uint64_t address,
                                    uint64_t *word)
{
	return arch_read_word(u->arch, &u->space->target, u->frame->big_endian, address, word);
}

static inline struct cairn_registers unwind_registers_at(const struct unwind_context *u,
                                                         uint64_t pc)
{
	return (struct cairn_registers){ .machine = u->frame->machine,
		                         .big_endian = u->frame->big_endian,
		                         .pc = pc };
}

void unwind_return_to(struct unwind_context *u, enum cairn_unwind_method method, uint64_t cfa,
                      uint64_t pc);

/*
 * Return a substitute for an unknown CFA: the CFA with which the caller's stack pointer would equal
 * the frame's.
 */
uint64_t unwind_substitute_cfa(const struct unwind_context *u);

void unwind_keep_saved_registers(const struct unwind_context *u, struct cairn_registers *caller);

/*
 * Read the return address from the link register and strip its signature. Return false if the
 * address neither follows a call nor is a trampoline. Accept an address in unreadable code.
 */
bool unwind_read_link(const struct unwind_context *u, uint64_t *pc);

/* Return true if the walk moves up the stack with step->rule and this CFA. */
bool unwind_is_plausible_cfa(const struct unwind_context *u, uint64_t cfa);

/*
 * Check that the caller's pc is in code, if the frame was entered by a call. Stop if the frame is
 * the program's outermost one.
 */
bool unwind_check_caller(struct unwind_context *u);
bool unwind_is_code(const struct unwind_context *u, uint64_t pc);

/* Return true if the pc is in no module, but in memory that the host reports as JIT code. */
bool unwind_is_jit_code(const struct unwind_context *u, uint64_t pc);

bool unwind_is_in_code(const struct unwind_context *u, uint64_t pc);

/* Return true if the pc is in JIT code or in the code of a module, and follows a call. */
bool unwind_is_return(const struct unwind_context *u, uint64_t pc);

/*
 * Return true if the pc follows a call or is the start of a signal trampoline, which no call
 * precedes.
 */
bool unwind_leads_back(const struct unwind_context *u, uint64_t pc);

/* Return true if `pc` follows a call, or if its code is unreadable so that it might. */
bool unwind_may_be_return(const struct unwind_context *u, uint64_t pc);
bool unwind_is_return_frame(struct cairn_space *space, const struct cairn_registers *frame);

/* Set step->at_entry if the frame has made a call and is at an entry point that no row covers. */
void unwind_note_uncovered_entry(struct unwind_context *u);

bool unwind_step_signal(struct unwind_context *u, uint64_t start);

bool unwind_step_cfi(struct unwind_context *u);
bool unwind_step_stack_cfi(struct unwind_context *u);
bool unwind_step_go(struct unwind_context *u);

/*
 * Return true if the frame is in a Go function that switches stacks. The .debug_frame rules for
 * such functions are wrong.
 */
bool unwind_crosses_go_stacks(struct unwind_context *u);

bool unwind_step_frame_pointer(struct unwind_context *u);

/* The following methods leave the step unchanged if they return false. */
bool unwind_step_call(struct unwind_context *u);
bool unwind_step_stub(struct unwind_context *u);
bool unwind_step_link_stub(struct unwind_context *u);
bool unwind_step_link(struct unwind_context *u);
bool unwind_step_return(struct unwind_context *u);
bool unwind_step_hidden(struct unwind_context *u);
bool unwind_step_hidden_signal(struct unwind_context *u);
bool unwind_step_trap(struct unwind_context *u);

bool unwind_by_code(struct cairn_space *space, const struct cairn_registers *frame,
                    enum cairn_frame_kind kind, struct cairn_step *step);

/*
 * Take a step by searching the stack for a return address. The result is a guess, for frames that
 * no other method can unwind.
 */
bool unwind_scan(struct cairn_space *space, const struct cairn_registers *frame,
                 enum cairn_frame_kind kind, struct cairn_step *step);

#endif
