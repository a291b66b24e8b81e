/* SPDX-License-Identifier: MIT */
/*
 * A dump as JSON: one object for the file, then one for each function.  Rows and inlined calls are
 * lists; the calls carry their depth instead of being nested, because they may be nested deeply.
 */
#include "cli/gsym/gsym.h"

#include "output/location.h"

enum { ID_SHOWN = 64 }; /* bytes of a build ID */

struct json_printer {
	struct json *json;
	const struct gsym *gsym;
	struct gsym_dump *dump;
	const struct gsym_function *function;
	bool sound;
};

void gsym_json_file(struct json *json, const struct gsym_input *input)
{
	const struct gsym *g = input->gsym;
	struct cairn_bytes id = input->symbols->image.build_id;

	json_object(json, NULL);
	json_string(json, "file", input->found[0] ? input->found : input->path);
	json_number(json, "version", g->version);
	json_bool(json, "big_endian", g->big);
	json_number(json, "address_size", g->address_size);
	json_address(json, "base", g->base);
	json_number(json, "functions", g->functions);
	json_number(json, "files", g->files);
	json_number(json, "strings", g->strings.size);
	id.size = id.size < ID_SHOWN ? id.size : ID_SHOWN;
	json_hex(json, "build_id", id);
	json_end(json);
}

static void print_file_json(const struct json_printer *p, uint64_t index)
{
	struct location_path path;
	struct gsym_file file;

	if (index == 0 || p->dump->printed.over || !gsym_file(p->gsym, index, &file) || file.empty)
		return;
	json_text(p->json, "file", gsym_dump_path(p->dump, index, &path));
}

static void print_lines_json(struct json_printer *p, const struct gsym_block *block)
{
	struct gsym_rows rows = gsym_rows(block, p->function->start);
	struct gsym_row row;

	json_array(p->json, "lines");
	while (gsym_next_row(&rows, &row)) {
		json_object(p->json, NULL);
		json_address(p->json, "address", row.va);
		print_file_json(p, row.file);
		json_number(p->json, "line", row.line);
		if (rows.marked) {
			json_bool(p->json, "statement", rows.statement);
			json_bool(p->json, "prologue_end", rows.prologue_end);
			json_bool(p->json, "apart", rows.apart);
		}
		json_end(p->json);
	}
	json_end(p->json);
	p->sound = p->sound && rows.fault.status == CAIRN_OK;
}

static void print_inline_json(struct json_printer *p, const struct gsym_tree *tree,
                              const struct gsym_inline *node)
{
	struct gsym_range range;
	uint32_t at = node->ranges_at;
	uint64_t left = node->ranges;

	json_object(p->json, NULL);
	json_number(p->json, "depth", node->depth);
	json_text(p->json, "function", gsym_dump_name(p->dump, node->name));
	json_array(p->json, "ranges");
	while (gsym_next_range(tree, node, &at, &left, &range)) {
		json_array(p->json, NULL);
		json_address(p->json, NULL, range.start);
		json_address(p->json, NULL, range.start + range.size);
		json_end(p->json);
	}
	json_end(p->json);
	print_file_json(p, node->file);
	if (node->line)
		json_number(p->json, "line", (uint32_t)node->line);
	json_end(p->json);
}

static void print_inlines_json(struct json_printer *p, const struct gsym_block *block)
{
	struct gsym_tree tree = gsym_tree(p->gsym, block, p->function->start);
	struct gsym_nodes nodes;
	struct gsym_inline node;

	json_array(p->json, "inlines");
	gsym_nodes_begin(&nodes, &tree);
	while (gsym_next_node(&nodes, &node))
		print_inline_json(p, &tree, &node);
	json_end(p->json);
	p->sound = p->sound && nodes.tree.fault.status == CAIRN_OK;
}

static void print_calls_json(struct json_printer *p, const struct gsym_block *block)
{
	struct gsym_calls calls = gsym_calls(p->gsym, block);
	struct gsym_call call;

	json_array(p->json, "calls");
	while (gsym_next_call(&calls, &call)) {
		json_object(p->json, NULL);
		json_address(p->json, "return_address", p->function->start + call.return_offset);
		json_bool(p->json, "internal", (call.flags & GSYM_CALL_INTERNAL) != 0);
		json_bool(p->json, "external", (call.flags & GSYM_CALL_EXTERNAL) != 0);
		json_array(p->json, "callees");
		for (uint32_t i = 0; i < call.names; i++)
			json_text(p->json, NULL,
			          gsym_dump_name(p->dump, gsym_call_name(p->gsym, &call, i)));
		json_end(p->json);
		json_end(p->json);
	}
	json_end(p->json);
	p->sound = p->sound && calls.in.fault.status == CAIRN_OK;
}

static void print_function_json(struct json_printer *p);

/* A merged function has none of its own, so that this goes one level deep. */
static void print_merged_json(struct json_printer *p, const struct gsym_block *block)
{
	struct gsym_merged merged = gsym_merged(p->gsym, p->function, block);
	struct gsym_function function;

	json_array(p->json, "same_code");
	while (gsym_next_merged(&merged, &function)) {
		struct json_printer inner = *p;
		inner.function = &function;
		print_function_json(&inner);
		p->sound = inner.sound;
	}
	json_end(p->json);
	p->sound = p->sound && merged.in.fault.status == CAIRN_OK;
}

static void print_block_json(struct json_printer *p, const struct gsym_block *block)
{
	if (block->type == GSYM_LINES)
		print_lines_json(p, block);
	else if (block->type == GSYM_INLINES)
		print_inlines_json(p, block);
	else if (block->type == GSYM_CALLS)
		print_calls_json(p, block);
	else if (block->type == GSYM_MERGED && !p->function->is_merged)
		print_merged_json(p, block);
}

static void print_function_json(struct json_printer *p)
{
	struct gsym_blocks blocks = gsym_blocks(p->gsym, p->function);
	struct gsym_block block;

	json_object(p->json, NULL);
	json_text(p->json, "function", gsym_dump_name(p->dump, p->function->name));
	json_address(p->json, "start", p->function->start);
	json_number(p->json, "size", p->function->size);
	json_number(p->json, "record", p->function->at);
	while (gsym_next_block(&blocks, &block))
		print_block_json(p, &block);
	json_end(p->json);
	p->sound = p->sound && blocks.in.fault.status == CAIRN_OK;
}

bool gsym_json_function(struct json *json, struct gsym_dump *dump, uint32_t index)
{
	const struct gsym *gsym = dump->gsym;
	struct gsym_function function;
	struct cairn_fault fault;
	struct json_printer p = { json, gsym, dump, &function, true };

	if (gsym_walk_take(&dump->walk, index, &fault) &&
	    gsym_function(gsym, index, &function, &fault) == CAIRN_OK) {
		print_function_json(&p);
		return p.sound;
	}
	json_object(json, NULL);
	json_address(json, "start", gsym->base + gsym_offset(gsym, index));
	json_string(json, "outcome", cairn_status_name(fault.status));
	json_number(json, "offset", fault.offset);
	json_string(json, "what", fault.what);
	json_end(json);
	return false;
}
