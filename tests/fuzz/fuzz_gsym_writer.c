/* SPDX-License-Identifier: MIT */
/*
 * A GSYM file of any bytes, read and written again, with a row for each address or with all.  Always: what is written is sound, and looking
 * up the first address of each function gives the same places in both; written a second time, it is
 * the same bytes.
 */
#include "contract.h"
#include "held.h"

#include "formats/gsym/gsym.h"
#include "symbols/gsym.h"
#include "writers/gsym/writer.h"

#include <string.h>

enum { LOCATIONS = 32 };

struct copying {
	struct function_sink writer;
	bool every_row;
};

static enum cairn_status check_and_take(void *context, const struct function *function)
{
	const struct copying *c = context;

	check_contract(function, c->every_row);
	return c->writer.take(c->writer.context, function);
}

/* False when there is nothing to write. */
static bool copy(const struct gsym *gsym, unsigned version, bool every_row,
                 struct gsym_output *output)
{
	struct gsym_writer_options options = { .version = version,
		                               .big = gsym->big,
		                               .merged = true,
		                               .calls = true,
		                               .base = gsym->base,
		                               .uuid = gsym->uuid,
		                               .keep_order = true };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct copying copying = { gsym_shard_sink(gsym_writer_shard(writer)), every_row };
	struct function_sink sink = { check_and_take, &copying };
	bool written;

	ALWAYS(gsym_functions(gsym, &sink, every_row, NULL) == CAIRN_OK);
	written = gsym_writer_order(writer) == CAIRN_OK;
	if (written)
		ALWAYS(gsym_writer_image(writer, 0, UINT64_MAX, output) == CAIRN_OK);
	gsym_writer_free(writer);
	return written;
}

static void check_sound(const struct gsym *gsym)
{
	static struct gsym_nodes scratch;
	static struct gsym_flaws flaws;

	for (uint32_t i = 0; i < gsym->functions; i++) {
		flaws.count = 0;
		gsym_check_function(gsym, i, &scratch, &flaws);
		ALWAYS(flaws.count == 0);
	}
}

static void take_input(const uint8_t *data, size_t size)
{
	struct gsym_output once, twice;
	struct cairn_fault fault;
	struct gsym first, second;
	unsigned version = 1 + size % 2;
	bool every_row = size / 2 % 2;

	if (gsym_open((struct cairn_bytes){ data, size }, &first, &fault) != CAIRN_OK)
		return;
	if (!copy(&first, version, every_row, &once))
		return;
	ALWAYS(gsym_open((struct cairn_bytes){ once.data, once.size }, &second, &fault) ==
	       CAIRN_OK);
	check_sound(&second);
	ALWAYS(copy(&second, version, every_row, &twice));
	ALWAYS(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
	free(once.data);
	free(twice.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
