/* SPDX-License-Identifier: MIT */
/*
 * `cairn gsym dump`: prints the complete contents of a file, in llvm-gsymutil's format or as JSON.
 */
#include "gsym.h"

#include "cli/front/progress.h"
#include "cli/front/rights.h"
#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>

static struct cairn_bytes gsym_dump_name(struct gsym_dump *dump, uint64_t offset)
{
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

	if (dump->printed.over)
		return none;
	return printed_text(&dump->printed, gsym_text(dump->gsym, offset));
}

static struct cairn_bytes gsym_dump_path(struct gsym_dump *dump, uint64_t index,
                                         struct location_path *path)
{
	struct cairn_location l = { .line = 0 };
	struct gsym_file file;

	path->text = (struct cairn_bytes){ (const uint8_t *)"", 0 };
	if (dump->printed.over || !gsym_file(dump->gsym, index, &file))
		return path->text;
	l.directory = file.directory;
	l.file = file.name;
	location_path(path, &l);
	return printed_text(&dump->printed, path->text);
}

/*
 * JSON output: one object for the file, then one per function. Inlined calls are a flat list with
 * depths, because nested objects could become too deep.
 */

enum { ID_SHOWN = 64 };

struct json_printer {
	struct json *json;
	const struct gsym *gsym;
	struct gsym_dump *dump;
	const struct gsym_function *function;
	bool sound;
};

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

