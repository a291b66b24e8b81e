/* SPDX-License-Identifier: MIT */
/*
 * The state of reading a core as a stream (stream.h), shared by stream_input.c, which reads the
 * input, stream_notes.c, which reads notes, and stream_memory.c, which keeps memory.
 */
#ifndef CAIRN_PROCESS_CORE_STREAM_INPUT_H
#define CAIRN_PROCESS_CORE_STREAM_INPUT_H

#include "formats/elf/elf.h"
#include "kept.h"
#include "plan.h"
#include "stream.h"

enum { CORE_STREAM_PIECE = 1 << 14 }; /* bytes of memory per read when all memory is kept */

struct core_stream {
	struct snapshot *snapshot;
	const struct cairn_stacks_stream *input;
	uint64_t at;
	bool ended;
	struct elf elf;
	uint64_t segments;
	struct core_part *parts;
	size_t part_count, part_room;
	struct core_kept *kept;
	struct core_plan plan;
	bool whole;
	uint64_t memory_left;
	uint64_t held;
	const uint8_t *zeros;              /* a block shared by all pieces that are zero */
	uint64_t notes_left;               /* bytes of notes that may still be borrowed */
	uint64_t sets_left;                /* same for notes with register sets */
	uint64_t spare_left, modules_left; /* rest of CORE_STREAM_SPARE and of MODULES_MAX */
	uint64_t search_left;
	uint64_t found_left;
	uint64_t module_low, module_high; /* range of the module whose header came last */
	unsigned module_notes;            /* number of planned ranges with notes of modules */
	bool missed; /* a part was skipped because it lies before the current offset */
	bool scarce;
};

size_t core_stream_read(struct core_stream *s, void *buffer, size_t size);

/* Skip to an offset. Return false if the input ends before it or is already past it. */
bool core_stream_skip_to(struct core_stream *s, uint64_t offset);

void core_stream_problem(struct core_stream *s, const char *part, enum cairn_status status,
                         const char *what);

/* Subtract `size` from a budget. Return false if less is left. */
bool core_stream_charge(uint64_t *budget, uint64_t size);

void core_stream_notes(struct core_stream *s, const struct core_part *part);

/*
 * Search a part, whose first bytes are in `read`, for a stack that a thread has left, and keep a
 * part of the stack. Return false, without reading more, if `part` need not be searched.
 */
bool core_stream_search(struct core_stream *s, const struct core_part *part,
                        struct cairn_bytes read);

/* Keep a copy of bytes that were read. Return false if no more of the core can be kept. */
bool core_stream_keep_copy(struct core_stream *s, uint64_t address, const uint8_t *bytes,
                           size_t size);

/* Keep a range of zeros, which share one block. Return false if no more of the core can be kept. */
bool core_stream_keep_zeros(struct core_stream *s, uint64_t address, size_t size);

/* Read and keep memory. Return the bytes, which may be fewer than `size`. */
struct cairn_bytes core_stream_keep(struct core_stream *s, uint64_t address, uint64_t size);

void core_stream_memory(struct core_stream *s, const struct core_part *part);

#endif
