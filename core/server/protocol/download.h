/* SPDX-License-Identifier: MIT */
/*
 * The part of the download protocol that needs no network: paths and metadata.json.
 * docs/formats/store.md describes it.
 *
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/metadata.json     which file has the symbols of this one
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/ranges            these, a symbfile in zstd
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/returnpads        cairn's own addition
 *
 * Paths are always made from the sixteen bytes of a FileID, never from input strings.
 */
#ifndef CAIRN_SERVER_PROTOCOL_DOWNLOAD_H
#define CAIRN_SERVER_PROTOCOL_DOWNLOAD_H

#include "base/byte_buffer.h"
#include "base/fileid.h"

enum {
	DOWNLOAD_FOLDER = 6 + FILEID_BASE64_SIZE - 1, /* "NH/b9/NHb9..." */
	DOWNLOAD_PATH_MAX = DOWNLOAD_FOLDER + sizeof("/metadata.json"),
};

enum download_resource {
	DOWNLOAD_METADATA,
	DOWNLOAD_RANGES,
	DOWNLOAD_RETURNPADS,
	DOWNLOADS,
};

/* Write the directory of a FileID, without a leading slash. */
void download_folder(const struct fileid *id, char out[DOWNLOAD_FOLDER + 1]);
void download_path(const struct fileid *id, enum download_resource what,
                   char out[DOWNLOAD_PATH_MAX]);

/*
 * Parse the path of a request. Returns NOT_FOUND if it does not have the form of such a path, and
 * MALFORMED if the FileID is not valid base64url or differs from the directories.
 */
CAIRN_MUST_USE enum cairn_status download_path_read(const char *path, struct fileid *id,
                                                    enum download_resource *what);

/*
 * Read the FileID that metadata.json refers to. Returns OK, NOT_FOUND if it refers to none,
 * UNSUPPORTED for a version other than 1, or another status with a fault.
 */
CAIRN_MUST_USE enum cairn_status download_metadata_read(struct cairn_bytes text, struct fileid *id,
                                                        struct cairn_fault *fault);

void download_metadata_write(const struct fileid *id, struct sink *out);

#endif
