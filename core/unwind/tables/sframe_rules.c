/* SPDX-License-Identifier: MIT */
/*
 * Opens the tables in an .sframe section, and finds the rule for an address in a cache, in an index
 * of all rows, or among the FDEs. Finds the section in an ELF file.
 */
#include "sframe_rules.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/rule_places.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
	FIRST_CAPACITY = 64,
	/*
	 * maximum number of probes; regular inputs need about ten, because half of the slots are
	 * unused
	 */
	MAX_PROBES = 256,
};

static bool same_shape(const struct cairn_rule *a, const struct cairn_rule *b)
{
	return rule_has_same_locations(a, b) && a->machine == b->machine &&
	       a->outermost == b->outermost && a->signal == b->signal &&
	       a->trampoline == b->trampoline && a->mangled == b->mangled && a->key_b == b->key_b &&
	       a->patched == b->patched;
}

static uint32_t mix_hash(uint32_t hash, uint64_t value)
{
	uint64_t product = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(product >> 32);
}

static uint32_t hash_of(const struct cairn_rule *rule)
{
	uint32_t hash = mix_hash(0, (uint64_t)rule->cfa.offset);

	hash = mix_hash(hash, (uint64_t)rule->fp.offset);
	hash = mix_hash(hash, (uint64_t)rule->ra.offset);
	return mix_hash(hash, (uint64_t)rule->cfa.base << 16 | (uint64_t)rule->fp.kind << 8 |
	                              (uint64_t)rule->ra.kind);
}

/*
 * Return the slot of an equal rule, or the free slot for a new one. Return NULL after MAX_PROBES,
 * which only crafted collisions reach.
 */
static uint32_t *find_shape_slot(const struct rule_pool *shapes, const struct cairn_rule *rule)
{
	uint32_t at = hash_of(rule) & (shapes->slot_count - 1);

	for (unsigned i = 0; i < MAX_PROBES; i++) {
		uint32_t *slot = &shapes->slots[(at + i) & (shapes->slot_count - 1)];
		if (!*slot || same_shape(&shapes->rules[*slot - 1], rule))
			return slot;
	}
	return NULL;
}

/* Double the capacity. Half of the slots always stay free. */
static bool grow_shapes(struct rule_pool *shapes)
{
	uint32_t capacity = shapes->capacity ? 2 * shapes->capacity : FIRST_CAPACITY;
	uint32_t *slots = calloc(2 * (size_t)capacity, sizeof(*slots));
	struct cairn_rule *rules = realloc(shapes->rules, capacity * sizeof(*rules));

	if (rules)
		shapes->rules = rules;
	if (!rules || !slots) {
		free(slots);
		return false;
	}
	free(shapes->slots);
	shapes->slots = slots;
	shapes->slot_count = 2 * capacity;
	shapes->capacity = capacity;
	for (uint32_t i = 0; i < shapes->count; i++) {
		uint32_t *slot = find_shape_slot(shapes, &rules[i]);
		if (slot)
			*slot = i + 1;
	}
	return true;
}

bool rule_pool_add(struct rule_pool *shapes, const struct cairn_rule *rule, uint32_t *number)
{
	if (shapes->count == shapes->capacity && !grow_shapes(shapes))
		return false;
	uint32_t *slot = find_shape_slot(shapes, rule);
	*number = RULE_POOL_NONE;
	if (!slot || (!*slot && shapes->count == RULE_POOL_MAX))
		return true;
	if (!*slot) {
		shapes->rules[shapes->count++] = *rule;
		*slot = shapes->count;
	}
	*number = *slot - 1;
	return true;
}

void rule_pool_finish(struct rule_pool *shapes)
{
	free(shapes->slots);
	free(shapes->rules);
}

enum {
	MIN_ROW_BYTES = 2,
};

struct row_index_entry {
	uint32_t start;
	/* index in the rule pool; RULE_POOL_NONE means that the SFrame table must be searched */
	uint32_t shape;
};

/*
 * Row and function that cover the first address of a page. The searches for a row and for a
 * function both start here, so they do not depend on each other.
 */
struct row_index_page {
	uint32_t row;
	uint32_t function;
};

