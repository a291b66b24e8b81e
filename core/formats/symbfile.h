/* SPDX-License-Identifier: MIT */
/*
 * Reads Elastic symbfiles, streams of messages that map addresses to functions, files, lines and
 * inlined calls. docs/formats/symbfile.md describes the format.
 *
 * Files have no index, so they are read once from start to end; symbols/index.h does lookups.
 * The reader does not allocate or copy.
 *
 *	struct symbfile file = symbfile_open(bytes);
 *	struct symbfile_record record;
 *	while (symbfile_next(&file, &record))
 *		switch (record.kind) {
 *		case SYMBFILE_TABLE: ... the strings that later references use
 *		case SYMBFILE_RANGE: ... record.range
 *		case SYMBFILE_PAD:   ... record.pad
 *		case SYMBFILE_HEADER: break;
 *		}
 *	if (file.code != SYMBFILE_VALID)
 *		... symbfile_fault(&file) has the reason and the offset; earlier records are valid
 *
 * References are checked against the size of the string table, so they can be used as array indices
 * without further checks. symbfile_resume() continues after a damaged record.
 */
#ifndef CAIRN_FORMATS_SYMBFILE_H
#define CAIRN_FORMATS_SYMBFILE_H

#include <cairn.h>

#define SYMBFILE_MAGIC "symbfile"

enum {
	SYMBFILE_MAGIC_SIZE = 8,
	SYMBFILE_MESSAGE_MAX = 16 << 20, /* maximum body size in bytes, from the specification */
};

/*
 * Reasons why reading has ended. If several apply to a record, the first one in this order is
 * reported.
 */
enum symbfile_code {
	SYMBFILE_VALID,
	SYMBFILE_SHORT_FILE,
	SYMBFILE_BAD_MAGIC,
	SYMBFILE_NO_HEADER,
	SYMBFILE_BAD_TYPE,
	SYMBFILE_TRUNCATED,
	SYMBFILE_VARINT_TOO_LONG,
	SYMBFILE_MESSAGE_TOO_BIG,
	/*
	 * the codes below mean that the frame of a message is valid, but the contents of the
	 * message are not
	 */
	SYMBFILE_BAD_PROTOBUF,
	SYMBFILE_BAD_UTF8,
	SYMBFILE_COLUMN_MISMATCH,
	SYMBFILE_MISSING_FIELD,
	SYMBFILE_NO_BASE,
	SYMBFILE_BAD_REF,
	/* used only by the writer */
	SYMBFILE_LINES_UNSORTED,
};

/* Return a stable identifier such as "bad-magic" for machine-readable output. */
const char *symbfile_code_name(enum symbfile_code code);

enum symbfile_kind {
	SYMBFILE_HEADER = 1,
	SYMBFILE_RANGE = 2,
	SYMBFILE_PAD = 3,
	SYMBFILE_TABLE = 4,
};

enum symbfile_text_kind { SYMBFILE_ABSENT, SYMBFILE_INLINE, SYMBFILE_REF };

/* A name or path: absent, a string at `data`, or an index in the string table. */
struct symbfile_text {
	const uint8_t *data;
	uint32_t value; /* size of an inline string, otherwise index in the string table */
	enum symbfile_text_kind kind;
};

/*
 * Maximum number of columns in a line table or return pad. Read the columns with symbfile_rows() or
 * symbfile_frames().
 */
enum { SYMBFILE_COLUMNS = 3 };

struct symbfile_columns {
	const uint8_t *run[SYMBFILE_COLUMNS], *end[SYMBFILE_COLUMNS];
	uint32_t count;
	/*
	 * some column is split into several pieces, which must be searched for in the record's body
	 */
	bool odd;
};

struct symbfile_range {
	uint64_t start, length; /* start + length may exceed 2^64 */
	struct symbfile_text function, file, call_file;
	uint32_t call_line, depth;
	struct symbfile_columns lines;
};

struct symbfile_pad {
	uint64_t address; /* address of the last byte of the call instruction */
	struct symbfile_columns frames;
};

