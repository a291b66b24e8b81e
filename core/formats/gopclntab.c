/* SPDX-License-Identifier: MIT */
/*
 * Reads the header of .gopclntab, its index of functions, and their entries
 * (docs/formats/gopclntab.md):
 *
 *	header  = magic:u32 0 0 quantum:u8 word:u8 rest
 *	rest    = functions:word index files:u32              (1.2; offsets from the header)
 *	        | functions:word files:word names:word units:word file-names:word values:word index:word
 *	                                                        (1.16; offsets of the tables)
 *	        | functions files text names units file-names values index      (1.18 and 1.20, all words)
 *	index   = (start offset)* end                          words; since 1.18 u32 from text
 *	entry   = start:word|u32 name:u32 args:u32 defer:u32 stack:u32 file:u32 line:u32 values:u32
 *	          [unit:u32 (1.16)] [line:u32 (1.20)] id:u8 flags:u8 0 funcdata:u8
 *	          offset:u32[values] address[funcdata]
 *
 * The inline tree is one of the function's `funcdata` items. Before 1.18 their addresses are words,
 * aligned in memory; since 1.18 they are u32 offsets.
 */
#include "gopclntab.h"

#include "base/bytes.h"
#include "base/reader.h"

#include <string.h>

/* maximum length of a name or path; Go writes at most a few thousand bytes */
enum { GOPCLNTAB_TEXT_MAX = 1 << 16 };

static inline bool gopclntab_slice_from(struct cairn_bytes in, uint64_t offset,
                                        struct cairn_bytes *out)
{
	return offset <= in.size && bytes_slice(in, offset, in.size - offset, out);
}

/*
 * Return the NUL-terminated string at `offset`. It is empty if the offset is invalid or the string
 * is too long.
 */
static inline struct cairn_bytes gopclntab_text(struct cairn_bytes in, uint64_t offset)
{
	struct cairn_bytes rest = { in.data, 0 };

	gopclntab_slice_from(in, offset, &rest);
	size_t most = rest.size < GOPCLNTAB_TEXT_MAX ? rest.size : GOPCLNTAB_TEXT_MAX;
	const uint8_t *end = most ? memchr(rest.data, 0, most) : NULL;
	return (struct cairn_bytes){ rest.data, end ? (size_t)(end - rest.data) : 0 };
}

enum {
	/* least significant byte of the 32-bit magic number; the other bytes are 0xff */
	MAGIC_1_2 = 0xfb,
	MAGIC_1_16 = 0xfa,
	MAGIC_1_18 = 0xf0,
	MAGIC_1_20 = 0xf1,
	/* size of the magic number and the following bytes that all layouts share */
	MAGIC_SIZE = 8,
	VALUES_INLINED = 2,
	TREES_INLINED_1_2 = 4, /* Go 1.13 to 1.15 */
	TREES_INLINED = 3,
	NO_TREE = -1,
};

static bool find_layout(uint8_t magic, enum gopclntab_layout *layout)
{
	switch (magic) {
	case MAGIC_1_2:
		*layout = GOPCLNTAB_1_2;
		return true;
	case MAGIC_1_16:
		*layout = GOPCLNTAB_1_16;
		return true;
	case MAGIC_1_18:
		*layout = GOPCLNTAB_1_18;
		return true;
	case MAGIC_1_20:
		*layout = GOPCLNTAB_1_20;
		return true;
	default:
		return false;
	}
}

static bool read_magic(struct cairn_bytes bytes, struct gopclntab *table)
{
	const uint8_t *p = bytes.data;

	if (bytes.size < MAGIC_SIZE || p[1] != 0xff || p[2] != 0xff || p[4] != 0 || p[5] != 0)
		return false;
	table->big = p[0] == 0xff;
	table->quantum = p[6];
	table->word = p[7];
	return p[table->big ? 0 : 3] == 0xff &&
	       find_layout(p[table->big ? 3 : 0], &table->layout) &&
	       (table->quantum == 1 || table->quantum == 2 || table->quantum == 4) &&
	       (table->word == 4 || table->word == 8);
}

bool gopclntab_has_magic(struct cairn_bytes bytes)
{
	struct gopclntab table;

	return read_magic(bytes, &table);
}

/*
 * Read the offset of a table from the header. Return the bytes from there to the end of .gopclntab,
 * because the size of the table is unknown.
 */
static struct cairn_bytes read_part(struct reader *in, bool wide)
{
	uint64_t offset = reader_word(in, wide);
	struct cairn_bytes part = { in->in.data, 0 };

