/* SPDX-License-Identifier: MIT */
/*
 * Where a function of amd64 keeps the registers that its caller wants back, at each of its
 * instructions: by following what the code does, along all paths, from the entry on.
 *
 * A register of the caller is known to be in a slot when it was stored there while it still had
 * the caller's value, on every path; and to be untouched when it has that value still, or again.
 * A load back ends the slot, as it does in call frame information.  Where paths differ nothing is
 * known.  A register that has another value at one of the returns is not known anywhere: then the
 * code does not keep to the calling convention, or it was not understood.
 *
 * The rows of the unwind table take part: where they count from the stack pointer or the frame
 * pointer they say what it holds, and a path on which it would hold something else is none.  So
 * calls that do not return lead nowhere, most of the time.
 *
 * Where exceptions are caught, a call may go on at any instruction to which none before it leads, or
 * that follows a call: with what is known at all calls of that height.
 *
 * A function may be in pieces: what it jumps to.  Nothing is read here; the caller lends code:
 *
 *	flow_begin(flow, catches);
 *	uint8_t *code = flow_piece(flow, va, size);   ... fill it
 *	flow_row(flow, row);                          ... its rows, in order
 *	flow_close_piece(flow);
 *	while ((want = flow_run(flow)) != FLOW_DONE)
 *		...                                   what it wants, or flow_reject()
 *	fact = flow_facts(flow, piece, &count);
 *
 * Bounds: each array below has room for what its constant says, and FLOW_STEPS instructions are
 * followed in all; what needs more is not known.  Code bytes decide no more than that.
 */
#ifndef CAIRN_UNWIND_FLOW_FLOW_H
#define CAIRN_UNWIND_FLOW_FLOW_H

#include "isa/amd64.h"

enum {
	FLOW_CODE = 1 << 18,         /* bytes of a function: interpreters have some 60,000 */
	FLOW_INSTRUCTIONS = 1 << 16, /* 4 bytes each, as they are on average */
	FLOW_ROWS = 1 << 14,         /* one for 16 bytes of code */
	FLOW_STATES = 1 << 13,       /* places that something jumps to */
	FLOW_FACTS = 1 << 14,
	FLOW_HEIGHTS = 8, /* of the stack at its calls, where exceptions are caught */
	FLOW_PIECES = 8,
	FLOW_REJECTED_MAX = 64,     /* functions that it jumps to, and are none of its pieces */
	FLOW_TABLES = 32,           /* switches of one function */
	FLOW_TARGETS = 1 << 12,     /* of all of them */
	FLOW_STEPS = 1 << 19,       /* instructions followed: eight for each, or 15 ms */
	FLOW_SAVED_REGISTERS = 5,   /* rbx, r12, r13, r14, r15 */
	FLOW_TRACKED_REGISTERS = 6, /* these, and rbp */
};

/* In place of the number of an instruction, state or table: there is none. */
#define FLOW_NOTHING UINT32_MAX

/* Where a register of the caller is; else the number of words from the CFA, which is negative. */
enum { FLOW_UNKNOWN = 0, FLOW_SAME = 1 };

/* From `start`, counted from the piece's first byte, to the next one. */
struct flow_fact {
	uint32_t start;
	int16_t where[FLOW_SAVED_REGISTERS];
};

enum flow_status {
	FLOW_DONE,
	FLOW_FAILED,      /* nothing is known */
	FLOW_NEEDS_PIECE, /* flow->wanted: an address outside that is jumped to */
	FLOW_NEEDS_TABLE, /* flow->wanted: where it begins, and what its entries count from */
};

struct flow_need {
	uint64_t va;
	uint64_t base;  /* of a table: added to each entry */
	uint8_t size;   /* of an entry: 4 (signed) or 8 bytes */
	uint32_t table; /* which one, for flow_target() */
};

