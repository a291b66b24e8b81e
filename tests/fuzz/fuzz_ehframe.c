/* SPDX-License-Identifier: MIT */
/*
 * An .eh_frame of any bytes behind one byte of orders, which are read as .eh_frame_hdr, too: every entry read, every FDE's program run
 * up to its first, middle and last address, every expression evaluated.  Always:
 *   - what is handed out lies in the entry, and a fault in the section or just behind it;
 *   - the range of an FDE is the same when only its first bytes are read;
 *   - the row that is found holds the address; it is the same row for its first and last address;
 *   - an expression gives the same answer twice, with a bounded number of reads.
 */
#include "fuzz.h"

#include "formats/ehframe/cfi.h"
#include "unwind/tables/cfi_expression.h"

#include <string.h>

#define HALF_REACH (UINT64_C(1) << 31) /* of entries of a table */

enum {
	ADDRESS = 0x10000, /* of the section */
	ENTRIES = 64,      /* looked at in one input */
	BIG = 1,           /* orders */
	AARCH64 = 2,
	I386 = 4,
};

struct fake_target {
	struct cairn_bytes section;
	struct cairn_registers frame;
	unsigned reads;
};

/* Memory is the section, again and again, but for the pages that begin with a multiple of 16. */
static enum cairn_status serve(void *context, uint64_t address, void *buffer, size_t size)
{
	struct fake_target *w = context;

	ALWAYS(size > 0 && size <= 8 && address + (size - 1) >= address);
	ALWAYS(w->reads++ < EXPRESSION_STEPS);
	if ((address >> 12 & 15) == 0)
		return CAIRN_UNREADABLE;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)buffer)[i] = w->section.data[(address + i) % w->section.size];
	return CAIRN_OK;
}

static void check_fault(const struct fake_target *w, enum cairn_status status,
                        const struct cairn_fault *fault)
{
	ALWAYS(fault->status == status && fault->what);
	ALWAYS(fault->offset <= w->section.size);
}

static void check_inside(struct cairn_bytes whole, struct cairn_bytes part)
{
	ALWAYS(part.data >= whole.data && part.size <= whole.size);
	ALWAYS((size_t)(part.data - whole.data) <= whole.size - part.size);
}

static void evaluate(struct fake_target *w, struct cairn_bytes code, const uint64_t *cfa)
{
	const struct cairn_target target = { serve, w };
	const struct expression e = { &target, &w->frame, code, cfa };
	struct cairn_fault fault[2] = { { CAIRN_OK, 0, NULL }, { CAIRN_OK, 0, NULL } };
	uint64_t value[2] = { 0, 0 };
	enum cairn_status status[2];

	for (unsigned i = 0; i < 2; i++) {
		w->reads = 0;
		status[i] = expression_evaluate(&e, &value[i], &fault[i]);
	}
	ALWAYS(status[0] == status[1] && value[0] == value[1]);
	ALWAYS(fault[0].offset == fault[1].offset && fault[0].offset <= code.size);
	ALWAYS(status[0] == CAIRN_OK || (fault[0].what && value[0] == 0));
}

static void check_place(struct fake_target *w, const struct cfi_register_rule *place, bool is_cfa)
{
	const uint64_t cfa = ADDRESS;

	if (place->kind != CFI_RULE_EXPRESSION && place->kind != CFI_RULE_VAL_EXPRESSION)
		return;
	check_inside(w->section, place->expression);
	evaluate(w, place->expression, is_cfa ? NULL : &cfa);
}

static bool same_place(const struct cfi_register_rule *a, const struct cfi_register_rule *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->offset == b->offset &&
	       a->expression.size == b->expression.size;
}

static void check_row(struct fake_target *w, const struct ehframe_cie *cie,
                      const struct ehframe_fde *fde, uint64_t va)
{
	struct cfi_row row, again;
	struct cairn_fault fault;
	enum cairn_status status = cfi_rules_find(cie, fde, va, &row, &fault);

	if (status != CAIRN_OK) {
		check_fault(w, status, &fault);
		return;
	}
	ALWAYS(va - row.start < row.end - row.start);
	ALWAYS(row.start - fde->start < fde->size && row.end - fde->start <= fde->size);
	ALWAYS(row.ra < CFI_REGISTERS);
	ALWAYS(row.cfa.kind == CFI_RULE_REGISTER || row.cfa.kind == CFI_RULE_VAL_EXPRESSION);
	ALWAYS(cfi_rules_find(cie, fde, row.start, &again, &fault) == CAIRN_OK);
	ALWAYS(same_place(&row.cfa, &again.cfa) && row.end == again.end);
	ALWAYS(cfi_rules_find(cie, fde, row.end - 1, &again, &fault) == CAIRN_OK);
	ALWAYS(row.start == again.start && row.mangled == again.mangled);
	check_place(w, &row.cfa, true);
	for (unsigned i = 0; i < CFI_REGISTERS; i++) {
		ALWAYS(same_place(&row.reg[i], &again.reg[i]));
		check_place(w, &row.reg[i], false);
	}
}

