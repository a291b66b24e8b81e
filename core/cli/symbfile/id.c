/* SPDX-License-Identifier: MIT */
/* `cairn symbfile id`: prints FileIDs of executables in both forms. */
#include "symbfile.h"

#include "cli/front/rights.h"

#include "base/encoding.h"
#include "base/fileid.h"
#include "output/escape.h"

#include <string.h>

static const char about[] = "Prints the FileID of each FILE, in hexadecimal and in base64url.  "
			    "FILE is the executable\nthat runs, not a file with its debugging "
			    "information.  --parse takes FileIDs in any form\ninstead of files.  "
			    "--kernel and --kernel-debug take the GNU build ID of a kernel.";

enum subject { SUBJECT_FILE, SUBJECT_TEXT, SUBJECT_KERNEL, SUBJECT_KERNEL_DEBUG };

enum { BUILD_ID_DIGITS = 128 };

static void print_id(const char *word, const struct fileid *id, bool json)
{
	char hex[FILEID_HEX_SIZE], base64[FILEID_BASE64_SIZE];

	fileid_to_hex(id, hex);
	fileid_to_base64(id, base64);
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
}

static bool read_file_id(const char *path, struct fileid *id)
{
	struct os_file file;

	if (!input_open(path, &file))
		return false;
	*id = fileid_of(file.bytes);
	os_file_close(&file);
	return true;
}

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
	struct cairn_bytes text = { (const uint8_t *)word, strlen(word) };
	struct fileid id;
	bool found = false;

	switch (subject) {
	case SUBJECT_FILE:
		if (!read_file_id(word, &id))
			return EXIT_BROKEN;
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
		                      subject == SUBJECT_TEXT ? "is not a FileID"
		                                              : "is not a build ID");
		return EXIT_USAGE;
	}
	print_id(word, &id, json);
	return EXIT_CLEAN;
}

int symbfile_id_verb(int argc, char **argv)
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
	const struct command command = { "cairn symbfile id [OPTION...] FILE...", about, options,
		                         COUNT(options),
		                         .operands = { 1, OPERANDS_MANY, { "FILE" } } };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (parse + kernel + kernel_debug > 1)
		return usage_error(&command,
		                   "--parse, --kernel and --kernel-debug exclude each other");
	enum subject subject = parse          ? SUBJECT_TEXT
	                       : kernel       ? SUBJECT_KERNEL
	                       : kernel_debug ? SUBJECT_KERNEL_DEBUG
	                                      : SUBJECT_FILE;
	rights_expect_files(subject == SUBJECT_FILE ? (unsigned)argc : 0);
	for (int i = 0; i < argc; i++)
		status = choose_worse(status, identify_word(argv[i], subject, form == FORM_JSON));
	return status;
}
