/* SPDX-License-Identifier: MIT */
/* Packed files: what comes out, what is refused where, and the limit. */
#include "unit.h"

#include "debuginfo/unpack.h"
#include "unpack/unpack.h"

#define GZIP_HEAD "\x1f\x8b\x8\0\0\0\0\0\0\3"
/* "hello\n" in one stored block */
#define GZIP_BODY "\1\6\0\xf9\xffhello\n"
#define GZIP_TAIL "\x20\x30\x3a\x36\6\0\0\0"
#define GZIP GZIP_HEAD GZIP_BODY GZIP_TAIL
/* a frame of known size without checksum, one raw block */
#define ZSTD "\x28\xb5\x2f\xfd\x20\6\x31\0\0hello\n"
/* hello and a newline by xz -0 --check=crc32, by the same with a dictionary of 512 MiB, and by lz4 -1 */
#define XZ                                                                                         \
	"\375\067\172\130\132\000\000\001\151\042\336\066\002\000\041\001\014\000\000\000\217\230" \
	"\101\234\001\000\005\150\145\154\154\157\012\000\000\000\040\060\072\066\000\001\032\006" \
	"\305\352\310\171\220\102\231\015\001\000\000\000\000\001\131\132"
#define XZ_LARGE                                                                                   \
	"\375\067\172\130\132\000\000\001\151\042\336\066\002\000\041\001\042\000\000\000\202\100" \
	"\254\334\001\000\005\150\145\154\154\157\012\000\000\000\040\060\072\066\000\001\032\006" \
	"\305\352\310\171\220\102\231\015\001\000\000\000\000\001\131\132"
#define LZ4 "\004\042\115\030\140\100\202\006\000\000\200\150\145\154\154\157\012\000\000\000\000"

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
#ifdef CAIRN_HAVE_LZMA
	{ "xz", BYTES(XZ), 100, "hello\n", CAIRN_OK, 0 },
	{ "xz twice", BYTES(XZ XZ), 100, "hello\nhello\n", CAIRN_OK, 0 },
	{ "xz twice, with padding", BYTES(XZ "\0\0\0\0" XZ), 100, "hello\nhello\n", CAIRN_OK, 0 },
	{ "xz past the limit", BYTES(XZ), 5, NULL, CAIRN_UNSUPPORTED, 0 },
	{ "xz and more", BYTES(XZ "hello hello hello"), 100, NULL, CAIRN_MALFORMED, 0 },
	{ "xz cut", { (const uint8_t *)XZ, 20 }, 100, NULL, CAIRN_TRUNCATED, 20 },
	{ "xz cut in its head", { (const uint8_t *)XZ, 7 }, 100, NULL, CAIRN_TRUNCATED, 7 },
	{ "xz of a large dictionary", BYTES(XZ_LARGE), 100, NULL, CAIRN_UNSUPPORTED, 0 },
#endif
#ifdef CAIRN_HAVE_LZ4
	{ "lz4", BYTES(LZ4), 100, "hello\n", CAIRN_OK, 0 },
	{ "lz4 twice", BYTES(LZ4 LZ4), 100, "hello\nhello\n", CAIRN_OK, 0 },
	{ "lz4 past the limit", BYTES(LZ4), 5, NULL, CAIRN_UNSUPPORTED, 0 },
	{ "lz4 and more", BYTES(LZ4 "hello hello hello"), 100, NULL, CAIRN_MALFORMED, 0 },
	{ "lz4 cut", { (const uint8_t *)LZ4, 14 }, 100, NULL, CAIRN_TRUNCATED, 14 },
	{ "lz4 cut in its head", { (const uint8_t *)LZ4, 5 }, 100, NULL, CAIRN_TRUNCATED, 5 },
#endif
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

/* So much for any file, and so much for each byte; never more than is read from a pipe. */
START_TEST(allows_what_a_file_is_worth)
{
	ck_assert_uint_eq(unpack_file_limit(0), UNPACK_LEAST);
	ck_assert_uint_eq(unpack_file_limit(1000), UNPACK_LEAST + 1000 * UNPACK_TIMES);
	ck_assert_uint_eq(unpack_file_limit((OS_FILE_READ_MAX - UNPACK_LEAST) / UNPACK_TIMES),
	                  OS_FILE_READ_MAX);
	ck_assert_uint_eq(unpack_file_limit(OS_FILE_READ_MAX), OS_FILE_READ_MAX);
	ck_assert_uint_eq(unpack_file_limit(SIZE_MAX), OS_FILE_READ_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unpack");
	TCase *tcase = tcase_create("unpack");

	tcase_add_loop_test(tcase, unpacks, 0, COUNT(rows));
	tcase_add_test(tcase, allows_what_a_file_is_worth);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
