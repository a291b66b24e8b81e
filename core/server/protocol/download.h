/* SPDX-License-Identifier: MIT */
/*
 * The part of the download protocol that needs no network: paths and metadata.json.
 * docs/formats/store.md describes it.
 *
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/metadata.json     FileID of the file with the symbols
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/ranges            symbols: a symbfile compressed with zstd
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/returnpads        return pads, an extension by cairn
 *
 * Paths are always built from the 16 bytes of a FileID, never from input strings.
 */
#ifndef CAIRN_SERVER_PROTOCOL_DOWNLOAD_H
#define CAIRN_SERVER_PROTOCOL_DOWNLOAD_H

#include "base/byte_buffer.h"
#include "base/fileid.h"

enum {
	/* length of a directory such as "NH/b9/NHb9aTyjzuGRQxEH02ygWA" */
	DOWNLOAD_DIRECTORY = 6 + FILEID_BASE64_SIZE - 1,
	DOWNLOAD_PATH_MAX = DOWNLOAD_DIRECTORY + sizeof("/metadata.json"),
};

enum download_resource {
	DOWNLOAD_METADATA,
	DOWNLOAD_RANGES,
	DOWNLOAD_RETURNPADS,
	DOWNLOADS,
};

void download_directory(const struct fileid *id, char out[DOWNLOAD_DIRECTORY + 1]);
void download_path(const struct fileid *id, enum download_resource what,
                   char out[DOWNLOAD_PATH_MAX]);

/*
 * Parse a request's path. Returns NOT_FOUND if it does not have the form above, and MALFORMED if
 * the FileID is not valid base64url or does not match the directories.
 */
CAIRN_MUST_USE enum cairn_status download_path_read(const char *path, struct fileid *id,
                                                    enum download_resource *what);

/*
 * Read the FileID in metadata.json. Returns OK, NOT_FOUND if there is no FileID, UNSUPPORTED for a
 * version other than 1, or another status with a fault.
 */
CAIRN_MUST_USE enum cairn_status download_metadata_read(struct cairn_bytes text, struct fileid *id,
                                                        struct cairn_fault *fault);

void download_metadata_write(const struct fileid *id, struct sink *out);

#endif
