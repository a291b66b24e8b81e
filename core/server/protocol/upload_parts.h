/* SPDX-License-Identifier: MIT */
/*
 * The parts of an uploaded symbfile. There are two ways to split a file, and the protocol does not
 * tell which one is used:
 *
 * - Each part is a complete symbfile with its own header and string tables. To join them, the
 *   headers of all but the first are omitted. This works because a string table replaces the
 *   previous one, and the first record of a file has an absolute address.
 * - The parts are arbitrary byte ranges of one file.
 *
 * The first bytes distinguish them: if all parts start with the magic, they are complete.
 */
#ifndef CAIRN_SERVER_PROTOCOL_UPLOAD_PARTS_H
#define CAIRN_SERVER_PROTOCOL_UPLOAD_PARTS_H

#include "formats/symbfile.h"
#include "upload.h"

/* Analysis of the bytes of a part, or of all parts joined. */
struct upload_parts_view {
	bool magic;
	size_t header; /* bytes before the first message after the header; 0: no header */
	enum symbfile_code code;
	struct cairn_fault fault; /* position of the fault, unless `code` is VALID */
	uint64_t ranges, pads, tables;
};

/* Return the size of the magic and the header, or 0 if there is no header. */
size_t upload_parts_header(struct cairn_bytes bytes);

struct upload_parts_view upload_parts_view(struct cairn_bytes bytes);

/*
 * Check whether these bytes can be that part. Returns NULL or the refusal. A part that may be a
 * slice is accepted until all parts have arrived.
 */
const struct upload_refusal *upload_parts_check(const struct upload *upload,
                                                struct cairn_bytes bytes,
                                                const struct upload_parts_view *view);

/* Check whether all parts, joined, are the file. */
const struct upload_refusal *upload_parts_check_joined(const struct upload *upload,
                                                       const struct upload_parts_view *view);

#endif
