/* SPDX-License-Identifier: MIT */
/*
 * Reads function records, and the two block types that contain lists:
 *
 *	record = size:4 name:strp block* end-block
 *	block  = type:4 length:4 byte[length]         type 0 with length 0 ends the record
 *	merged = count:4 (length:4 record)*count
 *	calls  = count:4 (return_offset:8 flags:1 names:4 strp*names)*count
 *
 * Merged functions start at the same address as the record that contains them. Blocks of unknown
 * type are skipped.
 */
#include "gsym.h"

#include "base/bytes.h"
#include "base/error.h"

enum { SIZE_FIELD = 4, INFO_WIDTH_V1 = 4, INFO_WIDTH_V2 = 8 };

size_t gsym_info_at(const struct gsym *gsym, uint32_t index)
{
	size_t width = gsym->version == 1 ? INFO_WIDTH_V1 : INFO_WIDTH_V2;
	return gsym->infos_at + (size_t)index * width;
}

uint64_t gsym_info(const struct gsym *gsym, uint32_t index)
{
	size_t width = gsym->version == 1 ? INFO_WIDTH_V1 : INFO_WIDTH_V2;
	return bytes_unsigned(gsym->bytes.data + gsym_info_at(gsym, index), width, gsym->big);
}

/* Read the size and name of the record at f->at. The record must end at or before f->end. */
static enum cairn_status read_head(const struct gsym *gsym, struct gsym_function *f,
                                   struct cairn_fault *fault)
{
	const uint8_t *record = gsym->bytes.data + f->at;
	size_t width = gsym_strp_size(gsym);

	if (f->end - f->at < SIZE_FIELD + width) {
		return fault_set_at(fault, CAIRN_TRUNCATED, f->at,
		                    "a function's record is cut off");
	}
	f->size = bytes_u32(record, gsym->big);
	f->name = bytes_unsigned(record + SIZE_FIELD, width, gsym->big);
	f->blocks = f->at + SIZE_FIELD + width;
	if (f->name != 0)
		return CAIRN_OK;
	return fault_set_at(fault, CAIRN_MALFORMED, f->at + SIZE_FIELD,
	                    "a function without a name");
}

enum cairn_status gsym_function(const struct gsym *gsym, uint32_t index,
                                struct gsym_function *function, struct cairn_fault *fault)
{
	size_t info_at = gsym_info_at(gsym, index);
	uint64_t info = gsym_info(gsym, index);
	struct gsym_function f = { .start = gsym->base + gsym_offset(gsym, index),
		                   .index = index,
		                   .end = gsym->records_at + gsym->records_size };

	if (info >= gsym->records_size) {
		return fault_set_at(fault, CAIRN_MALFORMED, info_at,
		                    "a record's offset lies outside the file");
	}
	f.at = gsym->records_at + (size_t)info;
	enum cairn_status status = read_head(gsym, &f, fault);
	if (status == CAIRN_OK)
		*function = f;
	return status;
}

/* Return a reader over [from, to) that reports file offsets. */
static struct reader open_part_reader(const struct gsym *gsym, size_t from, size_t to)
{
	struct reader in = reader_open((struct cairn_bytes){ gsym->bytes.data, to }, gsym->big);

	reader_seek(&in, from);
	return in;
}

struct gsym_blocks gsym_blocks(const struct gsym *gsym, const struct gsym_function *function)
{
	return (struct gsym_blocks){ .in = open_part_reader(gsym, function->blocks,
		                                            function->end) };
}

bool gsym_next_block(struct gsym_blocks *blocks, struct gsym_block *block)
{
	struct reader *in = &blocks->in;
	struct gsym_block b = { .at = in->at };

	if (blocks->done)
		return false;
	b.type = reader_u32(in);
	uint32_t length = reader_u32(in);
	if (length > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED, "a block extends past the end of its record");
	b.data = reader_bytes(in, length);
	blocks->done = !reader_ok(in) || b.type == GSYM_END;
	if (blocks->done)
		return false;
	*block = b;
	return true;
}

static struct reader open_block_reader(const struct gsym *gsym, const struct gsym_block *block)
{
	return open_part_reader(gsym, block->at + 8, block->at + 8 + block->data.size);
}

