/* SPDX-License-Identifier: MIT */
/*
 * Analyzes the data flow of a function: manages the pieces of its code, applies instructions to
 * states, propagates states until they no longer change, and records the location of each register.
 */
#include "flow.h"

#include "base/invariant.h"

#include <string.h>

/*
 * Manages the function's pieces: decodes their instructions, and resolves the targets of jumps and
 * jump tables.
 */

enum { DISTANCE = 4 }; /* size of a jump table entry that is a distance from the table's start */

void flow_begin(struct flow *f, bool catches)
{
	f->catches = catches;
	f->code_size = f->instructions = f->rows = f->states = f->facts = 0;
	f->pieces = f->tables = f->targets = f->refusals = f->steps = 0;
	f->broken = 0;
	f->wild = f->failed = false;
	f->want = FLOW_DONE;
}

bool flow_has_piece(const struct flow *f, uint64_t va)
{
	for (uint32_t p = 0; p < f->pieces; p++)
		if (va - f->piece[p].va < f->piece[p].size)
			return true;
	return false;
}

uint8_t *flow_piece(struct flow *f, uint64_t va, uint32_t size)
{
	if (f->pieces == FLOW_PIECES || size == 0 || size > FLOW_CODE - f->code_size ||
	    flow_has_piece(f, va))
		return NULL;
	f->piece[f->pieces] = (struct flow_piece){ .va = va,
		                                   .size = size,
		                                   .at = f->code_size,
		                                   .first = f->instructions,
		                                   .first_row = f->rows };
	return f->code + f->code_size;
}

/* Append a row. Also count rows that do not fit, so that flow_close_piece() fails. */
void flow_row(struct flow *f, struct flow_row row)
{
	struct flow_piece *piece = &f->piece[f->pieces];

	if (f->rows < FLOW_ROWS)
		f->row[f->rows++] = row;
	piece->rows++;
}

static void add_instruction(struct flow *f, const struct amd64_instruction *is, uint32_t at,
                            uint32_t row)
{
	f->instruction[f->instructions++] = (struct flow_instruction){ .is = *is,
		                                                       .at = at,
		                                                       .target = FLOW_NOTHING,
		                                                       .state = FLOW_NOTHING,
		                                                       .table = FLOW_NOTHING,
		                                                       .row = (uint16_t)row };
}

static bool decode_piece(struct flow *f, const struct flow_piece *piece)
{
	const uint32_t end = piece->at + piece->size, last_row = f->rows - 1;
	uint32_t row = piece->first_row;
	struct amd64_instruction is;

	for (uint32_t at = piece->at; at < end; at += is.length) {
		if (f->instructions == FLOW_INSTRUCTIONS ||
		    !amd64_decode(f->code + at, end - at, &is))
			return false;
		while (row < last_row && f->row[row + 1].start <= at - piece->at)
			row++;
		add_instruction(f, &is, at, row);
	}
	return true;
}

bool flow_close_piece(struct flow *f)
{
	struct flow_piece *piece = &f->piece[f->pieces];

	if (piece->rows == 0 || f->rows - piece->first_row != piece->rows ||
	    !decode_piece(f, piece)) {
		f->instructions = piece->first;
		f->rows = piece->first_row;
		return false;
	}
	piece->count = f->instructions - piece->first;
	f->code_size += piece->size;
	f->pieces++;
	return true;
}

static uint32_t find_instruction(const struct flow *f, uint64_t va)
{
	const struct flow_piece *piece = f->piece, *end = f->piece + f->pieces;

	while (piece < end && va - piece->va >= piece->size)
		piece++;
	if (piece == end)
		return FLOW_NOTHING;
	uint32_t at = piece->at + (uint32_t)(va - piece->va), base = piece->first;
	for (uint32_t left = piece->count; left > 1;) {
		uint32_t half = left / 2;
		if (f->instruction[base + half].at <= at)
			base += half;
		left -= half;
	}
	return f->instruction[base].at == at ? base : FLOW_NOTHING;
}

uint64_t flow_va_after(const struct flow_piece *piece, const struct flow_instruction *i)
{
	return piece->va + (i->at - piece->at) + i->is.length;
}

static enum flow_status flow_request(struct flow *f, enum flow_status what, struct flow_need wanted)
{
	f->wanted = wanted;
	return f->want = what;
}

