/* SPDX-License-Identifier: MIT */
/* `cairn gsym stats`: prints how many bytes each part of a file takes. */
#include "gsym.h"

#include "cli/front/progress.h"
#include "cli/front/rights.h"
#include "output/escape.h"

#include <inttypes.h>

static const char about[] =
	"Print the size of each part of each FILE, and the number of functions, rows, inlined\n"
	"calls and so on. Rows that another row at the same address supersedes are counted\n"
	"separately, because a better writer omits them.";

/* same order as in names[] */
enum part {
	PART_HEADER,
	PART_ADDRESSES,
	PART_INFOS,
	PART_FILES,
	PART_STRINGS,
	PART_RECORDS,
	PART_LINES,
	PART_INLINES,
	PART_MERGED,
	PART_CALLS,
	PART_UNKNOWN,
	PART_OTHER,
	PARTS,
};

static const struct {
	const char *text, *key;
} names[PARTS] = {
	{ "header and directory", "header" },
	{ "address table", "addresses" },
	{ "offsets of records", "offsets" },
	{ "file table", "files" },
	{ "strings", "strings" },
	{ "heads of records", "records" },
	{ "line tables", "lines" },
	{ "inlined calls", "inlines" },
	{ "merged functions", "merged" },
	{ "call sites", "calls" },
	{ "unknown blocks", "unknown" },
	{ "padding and the rest", "other" },
};

struct stats {
	const struct gsym *gsym;
	uint64_t bytes[PARTS], total;
	uint64_t with_lines, with_inlines, sizeless, unreadable;
	uint64_t rows, superseded, nodes, deepest, merged, calls;
};

static enum part classify_block(uint32_t type)
{
	static const enum part parts[] = { PART_RECORDS, PART_LINES, PART_INLINES, PART_MERGED,
		                           PART_CALLS };
	return type <= GSYM_CALLS ? parts[type] : PART_UNKNOWN;
}

static void count_block(struct stats *s, const struct gsym_function *f,
                        const struct gsym_block *block)
{
	s->bytes[PART_RECORDS] += 8;
	s->bytes[classify_block(block->type)] += block->data.size;
	if (block->type == GSYM_LINES) {
		struct gsym_rows rows = gsym_rows(block, f->start);
		struct gsym_row row;
		uint64_t previous = 0;
		bool any = false;
		s->with_lines++;
		while (gsym_next_row(&rows, &row)) {
			s->rows++;
			s->superseded += any && row.va == previous;
			previous = row.va;
			any = true;
		}
	} else if (block->type == GSYM_INLINES) {
		static struct gsym_nodes nodes;
		struct gsym_tree tree = gsym_tree(s->gsym, block, f->start);
		struct gsym_inline node;
		s->with_inlines++;
		gsym_nodes_begin(&nodes, &tree);
		while (gsym_next_node(&nodes, &node)) {
			s->nodes += node.depth > 0;
			s->deepest = node.depth > s->deepest ? node.depth : s->deepest;
		}
	} else if (block->type == GSYM_MERGED)
		s->merged += gsym_merged(s->gsym, f, block).count;
	else if (block->type == GSYM_CALLS)
		s->calls += gsym_calls(s->gsym, block).count;
}

static void count_function(struct stats *s, struct gsym_walk *walk, uint32_t index)
{
	struct gsym_function f;
	struct gsym_block block;
	struct cairn_fault fault;

	if (!gsym_walk_take(walk, index, &fault) ||
	    gsym_function(s->gsym, index, &f, &fault) != CAIRN_OK) {
		s->unreadable++;
		return;
	}
	struct gsym_blocks blocks = gsym_blocks(s->gsym, &f);
	s->bytes[PART_RECORDS] += f.blocks - f.at + 8;
	s->sizeless += f.size == 0;
	while (gsym_next_block(&blocks, &block))
		count_block(s, &f, &block);
}

static struct stats collect_gsym_stats(const struct gsym *g, struct progress *progress)
{
	struct stats s = { .gsym = g };
	struct gsym_walk walk = gsym_walk(g);
	struct gsym_entry entry;
	size_t at = 0;
	uint64_t known = 0;

