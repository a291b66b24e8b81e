/* SPDX-License-Identifier: MIT */
/*
 * Reads a live process of this machine through /proc/PID/mem: LLDB's server gives 55 to 85 MB/s, the kernel
 * some GB/s, and LLDB keeps a copy of every block that it has read.
 */
#include "process_memory.h"
#include "session.h"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

enum {
	LOCAL_MIN =
		4096, /* bytes; smaller reads LLDB answers from its cache, and hides its breakpoints */
	PROBE = 256, /* bytes that are compared at once */
	STACK = 32768, /* of the stack's begin, where the kernel puts what is random in each process */
};

void local_memory::forget()
{
	if (fd >= 0)
		close(fd);
	fd = -1;
	tried = false;
}

/* Is what LLDB reads there what this file has? */
static bool is_same_memory(lldb::SBProcess &process, int fd, uint64_t address)
{
	char theirs[PROBE], ours[PROBE];

	return read_process(process, address, theirs, sizeof(theirs)) == sizeof(theirs) &&
	       pread(fd, ours, sizeof(ours), (off_t)address) == (ssize_t)sizeof(ours) &&
	       memcmp(theirs, ours, sizeof(ours)) == 0;
}

/*
 * Is the begin of that stack the same?  Of the first thread it has arguments, the environment and 16 random bytes, which
 * tell two processes of one program apart.
 */
static bool is_same_stack(lldb::SBProcess &process, int fd, uint64_t pointer)
{
	lldb::SBMemoryRegionInfo region;

	if (process.GetMemoryRegionInfo(pointer, region).Fail() || region.GetRegionEnd() <= pointer)
		return is_same_memory(process, fd, pointer);
	uint64_t end = region.GetRegionEnd(), at = end - pointer > STACK ? end - STACK : pointer;
	for (at += (end - at) % PROBE; at < end; at += PROBE)
		if (!is_same_memory(process, fd, at))
			return false;
	return true;
}

/* The stack is random where addresses are, and the file's header is in the module. */
static bool is_that_process(lldb::SBTarget &target, int fd)
{
	lldb::SBProcess process = target.GetProcess();
	lldb::SBFrame frame = process.GetThreadAtIndex(0).GetFrameAtIndex(0);
	lldb::SBModule program = target.GetModuleAtIndex(0);
	uint64_t header = program.GetObjectFileHeaderAddress().GetLoadAddress(target);

	return frame.IsValid() && header != LLDB_INVALID_ADDRESS &&
	       is_same_stack(process, fd, frame.GetSP()) && is_same_memory(process, fd, header);
}

/* Opens the memory of the process, unless its number is that of a process on another machine. */
static int open_memory(lldb::SBTarget &target)
{
	lldb::SBProcess process = target.GetProcess();
	const char *platform = target.GetPlatform().GetName();
	const char *plugin = process.GetPluginName();

	if (!platform || strcmp(platform, "host") != 0 || !plugin || !strcmp(plugin, "elf-core"))
		return -1;
	std::string path = "/proc/" + std::to_string(process.GetProcessID()) + "/mem";
	int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !is_that_process(target, fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

size_t local_memory::read(lldb::SBTarget &target, uint64_t address, void *buffer, size_t size)
{
	if (size < LOCAL_MIN)
		return 0;
	if (!tried)
		fd = open_memory(target);
	tried = true;
	ssize_t got = fd >= 0 ? pread(fd, buffer, size, (off_t)address) : 0;
	return got > 0 ? (size_t)got : 0;
}
