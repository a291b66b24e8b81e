/* SPDX-License-Identifier: MIT */
/*
 * Finds every structural flaw of a file that opens. A read error has the offset where reading
 * stopped. A semantic flaw has the offset of the structure that it belongs to: the file table, a
 * line table, a record, or the name of an inlined call.
 */
#include "check.h"

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
			add_flaw_at(flaws, at, "a name lies outside the string table");
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
			add_flaw_at(flaws, call.names_at, "a name lies outside the string table");
	}
	add_flaw(flaws, calls.in.fault);
}

/* Check a record, except for functions merged into it. Their block is returned in *merged. */
static void check_record(const struct gsym *gsym, const struct gsym_function *function,
                         struct gsym_nodes *nodes, struct gsym_block *merged,
                         struct gsym_flaws *flaws)
{
	struct gsym_blocks blocks = gsym_blocks(gsym, function);
	struct gsym_block block;

	if (!gsym_has_string(gsym, function->name))
		add_flaw_at(flaws, function->at + 4, "a name lies outside the string table");
	if (function->size > UINT64_MAX - function->start)
		add_flaw_at(flaws, function->at,
		            "a function reaches past the end of the address space");
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
