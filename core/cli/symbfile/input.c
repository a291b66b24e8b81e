/* SPDX-License-Identifier: MIT */
/* Reads the records of a symbfile in order, and prints fields of --lines records. */
#include "symbfile.h"

#include "output/escape.h"

static void report_input_fault(struct symbfile_input *input)
{
	struct cairn_fault fault = symbfile_fault(&input->symbfile);

	input->faults++;
	progress_end(&input->progress);
	if (input->tell)
		input->tell(input);
	else
		print_fault_diagnostic(input->path, NULL, &fault,
		                       input->symbfile.code >= SYMBFILE_BAD_PROTOBUF &&
		                                       !input->keep_going
		                               ? "--keep-going skips damaged records"
		                               : NULL);
}

bool symbfile_input_open(const char *path, enum form form, bool keep_going,
                         struct symbfile_input *input)
{
	*input = (struct symbfile_input){ .path = path, .keep_going = keep_going };
	if (form == FORM_LINES ? !input_open(path, &input->file)
	                       : !input_open_unpacked(path, &input->file))
		return false;
	input->symbfile = symbfile_open(input->file.bytes);
	input->printed = printed_of(input->file.bytes.size);
	return true;
}

void symbfile_input_close(struct symbfile_input *input)
{
	symbfile_string_table_finish(&input->texts);
	os_file_close(&input->file);
}

static bool load_string_table(struct symbfile_input *input, const struct symbfile_record *record)
{
	if (record->kind != SYMBFILE_TABLE ||
	    symbfile_string_table_load(&input->texts, record) == CAIRN_OK)
		return true;
	print_diagnostic(input->path, "out of memory");
	input->out_of_memory = true;
	return false;
}

static bool next_record(struct symbfile_input *input, struct symbfile_record *record)
{
	for (;;) {
		if (symbfile_next(&input->symbfile, record))
			return load_string_table(input, record);
		if (input->symbfile.code == SYMBFILE_VALID)
			return false;
		report_input_fault(input);
		if (!input->keep_going || !symbfile_resume(&input->symbfile))
			return false;
	}
}

bool symbfile_input_next(struct symbfile_input *input, struct symbfile_record *record)
{
	progress_update(&input->progress, input->symbfile.offset, input->file.bytes.size);
	if (next_record(input, record))
		return true;
	progress_end(&input->progress);
	return false;
}

int symbfile_input_status(const struct symbfile_input *input)
{
	return input->faults || input->out_of_memory ? EXIT_BROKEN : EXIT_CLEAN;
}

static void print_field_text(struct cairn_bytes text)
{
	while (text.size > 0) {
		uint32_t c = 0;
		size_t size = cairn_character_at(text, &c);
		if (c == '\\')
			fputs("\\\\", stdout);
		else if (c == '\t')
			fputs("\\t", stdout);
		else if (c == '\n')
			fputs("\\n", stdout);
		else if (size > 0 && cairn_character_is_printable(c))
			fwrite(text.data, 1, size, stdout);
		else
			print_escaped(stdout, text.data, size ? size : 1);
		text.data += size ? size : 1;
		text.size -= size ? size : 1;
	}
}

void symbfile_print_field(bool present, struct cairn_bytes text)
{
	putchar('\t');
	if (!present)
		putchar('-');
	else if (text.size == 0)
		fputs("\\e", stdout);
	else if (text.size == 1 && text.data[0] == '-')
		fputs("\\x2d", stdout);
	else
		print_field_text(text);
}

struct cairn_bytes symbfile_printed(struct symbfile_input *input, const struct symbfile_text *text)
{
	return printed_text(&input->printed, symbfile_string_table_of(&input->texts, text));
}

struct cairn_bytes symbfile_printed_at(struct symbfile_input *input, uint32_t index)
{
	return printed_text(&input->printed, symbfile_string_table_at(&input->texts, index));
}
