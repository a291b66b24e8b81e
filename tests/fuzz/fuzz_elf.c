/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of any bytes: all segments, sections, notes and relocations, and the rules of its
 * SFrame section.  Always:
 *   - bytes that are handed out lie in the file;
 *   - a fault lies in the file or just at its end;
 *   - the rules give the same answer with and without their index;
 *   - what is told of a program has its size and an end past its start;
 *   - the parts that identify it lie in it, are few, and a file of them alone has the same identity.
 */
#include "fuzz.h"

#include "formats/elf/append.h"

#include "scan.h"

#include "formats/elf/elf.h"
#include "unwind/tables/program_files.h"
#include "unwind/tables/sframe_rules.h"

#include <string.h>

enum { QUESTIONS = 64 };

static void check_inside(const struct elf *elf, struct cairn_bytes part)
{
	ALWAYS(part.data >= elf->bytes.data);
	ALWAYS((size_t)(part.data - elf->bytes.data) <= elf->bytes.size);
	ALWAYS(part.size <= elf->bytes.size - (size_t)(part.data - elf->bytes.data));
}

static void walk_segments(const struct elf *elf)
{
	struct elf_segment segment;

	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++) {
		check_inside(elf, elf_segment_bytes(elf, &segment));
		check_inside(elf,
		             elf_build_id_in_notes(elf_segment_bytes(elf, &segment), elf->big));
		check_inside(elf, elf_package_in_notes(elf_segment_bytes(elf, &segment), elf->big));
	}
}

static void walk_sections(const struct elf *elf)
{
	struct elf_section section;
	struct elf_relocation relocation;

	for (uint32_t i = 0; elf_section(elf, i, &section); i++) {
		uint32_t relocations = 0;
		uint64_t at = 0, before = 0;
		check_inside(elf, section.name.size ? section.name : elf->bytes);
		check_inside(elf, elf_section_bytes(elf, &section));
		while (i < 8 && elf_next_relocation(elf, i, &relocations, &at, &relocation)) {
			ALWAYS(at > before && at <= elf->bytes.size);
			ALWAYS(relocation.type != 0);
			before = at;
		}
	}
	if (elf_find_section(elf, ".sframe", &section))
		ALWAYS(section.index > 0 && section.index < elf->sections);
}

static void ask(struct cairn_rules *plain, struct cairn_rules *indexed, uint64_t va)
{
	struct cairn_fault fault;
	const struct cairn_rule *first, *second;
	enum cairn_status status = cairn_rules_find(plain, va, &first, &fault);

	ALWAYS(cairn_rules_find(indexed, va, &second, NULL) == status);
	if (status == CAIRN_OK)
		ALWAYS(scan_same_rule(first, second) &&
		       va - first->start < first->end - first->start);
	else
		ALWAYS(fault.offset <= plain->section.size && fault.what);
}

static void walk_rules(const struct elf *elf)
{
	struct sframe_section sframe;

	if (sframe_section_find(elf, &sframe) != CAIRN_OK)
		return;
	check_inside(elf, sframe.bytes);
	struct cairn_rules *plain = sframe_section_rules(elf, &sframe);
	struct cairn_rules *indexed = sframe_section_rules(elf, &sframe);
	ALWAYS(plain && indexed);
	cairn_rules_build_index(indexed);
	for (size_t t = 0; t < plain->table_count && t < 4; t++)
		for (uint32_t i = 0; i < plain->tables[t].functions && i < QUESTIONS; i++) {
			uint64_t start;
			uint32_t size;
			sframe_extent(&plain->tables[t], i, &start, &size);
			ask(plain, indexed, start);
			ask(plain, indexed, start + size);
			ask(plain, indexed, start + size - 1);
		}
	cairn_rules_free(plain);
	cairn_rules_free(indexed);
}

/* Names of the PLT's first blocks. */
static void walk_stubs(const struct elf *elf)
{
	struct elf_stubs stubs;
	uint64_t start;

	if (!elf_stubs_open(elf, &stubs))
		return;
	for (uint64_t i = 0; i < QUESTIONS; i++) {
		const uint64_t va = stubs.section.va + i;
		const struct cairn_bytes name = elf_stubs_name(&stubs, va, &start);
		check_inside(elf, name.size ? name : elf->bytes);
		ALWAYS(name.size == 0 || va - start < QUESTIONS);
	}
}

static void check_program(struct cairn_bytes bytes)
{
	static struct cairn_program program;
	struct cairn_fault fault;

	if (cairn_program_parse(bytes, &program, &fault) != CAIRN_OK) {
		ALWAYS(fault.what);
		return;
	}
	ALWAYS(program.sections > 0 && program.sections <= CAIRN_SECTIONS);
	ALWAYS(program.build_id_size <= sizeof(program.build_id));
	ALWAYS(program.span.low <= program.span.high);
	for (size_t i = 0; i < program.sections; i++) {
		const struct cairn_section *s = &program.section[i];
		ALWAYS(s->range.low <= s->range.high);
		ALWAYS(memchr(s->name, '\0', sizeof(s->name)));
	}
}

