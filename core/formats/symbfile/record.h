/* SPDX-License-Identifier: MIT */
/* Readers of message bodies, used by symbfile.c. */
#ifndef CAIRN_FORMATS_SYMBFILE_RECORD_H
#define CAIRN_FORMATS_SYMBFILE_RECORD_H

#include "symbfile.h"

/* Base of a record's address. */
enum symbfile_base { SYMBFILE_NOWHERE, SYMBFILE_RELATIVE, SYMBFILE_ABSOLUTE };

/*
 * Read record->body into record->range, or record->pad. The address is returned as stored:
 * absolute, or relative to the previous one, according to *base. Return SYMBFILE_VALID,
 * SYMBFILE_BAD_PROTOBUF, SYMBFILE_BAD_UTF8 or SYMBFILE_COLUMN_MISMATCH. The caller checks what
 * depends on the state of the file.
 */
enum symbfile_code symbfile_read_range(struct symbfile_record *record, enum symbfile_base *base);
enum symbfile_code symbfile_read_pad(struct symbfile_record *record, enum symbfile_base *base);
enum symbfile_code symbfile_read_table(struct symbfile_record *record);

/* Check a message without known fields. */
enum symbfile_code symbfile_read_header(struct cairn_bytes body);

/* Like symbfile_next(), but without the fast path. */
bool symbfile_next_of_any_kind(struct symbfile *file, struct symbfile_record *record);

/* Return true if all references of a pad or range are less than `strings`. */
bool symbfile_pad_refers(const struct symbfile_record *record, uint32_t strings);

/*
 * Read a packed or single field of a column. `at` is after its key. Add the number of values to
 * *count. The first field becomes the column's run, and any further field makes the columns odd.
 */
bool symbfile_read_column(const uint8_t **at, const uint8_t *end, bool packed,
                          struct symbfile_columns *columns, unsigned column, uint32_t *count);

#endif
