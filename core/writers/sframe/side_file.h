/* SPDX-License-Identifier: MIT */
/*
 * Writes an ELF file that contains the .sframe section, the build ID and the segment layout of a
 * program.
 */
#ifndef CAIRN_WRITERS_SFRAME_SIDE_FILE_H
#define CAIRN_WRITERS_SFRAME_SIDE_FILE_H

#include "work.h"

/* Return the va of the section, which is after all segments of the program. */
uint64_t side_file_address(const struct elf *elf);

uint64_t side_file_code(const struct elf *elf);

/* Return CAIRN_OK if a table of this format can be written for the program. */
enum cairn_status side_file_check(const struct elf *elf, const struct sframe_format *format,
                                  struct cairn_fault *fault);

enum cairn_status side_file_write(struct sframe_work *work, struct cairn_fault *fault);

#endif
