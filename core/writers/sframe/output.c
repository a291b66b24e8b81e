/* SPDX-License-Identifier: MIT */
/*
 * Writes the file around an SFrame table: a separate ELF file, or the relocatable file with two
 * additional sections. Converts finished tables to row tables.
 */
#include "output.h"

#include "base/allowance.h"
#include "base/byte_buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rule_places.h"
#include "base/sized.h"
#include "formats/elf/append.h"
#include "formats/rowtable.h"
#include "formats/sframe/sframe.h"
#include "unwind/tables/sframe_rules.h"
#include "writers/elf/elf_builder.h"

#include <stdlib.h>
#include <string.h>

void sframe_work_begin(struct sframe_work *work, uint64_t address, uint64_t most)
{
	struct sframe_draft *draft = &work->draft;

	draft->address = address;
	draft->share = work->options->share_rows;
	draft->join = work->options->join_functions && !work->options->share_rows;
	draft->data.limit = work->out.limit = most < UINT32_MAX ? (size_t)most : UINT32_MAX;
	work->out.big = draft->format.big;
}

void sframe_work_set_options(struct sframe_work *work, const struct cairn_sframe_options *options)
{
	work->own = (struct cairn_sframe_options)CAIRN_SFRAME_OPTIONS;
	sized_take(&work->own, sizeof(work->own), options);
	bytes_fill(&work->own.debug_frame);
	if (work->own.version == 0)
		work->own.version = 3;
	work->options = &work->own;
}

void sframe_work_damage(struct cairn_sframe_file *made, const struct cairn_fault *fault)
{
	if (made->damaged++ == 0)
		made->fault = *fault;
}

void sframe_work_end(struct sframe_work *work, uint64_t table)
{
	work->made.table = table;
	work->made.functions = work->draft.records;
	work->made.rows = work->draft.rows;
	work->made.bytes = byte_buffer_view(&work->out);
	work->out.data = NULL;
}

enum cairn_status sframe_work_give(struct sframe_work *work, enum cairn_status status,
                                   struct cairn_sframe_file *made)
{
	if (status == CAIRN_OK) {
		sized_give(&work->made, sizeof(work->made), made);
		work->made.bytes.data = NULL;
	}
	return status;
}

void sframe_work_finish(struct sframe_work *work)
{
	free((void *)(uintptr_t)work->made.bytes.data);
	sframe_draft_finish(&work->draft);
	byte_buffer_finish(&work->out);
}

/*
 * Format of the separate ELF file:
 *
 *	file     = header segment* note? padding .sframe names padding section*
 *	segment  = PT_LOAD like the program's, but without contents; PT_NOTE; PT_GNU_SFRAME
 *	section  = null, .note.gnu.build-id?, .sframe, .shstrtab
 */
enum {
	ALIGNMENT = 8,
	HEADER = ELF_FILE_HEADER,
	SEGMENTS_COUNT_AT = 56, /* offset of e_phnum in the ELF header */
	SEGMENT_OFFSET = 8,
	SEGMENT_SIZE = 32,
	SEGMENTS_MAX = UINT16_MAX - 2,
};

/* contents of .shstrtab; .note.gnu.build-id is included even if there is no build ID */
static const char names[] = "\0.note.gnu.build-id\0.sframe\0.shstrtab";

uint64_t side_file_address(const struct elf *elf)
{
	uint64_t end = 0;
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.va + s.memory_size > end)
			end = s.va + s.memory_size;
	return (end + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

static size_t note_size(const struct elf *elf)
{
	const struct cairn_bytes id = elf_build_id(elf);

	return id.size ? elf_file_note_size(id) : 0;
}

static uint32_t count_loads(const struct elf *elf)
{
	struct elf_segment s;
	uint32_t count = 0;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		count += s.type == ELF_PT_LOAD;
	return count;
}

static size_t count_segments(const struct elf *elf)
{
	return count_loads(elf) + (note_size(elf) ? 1u : 0u) + 1;
}

static void put_header(const struct elf *elf, struct byte_buffer *out)
{
	byte_buffer_bytes(out, elf->bytes.data, HEADER);
	if (out->failed)
		return;
	byte_buffer_overwrite(out, 32, HEADER, 8);
	byte_buffer_overwrite(out, 40, 0, 8);
	byte_buffer_overwrite(out, 52, HEADER, 2);
	byte_buffer_overwrite(out, 54, ELF_SEGMENT_WIDE, 2);
	byte_buffer_overwrite(out, SEGMENTS_COUNT_AT, count_segments(elf), 2);
	byte_buffer_overwrite(out, 58, ELF_SECTION_WIDE, 2);
}

static void put_loads(const struct elf *elf, struct byte_buffer *out)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD)
			elf_file_segment(out, true,
			                 &(struct elf_segment){ .type = s.type,
			                                        .flags = s.flags,
			                                        .va = s.va,
			                                        .memory_size = s.memory_size,
			                                        .align = s.align });
}

