/* SPDX-License-Identifier: MIT */
/* Implements the FileID functions of cairn.h. */
#include <cairn.h>

#include "base/fileid.h"
#include "formats/elf/elf.h"

#include <string.h>

_Static_assert(sizeof(((struct cairn_file_id *)0)->bytes) == FILEID_SIZE, "an ID has no room");
_Static_assert(sizeof(((struct cairn_file_id *)0)->text) == FILEID_HEX_SIZE, "nor has its text");

static void copy_file_id(struct cairn_file_id *id, const struct fileid *from)
{
	memcpy(id->bytes, from->bytes, FILEID_SIZE);
	fileid_to_hex(from, id->text);
}

bool cairn_file_id_parse(const char *word, struct cairn_file_id *id)
{
	struct fileid parsed;

	if (!fileid_parse((struct cairn_bytes){ (const uint8_t *)word, strlen(word) }, &parsed))
		return false;
	copy_file_id(id, &parsed);
	return true;
}

bool cairn_file_id_compute(struct cairn_bytes file, struct cairn_bytes build_id,
                           struct cairn_file_id *id)
{
	if (build_id.size > 0 && !elf_is_of_build(file, build_id))
		return false;
	const struct fileid made = fileid_of(file);
	copy_file_id(id, &made);
	return true;
}
