/* SPDX-License-Identifier: MIT */
/* Result of one check of `cairn doctor`. */
#ifndef CAIRN_CLI_SETUP_FINDING_H
#define CAIRN_CLI_SETUP_FINDING_H

#include "cli/front/cli.h"

enum finding_state {
	FINDING_OK,
	FINDING_NOTE,  /* works, but the user may want to know */
	FINDING_FAULT, /* the installation is incomplete */
};

enum { FINDING_TEXT = 8192 };

struct finding {
	const char *check;
	enum finding_state state;
	char seen[FINDING_TEXT];
	char advice[FINDING_TEXT]; /* empty if nothing needs to be done */
};

void find_what(struct finding *finding, enum finding_state state, const char *format, ...)
	CLI_FORMAT(3);
void find_advice(struct finding *finding, const char *format, ...) CLI_FORMAT(2);

#endif
