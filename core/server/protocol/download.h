/* SPDX-License-Identifier: MIT */
/*
 * The download protocol of symbol servers, as far as it can be decided without a network: where
 * things are, and what metadata.json says.  docs/formats/store.md describes it.
 *
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/metadata.json     which file has the symbols of this one
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/ranges            these, a symbfile in zstd
 *	/NH/b9/NHb9aTyjzuGRQxEH02ygWA/returnpads        cairn's own addition
 *
 * A path is always made from the sixteen bytes of a FileID, never from text of the input.
 */
#ifndef CAIRN_SERVER_PROTOCOL_DOWNLOAD_H
#define CAIRN_SERVER_PROTOCOL_DOWNLOAD_H

#include "base/fileid.h"
#include "base/sink.h"

enum {
	DOWNLOAD_FOLDER = 6 + FILEID_BASE64_SIZE - 1,                   /* "NH/b9/NHb9..." */
	DOWNLOAD_PATH_MAX = DOWNLOAD_FOLDER + sizeof("/metadata.json"), /* the longest name */
};

enum download_resource {
	DOWNLOAD_METADATA,
	DOWNLOAD_RANGES,
	DOWNLOAD_RETURNPADS,
	DOWNLOADS,
};

/* Without a slash before it. */
void download_folder(const struct fileid *id, char out[DOWNLOAD_FOLDER + 1]);
void download_path(const struct fileid *id, enum download_resource what,
                   char out[DOWNLOAD_PATH_MAX]);

/*
 * What a request's path is about.  NOT_FOUND when it is not such a path, MALFORMED when it is one but
 * the FileID is not in base64url, or not the one of the folders.
 */
CAIRN_MUST_USE enum cairn_status download_path_read(const char *path, struct fileid *id,
                                                    enum download_resource *what);

/*
 * The FileID that metadata.json refers to: OK, NOT_FOUND when it refers to none, or a fault;
 * UNSUPPORTED for another version than 1.
 */
CAIRN_MUST_USE enum cairn_status download_metadata_read(struct cairn_bytes text, struct fileid *id,
                                                        struct cairn_fault *fault);

void download_metadata_write(const struct fileid *id, struct sink *out);

#endif
