/* SPDX-License-Identifier: MIT */
/* Merges the tables of relocatable files into one for the program that was linked from them. */
#include "gather.h"
#include "placement.h"
#include "side_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "unwind/tables/sframe_rules.h"

enum {
	BYTES_TIMES = 2, /* limit of the table per byte of the objects' tables */
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
		return fault_set(fault, status,
		                 "no symbol table, so that nothing tells where objects are");
	return status == CAIRN_OK ? status : fault_set(fault, status, "out of memory");
}

/* Add the functions of an object at the addresses that the linker gave them. */
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
	WITH_CLEANUP(finish_merging) struct merging m = { .work = { .options = options } };

	*failed = objects;
	enum cairn_status status = open_program(&m, program, fault);
	if (status == CAIRN_OK)
		status = merge_objects(&m, object, objects, failed, fault);
	return sframe_work_give(&m.work, status, made);
}
