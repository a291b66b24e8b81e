/* SPDX-License-Identifier: MIT */
/* Parts of the file and readers over them, shared by the files of the minidump decoder. */
#ifndef CAIRN_FORMATS_MINIDUMP_PART_H
#define CAIRN_FORMATS_MINIDUMP_PART_H

#include "minidump.h"

/* Return the part of [offset, offset + size) that is in the file. */
struct minidump_part minidump_part_at(const struct minidump *dump, uint64_t offset, uint64_t size);

/* Read the size and offset of a part, four bytes each, and return the part. */
struct minidump_part minidump_read_part(const struct minidump *dump, struct reader *in);

/* Return a reader over a part, which reports file offsets. */
struct reader minidump_open_part(const struct minidump *dump, const struct minidump_part *part);

enum minidump_machine minidump_machine_of(uint16_t processor);

#endif
