/* SPDX-License-Identifier: MIT */
/*
 * GSYM, versions 1 and 2, both byte orders: va -> function, file, line, inlined calls.  The format
 * is described in docs/formats/gsym.md.
 *
 * A file is opened once: header and tables are validated, and nothing more is read, so that it
 * costs the same for any size.  A record is checked when it is read.
 *
 *	struct gsym gsym;
 *	if (gsym_open(bytes, &gsym, &fault) != CAIRN_OK)
 *		...
 *	struct gsym_lookup lookup; ... 4 KB, on the stack
 *	if (gsym_find(&gsym, va, &lookup) == CAIRN_OK)
 *		while (gsym_next_location(&lookup, &location))
 *			... innermost first; at the end lookup.fault is what was wrong
 *
 * To see all that a file holds, go over gsym_function() for each index, then gsym_next_block(), and
 * the iterator of the block's type.  gsym_check_*() find every structural flaw.
 *
 * Nothing here allocates, writes to the file's bytes or keeps state elsewhere: lookups may run in a
 * signal handler and in many threads at once.  Keeping decoded functions for the next lookup is
 * the work of symbols/lookup/gsym_cache.h.
 */
#ifndef CAIRN_FORMATS_GSYM_H
#define CAIRN_FORMATS_GSYM_H

#include <cairn.h>

#include "base/allowance.h"
#include "base/bytes.h"
#include "base/reader.h"

enum {
	GSYM_MAGIC = 0x4753594d,
	GSYM_HEADER_V1 = 48,
	GSYM_HEADER_V2 = 20,
	GSYM_UUID_MAX_V1 = 20,
	GSYM_MAX_LEVELS = 1024, /* of inlining around one address; compilers stay below 100 */
};

/* What a block of a function record holds. */
enum gsym_type {
	GSYM_END = 0,
	GSYM_LINES = 1,
	GSYM_INLINES = 2,
	GSYM_MERGED = 3,
	GSYM_CALLS = 4,
	GSYM_COLUMNS = 0x6c6f6363, /* of cairn's cache alone: see columns.c */
};

/* The sections of a version 2 file. */
enum gsym_section {
	GSYM_SECTION_END = 0,
	GSYM_SECTION_ADDRESSES = 1,
	GSYM_SECTION_INFOS = 2,
	GSYM_SECTION_STRINGS = 3,
	GSYM_SECTION_FILES = 4,
	GSYM_SECTION_RECORDS = 5,
	GSYM_SECTION_UUID = 6,
	GSYM_SECTIONS = 7,
};

struct gsym {
	struct cairn_bytes bytes;   /* from the header's first byte; all offsets count from it */
	struct cairn_bytes strings; /* not always inside `bytes` */
	struct cairn_bytes uuid;
	uint64_t strings_at; /* as stored */
	uint64_t base;       /* all function starts count from it */
	size_t addresses_at, infos_at, files_at;
	size_t records_at,
		records_size; /* what stored record offsets count from, and their limit */
	uint32_t functions, files;
	uint8_t version, address_size;
	bool big;
};

/* One function's record. */
struct gsym_function {
	uint64_t start; /* va */
	uint32_t size;  /* 0: up to the next function's start */
	uint32_t index; /* in the address table */
	uint64_t name;  /* offset in the string table */
	size_t at;      /* of the record in the file */
	size_t blocks;  /* of its first block */
	size_t end;     /* where the record must have ended */
	bool is_merged; /* it is in a block of another one */
};

struct gsym_block {
	uint32_t type;
	size_t at; /* of the block's header in the file; its data follows 8 bytes after */
	struct cairn_bytes data;
};

struct gsym_file {
	struct cairn_bytes directory, name;
	bool empty; /* the entry {0, 0}: no file */
};

/* `bytes` is a whole file, or a section that has its own strings. */
enum cairn_status gsym_open(struct cairn_bytes bytes, struct gsym *gsym, struct cairn_fault *fault);

/*
 * The same for a section whose strings are elsewhere in the file that contains it: where the header
 * says that they are, and opening with the strings that the caller found there.
 */
enum cairn_status gsym_strings_extent(struct cairn_bytes bytes, uint64_t *offset, uint64_t *size,
                                      struct cairn_fault *fault);
enum cairn_status gsym_open_with_strings(struct cairn_bytes bytes, struct cairn_bytes strings,
                                         struct gsym *gsym, struct cairn_fault *fault);

/* One entry of the directory of a version 2 file. */
struct gsym_entry {
	uint32_t type;
	uint64_t offset, size;
};

/* Reads the entry at *at, which begins as 0, and moves *at past it; false at the entry that ends the directory. */
bool gsym_next_entry(const struct gsym *gsym, size_t *at, struct gsym_entry *entry);

/*
 * Finds where in the file the build ID is, from the first bytes of the file: the header of version 1, or the
 * header and the directory of version 2.  False if they are not, or there is none.
 */
bool gsym_find_uuid(struct cairn_bytes head, struct cairn_range *place);

/* Does it begin with the magic number, in either order? */
bool gsym_has_magic(struct cairn_bytes bytes);

