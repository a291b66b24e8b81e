/* SPDX-License-Identifier: MIT */
/* Writes the tables of a file, or of bare bytes, as one table of another version. */
#include "gather.h"
#include "side_file.h"

#include "base/cleanup.h"
#include "base/fault.h"
#include "unwind/sframe/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROWS_LEAST = 1 << 16, /* that may be read, */
	ROWS_TIMES = 4,       /* and for each byte of rows: functions may share them */
	BYTES_TIMES = 2,      /* of the new table for each byte of the file, and so many for any */
	BYTES_LEAST = 1 << 20,
	SECTION_SIZE_AT = 32, /* in a section header */
	SEGMENT_SIZE_AT = 32, /* in a program header; the size in memory follows */
};

struct conversion {
	const struct cairn_sframe_options *options;
	struct elf elf;
	struct sframe_section section;
	struct sframe_gathering all;
	struct sframe_draft draft;
	struct byte_buffer table, out;
	struct sframe_copy copy;
	struct cairn_sframe_file made;
};

static void finish_conversion(struct conversion **conversion)
{
	struct conversion *c = *conversion;

	if (!c)
		return;
	sframe_gathering_finish(&c->all);
	sframe_draft_finish(&c->draft);
	byte_buffer_finish(&c->table);
	byte_buffer_finish(&c->out);
	free(c);
}

/* The rules of the input; *status tells why there are none. */
static struct cairn_rules *open_rules(struct conversion *c, struct cairn_bytes file,
                                      enum cairn_status *status, struct cairn_fault *fault)
{
	struct cairn_rules *rules = NULL;

	if (c->options->raw) {
		c->section = (struct sframe_section){ file, c->options->address, 0 };
		rules = cairn_rules_new(file, c->options->address);
	} else {
		*status = elf_open(file, &c->elf, fault);
		if (*status != CAIRN_OK)
			return NULL;
		*status = CAIRN_UNSUPPORTED;
		*fault = (struct cairn_fault){ *status, 0,
			                       "relocatable: convert what the linker makes of it" };
		if (c->elf.type == ELF_TYPE_REL)
			return NULL;
		*status = CAIRN_NOT_FOUND;
		*fault = (struct cairn_fault){ *status, 0, "no .sframe in this file" };
		if (sframe_section_find(&c->elf, &c->section) != CAIRN_OK)
			return NULL;
		rules = sframe_section_rules(&c->elf, &c->section);
	}
	*status = rules ? CAIRN_OK : fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	return rules;
}

/* One table is of one machine. */
static enum cairn_status choose_format(struct conversion *c, const struct cairn_rules *rules,
                                       struct cairn_fault *fault)
{
	struct sframe_format *format = &c->draft.format;

	if (rules->table_count == 0) {
		*fault = rules->walk;
		return fault->status != CAIRN_OK
		               ? fault->status
		               : fault_set(fault, CAIRN_NOT_FOUND, "no table in the section");
	}
	*format = (struct sframe_format){ (uint8_t)c->options->version, c->options->by_section,
		                          rules->tables[0].big, rules->tables[0].machine };
	for (size_t i = 0; i < rules->table_count; i++)
		if (rules->tables[i].machine != format->machine ||
		    rules->tables[i].big != format->big)
			return fault_set(fault, CAIRN_UNSUPPORTED,
			                 "its tables are of several machines");
	return sframe_format_is_writable(format)
	               ? CAIRN_OK
	               : fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not know the machine");
}

/* The functions of all tables, in the draft. */
static enum cairn_status copy_tables(struct conversion *c, struct cairn_rules *rules,
                                     struct cairn_fault *fault)
{
	struct sframe_copy *copy = &c->copy;

	if (rules->walk.status != CAIRN_OK)
		sframe_copy_damage(copy, &rules->walk);
	if (!sframe_gather(&c->all, rules, NULL, NULL))
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	sframe_gathering_sort(&c->all);
	copy->draft = &c->draft;
	copy->rows = allowance_of(ROWS_LEAST, ROWS_TIMES, c->all.row_bytes);
	sframe_gathering_copy(&c->all, copy, c->options);
	c->made.described = copy->described;
	c->made.written = copy->written;
	memcpy(c->made.left_out, copy->left_out, sizeof(copy->left_out));
	c->made.damaged = copy->damaged;
	c->made.fault = copy->fault;
	c->made.cfi = c->section.bytes.size;
	if (c->draft.records == 0 && c->made.described > 0 && !c->draft.failed)
		return fault_set(fault, CAIRN_NOT_FOUND,
		                 "the version can express none of its rules");
	return CAIRN_OK;
}

