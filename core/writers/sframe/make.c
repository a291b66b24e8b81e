/* SPDX-License-Identifier: MIT */
/*
 * Creates a file with an SFrame table. The table is converted, possibly to a different version,
 * from the SFrame tables in a file or from raw table bytes, or created from the call frame
 * information in a program.
 */
#include "entries.h"
#include "gather.h"
#include "output.h"
#include "table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "formats/ehframe/cfi.h"
#include "unwind/tables/sframe_rules.h"

#include <stdlib.h>
#include <string.h>

enum {
	/*
	 * maximum size of the new table in bytes: BYTES_TIMES per byte of the file, plus
	 * BYTES_LEAST
	 */
	BYTES_TIMES = 2,
	BYTES_LEAST = 1 << 20,
	SECTION_SIZE_AT = 32, /* offset of sh_size in a section header */
	SEGMENT_SIZE_AT = 32, /* offset of p_filesz in a program header; p_memsz follows */
};

struct conversion {
	struct sframe_work work;
	struct sframe_section section;
	struct byte_buffer table;
};

static void finish_conversion(struct conversion *c)
{
	byte_buffer_finish(&c->table);
	sframe_work_finish(&c->work);
}

static struct cairn_rules *open_rules(struct conversion *c, struct cairn_bytes file,
                                      enum cairn_status *status, struct cairn_fault *fault)
{
	struct cairn_rules *rules = NULL;

	if (c->work.options->raw) {
		c->section = (struct sframe_section){ file, c->work.options->address, 0 };
		rules = cairn_rules_new(file, c->work.options->address);
	} else {
		*status = elf_open(file, &c->work.elf, fault);
		if (*status != CAIRN_OK)
			return NULL;
		*status = CAIRN_UNSUPPORTED;
		*fault = (struct cairn_fault){ *status, 0,
			                       "relocatable: convert the linked file instead" };
		if (c->work.elf.type == ELF_TYPE_REL)
			return NULL;
		*status = CAIRN_NOT_FOUND;
		*fault = (struct cairn_fault){ *status, 0, "no .sframe in this file" };
		if (sframe_section_find(&c->work.elf, &c->section) != CAIRN_OK)
			return NULL;
		rules = sframe_section_rules(&c->work.elf, &c->section);
	}
	*status = rules ? CAIRN_OK : fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	return rules;
}

/*
 * Choose the format of the new table. All input tables must have the same machine and byte order,
 * because a table describes code for one machine in one byte order.
 */
static enum cairn_status choose_format(struct conversion *c, const struct cairn_rules *rules,
                                       struct cairn_fault *fault)
{
	struct sframe_format *format = &c->work.draft.format;

	if (rules->table_count == 0) {
		*fault = rules->walk;
		return fault->status != CAIRN_OK
		               ? fault->status
		               : fault_set(fault, CAIRN_NOT_FOUND, "no table in the section");
	}
	*format = (struct sframe_format){ (uint8_t)c->work.options->version,
		                          c->work.options->by_section, rules->tables[0].big,
		                          rules->tables[0].machine };
	for (size_t i = 0; i < rules->table_count; i++)
		if (rules->tables[i].machine != format->machine ||
		    rules->tables[i].big != format->big)
			return fault_set(fault, CAIRN_UNSUPPORTED,
			                 "the tables are for different machines");
	return sframe_format_is_writable(format)
	               ? CAIRN_OK
	               : fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not support the machine");
}

static enum cairn_status copy_tables(struct conversion *c, struct cairn_rules *rules,
                                     struct cairn_fault *fault)
{
	struct cairn_sframe_file *made = &c->work.made;
	WITH_CLEANUP(sframe_gathering_finish) struct sframe_gathering all = { .count = 0 };

	if (rules->walk.status != CAIRN_OK)
		sframe_work_damage(made, &rules->walk);
	if (!sframe_gather(&all, rules, NULL, NULL))
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	sframe_gathering_sort(&all);
	sframe_gathering_copy(&all, &c->work);
	made->cfi = c->section.bytes.size;
	if (c->work.draft.records == 0 && made->described > 0 && !c->work.draft.failed)
		return fault_set(fault, CAIRN_NOT_FOUND,
		                 "this SFrame version can express none of the rules");
	return CAIRN_OK;
}

