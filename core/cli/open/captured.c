/* SPDX-License-Identifier: MIT */
/* Opens the backtraces of a log: the library makes a minidump of them, which is opened in the place of the log. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "open.h"

#include "formats/cbf/cbf.h"
#include "formats/minidump/minidump.h"
#include "os/module/build_id_path.h"
#include "os/module/symbol_path.h"
#include "output/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_LOOK = 4096,     /* bytes in which a text has no NUL */
	DUMP_MAX = 256 << 20, /* bytes of a minidump that is made */
};

/* The files that are opened while the log is read. */
struct captured_files {
	const struct open *open;
	struct cairn_captured_file file[OPEN_FILES_MAX];
	struct os_file opened[OPEN_FILES_MAX];
	char *path[OPEN_FILES_MAX];
	size_t count;
	struct byte_buffer *dump;
};

/* Is it none of the files that stacks are opened of? */
static bool is_text(struct cairn_bytes bytes)
{
	static const char magic[] = "\177ELF";
	const size_t look = bytes.size < TEXT_LOOK ? bytes.size : TEXT_LOOK;

	if (cbf_may_begin(bytes))
		return true;
	return bytes.size > 0 && !minidump_has_magic(bytes) && !memchr(bytes.data, '\0', look) &&
	       (bytes.size < sizeof(magic) - 1 ||
	        memcmp(bytes.data, magic, sizeof(magic) - 1) != 0);
}

/* Keeps an open file under its whole path, as debuggers want it. */
static struct cairn_captured_file *keep_opened_file(struct captured_files *files, const char *path,
                                                    const struct os_file *opened)
{
	char *whole = realpath(path, NULL);

	if (!whole || files->count >= OPEN_FILES_MAX) {
		free(whole);
		return NULL;
	}
	files->path[files->count] = whole;
	files->opened[files->count] = *opened;
	struct cairn_captured_file *file = &files->file[files->count++];
	*file = (struct cairn_captured_file){ .path = whole, .bytes = opened->bytes };
	return file;
}

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
	struct cairn_captured_file *file = keep_opened_file(files, path, &opened);
	if (!file) {
		os_file_close(&opened);
		return false;
	}
	file->has_base = has_base;
	file->base = base;
	return true;
}

/* It is believed by its build ID, or, if the log has none, by its path. */
static bool try_file(struct captured_files *files, const char *path, struct cairn_bytes build_id,
                     struct cairn_captured_file *found)
{
	struct os_file opened;
	struct cairn_fault fault;
	struct elf elf;

	if (os_file_open_regular(path, &opened) != 0)
		return false;
	const bool parsed = elf_open(opened.bytes, &elf, &fault) == CAIRN_OK;
	const struct cairn_bytes id = parsed ? elf_build_id(&elf) : build_id;
	const bool same = id.size == build_id.size && memcmp(id.data, build_id.data, id.size) == 0;
	const struct cairn_captured_file *kept = parsed && (build_id.size == 0 || same)
	                                                 ? keep_opened_file(files, path, &opened)
	                                                 : NULL;
	if (!kept) {
		os_file_close(&opened);
		return false;
	}
	if (build_id.size == 0)
		print_diagnostic(
			path, "the log does not tell its build; the file that is there is taken");
	*found = *kept;
	return true;
}

/* A file at the path that the log has, below --sysroot; else one of its build ID in a tree of build IDs. */
static bool find_file(void *context, struct cairn_bytes name, struct cairn_bytes build_id,
                      struct cairn_captured_file *found)
{
	struct captured_files *files = context;
	const struct bt_options *options = &files->open->bt.options;
	struct build_id_trees trees = build_id_trees(options->folders, build_id, "");
	const char *sysroot = options->sysroot ? options->sysroot : "";
	char path[SYMBOL_PATH_MAX];

	if (name.size > 0 && name.data[0] == '/' && !memchr(name.data, '\0', name.size) &&
	    strlen(sysroot) + name.size < sizeof(path)) {
		snprintf(path, sizeof(path), "%s%.*s", sysroot, (int)name.size,
		         (const char *)name.data);
		if (try_file(files, path, build_id, found))
			return true;
	}
	while (build_id_trees_next(&trees))
		if (try_file(files, trees.path, build_id, found))
			return true;
	return false;
}

static int take_bytes(void *context, const void *bytes, size_t size)
{
	struct captured_files *files = context;

	byte_buffer_bytes(files->dump, bytes, size);
	return files->dump->failed ? ENOMEM : 0;
}

static void close_files(struct captured_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		os_file_close(&files->opened[i]);
		free(files->path[i]);
	}
}

/* What of the log is not in the stacks; returns an exit status. */
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

static int make_dump(struct open *open, struct captured_files *files, struct cairn_bytes text)
{
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary summary = { .size = sizeof(summary) };
	struct cairn_error error;

	for (size_t i = 0; i < open->exes.count; i++)
		if (!open_exe(files, open->exes.word[i]))
			return EXIT_BROKEN;
	options.text = text;
	options.files = files->file;
	options.file_count = files->count;
	options.find = find_file;
	options.write = take_bytes;
	options.context = files;
	if (cairn_captured_write(&options, &summary, &error) == CAIRN_OK)
		return report_captured(open, &summary);
	print_diagnostic(open->bt.path, "%s; a minidump, or a log with backtraces, is expected",
	                 error.text);
	return EXIT_BROKEN;
}

static int open_log(struct open *open, struct cairn_bytes text)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	static struct captured_files files;

	open->captured = true;
	open->dump = (struct byte_buffer){ .limit = DUMP_MAX };
	files.open = open;
	files.dump = &open->dump;
	const int status = make_dump(open, &files, text);
	close_files(&files);
	if (status == EXIT_BROKEN)
		return status;
	options.bytes = (struct cairn_bytes){ open->dump.data, open->dump.size };
	options.path = open->bt.path;
	open->incomplete = status;
	return bt_open_stacks(&open->bt, &options, open->dump.size);
}

/* What came through a pipe cannot be opened again. */
static int open_piped(struct open *open, struct cairn_bytes bytes)
{
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;

	options.bytes = bytes;
	options.path = open->bt.path;
	return bt_open_stacks(&open->bt, &options, bytes.size);
}

int open_input(struct open *open)
{
	static struct os_file file; /* the stacks of a minidump from a pipe are in it */
	const bool piped = strcmp(open->bt.path, "-") == 0;
	int status;

	if (os_file_open(piped ? "/dev/stdin" : open->bt.path, &file) != 0)
		return bt_input_open(&open->bt);
	if (is_text(file.bytes))
		status = open_log(open, file.bytes);
	else if (piped)
		return open_piped(open, file.bytes);
	else
		status = bt_input_open(&open->bt);
	os_file_close(&file);
	return status;
}
