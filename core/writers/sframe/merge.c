/* SPDX-License-Identifier: MIT */
/*
 * Merges the SFrame tables of relocatable files into one table for the program that was linked from
 * the files.
 *
 * First determines where the linker placed the code sections of each file: a section is found
 * through a symbol of the program that has the same name as a symbol in the section. The program's
 * bytes at the section's supposed address must equal the section's bytes, except for bytes that
 * relocations change.
 */
#include "gather.h"
#include "output.h"

#include "base/allowance.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/elf/elf.h"
#include "unwind/tables/sframe_rules.h"

#include <stdlib.h>
#include <string.h>

struct placement_symbol {
	struct cairn_bytes name;
	uint64_t va;
	/*
	 * the symbol has been assigned to a section; because local symbols can have equal names,
	 * each symbol is assigned only once
	 */
	bool taken;
};

struct placement_program {
	const struct elf *elf;
	struct placement_symbol *list;
	size_t count, capacity;
	struct allowance work; /* number of code bytes that may still be compared */
};

struct object_places {
	struct object_section {
		uint64_t size, va;
		bool code, placed;
		uint32_t relocations; /* index of the relocation section for this section, or 0 */
	} * section;
	uint32_t sections;
};

static void object_places_finish(struct object_places *places)
{
	free(places->section);
	places->section = NULL;
	places->sections = 0;
}

static void placement_close(struct placement_program *program)
{
	free(program->list);
	program->list = NULL;
	program->count = 0;
}

enum {
	RELOCATION_SIZE = 24,
	/*
	 * number of bytes before and after a relocation that the x86-64 linker may change, because
	 * it rewrites instructions that access thread-local or nearby data
	 */
	CHANGED_BEFORE = 4,
	CHANGED_AFTER = 12,
	WORK_LEAST = 1 << 24,
	WORK_TIMES = 64,
};

/* Return true if the symbol names code. Mapping symbols, such as $x on aarch64, do not. */
static bool is_name_of_code(const struct elf_symbol *symbol, struct cairn_bytes name)
{
	return symbol->section != 0 && name.size > 0 && name.data[0] != '$' &&
	       (symbol->type == ELF_STT_FUNC || symbol->type == ELF_STT_IFUNC ||
	        symbol->type == ELF_STT_NOTYPE);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct placement_symbol *a = left, *b = right;
	const int order = bytes_order(a->name, b->name);

	return order ? order : (a->va > b->va) - (a->va < b->va);
}

/*
 * Read the symbols of a program. Returns NOT_FOUND if it has no symbol table, or NO_MEMORY. After
 * an error, placement_close() need not be called.
 */
static enum cairn_status placement_open(struct placement_program *program, const struct elf *elf)
{
	struct elf_section table;
	struct elf_symbol symbol;

	*program = (struct placement_program){ .elf = elf };
	program->work = allowance_of(WORK_LEAST, WORK_TIMES, elf->bytes.size);
	if (!elf_find_section_of_type(elf, ELF_SHT_SYMTAB, &table))
		return CAIRN_NOT_FOUND;
	for (uint64_t i = 1; elf_symbol(elf, &table, i, &symbol); i++) {
		const struct cairn_bytes name = elf_symbol_name(elf, &table, &symbol);
		if (!is_name_of_code(&symbol, name))
			continue;
		if (!array_grow(&program->list, &program->capacity, program->count + 1,
		                sizeof(*program->list))) {
			placement_close(program);
			return CAIRN_NO_MEMORY;
		}
		program->list[program->count++] =
			(struct placement_symbol){ name, symbol.va, false };
	}
	if (program->count > 0)
		qsort(program->list, program->count, sizeof(*program->list), compare_symbols);
	return CAIRN_OK;
}

/*
 * Set *code to the program's bytes at [va, va + size). Returns false if they are not executable or
 * not in the file.
 */
static bool find_linked_code(const struct elf *elf, uint64_t va, uint64_t size,
                             const uint8_t **code)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		const struct cairn_bytes bytes = elf_segment_bytes(elf, &s);
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE) ||
		    va - s.va > bytes.size || size > bytes.size - (va - s.va))
			continue;
		*code = bytes.data + (va - s.va);
		return true;
	}
	return false;
}

/*
 * Return an array with a 1 for each byte of a section that the linker may have changed, or NULL if
 * allocation fails.
 */
static uint8_t *mark_changes(const struct elf *object, const struct object_section *section)
{
	const size_t size = (size_t)section->size;
	uint8_t *changed = calloc(size ? size : 1, 1);
	struct elf_section table;

	if (!changed || !section->relocations || !elf_section(object, section->relocations, &table))
		return changed;
	const struct cairn_bytes entries = elf_section_bytes(object, &table);
	for (size_t at = 0; entries.size - at >= RELOCATION_SIZE; at += RELOCATION_SIZE) {
		const uint64_t place = bytes_u64(entries.data + at, object->big);
		if (place > size)
			continue;
		const size_t low = place < CHANGED_BEFORE ? 0 : (size_t)place - CHANGED_BEFORE;
		const size_t left = size - low, most = CHANGED_BEFORE + CHANGED_AFTER;
		memset(changed + low, 1, left < most ? left : most);
	}
	return changed;
}

