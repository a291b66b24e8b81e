/* SPDX-License-Identifier: MIT */
/*
 * A capture on its way to the files of a debugger:
 *
 *	capture_input.c   the capture is read as stacks; those of a text are made by the files of its modules
 *	captured_names.c  names of threads, in the order of the core
 *	capture_files.c   the stacks become a core, with files that stand in for modules
 */
#ifndef CAIRN_PROCESS_CAPTURE_FILES_CAPTURE_FILES_H
#define CAIRN_PROCESS_CAPTURE_FILES_CAPTURE_FILES_H

#include "base/byte_buffer.h"
#include "os/file/file.h"

#include <sys/types.h>

enum { CAPTURE_PATH = 4096 };

struct cairn_capture {
	char folder[CAPTURE_PATH]; /* empty: not made */
	int lock;                  /* a descriptor; -1: none */
	pid_t owner;               /* a child that is forked leaves the files alone */
	char core[CAPTURE_PATH], modules[CAPTURE_PATH]; /* in the folder */
	char program[CAPTURE_PATH];                     /* its file; empty: none */
	struct byte_buffer names;                       /* of threads, each with a NUL */
	struct cairn_capture_summary summary;
};

/* What is open while the files are made; begins with zeros, and is closed in any case. */
struct capture_input {
	struct os_file file;
	bool has_file;
	struct cairn_stacks *stacks;
};

/* Opens the stacks of what the options name, and fills what capture->summary has of texts. */
enum cairn_status capture_input_open(struct capture_input *input, struct cairn_capture *capture,
                                     const struct cairn_capture_options *options,
                                     struct cairn_error *error);
void capture_input_close(struct capture_input *input);

/* Fills capture->names; false: memory is short. */
bool capture_keep_names(struct cairn_capture *capture, struct cairn_stacks *stacks);

#endif
