/* SPDX-License-Identifier: MIT */
/*
 * Implements cairn_capture_open(): creates the files that a debugger needs to show a capture. Opens
 * the stacks in a minidump directly; reconstructs the stacks of a textual backtrace with the files
 * of its modules. Writes both as a core with placeholders for modules.
 */
#include <cairn.h>

#include "backtraces.h"
#include "base/byte_buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/sized.h"
#include "locate/captured_files.h"
#include "os/file.h"
#include "os/write.h"
#include "process/stacks/stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
	CAPTURE_PATH = 4096,
	NAME_MAX = 64,
	NAMES_MAX = 1 << 20,
	/* maximum length of the directory's path, so that paths of files in it fit as well */
	DIRECTORY_MAX = CAPTURE_PATH - 64,
	/*
	 * Minimum descriptor number of the directory's lock, because debuggers and programs may
	 * expect low numbers to be unused.
	 */
	LOCK_FROM = 64,
	CORE_MODE = 0600,
};

/*
 * Pattern of directory names. Must equal the pattern of `cairn open`, so that the library and the
 * command each remove directories abandoned by the other.
 */
static const char pattern[] = "cairn-open.XXXXXX";
static const char *const directory_files[] = { "core", "script", "core.modules/", NULL };

struct cairn_capture {
	char directory[CAPTURE_PATH]; /* empty if the directory has not been created */
	int lock;
	pid_t owner; /* only this process removes the files, not its forked children */
	char core[CAPTURE_PATH], modules[CAPTURE_PATH];
	char program[CAPTURE_PATH];
	struct byte_buffer names;
	struct cairn_capture_summary summary;
};

/* Open a regular file. Reject pipes and devices because they could block the host. */
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
	if (status != CAIRN_OK)
		return status;
	summary->is_text = true;
	summary->unchecked = files->unchecked;
	summary->ended = captured.ended;
	summary->left_out = captured.left_out;
	summary->lost = captured.lost;
	summary->stacks = captured.stacks;
	summary->word_at = captured.word_at;
	summary->word = captured.word;
	return CAIRN_OK;
}

/*
 * Open the stacks in a minidump or a textual backtrace. For a textual backtrace, also fill in the
 * fields of capture->summary that describe the reconstruction.
 */
static enum cairn_status open_stacks(struct cairn_capture *capture, struct cairn_bytes bytes,
                                     const struct cairn_capture_options *options,
                                     struct cairn_stacks **stacks, struct cairn_error *error)
{
	const struct cairn_symbolizer_options *search = options->search;
	struct cairn_stacks_options opening = CAIRN_STACKS_OPTIONS;
	struct snapshot snapshot;

	opening.path = options->path;
	opening.search = search;
	opening.program = options->file_count > 0 ? options->files[0].path : NULL;
	if (!captured_files_is_text(bytes)) {
		opening.bytes = bytes;
		return cairn_stacks_open(&opening, stacks, error);
	}
	struct captured_files *files = captured_files_new(search ? search->directories : NULL,
	                                                  search ? search->sysroot : NULL);
	if (!files)
		return error_set_memory(error, options->path);
	const enum cairn_status status =
		make_snapshot(files, options, bytes, &snapshot, &capture->summary, error);
	captured_files_free(files);
	return status == CAIRN_OK ? stacks_open_snapshot(&opening, &snapshot, stacks, error)
	                          : status;
}

static enum cairn_status make_directory(struct cairn_capture *capture, const char *parent,
                                        struct cairn_error *error)
{
	const char *usual = getenv("TMPDIR");
	const char *in = parent ? parent : usual && *usual ? usual : "/tmp";
	const int size = snprintf(capture->directory, DIRECTORY_MAX, "%s/%s", in, pattern);
	int number = size > 0 && size < DIRECTORY_MAX ? 0 : ENAMETOOLONG;

	if (number == 0)
		number = os_temporary_directory_make(capture->directory, directory_files,
		                                     &capture->lock);
	if (number != 0) {
		capture->directory[0] = '\0';
		return error_set_system(error, number, in, "cannot create a temporary directory");
	}
	/*
	 * mark the lock close-on-exec, because programs that the debugger starts must not inherit
	 * it
	 */
	const int moved = fcntl(capture->lock, F_DUPFD_CLOEXEC, LOCK_FROM);
	if (moved < 0) {
		(void)fcntl(capture->lock, F_SETFD, FD_CLOEXEC);
	} else {
		close(capture->lock);
		capture->lock = moved;
	}
	snprintf(capture->core, sizeof(capture->core), "%.*s/core", DIRECTORY_MAX,
	         capture->directory);
	snprintf(capture->modules, sizeof(capture->modules), "%.*s/core.modules", DIRECTORY_MAX,
	         capture->directory);
	return CAIRN_OK;
}

/* Create a file. Fail if it exists, because the directory is new and private. */
static int create_file(const char *path, int *fd)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, CORE_MODE);
	return *fd < 0 ? errno : 0;
}

