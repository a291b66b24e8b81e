/* SPDX-License-Identifier: MIT */
/*
 * The state of a core that is read as a stream (stream.h), and its parts: stream_input.c reads on,
 * stream_notes.c reads notes, stream_memory.c keeps memory.
 */
#ifndef CAIRN_PROCESS_CORE_STREAM_INPUT_H
#define CAIRN_PROCESS_CORE_STREAM_INPUT_H

#include "formats/elf/elf.h"
#include "kept.h"
#include "plan.h"
#include "stream.h"

enum { CORE_STREAM_PIECE = 1 << 14 }; /* bytes of memory that are read at a time when all is kept */

struct core_stream {
	struct snapshot *snapshot;
	const struct cairn_stacks_stream *input;
	uint64_t at; /* bytes that were read or skipped */
	bool ended;  /* the input ends here */
	struct elf elf;
	uint64_t segments; /* program headers that were read */
	struct core_part *parts;
	size_t part_count, part_room;
	struct core_kept *kept;
	struct core_plan plan;
	bool whole;                        /* all memory is kept */
	uint64_t memory_left;              /* bytes of memory that may still be kept */
	uint64_t held;                     /* bytes of blocks that are kept */
	const uint8_t *zeros;              /* a block for all pieces that are zero */
	uint64_t notes_left;               /* bytes of notes that may still be borrowed */
	uint64_t sets_left;                /* and of those with sets of registers */
	uint64_t spare_left, modules_left; /* of CORE_STREAM_SPARE and MODULES_MAX */
	uint64_t search_left;              /* bytes that may still be searched for stacks */
	uint64_t found_left;               /* and kept of those that are found */
	uint64_t module_low, module_high;  /* the module whose header came last */
	unsigned module_notes; /* how many runs of bytes with notes of modules are wanted */
	bool missed;           /* a part lay before others that had been read */
	bool scarce;           /* memory is short */
};

size_t core_stream_read(struct core_stream *s, void *buffer, size_t size);

/* False: the input ends before the offset, or is past it. */
bool core_stream_skip_to(struct core_stream *s, uint64_t offset);

/* What was wrong, at the place where the stream is. */
void core_stream_problem(struct core_stream *s, const char *part, enum cairn_status status,
                         const char *what);

/* Takes `size` bytes off a budget; false: they are more than is left of it. */
bool core_stream_charge(uint64_t *budget, uint64_t size);

/* Reads the notes of one part. */
void core_stream_notes(struct core_stream *s, const struct core_part *part);

/*
 * Searches a part of which `read` was read for a stack that a thread has left, and keeps some of that.  False: the part is not one to
 * search, and nothing more was read.
 */
bool core_stream_search(struct core_stream *s, const struct core_part *part,
                        struct cairn_bytes read);

/* Keeps bytes that were read; false: no more of the core is kept. */
bool core_stream_keep_copy(struct core_stream *s, uint64_t address, const uint8_t *bytes,
                           size_t size);

/* Keeps bytes that are zero, of which there is one block; false: no more of the core is kept. */
bool core_stream_keep_zeros(struct core_stream *s, uint64_t address, size_t size);

/* Reads memory that is wanted. */
struct cairn_bytes core_stream_keep(struct core_stream *s, uint64_t address, uint64_t size);

/* Reads one part that is memory, and keeps what is wanted of it. */
void core_stream_memory(struct core_stream *s, const struct core_part *part);

#endif
