/* SPDX-License-Identifier: MIT */
/*
 * Finds the .eh_frame rule for an address with libdw, limits the time that libdw takes, and
 * converts the result to an unwind rule.
 */
#include "cfi.h"

#include "base/allowance.h"
#include "base/bytes.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/reader.h"
#include "base/sort.h"
#include "formats/ehframe/ehframe.h"
#include "formats/elf/elf.h"
#include "os/file.h"

#include <cairn.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>

/*
 * Lists the FDEs in .eh_frame by the code that they cover, and checks that the search table in
 * .eh_frame_hdr leads only to these FDEs.
 */

struct cfi_cost {
	bool eh_frame; /* the FDEs are in .eh_frame, not in .debug_frame */
	/*
	 * FDEs in ascending order, without overlaps. The list is empty if it is unknown which FDE
	 * covers an address. Each lookup then costs the maximum, `most`.
	 */
	struct cfi_cost_entry {
		uint64_t low, high;
		uint64_t at, bytes;
	} * list;
	size_t count, capacity;
	uint64_t most;
};

struct symbolic_context {
	int pc_register;
	uint64_t pc;
	bool used_pc;
};

enum { WORD = 8, TERMINATOR = 4 };

struct walk {
	struct cfi_cost *cost;
	const struct elf *elf;
	struct elf_section section;
	struct cairn_bytes bytes;
	/* address of the CIE from which `encoding` was read; 0 before the first CIE */
	uint64_t encoded_by;
	uint8_t encoding;
	bool known;
	bool ended;
};

static uint64_t measure_longest_entry(struct cairn_bytes rest, bool big)
{
	enum { WIDE = 4 + 8 };
	uint64_t longest = 0;

	while (rest.size >= WIDE) {
		uint64_t length = bytes_u32(rest.data, big), head = 4;
		if (length == UINT32_MAX) {
			length = bytes_u64(rest.data + head, big);
			head = WIDE;
		}
		if (length > rest.size - head)
			length = rest.size - head;
		longest = length > longest ? length : longest;
		rest.data += head + length;
		rest.size -= head + length;
	}
	return longest;
}

static struct cairn_bytes cut_front(struct cairn_bytes bytes, uint64_t size)
{
	return (struct cairn_bytes){ bytes.data + size, bytes.size - (size_t)size };
}

static bool read_encoding(struct walk *w, uint64_t address)
{
	const uint64_t at = address - w->section.va;

	if (w->encoded_by == address && address != 0)
		return true;
	if (at >= w->bytes.size ||
	    ehframe_cie_encoding(cut_front(w->bytes, at), address, w->elf->big, WORD,
	                         &w->encoding) != CAIRN_OK)
		return false;
	w->encoded_by = address;
	return true;
}

static bool add_fde(struct walk *w, uint64_t at, const struct ehframe_entry *entry)
{
	struct cfi_cost *cost = w->cost;
	uint64_t start, size;

	if (!read_encoding(w, entry->cie) ||
	    ehframe_fde_range(cut_front(w->bytes, at), w->section.va + at, entry->body, w->encoding,
	                      w->elf->big, &start, &size) != CAIRN_OK ||
	    size > UINT64_MAX - start)
		return false;
	return ARRAY_APPEND(cost->list, cost->count, cost->capacity,
	                    (struct cfi_cost_entry){ start, start + size, at, entry->size });
}

static void list_entries(struct walk *w)
{
	struct ehframe_entry entry;
	uint64_t at = 0;

	w->known = true;
	while (w->known && w->bytes.size - at >= TERMINATOR) {
		const struct cairn_bytes rest = cut_front(w->bytes, at);
		w->known = ehframe_read_entry(rest, w->section.va + at, w->elf->big, &entry) ==
		                   CAIRN_OK &&
		           entry.size <= rest.size;
		w->ended = w->known && entry.size == 0;
		if (w->known && entry.size > 0 && !entry.is_cie)
			w->known = add_fde(w, at, &entry);
		at += entry.size > 0 ? entry.size : TERMINATOR;
	}
}

/*
 * Return true if each row of the search table leads to a listed FDE. The list is in section
 * order.
 */