/*
 * Return true if the file contains none of the program's code or data, because it was created only
 * to hold an SFrame table.
 */
static bool is_side_file(const struct elf *elf)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.file_size > 0)
			return false;
	return true;
}

static void store_size(struct byte_buffer *out, uint64_t at, uint64_t size)
{
	if (at <= out->size && out->size - at >= 8)
		byte_buffer_overwrite(out, (size_t)at, size, 8);
}

static void resize_section(struct conversion *c, uint64_t size)
{
	struct elf_segment s;

	if (c->section.section)
		store_size(&c->work.out,
		           c->work.elf.sections_at +
		                   (uint64_t)c->section.section * ELF_SECTION_WIDE +
		                   SECTION_SIZE_AT,
		           size);
	for (uint32_t i = 0; elf_segment(&c->work.elf, i, &s); i++) {
		const uint64_t at = c->work.elf.segments_at + (uint64_t)i * ELF_SEGMENT_WIDE;
		if (s.type != ELF_PT_GNU_SFRAME || s.va != c->section.address)
			continue;
		store_size(&c->work.out, at + SEGMENT_SIZE_AT, size);
		store_size(&c->work.out, at + SEGMENT_SIZE_AT + 8, size);
	}
}

static enum cairn_status replace_section(struct conversion *c, struct cairn_bytes file,
                                         struct cairn_fault *fault)
{
	const size_t at = (size_t)(c->section.bytes.data - file.data),
		     capacity = c->section.bytes.size, size = c->table.size;

	if (size > capacity)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "the new table is larger than the section; write a separate file "
		                 "(--side-file)");
	byte_buffer_bytes(&c->work.out, file.data, file.size);
	if (!c->work.out.failed) {
		memcpy(c->work.out.data + at, c->table.data, size);
		memset(c->work.out.data + at + size, 0, capacity - size);
		resize_section(c, size);
	}
	return CAIRN_OK;
}

static enum cairn_status write_in_place(struct conversion *c, struct cairn_bytes file,
                                        struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;

	sframe_draft_write(&c->work.draft, &c->table);
	if (!c->work.draft.failed && !c->table.failed && c->work.options->raw)
		byte_buffer_bytes(&c->work.out, c->table.data, c->table.size);
	else if (!c->work.draft.failed && !c->table.failed)
		status = replace_section(c, file, fault);
	if (status != CAIRN_OK)
		return status;
	if (c->work.draft.failed || c->table.failed || c->work.out.failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	sframe_work_end(&c->work, c->table.size);
	return CAIRN_OK;
}

static enum cairn_status convert_rules(struct conversion *c, struct cairn_bytes file,
                                       struct cairn_rules *rules, struct cairn_fault *fault)
{
	const uint64_t most = (uint64_t)BYTES_TIMES * file.size + BYTES_LEAST;
	const bool side =
		!c->work.options->raw && (c->work.options->side_file || is_side_file(&c->work.elf));
	enum cairn_status status = choose_format(c, rules, fault);

	if (status == CAIRN_OK && side)
		status = side_file_check(&c->work.elf, &c->work.draft.format, fault);
	else if (status == CAIRN_OK && !c->work.options->raw && !c->work.elf.wide)
		status = fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not support the machine");
	if (status != CAIRN_OK) {
		cairn_rules_free(rules);
		return status;
	}
	sframe_work_begin(&c->work, side ? side_file_address(&c->work.elf) : c->section.address,
	                  most);
	c->table.limit = c->work.out.limit;
	c->table.big = c->work.out.big;
	c->work.made.code = c->work.options->raw ? 0 : side_file_code(&c->work.elf);
	status = copy_tables(c, rules, fault);
	if (status != CAIRN_OK)
		return status;
	return side ? side_file_write(&c->work, fault) : write_in_place(c, file, fault);
}

enum cairn_status cairn_sframe_file_convert(struct cairn_bytes file,
                                            const struct cairn_sframe_options *options,
                                            struct cairn_sframe_file *made,
                                            struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_conversion) struct conversion c = { .work = { .options = NULL } };
	enum cairn_status status = CAIRN_OK;
	sframe_work_set_options(&c.work, options);
	struct cairn_rules *rules = open_rules(&c, file, &status, fault);

	if (rules)
		status = convert_rules(&c, file, rules, fault);
	return sframe_work_give(&c.work, status, made);
}

