/* SPDX-License-Identifier: MIT */
/* Registers tables: a CIE, an FDE for each function, and a zero word. */
#include "unwinder.h"

#include "index.h"
#include "rule.h"

#include <dlfcn.h>
#include <string.h>

enum {
	JOINED = 16,
	TABLE_LEVELS = 4,
	FDE_HEAD =
		25, /* bytes before the instructions: length, CIE, start, size, no augmentation */
	TABLE_END = 4,
};

struct cairn_jit_table {
	struct cairn_jit_bytes bytes;
	struct cairn_jit_code **code; /* in the order of the FDEs; NULL: it is gone, and settled */
	uint32_t count, live;
	uint32_t level;
};

typedef void change_table(void *table);

static struct {
	bool looked,
		single; /* single: LLVM's, which takes one FDE, and has its own way to find it */
	change_table *add, *drop;
} unwinder;

static struct {
	struct cairn_jit_table *table[JOINED];
	uint32_t count;
} table_level[TABLE_LEVELS];

/* POSIX lets a pointer to data be one to a function. */
static change_table *find_symbol(void *library, const char *name)
{
	void *found = library ? dlsym(library, name) : NULL;
	change_table *function;

	memcpy(&function, &found, sizeof(function));
	return function;
}

/* backtrace() opens libgcc_s by itself, so that the program need not be linked with it. */
static void find_unwinder(void)
{
	void *program = dlopen(NULL, RTLD_NOW);

	unwinder.looked = true;
	unwinder.add = find_symbol(program, "__unw_add_dynamic_fde");
	unwinder.drop = find_symbol(program, "__unw_remove_dynamic_fde");
	unwinder.single = unwinder.add && unwinder.drop;
	if (unwinder.single)
		return;
	void *libgcc = dlopen("libgcc_s.so.1", RTLD_NOW);
	unwinder.add = find_symbol(libgcc ? libgcc : program, "__register_frame");
	unwinder.drop = find_symbol(libgcc ? libgcc : program, "__deregister_frame");
	if (!unwinder.drop)
		unwinder.add = NULL;
}

static void *locate_table(const struct cairn_jit_table *table)
{
	return table->bytes.data + (unwinder.single ? CIE_BYTES : 0);
}

static struct cairn_jit_table *make_table(uint32_t room)
{
	struct cairn_jit_table *table = cairn_jit_allocate(sizeof(*table));

	if (!table)
		return NULL;
	table->level = TABLE_LEVELS;
	table->count = room;
	table->code = cairn_jit_allocate(room * sizeof(struct cairn_jit_code *));
	table->bytes.failed = !table->code;
	cairn_jit_write_cie(&table->bytes, CIE_ABSOLUTE);
	return table;
}

static void free_table(struct cairn_jit_table *table)
{
	cairn_jit_free(table->bytes.data, table->bytes.room);
	cairn_jit_free(table->code, table->count * sizeof(struct cairn_jit_code *));
	cairn_jit_free(table, sizeof(*table));
}

static void put_fde(struct cairn_jit_bytes *bytes, const struct cairn_jit_facts *facts)
{
	const uint32_t whole = (FDE_HEAD + facts->frame_size + 7) & ~7u;

	cairn_jit_put_number(bytes, whole - 4, 4);
	cairn_jit_put_number(bytes, bytes->size, 4); /* the CIE is at 0 */
	cairn_jit_put_number(bytes, facts->start, 8);
	cairn_jit_put_number(bytes, facts->size, 8);
	cairn_jit_put_number(bytes, 0, 1);
	cairn_jit_put(bytes, facts->frame, facts->frame_size);
	while (bytes->size % 8 && !bytes->failed)
		cairn_jit_put_number(bytes, 0, 1);
}

static void take_table(struct cairn_jit_table *table)
{
	if (table->level == TABLE_LEVELS)
		return;
	for (uint32_t i = 0; i < table_level[table->level].count; i++)
		if (table_level[table->level].table[i] == table) {
			table_level[table->level].table[i] =
				table_level[table->level].table[--table_level[table->level].count];
			break;
		}
	table->level = TABLE_LEVELS;
}

/* Its functions that are gone are in no table then. */
static void drop_table(struct cairn_jit_table *table)
{
	take_table(table);
	unwinder.drop(locate_table(table));
	for (uint32_t i = 0; i < table->count; i++)
		if (table->code[i] && table->code[i]->table == table) {
			table->code[i]->table = NULL;
			cairn_jit_code_settle(table->code[i]);
		}
	free_table(table);
}

