/* SPDX-License-Identifier: MIT */
/* How a store puts uploaded parts together; for store.c alone, which holds the lock. */
#ifndef CAIRN_SERVER_NET_STORE_STORE_ASSEMBLY_H
#define CAIRN_SERVER_NET_STORE_STORE_ASSEMBLY_H

#include "store.h"

#include "os/file/file.h"
#include "server/protocol/upload_parts.h"

/* Puts a part, flushed already, to its place, and publishes the file when it was the last one. */
const struct upload_refusal *assembly_add(struct store *store, const struct upload *upload,
                                          struct os_durable *part, char detail[STORE_DETAIL_MAX]);

/* "data ends inside a record at byte 40", for answers and the log. */
void assembly_describe(const struct upload_parts_view *view, char detail[STORE_DETAIL_MAX]);

#endif
