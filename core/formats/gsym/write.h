/* SPDX-License-Identifier: MIT */
/*
 * GSYM out: the blocks of a function's record, and header and tables of a file, versions 1 and 2,
 * either byte order.  Which functions a file has, and in which order, is for the caller
 * (writers/gsym/writer.h); nothing here allocates.
 *
 * A record is written before it is known which numbers its strings and files will have, because these
 * are given out in the order of all functions.  So it is written as a draft: bytes, and between
 * them the caller's own numbers for strings and files.  The draft is settled once, when all is
 * known:
 *
 *	struct gsym_draft draft = gsym_draft(buffer, size, big);
 *	gsym_draft_inlines(&draft, &names, function);
 *	gsym_draft_end(&draft);                        draft.out.size bytes were needed
 *	...
 *	gsym_resolve_draft(bytes, &numbers, &out);            as it is in the file
 *
 *	draft = (length:2 byte[length] mark:4)*        mark: what is there, and its number
 *
 * Settled into a sink without room, it returns its size.
 */
#ifndef CAIRN_FORMATS_GSYM_WRITE_H
#define CAIRN_FORMATS_GSYM_WRITE_H

#include "gsym.h"

#include "base/sink.h"
#include "model/function.h"

/* The caller's numbers have 30 bits. */
#define GSYM_DRAFT_NUMBERS ((uint32_t)1 << 30)

/* Inlined calls further inside are left out: readers stop at GSYM_MAX_LEVELS. */
enum { GSYM_WRITE_LEVELS = 512 };

struct gsym_draft {
	struct sink out;
	size_t run; /* where the length of the current run goes */
	bool big;
};

/* The caller's numbers for what a function refers to. */
struct gsym_draft_names {
	uint32_t name;           /* of the function */
	const uint32_t *files;   /* for each of function->files */
	const uint32_t *inlines; /* the name of each inlined call */
	const uint32_t *callees; /* of all calls, one after the other */
};

struct gsym_draft gsym_draft(void *buffer, size_t room, bool big);
void gsym_draft_end(struct gsym_draft *draft);

/* The line steps that special opcodes of a table can make: from `low` on, `range` of them. */
struct gsym_window {
	int32_t low, range;
};

/*
 * The window of 15 line steps or fewer with most of a table's steps, which LLVM takes.  The steps
 * ascend; there may be none.
 */
struct gsym_window gsym_common_window(const int32_t *steps, size_t count);

enum {
	GSYM_KNOWN_ADVANCES = 32, /* small steps of the address */
	GSYM_NEAR_LINES = 64,     /* small steps of the line, half of them back */
	GSYM_KNOWN_LINES =
		GSYM_NEAR_LINES + 2, /* and far ones, on and back, which all cost the same */
};

/* What steps cost in each of a few windows, once it was asked for; 0: nobody did.  Zeros at first. */
struct gsym_step_costs {
	uint64_t packed[GSYM_KNOWN_ADVANCES][GSYM_KNOWN_LINES];
};

/*
 * The cheapest of a few windows for these rows, of which there is one at least; what it costs, or 0
 * when only a sample of them was looked at.
 */
uint64_t gsym_usual_window(const struct function_row *rows, size_t count,
                           struct gsym_step_costs *known, struct gsym_window *window);

/* Bytes of a table's rows and of its window's ends, and the fewest that there may be. */
uint64_t gsym_window_cost(const struct gsym_window *window, const struct function_row *rows,
                          size_t count);
static inline uint64_t gsym_least_cost(size_t rows)
{
	return 2 + (uint64_t)rows;
}

/* From one row to the next. */
static inline int32_t gsym_line_step(const struct function_row *from, const struct function_row *to)
{
	return (int32_t)(to->line - from->line);
}

/*
 * The blocks' data, none of them empty.  Files of rows are the caller's numbers already.  With
 * `statements` rows are marked as lines.c says, where marks mean anything: some row begins no
 * statement, shares its address with another, repeats the line before it, or ends the prologue.
 */
void gsym_draft_lines(struct gsym_draft *draft, uint64_t start, const struct function_row *rows,
                      size_t count, bool statements, const struct gsym_window *window);
void gsym_draft_inlines(struct gsym_draft *draft, const struct gsym_draft_names *names,
                        const struct function *function);
void gsym_draft_columns(struct gsym_draft *draft, const struct function *function);
void gsym_draft_calls(struct gsym_draft *draft, const struct gsym_draft_names *names,
                      const struct function *function);

/*
 * A draft is made of these parts.  No item is longer than a LEB128 number, so that one question for room is enough for
 * each.
 */
enum {
	GSYM_RUN_LENGTH_SIZE = 2,
	GSYM_RUN_ITEM_MAX = 10,
	GSYM_RUN_MAX = UINT16_MAX - GSYM_RUN_LENGTH_SIZE - GSYM_RUN_ITEM_MAX,
};
void gsym_draft_split(struct gsym_draft *draft);
void gsym_draft_fixed(struct gsym_draft *draft, uint64_t value, size_t width);
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

/* What a draft refers to. */
enum gsym_mark {
	GSYM_MARK_NONE,
	GSYM_MARK_STRING,
	GSYM_MARK_FILE,
	GSYM_MARK_FIRST_FILE, /* the opcode of a line table for it, which is left out for file 1 */
};

void gsym_draft_mark(struct gsym_draft *draft, enum gsym_mark mark, uint32_t number);

/* The file's numbers for the caller's. */
struct gsym_numbers {
	const uint64_t *strings; /* offsets in the string table */
	const uint32_t *files;
	unsigned strp_size; /* 4 or 8 */
	bool big;
};

/* A number of a string or a file that is not known yet. */
#define GSYM_STRING_UNNUMBERED UINT64_MAX

enum { GSYM_FILE_UNNUMBERED = 0 };

/*
 * Goes on in a draft, from *at, which begins as 0, up to a mark whose number is not known: give it one, and call again.  *size grows by the
 * bytes that what was passed over takes.  False at the end.
 */
bool gsym_measure_draft(struct cairn_bytes draft, const struct gsym_numbers *numbers, size_t *at,
                        uint64_t *size, enum gsym_mark *mark, uint32_t *number);

void gsym_resolve_draft(struct cairn_bytes draft, const struct gsym_numbers *numbers,
                        struct sink *out);

/* A number of 1 to 8 bytes in the file's order. */
void gsym_put(struct sink *out, uint64_t value, size_t width, bool big);

/* Header, then tables; where each begins follows from the numbers of things. */
struct gsym_layout {
	unsigned version; /* 1 or 2 */
	bool big;
	unsigned address_size;
	uint64_t base;
	struct cairn_bytes uuid;
	uint32_t functions, files;
	uint64_t strings_size, records_size;

	/* set by gsym_lay_out() */
	uint64_t addresses_at, infos_at, files_at, strings_at, records_at, size;
};

/* False when version 1 cannot hold it: an offset over 32 bits, or a long UUID. */
bool gsym_lay_out(struct gsym_layout *layout);

/* Everything up to the address table, padding included. */
void gsym_put_head(const struct gsym_layout *layout, struct sink *out);

/* Zeros up to an offset of the file. */
void gsym_put_padding(struct sink *out, uint64_t offset);

/* In how many bytes an address offset fits: 1, 2, 4 or 8. */
unsigned gsym_address_size(uint64_t largest);

#endif
