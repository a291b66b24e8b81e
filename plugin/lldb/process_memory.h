/* SPDX-License-Identifier: MIT */
/*
 * Access to the memory of a process through LLDB, which reads a live process by lines of its cache.
 * Versions 13 and 14 have a bug: if a line is cut short because the process has just ended, they
 * may write up to a line before the buffer. The buffers here leave space for that.
 */
#ifndef CAIRN_LLDB_PROCESS_MEMORY_H
#define CAIRN_LLDB_PROCESS_MEMORY_H

#include <cstring>
#include <lldb/API/LLDB.h>

/*
 * Call read(BUFFER) with a buffer that this bug cannot overrun. read() stores at most `size` bytes
 * and returns their number.
 */
template <class Read> size_t read_with_room(void *buffer, size_t size, Read read)
{
	enum { LINE = 512 };
	uint8_t room[2 * LINE];

	if (size >= LINE)
		return read(buffer);
	size_t got = read(room + LINE);
	if (got > size)
		return 0;
	memcpy(buffer, room + LINE, got);
	return got;
}

/*
 * Read memory. Returns the number of bytes, 0 on failure. A read that extends beyond a mapping
 * returns its first part, in cores without an error.
 */
static inline size_t read_process(lldb::SBProcess &process, uint64_t address, void *buffer,
                                  size_t size)
{
	lldb::SBError error;
	size_t got = read_with_room(buffer, size, [&](void *to) {
		return process.ReadMemory(address, to, size, error);
	});

	return got <= size ? got : 0;
}

#endif