	if (reader_ok(in) && !gopclntab_slice_from(in->in, offset, &part))
		reader_fail(in, CAIRN_MALFORMED,
		            "an offset in the header points past the end of the table");
	return part;
}

static size_t get_pair_size(const struct gopclntab *table)
{
	return table->layout < GOPCLNTAB_1_18 ? 2 * (size_t)table->word : 8;
}

/*
 * Check that the function index fits into .gopclntab. The index ends with the end address of the
 * last function.
 */
static void check_index(struct gopclntab *table, struct reader *in)
{
	size_t pair = get_pair_size(table);

	if (reader_ok(in) && (table->index.size < pair / 2 ||
	                      table->functions > (table->index.size - pair / 2) / pair))
		reader_fail_at(in, MAGIC_SIZE, CAIRN_MALFORMED,
		               "the index is too short for the number of functions");
}

/*
 * Read the fields after the index in layout 1.2: the number of files and the location of their
 * names.
 */
static void read_old_files(struct gopclntab *table, struct reader *in)
{
	size_t pair = get_pair_size(table);

	if (!reader_ok(in))
		return;
	reader_seek(in, (size_t)(MAGIC_SIZE + table->word + table->functions * pair + table->word));
	uint32_t offset = reader_u32(in);
	if (!reader_ok(in))
		return;
	if (!gopclntab_slice_from(table->bytes, offset, &table->units) || table->units.size < 4) {
		reader_fail(in, CAIRN_MALFORMED,
		            "an offset in the header points past the end of the table");
		return;
	}
	table->files = bytes_u32(table->units.data, table->big);
	if (table->files > table->units.size / 4)
		reader_fail_at(in, offset, CAIRN_MALFORMED,
		               "the file table is too short for the number of files");
}

static void read_old_header(struct gopclntab *table, struct reader *in)
{
	table->functions = reader_word(in, table->word == 8);
	table->names = table->file_names = table->values = table->bytes;
	if (reader_ok(in))
		table->index = (struct cairn_bytes){ in->in.data + in->at, reader_left(in) };
	check_index(table, in);
	read_old_files(table, in);
}

static void read_new_header(struct gopclntab *table, struct reader *in)
{
	bool wide = table->word == 8;

	table->functions = reader_word(in, wide);
	table->files = reader_word(in, wide);
	size_t text = in->at;
	if (table->layout >= GOPCLNTAB_1_18)
		table->text = reader_word(in, wide);
	table->names = read_part(in, wide);
	table->units = read_part(in, wide);
	table->file_names = read_part(in, wide);
	table->values = read_part(in, wide);
	table->index = read_part(in, wide);
	check_index(table, in);
	if (reader_ok(in) && table->files > table->file_names.size)
		reader_fail_at(in, MAGIC_SIZE + table->word, CAIRN_MALFORMED,
		               "the file table is too short for the number of files");
	if (table->layout >= GOPCLNTAB_1_18 && table->memory && table->memory->read_word)
		table->memory->read_word(table->memory->context, table->va + text, &table->text);
}

enum cairn_status gopclntab_open(struct cairn_bytes bytes, uint64_t va,
                                 const struct gopclntab_memory *memory, struct gopclntab *table,
                                 struct cairn_fault *fault)
{
	*table = (struct gopclntab){ .bytes = bytes, .va = va, .memory = memory };
	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	if (!read_magic(bytes, table)) {
		*fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, 0,
			                       "not the magic number of a Go table" };
		return fault->status;
	}
	struct reader in = reader_open(bytes, table->big);
	reader_skip(&in, MAGIC_SIZE);
	if (table->layout == GOPCLNTAB_1_2)
		read_old_header(table, &in);
	else
		read_new_header(table, &in);
	*fault = in.fault;
	return fault->status;
}

/* Read a pointer inside .gopclntab, with relocations applied. */
static bool read_pointer(const struct gopclntab *table, const uint8_t *at, uint64_t *pointer)
{
	const struct gopclntab_memory *memory = table->memory;

	if (memory && memory->read_word)
		return memory->read_word(memory->context,
		                         table->va + (uint64_t)(at - table->bytes.data), pointer);
	*pointer = bytes_unsigned(at, table->word, table->big);
	return true;
}

/*
 * Return the start of function `index`, or the end of the code if `index` is the number of
 * functions.
 */
static bool read_start(const struct gopclntab *table, uint64_t index, uint64_t *start)
{
	const uint8_t *pair = table->index.data + index * get_pair_size(table);

	if (table->layout < GOPCLNTAB_1_18)
		return read_pointer(table, pair, start);
	*start = table->text + bytes_u32(pair, table->big);
	return true;
}

