/* SPDX-License-Identifier: MIT */
/* Makes a core and the files beside it, in a private folder that is locked: cairn_capture_open(). */
#include <cairn.h>

#include "base/error.h"
#include "capture_files.h"
#include "os/file/temporary_folder.h"
#include "os/file/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FOLDER_MAX = CAPTURE_PATH - 64, /* bytes of the folder's path: names of files follow */
	LOCK_FROM = 64, /* away from the low numbers, which debuggers and programs like to have */
	CORE_MODE = 0600,
};

/* `cairn open` names its folders so, too: either removes what the other one has left. */
static const char pattern[] = "cairn-open.XXXXXX";
static const char *const folder_files[] = { "core", "script", "core.modules/", NULL };

/* Programs that a debugger starts do not hold the lock. */
static int keep_lock_private(int lock)
{
	const int moved = fcntl(lock, F_DUPFD_CLOEXEC, LOCK_FROM);

	if (moved < 0) {
		(void)fcntl(lock, F_SETFD, FD_CLOEXEC);
		return lock;
	}
	close(lock);
	return moved;
}

static enum cairn_status make_folder(struct cairn_capture *capture, const char *parent,
                                     struct cairn_error *error)
{
	const char *usual = getenv("TMPDIR");
	const char *in = parent ? parent : usual && *usual ? usual : "/tmp";
	const int size = snprintf(capture->folder, FOLDER_MAX, "%s/%s", in, pattern);
	int number = size > 0 && size < FOLDER_MAX ? 0 : ENAMETOOLONG;

	if (number == 0)
		number = os_temporary_folder_make(capture->folder, folder_files, &capture->lock);
	if (number != 0) {
		capture->folder[0] = '\0';
		return error_set_system(error, number, in, "cannot make a folder there");
	}
	capture->lock = keep_lock_private(capture->lock);
	snprintf(capture->core, sizeof(capture->core), "%.*s/core", FOLDER_MAX, capture->folder);
	snprintf(capture->modules, sizeof(capture->modules), "%.*s/core.modules", FOLDER_MAX,
	         capture->folder);
	return CAIRN_OK;
}

/* Nobody else writes into the folder; a file of that name is one too many. */
static int create_file(const char *path, int *fd)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, CORE_MODE);
	return *fd < 0 ? errno : 0;
}

/* A file that stands in for that of a module. */
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

/* What was opened for writing is there, but the disk may be full when it is closed. */
static enum cairn_status close_core(const struct cairn_capture *capture, int fd,
                                    enum cairn_status status, struct cairn_error *error)
{
	if (close(fd) == 0 || status != CAIRN_OK)
		return status;
	return error_set_system(error, errno, capture->core, "cannot write");
}

static enum cairn_status write_core_and_files(struct cairn_capture *capture,
                                              struct cairn_stacks *stacks,
                                              struct cairn_error *error)
{
	struct cairn_core_options options = CAIRN_CORE_OPTIONS;
	struct cairn_core_summary core = { .size = sizeof(core) };
	int fd;

	if (mkdir(capture->modules, S_IRWXU) != 0)
		return error_set_system(error, errno, capture->modules, "cannot make it");
	const int number = create_file(capture->core, &fd);
	if (number != 0)
		return error_set_system(error, number, capture->core, "cannot write");
	options.write = os_write_piece;
	options.place = place_module_file;
	options.folder = capture->modules;
	options.context = &fd;
	const enum cairn_status status =
		close_core(capture, fd, cairn_core_write(stacks, &options, &core, error), error);
	if (status == CAIRN_OK)
		keep_core_summary(capture, &core);
	return status;
}

static enum cairn_status make_capture_files(struct cairn_capture *capture, const char *parent,
                                            struct cairn_stacks *stacks, struct cairn_error *error)
{
	enum cairn_status status = make_folder(capture, parent, error);

	if (status == CAIRN_OK)
		status = write_core_and_files(capture, stacks, error);
	if (status == CAIRN_OK && !capture_keep_names(capture, stacks))
		status = error_set_memory(error, NULL);
	return status;
}

enum cairn_status cairn_capture_open(const struct cairn_capture_options *options,
                                     struct cairn_capture **capture, struct cairn_error *error)
{
	struct cairn_capture_options own = CAIRN_CAPTURE_OPTIONS;
	struct cairn_capture *made = calloc(1, sizeof(*made));
	struct capture_input input = { .stacks = NULL };

	memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	if (!made)
		return error_set_memory(error, own.path);
	made->lock = -1;
	made->owner = getpid();
	enum cairn_status status = capture_input_open(&input, made, &own, error);
	if (status == CAIRN_OK)
		status = make_capture_files(made, own.parent, input.stacks, error);
	capture_input_close(&input);
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
		os_temporary_folder_remove(capture->folder, folder_files, capture->lock);
	byte_buffer_finish(&capture->names);
	free(capture);
}

void cairn_capture_describe(const struct cairn_capture *capture,
                            struct cairn_capture_summary *summary)
{
	struct cairn_capture_summary filled = capture->summary;

	filled.size = summary->size;
	memcpy(summary, &filled, summary->size < sizeof(filled) ? summary->size : sizeof(filled));
}
