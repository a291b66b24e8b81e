/* SPDX-License-Identifier: MIT */
/* Finds the .eh_frame row of an address with libdw and converts it to an unwind rule. */
#include "cfi.h"

#include "symbolic_expression.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>

struct debuginfo_cfi {
	Elf *elf;
	Dwarf_CFI *cfi;
	enum cairn_machine machine;
};

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
	/* libelf takes a pointer that is not const, and only reads. */
	c->elf = elf_memory((char *)(uintptr_t)file.data, file.size);
	c->cfi = c->elf ? dwarf_getcfi_elf(c->elf) : NULL;
	if (!c->cfi) {
		*why = c->elf ? "no .eh_frame" : "libelf cannot read the file";
		debuginfo_cfi_close(c);
		return NULL;
	}
	return c;
}

void debuginfo_cfi_close(struct debuginfo_cfi *cfi)
{
	if (!cfi)
		return;
	/* what dwarf_getcfi_elf gave belongs to us, unlike dwarf_getcfi's */
	dwarf_cfi_end(cfi->cfi);
	elf_end(cfi->elf);
	free(cfi);
}

/* DWARF number of the frame pointer. */
static int frame_pointer(enum cairn_machine machine)
{
	switch (machine) {
	case CAIRN_MACHINE_NONE:
		return -1;
	case CAIRN_MACHINE_AMD64:
		return 6;
	case CAIRN_MACHINE_AARCH64:
		return 29;
	case CAIRN_MACHINE_S390X:
	case CAIRN_MACHINE_ARM:
		return 11;
	case CAIRN_MACHINE_I386:
		return 5;
	case CAIRN_MACHINE_PPC64:
		return 31;
	case CAIRN_MACHINE_RISCV64:
		return 8;
	}
	return -1;
}

/* The rule of one register; *undefined when the entry marks it as lost. */
static struct cairn_register_rule register_place(Dwarf_Frame *frame, int number,
                                                 struct symbolic_context *context, bool *undefined)
{
	Dwarf_Op memory[3], *ops = NULL;
	size_t count = 0;

	*undefined = false;
	if (number < 0 || dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
		return (struct cairn_register_rule){ .kind = CAIRN_REGISTER_UNDEFINED };
	if (count > 0)
		return symbolic_location(context, ops, count);
	*undefined = ops != NULL;
	return (struct cairn_register_rule){ .kind = ops ? CAIRN_REGISTER_UNDEFINED
		                                         : CAIRN_REGISTER_SAME_VALUE };
}

static void read_places(Dwarf_Frame *frame, int ra, struct symbolic_context *context,
                        struct cairn_rule *rule)
{
	Dwarf_Op *ops = NULL;
	size_t count = 0;
	bool undefined;

	if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0)
		rule->cfa = symbolic_value(context, ops, count);
	rule->fp = register_place(frame, frame_pointer(rule->machine), context, &undefined);
	rule->ra = register_place(frame, ra, context, &undefined);
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

	if (dwarf_cfi_addrframe(cfi->cfi, va, &frame) != 0)
		return CAIRN_NOT_FOUND;
	int ra = dwarf_frame_info(frame, &start, &end, &found.signal);
	read_places(frame, ra, &context, &found);
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