static int place_module_file(void *context, const char *path, const struct cairn_bytes *parts,
                             size_t count)
{
	int fd, error = 0;

	(void)context;
	error = create_file(path, &fd);
	if (error)
		return error;
	for (size_t i = 0; i < count && error == 0; i++)
		error = os_write_all(fd, parts[i]);
	return close(fd) != 0 && error == 0 ? errno : error;
}

static void keep_core_summary(struct cairn_capture *capture, const struct cairn_core_summary *core)
{
	struct cairn_capture_summary *summary = &capture->summary;
	const struct cairn_bytes program = core->program;

	if (program.size > 0 && program.size < sizeof(capture->program) &&
	    !memchr(program.data, '\0', program.size)) {
		memcpy(capture->program, program.data, program.size);
		capture->program[program.size] = '\0';
	}
	summary->core = capture->core;
	summary->program = capture->program;
	summary->threads = core->threads;
	summary->modules = core->modules;
	summary->missing = core->missing;
	summary->ambiguous = core->ambiguous;
}

static enum cairn_status write_core_and_files(struct cairn_capture *capture,
                                              struct cairn_stacks *stacks,
                                              struct cairn_error *error)
{
	struct cairn_core_options options = CAIRN_CORE_OPTIONS;
	struct cairn_core_summary core = { .size = sizeof(core) };
	int fd;

	if (mkdir(capture->modules, S_IRWXU) != 0)
		return error_set_system(error, errno, capture->modules, "cannot create");
	const int number = create_file(capture->core, &fd);
	if (number != 0)
		return error_set_system(error, number, capture->core, "cannot write");
	options.write = os_write_piece;
	options.write_file = place_module_file;
	options.directory = capture->modules;
	options.context = &fd;
	enum cairn_status status = cairn_core_write(stacks, &options, &core, error);
	/* some errors, for example a full disk, are reported only on closing */
	if (close(fd) != 0 && status == CAIRN_OK)
		status = error_set_system(error, errno, capture->core, "cannot write");
	if (status == CAIRN_OK)
		keep_core_summary(capture, &core);
	return status;
}

/* Store the thread names in the order of the core. Return false if allocation fails. */
static bool keep_names(struct cairn_capture *capture, struct cairn_stacks *stacks)
{
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);
	size_t at = 0;

	capture->names.limit = NAMES_MAX;
	while (cairn_core_next_thread(stacks, &at, &thread)) {
		if (thread.name.size > NAME_MAX)
			thread.name.size = NAME_MAX;
		const struct cairn_bytes name = bytes_before(thread.name, '\0');
		byte_buffer_bytes(&capture->names, name.data, name.size);
		byte_buffer_u8(&capture->names, 0);
	}
	return !capture->names.failed;
}

enum cairn_status cairn_capture_open(const struct cairn_capture_options *options,
                                     struct cairn_capture **capture, struct cairn_error *error)
{
	struct cairn_capture_options own = CAIRN_CAPTURE_OPTIONS;
	struct cairn_capture *made = calloc(1, sizeof(*made));
	struct cairn_stacks *stacks = NULL;
	struct os_file file = { .bytes = { NULL, 0 } };
	enum cairn_status status = CAIRN_OK;

	sized_take(&own, sizeof(own), options);
	bytes_fill(&own.bytes);
	if (!made)
		return error_set_memory(error, own.path);
	made->lock = -1;
	made->owner = getpid();
	const bool has_file = own.bytes.size == 0 && own.path;
	if (has_file)
		status = open_regular_input(own.path, &file, error);
	const bool opened = has_file && status == CAIRN_OK;
	if (status == CAIRN_OK)
		status = open_stacks(made, has_file ? file.bytes : own.bytes, &own, &stacks, error);
	if (status == CAIRN_OK)
		status = make_directory(made, own.parent, error);
	if (status == CAIRN_OK)
		status = write_core_and_files(made, stacks, error);
	if (status == CAIRN_OK && !keep_names(made, stacks))
		status = error_set_memory(error, NULL);
	cairn_stacks_close(stacks);
	if (opened)
		os_file_close(&file);
	if (status == CAIRN_OK)
		*capture = made;
	else
		cairn_capture_close(made);
	return status;
}

void cairn_capture_close(struct cairn_capture *capture)
{
	if (!capture)
		return;
	if (capture->lock >= 0 && capture->owner == getpid())
		os_temporary_directory_remove(capture->directory, directory_files, capture->lock);
	byte_buffer_finish(&capture->names);
	free(capture);
}

void cairn_capture_describe(const struct cairn_capture *capture,
                            struct cairn_capture_summary *summary)
{
	sized_give(&capture->summary, sizeof(capture->summary), summary);
}

const char *cairn_capture_thread_name(const struct cairn_capture *capture, size_t number)
{
	const char *name = (const char *)capture->names.data;
	size_t left = capture->names.size;

	for (; left > 0; number--) {
		const size_t size = strlen(name) + 1;
		if (number == 0)
			return name;
		name += size;
		left -= size;
	}
	return NULL;
}
