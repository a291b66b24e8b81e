/* SPDX-License-Identifier: MIT */
/*
 * Two ways into the SFrame writer, which the first byte chooses among with machine, version and byte order: any bytes
 * as the .eh_frame or .debug_frame of a program, and any bytes as rules of functions.  Always:
 *   - a table that is written is sound: it is read back without a fault, sorted, with its rows strictly ascending;
 *   - the rule of a row and the call frame information at its first and last byte give the same values for CFA, return
 *     address and frame pointer, with registers and memory that are made up;
 *   - what is written and what is left out are together what the entries describe;
 *   - rules that the writer accepts are those that are read back;
 *   - the same input gives the same bytes, and no more memory is held than the promise allows.
 */
#include "held.h"

#include "../unit/fixture_elf.h"

#include "base/rule_places.h"
#include "base/target_memory.h"
#include "formats/elf/elf.h"
#include "unwind/tables/cfi_expression.h"
#include "unwind/tables/sframe_rules.h"
#include "writers/sframe/entries.h"
#include "writers/sframe/table.h"

#include <stdlib.h>
#include <string.h>

enum {
	CODE = 0x10000, /* va, and size in memory */
	CODE_SIZE = 0x10000,
	FRAMES = 0x40000, /* va of the entries */
	INPUT_MAX = 1 << 15,
	OPTION_MACHINE = 3,
	OPTION_BIG = 4,
	OPTION_OLD = 8,
	OPTION_SECTION = 16,
	OPTION_SHARE = 32,
	OPTION_DEBUG = 64,
	OPTION_ROWS = 128,
	ROW_INPUT = 16,
};

static enum cairn_machine choose_machine(uint8_t options)
{
	static const enum cairn_machine machines[] = { CAIRN_MACHINE_AMD64, CAIRN_MACHINE_AARCH64,
		                                       CAIRN_MACHINE_S390X, CAIRN_MACHINE_AMD64 };

	return machines[options & OPTION_MACHINE];
}

/* The second amd64. */
static bool joins_functions(uint8_t options)
{
	return (options & OPTION_MACHINE) == OPTION_MACHINE;
}

static bool is_big(uint8_t options)
{
	const enum cairn_machine machine = choose_machine(options);

	return machine == CAIRN_MACHINE_S390X ||
	       (machine == CAIRN_MACHINE_AARCH64 && options & OPTION_BIG);
}

/* A program with code and these entries. */
static struct cairn_bytes make_program(uint8_t options, struct cairn_bytes frames)
{
	static const uint16_t numbers[] = { ELF_EM_X86_64, ELF_EM_AARCH64, ELF_EM_S390,
		                            ELF_EM_X86_64 };
	static struct fixture_out file;
	const struct fixture_section sections[] = {
		{ options & OPTION_DEBUG ? ".debug_frame" : ".eh_frame", 1, FRAMES, frames, 0, 0 },
	};
	const struct fixture_segment segments[] = {
		{ ELF_PT_LOAD, ELF_PF_READ | ELF_PF_EXECUTE, CODE, CODE_SIZE, 1 },
	};
	const struct fixture_elf elf = { .wide = true,
		                         .big = is_big(options),
		                         .type = ELF_TYPE_DYN,
		                         .machine = numbers[options & OPTION_MACHINE],
		                         .segment_count = 1,
		                         .segments = segments,
		                         .section_count = 1,
		                         .sections = sections };

	file.size = 0;
	file.big = elf.big;
	fixture_elf(&file, &elf, NULL);
	return fixture_out_bytes(&file);
}

static uint64_t make_word(uint64_t address)
{
	uint64_t word = (address ^ 0x5bd1e995) * 0x9e3779b97f4a7c15;

	return word ^ word >> 29;
}

/* Memory is everywhere, and each byte has a value of its own. */
static enum cairn_status read_made_up(void *context, uint64_t address, void *buffer, size_t size)
{
	uint8_t *bytes = buffer;

	(void)context;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)make_word(address + i);
	return CAIRN_OK;
}

static const struct cairn_target memory = { read_made_up, NULL };

static struct cairn_registers make_registers(enum cairn_machine machine, bool big, uint64_t pc)
{
	struct cairn_registers frame = { .machine = machine, .big_endian = big, .pc = pc };

	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		register_set(&frame, i, make_word(i));
	return frame;
}