static bool was_refused(const struct flow *f, uint64_t va)
{
	for (uint32_t i = 0; i < f->refusals; i++)
		if (f->refused[i] == va)
			return true;
	return f->refusals == FLOW_REJECTED_MAX;
}

/*
 * Resolve a jump's target. If the target is outside of all pieces and has not been rejected,
 * request the piece that contains it.
 */
static void link_jump(struct flow *f, const struct flow_piece *piece, struct flow_instruction *i)
{
	uint64_t to = flow_va_after(piece, i) + (uint64_t)(int64_t)i->is.displacement;

	i->target = find_instruction(f, to);
	if (i->target != FLOW_NOTHING)
		f->instruction[i->target].landing = true;
	else if (flow_has_piece(f, to))
		f->failed = true; /* the jump leads into the middle of an instruction */
	else if (f->want == FLOW_DONE && f->pieces < FLOW_PIECES && !was_refused(f, to))
		flow_request(f, FLOW_NEEDS_PIECE, (struct flow_need){ .va = to });
}

/* Resolve all jump targets. May request the piece that contains a target. */
static void flow_link_jumps(struct flow *f)
{
	for (uint32_t p = 0; p < f->pieces && f->want == FLOW_DONE; p++) {
		const struct flow_piece *piece = &f->piece[p];
		for (uint32_t n = 0; n < piece->count; n++) {
			struct flow_instruction *i = &f->instruction[piece->first + n];
			if (i->is.kind == AMD64_JUMP || i->is.kind == AMD64_BRANCH)
				link_jump(f, piece, i);
		}
	}
}

bool flow_link(struct flow *f)
{
	f->want = FLOW_DONE;
	flow_link_jumps(f);
	return f->want != FLOW_DONE;
}

static struct flow_table *flow_find_table(struct flow *f, uint64_t va)
{
	for (uint32_t t = 0; t < f->tables; t++)
		if (f->table[t].va == va)
			return &f->table[t];
	return NULL;
}

/*
 * If both jump tables contain distances from their own start, end the first table where the second
 * one begins, because the entries from there on belong to the second table.
 */
static void cut_table(struct flow_table *table, const struct flow_table *next)
{
	uint64_t apart = next->va - table->va;

	if (table->size == DISTANCE && next->size == DISTANCE && next->va > table->va &&
	    apart / DISTANCE < table->count)
		table->count = (uint32_t)(apart / DISTANCE);
}

/*
 * Return the requested jump table. Create it if this is its first entry, or if it is rejected and
 * has no entries.
 */
static struct flow_table *wanted_table(struct flow *f)
{
	struct flow_table *table = flow_find_table(f, f->wanted.va);

	if (!table) {
		table = &f->table[f->tables++];
		*table = (struct flow_table){ f->wanted.va, f->targets, 0, f->wanted.size };
		for (uint32_t t = 0; t + 1 < f->tables; t++)
			cut_table(&f->table[t], table);
	}
	return table;
}

static bool is_full(const struct flow *f, const struct flow_table *table)
{
	struct flow_table grown = *table;

	grown.count++;
	for (uint32_t t = 0; t < f->tables; t++)
		cut_table(&grown, &f->table[t]);
	return grown.count == table->count;
}

bool flow_target(struct flow *f, uint64_t va)
{
	uint32_t target = find_instruction(f, va);

	if (target == FLOW_NOTHING || f->targets == FLOW_TARGETS)
		return false;
	struct flow_table *table = wanted_table(f);
	if (is_full(f, table))
		return false;
	table->count++;
	f->target[f->targets++] = target;
	return true;
}

void flow_reject(struct flow *f)
{
	if (f->want == FLOW_NEEDS_TABLE)
		wanted_table(f);
	else if (f->want == FLOW_NEEDS_PIECE && f->refusals < FLOW_REJECTED_MAX)
		f->refused[f->refusals++] = f->wanted.va;
}

/*
 * Operations on data-flow states: the values of registers, and the stack slots that contain the
 * caller's registers. Stack locations are relative to the CFA. A call invalidates the slots below
 * the stack pointer (in the red zone), because only leaf functions may use this area. Moving the
 * stack pointer above a slot also invalidates the slot.
 */

enum {
	WORD = 8,
	FAR = 1 << 30, /* larger offsets are not tracked, so that sums cannot overflow */
	RED_ZONE = 128,
	ARRIVAL_SP = -WORD, /* offset of the return address from the CFA */
};

