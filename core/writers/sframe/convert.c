/* SPDX-License-Identifier: MIT */
/* Converts the tables of a file, or raw table bytes, to one table of another version. */
#include "gather.h"
#include "side_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "unwind/tables/sframe_rules.h"

#include <string.h>

enum {
	BYTES_TIMES = 2, /* limit of the new table: TIMES per byte of the file plus LEAST */
	BYTES_LEAST = 1 << 20,
	SECTION_SIZE_AT = 32, /* offset in a section header */
	SEGMENT_SIZE_AT = 32, /* offset in a program header; p_memsz follows */
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

/* Open the rules of the input. If the input has no rules, return NULL and set *status. */
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
			                       "relocatable: convert what the linker makes of it" };
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

/* A table has one machine and byte order, so all input tables must agree. */
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
			                 "its tables are of several machines");
	return sframe_format_is_writable(format)
	               ? CAIRN_OK
	               : fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not know the machine");
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
		                 "the version can express none of its rules");
	return CAIRN_OK;
}

/*
 * Return true if the file contains no bytes of the program, that is, was made for the table alone.
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

/* Store the new size in the section header and in the program headers of the section. */
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
	const size_t at = (size_t)(c->section.bytes.data - file.data), room = c->section.bytes.size,
		     size = c->table.size;

	if (size > room)
		return fault_set(
			fault, CAIRN_UNSUPPORTED,
			"the new table is larger than the section, so it needs a file of its own");
	byte_buffer_bytes(&c->work.out, file.data, file.size);
	if (!c->work.out.failed) {
		memcpy(c->work.out.data + at, c->table.data, size);
		memset(c->work.out.data + at + size, 0, room - size);
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
		status = fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not know the machine");
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
	WITH_CLEANUP(finish_conversion) struct conversion c = { .work = { .options = options } };
	enum cairn_status status = CAIRN_OK;
	struct cairn_rules *rules = open_rules(&c, file, &status, fault);

	if (rules)
		status = convert_rules(&c, file, rules, fault);
	return sframe_work_give(&c.work, status, made);
}