static size_t note_at(const struct elf *elf)
{
	return HEADER + count_segments(elf) * ELF_SEGMENT_WIDE;
}

static void put_headers(const struct elf *elf, struct byte_buffer *out)
{
	const size_t note = note_size(elf);

	put_header(elf, out);
	put_loads(elf, out);
	if (note)
		elf_file_segment(out, true,
		                 &(struct elf_segment){ .type = ELF_PT_NOTE,
		                                        .flags = ELF_PF_READ,
		                                        .offset = note_at(elf),
		                                        .file_size = note,
		                                        .align = 4 });
	elf_file_segment(out, true,
	                 &(struct elf_segment){ .type = ELF_PT_GNU_SFRAME,
	                                        .flags = ELF_PF_READ,
	                                        .va = side_file_address(elf),
	                                        .align = ALIGNMENT });
}

enum cairn_status side_file_check(const struct elf *elf, const struct sframe_format *format,
                                  struct cairn_fault *fault)
{
	if (!elf->wide || !sframe_format_is_writable(format))
		return fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not support the machine");
	if (elf->type != ELF_TYPE_EXEC && elf->type != ELF_TYPE_DYN)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "not a program, a library or a debug file of one");
	if (elf->segments > SEGMENTS_MAX)
		return fault_set(fault, CAIRN_UNSUPPORTED, "too many segments");
	return CAIRN_OK;
}

/* Explain why a buffer has failed: its limit has been reached, or an allocation has failed. */
static enum cairn_status explain_failure(bool full, struct cairn_fault *fault)
{
	return full ? fault_set(fault, CAIRN_LIMIT, "the table is too large for the file")
	            : fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
}

enum cairn_status side_file_write(struct sframe_work *work, struct cairn_fault *fault)
{
	const struct elf *elf = &work->elf;
	struct byte_buffer *out = &work->out;
	struct elf_builder file = { .out = out, .wide = true, .names = { names, sizeof(names) } };
	const size_t segment = note_at(elf) - ELF_SEGMENT_WIDE;

	put_headers(elf, out);
	elf_builder_section(&file, "", 0);
	elf_builder_build_id(&file, elf_build_id(elf));
	byte_buffer_align(out, ALIGNMENT);
	struct elf_section *s = elf_builder_section(&file, ".sframe", ELF_SHT_GNU_SFRAME);
	s->flags = ELF_SHF_ALLOC;
	s->va = side_file_address(elf);
	s->alignment = ALIGNMENT;
	sframe_draft_write(&work->draft, out);
	s->size = out->size - s->offset;
	byte_buffer_overwrite(out, segment + SEGMENT_OFFSET, s->offset, 8);
	byte_buffer_overwrite(out, segment + SEGMENT_SIZE, s->size, 8);
	byte_buffer_overwrite(out, segment + SEGMENT_SIZE + 8, s->size, 8);
	elf_builder_finish(&file);
	if (work->draft.failed || out->failed)
		return explain_failure(work->draft.data.full || out->full, fault);
	sframe_work_end(work, s->size);
	return CAIRN_OK;
}

uint64_t side_file_code(const struct elf *elf)
{
	struct elf_segment s;
	uint64_t size = 0;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.flags & ELF_PF_EXECUTE)
			size += s.memory_size;
	return size;
}

void cairn_sframe_file_free(struct cairn_sframe_file *made)
{
	static const uint8_t nothing[1];

	if (made->bytes.data != nothing)
		free((void *)(uintptr_t)made->bytes.data);
	made->bytes = (struct cairn_bytes){ nothing, 0 };
}

enum {
	RELOCATION = 24,
	SYMBOL_SECTION = 3,
	SHF_INFO_LINK = 0x40,
	TYPE_AT = 4,
	FLAGS_AT = 8,
	LINK_AT = 40,
	INFO_AT = 44,
	ENTRY_AT = 56,
	OBJECT_BYTES_MAX = 1 << 30,
};

/* Symbol by which relocations refer to the code in one section. */
struct section_symbol {
	uint32_t index;
	uint64_t value;
	bool whole;
};

enum cairn_status object_file_check(const struct elf *elf, const struct sframe_format *format,
                                    struct cairn_fault *fault)
{
	struct elf_section section;

