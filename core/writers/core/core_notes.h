/* SPDX-License-Identifier: MIT */
/* Notes of a core file. */
#ifndef CAIRN_WRITERS_CORE_CORE_NOTES_H
#define CAIRN_WRITERS_CORE_CORE_NOTES_H

#include "base/byte_buffer.h"
#include "core_writer.h"

/* Write the notes and return the number of threads. Threads without registers are skipped. */
size_t core_notes_put(struct byte_buffer *out, const struct core_draft *draft);

#endif