/* Bit mask of the registers that a call may change. */
#define SCRATCH (1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 15u << 8)

static const uint8_t kept_registers[FLOW_TRACKED_REGISTERS] = {
	AMD64_RBX, 12, 13, 14, 15, AMD64_RBP
};

/*
 * Return the index of a DWARF register in kept_registers, or FLOW_TRACKED_REGISTERS if it is not
 * tracked.
 */
static unsigned find_tracked(unsigned reg)
{
	unsigned k = 0;

	while (k < FLOW_TRACKED_REGISTERS && kept_registers[k] != reg)
		k++;
	return k;
}

static struct flow_value make_value(enum flow_kind kind, int64_t number)
{
	bool near = number > -FAR && number < FAR;

	return (struct flow_value){ .kind = near ? kind : FLOW_OTHER,
		                    .number = near && kind != FLOW_OTHER ? (int32_t)number : 0 };
}

static const struct flow_value other = { FLOW_OTHER, 0 };

static bool same_value(struct flow_value a, struct flow_value b)
{
	return a.kind == b.kind && a.number == b.number;
}

void flow_state_enter(struct flow_state *state)
{
	memset(state, 0, sizeof(*state));
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		state->value[i] = other;
	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++)
		state->value[kept_registers[k]] = make_value(FLOW_CALLERS, kept_registers[k]);
	state->value[AMD64_RSP] = make_value(FLOW_CFA, ARRIVAL_SP);
}

bool flow_state_agrees(struct flow_state *state, const struct flow_row *row)
{
	if (row->base == AMD64_NONE)
		return true;
	struct flow_value *base = &state->value[row->base];
	const struct flow_value told = make_value(FLOW_CFA, -(int64_t)row->offset);
	if (base->kind == FLOW_OTHER)
		*base = told;
	return same_value(*base, told);
}

/*
 * Reduce `state` to the facts that it shares with `from`. Return true if `state` lost facts or has
 * been reached for the first time.
 */
static bool flow_state_join(struct flow_state *state, const struct flow_state *from)
{
	bool changed = !state->reached;

	if (changed) {
		*state = *from;
		state->reached = true;
		return true;
	}
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		if (state->value[i].kind != FLOW_OTHER &&
		    !same_value(state->value[i], from->value[i])) {
			state->value[i] = other;
			changed = true;
		}
	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++)
		if (state->slot[k] && state->slot[k] != from->slot[k]) {
			state->slot[k] = 0;
			changed = true;
		}
	return changed;
}

/* Invalidate the slots that a write of `width` bytes at offset `at` from the CFA overlaps. */
static void write_stack(struct flow_state *state, int64_t at, int64_t width)
{
	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++)
		if (state->slot[k] && state->slot[k] < at + width && state->slot[k] + WORD > at)
			state->slot[k] = 0;
}

static void write_memory(struct flow_state *state, const struct amd64_instruction *i)
{
	if (i->width == 0 || i->base == AMD64_NONE || state->value[i->base].kind != FLOW_CFA)
		return;
	write_stack(state, (int64_t)state->value[i->base].number + i->displacement, i->width);
}

static void drop_below_stack(struct flow_state *state)
{
	const struct flow_value *sp = &state->value[AMD64_RSP];

	for (unsigned k = 0; sp->kind == FLOW_CFA && k < FLOW_TRACKED_REGISTERS; k++)
		if (state->slot[k] < sp->number)
			state->slot[k] = 0;
}

static void set_value(struct flow_state *state, unsigned reg, struct flow_value value)
{
	state->value[reg] = value;
	if (reg == AMD64_RSP)
		drop_below_stack(state);
}

static void change_registers(struct flow_state *state, unsigned bits)
{
	for (unsigned i = 0; bits; i++, bits >>= 1)
		if (bits & 1)
			state->value[i] = other;
}

/*
 * Store a register at offset `at` from the CFA. The location becomes a slot if it lies between the
 * red zone and the return address.
 */
static void store_register(struct flow_state *state, unsigned reg, int64_t at)
{
	const struct flow_value *value = &state->value[reg];
	const struct flow_value *sp = &state->value[AMD64_RSP];

	write_stack(state, at, WORD);
	if (value->kind != FLOW_CALLERS || at % WORD != 0 || at > 2 * ARRIVAL_SP || at <= -FAR ||
	    (sp->kind == FLOW_CFA && at < (int64_t)sp->number - RED_ZONE))
		return;
	unsigned k = find_tracked((unsigned)value->number);
	if (k < FLOW_TRACKED_REGISTERS && state->slot[k] == 0)
		state->slot[k] = (int32_t)at;
}

