/* SPDX-License-Identifier: MIT */
/*
 * The parts that a symbfile is uploaded in.  There are two ways to make parts, and the protocol
 * does not show which it means:
 *
 * - each part is a whole symbfile, with a header and string tables of its own.  Joined, the headers
 *   of all but the first are left out: a string table replaces the one before it anyway, and the
 *   first record of a file holds its full address;
 * - the parts are slices of the bytes of one file, cut anywhere.
 *
 * Their first bytes set them apart: when all begin as a symbfile does, they are whole.
 */
#ifndef CAIRN_SERVER_PROTOCOL_UPLOAD_PARTS_H
#define CAIRN_SERVER_PROTOCOL_UPLOAD_PARTS_H

#include "formats/symbfile/symbfile.h"
#include "upload.h"

/* What the bytes of a part, or of all joined, are by themselves. */
struct upload_parts_view {
	bool magic;              /* they begin as a symbfile does */
	size_t header;           /* bytes before the first message after the header; 0: no header */
	enum symbfile_code code; /* how their reading ended */
	struct cairn_fault fault; /* where, when it is not SOUND */
	uint64_t ranges, pads, tables;
};

/* Bytes of the magic and the first message; 0 when that is not a header. */
size_t upload_parts_header(struct cairn_bytes bytes);

/* Reads all of it. */
struct upload_parts_view upload_parts_view(struct cairn_bytes bytes);

/*
 * May these bytes be that part?  NULL, or why not.  A part that may be a slice is taken on trust
 * until all are there.
 */
const struct upload_refusal *upload_parts_check(const struct upload *upload,
                                                struct cairn_bytes bytes,
                                                const struct upload_parts_view *view);

/* May all of them, joined, be the file? */
const struct upload_refusal *upload_parts_check_joined(const struct upload *upload,
                                                       const struct upload_parts_view *view);

#endif
