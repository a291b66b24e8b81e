/* SPDX-License-Identifier: MIT */
/*
 * A Go program of any bytes, and a table of any bytes.  Always: a fault has its words and lies in the bytes;
 * what functions are made of it keeps the promises of base/function.h; each is found at its own start;
 * values of its tables are the same whether they are walked or asked for; frames made of it are as many as
 * functions, at most.
 */
#include "contract.h"

#include "symbols/go.h"
#include "writers/frames/frame_writer.h"

enum { FUNCTIONS = 64 };

static enum cairn_status take(void *context, const struct function *function)
{
	(void)context;
	check_contract(function, false);
	return CAIRN_OK;
}

static void check_values(const struct gopclntab *table, const struct gopclntab_function *function,
                         uint32_t offset)
{
	struct gopclntab_values values = gopclntab_values(table, function, offset);
	struct gopclntab_run run;
	uint64_t before = function->start;

	for (unsigned i = 0; i < FUNCTIONS && gopclntab_next_run(&values, &run); i++) {
		ALWAYS(run.low == before && run.low < run.high && run.high <= function->end);
		before = run.high;
		gopclntab_file(table, function, run.value);
	}
}

static void check_table(const struct gopclntab *table)
{
	struct gopclntab_function function;
	struct gopclntab_call call;
	struct cairn_bytes path;
	uint64_t index, at = 0;

	for (uint64_t i = 0; i < table->functions && i < FUNCTIONS; i++) {
		if (!gopclntab_read_function(table, i, &function))
			continue;
		ALWAYS(function.start < function.end);
		if (gopclntab_find(table, function.start, &index))
			ALWAYS(index < table->functions);
		check_values(table, &function, function.stack);
		check_values(table, &function, function.file);
		check_values(table, &function, function.line);
		check_values(table, &function, function.inlined);
		for (int32_t c = -1; c < 8; c++)
			if (gopclntab_read_call(table, &function, c, &call))
				ALWAYS(c >= 0);
	}
	while (gopclntab_next_file(table, &at, &path))
		ALWAYS(path.data >= table->bytes.data && path.size <= table->bytes.size);
}

static void check_frames(struct cairn_bytes file, const struct gopclntab *go)
{
	const struct frame_writer_options options = { .limit = 1 << 20 };
	struct frame_table table;
	enum cairn_status status = frame_table_make_go(file, &options, &table);

	ALWAYS(status == CAIRN_OK || status == CAIRN_NOT_FOUND || status == CAIRN_NO_MEMORY);
	ALWAYS(table.functions <= go->functions);
	for (size_t i = 0; i < table.functions; i++)
		ALWAYS(table.function[i].range.low < table.function[i].range.high &&
		       (i == 0 || table.function[i - 1].range.high <= table.function[i].range.low));
	frame_table_finish(&table);
}

static void check_program(struct cairn_bytes file)
{
	static struct go_program program;
	const struct function_sink sink = { take, NULL };
	struct cairn_fault fault;
	enum cairn_status status = go_program_open(file, &program, &fault);

	if (status != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= file.size);
		return;
	}
	check_table(&program.table);
	struct go_functions *functions = go_functions_new(&program);
	ALWAYS(functions);
	for (uint64_t i = 0; i < program.table.functions; i++)
		ALWAYS(go_functions_read(functions, i, &sink) == CAIRN_OK);
	go_functions_free(functions);
	check_frames(file, &program.table);
	go_program_close(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data, size };
	struct gopclntab table;
	struct cairn_fault fault;

	if (gopclntab_open(bytes, 0, NULL, &table, &fault) == CAIRN_OK)
		check_table(&table);
	else
		ALWAYS(fault.what && fault.offset <= size);
	check_program(bytes);
	return 0;
}
