/* SPDX-License-Identifier: MIT */
/* Appends functions to an object. */
#include "object.h"

#include "layout.h"

#include <string.h>

static uint32_t count_frame_bytes(const struct cairn_jit_facts *facts)
{
	return facts->framed ? (FDE_HEADER + facts->frame_size + 7) & ~7u : 0;
}

static uint32_t count_line_bytes(const struct cairn_jit_facts *facts)
{
	return facts->lines_size ? SEQUENCE_HEAD + facts->lines_size + SEQUENCE_END : 0;
}

CAIRN_JIT_INTERNAL void cairn_jit_need_add(struct cairn_jit_need *need,
                                           const struct cairn_jit_facts *facts)
{
	need->bytes[PART_NAMES] += facts->name_size;
	need->bytes[PART_SYMBOLS] += sizeof(Elf64_Sym);
	need->bytes[PART_FRAMES] += count_frame_bytes(facts);
	need->bytes[PART_DIES] += DIE_BYTES;
	need->bytes[PART_LINES] += count_line_bytes(facts);
	need->bytes[PART_FILES] += facts->file_size ? facts->file_size + 3 : 0;
	need->slots++;
}

CAIRN_JIT_INTERNAL void cairn_jit_need_run(struct cairn_jit_need *need)
{
	need->bytes[PART_RUNS] += RUN_BYTES;
}

CAIRN_JIT_INTERNAL bool cairn_jit_object_fits(const struct cairn_jit_object *object,
                                              const struct cairn_jit_need *need)
{
	for (int part = 0; part < PART_COUNT; part++)
		if (need->bytes[part] > object->body.room[part] -
		                                cairn_jit_part_end((enum cairn_jit_part)part) -
		                                object->body.used[part])
			return false;
	return need->slots <= object->body.slots - object->body.count;
}

static uint8_t *take_room(struct cairn_jit_object *object, enum cairn_jit_part part, uint32_t size)
{
	uint8_t *at = object->body.elf + object->body.begin[part] + object->body.used[part];

	object->body.used[part] += size;
	return at;
}

/* Return one of the latest slots that has the same file, or UINT32_MAX. */
static uint32_t find_same_file(const struct cairn_jit_object *object,
                               const struct cairn_jit_facts *facts)
{
	enum { SEARCHED = 8 };
	const char *files = (const char *)object->body.elf + object->body.begin[PART_FILES];

	for (uint32_t i = object->body.count; i > 0 && i + SEARCHED > object->body.count; i--)
		if (object->body.slot[i - 1].file != UINT32_MAX &&
		    strcmp(files + object->body.slot[i - 1].file, facts->file) == 0)
			return i - 1;
	return UINT32_MAX;
}

static uint32_t append_file(struct cairn_jit_object *object, const struct cairn_jit_facts *facts,
                            struct cairn_jit_slot *slot)
{
	slot->file = object->body.used[PART_FILES];
	uint8_t *at = take_room(object, PART_FILES, facts->file_size + 3);
	const uint32_t end = 0; /* NUL, directory, time and size; the next file starts after them */
	memcpy(at, facts->file, facts->file_size - 1);
	cairn_jit_keep_order();
	memcpy(at + facts->file_size - 1, &end, sizeof(end));
	return ++object->body.files;
}

static uint32_t find_file_number(struct cairn_jit_object *object,
                                 const struct cairn_jit_facts *facts, struct cairn_jit_slot *slot)
{
	slot->file = UINT32_MAX;
	if (!facts->file_size)
		return 0;
	const uint32_t same = find_same_file(object, facts);
	if (same != UINT32_MAX) {
		slot->file = object->body.slot[same].file;
		return (uint32_t)cairn_jit_load_number(
			cairn_jit_locate_die(object, same) + DIE_FILE, 2);
	}
	return object->body.files == FILE_MAX ? 0 : append_file(object, facts, slot);
}

static uint32_t append_name(struct cairn_jit_object *object, const struct cairn_jit_facts *facts)
{
	uint32_t offset = object->body.used[PART_NAMES];

	memcpy(take_room(object, PART_NAMES, facts->name_size), facts->name, facts->name_size);
	return offset;
}

static uint8_t *locate_range(const struct cairn_jit_object *object, uint32_t run)
{
	return object->body.elf + object->body.begin[PART_RUNS] + run * (uint32_t)RUN_BYTES;
}

/* Start a run: a section and an equal range. The section becomes valid with the last store. */
static uint32_t start_run(struct cairn_jit_object *object, uint64_t start, uint64_t end)
{
	uint32_t run = object->body.used[PART_RUNS] / RUN_BYTES;
	Elf64_Shdr *section = cairn_jit_section(object, SECTION_FIRST_RUN + run);
	uint8_t *range = take_room(object, PART_RUNS, RUN_BYTES);

	cairn_jit_store_number(range + 8, end, 8);
	cairn_jit_store_number(range, start, 8);
	section->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	section->sh_addr = start;
	section->sh_size = end - start;
	section->sh_addralign = 1;
	cairn_jit_keep_order();
	section->sh_type = SHT_NOBITS;
	return run;
}