bool gopclntab_find(const struct gopclntab *table, uint64_t va, uint64_t *index)
{
	uint64_t low = 0, high = table->functions, start;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (!read_start(table, middle, &start))
			return false;
		if (start <= va)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !read_start(table, low, &start) || va >= start)
		return false;
	*index = low - 1;
	return true;
}

static void read_fields(const struct gopclntab *table, struct reader *in,
                        struct gopclntab_function *function, uint32_t *values, uint8_t *trees)
{
	function->name = gopclntab_text(table->names, reader_u32(in));
	reader_skip(in, 8); /* arguments, deferreturn */
	function->stack = reader_u32(in);
	function->file = reader_u32(in);
	function->line = reader_u32(in);
	*values = reader_u32(in);
	if (table->layout >= GOPCLNTAB_1_16)
		function->unit = reader_u32(in);
	if (table->layout >= GOPCLNTAB_1_20)
		reader_skip(in, 4); /* skip the line where the function starts */
	function->id = reader_u8(in);
	function->flags = reader_u8(in);
	reader_skip(in, 1);
	*trees = reader_u8(in);
}

static uint64_t find_offset(const struct gopclntab *table, const struct reader *in)
{
	return (uint64_t)(in->in.data - table->bytes.data) + in->at;
}

/*
 * Return the address of an entry's inline tree. `in` must be at the start of the funcdata
 * addresses.
 */
static uint64_t read_tree(const struct gopclntab *table, struct reader *in, unsigned number)
{
	size_t size = table->layout >= GOPCLNTAB_1_18 ? 4 : table->word;
	uint64_t tree = 0;

	if (size == 8) /* aligned in memory */
		reader_skip(in, (size_t)(-(table->va + find_offset(table, in)) & 7));
	reader_skip(in, number * size);
	struct cairn_bytes at = reader_bytes(in, size);
	if (!reader_ok(in))
		return 0;
	if (table->layout < GOPCLNTAB_1_18)
		return read_pointer(table, at.data, &tree) ? tree : 0;
	uint32_t offset = bytes_u32(at.data, table->big);
	return offset == (uint32_t)NO_TREE ? 0 : table->inline_trees + offset;
}

static void read_inlined(const struct gopclntab *table, struct reader *in, uint32_t values,
                         uint8_t trees, struct gopclntab_function *function)
{
	unsigned number = table->layout == GOPCLNTAB_1_2 ? TREES_INLINED_1_2 : TREES_INLINED;
	size_t at = in->at;

	if (!table->has_inline_trees || values <= VALUES_INLINED || trees <= number ||
	    !reader_fits(in, values, 4))
		return;
	reader_skip(in, VALUES_INLINED * 4);
	uint32_t inlined = reader_u32(in);
	reader_seek(in, at + (size_t)values * 4);
	uint64_t tree = read_tree(table, in, number);
	if (tree) {
		function->inlined = inlined;
		function->tree = tree;
	}
}

bool gopclntab_read_function(const struct gopclntab *table, uint64_t index,
                             struct gopclntab_function *function)
{
	struct cairn_bytes entry;
	uint64_t offset;
	uint32_t values;
	uint8_t trees;

	*function = (struct gopclntab_function){ .name = { table->bytes.data, 0 } };
	if (index >= table->functions || !read_start(table, index, &function->start) ||
	    !read_start(table, index + 1, &function->end) || function->end <= function->start)
		return false;
	bool old = table->layout < GOPCLNTAB_1_18;
	size_t size = old ? table->word : 4;
	struct cairn_bytes base = table->layout == GOPCLNTAB_1_2 ? table->bytes : table->index;
	offset = bytes_unsigned(table->index.data + index * 2 * size + size, size, table->big);
	if (!gopclntab_slice_from(base, offset, &entry))
		return false;
	struct reader in = reader_open(entry, table->big);
	reader_skip(&in, size);
	read_fields(table, &in, function, &values, &trees);
	if (!reader_ok(&in))
		return false;
	read_inlined(table, &in, values, trees, function);
	return true;
}

bool gopclntab_is_outermost(const struct gopclntab *table,
                            const struct gopclntab_function *function)
{
	static const char *const names[] = { "runtime.goexit", "runtime.mstart", "runtime.rt0_go" };

	if (table->layout > GOPCLNTAB_1_2 && (function->flags & GOPCLNTAB_TOP_FRAME))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && table->layout < GOPCLNTAB_1_18;
	     i++)
		if (function->name.size == strlen(names[i]) &&
		    memcmp(function->name.data, names[i], function->name.size) == 0)
			return true;
	return false;
}