enum {
	POLL_ENTRIES = 1 << 8,
	/*
	 * maximum size of the table in bytes: DATA_TIMES per byte of the file, plus DATA_LEAST;
	 * programs need 0.1 per byte
	 */
	DATA_TIMES = 16,
	DATA_LEAST = 1 << 20,
};

const char *cairn_sframe_loss_name(enum cairn_sframe_loss loss)
{
	static const char texts[][TEXT_CAPACITY] = {
		[CAIRN_SFRAME_LOSS_CFA] = "cfa",
		[CAIRN_SFRAME_LOSS_RA] = "ra",
		[CAIRN_SFRAME_LOSS_FP] = "fp",
		[CAIRN_SFRAME_LOSS_SP] = "sp",
		[CAIRN_SFRAME_LOSS_OFFSET] = "offset",
		[CAIRN_SFRAME_LOSS_OUTERMOST] = "outermost",
		[CAIRN_SFRAME_LOSS_SIGNAL] = "signal",
		[CAIRN_SFRAME_LOSS_OVERLAP] = "overlap",
		[CAIRN_SFRAME_LOSS_OUTSIDE] = "outside",
		[CAIRN_SFRAME_LOSS_DISTANCE] = "distance",
		[CAIRN_SFRAME_LOSS_DAMAGED] = "damaged",
		[CAIRN_SFRAME_LOSS_DISCARDED] = "discarded",
	};

	return TEXT_AT(texts, loss, "?");
}

struct making {
	struct sframe_work work;
	struct frame_entries entries;
	struct cfi_walk walk;
};

static void finish_making(struct making **making)
{
	struct making *m = *making;

	if (!m)
		return;
	frame_entries_finish(&m->entries);
	sframe_work_finish(&m->work);
	free(m);
}

static void leave_out(struct making *m, enum cairn_sframe_loss loss, uint64_t low, uint64_t high)
{
	m->work.made.left_out[loss] += high - low;
}

static void add_rule(struct making *m, const struct ehframe_cie *cie, const struct cfi_row *row)
{
	const struct places places = places_find(&m->work.draft.format, cie, row);

	if (places.rows == 0)
		leave_out(m, places.loss, row->start, row->end);
	else if (!sframe_draft_add(&m->work.draft, row->start, row->end, &places))
		leave_out(m, CAIRN_SFRAME_LOSS_DISTANCE, row->start, row->end);
	else
		m->work.made.written += row->end - row->start;
}

/*
 * Add the rules of an FDE. If its instructions are damaged, keep the rules before the damage.
 * Debuggers get the same result, because they execute the instructions up to the pc.
 */
static void add_rules(struct making *m, const struct frame_entry *entry)
{
	const struct ehframe_cie *cie = NULL;
	struct cairn_fault fault;
	struct ehframe_fde fde;
	uint64_t reached = entry->low;
	enum cairn_status status = frame_entries_read(&m->entries, entry, &cie, &fde, &fault);

	if (status == CAIRN_OK &&
	    !allowance_draw(&m->entries.work, cie->source.bytes.size - cie->program)) {
		fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, entry->at,
			                      "CIEs take more work to run than is allowed" };
		status = fault.status;
	}
	if (status == CAIRN_OK)
		status = cfi_walk_open(&m->walk, cie, &fde, &fault);
	if (status == CAIRN_OK)
		sframe_draft_begin(&m->work.draft, cie->signal, cie->key_b);
	while (status == CAIRN_OK && (status = cfi_walk_next(&m->walk, &fault)) == CAIRN_OK) {
		reached = m->walk.row.end;
		add_rule(m, cie, &m->walk.row);
	}
	sframe_draft_end(&m->work.draft);
	if (status != CAIRN_NOT_FOUND) {
		sframe_work_damage(&m->work.made, &fault);
		leave_out(m, CAIRN_SFRAME_LOSS_DAMAGED, reached, entry->high);
	}
}

