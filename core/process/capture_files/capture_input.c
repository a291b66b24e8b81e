/* SPDX-License-Identifier: MIT */
/* Opens the stacks of a capture: of a minidump as they are, of a text by a minidump that is made of it. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <cairn.h>

#include "base/bytes_compare.h"
#include "base/error.h"
#include "capture_files.h"
#include "formats/elf/elf.h"
#include "formats/minidump/minidump.h"
#include "os/file/file.h"
#include "os/module/build_id_path.h"
#include "os/module/symbol_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files that are open while a text is read. */
struct captured_files {
	const struct cairn_capture_options *options;
	const char *folders, *sysroot;
	struct cairn_captured_file file[CAPTURE_FILES_MAX];
	struct os_file opened[CAPTURE_FILES_MAX];
	size_t count;
	uint64_t unchecked;
	struct byte_buffer *dump;
};

/* Keeps an open file under its whole path, as debuggers want it. */
static struct cairn_captured_file *keep_captured_file(struct captured_files *files,
                                                      const char *path,
                                                      const struct os_file *opened)
{
	char *whole = files->count < CAPTURE_FILES_MAX ? realpath(path, NULL) : NULL;

	if (!whole)
		return NULL;
	files->opened[files->count] = *opened;
	struct cairn_captured_file *file = &files->file[files->count++];
	*file = (struct cairn_captured_file){ .path = whole, .bytes = opened->bytes };
	return file;
}

/* A pipe or a device would keep the host waiting, and is not opened. */
static enum cairn_status open_regular_input(const char *path, struct os_file *file,
                                            struct cairn_error *error)
{
	const int number = os_file_open_regular(path, file);

	if (number == EINVAL || number == EISDIR)
		return error_set(error, CAIRN_UNREADABLE, path, "is not a regular file");
	return number == 0 ? CAIRN_OK : error_set_system(error, number, path, "cannot be opened");
}

static enum cairn_status open_given(struct captured_files *files,
                                    const struct cairn_capture_file *given,
                                    struct cairn_error *error)
{
	struct os_file opened;
	const enum cairn_status status = open_regular_input(given->path, &opened, error);

	if (status != CAIRN_OK)
		return status;
	struct cairn_captured_file *file = keep_captured_file(files, given->path, &opened);
	if (!file) {
		os_file_close(&opened);
		return error_set_memory(error, given->path);
	}
	file->has_base = given->has_base;
	file->base = given->base;
	return CAIRN_OK;
}

/* It is believed by its build ID, or, if the text has none, by its path. */
static bool try_path(struct captured_files *files, const char *path, struct cairn_bytes build_id,
                     struct cairn_captured_file *found)
{
	struct os_file opened;
	struct cairn_fault fault;
	struct elf elf;

	if (os_file_open_regular(path, &opened) != 0)
		return false;
	const bool same = elf_open(opened.bytes, &elf, &fault) == CAIRN_OK &&
	                  (build_id.size == 0 || bytes_equal(elf_build_id(&elf), build_id));
	const struct cairn_captured_file *kept =
		same ? keep_captured_file(files, path, &opened) : NULL;
	if (!kept) {
		os_file_close(&opened);
		return false;
	}
	files->unchecked += build_id.size == 0;
	*found = *kept;
	return true;
}

/* A file at the path that the text has, below the sysroot; else one of its build ID in a tree of build IDs. */
static bool find_captured_file(void *context, struct cairn_bytes name, struct cairn_bytes build_id,
                               struct cairn_captured_file *found)
{
	struct captured_files *files = context;
	struct build_id_trees trees = build_id_trees(files->folders, build_id, "");
	const char *sysroot = files->sysroot ? files->sysroot : "";
	char path[SYMBOL_PATH_MAX];

	if (name.size > 0 && name.data[0] == '/' && !memchr(name.data, '\0', name.size) &&
	    strlen(sysroot) + name.size < sizeof(path)) {
		snprintf(path, sizeof(path), "%s%.*s", sysroot, (int)name.size,
		         (const char *)name.data);
		if (try_path(files, path, build_id, found))
			return true;
	}
	while (build_id_trees_next(&trees))
		if (try_path(files, trees.path, build_id, found))
			return true;
	return false;
}