struct row_index {
	uint64_t base;
	struct row_index_entry *rows;
	size_t capacity;
	uint32_t count;
	/*
	 * number of rows read, and its maximum; without a maximum, shared rows could be read any
	 * number of times
	 */
	uint32_t seen, limit;
	/* each page covers 2^shift bytes; an extra last entry contains the last row and function */
	struct row_index_page *pages;
	uint32_t page_count;
	unsigned shift;
	struct rule_pool shapes;
};

/*
 * Append a row. `start` is the row's offset from flat->base, which is below 2^32 because the index
 * covers less than 2^32 bytes.
 */
static bool append_row_at(struct row_index *flat, uint64_t start, uint32_t shape)
{
	if (flat->count > 0 && flat->rows[flat->count - 1].start == start)
		flat->count--; /* if several rows have the same start, the last one is used */
	return ARRAY_APPEND(flat->rows, flat->count, flat->capacity,
	                    (struct row_index_entry){ (uint32_t)start, shape });
}

/*
 * Append the rows of one function within [start, end). A row that the index cannot express becomes
 * RULE_POOL_NONE.
 */
static bool append_function(struct row_index *flat, const struct cairn_rules *rules,
                            uint32_t number, uint64_t start, uint64_t end)
{
	const struct rules_function *entry = &rules->functions[number];
	const struct sframe_table *table = &rules->tables[entry->table];
	struct sframe_function f;
	struct cairn_fault fault;
	struct sframe_row row;

	if (sframe_function(table, entry->index, &f, &fault) != CAIRN_OK || f.masked || f.rows == 0)
		return append_row_at(flat, start, RULE_POOL_NONE);
	uint32_t before = flat->count;
	struct sframe_rows rows = sframe_rows(table, &f);
	/* this row covers the addresses before the function's first row */
	if (!append_row_at(flat, start, RULE_POOL_NONE))
		return false;
	while (sframe_next_row(&rows, &row) && row.start < end - start) {
		struct cairn_rule rule;
		uint32_t shape;
		if (++flat->seen > flat->limit)
			return false;
		if (sframe_rule(table, &f, &row, &rule, &fault) != CAIRN_OK)
			shape = RULE_POOL_NONE;
		else if (!rule_pool_add(&flat->shapes, &rule, &shape))
			return false;
		if (!append_row_at(flat, start + row.start, shape))
			return false;
	}
	/* some rows are damaged, so let the SFrame table determine which addresses are affected */
	if (rows.fault.status != CAIRN_OK) {
		flat->count = before;
		return append_row_at(flat, start, RULE_POOL_NONE);
	}
	return true;
}

/*
 * Append all functions, each ending where the next one begins. So if several functions have the
 * same start, the last one is used.
 */
static bool append_all(struct row_index *flat, const struct cairn_rules *rules)
{
	const struct rules_function *list = rules->functions;
	size_t count = rules->function_count;

	for (size_t i = 0; i < count; i++) {
		bool last = i + 1 == count;
		uint64_t start = list[i].start - flat->base, end = start + list[i].size;
		if (!last && list[i + 1].start - flat->base < end)
			end = list[i + 1].start - flat->base;
		if (!append_function(flat, rules, (uint32_t)i, start, end) ||
		    !append_row_at(flat, end, RULE_POOL_NONE))
			return false;
	}
	return true;
}

/*
 * Build about one page per two rows. A search then visits few rows, and the page table costs 4
 * bytes per row.
 */
static bool make_pages(struct row_index *flat, const struct cairn_rules *rules, uint64_t span)
{
	const struct rules_function *list = rules->functions;
	const uint32_t last = (uint32_t)rules->function_count - 1;
	struct row_index_page page = { 0, 0 };

	while (span >> flat->shift > flat->count / 2 + 1)
		flat->shift++;
	flat->page_count = (uint32_t)(span >> flat->shift) + 1;
	flat->pages = malloc((flat->page_count + 1ul) * sizeof(*flat->pages));
	if (!flat->pages)
		return false;
	for (uint32_t i = 0; i < flat->page_count; i++) {
		uint64_t start = (uint64_t)i << flat->shift;
		while (page.row + 1 < flat->count && flat->rows[page.row + 1].start <= start)
			page.row++;
		while (page.function < last && list[page.function + 1].start - flat->base <= start)
			page.function++;
		flat->pages[i] = page;
	}
	flat->pages[flat->page_count] = (struct row_index_page){ flat->count - 1, last };
	return true;
}

