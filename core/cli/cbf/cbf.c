/* SPDX-License-Identifier: MIT */
/*
 * `cairn cbf`: decodes Swift backtraces in Compact Backtrace Format, and finds them in cores.
 * encode.c encodes them.
 */
#include "cbf.h"

#include "cli/front/progress.h"
#include "cli/front/rights.h"
#include "process/snapshot/core_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char decode_about[] =
	"Print the frames of Swift backtraces. The input is bytes in Compact Backtrace\n"
	"Format, the JSON of Swift's Codable, alone or inside log records, or a crash report\n"
	"in text or JSON. With an image map, each frame is printed as module+offset. '-' as\n"
	"FILE is standard input.";
struct decode_options {
	struct cbf_source source;
	enum form form;
	bool stream, image_map;
	const char *images;
	struct cbf_symbols symbols;
	struct allowance printed;
};

/* Image map from --images, used for backtraces that have no image map of their own. */
struct separate {
	struct os_file file;
	struct cbf_decoded map;
	struct loaded_images images;
	bool there;
};

static int open_separate_map(struct separate *images, const char *path)
{
	*images = (struct separate){ .map = { .path = path, .what = "image map" } };
	if (!path)
		return EXIT_CLEAN;
	if (!input_open(path, &images->file) ||
	    !cbf_decode_bytes(&images->map, images->file.bytes, CBF_ENCODING_AUTO))
		return EXIT_BROKEN;
	if (!cbf_read_images(&images->map, &images->images))
		return EXIT_BROKEN;
	images->there = true;
	return images->map.problems ? EXIT_MISSING : EXIT_CLEAN;
}

static int decode_all(struct cbf_input *input, struct decode_options *o,
                      const struct separate *images)
{
	struct cbf_record record;
	int status = EXIT_CLEAN;

	if (o->image_map)
		return cbf_decode_maps(input, o->form, &o->printed);
	while (cbf_input_next(input, &record)) {
		if (images->there && !record.has_images) {
			record.has_images = record.images_lent = true;
			record.map = images->map;
			record.map.owned = NULL;
			record.images = images->images;
		}
		record.printed = &o->printed;
		record.symbols = cbf_symbols_are_wanted(&o->symbols) ? &o->symbols : NULL;
		status = choose_worse(status, cbf_print_record(&record, o->form, o->stream));
		cbf_record_close(&record);
	}
	return choose_worse(status, input->status);
}

static int decode_file(const char *path, struct decode_options *o, const struct separate *images,
                       const struct command *command)
{
	struct cbf_input input;

	if (!cbf_input_open(&input, path, &o->source, command))
		return input.status;
	printed_credit(&o->printed, input.rest.size);
	int status = decode_all(&input, o, images);
	status = choose_worse(status, cbf_report_printed(input.path, &o->printed));
	cbf_input_close(&input);
	return status;
}

int cbf_decode(int argc, char **argv)
{
	struct decode_options o = { .form = FORM_TEXT, .printed = printed_of(0) };
	const struct option decode_options[] = {
		OPTION_LINES(&o.form),
		OPTION_JSON(&o.form),
		CBF_OPTIONS_SOURCE(&o.source),
		OPTION_FLAG("stream", "sequences may follow each other", &o.stream),
		OPTION_TEXT("images", "FILE", "the image map that belongs to the backtraces",
		            &o.images),
		OPTION_FLAG("image-map", "the input is an image map, not a backtrace",
		            &o.image_map),
		CBF_OPTIONS_SYMBOLS(&o.symbols),
	};
	const struct command command =
		COMMAND("cairn cbf decode [OPTION...] FILE...|--text TEXT", decode_about,
	                decode_options, OPERANDS(0, OPERANDS_MANY, "FILE"));
	struct separate images;
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if ((argc == 0) == (o.source.text == NULL))
		return usage_error(&command, "either FILE or --text is required, but not both");
	o.symbols.printed = &o.printed;
	rights_expect_files((unsigned)argc + (o.images != NULL));
	status = open_separate_map(&images, o.images);
	printed_credit(&o.printed, images.map.bytes.size);
	if (!cbf_symbols_open(&o.symbols))
		status = EXIT_BROKEN;
	if (status == EXIT_BROKEN)
		argc = 0;
	else if (o.source.text)
		status = choose_worse(status, decode_file(NULL, &o, &images, &command));
	for (int i = 0; i < argc; i++)
		status = choose_worse(status, decode_file(argv[i], &o, &images, &command));
	loaded_images_finish(&images.images);
	free(images.map.owned);
	os_file_close(&images.file);
	cbf_symbols_close(&o.symbols);
	return status;
}

/* `cairn cbf find`: searches the memory in a core dump for Swift backtraces. */

static const char find_about[] = "Find the backtraces in the memory of a Swift program, in a core "
				 "dump of a 64-bit process.\n"
				 "Each byte array is printed once, with its images. A damaged "
				 "value is marked and printed up\n"
				 "to the damage.";
struct find_options {
	enum form form;
	bool arrays;
	struct cbf_symbols symbols;
	struct allowance printed;
	bool quiet;
	struct progress progress;
};

static enum cairn_status scan_core_ranges(struct swift_scan *finder, const struct corefile *core,
                                          struct progress *progress,
                                          enum cairn_status (*block)(struct swift_scan *, uint64_t,
                                                                     struct cairn_bytes))
{
	enum cairn_status status = CAIRN_OK;

	for (size_t i = 0; i < core->count && status == CAIRN_OK; i++) {
		progress_update(progress, i, core->count);
		status = block(finder, core->range[i].address, core->range[i].bytes);
	}
	progress_end(progress);
	return status;
}

