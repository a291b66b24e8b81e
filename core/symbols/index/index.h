/* SPDX-License-Identifier: MIT */
/*
 * An index over symbfiles: va -> chain of frames, in one probe of a table and a walk over parents.
 * It is made once (build.h), kept in a cache file, and used there as it is mapped.
 *
 * The code is cut into segments, each of which has one chain and one line.  A segment names its
 * innermost frame; frames know the one around them.  A segment without frame is a gap.
 *
 *	struct symbfile_index index;
 *	if (symbfile_index_open(bytes, NULL, 0, &index) == CAIRN_OK &&
 *	    symbfile_index_find(&index, va, &chain))
 *		while (symbfile_chain_next(&chain, &location))
 *			... innermost first
 *
 * The bytes of a cache file are trusted no more than those of any other: the frame of sections is
 * checked when it is opened, each number when it is used.  Nothing is allocated or written.
 */
#ifndef CAIRN_SYMBOLS_INDEX_INDEX_H
#define CAIRN_SYMBOLS_INDEX_INDEX_H

#include <cairn.h>

#define SYMBFILE_NONE UINT32_MAX

/* One frame.  Texts are numbers of the index; SYMBFILE_NONE: absent. */
struct symbfile_node {
	uint32_t function, file, call_file, call_line;
	uint32_t parent; /* the frame around it, a lower number; SYMBFILE_NONE: there is none */
};

/* One frame of a return pad. */
struct symbfile_pad_node {
	uint32_t function, file, line;
};

/* Arrays of an index, wherever they are. */
struct symbfile_index {
	bool wide;         /* addresses have 64 bits, else 32, counted from the base */
	uint64_t base;     /* va of the first segment */
	const void *start; /* of segments */
	const uint32_t *node, *line;
	size_t segments;
	const struct symbfile_node *nodes;
	const void *node_start; /* where the function or the inlined call begins */
	size_t node_count;
	const uint32_t *bucket; /* of each, the last segment that begins at or before it */
	size_t buckets;
	unsigned shift;          /* a bucket has 2^shift addresses */
	const uint32_t *text_at; /* one more than there are texts */
	size_t texts;
	const uint8_t *blob;
	size_t blob_size;
	const uint64_t *pad;       /* ascending */
	const uint32_t *pad_first; /* one more than there are pads */
	size_t pads;
	const struct symbfile_pad_node *frames;
	size_t frame_count;
};

/* Identifies the file that the index was made from: the index is stale when any of this has changed. */
struct symbfile_source {
	uint64_t size, mtime_seconds, mtime_nanoseconds;
	uint8_t id[16]; /* as a FileID: of both ends and the size */
};

enum { SYMBFILE_SOURCES_MAX = 16 };

enum { SYMBFILE_INDEX_SECTIONS = 11 };

/* The head of a cache file. */
struct symbfile_index_head {
	char magic[8];
	uint32_t version, order; /* byte order */
	uint64_t size;           /* of all */
	uint64_t checksum;       /* of all after the head */
	uint64_t base;
	uint32_t wide, shift;
	uint64_t source_count;
	struct symbfile_source source[SYMBFILE_SOURCES_MAX];
	struct {
		uint64_t offset, size;
	} section[SYMBFILE_INDEX_SECTIONS];
	uint64_t head_checksum; /* of all before it */
};

/* Where the arrays go, for whoever writes a cache file. */
struct symbfile_index_parts {
	struct symbfile_index_head head;
	struct cairn_bytes part[SYMBFILE_INDEX_SECTIONS]; /* each padded to 8 bytes */
};

void symbfile_index_layout(const struct symbfile_index *index,
                           const struct symbfile_source *sources, size_t source_count,
                           struct symbfile_index_parts *parts);

/*
 * UNSUPPORTED: of another version, byte order, or no index at all.  MISMATCH: made of other
 * sources.  MALFORMED: damaged.  `bytes` must be aligned to 8 and are borrowed.
 */
CAIRN_MUST_USE enum cairn_status symbfile_index_open(struct cairn_bytes bytes,
                                                     const struct symbfile_source *sources,
                                                     size_t source_count,
                                                     struct symbfile_index *index);

/* What source a file's bytes make; the time is for the caller to fill in. */
struct symbfile_source symbfile_source_of(struct cairn_bytes file);

/* A chain on its way out, innermost first. */
struct symbfile_chain {
	const struct symbfile_index *index;
	uint64_t va;
	uint32_t node;       /* SYMBFILE_NONE: the end */
	uint32_t file, line; /* where that one is */
	bool has_file;       /* `file` was given by the call, else it is the node's own */
	bool damaged;
	/* of a return pad */
	bool is_pad;
	size_t frame, first;
};

/* False when nothing covers `va`. */
bool symbfile_index_find(const struct symbfile_index *index, uint64_t va,
                         struct symbfile_chain *chain);

/* A text by its number; empty when the index, which is not trusted, has none of it. */
struct cairn_bytes symbfile_index_text(const struct symbfile_index *index, uint32_t text);

/*
 * What is known of an address, or of a return address: for that the pad that was made for the call,
 * else the ranges at its last byte.  An index of pads alone is asked for `va` itself as a key.
 */
bool symbfile_index_answer(const struct symbfile_index *index, uint64_t va, bool is_return,
                           struct symbfile_chain *chain);

/* The next frame.  location->start and ->offset are 0 for return pads, which do not know them. */
bool symbfile_chain_next(struct symbfile_chain *chain, struct cairn_location *location);

static inline uint64_t symbfile_index_at(const struct symbfile_index *index, const void *array,
                                         size_t i)
{
	return index->base +
	       (index->wide ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i]);
}

#endif
