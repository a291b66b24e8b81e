/* SPDX-License-Identifier: MIT */
/*
 * Converts the frame sizes in a Go program's function table to call frame information, with the
 * rules that Go's linker uses for .debug_frame.
 */
#include "frame_writer.h"

#include "base/memory.h"
#include "cfi_encoder.h"
#include "symbols/sources/go_program.h"

#include <string.h>

enum {
	WORD = 8,
	GO_POLL_FUNCTIONS = 1 << 10,
	GO_ROWS_TIMES = 8, /* limit of rows per byte of the table; programs need less than one */
};

static void close_program(struct go_program **program)
{
	if (*program)
		go_program_close(*program);
}

static struct cfi_encoder_row make_row(int32_t size, bool outermost)
{
	const struct cairn_rule inner = { .cfa = { CAIRN_REGISTER_VALUE, AMD64_RSP, size + WORD },
		                          .ra = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -WORD },
		                          .fp = { CAIRN_REGISTER_SAME_VALUE, CAIRN_BASE_CFA, 0 } };
	struct cfi_encoder_row row = { .rule = outermost ? (struct cairn_rule){ .outermost = true }
		                                         : inner };

	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		row.saved[i] = FLOW_SAME;
	return row;
}

/*
 * Write an FDE for the code from the function's start that has frame sizes, and return its end.
 * Functions can share the encoded sizes, so a small damaged table could expand to an unlimited
 * number of rows; *rows is the remaining number.
 */
static uint64_t write_go_fde(struct cfi_encoder *encoder, const struct gopclntab *table,
                             const struct gopclntab_function *function, uint64_t *rows)
{
	struct gopclntab_values values = gopclntab_values(table, function, function->stack);
	const bool outermost = gopclntab_is_outermost(table, function);
	struct gopclntab_run run;
	uint64_t end = function->start;

	while (gopclntab_next_run(&values, &run) && run.value >= 0 && run.low == end &&
	       run.high > run.low && *rows > 0) {
		--*rows;
		const struct cfi_encoder_row row = make_row(run.value, outermost);
		cfi_encoder_row(encoder, run.low, &row);
		end = run.high;
	}
	cfi_encoder_end(encoder, end);
	return end;
}

static bool write_go_frames(const struct gopclntab *go, const struct frame_writer_options *options,
                            struct cfi_encoder *encoder, struct frame_table *table)
{
	struct gopclntab_function function;
	uint64_t reached = 0, rows = (uint64_t)GO_ROWS_TIMES * go->bytes.size;

	for (uint64_t i = 0; i < go->functions && rows > 0 && !table->section.failed; i++) {
		if (options->poll && i % GO_POLL_FUNCTIONS == 0)
			options->poll(options->poll_context);
		if (!gopclntab_read_function(go, i, &function) || function.start < reached)
			continue;
		uint64_t end = write_go_fde(encoder, go, &function, &rows);
		const struct cairn_range range = { function.start, end };
		if (end > function.start && !frame_table_add(table, range, FRAME_FUNCTION))
			return false;
		reached = end;
	}
	return !table->section.failed;
}

enum cairn_status frame_table_make_go(struct cairn_bytes file,
                                      const struct frame_writer_options *options,
                                      struct frame_table *table)
{
	struct go_program program;
	struct cairn_fault fault;
	WITH_CLEANUP(close_program) struct go_program *open = NULL;

	*table = (struct frame_table){ .section = { .limit = options->limit } };
	enum cairn_status status = go_program_open(file, &program, &fault);
	if (status != CAIRN_OK)
		return status == CAIRN_NO_MEMORY ? status : CAIRN_NOT_FOUND;
	open = &program;
	if (elf_machine(&program.elf) != CAIRN_MACHINE_AMD64)
		return CAIRN_NOT_FOUND;
	struct cfi_encoder encoder = cfi_encoder_open(&table->section, CAIRN_MACHINE_AMD64);
	if (!write_go_frames(&program.table, options, &encoder, table))
		return CAIRN_NO_MEMORY;
	return table->functions > 0 ? CAIRN_OK : CAIRN_NOT_FOUND;
}
