/* SPDX-License-Identifier: MIT */
/* .sframe, and an .eh_frame without its section, as .debug_frame: each machine and version, registers that code proves, and damage. */
#include "writers/frames/frame_writer.h"

#include "unit.h"

#include "base/encoding.h"
#include "check_frames.h"
#include "fixture.h"
#include "fixture_elf.h"
#include "fixture_go.h"
#include "unwind/tables/sframe_rules.h"

#define CODE 0x1000u
#define SFRAME 0x3000u
#define LIMIT ((size_t)1 << 20)

/* push %rbx; sub $16,%rsp; call next; add $16,%rsp; pop %rbx; ret */
#define SAVES "53 4883ec10 e800000000 4883c410 5b c3"
/* mov %rdi,%rbx; ret: a caller's register is lost */
#define LOSES "4889fb c3"
/* xor %ebp,%ebp; mov %rdx,%r9; hlt */
#define ENTRY "31ed 4989d1 f4"

struct program {
	const char *code; /* in hex */
	uint64_t entry;
	struct fixture_table table;
};

static struct fixture_out file, text, sframe, symbols; /* symbols: empty, there are none */
static const char strings[] = "\0saves\0other";

static size_t code_bytes(const char *words, uint8_t *code)
{
	size_t size = 0, fault;

	ck_assert(hex_decode((struct cairn_bytes){ (const uint8_t *)words, strlen(words) }, code,
	                     &size, &fault));
	return size;
}

/* An ELF file of two sections, code and .sframe. */
static struct cairn_bytes make_program(const struct program *p)
{
	static const uint16_t machines[] = { [FIXTURE_AARCH64_BIG] = 183,
		                             [FIXTURE_AARCH64] = 183,
		                             [FIXTURE_AMD64] = 62,
		                             [FIXTURE_S390X] = 22 };
	const bool big = fixture_is_big(p->table.abi);

	file = text = sframe = (struct fixture_out){ .big = big };
	text.size = code_bytes(p->code, text.data);
	fixture_append(&sframe, SFRAME, &p->table, NULL);
	const struct fixture_section sections[] = {
		{ ".text", 1, CODE, { text.data, text.size }, 0, 0 },
		{ ".sframe", 1, SFRAME, { sframe.data, sframe.size }, 0, 0 },
		{ ".dynsym", ELF_SHT_DYNSYM, 0, { symbols.data, symbols.size }, 4, 0 },
		{ ".dynstr", 3, 0, { (const uint8_t *)strings, sizeof(strings) }, 0, 0 },
	};
	const struct fixture_segment segments[] = {
		{ ELF_PT_LOAD, ELF_PF_READ | ELF_PF_EXECUTE, CODE, text.size, 1 },
		{ ELF_PT_LOAD, ELF_PF_READ, SFRAME, sframe.size, 2 },
		{ ELF_PT_GNU_SFRAME, ELF_PF_READ, SFRAME, sframe.size, 2 },
	};
	const struct fixture_elf elf = { .wide = true,
		                         .big = big,
		                         .type = ELF_TYPE_DYN,
		                         .machine = machines[p->table.abi],
		                         .entry = p->entry,
		                         .segment_count = COUNT(segments),
		                         .segments = segments,
		                         .section_count = COUNT(sections),
		                         .sections = sections };
	fixture_elf(&file, &elf, NULL);
	return (struct cairn_bytes){ file.data, file.size };
}

static enum cairn_status make_table(const struct program *p, struct frame_table *table)
{
	const struct frame_writer_options options = { .limit = LIMIT };
	enum cairn_status status = frame_table_make(make_program(p), &options, table);
	struct cairn_rules *rules =
		cairn_rules_new((struct cairn_bytes){ sframe.data, sframe.size }, SFRAME);

	ck_assert_ptr_nonnull(rules);
	ck_assert_ptr_eq(check_frames(table, rules), NULL);
	cairn_rules_free(rules);
	return status;
}

static const struct fixture_row saving_rows[] = {
	{ 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } },
	{ 1, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 16 } },
	{ 5, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 32 } },
	{ 14, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 16 } },
	{ 15, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } },
};