static bool is_same_code(const uint8_t *own, const uint8_t *linked, const uint8_t *changed,
                         size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (own[i] != linked[i] && !changed[i])
			return false;
	return true;
}

static size_t find_first(const struct placement_program *program, struct cairn_bytes name)
{
	struct bisection search = bisect_begin(program->count);

	while (search.low < search.high)
		bisect_narrow(&search, bytes_order(program->list[search.middle].name, name) < 0);
	return search.low;
}

/*
 * A code section of a relocatable file. Its bytes are compared with the program's code at each
 * program symbol called `name`.
 */
struct wanted_code {
	struct object_section *section;
	const uint8_t *code, *changed;
	struct cairn_bytes name;
	uint64_t offset;
	bool local;
};

static void try_symbols(struct placement_program *program, struct wanted_code *wanted)
{
	struct object_section *section = wanted->section;
	const uint8_t *linked;

	for (size_t i = find_first(program, wanted->name);
	     i < program->count && bytes_order(program->list[i].name, wanted->name) == 0; i++) {
		struct placement_symbol *symbol = &program->list[i];
		const uint64_t va = symbol->va - wanted->offset;
		if ((wanted->local && symbol->taken) ||
		    !find_linked_code(program->elf, va, section->size, &linked))
			continue;
		if (!allowance_draw(&program->work, section->size) ||
		    !is_same_code(wanted->code, linked, wanted->changed, (size_t)section->size))
			continue;
		section->va = va;
		section->placed = symbol->taken = true;
		return;
	}
}

/*
 * Try to find the program address of the section that contains `symbol`. Does nothing if the
 * address is already known. Returns false if allocation fails.
 */
static bool try_symbol(struct placement_program *program, const struct elf *object,
                       struct object_places *places, const struct elf_symbol *symbol,
                       struct wanted_code *wanted)
{
	struct elf_section header;

	if (symbol->section >= places->sections)
		return true;
	wanted->section = &places->section[symbol->section];
	wanted->offset = symbol->va;
	if (!wanted->section->code || wanted->section->placed ||
	    symbol->va > wanted->section->size || !elf_section(object, symbol->section, &header))
		return true;
	const size_t first = find_first(program, wanted->name);
	if (first == program->count || bytes_order(program->list[first].name, wanted->name) != 0)
		return true;
	uint8_t *changed = mark_changes(object, wanted->section);
	if (!changed)
		return false;
	wanted->code = elf_section_bytes(object, &header).data;
	wanted->changed = changed;
	try_symbols(program, wanted);
	free(changed);
	return true;
}

static bool list_sections(const struct elf *object, struct object_places *places)
{
	struct elf_section s;

	*places = (struct object_places){ .sections = object->sections };
	places->section = calloc(object->sections ? object->sections : 1, sizeof(*places->section));
	if (!places->section)
		return false;
	for (uint32_t i = 1; elf_section(object, i, &s); i++) {
		const struct cairn_bytes bytes = elf_section_bytes(object, &s);
		places->section[i].size = bytes.size;
		places->section[i].code = s.flags & ELF_SHF_EXECUTE && bytes.size > 0;
		if (s.type == ELF_SHT_RELA && s.info < object->sections)
			places->section[s.info].relocations = i;
	}
	return true;
}

/*
 * Find the addresses of an object's sections. Returns UNSUPPORTED if too many symbols have the same
 * name, or NO_MEMORY.
 */
static enum cairn_status placement_find(struct placement_program *program, const struct elf *object,
                                        struct object_places *places)
{
	struct elf_section table;
	struct elf_symbol symbol;
	bool enough = list_sections(object, places);

	allowance_add(&program->work, WORK_TIMES, object->bytes.size);
	if (enough && elf_find_section_of_type(object, ELF_SHT_SYMTAB, &table))
		for (uint64_t i = 1; enough && elf_symbol(object, &table, i, &symbol); i++) {
			struct wanted_code wanted = { .name = elf_symbol_name(object, &table,
				                                              &symbol),
				                      .local = i < table.info };
			if (is_name_of_code(&symbol, wanted.name))
				enough = try_symbol(program, object, places, &symbol, &wanted);
		}
	if (enough && !program->work.over)
		return CAIRN_OK;
	object_places_finish(places);
	return enough ? CAIRN_UNSUPPORTED : CAIRN_NO_MEMORY;
}

/*
 * Convert *start, an address formed by sframe_section_va(), to a va in the program. Returns false
 * if the linker discarded the section.
 */
static bool object_places_move(const void *context, uint64_t *start, uint32_t size)
{
	const struct object_places *places = context;
	const uint64_t number = *start >> 32, offset = *start & UINT32_MAX;

	if (number >= places->sections)
		return false;
	const struct object_section *section = &places->section[number];
	if (!section->placed || offset > section->size || size > section->size - offset)
		return false;
	*start = section->va + offset;
	return true;
}

