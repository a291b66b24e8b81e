/* SPDX-License-Identifier: MIT */
/*
 * Reads process memory through LLDB, which reads a live process in cache lines. LLDB 13 and 14 have
 * a bug: if the process has just ended and a line is read only partially, LLDB may write up to one
 * line before the start of the buffer. Therefore the buffers here have a spare line before their
 * start.
 */
#ifndef CAIRN_LLDB_PROCESS_MEMORY_H
#define CAIRN_LLDB_PROCESS_MEMORY_H

#include <cstring>
#include <lldb/API/LLDB.h>

/*
 * Call read(BUFFER) with a buffer that the bug in LLDB 13 and 14 cannot overrun. read() stores at
 * most `size` bytes and returns the number of bytes stored.
 */
template <class Read> size_t read_with_capacity(void *buffer, size_t size, Read read)
{
	enum { LINE = 512 };
	uint8_t capacity[2 * LINE];

	if (size >= LINE)
		return read(buffer);
	size_t got = read(capacity + LINE);
	if (got > size)
		return 0;
	memcpy(buffer, capacity + LINE, got);
	return got;
}

/*
 * Read memory. Returns the number of bytes read, or 0 on failure. A read that extends beyond a
 * mapping returns the bytes inside the mapping. LLDB does not report an error for such a read in a
 * core.
 */
static inline size_t read_process(lldb::SBProcess &process, uint64_t address, void *buffer,
                                  size_t size)
{
	lldb::SBError error;
	size_t got = read_with_capacity(buffer, size, [&](void *to) {
		return process.ReadMemory(address, to, size, error);
	});

	return got <= size ? got : 0;
}

#endif