static uint64_t read_word(const struct cairn_registers *frame, uint64_t address)
{
	uint64_t word = 0;

	ALWAYS(arch_read_word(arch_of(frame->machine), &memory, frame->big_endian, address, &word));
	return word;
}

static uint64_t evaluate(const struct cairn_registers *frame, struct cairn_bytes code,
                         const uint64_t *cfa)
{
	const struct expression e = { &memory, frame, code, cfa };
	struct cairn_fault fault;
	uint64_t value = 0;

	ALWAYS(expression_evaluate(&e, &value, &fault) == CAIRN_OK);
	return value;
}

/* By a rule of call frame information. */
static uint64_t compute_by_cfi(const struct cairn_registers *frame,
                               const struct cfi_register_rule *rule, unsigned number, uint64_t cfa)
{
	switch (rule->kind) {
	case CFI_RULE_UNSET:
	case CFI_RULE_SAME:
		return frame->value[number];
	case CFI_RULE_OFFSET:
		return read_word(frame, cfa + (uint64_t)rule->offset);
	case CFI_RULE_VAL_OFFSET:
		return cfa + (uint64_t)rule->offset;
	case CFI_RULE_REGISTER:
		ALWAYS(rule->reg < CAIRN_REGISTERS);
		return frame->value[rule->reg];
	case CFI_RULE_EXPRESSION:
		return read_word(frame, evaluate(frame, rule->expression, &cfa));
	case CFI_RULE_VAL_EXPRESSION:
		return evaluate(frame, rule->expression, &cfa);
	case CFI_RULE_UNDEFINED:
		break;
	}
	ALWAYS(false); /* no row has another rule */
	return 0;
}

/* By a rule of SFrame. */
static uint64_t compute_by_row(const struct cairn_registers *frame,
                               const struct cairn_register_rule *rule, unsigned number,
                               uint64_t cfa)
{
	if (rule->kind == CAIRN_REGISTER_SAME_VALUE)
		return frame->value[number];
	ALWAYS(rule->kind != CAIRN_REGISTER_UNDEFINED);
	uint64_t base = cfa;
	if (rule->base != CAIRN_BASE_CFA) {
		ALWAYS(rule->base < CAIRN_REGISTERS);
		base = frame->value[rule->base];
	}
	base += (uint64_t)rule->offset;
	return rule->kind == CAIRN_REGISTER_MEMORY ? read_word(frame, base) : base;
}

static void check_values(const struct cairn_rule *rule, const struct cfi_row *row, bool big,
                         uint64_t va)
{
	const struct cairn_registers frame = make_registers(rule->machine, big, va);
	const struct arch *arch = arch_of(rule->machine);

	ALWAYS(rule->outermost == (row->reg[row->ra].kind == CFI_RULE_UNDEFINED));
	if (rule->outermost)
		return;
	ALWAYS(rule->mangled == row->mangled);
	uint64_t cfa = row->cfa.kind == CFI_RULE_REGISTER
	                       ? frame.value[row->cfa.reg] + (uint64_t)row->cfa.offset
	                       : evaluate(&frame, row->cfa.expression, NULL);
	ALWAYS(cfa == compute_by_row(&frame, &rule->cfa, 0, 0));
	ALWAYS(row->reg[row->ra].kind != CFI_RULE_UNSET || arch->link);
	ALWAYS(compute_by_cfi(&frame, &row->reg[row->ra], arch->ra, cfa) ==
	       compute_by_row(&frame, &rule->ra, arch->ra, cfa));
	ALWAYS(compute_by_cfi(&frame, &row->reg[arch->fp], arch->fp, cfa) ==
	       compute_by_row(&frame, &rule->fp, arch->fp, cfa));
}

/* The entries that are asked, one after the other, for the one that covers `va`. */
static void check_address(struct frame_entries *all, struct cairn_rules *rules, uint64_t va)
{
	const struct cairn_rule *rule;
	const struct ehframe_cie *cie;
	struct ehframe_fde fde;
	struct cairn_fault fault;
	struct cfi_row row;
	unsigned found = 0;

	ALWAYS(cairn_rules_find(rules, va, &rule, &fault) == CAIRN_OK);
	for (size_t i = 0; i < all->count; i++) {
		if (va < all->list[i].low || va >= all->list[i].high)
			continue;
		found++;
		ALWAYS(frame_entries_read(all, &all->list[i], &cie, &fde, &fault) == CAIRN_OK);
		ALWAYS(cfi_rules_find(cie, &fde, va, &row, &fault) == CAIRN_OK);
		ALWAYS(rule->signal == cie->signal &&
		       rule->key_b == (cie->key_b && rule->machine == CAIRN_MACHINE_AARCH64));
		check_values(rule, &row, all->big, va);
	}
	ALWAYS(found == 1);
}

