/* SPDX-License-Identifier: MIT */
/* Tests the SFrame writer: the bytes of rows of each machine and version, and what cannot be written. */
#include "formats/sframe/write.h"
#include "unit.h"

#include <stdio.h>

#define AMD64 CAIRN_MACHINE_AMD64
#define AARCH64 CAIRN_MACHINE_AARCH64
#define S390X CAIRN_MACHINE_S390X

#define BASE(reg, offset)                             \
	{                                             \
		CAIRN_REGISTER_VALUE, (reg), (offset) \
	}
#define AT(reg, offset)                                \
	{                                              \
		CAIRN_REGISTER_MEMORY, (reg), (offset) \
	}
#define CFA_AT(offset) AT(CAIRN_BASE_CFA, offset)
#define SAME                                      \
	{                                         \
		.kind = CAIRN_REGISTER_SAME_VALUE \
	}
#define LOST                                     \
	{                                        \
		.kind = CAIRN_REGISTER_UNDEFINED \
	}

/* One row, and the data of a function that has it alone: after the attribute, in hexadecimal. */
static const struct {
	const char *name;
	enum cairn_machine machine;
	unsigned version;
	bool big, outermost, mangled;
	struct cairn_register_rule cfa, ra, fp;
	enum sframe_refusal refusal;
	const char *bytes;
} rows[] = {
	{ "rsp + 8", AMD64, 3, 0, 0, 0, BASE(7, 8), CFA_AT(-8), SAME, 0, "00 03 08" },
	{ "rbp saved", AMD64, 3, 0, 0, 0, BASE(6, 16), CFA_AT(-8), CFA_AT(-16), 0, "00 04 10 f0" },
	{ "two bytes", AMD64, 3, 0, 0, 0, BASE(7, 128), CFA_AT(-8), SAME, 0, "00 23 80 00" },
	{ "four bytes", AMD64, 3, 0, 0, 0, BASE(7, 32768), CFA_AT(-8), SAME, 0,
	  "00 43 00 80 00 00" },
	{ "too far", AMD64, 3, 0, 0, 0, BASE(7, INT64_C(1) << 31), CFA_AT(-8), SAME,
	  SFRAME_REFUSAL_OFFSET, "" },
	{ "no caller", AMD64, 3, 0, 1, 0, LOST, LOST, LOST, 0, "00 00" },
	{ "no caller in version 2", AMD64, 2, 0, 1, 0, LOST, LOST, LOST, SFRAME_REFUSAL_OUTERMOST,
	  "" },
	{ "another register", AMD64, 3, 0, 0, 0, BASE(10, 0), CFA_AT(-8), SAME, 0, "00 04 51 00" },
	{ "another register in version 2", AMD64, 2, 0, 0, 0, BASE(10, 0), CFA_AT(-8), SAME,
	  SFRAME_REFUSAL_CFA, "" },
	{ "the CFA in memory", AMD64, 3, 0, 0, 0, AT(6, -8), CFA_AT(-8), AT(6, 0), 0,
	  "00 0a 33 f8 00 33 00" },
	{ "the CFA lost", AMD64, 3, 0, 0, 0, LOST, CFA_AT(-8), SAME, SFRAME_REFUSAL_CFA, "" },
	{ "the CFA by itself", AMD64, 3, 0, 0, 0, BASE(CAIRN_BASE_CFA, 8), CFA_AT(-8), SAME,
	  SFRAME_REFUSAL_CFA, "" },
	{ "the pc as a base", AMD64, 3, 0, 0, 0, BASE(16, 8), CFA_AT(-8), SAME, SFRAME_REFUSAL_CFA,
	  "" },
	{ "a return address elsewhere", AMD64, 3, 0, 0, 0, BASE(7, 8), AT(7, 168), SAME, 0,
	  "00 28 39 00 08 00 3b 00 a8 00" },
	{ "the same in version 2", AMD64, 2, 0, 0, 0, BASE(7, 8), AT(7, 168), SAME,
	  SFRAME_REFUSAL_RA, "" },
	{ "a return address in a register", AMD64, 3, 0, 0, 0, BASE(7, 8), BASE(11, 0), SAME, 0,
	  "00 08 39 08 59 00" },
	{ "no place for the return address", AMD64, 3, 0, 0, 0, BASE(7, 8), SAME, SAME,
	  SFRAME_REFUSAL_RA, "" },
	{ "the frame pointer by value", AMD64, 3, 0, 0, 0, BASE(7, 8), CFA_AT(-8),
	  BASE(CAIRN_BASE_CFA, -16), SFRAME_REFUSAL_FP, "" },
	{ "the frame pointer lost", AMD64, 3, 0, 0, 0, BASE(7, 8), CFA_AT(-8), LOST,
	  SFRAME_REFUSAL_FP, "" },
	{ "the frame pointer in a register", AMD64, 2, 0, 0, 0, BASE(7, 8), CFA_AT(-8), BASE(3, 0),
	  SFRAME_REFUSAL_FP, "" },
	{ "sp, nothing saved", AARCH64, 3, 0, 0, 0, BASE(31, 0), SAME, SAME, 0, "00 03 00" },
	{ "a frame record", AARCH64, 2, 0, 0, 0, BASE(29, 32), CFA_AT(-24), CFA_AT(-32), 0,
	  "00 06 20 e8 e0" },
	{ "signed", AARCH64, 3, 0, 0, 1, BASE(31, 16), CFA_AT(-8), SAME, 0, "00 85 10 f8" },
	{ "big-endian", AARCH64, 3, 1, 0, 0, BASE(31, 0x1230), SAME, SAME, 0, "00 23 12 30" },
	{ "the frame pointer alone", AARCH64, 3, 0, 0, 0, BASE(31, 16), SAME, CFA_AT(-16), 0,
	  "00 0a f9 10 00 02 f0" },
	{ "the same in version 2", AARCH64, 2, 0, 0, 0, BASE(31, 16), SAME, CFA_AT(-16),
	  SFRAME_REFUSAL_FP, "" },
	{ "s390x at entry", S390X, 3, 1, 0, 0, BASE(15, 160), SAME, SAME, 0, "00 03 00" },
	{ "s390x with a frame", S390X, 2, 1, 0, 0, BASE(11, 328), CFA_AT(-48), CFA_AT(-72), 0,
	  "00 06 15 d0 b8" },
	{ "s390x, the frame pointer alone", S390X, 3, 1, 0, 0, BASE(15, 160), SAME, CFA_AT(-72), 0,
	  "00 07 00 00 b8" },
	{ "s390x, no multiple of 8", S390X, 3, 1, 0, 0, BASE(15, 164), SAME, SAME,
	  SFRAME_REFUSAL_OFFSET, "" },
	{ "s390x, registers in version 2", S390X, 2, 1, 0, 0, BASE(15, 160), BASE(16, 0),
	  BASE(17, 0), 0, "00 07 00 21 23" },
	{ "s390x, registers in version 3", S390X, 3, 1, 0, 0, BASE(15, 160), BASE(16, 0), SAME, 0,
	  "00 08 79 00 81 00" },
	{ "s390x, the CFA in memory", S390X, 3, 1, 0, 0, AT(15, 160), SAME, SAME,
	  SFRAME_REFUSAL_CFA, "" },
};