static const struct fixture_row leaf_rows[] = {
	{ 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } },
};

static struct program amd64_program(const char *code, const struct fixture_function *functions,
                                    uint32_t count)
{
	return (struct program){ .code = code,
		                 .table = { .version = 1,
		                            .abi = FIXTURE_AMD64,
		                            .flags = SFRAME_FLAG_SORTED,
		                            .count = count,
		                            .functions = functions } };
}

/* What the code proves is told, with the slot between the push and the pop. */
START_TEST(tells_saved_registers)
{
	const struct fixture_function f = { CODE, 16, FIXTURE_ADDR1, 0, 0, 5, saving_rows };
	const struct program p = amd64_program(SAVES, &f, 1);
	struct frame_table table;
	struct cfi_row row;

	ck_assert_int_eq(make_table(&p, &table), CAIRN_OK);
	ck_assert_uint_eq(table.functions, 1);
	ck_assert(check_frames_row(&table, CODE, &row));
	ck_assert(row.reg[3].kind == CFI_RULE_UNSET && row.reg[12].kind == CFI_RULE_UNSET);
	ck_assert(check_frames_row(&table, CODE + 7, &row));
	ck_assert(row.reg[3].kind == CFI_RULE_OFFSET && row.reg[3].offset == -16);
	ck_assert_int_eq(row.cfa.offset, 32);
	ck_assert(row.reg[12].kind == CFI_RULE_UNSET);
	ck_assert(check_frames_row(&table, CODE + 15, &row));
	ck_assert_int_eq(row.reg[3].kind, CFI_RULE_SAME);
	ck_assert(!check_frames_row(&table, CODE + 16, &row));
	frame_table_finish(&table);
}
END_TEST

/* What it does not prove is undefined, and not passed through. */
START_TEST(leaves_unproven_registers_undefined)
{
	const struct fixture_function f = { CODE, 4, FIXTURE_ADDR1, 0, 0, 1, leaf_rows };
	const struct program p = amd64_program(LOSES, &f, 1);
	struct frame_table table;
	struct cfi_row row;

	ck_assert_int_eq(make_table(&p, &table), CAIRN_OK);
	ck_assert(check_frames_row(&table, CODE + 3, &row));
	ck_assert_int_eq(row.reg[3].kind, CFI_RULE_UNDEFINED);
	ck_assert_int_eq(row.reg[12].kind, CFI_RULE_UNSET);
	frame_table_finish(&table);
}
END_TEST

/* Each block of a PLT has an FDE of its own, the last one cut off where the section ends. */
START_TEST(unrolls_plt_blocks)
{
	static const struct fixture_row rows[] = {
		{ 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } },
		{ 11, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 16 } }
	};
	const struct fixture_function f = {
		CODE, 40, FIXTURE_ADDR1 | FIXTURE_MASKED, 0, 0, 2, rows
	};
	char code[2 * 40 + 1];
	struct frame_table table;
	struct cfi_row row;

	memset(code, '9', sizeof(code) - 1);
	code[sizeof(code) - 1] = '\0';
	const struct program p = amd64_program(code, &f, 1);
	ck_assert_int_eq(make_table(&p, &table), CAIRN_OK);
	ck_assert_uint_eq(table.functions, 3);
	ck_assert_int_eq(table.function[1].kind, FRAME_FUNCTION_STUB);
	ck_assert_uint_eq(table.function[1].range.low, CODE + 16);
	ck_assert_uint_eq(table.function[2].range.high, CODE + 40);
	ck_assert(check_frames_row(&table, CODE + 16 + 11, &row));
	ck_assert_int_eq(row.cfa.offset, 16);
	ck_assert(check_frames_row(&table, CODE + 32 + 7, &row));
	ck_assert_int_eq(row.cfa.offset, 8);
	frame_table_finish(&table);
}
END_TEST