	if (!elf->wide || !sframe_format_is_writable(format))
		return fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not support the machine");
	if (elf_find_section(elf, ".sframe", &section) ||
	    elf_find_section(elf, ".rela.sframe", &section))
		return fault_set(fault, CAIRN_UNSUPPORTED, "already has an .sframe section");
	/*
	 * reject relocations for missing sections, because they would apply to the sections
	 * appended here
	 */
	for (uint32_t i = 1; elf_section(elf, i, &section); i++)
		if ((section.type == ELF_SHT_RELA || section.type == ELF_SHT_REL) &&
		    section.info >= elf->sections)
			return fault_set(fault, CAIRN_MALFORMED,
			                 "relocations for a section that does not exist");
	return CAIRN_OK;
}

bool object_file_has_code(const struct elf *elf, uint64_t low, uint64_t high)
{
	struct elf_section section;

	return low >> 32 == (high - 1) >> 32 && elf_section(elf, (uint32_t)(low >> 32), &section) &&
	       section.flags & ELF_SHF_EXECUTE && (low & UINT32_MAX) + (high - low) <= section.size;
}

uint64_t object_file_code(const struct elf *elf)
{
	struct elf_section s;
	uint64_t size = 0;

	for (uint32_t i = 1; elf_section(elf, i, &s); i++)
		if (s.flags & ELF_SHF_EXECUTE)
			size += s.size;
	return size;
}

/*
 * Choose one symbol per section, preferably the section symbol. Returns NULL if allocation
 * fails.
 */
static struct section_symbol *list_section_symbols(const struct elf *elf,
                                                   const struct elf_section *table)
{
	struct section_symbol *list = calloc(elf->sections ? elf->sections : 1, sizeof(*list));
	struct elf_symbol symbol;

	for (uint32_t i = 1; list && elf_symbol(elf, table, i, &symbol); i++) {
		if (symbol.section == 0 || symbol.section >= elf->sections)
			continue;
		struct section_symbol *one = &list[symbol.section];
		const bool whole = symbol.type == SYMBOL_SECTION;
		if (one->index == 0 || (whole && !one->whole))
			*one = (struct section_symbol){ i, symbol.va, whole };
	}
	return list;
}

static uint32_t choose_relocation(const struct sframe_format *format)
{
	const bool wide = sframe_layout(format->version)->start_size == 8;

	if (format->machine == CAIRN_MACHINE_AMD64)
		return wide ? 24 : 2; /* R_X86_64_PC64, PC32 */
	if (format->machine == CAIRN_MACHINE_AARCH64)
		return wide ? 260 : 261; /* R_AARCH64_PREL64, PREL32 */
	return wide ? 23 : 5;            /* R_390_PC64, PC32 */
}

/*
 * Write one relocation for each function record. Returns false if a function's section has no
 * symbol.
 */
static bool put_relocations(const struct sframe_draft *draft, const struct section_symbol *symbols,
                            struct byte_buffer *out)
{
	const uint8_t size = sframe_layout(draft->format.version)->record_size;

	for (size_t i = 0; i < draft->records; i++) {
		const uint64_t start = draft->record[i].start, field = SFRAME_HEADER + i * size;
		const struct section_symbol *symbol = &symbols[start >> 32];
		if (symbol->index == 0)
			return false;
		byte_buffer_number(out, field, 8);
		byte_buffer_number(
			out, (uint64_t)symbol->index << 32 | choose_relocation(&draft->format), 8);
		/*
		 * Do not add the field's offset to the addend. In binutils before 2.45, starts are
		 * relative to the .sframe section, and the linker adds the field's offset itself.
		 */
		byte_buffer_number(out, (start & UINT32_MAX) - symbol->value, 8);
	}
	return true;
}

static enum cairn_status append_to(struct cairn_bytes file, const char *name,
                                   struct cairn_bytes content, struct byte_buffer *out,
                                   struct cairn_fault *fault)
{
	struct elf_append append;
	struct elf elf;
	enum cairn_status status = elf_open(file, &elf, fault);

