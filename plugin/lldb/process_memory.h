/* SPDX-License-Identifier: MIT */
/*
 * How LLDB reads the memory of a process.  It reads a live one by lines of its cache.  Versions 13 and 14 put what they get of a
 * line that came short, because the process ended just then, up to a line before the buffer: there is room for it
 * here.
 */
#ifndef CAIRN_LLDB_PROCESS_MEMORY_H
#define CAIRN_LLDB_PROCESS_MEMORY_H

#include <lldb/API/LLDB.h>

#include <cstring>

/* read(BUFFER) returns how many bytes of at most `size` it has put there. */
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
 * How many bytes LLDB has read; 0: none.  A read that leaves a mapping has the first part of it, without an error in
 * cores.
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