static void stretch_run(struct cairn_jit_object *object, uint32_t run, uint64_t start, uint64_t end)
{
	Elf64_Shdr *section = cairn_jit_section(object, SECTION_FIRST_RUN + run);
	uint64_t run_end = section->sh_addr + section->sh_size;

	if (end > run_end) {
		section->sh_size = end - section->sh_addr;
		cairn_jit_store_number(locate_range(object, run) + 8, end, 8);
	}
	if (start < section->sh_addr) {
		section->sh_size += section->sh_addr - start;
		section->sh_addr = start;
		cairn_jit_store_number(locate_range(object, run), start, 8);
	}
}

static uint32_t append_frame(struct cairn_jit_object *object, const struct cairn_jit_facts *facts)
{
	uint32_t size = count_frame_bytes(facts), offset = object->body.used[PART_FRAMES];

	if (!size)
		return 0;
	uint8_t *at = take_room(object, PART_FRAMES, size);
	cairn_jit_store_number(at + 4, 0, 4); /* the CIE is at the start of the section */
	cairn_jit_store_number(at + 8, facts->start, 8);
	cairn_jit_store_number(at + 16, facts->size, 8);
	if (facts->frame_size)
		memcpy(at + FDE_HEADER, facts->frame, facts->frame_size);
	cairn_jit_keep_order();
	cairn_jit_store_number(at, size - 4, 4);
	return offset;
}

static void append_symbol(struct cairn_jit_object *object, const struct cairn_jit_facts *facts,
                          uint32_t name, uint32_t run)
{
	Elf64_Sym *symbol = (Elf64_Sym *)(void *)take_room(object, PART_SYMBOLS, sizeof(*symbol));

	symbol->st_name = name;
	symbol->st_value = facts->start;
	symbol->st_size = facts->size;
	symbol->st_shndx = (Elf64_Half)(SECTION_FIRST_RUN + run);
	cairn_jit_keep_order();
	symbol->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
}

static void append_die(struct cairn_jit_object *object, const struct cairn_jit_facts *facts,
                       uint32_t name, uint32_t file)
{
	uint8_t *at = take_room(object, PART_DIES, DIE_BYTES);

	cairn_jit_store_number(at + DIE_NAME, name, 4);
	cairn_jit_store_number(at + DIE_START, facts->start, 8);
	cairn_jit_store_number(at + DIE_SIZE, facts->size, 4);
	cairn_jit_store_number(at + DIE_FILE, file, 2);
	cairn_jit_store_number(at + DIE_LINE, facts->first_line, 4);
	cairn_jit_keep_order();
	at[0] = ABBREVIATION_FUNCTION;
}

static uint32_t append_lines(struct cairn_jit_object *object, const struct cairn_jit_facts *facts,
                             uint32_t file)
{
	uint32_t size = file ? count_line_bytes(facts) : 0;

	if (!size)
		return 0;
	uint8_t *at = take_room(object, PART_LINES, size);
	uint8_t *length = object->body.elf + cairn_jit_section(object, SECTION_LINES)->sh_offset;
	memcpy(at, "\0\11\2", 3); /* DW_LNE_set_address */
	cairn_jit_store_number(at + 3, facts->start, 8);
	at[11] = 4; /* DW_LNS_set_file */
	at[12] = (uint8_t)(file | 0x80);
	at[13] = (uint8_t)(file >> 7);
	memcpy(at + SEQUENCE_HEAD, facts->lines, facts->lines_size);
	memcpy(at + SEQUENCE_HEAD + facts->lines_size, "\0\1\1",
	       SEQUENCE_END); /* DW_LNE_end_sequence */
	cairn_jit_keep_order();
	cairn_jit_store_number(length, cairn_jit_load_number(length, 4) + size, 4);
	return size;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_append(struct cairn_jit_object *object,
                                                const struct cairn_jit_facts *facts, uint32_t run,
                                                struct cairn_jit_code *code)
{
	struct cairn_jit_slot *slot = &object->body.slot[object->body.count];
	const uint32_t file = find_file_number(object, facts, slot),
		       name = append_name(object, facts);

	if (run == RUN_NEW)
		run = start_run(object, facts->start - facts->lead, facts->start + facts->size);
	else
		stretch_run(object, run, facts->start, facts->start + facts->size);
	object->body.run_live[run]++;
	slot->code = code;
	slot->run = run;
	slot->frame = append_frame(object, facts);
	slot->lines = object->body.used[PART_LINES];
	slot->lines_size = append_lines(object, facts, file);
	append_die(object, facts, name, file);
	append_symbol(object, facts, name, run);
	code->object = object;
	code->slot = object->body.count++;
	object->body.live++;
}