static struct sframe_format format_of(int i)
{
	return (struct sframe_format){ (uint8_t)rows[i].version, false, rows[i].big,
		                       rows[i].machine };
}

static struct sframe_written_row row_of(int i)
{
	return (struct sframe_written_row){ 0,           rows[i].outermost, rows[i].mangled,
		                            rows[i].cfa, rows[i].ra,        rows[i].fp };
}

static void print_hex(const uint8_t *bytes, size_t size, char *text)
{
	text[0] = '\0';
	for (size_t i = 0; i < size; i++)
		sprintf(text + 3 * i, i + 1 < size ? "%02x " : "%02x", bytes[i]);
}

START_TEST(writes_a_row)
{
	const struct sframe_format format = format_of(_i);
	const struct sframe_written_row row = row_of(_i);
	const struct sframe_written_function f = {
		.start = 0x1000, .size = 16, .row = &row, .rows = 1
	};
	const size_t attribute = format.version == 3 ? SFRAME_WRITE_ATTRIBUTE : 0;
	uint8_t bytes[SFRAME_WRITE_ATTRIBUTE + SFRAME_WRITE_ROW_MAX];
	struct sink out = sink_open(bytes, sizeof(bytes));
	struct sframe_record record;
	char text[3 * sizeof(bytes) + 1];

	ck_assert_msg(sframe_write_refusal(&format, &row) == rows[_i].refusal, "%s", rows[_i].name);
	if (rows[_i].refusal != SFRAME_REFUSAL_NONE)
		return;
	sframe_write_function(&out, &format, &f, &record);
	ck_assert(sink_fits(&out));
	print_hex(bytes + attribute, out.size - attribute, text);
	ck_assert_msg(strcmp(text, rows[_i].bytes) == 0, "%s: %s", rows[_i].name, text);
}
END_TEST

