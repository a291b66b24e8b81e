/* SPDX-License-Identifier: MIT */
/* One ELF object of the list (jit_list.h) as records of a jitdump. */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_OBJECT_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_OBJECT_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum {
	JIT_OBJECT_ROWS = 1 << 20,        /* of the lines of one object */
	JIT_OBJECT_FRAMES = 1 << 20,      /* FDEs of one object */
	JIT_OBJECT_RELOCATIONS = 1 << 20, /* entries of each of its tables that are applied */
	JIT_OBJECT_FILE = 1 << 12, /* bytes of the path of a file; a longer one is left out */
};

/* Applies the relocations of its lines and frames, if it is a relocatable file; of a longer table the first ones. */
void jit_object_relocate(uint8_t *image, size_t size);

/*
 * Appends its functions with their lines and frames, in the byte order of the buffer.  Addresses are final, as whoever
 * registers an object sets them, or jit_object_relocate().  False: it is no such object.  dump->failed: memory is short, or the limit is reached.
 */
bool jit_object_append(struct cairn_bytes image, struct byte_buffer *dump);

/* Rows of the line programs, by address. */
struct jit_object_row {
	uint64_t va;
	uint32_t line, file; /* file: which one of the texts */
	uint32_t number;     /* as they were written */
	bool end;            /* nothing is known from here on */
};

struct jit_object_lines {
	struct jit_object_row *row;
	size_t count, room;
	struct cairn_bytes *file; /* texts, each in memory of its own */
	size_t files, file_room;
};

/* Reads what can be read of .debug_line. */
void jit_object_lines_read(struct jit_object_lines *lines, const struct elf *elf);
void jit_object_lines_finish(struct jit_object_lines *lines);

/* Appends the record of the lines of [start, start + size), if there are any. */
void jit_object_lines_append(const struct jit_object_lines *lines, uint64_t start, uint64_t size,
                             struct byte_buffer *dump);

/* FDEs of .debug_frame or .eh_frame, by address. */
struct jit_object_frames {
	struct cairn_bytes section;
	uint64_t address; /* where an .eh_frame is */
	bool debug, big;
	struct jit_object_fde {
		uint64_t start, size;
		size_t at; /* offset in the section */
		size_t cie;
	} * fde;
	size_t count, room;
};

void jit_object_frames_read(struct jit_object_frames *frames, const struct elf *elf);
void jit_object_frames_finish(struct jit_object_frames *frames);

/* Appends the record of the frames of the function that begins at `start`, if there are any. */
void jit_object_frames_append(const struct jit_object_frames *frames, uint64_t start,
                              struct byte_buffer *dump);

/* Begins a record of a jitdump, and returns where, for the end of it. */
static inline size_t jit_record_begin(struct byte_buffer *dump, uint32_t id)
{
	const size_t begin = dump->size;

	byte_buffer_number(dump, id, 4);
	byte_buffer_number(dump, 0, 4);
	byte_buffer_number(dump, 0, 8); /* no time */
	return begin;
}

static inline void jit_record_end(struct byte_buffer *dump, size_t begin)
{
	byte_buffer_overwrite(dump, begin + 4, dump->size - begin, 4);
}

#endif
