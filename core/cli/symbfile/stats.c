/* SPDX-License-Identifier: MIT */
/* `cairn symbfile stats`: prints what a file contains and how its bytes are used. */
#include "symbfile.h"

#include "base/wire.h"
#include "output/escape.h"

#include <inttypes.h>

static const char about[] =
	"Count the content of each FILE, and the bytes of each field of its ranges.";

enum { FIELDS = 13, OTHER_FIELD = 0 };

static const struct {
	const char *key, *text;
} fields[FIELDS] = {
	{ "other", "fields not known" },
	{ "delta_address", "relative addresses" },
	{ "length", "lengths" },
	{ "function_text", "functions, inline" },
	{ "file_text", "files, inline" },
	{ "call_line", "lines of calls" },
	{ "call_file_text", "files of calls, inline" },
	{ "depth", "depths" },
	{ "lines", "line tables" },
	{ "function_ref", "functions, references" },
	{ "file_ref", "files, references" },
	{ "call_file_ref", "files of calls, references" },
	{ "set_address", "absolute addresses" },
};

struct stats {
	uint64_t total, frames, tables, pads;
	uint64_t field[FIELDS];
	uint64_t table_count, strings, range_count, roots, rows, deepest;
	uint64_t pad_count, pad_frames;
	uint64_t with_lines, with_file;
};

static void add_fields(struct stats *s, struct cairn_bytes body)
{
	const uint8_t *at = body.data, *end = at + body.size;
	uint32_t number;
	enum wire_type type;

	while (at < end) {
		const uint8_t *begin = at;
		if (!wire_key(&at, end, &number, &type) || !wire_skip(&at, end, number, type))
			return;
		s->field[number < FIELDS ? number : OTHER_FIELD] += (uint64_t)(at - begin);
	}
}

static void add_record(struct stats *s, const struct symbfile_record *record)
{
	const struct symbfile_range *r = &record->range;

	switch (record->kind) {
	case SYMBFILE_RANGE:
		s->range_count++;
		s->roots += r->depth == 0;
		s->rows += r->lines.count;
		s->with_lines += r->lines.count > 0;
		s->with_file += r->file.kind != SYMBFILE_ABSENT;
		if (r->depth > s->deepest)
			s->deepest = r->depth;
		add_fields(s, record->body);
		break;
	case SYMBFILE_PAD:
		s->pad_count++;
		s->pad_frames += record->pad.frames.count;
		s->pads += record->body.size;
		break;
	case SYMBFILE_TABLE:
		s->table_count++;
		s->strings += record->table.count;
		s->tables += record->body.size;
		break;
	case SYMBFILE_HEADER:
		break;
	}
}

static struct stats collect_symbfile_stats(struct symbfile_input *input)
{
	struct stats s = { .total = input->file.bytes.size };
	struct symbfile_record record;

	while (symbfile_input_next(input, &record))
		add_record(&s, &record);
	s.frames = s.total - s.tables - s.pads;
	for (size_t i = 0; i < FIELDS; i++)
		s.frames -= s.field[i];
	return s;
}

static void print_share(const struct stats *s, uint64_t bytes, const char *text)
{
	if (bytes)
		printf("  %12" PRIu64 "  %5.1f %%  %s\n", bytes,
		       100.0 * (double)bytes / (double)s->total, text);
}

static void print_text_form(const struct symbfile_input *input, const struct stats *s)
{
	print_string(stdout, input->path);
	printf(": symbfile, %" PRIu64 " ranges, %" PRIu64 " return pads\n", s->range_count,
	       s->pad_count);
	for (size_t i = 0; i < FIELDS; i++)
		print_share(s, s->field[i], fields[i].text);
	print_share(s, s->pads, "return pads");
	print_share(s, s->tables, "string tables");
	print_share(s, s->frames, "magic, heads of messages and the rest");
	printf("  %12" PRIu64 "           all\n", s->total);
	printf("ranges: %" PRIu64 " at depth 0, at most %" PRIu64 " deep, %" PRIu64
	       " with a file, %" PRIu64 " with lines\n",
	       s->roots, s->deepest, s->with_file, s->with_lines);
	printf("rows of line tables: %" PRIu64 "; frames of return pads: %" PRIu64 "\n", s->rows,
	       s->pad_frames);
	printf("string tables: %" PRIu64 " with %" PRIu64
	       " texts; messages of unknown types: %" PRIu64 "\n",
	       s->table_count, s->strings, input->symbfile.unknown);
}

static void print_json_form(const struct symbfile_input *input, const struct stats *s)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_string(&j, "file", input->path);
	json_object(&j, "bytes");
	for (size_t i = 0; i < FIELDS; i++)
		json_number(&j, fields[i].key, s->field[i]);
	json_number(&j, "return_pads", s->pads);
	json_number(&j, "string_tables", s->tables);
	json_number(&j, "rest", s->frames);
	json_number(&j, "all", s->total);
	json_end(&j);
	json_number(&j, "ranges", s->range_count);
	json_number(&j, "ranges_at_depth_0", s->roots);
	json_number(&j, "ranges_with_file", s->with_file);
	json_number(&j, "ranges_with_lines", s->with_lines);
	json_number(&j, "deepest", s->deepest);
	json_number(&j, "rows", s->rows);
	json_number(&j, "return_pads", s->pad_count);
	json_number(&j, "return_pad_frames", s->pad_frames);
	json_number(&j, "string_tables", s->table_count);
	json_number(&j, "texts", s->strings);
	json_number(&j, "unknown_messages", input->symbfile.unknown);
	json_number(&j, "faults", input->faults);
	json_end(&j);
}

struct settings {
	bool keep_going, quiet;
	enum form form;
};

static int stats_file(const char *path, const void *settings)
{
	const struct settings *s = settings;
	struct symbfile_input input;

	if (!symbfile_input_open(path, s->form, s->keep_going, &input))
		return EXIT_BROKEN;
	input.progress = progress_begin(path, "bytes", s->quiet);
	struct stats stats = collect_symbfile_stats(&input);
	if (s->form == FORM_JSON)
		print_json_form(&input, &stats);
	else
		print_text_form(&input, &stats);
	symbfile_input_close(&input);
	return symbfile_input_status(&input);
}

int symbfile_stats_verb(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { .take = stats_file, .context = &s };
	const struct option options[] = { OPTION_JSON(&s.form), OPTION_KEEP_GOING(&s.keep_going),
		                          OPTION_NO_PROGRESS(&s.quiet) };
	const struct command command = COMMAND("cairn symbfile stats [OPTION...] FILE...", about,
	                                       options, OPERANDS(1, OPERANDS_MANY, "FILE"));

	return for_each_file(&command, argc, argv, &each);
}
