/* SPDX-License-Identifier: MIT */
/* Merges the tables of relocatable files into one for the program that was linked of them. */
#include "gather.h"
#include "placement.h"
#include "side_file.h"

#include "base/cleanup.h"
#include "base/fault.h"
#include "unwind/sframe/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROWS_LEAST = 1 << 16, /* that may be read, */
	ROWS_TIMES = 4,       /* and for each byte of rows: functions may share them */
	BYTES_TIMES = 2,      /* of the table for each byte of the objects' tables */
	BYTES_LEAST = 1 << 20,
};

struct merging {
	const struct cairn_sframe_options *options;
	struct elf elf;
	struct placement_program program;
	struct sframe_gathering all;
	struct sframe_draft draft;
	struct byte_buffer out;
	struct sframe_copy copy;
	struct cairn_sframe_file made;
};

static void finish_merging(struct merging **merging)
{
	struct merging *m = *merging;

	if (!m)
		return;
	placement_close(&m->program);
	sframe_gathering_finish(&m->all);
	sframe_draft_finish(&m->draft);
	byte_buffer_finish(&m->out);
	free(m);
}

static enum cairn_status open_program(struct merging *m, struct cairn_bytes program,
                                      struct cairn_fault *fault)
{
	struct sframe_format *format = &m->draft.format;
	enum cairn_status status = elf_open(program, &m->elf, fault);

	if (status != CAIRN_OK)
		return status;
	*format = (struct sframe_format){ (uint8_t)m->options->version, m->options->by_section,
		                          m->elf.big, elf_machine(&m->elf) };
	status = side_file_check(&m->elf, format, fault);
	if (status != CAIRN_OK)
		return status;
	status = placement_open(&m->program, &m->elf);
	if (status == CAIRN_NOT_FOUND)
		return fault_set(fault, status,
		                 "no symbol table, so that nothing tells where objects are");
	return status == CAIRN_OK ? status : fault_set(fault, status, "out of memory");
}

/* Its functions, where the linker put them. */
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
		                         : "too many symbols of the program have one name");
	}
	if (rules->walk.status != CAIRN_OK)
		sframe_copy_damage(&m->copy, &rules->walk);
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
	if (object.machine != m->elf.machine || object.big != m->elf.big || !object.wide)
		return fault_set(fault, CAIRN_MISMATCH, "for another machine than the program");
	if (sframe_section_find(&object, &section) != CAIRN_OK)
		return CAIRN_OK;
	m->made.cfi += section.bytes.size;
	struct cairn_rules *rules = sframe_section_rules(&object, &section);
	return rules ? place_functions(m, &object, rules, fault)
	             : fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
}

static enum cairn_status write_merged(struct merging *m, struct cairn_fault *fault)
{
	const uint64_t most = (uint64_t)BYTES_TIMES * m->made.cfi + m->elf.bytes.size + BYTES_LEAST;

	sframe_gathering_sort(&m->all);
	m->draft.address = side_file_address(&m->elf);
	m->draft.share = m->options->share_rows;
	m->draft.join = m->options->join_functions && !m->options->share_rows;
	m->draft.data.limit = m->out.limit = most < UINT32_MAX ? (size_t)most : UINT32_MAX;
	m->out.big = m->elf.big;
	m->copy.draft = &m->draft;
	m->copy.rows = allowance_of(ROWS_LEAST, ROWS_TIMES, m->all.row_bytes);
	sframe_gathering_copy(&m->all, &m->copy, m->options);
	m->made.code = side_file_code(&m->elf);
	m->made.described = m->copy.described + m->all.discarded_code;
	m->made.written = m->copy.written;
	memcpy(m->made.left_out, m->copy.left_out, sizeof(m->copy.left_out));
	m->made.left_out[CAIRN_SFRAME_LOSS_DISCARDED] = m->all.discarded_code;
	m->made.damaged = m->copy.damaged;
	m->made.fault = m->copy.fault;
	if (m->draft.records == 0 && !m->draft.failed)
		return fault_set(fault, CAIRN_NOT_FOUND,
		                 "no function of the objects' tables is in the program");
	return side_file_write(&m->elf, &m->draft, &m->out, &m->made, fault);
}

enum cairn_status cairn_sframe_file_merge(struct cairn_bytes program,
                                          const struct cairn_bytes *object, size_t objects,
                                          const struct cairn_sframe_options *options,
                                          struct cairn_sframe_file *made, size_t *failed,
                                          struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_merging) struct merging *m = calloc(1, sizeof(*m));

	*failed = objects;
	if (!m)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	m->options = options;
	enum cairn_status status = open_program(m, program, fault);
	if (status != CAIRN_OK)
		return status;
	for (size_t i = 0; i < objects; i++) {
		if (options->poll)
			options->poll(options->poll_context);
		status = merge_object(m, object[i], fault);
		*failed = i;
		if (status != CAIRN_OK)
			return status;
	}
	*failed = objects;
	status = write_merged(m, fault);
	if (status == CAIRN_OK)
		*made = m->made;
	return status;
}
