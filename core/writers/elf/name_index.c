/* SPDX-License-Identifier: MIT */
/* Collects the names, units and addresses of the index while DIEs are written. */
#include "name_index.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAME_INDEX_UNITS_MAX = 1 << 24, /* the format has 24 bits for unit numbers */
	NAME_INDEX_KIND_SHIFT = 28,
};

struct name_entry {
	uint32_t symbol, value;
};

struct name_index {
	struct elf_writer *w;
	struct interner names; /* qualified names; the number of a name identifies its symbol */
	/*
	 * for each combination of name number and enum name_index_join, index in `known` plus 1; 0
	 * if the combination has not been looked up
	 */
	uint32_t *known_at;
	size_t known_at_capacity;
	/* for each name, its symbol and then the symbols of its enclosing scopes */
	uint32_t *known;
	size_t known_count, known_capacity;
	struct name_entry *entry;
	size_t entries, entry_capacity;
	struct byte_buffer path;
	struct byte_buffer units, addresses;
	uint32_t unit;
	bool left_out;
};

enum {
	/*
	 * maximum size of the index's names per byte of the object's own names; nested scopes
	 * repeat the names around them
	 */
	TEXT_FACTOR = 8,
	TEXT_MIN = 1 << 20,
};

static bool fail_for_memory(struct name_index *index)
{
	index->left_out = index->w->failed = true;
	return false;
}

struct name_index *name_index_new(struct elf_writer *w)
{
	struct name_index *index = calloc(1, sizeof(*index));
	size_t limit = w->limit;

	if (!index)
		return NULL;
	index->w = w;
	/*
	 * These buffers need no limit because they never exceed .debug_info and .debug_aranges,
	 * which are limited.
	 */
	index->path.limit = index->units.limit = index->addresses.limit = SIZE_MAX / 2;
	if (limit > TEXT_MIN && w->names.text.size < (limit - TEXT_MIN) / TEXT_FACTOR)
		limit = w->names.text.size * TEXT_FACTOR + TEXT_MIN;
	if (interner_init(&index->names, limit))
		return index;
	name_index_free(index);
	return NULL;
}

static void name_index_forget_entries(struct name_index *index)
{
	byte_buffer_finish(&index->path);
	free(index->known_at);
	free(index->known);
	free(index->entry);
	index->known_at = index->known = NULL;
	index->entry = NULL;
}

void name_index_free(struct name_index *index)
{
	if (!index)
		return;
	interner_finish(&index->names);
	byte_buffer_finish(&index->units);
	byte_buffer_finish(&index->addresses);
	name_index_forget_entries(index);
	free(index);
}

static void append_name(struct name_index *index, uint32_t name, enum name_index_join how)
{
	static const char *const joins[] = { "", "::", "::", "." };
	const struct cairn_bytes text = interner_text(&index->w->names, name);
	struct byte_buffer *path = &index->path;

	if (how == NAME_INDEX_PLAIN)
		path->size = 0;
	if (path->size > 0)
		byte_buffer_bytes(path, joins[how], strlen(joins[how]));
	if (how == NAME_INDEX_CPLUSPLUS)
		elf_writer_append_canonical(path, text);
	else
		byte_buffer_bytes(path, text.data, text.size);
}

static uint32_t add_path(struct name_index *index)
{
	const struct byte_buffer *path = &index->path, *text = &index->names.text;

	if (path->failed)
		fail_for_memory(index);
	else if (path->size >= text->limit - text->size)
		index->left_out = true;
	if (path->size == 0 || index->left_out)
		return 0;
	const uint32_t symbol =
		interner_add_copy(&index->names, (struct cairn_bytes){ path->data, path->size });
	if (text->failed)
		fail_for_memory(index);
	return symbol;
}

static bool add_symbols(struct name_index *index, uint32_t number, uint32_t plain,
                        enum name_index_join how)
{
	struct elf_writer_scopes scopes;

	elf_writer_scopes(index->w, number, &scopes);
	if (!array_grow(&index->known, &index->known_capacity,
	                index->known_count + 1 + scopes.count, sizeof(*index->known)))
		return fail_for_memory(index);
	uint32_t *symbol = index->known + index->known_count;
	index->known_count += 1 + scopes.count;
	index->path.size = 0;
	for (size_t i = 0; i < scopes.count; i++) {
		append_name(index, scopes.name[i], how);
		symbol[1 + i] = add_path(index);
	}
	append_name(index, plain, how);
	symbol[0] = add_path(index);
	return !index->left_out;
}

static bool reserve_known(struct name_index *index, size_t at)
{
	const size_t capacity = index->known_at_capacity;

	if (!array_grow(&index->known_at, &index->known_at_capacity, at + 1,
	                sizeof(*index->known_at)))
		return fail_for_memory(index);
	if (index->known_at_capacity > capacity)
		memset(index->known_at + capacity, 0,
		       (index->known_at_capacity - capacity) * sizeof(*index->known_at));
	return true;
}

/*
 * Return the symbol of a name, followed by the symbols of its scopes, or NULL if the index is
 * omitted. Valid until the next call.
 */
