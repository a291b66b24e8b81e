/* SPDX-License-Identifier: MIT */
/*
 * `cairn sframe stats`: prints how the bytes in a section are used, and how many a better encoding
 * would save.
 */
#include "sframe.h"

#include "base/rule_places.h"
#include "output/escape.h"
#include "output/json.h"

#include <inttypes.h>

static const char about[] =
	"Print the size of the parts of the SFrame tables: headers, functions, and starts, info\n"
	"bytes and words of rows, beside the size of .eh_frame if the file has it; and the bytes\n"
	"that equal neighbouring rows and starts wider than needed take.";

struct stats {
	/* `longest` is the maximum number of rows in one function */
	uint64_t tables, functions, rows, longest;
	uint64_t headers, records, attributes, starts, infos, words;
	/* number of rows with the same rule as the previous row, and size of these rows in bytes */
	uint64_t equal_rows, equal_bytes;
	uint64_t wide_bytes; /* number of bytes that a narrower encoding of row starts would save */
	uint64_t cfi;
};

static bool is_same_rule(const struct cairn_rule *a, const struct cairn_rule *b)
{
	return a->outermost == b->outermost && a->mangled == b->mangled &&
	       rule_has_same_locations(a, b);
}

static void count_function(struct stats *s, const struct sframe_table *table,
                           const struct sframe_function *f, uint64_t *left)
{
	struct sframe_rows rows = sframe_rows(table, f);
	struct cairn_rule before = { .outermost = false }, rule;
	struct cairn_fault fault;
	struct sframe_row row = { .start = 0 };
	uint64_t count = 0;

	for (; *left > 0 && sframe_next_row(&rows, &row); --*left) {
		const uint64_t words = sframe_row_words(row.info) * sframe_word_size(row.info);
		s->rows++;
		s->starts += f->width;
		s->infos++;
		s->words += words;
		if (sframe_rule(table, f, &row, &rule, &fault) != CAIRN_OK)
			continue;
		if (count++ > 0 && is_same_rule(&before, &rule)) {
			s->equal_rows++;
			s->equal_bytes += f->width + 1u + words;
		}
		before = rule;
	}
	const unsigned needed = row.start <= UINT8_MAX ? 1 : row.start <= UINT16_MAX ? 2 : 4;
	s->functions++;
	s->attributes += table->layout->attribute_size;
	s->wide_bytes += f->rows * (uint64_t)(f->width - needed);
	s->longest = f->rows > s->longest ? f->rows : s->longest;
}

/* Count a table. Damaged functions are skipped, because `cairn sframe verify` reports them. */
static void count_table(struct stats *s, const struct sframe_table *table)
{
	uint64_t left = sframe_rows_allowed(table);
	struct sframe_function function;
	struct cairn_fault fault;

	s->tables++;
	s->headers += SFRAME_HEADER + table->aux_size;
	s->records += (uint64_t)table->functions * table->record_size;
	for (uint32_t i = 0; i < table->functions && left > 0; i++)
		if (sframe_function(table, i, &function, &fault) == CAIRN_OK)
			count_function(s, table, &function, &left);
}

static void print_stats_text(const char *path, const struct stats *s)
{
	const uint64_t all =
		s->headers + s->records + s->attributes + s->starts + s->infos + s->words;

	print_string(stdout, path);
	printf(": %" PRIu64 " table%s, %" PRIu64 " functions, %" PRIu64 " rows, at most %" PRIu64
	       " of one function\n",
	       s->tables, s->tables == 1 ? "" : "s", s->functions, s->rows, s->longest);
	printf("  headers %" PRIu64 ", records %" PRIu64 ", attributes %" PRIu64 "\n", s->headers,
	       s->records, s->attributes);
	printf("  rows: starts %" PRIu64 ", info %" PRIu64 ", words %" PRIu64 "\n", s->starts,
	       s->infos, s->words);
	printf("  in all %" PRIu64 " bytes", all);
	if (s->cfi)
		printf("; .eh_frame and its header have %" PRIu64, s->cfi);
	printf("\n  equal neighbouring rows: %" PRIu64 ", %" PRIu64
	       " bytes; starts that are too wide: %" PRIu64 " bytes\n",
	       s->equal_rows, s->equal_bytes, s->wide_bytes);
}

static void print_stats_json(const char *path, const struct stats *s)
{
	struct json json = json_to(stdout);

	json_object(&json, NULL);
	json_string(&json, "file", path);
	json_number(&json, "tables", s->tables);
	json_number(&json, "functions", s->functions);
	json_number(&json, "rows", s->rows);
	json_number(&json, "longest", s->longest);
	json_number(&json, "headers", s->headers);
	json_number(&json, "records", s->records);
	json_number(&json, "attributes", s->attributes);
	json_number(&json, "starts", s->starts);
	json_number(&json, "infos", s->infos);
	json_number(&json, "words", s->words);
	json_number(&json, "equal_rows", s->equal_rows);
	json_number(&json, "equal_bytes", s->equal_bytes);
	json_number(&json, "wide_bytes", s->wide_bytes);
	json_number(&json, "eh_frame", s->cfi);
	json_end(&json);
}

struct settings {
	struct sframe_source source;
	enum form form;
};

static int stats_file(const char *path, const void *context)
{
	const struct settings *settings = context;
	struct stats stats = { .tables = 0 };
	struct sframe_input input;
	int status = EXIT_CLEAN;

	if (!sframe_input_open(path, &settings->source, &input, &status))
		return status;
	for (size_t i = 0; i < input.rules->table_count; i++)
		count_table(&stats, &input.rules->tables[i]);
	static const char *const names[] = { ".eh_frame", ".eh_frame_hdr" };
	struct elf_section section;
	for (size_t i = 0; input.is_elf && i < COUNT(names); i++)
		if (elf_find_section(&input.elf, names[i], &section))
			stats.cfi += elf_section_bytes(&input.elf, &section).size;
	if (settings->form == FORM_JSON)
		print_stats_json(path, &stats);
	else
		print_stats_text(path, &stats);
	if (input.rules->walk.status != CAIRN_OK) {
		sframe_print_fault(&input, &input.rules->walk,
		                   "the section's remaining tables are not counted");
		status = EXIT_BROKEN;
	}
	sframe_input_close(&input);
	return status;
}

int sframe_stats(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { .take = stats_file, .context = &s, .form = &s.form };
	const struct option options[] = { OPTION_JSON(&s.form), OPTIONS_SOURCE(&s.source) };
	const struct command command = COMMAND("cairn sframe stats [OPTION...] FILE...", about,
	                                       options, OPERANDS(1, OPERANDS_MANY, "FILE"));

	return for_each_file(&command, argc, argv, &each);
}