/*
 * Return the value at offset `at` from the CFA. Loading a caller's register back into the same
 * register invalidates its slot.
 */
static struct flow_value load_slot(struct flow_state *state, unsigned reg, int64_t at)
{
	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++) {
		if (state->slot[k] == 0 || state->slot[k] != at)
			continue;
		if (kept_registers[k] == reg)
			state->slot[k] = 0;
		return make_value(FLOW_CALLERS, kept_registers[k]);
	}
	return other;
}

static void move_stack(struct flow_state *state, int32_t bytes)
{
	struct flow_value *sp = &state->value[AMD64_RSP];

	if (sp->kind == FLOW_CFA)
		set_value(state, AMD64_RSP, make_value(FLOW_CFA, (int64_t)sp->number + bytes));
	else
		*sp = other;
}

static void push_register(struct flow_state *state, const struct amd64_instruction *i)
{
	struct flow_value value = i->reg == AMD64_NONE ? other : state->value[i->reg];

	move_stack(state, -WORD);
	const struct flow_value *sp = &state->value[AMD64_RSP];
	if (sp->kind != FLOW_CFA)
		return;
	if (i->reg != AMD64_NONE && value.kind == FLOW_CALLERS)
		store_register(state, i->reg, sp->number);
	else
		write_stack(state, sp->number, WORD);
}

static void pop_register(struct flow_state *state, unsigned reg)
{
	const struct flow_value *sp = &state->value[AMD64_RSP];
	struct flow_value value = sp->kind == FLOW_CFA ? load_slot(state, reg, sp->number) : other;

	move_stack(state, WORD);
	if (reg != AMD64_NONE)
		set_value(state, reg, value);
}

static void set_address_value(struct flow_state *state, const struct amd64_instruction *i)
{
	struct flow_value value = state->value[i->base];

	if (value.kind == FLOW_CFA || value.kind == FLOW_CODE_ADDRESS)
		value = make_value(value.kind, (int64_t)value.number + i->displacement);
	else if (i->displacement != 0)
		value = other;
	set_value(state, i->reg, value);
}

static void set_sum(struct flow_state *state, const struct amd64_instruction *i)
{
	struct flow_value a = state->value[i->reg], b = state->value[i->base];
	bool target = (a.kind == FLOW_TABLE_ENTRY && b.kind == FLOW_CODE_ADDRESS) ||
	              (a.kind == FLOW_CODE_ADDRESS && b.kind == FLOW_TABLE_ENTRY);

	set_value(state, i->reg,
	          target && a.number == b.number ? make_value(FLOW_TARGET, a.number) : other);
}

static void access_stack(struct flow_state *state, const struct amd64_instruction *i)
{
	const struct flow_value *base = &state->value[i->base];
	bool known = base->kind == FLOW_CFA;
	int64_t at = known ? (int64_t)base->number + i->displacement : 0;

	if (i->kind == AMD64_LOAD)
		set_value(state, i->reg, known ? load_slot(state, i->reg, at) : other);
	else if (known)
		store_register(state, i->reg, at);
}

void flow_state_run(struct flow_state *state, const struct amd64_instruction *i, int64_t end)
{
	change_registers(state, i->writes);
	switch ((enum amd64_kind)i->kind) {
	case AMD64_ADDRESS:
		set_address_value(state, i);
		break;
	case AMD64_HERE:
		set_value(state, i->reg, make_value(FLOW_CODE_ADDRESS, end + i->displacement));
		break;
	case AMD64_ENTRY:
		set_value(state, i->reg,
		          state->value[i->base].kind == FLOW_CODE_ADDRESS
		                  ? make_value(FLOW_TABLE_ENTRY, state->value[i->base].number)
		                  : other);
		break;
	case AMD64_SUM:
		set_sum(state, i);
		break;
	case AMD64_PUSH:
		push_register(state, i);
		break;
	case AMD64_POP:
		pop_register(state, i->reg);
		write_memory(state, i);
		break;
	case AMD64_LEAVE:
		set_value(state, AMD64_RSP, state->value[AMD64_RBP]);
		pop_register(state, AMD64_RBP);
		break;
	case AMD64_STORE:
	case AMD64_LOAD:
		access_stack(state, i);
		break;
	case AMD64_CALL:
		change_registers(state, SCRATCH);
		drop_below_stack(state);
		break;
	case AMD64_OTHER:
		write_memory(state, i);
		break;
	case AMD64_JUMP:
	case AMD64_BRANCH:
	case AMD64_INDIRECT:
	case AMD64_TABLE_JUMP:
	case AMD64_RETURN:
	case AMD64_STOP:
		break;
	}
}

