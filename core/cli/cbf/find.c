/* SPDX-License-Identifier: MIT */
/* `cairn cbf find`: searches the memory in a core dump for Swift backtraces. */
#include "cbf.h"

#include "cli/front/rights.h"

#include "cli/front/progress.h"
#include "unwind/target/core_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char about[] =
	"Finds the backtraces that a Swift program kept in memory, in a core dump of a 64-bit\n"
	"process: each array of bytes once, with the images that belong to it.  A value whose "
	"bytes\nare damaged is marked, and shown with the frames before the damage.";

struct options {
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

/* Print "A number address kind architecture copies class" before the frames. */
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
		record->architecture = (struct cairn_bytes){ (const uint8_t *)t->architecture,
			                                     strlen(t->architecture) };
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

static int print_all(const char *path, struct swift_scan *finder, struct options *o)
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
		print_diagnostic(path, "too many values look like backtraces; some were left out");
		status = choose_worse(status, EXIT_MISSING);
	}
	if (finder->count == 0) {
		print_diagnostic(path, "this memory contains no Swift backtraces");
		status = choose_worse(status, EXIT_MISSING);
	}
	return status;
}

static int find_in_core(const char *path, const struct corefile *core, struct options *o)
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

static int find_in_file(const char *path, struct options *o)
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
			                                           : "not a core dump");
		corefile_close(&core);
	}
	os_file_close(&file);
	return status;
}

int cbf_find(int argc, char **argv)
{
	struct options o = { .form = FORM_TEXT, .printed = printed_of(0) };
	const struct option options[] = {
		OPTION_LINES(&o.form),
		OPTION_JSON(&o.form),
		OPTION_FLAG("arrays", "also bare arrays of bytes, such as streams of backtraces",
		            &o.arrays),
		CBF_OPTIONS_SYMBOLS(&o.symbols),
		OPTION_NO_PROGRESS(&o.quiet),
	};
	const struct command command = { "cairn cbf find [OPTION...] CORE...", about, options,
		                         COUNT(options),
		                         .operands = { 1, OPERANDS_MANY, { "CORE" } } };
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
