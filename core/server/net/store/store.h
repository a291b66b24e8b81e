/* SPDX-License-Identifier: MIT */
/*
 * A symbol store on disk.  Its folder is what the download protocol serves, so that any web server
 * may hand it out:
 *
 *	NH/b9/NHb9aTyjzuGRQxEH02ygWA/metadata.json
 *	NH/b9/NHb9aTyjzuGRQxEH02ygWA/ranges               in zstd; as returnpads
 *	NH/b9/NHb9aTyjzuGRQxEH02ygWA/parts/ranges.3/0     as it was uploaded, part 0 of 3
 *	new/                                              what is being written
 *	lock                                              one server at a time
 *
 * Every file appears whole or not at all.  A part that was answered for is on the disk; when the
 * last one of a file is, the file is made and published before the answer.
 *
 * Functions may be called by several threads at once, but store_open() and store_close().
 */
#ifndef CAIRN_SERVER_NET_STORE_STORE_H
#define CAIRN_SERVER_NET_STORE_STORE_H

#include "os/file/durable.h"
#include "server/protocol/download.h"
#include "server/protocol/upload.h"

#include <pthread.h>

enum {
	STORE_ROOT_MAX = OS_DURABLE_PATH_MAX - 128, /* room for the names after it */
	STORE_DETAIL_MAX = 256,
	STORE_STALE_DAYS = 7, /* after which parts that wait for others are dropped */
};

struct store {
	char root[STORE_ROOT_MAX];
	int lock;
	struct os_quota quota;
	pthread_mutex_t assembly; /* one file is put together at a time */
};

/*
 * Makes the folder unless it is there, and removes what a server that was killed left half written.  The store
 * takes at most `quota` bytes of the disk, what is there already included (0: all that there is); what would
 * take more is refused, because what was acknowledged is kept.
 * 0 or an errno value; EAGAIN when another server has the store.
 */
CAIRN_MUST_USE int store_open(struct store *store, const char *folder, uint64_t quota);
void store_close(struct store *store);

/* "ROOT/name"; 0, or ENAMETOOLONG. */
CAIRN_MUST_USE int store_path(const struct store *store, const char *name,
                              char path[OS_DURABLE_PATH_MAX]);

/* Where the bytes of a part go first. */
CAIRN_MUST_USE int store_begin(struct store *store, struct os_durable *file);

/*
 * All bytes of a part have come.  NULL when it is stored, and the file published if it was the last
 * one; or why not, with words for people in `detail`.  The caller abandons `file` afterwards.
 */
const struct upload_refusal *store_accept(struct store *store, const struct upload *upload,
                                          struct os_durable *file, char detail[STORE_DETAIL_MAX]);

/* The refusal for an errno value of writing. */
const struct upload_refusal *store_refusal(int error, char detail[STORE_DETAIL_MAX]);

/* Bytes that count against the quota. */
uint64_t store_size(const struct store *store);

/* Opens a published file; -1 when there is none. */
int store_read(const struct store *store, const struct fileid *id, enum download_resource what);

#endif
