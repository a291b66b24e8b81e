/* SPDX-License-Identifier: MIT */
/* One record of a jitdump that is written. */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_RECORD_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_RECORD_H

#include "base/byte_buffer.h"

/* Begins a record of a jitdump, and returns where, for the end of it. */
size_t jit_record_begin(struct byte_buffer *dump, uint32_t id);
void jit_record_end(struct byte_buffer *dump, size_t begin);

#endif
