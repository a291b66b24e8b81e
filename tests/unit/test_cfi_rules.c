/* SPDX-License-Identifier: MIT */
/*
 * Small programs of call frame instructions, and the rows they make, as text:
 *
 *	4-9 cfa=r7+16 r6=[cfa-16] r16=[cfa-8]
 *
 * addresses from the function's start, the CFA's rule, and each register that has one.
 */
#include "formats/ehframe/cfi.h"

#include "fixture_out.h"
#include "unit.h"

#include <stdio.h>

enum {
	SECTION = 0x2000,
	START = 0x10000,
	SIZE = 0x100,
	TEXT = 1024,
};

/* Instructions, as bytes of string literals. */
#define CFA_RSP_8 "\x0c\x07\x08"
#define RA_AT_8 "\x90\x01"
#define USUAL CFA_RSP_8 RA_AT_8 /* a CIE of amd64: cfa=r7+8 r16=[cfa-8] */
#define OFFSET_RBP_16 "\x86\x02"
#define PUSH_RBP "\x41\x0e\x10" OFFSET_RBP_16

/* One CIE, and one FDE behind it. */
static struct fixture_out section;
static size_t fde_at, cie_program, fde_program;

static struct {
	uint8_t version, encoding;
	const char *letters;
	uint64_t code_align, ra;
	bool big;
} usual = { 1, 0x1b, "zR", 1, 16, false }, now;

static void put_entry(struct fixture_out *o, uint64_t id, const struct fixture_out *body)
{
	fixture_out_put(o, 4 + body->size, 4);
	fixture_out_put(o, id, 4);
	fixture_out_text(o, (const char *)body->data, body->size);
}

static void put_cie(struct cairn_bytes program)
{
	static struct fixture_out body;

	body = (struct fixture_out){ .big = now.big };
	fixture_out_put(&body, now.version, 1);
	fixture_out_text(&body, now.letters, strlen(now.letters) + 1);
	fixture_out_put(&body, now.code_align, 1);
	fixture_out_put(&body, 0x78, 1); /* data alignment -8 */
	fixture_out_put(&body, now.ra, 1);
	if (now.letters[0] == 'z')
		fixture_out_put(&body, strchr(now.letters, 'R') != NULL, 1);
	if (strchr(now.letters, 'R'))
		fixture_out_put(&body, now.encoding, 1);
	cie_program = 8 + body.size;
	fixture_out_text(&body, (const char *)program.data, program.size);
	put_entry(&section, 0, &body);
}

static void put_fde(struct cairn_bytes program)
{
	static struct fixture_out body;
	size_t width = now.encoding ? 4 : 8;

	body = (struct fixture_out){ .big = now.big };
	fde_at = section.size;
	fixture_out_put(&body, START - (now.encoding ? SECTION + fde_at + 8 : 0), width);
	fixture_out_put(&body, SIZE, width);
	if (now.letters[0] == 'z')
		fixture_out_put(&body, 0, 1);
	fde_program = fde_at + 8 + body.size;
	fixture_out_text(&body, (const char *)program.data, program.size);
	put_entry(&section, fde_at + 4, &body);
}

static void make(struct cairn_bytes cie, struct cairn_bytes fde)
{
	section = (struct fixture_out){ .big = now.big };
	put_cie(cie);
	put_fde(fde);
}

static void setup(void)
{
	now = usual;
}

/* A walk comes to the same row, and its rows before that follow each other. */
static void check_walk(const struct ehframe_cie *cie, const struct ehframe_fde *fde,
                       const struct cfi_row *row)
{
	static struct cfi_walk walk;
	struct cairn_fault fault;
	uint64_t reached = fde->start;

	ck_assert_int_eq(cfi_walk_open(&walk, cie, fde, &fault), CAIRN_OK);
	do {
		ck_assert_int_eq(cfi_walk_next(&walk, &fault), CAIRN_OK);
		ck_assert_uint_eq(walk.row.start, reached);
		reached = walk.row.end;
	} while (reached <= row->start);
	ck_assert(walk.row.end == row->end && walk.row.mangled == row->mangled);
	ck_assert(memcmp(&walk.row.cfa, &row->cfa, sizeof(row->cfa)) == 0);
	ck_assert(memcmp(walk.row.reg, row->reg, sizeof(row->reg)) == 0);
}

