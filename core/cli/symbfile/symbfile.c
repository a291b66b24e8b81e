/* SPDX-License-Identifier: MIT */
/*
 * Runs the verbs of `cairn symbfile`, implements `id` and `name`, and reads the input of all
 * others.
 */
#include "symbfile.h"

#include "base/encoding.h"
#include "base/fileid.h"
#include "cli/front/rights.h"
#include "output/escape.h"
#include "writers/symbfile/names.h"

#include <stdlib.h>
#include <string.h>

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

static bool next_record(struct symbfile_input *input, struct symbfile_record *record)
{
	for (;;) {
		if (symbfile_next(&input->symbfile, record)) {
			if (record->kind != SYMBFILE_TABLE ||
			    symbfile_string_table_load(&input->texts, record) == CAIRN_OK)
				return true;
			print_diagnostic(input->path, "out of memory");
			input->out_of_memory = true;
			return false;
		}
		if (input->symbfile.code == SYMBFILE_VALID)
			return false;
		struct cairn_fault fault = symbfile_fault(&input->symbfile);
		input->faults++;
		progress_end(&input->progress);
		if (input->tell)
			input->tell(input);
		else
			print_fault_diagnostic(input->path, NULL, &fault,
			                       input->symbfile.code >= SYMBFILE_BAD_PROTOBUF &&
			                                       !input->keep_going
			                               ? "use --keep-going to skip damaged records"
			                               : NULL);
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

/* Implements `cairn symbfile id`: prints FileIDs of executables in hexadecimal and base64url. */

static const char id_about[] =
	"Print the FileID of each FILE, in hexadecimal and in base64url. FILE is the executable\n"
	"that runs, not its debug file. --parse takes FileIDs in any form instead of files;\n"
	"--kernel and --kernel-debug take the GNU build ID of a kernel.";
enum subject { SUBJECT_FILE, SUBJECT_TEXT, SUBJECT_KERNEL, SUBJECT_KERNEL_DEBUG };

enum { BUILD_ID_DIGITS = 128 };

static bool parse_kernel_id(const char *text, bool is_debug_file, struct fileid *id)
{
	uint8_t bytes[BUILD_ID_DIGITS / 2];
	size_t size = strlen(text), at;

	for (size_t i = 0; i < size; i++)
		if (!strchr("0123456789abcdefABCDEF", text[i]))
			return false;
	if (size == 0 || size > BUILD_ID_DIGITS ||
	    !hex_decode((struct cairn_bytes){ (const uint8_t *)text, size }, bytes, &size, &at))
		return false;
	*id = fileid_of_kernel((struct cairn_bytes){ bytes, size }, is_debug_file);
	return true;
}

static int identify_word(const char *word, enum subject subject, bool json)
{
	struct os_file file;
	struct cairn_bytes text = borrow_string(word);
	struct fileid id;
	bool found = false;

	switch (subject) {
	case SUBJECT_FILE:
		if (!input_open(word, &file))
			return EXIT_BROKEN;
		id = fileid_of(file.bytes);
		os_file_close(&file);
		found = true;
		break;
	case SUBJECT_TEXT:
		found = fileid_parse(text, &id);
		break;
	case SUBJECT_KERNEL:
	case SUBJECT_KERNEL_DEBUG:
		found = parse_kernel_id(word, subject == SUBJECT_KERNEL_DEBUG, &id);
		break;
	}
	if (!found) {
		print_word_diagnostic(NULL, word,
		                      subject == SUBJECT_TEXT ? "not a FileID" : "not a build ID");
		return EXIT_USAGE;
	}
	char hex[FILEID_HEX_SIZE], base64[FILEID_BASE64_SIZE];
	fileid_to_hex(&id, hex);
	fileid_to_base64(&id, base64);
	if (json) {
		struct json j = json_to(stdout);
		json_object(&j, NULL);
		json_string(&j, "of", word);
		json_string(&j, "hex", hex);
		json_string(&j, "base64", base64);
		json_end(&j);
	} else {
		printf("%s %s ", hex, base64);
		print_string_between(stdout, "", word, "\n");
	}
	return EXIT_CLEAN;
}

static int symbfile_id_verb(int argc, char **argv)
{
	enum form form = FORM_TEXT;
	bool parse = false, kernel = false, kernel_debug = false;
	const struct option options[] = {
		OPTION_JSON(&form),
		OPTION_FLAG("parse", "FILE is a FileID", &parse),
		OPTION_FLAG("kernel", "FILE is a build ID of a kernel", &kernel),
		OPTION_FLAG("kernel-debug", "FILE is a build ID of a kernel's debug file",
		            &kernel_debug),
	};
	const struct command command = COMMAND("cairn symbfile id [OPTION...] FILE...", id_about,
	                                       options, OPERANDS(1, OPERANDS_MANY, "FILE"));
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (parse + kernel + kernel_debug > 1)
		return usage_error(&command,
		                   "--parse, --kernel and --kernel-debug are mutually exclusive");
	enum subject subject = parse          ? SUBJECT_TEXT
	                       : kernel       ? SUBJECT_KERNEL
	                       : kernel_debug ? SUBJECT_KERNEL_DEBUG
	                                      : SUBJECT_FILE;
	rights_expect_files(subject == SUBJECT_FILE ? (unsigned)argc : 0);
	for (int i = 0; i < argc; i++)
		status = choose_worse(status, identify_word(argv[i], subject, form == FORM_JSON));
	return status;
}

/* Implements `cairn symbfile name`: prints the form that symbol names have in symbfiles. */

static const char name_about[] =
	"Print the name that a symbfile has for each mangled NAME, or for each line of standard\n"
	"input.";
static void print_demangled_name(struct symbfile_naming *naming, const char *word)
{
	print_text(stdout, symbfile_name(naming, borrow_string(word)));
	putchar('\n');
}

static int symbfile_name_verb(int argc, char **argv)
{
	const struct command command = { "cairn symbfile name [NAME...]", name_about, NULL, 0,
		                         .operands = { 0, OPERANDS_MANY, { "NAME" } } };
	struct symbfile_naming naming = { .cut = NULL };
	char *line = NULL;
	size_t capacity = 0;
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	rights_expect_files(0);
	for (int i = 0; i < argc; i++)
		print_demangled_name(&naming, argv[i]);
	while (argc == 0 && getline(&line, &capacity, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		print_demangled_name(&naming, line);
	}
	free(line);
	symbfile_naming_finish(&naming);
	return status;
}

static const struct verb verbs[] = {
	{ "create", "create the symbfiles of an executable", symbfile_create_verb },
	{ "dump", "print everything in a file", symbfile_dump_verb },
	{ "fetch", "fetch symbols from a symbol server", symbfile_fetch_verb },
	{ "id", "print the FileID of an executable", symbfile_id_verb },
	{ "lookup", "print function, file and line of addresses, with inlined calls",
	  symbfile_lookup_verb },
	{ "name", "print the name that a symbol gets", symbfile_name_verb },
	{ "push", "send symbfiles to a symbol server", symbfile_push_verb },
	{ "serve", "run a symbol server", symbfile_serve_verb },
	{ "stats", "print the size of each part", symbfile_stats_verb },
	{ "verify", "check a file from end to end", symbfile_verify_verb },
};

int verb_symbfile(int argc, char **argv)
{
	return verbs_run("cairn symbfile",
	                 "Create, read, send and fetch Elastic symbfiles: symbols, lines and "
	                 "inlined calls by\n"
	                 "address.",
	                 verbs, COUNT(verbs), argc, argv);
}
