/* SPDX-License-Identifier: MIT */
/*
 * A program and a relocatable file of any bytes, whose tables are merged for the program: two bytes with the size of the program
 * (its highest bit chooses version 2), the program, and the relocatable file.  Always:
 *   - the result is a file with one table that is sound and sorted, and whose functions are within what the object had;
 *   - what is written and what is left out are together what the object describes;
 *   - a table that is made of the call frame information of the relocatable file is sound, with a relocation for each function;
 *   - the same input gives the same bytes, and no more memory is held than the promise allows.
 */
#include "held.h"

#include "unwind/tables/sframe_rules.h"

#include <string.h>

enum { HEAD = 2, INPUT_MAX = 1 << 16, OLD = 0x8000 };

static void check_tables(const struct cairn_sframe_file *made)
{
	struct sframe_section section;
	struct sframe_function f;
	struct cairn_fault fault;
	struct sframe_row row;
	struct elf elf;
	uint64_t reach = 0, code = 0;

	ALWAYS(elf_open(made->bytes, &elf, &fault) == CAIRN_OK);
	ALWAYS(sframe_section_find(&elf, &section) == CAIRN_OK);
	ALWAYS(section.bytes.size == made->table);
	struct cairn_rules *rules = cairn_rules_new(section.bytes, section.address);
	ALWAYS(rules && rules->table_count == 1 && rules->walk.status == CAIRN_OK);
	for (uint32_t i = 0; i < rules->tables->functions; i++) {
		ALWAYS(sframe_function(rules->tables, i, &f, &fault) == CAIRN_OK);
		ALWAYS(i == 0 || f.start >= reach);
		reach = f.start + f.size;
		code += f.size;
		struct sframe_rows rows = sframe_rows(rules->tables, &f);
		while (sframe_next_row(&rows, &row))
			;
		ALWAYS(rows.fault.status == CAIRN_OK);
	}
	ALWAYS(code == made->written && rules->tables->functions == made->functions);
	cairn_rules_free(rules);
}

static void check_object(const struct cairn_sframe_file *made)
{
	struct sframe_section section;
	struct cairn_fault fault;
	struct elf elf;

	ALWAYS(elf_open(made->bytes, &elf, &fault) == CAIRN_OK);
	if (elf.type != ELF_TYPE_REL)
		return;
	ALWAYS(sframe_section_find(&elf, &section) == CAIRN_OK);
	ALWAYS(section.bytes.size == made->table);
	struct cairn_rules *rules = sframe_section_rules(&elf, &section);
	ALWAYS(rules && rules->table_count == 1 && rules->walk.status == CAIRN_OK);
	ALWAYS(rules->tables->functions == made->functions);
	for (uint32_t i = 0; i < rules->tables->functions; i++) {
		struct sframe_function f;
		ALWAYS(sframe_function(rules->tables, i, &f, &fault) == CAIRN_OK);
		ALWAYS(sframe_is_placed(rules->tables, f.start) && f.size > 0);
	}
	cairn_rules_free(rules);
}

static void make_object(struct cairn_bytes object, const struct cairn_sframe_options *options)
{
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);
	struct cairn_fault fault;

	if (cairn_sframe_file_make(object, options, &made, &fault) != CAIRN_OK)
		return;
	check_object(&made);
	cairn_sframe_file_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file), again = made;
	struct cairn_fault fault;
	size_t failed = 0;

	if (size < HEAD || size > INPUT_MAX)
		return 0;
	const unsigned head = (unsigned)data[0] << 8 | data[1];
	const size_t most = size - HEAD, wanted = head & ~(unsigned)OLD,
		     first = wanted < most ? wanted : most;
	const struct cairn_bytes program = { data + HEAD, first },
				 object = { data + HEAD + first, most - first };
	const struct cairn_sframe_options options = { .size = sizeof(struct cairn_sframe_options), .version = head & OLD ? 2 : 3,
		                                      .debug_frame = { data, 0 } };
	held_begin();
	if (cairn_sframe_file_merge(program, &object, 1, &options, &made, &failed, &fault) ==
	    CAIRN_OK) {
		uint64_t sum = made.written;
		for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
			sum += made.left_out[i];
		ALWAYS(sum == made.described);
		check_tables(&made);
		ALWAYS(cairn_sframe_file_merge(program, &object, 1, &options, &again, &failed,
		                               &fault) == CAIRN_OK);
		ALWAYS(again.bytes.size == made.bytes.size &&
		       memcmp(again.bytes.data, made.bytes.data, made.bytes.size) == 0);
		cairn_sframe_file_free(&again);
		cairn_sframe_file_free(&made);
	} else {
		ALWAYS(fault.status != CAIRN_OK && fault.what && failed <= 1);
	}
	make_object(object, &options);
	held_end(size, HELD_PLAIN);
	return 0;
}
