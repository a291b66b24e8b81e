/* SPDX-License-Identifier: MIT */
/* A growing list of address ranges. Zero-initialize it. */
#ifndef CAIRN_COMMON_SESSION_RANGE_LIST_H
#define CAIRN_COMMON_SESSION_RANGE_LIST_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

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
