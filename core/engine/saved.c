/* SPDX-License-Identifier: MIT */
#include "saved.h"

#include "amd64.h"
#include "arch.h"
#include "memory.h"
#include "rules.h"
#include "stores.h"

#include <string.h>

enum {
	WORD = 8,
	LEVELS = 64,      /* stack words above the CFA in which pushes are remembered */
	LINE_BYTES = 256, /* of straight code that is followed */
	LAST_BYTES = 7,   /* of the longest instruction judged by itself: sub $imm32,%rsp */
	ROWS_MAX = 4096,  /* of one function; a longer one is not judged */
	RBX = 3,
	RBP = 6,
	RSP = 7,
	NOTHING = 0xff,
};

static const uint8_t callee_saved[] = { RBX, 12, 13, 14, 15 };

/* A push behind `mov %rsp,%rbp`: how far below %rbp, and where its instruction ends. */
struct late_push {
	uint8_t reg;
	uint64_t below;
	uint64_t end; /* va */
};

struct walk {
	struct cairn_space *space;
	const struct module *module;
	uint8_t level[LEVELS]; /* [n]: the register pushed when the CFA offset became 8 * n */
	uint64_t height;       /* of the row in force: its CFA offset */
	bool framed;           /* the row in force counts from %rbp */
	bool explained;        /* the row in force is of a kind that we follow */
	bool begun;            /* the function began where a call arrives */
	struct late_push late[sizeof(callee_saved)];
	unsigned late_count;
	const struct sframe_table *table;
	struct sframe_function function;
	uint64_t pc;    /* va of the frame's pc */
	bool untouched; /* an entry of a PLT: it saves nothing */
	uint64_t line;  /* va where the straight line of late pushes begins; 0: none seen */
};

static size_t read_code(const struct walk *w, uint64_t va, uint8_t *code, size_t size)
{
	return memory_read_some(&w->space->target, va + w->module->bias, code, size);
}

static bool is_callee_saved(unsigned reg)
{
	for (size_t i = 0; i < sizeof(callee_saved); i++)
		if (callee_saved[i] == reg)
			return true;
	return false;
}

/* By its last bytes alone: a push, or the frame pointer's move; anything else counts as a branch.
 */
static void judge_last_bytes(const struct walk *w, uint64_t to, struct amd64_instruction *found)
{
	uint8_t code[LAST_BYTES];

	*found = (struct amd64_instruction){ .kind = AMD64_BRANCH };
	for (size_t size = LAST_BYTES; size > 0; size--) {
		struct amd64_instruction i;
		if (read_code(w, to - size, code, size) == size && amd64_decode(code, size, &i) &&
		    i.length == size && i.kind != AMD64_OTHER) {
			*found = i;
			return;
		}
	}
}

/*
 * The instruction that ends at `to`, found by following the code from `from`, where one begins;
 * over long distances, and where the code cannot be followed, by its last bytes.
 */
static void instruction_before(const struct walk *w, uint64_t from, uint64_t to,
                               struct amd64_instruction *found)
{
	uint8_t code[LINE_BYTES];
	size_t size = to - from <= LINE_BYTES ? (size_t)(to - from) : 0, at = 0;

	if (size > 0 && read_code(w, from, code, size) == size)
		while (at < size && amd64_decode(code + at, size - at, found))
			at += found->length;
	if (size == 0 || at != size)
		judge_last_bytes(w, to, found);
}

/* Behind `mov %rsp,%rbp` at `va`: the pushes up to the first instruction of another kind. */
static void follow_line(struct walk *w, uint64_t va)
{
	uint8_t code[LINE_BYTES];
	size_t size = read_code(w, va, code, sizeof(code)), at = 0;
	struct amd64_instruction i;
	uint64_t below = 0;

	w->line = va;
	w->late_count = 0;
	while (w->late_count < sizeof(callee_saved) && amd64_decode(code + at, size - at, &i) &&
	       i.kind != AMD64_BRANCH && i.kind != AMD64_STACK) {
		at += i.length;
		if (i.kind != AMD64_PUSH)
			continue;
		below += WORD;
		if (is_callee_saved(i.reg))
			w->late[w->late_count++] =
				(struct late_push){ (uint8_t)i.reg, below, va + at };
	}
}