/* Each row of a function, once in a block that repeats. */
static void check_function(struct frame_entries *all, struct cairn_rules *rules,
                           const struct sframe_table *table, const struct sframe_function *f)
{
	struct sframe_rows rows = sframe_rows(table, f);
	uint32_t before = 0, count = 0;
	struct sframe_row row;

	ALWAYS(f->rows > 0 && f->size > 0);
	while (sframe_next_row(&rows, &row)) {
		ALWAYS(count++ == 0 ? row.start == 0 : row.start > before);
		ALWAYS(row.start < (f->masked ? f->repeat : f->size));
		before = row.start;
		if (all && row.start < f->size)
			check_address(all, rules, f->start + row.start);
	}
	ALWAYS(rows.fault.status == CAIRN_OK && count == f->rows);
	if (all)
		check_address(all, rules, f->start + f->size - 1);
}

static void check_tables(struct frame_entries *all, struct cairn_rules *rules)
{
	const struct sframe_table *table = rules->tables;
	struct sframe_function f;
	struct cairn_fault fault;
	uint64_t rows = 0, reach = 0;

	ALWAYS(rules->table_count == 1 && rules->walk.status == CAIRN_OK);
	for (uint32_t i = 0; i < table->functions; i++) {
		ALWAYS(sframe_function(table, i, &f, &fault) == CAIRN_OK);
		ALWAYS(f.start >= reach);
		reach = f.start + f.size;
		rows += f.rows;
		check_function(all, rules, table, &f);
	}
	ALWAYS(rows == table->claimed_rows);
}

static void check_file(struct cairn_bytes program, const struct cairn_sframe_file *made)
{
	struct sframe_section section;
	struct frame_entries all;
	struct cairn_fault fault;
	struct elf elf, original;
	uint64_t sum = made->written;

	ALWAYS(elf_open(program, &original, &fault) == CAIRN_OK);
	ALWAYS(elf_open(made->bytes, &elf, &fault) == CAIRN_OK);
	ALWAYS(sframe_section_find(&elf, &section) == CAIRN_OK &&
	       section.bytes.size == made->table);
	struct cairn_rules *rules = sframe_section_rules(&elf, &section);
	ALWAYS(rules);
	ALWAYS(frame_entries_open(&original, (struct cairn_bytes){ section.bytes.data, 0 }, &all) ==
	       CAIRN_OK);
	check_tables(&all, rules);
	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
		sum += i == CAIRN_SFRAME_LOSS_OUTSIDE ? 0 : made->left_out[i];
	ALWAYS(sum == made->described);
	frame_entries_finish(&all);
	cairn_rules_free(rules);
}

static void take_frames(uint8_t options, struct cairn_bytes frames)
{
	const struct cairn_bytes program = make_program(options, frames);
	const struct cairn_sframe_options how = { .size = sizeof(struct cairn_sframe_options), .version = options & OPTION_OLD ? 2 : 3,
		                                  .by_section = (options & OPTION_SECTION) != 0,
		                                  .share_rows = (options & OPTION_SHARE) != 0,
		                                  .join_functions = joins_functions(options),
		                                  .debug_frame = { program.data, 0 } };
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file), again = made;
	struct cairn_fault fault;

	if (cairn_sframe_file_make(program, &how, &made, &fault) != CAIRN_OK)
		return;
	check_file(program, &made);
	ALWAYS(cairn_sframe_file_make(program, &how, &again, &fault) == CAIRN_OK);
	ALWAYS(again.bytes.size == made.bytes.size &&
	       memcmp(again.bytes.data, made.bytes.data, made.bytes.size) == 0);
	cairn_sframe_file_free(&again);
	cairn_sframe_file_free(&made);
}

/* Where a value is, of four bytes. */
static struct cairn_register_rule make_place(const uint8_t *data)
{
	static const int64_t offsets[] = { 0,         8,         16,
		                           160,       168,       -8,
		                           0x7f,      0x80,      0x7fff,
		                           0x8000,    -0x8000,   -0x8001,
		                           INT32_MAX, INT32_MIN, (int64_t)INT32_MAX + 1,
		                           INT64_MIN };

