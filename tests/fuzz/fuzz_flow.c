/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the code of a function of amd64 in two pieces, with rows, and as tables of switches.
 * The input is a count of rows, 3 bytes for each, where the second piece begins, and code.  Always:
 *   - an instruction has 1 to 15 bytes, all of them inside;
 *   - following the code ends, in a bounded number of steps, asked a bounded number of times;
 *   - facts ascend, inside their piece, and name places below the return address;
 *   - no walk through the code finds a register elsewhere than the facts have it.
 */
#include "fuzz.h"

#include "unwind/step/flow.h"

#include <string.h>

enum {
	ROWS_MAX = 15,
	ROW_BYTES = 3,
	WALKS = 8,
	WALK_STEPS = 200,
	ASKED_MAX = FLOW_REJECTED_MAX + FLOW_TABLES + FLOW_PIECES,
	TABLE_ENTRIES = 8,
};

#define FIRST 0x1000u

static void decode_anywhere(const uint8_t *data, size_t size)
{
	struct amd64_instruction i;

	for (size_t at = 0; at < size; at++) {
		if (!amd64_decode(data + at, size - at, &i))
			continue;
		ALWAYS(i.length >= 1 && i.length <= AMD64_LONGEST && i.length <= size - at);
		ALWAYS(i.kind <= AMD64_STOP && (i.reg < AMD64_REGISTERS || i.reg == AMD64_NONE));
		ALWAYS(i.base < AMD64_REGISTERS || i.base == AMD64_NONE);
	}
}

static bool lend_piece(struct flow *flow, uint64_t va, const uint8_t *data, size_t size,
                       const uint8_t *rows, unsigned count)
{
	static const uint8_t bases[] = { AMD64_RSP, AMD64_RSP, AMD64_RBP, AMD64_NONE };
	uint8_t *code = flow_piece(flow, va, (uint32_t)size);
	uint32_t start = 0;

	if (!code)
		return false;
	memcpy(code, data, size);
	flow_row(flow, (struct flow_row){ 0, va == FIRST ? AMD64_RSP : AMD64_NONE, 8 });
	for (unsigned i = 0; i < count; i++, rows += ROW_BYTES) {
		start += rows[0];
		flow_row(flow, (struct flow_row){ start, bases[rows[1] & 3], 8 * (rows[2] & 31) });
	}
	return flow_close_piece(flow);
}

/* Tables are the code itself. */
static bool lend_table(struct flow *flow)
{
	const struct flow_need wanted = flow->wanted;
	bool any = false;

	for (uint32_t i = 0; i < TABLE_ENTRIES; i++) {
		uint8_t distance = flow->code[(wanted.va + i) % flow->code_size];
		uint64_t base = wanted.size == 4 ? FIRST : wanted.base + FIRST;
		if (!flow_target(flow, base + distance % 64))
			return any;
		any = true;
	}
	return any;
}

static void check_facts(const struct flow *flow, uint32_t piece)
{
	uint32_t count;
	const struct flow_fact *fact = flow_facts(flow, piece, &count);

	ALWAYS(count > 0 && fact[0].start == 0);
	for (uint32_t i = 0; i < count; i++) {
		ALWAYS(fact[i].start < flow->piece[piece].size);
		ALWAYS(i == 0 || fact[i].start > fact[i - 1].start);
		for (unsigned k = 0; k < FLOW_SAVED_REGISTERS; k++)
			ALWAYS(fact[i].where[k] <= FLOW_SAME && fact[i].where[k] != -1);
	}
}

static const uint8_t told[FLOW_SAVED_REGISTERS] = { AMD64_RBX, 12, 13, 14, 15 };

/*
 * What the facts claim in front of an instruction holds in a state that a walk has there. Bits of
 * `unclear` are set for registers of which the walk knows less than the facts:
 *   - it has stored the register while an earlier slot held it. It remembers only the first slot, but the facts
 *     give the second if paths with different first slots join in between. Both hold the caller's value;
 *   - it has popped or overwritten the slot. The facts keep the slot if they do not know the stack pointer, because
 *     compilers pop what they have pushed, and do not write to saved registers.
 */
static void check_state(const struct flow *flow, uint32_t number, const struct flow_state *state,
                        unsigned unclear)
{
	uint32_t piece = 0, count, at;

	while (number - flow->piece[piece].first >= flow->piece[piece].count)
		piece++;
	const struct flow_fact *fact = flow_facts(flow, piece, &count);
	at = flow->instruction[number].at - flow->piece[piece].at;
	while (count > 1 && fact[1].start <= at) {
		fact++;
		count--;
	}
	for (unsigned k = 0; k < FLOW_SAVED_REGISTERS; k++) {
		if (fact->where[k] < 0)
			ALWAYS(state->slot[k] == fact->where[k] * 8 || unclear >> k & 1);
		if (fact->where[k] == FLOW_SAME)
			ALWAYS(state->value[told[k]].kind == FLOW_CALLERS &&
			       state->value[told[k]].number == told[k]);
	}
}

