/* SPDX-License-Identifier: MIT */
#include "function_source.h"

#include "elf_source.h"

#include "engine/function_sources/gsym.h"
#include "engine/function_sources/symbfile.h"
#include "formats/breakpad/breakpad.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { NOTICES = 5 }; /* lines that are told of without --verbose */

void origin_dropped(struct origin *origin, const char *what, uint64_t count)
{
	if (count > 0 && origin->drops < ORIGIN_DROPS_MAX)
		origin->drop[origin->drops++] = (struct origin_drop){ what, count };
}

static bool begins_with(const struct origin *origin, const char *magic, size_t size)
{
	struct cairn_bytes bytes = origin->file.bytes;

	return bytes.size >= size && memcmp(bytes.data, magic, size) == 0;
}

static bool open_gsym(struct origin *origin)
{
	struct cairn_fault fault;

	if (gsym_image_open(origin->file.bytes, &origin->gsym, &fault) != CAIRN_OK) {
		complain_fault(origin->path, NULL, &fault, NULL);
		return false;
	}
	origin->kind = ORIGIN_GSYM;
	origin->build_id = origin->gsym.build_id;
	origin->big = origin->gsym.gsym.big;
	origin->base = origin->gsym.gsym.base;
	return true;
}

static bool open_breakpad(struct origin *origin)
{
	origin->kind = ORIGIN_BREAKPAD;
	origin->breakpad = breakpad_file_new(origin->file.bytes);
	if (!origin->breakpad) {
		complain(origin->path, "out of memory");
		return false;
	}
	origin->build_id = breakpad_file_build_id(origin->breakpad);
	origin->base = origin->options.base;
	return true;
}

/* What came before the damage of a file serves, unless all of it is asked for. */
static bool open_symbfile(struct origin *origin)
{
	const struct cairn_fault *fault = &origin->symbfile.fault[0];

	if (symbfile_build(&origin->file.bytes, 1, &origin->symbfile) != CAIRN_OK) {
		complain(origin->path,
		         "cannot be indexed: out of memory, or ranges overlap too much");
		return false;
	}
	origin->kind = ORIGIN_SYMBFILE;
	origin->base = origin->symbfile.index.base;
	if (fault->status == CAIRN_OK)
		return true;
	origin->damaged = true;
	complain_fault(origin->path, NULL, fault, NULL);
	return !origin->options.strict;
}

static bool open_by_magic(struct origin *origin)
{
	if (symbfile_has_magic(origin->file.bytes))
		return open_symbfile(origin);
	if (gsym_has_magic(origin->file.bytes))
		return open_gsym(origin);
	if (breakpad_begins(origin->file.bytes))
		return open_breakpad(origin);
	if (begins_with(origin, "\177ELF", 4))
		return origin_elf_open(origin);
	complain(origin->path, "neither an ELF file, nor Breakpad symbols, nor GSYM, nor a "
	                       "symbfile");
	return false;
}

bool origin_open(const char *path, const struct origin_options *options, struct origin *origin,
                 int *status)
{
	*origin = (struct origin){ .path = path,
		                   .options = *options,
		                   .build_id = { (const uint8_t *)"", 0 } };
	*status = EXIT_BROKEN;
	if (!input_open_unpacked(path, &origin->file))
		return false;
	if (open_by_magic(origin)) {
		*status = EXIT_CLEAN;
		return true;
	}
	origin_close(origin);
	return false;
}

void origin_close(struct origin *origin)
{
	breakpad_file_free(origin->breakpad);
	origin_elf_close(origin);
	symbfile_built_free(&origin->symbfile);
	os_file_close(&origin->file);
}

static enum cairn_status read_gsym(struct origin *origin, const struct function_sink *sink)
{
	struct gsym_losses losses;
	enum cairn_status status =
		origin->options.every_row
			? gsym_functions_every_row(&origin->gsym.gsym, sink, &losses)
			: gsym_functions(&origin->gsym.gsym, sink, &losses);

	if (status != CAIRN_OK)
		return status;
	origin_dropped(origin, "functions with damaged records", losses.count);
	if (losses.count && origin->options.strict) {
		complain_fault(origin->path, NULL, &losses.first, NULL);
		return losses.first.status;
	}
	return CAIRN_OK;
}

