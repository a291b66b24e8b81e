/* SPDX-License-Identifier: MIT */
/*
 * Finds where an amd64 function keeps its caller's registers at each instruction, by a forward
 * data-flow analysis that follows all paths from the entry.
 *
 * The caller's value of a register is in a stack slot if every path stored the register there
 * before changing it. It is in the register itself if every path left the register unchanged or has
 * restored it. Loading a slot back into its register invalidates the slot, as in call frame
 * information. Where paths disagree, the location is unknown. If a register does not have the
 * caller's value at some return, its location is unknown everywhere: either the code violates the
 * calling convention, or the analysis misunderstood it.
 *
 * The rows of the unwind table provide further facts: a row whose CFA is based on the stack pointer
 * or frame pointer determines the value of that register, and paths that contradict the row are
 * discarded. In most cases this also discards the paths that follow noreturn calls.
 *
 * If a function catches exceptions, a call may also continue at any possible landing pad: an
 * instruction that follows a call, an instruction without fall-through, or padding. A landing pad
 * receives the facts shared by all calls with the same stack pointer.
 *
 * A function may consist of several pieces that jump to each other. The analysis reads no memory;
 * the caller supplies code:
 *
 *	flow_begin(flow, catches);
 *	uint8_t *code = flow_piece(flow, va, size);   ... fill it
 *	flow_row(flow, row);                          ... add its rows in order
 *	flow_close_piece(flow);
 *	while ((want = flow_run(flow)) != FLOW_DONE)
 *		...                                   supply what it wants, or flow_reject()
 *	fact = flow_facts(flow, piece, &count);
 *
 * The constants below limit the arrays, and FLOW_STEPS limits the work. Nothing is known about a
 * function that exceeds a limit, which is the only harm that malicious code can do.
 */
#ifndef CAIRN_UNWIND_STEP_FLOW_H
#define CAIRN_UNWIND_STEP_FLOW_H

#include "isa/amd64.h"

enum {
	/* maximum code size of one function; interpreters reach about 60,000 bytes */
	FLOW_CODE = 1 << 18,
	FLOW_INSTRUCTIONS = 1 << 16,
	/* maximum number of unwind rows in one function, one per 16 bytes of FLOW_CODE */
	FLOW_ROWS = 1 << 14,
	/* maximum number of instructions that need their own state, such as jump targets */
	FLOW_STATES = 1 << 13,
	FLOW_FACTS = 1 << 14,
	/*
	 * maximum number of distinct stack pointer values at the call sites in a function that
	 * catches exceptions
	 */
	FLOW_HEIGHTS = 8,
	FLOW_PIECES = 8,
	FLOW_REJECTED_MAX = 64,
	FLOW_TABLES = 32,
	FLOW_TARGETS = 1 << 12,
	/*
	 * maximum number of instructions to follow; allows eight visits to each instruction, about
	 * 15 ms
	 */
	FLOW_STEPS = 1 << 19,
	FLOW_SAVED_REGISTERS = 5, /* rbx, r12, r13, r14, r15 */
	FLOW_TRACKED_REGISTERS = 6,
};

/* Index that denotes no instruction, state or table. */
#define FLOW_NOTHING UINT32_MAX

/*
 * Location of a caller's register that is not on the stack. Any other value is the register's
 * offset from the CFA in words, which is negative.
 */
enum { FLOW_UNKNOWN = 0, FLOW_SAME = 1 };

/* Locations of the caller's registers from offset `start` in the piece up to the next fact. */
struct flow_fact {
	uint32_t start;
	int16_t where[FLOW_SAVED_REGISTERS];
};

enum flow_status {
	FLOW_DONE,
	FLOW_FAILED,
	FLOW_NEEDS_PIECE,
	FLOW_NEEDS_TABLE,
};

struct flow_need {
	uint64_t va;
	uint64_t base;
	uint8_t size; /* size of a table entry in bytes: 4 (signed) or 8 */
	uint32_t table;
};

struct flow_value {
	enum flow_kind {
		FLOW_OTHER,
		FLOW_CALLERS,      /* caller's value of register `number` */
		FLOW_CFA,          /* CFA + number */
		FLOW_CODE_ADDRESS, /* address of the first piece + number */
		/* entry of the jump table at (address of the first piece + number) */
		FLOW_TABLE_ENTRY,
		FLOW_TARGET, /* address of the jump table + one of its entries */
	} kind;
	int32_t number;
};