	if (status != CAIRN_OK)
		return status;
	uint8_t *memory = malloc(elf_append_capacity(&elf, name));
	if (!memory)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	status = elf_append_section(&elf, name, content, memory, &append, fault);
	for (size_t i = 0; status == CAIRN_OK && i < ELF_APPEND_PARTS; i++)
		byte_buffer_bytes(out, append.part[i].data, append.part[i].size);
	free(memory);
	if (status == CAIRN_OK && out->failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	return status;
}

/* Fill in the remaining fields of the two new section headers, which are last in the table. */
static void finish_headers(struct byte_buffer *out, uint32_t symbols)
{
	struct elf elf;

	if (!elf_opens(byte_buffer_view(out), &elf))
		return;
	const size_t relocations =
		(size_t)elf.sections_at + (elf.sections - 1) * (size_t)ELF_SECTION_WIDE;
	const size_t table = relocations - ELF_SECTION_WIDE;
	byte_buffer_overwrite(out, table + TYPE_AT, ELF_SHT_GNU_SFRAME, 4);
	byte_buffer_overwrite(out, table + FLAGS_AT, ELF_SHF_ALLOC, 8);
	byte_buffer_overwrite(out, relocations + TYPE_AT, ELF_SHT_RELA, 4);
	byte_buffer_overwrite(out, relocations + FLAGS_AT, SHF_INFO_LINK, 8);
	byte_buffer_overwrite(out, relocations + LINK_AT, symbols, 4);
	byte_buffer_overwrite(out, relocations + INFO_AT, elf.sections - 2, 4);
	byte_buffer_overwrite(out, relocations + ENTRY_AT, RELOCATION, 8);
}

struct object_parts {
	struct byte_buffer table, relocations, half;
	struct section_symbol *symbols;
};

static enum cairn_status join_parts(struct sframe_work *work, struct object_parts *p,
                                    struct cairn_fault *fault)
{
	const struct elf *elf = &work->elf;
	struct elf_section table;

