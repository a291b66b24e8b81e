/* SPDX-License-Identifier: MIT */
/* Converts one ELF object of the list (jit_list.h) to jitdump records. */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_OBJECT_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_OBJECT_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum {
	JIT_OBJECT_ROWS = 1 << 20,
	JIT_OBJECT_FRAMES = 1 << 20,
	JIT_OBJECT_RELOCATIONS = 1 << 20,
	JIT_OBJECT_FILE = 1 << 12, /* bytes of a path; longer paths are omitted */
};

/*
 * Apply the relocations of lines and frames, if this is a relocatable file. Long tables
 * are truncated.
 */
void jit_object_relocate(uint8_t *image, size_t size);

/*
 * Append the functions with their lines and frames, in the byte order of the buffer. Addresses must
 * be final, either as registered or after jit_object_relocate(). Returns false if the image is not
 * such an object. dump->failed is set if memory is short or the limit is reached.
 */
bool jit_object_append(struct cairn_bytes image, struct byte_buffer *dump);

#endif
