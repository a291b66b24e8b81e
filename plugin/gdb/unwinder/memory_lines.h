/* SPDX-License-Identifier: MIT */
/*
 * Target memory that was read since GDB asked its last question.
 *
 * A remote target costs one packet for each read, whatever its size, and an unwinder reads a few bytes
 * here and there: code around a pc, words of one stack frame.  So the lines around such bytes are read,
 * and kept until GDB asks again: while it waits for an answer, nothing changes the target.
 */
#ifndef CAIRN_GDB_UNWINDER_MEMORY_LINES_H
#define CAIRN_GDB_UNWINDER_MEMORY_LINES_H

#include <gdb/jit-reader.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MEMORY_LINE = 256,      /* bytes; divides every size of a page */
	MEMORY_LINES = 16,      /* more than a step to a caller touches */
	MEMORY_LINE_READ = 64,  /* bytes of the largest read that is worth a line */
	MEMORY_LINE_PAGE = 4096 /* a search looks at the beginnings of pages, once at each */
};

struct memory_lines {
	unsigned count, next;
	struct memory_line {
		uint64_t at;
		uint8_t bytes[MEMORY_LINE];
	} line[MEMORY_LINES];
};

/* GDB asks something: nothing that was read before is believed. */
void memory_lines_forget(struct memory_lines *lines);

/* Fills the buffer with `size` bytes at `address`; false when they cannot be read. */
bool memory_lines_read(struct memory_lines *lines, gdb_target_read *target_read, uint64_t address,
                       void *buffer, size_t size);

#endif
