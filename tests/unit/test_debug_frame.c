/* SPDX-License-Identifier: MIT */
/* Sections of .debug_frame made by hand, and the ranges that they cover or the fault that ends them. */
#include "formats/ehframe/ehframe.h"

#include "formats/ehframe/cfi.h"
#include "unwind/tables/cfi_coverage.h"
#include "unwind/tables/program_files.h"

#include "fixture_out.h"
#include "unit.h"

#include <stdio.h>

enum { TEXT = 512 };

#define CIE "\x0c\0\0\0\xff\xff\xff\xff\1\0\1\x78\x10\0\0\0" /* version 1; 16 bytes */
#define FDE(at, length) "\x14\0\0\0\0\0\0\0" at "\0\0\0\0\0\0" length "\0\0\0\0\0\0\0"
#define CIE4(address, segment) "\x0e\0\0\0\xff\xff\xff\xff\4\0" address segment "\1\x78\x10\0\0\0"
#define WIDE_CIE "\xff\xff\xff\xff\x0d\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\3\0\1\x78\x10"
#define WIDE_FDE                                             \
	"\xff\xff\xff\xff\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" \
	"\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0\0"

static const struct {
	const char *what;
	struct cairn_bytes bytes;
	const char *ranges;
	enum cairn_status status;
	uint64_t offset;
} sections[] = {
	{ "nothing", BYTES(""), "", CAIRN_NOT_FOUND, 0 },
	{ "a CIE alone", BYTES(CIE), "", CAIRN_NOT_FOUND, 16 },
	{ "two functions", BYTES(CIE FDE("\0\x10", "\x20") FDE("\x30\x10", "\4")),
	  " 1000+20 1030+4", CAIRN_NOT_FOUND, 64 },
	{ "padding",
	  BYTES("\0\0\0\0"
	        "\x0c\0\0\0\xff\xff\xff\xff\1\0\1\x78\x10\0\0\0"
	        "\0\0\0\0"),
	  "", CAIRN_NOT_FOUND, 24 },
	{ "64-bit DWARF", BYTES(WIDE_CIE WIDE_FDE), " 1000+20", CAIRN_NOT_FOUND, 61 },
	{ "version 4", BYTES(CIE4("\x8", "\0") FDE("\0\x10", "\x20")), " 1000+20", CAIRN_NOT_FOUND,
	  42 },
	{ "addresses of 4 bytes",
	  BYTES(CIE4("\x4", "\0") "\x0c\0\0\0\0\0\0\0"
	                          "\0\x10\0\0"
	                          "\x20\0\0\0"),
	  " 1000+20", CAIRN_NOT_FOUND, 34 },
	{ "encoded addresses",
	  BYTES("\x0f\0\0\0\xff\xff\xff\xff\3zR\0\1\x78\x10\1\3\0\0"
	        "\x0c\0\0\0\0\0\0\0"
	        "\0\x10\0\0"
	        "\x20\0\0\0"),
	  " 1000+20", CAIRN_NOT_FOUND, 35 },
	{ "a CIE behind its FDE",
	  BYTES("\x14\0\0\0\x18\0\0\0\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0\0" CIE), " 1000+20",
	  CAIRN_NOT_FOUND, 40 },
	/* malformed ones */
	{ "a length that is cut", BYTES("\x0c\0\0"), "", CAIRN_TRUNCATED, 0 },
	{ "an entry that is cut", BYTES("\x0c\0\0\0\xff\xff\xff\xff\1"), "", CAIRN_TRUNCATED, 0 },
	{ "a long length that is cut", BYTES("\xff\xff\xff\xff\x0d\0\0"), "", CAIRN_TRUNCATED, 4 },
	{ "no room for an id", BYTES("\3\0\0\0\xff\xff\xff\xff"), "", CAIRN_MALFORMED, 0 },
	{ "no room for a long id", BYTES("\xff\xff\xff\xff\4\0\0\0\0\0\0\0\xff\xff\xff\xff"), "",
	  CAIRN_MALFORMED, 4 },
	{ "a length of 2^64 - 1", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "",
	  CAIRN_TRUNCATED, 4 },
	{ "a CIE past the end", BYTES("\x14\0\0\0\x40\0\0\0\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0\0"),
	  "", CAIRN_MALFORMED, 0 },
	{ "an FDE as CIE", BYTES("\x14\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0\0"), "",
	  CAIRN_MALFORMED, 4 },
	{ "version 2",
	  BYTES("\x0c\0\0\0\xff\xff\xff\xff\2\0\1\x78\x10\0\0\0" FDE("\0\x10", "\x20")), "",
	  CAIRN_UNSUPPORTED, 8 },
	{ "segments", BYTES(CIE4("\x8", "\4") FDE("\0\x10", "\x20")), "", CAIRN_UNSUPPORTED, 11 },
	{ "addresses of 3 bytes", BYTES(CIE4("\3", "\0") FDE("\0\x10", "\x20")), "",
	  CAIRN_UNSUPPORTED, 14 },
	{ "unknown letters",
	  BYTES("\x0f\0\0\0\xff\xff\xff\xff\1odd\0\1\x78\x10\0\0\0" FDE("\0\x10", "\x20")), "",
	  CAIRN_UNSUPPORTED, 15 },
	{ "addresses that count from their place",
	  BYTES("\x0f\0\0\0\xff\xff\xff\xff\3zR\0\1\x78\x10\1\x1b\0\0" FDE("\0\x10", "\x20")), "",
	  CAIRN_UNSUPPORTED, 16 },
	{ "a CIE whose fields are cut", BYTES("\6\0\0\0\xff\xff\xff\xff\1\0" FDE("\0\x10", "\x20")),
	  "", CAIRN_TRUNCATED, 10 },
	{ "an FDE whose range is cut", BYTES(CIE "\x10\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\x20\0\0\0"),
	  "", CAIRN_TRUNCATED, 24 },
	{ "past the last address",
	  BYTES(CIE "\x14\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\2\0\0\0\0\0\0\0"), "",
	  CAIRN_MALFORMED, 24 },
};