	s.bytes[PART_HEADER] = g->version == 1 ? GSYM_HEADER_V1 : GSYM_HEADER_V2 + g->uuid.size;
	while (gsym_next_entry(g, &at, &entry))
		s.bytes[PART_HEADER] += 20;
	s.bytes[PART_ADDRESSES] = (uint64_t)g->functions * g->address_size;
	s.bytes[PART_INFOS] = (uint64_t)g->functions * (g->version == 1 ? 4 : 8);
	s.bytes[PART_FILES] = 4 + (uint64_t)g->files * 2 * gsym_strp_size(g);
	s.bytes[PART_STRINGS] = g->strings.size;
	for (uint32_t i = 0; i < g->functions; i++) {
		progress_update(progress, i, g->functions);
		count_function(&s, &walk, i);
	}
	progress_end(progress);
	for (enum part p = 0; p < PART_OTHER; p++)
		known += s.bytes[p];
	s.total = g->bytes.size > known ? g->bytes.size : known;
	s.bytes[PART_OTHER] = s.total - known;
	return s;
}

static void print_text_form(const struct gsym_input *input, const struct stats *s)
{
	print_string(stdout, input->found[0] ? input->found : input->path);
	printf(": GSYM version %u, %s endian, %" PRIu32 " functions, %" PRIu32 " files\n",
	       (unsigned)s->gsym->version, s->gsym->big ? "big" : "little", s->gsym->functions,
	       s->gsym->files);
	for (enum part p = 0; p < PARTS; p++)
		if (s->bytes[p])
			printf("  %12" PRIu64 "  %5.1f %%  %s\n", s->bytes[p],
			       100.0 * (double)s->bytes[p] / (double)s->total, names[p].text);
	printf("  %12" PRIu64 "           all\n", s->total);
	printf("functions: %" PRIu64 " with lines, %" PRIu64 " with inlined calls, %" PRIu64
	       " without size, %" PRIu64 " unreadable\n",
	       s->with_lines, s->with_inlines, s->sizeless, s->unreadable);
	printf("rows: %" PRIu64 ", of these %" PRIu64 " superseded\n", s->rows, s->superseded);
	printf("inlined calls: %" PRIu64 ", at most %" PRIu64 " deep\n", s->nodes, s->deepest);
	printf("merged functions: %" PRIu64 "; call sites: %" PRIu64 "\n", s->merged, s->calls);
}

static void print_json_form(const struct gsym_input *input, const struct stats *s)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_string(&j, "file", input->found[0] ? input->found : input->path);
	json_number(&j, "version", s->gsym->version);
	json_bool(&j, "big_endian", s->gsym->big);
	json_number(&j, "functions", s->gsym->functions);
	json_number(&j, "files", s->gsym->files);
	json_object(&j, "bytes");
	for (enum part p = 0; p < PARTS; p++)
		json_number(&j, names[p].key, s->bytes[p]);
	json_number(&j, "all", s->total);
	json_end(&j);
	json_number(&j, "functions_with_lines", s->with_lines);
	json_number(&j, "functions_with_inlines", s->with_inlines);
	json_number(&j, "functions_without_size", s->sizeless);
	json_number(&j, "functions_unreadable", s->unreadable);
	json_number(&j, "rows", s->rows);
	json_number(&j, "rows_superseded", s->superseded);
	json_number(&j, "inlined_calls", s->nodes);
	json_number(&j, "inlined_deepest", s->deepest);
	json_number(&j, "merged_functions", s->merged);
	json_number(&j, "call_sites", s->calls);
	json_end(&j);
}

struct settings {
	struct gsym_source source;
	enum form form;
	bool quiet;
};

static int stats_file(const char *path, const void *settings)
{
	const struct settings *s = settings;
	struct gsym_input input;
	int status;

	if (!gsym_input_open(path, &s->source, &input, &status))
		return status;
	rights_end_search();
	struct progress progress = progress_begin(path, "functions", s->quiet);
	struct stats stats = collect_gsym_stats(input.gsym, &progress);
	if (s->form == FORM_JSON)
		print_json_form(&input, &stats);
	else
		print_text_form(&input, &stats);
	gsym_input_close(&input);
	return status;
}

int gsym_stats(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { .take = stats_file, .context = &s };
	const struct option options[] = { OPTION_JSON(&s.form), OPTIONS_GSYM_SOURCE(&s.source),
		                          OPTION_NO_PROGRESS(&s.quiet) };
	const struct command command =
		COMMAND("cairn gsym stats [OPTION...] FILE...", about, options,
	                OPERANDS(1, OPERANDS_MANY, "FILE"), .rights = RIGHT_FINDS);

	return for_each_file(&command, argc, argv, &each);
}