/* Nobody calls the entry point, up to its hlt; in a function that the table knows that counts. */
START_TEST(ends_stacks_at_the_entry_point)
{
	const struct fixture_function f = { CODE + 6, 16, FIXTURE_ADDR1, 0, 0, 5, saving_rows };
	struct program p = amd64_program(ENTRY SAVES, &f, 1);
	struct frame_table table;
	struct cfi_row row;

	p.entry = CODE;
	ck_assert_int_eq(make_table(&p, &table), CAIRN_OK);
	ck_assert_uint_eq(table.functions, 2);
	ck_assert_int_eq(table.function[0].kind, FRAME_FUNCTION_ENTRY);
	ck_assert_uint_eq(table.function[0].range.high, CODE + 6);
	ck_assert(check_frames_row(&table, CODE, &row));
	ck_assert_int_eq(row.reg[16].kind, CFI_RULE_UNDEFINED);
	frame_table_finish(&table);
	p.entry = CODE + 8;
	ck_assert_int_eq(make_table(&p, &table), CAIRN_OK);
	ck_assert_uint_eq(table.functions, 1);
	frame_table_finish(&table);
}
END_TEST

/* Rows of other machines and versions; check_frames() compares them. */
static const struct fixture_row aarch64_rows[] = {
	{ 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 0 } },
	{ 4, FIXTURE_SP | FIXTURE_MANGLED | FIXTURE_WORDS(1, 0), { 0 } },
	{ 8, FIXTURE_SP | FIXTURE_MANGLED | FIXTURE_WORDS(3, 0), { 48, -48, -40 } },
};
static const struct fixture_row s390x_rows[] = {
	{ 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 0 } },
	{ 4, FIXTURE_SP | FIXTURE_WORDS(3, 0), { 20, -48, -72 } },
	{ 8, FIXTURE_SP | FIXTURE_WORDS(2, 0), { 0, 16 << 1 | 1 } }, /* RA in f0 */
};
/* CFA = [rbp-8]; RA = [CFA-8]; FP = [rbp+0], and the outermost frame */
static const struct fixture_row flexible_rows[] = {
	{ 0, FIXTURE_WORDS(2, 0), { 7 << 3 | 1, 8 } },
	{ 4, FIXTURE_WORDS(6, 0), { 6 << 3 | 3, -8, 2, -8, 6 << 3 | 3, 0 } },
	{ 8, FIXTURE_WORDS(4, 0), { 6 << 3 | 1, -16, 10 << 3 | 1, 4 } },
	{ 12, 0, { 0 } },
};

struct form {
	const char *what;
	uint8_t version, abi, info, flexible;
	uint32_t count;
	const struct fixture_row *rows;
};

static const struct form forms[] = {
	{ "aarch64 with signed addresses", 2, FIXTURE_AARCH64, FIXTURE_ADDR1 | FIXTURE_KEY_B, 0, 3,
	  aarch64_rows },
	{ "big-endian aarch64", 2, FIXTURE_AARCH64_BIG, FIXTURE_ADDR1, 0, 3, aarch64_rows },
	{ "s390x", 2, FIXTURE_S390X, FIXTURE_ADDR1, 0, 3, s390x_rows },
	{ "flexible rows", 3, FIXTURE_AMD64, FIXTURE_ADDR1, 1, 4, flexible_rows },
	{ "a signal frame", 3, FIXTURE_AMD64, FIXTURE_ADDR1 | FIXTURE_SIGNAL, 0, 1, leaf_rows },
};

START_TEST(tells_each_machine)
{
	const struct form *form = &forms[_i];
	const struct fixture_function f = { CODE, 16,          form->info, form->flexible,
		                            0,    form->count, form->rows };
	const struct program p = { .code = "00000000000000000000000000000000",
		                   .table = { .version = form->version,
		                              .abi = form->abi,
		                              .flags = SFRAME_FLAG_FIELD_RELATIVE |
		                                       SFRAME_FLAG_SORTED,
		                              .count = 1,
		                              .functions = &f } };
	struct frame_table table;

	ck_assert_int_eq(make_table(&p, &table), CAIRN_OK);
	ck_assert_uint_eq(table.functions, 1);
	frame_table_finish(&table);
}
END_TEST