/* A string table. Read its `count` strings with symbfile_next_string(). */
struct symbfile_table {
	uint32_t count;
};

struct symbfile_record {
	enum symbfile_kind kind;
	size_t offset; /* file offset of the record's frame */
	struct cairn_bytes body;
	union {
		struct symbfile_range range;
		struct symbfile_pad pad;
		struct symbfile_table table;
	};
};

struct symbfile {
	struct cairn_bytes bytes;
	size_t at;
	uint64_t previous; /* address of the previous record, the base for relative addresses */
	bool has_previous;
	bool has_header;
	/* a damaged record has been skipped, so relative addresses cannot be resolved */
	bool address_lost;
	/*
	 * the fast path may be used, because no fault has occurred and relative records can be
	 * resolved
	 */
	bool straight;
	uint32_t strings;
	uint64_t dropped; /* number of records skipped because of `address_lost` */
	uint64_t unknown;
	enum symbfile_code code;
	size_t offset; /* file offset of the frame in which the fault occurred */
};

struct symbfile symbfile_open(struct cairn_bytes bytes);

/*
 * Read the next record, skipping headers and messages of unknown type. Return false at the end or
 * on a fault.
 */
bool symbfile_next(struct symbfile *file, struct symbfile_record *record);

/*
 * Clear a fault inside a valid frame, so that symbfile_next() continues after the frame. If the
 * damage makes an address unknown, relative records are dropped up to the next absolute one. If the
 * damage is in a string table, references are rejected up to the next string table. Return false if
 * the frames themselves are damaged.
 */
bool symbfile_resume(struct symbfile *file);

struct cairn_fault symbfile_fault(const struct symbfile *file);

bool symbfile_has_magic(struct cairn_bytes bytes);

/* Return "zstd" or "gzip" if the bytes start like a file in that format, otherwise NULL. */
const char *symbfile_compression(struct cairn_bytes bytes);

/* Read the next string in a table. `body` is the unread rest of the table. */
bool symbfile_next_string(struct cairn_bytes *body, struct cairn_bytes *text);

/* Iterator over a column. Its pointers point into the record. */
struct symbfile_column {
	const uint8_t *at, *end; /* unread values in the current piece */
	/* line table or return pad to search for further pieces */
	const uint8_t *fields, *field_end;
	const uint8_t *outer, *outer_end; /* range to search for further line tables */
	uint8_t number, outer_number;
};

struct symbfile_rows {
	struct symbfile_column offset, line;
	uint64_t sum;
};

struct symbfile_row {
	/* code offset from the start of the range, possibly past its end */
	uint64_t offset;
	uint32_t line; /* 0 if unknown */
};

void symbfile_rows_begin(struct symbfile_rows *rows, const struct symbfile_record *record);

static inline struct symbfile_rows symbfile_rows(const struct symbfile_record *record)
{
	struct symbfile_rows rows;

	symbfile_rows_begin(&rows, record);
	return rows;
}

bool symbfile_next_row(struct symbfile_rows *rows, struct symbfile_row *row);

/*
 * Iterator over the frames of a return pad, outermost first. `function` and `file` are indices in
 * the string table.
 */
struct symbfile_frames {
	struct symbfile_column function, file, line;
};

struct symbfile_frame {
	uint32_t function, file, line;
};

void symbfile_frames_begin(struct symbfile_frames *frames, const struct symbfile_record *record);

static inline struct symbfile_frames symbfile_frames(const struct symbfile_record *record)
{
	struct symbfile_frames frames;

	symbfile_frames_begin(&frames, record);
	return frames;
}

bool symbfile_next_frame(struct symbfile_frames *frames, struct symbfile_frame *frame);

static inline uint64_t symbfile_range_end(uint64_t start, uint64_t length)
{
	return length > UINT64_MAX - start ? UINT64_MAX : start + length;
}

/*
 * Return true if a range contains `va`. A range that reaches 2^64 also contains the highest
 * address.
 */
static inline bool symbfile_range_holds(uint64_t start, uint64_t length, uint64_t va)
{
	return va >= start && va - start < length;
}

#endif