struct gsym_merged gsym_merged(const struct gsym *gsym, const struct gsym_function *owner,
                               const struct gsym_block *merged)
{
	struct gsym_merged m = { .gsym = gsym,
		                 .in = open_block_reader(gsym, merged),
		                 .start = owner->start,
		                 .index = owner->index };

	m.left = m.count = reader_u32(&m.in);
	return m;
}

bool gsym_next_merged(struct gsym_merged *merged, struct gsym_function *function)
{
	struct reader *in = &merged->in;
	struct cairn_fault fault;

	if (merged->left == 0)
		return false;
	merged->left--;
	uint32_t length = reader_u32(in);
	if (length > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED,
		            "a merged function extends past the end of its block");
	struct gsym_function f = { .start = merged->start,
		                   .index = merged->index,
		                   .at = in->at,
		                   .end = in->at + length,
		                   .is_merged = true };
	reader_skip(in, length);
	if (reader_ok(in) && read_head(merged->gsym, &f, &fault) != CAIRN_OK)
		reader_fail_at(in, (size_t)fault.offset, fault.status, fault.what);
	if (!reader_ok(in))
		return false;
	*function = f;
	return true;
}

struct gsym_calls gsym_calls(const struct gsym *gsym, const struct gsym_block *calls)
{
	struct gsym_calls c = { .gsym = gsym, .in = open_block_reader(gsym, calls) };

	c.left = c.count = reader_u32(&c.in);
	return c;
}

bool gsym_next_call(struct gsym_calls *calls, struct gsym_call *call)
{
	struct reader *in = &calls->in;
	unsigned width = gsym_strp_size(calls->gsym);

	if (calls->left == 0)
		return false;
	calls->left--;
	struct gsym_call c = { .return_offset = reader_u64(in) };
	c.flags = reader_u8(in);
	c.names = reader_u32(in);
	if (!reader_fits(in, c.names, width))
		reader_fail(in, CAIRN_TRUNCATED, "the record is too short for the number of names");
	c.names_at = in->at;
	reader_skip(in, (size_t)c.names * width);
	if (!reader_ok(in))
		return false;
	*call = c;
	return true;
}

uint64_t gsym_call_name(const struct gsym *gsym, const struct gsym_call *call, uint32_t index)
{
	size_t width = gsym_strp_size(gsym);
	return bytes_unsigned(gsym->bytes.data + call->names_at + index * width, width, gsym->big);
}

/*
 * Finds every structural flaw of a file that gsym_open() accepts. For a read error, the flaw is
 * located where reading stopped. For a semantic error, it is located at the structure that contains
 * the error: the file table, a line table, a record, or the name of an inlined call.
 */

static void add_flaw(struct gsym_flaws *flaws, struct cairn_fault fault)
{
	if (fault.status == CAIRN_OK)
		return;
	if (flaws->count < GSYM_FLAWS_MAX)
		flaws->list[flaws->count++] = fault;
	else
		flaws->more++;
}

static void add_flaw_at(struct gsym_flaws *flaws, size_t at, const char *what)
{
	add_flaw(flaws, (struct cairn_fault){ CAIRN_MALFORMED, at, what });
}

static void check_files(const struct gsym *gsym, struct gsym_flaws *flaws)
{
	struct gsym_file file;
	bool sound = true;

	for (uint32_t i = 0; sound && i < gsym->files; i++)
		sound = gsym_has_file(gsym, i);
	if (!sound)
		add_flaw_at(flaws, gsym->files_at + 4, "a path lies outside the string table");
	if (gsym->functions && gsym->files && gsym_file(gsym, 0, &file) && !file.empty)
		add_flaw_at(flaws, gsym->files_at + 4, "file 0 is not the empty entry");
}

void gsym_check_tables(const struct gsym *gsym, uint32_t *next, struct gsym_flaws *flaws)
{
	flaws->count = flaws->more = 0;
	if (*next == 0)
		check_files(gsym, flaws);
	uint32_t i = *next ? *next : 1;
	for (; i < gsym->functions && flaws->count < GSYM_FLAWS_MAX; i++)
		if (gsym_offset(gsym, i) < gsym_offset(gsym, i - 1))
			add_flaw_at(flaws, gsym->addresses_at + (size_t)i * gsym->address_size,
			            "the address table does not ascend");
	*next = i < gsym->functions ? i : 0;
}

