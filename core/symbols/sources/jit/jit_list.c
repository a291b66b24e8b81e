/* SPDX-License-Identifier: MIT */
/* Walks the list, and reads one object after the other, the oldest one first: the newest one counts. */
#include "jit_list.h"

#include "jit_object.h"

#include "base/array_grow.h"
#include "base/bytes.h"
#include "base/cleanup.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	TYPE_OBJECT = 1, /* STT_OBJECT */
};

struct list_entry {
	uint64_t at, next, object, size;
};

struct list {
	struct list_entry *entry;
	size_t count, room;
	uint64_t bytes; /* of all objects */
};

static void finish_list(struct list *list)
{
	free(list->entry);
}

bool jit_list_read_memory(const struct cairn_target *target, uint64_t address, void *buffer,
                          size_t size)
{
	return address <= UINT64_MAX - size &&
	       target->read_memory(target->context, address, buffer, size) == CAIRN_OK;
}

static bool read_list_entry(const struct cairn_target *target, uint64_t address, bool big,
                            struct list_entry *entry)
{
	uint8_t bytes[JIT_LIST_ENTRY];

	if (!jit_list_read_memory(target, address, bytes, sizeof(bytes)))
		return false;
	*entry = (struct list_entry){ .at = address,
		                      .next = bytes_unsigned(bytes, WORD, big),
		                      .object = bytes_unsigned(bytes + 2 * WORD, WORD, big),
		                      .size = bytes_unsigned(bytes + 3 * WORD, WORD, big) };
	return true;
}

/* Why the entry and what follows it does not count; NULL: it does. */
static const char *refuse_entry(const struct list *list, uint64_t limit,
                                const struct list_entry *entry, const struct list_entry *old)
{
	if (old && old->at == entry->at)
		return "the list of made code is a circle";
	if (list->count == JIT_LIST_ENTRIES)
		return "the list of made code has too many entries";
	if (entry->size > JIT_LIST_OBJECT || entry->size > limit - list->bytes)
		return "the objects of made code are too large";
	return NULL;
}

/* An entry is compared with the one half way before it, which meets itself in any circle. */
static void walk_list(const struct cairn_target *target, uint64_t address, bool big, uint64_t limit,
                      struct list *list, struct cairn_fault *fault)
{
	struct list_entry entry;

	while (address != 0) {
		const struct list_entry *old = list->count ? &list->entry[list->count / 2] : NULL;

		fault->offset = address;
		fault->what = read_list_entry(target, address, big, &entry)
		                      ? refuse_entry(list, limit, &entry, old)
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
		list->bytes += entry.size;
		address = entry.next;
	}
	fault->offset = 0;
}

static void note_problem(struct cairn_fault *fault, const struct list_entry *entry,
                         const char *what)
{
	if (!fault->what)
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, entry->at, what };
}

/* In steps, so that a size that is a lie costs nothing. */
static bool read_bytes(const struct cairn_target *target, const struct list_entry *entry,
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

static void read_object(const struct cairn_target *target, const struct list_entry *entry,
                        struct byte_buffer *dump, struct cairn_fault *fault)
{
	struct byte_buffer bytes = { .limit = JIT_LIST_OBJECT };

	const bool is_read = read_bytes(target, entry, &bytes);
	if (is_read && bytes.size > 0)
		jit_object_relocate(bytes.data, bytes.size);
	if (!is_read)
		note_problem(fault, entry, "an object of made code cannot be read");
	else if (bytes.size == 0 ||
	         !jit_object_append((struct cairn_bytes){ bytes.data, bytes.size }, dump))
		note_problem(fault, entry, "an object of made code is no ELF file, or is damaged");
	byte_buffer_finish(&bytes);
}

static void write_header(struct byte_buffer *dump)
{
	enum { HEADER = 40, MAGIC = 0x4a695444 };

	byte_buffer_number(dump, MAGIC, 4);
	byte_buffer_number(dump, 1, 4);
	byte_buffer_number(dump, HEADER, 4);
	byte_buffer_align(dump, HEADER);
}

enum cairn_status jit_list_read(const struct cairn_target *target, uint64_t descriptor, bool big,
                                struct byte_buffer *dump, struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_list) struct list list = { .count = 0 };
	uint8_t bytes[JIT_LIST_DESCRIPTOR];

	*fault = (struct cairn_fault){ .status = CAIRN_OK };
	if (!jit_list_read_memory(target, descriptor, bytes, sizeof(bytes)))
		return CAIRN_UNREADABLE;
	if (bytes_unsigned(bytes, 4, big) != JIT_LIST_VERSION)
		return CAIRN_UNSUPPORTED;
	walk_list(target, bytes_unsigned(bytes + 2 * WORD, WORD, big), big, dump->limit, &list,
	          fault);
	if (list.count == 0 && !fault->what)
		return CAIRN_NOT_FOUND;
	dump->big = big;
	write_header(dump);
	for (size_t i = list.count; i > 0 && !dump->failed; i--)
		read_object(target, &list.entry[i - 1], dump, fault);
	if (dump->failed && !fault->what)
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, descriptor,
			                       "what is known of made code is too large" };
	return dump->size > 0 ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static bool is_descriptor(const struct elf *elf, const struct elf_section *table,
                          const struct elf_symbol *symbol)
{
	static const char wanted[] = "__jit_debug_descriptor";

	if (symbol->type != TYPE_OBJECT || symbol->section == 0 ||
	    symbol->size < JIT_LIST_DESCRIPTOR)
		return false;
	const struct cairn_bytes name = elf_symbol_name(elf, table, symbol);
	return name.size == sizeof(wanted) - 1 && memcmp(name.data, wanted, name.size) == 0;
}

bool jit_list_find_descriptor(struct cairn_bytes file, const char *section, uint64_t *va)
{
	struct elf_section table;
	struct elf_symbol symbol;
	struct elf elf;

	if (!elf_opens(file, &elf) || !elf.wide || !elf_find_section(&elf, section, &table))
		return false;
	for (uint64_t i = 0; elf_symbol(&elf, &table, i, &symbol); i++)
		if (is_descriptor(&elf, &table, &symbol)) {
			*va = symbol.va;
			return true;
		}
	return false;
}
