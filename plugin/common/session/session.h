/* SPDX-License-Identifier: MIT */
/* What a plugin keeps between two commands, whatever its debugger. */
#ifndef CAIRN_COMMON_SESSION_SESSION_H
#define CAIRN_COMMON_SESSION_SESSION_H

#include "common/session/debugger.h"
#include "common/symbols/side_files.h"
#include "common/symbols/sources.h"

enum color_setting { COLOR_AUTO, COLOR_ON, COLOR_OFF };

/*
 * The builds whose names the debugger has been asked for: of each place the last one.  Another build
 * there is a new run, in which a name that is known is an old one.
 */
enum { NAMED_BUILDS = 32 };
struct named_builds {
	struct {
		bool used;
		uint64_t low, build;
	} entry[NAMED_BUILDS];
	size_t next; /* the entry that is taken when none is free */
};

struct session {
	const struct debugger *debugger;
	struct cairn_space *space;
	struct sources sources;
	struct side_files side_files;
	uint64_t
		poll_at; /* a byte that can be read: of the innermost frame, or of the module whose symbols are read */
	enum color_setting color;
	struct named_builds named;
	struct named_builds lacking; /* those that the user was told to have no symbols */
	struct running_command running;
	struct captures captures;
	struct text line, expression; /* of the command in progress */
};

#endif