/* The next instruction of a walk, which takes a branch when `choice` is odd. */
static uint32_t walk_on(const struct flow *flow, uint32_t number, unsigned choice)
{
	const struct flow_instruction *i = &flow->instruction[number];

	switch ((enum amd64_kind)i->is.kind) {
	case AMD64_JUMP:
		return i->target;
	case AMD64_BRANCH:
		if (choice & 1)
			return i->target;
		break;
	case AMD64_INDIRECT:
		return flow->wild ? choice % flow->instructions : FLOW_NOTHING;
	case AMD64_TABLE_JUMP: /* goes to the entries of its table alone, wild or not */
	case AMD64_RETURN:
	case AMD64_STOP:
		return FLOW_NOTHING;
	case AMD64_OTHER:
	case AMD64_ADDRESS:
	case AMD64_HERE:
	case AMD64_ENTRY:
	case AMD64_SUM:
	case AMD64_PUSH:
	case AMD64_POP:
	case AMD64_LEAVE:
	case AMD64_STORE:
	case AMD64_LOAD:
	case AMD64_CALL:
		break;
	}
	return number + 1 == flow->piece[0].count ? FLOW_NOTHING : number + 1;
}

static void walk_once(const struct flow *flow, uint32_t seed)
{
	struct flow_state state;
	uint32_t number = 0;
	unsigned unclear = 0;

	flow_state_enter(&state);
	for (unsigned step = 0; step < WALK_STEPS && number < flow->instructions; step++) {
		const struct flow_instruction *i = &flow->instruction[number];
		const struct flow_piece *piece = flow->piece;
		while (number - piece->first >= piece->count)
			piece++;
		if (!flow_state_agrees(&state, &flow->row[i->row]))
			return;
		check_state(flow, number, &state, unclear);
		if (i->is.kind == AMD64_INDIRECT && i->is.reg != AMD64_NONE &&
		    state.value[i->is.reg].kind == FLOW_TARGET)
			return; /* a jump through a table, too */
		const struct flow_state before = state;
		flow_state_run(&state, &i->is,
		               (int64_t)(flow_va_after(piece, i) - flow->piece[0].va));
		for (unsigned k = 0; k < FLOW_SAVED_REGISTERS; k++) {
			const bool stores =
				(i->is.kind == AMD64_PUSH || i->is.kind == AMD64_STORE) &&
				i->is.reg == told[k];
			if (before.slot[k] != 0 && (stores || state.slot[k] == 0))
				unclear |= 1u << k;
		}
		seed = seed * 1103515245 + 12345;
		number = walk_on(flow, number, seed >> 16);
	}
}

static void follow_code(struct flow *flow, const uint8_t *data, size_t size)
{
	unsigned count = data[0] % (ROWS_MAX + 1), asked = 0;
	size_t head = 2 + (size_t)count * ROW_BYTES;

	if (size <= head)
		return;
	size_t left = size - head, first = left - data[1] % left;
	const uint8_t *code = data + head;
	enum flow_status want;
	bool second = first < left;

	flow_begin(flow, data[0] & 0x80);
	if (!lend_piece(flow, FIRST, code, first, data + 2, count))
		return;
	while (want = flow_run(flow), want == FLOW_NEEDS_PIECE || want == FLOW_NEEDS_TABLE) {
		ALWAYS(asked++ <= ASKED_MAX);
		bool lent = want == FLOW_NEEDS_TABLE
		                    ? lend_table(flow)
		                    : second && lend_piece(flow, flow->wanted.va, code + first,
		                                           left - first, data + 2, 0);
		second = second && (want == FLOW_NEEDS_TABLE || !lent);
		if (!lent)
			flow_reject(flow);
	}
	ALWAYS(flow->steps <= FLOW_STEPS + 2 * FLOW_INSTRUCTIONS);
	if (want == FLOW_FAILED)
		return;
	for (uint32_t piece = 0; piece < flow->pieces; piece++)
		check_facts(flow, piece);
	for (uint32_t i = 0; i < WALKS; i++)
		walk_once(flow, i * 7919 + (uint32_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct flow *flow;

	if (!flow)
		flow = malloc(sizeof(*flow));
	ALWAYS(flow);
	decode_anywhere(data, size);
	if (size > 2)
		follow_code(flow, data, size);
	return 0;
}