/*
 * Build the index from the list of functions, which must exist. Return NULL if the index would not
 * fit or allocation fails.
 */
static struct row_index *row_index_new(const struct cairn_rules *rules)
{
	const struct rules_function *list = rules->functions;
	size_t count = rules->function_count;
	uint64_t limit = rules->section.size / MIN_ROW_BYTES;

	if (count == 0 || count > UINT32_MAX / 8 || limit > UINT32_MAX / 8)
		return NULL;
	uint64_t reach = list[count - 1].start - list[0].start;
	uint64_t span = reach + list[count - 1].size;
	bool fits = reach < UINT32_MAX && span < UINT32_MAX; /* the sum may wrap */
	struct row_index *flat = fits ? calloc(1, sizeof(*flat)) : NULL;
	if (!flat)
		return NULL;
	flat->base = list[0].start;
	flat->limit = (uint32_t)limit;
	if (!append_all(flat, rules) || flat->count == 0 || !make_pages(flat, rules, span)) {
		row_index_free(flat);
		return NULL;
	}
	return flat;
}

void row_index_free(struct row_index *flat)
{
	if (!flat)
		return;
	rule_pool_finish(&flat->shapes);
	free(flat->pages);
	free(flat->rows);
	free(flat);
}

/*
 * Return the last row in [first, last] that begins at or before `start`. Row `first` always does.
 */
static const struct row_index_entry *row_before(const struct row_index *flat, uint32_t first,
                                                uint32_t last, uint32_t start)
{
	const struct row_index_entry *row = &flat->rows[first];

	for (uint32_t count = last - first + 1; count > 1;) {
		uint32_t half = count / 2;
		row = row[half].start <= start ? row + half : row;
		count -= half;
	}
	return row;
}

/*
 * Return the last function in [first, last] that begins at or before `va`. Function `first` always
 * does.
 */
static const struct rules_function *function_before(const struct cairn_rules *rules, uint32_t first,
                                                    uint32_t last, uint64_t va)
{
	const struct rules_function *function = &rules->functions[first];

	for (uint32_t count = last - first + 1; count > 1;) {
		uint32_t half = count / 2;
		function = function[half].start <= va ? function + half : function;
		count -= half;
	}
	return function;
}

/*
 * Find a rule. Return false if the index does not contain it; the caller then searches the SFrame
 * table itself, which also shows why a rule is missing.
 */
static bool row_index_find(const struct row_index *flat, const struct cairn_rules *rules,
                           uint64_t va, struct cairn_rule *rule)
{
	uint64_t delta = va - flat->base;

	if (delta >> flat->shift >= flat->page_count)
		return false;
	const struct row_index_page *page = &flat->pages[delta >> flat->shift];
	const struct row_index_entry *row =
		row_before(flat, page[0].row, page[1].row, (uint32_t)delta);
	const struct rules_function *function =
		function_before(rules, page[0].function, page[1].function, va);
	if (row->shape == RULE_POOL_NONE)
		return false;
	const struct row_index_entry *next = row + 1;
	*rule = flat->shapes.rules[row->shape];
	rule->function = function->start;
	rule->function_end = function->start + function->size;
	rule->start = flat->base + row->start;
	rule->end = next < flat->rows + flat->count ? flat->base + next->start : rule->function_end;
	return true;
}

static int compare_rules_functions(const void *left, const void *right)
{
	const struct rules_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/*
 * Return the number of functions in all tables. The sum cannot overflow, because opening a table
 * checks its number of functions against the section's size.
 */
static size_t rules_count_functions(const struct cairn_rules *rules)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->table_count; i++)
		count += rules->tables[i].functions;
	return count;
}

enum cairn_status rules_list_functions(struct cairn_rules *rules)
{
	size_t capacity = rules_count_functions(rules), count = 0;
	struct rules_function *list = malloc((capacity ? capacity : 1) * sizeof(*list));
	bool sorted = true;

	if (!list)
		return CAIRN_NO_MEMORY;
	for (size_t t = 0; t < rules->table_count; t++)
		for (uint32_t i = 0; i < rules->tables[t].functions; i++) {
			struct rules_function f = { .table = (uint32_t)t, .index = i };
			sframe_extent(&rules->tables[t], i, &f.start, &f.size);
			if (f.size == 0 || !sframe_is_placed(&rules->tables[t], f.start))
				continue;
			sorted = sorted && (count == 0 || list[count - 1].start <= f.start);
			list[count++] = f;
		}
	if (!sorted)
		qsort(list, count, sizeof(*list), compare_rules_functions);
	rules->functions = list;
	rules->function_count = count;
	return CAIRN_OK;
}

