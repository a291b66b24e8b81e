/* SPDX-License-Identifier: MIT */
/* .gnu_debugdata: what comes out, what is refused where, and the limits. */
#include "unit.h"

#include "debuginfo/unpack.h"

#include <lzma.h>

/* An xz stream of "hello\n", stored; its dictionary is 8 MiB, or 1 GiB. */
#define STREAM_HEAD "\xfd\x37\x7a\x58\x5a\0\0\1\x69\x22\xde\x36"
#define BLOCK_HEAD "\2\0\x21\1\x16\0\0\0\x74\x2f\xe5\xa3"
#define BLOCK_HEAD_1GIB "\2\0\x21\1\x24\0\0\0\x5e\x1f\xc7\xf9"
#define STORED "\1\0\5hello\n\0\0\0"
#define CHECK "\x20\x30\x3a\x36"
#define INDEX "\0\1\x1a\6\xc5\xea\xc8\x79"
#define TAIL "\x90\x42\x99\x0d\1\0\0\0\0\1YZ"
#define XZ STREAM_HEAD BLOCK_HEAD STORED CHECK INDEX TAIL

static const struct {
	const char *name;
	struct cairn_bytes input;
	const char *output; /* NULL: refused, */
	enum cairn_status status;
	size_t offset; /* here */
} rows[] = {
	{ "xz", BYTES(XZ), "hello\n", CAIRN_OK, 0 },
	{ "no blocks", BYTES(STREAM_HEAD "\0\0\0\0\x1c\xdf\x44\x21" TAIL), "", CAIRN_OK, 0 },
	{ "and more behind", BYTES(XZ "\0\0\0\0"), "hello\n", CAIRN_OK, 0 },
	{ "nothing", BYTES(""), NULL, CAIRN_TRUNCATED, 0 },
	{ "not xz", BYTES("hello, hello\n"), NULL, CAIRN_MALFORMED, 0 },
	{ "its older form", BYTES("\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0"), NULL,
	  CAIRN_MALFORMED, 0 },
	{ "cut in the stream's head", BYTES("\xfd\x37\x7a\x58"), NULL, CAIRN_TRUNCATED, 4 },
	{ "the stream's head has another sum", BYTES("\xfd\x37\x7a\x58\x5a\0\0\1\x69\x22\xde\x37"),
	  NULL, CAIRN_MALFORMED, 12 },
	{ "flags to come", BYTES("\xfd\x37\x7a\x58\x5a\0\0\x81\x49\xa1\x66\xdb"), NULL,
	  CAIRN_UNSUPPORTED, 12 },
	{ "cut in a block's head", BYTES(STREAM_HEAD "\2\0\x21\1"), NULL, CAIRN_TRUNCATED, 16 },
	{ "a block's head has another sum",
	  BYTES(STREAM_HEAD "\2\0\x21\1\x16\0\0\0\x74\x2f\xe5\xa4"), NULL, CAIRN_MALFORMED, 24 },
	{ "a dictionary past the limit", BYTES(STREAM_HEAD BLOCK_HEAD_1GIB STORED CHECK INDEX TAIL),
	  NULL, CAIRN_UNSUPPORTED, 24 },
	{ "cut in the data", BYTES(STREAM_HEAD BLOCK_HEAD "\1\0\5hel"), NULL, CAIRN_TRUNCATED, 30 },
	{ "not a chunk", BYTES(STREAM_HEAD BLOCK_HEAD "\3\0\5hello\n"), NULL, CAIRN_MALFORMED, 25 },
	{ "another sum of what comes out",
	  BYTES(STREAM_HEAD BLOCK_HEAD STORED "\x20\x30\x3a\x37" INDEX TAIL), NULL, CAIRN_MALFORMED,
	  40 },
	{ "an index of another block",
	  BYTES(STREAM_HEAD BLOCK_HEAD STORED CHECK "\0\1\x1b\6\x84\xdb\xd3\x60" TAIL), NULL,
	  CAIRN_MALFORMED, 44 },
	{ "cut in the stream's tail",
	  BYTES(STREAM_HEAD BLOCK_HEAD STORED CHECK INDEX "\x90\x42\x99\x0d"), NULL,
	  CAIRN_TRUNCATED, 52 },
	{ "no mark in the stream's tail",
	  BYTES(STREAM_HEAD BLOCK_HEAD STORED CHECK INDEX "\x90\x42\x99\x0d\1\0\0\0\0\1YY"), NULL,
	  CAIRN_MALFORMED, 60 },
};

START_TEST(unpacks)
{
	struct cairn_fault fault = { .status = CAIRN_OK };
	void *memory = NULL;
	size_t size = 0;
	enum cairn_status status =
		minidebug_unpack(unit_exact(rows[_i].input), &memory, &size, &fault);

	ck_assert_msg(status == rows[_i].status, "%s: %s", rows[_i].name,
	              fault.what ? fault.what : "ok");
	if (rows[_i].output) {
		ck_assert_uint_eq(size, strlen(rows[_i].output));
		ck_assert_mem_eq(memory, rows[_i].output, size);
		free(memory);
		return;
	}
	ck_assert_ptr_null(memory);
	ck_assert_int_eq(fault.status, status);
	ck_assert_msg(fault.offset == rows[_i].offset, "%s: %s at %zu", rows[_i].name, fault.what,
	              (size_t)fault.offset);
}
END_TEST

static const struct {
	const char *name;
	size_t size; /* of the output */
	enum cairn_status status;
} sizes[] = {
	{ "all that is granted", MINIDEBUG_LEAST, CAIRN_OK },
	{ "far past it", 64 * (size_t)MINIDEBUG_LEAST, CAIRN_MALFORMED },
};

START_TEST(is_bounded)
{
	struct cairn_fault fault = { .status = CAIRN_OK };
	uint8_t *zeros = calloc(1, sizes[_i].size), *packed = malloc(sizes[_i].size);
	size_t packed_size = 0, size = 0;
	void *memory = NULL;

	ck_assert(zeros && packed);
	ck_assert_int_eq(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, zeros, sizes[_i].size,
	                                         packed, &packed_size, sizes[_i].size),
	                 LZMA_OK);
	ck_assert_int_eq(minidebug_unpack((struct cairn_bytes){ packed, packed_size }, &memory,
	                                  &size, &fault),
	                 sizes[_i].status);
	ck_assert_uint_eq(size, memory ? sizes[_i].size : 0);
	free(memory);
	free(packed);
	free(zeros);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("minidebug");
	TCase *tcase = tcase_create("minidebug");

	tcase_add_loop_test(tcase, unpacks, 0, COUNT(rows));
	tcase_add_loop_test(tcase, is_bounded, 0, COUNT(sizes));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
