/* SPDX-License-Identifier: MIT */
/*
 * Reads module files, creates the symbol objects that LLDB gets as debug files, and finds files for
 * the modules in a core.
 */
#include "process_memory.h"
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
#include <memory>
#include <unistd.h>

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
