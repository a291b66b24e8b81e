/* SPDX-License-Identifier: MIT */
/* Goes through the symbols of an object. */
#include "jit_object.h"

enum { RECORD_CODE = 0 };

/* The code itself is in the program's memory, and is left out. */
static void append_code(uint64_t start, uint64_t size, struct cairn_bytes name,
                        struct byte_buffer *dump)
{
	const size_t begin = jit_record_begin(dump, RECORD_CODE);

	byte_buffer_number(dump, 0, 8); /* the process and the thread */
	byte_buffer_number(dump, start, 8);
	byte_buffer_number(dump, start, 8);
	byte_buffer_number(dump, size, 8);
	byte_buffer_number(dump, 0, 8);
	byte_buffer_bytes(dump, name.data, name.size);
	byte_buffer_u8(dump, 0);
	jit_record_end(dump, begin);
}

struct object {
	struct elf elf;
	struct jit_object_lines lines;
	struct jit_object_frames frames;
};

static void append_function(const struct object *object, const struct elf_section *table,
                            const struct elf_symbol *symbol, struct byte_buffer *dump)
{
	const struct cairn_bytes name = elf_symbol_name(&object->elf, table, symbol);
	struct elf_section section;
	uint64_t start = symbol->va;

	if ((symbol->type != ELF_STT_FUNC && symbol->type != ELF_STT_IFUNC) ||
	    symbol->section == 0 || symbol->size == 0 || name.size == 0)
		return;
	if (object->elf.type == ELF_TYPE_REL) {
		if (!elf_section(&object->elf, symbol->section, &section))
			return;
		start += section.va;
	}
	if (start > UINT64_MAX - symbol->size)
		return;
	jit_object_lines_append(&object->lines, start, symbol->size, dump);
	jit_object_frames_append(&object->frames, start, dump);
	append_code(start, symbol->size, name, dump);
}

bool jit_object_append(struct cairn_bytes image, struct byte_buffer *dump)
{
	struct object object = { .lines = { .count = 0 } };
	struct elf_section table;
	struct elf_symbol symbol;

	if (!elf_opens(image, &object.elf) || object.elf.big != dump->big ||
	    !elf_find_section(&object.elf, ".symtab", &table))
		return false;
	jit_object_lines_read(&object.lines, &object.elf);
	jit_object_frames_read(&object.frames, &object.elf);
	for (uint64_t i = 0; elf_symbol(&object.elf, &table, i, &symbol) && !dump->failed; i++)
		append_function(&object, &table, &symbol, dump);
	jit_object_lines_finish(&object.lines);
	jit_object_frames_finish(&object.frames);
	return true;
}