/* A symbol of code, or of `type`, at the first function; its name at an offset in the strings. */
struct named {
	const char *what;
	uint32_t name;
	uint8_t type;
	uint16_t section;
	uint64_t va;
	const char *expect;
};

static const struct named names[] = {
	{ "its name", 1, ELF_STT_FUNC, 1, CODE, "saves" },
	{ "no code", 1, ELF_STT_NOTYPE, 1, CODE, "" },
	{ "defined elsewhere", 1, ELF_STT_FUNC, 0, CODE, "" },
	{ "in the middle", 1, ELF_STT_FUNC, 1, CODE + 1, "" },
	{ "past the strings", sizeof(strings) + 1, ELF_STT_FUNC, 1, CODE, "" },
	{ "far past the strings", UINT32_MAX, ELF_STT_FUNC, 1, CODE, "" },
};

START_TEST(takes_names_of_the_program)
{
	const struct named *n = &names[_i];
	const struct fixture_function f = { CODE, 16, FIXTURE_ADDR1, 0, 0, 5, saving_rows };
	const struct program p = amd64_program(SAVES, &f, 1);
	struct frame_table table;

	symbols = (struct fixture_out){ .big = false };
	fixture_symbol(&symbols, true, 0, 0);
	fixture_symbol(&symbols, true, n->section, n->va);
	fixture_out_poke(&symbols, 24, n->name, 4);
	fixture_out_poke(&symbols, 28, n->type, 1);
	ck_assert_int_eq(make_table(&p, &table), CAIRN_OK);
	ck_assert_uint_eq(table.function[0].name.size, strlen(n->expect));
	ck_assert_mem_eq(table.function[0].name.data ? (const void *)table.function[0].name.data
	                                             : "",
	                 n->expect, strlen(n->expect));
	frame_table_finish(&table);
	symbols.size = 0;
}
END_TEST

/* Tables that are damaged, or that no code belongs to: which functions are left. */
struct damage {
	const char *what;
	struct fixture_function functions[3];
	uint32_t count;
	size_t left;
	uint64_t end; /* of the first one that is left */
};

static const struct fixture_row late_rows[] = {
	{ 4, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 16 } },
};
static const struct fixture_row undefined_size[] = {
	{ 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } },
	{ 2, FIXTURE_SP | 3 << 5 | 1 << 1, { 0 } },
};

static const struct damage damages[] = {
	{ "no code there", { { 0x9000, 16, 0, 0, 0, 1, leaf_rows } }, 1, 0, 0 },
	{ "code ends before", { { CODE, 400, 0, 0, 0, 1, leaf_rows } }, 1, 1, CODE + 16 },
	{ "the last one of two counts",
	  { { CODE, 16, 0, 0, 0, 1, leaf_rows }, { CODE, 8, 0, 0, 0, 1, leaf_rows } },
	  2,
	  1,
	  CODE + 8 },
	{ "overlapping",
	  { { CODE, 16, 0, 0, 0, 1, leaf_rows }, { CODE + 4, 4, 0, 0, 0, 1, leaf_rows } },
	  2,
	  2,
	  CODE + 4 },
	{ "the first row is late", { { CODE, 16, 0, 0, 0, 1, late_rows } }, 1, 0, 0 },
	{ "no rows", { { CODE, 16, 0, 0, 0, 0, leaf_rows } }, 1, 0, 0 },
	{ "words of no size", { { CODE, 16, 0, 0, 0, 2, undefined_size } }, 1, 1, CODE + 2 },
	{ "size 0", { { CODE, 0, 0, 0, 0, 1, leaf_rows } }, 1, 0, 0 },
};

/* Overwrites the first place in the file that has these bytes. */
static void overwrite_bytes(const char *old, const char *with, size_t size)
{
	for (size_t at = 0; at + size <= file.size; at++)
		if (memcmp(file.data + at, old, size) == 0) {
			memcpy(file.data + at, with, size);
			return;
		}
	ck_abort_msg("these bytes are not in the file");
}