static bool leads_to_entries(const struct walk *w, struct cairn_bytes header, uint64_t address,
                             uint32_t count)
{
	const struct cfi_cost *cost = w->cost;
	uint64_t start, fde;

	if (count > (header.size - EHFRAME_HEADER) / EHFRAME_TABLE_ENTRY)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *row = header.data + EHFRAME_HEADER + (size_t)i * EHFRAME_TABLE_ENTRY;
		ehframe_table_entry(row, address, w->elf->big, &start, &fde);
		const size_t next = SORTED_UP_TO(cost->list, cost->count, at, fde - w->section.va);
		if (next == 0 || cost->list[next - 1].at != fde - w->section.va)
			return false;
	}
	return true;
}

/*
 * Return true if libdw can find only the listed FDEs. Checks the first PT_GNU_EH_FRAME segment,
 * because libdw prefers it to the section .eh_frame_hdr.
 */
static bool has_honest_header(const struct walk *w)
{
	struct ehframe_header header;
	struct elf_segment s = { .type = 0 };

	for (uint32_t i = 0; s.type != ELF_PT_GNU_EH_FRAME; i++)
		if (!elf_segment(w->elf, i, &s))
			return true;
	const struct cairn_bytes bytes = elf_segment_bytes(w->elf, &s);
	if (ehframe_read_header(bytes, s.va, w->elf->big, WORD, &header) != CAIRN_OK ||
	    header.frames != w->section.va)
		return false;
	return header.has_table ? leads_to_entries(w, bytes, s.va, header.count) : w->ended;
}

static int compare_entries(const void *left, const void *right)
{
	const struct cfi_cost_entry *a = left, *b = right;

	return (a->low > b->low) - (a->low < b->low);
}

/* Sort the FDEs by address and drop empty ones. Returns false if two FDEs overlap. */
static bool sort_entries(struct cfi_cost *cost)
{
	size_t kept = 0;

	for (size_t i = 0; i < cost->count; i++)
		if (cost->list[i].low < cost->list[i].high)
			cost->list[kept++] = cost->list[i];
	cost->count = kept;
	if (kept > 0)
		qsort(cost->list, kept, sizeof(*cost->list), compare_entries);
	for (size_t i = 1; i < kept; i++)
		if (cost->list[i].low < cost->list[i - 1].high)
			return false;
	return true;
}

static void measure_eh_frame(struct cfi_cost *cost, const struct elf *elf,
                             const struct elf_section *section)
{
	struct walk w = { .cost = cost,
		          .elf = elf,
		          .section = *section,
		          .bytes = elf_section_bytes(elf, section) };

	cost->eh_frame = true;
	list_entries(&w);
	const bool honest = has_honest_header(&w);
	if (honest)
		cost->most = measure_longest_entry(w.bytes, elf->big);
	if (!honest || !w.known || !sort_entries(cost))
		cost->count = 0;
}

/*
 * List the FDEs with their sizes. If the list would be incomplete or ambiguous, it is left empty,
 * and every address gets the maximum cost.
 */
static void cfi_cost_open(struct cfi_cost *cost, struct cairn_bytes file)
{
	struct elf_section section;
	struct elf elf;

	*cost = (struct cfi_cost){ .eh_frame = true, .most = file.size };
	if (!elf_opens(file, &elf))
		return;
	if (elf_find_section(&elf, ".eh_frame", &section) && section.type != ELF_SHT_NOBITS) {
		measure_eh_frame(cost, &elf, &section);
		return;
	}
	cost->eh_frame = !elf_find_section(&elf, ".debug_frame", &section);
	if (!cost->eh_frame && !(section.flags & ELF_SHF_COMPRESSED))
		cost->most = measure_longest_entry(elf_section_bytes(&elf, &section), elf.big);
}

static void cfi_cost_close(struct cfi_cost *cost)
{
	free(cost->list);
	cost->list = NULL;
	cost->count = 0;
}

static uint64_t cfi_cost_at(const struct cfi_cost *cost, uint64_t va)
{
	if (cost->count == 0)
		return cost->most;
	const size_t next = SORTED_UP_TO(cost->list, cost->count, low, va);
	return next > 0 && va < cost->list[next - 1].high ? cost->list[next - 1].bytes : 0;
}

/*
 * Evaluates expressions on a stack of symbolic values: a number, register + number, or the memory
 * at register + number. This suffices for the PLT expression of linkers (see DWARF 5, section 2.5):
 *
 *	sp + 8 + ((rip & 15) >= 11) << 3
 */

enum {
	DEPTH_MAX = 8, /* capacity of the expression stack; more than any known expression needs */
	BASE_NONE = 0xfffe,
};

