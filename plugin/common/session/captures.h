/* SPDX-License-Identifier: MIT */
/*
 * Captures that a debugger shows beside what is debugged: their files are there as long as they are in the list, and go when the
 * debugger ends.
 */
#ifndef CAIRN_COMMON_SESSION_CAPTURES_H
#define CAIRN_COMMON_SESSION_CAPTURES_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CAPTURES_MAX = 64 };

/* One capture; its view is an inferior of GDB or a target of LLDB. */
struct shown_capture {
	struct cairn_capture *capture;
	bool is_shown;   /* the debugger was told to show it: the numbers are valid */
	uint64_t view;   /* number of the view, which is never given to another one */
	uint64_t before; /* of the view that was selected before */
};

struct captures {
	struct shown_capture shown[CAPTURES_MAX]; /* the last one is the newest */
	size_t count;
};

/* Takes the capture over; NULL: there are too many, and it is closed. */
struct shown_capture *captures_add(struct captures *captures, struct cairn_capture *capture);

/* The one of that view; NULL: none is. */
struct shown_capture *captures_find(struct captures *captures, uint64_t view);

/* Closes it, and takes it off the list. */
void captures_drop(struct captures *captures, struct shown_capture *shown);

/* Closes those that no debugger was told to show. */
void captures_drop_unshown(struct captures *captures);

/* The debugger ends. */
void captures_finish(struct captures *captures);

#ifdef __cplusplus
}
#endif

#endif
