/* SPDX-License-Identifier: MIT */
/*
 * Appends a section that belongs to no segment to an ELF file. All bytes of the file keep their
 * offsets: the section, the section names and the section table follow them, and the file header
 * changes only in the location and size of the table. So the program is unchanged for the kernel
 * and the dynamic linker, and tools that rewrite files (strip, objcopy) keep the section.
 *
 * An existing section of the same name is replaced. If it was appended in the same way, its bytes
 * are dropped.
 */
#ifndef CAIRN_FORMATS_ELF_APPEND_H
#define CAIRN_FORMATS_ELF_APPEND_H

#include "elf.h"

enum { ELF_APPEND_PARTS = 5 };

struct elf_append {
	struct cairn_bytes part[ELF_APPEND_PARTS]; /* contents of the new file, in file order */
};

/*
 * Return the size of the memory that elf_append_section() needs to append a section with this name.
 */
size_t elf_append_room(const struct elf *elf, const char *name);

/*
 * Create the parts of the new file. `memory` has elf_append_room() bytes. The parts borrow from
 * `memory`, the file and `content`. Return CAIRN_UNSUPPORTED if the file has no section names or
 * too many sections, or the result would be too large, and CAIRN_MALFORMED if the section table or
 * the names are outside the file.
 */
CAIRN_MUST_USE enum cairn_status elf_append_section(const struct elf *elf, const char *name,
                                                    struct cairn_bytes content, uint8_t *memory,
                                                    struct elf_append *append,
                                                    struct cairn_fault *fault);

#endif
