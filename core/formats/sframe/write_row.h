/* SPDX-License-Identifier: MIT */
/* Row encoding, used by write.c. */
#ifndef CAIRN_FORMATS_SFRAME_WRITE_ROW_H
#define CAIRN_FORMATS_SFRAME_WRITE_ROW_H

#include "write.h"

/* Return true if the row has the small default form. The row must be writable. */
bool sframe_row_is_default(const struct sframe_format *format,
                           const struct sframe_written_row *row);

/* Write one row. `width` is the size of its start field in bytes. */
void sframe_write_row(struct sink *out, const struct sframe_format *format, bool flexible,
                      unsigned width, const struct sframe_written_row *row);

/* Write the low `width` bytes (1, 2, 4 or 8) of a number. */
void sframe_write_number(struct sink *out, uint64_t value, unsigned width, bool big);

#endif
