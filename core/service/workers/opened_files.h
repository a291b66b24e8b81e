/* SPDX-License-Identifier: MIT */
/*
 * The files that a symbolizer has opened, and whether one of them is another by now: replaced, cut, or written over. What was read
 * of such a file may be anything.
 */
#ifndef CAIRN_SERVICE_WORKERS_OPENED_FILES_H
#define CAIRN_SERVICE_WORKERS_OPENED_FILES_H

#include "os/file/file.h"

enum { OPENED_FILES_MAX = 1024 };

struct opened_file {
	char *path;
	struct os_file_stamp stamp;
	uint64_t size;
};

struct opened_files {
	struct opened_file *file;
	size_t count, room;
	bool failed; /* one was not noted: memory is short, or there are too many */
};

/* Notes a file that was opened; the file is as it is now. */
void opened_files_add(struct opened_files *files, const char *path);

/* Has one of them changed, or was one not noted? */
bool opened_files_have_changed(const struct opened_files *files);

/* After all of them were closed. */
void opened_files_clear(struct opened_files *files);

#endif
