/* SPDX-License-Identifier: MIT */
/* `cairn symbfile dump`: prints every record, in file order. */
#include "symbfile.h"

#include "output/escape.h"

#include <inttypes.h>

static const char about[] =
	"Print every record of each FILE in order: ranges with their line tables, and return\n"
	"pads with their frames. With --lines, a record is one line of fields separated by\n"
	"tabs: R for a range, P for a return pad, V for a valid end, X for the fault that\n"
	"ended the output.";

static void lines_text(struct symbfile_input *input, const struct symbfile_text *text)
{
	symbfile_print_field(text->kind != SYMBFILE_ABSENT, symbfile_printed(input, text));
}

static void print_pad_lines(struct symbfile_input *input, const struct symbfile_record *record)
{
	struct symbfile_frames frames = symbfile_frames(record);
	struct symbfile_frame f;

	printf("P\t0x%" PRIx64 "\t%" PRIu32, record->pad.address, record->pad.frames.count);
	while (symbfile_next_frame(&frames, &f)) {
		struct cairn_bytes file = symbfile_printed_at(input, f.file);
		symbfile_print_field(true, symbfile_printed_at(input, f.function));
		symbfile_print_field(file.size > 0, file);
		printf("\t%" PRIu32, f.line);
	}
	putchar('\n');
}

static void print_call_site(struct cairn_bytes file, uint32_t line)
{
	if (file.size == 0 && line == 0)
		return;
	fputs(" at ", stdout);
	if (file.size)
		print_text(stdout, file);
	else
		fputs("??", stdout);
	if (line)
		printf(":%" PRIu32, line);
}

static void print_range_text(struct symbfile_input *input, const struct symbfile_record *record)
{
	const struct symbfile_range *r = &record->range;
	struct symbfile_rows rows = symbfile_rows(record);
	struct symbfile_row row;

	printf("0x%" PRIx64 " +0x%" PRIx64 " ", r->start, r->length);
	if (r->depth)
		printf("depth %" PRIu32 " ", r->depth);
	print_text(stdout, symbfile_printed(input, &r->function));
	if (r->depth) {
		fputs(" called", stdout);
		print_call_site(symbfile_printed(input, &r->call_file), r->call_line);
	}
	putchar('\n');
	if (r->file.kind != SYMBFILE_ABSENT)
		print_text_between(stdout, "  file ", symbfile_printed(input, &r->file), "\n");
	while (symbfile_next_row(&rows, &row))
		printf("  0x%" PRIx64 ": line %" PRIu32 "\n", r->start + row.offset, row.line);
}

static void print_optional_json(struct json *j, const char *key, struct symbfile_input *input,
                                const struct symbfile_text *text)
{
	if (text->kind != SYMBFILE_ABSENT)
		json_text(j, key, symbfile_printed(input, text));
}

static void print_range_json(struct json *j, struct symbfile_input *input,
                             const struct symbfile_record *record)
{
	const struct symbfile_range *r = &record->range;
	struct symbfile_rows rows = symbfile_rows(record);
	struct symbfile_row row;

	json_string(j, "record", "range");
	json_address(j, "start", r->start);
	json_address(j, "length", r->length);
	json_number(j, "depth", r->depth);
	print_optional_json(j, "function", input, &r->function);
	print_optional_json(j, "file", input, &r->file);
	print_optional_json(j, "call_file", input, &r->call_file);
	if (r->call_line)
		json_number(j, "call_line", r->call_line);
	json_array(j, "lines");
	while (symbfile_next_row(&rows, &row)) {
		json_array(j, NULL);
		json_number(j, NULL, row.offset);
		json_number(j, NULL, row.line);
		json_end(j);
	}
	json_end(j);
}