static void enter_sp_row(struct walk *w, const struct cairn_rule *before, uint64_t before_va,
                         const struct cairn_rule *row, uint64_t va)
{
	struct amd64_instruction i;
	uint64_t level = (uint64_t)row->cfa.offset / WORD;
	bool grew =
		before && before->cfa.base == RSP && row->cfa.offset == before->cfa.offset + WORD;

	w->framed = false;
	w->height = (uint64_t)row->cfa.offset;
	if (!grew || level >= LEVELS)
		return;
	instruction_before(w, before_va, va, &i);
	if (i.kind == AMD64_BRANCH) /* the state of another path: what was pushed there is known */
		return;
	bool push = i.kind == AMD64_PUSH && is_callee_saved(i.reg);
	w->level[level] = push ? (uint8_t)i.reg : NOTHING;
}

static void enter_fp_row(struct walk *w, const struct cairn_rule *before, uint64_t before_va,
                         const struct cairn_rule *row, uint64_t va)
{
	struct amd64_instruction i = { .kind = AMD64_OTHER };

	w->framed = true;
	w->height = (uint64_t)row->cfa.offset;
	if (before && before->cfa.base == RSP && before->cfa.offset == row->cfa.offset)
		instruction_before(w, before_va, va, &i);
	if (i.kind == AMD64_SET_FRAME)
		follow_line(w, va);
	else if (w->line == 0)
		w->explained = false;
}

static void enter_row(struct walk *w, const struct cairn_rule *before, uint64_t before_va,
                      const struct cairn_rule *row, uint64_t va)
{
	bool plain = row->cfa.kind == CAIRN_PLACE_VALUE && row->cfa.offset > 0;

	w->explained = w->begun && plain;
	if (plain && row->cfa.base == RSP)
		enter_sp_row(w, before, before_va, row, va);
	else if (plain && row->cfa.base == RBP)
		enter_fp_row(w, before, before_va, row, va);
	else
		w->explained = false;
}

/* The rows of the function, up to the one in force at `va`. */
static bool walk_rows(struct walk *w, const struct sframe_table *table,
                      const struct sframe_function *function, uint64_t va)
{
	struct sframe_rows rows = sframe_rows(table, function);
	struct cairn_rule rule[2];
	struct sframe_row row;
	struct cairn_fault fault;
	uint64_t before_va = 0;
	unsigned count = 0;

	while (count < ROWS_MAX && sframe_next_row(&rows, &row) &&
	       row.start <= va - function->start) {
		struct cairn_rule *now = &rule[count % 2], *before = &rule[(count + 1) % 2];
		uint64_t row_va = function->start + row.start;
		if (sframe_rule(table, function, &row, now, &fault) != CAIRN_OK)
			return false;
		if (count == 0)
			w->begun = now->cfa.kind == CAIRN_PLACE_VALUE && now->cfa.base == RSP &&
			           now->cfa.offset == WORD;
		enter_row(w, count ? before : NULL, before_va, now, row_va);
		before_va = row_va;
		count++;
	}
	return count > 0 && count < ROWS_MAX && w->explained;
}

/* Where `reg` is on the stack now, by early or late pushes. */
static bool find_slot(const struct walk *w, unsigned reg, const struct cairn_registers *frame,
                      uint64_t cfa, uint64_t *address)
{
	for (uint64_t n = 2; n <= w->height / WORD && n < LEVELS; n++)
		if (w->level[n] == reg) {
			*address = cfa - n * WORD;
			return true;
		}
	for (unsigned i = 0; w->framed && i < w->late_count; i++) {
		const struct late_push *push = &w->late[i];
		uint64_t va = frame->pc - w->module->bias;
		bool ahead = va >= w->line && va < push->end;
		if (push->reg == reg && !ahead) {
			*address = frame->value[RBP] - push->below;
			return true;
		}
	}
	return false;
}

