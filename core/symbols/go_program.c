/* SPDX-License-Identifier: MIT */
/*
 * Finds the function table of a Go program by its section or its magic number. The program's memory
 * is emulated with the contents of its loadable segments and with the dynamic relocations
 * (DT_RELA), whose addends are the pointers that the dynamic linker would write.
 */
#include "go_program.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/reader.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum {
	PT_DYNAMIC = 2,
	DT_RELA = 7,
	DT_RELASZ = 8,
	R_X86_64_RELATIVE = 8,
	R_390_RELATIVE = 12,
	R_AARCH64_RELATIVE = 1027,
	/* sizeof(Elf64_Rela); not needed on 32-bit machines, whose segments contain the addends */
	RELA_SIZE = 24,
};

static bool go_memory_lend(void *context, uint64_t va, struct cairn_bytes *bytes)
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

/* Return the next relocation whose pointer is the load bias plus an addend. */
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

static bool go_memory_sort(struct go_program *program)
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

/* Find the next pointer with this value. *at must be 0 before the first call. */
static bool go_memory_next_pointer(const struct go_program *program, uint64_t value, size_t *at,
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

static void go_memory_open(struct go_program *program)
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

enum {
	TABLE_ALIGNMENT = 8, /* minimum alignment; linkers align the table to 16 or 32 bytes */
	BUILD_INFO_SIZE = 32,
	BUILD_INFO_TEXT = 2, /* flag: the version is an inline string, not a pointer */
	VERSION_OFFSET = 16,
};

static bool find_any_section(const struct elf *elf, const char *const name[],
                             struct elf_section *section)
{
	for (; *name; name++)
		if (elf_find_section(elf, *name, section))
			return true;
	return false;
}

/*
 * Return true if the file may be a Go program. A file with section headers but without Go's
 * sections is not searched.
 */
static bool may_be_go(const struct elf *elf)
{
	static const char *const marks[] = { ".go.buildinfo", ".note.go.buildid", NULL };
	struct elf_section section;

	if (elf->type != ELF_TYPE_EXEC && elf->type != ELF_TYPE_DYN)
		return false;
	return elf->sections == 0 || find_any_section(elf, marks, &section);
}

/* If moduledata is at `va`, complete the function table from it and return true. */
static bool take_module(struct go_program *program, uint64_t va)
{
	struct gopclntab *table = &program->table;
	uint64_t text, trees;

	if (program->tries++ >= GO_TRIES_MAX || !gopclntab_read_module(table, va, &text, &trees))
		return false;
	if (table->layout >= GOPCLNTAB_1_18) {
		table->text = text;
		table->inline_trees = trees;
		table->has_inline_trees = trees != 0;
	}
	return true;
}

/* Search a writable segment for moduledata, which begins with the table's address. */
static bool search_segment(struct go_program *program, const struct elf_segment *segment)
{
	struct cairn_bytes bytes = elf_segment_bytes(&program->elf, segment);
	size_t size = program->table.word;

	for (size_t at = 0; at + size <= bytes.size; at += size)
		if (bytes_unsigned(bytes.data + at, size, program->elf.big) == program->table.va &&
		    take_module(program, segment->va + at))
			return true;
	return false;
}

static bool find_module(struct go_program *program)
{
	struct elf_section section;
	uint64_t va;

	if (elf_find_section(&program->elf, ".go.module", &section) &&
	    take_module(program, section.va))
		return true;
	for (size_t at = 0; go_memory_next_pointer(program, program->table.va, &at, &va);)
		if (take_module(program, va))
			return true;
	for (unsigned i = 0; i < program->segments; i++)
		if ((program->segment[i].flags & ELF_PF_WRITE) &&
		    search_segment(program, &program->segment[i]))
			return true;
	return false;
}

static bool read_string(struct go_program *program, uint64_t va, struct cairn_bytes *text)
{
	const struct gopclntab_memory *memory = &program->memory;
	uint64_t at, size;

	return memory->read_word(program, va, &at) &&
	       memory->read_word(program, va + program->table.word, &size) &&
	       go_memory_lend(program, at, text) && size <= text->size &&
	       bytes_slice(*text, 0, size, text);
}

/*
 * Return true if .go.buildinfo contains a version with known inline trees. All versions before 1.16
 * have the same magic number, but only 1.14 and 1.15 store the trees where 1.16 does.
 */
static bool has_known_version(struct go_program *program)
{
	static const char *const known[] = { "go1.14", "go1.15" };
	struct elf_section section;
	struct cairn_bytes info, text;
	uint64_t va;

	if (!elf_find_section(&program->elf, ".go.buildinfo", &section))
		return false;
	info = elf_section_bytes(&program->elf, &section);
	if (info.size < BUILD_INFO_SIZE || (info.data[15] & BUILD_INFO_TEXT) ||
	    !program->memory.read_word(program, section.va + VERSION_OFFSET, &va) ||
	    !read_string(program, va, &text))
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (text.size >= 6 && memcmp(text.data, known[i], 6) == 0)
			return true;
	return false;
}

/*
 * Return true if the first and last functions are valid, so that this is not some data that looks
 * like a table.
 */
static bool check_functions(const struct gopclntab *table)
{
	struct gopclntab_function first, last;

	return table->functions > 0 && gopclntab_read_function(table, 0, &first) &&
	       gopclntab_read_function(table, table->functions - 1, &last) && first.name.size &&
	       last.name.size && first.start <= last.start;
}

/* Read the data to which the table refers. The table's header has already been read. */
static enum cairn_status finish_table(struct go_program *program, struct cairn_fault *fault)
{
	struct gopclntab *table = &program->table;
	bool has_module;

	if (table->layout < GOPCLNTAB_1_18 && !go_memory_sort(program)) {
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, 0, "out of memory" };
		return fault->status;
	}
	switch (table->layout) {
	case GOPCLNTAB_1_2:
		table->has_inline_trees = has_known_version(program);
		return CAIRN_OK;
	case GOPCLNTAB_1_16:
		table->has_inline_trees = true;
		return CAIRN_OK;
	case GOPCLNTAB_1_18:
	case GOPCLNTAB_1_20:
		break;
	}
	has_module = find_module(program);
	if (!has_module && table->text == 0) {
		*fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, 0,
			                       "a Go table whose moduledata, which knows where the "
			                       "code begins, was not found" };
		return fault->status;
	}
	return CAIRN_OK;
}

