/* SPDX-License-Identifier: MIT */
/* Grows a list of address ranges. */
#include "range_list.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

bool range_list_add(struct range_list *list, struct cairn_range range)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : FIRST_ROOM;
		struct cairn_range *grown = realloc(list->range, room * sizeof(*grown));
		if (!grown)
			return false;
		list->range = grown;
		list->room = room;
	}
	list->range[list->count++] = range;
	return true;
}

void range_list_finish(struct range_list *list)
{
	free(list->range);
	*list = (struct range_list){ .range = NULL };
}
