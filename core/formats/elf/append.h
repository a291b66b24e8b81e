/* SPDX-License-Identifier: MIT */
/*
 * Appends a section that belongs to no segment to an ELF file. All existing bytes keep their
 * offsets: the section, the section names and the section table are appended, and in the file
 * header only the fields that locate the table change. As a result, the kernel and the dynamic
 * linker see the same program, and tools that rewrite files (strip, objcopy) keep the section.
 *
 * An existing section with the same name is replaced. If it was appended in the same way, its bytes
 * are dropped.
 */
#ifndef CAIRN_FORMATS_ELF_APPEND_H
#define CAIRN_FORMATS_ELF_APPEND_H

#include "elf.h"

enum { ELF_APPEND_PARTS = 5 };

struct elf_append {
	struct cairn_bytes part[ELF_APPEND_PARTS];
};

/*
 * Return the size in bytes of the buffer that elf_append_section() needs for a section called
 * `name`.
 */
size_t elf_append_capacity(const struct elf *elf, const char *name);

/*
 * Describe the new file in *append as a list of byte ranges, which borrow from `memory`, the old
 * file and `content`. The size of `memory` must be elf_append_capacity(). Return CAIRN_UNSUPPORTED if
 * the file has no section names or too many sections, or the result would be too large, and
 * CAIRN_MALFORMED if the section table or the names lie outside the file.
 */
CAIRN_MUST_USE enum cairn_status elf_append_section(const struct elf *elf, const char *name,
                                                    struct cairn_bytes content, uint8_t *memory,
                                                    struct elf_append *append,
                                                    struct cairn_fault *fault);

#endif
