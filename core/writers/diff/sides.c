/* SPDX-License-Identifier: MIT */
/*
 * Reads one file of a comparison: numbers its paths and iterates over its functions by start
 * address.
 */
#include "parts.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	/*
	 * Limit of the joined paths relative to the file size. Joining repeats each directory; real
	 * files need a tenth of the limit.
	 */
	PATHS_TIMES = 4,
};

struct joined {
	char *text;
	size_t room;
};

static bool join_file_path(struct joined *joined, const struct function_file *file, size_t *size)
{
	const struct cairn_location location = { .directory = file->directory, .file = file->name };

	*size = cairn_location_path(&location, joined->text, joined->room);
	if (*size < joined->room)
		return true;
	if (!array_grow(&joined->text, &joined->room, *size + 1, 1))
		return false;
	(void)cairn_location_path(&location, joined->text, joined->room);
	return true;
}

static size_t measure_path(const struct function_file *file)
{
	return file->directory.size + file->name.size + 2;
}

/* Number the paths of a file. `left` limits their total size in bytes. */
static enum cairn_status number_paths(struct gsym_diff *diff, struct gsym_diff_side *side,
                                      uint64_t left)
{
	const struct gsym_reader *reader = &side->reader;
	enum cairn_status status = CAIRN_OK;
	struct joined joined = { NULL, 0 };
	size_t size;

	for (uint32_t i = 0; status == CAIRN_OK && i < reader->gsym->files; i++) {
		if (measure_path(&reader->files[i]) > left) {
			status = CAIRN_MALFORMED;
			break;
		}
		left -= measure_path(&reader->files[i]);
		if (!join_file_path(&joined, &reader->files[i], &size)) {
			status = CAIRN_NO_MEMORY;
			break;
		}
		const struct cairn_bytes text = { (const uint8_t *)joined.text, size };
		side->path[i] = interner_add_copy(&diff->paths, text);
		status = diff->paths.text.failed ? CAIRN_NO_MEMORY : CAIRN_OK;
	}
	free(joined.text);
	return status;
}

enum cairn_status gsym_diff_open(struct gsym_diff *diff, struct gsym_diff_side *side,
                                 const struct gsym *gsym, struct cairn_fault *fault)
{
	if (!gsym_reader_init(&side->reader, gsym, diff->options.statements))
		return CAIRN_NO_MEMORY;
	side->path = calloc((size_t)gsym->files + 1, sizeof(*side->path));
	if (!side->path)
		return CAIRN_NO_MEMORY;
	enum cairn_status status = number_paths(
		diff, side, PATHS_TIMES * ((uint64_t)gsym->bytes.size + gsym->strings.size));
	if (status == CAIRN_MALFORMED)
		*fault = (struct cairn_fault){ status, gsym->files_at,
			                       "paths share too many of their bytes" };
	return status;
}

void gsym_diff_close(struct gsym_diff_side *side)
{
	gsym_reader_finish(&side->reader);
	free(side->path);
	free(side->item);
	free(side->call);
}

bool gsym_diff_peek(const struct gsym_diff_side *side, uint64_t *start)
{
	const struct gsym *gsym = side->reader.gsym;

	if (side->next >= gsym->functions)
		return false;
	*start = gsym->base + gsym_offset(gsym, side->next);
	return true;
}

static bool add_item(struct gsym_diff_side *side, const struct gsym_function *record)
{
	struct gsym_diff_item item = { .record = *record, .order = (uint32_t)side->items };

	if (!array_grow(&side->item, &side->room, side->items + 1, sizeof(item)))
		return false;
	const char *wrong = gsym_names_read(&side->reader.names, record->name, &item.name);
	if (wrong)
		gsym_reader_lose(&side->reader,
		                 (struct cairn_fault){ CAIRN_MALFORMED, record->at, wrong });
	side->item[side->items++] = item;
	return true;
}

static bool add_merged_items(struct gsym_diff_side *side, const struct gsym_function *owner)
{
	const struct gsym *gsym = side->reader.gsym;
	struct gsym_blocks blocks = gsym_blocks(gsym, owner);
	struct gsym_block block, merged = { .type = GSYM_END };
	struct gsym_function record;

	while (gsym_next_block(&blocks, &block))
		if (block.type == GSYM_MERGED)
			merged = block;
	if (merged.type != GSYM_MERGED)
		return true;
	struct gsym_merged others = gsym_merged(gsym, owner, &merged);
	while (gsym_next_merged(&others, &record))
		if (!add_item(side, &record))
			return false;
	gsym_reader_lose(&side->reader, others.in.fault);
	return true;
}

enum cairn_status gsym_diff_gather(struct gsym_diff_side *side, uint64_t start, bool merged,
                                   struct cairn_fault *fault)
{
	const struct gsym *gsym = side->reader.gsym;
	struct gsym_function record;
	uint64_t at;

	side->items = 0;
	for (; gsym_diff_peek(side, &at) && at == start; side->next++) {
		if (!gsym_reader_next(&side->reader, side->next, &record))
			continue;
		if (!add_item(side, &record) || (merged && !add_merged_items(side, &record)))
			return CAIRN_NO_MEMORY;
	}
	if (!gsym_diff_peek(side, &at) || at > start)
		return CAIRN_OK;
	return fault_set_at(fault, CAIRN_MALFORMED,
	                    gsym->addresses_at + (size_t)side->next * gsym->address_size,
	                    "addresses are not in ascending order");
}
