/* SPDX-License-Identifier: MIT */
/* What the files of the minidump decoder share: parts of the file, and readers over them. */
#ifndef CAIRN_FORMATS_MINIDUMP_PART_H
#define CAIRN_FORMATS_MINIDUMP_PART_H

#include "minidump.h"

/* What the file has of `size` bytes from `offset` on. */
struct minidump_part minidump_part_at(const struct minidump *dump, uint64_t offset, uint64_t size);

/* The part that a record points to by its size and offset, four bytes each. */
struct minidump_part minidump_read_part(const struct minidump *dump, struct reader *in);

/* A reader that is at the beginning of a part and ends with it; offsets are of the file. */
struct reader minidump_open_part(const struct minidump *dump, const struct minidump_part *part);

enum minidump_machine minidump_machine_of(uint16_t processor);

#endif