static bool read_function_at_start(const struct sframe_table *table, uint32_t index, uint64_t start,
                                   struct sframe_function *function)
{
	struct cairn_fault fault;

	return sframe_function(table, index, function, &fault) == CAIRN_OK &&
	       function->start == start && function->size > 0;
}

bool rules_function(const struct cairn_rules *rules, uint64_t start,
                    const struct sframe_table **table, struct sframe_function *function)
{
	uint32_t index;

	if (!rules->functions) {
		*table = rules->tables;
		return rules->table_count == 1 && sframe_find(*table, start, &index) &&
		       read_function_at_start(*table, index, start, function);
	}
	size_t i = SORTED_BELOW(rules->functions, rules->function_count, start, start), next = i;
	while (next < rules->function_count && rules->functions[next].start == start)
		i = next++;
	if (next == i)
		return false;
	*table = &rules->tables[rules->functions[i].table];
	return read_function_at_start(*table, rules->functions[i].index, start, function);
}

static bool add_table(struct cairn_rules *rules, const struct sframe_table *table)
{
	/* begin with a small array, because most sections contain one table */
	if (!array_grow_from(&rules->tables, &rules->table_capacity, rules->table_count + 1,
	                     sizeof(*rules->tables), 2))
		return false;
	rules->tables[rules->table_count++] = *table;
	return true;
}

/* Open all tables. The first damaged table ends the list. */
static bool walk_tables(struct cairn_rules *rules)
{
	struct sframe_table table;
	struct cairn_fault fault;
	size_t at = 0;

	while (rules->table_count < RULES_TABLES_MAX) {
		enum cairn_status status =
			sframe_next_table(rules->section, rules->address, &at, &table, &fault);
		if (status == CAIRN_NOT_FOUND)
			return true;
		if (status != CAIRN_OK) {
			rules->walk = fault;
			return true;
		}
		if (!add_table(rules, &table))
			return false;
	}
	return true;
}

struct cairn_rules *cairn_rules_new(struct cairn_bytes section, uint64_t address)
{
	struct cairn_rules *rules = calloc(1, sizeof(*rules));

	if (!rules)
		return NULL;
	rules->section = section;
	rules->address = address;
	if (!walk_tables(rules)) {
		cairn_rules_free(rules);
		return NULL;
	}
	return rules;
}

void cairn_rules_free(struct cairn_rules *rules)
{
	if (!rules)
		return;
	row_index_free(rules->flat);
	free(rules->functions);
	free(rules->starts);
	free(rules->tables);
	free(rules);
}

void rules_correct_base(struct cairn_rules *rules, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < rules->table_count; i++)
		if (sframe_correct_base(&rules->tables[i], low, high))
			rules->rebased = true;
}

static void keep_first_fault(struct cairn_fault *first, struct cairn_fault fault)
{
	if (first->status == CAIRN_OK && fault.status != CAIRN_NOT_FOUND)
		*first = fault;
}

static enum cairn_status find_rule_in_function(const struct sframe_table *table, uint32_t index,
                                               uint64_t va, struct cairn_rule *rule,
                                               struct cairn_fault *first)
{
	struct sframe_function function;
	struct cairn_fault fault;
	enum cairn_status status = sframe_function(table, index, &function, &fault);

	if (status == CAIRN_OK)
		status = sframe_find_rule(table, &function, va, rule, &fault);
	if (status != CAIRN_OK)
		keep_first_fault(first, fault);
	return status;
}

/* End the rule at the start of the next function, even if its own function claims to be larger. */
static void clip_rule_end(struct cairn_rule *rule, uint64_t next)
{
	if (next - rule->start < rule->end - rule->start)
		rule->end = next;
}

static enum cairn_status find_in_place(const struct cairn_rules *rules, uint64_t va,
                                       struct cairn_rule *rule, struct cairn_fault *first)
{
	const struct sframe_table *table = &rules->tables[0];
	uint32_t index, size = 0;
	uint64_t next;