struct flow_state {
	bool reached, changed;
	struct flow_value value[AMD64_REGISTERS];
	/* offset from the CFA, or 0 if the register is not saved */
	int32_t slot[FLOW_TRACKED_REGISTERS];
};

struct flow_instruction {
	struct amd64_instruction is;
	uint32_t at; /* offset in the concatenated code of all pieces */
	/*
	 * index of the jump's target instruction; FLOW_NOTHING if the target is outside the pieces
	 * or the instruction is not a jump
	 */
	uint32_t target;
	uint32_t state; /* FLOW_NOTHING if the instruction does not need its own state */
	uint32_t table;
	uint16_t row;
	bool landing;
};

struct flow_row {
	uint32_t start;
	uint8_t base; /* AMD64_RSP, AMD64_RBP, or AMD64_NONE if the CFA is based on neither */
	int32_t offset;
};

struct flow_piece {
	uint64_t va;
	uint32_t size, at;
	uint32_t first, count;
	uint32_t first_row, rows;
	uint32_t first_fact, facts;
};

struct flow_table {
	uint64_t va;
	uint32_t first, count;
	uint8_t size;
};

struct flow {
	uint8_t code[FLOW_CODE];
	struct flow_instruction instruction[FLOW_INSTRUCTIONS];
	struct flow_row row[FLOW_ROWS];
	struct flow_state state[FLOW_STATES];
	struct flow_fact fact[FLOW_FACTS];
	struct flow_piece piece[FLOW_PIECES];
	struct flow_table table[FLOW_TABLES];
	uint32_t target[FLOW_TARGETS];
	uint32_t place[FLOW_STATES]; /* instruction index for each state */
	uint64_t refused[FLOW_REJECTED_MAX];
	uint32_t code_size, instructions, rows, states, facts, pieces, tables, targets, refusals;
	uint32_t steps;
	uint32_t lowest;
	/* bit mask of tracked registers that differ from the caller's value at some return */
	uint8_t broken;
	bool catches;
	struct flow_state thrown[FLOW_HEIGHTS];
	uint32_t heights;
	bool wild; /* function contains an unresolved indirect jump, which may lead anywhere */
	bool failed;
	struct flow_need wanted;
	enum flow_status want;
};

void flow_begin(struct flow *flow, bool catches);

/*
 * Add a piece and return the buffer for its code, which the caller fills. Return NULL if the code
 * does not fit or the piece already exists.
 */
uint8_t *flow_piece(struct flow *flow, uint64_t va, uint32_t size);

void flow_row(struct flow *flow, struct flow_row row);

/* Finish the current piece. Return false if its code cannot be decoded or is too large. */
bool flow_close_piece(struct flow *flow);

bool flow_has_piece(const struct flow *flow, uint64_t va);

/*
 * Resolve jump targets without following the code. Return false if every target outside the pieces
 * has been rejected.
 */
bool flow_link(struct flow *flow);

/* Analyze the code from the first byte of the first piece, which is the function's entry. */
enum flow_status flow_run(struct flow *flow);

/*
 * Add an entry to the wanted jump table. Return false if the table ends before this entry, because
 * the entry does not lead to an instruction or another table begins there.
 */
bool flow_target(struct flow *flow, uint64_t va);

/* Report that the wanted piece or jump table is unreadable or implausible. */
void flow_reject(struct flow *flow);

const struct flow_fact *flow_facts(const struct flow *flow, uint32_t piece, uint32_t *count);

void flow_state_enter(struct flow_state *state);

/*
 * Add the facts stated by `row`. Return false if they contradict the state, which means that no
 * path reaches this instruction in this state.
 */
bool flow_state_agrees(struct flow_state *state, const struct flow_row *row);

/*
 * Apply one instruction to the state. `end` is the offset of the instruction's end from the start
 * of the first piece.
 */
void flow_state_run(struct flow_state *state, const struct amd64_instruction *instruction,
                    int64_t end);

uint64_t flow_va_after(const struct flow_piece *piece, const struct flow_instruction *instruction);

#endif