/* Appends the FDEs of functions that are there; they refer to the new table. */
static void move_codes(struct cairn_jit_table *to, uint32_t *count, struct cairn_jit_table *from)
{
	const uint8_t *fde = from->bytes.data + CIE_BYTES;

	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t size;

		memcpy(&size, fde, 4);
		if (from->code[i] && !from->code[i]->gone) {
			const size_t at = to->bytes.size;
			const uint32_t cie = (uint32_t)at + 4;

			cairn_jit_put(&to->bytes, fde, size + 4);
			if (!to->bytes.failed)
				memcpy(to->bytes.data + at + 4, &cie, 4);
			to->code[(*count)++] = from->code[i];
		}
		fde += size + 4;
	}
}

static void own_codes(struct cairn_jit_table *table)
{
	for (uint32_t i = 0; i < table->count; i++) {
		table->code[i]->table = table;
		table->code[i]->entry = i;
	}
	table->live = table->count;
}

/* One table of several.  NULL: memory is short, and nothing happened. */
static struct cairn_jit_table *join_tables(struct cairn_jit_table **tables, uint32_t number)
{
	uint32_t room = 0, count = 0;

	for (uint32_t i = 0; i < number; i++)
		room += tables[i]->live;
	struct cairn_jit_table *joined = make_table(room);
	for (uint32_t i = 0; joined && joined->code && i < number; i++)
		move_codes(joined, &count, tables[i]);
	if (joined)
		cairn_jit_put_number(&joined->bytes, 0, TABLE_END);
	if (!joined || !joined->bytes.failed)
		return joined;
	free_table(joined);
	return NULL;
}

static uint32_t find_table_level(const struct cairn_jit_table *table)
{
	uint32_t number = 0;

	for (uint32_t live = table->live; live >= JOINED && number < TABLE_LEVELS; live /= JOINED)
		number++;
	return number;
}

static struct cairn_jit_table *join_level(uint32_t number)
{
	struct cairn_jit_table *old[JOINED];

	memcpy(old, table_level[number].table, sizeof(old));
	struct cairn_jit_table *joined = join_tables(old, JOINED);
	if (joined)
		own_codes(joined);
	for (uint32_t i = 0; i < JOINED; i++) {
		old[i]->level = TABLE_LEVELS;
		if (joined)
			drop_table(old[i]);
	}
	table_level[number].count = 0;
	return joined;
}

static void register_table(struct cairn_jit_table *table)
{
	while (table) {
		const uint32_t number =
			unwinder.single ? (uint32_t)TABLE_LEVELS : find_table_level(table);

		unwinder.add(locate_table(table));
		table->level = number;
		if (number == TABLE_LEVELS)
			return;
		table_level[number].table[table_level[number].count++] = table;
		table = table_level[number].count == JOINED ? join_level(number) : NULL;
	}
}

CAIRN_JIT_INTERNAL void cairn_jit_unwinder_add(struct cairn_jit_code *code,
                                               const struct cairn_jit_facts *facts)
{
	if (!unwinder.looked)
		find_unwinder();
	struct cairn_jit_table *table = unwinder.add ? make_table(1) : NULL;
	if (!table)
		return;
	put_fde(&table->bytes, facts);
	cairn_jit_put_number(&table->bytes, 0, TABLE_END);
	if (table->bytes.failed) {
		free_table(table);
		return;
	}
	table->code[0] = code;
	own_codes(table);
	register_table(table);
}

CAIRN_JIT_INTERNAL void cairn_jit_unwinder_remove(struct cairn_jit_code *code)
{
	struct cairn_jit_table *table = code->table;

	if (--table->live == 0)
		drop_table(table);
	else if (table->live < table->count / 2)
		cairn_jit_unwinder_forget(code);
}

CAIRN_JIT_INTERNAL void cairn_jit_unwinder_forget(struct cairn_jit_code *code)
{
	struct cairn_jit_table *table = code->table;
	struct cairn_jit_table *joined = join_tables(&table, 1);

	if (!joined) { /* the new function's frame would be wrong, others of the table must go, too */
		drop_table(table);
		return;
	}
	own_codes(joined);
	drop_table(table);
	register_table(joined);
}