/* A program without a table gets the frames of a file that was made for it, whole or cut. */
START_TEST(takes_a_table_that_was_made)
{
	const struct fixture_function f = { CODE, 16, FIXTURE_ADDR1, 0, 0, 5, saving_rows };
	const struct program p = amd64_program(SAVES, &f, 1);
	static struct fixture_out made;
	struct frame_writer_options options = { .limit = LIMIT };
	struct frame_table table;
	struct cfi_row row;

	make_program(&p);
	made = file;
	overwrite_bytes(".sframe", ".xframe", 7);
	overwrite_bytes("\x54\xe5\x74\x64", "\0\0\0\0", 4);
	const struct cairn_bytes bare = { file.data, file.size };
	ck_assert_int_eq(frame_table_make(bare, &options, &table), CAIRN_NOT_FOUND);
	frame_table_finish(&table);
	options.sframe_file = (struct cairn_bytes){ made.data, made.size };
	ck_assert_int_eq(frame_table_make(bare, &options, &table), CAIRN_OK);
	ck_assert_uint_eq(table.functions, 1);
	ck_assert(check_frames_row(&table, CODE + 7, &row));
	ck_assert(row.cfa.offset == 32 && row.reg[3].kind == CFI_RULE_OFFSET);
	frame_table_finish(&table);
	for (size_t size = 0; size < made.size; size++) {
		options.sframe_file = unit_exact((struct cairn_bytes){ made.data, size });
		const enum cairn_status status = frame_table_make(bare, &options, &table);
		ck_assert(status == CAIRN_OK || status == CAIRN_NOT_FOUND);
		frame_table_finish(&table);
	}
}
END_TEST

START_TEST(survives_damage)
{
	const struct damage *d = &damages[_i];
	const struct program p = amd64_program(SAVES, d->functions, d->count);
	struct frame_table table;
	enum cairn_status status = make_table(&p, &table);

	ck_assert_int_eq(status, d->left > 0 ? CAIRN_OK : CAIRN_NOT_FOUND);
	ck_assert_uint_eq(table.functions, d->left);
	if (d->left > 0)
		ck_assert_uint_eq(table.function[0].range.high, d->end);
	frame_table_finish(&table);
}
END_TEST

START_TEST(reports_what_is_no_program)
{
	static const uint8_t words[] =
		"no ELF file, but long enough to be one: 0123456789 0123456789";
	const struct fixture_function f = { CODE, 16, FIXTURE_ADDR1, 0, 0, 5, saving_rows };
	const struct program p = amd64_program(SAVES, &f, 1);
	struct frame_writer_options options = { .limit = LIMIT };
	struct frame_table table;

	ck_assert_int_eq(
		frame_table_make((struct cairn_bytes){ words, sizeof(words) }, &options, &table),
		CAIRN_MALFORMED);
	frame_table_finish(&table);
	const struct cairn_bytes good = make_program(&p);
	options.limit = 60;
	ck_assert_int_eq(frame_table_make(good, &options, &table), CAIRN_NO_MEMORY);
	frame_table_finish(&table);
	file.data[16] = ELF_TYPE_REL;
	options.limit = LIMIT;
	ck_assert_int_eq(frame_table_make(good, &options, &table), CAIRN_NOT_FOUND);
	frame_table_finish(&table);
}
END_TEST

