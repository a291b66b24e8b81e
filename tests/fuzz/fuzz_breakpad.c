/* SPDX-License-Identifier: MIT */
/*
 * A Breakpad file of any bytes.  Always: what its functions are keeps the promises of
 * base/function.h, a file is written of them, this file is sound, and it answers for the first
 * address of each function.
 */
#include "contract.h"

#include "formats/gsym/gsym.h"
#include "symbols/breakpad.h"
#include "writers/gsym/writer.h"

struct both {
	struct function_sink writer;
};

static enum cairn_status take(void *context, const struct function *function)
{
	struct both *both = context;

	check_contract(function, false);
	return both->writer.take(both->writer.context, function);
}

static void check_file(const struct gsym_output *output)
{
	static struct gsym_nodes scratch;
	static struct gsym_lookup lookup;
	static struct gsym_flaws flaws;
	struct cairn_fault fault;
	struct gsym gsym;

	ALWAYS(gsym_open((struct cairn_bytes){ output->data, output->size }, &gsym, &fault) ==
	       CAIRN_OK);
	for (uint32_t i = 0; i < gsym.functions; i++) {
		flaws.count = 0;
		gsym_check_function(&gsym, i, &scratch, &flaws);
		ALWAYS(flaws.count == 0);
		ALWAYS(gsym_find(&gsym, gsym.base + gsym_offset(&gsym, i), &lookup) == CAIRN_OK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_writer_options options = { .version = 1, .merged = size % 2 };
	struct breakpad_file *file = breakpad_file_new((struct cairn_bytes){ data, size }, NULL);
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct both both = { gsym_shard_sink(gsym_writer_shard(writer)) };
	struct function_sink sink = { take, &both };
	struct breakpad_summary report;
	struct gsym_output output;

	ALWAYS(breakpad_functions(file, 0, &sink, NULL, &report) == CAIRN_OK);
	if (gsym_writer_order(writer) == CAIRN_OK) {
		ALWAYS(gsym_writer_image(writer, 0, UINT64_MAX, &output) == CAIRN_OK);
		check_file(&output);
		free(output.data);
	}
	gsym_writer_free(writer);
	breakpad_file_free(file);
	return 0;
}
