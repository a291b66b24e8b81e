/* SPDX-License-Identifier: MIT */
/*
 * Opens the input: a minidump directly, a log through the stacks that the library makes of its
 * backtraces.
 */
#include "open.h"

#include "locate/captured_files.h"
#include "os/module/symbol_path.h"
#include "process/captured/captured_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool open_exe(struct captured_files *files, const char *word)
{
	char path[SYMBOL_PATH_MAX];
	struct os_file opened;
	struct elf elf;
	uint64_t base;
	bool has_base;

	if (!parse_placed_file(word, path, &base, &has_base) ||
	    !input_open_elf(path, &opened, &elf))
		return false;
	struct cairn_captured_file *file = captured_files_keep(files, path, &opened);
	if (!file) {
		os_file_close(&opened);
		return false;
	}
	file->has_base = has_base;
	file->base = base;
	return true;
}

static void tell_unchecked(const char *path)
{
	print_diagnostic(path, "the log does not tell its build; the file that is there is taken");
}

static void tell_loaded(const char *path, const struct load_base *base)
{
	print_diagnostic(path, CAPTURED_FILES_LOADED, base->first, base->follow, base->inside);
}

static int report_captured(const struct open *open, const struct cairn_captured_summary *summary)
{
	if (summary->ended > 0)
		print_diagnostic(
			open->bt.path,
			"%" PRIu64 " of %" PRIu64
			" stacks end before their last frames: no call frame information leads "
			"on; --exe gives a file",
			summary->ended, summary->threads);
	if (summary->lost > 0)
		print_diagnostic(
			open->bt.path,
			"%" PRIu64
			" frames have no address, and no file that tells one; --exe gives a file, "
			"for those of the kernel vmlinux",
			summary->lost);
	if (summary->left_out > 0)
		print_diagnostic(open->bt.path,
		                 "%" PRIu64 " frames are left out: there are too many",
		                 summary->left_out);
	return summary->ended > 0 || summary->lost > 0 || summary->left_out > 0 ? EXIT_MISSING
	                                                                        : EXIT_CLEAN;
}

/* Fill the snapshot. Return EXIT_BROKEN on failure, otherwise the exit status. */
static int make_snapshot(const struct open *open, struct captured_files *files,
                         struct cairn_bytes text, struct snapshot *snapshot)
{
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary summary = { .size = sizeof(summary) };
	struct cairn_error error;

	for (size_t i = 0; i < open->exes.count; i++)
		if (!open_exe(files, open->exes.word[i]))
			return EXIT_BROKEN;
	captured_files_infer(files, text, tell_loaded);
	options.text = text;
	options.files = files->file;
	options.file_count = files->count;
	options.find = captured_files_find;
	options.context = files;
	if (captured_snapshot_open(&options, snapshot, &summary, &error) == CAIRN_OK)
		return report_captured(open, &summary);
	return fail_with(open->bt.path, "%s; a minidump, or a log with backtraces, is expected",
	                 error.text);
}

static int open_log(struct open *open, struct cairn_bytes text)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	const struct bt_options *bt = &open->bt.options;
	struct captured_files *files = captured_files_new(bt->folders, bt->sysroot);
	struct snapshot snapshot;

	open->captured = true;
	if (!files)
		return fail_with(open->bt.path, "out of memory");
	files->tell_unchecked = tell_unchecked;
	open->incomplete = make_snapshot(open, files, text, &snapshot);
	captured_files_free(files);
	if (open->incomplete == EXIT_BROKEN)
		return EXIT_BROKEN;
	options.path = open->bt.path;
	return bt_open_stacks(&open->bt, &options, &snapshot, text.size);
}

int open_input(struct open *open)
{
	/* must outlive this function: the stacks borrow from a minidump read from a pipe */
	static struct os_file file;
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	const bool piped = strcmp(open->bt.path, "-") == 0;
	int status;

	if (os_file_open(piped ? "/dev/stdin" : open->bt.path, &file) != 0)
		return bt_input_open(&open->bt);
	options.bytes = file.bytes;
	options.path = open->bt.path;
	if (captured_files_is_text(file.bytes) && !bt_input_is_packed(file.bytes))
		status = open_log(open, file.bytes);
	else if (piped) /* a pipe cannot be opened again */
		return bt_open_stacks(&open->bt, &options, NULL, file.bytes.size);
	else
		status = bt_input_open(&open->bt);
	os_file_close(&file);
	return status;
}