static const uint32_t *find_symbols(struct name_index *index, uint32_t number, uint32_t plain,
                                    enum name_index_join join)
{
	const size_t at = (size_t)number * NAME_INDEX_JOINS + join;

	if (index->left_out || !reserve_known(index, at))
		return NULL;
	if (index->known_at[at] == 0) {
		const size_t first = index->known_count;
		if (!add_symbols(index, number, plain, join))
			return NULL;
		index->known_at[at] = (uint32_t)first + 1;
	}
	return index->known + index->known_at[at] - 1;
}

void name_index_add(struct name_index *index, uint32_t symbol, enum name_index_kind kind)
{
	if (index->left_out || symbol == 0)
		return;
	if (kind == NAME_INDEX_SCOPE && index->names.entry[symbol].mark++ != 0)
		return;
	if (!array_grow(&index->entry, &index->entry_capacity, index->entries + 1,
	                sizeof(*index->entry))) {
		fail_for_memory(index);
		return;
	}
	index->entry[index->entries++] =
		(struct name_entry){ symbol,
		                     (uint32_t)kind << NAME_INDEX_KIND_SHIFT | index->unit };
}

const uint32_t *name_index_enter(struct name_index *index, uint32_t number,
                                 struct elf_writer_debug_name names, enum name_index_join join,
                                 enum name_index_kind kind)
{
	const uint32_t *symbols;

	if (!index)
		return NULL;
	/* skip linkage names in C++, which GDB gets from the symbol table */
	if (names.linkage && join != NAME_INDEX_CPLUSPLUS) {
		symbols = find_symbols(index, names.linkage, names.linkage, NAME_INDEX_PLAIN);
		if (symbols)
			name_index_add(index, symbols[0], kind);
	}
	symbols = find_symbols(index, number, names.name, join);
	if (!symbols)
		return NULL;
	name_index_add(index, symbols[0], kind);
	return symbols + 1;
}

void name_index_end_unit(struct name_index *index, const struct elf_writer_unit *unit,
                         size_t unit_at)
{
	if (!index || index->left_out)
		return;
	byte_buffer_number(&index->units, unit_at, 8);
	byte_buffer_number(&index->units, index->w->info.size - unit_at, 8);
	for (size_t i = 0; i < unit->ranges; i++) {
		const struct cairn_range *range = &index->w->unit_ranges[unit->ranges_at + i];
		byte_buffer_number(&index->addresses, range->low, 8);
		byte_buffer_number(&index->addresses, range->high, 8);
		byte_buffer_number(&index->addresses, index->unit, 4);
	}
	index->left_out = ++index->unit == NAME_INDEX_UNITS_MAX;
	if (index->units.failed || index->addresses.failed)
		fail_for_memory(index);
}

/*
 * Format of GDB's index of names. Numbers are little-endian and have 4 bytes unless noted:
 *
 *	index   = version offset*5 unit* address* slot* vector* text*
 *	unit    = offset:8 size:8
 *	address = low:8 high:8 unit
 *	slot    = text vector              hash table slot: two offsets, relative to the end of the
 *	                                   hash table; both are 0 in a free slot
 *	vector  = count (unit | kind << 28)*count
 */
enum {
	VERSION = 8,
	HEADER_SIZE = 24,
	UNIT_BITS = NAME_INDEX_UNITS_MAX - 1,
	SLOTS_MIN = 16,
	/* maximum number of probes per slot on average; crafted names may all collide */
	PROBES_MAX = 16,
};

/*
 * Return true if `wanted` is among the values for the current unit, which are at the end of the
 * vector.
 */
static bool is_last_of_vector(const uint32_t *value, uint32_t count, uint32_t wanted)
{
	while (count > 0 && (value[count - 1] & UNIT_BITS) == (wanted & UNIT_BITS))
		if (value[--count] == wanted)
			return true;
	return false;
}

/* Values grouped by symbol: start[i] and count[i] are the range of values of symbol i. */
struct vectors {
	uint32_t *value, *start, *count;
};

static bool sort_entries(const struct name_index *index, struct vectors *v)
{
	const size_t symbols = index->names.count;
	uint32_t total = 0;

	v->value = malloc((index->entries + 1) * sizeof(*v->value));
	v->start = calloc(symbols + 1, sizeof(*v->start));
	v->count = calloc(symbols + 1, sizeof(*v->count));
	if (!v->value || !v->start || !v->count)
		return false;
	for (size_t i = 0; i < index->entries; i++)
		v->start[index->entry[i].symbol]++;
	for (size_t i = 0; i < symbols; i++) {
		const uint32_t capacity = v->start[i];
		v->start[i] = total;
		total += capacity;
	}
	for (size_t i = 0; i < index->entries; i++) {
		const struct name_entry *e = &index->entry[i];
		uint32_t *value = v->value + v->start[e->symbol], *count = &v->count[e->symbol];
		if (!is_last_of_vector(value, *count, e->value))
			value[(*count)++] = e->value;
	}
	return true;
}