static void drop_breakpad(struct origin *origin, const struct breakpad_report *report)
{
	origin_dropped(origin, "malformed lines", report->malformed);
	origin_dropped(origin, "lines with an unknown keyword", report->unknown);
	origin_dropped(origin, "line records outside of their functions", report->lines_outside);
	origin_dropped(origin, "line records without size", report->lines_empty);
	origin_dropped(origin, "line records that others cover", report->lines_covered);
	origin_dropped(origin, "inlined calls outside of their functions", report->inlines_outside);
	origin_dropped(origin, "inlined calls too deep or too scattered", report->inlines_cut);
	origin_dropped(origin, "symbols inside of functions, or at 0", report->symbols_covered);
}

/* Lines that were passed over, as they are told. */
struct notices {
	const struct origin *origin;
	uint64_t malformed;
};

static void report_skipped_line(void *context, uint64_t line, const char *what)
{
	struct notices *notices = context;
	const struct origin_options *options = &notices->origin->options;

	notices->malformed += what != NULL;
	if (what && (options->verbose || notices->malformed <= NOTICES))
		complain(notices->origin->path, "line %" PRIu64 ": %s", line, what);
	else if (!what && options->verbose)
		complain(notices->origin->path, "line %" PRIu64 ": an unknown keyword", line);
}

static void report_unused_records(const struct origin *origin, const struct breakpad_report *report)
{
	complain(origin->path,
	         "not used: %" PRIu64 " unwind rules, %" PRIu64 " sizes of parameters, %" PRIu64
	         " marks of shared code",
	         report->unwind, report->parameters, report->shared);
}

static enum cairn_status read_breakpad(struct origin *origin, const struct function_sink *sink)
{
	const struct origin_options *options = &origin->options;
	struct notices notices = { origin, 0 };
	const struct breakpad_notice told = { report_skipped_line, &notices };
	struct breakpad_report report;
	enum cairn_status status = breakpad_functions(origin->breakpad, options->base, sink,
	                                              options->quiet ? NULL : &told, &report);

	if (status != CAIRN_OK)
		return status;
	drop_breakpad(origin, &report);
	if (report.malformed > NOTICES && !options->quiet && !options->verbose)
		complain(origin->path, "%" PRIu64 " more malformed lines",
		         report.malformed - NOTICES);
	if (options->verbose)
		report_unused_records(origin, &report);
	if (!options->strict || report.malformed + report.unknown == 0)
		return CAIRN_OK;
	complain(origin->path, "%" PRIu64 " malformed lines, %" PRIu64 " with unknown keywords",
	         report.malformed, report.unknown);
	return CAIRN_MALFORMED;
}

static enum cairn_status read_on_one_thread(struct origin *origin,
                                            const struct origin_takers *takers)
{
	struct function_sink sink;

	if (!takers->sink(takers->context, 0, &sink))
		return CAIRN_NO_MEMORY;
	takers->unit(takers->context, 0, 0);
	if (origin->kind == ORIGIN_SYMBFILE)
		return symbfile_functions(&origin->symbfile.index, &sink);
	return origin->kind == ORIGIN_GSYM ? read_gsym(origin, &sink)
	                                   : read_breakpad(origin, &sink);
}

enum cairn_status origin_read(struct origin *origin, const struct origin_takers *takers)
{
	enum cairn_status status;

	origin->drops = 0;
	origin->damaged = false;
	status = origin->kind == ORIGIN_ELF ? origin_elf_read(origin, takers)
	                                    : read_on_one_thread(origin, takers);
	if (status == CAIRN_NO_MEMORY)
		complain(origin->path, "out of memory");
	return status;
}

int origin_compare_names(const struct origin *origin, uint64_t va, struct cairn_bytes a,
                         struct cairn_bytes b)
{
	if (origin->kind != ORIGIN_ELF)
		return 0;
	return aliases_compare(&origin->elf->aliases, va, a, b);
}

uint64_t origin_usual_jobs(void)
{
	enum { ENOUGH = 8 };
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online < 1 ? 1 : online > ENOUGH ? ENOUGH : (uint64_t)online;
}
