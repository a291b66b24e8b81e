/* SPDX-License-Identifier: MIT */
/* The state that a plugin keeps between commands, whatever its debugger. */
#ifndef CAIRN_COMMON_SESSION_SESSION_H
#define CAIRN_COMMON_SESSION_SESSION_H

#include "common/session/debugger.h"
#include "sources.h"

enum color_setting { COLOR_AUTO, COLOR_ON, COLOR_OFF };

/*
 * A set of module builds, which records the latest build at each load address: for example, the
 * modules whose names were already requested from the debugger. A different build at the same
 * address means that the program was run again, so the earlier entry is outdated.
 */
enum { NAMED_BUILDS = 32 };
struct named_builds {
	struct {
		bool used;
		uint64_t low, build;
	} entry[NAMED_BUILDS];
	size_t next; /* entry to overwrite when none is free */
};

struct session {
	const struct debugger *debugger;
	struct cairn_space *space;
	struct sources sources;
	struct side_files side_files;
	/*
	 * a readable address in the innermost frame, or in the module whose symbols are being read
	 */
	uint64_t poll_at;
	enum color_setting color;
	struct named_builds named;
	/* builds for which a message about missing symbols was printed */
	struct named_builds lacking;
	struct running_command running;
	struct captures captures;
	struct text line, expression; /* buffers of the command in progress */
};

#endif
