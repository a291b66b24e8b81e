/* SPDX-License-Identifier: MIT */
/* Computes FileIDs of files and kernels, and converts them to and from hexadecimal and base64. */
#include "fileid.h"

#include "encoding.h"
#include "hash.h"

#include <string.h>

enum {
	HEX_DIGITS = 2 * FILEID_SIZE,
	BASE64_DIGITS = 22,
	BASE64_PADDED = 24,
};

struct fileid fileid_of_ends(struct cairn_bytes first, struct cairn_bytes last, uint64_t size)
{
	struct sha256 hash = sha256_open();
	uint8_t digest[SHA256_SIZE], length[8];
	struct fileid id;

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(size >> (56 - 8 * i));
	sha256_put(&hash, first);
	sha256_put(&hash, last);
	sha256_put(&hash, (struct cairn_bytes){ length, sizeof(length) });
	sha256_finish(&hash, digest);
	memcpy(id.bytes, digest, sizeof(id.bytes));
	return id;
}

struct fileid fileid_of(struct cairn_bytes file)
{
	size_t block = file.size < FILEID_BLOCK ? file.size : FILEID_BLOCK;
	struct cairn_bytes first = { file.data, block };
	struct cairn_bytes last = { file.data + file.size - block, block };

	return fileid_of_ends(first, last, file.size);
}

/*
 * The FileID of a kernel is the 128-bit FNV-1a hash of its build ID's hexadecimal digits. The
 * FileID of the kernel's debug file has the two halves of that hash swapped. The prime of the hash
 * is 2^88 + 0x13b, so a multiplication needs only shifts and a small product.
 */
struct fnv {
	uint64_t high, low;
};

static void fnv_byte(struct fnv *hash, uint8_t byte)
{
	enum { SMALL = 0x13b };
	uint64_t low = hash->low ^ byte;
	uint64_t bottom = (low & 0xffffffff) * SMALL;
	uint64_t middle = (low >> 32) * SMALL + (bottom >> 32);

	hash->high = hash->high * SMALL + (middle >> 32) + (low << 24);
	hash->low = middle << 32 | (bottom & 0xffffffff);
}

struct fileid fileid_of_kernel(struct cairn_bytes build_id, bool is_debug_file)
{
	static const char digits[] = "0123456789abcdef";
	struct fnv hash = { 0x6c62272e07bb0142, 0x62b821756295c58d };
	struct fileid id;

	for (size_t i = 0; i < build_id.size; i++) {
		fnv_byte(&hash, (uint8_t)digits[build_id.data[i] >> 4]);
		fnv_byte(&hash, (uint8_t)digits[build_id.data[i] & 15]);
	}
	for (unsigned i = 0; i < FILEID_SIZE; i++) {
		bool upper = (i < FILEID_SIZE / 2) != is_debug_file;
		id.bytes[i] = (uint8_t)((upper ? hash.high : hash.low) >> (56 - 8 * (i % 8)));
	}
	return id;
}

void fileid_to_hex(const struct fileid *id, char text[FILEID_HEX_SIZE])
{
	hex_encode((struct cairn_bytes){ id->bytes, FILEID_SIZE }, text);
}

void fileid_to_base64(const struct fileid *id, char text[FILEID_BASE64_SIZE])
{
	static const char base64url[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	uint32_t bits = 0;
	unsigned held = 0;
	size_t out = 0;

	for (size_t i = 0; i < FILEID_SIZE; i++) {
		bits = bits << 8 | id->bytes[i];
		for (held += 8; held >= 6; held -= 6)
			text[out++] = base64url[bits >> (held - 6) & 63];
	}
	text[out++] = base64url[bits << (6 - held) & 63];
	text[out] = '\0';
}

static bool parse_base64(struct cairn_bytes text, struct fileid *id)
{
	uint8_t bytes[BASE64_PADDED];

	if (text.size == BASE64_PADDED && memcmp(text.data + BASE64_DIGITS, "==", 2) == 0)
		text.size = BASE64_DIGITS;
	if (text.size != BASE64_DIGITS)
		return false;
	const struct base64_result result = base64_decode(text, bytes);
	/* the unused bits of the last character must be 0 */
	if (result.size != FILEID_SIZE || result.problems ||
	    !strchr("AQgw", text.data[text.size - 1]))
		return false;
	memcpy(id->bytes, bytes, FILEID_SIZE);
	return true;
}

static bool parse_hex(struct cairn_bytes text, struct fileid *id)
{
	unsigned count = 0;

	if (text.size >= 2 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x') {
		text.data += 2;
		text.size -= 2;
	}
	for (size_t i = 0; i < text.size; i++) {
		unsigned digit = hex_digit(text.data[i]);
		if (text.data[i] == '-' && count > 0 && count < HEX_DIGITS)
			continue;
		if (digit == HEX_NO_DIGIT || count == HEX_DIGITS)
			return false;
		if (count % 2 == 0)
			id->bytes[count / 2] = (uint8_t)(digit << 4);
		else
			id->bytes[count / 2] |= (uint8_t)digit;
		count++;
	}
	return count == HEX_DIGITS;
}

bool fileid_parse(struct cairn_bytes text, struct fileid *id)
{
	struct fileid parsed;

	if (!parse_base64(text, &parsed) && !parse_hex(text, &parsed))
		return false;
	*id = parsed;
	return true;
}