static bool is_in_segment(const struct elf *elf, const struct frame_entry *entry)
{
	struct elf_segment s;

	if (elf->type == ELF_TYPE_REL)
		return object_file_has_code(elf, entry->low, entry->high);
	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.flags & ELF_PF_EXECUTE &&
		    entry->low - s.va < s.memory_size &&
		    entry->high - entry->low <= s.memory_size - (entry->low - s.va))
			return true;
	return false;
}

static void add_entries(struct making *m)
{
	for (size_t i = 0; i < m->entries.count && !m->work.draft.failed; i++) {
		const struct frame_entry *entry = &m->entries.list[i];
		if (m->work.options->poll && i % POLL_ENTRIES == 0)
			m->work.options->poll(m->work.options->poll_context);
		if (!is_in_segment(&m->work.elf, entry)) {
			leave_out(m, CAIRN_SFRAME_LOSS_OUTSIDE, entry->low, entry->high);
			continue;
		}
		m->work.made.described += entry->high - entry->low;
		if (entry->overlapped)
			leave_out(m, CAIRN_SFRAME_LOSS_OVERLAP, entry->low, entry->high);
		else
			add_rules(m, entry);
	}
}

static enum cairn_status prepare_making(struct making *m, struct cairn_bytes file,
                                        struct cairn_fault *fault)
{
	struct sframe_draft *draft = &m->work.draft;
	const uint64_t most = (uint64_t)DATA_TIMES * file.size + DATA_LEAST;
	enum cairn_status status = elf_open(file, &m->work.elf, fault);

	if (status != CAIRN_OK)
		return status;
	draft->format = (struct sframe_format){ (uint8_t)m->work.options->version,
		                                m->work.options->by_section, m->work.elf.big,
		                                elf_machine(&m->work.elf) };
	sframe_work_begin(&m->work, side_file_address(&m->work.elf), most);
	draft->relocatable = m->work.elf.type == ELF_TYPE_REL;
	if (draft->relocatable && m->work.options->rows)
		return fault_set(
			fault, CAIRN_UNSUPPORTED,
			"relocatable: a row table needs the addresses that a linker assigns");
	return draft->relocatable ? object_file_check(&m->work.elf, &draft->format, fault)
	                          : side_file_check(&m->work.elf, &draft->format, fault);
}

static enum cairn_status make_table(struct making *m, struct cairn_fault *fault)
{
	const struct cairn_sframe_options *options = m->work.options;

	if (frame_entries_open(&m->work.elf, options->debug_frame, &m->entries) != CAIRN_OK)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	m->work.made.cfi = m->entries.eh_frame.size + m->entries.debug_frame.size;
	m->work.made.code = m->work.draft.relocatable ? object_file_code(&m->work.elf)
	                                              : side_file_code(&m->work.elf);
	m->work.made.damaged = m->entries.damaged;
	m->work.made.fault = m->entries.fault;
	add_entries(m);
	if (m->work.draft.records == 0 && !m->work.draft.failed)
		return fault_set(fault, CAIRN_NOT_FOUND,
		                 m->entries.count ? "SFrame can express none of the rules"
		                                  : "no .eh_frame and no .debug_frame");
	const enum cairn_status status = m->work.draft.relocatable
	                                         ? object_file_write(&m->work, fault)
	                                         : side_file_write(&m->work, fault);
	return status == CAIRN_OK && options->rows ? rows_make(&m->work.made, options, fault)
	                                           : status;
}

enum cairn_status cairn_sframe_file_make(struct cairn_bytes file,
                                         const struct cairn_sframe_options *options,
                                         struct cairn_sframe_file *made, struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_making) struct making *m = calloc(1, sizeof(*m));

	if (!m)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	sframe_work_set_options(&m->work, options);
	enum cairn_status status = prepare_making(m, file, fault);
	if (status == CAIRN_OK)
		status = make_table(m, fault);
	return sframe_work_give(&m->work, status, made);
}
