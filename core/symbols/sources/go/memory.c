/* SPDX-License-Identifier: MIT */
/*
 * Memory of a program from its file: its loaded segments, and the pointers that the dynamic linker
 * writes into them, which are the addends of its relocations (DT_RELA).
 */
#include "memory.h"

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/reader.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
	PT_DYNAMIC = 2,
	DT_RELA = 7,
	DT_RELASZ = 8,
	R_X86_64_RELATIVE = 8,
	R_390_RELATIVE = 12,
	R_AARCH64_RELATIVE = 1027,
	RELA_SIZE = 24, /* of 64 bits, where alone addends are not in place */
};

bool go_memory_lend(void *context, uint64_t va, struct cairn_bytes *bytes)
{
	const struct go_program *program = context;

	for (unsigned i = 0; i < program->segments; i++) {
		const struct elf_segment *s = &program->segment[i];
		uint64_t offset = va - s->va;
		if (va < s->va || offset >= s->file_size)
			continue;
		return bytes_slice(program->elf.bytes, s->offset + offset, s->file_size - offset,
		                   bytes);
	}
	return false;
}

static bool is_relative(const struct go_program *program, uint64_t info)
{
	switch (program->elf.machine) {
	case ELF_EM_X86_64:
		return info == R_X86_64_RELATIVE;
	case ELF_EM_AARCH64:
		return info == R_AARCH64_RELATIVE;
	case ELF_EM_S390:
		return info == R_390_RELATIVE;
	default:
		return false;
	}
}

/* Relocation after relocation that adds the load bias. */
static bool next_relative(const struct go_program *program, size_t *at, struct go_pointer *pointer)
{
	const struct cairn_bytes *in = &program->relocations;

	while (in->size - *at >= RELA_SIZE) {
		const uint8_t *entry = in->data + *at;
		*at += RELA_SIZE;
		if (!is_relative(program, bytes_u64(entry + 8, program->elf.big)))
			continue;
		*pointer = (struct go_pointer){ bytes_u64(entry, program->elf.big),
			                        bytes_u64(entry + 16, program->elf.big) };
		return true;
	}
	return false;
}

static bool find_sorted(const struct go_program *program, uint64_t va, uint64_t *value)
{
	const size_t first = SORTED_BELOW(program->pointer, program->pointers, va, va);

	if (first == program->pointers || program->pointer[first].va != va)
		return false;
	*value = program->pointer[first].value;
	return true;
}

static bool find_unsorted(const struct go_program *program, uint64_t va, uint64_t *value)
{
	struct go_pointer pointer;

	for (size_t at = 0; next_relative(program, &at, &pointer);)
		if (pointer.va == va) {
			*value = pointer.value;
			return true;
		}
	return false;
}

static bool read_word(void *context, uint64_t va, uint64_t *word)
{
	const struct go_program *program = context;
	size_t size = program->elf.wide ? 8 : 4;
	struct cairn_bytes bytes;

	if (program->pointer ? find_sorted(program, va, word) : find_unsorted(program, va, word))
		return true;
	if (!go_memory_lend(context, va, &bytes) || bytes.size < size)
		return false;
	*word = bytes_unsigned(bytes.data, size, program->elf.big);
	return true;
}

bool go_memory_sort(struct go_program *program)
{
	size_t most = program->relocations.size / RELA_SIZE;
	struct go_pointer pointer;

	if (most == 0)
		return true;
	program->pointer = malloc(most * sizeof(*program->pointer));
	if (!program->pointer)
		return false;
	for (size_t at = 0; next_relative(program, &at, &pointer);)
		program->pointer[program->pointers++] = pointer;
	SORT_BY_FIRST(program->pointer, program->pointers, va);
	return true;
}

bool go_memory_next_pointer(const struct go_program *program, uint64_t value, size_t *at,
                            uint64_t *va)
{
	struct go_pointer pointer;

	while (next_relative(program, at, &pointer))
		if (pointer.value == value) {
			*va = pointer.va;
			return true;
		}
	return false;
}

/* What DT_RELA and DT_RELASZ of the dynamic segment refer to. */
static void find_relocations(struct go_program *program, const struct elf_segment *dynamic)
{
	struct reader in = reader_open(elf_segment_bytes(&program->elf, dynamic), program->elf.big);
	uint64_t va = 0, size = 0;
	struct cairn_bytes bytes;

	while (reader_left(&in) >= 16) {
		uint64_t tag = reader_u64(&in), value = reader_u64(&in);
		if (tag == DT_RELA)
			va = value;
		if (tag == DT_RELASZ)
			size = value;
		if (tag == 0)
			break;
	}
	if (size && go_memory_lend(program, va, &bytes) && size <= bytes.size)
		program->relocations = (struct cairn_bytes){ bytes.data, (size_t)size };
}

void go_memory_open(struct go_program *program)
{
	struct elf_segment s, dynamic = { .type = 0 };

	program->relocations = (struct cairn_bytes){ program->elf.bytes.data, 0 };
	for (uint32_t i = 0; i < program->elf.segments && elf_segment(&program->elf, i, &s); i++) {
		if (s.type == ELF_PT_LOAD && program->segments < GO_SEGMENTS_MAX &&
		    s.offset <= UINT64_MAX - s.file_size)
			program->segment[program->segments++] = s;
		if (s.type == PT_DYNAMIC)
			dynamic = s;
	}
	if (program->elf.wide && dynamic.type == PT_DYNAMIC)
		find_relocations(program, &dynamic);
	program->memory = (struct gopclntab_memory){ read_word, go_memory_lend, program };
}
