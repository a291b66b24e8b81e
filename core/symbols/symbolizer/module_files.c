/* SPDX-License-Identifier: MIT */
/*
 * Finds the files of a module: among the programs that the host names, at the module's path, in trees of build IDs, and
 * at last where the host knows one.  A file is believed by its build ID.
 */
#include "module_files.h"

#include "base/copy_text.h"
#include "formats/elf/elf.h"
#include "locate/locate.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

bool module_files_open(struct module_files *files, const struct cairn_symbolizer_options *options,
                       const struct cairn_symbol_module *module)
{
	files->options = options;
	files->module = *module;
	files->path = copy_text(module->path ? module->path : "");
	files->build_id = malloc(module->build_id.size + 1);
	if (!files->path || !files->build_id) {
		module_files_close(files);
		return false;
	}
	if (module->build_id.size > 0)
		memcpy(files->build_id, module->build_id.data, module->build_id.size);
	files->module.path = module->path ? files->path : NULL;
	files->module.build_id.data = files->build_id;
	return true;
}

static void drop_separate(struct module_files *files)
{
	if (files->separate)
		separate_debug_files_finish(files->separate);
	free(files->separate);
	files->separate = NULL;
}

void module_files_close(struct module_files *files)
{
	drop_separate(files);
	if (files->program.memory)
		os_file_close(&files->program);
	free(files->program_path);
	free(files->path);
	free(files->build_id);
}

void module_files_report(const struct module_files *files, const char *path, uint64_t size)
{
	if (files->options->opened)
		files->options->opened(files->options->opened_context, path, size);
}

void module_files_note_missing(struct module_files *files, unsigned missing)
{
	files->missing |= missing;
}

/* Ask the host for the path of a file that is not on this machine. */
static bool fetch_path(const struct module_files *files, enum cairn_module_file wanted, char *path,
                       size_t size)
{
	const struct cairn_symbolizer_options *options = files->options;

	return options->fetch && files->module.build_id.size > 0 &&
	       options->fetch(options->fetch_context, wanted, files->module.build_id, path, size);
}

static bool fetch_program(void *context, char *path, size_t size)
{
	return fetch_path(context, CAIRN_FILE_PROGRAM, path, size);
}

static void find_program(struct module_files *files)
{
	const struct cairn_symbolizer_options *options = files->options;
	const struct cairn_symbol_module *module = &files->module;
	enum locate_place order[5] = { LOCATE_GIVEN };
	size_t places = 1;
	struct locate_search search = {
		.order = order,
		.path = { (const uint8_t *)files->path, strlen(files->path) },
		.build_id = module->build_id,
		.given = options->programs,
		.given_count = options->program_count,
		.sysroot = options->sysroot,
		.directories = options->folders,
		.no_system = options->no_system_folders,
		.any_build = options->builds == CAIRN_BUILD_ANY,
		.access = &options->files,
		.fetch = fetch_program,
		.context = files,
	};
	struct located found;

	if (!options->only_files_given &&
	    (options->builds != CAIRN_BUILD_NAMED || module->build_id.size > 0))
		order[places++] = LOCATE_NAME;
	if (!search.any_build)
		order[places++] = LOCATE_TREES;
	order[places] = LOCATE_FETCHED;
	if (locate_file(&search, &found)) {
		files->program = found.file;
		files->program_path = found.path;
		module_files_report(files, found.path, found.file.bytes.size);
	} else {
		files->missing |= CAIRN_MISSING_PROGRAM;
	}
	if (found.other_build)
		files->missing |= CAIRN_MISSING_BUILD;
}

/* A file that has no build ID of its own at hand lends the one that it has. */
static void adopt_build_id(struct module_files *files, struct cairn_bytes bytes)
{
	struct elf elf;

	if (files->module.build_id.size > 0 || !elf_opens(bytes, &elf))
		return;
	const struct cairn_bytes id = elf_build_id(&elf);
	uint8_t *grown = realloc(files->build_id, id.size + 1);
	if (!grown)
		return;
	files->build_id = grown;
	if (id.size > 0)
		memcpy(grown, id.data, id.size);
	files->module.build_id = (struct cairn_bytes){ grown, id.size };
}

static void adopt_lowest(struct module_files *files, struct cairn_bytes bytes)
{
	struct cairn_symbol_module *module = &files->module;
	struct cairn_range span;
	struct elf elf;

	if (module->has_lowest || !elf_opens(bytes, &elf) || !elf_load_span(&elf, &span))
		return;
	module->lowest = span.low & ~(uint64_t)(PAGE - 1);
	module->has_lowest = true;
}

static struct cairn_bytes find_program_bytes(struct module_files *files)
{
	const bool lent = files->module.file.size > 0;

	if (!files->looked_program) {
		files->looked_program = true;
		if (!lent)
			find_program(files);
		const struct cairn_bytes found = lent ? files->module.file : files->program.bytes;
		if (found.size > 0) {
			adopt_build_id(files, found);
			adopt_lowest(files, found);
		}
	}
	return lent ? files->module.file : files->program.bytes;
}

const struct cairn_symbol_module *module_files_module(struct module_files *files)
{
	find_program_bytes(files);
	return &files->module;
}

