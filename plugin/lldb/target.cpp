/* SPDX-License-Identifier: MIT */
/* Reads memory, registers and the list of modules of an LLDB target. */
#include "process_memory.h"
#include "session.h"

#include <climits>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

enum {
	/*
	 * minimum size of direct reads; LLDB handles smaller reads, because it caches memory and
	 * hides its breakpoints
	 */
	LOCAL_MIN = 4096,
	PROBE = 256,
	/*
	 * number of bytes to compare at the base of a stack, where the kernel stores random bytes
	 * for each process
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

static bool is_same_memory(lldb::SBProcess &process, int fd, uint64_t address)
{
	char theirs[PROBE], ours[PROBE];

	return read_process(process, address, theirs, sizeof(theirs)) == sizeof(theirs) &&
	       pread(fd, ours, sizeof(ours), (off_t)address) == (ssize_t)sizeof(ours) &&
	       memcmp(theirs, ours, sizeof(ours)) == 0;
}

/*
 * Return true if `fd` and LLDB read the same bytes at the base of the stack. For the first thread
 * these include arguments, the environment and 16 random bytes, which distinguish two processes of
 * the same program.
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
 * Return true if `fd` accesses the memory of the target's process and not of another process with
 * the same ID. Compares the program's header and the stack, whose address differs between processes
 * if ASLR is on.
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

/* Open the process's memory. Returns -1 if the process runs on another machine. */
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

void poll_interrupt(void *context)
{
	auto *session = static_cast<lldb_session *>(context);

	if (session->interruptible && session->lldb.GetCommandInterpreter().WasInterrupted())
		throw interruption();
}

bool is_process_stopped(const lldb_session *session)
{
	lldb::SBTarget target = session->target;
	lldb::SBProcess process = target.GetProcess();

	if (!process.IsValid())
		return false;
	lldb::StateType state = process.GetState();
	return state == lldb::eStateStopped || state == lldb::eStateCrashed ||
	       state == lldb::eStateSuspended;
}

/*
 * Read memory that a core omits because the module's file contains it. LLDB can read such memory
 * only by section. Returns the number of bytes read.
 */
static size_t read_section(lldb::SBTarget &target, uint64_t address, void *buffer, size_t size)
{
	lldb::SBAddress place = target.ResolveLoadAddress(address);
	lldb::SBSection section = place.GetSection();
	lldb::SBError error;

	if (!section.IsValid() || place.GetOffset() >= section.GetByteSize())
		return 0;
	uint64_t left = section.GetByteSize() - place.GetOffset();
	size_t part = size < left ? size : (size_t)left;
	size_t got = read_with_capacity(
		buffer, part, [&](void *to) { return target.ReadMemory(place, to, part, error); });
	return error.Success() && got <= part ? got : 0;
}

enum { PAGE = 4096 };

/*
 * Return true if the offset `into` in the segment at address `low` is beyond the segment's `held`
 * bytes of file contents, but in the same page as the last of these bytes.
 */
static bool is_in_last_page(uint64_t low, uint64_t held, uint64_t into)
{
	return held > 0 && into >= held && into - held < PAGE - 1 - (low + held - 1) % PAGE;
}

/*
 * Read the module's file from `offset` to the end of the page. The kernel maps whole pages, so
 * memory also contains the bytes that follow the segment in the file.
 */
static size_t read_end_of_page(lldb::SBModule &module, uint64_t offset, void *buffer, size_t size)
{
	char path[PATH_MAX];
	uint64_t left = PAGE - offset % PAGE;
	size_t part = size < left ? size : (size_t)left;

	if (module.GetFileSpec().GetPath(path, sizeof(path)) == 0)
		return 0;
	int fd = cairn_regular_file_open(path);
	ssize_t got = fd >= 0 ? pread(fd, buffer, part, (off_t)offset) : 0;
	if (fd >= 0)
		close(fd);
	return got > 0 ? (size_t)got : 0;
}

/* Read from a segment's contents in the module's file. Returns the number of bytes read. */
static size_t read_segment(lldb::SBTarget &target, lldb::SBModule &module, lldb::SBSection &segment,
                           uint64_t address, void *buffer, size_t size)
{
	const char *name = segment.GetName();
	uint64_t low = segment.GetLoadAddress(target), held = segment.GetFileByteSize();
	lldb::SBError error;

	if (!name || strncmp(name, "PT_LOAD", 7) != 0 || low == LLDB_INVALID_ADDRESS ||
	    address < low)
		return 0;
	uint64_t into = address - low;
	if (into >= held)
		return segment.GetByteSize() == held && is_in_last_page(low, held, into)
		               ? read_end_of_page(module, segment.GetFileOffset() + into, buffer,
		                                  size)
		               : 0;
	size_t part = size < held - into ? size : (size_t)(held - into);
	lldb::SBData data = segment.GetSectionData(into, part);
	size_t got = data.ReadRawData(error, 0, buffer, part);
	return error.Success() && got <= part ? got : 0;
}

/*
 * Read bytes that lie in a segment but between its sections. LLDB reads by section, but a linker
 * may have created a table that extends beyond its section.
 */
static size_t read_segments(lldb::SBTarget &target, uint64_t address, void *buffer, size_t size)
{
	size_t got = 0;

	for (uint32_t i = 0; got == 0 && i < target.GetNumModules(); i++) {
		lldb::SBModule module = target.GetModuleAtIndex(i);
		for (size_t j = 0; got == 0 && j < module.GetNumSections(); j++) {
			lldb::SBSection section = module.GetSectionAtIndex(j);
			got = read_segment(target, module, section, address, buffer, size);
		}
	}
	return got;
}

enum cairn_status read_lldb_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	auto *session = static_cast<lldb_session *>(context);
	lldb::SBProcess process = session->target.GetProcess();
	auto *to = static_cast<uint8_t *>(buffer);