static enum cairn_status find(uint64_t offset, struct cfi_row *row, struct cairn_fault *fault)
{
	struct cairn_bytes bytes = unit_exact(fixture_out_bytes(&section));
	struct ehframe_source cie_source = { bytes, SECTION, SECTION, now.big, 8 };
	struct ehframe_source fde_source = {
		{ bytes.data + fde_at, bytes.size - fde_at }, SECTION + fde_at, SECTION, now.big, 8
	};
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	enum cairn_status status = ehframe_read_cie(&cie_source, &cie, fault);

	if (status == CAIRN_OK)
		status = ehframe_read_fde(&fde_source, &cie, &fde, fault);
	if (status != CAIRN_OK)
		return status;
	ck_assert(fde.start == START && fde.size == SIZE);
	status = cfi_rules_find(&cie, &fde, START + offset, row, fault);
	if (status == CAIRN_OK)
		check_walk(&cie, &fde, row);
	return status;
}

static int format_register_rule(char *out, size_t size, const struct cfi_register_rule *p)
{
	switch (p->kind) {
	case CFI_RULE_UNSET:
		break;
	case CFI_RULE_UNDEFINED:
		return snprintf(out, size, "undefined");
	case CFI_RULE_SAME:
		return snprintf(out, size, "same");
	case CFI_RULE_OFFSET:
		return snprintf(out, size, "[cfa%+ld]", (long)p->offset);
	case CFI_RULE_VAL_OFFSET:
		return snprintf(out, size, "cfa%+ld", (long)p->offset);
	case CFI_RULE_REGISTER:
		return snprintf(out, size, "r%u%+ld", p->reg, (long)p->offset);
	case CFI_RULE_EXPRESSION:
		return snprintf(out, size, "[expression %zu]", p->expression.size);
	case CFI_RULE_VAL_EXPRESSION:
		return snprintf(out, size, "expression %zu", p->expression.size);
	}
	return snprintf(out, size, "unset");
}

static const char *shown(const struct cfi_row *row)
{
	static char text[TEXT];
	size_t at =
		(size_t)snprintf(text, TEXT, "%lu-%lu cfa=", (unsigned long)(row->start - START),
	                         (unsigned long)(row->end - START));

	at += (size_t)format_register_rule(text + at, TEXT - at, &row->cfa);
	for (unsigned i = 0; i < CFI_REGISTERS; i++) {
		if (row->reg[i].kind == CFI_RULE_UNSET)
			continue;
		at += (size_t)snprintf(text + at, TEXT - at, " r%u=", i);
		at += (size_t)format_register_rule(text + at, TEXT - at, &row->reg[i]);
	}
	snprintf(text + at, TEXT - at, "%s", row->mangled ? " signed" : "");
	return text;
}

