/* SPDX-License-Identifier: MIT */
/* The notes of a core file. */
#ifndef CAIRN_WRITERS_CORE_CORE_NOTES_H
#define CAIRN_WRITERS_CORE_CORE_NOTES_H

#include "base/byte_buffer.h"
#include "core_writer.h"

/* Puts the notes; how many threads they have. Threads without registers are left out. */
size_t core_notes_put(struct byte_buffer *out, const struct core_draft *draft);

#endif
