/* SPDX-License-Identifier: MIT */
/* Removes functions from an object, reads them back, and swaps the contents of objects. */
#include "object.h"

#include "layout.h"

#include <string.h>

/*
 * Disable a sequence in two steps, each of which leaves it valid: move it to address 0, then remove
 * its rows.
 */
static void remove_lines(uint8_t *sequence, uint32_t size)
{
	enum { DW_LNS_set_basic_block = 7 };

	cairn_jit_store_number(sequence + 3, 0, 8);
	cairn_jit_keep_order();
	memset(sequence + SEQUENCE_HEAD, DW_LNS_set_basic_block,
	       size - SEQUENCE_HEAD - SEQUENCE_END);
}

/* Make a run empty. Its range must not become 0 to 0, which would terminate the list. */
static void end_run(struct cairn_jit_object *object, uint32_t run)
{
	uint8_t *range =
		object->body.elf + object->body.begin[PART_RUNS] + run * (uint32_t)RUN_BYTES;
	Elf64_Shdr *section = cairn_jit_section(object, SECTION_FIRST_RUN + run);

	cairn_jit_store_number(range + 8, section->sh_addr, 8);
	section->sh_size = 0;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_remove(struct cairn_jit_object *object, uint32_t number)
{
	struct cairn_jit_slot *slot = &object->body.slot[number];
	uint8_t *symbols = object->body.elf + object->body.begin[PART_SYMBOLS];
	Elf64_Sym *symbol = (Elf64_Sym *)(void *)symbols + 1 + number;

	symbol->st_info = 0;
	symbol->st_shndx = SHN_UNDEF;
	symbol->st_value = symbol->st_size = symbol->st_name = 0;
	cairn_jit_locate_die(object, number)[0] = ABBREVIATION_REMOVED;
	if (slot->frame) {
		uint8_t *fde = object->body.elf + object->body.begin[PART_FRAMES] + slot->frame;
		cairn_jit_store_number(fde + 16, 0, 8);
		cairn_jit_store_number(fde + 8, 0, 8);
	}
	if (slot->lines_size)
		remove_lines(object->body.elf + object->body.begin[PART_LINES] + slot->lines,
		             slot->lines_size);
	if (--object->body.run_live[slot->run] == 0)
		end_run(object, slot->run);
	object->body.live--;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_facts(const struct cairn_jit_object *object,
                                               uint32_t number, struct cairn_jit_facts *facts)
{
	const struct cairn_jit_slot *slot = &object->body.slot[number];
	const uint8_t *die = cairn_jit_locate_die(object, number);
	const uint8_t *fde = object->body.elf + object->body.begin[PART_FRAMES] + slot->frame;
	const uint8_t *lines = object->body.elf + object->body.begin[PART_LINES] + slot->lines;

	*facts = (struct cairn_jit_facts){
		.start = cairn_jit_load_number(die + DIE_START, 8),
		.size = (uint32_t)cairn_jit_load_number(die + DIE_SIZE, 4),
		.first_line = (uint32_t)cairn_jit_load_number(die + DIE_LINE, 4),
		.name = (const char *)object->body.elf + object->body.begin[PART_NAMES] +
		        cairn_jit_load_number(die + DIE_NAME, 4),
		.framed = slot->frame != 0,
		.frame = fde + FDE_HEADER,
		.frame_size =
			slot->frame ? (uint32_t)cairn_jit_load_number(fde, 4) + 4 - FDE_HEADER : 0,
		.lines = lines + SEQUENCE_HEAD,
		.lines_size =
			slot->lines_size ? slot->lines_size - SEQUENCE_HEAD - SEQUENCE_END : 0,
	};
	facts->name_size = (uint32_t)strlen(facts->name) + 1;
	if (slot->file != UINT32_MAX) {
		facts->file = (const char *)object->body.elf + object->body.begin[PART_FILES] +
		              slot->file;
		facts->file_size = (uint32_t)strlen(facts->file) + 1;
	}
}

CAIRN_JIT_INTERNAL bool cairn_jit_object_run_meets(const struct cairn_jit_object *object,
                                                   uint32_t run, uint64_t start, uint64_t end)
{
	const Elf64_Shdr *section = cairn_jit_section(object, SECTION_FIRST_RUN + run);

	return start < section->sh_addr + section->sh_size && section->sh_addr < end;
}

CAIRN_JIT_INTERNAL uint64_t cairn_jit_object_run_start(const struct cairn_jit_object *object,
                                                       uint32_t run)
{
	return cairn_jit_section(object, SECTION_FIRST_RUN + run)->sh_addr;
}

/*
 * Store both fields with one instruction, if the processor has 16-byte stores, so that no debugger
 * stops the thread between them.
 */
static void store_entry(struct cairn_jit_entry *entry, const void *memory, uint64_t size)
{
	typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
	const pair both = { (uint64_t)(uintptr_t)memory, size };

	*(volatile pair *)(void *)&entry->object = both;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_swap(struct cairn_jit_object *object,
                                              struct cairn_jit_object *fresh)
{
	const struct cairn_jit_body old = object->body;

	cairn_jit_keep_order();
	store_entry(&object->entry, fresh->body.elf, fresh->body.size);
	cairn_jit_keep_order();
	object->body = fresh->body;
	fresh->body = old;
	for (uint32_t i = 0; i < object->body.count; i++)
		if (object->body.slot[i].code)
			object->body.slot[i].code->object = object;
	cairn_jit_object_free(fresh);
}
