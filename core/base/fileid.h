/* SPDX-License-Identifier: MIT */
/*
 * FileIDs identify the executable that a symbfile describes; they are kept outside the file. An ID
 * is made of a file's first and last 4 KiB and its size, so that it costs nothing for any size, and
 * identifies a build, but is no proof against a forger. The rules are in docs/formats/symbfile.md.
 *
 * It is that of the executable that runs, which is often stripped, also when its symbols come from
 * another file.
 */
#ifndef CAIRN_BASE_FILEID_H
#define CAIRN_BASE_FILEID_H

#include <cairn.h>

enum {
	FILEID_SIZE = 16,
	FILEID_BLOCK = 4096,  /* bytes from either end of the file */
	FILEID_HEX_SIZE = 33, /* with the NUL, as the next */
	FILEID_BASE64_SIZE = 23,
};

struct fileid {
	uint8_t bytes[FILEID_SIZE];
};

/* The ID of a whole file. */
struct fileid fileid_of(struct cairn_bytes file);

/* Computes the ID of a file from its first and its last min(4096, size) bytes. */
struct fileid fileid_of_ends(struct cairn_bytes first, struct cairn_bytes last, uint64_t size);

/* The ID of a kernel image, by the GNU build ID, and that of the file with its debugging information. */
struct fileid fileid_of_kernel(struct cairn_bytes build_id, bool is_debug_file);

/* 32 lower-case digits, and the form for headers and URLs: base64url without padding. */
void fileid_to_hex(const struct fileid *id, char text[FILEID_HEX_SIZE]);
void fileid_to_base64(const struct fileid *id, char text[FILEID_BASE64_SIZE]);

/*
 * Either form: hexadecimal digits in any case, perhaps after 0x, perhaps with dashes between them;
 * base64 of either alphabet, with the exact padding or none.  False for anything else.
 */
bool fileid_parse(struct cairn_bytes text, struct fileid *id);

#endif
