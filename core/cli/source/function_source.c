/* SPDX-License-Identifier: MIT */
/* Detects the format of an input file and reads its functions into the sinks of a writer. */
#include "function_source.h"

#include "elf_source.h"

#include "formats/breakpad/breakpad.h"
#include "symbols/sources/gsym/gsym.h"
#include "symbols/sources/symbfile/symbfile.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { NOTICES = 5 }; /* lines that are reported without --verbose */

static bool begins_with(const struct function_source *origin, const char *magic, size_t size)
{
	struct cairn_bytes bytes = origin->file.bytes;

	return bytes.size >= size && memcmp(bytes.data, magic, size) == 0;
}

static bool open_gsym(struct function_source *origin)
{
	struct cairn_fault fault;

	if (gsym_image_open(origin->file.bytes, &origin->gsym, &fault) != CAIRN_OK) {
		print_fault_diagnostic(origin->path, NULL, &fault, NULL);
		return false;
	}
	origin->kind = FUNCTION_SOURCE_GSYM;
	origin->build_id = origin->gsym.build_id;
	origin->big = origin->gsym.gsym.big;
	origin->base = origin->gsym.gsym.base;
	return true;
}

static bool open_breakpad(struct function_source *origin)
{
	origin->kind = FUNCTION_SOURCE_BREAKPAD;
	origin->breakpad = breakpad_file_new(origin->file.bytes);
	if (!origin->breakpad) {
		print_diagnostic(origin->path, "out of memory");
		return false;
	}
	origin->build_id = breakpad_file_build_id(origin->breakpad);
	origin->base = origin->options.base;
	return true;
}

/* What came before the damage of a file serves, unless all of it is asked for. */
static bool open_symbfile(struct function_source *origin)
{
	const struct cairn_fault *fault = &origin->symbfile.fault[0];
	const enum cairn_status built = symbfile_build(&origin->file.bytes, 1, &origin->symbfile);

	if (built != CAIRN_OK) {
		print_diagnostic(origin->path,
		                 built == CAIRN_NO_MEMORY
		                         ? "out of memory"
		                         : "its ranges overlap too much to be indexed");
		return false;
	}
	origin->kind = FUNCTION_SOURCE_SYMBFILE;
	origin->base = origin->symbfile.index.base;
	if (fault->status == CAIRN_OK)
		return true;
	origin->damaged = true;
	print_fault_diagnostic(origin->path, NULL, fault, NULL);
	return !origin->options.strict;
}

static bool open_by_magic(struct function_source *origin)
{
	if (symbfile_has_magic(origin->file.bytes))
		return open_symbfile(origin);
	if (gsym_has_magic(origin->file.bytes))
		return open_gsym(origin);
	if (breakpad_is_likely(origin->file.bytes))
		return open_breakpad(origin);
	if (begins_with(origin, "\177ELF", 4))
		return elf_source_open(origin);
	print_diagnostic(origin->path, "neither an ELF file, nor Breakpad symbols, nor GSYM, nor a "
	                               "symbfile");
	return false;
}

/* The first byte, too, is read without what follows it. */
static void read_elf_apart(const struct os_file *file)
{
	static const char magic[] = { 0x7f, 'E', 'L', 'F' };

	os_file_read_apart(file);
	if (file->bytes.size < sizeof(magic) || memcmp(file->bytes.data, magic, sizeof(magic)) != 0)
		os_file_read_along(file);
}

bool function_source_open(const char *path, const struct function_source_options *options,
                          struct function_source *origin, int *status)
{
	*origin = (struct function_source){ .path = path,
		                            .options = *options,
		                            .build_id = { (const uint8_t *)"", 0 } };
	*status = EXIT_BROKEN;
	if (!input_open(path, &origin->file))
		return false;
	if (options->few)
		read_elf_apart(&origin->file);
	if (!input_unpack(path, &origin->file))
		return false;
	if (open_by_magic(origin)) {
		*status = EXIT_CLEAN;
		return true;
	}
	function_source_close(origin);
	return false;
}

void function_source_close(struct function_source *origin)
{
	breakpad_file_free(origin->breakpad);
	elf_source_close(origin);
	symbfile_built_free(&origin->symbfile);
	os_file_close(&origin->file);
}

static enum cairn_status read_gsym(struct function_source *origin, const struct function_sink *sink)
{
	struct gsym_losses losses;
	enum cairn_status status =
		origin->options.every_row
			? gsym_functions_every_row(&origin->gsym.gsym, sink, &losses)
			: gsym_functions(&origin->gsym.gsym, sink, &losses);

	if (status != CAIRN_OK)
		return status;
	function_source_add_drop(origin, "functions with damaged records", losses.count);
	if (losses.count && origin->options.strict) {
		print_fault_diagnostic(origin->path, NULL, &losses.first, NULL);
		return losses.first.status;
	}
	return CAIRN_OK;
}

static void drop_breakpad(struct function_source *origin, const struct breakpad_summary *report)
{
	function_source_add_drop(origin, "malformed lines", report->malformed);
	function_source_add_drop(origin, "lines with an unknown keyword", report->unknown);
	function_source_add_drop(origin, "line records outside of their functions",
	                         report->lines_outside);
	function_source_add_drop(origin, "line records without size", report->lines_empty);
	function_source_add_drop(origin, "line records that others cover", report->lines_covered);
	function_source_add_drop(origin, "inlined calls outside of their functions",
	                         report->inlines_outside);
	function_source_add_drop(origin, "inlined calls too deep or too scattered",
	                         report->inlines_cut);
	function_source_add_drop(origin, "symbols inside of functions, or at 0",
	                         report->symbols_covered);
}

