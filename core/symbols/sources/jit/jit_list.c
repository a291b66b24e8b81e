/* SPDX-License-Identifier: MIT */
/* Reads one object of the list after the other, the oldest one first: the newest one counts. */
#include "jit_list.h"

#include "jit_object.h"

#include "base/cleanup.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

enum { TYPE_OBJECT = 1 }; /* STT_OBJECT */

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