	if (!sframe_find(table, va, &index))
		return CAIRN_NOT_FOUND;
	enum cairn_status status = find_rule_in_function(table, index, va, rule, first);
	while (status == CAIRN_OK && size == 0 && ++index < table->functions) {
		sframe_extent(table, index, &next, &size);
		if (size > 0)
			clip_rule_end(rule, next);
	}
	return status;
}

/*
 * Find the rule in the last function at or before `va`, even if that function is damaged or ends
 * before `va`.
 */
static enum cairn_status find_in_list(const struct cairn_rules *rules, uint64_t va,
                                      struct cairn_rule *rule, struct cairn_fault *first)
{
	const size_t next = SORTED_UP_TO(rules->functions, rules->function_count, start, va);

	if (next == 0)
		return CAIRN_NOT_FOUND;
	const struct rules_function *f = &rules->functions[next - 1];
	if (va - f->start >= f->size)
		return CAIRN_NOT_FOUND;
	enum cairn_status status =
		find_rule_in_function(&rules->tables[f->table], f->index, va, rule, first);
	if (status == CAIRN_OK && next < rules->function_count)
		clip_rule_end(rule, f[1].start);
	return status;
}

/*
 * Return true if there is a single table and it is sorted. The table's flag is not trusted, so the
 * order is verified once.
 */
static bool searchable_in_place(struct cairn_rules *rules)
{
	const struct sframe_table *table = rules->tables;

	if (rules->table_count != 1 || !(table->flags & SFRAME_FLAG_SORTED) ||
	    table->base == SFRAME_BASE_GIVEN)
		return false;
	if (!rules->checked)
		rules->sorted = sframe_is_sorted(table);
	rules->checked = true;
	return rules->sorted;
}

static enum cairn_status find_rule_in_tables(struct cairn_rules *rules, uint64_t va,
                                             struct cairn_rule *rule, struct cairn_fault *first)
{
	if (rules->table_count == 0)
		return CAIRN_NOT_FOUND;
	if (!rules->functions && searchable_in_place(rules))
		return find_in_place(rules, va, rule, first);
	if (!rules->functions && rules_list_functions(rules) != CAIRN_OK) {
		keep_first_fault(first,
		                 (struct cairn_fault){ CAIRN_NO_MEMORY, 0, "out of memory" });
		return CAIRN_NO_MEMORY;
	}
	return find_in_list(rules, va, rule, first);
}

static void make_flat(struct cairn_rules *rules)
{
	rules->flat_tried = true;
	if (rules->functions || rules_list_functions(rules) == CAIRN_OK)
		rules->flat = row_index_new(rules);
}

void cairn_rules_build_index(struct cairn_rules *rules)
{
	if (!rules->flat_tried)
		make_flat(rules);
}

static enum cairn_status find_uncached(struct cairn_rules *rules, uint64_t va,
                                       struct cairn_rule *rule, struct cairn_fault *fault)
{
	struct cairn_fault first = { .status = CAIRN_OK };

	if (!rules->flat_tried && ++rules->uncached >= RULES_INDEX_AFTER)
		make_flat(rules);
	if (rules->flat && row_index_find(rules->flat, rules, va, rule))
		return CAIRN_OK;
	if (find_rule_in_tables(rules, va, rule, &first) == CAIRN_OK)
		return CAIRN_OK;
	keep_first_fault(&first, rules->walk);
	if (first.status == CAIRN_OK)
		first = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "no row covers the address" };
	if (fault)
		*fault = first;
	return first.status;
}

static bool is_inside_rule(const struct cairn_rule *rule, uint64_t va)
{
	return va - rule->start < rule->end - rule->start;
}

enum cairn_status cairn_rules_find(struct cairn_rules *rules, uint64_t va,
                                   const struct cairn_rule **rule, struct cairn_fault *fault)
{
	struct cairn_rule *slot = rules->cache[(va ^ va >> 10) % RULES_CACHE];

	if (!is_inside_rule(slot, va) && !is_inside_rule(++slot, va)) {
		slot -= rules->turn ^= 1;
		enum cairn_status status = find_uncached(rules, va, slot, fault);
		if (status != CAIRN_OK)
			return status;
	}
	*rule = slot;
	return CAIRN_OK;
}