/*
 * Reads the value tables in .gopclntab, the files that they refer to, and inline trees:
 *
 *	values = (difference:varint step:varint)* 0
 *	call   = parent:s16 id:u8 0 file:u32 line:u32 name:u32 place:u32         up to 1.19
 *	       | id:u8 0 0 0 name:u32 place:u32 line:u32                           from 1.20 on
 *
 * Values start at -1. Differences are zigzag-encoded, and a difference of 0 ends the table unless
 * it is the first. Steps are in units of the instruction quantum.
 */

enum {
	CALL_OLD = 20,
	CALL_NEW = 16,
	NO_NAME = -1, /* name offset that marks a file the program does not contain */
};

struct gopclntab_values gopclntab_values(const struct gopclntab *table,
                                         const struct gopclntab_function *function, uint32_t offset)
{
	struct gopclntab_values values = { .in = table->values,
		                           .at = offset,
		                           .va = function->start,
		                           .end = function->end,
		                           .value = -1,
		                           .quantum = table->quantum,
		                           .first = true };

	if (offset == 0 || offset >= table->values.size) {
		values.at = values.in.size;
		values.damaged = offset != 0;
	}
	return values;
}

static bool read_varint(struct gopclntab_values *values, uint32_t *number)
{
	uint32_t bits = 0;

	for (unsigned shift = 0; shift < 35 && values->at < values->in.size; shift += 7) {
		uint8_t byte = values->in.data[values->at++];
		bits |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*number = bits;
			return true;
		}
	}
	return false;
}

static bool end_values(struct gopclntab_values *values, bool damaged)
{
	values->at = values->in.size;
	values->damaged |= damaged;
	return false;
}

bool gopclntab_next_run(struct gopclntab_values *values, struct gopclntab_run *run)
{
	uint32_t difference, step;

	if (values->at >= values->in.size)
		return false;
	if (!read_varint(values, &difference))
		return end_values(values, true);
	if (difference == 0 && !values->first)
		return end_values(values, false);
	if (!read_varint(values, &step) || step == 0)
		return end_values(values, true);
	uint64_t size = (uint64_t)step * values->quantum;
	if (size > values->end - values->va)
		size = values->end - values->va;
	if (size == 0)
		return end_values(values, false);
	values->value =
		(int32_t)((uint32_t)values->value + ((difference >> 1) ^ (0 - (difference & 1))));
	*run = (struct gopclntab_run){ values->va, values->va + size, values->value };
	values->va += size;
	values->first = false;
	return true;
}

struct cairn_bytes gopclntab_file(const struct gopclntab *table,
                                  const struct gopclntab_function *function, int32_t value)
{
	const struct cairn_bytes none = { table->bytes.data, 0 };
	bool old = table->layout == GOPCLNTAB_1_2;

	if (value < 0 || (old && (value == 0 || (uint64_t)value >= table->files)))
		return none;
	uint64_t number = (old ? 0 : (uint64_t)function->unit) + (uint64_t)value;
	if (number >= table->units.size / 4)
		return none;
	uint32_t offset = bytes_u32(table->units.data + number * 4, table->big);
	if (offset == (uint32_t)NO_NAME)
		return none;
	return gopclntab_text(table->file_names, offset);
}

bool gopclntab_next_file(const struct gopclntab *table, uint64_t *at, struct cairn_bytes *path)
{
	const struct gopclntab_function any = { .unit = 0 };

	if (table->layout == GOPCLNTAB_1_2) {
		if (*at + 1 >= table->files || *at >= INT32_MAX)
			return false;
		*path = gopclntab_file(table, &any, (int32_t)++ * at);
		return true;
	}
	if (*at >= table->file_names.size || table->file_names.data + *at == table->values.data)
		return false;
	*path = gopclntab_text(table->file_names, *at);
	*at += path->size + 1;
	return true;
}

static void read_old_call(const struct gopclntab *table, struct reader *in,
                          const struct gopclntab_function *function, struct gopclntab_call *call)
{
	call->has_parent = true;
	call->parent = (int16_t)reader_u16(in);
	reader_skip(in, 2);
	call->file = reader_s32(in);
	call->line = reader_s32(in);
	call->name = gopclntab_text(table->names, reader_u32(in));
	call->place = function->start + reader_u32(in);
}

