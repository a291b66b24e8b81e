/* SPDX-License-Identifier: MIT */
/*
 * A symbfile or a Breakpad file of any bytes, made into a symbfile.  Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - its functions keep what struct function promises;
 *   - what is made has no damage, can be indexed, and holds each range that was counted;
 *   - its size is bounded by that of the input, whatever the input claims.
 */
#include "contract.h"
#include "held.h"

#include "formats/breakpad.h"
#include "symbols/breakpad.h"
#include "symbols/index_build.h"
#include "symbols/symbfile.h"
#include "writers/symbfile/maker.h"

/* Bytes that one byte of input may become: a range of 4 bytes is 16 records, with its texts. */
enum { GROWTH = 1 << 9, AT_LEAST = 1 << 12 };

static enum cairn_status check_and_take(void *context, const struct function *function)
{
	const struct function_sink *maker = context;

	check_contract(function, false);
	return maker->take(maker->context, function);
}

static enum cairn_status read_input(struct cairn_bytes file, const struct function_sink *sink)
{
	struct symbfile_built built;
	struct breakpad_summary report;

	if (!symbfile_has_magic(file)) {
		struct breakpad_file *breakpad = breakpad_file_new(file, NULL);
		ALWAYS(breakpad);
		enum cairn_status status = breakpad_functions(breakpad, 0, sink, NULL, &report);
		breakpad_file_free(breakpad);
		return status;
	}
	if (symbfile_build(&file, 1, NULL, &built) != CAIRN_OK)
		return CAIRN_UNSUPPORTED;
	enum cairn_status status = symbfile_functions(&built.index, sink);
	symbfile_built_free(&built);
	return status;
}

static void check_made(struct cairn_bytes made, uint64_t ranges)
{
	struct symbfile file = symbfile_open(made);
	struct symbfile_record record;
	struct symbfile_built built;

	while (symbfile_next(&file, &record))
		ranges -= record.kind == SYMBFILE_RANGE;
	ALWAYS(ranges == 0);
	ALWAYS(symbfile_build(&made, 1, NULL, &built) == CAIRN_OK);
	ALWAYS(built.fault[0].status == CAIRN_OK);
	symbfile_built_free(&built);
}

static void take_input(const uint8_t *data, size_t size)
{
	struct symbfile_maker *maker = symbfile_maker_new();
	struct function_sink into = symbfile_shard_sink(symbfile_maker_shard(maker));
	const struct function_sink sink = { check_and_take, &into };
	struct cairn_symbfile_summary summary;
	struct sink made;

	if (read_input((struct cairn_bytes){ data, size }, &sink) == CAIRN_OK &&
	    symbfile_maker_arrange(maker, NULL) == CAIRN_OK) {
		ALWAYS(symbfile_maker_ranges(maker, &made) == CAIRN_OK);
		symbfile_maker_summary(maker, &summary);
		ALWAYS(made.size <= AT_LEAST + size * GROWTH);
		check_made((struct cairn_bytes){ made.data, made.size }, summary.ranges);
		free(made.data);
	}
	symbfile_maker_free(maker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