static void find_separate_files(struct module_files *files)
{
	const struct cairn_symbolizer_options *options = files->options;
	const struct cairn_bytes program = find_program_bytes(files);
	const struct separate_debug_rules rules = { .folders = options->folders,
		                                    .no_system_folders = options->no_system_folders,
		                                    .any_build = options->builds == CAIRN_BUILD_ANY,
		                                    .only_folders = options->no_system_folders &&
		                                                    options->no_cache,
		                                    .access = &options->files };
	const char *path = files->program_path  ? files->program_path
	                   : files->module.path ? files->module.path
	                                        : "";
	char fetched[LOCATE_PATH_MAX];

	files->looked_separate = true;
	files->separate = calloc(1, sizeof(*files->separate));
	if (!files->separate)
		return;
	if (program.size > 0)
		separate_debug_files_find_by(files->separate, path, program, &rules);
	else
		separate_debug_files_find_by_id(files->separate, path, files->module.build_id,
		                                &rules);
	const bool has_dwarf = files->separate->has_dwarf;
	if (!files->separate->debug.path[0] && !has_dwarf &&
	    fetch_path(files, CAIRN_FILE_DEBUG, fetched, sizeof(fetched)))
		separate_debug_files_give(files->separate, fetched, files->module.build_id);
	if (!files->separate->debug.path[0] && !has_dwarf)
		files->missing |= CAIRN_MISSING_DEBUG;
	if (files->separate->debug.path[0])
		module_files_report(files, files->separate->debug.path,
		                    files->separate->debug.file.bytes.size);
	if (files->separate->refused[0])
		files->missing |= CAIRN_MISSING_BUILD;
	if (program.size == 0 && files->separate->debug.path[0])
		adopt_lowest(files, files->separate->debug.file.bytes);
	/* its paths take thousands of bytes, and a log may name thousands of modules that have no files */
	if (program.size == 0 && files->module.debug_file.size == 0 &&
	    !files->separate->debug.path[0])
		drop_separate(files);
}

/* Return what was found, or NULL for nothing. */
static struct separate_debug_files *find_separate(struct module_files *files)
{
	if (!files->looked_separate)
		find_separate_files(files);
	return files->separate;
}

static bool give_bytes(struct cairn_bytes bytes, const char *path, struct cairn_open_file *file)
{
	*file = (struct cairn_open_file){ .bytes = bytes, .path = path };
	return bytes.size > 0;
}

/* With what the host said of it, if the host opened it; of files that are mapped here pages are given back only if that is wanted. */
static bool give_file(const struct module_files *files, const struct os_file *opened,
                      const char *path, struct cairn_open_file *file)
{
	const bool good = give_bytes(opened->bytes, path, file);

	if (good && opened->access)
		file->handle = opened->memory;
	if (good && (opened->access || files->options->in_order))
		file->mapped = opened->mapped;
	return good;
}

static bool give_separate_file(const struct module_files *files,
                               const struct separate_debug_file *separate,
                               struct cairn_open_file *file)
{
	return separate->path[0] && give_file(files, &separate->file, separate->path, file);
}

static bool give_program(struct module_files *files, struct cairn_open_file *file)
{
	const struct cairn_bytes bytes = find_program_bytes(files);

	return files->program_path ? give_file(files, &files->program, files->program_path, file)
	                           : give_bytes(bytes, NULL, file);
}

bool module_files_get(struct module_files *files, enum cairn_module_file wanted,
                      struct cairn_bytes directory, struct cairn_bytes name,
                      struct cairn_open_file *file)
{
	struct separate_debug_files *separate;

	if (wanted == CAIRN_FILE_PROGRAM)
		return give_program(files, file);
	if (wanted == CAIRN_FILE_DEBUG && files->module.debug_file.size > 0)
		return give_bytes(files->module.debug_file, NULL, file);
	separate = find_separate(files);
	if (!separate)
		return false;
	if (wanted == CAIRN_FILE_SPLIT)
		return give_bytes(separate_debug_files_dwo(separate, directory, name), NULL, file);
	return give_separate_file(files,
	                          wanted == CAIRN_FILE_DEBUG       ? &separate->debug
	                          : wanted == CAIRN_FILE_ALTERNATE ? &separate->alt
	                                                           : &separate->package,
	                          file);
}

static void release_file(const struct os_file *file)
{
	if (file->mapped && !file->access)
		os_file_release_pages(file->bytes);
}

void module_files_release_pages(const struct module_files *files)
{
	release_file(&files->program);
	if (!files->separate)
		return;
	release_file(&files->separate->debug.file);
	release_file(&files->separate->alt.file);
	release_file(&files->separate->package.file);
}

static uint64_t count_file(const struct os_file *file)
{
	return file->mapped || file->access || !file->memory ? 0 : file->bytes.size;
}

uint64_t module_files_memory(const struct module_files *files)
{
	uint64_t bytes = count_file(&files->program);

	if (files->separate)
		bytes += count_file(&files->separate->debug.file) +
		         count_file(&files->separate->alt.file) +
		         count_file(&files->separate->package.file);
	return bytes;
}
