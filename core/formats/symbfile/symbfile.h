/* SPDX-License-Identifier: MIT */
/*
 * Elastic symbfile: va -> function, file, line, inlined calls, as a stream of messages.  The format
 * is described in docs/formats/symbfile.md.
 *
 * A file is read once, from its first byte to its last; there is no index in it, and nothing here
 * looks anything up (symbols/index/index.h does).  Nothing is allocated and nothing is copied.
 *
 *	struct symbfile file = symbfile_open(bytes);
 *	struct symbfile_record record;
 *	while (symbfile_next(&file, &record))
 *		switch (record.kind) {
 *		case SYMBFILE_TABLE: ... the texts that references mean from here on
 *		case SYMBFILE_RANGE: ... record.range
 *		case SYMBFILE_PAD:   ... record.pad
 *		case SYMBFILE_HEADER: break;
 *		}
 *	if (file.code != SYMBFILE_VALID)
 *		... symbfile_fault(&file) says what is wrong and where; what came before is good
 *
 * References are checked against the size of the table, so whoever kept its texts in an array may
 * use them as they are.  To go on after a damaged record, see symbfile_resume().
 */
#ifndef CAIRN_FORMATS_SYMBFILE_H
#define CAIRN_FORMATS_SYMBFILE_H

#include <cairn.h>

#define SYMBFILE_MAGIC "symbfile"

enum {
	SYMBFILE_MAGIC_SIZE = 8,
	SYMBFILE_MESSAGE_MAX = 16 << 20, /* bytes of one body, by the specification */
};

/* What ends the reading.  The order is that of their precedence in one record. */
enum symbfile_code {
	SYMBFILE_VALID,
	SYMBFILE_SHORT_FILE,
	SYMBFILE_BAD_MAGIC,
	SYMBFILE_NO_HEADER,
	SYMBFILE_BAD_TYPE,
	SYMBFILE_TRUNCATED, /* "truncated" */
	SYMBFILE_VARINT_TOO_LONG,
	SYMBFILE_MESSAGE_TOO_BIG,
	/* From here on the frame is sound, and only what is in it is not. */
	SYMBFILE_BAD_PROTOBUF,
	SYMBFILE_BAD_UTF8,
	SYMBFILE_COLUMN_MISMATCH,
	SYMBFILE_MISSING_FIELD,
	SYMBFILE_NO_BASE,
	SYMBFILE_BAD_REF,
	/* Only the writer reports these. */
	SYMBFILE_LINES_UNSORTED,
};

/* Returns a name for scripts ("bad-magic"). */
const char *symbfile_code_name(enum symbfile_code code);

/* The types of messages, as stored. */
enum symbfile_kind {
	SYMBFILE_HEADER = 1,
	SYMBFILE_RANGE = 2,
	SYMBFILE_PAD = 3,
	SYMBFILE_TABLE = 4,
};

enum symbfile_text_kind { SYMBFILE_ABSENT, SYMBFILE_INLINE, SYMBFILE_REF };

/* A name or path: given in the record, or as a place of the string table, or not at all. */
struct symbfile_text {
	const uint8_t *data; /* of an inline one */
	uint32_t value;      /* its size, or the index */
	enum symbfile_text_kind kind;
};

/* Columns of numbers in a record; read them with symbfile_rows() or symbfile_frames(). */
enum { SYMBFILE_COLUMNS = 3 };

struct symbfile_columns {
	const uint8_t *run[SYMBFILE_COLUMNS], *end[SYMBFILE_COLUMNS];
	uint32_t count; /* values of each */
	bool odd;       /* not each in one piece: they are searched for in the record's body */
};

struct symbfile_range {
	uint64_t start, length; /* va; the end may be after 2^64 */
	struct symbfile_text function, file, call_file;
	uint32_t call_line, depth;
	struct symbfile_columns lines;
};

struct symbfile_pad {
	uint64_t address; /* va of the call's last byte */
	struct symbfile_columns frames;
};

/* A string table: `count` texts in the body; get them with symbfile_next_string(). */
struct symbfile_table {
	uint32_t count;
};

struct symbfile_record {
	enum symbfile_kind kind;
	size_t offset; /* of its frame in the file */
	struct cairn_bytes body;
	union {
		struct symbfile_range range;
		struct symbfile_pad pad;
		struct symbfile_table table;
	};
};

struct symbfile {
	struct cairn_bytes bytes;
	size_t at;         /* of the next frame */
	uint64_t previous; /* address of the last record */
	bool has_previous;
	bool has_header;
	bool address_lost; /* a damaged record was passed over: relative ones mean nothing */
	bool straight;     /* a relative record may follow, and nothing is wrong so far */
	uint32_t strings;  /* size of the table */
	uint64_t dropped;  /* records that were passed over for that */
	uint64_t unknown;  /* messages of types that nobody has defined yet */
	enum symbfile_code code;
	size_t offset; /* of the frame at fault */
};

struct symbfile symbfile_open(struct cairn_bytes bytes);

/* The next record; headers and unknown types are passed over.  False at the end or at a fault. */
bool symbfile_next(struct symbfile *file, struct symbfile_record *record);

/*
 * After a fault inside a sound frame: forget it, so that symbfile_next() goes on after the frame.
 * Where an address was lost, relative records are dropped up to the next absolute one, and
 * where a table was, references are refused up to the next table.  False when the frames
 * themselves are damaged.
 */
bool symbfile_resume(struct symbfile *file);

/* What file->code means for callers that know no format. */
struct cairn_fault symbfile_fault(const struct symbfile *file);

/* Does it begin with the magic? */
bool symbfile_has_magic(struct cairn_bytes bytes);

/* "zstd" or "gzip" when the bytes begin as such a file does, else NULL. */
const char *symbfile_compression(struct cairn_bytes bytes);

/* The texts of a table, one after the other; `body` is what is left of it. */
bool symbfile_next_string(struct cairn_bytes *body, struct cairn_bytes *text);

/* A cursor over columns, which the record lends. */
struct symbfile_column {
	const uint8_t *at, *end;           /* values */
	const uint8_t *fields, *field_end; /* where more may follow: in this message, */
	const uint8_t *outer, *outer_end;  /* and in the record around it */
	uint8_t number, outer_number;
};

/* The rows of a range's line table. */
struct symbfile_rows {
	struct symbfile_column offset, line;
	uint64_t sum;
};

struct symbfile_row {
	uint64_t offset; /* from the range's start; may be after its end */
	uint32_t line;   /* 0: not known */
};

void symbfile_rows_begin(struct symbfile_rows *rows, const struct symbfile_record *record);

static inline struct symbfile_rows symbfile_rows(const struct symbfile_record *record)
{
	struct symbfile_rows rows;

	symbfile_rows_begin(&rows, record);
	return rows;
}

bool symbfile_next_row(struct symbfile_rows *rows, struct symbfile_row *row);

/* The frames of a return pad, outermost first; function and file are places of the table. */
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

/* Just after the last byte of a range, at most 2^64 - 1. */
static inline uint64_t symbfile_range_end(uint64_t start, uint64_t length)
{
	return length > UINT64_MAX - start ? UINT64_MAX : start + length;
}

/*
 * Does a range hold `va`?  The last address of all is inside a range that reaches 2^64.
 */
static inline bool symbfile_range_holds(uint64_t start, uint64_t length, uint64_t va)
{
	return va >= start && va - start < length;
}

#endif