static const struct {
	const char *name;
	struct cairn_bytes cie, fde;
	uint64_t at;
	const char *row;
} rows[] = {
	{ "nothing but the CIE", BYTES(USUAL), BYTES(""), 0, "0-256 cfa=r7+8 r16=[cfa-8]" },
	{ "padding", BYTES(USUAL "\0\0\0"), BYTES("\0\0"), 255, "0-256 cfa=r7+8 r16=[cfa-8]" },

	/* rows and their ends */
	{ "before a row", BYTES(USUAL), BYTES(PUSH_RBP), 0, "0-1 cfa=r7+8 r16=[cfa-8]" },
	{ "at a row", BYTES(USUAL), BYTES(PUSH_RBP), 1, "1-256 cfa=r7+16 r6=[cfa-16] r16=[cfa-8]" },
	{ "between rows", BYTES(USUAL),
	  BYTES(PUSH_RBP "\x43\x0d\x06"
	                 "\x50\x0e\x20"),
	  5, "4-20 cfa=r6+16 r6=[cfa-16] r16=[cfa-8]" },
	{ "advance by 0", BYTES(USUAL), BYTES("\x40\x0e\x10"), 0, "0-256 cfa=r7+16 r16=[cfa-8]" },
	{ "advance_loc1", BYTES(USUAL), BYTES("\x02\x80\x0e\x10"), 128,
	  "128-256 cfa=r7+16 r16=[cfa-8]" },
	{ "advance_loc2", BYTES(USUAL), BYTES("\x03\x81\0\x0e\x10"), 129,
	  "129-256 cfa=r7+16 r16=[cfa-8]" },
	{ "advance_loc4", BYTES(USUAL), BYTES("\x04\x82\0\0\0\x0e\x10"), 130,
	  "130-256 cfa=r7+16 r16=[cfa-8]" },
	{ "advance_loc8", BYTES(USUAL), BYTES("\x1d\x83\0\0\0\0\0\0\0\x0e\x10"), 131,
	  "131-256 cfa=r7+16 r16=[cfa-8]" },
	{ "advance past the end", BYTES(USUAL), BYTES("\x03\xff\xff\x0e\x10"), 255,
	  "0-256 cfa=r7+8 r16=[cfa-8]" },

	/* the CFA */
	{ "def_cfa", BYTES(RA_AT_8 CFA_RSP_8), BYTES("\x0c\x03\x80\x02"), 0,
	  "0-256 cfa=r3+256 r16=[cfa-8]" },
	{ "def_cfa_sf", BYTES(USUAL), BYTES("\x12\x06\x7e"), 0, "0-256 cfa=r6+16 r16=[cfa-8]" },
	{ "def_cfa_register", BYTES(USUAL), BYTES("\x0d\x06"), 0, "0-256 cfa=r6+8 r16=[cfa-8]" },
	{ "def_cfa_register first", BYTES("\x0d\x07"), BYTES("\x44\x0e\x10"), 4,
	  "4-256 cfa=r7+16" },
	{ "def_cfa_register alone", BYTES("\x0d\x07"), BYTES(""), 0, "0-256 cfa=r7+0" },
	{ "def_cfa_offset", BYTES(USUAL), BYTES("\x0e\xf0\x01"), 0,
	  "0-256 cfa=r7+240 r16=[cfa-8]" },
	{ "def_cfa_offset_sf", BYTES(USUAL), BYTES("\x13\x7d"), 0, "0-256 cfa=r7+24 r16=[cfa-8]" },
	{ "def_cfa_expression", BYTES(USUAL), BYTES("\x0f\x03\x77\x08\x06"), 0,
	  "0-256 cfa=expression 3 r16=[cfa-8]" },
	{ "a sum again behind an expression", BYTES(USUAL), BYTES("\x0f\x02\x77\x08\x0c\x07\x18"),
	  0, "0-256 cfa=r7+24 r16=[cfa-8]" },

	/* registers */
	{ "offset", BYTES(USUAL), BYTES("\x83\x03"), 0, "0-256 cfa=r7+8 r3=[cfa-24] r16=[cfa-8]" },
	{ "offset_extended", BYTES(USUAL), BYTES("\x05\x20\x04"), 0,
	  "0-256 cfa=r7+8 r16=[cfa-8] r32=[cfa-32]" },
	{ "offset_extended_sf", BYTES(USUAL), BYTES("\x11\x03\x7f"), 0,
	  "0-256 cfa=r7+8 r3=[cfa+8] r16=[cfa-8]" },
	{ "GNU_negative_offset_extended", BYTES(USUAL), BYTES("\x2f\x03\x02"), 0,
	  "0-256 cfa=r7+8 r3=[cfa+16] r16=[cfa-8]" },
	{ "val_offset", BYTES(USUAL), BYTES("\x14\x07\x01"), 0,
	  "0-256 cfa=r7+8 r7=cfa-8 r16=[cfa-8]" },
	{ "val_offset_sf", BYTES(USUAL), BYTES("\x15\x07\x7e"), 0,
	  "0-256 cfa=r7+8 r7=cfa+16 r16=[cfa-8]" },
	{ "undefined", BYTES(USUAL), BYTES("\x07\x10"), 0, "0-256 cfa=r7+8 r16=undefined" },
	{ "same_value", BYTES(USUAL), BYTES("\x08\x03"), 0, "0-256 cfa=r7+8 r3=same r16=[cfa-8]" },
	{ "register", BYTES(USUAL), BYTES("\x09\x03\x0c"), 0,
	  "0-256 cfa=r7+8 r3=r12+0 r16=[cfa-8]" },
	{ "expression", BYTES(USUAL), BYTES("\x10\x03\x02\x77\x10"), 0,
	  "0-256 cfa=r7+8 r3=[expression 2] r16=[cfa-8]" },
	{ "val_expression", BYTES(USUAL), BYTES("\x16\x03\x02\x77\x10"), 0,
	  "0-256 cfa=r7+8 r3=expression 2 r16=[cfa-8]" },
	{ "registers that are not kept", BYTES(USUAL "\xa1\x05"),
	  BYTES("\x05\x48\x02\x07\x21\x09\x40\x03\x10\x7f\x01\x30"), 0,
	  "0-256 cfa=r7+8 r16=[cfa-8]" },
	{ "a register in one that is not kept", BYTES(USUAL), BYTES("\x09\x03\xff\xff\x7f"), 0,
	  "0-256 cfa=r7+8 r3=r65535+0 r16=[cfa-8]" },
	{ "GNU_args_size", BYTES(USUAL), BYTES("\x2e\x80\x01\x0e\x10"), 0,
	  "0-256 cfa=r7+16 r16=[cfa-8]" },

	/* states */
	{ "restore", BYTES(USUAL "\x83\x02"), BYTES("\x83\x05\x41\xc3"), 1,
	  "1-256 cfa=r7+8 r3=[cfa-16] r16=[cfa-8]" },
	{ "restore what had no rule", BYTES(USUAL), BYTES("\x83\x05\x41\xc3"), 1,
	  "1-256 cfa=r7+8 r16=[cfa-8]" },
	{ "restore_extended", BYTES(USUAL), BYTES("\x83\x05\x41\x06\x03\x06\x7f"), 1,
	  "1-256 cfa=r7+8 r16=[cfa-8]" },
	{ "a remembered state, all of it", BYTES(USUAL),
	  BYTES(PUSH_RBP "\x0a\x41\x0e\x08\xc6\x41\x0b"), 3,
	  "3-256 cfa=r7+16 r6=[cfa-16] r16=[cfa-8]" },
	{ "before it is restored", BYTES(USUAL), BYTES(PUSH_RBP "\x0a\x41\x0e\x08\xc6\x41\x0b"), 2,
	  "2-3 cfa=r7+8 r16=[cfa-8]" },
	{ "states in states", BYTES(USUAL), BYTES("\x0a\x0e\x10\x0a\x0e\x20\x0a\x0e\x30\x0b\x0b"),
	  0, "0-256 cfa=r7+16 r16=[cfa-8]" },
	{ "as many as may be", BYTES(USUAL), BYTES("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0e\x10\x0b"),
	  0, "0-256 cfa=r7+8 r16=[cfa-8]" },
	{ "signed", BYTES(USUAL), BYTES("\x41\x2d"), 1, "1-256 cfa=r7+8 r16=[cfa-8] signed" },
	{ "signed with its pc", BYTES(USUAL), BYTES("\x41\x2c"), 1,
	  "1-256 cfa=r7+8 r16=[cfa-8] signed" },
	{ "no longer signed", BYTES(USUAL), BYTES("\x2d\x41\x2d"), 1,
	  "1-256 cfa=r7+8 r16=[cfa-8]" },
	{ "what comes later is not read", BYTES(USUAL), BYTES("\x41\x3f"), 0,
	  "0-1 cfa=r7+8 r16=[cfa-8]" },
};

