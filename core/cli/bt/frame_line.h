/* SPDX-License-Identifier: MIT */
/* One line of a stack as text, whether the frame was just found or stands in a report. */
#ifndef CAIRN_CLI_BT_FRAME_LINE_H
#define CAIRN_CLI_BT_FRAME_LINE_H

#include <cairn.h>

/* Texts are empty where nothing is known, and are printed escaped. */
struct frame_line {
	size_t level;
	bool has_address; /* the outer ones of inlined calls have none of their own */
	uint64_t pc;
	bool signal;
	bool known;                  /* something has a name for the address */
	struct cairn_bytes function; /* readable */
	struct cairn_location place; /* file and line */
	struct cairn_bytes module;   /* its path */
	bool has_offset;
	uint64_t module_offset;
	const char *guess; /* the method that found it, when nothing proves it; else NULL */
};

/* `color`: with the colours of a terminal, frames of libraries dimmed. */
void frame_line_print(const struct frame_line *line, bool color);

#endif
