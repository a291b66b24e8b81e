/* SPDX-License-Identifier: MIT */
/*
 * Reads memory, registers and the list of modules of an LLDB target. Also reads module files,
 * creates the symbol objects that LLDB gets as debug files, and finds files for the modules in a
 * core.
 */
#include "session.h"

#include "common/base/files.h"
#include "common/session/loading.h"

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <memory>
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

/*
 * Call read(BUFFER), which stores at most `size` bytes and returns the number of bytes stored.
 *
 * LLDB reads a live process in cache lines. LLDB 13 and 14 have a bug: if the process has just
 * ended and a line is read only partially, LLDB may write up to one line before the start of the
 * buffer. Therefore the buffer here has a spare line before its start.
 */
template <class Read> static size_t read_with_capacity(void *buffer, size_t size, Read read)
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
static size_t read_process(lldb::SBProcess &process, uint64_t address, void *buffer, size_t size)
{
	lldb::SBError error;
	size_t got = read_with_capacity(buffer, size, [&](void *to) {
		return process.ReadMemory(address, to, size, error);
	});

	return got <= size ? got : 0;
}

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

bool read_program(const std::string &path, struct module_file *file)
{
	file->path = path;
	file->bytes.clear();
	file->sframe_file.clear();
	return cairn_program_read(path.c_str(), &file->program, nullptr) == CAIRN_OK;
}

static std::vector<uint8_t> load_bytes(const char *path)
{
	struct cairn_bytes bytes;

	if (!file_bytes_read(path, &bytes))
		return {};
	std::unique_ptr<void, void (*)(void *)> owner((void *)bytes.data, free);
	return std::vector<uint8_t>(bytes.data, bytes.data + bytes.size);
}

void read_file_bytes(struct module_file *file)
{
	file->bytes = load_bytes(file->path.c_str());
}

static bool has_section(const struct cairn_program *program, const char *name)
{
	for (size_t i = 0; i < program->sections; i++)
		if (strcmp(program->section[i].name, name) == 0)
			return true;
	return false;
}

bool has_frames_alone(const struct cairn_program *program)
{
	return (has_section(program, ".sframe") ||
	        (program->unwinds && !has_section(program, ".debug_frame"))) &&
	       !has_section(program, ".eh_frame");
}

static bool has_unwind_tables(const struct cairn_program *program)
{
	return program->unwinds || has_section(program, ".sframe") ||
	       has_section(program, ".eh_frame") || has_section(program, ".debug_frame");
}

bool read_sframe_file(struct module_file *file, const struct side_files *named,
                      const char *directories)
{
	const struct cairn_bytes id = { file->program.build_id, file->program.build_id_size };
	char path[PATH_MAX];

	file->sframe_file.clear();
	if (!has_unwind_tables(&file->program) &&
	    side_files_find(named, file->path.c_str(), id, directories, path, sizeof(path)))
		file->sframe_file = load_bytes(path);
	return !file->sframe_file.empty();
}

struct symbol_target describe_file(const struct module_file *file)
{
	struct symbol_target target = {};

	target.module = source_program_module(&file->program, 0);
	target.module.name = file->path.c_str();
	target.program = &file->program;
	return target;
}

int make_file_object(const struct module_file *file, const struct cairn_symbols *symbols,
                     uint64_t offset, uint64_t *functions)
{
	struct symbol_target target = describe_file(file);
	struct cairn_object_options options;
	struct cairn_object object;

	loading_fill_options(&target, &file->program, &options);
	options.shift = offset;
	options.for_lldb = true;
	options.program = { file->bytes.data(), file->bytes.size() };
	options.sframe_file = { file->sframe_file.data(), file->sframe_file.size() };
	if (cairn_object_make(symbols, &options, &object) != CAIRN_OK)
		return -1;
	int fd = memfile_sealed(object.bytes.data, object.bytes.size);
	*functions = object.functions;
	cairn_object_free(&object);
	return fd;
}

/*
 * Finds the files of a core's modules if LLDB does not find them, because the program has been
 * removed or the core comes from another machine. A core contains the first page of each module
 * with the build ID, so LLDB can be given a file with the same build ID.
 */

enum { FILES_MAX = 4096 };

struct core_module {
	uint64_t low, bias;
	std::string build_id; /* build ID in hexadecimal; may be empty */
	std::string id;       /* build ID in binary */
	bool whole; /* the core contains the whole module, including code and unwind tables */
};

bool is_core(const lldb_session *s)
{
	lldb::SBTarget target = s->target;
	const char *plugin = target.GetProcess().GetPluginName();

	return plugin && strcmp(plugin, "elf-core") == 0;
}

