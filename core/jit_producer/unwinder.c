/* SPDX-License-Identifier: MIT */
/*
 * Registers unwind tables, each consisting of a CIE, one FDE for each function, and a terminating
 * zero word. libgcc searches only the last table that begins before an address, so no table may
 * begin inside another one. If the process also has LLVM's libunwind, tables are registered with
 * both, because the C library's backtrace() uses libgcc even in programs linked with libunwind.
 */
#include "unwinder.h"

#include "dwarf.h"
#include "list.h"

#include <dlfcn.h>
#include <string.h>

enum {
	JOINED = 16,
	/* split a table with at least this many functions when a new function lies inside it */
	SPLIT = 512,
	/*
	 * size of an FDE before its instructions: length, CIE pointer, start, size, empty
	 * augmentation
	 */
	FDE_HEAD = 25,
	TABLE_END = 4,
};

struct cairn_jit_table {
	struct cairn_jit_bytes bytes;
	struct cairn_jit_code **code;
	uint32_t capacity, count, live;
	uint64_t low, high; /* start addresses of the first and the last function */
};

typedef void change_table(void *table);

enum { LIBGCC, LLVM, UNWINDERS };

static struct {
	/* functions that register and unregister a table; both or neither are set */
	change_table *add, *drop;
} unwinders[UNWINDERS];

static bool has_looked;

static struct {
	struct cairn_jit_table **table;
	uint32_t count, capacity;
} tables;

/*
 * Look up the two registration functions of an unwinder, or set neither if one is missing. POSIX
 * allows converting the data pointer that dlsym() returns to a function pointer.
 */
static void find_functions(int unwinder, void *library, const char *add, const char *drop)
{
	void *found[] = { library ? dlsym(library, add) : NULL,
		          library ? dlsym(library, drop) : NULL };

	if (!found[0] || !found[1])
		return;
	memcpy(&unwinders[unwinder].add, &found[0], sizeof(found[0]));
	memcpy(&unwinders[unwinder].drop, &found[1], sizeof(found[1]));
}

/*
 * Find the registration functions. libgcc_s may be loaded even if the program is not linked with
 * it, because backtrace() loads it. LLVM also has a function __register_frame, but it takes a
 * single FDE. To avoid mistaking it for libgcc's, the program itself is searched only if it does
 * not contain LLVM's unwinder.
 */
static void find_unwinders(void)
{
	void *program = dlopen(NULL, RTLD_NOW), *libgcc = dlopen("libgcc_s.so.1", RTLD_NOW);

	has_looked = true;
	find_functions(LLVM, program, "__unw_add_dynamic_eh_frame_section",
	               "__unw_remove_dynamic_eh_frame_section");
	if (!libgcc && !unwinders[LLVM].add)
		libgcc = program;
	find_functions(LIBGCC, libgcc, "__register_frame", "__deregister_frame");
}

static struct cairn_jit_table *make_unwind_table(uint32_t capacity)
{
	struct cairn_jit_table *table = cairn_jit_allocate(sizeof(*table));

	if (!table)
		return NULL;
	table->capacity = capacity;
	table->code = cairn_jit_allocate(capacity * sizeof(struct cairn_jit_code *));
	table->bytes.failed = !table->code;
	cairn_jit_write_cie(&table->bytes, CIE_ABSOLUTE);
	return table;
}

static void free_table(struct cairn_jit_table *table)
{
	cairn_jit_free(table->bytes.data, table->bytes.capacity);
	cairn_jit_free(table->code, table->capacity * sizeof(struct cairn_jit_code *));
	cairn_jit_free(table, sizeof(*table));
}

static void put_fde(struct cairn_jit_bytes *bytes, const struct cairn_jit_facts *facts)
{
	const uint32_t whole = (FDE_HEAD + facts->frame_size + 7) & ~7u;

	cairn_jit_put_number(bytes, whole - 4, 4);
	cairn_jit_put_number(bytes, bytes->size, 4); /* CIE pointer: the CIE is at offset 0 */
	cairn_jit_put_number(bytes, facts->start, 8);
	cairn_jit_put_number(bytes, facts->size, 8);
	cairn_jit_put_number(bytes, 0, 1);
	cairn_jit_put(bytes, facts->frame, facts->frame_size);
	while (bytes->size % 8 && !bytes->failed)
		cairn_jit_put_number(bytes, 0, 1);
}