/* Sizes of frames of a Go program, whose main.main is the outermost function, in each layout; and cut short. */
START_TEST(writes_frames_of_go)
{
	enum { OUTER = FIXTURE_GO_TEXT, MAIN = FIXTURE_GO_TEXT + 0x40, SIZE = 0x18, GO_RA = 16 };
	const struct fixture_go go = { .layout = (enum gopclntab_layout)_i };
	const struct frame_writer_options options = { .limit = LIMIT };
	struct fixture_go_places places;
	struct frame_table table;
	struct cfi_row row;

	fixture_go(&file, &go, &places);
	const struct cairn_bytes whole = fixture_out_bytes(&file);
	ck_assert_int_eq(frame_table_make_go(whole, &options, &table), CAIRN_OK);
	ck_assert_uint_eq(table.functions, 2);
	ck_assert(check_frames_row(&table, OUTER + 3, &row));
	ck_assert_int_eq(row.cfa.offset, 8);
	ck_assert(check_frames_row(&table, OUTER + 4, &row));
	ck_assert_int_eq(row.cfa.offset, SIZE + 8);
	ck_assert(row.reg[GO_RA].kind == CFI_RULE_OFFSET && row.reg[GO_RA].offset == -8);
	ck_assert(row.reg[6].kind == CFI_RULE_UNSET || row.reg[6].kind == CFI_RULE_SAME);
	ck_assert(check_frames_row(&table, MAIN + 4, &row));
	ck_assert_int_eq(row.reg[GO_RA].kind,
	                 go.layout == GOPCLNTAB_1_2 ? CFI_RULE_OFFSET : CFI_RULE_UNDEFINED);
	ck_assert(!check_frames_row(&table, OUTER - 1, &row));
	frame_table_finish(&table);
	for (size_t size = 0; size < whole.size; size += 7) {
		const struct cairn_bytes part = { whole.data, size };
		enum cairn_status status = frame_table_make_go(unit_exact(part), &options, &table);
		ck_assert(status == CAIRN_OK || status == CAIRN_NOT_FOUND);
		frame_table_finish(&table);
	}
}
END_TEST

START_TEST(bounds_frames_of_go)
{
	const struct fixture_go go = { .layout = GOPCLNTAB_1_20 };
	const struct frame_writer_options options = { .limit = 60 };
	struct fixture_go_places places;
	struct frame_table table;

	fixture_go(&file, &go, &places);
	ck_assert_int_eq(frame_table_make_go(fixture_out_bytes(&file), &options, &table),
	                 CAIRN_NO_MEMORY);
	frame_table_finish(&table);
}
END_TEST

/*
 * An .eh_frame that only PT_GNU_EH_FRAME leads to: a CIE, and the FDEs of three functions, whose instructions are given
 * in hex. `section`: what the section is called.
 */
struct hidden {
	const char *what;
	const char *section, *instructions;
	size_t functions, damaged;
	enum cairn_status fault;
	size_t count, padding; /* of functions; and bytes of the CIE that do nothing */
};

enum {
	FRAMES = 0x3000, /* the section, and its header */
	HEADER = 0x4000,
	FRAMES_CODE = 32, /* bytes of each function */
	FRAMES_MAX = 40,
	FRAMES_BAD = 1, /* the function that has the given instructions; others do nothing */
	PERSONALITY = 0x9b,
	HERE_4 = 0x1b, /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
};

/* A length that is filled in by finish_frame_entry(). */
static size_t begin_frame_entry(void)
{
	const size_t at = text.size;

	fixture_out_put(&text, 0, 4);
	return at;
}

static void finish_frame_entry(size_t at)
{
	fixture_out_pad(&text, 4);
	fixture_out_poke(&text, at, text.size - at - 4, 4);
}

/* Code offset is 4, as on machines with instructions of four bytes; data offset is -8. */
static void append_hidden_cie(size_t padding)
{
	static const uint8_t fields[] = { 1,      'z',  'P',         'R', 0,    4, 0x78,
		                          16,     6,    PERSONALITY, 0,   0,    0, 0,
		                          HERE_4, 0x0c, 7,           8,   0x90, 1 };
	const size_t at = begin_frame_entry();

	fixture_out_put(&text, 0, 4);
	fixture_out_text(&text, (const char *)fields, sizeof(fields));
	fixture_out_put(&text, 0, padding);
	finish_frame_entry(at);
}

static void append_hidden_fde(uint64_t start, const char *instructions)
{
	uint8_t bytes[64];
	const size_t at = begin_frame_entry();

	fixture_out_put(&text, text.size, 4); /* back to the CIE, which is the first entry */
	fixture_out_put(&text, (uint32_t)(start - (FRAMES + text.size)), 4);
	fixture_out_put(&text, FRAMES_CODE, 4);
	fixture_out_put(&text, 0, 1);
	fixture_out_text(&text, (const char *)bytes, code_bytes(instructions, bytes));
	finish_frame_entry(at);
}

