/* SPDX-License-Identifier: MIT */
/* Returns strings and file names of a GSYM file. */
#include "gsym.h"

#include "base/bytes.h"

#include <string.h>

/*
 * Offset 0 is always the empty string. The table may be shared with a file whose first string is
 * not empty.
 */
bool gsym_string(const struct gsym *gsym, uint64_t offset, struct cairn_bytes *text)
{
	struct cairn_bytes all = gsym->strings;

	*text = (struct cairn_bytes){ all.data, 0 };
	if (offset == 0)
		return true;
	if (offset >= all.size)
		return false;
	const uint8_t *start = all.data + offset;
	const size_t left = all.size - (size_t)offset;
	const uint8_t *end = memchr(start, 0, left);
	*text = (struct cairn_bytes){ start, end ? (size_t)(end - start) : left };
	return true;
}

void gsym_file_offsets(const struct gsym *gsym, uint32_t index, uint64_t *directory, uint64_t *name)
{
	size_t width = gsym_strp_size(gsym);
	const uint8_t *entry = gsym->bytes.data + gsym->files_at + 4 + (size_t)index * 2 * width;

	*directory = bytes_unsigned(entry, width, gsym->big);
	*name = bytes_unsigned(entry + width, width, gsym->big);
}

bool gsym_has_file(const struct gsym *gsym, uint64_t index)
{
	uint64_t directory, name;

	if (index >= gsym->files)
		return false;
	gsym_file_offsets(gsym, (uint32_t)index, &directory, &name);
	return gsym_has_string(gsym, directory) && gsym_has_string(gsym, name);
}

bool gsym_file(const struct gsym *gsym, uint64_t index, struct gsym_file *file)
{
	uint64_t directory, name;

	if (!gsym_has_file(gsym, index))
		return false;
	gsym_file_offsets(gsym, (uint32_t)index, &directory, &name);
	file->empty = directory == 0 && name == 0;
	gsym_string(gsym, directory, &file->directory);
	gsym_string(gsym, name, &file->name);
	return true;
}