static void print_function_json(struct json_printer *p)
{
	struct gsym_blocks blocks = gsym_blocks(p->gsym, p->function);
	struct gsym_block block;

	json_object(p->json, NULL);
	json_text(p->json, "function", gsym_dump_name(p->dump, p->function->name));
	json_address(p->json, "start", p->function->start);
	json_number(p->json, "size", p->function->size);
	json_number(p->json, "record", p->function->at);
	while (gsym_next_block(&blocks, &block)) {
		if (block.type == GSYM_LINES)
			print_lines_json(p, &block);
		else if (block.type == GSYM_INLINES) {
			struct gsym_tree tree = gsym_tree(p->gsym, &block, p->function->start);
			struct gsym_nodes nodes;
			struct gsym_inline node;
			json_array(p->json, "inlines");
			gsym_nodes_begin(&nodes, &tree);
			while (gsym_next_node(&nodes, &node))
				print_inline_json(p, &tree, &node);
			json_end(p->json);
			p->sound = p->sound && nodes.tree.fault.status == CAIRN_OK;
		} else if (block.type == GSYM_CALLS)
			print_calls_json(p, &block);
		else if (block.type == GSYM_MERGED && !p->function->is_merged) {
			/*
			 * a merged function contains no merged functions, so the recursion is one
			 * level deep
			 */
			struct gsym_merged merged = gsym_merged(p->gsym, p->function, &block);
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
	}
	json_end(p->json);
	p->sound = p->sound && blocks.in.fault.status == CAIRN_OK;
}

static bool gsym_json_function(struct json *json, struct gsym_dump *dump, uint32_t index)
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

/*
 * Text output. The blocks of a function are printed in the same order as by llvm-gsymutil: lines,
 * inlined calls, call sites, merged functions.
 */

enum { MERGED_INDENT = 4 };

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

static bool gsym_dump_function(struct gsym_dump *dump, uint32_t index)
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

static const char about[] =
	"Print everything in each FILE: header, tables, files, strings, and the lines, inlined\n"
	"calls, call sites and merged functions of each function, as llvm-gsymutil does. Exit\n"
	"status 3: a part could not be read; 'cairn gsym verify' shows which.";

static void print_bytes(struct cairn_bytes bytes)
{
	print_hex(stdout, bytes);
	putchar('\n');
}

static const char *section_name(uint32_t type)
{
	static const char *const names[GSYM_SECTIONS] = {
		[GSYM_SECTION_END] = "EndOfList",
		[GSYM_SECTION_ADDRESSES] = "AddrOffsets",
		[GSYM_SECTION_INFOS] = "AddrInfoOffsets",
		[GSYM_SECTION_STRINGS] = "StringTable",
		[GSYM_SECTION_FILES] = "FileTable",
		[GSYM_SECTION_RECORDS] = "FunctionInfo",
		[GSYM_SECTION_UUID] = "UUID",
	};
	return type < GSYM_SECTIONS ? names[type] : "unknown";
}

static void print_header_v2(const struct gsym *g)
{
	struct gsym_entry e;
	size_t at = 0;

	printf("Header:\n"
	       "  Magic          = 0x%08x\n"
	       "  Version        = 0x%04x\n"
	       "  AddrOffSize    = 0x%02x\n"
	       "  StrTableEnc    = 0x00\n"
	       "  BaseAddress    = 0x%016" PRIx64 "\n"
	       "  NumAddresses   = 0x%08" PRIx32 "\n\n"
	       "Global Data Sections:\n"
	       "TYPE            FILE OFFSET         FILE SIZE\n"
	       "=============== ==================  ==================\n",
	       (unsigned)GSYM_MAGIC, (unsigned)g->version, (unsigned)g->address_size, g->base,
	       g->functions);
	while (gsym_next_entry(g, &at, &e))
		printf("%-15s 0x%016" PRIx64 "  0x%016" PRIx64 "\n", section_name(e.type), e.offset,
		       e.size);
	if (g->uuid.size) {
		puts("\nUUID:");
		print_bytes(g->uuid);
	}
}

static void print_files(struct gsym_dump *dump)
{
	const struct gsym *g = dump->gsym;
	struct location_path path;

	printf("\nFiles:\nINDEX  DIRECTORY  BASENAME   PATH\n"
	       "====== ========== ========== %s\n",
	       g->version == 1 ? "=============================="
	                       : "========================================");
	for (uint32_t i = 0; i < g->files && !dump->printed.over; i++) {
		uint64_t directory, name;
		gsym_file_offsets(g, i, &directory, &name);
		printf("[%4" PRIu32 "] 0x%08" PRIx64 " 0x%08" PRIx64 " ", i, directory, name);
		print_plain_location(stdout, gsym_dump_path(dump, i, &path));
		putchar('\n');
	}
}

static int dump_text(struct gsym_dump *dump, struct progress *progress)
{
	const struct gsym *g = dump->gsym;
	int status = EXIT_CLEAN;

	if (g->version == 1) {
		printf("Header:\n"
		       "  Magic        = 0x%08x\n"
		       "  Version      = 0x%04x\n"
		       "  AddrOffSize  = 0x%02x\n"
		       "  UUIDSize     = 0x%02zx\n"
		       "  BaseAddress  = 0x%016" PRIx64 "\n"
		       "  NumAddresses = 0x%08" PRIx32 "\n"
		       "  StrtabOffset = 0x%08" PRIx64 "\n"
		       "  StrtabSize   = 0x%08zx\n"
		       "  UUID         = ",
		       (unsigned)GSYM_MAGIC, (unsigned)g->version, (unsigned)g->address_size,
		       g->uuid.size, g->base, g->functions, g->strings_at, g->strings.size);
		print_bytes(g->uuid);
	} else
		print_header_v2(g);
	unsigned bits = g->address_size * 8u, digits = g->address_size == 8 ? 8 : bits / 4;
	if (g->version == 1)
		printf("\nAddress Table:\nINDEX  OFFSET%-2u (ADDRESS)\n"
		       "====== =============================== \n",
		       bits);
	else
		printf("\nAddress Table:\nINDEX  OFFSET %-2u (ADDRESS 64)\n"
		       "====== ========================================\n",
		       bits);
	for (uint32_t i = 0; i < g->functions; i++) {
		uint64_t offset = gsym_offset(g, i);
		printf("[%4" PRIu32 "] 0x%0*" PRIx64 " (0x%016" PRIx64 ")\n", i, (int)digits,
		       offset, g->base + offset);
	}
	fputs(g->version == 1 ? "\nAddress Info Offsets:\nINDEX  Offset\n====== ==========\n"
	                      : "\nAddress Info Offsets:\nINDEX  OFFSET 64 (FILE OFFSET 64)\n"
	                        "====== ========================================\n",
	      stdout);
	for (uint32_t i = 0; i < g->functions; i++) {
		uint64_t info = gsym_info(g, i);
		if (g->version == 1)
			printf("[%4" PRIu32 "] 0x%08" PRIx64 "\n", i, info);
		else
			printf("[%4" PRIu32 "] 0x%016" PRIx64 " (0x%016" PRIx64 ")\n", i, info,
			       info + g->records_at);
	}
	print_files(dump);
	struct cairn_bytes text;
	puts("\nString table:");
	for (uint64_t at = 0; at < g->strings.size; at += text.size + 1) {
		gsym_string(g, at, &text);
		printf("0x%0*" PRIx64 ": \"", g->version == 1 ? 8 : 16, at);
		print_plain_location(stdout, text);
		puts("\"");
	}
	putchar('\n');
	for (uint32_t i = 0; i < g->functions && !dump->printed.over; i++) {
		progress_update(progress, i, g->functions);
		if (!gsym_dump_function(dump, i))
			status = EXIT_BROKEN;
	}
	return status;
}

static int dump_json(const struct gsym_input *input, struct gsym_dump *dump,
                     struct progress *progress)
{
	struct json json = json_to(stdout);
	int status = EXIT_CLEAN;

	const struct gsym *g = input->gsym;
	struct cairn_bytes id = input->symbols->image.build_id;
	json_object(&json, NULL);
	json_string(&json, "file", input->found[0] ? input->found : input->path);
	json_number(&json, "version", g->version);
	json_bool(&json, "big_endian", g->big);
	json_number(&json, "address_size", g->address_size);
	json_address(&json, "base", g->base);
	json_number(&json, "functions", g->functions);
	json_number(&json, "files", g->files);
	json_number(&json, "strings", g->strings.size);
	id.size = id.size < ID_SHOWN ? id.size : ID_SHOWN;
	json_hex(&json, "build_id", id);
	json_end(&json);
	for (uint32_t i = 0; i < dump->gsym->functions && !dump->printed.over; i++) {
		progress_update(progress, i, dump->gsym->functions);
		if (!gsym_json_function(&json, dump, i))
			status = EXIT_BROKEN;
	}
	return status;
}

struct settings {
	struct gsym_source source;
	enum form form;
	bool quiet;
};

static int dump_gsym_file(const char *path, const void *settings)
{
	const struct settings *s = settings;
	struct gsym_input input;
	int status;

	if (!gsym_input_open(path, &s->source, &input, &status))
		return status;
	rights_end_search();
	const struct gsym *g = input.gsym;
	struct gsym_dump dump = { g, gsym_walk(g), gsym_printed(g) };
	struct progress progress = progress_begin_aside(path, "functions", s->quiet);
	status = s->form == FORM_JSON ? dump_json(&input, &dump, &progress)
	                              : dump_text(&dump, &progress);
	progress_end(&progress);
	if (dump.printed.over)
		status = fail_with(path, "function names exceed the size limit; the remaining "
		                         "functions are omitted");
	else if (status != EXIT_CLEAN)
		print_diagnostic(path, "partly damaged; run 'cairn gsym verify' for details");
	gsym_input_close(&input);
	return status;
}

int gsym_dump(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { .take = dump_gsym_file, .context = &s };
	const struct option options[] = { OPTION_JSON(&s.form), OPTIONS_GSYM_SOURCE(&s.source),
		                          OPTION_NO_PROGRESS(&s.quiet) };
	const struct command command =
		COMMAND("cairn gsym dump [OPTION...] FILE...", about, options,
	                OPERANDS(1, OPERANDS_MANY, "FILE"), .rights = RIGHT_FINDS);

	return for_each_file(&command, argc, argv, &each);
}