START_TEST(makes_rows)
{
	struct cfi_row row;
	struct cairn_fault fault;

	make(rows[_i].cie, rows[_i].fde);
	ck_assert_msg(find(rows[_i].at, &row, &fault) == CAIRN_OK, "%s: %s at %lu", rows[_i].name,
	              fault.what, (unsigned long)fault.offset);
	ck_assert_msg(strcmp(shown(&row), rows[_i].row) == 0, "%s: %s", rows[_i].name, shown(&row));
	ck_assert_uint_eq(row.ra, 16);
}
END_TEST

enum { IN_CIE, IN_FDE };

static const struct {
	const char *name;
	struct cairn_bytes cie, fde;
	enum cairn_status status;
	int where;
	uint64_t offset; /* in the program */
} faults[] = {
	{ "unknown code", BYTES(USUAL), BYTES("\0\x3f"), CAIRN_UNSUPPORTED, IN_FDE, 1 },
	{ "unknown code in the CIE", BYTES(USUAL "\x17"), BYTES(""), CAIRN_UNSUPPORTED, IN_CIE, 5 },
	{ "no CFA", BYTES(RA_AT_8), BYTES("\0"), CAIRN_MALFORMED, IN_FDE, 0 },
	{ "advance in the CIE", BYTES(USUAL "\x41"), BYTES(""), CAIRN_MALFORMED, IN_CIE, 5 },
	{ "restore in the CIE", BYTES(USUAL "\xc3"), BYTES(""), CAIRN_MALFORMED, IN_CIE, 5 },
	{ "restore_extended in the CIE", BYTES(USUAL "\x06\x03"), BYTES(""), CAIRN_MALFORMED,
	  IN_CIE, 6 },
	{ "advance that wraps", BYTES(USUAL), BYTES("\x1d\xff\xff\xff\xff\xff\xff\xff\xff"),
	  CAIRN_MALFORMED, IN_FDE, 1 },
	{ "an offset without a register", BYTES(USUAL), BYTES("\x0f\x01\x30\x0e\x08"),
	  CAIRN_MALFORMED, IN_FDE, 3 },
	{ "a signed offset without a register", BYTES(USUAL), BYTES("\x0f\x01\x30\x13\x08"),
	  CAIRN_MALFORMED, IN_FDE, 3 },
	{ "a register in place of an expression", BYTES(USUAL), BYTES("\x0f\x01\x30\x0d\x07"),
	  CAIRN_MALFORMED, IN_FDE, 3 },
	{ "a CFA of an unknown register", BYTES(USUAL), BYTES("\x0c\x21\x08"), CAIRN_UNSUPPORTED,
	  IN_FDE, 1 },
	{ "too many states", BYTES(USUAL), BYTES("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"),
	  CAIRN_UNSUPPORTED, IN_FDE, 8 },
	{ "no state", BYTES(USUAL), BYTES("\x0a\x0b\x0b"), CAIRN_MALFORMED, IN_FDE, 2 },
	{ "a state of the CIE", BYTES(USUAL "\x0a"), BYTES("\x0b"), CAIRN_MALFORMED, IN_FDE, 0 },
	{ "no operand", BYTES(USUAL), BYTES("\x0e"), CAIRN_TRUNCATED, IN_FDE, 1 },
	{ "half an operand", BYTES(USUAL), BYTES("\x03\x01"), CAIRN_TRUNCATED, IN_FDE, 1 },
	{ "a number that does not end", BYTES(USUAL), BYTES("\x83\x80\x80"), CAIRN_TRUNCATED,
	  IN_FDE, 1 },
	{ "a cut expression", BYTES(USUAL), BYTES("\x10\x03\x02\x77"), CAIRN_TRUNCATED, IN_FDE, 2 },
	{ "a cut expression of the CFA", BYTES(USUAL), BYTES("\x0f\x7f"), CAIRN_TRUNCATED, IN_FDE,
	  1 },
	{ "half a location", BYTES(USUAL), BYTES("\x01\0\0"), CAIRN_TRUNCATED, IN_FDE, 1 },
};