static void read_new_call(const struct gopclntab *table, struct reader *in,
                          const struct gopclntab_function *function, struct gopclntab_call *call)
{
	reader_skip(in, 4);
	call->name = gopclntab_text(table->names, reader_u32(in));
	call->place = function->start + reader_u32(in);
}

bool gopclntab_read_call(const struct gopclntab *table, const struct gopclntab_function *function,
                         int32_t index, struct gopclntab_call *call)
{
	bool old = table->layout < GOPCLNTAB_1_20;
	size_t size = old ? CALL_OLD : CALL_NEW;
	const struct gopclntab_memory *memory = table->memory;
	struct cairn_bytes tree, entry;

	*call = (struct gopclntab_call){ .name = { table->bytes.data, 0 }, .parent = -1 };
	if (index < 0 || function->tree == 0 || !memory || !memory->lend ||
	    !memory->lend(memory->context, function->tree, &tree) ||
	    !bytes_slice(tree, (uint64_t)index * size, size, &entry))
		return false;
	struct reader in = reader_open(entry, table->big);
	if (old)
		read_old_call(table, &in, function, call);
	else
		read_new_call(table, &in, function, call);
	return reader_ok(&in);
}

/*
 * Reads the fields of Go's moduledata that refer to .gopclntab. All are words:
 *
 *	1.16  header names*3 units*3 file-names*3 values*3 table*3 index*3 find low high text
 *	1.18  ... text end-text (begin end)*4 end gcdata gcbss types end-types rodata inline-trees
 *	1.20  ... text end-text (begin end)*5 end gcdata gcbss types end-types rodata inline-trees
 *	1.27  ... types descriptors:size end-types (tables:offset tables:size) rodata inline-trees
 *
 * Sizes and offsets are relative to the address of the types. Only the presence of these fields
 * distinguishes 1.27 from older versions. A slice (*3) is an address, a length and a capacity.
 */

enum {
	WORD_NAMES = 1,
	WORD_UNITS = 4,
	WORD_INDEX = 16,
	WORD_TEXT = 22,
	WORD_TREES_1_18 = 38,
	WORD_TREES_1_20 = 40,
	WORD_TYPES = 37, /* since Go 1.20 */
	WORD_TREES_1_27 = 43,
};

static bool read_module_word(const struct gopclntab *table, uint64_t va, unsigned number,
                             uint64_t *word)
{
	const struct gopclntab_memory *memory = table->memory;

	return memory->read_word(memory->context, va + (uint64_t)number * table->word, word);
}

static bool points_to(const struct gopclntab *table, uint64_t va, unsigned number,
                      struct cairn_bytes part)
{
	uint64_t word;

	return read_module_word(table, va, number, &word) &&
	       word == table->va + (uint64_t)(part.data - table->bytes.data);
}

/*
 * Return true if the words after the address of the types are sizes, as in 1.27. Up to 1.26, two of
 * these words are addresses.
 */
static bool has_sizes_of_types(const struct gopclntab *table, uint64_t va)
{
	uint64_t types, descriptors, end, tables, size;

	return read_module_word(table, va, WORD_TYPES, &types) &&
	       read_module_word(table, va, WORD_TYPES + 1, &descriptors) &&
	       read_module_word(table, va, WORD_TYPES + 2, &end) &&
	       read_module_word(table, va, WORD_TYPES + 3, &tables) &&
	       read_module_word(table, va, WORD_TYPES + 4, &size) && end > types &&
	       descriptors <= end - types && tables <= end - types && size <= end - types - tables;
}

static unsigned find_trees_word(const struct gopclntab *table, uint64_t va)
{
	if (table->layout == GOPCLNTAB_1_18)
		return WORD_TREES_1_18;
	return has_sizes_of_types(table, va) ? WORD_TREES_1_27 : WORD_TREES_1_20;
}

bool gopclntab_read_module(const struct gopclntab *table, uint64_t va, uint64_t *text,
                           uint64_t *inline_trees)
{
	*text = *inline_trees = 0;
	if (!table->memory || !table->memory->read_word || table->layout == GOPCLNTAB_1_2 ||
	    !points_to(table, va, 0, table->bytes) ||
	    !points_to(table, va, WORD_NAMES, table->names) ||
	    !points_to(table, va, WORD_UNITS, table->units) ||
	    !points_to(table, va, WORD_INDEX, table->index) ||
	    !read_module_word(table, va, WORD_TEXT, text))
		return false;
	return table->layout < GOPCLNTAB_1_18 ||
	       read_module_word(table, va, find_trees_word(table, va), inline_trees);
}
