/* SPDX-License-Identifier: MIT */
/* The files of the program that `cairn where` is asked about, which its symbolizer looks for and debuginfod may have. */
#include "where.h"

#include "cli/front/debuginfod_diagnostic.h"
#include "convert/source/elf_source.h"
#include "os/module/separate_debug_files.h"

#include <errno.h>
#include <stdlib.h>

static int open_program_file(void *context, const char *path, struct cairn_open_file *file)
{
	const struct where *where = context;
	struct os_file *own = malloc(sizeof(*own));
	const int error = own ? os_file_open_regular(path, own) : ENOMEM;

	if (error) {
		free(own);
		return error;
	}
	if (where->is_few)
		os_file_read_apart(own);
	file->bytes = own->bytes;
	file->handle = own;
	file->mapped = own->mapped;
	return 0;
}

static void close_program_file(void *context, struct cairn_open_file *file)
{
	(void)context;
	os_file_close(file->handle);
	free(file->handle);
}

const struct os_file *where_file(struct where *where, enum cairn_module_file wanted)
{
	static const struct os_file none = { .bytes = { (const uint8_t *)"", 0 } };
	struct lookup *lookup = &where->lookup;
	struct cairn_open_file file;

	return cairn_symbolizer_file(lookup->symbolizer, &lookup->module, wanted, &file)
	               ? file.handle
	               : &none;
}

uint64_t where_debug_size(struct where *where)
{
	const struct os_file *debug = where_file(where, CAIRN_FILE_DEBUG);

	return debug->bytes.size > 0 ? debug->bytes.size
	                             : where_file(where, CAIRN_FILE_PROGRAM)->bytes.size;
}

bool where_open_image(struct cairn_bytes bytes, struct cairn_bytes build_id,
                      struct gsym_input *image)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_fault fault;

	options.build_id = build_id;
	if (cairn_symbols_open(bytes, &options, &image->symbols, &fault) != CAIRN_OK)
		return false;
	image->gsym = &image->symbols->image.gsym;
	return true;
}

/* The debug file from debuginfod, which is asked once; what keeps it from helping is reported. */
static bool fetch_debug_file(struct where *where, struct cairn_bytes build_id, char *path,
                             size_t room)
{
	const char *found;

	if (!where->asked_debuginfod) {
		const enum debuginfod_answer answer =
			debuginfod_find(&where->debuginfod, CAIRN_FILE_DEBUG, build_id, &found);
		print_debuginfod_diagnostic(NULL, &where->debuginfod, answer);
		if (answer == DEBUGINFOD_FOUND)
			snprintf(where->fetched, sizeof(where->fetched), "%s", found);
		where->asked_debuginfod = true;
	}
	return where->fetched[0] && snprintf(path, room, "%s", where->fetched) < (int)room;
}

bool where_fetch_for_conversion(void *context, struct cairn_bytes build_id, char *path, size_t room)
{
	const struct functions_input *told = context;

	return fetch_debug_file(told->owner, build_id, path, room);
}

static bool fetch_for_symbolizer(void *context, enum cairn_module_file wanted,
                                 struct cairn_bytes build_id, char *path, size_t room)
{
	return wanted == CAIRN_FILE_DEBUG && fetch_debug_file(context, build_id, path, room);
}

bool where_check_debug_files(struct where *where)
{
	static const enum cairn_module_file wanted[] = { CAIRN_FILE_DEBUG, CAIRN_FILE_ALTERNATE };
	struct lookup *lookup = &where->lookup;
	struct cairn_open_file file;

	for (size_t i = 0; i < COUNT(wanted); i++)
		if (cairn_symbolizer_file(lookup->symbolizer, &lookup->module, wanted[i], &file) &&
		    !elf_source_check_whole(file.path, file.bytes, &where->told.error)) {
			functions_input_fail(&where->told);
			return false;
		}
	if (where->fetched[0] && where_file(where, CAIRN_FILE_DEBUG)->bytes.size == 0) {
		print_diagnostic(where->fetched,
		                 "not used: it is of another build, or cannot be read");
		where->fetched[0] = '\0';
	}
	return true;
}

void where_report_debug_file(struct where *where)
{
	const struct os_file *program = where_file(where, CAIRN_FILE_PROGRAM);
	const struct separate_debug_rules rules = { .folders = where->input.folders };
	struct separate_debug_files *found = malloc(sizeof(*found));
	char paths[SEPARATE_DEBUG_FILES_LIST_MAX];

	if (!found)
		return;
	separate_debug_files_find_by(found, where->lookup.input.path, program->bytes, &rules);
	if (found->debug_name && !found->debug.path[0] && !where->fetched[0]) {
		separate_debug_files_list_absent(found, paths);
		print_word_diagnostic(where->lookup.input.path, paths, SEPARATE_DEBUG_FILES_ABSENT);
	}
	separate_debug_files_finish(found);
	free(found);
}

void where_set_files(struct where *where, struct cairn_symbolizer_options *options)
{
	options->folders = where->input.folders;
	options->files = (struct cairn_file_access){ open_program_file, close_program_file, where };
	options->fetch = where->use_debuginfod ? fetch_for_symbolizer : NULL;
	options->fetch_context = where;
	where->lookup.module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	where->lookup.module.path = where->lookup.input.path;
}
