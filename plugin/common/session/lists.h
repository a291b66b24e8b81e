/* SPDX-License-Identifier: MIT */
/*
 * The list of captures that the debugger shows beside the program being debugged. A capture's files
 * exist while it is in the list; the files of all captures are removed when the debugger exits.
 */
#ifndef CAIRN_COMMON_SESSION_LISTS_H
#define CAIRN_COMMON_SESSION_LISTS_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CAPTURES_MAX = 64 };

/* A capture and its view, which is an inferior in GDB or a target in LLDB. */
struct shown_capture {
	struct cairn_capture *capture;
	/* the view exists, so `view` and `before` are valid */
	bool is_shown;
	uint64_t view;   /* number of the view; never reused */
	uint64_t before; /* number of the previously selected view */
};

struct captures {
	struct shown_capture shown[CAPTURES_MAX];
	size_t count;
};

/* Add a capture and take ownership. If the list is full, closes the capture and returns NULL. */
struct shown_capture *captures_add(struct captures *captures, struct cairn_capture *capture);

struct shown_capture *captures_find(struct captures *captures, uint64_t view);

void captures_drop(struct captures *captures, struct shown_capture *shown);

void captures_drop_unshown(struct captures *captures);

void captures_finish(struct captures *captures);

/* A growing list of address ranges, initialized with zeros. */
struct range_list {
	struct cairn_range *range;
	size_t count, capacity;
};

bool range_list_add(struct range_list *list, struct cairn_range range);

/* Restrict the list to `range`, sort it, and merge overlapping ranges. */
void range_list_clip(struct range_list *list, struct cairn_range range);
void range_list_finish(struct range_list *list);

#ifdef __cplusplus
}
#endif

#endif
