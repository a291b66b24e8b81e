/* SPDX-License-Identifier: MIT */
/*
 * Maintains the list. Both globals are weak, so that they merge with LLVM's if the program has
 * them.
 */
#include "listing.h"

#include "jit_producer/base/machine.h"

enum { JIT_NO_ACTION, JIT_REGISTERED, JIT_UNREGISTERED };

struct jit_descriptor {
	uint32_t version, action;
	struct cairn_jit_entry *relevant, *first;
};

#define LISTING_WEAK __attribute__((weak, visibility("default")))

extern struct jit_descriptor __jit_debug_descriptor;
LISTING_WEAK struct jit_descriptor __jit_debug_descriptor = { .version = 1 };

void __jit_debug_register_code(void);
LISTING_WEAK __attribute__((noinline)) void __jit_debug_register_code(void)
{
	__asm__ volatile("" ::: "memory");
}

static bool forced;

CAIRN_JIT_INTERNAL void cairn_jit_listing_force(void)
{
	forced = true;
}

CAIRN_JIT_INTERNAL bool cairn_jit_listing_watched(void)
{
	__asm__ volatile("" ::: "memory");
	return forced || machine_is_breakpoint((const void *)(uintptr_t)__jit_debug_register_code);
}

CAIRN_JIT_INTERNAL void cairn_jit_listing_add(struct cairn_jit_object *object)
{
	struct cairn_jit_entry *entry = &object->entry;

	entry->next = __jit_debug_descriptor.first;
	entry->previous = NULL;
	cairn_jit_keep_order();
	__jit_debug_descriptor.first = entry;
	if (entry->next)
		entry->next->previous = entry;
	object->listed = true;
}

CAIRN_JIT_INTERNAL void cairn_jit_listing_drop(struct cairn_jit_object *object)
{
	struct cairn_jit_entry *entry = &object->entry;

	if (entry->previous)
		entry->previous->next = entry->next;
	else
		__jit_debug_descriptor.first = entry->next;
	if (entry->next)
		entry->next->previous = entry->previous;
	cairn_jit_keep_order();
	object->listed = false;
}

static void tell_change(struct cairn_jit_object *object, uint32_t action)
{
	__jit_debug_descriptor.relevant = &object->entry;
	__jit_debug_descriptor.action = action;
	cairn_jit_keep_order();
	__jit_debug_register_code();
	__jit_debug_descriptor.action = JIT_NO_ACTION;
	__jit_debug_descriptor.relevant = NULL;
}

CAIRN_JIT_INTERNAL void cairn_jit_listing_tell_added(struct cairn_jit_object *object)
{
	cairn_jit_listing_add(object);
	tell_change(object, JIT_REGISTERED);
}

CAIRN_JIT_INTERNAL void cairn_jit_listing_tell_dropped(struct cairn_jit_object *object)
{
	cairn_jit_listing_drop(object);
	tell_change(object, JIT_UNREGISTERED);
}