/* Has the file the bytes of the program, or was it made for the table alone? */
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

/* The segments that lead to the section, and its header, get its new size. */
static void resize_section(struct conversion *c, uint64_t size)
{
	struct elf_segment s;

	if (c->section.section)
		store_size(&c->out,
		           c->elf.sections_at + (uint64_t)c->section.section * ELF_SECTION_WIDE +
		                   SECTION_SIZE_AT,
		           size);
	for (uint32_t i = 0; elf_segment(&c->elf, i, &s); i++) {
		const uint64_t at = c->elf.segments_at + (uint64_t)i * ELF_SEGMENT_WIDE;
		if (s.type != ELF_PT_GNU_SFRAME || s.va != c->section.address)
			continue;
		store_size(&c->out, at + SEGMENT_SIZE_AT, size);
		store_size(&c->out, at + SEGMENT_SIZE_AT + 8, size);
	}
}

/* The program, with the new table where the old ones were. */
static enum cairn_status replace_section(struct conversion *c, struct cairn_bytes file,
                                         struct cairn_fault *fault)
{
	const size_t at = (size_t)(c->section.bytes.data - file.data), room = c->section.bytes.size,
		     size = c->table.size;

	if (size > room)
		return fault_set(
			fault, CAIRN_UNSUPPORTED,
			"the new table is larger than the section, so it needs a file of its own");
	byte_buffer_bytes(&c->out, file.data, file.size);
	if (!c->out.failed) {
		memcpy(c->out.data + at, c->table.data, size);
		memset(c->out.data + at + size, 0, room - size);
		resize_section(c, size);
	}
	return CAIRN_OK;
}

static enum cairn_status write_in_place(struct conversion *c, struct cairn_bytes file,
                                        struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;

	sframe_draft_write(&c->draft, &c->table);
	if (!c->draft.failed && !c->table.failed && c->options->raw)
		byte_buffer_bytes(&c->out, c->table.data, c->table.size);
	else if (!c->draft.failed && !c->table.failed)
		status = replace_section(c, file, fault);
	if (status != CAIRN_OK)
		return status;
	if (c->draft.failed || c->table.failed || c->out.failed)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	c->made.table = c->table.size;
	c->made.functions = c->draft.records;
	c->made.rows = c->draft.rows;
	c->made.bytes = (struct cairn_bytes){ c->out.data, c->out.size };
	c->out.data = NULL;
	return CAIRN_OK;
}

static enum cairn_status convert_rules(struct conversion *c, struct cairn_bytes file,
                                       struct cairn_rules *rules, struct cairn_fault *fault)
{
	const uint64_t most = (uint64_t)BYTES_TIMES * file.size + BYTES_LEAST;
	const bool side = !c->options->raw && (c->options->side_file || is_side_file(&c->elf));
	enum cairn_status status = choose_format(c, rules, fault);

	if (status == CAIRN_OK && side)
		status = side_file_check(&c->elf, &c->draft.format, fault);
	else if (status == CAIRN_OK && !c->options->raw && !c->elf.wide)
		status = fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not know the machine");
	if (status != CAIRN_OK) {
		cairn_rules_free(rules);
		return status;
	}
	c->draft.address = side ? side_file_address(&c->elf) : c->section.address;
	c->draft.share = c->options->share_rows;
	c->draft.join = c->options->join_functions && !c->options->share_rows;
	c->draft.data.limit = c->table.limit = c->out.limit =
		most < UINT32_MAX ? (size_t)most : UINT32_MAX;
	c->out.big = c->table.big = c->draft.format.big;
	c->made.code = c->options->raw ? 0 : side_file_code(&c->elf);
	status = copy_tables(c, rules, fault);
	if (status != CAIRN_OK)
		return status;
	return side ? side_file_write(&c->elf, &c->draft, &c->out, &c->made, fault)
	            : write_in_place(c, file, fault);
}

enum cairn_status cairn_sframe_file_convert(struct cairn_bytes file,
                                            const struct cairn_sframe_options *options,
                                            struct cairn_sframe_file *made,
                                            struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_conversion) struct conversion *c = calloc(1, sizeof(*c));
	enum cairn_status status = CAIRN_OK;

	if (!c)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	c->options = options;
	struct cairn_rules *rules = open_rules(c, file, &status, fault);
	if (!rules)
		return status;
	status = convert_rules(c, file, rules, fault);
	if (status == CAIRN_OK)
		*made = c->made;
	return status;
}