enum {
	/* maximum size of the merged table per byte of the tables in the relocatable files */
	BYTES_TIMES = 2,
	BYTES_LEAST = 1 << 20,
};

struct merging {
	struct sframe_work work;
	struct placement_program program;
	struct sframe_gathering all;
};

static void finish_merging(struct merging *m)
{
	placement_close(&m->program);
	sframe_gathering_finish(&m->all);
	sframe_work_finish(&m->work);
}

static enum cairn_status open_program(struct merging *m, struct cairn_bytes program,
                                      struct cairn_fault *fault)
{
	struct sframe_format *format = &m->work.draft.format;
	enum cairn_status status = elf_open(program, &m->work.elf, fault);

	if (status != CAIRN_OK)
		return status;
	*format = (struct sframe_format){ (uint8_t)m->work.options->version,
		                          m->work.options->by_section, m->work.elf.big,
		                          elf_machine(&m->work.elf) };
	status = side_file_check(&m->work.elf, format, fault);
	if (status != CAIRN_OK)
		return status;
	status = placement_open(&m->program, &m->work.elf);
	if (status == CAIRN_NOT_FOUND)
		return fault_set(fault, status, "no symbol table to locate the objects with");
	return status == CAIRN_OK ? status : fault_set(fault, status, "out of memory");
}

static enum cairn_status place_functions(struct merging *m, const struct elf *object,
                                         struct cairn_rules *rules, struct cairn_fault *fault)
{
	struct object_places places;
	const enum cairn_status status = placement_find(&m->program, object, &places);

	if (status != CAIRN_OK) {
		cairn_rules_free(rules);
		return fault_set(fault, status,
		                 status == CAIRN_NO_MEMORY
		                         ? "out of memory"
		                         : "too many symbols of the program share a name");
	}
	if (rules->walk.status != CAIRN_OK)
		sframe_work_damage(&m->work.made, &rules->walk);
	const bool enough = sframe_gather(&m->all, rules, object_places_move, &places);
	object_places_finish(&places);
	return enough ? CAIRN_OK : fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
}

static enum cairn_status merge_object(struct merging *m, struct cairn_bytes file,
                                      struct cairn_fault *fault)
{
	struct sframe_section section;
	struct elf object;
	enum cairn_status status = elf_open(file, &object, fault);

	if (status != CAIRN_OK)
		return status;
	if (object.type != ELF_TYPE_REL)
		return fault_set(fault, CAIRN_UNSUPPORTED, "not a relocatable file");
	if (object.machine != m->work.elf.machine || object.big != m->work.elf.big || !object.wide)
		return fault_set(fault, CAIRN_MISMATCH, "for another machine than the program");
	if (sframe_section_find(&object, &section) != CAIRN_OK)
		return CAIRN_OK;
	m->work.made.cfi += section.bytes.size;
	struct cairn_rules *rules = sframe_section_rules(&object, &section);
	return rules ? place_functions(m, &object, rules, fault)
	             : fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
}

static enum cairn_status write_merged(struct merging *m, struct cairn_fault *fault)
{
	struct sframe_work *work = &m->work;

	sframe_gathering_sort(&m->all);
	sframe_work_begin(work, side_file_address(&work->elf),
	                  (uint64_t)BYTES_TIMES * work->made.cfi + work->elf.bytes.size +
	                          BYTES_LEAST);
	sframe_gathering_copy(&m->all, work);
	work->made.code = side_file_code(&work->elf);
	work->made.described += m->all.discarded_code;
	work->made.left_out[CAIRN_SFRAME_LOSS_DISCARDED] = m->all.discarded_code;
	if (work->draft.records == 0 && !work->draft.failed)
		return fault_set(fault, CAIRN_NOT_FOUND,
		                 "no function of the objects' tables is in the program");
	return side_file_write(work, fault);
}

static enum cairn_status merge_objects(struct merging *m, const struct cairn_bytes *object,
                                       size_t objects, size_t *failed, struct cairn_fault *fault)
{
	const struct cairn_sframe_options *options = m->work.options;

	for (size_t i = 0; i < objects; i++) {
		if (options->poll)
			options->poll(options->poll_context);
		*failed = i;
		if (merge_object(m, object[i], fault) != CAIRN_OK)
			return fault->status;
	}
	*failed = objects;
	return write_merged(m, fault);
}

enum cairn_status cairn_sframe_file_merge(struct cairn_bytes program,
                                          const struct cairn_bytes *object, size_t objects,
                                          const struct cairn_sframe_options *options,
                                          struct cairn_sframe_file *made, size_t *failed,
                                          struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_merging) struct merging m = { .work = { .options = NULL } };

	sframe_work_set_options(&m.work, options);
	*failed = objects;
	enum cairn_status status = open_program(&m, program, fault);
	if (status == CAIRN_OK)
		status = merge_objects(&m, object, objects, failed, fault);
	return sframe_work_give(&m.work, status, made);
}
