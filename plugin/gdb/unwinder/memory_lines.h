/* SPDX-License-Identifier: MIT */
/*
 * A cache of target memory that lasts for one query of GDB.
 *
 * A remote target costs one packet for each read, whatever its size, and an unwinder reads a few
 * bytes here and there: code around a pc, words of one stack frame. So whole lines around such
 * bytes are read and kept until the next query. While GDB waits for an answer, nothing changes the
 * target.
 */
#ifndef CAIRN_GDB_UNWINDER_MEMORY_LINES_H
#define CAIRN_GDB_UNWINDER_MEMORY_LINES_H

#include <gdb/jit-reader.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MEMORY_LINE = 256,     /* bytes; divides every page size */
	MEMORY_LINES = 16,     /* cached lines; a step to a caller needs fewer */
	MEMORY_LINE_READ = 64, /* largest read for which a line is fetched */
	/* a search reads the start of each page once, so caching it is useless */
	MEMORY_LINE_PAGE = 4096
};

struct memory_lines {
	unsigned count, next;
	struct memory_line {
		uint64_t at;
		uint8_t bytes[MEMORY_LINE];
	} line[MEMORY_LINES];
};

/* Discard all lines at the start of a query of GDB. */
void memory_lines_forget(struct memory_lines *lines);

/* Read `size` bytes at `address`. Returns false if they cannot be read. */
bool memory_lines_read(struct memory_lines *lines, gdb_target_read *target_read, uint64_t address,
                       void *buffer, size_t size);

#endif