static enum cairn_status walk(struct cairn_bytes bytes, bool big, char text[TEXT],
                              struct cairn_fault *fault)
{
	struct debug_frame frames = debug_frame_open(unit_exact(bytes), big, 8);
	enum cairn_status status;
	uint64_t start, size;
	int at = 0;

	text[0] = '\0';
	while ((status = debug_frame_next(&frames, &start, &size, fault)) == CAIRN_OK)
		at += snprintf(text + at, TEXT - (size_t)at, " %lx+%lx", (unsigned long)start,
		               (unsigned long)size);
	ck_assert_int_eq(fault->status, status);
	ck_assert_ptr_nonnull(fault->what);
	ck_assert_uint_le(fault->offset, bytes.size);
	return status;
}

START_TEST(reads_ranges_and_tells_faults)
{
	struct cairn_fault fault;
	char text[TEXT];
	enum cairn_status status = walk(sections[_i].bytes, false, text, &fault);

	ck_assert_msg(strcmp(text, sections[_i].ranges) == 0, "%s: \"%s\"", sections[_i].what,
	              text);
	ck_assert_msg(status == sections[_i].status, "%s: %s", sections[_i].what, fault.what);
	ck_assert_msg(fault.offset == sections[_i].offset, "%s: at %lu", sections[_i].what,
	              (unsigned long)fault.offset);
}
END_TEST
/* What is there before the cut is the same; what the cut leaves is no other range. */
START_TEST(is_cut_anywhere)
{
	struct cairn_bytes whole = sections[2].bytes;
	struct cairn_fault fault;
	char text[TEXT];

	for (size_t size = 0; size < whole.size; size++) {
		enum cairn_status status =
			walk((struct cairn_bytes){ whole.data, size }, false, text, &fault);
		bool between = size == 0 || size == 16 || size == 40;
		ck_assert_int_eq(status, between ? CAIRN_NOT_FOUND : CAIRN_TRUNCATED);
		ck_assert_str_eq(text, size < 40 ? "" : " 1000+20");
	}
}
END_TEST
START_TEST(reads_big_endian)
{
	static const struct cairn_bytes bytes =
		BYTES("\0\0\0\x0c\xff\xff\xff\xff\1\0\1\x78\x10\0\0\0"
	              "\0\0\0\x14\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\0\x20");
	struct cairn_fault fault;
	char text[TEXT];

	ck_assert_int_eq(walk(bytes, true, text, &fault), CAIRN_NOT_FOUND);
	ck_assert_str_eq(text, " 1000+20");
}
END_TEST
START_TEST(finds_what_is_covered)
{
	static const struct cairn_bytes far =
		BYTES(CIE FDE("\0\x40", "\x10") FDE("\x40\x40", "\0"));
	struct cairn_files *files = cairn_files_new(false);

	ck_assert_ptr_nonnull(files);
	ck_assert(!files_have_cfi(files, 0x1000));
	files_add_frames(files, far, false, 8);
	files_add_frames(files, sections[2].bytes, false, 8);
	ck_assert(!files_have_cfi(files, 0xfff) && files_have_cfi(files, 0x1000));
	ck_assert(files_have_cfi(files, 0x101f) && !files_have_cfi(files, 0x1020));
	ck_assert(files_have_cfi(files, 0x1033) && !files_have_cfi(files, 0x1034));
	ck_assert(files_have_cfi(files, 0x4000) && !files_have_cfi(files, 0x4010));
	ck_assert(!files_have_cfi(files, 0x4040) && !files_have_cfi(files, UINT64_MAX));
	files_add_frames(files, sections[9].bytes, false, 8); /* damaged: anything may be */
	ck_assert(files_have_cfi(files, 0xfff));
	cairn_files_free(files);
}
END_TEST

