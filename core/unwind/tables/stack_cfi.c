/* SPDX-License-Identifier: MIT */
/* Finds the rules that the STACK CFI records of a Breakpad file define for an address. */
#include "stack_cfi.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

struct init_record {
	uint64_t address, size;
	size_t offset;
};

struct stack_cfi {
	struct cairn_bytes file;
	struct init_record *record;
	size_t count, capacity;
};

static const char keyword[] = "STACK ";

static bool next_line(struct cairn_bytes file, size_t *at, struct cairn_bytes *line)
{
	if (*at >= file.size)
		return false;
	const uint8_t *start = file.data + *at;
	const uint8_t *end = memchr(start, '\n', file.size - *at);
	size_t size = end ? (size_t)(end - start) : file.size - *at;
	*line = (struct cairn_bytes){ start, size };
	*at += size + 1;
	return true;
}

static bool take_keyword(struct cairn_bytes *line)
{
	size_t size = sizeof(keyword) - 1;

	if (line->size < size || memcmp(line->data, keyword, size) != 0)
		return false;
	*line = (struct cairn_bytes){ line->data + size, line->size - size };
	return true;
}

static int compare_init_records(const void *left, const void *right)
{
	const struct init_record *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static bool index_records(struct stack_cfi *rules)
{
	struct breakpad_stack stack;
	struct cairn_bytes line;

	for (size_t at = 0, start = 0; next_line(rules->file, &at, &line); start = at) {
		if (!take_keyword(&line))
			continue;
		breakpad_read_stack(line, &stack);
		if (stack.kind == BREAKPAD_STACK_INIT &&
		    !ARRAY_APPEND(rules->record, rules->count, rules->capacity,
		                  (struct init_record){ stack.address, stack.size, start }))
			return false;
	}
	if (rules->count > 0)
		qsort(rules->record, rules->count, sizeof(*rules->record), compare_init_records);
	return true;
}

struct stack_cfi *stack_cfi_new(struct cairn_bytes file)
{
	struct stack_cfi *rules = calloc(1, sizeof(*rules));

	if (!rules)
		return NULL;
	rules->file = file;
	if (index_records(rules))
		return rules;
	stack_cfi_free(rules);
	return NULL;
}

void stack_cfi_free(struct stack_cfi *rules)
{
	if (!rules)
		return;
	free(rules->record);
	free(rules);
}

size_t stack_cfi_count(const struct stack_cfi *rules)
{
	return rules->count;
}

/*
 * Return the last INIT record that begins at or before the address, or NULL if that record does not
 * cover the address.
 */
static const struct init_record *find_init_record(const struct stack_cfi *rules, uint64_t va)
{
	const size_t next = SORTED_UP_TO(rules->record, rules->count, address, va);

	if (next == 0 || va - rules->record[next - 1].address >= rules->record[next - 1].size)
		return NULL;
	return &rules->record[next - 1];
}

static bool put_rule(struct stack_cfi_row *row, const struct breakpad_rule *rule)
{
	size_t i = 0;

	while (i < row->count && !bytes_equal(row->rule[i].name, rule->name))
		i++;
	if (i == STACK_CFI_RULES_MAX)
		return false;
	row->rule[i] = *rule;
	row->count += i == row->count;
	return true;
}

static enum cairn_status put_rules(struct stack_cfi_row *row, struct cairn_bytes rules,
                                   size_t offset, struct cairn_fault *fault)
{
	struct breakpad_rule rule;

	while (breakpad_next_rule(&rules, &rule))
		if (!put_rule(row, &rule))
			return fault_set_at(fault, CAIRN_UNSUPPORTED, offset,
			                    "rules for too many registers");
	return CAIRN_OK;
}

/*
 * Read the next record that changes rules. At the end of the function's records, set stack->kind to
 * INIT.
 */
static enum cairn_status read_delta(const struct stack_cfi *rules, size_t *at,
                                    struct breakpad_stack *stack, struct cairn_fault *fault)
{
	struct cairn_bytes line;
	size_t offset = *at;

	*stack = (struct breakpad_stack){ .kind = BREAKPAD_STACK_INIT };
	if (!next_line(rules->file, at, &line) || !take_keyword(&line))
		return CAIRN_OK;
	breakpad_read_stack(line, stack);
	if (stack->kind == BREAKPAD_STACK_WIN)
		stack->kind = BREAKPAD_STACK_INIT;
	if (stack->kind == BREAKPAD_STACK_BAD)
		return fault_set_at(fault, CAIRN_MALFORMED, offset, stack->what);
	return CAIRN_OK;
}

/*
 * Apply the records up to the address. Narrow row->start and row->end to the range between two
 * changes.
 */
static enum cairn_status apply_deltas(const struct stack_cfi *rules, size_t at, uint64_t va,
                                      struct stack_cfi_row *row, struct cairn_fault *fault)
{
	struct breakpad_stack stack;

	for (unsigned count = 0;; count++) {
		size_t offset = at;
		enum cairn_status status = read_delta(rules, &at, &stack, fault);
		if (status != CAIRN_OK || stack.kind == BREAKPAD_STACK_INIT)
			return status;
		if (stack.address < row->start || stack.address >= row->end)
			return fault_set_at(fault, CAIRN_MALFORMED, offset,
			                    "a rule outside its range, or out of order");
		if (stack.address > va) {
			row->end = stack.address;
			return CAIRN_OK;
		}
		if (count == STACK_CFI_DELTAS_MAX)
			return fault_set_at(fault, CAIRN_UNSUPPORTED, offset,
			                    "too many changes of rules in one range");
		row->start = stack.address;
		status = put_rules(row, stack.rules, offset, fault);
		if (status != CAIRN_OK)
			return status;
	}
}

enum cairn_status stack_cfi_find(const struct stack_cfi *rules, uint64_t va,
                                 struct stack_cfi_row *row, struct cairn_fault *fault)
{
	const struct init_record *record = find_init_record(rules, va);
	struct breakpad_stack stack;
	struct cairn_bytes line;

	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	row->count = 0;
	if (!record)
		return fault_set(fault, CAIRN_NOT_FOUND, "no record covers the address");
	size_t at = record->offset;
	next_line(rules->file, &at, &line);
	take_keyword(&line);
	breakpad_read_stack(line, &stack);
	row->function = row->start = record->address;
	row->end = record->address + record->size;
	enum cairn_status status = put_rules(row, stack.rules, record->offset, fault);
	return status == CAIRN_OK ? apply_deltas(rules, at, va, row, fault) : status;
}

const struct breakpad_rule *stack_cfi_rule(const struct stack_cfi_row *row, const char *name)
{
	const struct cairn_bytes wanted = { (const uint8_t *)name, strlen(name) };

	for (size_t i = 0; i < row->count; i++)
		if (bytes_equal(row->rule[i].name, wanted))
			return &row->rule[i];
	return NULL;
}

bool stack_cfi_register(enum cairn_machine machine, struct cairn_bytes name, unsigned *number)
{
	const struct arch *arch = arch_of(machine);

	if (name.size > 0 && name.data[0] == '$')
		name = (struct cairn_bytes){ name.data + 1, name.size - 1 };
	return arch && arch->breakpad && register_find(arch, name, number);
}

struct evaluator {
	const struct cairn_target *target;
	const struct cairn_registers *frame;
	const struct arch *arch;
};

static bool read_register_value(void *context, struct cairn_bytes name, uint64_t *value)
{
	const struct evaluator *e = context;
	unsigned number;

	if (!stack_cfi_register(e->frame->machine, name, &number))
		return false;
	if (number == e->arch->pc) {
		*value = e->frame->pc;
		return true;
	}
	*value = number < CAIRN_REGISTERS ? e->frame->value[number] : 0;
	return register_known(e->frame, number);
}

static bool read_target_word(void *context, uint64_t address, uint64_t *value)
{
	const struct evaluator *e = context;

	return arch_read_word(e->arch, e->target, e->frame->big_endian, address, value);
}

/*
 * Initialize the caller with the registers that calls preserve, and with the CFA as stack pointer.
 */
static void begin_caller(const struct evaluator *e, struct stack_cfi_caller *caller)
{
	caller->registers = (struct cairn_registers){ .machine = e->frame->machine,
		                                      .big_endian = e->frame->big_endian };
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		if ((e->arch->saved >> i & 1) && register_known(e->frame, i))
			register_set(&caller->registers, i, e->frame->value[i]);
	register_set(&caller->registers, e->arch->sp, caller->cfa);
}

static void recover_registers(const struct stack_cfi_row *row, const struct breakpad_values *values,
                              struct cairn_registers *registers)
{
	struct cairn_fault ignored;
	unsigned number;
	uint64_t value;

	for (size_t i = 0; i < row->count; i++) {
		const struct breakpad_rule *rule = &row->rule[i];
		if (!stack_cfi_register(registers->machine, rule->name, &number) ||
		    number >= CAIRN_REGISTERS)
			continue;
		if (breakpad_evaluate(rule->expression, values, &value, &ignored) == CAIRN_OK)
			register_set(registers, number, value);
		else
			registers->known &= ~((uint64_t)1 << number);
	}
}

static enum cairn_status compute_cfa(const struct stack_cfi_row *row,
                                     struct breakpad_values *values,
                                     struct stack_cfi_caller *caller, struct cairn_fault *fault)
{
	const struct breakpad_rule *rule = stack_cfi_rule(row, ".cfa");

	if (!rule)
		return fault_set(fault, CAIRN_NOT_FOUND, "no rule for the frame's address");
	enum cairn_status status = breakpad_evaluate(rule->expression, values, &caller->cfa, fault);
	caller->has_cfa = status == CAIRN_OK;
	values->cfa = &caller->cfa;
	return status;
}

enum cairn_status stack_cfi_caller(const struct stack_cfi_row *row,
                                   const struct cairn_target *target,
                                   const struct cairn_registers *frame,
                                   struct stack_cfi_caller *caller, struct cairn_fault *fault)
{
	struct evaluator e = { target, frame, arch_of(frame->machine) };
	struct breakpad_values values = { read_register_value, read_target_word, &e, NULL, 8 };
	const struct breakpad_rule *ra = stack_cfi_rule(row, ".ra");
	uint64_t pc;

	*caller = (struct stack_cfi_caller){ .has_cfa = false };
	if (!e.arch)
		return fault_set(fault, CAIRN_NOT_FOUND, "the machine is not known");
	values.word = e.arch->word;
	enum cairn_status status = compute_cfa(row, &values, caller, fault);
	if (status != CAIRN_OK)
		return status;
	if (!ra)
		return fault_set(fault, CAIRN_NOT_FOUND, "no rule for the return address");
	caller->outermost = bytes_are(ra->expression, ".undef");
	status = breakpad_evaluate(ra->expression, &values, &pc, fault);
	if (status != CAIRN_OK)
		return status;
	begin_caller(&e, caller);
	recover_registers(row, &values, &caller->registers);
	caller->registers.pc = arch_strip(e.arch, pc, 0);
	return CAIRN_OK;
}
