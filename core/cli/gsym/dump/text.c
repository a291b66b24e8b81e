/* SPDX-License-Identifier: MIT */
/*
 * One function of a dump as text.  Its blocks are printed in the order of llvm-gsymutil: lines,
 * inlined calls, call sites, merged functions.
 */
#include "cli/gsym/gsym.h"

#include "output/location.h"

#include <inttypes.h>

enum { MERGED_INDENT = 4 };

/* A function being printed. */
struct text_printer {
	const struct gsym *gsym;
	struct gsym_dump *dump;
	const struct gsym_function *function;
	int indent;
	bool sound;
};

static void print_file(const struct text_printer *p, uint64_t index)
{
	struct location_path path;

	print_plain_location(stdout, gsym_dump_path(p->dump, index, &path));
}

static void print_name(const struct text_printer *p, uint64_t offset)
{
	print_plain_location(stdout, gsym_dump_name(p->dump, offset));
}

static void print_range(uint64_t start, uint64_t size)
{
	printf("[0x%016" PRIx64 " - 0x%016" PRIx64 ")", start, start + size);
}

static void print_lines(struct text_printer *p, const struct gsym_block *block)
{
	struct gsym_rows rows = gsym_rows(block, p->function->start);
	struct gsym_row row;

	printf("%*sLineTable:\n", p->indent, "");
	while (gsym_next_row(&rows, &row)) {
		printf("%*s  0x%016" PRIx64 " ", p->indent, "", row.va);
		if (row.file)
			print_file(p, row.file);
		printf(":%" PRIu32 "\n", row.line);
	}
	p->sound = p->sound && rows.fault.status == CAIRN_OK;
}

static void print_node(const struct text_printer *p, const struct gsym_tree *tree,
                       const struct gsym_inline *node)
{
	struct gsym_range range;
	uint32_t at = node->ranges_at;
	uint64_t left = node->ranges;

	unsigned indent = (unsigned)p->indent + 2 * node->depth;

	printf("%*s", printed_take(&p->dump->printed, indent) ? (int)indent : 0, "");
	while (gsym_next_range(tree, node, &at, &left, &range)) {
		print_range(range.start, range.size);
		putchar(' ');
	}
	print_name(p, node->name);
	if (node->file && gsym_has_file(p->gsym, node->file)) {
		fputs(" called from ", stdout);
		print_file(p, node->file);
		printf(":%" PRIu32, (uint32_t)node->line);
	}
	putchar('\n');
}

static void print_inlines(struct text_printer *p, const struct gsym_block *block)
{
	struct gsym_tree tree = gsym_tree(p->gsym, block, p->function->start);
	struct gsym_nodes nodes;
	struct gsym_inline node;

	if (p->indent == 0)
		fputs("InlineInfo:\n", stdout);
	gsym_nodes_begin(&nodes, &tree);
	while (gsym_next_node(&nodes, &node))
		print_node(p, &tree, &node);
	p->sound = p->sound && nodes.tree.fault.status == CAIRN_OK;
}

static const char *describe_call_flags(uint8_t flags)
{
	static const char *const texts[] = {
		[0] = "None",
		[GSYM_CALL_INTERNAL] = "InternalCall",
		[GSYM_CALL_EXTERNAL] = "ExternalCall",
		[GSYM_CALL_INTERNAL | GSYM_CALL_EXTERNAL] = "InternalCall | ExternalCall",
	};
	return texts[flags & (GSYM_CALL_INTERNAL | GSYM_CALL_EXTERNAL)];
}

static void print_calls(struct text_printer *p, const struct gsym_block *block)
{
	struct gsym_calls calls = gsym_calls(p->gsym, block);
	struct gsym_call call;

	printf("%*sCallSites (by relative return offset):\n", p->indent, "");
	while (gsym_next_call(&calls, &call)) {
		printf("%*s  0x%04" PRIx64 " Flags[%s]", p->indent, "", call.return_offset,
		       describe_call_flags(call.flags));
		for (uint32_t i = 0; i < call.names; i++) {
			fputs(i ? ";" : " MatchRegex[", stdout);
			print_name(p, gsym_call_name(p->gsym, &call, i));
		}
		fputs(call.names ? "]\n" : "\n", stdout);
	}
	p->sound = p->sound && calls.in.fault.status == CAIRN_OK;
}

/* All blocks of one type, and whether the record could be read to its end. */
static void print_blocks(struct text_printer *p, enum gsym_type type,
                         void (*print)(struct text_printer *p, const struct gsym_block *block))
{
	struct gsym_blocks blocks = gsym_blocks(p->gsym, p->function);
	struct gsym_block block;

	while (gsym_next_block(&blocks, &block))
		if (block.type == type)
			print(p, &block);
	p->sound = p->sound && blocks.in.fault.status == CAIRN_OK;
}

static void print_function(struct text_printer *p)
{
	printf("%*s", p->indent, "");
	print_range(p->function->start, p->function->size);
	fputs(" \"", stdout);
	print_name(p, p->function->name);
	fputs("\"\n", stdout);
	print_blocks(p, GSYM_LINES, print_lines);
	print_blocks(p, GSYM_INLINES, print_inlines);
	print_blocks(p, GSYM_CALLS, print_calls);
}

static void print_merged(struct text_printer *p, const struct gsym_block *block)
{
	struct gsym_merged merged = gsym_merged(p->gsym, p->function, block);
	struct gsym_function function;

	for (unsigned i = 0; gsym_next_merged(&merged, &function); i++) {
		struct text_printer inner = *p;
		inner.function = &function;
		inner.indent = MERGED_INDENT;
		printf("++ Merged FunctionInfos[%u]:\n", i);
		print_function(&inner);
		p->sound = inner.sound;
	}
	p->sound = p->sound && merged.in.fault.status == CAIRN_OK;
}

bool gsym_dump_function(struct gsym_dump *dump, uint32_t index)
{
	const struct gsym *gsym = dump->gsym;
	struct gsym_function function;
	struct cairn_fault fault;
	struct text_printer p = { gsym, dump, &function, 0, true };

	if (!gsym_walk_take(&dump->walk, index, &fault) ||
	    gsym_function(gsym, index, &function, &fault) != CAIRN_OK) {
		printf("FunctionInfo of 0x%016" PRIx64 ": %s at byte %" PRIu64 "\n",
		       gsym->base + gsym_offset(gsym, index), fault.what, fault.offset);
		return false;
	}
	printf("FunctionInfo @ 0x%08zx: ", function.at);
	print_function(&p);
	print_blocks(&p, GSYM_MERGED, print_merged);
	return p.sound;
}