	poll_interrupt(session);
	if (!is_process_stopped(session) || size - 1 > UINT64_MAX - address)
		return CAIRN_UNREADABLE;
	for (size_t done = 0; done < size;) {
		size_t got = session->local.read(session->target, address + done, to + done,
		                                 size - done);
		if (got == 0)
			got = read_process(process, address + done, to + done, size - done);
		if (got == 0)
			got = read_section(session->target, address + done, to + done, size - done);
		if (got == 0)
			got = read_segments(session->target, address + done, to + done,
			                    size - done);
		if (got == 0)
			return CAIRN_UNREADABLE;
		done += got;
	}
	return CAIRN_OK;
}

enum cairn_machine find_machine(lldb::SBTarget &target, bool *big_endian)
{
	const char *triple = target.GetTriple();

	*big_endian = target.GetByteOrder() == lldb::eByteOrderBig;
	if (!triple)
		return CAIRN_MACHINE_NONE;
	if (strncmp(triple, "x86_64", 6) == 0)
		return CAIRN_MACHINE_AMD64;
	if (strncmp(triple, "aarch64", 7) == 0)
		return CAIRN_MACHINE_AARCH64;
	return strncmp(triple, "s390x", 5) == 0 ? CAIRN_MACHINE_S390X : CAIRN_MACHINE_NONE;
}

static std::string name_register(enum cairn_machine machine, unsigned number)
{
	static const char *const amd64[] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
		"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"
	};
	static const char *const aarch64[] = { "fp", "lr", "sp" };

	if (machine == CAIRN_MACHINE_AMD64)
		return number < 16 ? amd64[number] : "";
	if (machine == CAIRN_MACHINE_AARCH64 && number >= 29)
		return number < 32 ? aarch64[number - 29] : "";
	if (machine == CAIRN_MACHINE_AARCH64)
		return "x" + std::to_string(number);
	return machine == CAIRN_MACHINE_S390X && number < 16 ? "r" + std::to_string(number) : "";
}

void read_lldb_registers(lldb::SBTarget &target, lldb::SBFrame &frame,
                         struct cairn_registers *registers)
{
	*registers = cairn_registers();
	registers->machine = find_machine(target, &registers->big_endian);
	registers->pc = frame.GetPC();
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++) {
		std::string name = name_register(registers->machine, i);
		if (name.empty())
			continue;
		lldb::SBError error;
		lldb::SBValue value = frame.FindRegister(name.c_str());
		uint64_t number = value.IsValid() ? value.GetValueAsUnsigned(error, 0) : 0;
		if (!value.IsValid() || error.Fail())
			continue;
		registers->value[i] = number;
		registers->known |= (uint64_t)1 << i;
	}
}

std::string find_file_path(const lldb::SBFileSpec &file)
{
	const char *directory = file.GetDirectory(), *name = file.GetFilename();

	if (!directory || !*directory)
		return name ? name : "";
	return std::string(directory) + "/" + (name ? name : "");
}

std::string find_module_path(lldb::SBModule &module)
{
	return find_file_path(module.GetFileSpec());
}