	return (struct cairn_register_rule){
		(enum cairn_register_rule_kind)(data[0] % 4),
		data[1] & 0x80 ? CAIRN_BASE_CFA : (uint16_t)(data[1] % 40),
		data[3] & 0x80 ? offsets[data[2] % 16] : (int8_t)data[2] * (1 << data[3] % 24),
	};
}

/* A rule and how many bytes it is for, of ROW_INPUT bytes. */
static uint64_t make_rule(const uint8_t *data, struct places *places)
{
	places->rows = data[0] & 1 ? 2 : 1;
	places->row[0] = (struct sframe_written_row){ .outermost = data[0] & 2 && data[0] & 4,
		                                      .mangled = data[0] & 8,
		                                      .cfa = make_place(data + 4),
		                                      .ra = make_place(data + 8),
		                                      .fp = make_place(data + 12) };
	places->row[1] = places->row[0];
	places->row[1].start = 1 + data[0] % 15u;
	places->row[1].outermost = !places->row[0].outermost;
	return 1 + data[1] + ((uint64_t)data[2] << (data[3] & 15));
}

static void check_rule(struct cairn_rules *rules, uint64_t va, const struct sframe_format *format,
                       const struct sframe_written_row *row)
{
	const struct cairn_rule *rule;
	struct cairn_fault fault;

	ALWAYS(cairn_rules_find(rules, va, &rule, &fault) == CAIRN_OK);
	ALWAYS(rule->outermost == row->outermost && rule->machine == format->machine);
	if (rule->outermost)
		return;
	ALWAYS(rule->mangled == row->mangled);
	ALWAYS(rule->patched || rule_is_same_location(&rule->cfa, &row->cfa));
	ALWAYS(rule_is_same_location(&rule->ra, &row->ra) &&
	       rule_is_same_location(&rule->fp, &row->fp));
}

/* Puts the rules one after the other, and with `rules` looks each up. */
static void walk_rules(struct sframe_draft *draft, struct cairn_bytes data,
                       struct cairn_rules *rules)
{
	uint64_t va = CODE;
	struct places places;

	sframe_draft_begin(draft, false, false);
	for (size_t at = 0; at + ROW_INPUT <= data.size; at += ROW_INPUT) {
		const uint64_t size = make_rule(data.data + at, &places);
		bool accepted = true;
		for (unsigned i = 0; i < places.rows; i++) {
			places.row[i].mangled = places.row[i].mangled &&
			                        draft->format.machine == CAIRN_MACHINE_AARCH64;
			if (sframe_write_refusal(&draft->format, &places.row[i]) !=
			    SFRAME_REFUSAL_NONE)
				accepted = false;
		}
		if (accepted && rules)
			check_rule(rules, va, &draft->format, &places.row[0]);
		else if (accepted)
			ALWAYS(sframe_draft_add(draft, va, va + size, &places));
		va += size;
	}
	sframe_draft_end(draft);
}

static void take_rules(uint8_t options, struct cairn_bytes data)
{
	struct sframe_draft draft = {
		.format = { options & OPTION_OLD ? 2 : 3, (options & OPTION_SECTION) != 0,
		            is_big(options), choose_machine(options) },
		.address = FRAMES,
		.share = options & OPTION_SHARE,
		.join = joins_functions(options) && !(options & OPTION_SHARE)
	};
	struct byte_buffer out = { .limit = 1 << 24, .big = draft.format.big };

	draft.data.limit = out.limit;
	walk_rules(&draft, data, NULL);
	sframe_draft_write(&draft, &out);
	ALWAYS(!draft.failed && !out.failed);
	struct cairn_rules *rules =
		cairn_rules_new((struct cairn_bytes){ out.data, out.size }, FRAMES);
	ALWAYS(rules);
	check_tables(NULL, rules);
	walk_rules(&draft, data, rules);
	cairn_rules_free(rules);
	byte_buffer_finish(&out);
	sframe_draft_finish(&draft);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > INPUT_MAX)
		return 0;
	const struct cairn_bytes rest = { data + 1, size - 1 };
	held_begin();
	if (data[0] & OPTION_ROWS)
		take_rules(data[0], rest);
	else
		take_frames(data[0], rest);
	held_end(size, HELD_PLAIN);
	return 0;
}