/* Is it among the pushes, be they in force or not?  Then a store of it is nothing but a spill. */
static bool is_pushed(const struct walk *w, unsigned reg)
{
	for (unsigned n = 0; n < LEVELS; n++)
		if (w->level[n] == reg)
			return true;
	for (unsigned i = 0; i < w->late_count; i++)
		if (w->late[i].reg == reg)
			return true;
	return false;
}

enum where {
	WHERE_REGISTER, /* not touched, or restored */
	WHERE_STACK,
	WHERE_UNKNOWN,
};

/*
 * A register that is stored by mov.  Such a store is part of a prologue when nothing branches
 * between it and the row before it, which begins where the stack pointer moved.
 */
static enum where find_store(const struct walk *w, const struct store *store, uint64_t cfa,
                             uint64_t *address)
{
	struct cairn_rule row;
	struct cairn_fault fault;
	bool framed = store->base == RBP;

	if (sframe_find_rule(w->table, &w->function, store->va, &row, &fault) != CAIRN_OK ||
	    row.cfa.kind != CAIRN_PLACE_VALUE || row.cfa.base != store->base ||
	    !stores_straight(w->space, w->module, row.start, store->va))
		return WHERE_UNKNOWN;
	bool in_frame = framed ? w->framed : w->framed || w->height >= (uint64_t)row.cfa.offset;
	if (!in_frame || (w->pc >= row.start && w->pc < store->end))
		return WHERE_REGISTER;
	if (w->pc < row.start)
		return WHERE_UNKNOWN;
	*address = cfa - (uint64_t)(row.cfa.offset - store->displacement);
	return WHERE_STACK;
}

static enum where find_register(struct walk *w, const struct stores *stores, unsigned reg,
                                const struct cairn_registers *frame, uint64_t cfa,
                                uint64_t *address)
{
	if (w->untouched)
		return WHERE_REGISTER;
	if (find_slot(w, reg, frame, cfa, address))
		return WHERE_STACK;
	if (is_pushed(w, reg))
		return WHERE_REGISTER;
	if (!stores)
		return WHERE_UNKNOWN;
	if (stores->of[reg].end)
		return find_store(w, &stores->of[reg], cfa, address);
	return stores->complete ? WHERE_REGISTER : WHERE_UNKNOWN;
}

static void recover(struct walk *w, const struct stores *stores, unsigned reg,
                    const struct cairn_registers *frame, uint64_t cfa,
                    struct cairn_registers *caller)
{
	uint64_t address, value;

	switch (find_register(w, stores, reg, frame, cfa, &address)) {
	case WHERE_REGISTER:
		if (register_known(frame, reg))
			register_set(caller, reg, frame->value[reg]);
		return;
	case WHERE_STACK:
		if (memory_word(&w->space->target, address, false, &value))
			register_set(caller, reg, value);
		return;
	case WHERE_UNKNOWN:
		return;
	}
}

/* Entries of a PLT push no registers: the repeated ones, and the first (pushl, jump). */
static bool is_plt(const struct walk *w, const struct sframe_function *function)
{
	static const uint8_t push_memory[] = { 0xff, 0x35 };
	uint8_t code[sizeof(push_memory)];

	return function->masked ||
	       (read_code(w, function->start, code, sizeof(code)) == sizeof(code) &&
	        memcmp(code, push_memory, sizeof(code)) == 0);
}

void saved_recover(struct cairn_space *space, struct module *module, const struct cairn_rule *rule,
                   const struct cairn_registers *frame, uint64_t cfa,
                   struct cairn_registers *caller)
{
	struct walk w = { .space = space, .module = module, .pc = frame->pc - module->bias };
	const struct stores *stores = NULL;

	if (frame->machine != CAIRN_MACHINE_AMD64 ||
	    !rules_function(module->rules, rule->function, &w.table, &w.function))
		return;
	for (unsigned i = 0; i < LEVELS; i++)
		w.level[i] = NOTHING;
	w.untouched = is_plt(&w, &w.function);
	if (!w.untouched) {
		if (!walk_rows(&w, w.table, &w.function, rule->start))
			return;
		stores = stores_of(space, module, &w.function);
	}
	for (size_t i = 0; i < sizeof(callee_saved); i++)
		recover(&w, stores, callee_saved[i], frame, cfa, caller);
}
