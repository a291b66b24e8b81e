/* SPDX-License-Identifier: MIT */
/* One ELF object of the list (jit_list.h) as records of a jitdump. */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_OBJECT_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_OBJECT_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum {
	JIT_OBJECT_ROWS = 1 << 20,        /* of the lines of one object */
	JIT_OBJECT_FRAMES = 1 << 20,      /* FDEs of one object */
	JIT_OBJECT_RELOCATIONS = 1 << 20, /* entries of each of its tables that are applied */
	JIT_OBJECT_FILE = 1 << 12, /* bytes of the path of a file; a longer one is left out */
};

/* Applies the relocations of its lines and frames, if it is a relocatable file; of a longer table the first ones. */
void jit_object_relocate(uint8_t *image, size_t size);

/*
 * Appends its functions with their lines and frames, in the byte order of the buffer.  Addresses are final, as whoever
 * registers an object sets them, or jit_object_relocate().  False: it is no such object.  dump->failed: memory is short, or the limit is reached.
 */
bool jit_object_append(struct cairn_bytes image, struct byte_buffer *dump);

#endif
