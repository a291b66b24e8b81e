/* SPDX-License-Identifier: MIT */
/* Begins, clears and queries the plan of one symbol load. */
#include "plan.h"

#include <stdlib.h>

void plan_drop(struct plan *plan, struct plan_item *item)
{
	bool shared = false;

	for (size_t i = 0; i < plan->count; i++)
		shared = shared ||
		         (&plan->item[i] != item && plan->item[i].object.fd == item->object.fd);
	if (item->object.fd >= 0 && !shared && !item->moved && !item->twin)
		sources_release(plan->sources, item->object.fd);
	if (!item->moved) {
		free(item->object.path);
		free(item->object.module);
	}
	item->object.fd = -1;
}

void plan_begin(struct plan *plan, struct sources *sources, bool every, bool quiet)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].object.fd >= 0)
			plan_drop(plan, &plan->item[i]);
	*plan = (struct plan){ .sources = sources, .every = every, .quiet = quiet };
}

bool plan_lets_go(const struct plan *plan, const struct source_object *object)
{
	return !object->present && object->inferior == plan->inferior;
}

void plan_drop_leaving(struct plan *plan)
{
	for (size_t i = plan->sources->objects; plan->leaving > 0 && i-- > 0;)
		if (plan_lets_go(plan, &plan->sources->object[i]))
			sources_drop(plan->sources, i);
	plan->leaving = 0;
}

bool plan_has_work(const struct plan *plan)
{
	if (plan->leaving > 0)
		return true;
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].object.fd >= 0)
			return true;
	return false;
}
