/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of any bytes on the whole way to a symbfile, which is then read back: its DWARF, its symbols, the records, the
 * index of them.  Always:
 *   - no more memory is held at a time than stated, and none is left;
 *   - what ends the reading has a reason;
 *   - the file that is written has no damage and can be indexed;
 *   - what the index says of the start and the last byte of a piece of a function is what one that was given there says:
 *     its name, and at its start its line.
 */
#include "fuzz_program.h"
#include "given.h"
#include "held.h"

#include "debuginfo/code_symbols.h"
#include "debuginfo/program.h"
#include "symbols/index_build.h"
#include "symbols/symbfile.h"
#include "writers/symbfile/maker.h"

#include <string.h>

enum { RANGES_MAX = 1 << 16, QUESTIONS = 64 };

struct way {
	struct function_sink maker;
	struct given given;
	struct cairn_range range[RANGES_MAX];
	size_t ranges;
};

struct reading_back {
	const struct given *given;
	const struct symbfile_index *index;
	unsigned asked;
};

static enum cairn_status take_function(void *context, const struct function *function)
{
	struct way *way = context;

	check_contract(function, false);
	given_add(&way->given, function);
	if (way->ranges < RANGES_MAX)
		way->range[way->ranges++] =
			(struct cairn_range){ function->start, function->start + function->size };
	return way->maker.take(way->maker.context, function);
}

static enum cairn_status read_functions(struct way *way, struct program_reader *reader,
                                        const struct program *program, struct symbfile_shard *shard)
{
	const struct function_sink sink = { take_function, way };
	enum cairn_status status = CAIRN_OK;

	for (size_t i = 0; status == CAIRN_OK && i < program_units(program); i++) {
		symbfile_shard_unit(shard, (uint32_t)i);
		status = program_read(reader, i, &sink);
	}
	return status;
}

/* Units, then symbols, as the command line reads them. */
static void read_all(struct way *way, struct program *program, struct symbfile_shard *shard,
                     struct code_symbols *symbols, struct cairn_bytes bytes)
{
	const struct function_sink sink = { take_function, way };
	struct program_reader *reader = program_reader_new(program);
	struct program_summary sum = { .units = 0 };

	ALWAYS(reader);
	enum cairn_status status = read_functions(way, reader, program, shard);
	program_add_summary(reader, &sum);
	ALWAYS(status == CAIRN_OK || status == CAIRN_MALFORMED);
	ALWAYS(!sum.exhausted || (sum.damage.fault.what && sum.damage.section));
	symbols->known = way->range;
	symbols->known_count = way->ranges;
	symbfile_shard_unit(shard, INT32_MAX);
	if (status == CAIRN_OK)
		ALWAYS(code_symbols_emit(symbols, bytes, &sink) == CAIRN_OK);
	program_reader_free(reader);
}

static void look_up(const struct reading_back *back, uint64_t va)
{
	struct symbfile_chain chain;
	struct cairn_location innermost, outermost;

	ALWAYS(symbfile_index_find(back->index, va, &chain));
	ALWAYS(symbfile_chain_next(&chain, &innermost));
	outermost = innermost;
	while (symbfile_chain_next(&chain, &outermost))
		continue;
	ALWAYS(!chain.damaged && !outermost.inlined);
	ALWAYS(given_holds(back->given, va, outermost.function, innermost.line));
}

static enum cairn_status check_written(void *context, const struct function *function)
{
	struct reading_back *back = context;

	check_contract(function, false);
	ALWAYS(function->size > 0);
	if (back->asked++ < QUESTIONS) {
		look_up(back, function->start);
		look_up(back, function->start + function->size - 1);
	}
	return CAIRN_OK;
}

static void read_back(const struct given *given, struct cairn_bytes file)
{
	struct symbfile_built built;

	ALWAYS(symbfile_build(&file, 1, NULL, &built) == CAIRN_OK);
	ALWAYS(built.fault[0].status == CAIRN_OK);
	struct reading_back back = { .given = given, .index = &built.index };
	const struct function_sink sink = { check_written, &back };
	ALWAYS(symbfile_functions(&built.index, &sink) == CAIRN_OK);
	symbfile_built_free(&built);
}

static void convert(struct program *program, struct aliases *aliases, struct cairn_bytes bytes)
{
	static struct way way;
	struct symbfile_maker *maker = symbfile_maker_new();
	struct symbfile_shard *shard = symbfile_maker_shard(maker);
	struct code_symbols symbols = { .aliases = aliases };
	struct sink made;

	way.ranges = 0;
	way.maker = symbfile_shard_sink(shard);
	given_begin(&way.given);
	read_all(&way, program, shard, &symbols, bytes);
	if (symbfile_maker_arrange(maker, NULL) == CAIRN_OK &&
	    symbfile_maker_ranges(maker, &made) == CAIRN_OK) {
		read_back(&way.given, (struct cairn_bytes){ made.data, made.size });
		free(made.data);
	}
	symbfile_maker_free(maker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_program(data, size, convert);
	return 0;
}