	if (!elf_find_section_of_type(elf, ELF_SHT_SYMTAB, &table))
		return fault_set(fault, CAIRN_UNSUPPORTED, "no symbols to relocate with");
	p->symbols = list_section_symbols(elf, &table);
	sframe_draft_write(&work->draft, &p->table);
	if (!p->symbols || work->draft.failed || p->table.failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	if (!put_relocations(&work->draft, p->symbols, &p->relocations))
		return fault_set(fault, CAIRN_UNSUPPORTED, "no symbols to relocate with");
	if (p->relocations.failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	enum cairn_status status =
		append_to(elf->bytes, ".sframe", byte_buffer_view(&p->table), &p->half, fault);
	if (status == CAIRN_OK)
		status = append_to(byte_buffer_view(&p->half), ".rela.sframe",
		                   byte_buffer_view(&p->relocations), &work->out, fault);
	if (status == CAIRN_OK)
		finish_headers(&work->out, table.index);
	return status;
}

enum cairn_status object_file_write(struct sframe_work *work, struct cairn_fault *fault)
{
	const struct byte_buffer none = { .limit = OBJECT_BYTES_MAX, .big = work->elf.big };
	struct object_parts p = { none, none, none, NULL };

	work->out.limit = OBJECT_BYTES_MAX;
	const enum cairn_status status = join_parts(work, &p, fault);
	if (status == CAIRN_OK)
		sframe_work_end(work, p.table.size);
	byte_buffer_finish(&p.table);
	byte_buffer_finish(&p.relocations);
	byte_buffer_finish(&p.half);
	free(p.symbols);
	return status;
}

/*
 * Converts an SFrame table to a row table, which has a row for each change of the rule, and a row
 * without a rule at the start of each gap.
 */
enum {
	/*
	 * Maximum number of rows, in addition to one per byte of the file. A limit is needed
	 * because a small repeating block can expand to many rows.
	 */
	ROWS_LEAST = 1 << 16,
	POLL_FUNCTIONS = 1 << 10,
};

struct flattening {
	struct elf elf;
	struct cairn_rules *rules;
	struct rowtable table;
	struct byte_buffer rows;
	struct byte_buffer out;
	struct allowance capacity;
	struct cairn_rule last;
	bool has_last;
	uint64_t reach;
	uint64_t lost[CAIRN_SFRAME_LOSSES];
};

static void finish_flattening(struct flattening **flattening)
{
	struct flattening *f = *flattening;

	if (!f)
		return;
	cairn_rules_free(f->rules);
	byte_buffer_finish(&f->rows);
	byte_buffer_finish(&f->out);
	free(f);
}

static void put_row(struct flattening *f, uint64_t va, const struct cairn_rule *rule)
{
	uint8_t bytes[ROWTABLE_ROW];
	struct sink sink = sink_open(bytes, sizeof(bytes));

	if (!allowance_draw(&f->capacity, 1)) {
		f->rows.failed = true;
		return;
	}
	rowtable_write_row(&sink, f->table.big, (uint32_t)(va - f->table.base), rule);
	byte_buffer_bytes(&f->rows, bytes, sizeof(bytes));
	f->table.rows++;
	f->has_last = rule != NULL;
	if (rule)
		f->last = *rule;
}

static bool is_same_rule(const struct cairn_rule *a, const struct cairn_rule *b)
{
	return a->outermost == b->outermost && a->signal == b->signal && a->mangled == b->mangled &&
	       a->key_b == b->key_b && rule_has_same_locations(a, b);
}

static void add_range(struct flattening *f, uint64_t start, uint64_t end,
                      const struct cairn_rule *rule)
{
	enum cairn_sframe_loss loss = CAIRN_SFRAME_LOSS_DISTANCE;

	if (f->table.rows == 0)
		f->table.base = start;
	if (end - f->table.base > UINT32_MAX || !rowtable_can_say(rule, &loss)) {
		f->lost[loss] += end - start;
		return;
	}
	if (f->has_last && f->reach != start)
		put_row(f, f->reach, NULL);
	if (!f->has_last || !is_same_rule(&f->last, rule))
		put_row(f, start, rule);
	f->reach = end;
}

static void flatten_function(struct flattening *f, const struct rules_function *function)
{
	const uint64_t end = function->start + function->size;
	const struct cairn_rule *rule;
	uint64_t va = function->start;

	while (va < end && !f->rows.failed &&
	       cairn_rules_find(f->rules, va, &rule, NULL) == CAIRN_OK) {
		const uint64_t next = rule->end < end ? rule->end : end;
		add_range(f, va, next, rule);
		va = next;
	}
}

static enum cairn_status open_made_table(struct flattening *f, struct cairn_bytes file,
                                         struct cairn_fault *fault)
{
	struct sframe_section section;
	enum cairn_status status = elf_open(file, &f->elf, fault);

	if (status == CAIRN_OK)
		status = sframe_section_find(&f->elf, &section);
	if (status != CAIRN_OK)
		return status;
	f->rules = sframe_section_rules(&f->elf, &section);
	if (!f->rules || rules_list_functions(f->rules) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	f->table.big = f->elf.big;
	f->table.machine = elf_machine(&f->elf);
	f->table.build_id = elf_build_id(&f->elf);
	if (f->table.build_id.size > ROWTABLE_ID_MAX)
		f->table.build_id.size = 0;
	f->table.rows_at = (ROWTABLE_HEADER + f->table.build_id.size + 15) & ~(size_t)15;
	f->capacity = allowance_of(ROWS_LEAST, 1, file.size);
	f->rows.limit = f->out.limit = UINT32_MAX;
	return CAIRN_OK;
}

static enum cairn_status write_table(struct flattening *f, struct cairn_sframe_file *made)
{
	uint8_t *head = byte_buffer_extend(&f->out, f->table.rows_at);

	if (!head || f->rows.failed)
		return f->rows.full || f->out.full ? CAIRN_LIMIT : CAIRN_NO_MEMORY;
	struct sink sink = sink_open(head, f->table.rows_at);
	rowtable_write_head(&sink, &f->table);
	byte_buffer_bytes(&f->out, f->rows.data, f->rows.size);
	if (f->out.failed)
		return f->out.full ? CAIRN_LIMIT : CAIRN_NO_MEMORY;
	cairn_sframe_file_free(made);
	made->bytes = (struct cairn_bytes){ f->out.data, f->out.size };
	made->table = f->out.size;
	made->rows = f->table.rows;
	f->out.data = NULL;
	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++) {
		made->left_out[i] += f->lost[i];
		made->written -= f->lost[i];
	}
	return CAIRN_OK;
}

enum cairn_status rows_make(struct cairn_sframe_file *made,
                            const struct cairn_sframe_options *options, struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_flattening) struct flattening *f = calloc(1, sizeof(*f));
	enum cairn_status status = f ? open_made_table(f, made->bytes, fault) : CAIRN_NO_MEMORY;

	for (size_t i = 0; status == CAIRN_OK && i < f->rules->function_count; i++) {
		if (options->poll && i % POLL_FUNCTIONS == 0)
			options->poll(options->poll_context);
		flatten_function(f, &f->rules->functions[i]);
	}
	if (status == CAIRN_OK && f->has_last)
		put_row(f, f->reach, NULL);
	if (status == CAIRN_OK && f->table.rows == 0)
		*fault = (struct cairn_fault){ status = CAIRN_NOT_FOUND, 0,
			                       "a row table can express none of the rules" };
	else if (status == CAIRN_OK)
		status = write_table(f, made);
	if (status == CAIRN_NO_MEMORY || status == CAIRN_LIMIT)
		explain_failure(status == CAIRN_LIMIT, fault);
	return status;
}
