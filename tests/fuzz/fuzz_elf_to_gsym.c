/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of any bytes on the whole way to GSYM: its symbols, its DWARF, the rows of symbols, the
 * file that is written.  Always:
 *   - no more memory is held at a time than stated, however the input shares its data;
 *   - what ends the reading has a reason;
 *   - the file that is written opens, and has as many entries as the writer counted.
 */
#include "contract.h"
#include "fuzz_program.h"
#include "held.h"

#include "debuginfo/code_symbols.h"
#include "debuginfo/program.h"
#include "formats/gsym/gsym.h"
#include "writers/gsym/writer.h"

enum { RANGES_MAX = 1 << 16 };

struct way {
	struct function_sink writer;
	struct program_reader *reader;
	struct cairn_range range[RANGES_MAX];
	size_t ranges;
};

static enum cairn_status take_function(void *context, const struct function *function)
{
	struct way *way = context;

	check_contract(function, false);
	if (way->ranges < RANGES_MAX)
		way->range[way->ranges++] =
			(struct cairn_range){ function->start, function->start + function->size };
	return way->writer.take(way->writer.context, function);
}

static enum cairn_status take_symbol(void *context, const struct function *function)
{
	struct way *way = context;
	struct function with_rows = *function;
	enum cairn_status status = CAIRN_NOT_FOUND;

	if (function->size > 0)
		status = program_rows_at(way->reader, &with_rows);
	if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		return status;
	check_contract(&with_rows, false);
	return way->writer.take(way->writer.context, &with_rows);
}

static void check_file(struct gsym_writer *writer)
{
	struct gsym_output output;
	struct cairn_fault fault;
	struct gsym gsym;

	if (gsym_writer_order(writer) != CAIRN_OK)
		return;
	ALWAYS(gsym_writer_image(writer, 0, UINT64_MAX, &output) == CAIRN_OK);
	ALWAYS(gsym_open((struct cairn_bytes){ output.data, output.size }, &gsym, &fault) ==
	       CAIRN_OK);
	ALWAYS(gsym.functions == gsym_writer_count(writer) && output.count == gsym.functions);
	free(output.data);
}

static void read_all(struct way *way, struct program *program, struct gsym_shard *shard,
                     struct code_symbols *symbols, struct cairn_bytes bytes)
{
	struct function_sink functions = { take_function, way }, others = { take_symbol, way };
	struct program_summary sum = { .units = 0 };
	enum cairn_status status = CAIRN_OK;
	size_t units = program_units(program);

	for (size_t i = 0; status == CAIRN_OK && i < units; i++) {
		gsym_shard_unit(shard, (uint32_t)i);
		status = program_read(way->reader, i, &functions);
	}
	symbols->known = way->range;
	symbols->known_count = way->ranges;
	gsym_shard_unit(shard, INT32_MAX);
	if (status == CAIRN_OK)
		status = code_symbols_emit(symbols, bytes, &others);
	ALWAYS(status == CAIRN_OK || status == CAIRN_MALFORMED);
	program_add_summary(way->reader, &sum);
	ALWAYS(sum.exhausted == (status == CAIRN_MALFORMED));
	ALWAYS(!sum.exhausted || (sum.damage.fault.what && sum.damage.section));
}

static void convert(struct program *program, struct aliases *aliases, struct cairn_bytes bytes)
{
	static struct way way;
	struct gsym_writer_options options = { .version = 1, .uuid = { bytes.data, 0 } };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct gsym_shard *shard = gsym_writer_shard(writer);
	struct code_symbols symbols = { .aliases = aliases };

	way.ranges = 0;
	way.writer = gsym_shard_sink(shard);
	way.reader = program_reader_new(program);
	ALWAYS(way.reader);
	read_all(&way, program, shard, &symbols, bytes);
	check_file(writer);
	gsym_writer_free(writer);
	program_reader_free(way.reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_program(data, size, convert);
	return 0;
}