/* Width of a string table offset in records. */
static inline unsigned gsym_strp_size(const struct gsym *gsym)
{
	return gsym->version == 1 ? 4 : 8;
}

/* Does the string table, or the table of files, have this?  Cheaper than asking for the text. */
static inline bool gsym_has_string(const struct gsym *gsym, uint64_t offset)
{
	return offset == 0 || offset < gsym->strings.size;
}

bool gsym_has_file(const struct gsym *gsym, uint64_t index);

/* The text at an offset of the string table; false, and empty, when it is outside. */
bool gsym_string(const struct gsym *gsym, uint64_t offset, struct cairn_bytes *text);

/* Entry `index` of the file table; false when there is none or its strings are outside. */
bool gsym_file(const struct gsym *gsym, uint64_t index, struct gsym_file *file);

/* What entry `index` of the file table holds; `index` must be below gsym->files. */
void gsym_file_offsets(const struct gsym *gsym, uint32_t index, uint64_t *directory,
                       uint64_t *name);

/* Start of function `index`, counted from the base; its record's offset, and where that is stored.
 */
static inline uint64_t gsym_offset(const struct gsym *gsym, uint32_t index)
{
	size_t width = gsym->address_size;

	return bytes_unsigned(gsym->bytes.data + gsym->addresses_at + index * width, width,
	                      gsym->big);
}

uint64_t gsym_info(const struct gsym *gsym, uint32_t index);
size_t gsym_info_at(const struct gsym *gsym, uint32_t index);

/* The record of function `index`, which must be below gsym->functions. */
enum cairn_status gsym_function(const struct gsym *gsym, uint32_t index,
                                struct gsym_function *function, struct cairn_fault *fault);

/*
 * A cursor over the blocks of a record.  At the end, blocks.in.fault reports a record that was
 * complete from one that was cut off.
 */
struct gsym_blocks {
	struct reader in;
	bool done;
};

struct gsym_blocks gsym_blocks(const struct gsym *gsym, const struct gsym_function *function);
bool gsym_next_block(struct gsym_blocks *blocks, struct gsym_block *block);

/* One row of a line table: it holds up to the next row's address. */
struct gsym_row {
	uint64_t va;
	uint32_t file, line;
};

/* A cursor over the rows of a line table. */
struct gsym_rows {
	const uint8_t *next, *end;
	uint64_t va;
	uint64_t span; /* the largest line step of a special opcode, from `low` up */
	int64_t low;
	uint32_t file, line;
	uint32_t inverse; /* 2^16 / range, rounded up; 0 when every special opcode moves no address
	                   */
	bool backward;    /* the window is empty: no special opcode can be sound */
	bool done;
	bool marked; /* the table knows statements and prologues, see lines.c; else these are false: */
	bool statement, prologue_end, apart; /* of the last row */
	unsigned marks;                      /* before the row to come */
	size_t data_at;                      /* of the table in the file */
	size_t table_size;                   /* in bytes */
	struct cairn_fault fault;
};

/* `lines` is the block, `start` the function's. */
struct gsym_rows gsym_rows(const struct gsym_block *lines, uint64_t start);
bool gsym_next_row(struct gsym_rows *rows, struct gsym_row *row);

/* The last row before the first one after `va`; false when there is none. */
bool gsym_find_row(struct gsym_rows *rows, uint64_t va, struct gsym_row *row);

/* A piece of code of an inlined call. */
struct gsym_range {
	uint64_t start, size;
};

/*
 * One node of an inline tree; the root stands for the function itself.  An empty range after others is no
 * code, and lookups pass over it: it is a mark of cairn's for debuggers.  In a call it is where the call is
 * entered, perhaps in another part of the function; in the root it means that there is another part.
 */
struct gsym_inline {
	uint32_t at;    /* offset of the node in the block's data */
	uint32_t depth; /* 0 for the root */
	uint64_t first; /* start of its first range */
	uint64_t ranges;
	uint32_t ranges_at; /* offset of the first range */
	uint32_t fixed_at;  /* of what follows the ranges: has_children, then the name */
	uint32_t end;       /* just after the node */
	uint64_t base;      /* what the ranges count from */
	uint64_t name, file, line;
	bool has_children;
};

/* The tree of one function, and where reading it went wrong. */
struct gsym_tree {
	struct cairn_bytes data;
	size_t data_at; /* in the file */
	uint64_t start; /* of the function */
	unsigned strp_size;
	bool big;
	struct cairn_fault fault;
};

struct gsym_tree gsym_tree(const struct gsym *gsym, const struct gsym_block *inlines,
                           uint64_t start);

/* The node at `at`, whose ranges count from `base`; false at the end of siblings or a flaw. */
bool gsym_inline_at(struct gsym_tree *tree, uint32_t at, uint64_t base, struct gsym_inline *node);

/* Range after range: *at begins as node->ranges_at, *left as node->ranges. */
bool gsym_next_range(const struct gsym_tree *tree, const struct gsym_inline *node, uint32_t *at,
                     uint64_t *left, struct gsym_range *range);

