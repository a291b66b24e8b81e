/* SPDX-License-Identifier: MIT */
/* Module files given to the command open with -exe=FILE[@BASE]. */
#ifndef CAIRN_COMMON_COMMANDS_OPEN_OPEN_EXES_H
#define CAIRN_COMMON_COMMANDS_OPEN_OPEN_EXES_H

#include "common/session/session.h"

enum { OPEN_EXES_MAX = 16 };

struct open_exes {
	struct cairn_capture_file file[OPEN_EXES_MAX];
	size_t count;
	struct text paths;
};

/*
 * Read the options. Returns false and reports the reason if there are too many, or memory is short.
 */
bool open_exes_read(struct command_call *call, struct open_exes *exes);
void open_exes_finish(struct open_exes *exes);

#endif
