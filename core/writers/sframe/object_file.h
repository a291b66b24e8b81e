/* SPDX-License-Identifier: MIT */
/*
 * Adds an .sframe section and its relocations to a relocatable file, as an assembler does. The
 * addresses of functions are as described in unwind/tables/sframe_rules.h.
 */
#ifndef CAIRN_WRITERS_SFRAME_OBJECT_FILE_H
#define CAIRN_WRITERS_SFRAME_OBJECT_FILE_H

#include "work.h"

/* Return CAIRN_OK if a section can be added. */
enum cairn_status object_file_check(const struct elf *elf, const struct sframe_format *format,
                                    struct cairn_fault *fault);

/* Return true if [low, high) is in one code section. */
bool object_file_has_code(const struct elf *elf, uint64_t low, uint64_t high);

uint64_t object_file_code(const struct elf *elf);

enum cairn_status object_file_write(struct sframe_work *work, struct cairn_fault *fault);

#endif
