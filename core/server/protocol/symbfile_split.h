/* SPDX-License-Identifier: MIT */
/*
 * Splits a symbfile into parts for uploading. Each part is a complete symbfile: it starts with the
 * header, contains all strings that its records use, and its first record has an absolute address.
 * Parts end between functions, after all inlined calls, so that each part can be used alone.
 *
 *	struct symbfile_split split;
 *	status = symbfile_split_open(bytes, 16 << 20, &split, &fault);
 *	for (uint32_t i = 0; i < split.count; i++)
 *		status = symbfile_split_part(&split, i, &part);
 *	symbfile_split_finish(&split);
 *
 * Records are copied unchanged, including unknown fields. The joined parts contain all records in
 * file order. String indices are not renumbered: strings that a part does not use are empty in its
 * table, which costs two bytes each.
 */
#ifndef CAIRN_SERVER_PROTOCOL_SYMBFILE_SPLIT_H
#define CAIRN_SERVER_PROTOCOL_SYMBFILE_SPLIT_H

#include "symbols/index.h"

enum { SYMBFILE_SPLIT_PARTS_MAX = 32767 };

/* the start of a part: the cursor before its first record, and the current string table */
struct symbfile_split_cut {
	struct symbfile cursor;
	/* current string table; its body is empty before the first string table */
	struct symbfile_record table;
};

struct symbfile_split {
	struct cairn_bytes file;
	size_t header; /* size of the magic number and the header */
	struct symbfile_split_cut *cuts;
	uint32_t count;
	size_t capacity;
	uint8_t *used; /* bit set of used strings in the current table */
	size_t used_capacity;
	uint8_t *part;
	size_t part_capacity;
};

/*
 * Find the boundaries of the parts. A part has at most `part_size` bytes, unless a single function
 * is larger. Returns a status with the fault of a damaged file, UNSUPPORTED if there are more than
 * SYMBFILE_SPLIT_PARTS_MAX parts, or NO_MEMORY. After a failure nothing has to be freed.
 */
CAIRN_MUST_USE enum cairn_status symbfile_split_open(struct cairn_bytes file, uint64_t part_size,
                                                     struct symbfile_split *split,
                                                     struct cairn_fault *fault);

/*
 * Build the part with this index and set *part to its bytes, which are valid until the next call.
 * Returns NO_MEMORY, or UNSUPPORTED if a record is too large.
 */
CAIRN_MUST_USE enum cairn_status symbfile_split_part(struct symbfile_split *split, uint32_t index,
                                                     struct cairn_bytes *part);

void symbfile_split_finish(struct symbfile_split *split);

#endif