START_TEST(tells_faults)
{
	struct cfi_row row;
	struct cairn_fault fault;

	make(faults[_i].cie, faults[_i].fde);
	uint64_t program = faults[_i].where == IN_CIE ? cie_program : fde_program;
	ck_assert_msg(find(SIZE - 1, &row, &fault) == faults[_i].status, "%s", faults[_i].name);
	ck_assert(fault.status == faults[_i].status && fault.what);
	ck_assert_msg(fault.offset == program + faults[_i].offset, "%s: at %ld of the program",
	              faults[_i].name, (long)(fault.offset - program));
}
END_TEST

/* set_loc counts from its own place, as the FDE's range does. */
START_TEST(sets_locations)
{
	static const struct {
		uint64_t to, at;
		const char *row; /* NULL: refused */
	} places[] = {
		{ 0x20, 0x1f, "0-32 cfa=r7+8 r16=[cfa-8]" },
		{ 0x20, 0x20, "32-256 cfa=r7+16 r16=[cfa-8]" },
		{ 0x1000, 0xff, "0-256 cfa=r7+8 r16=[cfa-8]" },
		{ (uint64_t)-1, 0, NULL },
	};
	static const struct cairn_bytes cie = BYTES(USUAL), fde = BYTES("\x01????\x0e\x10");
	struct cfi_row row;
	struct cairn_fault fault;

	for (size_t i = 0; i < COUNT(places); i++) {
		make(cie, fde);
		size_t field = fde_program + 1;
		fixture_out_poke(&section, field, START + places[i].to - (SECTION + field), 4);
		enum cairn_status status = find(places[i].at, &row, &fault);
		ck_assert_int_eq(status, places[i].row ? CAIRN_OK : CAIRN_MALFORMED);
		if (places[i].row)
			ck_assert_str_eq(shown(&row), places[i].row);
	}
}
END_TEST

START_TEST(scales_locations)
{
	static const struct cairn_bytes cie = BYTES(USUAL), fde = BYTES("\x42\x0e\x10");
	struct cfi_row row;
	struct cairn_fault fault;

	now.code_align = 4;
	make(cie, fde);
	ck_assert_int_eq(find(8, &row, &fault), CAIRN_OK);
	ck_assert_str_eq(shown(&row), "8-256 cfa=r7+16 r16=[cfa-8]");
}
END_TEST

