/* SPDX-License-Identifier: MIT */
/*
 * FileIDs identify the executable that a symbfile describes; they are not stored in the symbfile.
 * An ID is computed from the first and last 4 KiB of a file and its size, so the cost does not
 * depend on the size. It identifies a build but does not protect against forgery.
 * docs/formats/symbfile.md describes the computation.
 *
 * The ID is always computed from the executable that runs, which is often stripped, even if the
 * symbols come from another file.
 */
#ifndef CAIRN_BASE_FILEID_H
#define CAIRN_BASE_FILEID_H

#include <cairn.h>

enum {
	FILEID_SIZE = 16,
	FILEID_BLOCK = 4096,
	/* buffer sizes for both textual forms, including the NUL */
	FILEID_HEX_SIZE = 33,
	FILEID_BASE64_SIZE = 23,
};

struct fileid {
	uint8_t bytes[FILEID_SIZE];
};

struct fileid fileid_of(struct cairn_bytes file);

/* Return the ID of a file, given its first and last min(4096, size) bytes. */
struct fileid fileid_of_ends(struct cairn_bytes first, struct cairn_bytes last, uint64_t size);

/* Return the ID of a kernel image, or of its debug file, computed from the GNU build ID. */
struct fileid fileid_of_kernel(struct cairn_bytes build_id, bool is_debug_file);

/* Format the ID as 32 lowercase digits, or as base64url without padding, as in headers and URLs. */
void fileid_to_hex(const struct fileid *id, char text[FILEID_HEX_SIZE]);
void fileid_to_base64(const struct fileid *id, char text[FILEID_BASE64_SIZE]);

/*
 * Parse an ID: hexadecimal digits in either case, optionally after 0x and with dashes between them,
 * or base64 in either alphabet, with exact padding or none. Return false for anything else.
 */
bool fileid_parse(struct cairn_bytes text, struct fileid *id);

#endif