/* A cursor over all nodes, parents before their children. */
struct gsym_nodes {
	struct gsym_tree tree;
	uint32_t at, depth;
	bool started, done;
	uint64_t bases[GSYM_MAX_LEVELS + 1];
};

/* Into `nodes`, because it is large. */
void gsym_nodes_begin(struct gsym_nodes *nodes, const struct gsym_tree *tree);
bool gsym_next_node(struct gsym_nodes *nodes, struct gsym_inline *node);

/*
 * The way from the root to the innermost node that holds `va`: offsets of the nodes below the root
 * in levels[], and the innermost one itself.  Returns how many there are; 0 for none, or with
 * tree->fault for a damaged tree.
 */
unsigned gsym_find_inlines(struct gsym_tree *tree, uint64_t va, uint32_t levels[GSYM_MAX_LEVELS],
                           struct gsym_inline *innermost);

/* A cursor over the functions that were folded into another one's code. */
struct gsym_merged {
	const struct gsym *gsym;
	struct reader in;
	uint64_t start;
	uint32_t index;
	uint32_t count, left;
};

struct gsym_merged gsym_merged(const struct gsym *gsym, const struct gsym_function *owner,
                               const struct gsym_block *merged);
bool gsym_next_merged(struct gsym_merged *merged, struct gsym_function *function);

/* A call: its return address, and what the callee's name must match. */
struct gsym_call {
	uint64_t return_offset; /* from the function's start */
	uint8_t flags;
	uint32_t names;
	size_t names_at; /* of the first name's string offset in the file */
};

enum { GSYM_CALL_INTERNAL = 1, GSYM_CALL_EXTERNAL = 2 };

struct gsym_calls {
	const struct gsym *gsym;
	struct reader in;
	uint32_t count, left;
};

struct gsym_calls gsym_calls(const struct gsym *gsym, const struct gsym_block *calls);
bool gsym_next_call(struct gsym_calls *calls, struct gsym_call *call);

/* The name number `index`, which must be below call->names, as an offset of the string table. */
uint64_t gsym_call_name(const struct gsym *gsym, const struct gsym_call *call, uint32_t index);

/*
 * How far the functions reach, for lookups after an inner function: the last byte, counted from
 * the base, of each GSYM_REACH_STEP functions, and of all up to there.  Made by gsym_reach_fill()
 * in memory of the caller; without it lookups that find nothing walk all earlier functions.
 */
enum { GSYM_REACH_STEP = 64 };

struct gsym_reach {
	uint64_t own, all;
};

static inline size_t gsym_reach_count(const struct gsym *gsym)
{
	return ((size_t)gsym->functions + GSYM_REACH_STEP - 1) / GSYM_REACH_STEP;
}

void gsym_reach_fill(const struct gsym *gsym, struct gsym_reach *reach);

/*
 * The function that holds `va`: of those with the last start before it the shortest that reaches
 * it, else one without size, else the nearest that begins earlier and reaches it.  `reach` may be
 * NULL.  A record that cannot be read is passed over, unless nothing else is found.
 */
enum cairn_status gsym_find_function(const struct gsym *gsym, const struct gsym_reach *reach,
                                     uint64_t va, struct gsym_function *function,
                                     struct cairn_fault *fault);

/* The same among those with the last start alone, so that it never takes long. */
enum cairn_status gsym_find_nearest(const struct gsym *gsym, uint64_t va,
                                    struct gsym_function *function, struct cairn_fault *fault);

/* The last function that starts at or before `va`; gsym->functions when there is none. */
uint32_t gsym_search(const struct gsym *gsym, uint64_t va);

/* The same when it is known to be one of `count` from `first` on, which starts before `va`. */
uint32_t gsym_search_among(const struct gsym *gsym, uint32_t first, uint32_t count, uint64_t va);

/* The answer for one address: a cursor over its locations, innermost first. */
struct gsym_lookup {
	const struct gsym *gsym;
	uint64_t va;
	struct gsym_function function;
	struct gsym_block inlines, merged, calls, columns; /* type 0 when there is none */
	struct cairn_fault fault; /* the first flaw met; what was read before it stays good */
	bool has_lines, has_row;
	struct gsym_row row;
	struct cairn_bytes name;
	uint64_t place_file, place_line; /* of the next location */
	uint32_t place_column;
	size_t place_at; /* where it is recorded */
	bool has_place, ended;
	struct gsym_tree tree;
	struct gsym_inline node;
	unsigned left; /* levels still to be given */
	uint32_t levels[GSYM_MAX_LEVELS];
};

enum cairn_status gsym_find(const struct gsym *gsym, uint64_t va, struct gsym_lookup *lookup);

/* The same for a function that is known already: one found before, or a merged one. */
void gsym_lookup_in_function(const struct gsym *gsym, const struct gsym_function *function,
                             uint64_t va, struct gsym_lookup *lookup);

bool gsym_next_location(struct gsym_lookup *lookup, struct cairn_location *location);

/* The function's name alone: a search and the first bytes of its record. */
enum cairn_status gsym_find_name(const struct gsym *gsym, const struct gsym_reach *reach,
                                 uint64_t va, struct cairn_location *location,
                                 struct cairn_fault *fault);

#endif
