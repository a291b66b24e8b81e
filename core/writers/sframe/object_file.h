/* SPDX-License-Identifier: MIT */
/*
 * A relocatable file with an .sframe section more, and its relocations, as an assembler would have written it.  Its functions
 * are at addresses as unwind/sframe/section.h has them.
 */
#ifndef CAIRN_WRITERS_SFRAME_OBJECT_FILE_H
#define CAIRN_WRITERS_SFRAME_OBJECT_FILE_H

#include "work.h"

/* Can it get a section? */
enum cairn_status object_file_check(const struct elf *elf, const struct sframe_format *format,
                                    struct cairn_fault *fault);

/* Is all of [low, high) in one section of code? */
bool object_file_has_code(const struct elf *elf, uint64_t low, uint64_t high);

/* Bytes of the sections of code. */
uint64_t object_file_code(const struct elf *elf);

/* The whole file with the table of the draft. */
enum cairn_status object_file_write(struct sframe_work *work, struct cairn_fault *fault);

#endif