/* Return a bit mask of the tracked registers that do not have the caller's value. */
static uint8_t flow_state_lost(const struct flow_state *state)
{
	uint8_t lost = 0;

	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++)
		if (!same_value(state->value[kept_registers[k]],
		                make_value(FLOW_CALLERS, kept_registers[k])))
			lost |= (uint8_t)(1u << k);
	return lost;
}

/* Records the results of the data flow: the location of each register for each range of pcs. */

static const uint8_t reported_registers[FLOW_SAVED_REGISTERS] = { AMD64_RBX, 12, 13, 14, 15 };

/* Walks over a piece in address order. `state` is the state before the current instruction. */
struct reporter {
	struct flow *flow;
	const struct flow_piece *piece;
	struct flow_state state;
};

static int16_t locate_saved_register(const struct flow_state *state, unsigned told)
{
	const struct flow_value *value = &state->value[reported_registers[told]];
	int32_t slot = state->slot[told];

	if (slot % WORD == 0 && slot / WORD < 0 && slot / WORD >= INT16_MIN)
		return (int16_t)(slot / WORD);
	bool same = value->kind == FLOW_CALLERS && value->number == reported_registers[told];
	return same && slot == 0 ? FLOW_SAME : FLOW_UNKNOWN;
}

static bool append_flow_fact(struct reporter *t, uint32_t start)
{
	struct flow *f = t->flow;
	struct flow_fact fact = { .start = start },
			 *last = f->facts ? &f->fact[f->facts - 1] : NULL;

	for (unsigned k = 0; k < FLOW_SAVED_REGISTERS; k++)
		fact.where[k] =
			t->state.reached ? locate_saved_register(&t->state, k) : FLOW_UNKNOWN;
	if (f->facts > t->piece->first_fact &&
	    memcmp(last->where, fact.where, sizeof(fact.where)) == 0)
		return true;
	if (f->facts == FLOW_FACTS)
		return false;
	f->fact[f->facts++] = fact;
	return true;
}

static void enter_instruction(struct reporter *t, const struct flow_instruction *i)
{
	const struct flow *f = t->flow;

	if (i->state != FLOW_NOTHING)
		t->state = f->state[i->state];
	if (t->state.reached && !flow_state_agrees(&t->state, &f->row[i->row]))
		t->state.reached = false;
}

static void pass_instruction(struct reporter *t, const struct flow_instruction *i)
{
	const uint64_t end = flow_va_after(t->piece, i);

	if (!t->state.reached)
		return;
	if (i->is.kind == AMD64_RETURN)
		t->flow->broken |= flow_state_lost(&t->state);
	flow_state_run(&t->state, &i->is, (int64_t)(end - t->flow->piece[0].va));
	t->state.reached = amd64_goes_on((enum amd64_kind)i->is.kind);
}

static bool append_piece_facts(struct flow *f, struct flow_piece *piece)
{
	struct reporter t = { .flow = f, .piece = piece };

	piece->first_fact = f->facts;
	for (uint32_t n = 0; n < piece->count; n++) {
		const struct flow_instruction *i = &f->instruction[piece->first + n];
		enter_instruction(&t, i);
		if (!append_flow_fact(&t, i->at - piece->at))
			return false;
		pass_instruction(&t, i);
	}
	piece->facts = f->facts - piece->first_fact;
	return true;
}

/*
 * Record the facts for all pieces after the states have settled. Return false if there are too many
 * facts.
 */
static bool flow_write_facts(struct flow *f)
{
	f->facts = 0;
	f->broken = 0;
	for (uint32_t p = 0; p < f->pieces; p++)
		if (!append_piece_facts(f, &f->piece[p]))
			return false;
	for (uint32_t n = 0; n < f->facts; n++)
		for (unsigned k = 0; k < FLOW_SAVED_REGISTERS; k++)
			if (f->broken >> k & 1)
				f->fact[n].where[k] = FLOW_UNKNOWN;
	return true;
}

