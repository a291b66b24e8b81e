/* SPDX-License-Identifier: MIT */
#include "store_id.h"

#include "base/hex.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static bool read_hex(const char *text, struct store_id *id)
{
	size_t digits = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	for (; *text; text++) {
		unsigned digit = hex_digit((uint8_t)*text);
		if (*text == '-' && digits > 0)
			continue;
		if (digit == HEX_NO_DIGIT || digits == 2 * (size_t)STORE_ID_SIZE)
			return false;
		uint8_t *byte = &id->bytes[digits / 2];
		*byte = (uint8_t)((unsigned)*byte << 4 | digit);
		digits++;
	}
	return digits == 2 * (size_t)STORE_ID_SIZE;
}

static bool read_base64(const char *text, struct store_id *id)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < STORE_ID_TEXT; i++) {
		char c = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
		const char *at = c ? strchr(alphabet, c) : NULL;
		if (!at)
			return false;
		bits = bits << 6 | (uint32_t)(at - alphabet);
		if (i > 0 && i % 4 != 0 && i / 4 * 3 + i % 4 <= STORE_ID_SIZE)
			id->bytes[i / 4 * 3 + i % 4 - 1] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	text += STORE_ID_TEXT;
	return *text == '\0' || strcmp(text, "==") == 0;
}

bool store_id_read(const char *text, struct store_id *id)
{
	struct store_id read = { { 0 } };
	size_t length = strlen(text);

	if (length > STORE_ID_TEXT_MAX)
		return false;
	bool ok = length >= STORE_ID_TEXT && (read_hex(text, &read) || read_base64(text, &read));
	if (ok)
		*id = read;
	return ok;
}

void store_id_text(const struct store_id *id, char out[STORE_ID_TEXT + 1])
{
	for (size_t i = 0; i < STORE_ID_TEXT; i++) {
		size_t bit = 6 * i, byte = bit / 8;
		uint32_t two = (uint32_t)id->bytes[byte] << 8;
		if (byte + 1 < STORE_ID_SIZE)
			two |= id->bytes[byte + 1];
		out[i] = alphabet[two >> (10 - bit % 8) & 0x3f];
	}
	out[STORE_ID_TEXT] = '\0';
}