START_TEST(reads_either_order)
{
	static const struct cairn_bytes cie = BYTES(USUAL), fde = BYTES("\x03\0\x10\x0e\x10");
	struct cfi_row row;
	struct cairn_fault fault;

	now.big = true;
	now.version = 3;
	make(cie, fde);
	ck_assert_int_eq(find(16, &row, &fault), CAIRN_OK);
	ck_assert_str_eq(shown(&row), "16-256 cfa=r7+16 r16=[cfa-8]");
}
END_TEST

START_TEST(reads_an_absolute_range_without_augmentation)
{
	static const struct cairn_bytes cie = BYTES(USUAL), fde = BYTES("\x0e\x10");
	struct cfi_row row;
	struct cairn_fault fault;

	now.letters = "";
	now.encoding = 0;
	make(cie, fde);
	ck_assert_int_eq(find(0, &row, &fault), CAIRN_OK);
	ck_assert_str_eq(shown(&row), "0-256 cfa=r7+16 r16=[cfa-8]");
}
END_TEST

static const struct {
	const char *name, *letters;
	uint8_t version;
	uint64_t ra;
	enum cairn_status status;
} heads[] = {
	{ "a signal frame", "zRS", 1, 16, CAIRN_OK },
	{ "key B", "zRB", 1, 16, CAIRN_OK },
	{ "an unknown letter behind R", "zRX", 1, 16, CAIRN_OK },
	{ "an unknown letter before R", "zXR", 1, 16, CAIRN_UNSUPPORTED },
	{ "letters without z", "odd", 1, 16, CAIRN_UNSUPPORTED },
	{ "version 2", "zR", 2, 16, CAIRN_UNSUPPORTED },
	{ "version 4", "zR", 4, 16, CAIRN_UNSUPPORTED },
	{ "a return address in no register", "zR", 1, 33, CAIRN_UNSUPPORTED },
	{ "the link register of ppc64", "zR", 1, 65, CAIRN_OK },
	{ "the alternate return column of riscv64", "zR", 1, 64, CAIRN_OK },
};

START_TEST(reads_heads)
{
	static const struct cairn_bytes cie = BYTES(USUAL), fde = BYTES("");
	struct ehframe_source source = { .address = SECTION, .section = SECTION };
	struct ehframe_cie found;
	struct cfi_row row;
	struct cairn_fault fault;

	now.letters = heads[_i].letters;
	now.version = heads[_i].version;
	now.ra = heads[_i].ra;
	make(cie, fde);
	ck_assert_msg(find(0, &row, &fault) == heads[_i].status, "%s", heads[_i].name);
	if (heads[_i].status != CAIRN_OK)
		return;
	source.bytes = fixture_out_bytes(&section);
	ck_assert_int_eq(ehframe_read_cie(&source, &found, &fault), CAIRN_OK);
	ck_assert(found.signal == (strchr(now.letters, 'S') != NULL));
	ck_assert(found.key_b == (strchr(now.letters, 'B') != NULL));
}
END_TEST