/* As a file of the module that it is itself: few parts, all inside. */
static void check_files(struct cairn_bytes bytes, const struct elf *elf)
{
	const struct cairn_module module = { .machine = elf_machine(elf),
		                             .big_endian = elf->big,
		                             .build_id = elf_build_id(elf),
		                             .headers = bytes };
	struct cairn_files *files = cairn_files_new(true);
	struct cairn_range part;
	unsigned step = 0, parts = 0;

	if (!files)
		return;
	if (bytes.size & 2)
		cairn_files_want_async(files);
	ALWAYS(cairn_files_are_of(&module, bytes, false));
	while (cairn_files_part(files, bytes, &step, (bytes.size & 1) != 0, &part)) {
		ALWAYS(part.low < part.high && part.high <= bytes.size);
		ALWAYS(parts++ < 6);
	}
	ALWAYS(strlen(cairn_files_link(files)) < FILES_LINK);
	cairn_files_free(files);
}

/* Each part after the other. */
static uint8_t *join_parts(const struct elf_append *append, size_t *size)
{
	*size = 0;
	for (size_t i = 0; i < ELF_APPEND_PARTS; i++)
		*size += append->part[i].size;
	uint8_t *all = malloc(*size);
	size_t at = 0;
	for (size_t i = 0; all && i < ELF_APPEND_PARTS; i++) {
		if (append->part[i].size)
			memcpy(all + at, append->part[i].data, append->part[i].size);
		at += append->part[i].size;
	}
	return all;
}

/*
 * A section that is appended is found again; again, it replaces the first. Where another section claims
 * to end later, all bytes of the file stay then, and it grows by its names and its table once more.
 */
static void check_append(const struct elf *elf, unsigned times, size_t most)
{
	static const char text[] = "what is appended";
	const struct cairn_bytes content = { (const uint8_t *)text, sizeof(text) - times };
	uint8_t *memory = malloc(elf_append_capacity(elf, ".appended"));
	struct elf_append append;
	struct elf_section section;
	struct cairn_fault fault;
	struct elf again;
	size_t size;

	if (memory &&
	    elf_append_section(elf, ".appended", content, memory, &append, &fault) == CAIRN_OK) {
		uint8_t *all = join_parts(&append, &size);
		ALWAYS(times == 0 || size <= most);
		ALWAYS(elf_open((struct cairn_bytes){ all, size }, &again, &fault) == CAIRN_OK);
		ALWAYS(elf_find_section(&again, ".appended", &section));
		struct cairn_bytes found = elf_section_bytes(&again, &section);
		ALWAYS(found.size == content.size && memcmp(found.data, text, found.size) == 0);
		ALWAYS(again.segments == elf->segments && again.type == elf->type);
		if (times == 0)
			check_append(&again, 1,
			             size + elf_append_capacity(&again, ".appended") +
			                     content.size);
		free(all);
	}
	free(memory);
}

/* Reads the parts into a file of zeros, one after the other, as from a file that is far away. */
static void check_parts(struct cairn_bytes bytes, const struct elf *whole)
{
	enum { TABLES = 5, COMMENT = 1 };
	uint8_t *copy = calloc(1, bytes.size);
	const struct cairn_bytes read = { copy, bytes.size };
	struct elf_parts parts = { .step = 0 };
	struct cairn_range part;
	struct cairn_fault fault;
	struct elf elf;
	unsigned count = 0;

	ALWAYS(copy);
	while (elf_next_part(read, &parts, &part)) {
		ALWAYS(part.low < part.high && part.high <= bytes.size);
		ALWAYS(++count <= TABLES + ELF_NOTES_RUNS + COMMENT);
		memcpy(copy + part.low, bytes.data + part.low, (size_t)(part.high - part.low));
	}
	ALWAYS(elf_open(read, &elf, &fault) == CAIRN_OK);
	const struct cairn_bytes id = elf_build_id(whole), again = elf_build_id(&elf);
	ALWAYS(id.size == again.size && memcmp(id.data, again.data, id.size) == 0);
	ALWAYS(elf_shows_build_id(whole) == elf_shows_build_id(&elf));
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data, size };
	struct cairn_fault fault;
	struct elf elf;

	if (elf_open(bytes, &elf, &fault) != CAIRN_OK) {
		ALWAYS(fault.offset <= size && fault.what);
		return 0;
	}
	walk_segments(&elf);
	walk_sections(&elf);
	walk_stubs(&elf);
	check_inside(&elf, elf_build_id(&elf));
	walk_rules(&elf);
	check_program(bytes);
	check_files(bytes, &elf);
	check_append(&elf, 0, 0);
	check_parts(bytes, &elf);
	return 0;
}
