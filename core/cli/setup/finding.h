/* SPDX-License-Identifier: MIT */
/* What a check of the doctor found: its state, what was seen, and what to do about it. */
#ifndef CAIRN_CLI_SETUP_FINDING_H
#define CAIRN_CLI_SETUP_FINDING_H

#include "cli/front/cli.h"

enum finding_state {
	FINDING_OK,
	FINDING_NOTE,  /* works, and the user may want to know */
	FINDING_FAULT, /* the installation is not whole */
};

enum { FINDING_TEXT = 8192 };

struct finding {
	const char *check;
	enum finding_state state;
	char seen[FINDING_TEXT];
	char advice[FINDING_TEXT]; /* empty: nothing to do */
};

void find_what(struct finding *finding, enum finding_state state, const char *format, ...)
	CLI_FORMAT(3);
void find_advice(struct finding *finding, const char *format, ...) CLI_FORMAT(2);

#endif