#define HEAD "\x20\0\0\0\0\0\0\0"
#define FIELDS "\1\x78\x10"
#define REST "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct {
	const char *name;
	uint8_t word;
	struct cairn_bytes bytes;
	enum cairn_status status;
	uint8_t encoding;
} encodings[] = {
	{ "none", 8, BYTES(HEAD "\1\0" FIELDS REST), CAIRN_OK, 0 },
	{ "none, 32-bit", 4, BYTES(HEAD "\1\0" FIELDS REST), CAIRN_OK, 3 },
	{ "absolute", 8, BYTES(HEAD "\1zR\0" FIELDS "\1\0" REST), CAIRN_OK, 0 },
	{ "absolute, 32-bit", 4, BYTES(HEAD "\1zR\0" FIELDS "\1\0" REST), CAIRN_OK, 3 },
	{ "pc-relative as wide as an address", 4, BYTES(HEAD "\1zR\0" FIELDS "\1\x10" REST),
	  CAIRN_OK, 0x1b },
	{ "pc-relative of 8 bytes, 32-bit", 4, BYTES(HEAD "\1zR\0" FIELDS "\1\x1c" REST), CAIRN_OK,
	  0x1c },
	{ "gcc 2", 8, BYTES(HEAD "\1eh\0PPPPPPPP" FIELDS REST), CAIRN_OK, 0 },
	{ "gcc 2, 32-bit", 4, BYTES(HEAD "\1eh\0PPPP" FIELDS REST), CAIRN_OK, 3 },
	{ "version 4", 8, BYTES(HEAD "\4zR\0\x8\0" FIELDS "\1\x1b" REST), CAIRN_OK, 0x1b },
	{ "version 4, 32-bit", 4, BYTES(HEAD "\4zR\0\4\0" FIELDS "\1\0" REST), CAIRN_OK, 3 },
	{ "version 4 of another machine", 8, BYTES(HEAD "\4zR\0\4\0" FIELDS "\1\x1b" REST),
	  CAIRN_UNSUPPORTED, 0 },
	{ "a personality, 32-bit", 4, BYTES(HEAD "\1zPR\0" FIELDS "\6\0PPPP\x1b" REST), CAIRN_OK,
	  0x1b },
	{ "a personality", 8, BYTES(HEAD "\1zPR\0" FIELDS "\xa\0PPPPPPPP\x1b" REST), CAIRN_OK,
	  0x1b },
	{ "an indirect personality", 8, BYTES(HEAD "\1zPLR\0" FIELDS "\7\x9bPPPP\x1b\x1b" REST),
	  CAIRN_OK, 0x1b },
	{ "an aligned personality", 8,
	  BYTES(HEAD "\1zPR\0" FIELDS "\x10\x50ppppppPPPPPPPP\x1b" REST), CAIRN_OK, 0x1b },
	{ "a personality of variable length", 8, BYTES(HEAD "\1zPR\0" FIELDS "\4\1\x80\1\x1b" REST),
	  CAIRN_OK, 0x1b },
	{ "a personality that is left out", 8, BYTES(HEAD "\1zPR\0" FIELDS "\2\xff\x1b" REST),
	  CAIRN_OK, 0x1b },
	{ "a personality of an unknown form", 8, BYTES(HEAD "\1zPR\0" FIELDS "\x6\5PPPP\x1b" REST),
	  CAIRN_UNSUPPORTED, 0 },
};

START_TEST(knows_how_addresses_are_stored)
{
	uint8_t encoding = 0xff;

	ck_assert_msg(ehframe_cie_encoding(unit_exact(encodings[_i].bytes), SECTION, false,
	                                   encodings[_i].word, &encoding) == encodings[_i].status,
	              "%s", encodings[_i].name);
	if (encodings[_i].status == CAIRN_OK)
		ck_assert_msg(encoding == encodings[_i].encoding, "%s: %x", encodings[_i].name,
		              encoding);
}
END_TEST

/* What old compilers wrote for 32-bit programs: addresses of four bytes, high ones too. */
START_TEST(reads_absolute_ranges_of_32_bit_files)
{
	static const struct cairn_bytes bytes =
		BYTES("\x10\0\0\0\0\0\0\0\1\0\1\x7c\x08\x0c\4\4\x88\1\0\0"
	              "\x10\0\0\0\x18\0\0\0\0\x10\0\xf7\x20\0\0\0\x44\x0e\x08\0");
	const struct cairn_bytes whole = unit_exact(bytes);
	const struct ehframe_source first = { { whole.data, 20 }, SECTION, SECTION, false, 4 };
	const struct ehframe_source second = {
		{ whole.data + 20, 20 }, SECTION + 20, SECTION, false, 4
	};
	struct cairn_fault fault;
	struct ehframe_cie c;
	struct ehframe_fde f;
	struct cfi_row row;

	ck_assert_int_eq(ehframe_read_cie(&first, &c, &fault), CAIRN_OK);
	ck_assert_int_eq(ehframe_read_fde(&second, &c, &f, &fault), CAIRN_OK);
	ck_assert_uint_eq(f.start, 0xf7001000);
	ck_assert_uint_eq(f.size, 0x20);
	ck_assert_int_eq(cfi_rules_find(&c, &f, f.start + 4, &row, &fault), CAIRN_OK);
	ck_assert_int_eq(row.cfa.offset, 8);
}
END_TEST

/* The column of the return address is past the others: it takes the last place, and no other column does. */
START_TEST(keeps_a_return_address_past_the_registers)
{
	static const struct cairn_bytes cie = BYTES("\x0c\x01\x00"); /* cfa=r1+0 */
	/* r65=[cfa+16], r32=[cfa-8], r65 in r0 from the next byte on, then as it was */
	static const struct cairn_bytes fde =
		BYTES("\x11\x41\x7e\x05\x20\x01\x41\x09\x41\x00\x41\x06\x41");
	struct cfi_row row;
	struct cairn_fault fault;

	now.ra = 65;
	make(cie, fde);
	ck_assert_int_eq(find(0, &row, &fault), CAIRN_OK);
	ck_assert_uint_eq(row.ra, 32);
	ck_assert_str_eq(shown(&row), "0-1 cfa=r1+0 r32=[cfa+16]");
	ck_assert_int_eq(find(1, &row, &fault), CAIRN_OK);
	ck_assert_str_eq(shown(&row), "1-2 cfa=r1+0 r32=r0+0");
	ck_assert_int_eq(find(2, &row, &fault), CAIRN_OK);
	ck_assert_str_eq(shown(&row), "2-256 cfa=r1+0");
}
END_TEST