/*
 * Return true for an instruction without effect, which compilers insert before aligned addresses.
 */
static bool is_padding(const struct amd64_instruction *i)
{
	return i->kind == AMD64_OTHER && i->writes == 0 && i->width == 0;
}

/*
 * Return true if an exception may land at the instruction: after a call, after padding, or if the
 * previous instruction does not fall through.
 */
static bool is_pad(const struct flow *f, uint32_t number)
{
	if (!f->catches || number == 0)
		return false;
	enum amd64_kind before = (enum amd64_kind)f->instruction[number - 1].is.kind;
	return before == AMD64_CALL || !amd64_goes_on(before) ||
	       is_padding(&f->instruction[number - 1].is);
}

/* Create a state for each instruction that can be reached other than by falling through. */
static void place_states(struct flow *f)
{
	f->states = 0;
	for (uint32_t n = 0; n < f->targets; n++)
		f->instruction[f->target[n]].landing = true;
	for (uint32_t n = 0; n < f->instructions && !f->failed; n++) {
		struct flow_instruction *i = &f->instruction[n];
		i->state = FLOW_NOTHING;
		if (!i->landing && !f->wild && n != 0 && !is_pad(f, n))
			continue;
		f->failed = f->states == FLOW_STATES;
		if (f->failed)
			break;
		f->place[f->states] = n;
		i->state = f->states++;
		f->state[i->state].reached = f->state[i->state].changed = false;
	}
}

static const struct flow_row *row_of(const struct flow *f, uint32_t number)
{
	return &f->row[f->instruction[number].row];
}

/* Merge `from`, the state on one path to instruction `number`, into the instruction's state. */
static void reach_instruction(struct flow *f, uint32_t number, const struct flow_state *from)
{
	struct flow_state state = *from;
	struct flow_state *to = &f->state[f->instruction[number].state];

	f->steps++;
	if (!flow_state_agrees(&state, row_of(f, number)) || !flow_state_join(to, &state))
		return;
	to->changed = true;
	if (f->instruction[number].state < f->lowest)
		f->lowest = f->instruction[number].state;
}

/*
 * Merge the state at a call into the facts of all calls with the same stack pointer, and propagate
 * these facts to all landing pads.
 */
static void throw_from(struct flow *f, const struct flow_state *state)
{
	const struct flow_value *sp = &state->value[AMD64_RSP];
	uint32_t h = 0;

	while (h < f->heights && (f->thrown[h].value[AMD64_RSP].kind != sp->kind ||
	                          f->thrown[h].value[AMD64_RSP].number != sp->number))
		h++;
	if (h == FLOW_HEIGHTS) {
		f->failed = true;
		return;
	}
	if (h == f->heights)
		f->thrown[f->heights++].reached = false;
	if (!flow_state_join(&f->thrown[h], state))
		return;
	for (uint32_t s = 0; s < f->states && f->steps < FLOW_STEPS; s++)
		if (is_pad(f, f->place[s]))
			reach_instruction(f, f->place[s], &f->thrown[h]);
}

static void reach_all(struct flow *f, const struct flow_state *state)
{
	for (uint32_t n = 0; n < f->instructions && f->steps < FLOW_STEPS; n++)
		reach_instruction(f, n, state);
}

/* Return true if the caller's frame has been restored, so that a jump is a tail call. */
static bool is_tail_call(const struct flow_state *state)
{
	const struct flow_value *sp = &state->value[AMD64_RSP];

	return sp->kind == FLOW_CFA && sp->number == -8 && flow_state_lost(state) == 0;
}

static void jump_by_table(struct flow *f, const struct flow_state *state, struct flow_need wanted)
{
	const struct flow_table *table = flow_find_table(f, wanted.va);

	for (uint32_t n = 0; table && n < table->count; n++)
		reach_instruction(f, f->target[table->first + n], state);
	if (table && table->count > 0)
		return;
	if (!table && f->tables < FLOW_TABLES)
		flow_request(f, FLOW_NEEDS_TABLE, wanted);
	else if (f->wild)
		reach_all(f, state);
	else if (!is_tail_call(state))
		f->wild = f->want == FLOW_DONE;
}

