/* SPDX-License-Identifier: MIT */
/*
 * An index of symbfiles that maps an address to its chain of frames with one table probe and a walk
 * over parents. It is built once (index_build.h), stored in a cache file, and used directly from
 * the mapped file.
 *
 * The code is cut into segments, each with a single chain of frames and a single line number. A
 * segment refers to its innermost frame, and each frame to its parent. A segment without a frame is
 * a gap.
 *
 *	struct symbfile_index index;
 *	if (symbfile_index_open(bytes, NULL, 0, &index) == CAIRN_OK &&
 *	    symbfile_index_find(&index, va, &chain))
 *		while (symbfile_chain_next(&chain, &location))
 *			... innermost first
 *
 * A cache file is not trusted: its section layout is checked when it is opened, and each index when
 * it is used. Lookups neither allocate nor write.
 */
#ifndef CAIRN_SYMBOLS_INDEX_H
#define CAIRN_SYMBOLS_INDEX_H

#include "formats/symbfile.h"

#include <cairn.h>

#define SYMBFILE_NONE UINT32_MAX

/*
 * Function or inlined call. Strings are indices into the string table, or SYMBFILE_NONE if absent.
 */
struct symbfile_node {
	uint32_t function, file, call_file, call_line;
	/* index of the enclosing frame, which is lower; SYMBFILE_NONE for the outermost frame */
	uint32_t parent;
};

struct symbfile_pad_node {
	uint32_t function, file, line;
};

struct symbfile_index {
	bool wide; /* addresses are 64-bit rather than 32-bit offsets from `base` */
	uint64_t base;
	const void *start;
	const uint32_t *node, *line;
	size_t segments;
	const struct symbfile_node *nodes;
	const void *node_start;
	size_t node_count;
	const uint32_t *bucket; /* last segment that begins at or before the start of each bucket */
	size_t buckets;
	unsigned shift;
	/* `texts` + 1 offsets in `blob`: the start of each string, and the end */
	const uint32_t *text_at;
	size_t texts;
	const uint8_t *blob;
	size_t blob_size;
	const uint64_t *pad;
	/*
	 * `pads` + 1 indices into `frames`: the start of each pad's frames, and the end of the last
	 */
	const uint32_t *pad_first;
	size_t pads;
	const struct symbfile_pad_node *frames;
	size_t frame_count;
};

/* Identifies a file from which the index was built. The index is stale if any field differs. */
struct symbfile_source {
	uint64_t size, mtime_seconds, mtime_nanoseconds;
	uint8_t id[16]; /* hash of the size and of both ends of the file (fileid.h) */
};

enum { SYMBFILE_SOURCES_MAX = 16 };

enum { SYMBFILE_INDEX_SECTIONS = 11 };

struct symbfile_index_head {
	char magic[8];
	uint32_t version, order; /* `order` is a constant that reveals the byte order */
	uint64_t size;
	uint64_t checksum; /* checksum of all bytes after the head */
	uint64_t base;
	uint32_t wide, shift;
	uint64_t source_count;
	struct symbfile_source source[SYMBFILE_SOURCES_MAX];
	struct {
		uint64_t offset, size;
	} section[SYMBFILE_INDEX_SECTIONS];
	uint64_t head_checksum; /* checksum of the head up to this field */
};

struct symbfile_index_parts {
	struct symbfile_index_head head;
	/* section contents; each is padded to 8 bytes in the file */
	struct cairn_bytes part[SYMBFILE_INDEX_SECTIONS];
};

void symbfile_index_layout(const struct symbfile_index *index,
                           const struct symbfile_source *sources, size_t source_count,
                           struct symbfile_index_parts *parts);

/*
 * Open the index in a cache file. `bytes` must be aligned to 8 and are borrowed. Returns
 * UNSUPPORTED if the file is not an index with this version and byte order, MISMATCH if the index
 * was built from other sources, or MALFORMED if it is damaged.
 */
CAIRN_MUST_USE enum cairn_status symbfile_index_open(struct cairn_bytes bytes,
                                                     const struct symbfile_source *sources,
                                                     size_t source_count,
                                                     struct symbfile_index *index);

/* Return the source record for a file's contents. The caller sets the modification time. */
struct symbfile_source symbfile_source_of(struct cairn_bytes file);

