/* SPDX-License-Identifier: MIT */
/* An ELF file that has the .sframe of a program, its build ID, and where its segments are. */
#ifndef CAIRN_WRITERS_SFRAME_SIDE_FILE_H
#define CAIRN_WRITERS_SFRAME_SIDE_FILE_H

#include "work.h"

/* The va at which the section is said to be: past all segments of the program. */
uint64_t side_file_address(const struct elf *elf);

/* Bytes of the executable segments. */
uint64_t side_file_code(const struct elf *elf);

/* Can a table of this format be written for the program? */
enum cairn_status side_file_check(const struct elf *elf, const struct sframe_format *format,
                                  struct cairn_fault *fault);

/* The whole file with the table of the draft. */
enum cairn_status side_file_write(struct sframe_work *work, struct cairn_fault *fault);

#endif
