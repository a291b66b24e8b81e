/* SPDX-License-Identifier: MIT */
/*
 * An ELF file with one section more, which no segment has.  All bytes of the file stay where they are: the
 * section, the names of sections with its own, and the section table come after them, and of the file's
 * header only where the table is and how long it is changes.  So the program is the same to the kernel and
 * the dynamic linker, and tools that rewrite files (strip, objcopy) keep the section.
 *
 * A section of that name that is there is replaced; if it was appended in this way, the file does not grow by
 * the old one.
 */
#ifndef CAIRN_FORMATS_ELF_APPEND_H
#define CAIRN_FORMATS_ELF_APPEND_H

#include "elf.h"

enum { ELF_APPEND_PARTS = 5 };

struct elf_append {
	struct cairn_bytes part[ELF_APPEND_PARTS]; /* the new file, one after the other */
};

/* Bytes of memory that elf_append_section() needs for a section of this name. */
size_t elf_append_room(const struct elf *elf, const char *name);

/*
 * `memory` has elf_append_room() bytes; the parts refer to it, to the file and to `content`.  UNSUPPORTED:
 * a file whose sections have no names, with too many of them, or one that would be too large; MALFORMED: its
 * section table or names are outside the file.
 */
CAIRN_MUST_USE enum cairn_status elf_append_section(const struct elf *elf, const char *name,
                                                    struct cairn_bytes content, uint8_t *memory,
                                                    struct elf_append *append,
                                                    struct cairn_fault *fault);

#endif