struct symbfile_chain {
	const struct symbfile_index *index;
	uint64_t va;
	uint32_t node;
	uint32_t file, line;
	/* `file` comes from a call site; otherwise, the node's file applies */
	bool has_file;
	bool damaged;
	bool is_pad;
	size_t frame, first;
};

/* Begin iterating over the frames at `va`. Returns false if no range covers `va`. */
bool symbfile_index_find(const struct symbfile_index *index, uint64_t va,
                         struct symbfile_chain *chain);

/*
 * Return the string with this index. Returns an empty string if the index is out of range, because
 * the cache file is not trusted.
 */
struct cairn_bytes symbfile_index_text(const struct symbfile_index *index, uint32_t text);

/*
 * Begin iterating over the frames at `va`. A return address is resolved with its call's return pad
 * if there is one, otherwise with the ranges at va - 1. If the index has no ranges, `va` itself is
 * looked up as the key of a pad.
 */
bool symbfile_index_answer(const struct symbfile_index *index, uint64_t va, bool is_return,
                           struct symbfile_chain *chain);

/*
 * Set *location to the next frame. Returns false at the end. location->start and ->offset are 0 for
 * return pads, which do not store them.
 */
bool symbfile_chain_next(struct symbfile_chain *chain, struct cairn_location *location);

static inline uint64_t symbfile_index_at(const struct symbfile_index *index, const void *array,
                                         size_t i)
{
	return index->base +
	       (index->wide ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i]);
}

/*
 * Loads the string table of a symbfile into an array, so that references are resolved in constant
 * time. The strings are borrowed from the file. Loading another table replaces the previous one.
 *
 *	struct symbfile_string_table texts = { 0 };
 *	if (record.kind == SYMBFILE_TABLE)
 *		status = symbfile_string_table_load(&texts, &record);
 *	... symbfile_string_table_of(&texts, &record.range.function)
 *	symbfile_string_table_finish(&texts);
 */
struct symbfile_string_table {
	struct cairn_bytes *text;
	size_t count, capacity;
};

/* Load `table`. On NO_MEMORY the table is empty. */
CAIRN_MUST_USE enum cairn_status symbfile_string_table_load(struct symbfile_string_table *texts,
                                                            const struct symbfile_record *table);
void symbfile_string_table_finish(struct symbfile_string_table *texts);

static inline struct cairn_bytes symbfile_string_table_at(const struct symbfile_string_table *texts,
                                                          uint32_t index)
{
	if (index >= texts->count)
		return (struct cairn_bytes){ (const uint8_t *)"", 0 };
	return texts->text[index];
}

static inline struct cairn_bytes symbfile_string_table_of(const struct symbfile_string_table *texts,
                                                          const struct symbfile_text *text)
{
	if (text->kind == SYMBFILE_REF)
		return symbfile_string_table_at(texts, text->value);
	if (text->kind == SYMBFILE_INLINE)
		return (struct cairn_bytes){ text->data, text->value };
	return (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

/*
 * Finds the records of a symbfile that contain one address, by reading the whole file. Used to
 * explain lookup results and to test the index.
 */
enum { SYMBFILE_SCAN_MAX = 4096 };

/* Record that contains the address. Strings are borrowed from the file. */
struct symbfile_found {
	uint64_t start, length;
	uint64_t offset;                 /* file offset of the record's frame */
	uint32_t depth, call_line, line; /* `line` is from the record's own line table */
	struct cairn_bytes function, file, call_file;
	bool has_file, has_call_file, has_lines;
	bool counts; /* this record takes precedence over the others with the same depth */
};

struct symbfile_scan {
	/* sorted by depth; within one depth, the record that takes precedence is first */
	struct symbfile_found *found;
	size_t count, capacity, more;
	bool has_below, has_above;
	/* end of the closest range below the address, and start of the closest range above it */
	uint64_t below, above;
	uint64_t ranges, pads;
	struct cairn_fault fault;
};

/*
 * Collect the records of `file` that contain `va`. Fails only with NO_MEMORY; damage is reported in
 * scan->fault.
 */
CAIRN_MUST_USE enum cairn_status symbfile_scan(struct cairn_bytes file, uint64_t va,
                                               struct symbfile_scan *scan);
void symbfile_scan_finish(struct symbfile_scan *scan);

#endif
