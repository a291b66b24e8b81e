/* SPDX-License-Identifier: MIT */
/* Finds the .eh_frame row of an address with libdw and converts it to an unwind rule. */
#include "cfi.h"

#include "cfi_cost.h"
#include "symbolic_expression.h"

#include "base/allowance.h"
#include "base/machine.h"
#include "base/reader.h"
#include "formats/elf/elf.h"
#include "os/file/file.h"

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>

enum {
	/*
	 * size of the table of counted expressions; a program has one expression for its PLT, used
	 * for each byte
	 */
	CFI_SEEN = 64,
	CFI_SIMPLE = 3, /* maximum operations of a rule without an expression */
};

struct debuginfo_cfi {
	Elf *elf;
	Dwarf *dwarf; /* set for a file with only .debug_frame, otherwise NULL */
	Dwarf_CFI *cfi;
	enum cairn_machine machine;
	struct cfi_cost cost; /* bytes of entries that a lookup may execute */
	/* limits of executed bytes, and of operations that libdw keeps */
	struct allowance work, operations;
	const Dwarf_Op *seen[CFI_SEEN];
};

/*
 * Return true if libdw may open the file that .gnu_debugaltlink names. libdw opens it on its own by
 * the absolute path, and would wait forever for a FIFO or read a device without end.
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
	/* libelf only reads, but its pointer is not const. */
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
	/*
	 * we own the result of dwarf_getcfi_elf(), but dwarf_end() frees the result
	 * of dwarf_getcfi()
	 */
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

/* Draw the operations of an expression, which libdw keeps. Recently counted ones are free. */
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

/* Return the rule of a register. Sets *undefined if the entry marks the register as lost. */
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