/* What a register holds. */
struct flow_value {
	enum flow_kind {
		FLOW_OTHER,
		FLOW_CALLERS,      /* what the caller had in register `number` */
		FLOW_CFA,          /* the CFA + number */
		FLOW_CODE_ADDRESS, /* the address of the first piece + number */
		FLOW_TABLE_ENTRY,  /* an entry of a table there */
		FLOW_TARGET,       /* the table's address + an entry */
	} kind;
	int32_t number;
};

struct flow_state {
	bool reached, changed;
	struct flow_value value[AMD64_REGISTERS];
	int32_t slot[FLOW_TRACKED_REGISTERS]; /* from the CFA; 0: none */
};

struct flow_instruction {
	struct amd64_instruction is;
	uint32_t at;     /* its offset in the code of all pieces */
	uint32_t target; /* of a jump: which instruction; FLOW_NOTHING: outside, or none */
	uint32_t state;  /* FLOW_NOTHING: nothing jumps here */
	uint32_t table;
	uint16_t row;
	bool landing; /* something jumps here */
};

struct flow_row {
	uint32_t start;
	uint8_t base; /* AMD64_RSP, AMD64_RBP, or AMD64_NONE */
	int32_t offset;
};

struct flow_piece {
	uint64_t va;
	uint32_t size, at;
	uint32_t first, count; /* instructions */
	uint32_t first_row, rows;
	uint32_t first_fact, facts;
};

struct flow_table {
	uint64_t va;
	uint32_t first, count; /* among the targets */
	uint8_t size;          /* bytes of an entry */
};

/* A large thing, made once: an analysis works in it. */
struct flow {
	uint8_t code[FLOW_CODE];
	struct flow_instruction instruction[FLOW_INSTRUCTIONS];
	struct flow_row row[FLOW_ROWS];
	struct flow_state state[FLOW_STATES];
	struct flow_fact fact[FLOW_FACTS];
	struct flow_piece piece[FLOW_PIECES];
	struct flow_table table[FLOW_TABLES];
	uint32_t target[FLOW_TARGETS];
	uint32_t place[FLOW_STATES];         /* of each state: its instruction */
	uint64_t refused[FLOW_REJECTED_MAX]; /* places outside that have no piece */
	uint32_t code_size, instructions, rows, states, facts, pieces, tables, targets, refusals;
	uint32_t steps;
	uint32_t lowest; /* no state before it has changed */
	uint8_t broken;  /* a bit for each kept register: other at a return */
	bool catches;
	struct flow_state thrown[FLOW_HEIGHTS]; /* at any call, for each stack pointer */
	uint32_t heights;
	bool wild; /* a jump that nobody can follow: it may lead anywhere */
	bool failed;
	struct flow_need wanted;
	enum flow_status want;
};

/* Exceptions are caught in it: a call may go on where another line of code begins. */
void flow_begin(struct flow *flow, bool catches);

/* Room for the code of a piece, to be filled; NULL when it does not fit, or is there already. */
uint8_t *flow_piece(struct flow *flow, uint64_t va, uint32_t size);

/* A row of the piece, in ascending order. */
void flow_row(struct flow *flow, struct flow_row row);

/* All of the piece is there.  False: its code cannot be followed, or is too much. */
bool flow_close_piece(struct flow *flow);

/* Is there a piece with this address? */
bool flow_has_piece(const struct flow *flow, uint64_t va);

/* Only look where jumps lead; false when none leads to a place outside that was not refused. */
bool flow_link(struct flow *flow);

/* Follow the code from the first piece's first byte, where a call arrives. */
enum flow_status flow_run(struct flow *flow);

/*
 * One entry of the table that is wanted.  False: it leads nowhere, or another table begins there, and it is after
 * the last one.
 */
bool flow_target(struct flow *flow, uint64_t va);

/* What is wanted cannot be had, or makes no sense. */
void flow_reject(struct flow *flow);

const struct flow_fact *flow_facts(const struct flow *flow, uint32_t piece, uint32_t *count);

#endif
