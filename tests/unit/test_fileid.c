/* SPDX-License-Identifier: MIT */
/* FileIDs: of files of every size that matters, of kernels, and their two text forms. */
#include "unit.h"

#include "base/fileid.h"

enum { LARGEST = 65536 };

static const struct {
	const char *name;
	size_t size;
	unsigned step, first; /* byte i is i * step + first */
	const char *hex, *base64;
} files[] = {
	{ "empty", 0, 0, 0, "af5570f5a1810b7af78caf4bc70a660f", "r1Vw9aGBC3r3jK9LxwpmDw" },
	{ "one byte", 1, 131, 7, "46d1efb48d886f9e6d58c173bdc37fec", "RtHvtI2Ib55tWMFzvcN_7A" },
	{ "zeros", 123, 0, 0, "f4c1e5fe2f28034fcceb0776ec00b125", "9MHl_i8oA0_M6wd27ACxJQ" },
	{ "a block of zeros", 4096, 0, 0, "0c629a4247c82cd3347322ee4e7f7d7f",
	  "DGKaQkfILNM0cyLuTn99fw" },
	{ "a block", 4096, 131, 7, "2b3e39d6827bbb13046997f961c2134e", "Kz451oJ7uxMEaZf5YcITTg" },
	{ "two blocks and a byte", 8193, 131, 7, "a3ff56ed54aacb3299c924c3cf69d795",
	  "o_9W7VSqyzKZySTDz2nXlQ" },
	{ "large", LARGEST, 131, 7, "903fba3647c99f8e3be48c4b05104674", "kD-6NkfJn4475IxLBRBGdA" },
};

START_TEST(identifies_files)
{
	uint8_t *bytes = malloc(LARGEST);
	char hex[FILEID_HEX_SIZE], base64[FILEID_BASE64_SIZE];

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < LARGEST; i++)
		bytes[i] = (uint8_t)(i * files[_i].step + files[_i].first);
	struct cairn_bytes file = unit_exact((struct cairn_bytes){ bytes, files[_i].size });
	struct fileid id = fileid_of(file);
	fileid_to_hex(&id, hex);
	fileid_to_base64(&id, base64);
	ck_assert_msg(strcmp(hex, files[_i].hex) == 0, "%s: %s", files[_i].name, hex);
	ck_assert_str_eq(base64, files[_i].base64);
	free(bytes);
}
END_TEST

#define ID "12345678124397ff87654321877484a8"

static const struct {
	struct cairn_bytes text;
	const char *hex; /* NULL: it is none */
} texts[] = {
	{ BYTES("EjRWeBJDl_-HZUMhh3SEqA"), ID },
	{ BYTES("EjRWeBJDl/+HZUMhh3SEqA"), ID },
	{ BYTES("EjRWeBJDl_-HZUMhh3SEqA=="), ID },
	{ BYTES(ID), ID },
	{ BYTES("12345678124397FF87654321877484A8"), ID },
	{ BYTES("0x" ID), ID },
	{ BYTES("0X" ID), ID },
	{ BYTES("12345678-1243-97ff-8765-4321877484a8"), ID },
	{ BYTES(""), NULL },
	{ BYTES("0x"), NULL },
	{ BYTES("12345678124397ff87654321877484a"), NULL },
	{ BYTES("12345678124397ff87654321877484a80"), NULL },
	{ BYTES("12345678124397ff87654321877484ag"), NULL },
	{ BYTES(" " ID), NULL },
	{ BYTES(ID "\n"), NULL },
	{ BYTES("-" ID), NULL },
	{ BYTES(ID "-"), NULL },
	{ BYTES("0x0x" ID), NULL },
	{ BYTES("EjRWeBJDl_-HZUMhh3SEq"), NULL },
	{ BYTES("EjRWeBJDl_-HZUMhh3SEqAA"), NULL },
	{ BYTES("EjRWeBJDl_-HZUMhh3SEqA="), NULL },
	{ BYTES("EjRWeBJDl_-HZUMhh3SEqA==="), NULL },
	{ BYTES("EjRWeBJDl_-HZUMhh3SEqB"), NULL }, /* bits that belong to no byte */
	{ BYTES("EjRWeBJDl_-HZUMhh3SE*A"), NULL },
	{ BYTES("EjRWeBJDl_-HZUMhh3SE\0A"), NULL },
	{ BYTES("../../etc/passwd/../../"), NULL },
};

START_TEST(reads_both_forms)
{
	struct fileid id;
	char hex[FILEID_HEX_SIZE] = "";
	bool taken = fileid_parse(unit_exact(texts[_i].text), &id);

	ck_assert_msg(taken == (texts[_i].hex != NULL), "row %d", _i);
	if (!taken)
		return;
	fileid_to_hex(&id, hex);
	ck_assert_str_eq(hex, texts[_i].hex);
}
END_TEST

START_TEST(identifies_kernels)
{
	static const uint8_t build_id[] = { 0xf8, 0xe1, 0xcf, 0x0f, 0x60, 0x55, 0x80, 0x98,
		                            0xed, 0xae, 0xc1, 0x64, 0xac, 0x77, 0x49, 0xdf };
	struct cairn_bytes bytes = { build_id, sizeof(build_id) };
	char hex[FILEID_HEX_SIZE];

	struct fileid image = fileid_of_kernel(bytes, false), debug = fileid_of_kernel(bytes, true);
	fileid_to_hex(&image, hex);
	ck_assert_str_eq(hex, "026a2d6a60ee6b4eb8ec85adf2e76f4d");
	fileid_to_hex(&debug, hex);
	ck_assert_str_eq(hex, "b8ec85adf2e76f4d026a2d6a60ee6b4e");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fileid");
	TCase *tcase = tcase_create("fileid");

	tcase_add_loop_test(tcase, identifies_files, 0, COUNT(files));
	tcase_add_loop_test(tcase, reads_both_forms, 0, COUNT(texts));
	tcase_add_test(tcase, identifies_kernels);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
