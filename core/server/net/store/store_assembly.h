/* SPDX-License-Identifier: MIT */
/* Assembles uploaded parts. For store.c alone, which holds the lock. */
#ifndef CAIRN_SERVER_NET_STORE_STORE_ASSEMBLY_H
#define CAIRN_SERVER_NET_STORE_STORE_ASSEMBLY_H

#include "store.h"

#include "os/file/file.h"
#include "server/protocol/upload_parts.h"

/* Move a flushed part into place, and publish the file if it was the last part. */
const struct upload_refusal *assembly_add(struct store *store, const struct upload *upload,
                                          struct os_durable *part, char detail[STORE_DETAIL_MAX]);

/* Describe the fault, for answers and the log: "data ends inside a record at byte 40". */
void assembly_describe(const struct upload_parts_view *view, char detail[STORE_DETAIL_MAX]);

#endif