static struct cairn_bytes make_hidden_program(const struct hidden *h)
{
	static uint8_t code[FRAMES_MAX * FRAMES_CODE];
	static struct fixture_out header;
	size_t fde[FRAMES_MAX];

	file = text = header = (struct fixture_out){ .big = false };
	append_hidden_cie(h->padding);
	for (size_t i = 0; i < h->count; i++) {
		fde[i] = text.size;
		append_hidden_fde(CODE + i * FRAMES_CODE, i == FRAMES_BAD ? h->instructions : "");
	}
	fixture_out_put(&text, 0, 4);
	/* version 1; .eh_frame at an absolute address; a table that counts from here, as linkers write it */
	fixture_out_put(&header, 0x3b030301, 4);
	fixture_out_put(&header, FRAMES, 4);
	fixture_out_put(&header, h->count, 4);
	for (size_t i = 0; i < h->count; i++) {
		fixture_out_put(&header, (uint32_t)(CODE + i * FRAMES_CODE - HEADER), 4);
		fixture_out_put(&header, (uint32_t)(FRAMES + fde[i] - HEADER), 4);
	}
	const struct fixture_section sections[] = {
		{ ".text", 1, CODE, { code, sizeof(code) }, 0, 0 },
		{ h->section, 1, FRAMES, { text.data, text.size }, 0, 0 },
		{ ".other_hdr", 1, HEADER, { header.data, header.size }, 0, 0 },
	};
	const struct fixture_segment segments[] = {
		{ ELF_PT_LOAD, ELF_PF_READ | ELF_PF_EXECUTE, CODE, sizeof(code), 1 },
		{ ELF_PT_LOAD, ELF_PF_READ, FRAMES, text.size, 2 },
		{ ELF_PT_LOAD, ELF_PF_READ, HEADER, header.size, 3 },
		{ ELF_PT_GNU_EH_FRAME, ELF_PF_READ, HEADER, header.size, 3 },
	};
	const struct fixture_elf elf = { .wide = true,
		                         .type = ELF_TYPE_DYN,
		                         .machine = 62,
		                         .segment_count = COUNT(segments),
		                         .segments = segments,
		                         .section_count = COUNT(sections),
		                         .sections = sections };
	fixture_elf(&file, &elf, NULL);
	return (struct cairn_bytes){ file.data, file.size };
}

static const struct hidden hiddens[] = {
	{ "an unknown instruction", ".other", "3f", 2, 1, CAIRN_UNSUPPORTED, 3, 0 },
	{ "an operand is cut off", ".other", "0000000000000000000004", 2, 1, CAIRN_TRUNCATED, 3,
	  0 },
	{ "an expression is truncated", ".other", "00000000000f20", 2, 1, CAIRN_TRUNCATED, 3, 0 },
	{ "a LEB128 has no end", ".other", "00000000000e80", 2, 1, CAIRN_TRUNCATED, 3, 0 },
	{ "locations descend", ".other", "410100dfffff00", 2, 1, CAIRN_MALFORMED, 3, 0 },
	{ "nothing is wrong", ".other", "", 3, 0, CAIRN_OK, 3, 0 },
	{ "the debugger finds it", ".eh_frame", "", 0, 0, CAIRN_OK, 3, 0 },
};

START_TEST(copies_hidden_frames)
{
	const struct hidden *h = &hiddens[_i];
	const struct frame_writer_options options = { .limit = LIMIT };
	struct frame_table table;
	const enum cairn_status status =
		frame_table_make(unit_exact(make_hidden_program(h)), &options, &table);

	ck_assert_int_eq(status, h->functions > 0 ? CAIRN_OK : CAIRN_NOT_FOUND);
	ck_assert_uint_eq(table.functions, h->functions);
	ck_assert_uint_eq(table.damaged, h->damaged);
	ck_assert_int_eq(table.fault.status, h->fault);
	frame_table_finish(&table);
}
END_TEST