static bool is_elf(lldb::SBProcess &process, uint64_t address)
{
	static const char magic[] = { 0x7f, 'E', 'L', 'F' };
	char begin[sizeof(magic)];

	return read_process(process, address, begin, sizeof(begin)) == sizeof(begin) &&
	       memcmp(begin, magic, sizeof(magic)) == 0;
}

/*
 * Return true if the core contains the whole module. This is true of the vDSO, and of all modules
 * in a full core.
 */
static bool is_whole(lldb::SBProcess &process, const struct cairn_module &module)
{
	enum { PAGE = 4096 };
	char byte;

	for (uint64_t at = module.low; at < module.high; at += PAGE)
		if (read_process(process, at, &byte, 1) != 1)
			return false;
	return true;
}

static std::string write_hex(const struct cairn_bytes &id)
{
	std::string hex;
	char digits[3];

	for (size_t i = 0; i < id.size; i++) {
		snprintf(digits, sizeof(digits), "%02x", id.data[i]);
		hex += digits;
	}
	return hex;
}

static std::vector<core_module> list_images(lldb_session *s)
{
	lldb::SBProcess process = s->target.GetProcess();
	lldb::SBMemoryRegionInfoList regions = process.GetMemoryRegions();
	std::vector<core_module> images;

	for (uint32_t i = 0; i < regions.GetSize(); i++) {
		lldb::SBMemoryRegionInfo region;
		struct cairn_module module;
		if (!regions.GetMemoryRegionAtIndex(i, region) ||
		    !is_elf(process, region.GetRegionBase()) ||
		    cairn_space_module(s->space, region.GetRegionBase(), &module) != CAIRN_OK ||
		    module.low != region.GetRegionBase() || !module.has_headers)
			continue;
		images.push_back({ module.low, module.bias, write_hex(module.build_id),
		                   std::string(module.build_id.data,
		                               module.build_id.data + module.build_id.size),
		                   is_whole(process, module) });
	}
	return images;
}

/* Return true if a UUID such as "ABCD-EF" equals a build ID in hexadecimal such as "abcdef". */
static bool is_same_id(const char *uuid, const std::string &hex)
{
	std::string plain;

	for (; uuid && *uuid; uuid++)
		if (*uuid != '-')
			plain += (char)(*uuid >= 'A' && *uuid <= 'F' ? *uuid - 'A' + 'a' : *uuid);
	return !hex.empty() && plain == hex;
}

static bool is_of_build(const std::string &path, const std::string &hex)
{
	struct cairn_program program;

	return cairn_program_read(path.c_str(), &program, nullptr) == CAIRN_OK &&
	       write_hex({ program.build_id, program.build_id_size }) == hex;
}

/* Return LLDB's module with this build ID or address, or an invalid SBModule. */
static lldb::SBModule find_known_module(lldb_session *s, const core_module &wanted)
{
	for (uint32_t i = 0; i < s->target.GetNumModules(); i++) {
		lldb::SBModule module = s->target.GetModuleAtIndex(i);
		if (is_same_id(module.GetUUIDString(), wanted.build_id) ||
		    module.GetObjectFileHeaderAddress().GetLoadAddress(s->target) == wanted.low)
			return module;
	}
	return lldb::SBModule();
}

/*
 * Return true if the file is the executed file rather than a debug file or other file derived from
 * it. The first page of the module in the core comes from the executed file. Compare only the
 * program headers in that page: the ELF header also locates the section headers, which do not
 * matter for execution.
 */
static bool is_program(lldb_session *s, const std::string &path, const core_module &module)
{
	enum { HEADER = 64, SEGMENTS = 4 * 56 };
	char there[SEGMENTS], here[SEGMENTS];
	lldb::SBProcess process = s->target.GetProcess();

	int fd = cairn_regular_file_open(path.c_str());
	ssize_t got = fd >= 0 ? pread(fd, here, sizeof(here), HEADER) : 0;
	if (fd >= 0)
		close(fd);
	return got == (ssize_t)sizeof(here) &&
	       read_process(process, module.low + HEADER, there, sizeof(there)) == sizeof(there) &&
	       memcmp(here, there, sizeof(here)) == 0;
}

/*
 * The file to search for: the executed file if `run` is set, otherwise any file with the module's
 * build ID.
 */
struct wanted_file {
	lldb_session *s;
	const core_module &module;
	bool run;
};

/*
 * Return true if the file is the wanted one. Compare the program headers first, because a single
 * read then excludes most files in a directory.
 */
static bool is_wanted_file(const struct wanted_file &wanted, const std::string &path)
{
	return (!wanted.run || is_program(wanted.s, path, wanted.module)) &&
	       is_of_build(path, wanted.module.build_id);
}

/*
 * Find the wanted file in a directory, whatever its name. Returns an empty string if no file
 * matches.
 */