static struct cairn_range find_section(lldb::SBTarget &target, lldb::SBModule &module,
                                       const char *name)
{
	struct cairn_range none = { 0, 0 };
	lldb::SBSection section = module.FindSection(name);
	uint64_t low = section.IsValid() ? section.GetLoadAddress(target) : LLDB_INVALID_ADDRESS;

	if (low == LLDB_INVALID_ADDRESS || section.GetByteSize() > UINT64_MAX - low)
		return none;
	return { low, low + section.GetByteSize() };
}

/* Find the module's address range. LLDB represents segments as top-level sections. */
static bool find_span(lldb::SBTarget &target, lldb::SBModule &module, struct cairn_range *span)
{
	*span = { UINT64_MAX, 0 };
	for (size_t i = 0; i < module.GetNumSections(); i++) {
		lldb::SBSection section = module.GetSectionAtIndex(i);
		const char *name = section.GetName();
		uint64_t low = section.GetLoadAddress(target);
		if (!name || strncmp(name, "PT_LOAD", 7) != 0 || low == LLDB_INVALID_ADDRESS ||
		    section.GetByteSize() > UINT64_MAX - low)
			continue;
		uint64_t high = low + section.GetByteSize();
		span->low = low < span->low ? low : span->low;
		span->high = high > span->high ? high : span->high;
	}
	return span->low < span->high;
}

bool describe_module(lldb::SBTarget &target, lldb::SBModule &module,
                     struct cairn_host_module *report)
{
	struct cairn_range span;

	*report = cairn_host_module();
	if (!find_span(target, module, &span))
		return false;
	report->low = span.low;
	report->high = span.high;
	report->machine = find_machine(target, &report->big_endian);
	report->text = find_section(target, module, ".text");
	report->sframe = find_section(target, module, ".sframe");
	report->eh_frame_hdr = find_section(target, module, ".eh_frame_hdr");
	report->eh_frame = find_section(target, module, ".eh_frame");
	return true;
}

static bool has_range(const struct cairn_range *range)
{
	return range->low < range->high;
}

/*
 * Make the space read the module's headers, to get its build ID, and find a separate SFrame file if
 * the module has no unwind tables.
 */
static void complete_module(lldb_session *s, const struct cairn_host_module *told)
{
	struct cairn_module module;

	if (cairn_space_module(s->space, told->low, &module) == CAIRN_OK &&
	    !has_range(&told->sframe) && !has_range(&told->eh_frame) &&
	    !has_range(&told->eh_frame_hdr))
		side_files_give(&s->side_files, s->space, told->low, s->sources.directories);
}

/*
 * Read the list of JIT code that the program has registered. JIT code is not part of any module,
 * but LLDB finds the list by its symbol.
 */
static void read_registered_code(lldb_session *session)
{
	lldb::SBTarget &target = session->target;
	lldb::SBSymbolContextList list =
		target.FindSymbols("__jit_debug_descriptor", lldb::eSymbolTypeAny);
	struct cairn_fault fault;
	bool big_endian;
	enum cairn_machine machine = find_machine(target, &big_endian);

	for (uint32_t i = 0; i < list.GetSize(); i++) {
		uint64_t at =
			list.GetContextAtIndex(i).GetSymbol().GetStartAddress().GetLoadAddress(
				target);
		if (at != LLDB_INVALID_ADDRESS &&
		    cairn_space_read_registered_code(session->space, at, machine, big_endian,
		                                     &fault) == CAIRN_OK)
			return;
	}
}

bool report_lldb_modules(lldb_session *session)
{
	std::vector<struct cairn_host_module> reports;

	lldb::SBTarget &target = session->target;
	bool enough = true;

	cairn_space_begin_modules(session->space);
	for (uint32_t i = 0; enough && i < target.GetNumModules(); i++) {
		lldb::SBModule module = target.GetModuleAtIndex(i);
		std::string path = find_module_path(module);
		struct cairn_host_module report;
		if (!describe_module(target, module, &report))
			continue;
		report.name = { (const uint8_t *)path.data(), path.size() };
		const enum cairn_status status = cairn_space_add_module(session->space, &report);
		enough = status != CAIRN_NO_MEMORY && status != CAIRN_LIMIT;
		reports.push_back(report);
	}
	cairn_space_end_modules(session->space);
	for (const struct cairn_host_module &report : reports)
		complete_module(session, &report);
	read_registered_code(session);
	return enough;
}
