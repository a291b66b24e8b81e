/* SPDX-License-Identifier: MIT */
/* Opens the stacks of a capture: of a minidump as they are, of a text as they are made of its backtraces. */
#include <cairn.h>

#include "base/error.h"
#include "capture_files.h"
#include "locate/captured_files.h"
#include "process/captured/captured_stacks.h"
#include "process/stacks/stacks.h"

#include <errno.h>

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
	struct cairn_captured_file *file = captured_files_keep(files, given->path, &opened);
	if (!file) {
		os_file_close(&opened);
		return error_set_memory(error, given->path);
	}
	file->has_base = given->has_base;
	file->base = given->base;
	return CAIRN_OK;
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

static enum cairn_status make_snapshot(struct captured_files *files,
                                       const struct cairn_capture_options *given,
                                       struct cairn_bytes text, struct snapshot *snapshot,
                                       struct cairn_capture_summary *summary,
                                       struct cairn_error *error)
{
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary captured = { .size = sizeof(captured) };
	enum cairn_status status = CAIRN_OK;

	for (size_t i = 0; i < given->file_count && status == CAIRN_OK; i++)
		status = open_given(files, &given->files[i], error);
	if (status != CAIRN_OK)
		return status;
	captured_files_infer(files, text, NULL);
	options.text = text;
	options.files = files->file;
	options.file_count = files->count;
	options.modules = given->modules;
	options.module_count = given->module_count;
	options.find = captured_files_find;
	options.context = files;
	status = captured_snapshot_open(&options, snapshot, &captured, error);
	if (status == CAIRN_OK)
		keep_text_summary(summary, &captured, files->unchecked);
	return status;
}

static enum cairn_status open_bytes(struct capture_input *input, struct cairn_capture *capture,
                                    const struct cairn_capture_options *options,
                                    struct cairn_bytes bytes, struct cairn_error *error)
{
	const struct cairn_symbolizer_options *search = options->search;
	struct cairn_stacks_options opening = CAIRN_STACKS_OPTIONS;
	struct snapshot snapshot;

	opening.path = options->path;
	opening.search = search;
	opening.program = options->file_count > 0 ? options->files[0].path : NULL;
	if (!captured_files_is_text(bytes)) {
		opening.bytes = bytes;
		return cairn_stacks_open(&opening, &input->stacks, error);
	}
	struct captured_files *files = captured_files_new(search ? search->folders : NULL,
	                                                  search ? search->sysroot : NULL);
	if (!files)
		return error_set_memory(error, options->path);
	const enum cairn_status status =
		make_snapshot(files, options, bytes, &snapshot, &capture->summary, error);
	captured_files_free(files);
	return status == CAIRN_OK ? stacks_open_snapshot(&opening, &snapshot, &input->stacks, error)
	                          : status;
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
	if (input->has_file)
		os_file_close(&input->file);
}