/* The kind of a value is VALUE (a plain number if the base is BASE_NONE), MEMORY or UNDEFINED. */
struct stack {
	struct cairn_register_rule values[DEPTH_MAX];
	unsigned depth;
	bool failed;
};

static const struct cairn_register_rule unknown = { .kind = CAIRN_REGISTER_UNDEFINED };

static void push_symbolic_value(struct stack *s, uint16_t base, uint64_t number)
{
	if (s->depth == DEPTH_MAX) {
		s->failed = true;
		return;
	}
	s->values[s->depth++] =
		(struct cairn_register_rule){ CAIRN_REGISTER_VALUE, base, (int64_t)number };
}

static struct cairn_register_rule pop_symbolic_value(struct stack *s)
{
	if (s->depth == 0) {
		s->failed = true;
		return unknown;
	}
	return s->values[--s->depth];
}

static uint64_t pop_number(struct stack *s)
{
	struct cairn_register_rule value = pop_symbolic_value(s);

	s->failed |= value.kind != CAIRN_REGISTER_VALUE || value.base != BASE_NONE;
	return (uint64_t)value.offset;
}

static void push_register(struct stack *s, struct symbolic_context *context, uint64_t number,
                          uint64_t offset)
{
	if (context->pc_register >= 0 && number == (uint64_t)context->pc_register) {
		context->used_pc = true;
		push_symbolic_value(s, BASE_NONE, context->pc + offset);
	} else if (number < BASE_NONE) {
		push_symbolic_value(s, (uint16_t)number, offset);
	} else {
		s->failed = true;
	}
}

/* Add a number to the value on top of the stack. Fail if that value was read from memory. */
static void add_to_top(struct stack *s, uint64_t number)
{
	struct cairn_register_rule value = pop_symbolic_value(s);

	s->failed |= value.kind != CAIRN_REGISTER_VALUE;
	push_symbolic_value(s, value.base, (uint64_t)value.offset + number);
}

static void add_top_two(struct stack *s)
{
	struct cairn_register_rule right = pop_symbolic_value(s);

	if (right.kind == CAIRN_REGISTER_VALUE && right.base == BASE_NONE) {
		add_to_top(s, (uint64_t)right.offset);
		return;
	}
	uint64_t left = pop_number(s);
	s->failed |= right.kind != CAIRN_REGISTER_VALUE;
	push_symbolic_value(s, right.base, (uint64_t)right.offset + left);
}

static void dereference_top(struct stack *s)
{
	struct cairn_register_rule value = pop_symbolic_value(s);

	s->failed |= value.kind != CAIRN_REGISTER_VALUE || value.base == BASE_NONE;
	push_symbolic_value(s, value.base, (uint64_t)value.offset);
	if (!s->failed)
		s->values[s->depth - 1].kind = CAIRN_REGISTER_MEMORY;
}

static bool apply_operator(struct stack *s, uint8_t atom)
{
	uint64_t right = pop_number(s), left = pop_number(s);
	int64_t r = (int64_t)right, l = (int64_t)left;
	uint64_t result;

	switch (atom) {
	case DW_OP_and:
		result = left & right;
		break;
	case DW_OP_or:
		result = left | right;
		break;
	case DW_OP_xor:
		result = left ^ right;
		break;
	case DW_OP_mul:
		result = left * right;
		break;
	case DW_OP_shl:
		result = right < 64 ? left << right : 0;
		break;
	case DW_OP_shr:
		result = right < 64 ? left >> right : 0;
		break;
	case DW_OP_eq:
		result = l == r;
		break;
	case DW_OP_ne:
		result = l != r;
		break;
	case DW_OP_ge:
		result = l >= r;
		break;
	case DW_OP_gt:
		result = l > r;
		break;
	case DW_OP_le:
		result = l <= r;
		break;
	case DW_OP_lt:
		result = l < r;
		break;
	default:
		return false;
	}
	push_symbolic_value(s, BASE_NONE, result);
	return true;
}

static bool is_number(uint8_t atom)
{
	return atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts);
}

static void run_operation(struct stack *s, struct symbolic_context *context, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push_symbolic_value(s, BASE_NONE, atom - DW_OP_lit0);
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_register(s, context, atom - DW_OP_breg0, op->number);
	else if (atom == DW_OP_bregx)
		push_register(s, context, op->number, op->number2);
	else if (atom == DW_OP_call_frame_cfa)
		push_symbolic_value(s, CAIRN_BASE_CFA, 0);
	else if (is_number(atom))
		push_symbolic_value(s, BASE_NONE, op->number);
	else if (atom == DW_OP_plus_uconst)
		add_to_top(s, op->number);
	else if (atom == DW_OP_plus)
		add_top_two(s);
	else if (atom == DW_OP_minus)
		add_to_top(s, -pop_number(s));
	else if (atom == DW_OP_deref)
		dereference_top(s);
	else if (!apply_operator(s, atom))
		s->failed = true;
}