CAIRN_JIT_INTERNAL void cairn_jit_write_frame(struct cairn_jit_bytes *bytes,
                                              const struct cairn_jit_code *code)
{
	const struct cairn_jit_facts facts = { .start = code->start,
		                               .size = code->size,
		                               .frame = code->frame,
		                               .frame_size = code->frame_size };

	if (bytes->capacity < CIE_BYTES + FDE_HEAD + (size_t)code->frame_size + 8)
		return;
	cairn_jit_write_cie(bytes, CIE_ABSOLUTE);
	put_fde(bytes, &facts);
}

static uint32_t find_unwind_table(uint64_t address)
{
	uint32_t low = 0, high = tables.count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (tables.table[middle]->low > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool list_table(struct cairn_jit_table *table)
{
	struct cairn_jit_table **array = cairn_jit_grow(
		tables.table, sizeof(struct cairn_jit_table *), tables.count, &tables.capacity);

	if (!array)
		return false;
	tables.table = array;
	const uint32_t place = find_unwind_table(table->low);
	memmove(array + place + 1, array + place,
	        (tables.count - place) * sizeof(struct cairn_jit_table *));
	array[place] = table;
	tables.count++;
	return true;
}

static void drop_table(struct cairn_jit_table *table)
{
	const uint32_t place = find_unwind_table(table->low) - 1;

	tables.count--;
	memmove(tables.table + place, tables.table + place + 1,
	        (tables.count - place) * sizeof(struct cairn_jit_table *));
	for (int i = 0; i < UNWINDERS; i++)
		if (unwinders[i].drop)
			unwinders[i].drop(table->bytes.data);
	for (uint32_t i = 0; i < table->count; i++)
		if (table->code[i] && table->code[i]->table == table) {
			table->code[i]->table = NULL;
			cairn_jit_code_settle(table->code[i]);
		}
	free_table(table);
}

static void copy_codes(struct cairn_jit_table *to, uint32_t *count,
                       const struct cairn_jit_table *from, uint64_t low, uint64_t high)
{
	const uint8_t *fde = from->bytes.data + CIE_BYTES;

	for (uint32_t i = 0; i < from->count; i++) {
		struct cairn_jit_code *code = from->code[i];
		uint32_t size;

		memcpy(&size, fde, 4);
		if (code && !code->gone && code->start >= low && code->start < high) {
			const size_t at = to->bytes.size;
			const uint32_t cie = (uint32_t)at + 4;

			cairn_jit_put(&to->bytes, fde, size + 4);
			if (!to->bytes.failed)
				memcpy(to->bytes.data + at + 4, &cie, 4);
			to->code[(*count)++] = code;
		}
		fde += size + 4;
	}
}

/*
 * Complete the table and make its functions refer to it. If allocation fails or the table is empty,
 * free the table and return false.
 */
static bool finish_table(struct cairn_jit_table *table, uint32_t count)
{
	cairn_jit_put_number(&table->bytes, 0, TABLE_END);
	if (table->bytes.failed || count == 0) {
		free_table(table);
		return false;
	}
	table->live = table->count = count;
	table->low = UINT64_MAX;
	table->high = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct cairn_jit_code *code = table->code[i];

		code->table = table;
		code->entry = i;
		table->low = code->start < table->low ? code->start : table->low;
		table->high = code->start > table->high ? code->start : table->high;
	}
	return true;
}

static bool register_table(struct cairn_jit_table *table)
{
	if (!list_table(table)) {
		for (uint32_t i = 0; i < table->live; i++)
			table->code[i]->table = NULL;
		free_table(table);
		return false;
	}
	for (int i = 0; i < UNWINDERS; i++)
		if (unwinders[i].add)
			unwinders[i].add(table->bytes.data);
	return true;
}

static uint32_t find_table_level(const struct cairn_jit_table *table)
{
	uint32_t number = 0;

	for (uint32_t live = table->live; live >= JOINED; live /= JOINED)
		number++;
	return number;
}

/*
 * Merge JOINED tables, beginning with the table at index `first`. Returns NULL, without changes, if
 * allocation fails.
 */
static struct cairn_jit_table *join_tables(uint32_t first)
{
	struct cairn_jit_table *old[JOINED];
	uint32_t capacity = 0, count = 0;

	memcpy(old, tables.table + first, sizeof(old));
	for (uint32_t i = 0; i < JOINED; i++)
		capacity += old[i]->live;
	struct cairn_jit_table *joined = make_unwind_table(capacity);
	for (uint32_t i = 0; joined && joined->code && i < JOINED; i++)
		copy_codes(joined, &count, old[i], 0, UINT64_MAX);
	if (!joined || !finish_table(joined, count))
		return NULL;
	for (uint32_t i = 0; i < JOINED; i++)
		drop_table(old[i]);
	return register_table(joined) ? joined : NULL;
}

static void join_neighbours(struct cairn_jit_table *table)
{
	while (table) {
		const uint32_t at = find_unwind_table(table->low) - 1,
			       wanted = find_table_level(table);
		uint32_t first = at, end = at + 1;

		while (first > 0 && find_table_level(tables.table[first - 1]) == wanted &&
		       end - first < JOINED)
			first--;
		while (end < tables.count && find_table_level(tables.table[end]) == wanted &&
		       end - first < JOINED)
			end++;
		table = end - first == JOINED ? join_tables(first) : NULL;
	}
}

static struct cairn_jit_table *make_part(const struct cairn_jit_table *from, uint64_t low,
                                         uint64_t high, struct cairn_jit_code *code,
                                         const struct cairn_jit_facts *facts)
{
	struct cairn_jit_table *table = make_unwind_table((from ? from->live : 0) + 1);
	uint32_t count = 0;

	if (!table)
		return NULL;
	if (from && table->code)
		copy_codes(table, &count, from, low, high);
	if (code && table->code) {
		put_fde(&table->bytes, facts);
		table->code[count++] = code;
	}
	return finish_table(table, count) ? table : NULL;
}

/*
 * Replace a table with the tables into which it has been split. If an allocation has failed, some
 * functions lose their unwind information.
 */
static void replace_table(struct cairn_jit_table *old, struct cairn_jit_table **parts,
                          uint32_t count)
{
	drop_table(old);
	for (uint32_t i = 0; i < count; i++)
		if (parts[i])
			(void)register_table(parts[i]);
}

static void add_inside(struct cairn_jit_table *old, struct cairn_jit_code *code,
                       const struct cairn_jit_facts *facts)
{
	struct cairn_jit_table *parts[3] = { NULL };

	if (old->live < SPLIT) {
		parts[0] = make_part(old, 0, UINT64_MAX, code, facts);
	} else {
		parts[0] = make_part(old, 0, code->start, NULL, NULL);
		parts[1] = make_part(NULL, 0, 0, code, facts);
		parts[2] = make_part(old, code->start, UINT64_MAX, NULL, NULL);
	}
	replace_table(old, parts, 3);
}

CAIRN_JIT_INTERNAL void cairn_jit_unwinder_add(struct cairn_jit_code *code,
                                               const struct cairn_jit_facts *facts)
{
	if (!has_looked)
		find_unwinders();
	if (!unwinders[LIBGCC].add && !unwinders[LLVM].add)
		return;
	const uint32_t after = find_unwind_table(code->start);
	if (after > 0 && tables.table[after - 1]->high > code->start) {
		add_inside(tables.table[after - 1], code, facts);
		return;
	}
	struct cairn_jit_table *table = make_part(NULL, 0, 0, code, facts);
	if (table && register_table(table))
		join_neighbours(table);
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
	struct cairn_jit_table *part = make_part(code->table, 0, UINT64_MAX, NULL, NULL);

	replace_table(code->table, &part, 1);
}
