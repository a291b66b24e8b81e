/* SPDX-License-Identifier: MIT */
/*
 * From a debug ID, which is the first 16 bytes of a build ID, to the build ID: by the programs that were named, and by the names of
 * files in trees of build IDs, in stores, and in folders of files that are named by build IDs. A debug ID that none of them has may be a whole build ID.
 */
#ifndef CAIRN_SERVICE_WORKERS_DEBUG_IDS_H
#define CAIRN_SERVICE_WORKERS_DEBUG_IDS_H

#include "service/query/query.h"
#include "worker.h"

enum { DEBUG_IDS_KNOWN = 1024 };

struct debug_id {
	uint8_t debug_id[QUERY_DEBUG_ID];
	uint8_t build_id[QUERY_ID_MAX];
	uint8_t size; /* 0: free */
};

struct debug_ids {
	struct debug_id *program; /* those of the programs */
	size_t program_count;
	struct debug_id known[DEBUG_IDS_KNOWN]; /* that trees had */
	size_t next;
};

/* Reads the build IDs of the programs. */
void debug_ids_open(const struct worker_options *options, struct debug_ids *ids);

/* Writes the build ID to `build_id`, and returns its size. */
size_t debug_ids_find(struct debug_ids *ids, const char *folders,
                      const uint8_t debug_id[QUERY_DEBUG_ID], uint8_t build_id[QUERY_ID_MAX]);

#endif
