/* SPDX-License-Identifier: MIT */
/* Reads the file of a module, and makes the object that becomes its debug file. */
#include "module_file.h"

#include "common/base/files.h"
#include "common/session/loading.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

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