START_TEST(knows_its_range)
{
	static const struct cairn_bytes cie = BYTES(USUAL), fde = BYTES("");
	struct cfi_row row;
	struct cairn_fault fault;

	make(cie, fde);
	ck_assert_int_eq(find(SIZE - 1, &row, &fault), CAIRN_OK);
	ck_assert_int_eq(find(SIZE, &row, &fault), CAIRN_NOT_FOUND);
	ck_assert_uint_eq(fault.offset, fde_at);
	ck_assert_int_eq(find((uint64_t)-1, &row, &fault), CAIRN_NOT_FOUND);
}
END_TEST

/* Either entry for the other, and each at every length. */
START_TEST(refuses_damaged_entries)
{
	static const struct cairn_bytes cie = BYTES(USUAL), fde = BYTES(PUSH_RBP);
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct ehframe_cie c;
	struct ehframe_fde f;

	make(cie, fde);
	size_t all = section.size;
	struct cairn_bytes whole = fixture_out_bytes(&section);
	struct ehframe_source first = { whole, SECTION, SECTION, false, 8 };
	struct ehframe_source second = {
		{ whole.data + fde_at, all - fde_at }, SECTION + fde_at, SECTION, false, 8
	};
	ck_assert_int_eq(ehframe_read_cie(&first, &c, &fault), CAIRN_OK);
	ck_assert_int_eq(ehframe_read_fde(&second, &c, &f, &fault), CAIRN_OK);
	ck_assert_int_eq(ehframe_read_cie(&second, &c, &fault), CAIRN_MALFORMED);
	ck_assert_uint_eq(fault.offset, fde_at);
	ck_assert_int_eq(ehframe_read_fde(&first, &c, &f, &fault), CAIRN_MALFORMED);
	for (size_t size = 0; size < fde_at; size++) {
		first.bytes = unit_exact((struct cairn_bytes){ whole.data, size });
		ck_assert_int_eq(ehframe_read_cie(&first, &c, &fault), CAIRN_TRUNCATED);
	}
	for (size_t size = 0; size < all - fde_at; size++) {
		second.bytes = unit_exact((struct cairn_bytes){ whole.data + fde_at, size });
		ck_assert_int_eq(ehframe_read_fde(&second, &c, &f, &fault), CAIRN_TRUNCATED);
	}
}
END_TEST

START_TEST(bounds_the_augmentation)
{
	static const struct cairn_bytes cie = BYTES(USUAL), fde = BYTES("\0\0");
	struct cfi_row row;
	struct cairn_fault fault;

	make(cie, fde);
	section.data[fde_program - 1] = 3; /* more than there is */
	ck_assert_int_eq(find(0, &row, &fault), CAIRN_MALFORMED);
	ck_assert_uint_eq(fault.offset, fde_program - 1);
	section.data[fde_program - 1] = 2; /* all there is */
	ck_assert_int_eq(find(0, &row, &fault), CAIRN_OK);
	section.data[cie_program - 2] = 0x7f;
	ck_assert_int_eq(find(0, &row, &fault), CAIRN_MALFORMED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cfi_rules");
	TCase *c = tcase_create("rules");

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_loop_test(c, makes_rows, 0, COUNT(rows));
	tcase_add_loop_test(c, tells_faults, 0, COUNT(faults));
	tcase_add_test(c, sets_locations);
	tcase_add_test(c, scales_locations);
	tcase_add_test(c, reads_either_order);
	tcase_add_test(c, reads_an_absolute_range_without_augmentation);
	tcase_add_loop_test(c, reads_heads, 0, COUNT(heads));
	tcase_add_loop_test(c, knows_how_addresses_are_stored, 0, COUNT(encodings));
	tcase_add_test(c, reads_absolute_ranges_of_32_bit_files);
	tcase_add_test(c, keeps_a_return_address_past_the_registers);
	tcase_add_test(c, knows_its_range);
	tcase_add_test(c, refuses_damaged_entries);
	tcase_add_test(c, bounds_the_augmentation);
	suite_add_tcase(suite, c);
	return unit_run(suite);
}