/* The width of starts follows the last one, not the function's size. */
START_TEST(chooses_the_width)
{
	static const uint32_t starts[] = { 0xff, 0x100, 0xffff, 0x10000 };
	static const unsigned widths[] = { 1, 2, 2, 4 };
	const struct sframe_format format = { 3, false, false, AMD64 };
	struct sframe_written_row pair[2] = { row_of(0), row_of(1) };
	const struct sframe_written_function f = {
		.start = 0x1000, .size = 0x20000, .row = pair, .rows = 2
	};
	struct sframe_record record;
	uint8_t bytes[64];
	struct sink out = sink_open(bytes, sizeof(bytes));

	pair[1].start = starts[_i];
	sframe_write_function(&out, &format, &f, &record);
	ck_assert_uint_eq(out.size, SFRAME_WRITE_ATTRIBUTE + 2 * widths[_i] + 2 + 3);
	ck_assert_uint_eq(record.info & 0xf, widths[_i] / 2);
}
END_TEST

/* What version 3 keeps in front of the rows, version 2 has in the record. */
START_TEST(writes_the_kind_of_a_function)
{
	const struct sframe_format format = { (uint8_t)(2 + _i), false, false, AMD64 };
	const struct sframe_written_row row = row_of(0);
	const struct sframe_written_function f = { .start = 0x1000,
		                                   .size = 32,
		                                   .repeat = 16,
		                                   .signal = _i,
		                                   .key_b = true,
		                                   .row = &row,
		                                   .rows = 1 };
	struct sframe_record record = { .rows_at = 7 };
	char text[3 * 64];
	uint8_t bytes[64];
	struct sink out = sink_open(bytes, sizeof(bytes));

	sframe_write_function(&out, &format, &f, &record);
	if (_i == 0)
		out.size = 0;
	ck_assert(sframe_write_record(&out, &format, 0x2000, &record));
	print_hex(bytes, out.size, text);
	ck_assert_str_eq(
		text, _i ? "01 00 b0 00 10 00 03 08 00 f0 ff ff ff ff ff ff 20 00 00 00 07 00 00 00"
			 : "00 f0 ff ff 20 00 00 00 07 00 00 00 01 00 00 00 30 10 00 00");
}
END_TEST

START_TEST(refuses_what_is_too_far)
{
	const struct sframe_format format = { 2, false, false, AMD64 };
	const struct sframe_record record = { .start = 0x1000 };
	uint8_t bytes[64];
	struct sink out = sink_open(bytes, sizeof(bytes));

	ck_assert(sframe_write_record(&out, &format, 0x1000 + 0x80000000, &record));
	ck_assert(!sframe_write_record(&out, &format, 0x1001 + 0x80000000, &record));
	ck_assert_uint_eq(out.size, 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sframe_write");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, writes_a_row, 0, COUNT(rows));
	tcase_add_loop_test(all, chooses_the_width, 0, 4);
	tcase_add_loop_test(all, writes_the_kind_of_a_function, 0, 2);
	tcase_add_test(all, refuses_what_is_too_far);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
