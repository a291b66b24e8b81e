/* SPDX-License-Identifier: MIT */
/* SHA-256 against the vectors of FIPS 180-4, and at every length around the blocks. */
#include "unit.h"

#include "base/hash.h"

#include <stdio.h>

static const char *hex_of(const uint8_t digest[SHA256_SIZE])
{
	static char text[2 * SHA256_SIZE + 1];

	for (size_t i = 0; i < SHA256_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return text;
}

static const struct {
	struct cairn_bytes input;
	const char *digest;
} vectors[] = {
	{ BYTES(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ BYTES("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ BYTES("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ BYTES("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqkl"
	        "m"
	        "nopqrlmnopqrsmnopqrstnopqrstu"),
	  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

START_TEST(agrees_with_the_standard)
{
	struct sha256 hash = sha256_open();
	uint8_t digest[SHA256_SIZE];

	sha256_put(&hash, vectors[_i].input);
	sha256_finish(&hash, digest);
	ck_assert_str_eq(hex_of(digest), vectors[_i].digest);
}
END_TEST

START_TEST(takes_a_million_letters)
{
	struct sha256 hash = sha256_open();
	uint8_t digest[SHA256_SIZE], letters[1000];

	memset(letters, 'a', sizeof(letters));
	for (unsigned i = 0; i < 1000; i++)
		sha256_put(&hash, (struct cairn_bytes){ letters, sizeof(letters) });
	sha256_finish(&hash, digest);
	ck_assert_str_eq(hex_of(digest),
	                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

START_TEST(does_not_care_for_the_pieces)
{
	uint8_t bytes[200], whole[SHA256_SIZE], pieces[SHA256_SIZE];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
		struct sha256 one = sha256_open(), two = sha256_open();
		sha256_put(&one, (struct cairn_bytes){ bytes, sizeof(bytes) });
		sha256_finish(&one, whole);
		sha256_put(&two, (struct cairn_bytes){ bytes, cut });
		sha256_put(&two, (struct cairn_bytes){ bytes + cut, sizeof(bytes) - cut });
		sha256_finish(&two, pieces);
		ck_assert_mem_eq(whole, pieces, SHA256_SIZE);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sha256");
	TCase *tcase = tcase_create("sha256");

	tcase_add_loop_test(tcase, agrees_with_the_standard, 0, COUNT(vectors));
	tcase_add_test(tcase, takes_a_million_letters);
	tcase_add_test(tcase, does_not_care_for_the_pieces);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
