/* SPDX-License-Identifier: MIT */
/* Writes a draft of a minidump to the host, and says what went wrong. */
#ifndef CAIRN_PROCESS_CAPTURE_DUMP_FILE_H
#define CAIRN_PROCESS_CAPTURE_DUMP_FILE_H

#include "writers/minidump/minidump_writer.h"

/* As minidump_write(), with *error filled if it fails; `write` and `context` are the host's. */
CAIRN_MUST_USE enum cairn_status dump_file_write(const struct minidump_draft *draft,
                                                 int (*write)(void *context, const void *bytes,
                                                              size_t size),
                                                 void *context, uint64_t *size,
                                                 struct cairn_error *error);

#endif