/* CFA at r7 + 8, from the fifth byte of the function on at r7 + 16 */
#define RULES_CIE "\x10\0\0\0\xff\xff\xff\xff\1\0\1\x78\x10\x0c\7\x8\x90\1\0\0"
#define RULES_FDE "\x18\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\x44\x0e\x10\0"

START_TEST(gives_the_rules_of_an_address)
{
	struct cairn_bytes section = unit_exact((struct cairn_bytes)BYTES(RULES_CIE RULES_FDE));
	struct debug_frame_index *index = debug_frame_index_new(section, false, 8);
	struct cairn_fault fault;
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	struct cfi_row row;
	uint64_t at;

	ck_assert_ptr_nonnull(index);
	ck_assert(!debug_frame_index_find(index, 0xfff, &at));
	ck_assert(!debug_frame_index_find(index, 0x1020, &at));
	ck_assert(debug_frame_index_find(index, 0x101f, &at) && at == 20);
	ck_assert_int_eq(debug_frame_read(section, false, 8, at, &cie, &fde, &fault), CAIRN_OK);
	ck_assert_int_eq(cfi_rules_find(&cie, &fde, 0x1003, &row, &fault), CAIRN_OK);
	ck_assert_int_eq(row.cfa.offset, 8);
	ck_assert_uint_eq(row.cfa.reg, 7);
	ck_assert_int_eq(row.reg[16].offset, -8);
	ck_assert_int_eq(cfi_rules_find(&cie, &fde, 0x1004, &row, &fault), CAIRN_OK);
	ck_assert_int_eq(row.cfa.offset, 16);
	debug_frame_index_free(index);
}
END_TEST

/* An FDE that cannot be read costs itself alone; what is cut off ends the list. */
START_TEST(goes_on_past_what_cannot_be_read)
{
	static const struct cairn_bytes bytes =
		BYTES(RULES_CIE "\x0c\0\0\0\xff\xff\xff\xff\2\0\1\x78\x10\0\0\0"
	                        /* of a CIE past the end, and of the CIE of an unknown version */
	                        "\x14\0\0\0\x40\x40\0\0\0\x20\0\0\0\0\0\0\x20\0\0\0\0\0\0\0"
	                        "\x14\0\0\0\x14\0\0\0\0\x30\0\0\0\0\0\0\x20\0\0\0\0\0\0\0" RULES_FDE
	                        "\x18\0\0");
	struct debug_frame_index *index = debug_frame_index_new(unit_exact(bytes), false, 8);
	uint64_t at;

	ck_assert_ptr_nonnull(index);
	ck_assert(!debug_frame_index_find(index, 0x2000, &at));
	ck_assert(!debug_frame_index_find(index, 0x3000, &at));
	ck_assert(debug_frame_index_find(index, 0x1000, &at) && at == 84);
	ck_assert_uint_eq(index->count, 1);
	debug_frame_index_free(index);
}
END_TEST

/* A CIE without the size of an address: that is the ELF class's. */
START_TEST(reads_addresses_of_32_bit_files)
{
	static const struct cairn_bytes section =
		BYTES("\x0c\0\0\0\xff\xff\xff\xff\1\0\1\x7c\x08\x0c\4\4"
	              "\x10\0\0\0\0\0\0\0\0\x10\0\0\x20\0\0\0\x44\x0e\x08\0");
	struct debug_frame_index *index = debug_frame_index_new(section, false, 4);
	struct cairn_fault fault;
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	struct cfi_row row;
	uint64_t at;

	ck_assert_ptr_nonnull(index);
	ck_assert(debug_frame_index_find(index, 0x101f, &at) && at == 16);
	ck_assert(!debug_frame_index_find(index, 0x1020, &at));
	ck_assert_int_eq(debug_frame_read(section, false, 4, 16, &cie, &fde, &fault), CAIRN_OK);
	ck_assert_int_eq(cfi_rules_find(&cie, &fde, 0x1004, &row, &fault), CAIRN_OK);
	ck_assert_int_eq(row.cfa.offset, 8);
	debug_frame_index_free(index);
}
END_TEST