/* A long CIE that many FDEs share: EH_FRAMES_TIMES the file is read, and the frames after that are left out. */
START_TEST(bounds_hidden_frames)
{
	const struct hidden h = {
		.section = ".other", .instructions = "", .count = FRAMES_MAX, .padding = 2048
	};
	const struct frame_writer_options options = { .limit = LIMIT };
	struct frame_table table;
	const struct cairn_bytes program = make_hidden_program(&h);

	ck_assert_int_eq(frame_table_make(program, &options, &table), CAIRN_OK);
	ck_assert_uint_gt(table.functions, 1);
	ck_assert_uint_le(table.functions, EH_FRAMES_TIMES * program.size / h.padding + 1);
	ck_assert_uint_lt(table.functions, FRAMES_MAX);
	frame_table_finish(&table);
}
END_TEST

/* Locations of every kind, and rules as they are, those of an expression among them. */
START_TEST(copies_instructions)
{
	static const struct {
		uint64_t offset; /* in the function */
		int64_t cfa;
	} rows[] = {
		{ 0, 8 }, { 3, 8 }, { 4, 16 }, { 11, 16 }, { 12, 24 }, { 16, 32 }, { 28, 40 }
	};
	/*
	 * advance 1; offset 16. advance 2 by a byte; offset 24; rbx at CFA-16. advance 1 by two bytes; offset 32; rbp by an
	 * expression. To a location, whose field is at byte 0x55 of the section; offset 40.
	 */
	const struct hidden h = { .section = ".other",
		                  .count = 3,
		                  .instructions = "41 0e10 0202 0e18 8302 030100 0e20 "
		                                  "1006027708 01 e7dfffff 0e28" };
	const struct frame_writer_options options = { .limit = LIMIT };
	const uint64_t start = CODE + FRAMES_BAD * FRAMES_CODE;
	struct frame_table table;
	struct cfi_row row;

	ck_assert_int_eq(frame_table_make(make_hidden_program(&h), &options, &table), CAIRN_OK);
	ck_assert_uint_eq(table.damaged, 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		ck_assert(check_frames_row(&table, start + rows[i].offset, &row));
		ck_assert_int_eq(row.cfa.offset, rows[i].cfa);
		ck_assert(row.reg[16].kind == CFI_RULE_OFFSET && row.reg[16].offset == -8);
		ck_assert_int_eq(row.reg[3].kind,
		                 rows[i].offset < 12 ? CFI_RULE_UNSET : CFI_RULE_OFFSET);
		ck_assert_int_eq(row.reg[6].kind,
		                 rows[i].offset < 16 ? CFI_RULE_UNSET : CFI_RULE_EXPRESSION);
	}
	ck_assert_int_eq(row.reg[3].offset, -16);
	ck_assert_uint_eq(row.reg[6].expression.size, 2);
	frame_table_finish(&table);
}
END_TEST

int main(void)
{
	TCase *rows = tcase_create("rows"), *bad = tcase_create("damage");

	tcase_add_test(rows, tells_saved_registers);
	tcase_add_test(rows, leaves_unproven_registers_undefined);
	tcase_add_test(rows, unrolls_plt_blocks);
	tcase_add_test(rows, ends_stacks_at_the_entry_point);
	tcase_add_loop_test(rows, tells_each_machine, 0, COUNT(forms));
	tcase_add_loop_test(rows, takes_names_of_the_program, 0, COUNT(names));
	tcase_add_loop_test(rows, writes_frames_of_go, 0, GOPCLNTAB_1_20 + 1);
	tcase_add_test(rows, copies_instructions);
	tcase_add_loop_test(bad, copies_hidden_frames, 0, COUNT(hiddens));
	tcase_add_test(bad, bounds_hidden_frames);
	tcase_add_test(bad, bounds_frames_of_go);
	tcase_add_loop_test(bad, survives_damage, 0, COUNT(damages));
	tcase_add_test(bad, takes_a_table_that_was_made);
	tcase_add_test(bad, reports_what_is_no_program);

	Suite *suite = suite_create("frame_writer");
	suite_add_tcase(suite, rows);
	suite_add_tcase(suite, bad);
	return unit_run(suite);
}