static struct cairn_register_rule run_operations(struct symbolic_context *context,
                                                 const Dwarf_Op *ops, size_t count)
{
	struct stack s = { .depth = 0 };

	for (size_t i = 0; i < count && !s.failed; i++)
		run_operation(&s, context, &ops[i]);
	struct cairn_register_rule top = pop_symbolic_value(&s);
	return s.failed || top.base == BASE_NONE ? unknown : top;
}

static struct cairn_register_rule symbolic_value(struct symbolic_context *context,
                                                 const Dwarf_Op *ops, size_t count)
{
	return run_operations(context, ops, count);
}

/* Return true for DW_OP_reg*, which means that the value is in register *number. */
static bool is_register(const Dwarf_Op *op, uint64_t *number)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*number = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*number = op->number;
	else
		return false;
	return *number < BASE_NONE;
}

/* Evaluate a location description, such as the rule for a saved register. */
static struct cairn_register_rule symbolic_location(struct symbolic_context *context,
                                                    const Dwarf_Op *ops, size_t count)
{
	uint64_t number;

	if (count == 1 && is_register(ops, &number))
		return (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, (uint16_t)number, 0 };
	if (count > 0 && ops[count - 1].atom == DW_OP_stack_value)
		return run_operations(context, ops, count - 1);
	struct cairn_register_rule place = run_operations(context, ops, count);
	if (place.kind != CAIRN_REGISTER_VALUE)
		return unknown;
	place.kind = CAIRN_REGISTER_MEMORY;
	return place;
}

enum {
	/*
	 * capacity of the table of recently counted expressions; all lookups in a PLT use the same
	 * expression
	 */
	CFI_SEEN = 64,
	CFI_SIMPLE = 3, /* maximum number of operations in a rule without a DWARF expression */
};

struct debuginfo_cfi {
	Elf *elf;
	Dwarf *dwarf; /* set for files with only .debug_frame, otherwise NULL */
	Dwarf_CFI *cfi;
	enum cairn_machine machine;
	struct cfi_cost cost;
	/*
	 * number of instruction bytes that libdw may still execute, and number of operations that
	 * it may still allocate
	 */
	struct allowance work, operations;
	const Dwarf_Op *seen[CFI_SEEN];
};

/*
 * Return true if libdw may open the file named by .gnu_debugaltlink. libdw opens absolute paths on
 * its own, and would wait forever for a FIFO or read a device without end.
 */
static bool is_alt_harmless(struct cairn_bytes file)
{
	struct elf_section section;
	struct os_file alt;
	struct elf elf;

	if (!elf_opens(file, &elf) || !elf_find_section(&elf, ".gnu_debugaltlink", &section))
		return true;
	struct reader in = reader_open(elf_section_bytes(&elf, &section), false);
	const struct cairn_bytes name = reader_string(&in);
	if (!reader_ok(&in) || name.size == 0 || name.data[0] != '/')
		return true;
	const int error = os_file_open_regular((const char *)name.data, &alt);
	if (error == 0)
		os_file_close(&alt);
	return error != EINVAL;
}

static void open_entries(struct debuginfo_cfi *c, struct cairn_bytes file)
{
	if (c->cost.eh_frame) {
		c->cfi = dwarf_getcfi_elf(c->elf);
		return;
	}
	if (!is_alt_harmless(file))
		return;
	c->dwarf = dwarf_begin_elf(c->elf, DWARF_C_READ, NULL);
	c->cfi = c->dwarf ? dwarf_getcfi(c->dwarf) : NULL;
}

