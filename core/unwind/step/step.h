/* SPDX-License-Identifier: MIT */
/*
 * The state that the unwind methods share: the step in progress and the checks on a caller's frame.
 * Each way fills u->step and returns true when there is a caller; else step->stop gives the reason.
 */
#ifndef CAIRN_UNWIND_STEP_STEP_H
#define CAIRN_UNWIND_STEP_STEP_H

#include "unwind/modules/modules.h"
#include "unwind/target/arch.h"

enum {
	UNWIND_STAYS_MAX = 4, /* frames in a row that may leave the stack where it is */
};

/* What one step works on. */
struct unwind_context {
	struct cairn_space *space;
	const struct arch *arch;
	const struct cairn_registers *frame;
	enum cairn_frame_kind kind;
	bool hidden; /* the code at the pc cannot be read; set by cairn_unwind() with CAIRN_UNWIND_BY_ANY alone */
	bool untold; /* the code does not tell whether the link register is still the return address */
	struct module *module;
	uint64_t va; /* what is looked up in it */
	struct cairn_step *step;
};

/* One step begins; `arch` is NULL for a machine that is not known. */
struct unwind_context unwind_begin(struct cairn_space *space, const struct cairn_registers *frame,
                                   enum cairn_frame_kind kind, struct cairn_step *step);

/* Sets step->stop; false, for the caller to return. */
bool unwind_stop(struct unwind_context *u, enum cairn_stop why);

/* Stops by what a search for a rule came to, which did not find one. */
bool unwind_stop_without_rule(struct unwind_context *u, enum cairn_status searched);

/* Sets the module of the pc, and the va to look up in it; false: none, or of another machine. */
bool unwind_find_module(struct unwind_context *u);

/* The address to look rules up with. */
static inline uint64_t unwind_lookup_address(const struct unwind_context *u)
{
	const struct cairn_frame asked = { u->kind, u->frame->pc, 1 };

	return cairn_frame_lookup_address(&asked);
}

/* A word of the frame's machine in memory; false when it cannot be read. */
static inline bool unwind_read_word(const struct unwind_context *u, uint64_t address,
                                    uint64_t *word)
{
	return arch_read_word(u->arch, &u->space->target, u->frame->big_endian, address, word);
}

/* Registers of a frame at `pc` of which nothing else is known. */
static inline struct cairn_registers unwind_registers_at(const struct unwind_context *u,
                                                         uint64_t pc)
{
	return (struct cairn_registers){ .machine = u->frame->machine,
		                         .big_endian = u->frame->big_endian,
		                         .pc = pc };
}

/* The caller is at `pc`, where a call returns to: of its registers nothing else is known yet. */
void unwind_return_to(struct unwind_context *u, enum cairn_unwind_method method, uint64_t cfa,
                      uint64_t pc);

/* For frames that have no CFA: the one whose caller's stack pointer would be this frame's. */
uint64_t unwind_substitute_cfa(const struct unwind_context *u);

/* Gives the caller what the frame has in registers that calls leave as they were: for a stub, which changes none. */
void unwind_keep_saved_registers(const struct unwind_context *u, struct cairn_registers *caller);

/*
 * Read where the link register leads, without its signature.  Return false if that follows no call and is no trampoline;
 * an address in code that cannot be read is accepted.
 */
bool unwind_read_link(const struct unwind_context *u, uint64_t *pc);

/* Does step->rule with this CFA move up the stack? */
bool unwind_is_plausible_cfa(const struct unwind_context *u, uint64_t cfa);

/* The caller's pc is code, if the caller has called, and the frame is not the first of the program. */
bool unwind_check_caller(struct unwind_context *u);
bool unwind_is_code(const struct unwind_context *u, uint64_t pc);

/* Is it in memory that the host knows to be code, and no module's? */
bool unwind_is_made_code(const struct unwind_context *u, uint64_t pc);

/* Is it in the code of a module, or in code that the program has made? */
bool unwind_is_in_code(const struct unwind_context *u, uint64_t pc);

/* The same, with a call before it? */
bool unwind_is_return(const struct unwind_context *u, uint64_t pc);

/* Does it follow a call, or is it the trampoline that a handler of signals returns to, before which there is none? */
bool unwind_leads_back(const struct unwind_context *u, uint64_t pc);

/* Return whether `pc` follows a call, or is in code that cannot be read, so that nothing tells. */
bool unwind_may_be_return(const struct unwind_context *u, uint64_t pc);
bool unwind_is_return_frame(struct cairn_space *space, const struct cairn_registers *frame);

/* An entry point that no row covers sets step->at_entry; only after a call. */
void unwind_note_uncovered_entry(struct unwind_context *u);

bool unwind_step_signal(struct unwind_context *u, uint64_t start);
bool unwind_step_sframe(struct unwind_context *u);
bool unwind_step_made_code(struct unwind_context *u);

/* What cairn_unwind() goes by, if it goes by SFrame alone. */
bool unwind_by_sframe(struct cairn_space *space, const struct cairn_registers *frame,
                      enum cairn_frame_kind kind, bool unchecked, struct cairn_step *step);
#endif
