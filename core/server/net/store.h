/* SPDX-License-Identifier: MIT */
/*
 * A symbol store on disk. Its directory has the layout of the download protocol, so that any web
 * server can serve the store:
 *
 *	NH/b9/NHb9aTyjzuGRQxEH02ygWA/metadata.json
 *	NH/b9/NHb9aTyjzuGRQxEH02ygWA/ranges               compressed with zstd, like returnpads
 *	NH/b9/NHb9aTyjzuGRQxEH02ygWA/parts/ranges.3/0     part 0 of 3, as uploaded
 *	new/                                              unfinished files
 *	lock                                              locked by the running server
 *
 * Files appear atomically. An acknowledged part is on disk, and when the last part of a file
 * arrives, the file is assembled and published before the response is sent.
 *
 * All functions except store_open() and store_close() may be called by several threads at once.
 */
#ifndef CAIRN_SERVER_NET_STORE_H
#define CAIRN_SERVER_NET_STORE_H

#include "os/atomic_file.h"
#include "os/file.h"
#include "server/protocol/download.h"
#include "server/protocol/upload.h"

#include <pthread.h>

enum {
	STORE_ROOT_MAX =
		OS_DURABLE_PATH_MAX - 128, /* leaves space for the names of files in the store */
	STORE_DETAIL_MAX = 256,
	/* maximum age of incomplete sets of parts in days; older sets are removed */
	STORE_STALE_DAYS = 7,
};

struct store {
	char root[STORE_ROOT_MAX];
	int lock;
	struct os_quota quota;
	pthread_mutex_t assembly; /* lets only one thread assemble a file at a time */
};

/*
 * Open a store, creating its directory if necessary, and remove a killed server's unfinished files.
 * The store, including existing files, uses at most `quota` bytes of disk space; 0 disables the
 * limit. Uploads that exceed it are refused; acknowledged files are never removed to make space.
 * Returns 0 or an errno value; EAGAIN if another server has locked the store.
 */
CAIRN_MUST_USE int store_open(struct store *store, const char *directory, uint64_t quota);
void store_close(struct store *store);

CAIRN_MUST_USE int store_begin(struct store *store, struct os_durable *file);

/*
 * Store a complete part, and publish the file if this was the last part. Returns NULL on success;
 * otherwise returns the refusal and describes the fault in `detail`. In both cases, the caller must
 * call os_durable_abandon() for `file` afterwards.
 */
const struct upload_refusal *store_accept(struct store *store, const struct upload *upload,
                                          struct os_durable *file, char detail[STORE_DETAIL_MAX]);

const struct upload_refusal *store_refusal(int error, char detail[STORE_DETAIL_MAX]);

/* Return the number of bytes that count against the quota. */
uint64_t store_size(const struct store *store);

/* Open a published file. Returns -1 if it does not exist. */
int store_read(const struct store *store, const struct fileid *id, enum download_resource what);

#endif
