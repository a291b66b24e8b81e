/* SPDX-License-Identifier: MIT */
/*
 * Reads a live process of this machine through /proc/PID/mem. LLDB's server provides 55 to 85 MB/s
 * and the kernel several GB/s; moreover, LLDB keeps a copy of every block that it has read.
 */
#include "process_memory.h"
#include "session.h"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

enum {
	/*
	 * bytes; smaller reads are left to LLDB, which answers them from its cache and hides its
	 * breakpoints
	 */
	LOCAL_MIN = 4096,
	PROBE = 256,
	/*
	 * bytes at the base of a stack, where the kernel puts data that is random in each process
	 */
	STACK = 32768,
};

void local_memory::forget()
{
	if (fd >= 0)
		close(fd);
	fd = -1;
	tried = false;
}

/* Return true if LLDB reads the same bytes there as the file contains. */
static bool is_same_memory(lldb::SBProcess &process, int fd, uint64_t address)
{
	char theirs[PROBE], ours[PROBE];

	return read_process(process, address, theirs, sizeof(theirs)) == sizeof(theirs) &&
	       pread(fd, ours, sizeof(ours), (off_t)address) == (ssize_t)sizeof(ours) &&
	       memcmp(theirs, ours, sizeof(ours)) == 0;
}

/*
 * Return true if the base of that stack is the same. For the first thread it contains arguments,
 * the environment and 16 random bytes, which distinguish two processes of one program.
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

/*
 * Return true if `fd` is the memory of the target's process. The stack is at a random address if
 * addresses are randomized, and the file's header is in the module.
 */
static bool is_that_process(lldb::SBTarget &target, int fd)
{
	lldb::SBProcess process = target.GetProcess();
	lldb::SBFrame frame = process.GetThreadAtIndex(0).GetFrameAtIndex(0);
	lldb::SBModule program = target.GetModuleAtIndex(0);
	uint64_t header = program.GetObjectFileHeaderAddress().GetLoadAddress(target);

	return frame.IsValid() && header != LLDB_INVALID_ADDRESS &&
	       is_same_stack(process, fd, frame.GetSP()) && is_same_memory(process, fd, header);
}

/* Open the memory of the process. Returns -1 if its pid belongs to another machine. */
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