static struct ehframe_source source_at(const struct fake_target *w, uint64_t at)
{
	const struct cairn_bytes rest = { w->section.data + at, w->section.size - (size_t)at };

	return (struct ehframe_source){ rest, ADDRESS + at, ADDRESS, w->frame.big_endian,
		                        w->frame.machine == CAIRN_MACHINE_I386 ? 4 : 8 };
}

/* The range that is read of an FDE's first bytes is that of the whole FDE. */
static void check_range(const struct fake_target *w, uint64_t at, uint64_t cie_at,
                        const struct ehframe_fde *fde)
{
	const struct ehframe_source cie = source_at(w, cie_at), source = source_at(w, at);
	struct ehframe_entry entry;
	uint64_t start, size;
	uint8_t encoding;

	ALWAYS(ehframe_cie_encoding(cie.bytes, cie.address, cie.big, cie.word, &encoding) ==
	       CAIRN_OK);
	ALWAYS(ehframe_read_entry(source.bytes, source.address, source.big, &entry) == CAIRN_OK);
	ALWAYS(ehframe_fde_range(source.bytes, source.address, entry.body, encoding, source.big,
	                         &start, &size) == CAIRN_OK);
	ALWAYS(start == fde->start && size == fde->size);
}

static void check_fde(struct fake_target *w, uint64_t at, uint64_t cie_at)
{
	struct ehframe_source source = source_at(w, cie_at);
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	struct cairn_fault fault;
	enum cairn_status status = ehframe_read_cie(&source, &cie, &fault);

	if (status == CAIRN_OK) {
		check_inside(source.bytes, cie.source.bytes);
		ALWAYS(cie.program <= cie.source.bytes.size);
		source = source_at(w, at);
		status = ehframe_read_fde(&source, &cie, &fde, &fault);
	}
	if (status != CAIRN_OK) {
		check_fault(w, status, &fault);
		return;
	}
	check_inside(source.bytes, fde.source.bytes);
	ALWAYS(fde.program <= fde.source.bytes.size);
	check_range(w, at, cie_at, &fde);
	check_row(w, &cie, &fde, fde.start);
	check_row(w, &cie, &fde, fde.start + fde.size / 2);
	check_row(w, &cie, &fde, fde.start + fde.size - 1);
	ALWAYS(cfi_rules_find(&cie, &fde, fde.start + fde.size, &(struct cfi_row){ 0 }, &fault) !=
	       CAIRN_OK);
}

static struct fake_target open_world(uint8_t orders, struct cairn_bytes section)
{
	struct fake_target w = { .section = section };

	w.frame.machine = orders & AARCH64 ? CAIRN_MACHINE_AARCH64
	                  : orders & I386  ? CAIRN_MACHINE_I386
	                                   : CAIRN_MACHINE_AMD64;
	w.frame.big_endian = orders & BIG;
	w.frame.pc = ADDRESS + 7;
	w.frame.known = 0xffff00ff;
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		w.frame.value[i] = ADDRESS + 0x1000 * (uint64_t)i;
	return w;
}

/* The same bytes as .eh_frame_hdr. */
static void check_header(struct cairn_bytes section, uint8_t orders)
{
	const uint8_t word = orders & I386 ? 4 : 8;
	struct ehframe_header header = { .count = 0 };
	enum cairn_status status =
		ehframe_read_header(section, ADDRESS, orders & BIG, word, &header);

	ALWAYS(header.has_table || header.count == 0);
	ALWAYS(status == CAIRN_OK || (header.frames == 0 && !header.has_table));
	ALWAYS(!header.has_table || section.size >= EHFRAME_HEADER);
	for (size_t at = EHFRAME_HEADER;
	     header.has_table && at + EHFRAME_TABLE_ENTRY <= section.size;
	     at += EHFRAME_TABLE_ENTRY) {
		uint64_t start, fde;
		ehframe_table_entry(section.data + at, ADDRESS, orders & BIG, &start, &fde);
		ALWAYS(start - ADDRESS + HALF_REACH < 2 * HALF_REACH);
		ALWAYS(fde - ADDRESS + HALF_REACH < 2 * HALF_REACH);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const struct cairn_bytes section = { data + 1, size - 1 };
	struct fake_target w = open_world(data[0], section);
	uint64_t at = 0;

	check_header(section, data[0]);

	for (unsigned i = 0; i < ENTRIES && at < section.size; i++) {
		struct ehframe_source source = source_at(&w, at);
		struct ehframe_entry entry;
		if (ehframe_read_entry(source.bytes, source.address, source.big, &entry) !=
		            CAIRN_OK ||
		    entry.size == 0)
			break;
		if (!entry.is_cie && entry.cie - ADDRESS < section.size)
			check_fde(&w, at, entry.cie - ADDRESS);
		if (entry.size > section.size - at)
			break;
		at += entry.size;
	}
	evaluate(&w, section, NULL);
	return 0;
}