/* What the walk finds can be read by itself, with the same range; nothing else can. */
START_TEST(reads_each_fde_by_itself)
{
	struct cairn_bytes section = unit_exact(sections[_i].bytes);
	struct debug_frame frames = debug_frame_open(section, false, 8);
	struct cairn_fault fault;
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	uint64_t start, size;
	unsigned found = 0, read = 0;

	while (debug_frame_next(&frames, &start, &size, &fault) == CAIRN_OK)
		found++;
	for (uint64_t at = 0; at <= section.size; at += 2) {
		fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
		enum cairn_status status =
			debug_frame_read(section, false, 8, at, &cie, &fde, &fault);
		ck_assert_int_eq(fault.status, status);
		ck_assert_uint_le(fault.offset, section.size);
		if (status != CAIRN_OK)
			continue;
		ck_assert_uint_le(fde.program, fde.source.bytes.size);
		ck_assert_uint_le(cie.program, cie.source.bytes.size);
		read += fde.start >= 0x1000 && fde.start < 0x2000;
	}
	ck_assert_uint_le(read, found);
}
END_TEST

START_TEST(rejects_an_fde_alone)
{
	static const struct {
		const char *what;
		struct cairn_bytes bytes;
		uint64_t at;
		enum cairn_status status;
		uint64_t offset;
	} rows[] = {
		{ "a CIE", BYTES(RULES_CIE RULES_FDE), 0, CAIRN_MALFORMED, 4 },
		{ "past the end", BYTES(RULES_CIE RULES_FDE), 48, CAIRN_TRUNCATED, 48 },
		{ "far past the end", BYTES(RULES_CIE), UINT64_MAX, CAIRN_TRUNCATED, 20 },
		{ "padding", BYTES("\0\0\0\0"), 0, CAIRN_MALFORMED, 0 },
		{ "without a size of its data",
		  BYTES("\x0f\0\0\0\xff\xff\xff\xff\3zR\0\1\x78\x10\1\3\0\0"
		        "\x0c\0\0\0\0\0\0\0\0\x10\0\0\x20\0\0\0"),
		  19, CAIRN_TRUNCATED, 35 },
		{ "with more data than bytes",
		  BYTES("\x0f\0\0\0\xff\xff\xff\xff\3zR\0\1\x78\x10\1\3\0\0"
		        "\x0d\0\0\0\0\0\0\0\0\x10\0\0\x20\0\0\0\7"),
		  19, CAIRN_MALFORMED, 35 },
		{ "of a CIE with more data than bytes",
		  BYTES("\x0f\0\0\0\xff\xff\xff\xff\3zR\0\1\x78\x10\x7f\3\0\0"
		        "\x0d\0\0\0\0\0\0\0\0\x10\0\0\x20\0\0\0\0"),
		  19, CAIRN_MALFORMED, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cairn_fault fault = { CAIRN_OK, 0, NULL };
		struct ehframe_cie cie;
		struct ehframe_fde fde;
		enum cairn_status status = debug_frame_read(unit_exact(rows[i].bytes), false, 8,
		                                            rows[i].at, &cie, &fde, &fault);
		ck_assert_msg(status == rows[i].status, "%s: %d", rows[i].what, (int)status);
		ck_assert_msg(fault.offset == rows[i].offset, "%s: at %lu", rows[i].what,
		              (unsigned long)fault.offset);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("debug_frame");
	TCase *c = tcase_create("entries");

	tcase_add_loop_test(c, reads_ranges_and_tells_faults, 0, COUNT(sections));
	tcase_add_test(c, is_cut_anywhere);
	tcase_add_test(c, reads_big_endian);
	tcase_add_test(c, finds_what_is_covered);
	tcase_add_test(c, gives_the_rules_of_an_address);
	tcase_add_test(c, goes_on_past_what_cannot_be_read);
	tcase_add_test(c, reads_addresses_of_32_bit_files);
	tcase_add_test(c, rejects_an_fde_alone);
	tcase_add_loop_test(c, reads_each_fde_by_itself, 0, COUNT(sections));
	suite_add_tcase(suite, c);
	return unit_run(suite);
}