static bool has_magic(struct cairn_bytes bytes)
{
	if (bytes.size < 2)
		return false;
	uint16_t magic = bytes_u16(bytes.data, false);
	return magic == 0xdee2 || magic == 0xe2de;
}

/*
 * Return true for an .sframe section. The section type alone does not suffice, because Solaris uses
 * the same number for another kind of section.
 */
static bool is_sframe(const struct elf *elf, const struct elf_section *s)
{
	return bytes_are(s->name, ".sframe") ||
	       (s->type == ELF_SHT_GNU_SFRAME && has_magic(elf_section_bytes(elf, s)));
}

static enum cairn_status find_in_segments(const struct elf *elf, struct sframe_section *found)
{
	struct elf_segment segment;

	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_GNU_SFRAME)
			continue;
		struct cairn_bytes bytes = elf_segment_bytes(elf, &segment);
		if (!has_magic(bytes))
			continue;
		*found = (struct sframe_section){ bytes, segment.va, 0 };
		return CAIRN_OK;
	}
	return CAIRN_NOT_FOUND;
}

enum cairn_status sframe_section_find(const struct elf *elf, struct sframe_section *found)
{
	struct elf_section section;

	for (uint32_t i = 1; i < elf->sections && elf_section(elf, i, &section); i++) {
		if (!is_sframe(elf, &section))
			continue;
		struct cairn_bytes bytes = elf_section_bytes(elf, &section);
		if (bytes.size == 0)
			return CAIRN_NOT_FOUND;
		*found = (struct sframe_section){ bytes, section.va, i };
		return CAIRN_OK;
	}
	return elf->sections ? CAIRN_NOT_FOUND : find_in_segments(elf, found);
}

static const struct sframe_table *table_at(const struct cairn_rules *rules, uint64_t offset)
{
	const size_t low = SORTED_UP_TO(rules->tables, rules->table_count, offset, offset);

	return rules->table_count > 0 ? &rules->tables[low > 0 ? low - 1 : 0] : NULL;
}

/*
 * Store the relocated start of the function whose start field is at `offset` in the section. Ignore
 * relocations of other fields.
 */
static void store_relocated_start(struct cairn_rules *rules, uint64_t offset, uint64_t va)
{
	const struct sframe_table *t = table_at(rules, offset);
	uint64_t into = t ? offset - t->offset - t->records_at : 0;

	if (t && into / t->record_size < t->functions && into % t->record_size == 0)
		rules->starts[(size_t)(t->starts - rules->starts) + into / t->record_size] = va;
}

static bool relocate_starts(struct cairn_rules *rules, const struct elf *elf, uint32_t section)
{
	size_t count = rules_count_functions(rules);
	struct elf_relocation relocation;
	uint32_t relocations = 0;
	uint64_t at = 0;

	rules->starts = malloc((count ? count : 1) * sizeof(*rules->starts));
	if (!rules->starts)
		return false;
	for (size_t i = 0; i < count; i++)
		rules->starts[i] = SFRAME_NO_START;
	const uint64_t *starts = rules->starts;
	for (size_t i = 0; i < rules->table_count; i++) {
		rules->tables[i].base = SFRAME_BASE_GIVEN;
		rules->tables[i].starts = starts;
		starts += rules->tables[i].functions;
	}
	while (elf_next_relocation(elf, section, &relocations, &at, &relocation))
		if (relocation.section)
			store_relocated_start(
				rules, relocation.offset,
				sframe_section_va(relocation.section, relocation.value));
	return true;
}

static bool code_span(const struct elf *elf, uint64_t *low, uint64_t *high)
{
	struct elf_segment s;
	bool found = false;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE))
			continue;
		*low = found && *low < s.va ? *low : s.va;
		*high = found && *high > s.va + s.memory_size ? *high : s.va + s.memory_size;
		found = true;
	}
	return found;
}

struct cairn_rules *sframe_section_rules(const struct elf *elf, const struct sframe_section *sframe)
{
	struct cairn_rules *rules = cairn_rules_new(sframe->bytes, sframe->address);
	uint64_t low, high;

	if (!rules)
		return NULL;
	if (elf->type == ELF_TYPE_REL && !relocate_starts(rules, elf, sframe->section)) {
		cairn_rules_free(rules);
		return NULL;
	}
	if (code_span(elf, &low, &high))
		rules_correct_base(rules, low, high);
	return rules;
}