static void jump_indirectly(struct flow *f, const struct amd64_instruction *i,
                            const struct flow_state *state)
{
	const struct flow_value *value = i->reg == AMD64_NONE ? NULL : &state->value[i->reg];
	uint64_t here = f->piece[0].va;

	if (i->kind == AMD64_TABLE_JUMP) {
		jump_by_table(
			f, state,
			(struct flow_need){ .va = (uint64_t)(int64_t)i->displacement, .size = 8 });
	} else if (value && value->kind == FLOW_TARGET) {
		uint64_t va = here + (uint64_t)(int64_t)value->number;
		jump_by_table(f, state, (struct flow_need){ va, va, 4, 0 });
	} else if (f->wild) {
		reach_all(f, state);
	} else if (!is_tail_call(state)) {
		f->wild = true;
	}
}

/*
 * Propagate the state to the targets of the instruction's jump. Return false if the instruction
 * does not fall through.
 */
static bool leave_instruction(struct flow *f, const struct flow_instruction *i,
                              const struct flow_state *state)
{
	const enum amd64_kind kind = (enum amd64_kind)i->is.kind;

	if (i->target != FLOW_NOTHING)
		reach_instruction(f, i->target, state);
	else if (kind == AMD64_INDIRECT || kind == AMD64_TABLE_JUMP)
		jump_indirectly(f, &i->is, state);
	return amd64_goes_on(kind);
}

/*
 * Follow code from an instruction with a state to the next instruction with a state, or until the
 * code does not fall through.
 */
static void follow_line(struct flow *f, const struct flow_piece *piece, uint32_t number)
{
	const uint32_t end = piece->first + piece->count;
	struct flow_state state = f->state[f->instruction[number].state];

	for (uint32_t n = number;;) {
		const struct flow_instruction *i = &f->instruction[n];
		f->steps++;
		flow_state_run(&state, &i->is, (int64_t)(flow_va_after(piece, i) - f->piece[0].va));
		if (f->catches && i->is.kind == AMD64_CALL)
			throw_from(f, &state);
		if (!leave_instruction(f, i, &state) || ++n == end)
			return;
		if (f->instruction[n].state != FLOW_NOTHING) {
			reach_instruction(f, n, &state);
			return;
		}
		if (!flow_state_agrees(&state, row_of(f, n)))
			return;
	}
}

static bool is_over(const struct flow *f, bool wild)
{
	return f->failed || f->want != FLOW_DONE || f->steps >= FLOW_STEPS || f->wild != wild;
}

static const struct flow_piece *piece_of(const struct flow *f, uint32_t number)
{
	const struct flow_piece *piece = f->piece;

	while (number - piece->first >= piece->count)
		piece++;
	return piece;
}

static void sweep_states(struct flow *f, uint32_t from, bool wild)
{
	for (uint32_t s = from; s < f->states && !is_over(f, wild); s++) {
		f->steps++;
		if (!f->state[s].changed)
			continue;
		f->state[s].changed = false;
		follow_line(f, piece_of(f, f->place[s]), f->place[s]);
	}
}

/*
 * Propagate states until they no longer change. Each pass begins at the lowest state that the
 * previous pass changed.
 */
static void settle_states(struct flow *f)
{
	const bool wild = f->wild;
	struct flow_state entry;

	place_states(f);
	f->lowest = FLOW_NOTHING;
	f->heights = 0;
	flow_state_enter(&entry);
	reach_instruction(f, 0, &entry);
	while (f->lowest != FLOW_NOTHING && !is_over(f, wild)) {
		uint32_t from = f->lowest;
		f->lowest = FLOW_NOTHING;
		sweep_states(f, from, wild);
	}
}

enum flow_status flow_run(struct flow *f)
{
	bool wild;

	f->want = FLOW_DONE;
	f->failed = f->failed || f->pieces == 0;
	do {
		wild = f->wild;
		flow_link_jumps(f);
		if (f->want == FLOW_DONE && !f->failed)
			settle_states(f);
	} while (f->wild != wild && !is_over(f, f->wild));
	if (f->want != FLOW_DONE)
		return f->want;
	f->failed = f->failed || f->steps >= FLOW_STEPS || !flow_write_facts(f);
	return f->failed ? FLOW_FAILED : FLOW_DONE;
}

const struct flow_fact *flow_facts(const struct flow *f, uint32_t piece, uint32_t *count)
{
	INVARIANT(piece < f->pieces);
	*count = f->piece[piece].facts;
	return f->fact + f->piece[piece].first_fact;
}
