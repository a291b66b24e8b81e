/* SPDX-License-Identifier: MIT */
/* Packed files: what comes out, what is refused where, and the limit. */
#include "unit.h"

#include "debuginfo/elf/unpack.h"

#define GZIP_HEAD "\x1f\x8b\x8\0\0\0\0\0\0\3"
/* "hello\n" in one stored block */
#define GZIP_BODY "\1\6\0\xf9\xffhello\n"
#define GZIP_TAIL "\x20\x30\x3a\x36\6\0\0\0"
#define GZIP GZIP_HEAD GZIP_BODY GZIP_TAIL
/* a frame of known size without checksum, one raw block */
#define ZSTD "\x28\xb5\x2f\xfd\x20\6\x31\0\0hello\n"

static const struct {
	const char *name;
	struct cairn_bytes input;
	size_t limit;
	const char *output; /* NULL: refused, */
	enum cairn_status status;
	size_t offset; /* here */
} rows[] = {
	{ "neither", BYTES("hello\n"), 1, "hello\n", CAIRN_OK, 0 },
	{ "empty", BYTES(""), 1, "", CAIRN_OK, 0 },
	{ "zstd", BYTES(ZSTD), 100, "hello\n", CAIRN_OK, 0 },
	{ "zstd twice", BYTES(ZSTD ZSTD), 100, "hello\nhello\n", CAIRN_OK, 0 },
	{ "zstd, just within the limit", BYTES(ZSTD), 7, "hello\n", CAIRN_OK, 0 },
	{ "zstd past the limit", BYTES(ZSTD), 5, NULL, CAIRN_UNSUPPORTED, 14 },
	{ "zstd cut", BYTES("\x28\xb5\x2f\xfd\x20\6\x31\0\0hel"), 100, NULL, CAIRN_TRUNCATED, 12 },
	{ "zstd and more", BYTES(ZSTD "hello"), 100, NULL, CAIRN_MALFORMED, 15 },
	{ "gzip", BYTES(GZIP), 100, "hello\n", CAIRN_OK, 0 },
	{ "gzip twice", BYTES(GZIP GZIP), 100, "hello\nhello\n", CAIRN_OK, 0 },
	{ "gzip past the limit", BYTES(GZIP), 5, NULL, CAIRN_UNSUPPORTED, 0 },
	{ "gzip cut", BYTES(GZIP_HEAD GZIP_BODY), 100, NULL, CAIRN_TRUNCATED, 21 },
	{ "gzip cut in its head", BYTES("\x1f\x8b\x8"), 100, NULL, CAIRN_TRUNCATED, 3 },
	{ "gzip of another sum", BYTES(GZIP_HEAD GZIP_BODY "\x20\x30\x3a\x37\6\0\0\0"), 100, NULL,
	  CAIRN_MALFORMED, 25 },
	{ "gzip and more", BYTES(GZIP "hello"), 100, NULL, CAIRN_MALFORMED, 31 },
};

START_TEST(unpacks)
{
	struct cairn_bytes in = unit_exact(rows[_i].input);
	struct os_file file = { .bytes = in };
	struct cairn_fault fault = { .status = CAIRN_OK };
	enum cairn_status status = unpack_file(&file, rows[_i].limit, &fault);

	ck_assert_msg(status == rows[_i].status, "%s: %s", rows[_i].name,
	              fault.what ? fault.what : "ok");
	if (rows[_i].output) {
		ck_assert_uint_eq(file.bytes.size, strlen(rows[_i].output));
		ck_assert_mem_eq(file.bytes.data, rows[_i].output, file.bytes.size);
		os_file_close(&file);
		return;
	}
	ck_assert_ptr_eq(file.bytes.data, in.data);
	if (rows[_i].offset)
		ck_assert_uint_eq(fault.offset, rows[_i].offset);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unpack");
	TCase *tcase = tcase_create("unpack");

	tcase_add_loop_test(tcase, unpacks, 0, COUNT(rows));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