/* Lines that were passed over, as they are reported. */
struct notices {
	const struct function_source *origin;
	uint64_t malformed;
};

static void report_skipped_line(void *context, uint64_t line, const char *what)
{
	struct notices *notices = context;
	const struct function_source_options *options = &notices->origin->options;

	notices->malformed += what != NULL;
	if (what && (options->verbose || notices->malformed <= NOTICES))
		print_diagnostic(notices->origin->path, "line %" PRIu64 ": %s", line, what);
	else if (!what && options->verbose)
		print_diagnostic(notices->origin->path, "line %" PRIu64 ": an unknown keyword",
		                 line);
}

static void report_unused_records(const struct function_source *origin,
                                  const struct breakpad_summary *report)
{
	print_diagnostic(origin->path,
	                 "not used: %" PRIu64 " unwind rules, %" PRIu64
	                 " sizes of parameters, %" PRIu64 " marks of shared code",
	                 report->unwind, report->parameters, report->shared);
}

static enum cairn_status read_breakpad(struct function_source *origin,
                                       const struct function_sink *sink)
{
	const struct function_source_options *options = &origin->options;
	struct notices notices = { origin, 0 };
	const struct breakpad_notice told = { report_skipped_line, &notices };
	struct breakpad_summary report;
	enum cairn_status status = breakpad_functions(origin->breakpad, options->base, sink,
	                                              options->quiet ? NULL : &told, &report);

	if (status != CAIRN_OK)
		return status;
	drop_breakpad(origin, &report);
	if (report.names_shared && !options->quiet)
		print_diagnostic(origin->path,
		                 "inlined calls share too many bytes of names; the rest have none");
	if (report.malformed > NOTICES && !options->quiet && !options->verbose)
		print_diagnostic(origin->path, "%" PRIu64 " more malformed lines",
		                 report.malformed - NOTICES);
	if (options->verbose)
		report_unused_records(origin, &report);
	if (!options->strict || report.malformed + report.unknown == 0)
		return CAIRN_OK;
	print_diagnostic(origin->path,
	                 "%" PRIu64 " malformed lines, %" PRIu64 " with unknown keywords",
	                 report.malformed, report.unknown);
	return CAIRN_MALFORMED;
}

static enum cairn_status read_symbfile(struct function_source *origin,
                                       const struct function_sink *sink)
{
	const enum cairn_status status = symbfile_functions(&origin->symbfile.index, sink);

	if (status == CAIRN_MALFORMED)
		print_diagnostic(origin->path,
		                 "records share too many bytes of names, or a function has too "
		                 "many lines");
	return status;
}

static enum cairn_status read_on_one_thread(struct function_source *origin,
                                            const struct function_source_sinks *takers)
{
	struct function_sink sink;

	if (!takers->sink(takers->context, 0, &sink))
		return CAIRN_NO_MEMORY;
	takers->unit(takers->context, 0, 0);
	if (origin->kind == FUNCTION_SOURCE_SYMBFILE)
		return read_symbfile(origin, &sink);
	return origin->kind == FUNCTION_SOURCE_GSYM ? read_gsym(origin, &sink)
	                                            : read_breakpad(origin, &sink);
}

enum cairn_status function_source_read(struct function_source *origin,
                                       const struct function_source_sinks *takers)
{
	enum cairn_status status;

	origin->drops = 0;
	/* a symbfile was read when it was opened */
	origin->damaged = origin->kind == FUNCTION_SOURCE_SYMBFILE &&
	                  origin->symbfile.fault[0].status != CAIRN_OK;
	status = origin->kind == FUNCTION_SOURCE_ELF ? elf_source_read(origin, takers)
	                                             : read_on_one_thread(origin, takers);
	if (status == CAIRN_NO_MEMORY)
		print_diagnostic(origin->path, "out of memory");
	return status;
}

static bool lend_sink(void *context, unsigned thread, struct function_sink *sink)
{
	(void)thread;
	*sink = *(const struct function_sink *)context;
	return true;
}

static void ignore_unit(void *context, unsigned thread, uint32_t unit)
{
	(void)context;
	(void)thread;
	(void)unit;
}

enum cairn_status function_source_read_serially(struct function_source *origin,
                                                struct function_sink sink)
{
	const struct function_source_sinks takers = { lend_sink, ignore_unit, &sink };
	const uint64_t jobs = origin->options.jobs;

	origin->options.jobs = 1;
	enum cairn_status status = function_source_read(origin, &takers);
	origin->options.jobs = jobs;
	return status;
}

int function_source_compare_names(const struct function_source *origin, uint64_t va,
                                  struct cairn_bytes a, struct cairn_bytes b)
{
	if (origin->kind != FUNCTION_SOURCE_ELF)
		return 0;
	return aliases_compare(&origin->elf->aliases, va, a, b);
}

uint64_t function_source_default_jobs(void)
{
	enum { ENOUGH = 8 };
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online < 1 ? 1 : online > ENOUGH ? ENOUGH : (uint64_t)online;
}
