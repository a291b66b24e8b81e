/* SPDX-License-Identifier: MIT */
/* Walks the list, whose entries may be anything. */
#include "jit_list.h"

#include "base/array_grow.h"
#include "base/bytes.h"

#include <stdlib.h>

enum { WORD = 8 };

void jit_list_finish(struct jit_list *list)
{
	free(list->entry);
}

bool jit_list_read_memory(const struct cairn_target *target, uint64_t address, void *buffer,
                          size_t size)
{
	return address <= UINT64_MAX - size &&
	       target->read_memory(target->context, address, buffer, size) == CAIRN_OK;
}

/* An object that was not captured costs nothing. */
static uint64_t count_bytes(const struct cairn_target *target, const struct jit_list_entry *entry)
{
	uint8_t first;

	return entry->size > 0 && jit_list_read_memory(target, entry->object, &first, 1)
	               ? entry->size
	               : 0;
}

static bool read_list_entry(const struct cairn_target *target, uint64_t address, bool big,
                            struct jit_list_entry *entry)
{
	uint8_t bytes[JIT_LIST_ENTRY];

	if (!jit_list_read_memory(target, address, bytes, sizeof(bytes)))
		return false;
	*entry = (struct jit_list_entry){ .at = address,
		                          .next = bytes_unsigned(bytes, WORD, big),
		                          .object = bytes_unsigned(bytes + 2 * WORD, WORD, big),
		                          .size = bytes_unsigned(bytes + 3 * WORD, WORD, big) };
	entry->bytes = count_bytes(target, entry);
	return true;
}

/* Why the entry and what follows it does not count; NULL: it does. */
static const char *refuse_entry(const struct jit_list *list, const struct jit_list_entry *entry,
                                const struct jit_list_entry *old)
{
	if (old && old->at == entry->at)
		return "the list of made code is a circle";
	if (list->count == JIT_LIST_ENTRIES)
		return "the list of made code has too many entries";
	if (entry->size > JIT_LIST_OBJECT || entry->bytes > list->limit - list->bytes)
		return "the objects of made code are too large";
	return NULL;
}

/* An entry is compared with the one half way before it, which meets itself in any circle. */
static void walk_list(const struct cairn_target *target, uint64_t address, bool big,
                      struct jit_list *list, struct cairn_fault *fault)
{
	struct jit_list_entry entry;

	while (address != 0) {
		const struct jit_list_entry *old =
			list->count ? &list->entry[list->count / 2] : NULL;

		fault->offset = address;
		fault->what = read_list_entry(target, address, big, &entry)
		                      ? refuse_entry(list, &entry, old)
		                      : "an entry of made code cannot be read";
		if (fault->what) {
			fault->status = CAIRN_MALFORMED;
			return;
		}
		if (!array_grow(&list->entry, &list->room, list->count + 1, sizeof(entry))) {
			*fault =
				(struct cairn_fault){ CAIRN_NO_MEMORY, address, "memory is short" };
			return;
		}
		list->entry[list->count++] = entry;
		list->bytes += entry.bytes;
		address = entry.next;
	}
	fault->offset = 0;
}

enum cairn_status jit_list_open(struct jit_list *list, const struct cairn_target *target,
                                uint64_t descriptor, bool big, struct cairn_fault *fault)
{
	uint8_t bytes[JIT_LIST_DESCRIPTOR];

	*fault = (struct cairn_fault){ .status = CAIRN_OK };
	if (!jit_list_read_memory(target, descriptor, bytes, sizeof(bytes)))
		return CAIRN_UNREADABLE;
	if (bytes_unsigned(bytes, 4, big) != JIT_LIST_VERSION)
		return CAIRN_UNSUPPORTED;
	walk_list(target, bytes_unsigned(bytes + 2 * WORD, WORD, big), big, list, fault);
	return list->count == 0 && !fault->what ? CAIRN_NOT_FOUND : CAIRN_OK;
}

/* In steps, so that a size that is a lie costs nothing. */
bool jit_list_read_object(const struct cairn_target *target, const struct jit_list_entry *entry,
                          struct byte_buffer *bytes)
{
	enum { STEP = 1 << 16 };

	while (bytes->size < entry->size) {
		const size_t left = (size_t)entry->size - bytes->size,
			     size = left < STEP ? left : STEP;
		const uint64_t address = entry->object + bytes->size;
		uint8_t *room = byte_buffer_extend(bytes, size);

		if (!room || address < entry->object ||
		    !jit_list_read_memory(target, address, room, size))
			return false;
	}
	return true;
}
