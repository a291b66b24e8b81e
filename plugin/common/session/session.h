/* SPDX-License-Identifier: MIT */
/* The state that a plugin keeps between commands, in all debuggers. */
#ifndef CAIRN_COMMON_SESSION_SESSION_H
#define CAIRN_COMMON_SESSION_SESSION_H

#include "common/session/debugger.h"
#include "sources.h"

enum color_setting { COLOR_AUTO, COLOR_ON, COLOR_OFF };

/*
 * A set of module builds: the latest build at each load address. It is used, for example, to query
 * the debugger only once for each module's name. If a different build appears at an address, the
 * program has been run again, and the new build's entry overwrites the earlier one.
 */
enum { NAMED_BUILDS = 32 };
struct named_builds {
	struct {
		bool used;
		uint64_t low, build;
	} entry[NAMED_BUILDS];
	size_t next; /* entry to overwrite if no entry is free */
};

struct session {
	const struct debugger *debugger;
	struct cairn_space *space;
	struct sources sources;
	struct side_files side_files;
	/*
	 * a readable address in the innermost frame or in the module whose symbols are being read;
	 * reading memory there makes the debugger check for Ctrl-C
	 */
	uint64_t poll_at;
	enum color_setting color;
	struct named_builds named;
	/* builds for which a message about missing symbols has been printed */
	struct named_builds lacking;
	struct running_command running;
	struct captures captures;
	struct text line, expression;
};

#endif
