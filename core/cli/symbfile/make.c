/* SPDX-License-Identifier: MIT */
/* Builds the range and return pad symbfiles of an executable in memory. */
#include "make.h"

#include <stdlib.h>
#include <string.h>

static bool lend_maker_sink(void *context, unsigned thread, struct function_sink *sink)
{
	struct symbfile_shard *shard = symbfile_maker_shard(context);

	(void)thread;
	if (shard)
		*sink = symbfile_shard_sink(shard);
	return shard != NULL;
}

static void begin_maker_unit(void *context, unsigned thread, uint32_t unit)
{
	symbfile_shard_unit(symbfile_maker_thread(context, thread), unit);
}

/* Every segment that is loaded to be run. */
static bool load_code(struct symbfile_making *m, struct maker_code *code)
{
	enum { EXECUTE = 1 };
	struct elf_segment segment;

	code->machine = elf_machine(&m->elf);
	code->pieces = 0;
	code->piece = calloc(m->elf.segments + 1u, sizeof(*code->piece));
	if (!code->piece)
		return false;
	for (uint32_t i = 0; i < m->elf.segments; i++)
		if (elf_segment(&m->elf, i, &segment) && segment.type == ELF_PT_LOAD &&
		    (segment.flags & EXECUTE))
			code->piece[code->pieces++] =
				(struct maker_code_piece){ segment.va,
				                           elf_segment_bytes(&m->elf, &segment) };
	return true;
}

static int report_make_failure(const struct symbfile_making *m, enum cairn_status status)
{
	print_diagnostic(m->origin.path,
	                 status == CAIRN_NOT_FOUND ? "no functions in it"
	                 : status == CAIRN_UNSUPPORTED
	                         ? "a function does not fit into a message of 16 MiB"
	                         : "out of memory");
	return status == CAIRN_NOT_FOUND ? EXIT_MISSING : EXIT_BROKEN;
}

static int make_ranges(struct symbfile_making *m)
{
	enum cairn_status status = symbfile_maker_ranges(m->maker, &m->ranges);

	return status == CAIRN_OK ? EXIT_CLEAN : report_make_failure(m, status);
}

static int make_pads(struct symbfile_making *m)
{
	struct maker_code code;

	if (!load_code(m, &code))
		return report_make_failure(m, CAIRN_NO_MEMORY);
	enum cairn_status status = symbfile_maker_pads(m->maker, &code, &m->pads);
	free(code.piece);
	if (status == CAIRN_UNSUPPORTED) {
		print_diagnostic(m->binary,
		                 "calls of this machine are not known; no return pads are written");
		return EXIT_CLEAN;
	}
	return status == CAIRN_OK ? EXIT_CLEAN : report_make_failure(m, status);
}

static int convert_to_symbfile(struct symbfile_making *m)
{
	struct function_source_sinks takers = { lend_maker_sink, begin_maker_unit, m->maker };
	struct symbfile_names names = { symbfile_name, &m->naming };
	int result = EXIT_CLEAN;

	if (function_source_read(&m->origin, &takers) != CAIRN_OK)
		return EXIT_BROKEN;
	enum cairn_status status = symbfile_maker_arrange(m->maker, m->raw_names ? NULL : &names);
	if (status != CAIRN_OK)
		return report_make_failure(m, status);
	if (!m->no_ranges)
		result = make_ranges(m);
	if (result == EXIT_CLEAN && m->has_code && !m->no_pads)
		result = make_pads(m);
	return result;
}

/* Is the file with the debugging information of the same build? */
static bool check_debug_build(const struct symbfile_making *m)
{
	struct cairn_bytes own = elf_build_id(&m->elf), debug = m->origin.build_id;

	if (!m->debug || own.size == 0 || debug.size == 0 ||
	    (own.size == debug.size && memcmp(own.data, debug.data, own.size) == 0))
		return true;
	print_diagnostic(m->debug, "belongs to another build than %s", m->binary);
	return false;
}

static bool open_inputs(struct symbfile_making *m, int *status)
{
	struct cairn_fault fault;

	*status = EXIT_BROKEN;
	if (!input_open(m->binary, &m->file))
		return false;
	m->has_code = elf_open(m->file.bytes, &m->elf, &fault) == CAIRN_OK;
	if (m->debug && !m->has_code) {
		print_fault_diagnostic(m->binary, NULL, &fault, "an ELF file is expected");
		return false;
	}
	if (!function_source_open(m->debug ? m->debug : m->binary, &m->input, &m->origin, status))
		return false;
	*status = EXIT_MISSING;
	if (check_debug_build(m))
		return true;
	function_source_close(&m->origin);
	return false;
}

int symbfile_make(struct symbfile_making *m, const char *binary)
{
	int status;

	m->binary = binary;
	if (!open_inputs(m, &status)) {
		os_file_close(&m->file);
		return status;
	}
	m->maker = symbfile_maker_new();
	status = m->maker ? convert_to_symbfile(m) : report_make_failure(m, CAIRN_NO_MEMORY);
	if (status == EXIT_CLEAN)
		symbfile_maker_summary(m->maker, &m->summary);
	symbfile_maker_free(m->maker);
	symbfile_naming_finish(&m->naming);
	function_source_close(&m->origin);
	os_file_close(&m->file);
	return status;
}

void symbfile_making_finish(struct symbfile_making *m)
{
	free(m->ranges.data);
	free(m->pads.data);
	m->ranges.data = m->pads.data = NULL;
}
