/* SPDX-License-Identifier: MIT */
/*
 * Writes GSYM, versions 1 and 2, in either byte order: the blocks of a function record, and the
 * header and tables of a file. The caller decides which functions to write and in which order
 * (writers/gsym/writer.h). Nothing here allocates.
 *
 * When a record is encoded, the final numbers of its strings and files are not known yet, because
 * they depend on the order of all functions. The writer therefore first creates a draft of the
 * record, in which references with the caller's own numbers for strings and files are interleaved
 * with the final bytes. gsym_resolve_draft() converts the draft once the final numbers are known:
 *
 *	struct gsym_draft draft = gsym_draft(buffer, size, big);
 *	gsym_draft_inlines(&draft, &names, function);
 *	gsym_draft_end(&draft);                        draft.out.size bytes were needed
 *	...
 *	gsym_resolve_draft(bytes, &numbers, &out);            the final bytes
 *
 *	draft = (length:2 byte[length] mark:4)*        mark: kind of reference and caller's number
 *
 * To measure a record, resolve its draft into a sink without capacity.
 */
#ifndef CAIRN_FORMATS_GSYM_WRITE_H
#define CAIRN_FORMATS_GSYM_WRITE_H

#include "gsym.h"

#include "base/byte_buffer.h"
#include "base/function.h"

/* Exclusive upper bound for the caller's string and file numbers, which are stored in 30 bits. */
#define GSYM_DRAFT_NUMBERS ((uint32_t)1 << 30)

/*
 * Maximum nesting depth of inlined calls. Deeper calls are omitted, because readers stop at
 * GSYM_MAX_LEVELS.
 */
enum { GSYM_WRITE_LEVELS = 512 };

struct gsym_draft {
	struct sink out;
	size_t run; /* offset of the length field of the current run */
	bool big;
};

/*
 * The caller's numbers for all strings and files that one function refers to: its name, one file
 * number per element of function->files, one string number per inlined call, and the string numbers
 * of the possible callees of all call sites, concatenated.
 */
struct gsym_draft_names {
	uint32_t name;
	const uint32_t *files;
	const uint32_t *inlines;
	const uint32_t *callees;
};

struct gsym_draft gsym_draft(void *buffer, size_t capacity, bool big);
void gsym_draft_end(struct gsym_draft *draft);

/* Line steps that special opcodes can express: `range` consecutive values starting at `low`. */
struct gsym_window {
	int32_t low, range;
};

/*
 * Return the window of at most 15 line steps that contains the most elements of `steps`, which must
 * be sorted and may be empty. LLVM chooses its window in the same way.
 */
struct gsym_window gsym_common_window(const int32_t *steps, size_t count);

enum {
	GSYM_KNOWN_ADVANCES = 32, /* address steps below this limit are cached */
	GSYM_NEAR_LINES = 64,     /* line steps in [-32, 32) are cached */
	/*
	 * one cache column per cached line step, plus one for far forward and one for far backward
	 * steps, whose costs are constant
	 */
	GSYM_KNOWN_LINES = GSYM_NEAR_LINES + 2,
};

/*
 * Cache of the encoded sizes of steps, packed for all fixed windows; 0 marks a size that has not
 * been computed. Initialize to zeros.
 */
struct gsym_step_costs {
	uint64_t packed[GSYM_KNOWN_ADVANCES][GSYM_KNOWN_LINES];
};

/*
 * Choose the cheapest of several fixed windows for these rows; `count` must not be 0. Return the
 * size of the table with that window, or 0 if only a sample of the rows was measured.
 */
uint64_t gsym_usual_window(const struct function_row *rows, size_t count,
                           struct gsym_step_costs *known, struct gsym_window *window);

/*
 * Return the size in bytes of a line table encoded with this window. gsym_least_cost() returns a
 * lower bound for all windows.
 */
uint64_t gsym_window_cost(const struct gsym_window *window, const struct function_row *rows,
                          size_t count);
static inline uint64_t gsym_least_cost(size_t rows)
{
	return 2 + (uint64_t)rows;
}

static inline int32_t gsym_line_step(const struct function_row *from, const struct function_row *to)
{
	return (int32_t)(to->line - from->line);
}

/*
 * Write the data of a line table, which must not be empty. Rows contain the caller's file numbers.
 * With `statements`, also write the statement and prologue flags that lines.c describes, but only
 * if some row does not start a statement, shares its address with another row, repeats the line of
 * the previous row, or ends the prologue. Otherwise the flags carry no information.
 */