static void check_lines(const struct gsym *gsym, const struct gsym_block *lines, uint64_t start,
                        struct gsym_flaws *flaws)
{
	struct gsym_rows rows = gsym_rows(lines, start);
	struct gsym_row row;
	uint64_t previous = start;
	bool ascends = true, files = true;

	while (gsym_next_row(&rows, &row)) {
		ascends = ascends && row.va >= previous;
		files = files && (row.file == 0 || gsym_has_file(gsym, row.file));
		previous = row.va;
	}
	if (!ascends)
		add_flaw_at(flaws, rows.data_at, "the rows of a line table do not ascend");
	if (!files)
		add_flaw_at(flaws, rows.data_at,
		            "a line table refers to a file that is not in the file table");
	add_flaw(flaws, rows.fault);
}

static void check_inlines(const struct gsym *gsym, const struct gsym_block *inlines, uint64_t start,
                          struct gsym_nodes *nodes, struct gsym_flaws *flaws)
{
	struct gsym_tree tree = gsym_tree(gsym, inlines, start);
	struct gsym_inline node;

	gsym_nodes_begin(nodes, &tree);
	while (gsym_next_node(nodes, &node)) {
		size_t at = tree.data_at + node.fixed_at + 1;
		if (!gsym_has_string(gsym, node.name))
			add_flaw_at(flaws, at, "a name lies past the end of the string table");
		if (node.file != 0 && !gsym_has_file(gsym, node.file))
			add_flaw_at(flaws, at,
			            "a call refers to a file that is not in the file table");
	}
	add_flaw(flaws, nodes->tree.fault);
}

static void check_calls(const struct gsym *gsym, const struct gsym_block *block,
                        struct gsym_flaws *flaws)
{
	struct gsym_calls calls = gsym_calls(gsym, block);
	struct gsym_call call;

	while (gsym_next_call(&calls, &call)) {
		bool sound = true;
		for (uint32_t i = 0; sound && i < call.names; i++)
			sound = gsym_has_string(gsym, gsym_call_name(gsym, &call, i));
		if (!sound)
			add_flaw_at(flaws, call.names_at,
			            "a name lies past the end of the string table");
	}
	add_flaw(flaws, calls.in.fault);
}

/* Check a record, except for the functions merged into it, whose block is stored in *merged. */
static void check_record(const struct gsym *gsym, const struct gsym_function *function,
                         struct gsym_nodes *nodes, struct gsym_block *merged,
                         struct gsym_flaws *flaws)
{
	struct gsym_blocks blocks = gsym_blocks(gsym, function);
	struct gsym_block block;

	if (!gsym_has_string(gsym, function->name))
		add_flaw_at(flaws, function->at + 4,
		            "a name lies past the end of the string table");
	if (function->size > UINT64_MAX - function->start)
		add_flaw_at(flaws, function->at,
		            "a function extends past the end of the address space");
	while (gsym_next_block(&blocks, &block)) {
		if (block.type == GSYM_LINES)
			check_lines(gsym, &block, function->start, flaws);
		else if (block.type == GSYM_INLINES)
			check_inlines(gsym, &block, function->start, nodes, flaws);
		else if (block.type == GSYM_CALLS)
			check_calls(gsym, &block, flaws);
		else if (block.type == GSYM_MERGED && function->is_merged)
			add_flaw_at(flaws, block.at, "merged functions inside a merged function");
		else if (block.type == GSYM_MERGED)
			*merged = block;
	}
	add_flaw(flaws, blocks.in.fault);
}

void gsym_check_function(const struct gsym *gsym, uint32_t index, struct gsym_nodes *scratch,
                         struct gsym_flaws *flaws)
{
	struct gsym_block merged = { .type = GSYM_END };
	struct gsym_function f;
	struct cairn_fault fault;

	flaws->count = flaws->more = 0;
	if (gsym_function(gsym, index, &f, &fault) != CAIRN_OK) {
		add_flaw(flaws, fault);
		return;
	}
	check_record(gsym, &f, scratch, &merged, flaws);
	if (merged.type == GSYM_END)
		return;
	struct gsym_merged others = gsym_merged(gsym, &f, &merged);
	while (gsym_next_merged(&others, &f))
		check_record(gsym, &f, scratch, &merged, flaws);
	add_flaw(flaws, others.in.fault);
}