/*
 * Write the vectors and store each vector's offset in `start`. Consecutive symbols often have equal
 * vectors, which are stored once.
 */
static void write_vectors(const struct name_index *index, struct vectors *v,
                          struct byte_buffer *out)
{
	uint32_t last_value = 0, last_at = 0;

	for (size_t i = 1; i < index->names.count; i++) {
		const uint32_t *value = v->value + v->start[i];
		const bool single = v->count[i] == 1;
		if (single && out->size > 0 && *value == last_value) {
			v->start[i] = last_at;
			continue;
		}
		const uint32_t at = (uint32_t)out->size;
		byte_buffer_number(out, v->count[i], 4);
		for (uint32_t j = 0; j < v->count[i]; j++)
			byte_buffer_number(out, value[j], 4);
		v->start[i] = at;
		if (single) {
			last_value = *value;
			last_at = at;
		}
	}
}

static uint32_t hash_name(struct cairn_bytes name)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < name.size; i++) {
		const uint8_t byte = name.data[i];
		const uint8_t low = byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
		hash = hash * 67 + low - 113;
	}
	return hash;
}

struct slots {
	uint8_t *data;
	size_t count;
	size_t probes;
};

static void put_slot(struct slots *s, uint32_t hash, uint32_t text, uint32_t vector)
{
	const size_t mask = s->count - 1, step = ((hash * 17u) & mask) | 1;
	size_t at = hash & mask;
	static const uint8_t none[8];

	while (s->probes > 0 && memcmp(s->data + 8 * at, none, sizeof(none)) != 0) {
		at = (at + step) & mask;
		s->probes--;
	}
	for (unsigned i = 0; i < 4; i++) {
		s->data[8 * at + i] = (uint8_t)(text >> (8 * i));
		s->data[8 * at + 4 + i] = (uint8_t)(vector >> (8 * i));
	}
}

/*
 * Write the hash table. Symbols without entries are skipped. Sets index->left_out if the table
 * would need too many probes. Returns false if allocation fails.
 */
static bool write_slots(struct name_index *index, const struct vectors *v, size_t vectors_size,
                        struct byte_buffer *out)
{
	struct slots slots = { .count = SLOTS_MIN };

	while (slots.count <= (size_t)index->names.count * 4 / 3)
		slots.count *= 2;
	slots.probes = PROBES_MAX * slots.count;
	slots.data = byte_buffer_extend(out, 8 * slots.count);
	if (!slots.data)
		return false;
	memset(slots.data, 0, 8 * slots.count);
	for (uint32_t i = 1; i < index->names.count; i++)
		if (v->count[i] > 0)
			put_slot(&slots, hash_name(interner_text(&index->names, i)),
			         (uint32_t)(vectors_size + index->names.entry[i].offset),
			         v->start[i]);
	index->left_out = slots.probes == 0;
	return true;
}

static void write_index_header(const struct name_index *index, const struct byte_buffer *slots,
                               struct byte_buffer *out)
{
	const size_t types = HEADER_SIZE + index->units.size,
		     symbols = types + index->addresses.size;

	byte_buffer_number(out, VERSION, 4);
	byte_buffer_number(out, HEADER_SIZE, 4);
	byte_buffer_number(out, types, 4);
	byte_buffer_number(out, types, 4);
	byte_buffer_number(out, symbols, 4);
	byte_buffer_number(out, symbols + slots->size, 4);
}

static void take_buffer(struct byte_buffer *to, struct byte_buffer *from)
{
	*to = *from;
	*from = (struct byte_buffer){ .data = NULL };
}

static bool write_parts(struct name_index *index, struct vectors *v,
                        struct byte_buffer part[ELF_WRITER_INDEX_PARTS])
{
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++)
		part[i].limit = SIZE_MAX / 2;
	if (!sort_entries(index, v))
		return false;
	name_index_forget_entries(index);
	write_vectors(index, v, &part[4]);
	if (!write_slots(index, v, part[4].size, &part[3]))
		return false;
	write_index_header(index, &part[3], &part[0]);
	take_buffer(&part[1], &index->units);
	take_buffer(&part[2], &index->addresses);
	take_buffer(&part[5], &index->names.text);
	return !part[0].failed && !part[4].failed;
}

/* Return true if the offsets fit into 32 bits and the size is within the limit for sections. */
static bool is_of_size(const struct elf_writer *w)
{
	size_t left = w->limit < UINT32_MAX ? w->limit : UINT32_MAX;

	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++) {
		if (w->index[i].size > left)
			return false;
		left -= w->index[i].size;
	}
	return true;
}

bool name_index_finish(struct name_index *index)
{
	struct vectors v = { .value = NULL };

	if (index->left_out || index->unit == 0 || index->entries > UINT32_MAX / 8)
		return true;
	const bool done = write_parts(index, &v, index->w->index);
	if (!done || index->left_out || !is_of_size(index->w))
		for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++)
			byte_buffer_finish(&index->w->index[i]);
	free(v.value);
	free(v.start);
	free(v.count);
	return done;
}