void gsym_draft_lines(struct gsym_draft *draft, uint64_t start, const struct function_row *rows,
                      size_t count, bool statements, const struct gsym_window *window);
void gsym_draft_inlines(struct gsym_draft *draft, const struct gsym_draft_names *names,
                        const struct function *function);
void gsym_draft_columns(struct gsym_draft *draft, const struct function *function);
void gsym_draft_calls(struct gsym_draft *draft, const struct gsym_draft_names *names,
                      const struct function *function);

/*
 * Writers for the items in a draft. The length field of a run has 16 bits, so the writers end the
 * run if the next item might not fit. No item is longer than a 64-bit LEB128 number.
 */
enum {
	GSYM_RUN_LENGTH_SIZE = 2,
	GSYM_RUN_ITEM_MAX = 10,
	GSYM_RUN_MAX = UINT16_MAX - GSYM_RUN_LENGTH_SIZE - GSYM_RUN_ITEM_MAX,
};
void gsym_draft_split(struct gsym_draft *draft);
void gsym_draft_long_uleb(struct gsym_draft *draft, uint64_t value);
void gsym_draft_long_sleb(struct gsym_draft *draft, int64_t value);

static inline void gsym_draft_u8(struct gsym_draft *draft, uint8_t value)
{
	if (draft->out.size - draft->run > GSYM_RUN_MAX)
		gsym_draft_split(draft);
	sink_u8(&draft->out, value);
}

static inline void gsym_draft_uleb(struct gsym_draft *draft, uint64_t value)
{
	if (value <= 0x7f)
		gsym_draft_u8(draft, (uint8_t)value);
	else
		gsym_draft_long_uleb(draft, value);
}

static inline void gsym_draft_sleb(struct gsym_draft *draft, int64_t value)
{
	if (value >= -0x40 && value <= 0x3f)
		gsym_draft_u8(draft, (uint8_t)(value & 0x7f));
	else
		gsym_draft_long_sleb(draft, value);
}

enum gsym_mark {
	GSYM_MARK_NONE,
	GSYM_MARK_STRING,
	GSYM_MARK_FILE,
	/*
	 * reference to the first file of a line table; encoded as opcode 1, or omitted for file 1
	 */
	GSYM_MARK_FIRST_FILE,
};

struct gsym_numbers {
	const uint64_t *strings; /* string table offsets, indexed by the caller's numbers */
	const uint32_t *files;
	unsigned strp_size; /* 4 or 8 bytes per string offset */
	bool big;
};

/* Placeholders for strings and files whose final number is not known yet. */
#define GSYM_STRING_UNNUMBERED UINT64_MAX

enum { GSYM_FILE_UNNUMBERED = 0 };

/*
 * Add to *size the encoded size of a draft from offset *at up to the first reference without a
 * final number. *at is initially 0. Return true if there is such a reference; assign its number and
 * call again. Return false at the end of the draft.
 */
bool gsym_measure_draft(struct cairn_bytes draft, const struct gsym_numbers *numbers, size_t *at,
                        uint64_t *size, enum gsym_mark *mark, uint32_t *number);

void gsym_resolve_draft(struct cairn_bytes draft, const struct gsym_numbers *numbers,
                        struct sink *out);

void gsym_put(struct sink *out, uint64_t value, size_t width, bool big);

/* Parameters of the header and tables, and the resulting file offsets. */
struct gsym_layout {
	unsigned version;
	bool big;
	unsigned address_size;
	uint64_t base;
	struct cairn_bytes uuid;
	uint32_t functions, files;
	uint64_t strings_size, records_size;

	/* set by gsym_lay_out() */
	uint64_t addresses_at, infos_at, files_at, strings_at, records_at, size;
};

/*
 * Compute the file offsets. Return false if version 1 cannot represent the file, because an offset
 * exceeds 32 bits or the UUID is too long.
 */
bool gsym_lay_out(struct gsym_layout *layout);

/* Write everything that precedes the address table, including padding. */
void gsym_put_head(const struct gsym_layout *layout, struct sink *out);

void gsym_put_padding(struct sink *out, uint64_t offset);

/*
 * Return the size of the address table entries (1, 2, 4 or 8 bytes) if `largest` is the largest
 * offset in the table.
 */
unsigned gsym_address_size(uint64_t largest);

#endif