static int take_dump_bytes(void *context, const void *bytes, size_t size)
{
	struct captured_files *files = context;

	byte_buffer_bytes(files->dump, bytes, size);
	return files->dump->failed ? ENOMEM : 0;
}

static void close_captured_files(struct captured_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		os_file_close(&files->opened[i]);
		free((char *)(uintptr_t)files->file[i].path);
	}
	free(files);
}

static void keep_text_summary(struct cairn_capture_summary *summary,
                              const struct cairn_captured_summary *captured, uint64_t unchecked)
{
	summary->is_text = true;
	summary->unchecked = unchecked;
	summary->ended = captured->ended;
	summary->left_out = captured->left_out;
	summary->lost = captured->lost;
	summary->stacks = captured->stacks;
	summary->word_at = captured->word_at;
	summary->word = captured->word;
}

static enum cairn_status make_dump(struct captured_files *files, struct cairn_bytes text,
                                   struct cairn_capture_summary *summary, struct cairn_error *error)
{
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary captured = { .size = sizeof(captured) };
	enum cairn_status status = CAIRN_OK;

	for (size_t i = 0; i < files->options->file_count && status == CAIRN_OK; i++)
		status = open_given(files, &files->options->files[i], error);
	if (status != CAIRN_OK)
		return status;
	options.text = text;
	options.files = files->file;
	options.file_count = files->count;
	options.modules = files->options->modules;
	options.module_count = files->options->module_count;
	options.find = find_captured_file;
	options.write = take_dump_bytes;
	options.context = files;
	status = cairn_captured_write(&options, &captured, error);
	if (status == CAIRN_OK)
		keep_text_summary(summary, &captured, files->unchecked);
	return status;
}

static enum cairn_status open_text(struct cairn_capture *capture,
                                   const struct cairn_capture_options *options,
                                   struct cairn_bytes text, struct byte_buffer *dump,
                                   struct cairn_error *error)
{
	struct captured_files *files = calloc(1, sizeof(*files));

	if (!files)
		return error_set_memory(error, options->path);
	files->options = options;
	files->folders = options->search ? options->search->folders : NULL;
	files->sysroot = options->search ? options->search->sysroot : NULL;
	files->dump = dump;
	const enum cairn_status status = make_dump(files, text, &capture->summary, error);
	close_captured_files(files);
	return status;
}

/* A minidump is as it came; whatever else it is becomes one. */
static enum cairn_status open_bytes(struct capture_input *input, struct cairn_capture *capture,
                                    const struct cairn_capture_options *options,
                                    struct cairn_bytes bytes, struct cairn_error *error)
{
	struct cairn_stacks_options opening = CAIRN_STACKS_OPTIONS;
	enum cairn_status status = CAIRN_OK;

	opening.bytes = bytes;
	opening.path = options->path;
	opening.search = options->search;
	opening.program = options->file_count > 0 ? options->files[0].path : NULL;
	if (!minidump_has_magic(bytes)) {
		input->dump.limit = CAPTURE_DUMP_MAX;
		status = open_text(capture, options, bytes, &input->dump, error);
		opening.bytes = (struct cairn_bytes){ input->dump.data, input->dump.size };
	}
	return status == CAIRN_OK ? cairn_stacks_open(&opening, &input->stacks, error) : status;
}

enum cairn_status capture_input_open(struct capture_input *input, struct cairn_capture *capture,
                                     const struct cairn_capture_options *options,
                                     struct cairn_error *error)
{
	if (options->bytes.size > 0 || !options->path)
		return open_bytes(input, capture, options, options->bytes, error);
	const enum cairn_status status = open_regular_input(options->path, &input->file, error);
	if (status != CAIRN_OK)
		return status;
	input->has_file = true;
	return open_bytes(input, capture, options, input->file.bytes, error);
}

void capture_input_close(struct capture_input *input)
{
	cairn_stacks_close(input->stacks);
	byte_buffer_finish(&input->dump);
	if (input->has_file)
		os_file_close(&input->file);
}
