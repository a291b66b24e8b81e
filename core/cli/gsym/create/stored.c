/* SPDX-License-Identifier: MIT */
/* Are the symbols of a build in a store, and whole? */
#include "tree.h"

#include "formats/gsym/gsym.h"

#include <string.h>

/* The records come last in a file, so that one that was cut short lacks the end of some. */
static bool has_all_records(const struct gsym *gsym)
{
	struct gsym_function function;
	struct gsym_block block;
	struct cairn_fault fault;

	struct gsym_walk walk = gsym_walk(gsym);

	for (uint32_t i = 0; i < gsym->functions; i++) {
		if (!gsym_walk_take(&walk, i, &fault) ||
		    gsym_function(gsym, i, &function, &fault) != CAIRN_OK)
			return false;
		struct gsym_blocks blocks = gsym_blocks(gsym, &function);
		while (gsym_next_block(&blocks, &block))
			;
		if (blocks.in.fault.status != CAIRN_OK)
			return false;
	}
	return true;
}

/* A long build ID is cut in version 1 on request. */
static bool has_build_id(const struct gsym *gsym, const struct tree_file *file)
{
	return gsym->uuid.size > 0 && gsym->uuid.size <= file->size &&
	       (gsym->uuid.size == file->size || gsym->uuid.size == GSYM_UUID_MAX_V1) &&
	       memcmp(gsym->uuid.data, file->build_id, gsym->uuid.size) == 0;
}

bool create_is_stored(const char *path, const struct tree_file *file)
{
	struct os_file stored;
	struct cairn_fault fault;
	struct gsym gsym;

	if (os_file_open_regular(path, &stored) != 0)
		return false;
	bool whole = gsym_open(stored.bytes, &gsym, &fault) == CAIRN_OK &&
	             has_build_id(&gsym, file) && has_all_records(&gsym);
	os_file_close(&stored);
	return whole;
}
