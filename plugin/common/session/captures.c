/* SPDX-License-Identifier: MIT */
/* Keeps the list of captures that a debugger shows. */
#include "captures.h"

#include <string.h>

struct shown_capture *captures_add(struct captures *captures, struct cairn_capture *capture)
{
	if (captures->count == CAPTURES_MAX) {
		cairn_capture_close(capture);
		return NULL;
	}
	captures->shown[captures->count] = (struct shown_capture){ .capture = capture };
	return &captures->shown[captures->count++];
}

struct shown_capture *captures_find(struct captures *captures, uint64_t view)
{
	for (size_t i = 0; i < captures->count; i++)
		if (captures->shown[i].is_shown && captures->shown[i].view == view)
			return &captures->shown[i];
	return NULL;
}

void captures_drop(struct captures *captures, struct shown_capture *shown)
{
	const size_t number = (size_t)(shown - captures->shown);

	cairn_capture_close(shown->capture);
	captures->count--;
	memmove(shown, shown + 1, (captures->count - number) * sizeof(*shown));
}

void captures_drop_unshown(struct captures *captures)
{
	for (size_t i = captures->count; i-- > 0;)
		if (!captures->shown[i].is_shown)
			captures_drop(captures, &captures->shown[i]);
}

void captures_finish(struct captures *captures)
{
	while (captures->count > 0)
		captures_drop(captures, &captures->shown[captures->count - 1]);
}
