/* SPDX-License-Identifier: MIT */
/* The bodies of messages, for the container alone (symbfile.c). */
#ifndef CAIRN_FORMATS_SYMBFILE_RECORD_H
#define CAIRN_FORMATS_SYMBFILE_RECORD_H

#include "symbfile.h"

/* How a record gives its address. */
enum symbfile_base { SYMBFILE_NOWHERE, SYMBFILE_RELATIVE, SYMBFILE_ABSOLUTE };

/*
 * Reads record->body into record->range.  The start is as it is stored: an address, or what is to
 * be added to the last one, by *base.  The outcome is VALID, BAD_PROTOBUF, BAD_UTF8 or
 * COLUMN_MISMATCH; what depends on the file's state is for the caller to see.
 */
enum symbfile_code symbfile_read_range(struct symbfile_record *record, enum symbfile_base *base);
enum symbfile_code symbfile_read_pad(struct symbfile_record *record, enum symbfile_base *base);
enum symbfile_code symbfile_read_table(struct symbfile_record *record);

/* A message of which no field is known. */
enum symbfile_code symbfile_read_header(struct cairn_bytes body);

/* symbfile_next() for records of all kinds, also those that the fast path would read. */
bool symbfile_next_of_any_kind(struct symbfile *file, struct symbfile_record *record);

/* Do all references of a pad, or a range, lie below `strings`? */
bool symbfile_pad_refers(const struct symbfile_record *record, uint32_t strings);

/*
 * One column's next piece, packed or a single number, at a key that has been read.  `at` stands
 * after the key.  Adds to *count; the first piece becomes the column's run, another makes them
 * odd.
 */
bool symbfile_read_column(const uint8_t **at, const uint8_t *end, bool packed,
                          struct symbfile_columns *columns, unsigned column, uint32_t *count);

#endif
