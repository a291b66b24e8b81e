/* SPDX-License-Identifier: MIT */
/*
 * Captures that a debugger shows next to the program being debugged. Their files exist as long as
 * they are in the list, and are removed when the debugger exits.
 */
#ifndef CAIRN_COMMON_SESSION_LISTS_H
#define CAIRN_COMMON_SESSION_LISTS_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CAPTURES_MAX = 64 };

/* A capture. Its view is an inferior of GDB or a target of LLDB. */
struct shown_capture {
	struct cairn_capture *capture;
	/* the view exists, so the numbers are valid */
	bool is_shown;
	uint64_t view;   /* number of the view; never reused */
	uint64_t before; /* number of the view that was selected before */
};

struct captures {
	struct shown_capture shown[CAPTURES_MAX];
	size_t count;
};

/*
 * Add a capture and take ownership of it. Returns NULL and closes the capture if the list is full.
 */
struct shown_capture *captures_add(struct captures *captures, struct cairn_capture *capture);

struct shown_capture *captures_find(struct captures *captures, uint64_t view);

void captures_drop(struct captures *captures, struct shown_capture *shown);

/* Drop the captures that do not have a view. */
void captures_drop_unshown(struct captures *captures);

void captures_finish(struct captures *captures);

/* A growing list of address ranges. Zero-initialize it. */
struct range_list {
	struct cairn_range *range;
	size_t count, room;
};

bool range_list_add(struct range_list *list, struct cairn_range range);

/* Restrict the list to `range`, sorted and with overlapping ranges merged. */
void range_list_clip(struct range_list *list, struct cairn_range range);
void range_list_finish(struct range_list *list);

#ifdef __cplusplus
}
#endif

#endif