struct debuginfo_cfi *debuginfo_cfi_open(struct cairn_bytes file, enum cairn_machine machine,
                                         const char **why)
{
	struct debuginfo_cfi *c = calloc(1, sizeof(*c));

	if (!c) {
		*why = "out of memory";
		return NULL;
	}
	elf_version(EV_CURRENT);
	c->machine = machine;
	cfi_cost_open(&c->cost, file);
	c->work = allowance_of(DEBUGINFO_CFI_WORK_BASE, DEBUGINFO_CFI_WORK_FACTOR, file.size);
	c->operations = allowance_of(DEBUGINFO_CFI_OPERATIONS_BASE, 1,
	                             file.size / DEBUGINFO_CFI_OPERATION_BYTES);
	/* libelf only reads the bytes, but its parameter is not const */
	c->elf = elf_memory((char *)(uintptr_t)file.data, file.size);
	if (c->elf)
		open_entries(c, file);
	if (!c->cfi) {
		*why = c->elf ? "no .eh_frame and no .debug_frame" : "libelf cannot read the file";
		debuginfo_cfi_close(c);
		return NULL;
	}
	return c;
}

void debuginfo_cfi_close(struct debuginfo_cfi *cfi)
{
	if (!cfi)
		return;
	/* dwarf_end() frees the result of dwarf_getcfi(), but not of dwarf_getcfi_elf() */
	if (cfi->dwarf)
		dwarf_end(cfi->dwarf);
	else
		dwarf_cfi_end(cfi->cfi);
	elf_end(cfi->elf);
	cfi_cost_close(&cfi->cost);
	free(cfi);
}

bool debuginfo_cfi_exhausted(const struct debuginfo_cfi *cfi)
{
	return cfi->work.over || cfi->operations.over;
}

/*
 * Count the operations of an expression, which libdw never frees, against the limit. Skip
 * expressions that were counted recently.
 */
static bool draw_expression(struct debuginfo_cfi *cfi, const Dwarf_Op *ops, size_t count)
{
	const Dwarf_Op **seen = &cfi->seen[(uintptr_t)ops / sizeof(*ops) % CFI_SEEN];

	if (count <= CFI_SIMPLE || *seen == ops)
		return true;
	*seen = ops;
	return allowance_draw(&cfi->operations, count);
}

static int frame_pointer(enum cairn_machine machine)
{
	const struct arch *arch = arch_of(machine);

	return arch ? arch->fp : -1;
}

/* Return the rule for a register. Sets *undefined if the FDE declares the register undefined. */
static struct cairn_register_rule register_place(struct debuginfo_cfi *cfi, Dwarf_Frame *frame,
                                                 int number, struct symbolic_context *context,
                                                 bool *undefined)
{
	Dwarf_Op memory[3], *ops = NULL;
	size_t count = 0;

	*undefined = false;
	if (number < 0 || dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
		return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_UNDEFINED };
	if (!draw_expression(cfi, ops, count))
		return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_UNDEFINED };
	if (count > 0)
		return symbolic_location(context, ops, count);
	*undefined = ops != NULL;
	return (struct cairn_register_rule){ .kind = ops ? CAIRN_REGISTER_UNDEFINED
		                                         : CAIRN_REGISTER_SAME_VALUE };
}

static void read_places(struct debuginfo_cfi *cfi, Dwarf_Frame *frame, int ra,
                        struct symbolic_context *context, struct cairn_rule *rule)
{
	Dwarf_Op *ops = NULL;
	size_t count = 0;
	bool undefined;

	if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0 &&
	    draw_expression(cfi, ops, count))
		rule->cfa = symbolic_value(context, ops, count);
	rule->fp = register_place(cfi, frame, frame_pointer(rule->machine), context, &undefined);
	rule->ra = register_place(cfi, frame, ra, context, &undefined);
	rule->outermost = undefined;
}

enum cairn_status debuginfo_cfi_find(struct debuginfo_cfi *cfi, uint64_t va,
                                     struct cairn_rule *rule)
{
	struct symbolic_context context = { .pc_register =
		                                    cfi->machine == CAIRN_MACHINE_AMD64 ? 16 : -1,
		                            .pc = va };
	struct cairn_rule found = { .machine = cfi->machine };
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start = va, end = va;

	if (debuginfo_cfi_exhausted(cfi) ||
	    !allowance_draw(&cfi->work, 1 + cfi_cost_at(&cfi->cost, va)) ||
	    dwarf_cfi_addrframe(cfi->cfi, va, &frame) != 0)
		return CAIRN_NOT_FOUND;
	int ra = dwarf_frame_info(frame, &start, &end, &found.signal);
	read_places(cfi, frame, ra, &context, &found);
	free(frame);
	if (context.used_pc || start > va || end <= va) {
		start = va;
		end = va + 1;
	}
	found.start = start;
	found.end = end;
	*rule = found;
	return CAIRN_OK;
}
