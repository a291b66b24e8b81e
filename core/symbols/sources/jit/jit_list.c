/* SPDX-License-Identifier: MIT */
/* Reads the list of objects that a program registers through GDB's JIT interface. */
#include "jit_list.h"
#include "jit_object.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	ACTIONS = 3, /* JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN */
	ELF_HEADER = 64,
	STEP = 1 << 16,
	PAGE = 1 << 12,
};

static bool has_object(const struct cairn_target *target, uint64_t object, uint64_t size)
{
	uint8_t begin[4];

	return size >= ELF_HEADER && size <= JIT_LIST_OBJECT &&
	       jit_list_read_memory(target, object, begin, sizeof(begin)) &&
	       elf_has_magic((struct cairn_bytes){ begin, sizeof(begin) });
}

/*
 * Return true if `entry` looks like the first entry of a list: it has no predecessor, and its
 * object is an ELF file.
 */
static bool is_first_entry(const struct cairn_target *target, uint64_t entry, bool big)
{
	uint8_t bytes[JIT_LIST_ENTRY];

	if (entry == 0 || entry % WORD != 0 ||
	    !jit_list_read_memory(target, entry, bytes, sizeof(bytes)))
		return false;
	return bytes_unsigned(bytes + WORD, WORD, big) == 0 &&
	       bytes_unsigned(bytes, WORD, big) % WORD == 0 &&
	       has_object(target, bytes_unsigned(bytes + 2 * WORD, WORD, big),
	                  bytes_unsigned(bytes + 3 * WORD, WORD, big));
}

static bool is_list(const struct cairn_target *target, const uint8_t *bytes, bool big)
{
	return bytes_unsigned(bytes, 4, big) == JIT_LIST_VERSION &&
	       bytes_unsigned(bytes + 4, 4, big) < ACTIONS &&
	       is_first_entry(target, bytes_unsigned(bytes + 2 * WORD, WORD, big), big);
}

/*
 * Find a descriptor that begins in the first `size` bytes; JIT_LIST_DESCRIPTOR more bytes are
 * readable. Sets *at to its offset.
 */
static bool scan_bytes(const struct cairn_target *target, const uint8_t *bytes, size_t size,
                       bool big, size_t *at)
{
	for (*at = 0; *at < size; *at += WORD)
		if (is_list(target, bytes + *at, big))
			return true;
	return false;
}

/*
 * Read the next bytes of `range`. Falls back to a single page, because a capture may contain one
 * page and nothing around it. Returns the number of bytes read, and sets *step to the distance
 * to advance.
 */
static size_t read_step(const struct cairn_target *target, struct cairn_range range, uint8_t *bytes,
                        uint64_t *step)
{
	static const size_t steps[] = { STEP, PAGE };
	const uint64_t left = range.high - range.low;

	for (size_t i = 0; i < 2; i++) {
		const uint64_t wanted = steps[i] + JIT_LIST_DESCRIPTOR;
		const size_t size = (size_t)(left < wanted ? left : wanted);
		*step = left < steps[i] ? left : steps[i];
		if (jit_list_read_memory(target, range.low, bytes, size))
			return size;
	}
	*step = left < PAGE ? left : PAGE - range.low % PAGE;
	return *step >= JIT_LIST_DESCRIPTOR &&
	                       jit_list_read_memory(target, range.low, bytes, (size_t)*step)
	               ? (size_t)*step
	               : 0;
}

bool jit_list_scan(const struct cairn_target *target, struct cairn_range range, bool big,
                   uint64_t *descriptor)
{
	uint8_t *bytes = calloc(1, STEP + JIT_LIST_DESCRIPTOR);
	bool found = false;
	size_t at;

	range.low = range.low <= UINT64_MAX - WORD ? (range.low + WORD - 1) & ~(uint64_t)(WORD - 1)
	                                           : UINT64_MAX;
	while (bytes && !found && range.low < range.high &&
	       range.high - range.low >= JIT_LIST_DESCRIPTOR) {
		uint64_t step;
		const size_t size = read_step(target, range, bytes, &step);

		found = size > 0 &&
		        scan_bytes(target, bytes, size - JIT_LIST_DESCRIPTOR + 1, big, &at);
		*descriptor = found ? range.low + at : *descriptor;
		range.low += step;
	}
	free(bytes);
	return found;
}

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

/* Return the size that counts towards the limit: 0 for an object that was not captured. */
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

/* Return why the list ends before this entry, or NULL to continue. */
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

/* Walk the list. To detect a cycle, each entry is compared with the entry half way before it. */
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

/* Read in steps, so that a false size does not allocate memory. */
bool jit_list_read_object(const struct cairn_target *target, const struct jit_list_entry *entry,
                          struct byte_buffer *bytes)
{
	enum { CHUNK = 1 << 16 };

	while (bytes->size < entry->size) {
		const size_t left = (size_t)entry->size - bytes->size,
			     size = left < CHUNK ? left : CHUNK;
		const uint64_t address = entry->object + bytes->size;
		uint8_t *room = byte_buffer_extend(bytes, size);

		if (!room || address < entry->object ||
		    !jit_list_read_memory(target, address, room, size))
			return false;
	}
	return true;
}

enum { TYPE_OBJECT = 1 };

static void note_problem(struct cairn_fault *fault, const struct jit_list_entry *entry,
                         enum cairn_status status, const char *what)
{
	if (!fault->what)
		*fault = (struct cairn_fault){ status, entry->at, what };
}

static void read_object(const struct cairn_target *target, const struct jit_list_entry *entry,
                        struct byte_buffer *dump, struct cairn_fault *fault)
{
	struct byte_buffer bytes = { .limit = JIT_LIST_OBJECT };

	const bool is_read = jit_list_read_object(target, entry, &bytes);
	if (is_read && bytes.size > 0)
		jit_object_relocate(bytes.data, bytes.size);
	if (!is_read)
		note_problem(fault, entry, CAIRN_UNREADABLE,
		             "an object of made code cannot be read");
	else if (bytes.size == 0 ||
	         !jit_object_append((struct cairn_bytes){ bytes.data, bytes.size }, dump))
		note_problem(fault, entry, CAIRN_MALFORMED,
		             "an object of made code is no ELF file, or is damaged");
	byte_buffer_finish(&bytes);
}

void jit_list_begin(struct byte_buffer *dump)
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
	WITH_CLEANUP(jit_list_finish) struct jit_list list = { .limit = dump->limit };
	const enum cairn_status status = jit_list_open(&list, target, descriptor, big, fault);

	if (status != CAIRN_OK)
		return status;
	dump->big = big;
	jit_list_begin(dump);
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
