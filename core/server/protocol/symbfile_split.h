/* SPDX-License-Identifier: MIT */
/*
 * A symbfile in parts for the upload, each a complete symbfile: it begins with the header, has the
 * texts that it refers to, and its first record holds its full address.  A part ends where a
 * function with all its inlined calls does, so that it makes sense alone.
 *
 *	struct symbfile_split split;
 *	status = symbfile_split_open(bytes, 16 << 20, &split, &fault);
 *	for (uint32_t i = 0; i < split.count; i++)
 *		status = symbfile_split_part(&split, i, &part);
 *	symbfile_split_finish(&split);
 *
 * Records are copied as they are, with what this version does not know; joined again, the parts
 * have the records of the file in their order.  References stay, too: texts that a part does not
 * need are empty in its table, which costs two bytes for each.
 */
#ifndef CAIRN_SERVER_PROTOCOL_SYMBFILE_SPLIT_H
#define CAIRN_SERVER_PROTOCOL_SYMBFILE_SPLIT_H

#include "symbols/index/string_table.h"

enum { SYMBFILE_SPLIT_PARTS_MAX = 32767 };

/* Where a part begins: the cursor in front of its first record, and the table in force there. */
struct symbfile_split_cut {
	struct symbfile cursor;
	struct symbfile_record table; /* with an empty body when there is none */
};

struct symbfile_split {
	struct cairn_bytes file;
	size_t header;                   /* bytes of the magic and the header */
	struct symbfile_split_cut *cuts; /* of each part */
	uint32_t count;
	size_t room;
	uint8_t *used; /* a bit for each text of the table in force */
	size_t used_room;
	uint8_t *part; /* the part made last */
	size_t part_room;
};

/*
 * Finds the borders.  A part has at most `part_size` bytes, unless a single function has more.  The
 * fault of a damaged file; UNSUPPORTED when there would be more than SYMBFILE_SPLIT_PARTS_MAX parts;
 * NO_MEMORY.  After a failure there is nothing to finish.
 */
CAIRN_MUST_USE enum cairn_status symbfile_split_open(struct cairn_bytes file, uint64_t part_size,
                                                     struct symbfile_split *split,
                                                     struct cairn_fault *fault);

/* Part `index`, good until the next call.  NO_MEMORY, or UNSUPPORTED for a record at the limit. */
CAIRN_MUST_USE enum cairn_status symbfile_split_part(struct symbfile_split *split, uint32_t index,
                                                     struct cairn_bytes *part);

void symbfile_split_finish(struct symbfile_split *split);

#endif