/* Print the line "A NUMBER ADDRESS KIND ARCHITECTURE COPIES CLASS" before the frames. */
static void print_found(const struct cbf_record *record)
{
	const struct swift_scan_trace *t = record->found;

	printf("A %zu 0x%" PRIx64 " %s %s %" PRIu64 " 0x%" PRIx64 "\n", record->number, t->array,
	       cbf_found_name(t->kind), t->architecture ? t->architecture : "-", t->copies, t->isa);
}

static int print_trace(struct swift_scan *finder, struct cbf_record *record, enum form form)
{
	const struct swift_scan_trace *t = record->found;
	bool is_array = t->kind == SWIFT_SCAN_ARRAY;

	if (t->architecture)
		record->architecture = borrow_string(t->architecture);
	record->has_images = swift_scan_read_images(finder, t, &record->images) == CAIRN_OK;
	if (swift_scan_read_bytes(finder, t, &record->trace.bytes) != CAIRN_OK) {
		cbf_print_problem(&record->trace, "out of memory");
		return EXIT_BROKEN;
	}
	if (form == FORM_LINES)
		print_found(record);
	int status = cbf_print_record(record, form, is_array);
	if (form == FORM_LINES)
		cbf_print_images(NULL, form, &record->images, record->printed);
	return status == EXIT_CLEAN ? EXIT_CLEAN : EXIT_MISSING;
}

static int print_all(const char *path, struct swift_scan *finder, struct find_options *o)
{
	int status = EXIT_CLEAN;

	for (size_t i = 0; i < finder->count; i++) {
		struct cbf_record record = {
			.number = i + 1,
			.found = &finder->trace[i],
			.printed = &o->printed,
			.symbols = cbf_symbols_are_wanted(&o->symbols) ? &o->symbols : NULL,
			.trace = { .path = path, .what = "backtrace", .number = i + 1 }
		};
		status = choose_worse(status, print_trace(finder, &record, o->form));
		cbf_record_close(&record);
	}
	status = choose_worse(status, cbf_report_printed(path, &o->printed));
	if (finder->gave_up) {
		print_diagnostic(path, "too many values look like backtraces; some are omitted");
		status = choose_worse(status, EXIT_MISSING);
	}
	if (finder->count == 0) {
		print_diagnostic(path, "no Swift backtraces found");
		status = choose_worse(status, EXIT_MISSING);
	}
	return status;
}

static int find_in_core(const char *path, const struct corefile *core, struct find_options *o)
{
	struct swift_scan finder;
	int status = EXIT_BROKEN;

	o->progress = progress_begin(path, "ranges of memory", o->quiet);
	swift_scan_init(&finder, &core->target);
	enum cairn_status found = scan_core_ranges(&finder, core, &o->progress, swift_scan_block);
	if (found == CAIRN_OK) {
		swift_scan_resolve(&finder);
		if (o->arrays)
			found = scan_core_ranges(&finder, core, &o->progress,
			                         swift_scan_block_arrays);
	}
	if (found == CAIRN_OK)
		status = print_all(path, &finder, o);
	else
		print_diagnostic(path, "%s", cairn_status_text(found));
	swift_scan_finish(&finder);
	return status;
}

static int find_in_file(const char *path, struct find_options *o)
{
	struct os_file file;
	struct corefile core;
	struct elf elf;
	int status = EXIT_BROKEN;

	if (!input_open_elf(path, &file, &elf))
		return EXIT_BROKEN;
	printed_credit(&o->printed, file.bytes.size);
	if (!elf.wide || elf.big) {
		print_diagnostic(path,
		                 "only memory of 64-bit little-endian processes can be searched");
	} else {
		enum cairn_status opened = corefile_open(&core, &elf);
		if (opened == CAIRN_OK)
			status = find_in_core(path, &core, o);
		else
			print_diagnostic(path, "%s",
			                 opened == CAIRN_NO_MEMORY ? "out of memory"
			                                           : "not a core file");
		corefile_close(&core);
	}
	os_file_close(&file);
	return status;
}

static int cbf_find(int argc, char **argv)
{
	struct find_options o = { .form = FORM_TEXT, .printed = printed_of(0) };
	const struct option find_options[] = {
		OPTION_LINES(&o.form),
		OPTION_JSON(&o.form),
		OPTION_FLAG("arrays", "also print bare byte arrays, such as streams of backtraces",
		            &o.arrays),
		CBF_OPTIONS_SYMBOLS(&o.symbols),
		OPTION_NO_PROGRESS(&o.quiet),
	};
	const struct command command = COMMAND("cairn cbf find [OPTION...] CORE...", find_about,
	                                       find_options, OPERANDS(1, OPERANDS_MANY, "CORE"));
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	o.symbols.printed = &o.printed;
	rights_expect_files((unsigned)argc);
	if (!cbf_symbols_open(&o.symbols))
		status = EXIT_BROKEN;
	for (int i = 0; status != EXIT_BROKEN && i < argc; i++)
		status = choose_worse(status, find_in_file(argv[i], &o));
	cbf_symbols_close(&o.symbols);
	return status;
}

static const struct verb verbs[] = {
	{ "decode", "print the frames of backtraces, or image maps", cbf_decode },
	{ "encode", "write backtraces, or image maps", cbf_encode },
	{ "find", "find the backtraces in a core dump", cbf_find },
};

int verb_cbf(int argc, char **argv)
{
	return verbs_run("cairn cbf",
	                 "Decode, encode and find Swift backtraces in Compact Backtrace Format.",
	                 verbs, COUNT(verbs), argc, argv);
}