static void print_pad_json(struct json *j, struct symbfile_input *input,
                           const struct symbfile_record *record)
{
	struct symbfile_frames frames = symbfile_frames(record);
	struct symbfile_frame f;

	json_string(j, "record", "return-pad");
	json_address(j, "address", record->pad.address);
	json_array(j, "frames");
	while (symbfile_next_frame(&frames, &f)) {
		json_object(j, NULL);
		json_text(j, "function", symbfile_printed_at(input, f.function));
		json_text(j, "file", symbfile_printed_at(input, f.file));
		json_number(j, "line", f.line);
		json_end(j);
	}
	json_end(j);
}

static void print_record(struct symbfile_input *input, enum form form,
                         const struct symbfile_record *record)
{
	if (record->kind == SYMBFILE_TABLE)
		return;
	if (form == FORM_JSON) {
		struct json j = json_to(stdout);
		json_object(&j, NULL);
		if (record->kind == SYMBFILE_RANGE)
			print_range_json(&j, input, record);
		else
			print_pad_json(&j, input, record);
		json_end(&j);
	} else if (form == FORM_LINES && record->kind == SYMBFILE_RANGE) {
		const struct symbfile_range *r = &record->range;
		struct symbfile_rows rows = symbfile_rows(record);
		struct symbfile_row row;
		char before = '\t';
		printf("R\t0x%" PRIx64 "\t0x%" PRIx64 "\t%" PRIu32, r->start, r->length, r->depth);
		lines_text(input, &r->function);
		lines_text(input, &r->file);
		lines_text(input, &r->call_file);
		printf("\t%" PRIu32, r->call_line);
		for (; symbfile_next_row(&rows, &row); before = ' ')
			printf("%c0x%" PRIx64 ":%" PRIu32, before, row.offset, row.line);
		puts(before == '\t' ? "\t-" : "");
	} else if (form == FORM_LINES)
		print_pad_lines(input, record);
	else if (record->kind == SYMBFILE_RANGE)
		print_range_text(input, record);
	else {
		struct symbfile_frames frames = symbfile_frames(record);
		struct symbfile_frame f;
		printf("0x%" PRIx64 " return pad\n", record->pad.address);
		while (symbfile_next_frame(&frames, &f)) {
			print_text_between(stdout, "  ", symbfile_printed_at(input, f.function),
			                   "");
			print_call_site(symbfile_printed_at(input, f.file), f.line);
			putchar('\n');
		}
	}
}

static void print_fault_lines(struct symbfile_input *input)
{
	printf("X\t%s\t0x%zx\n", symbfile_code_name(input->symbfile.code), input->symbfile.offset);
}

struct settings {
	bool keep_going, quiet;
	enum form form;
};

static int dump_symbfile(const char *path, const void *settings)
{
	const struct settings *s = settings;
	struct symbfile_input input;
	struct symbfile_record record;

	if (!symbfile_input_open(path, s->form, s->keep_going, &input))
		return EXIT_BROKEN;
	if (s->form == FORM_LINES)
		input.tell = print_fault_lines;
	input.progress = progress_begin_aside(path, "bytes", s->quiet);
	while (!input.printed.over && symbfile_input_next(&input, &record))
		print_record(&input, s->form, &record);
	progress_end(&input.progress);
	if (input.printed.over)
		print_diagnostic(
			path,
			"record names exceed the size limit; the remaining records are omitted");
	else if (s->form == FORM_LINES && input.symbfile.code == SYMBFILE_VALID &&
	         !input.out_of_memory)
		puts("V\tok");
	symbfile_input_close(&input);
	return input.printed.over ? EXIT_BROKEN : symbfile_input_status(&input);
}

int symbfile_dump_verb(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { .take = dump_symbfile, .context = &s, .form = &s.form };
	const struct option options[] = { OPTION_LINES(&s.form), OPTION_JSON(&s.form),
		                          OPTION_KEEP_GOING(&s.keep_going),
		                          OPTION_NO_PROGRESS(&s.quiet) };
	const struct command command = COMMAND("cairn symbfile dump [OPTION...] FILE...", about,
	                                       options, OPERANDS(1, OPERANDS_MANY, "FILE"));

	return for_each_file(&command, argc, argv, &each);
}