static std::string find_in_directory(const struct wanted_file &wanted, const std::string &directory)
{
	std::string found;
	DIR *dir = opendir(directory.c_str());

	if (!dir)
		return found;
	for (unsigned i = 0; found.empty() && i < FILES_MAX; i++) {
		const struct dirent *entry = readdir(dir);
		if (!entry)
			break;
		std::string path = directory + (directory.back() == '/' ? "" : "/") + entry->d_name;
		if (entry->d_type != DT_DIR && is_wanted_file(wanted, path))
			found = path;
	}
	closedir(dir);
	return found;
}

/* List the directories to search for debug files: LLDB's, cairn's and /usr/lib/debug. */
static std::vector<std::string> list_roots(lldb_session *s)
{
	std::vector<std::string> roots = list_setting(s, "target.debug-file-search-paths");
	std::string own = s->sources.directories ? s->sources.directories : "";

	for (size_t begin = 0; begin < own.size();) {
		size_t end = own.find(':', begin);
		end = end == std::string::npos ? own.size() : end;
		roots.push_back(own.substr(begin, end - begin));
		begin = end + 1;
	}
	roots.push_back("/usr/lib/debug");
	return roots;
}

/*
 * List the directories in which LLDB searches for programs. If the executed file is wanted, include
 * the directory that contains this machine's C library.
 */
static std::vector<std::string> list_program_directories(const struct wanted_file &wanted)
{
	std::vector<std::string> directories;
	Dl_info here;

	if (wanted.module.whole) /* the vDSO has no file */
		return directories;
	directories = list_setting(wanted.s, "target.exec-search-paths");
	if (wanted.run && dladdr((const void *)&opendir, &here) && here.dli_fname &&
	    strchr(here.dli_fname, '/'))
		directories.push_back(std::string(here.dli_fname, strrchr(here.dli_fname, '/')));
	return directories;
}

static std::string find_wanted(const struct wanted_file &wanted)
{
	const std::string &id = wanted.module.id;
	std::string found;

	for (const std::string &root : list_roots(wanted.s))
		for (const char *extension : { "", "debug" }) {
			found = name_build_file({ (const uint8_t *)id.data(), id.size() }, root,
			                        extension);
			if (!found.empty() && is_wanted_file(wanted, found))
				return found;
		}
	for (const std::string &directory : list_program_directories(wanted))
		if (!(found = find_in_directory(wanted, directory)).empty())
			return found;
	return "";
}

/*
 * Find a file for the module, preferably the executed file. LLDB can also use files derived from
 * it, such as debug files.
 */
static std::string find_program_file(lldb_session *s, const core_module &module)
{
	if (module.build_id.size() < 4)
		return "";
	std::string found = find_wanted({ s, module, true });
	return found.empty() ? find_wanted({ s, module, false }) : found;
}

/*
 * Give LLDB the module's file. In LLDB 23 and newer a module without a file may already exist,
 * created from the core's memory; remove that module first.
 */
static bool give_module(lldb_session *s, const core_module &module, const std::string &path)
{
	lldb::SBModule old = find_known_module(s, module);

	if (old.IsValid())
		s->target.RemoveModule(old);
	lldb::SBModule added = s->target.AddModule(path.c_str(), nullptr, nullptr);
	return added.IsValid() &&
	       s->target.SetModuleLoadAddress(added, (int64_t)module.bias).Success();
}

static bool has_file(lldb_session *s, const core_module &module)
{
	lldb::SBModule known = find_known_module(s, module);

	return known.IsValid() && access(find_module_path(known).c_str(), R_OK) == 0;
}

static void print_lost(struct command_call *call, const core_module &module)
{
	const std::string &id = module.build_id;

	reply_print(call, "no file of the module at 0x%" PRIx64 ", build ID %s%s", module.low,
	            id.empty() ? "none" : id.c_str(),
	            id.empty() ? ""
	                       : "; name its directory in target.exec-search-paths, or one with "
	                         ".build-id in target.debug-file-search-paths");
}

static bool complete_module(struct command_call *call, const core_module &module)
{
	lldb_session *s = get_lldb_session(call);
	std::string path = find_program_file(s, module);
	bool given = !path.empty() && give_module(s, module, path);

	if (call->json)
		return given;
	if (given)
		reply_print(call, "%s: the file of the module at 0x%" PRIx64, path.c_str(),
		            module.low);
	else if (!module.whole)
		print_lost(call, module);
	return given;
}

void complete_core(struct command_call *call)
{
	lldb_session *s = get_lldb_session(call);
	bool given = false;

	if (!is_core(s) || static_cast<lldb_call *>(call)->completed)
		return;
	static_cast<lldb_call *>(call)->completed = true;
	for (const core_module &module : list_images(s))
		given = (!has_file(s, module) && complete_module(call, module)) || given;
	if (given)
		report_lldb_modules(s);
}
