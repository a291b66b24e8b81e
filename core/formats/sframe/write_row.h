/* SPDX-License-Identifier: MIT */
/* What write.c needs of rows: their kind, and their bytes. */
#ifndef CAIRN_FORMATS_SFRAME_WRITE_ROW_H
#define CAIRN_FORMATS_SFRAME_WRITE_ROW_H

#include "write.h"

/* Has a row that can be written the small form, or the flexible one alone? */
bool sframe_row_is_default(const struct sframe_format *format,
                           const struct sframe_written_row *row);

/* `width`: bytes of the row's start. */
void sframe_write_row(struct sink *out, const struct sframe_format *format, bool flexible,
                      unsigned width, const struct sframe_written_row *row);

/* The low `width` bytes (1, 2, 4 or 8) of a number. */
void sframe_write_number(struct sink *out, uint64_t value, unsigned width, bool big);

#endif