static enum cairn_status open_table(struct go_program *program, struct cairn_bytes bytes,
                                    uint64_t va, struct cairn_fault *fault)
{
	const uint8_t *file = program->elf.bytes.data;
	enum cairn_status status =
		gopclntab_open(bytes, va, &program->memory, &program->table, fault);

	if (status == CAIRN_OK && program->table.word != (program->elf.wide ? 8 : 4)) {
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, 0,
			                       "a Go table with pointers of another size" };
		status = fault->status;
	}
	if (status == CAIRN_OK)
		status = finish_table(program, fault);
	if (status == CAIRN_OK && !check_functions(&program->table)) {
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, 0,
			                       "a Go table whose functions cannot be read" };
		status = fault->status;
	}
	if (status != CAIRN_OK) {
		fault->offset += (size_t)(bytes.data - file);
		go_program_close(program);
	}
	return status;
}

/* Try every location in a loadable segment that looks like a table. */
static enum cairn_status search_table(struct go_program *program, struct cairn_fault *fault)
{
	for (unsigned i = 0; i < program->segments; i++) {
		const struct elf_segment *segment = &program->segment[i];
		struct cairn_bytes bytes = elf_segment_bytes(&program->elf, segment);
		for (size_t at = 0; at + TABLE_ALIGNMENT <= bytes.size; at += TABLE_ALIGNMENT) {
			struct cairn_bytes rest = { bytes.data + at, bytes.size - at };
			if (gopclntab_has_magic(rest) && program->tries++ < GO_TRIES_MAX &&
			    open_table(program, rest, segment->va + at, fault) == CAIRN_OK)
				return CAIRN_OK;
		}
	}
	return fault_set(fault, CAIRN_NOT_FOUND, "no table of functions in it");
}

enum cairn_status go_program_open(struct cairn_bytes file, struct go_program *program,
                                  struct cairn_fault *fault)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab", NULL };
	struct elf_section section;

	memset(program, 0, sizeof(*program));
	if (elf_open(file, &program->elf, fault) != CAIRN_OK || !may_be_go(&program->elf))
		return fault_set(fault, CAIRN_NOT_FOUND, "not a Go program");
	go_memory_open(program);
	if (find_any_section(&program->elf, names, &section) && section.type != ELF_SHT_NOBITS)
		return open_table(program, elf_section_bytes(&program->elf, &section), section.va,
		                  fault);
	return search_table(program, fault);
}

void go_program_close(struct go_program *program)
{
	free(program->pointer);
	program->pointer = NULL;
	program->pointers = 0;
}
