/* SPDX-License-Identifier: MIT */
/* Splits input lines into words, and prints the results of `cairn cbf encode`. */
#include "cbf.h"

#include "base/encoding.h"
#include "output/escape.h"

#include <stdio.h>
#include <string.h>

static bool is_word_separator(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct cairn_bytes cbf_next_word(struct cairn_bytes *line)
{
	while (line->size > 0 && is_word_separator(line->data[0])) {
		line->data++;
		line->size--;
	}
	struct cairn_bytes word = { line->data, 0 };
	while (word.size < line->size && !is_word_separator(word.data[word.size]))
		word.size++;
	line->data += word.size;
	line->size -= word.size;
	return word;
}

bool cbf_word_number(struct cairn_bytes word, unsigned base, uint64_t *value)
{
	uint64_t sum = 0;

	if (base == 16 && word.size > 2 && word.data[0] == '0' && word.data[1] == 'x') {
		word.data += 2;
		word.size -= 2;
	}
	for (size_t i = 0; i < word.size; i++) {
		unsigned d = hex_digit(word.data[i]);
		if (d >= base || sum > (UINT64_MAX - d) / base)
			return false;
		sum = sum * base + d;
	}
	*value = sum;
	return word.size > 0;
}

static void print_base64(struct cairn_bytes bytes)
{
	char text[4];

	for (size_t at = 0; at < bytes.size; at += 3) {
		const size_t left = bytes.size - at < 3 ? bytes.size - at : 3;
		base64_encode_group((struct cairn_bytes){ bytes.data + at, left }, text);
		fwrite(text, 1, left + 1, stdout); /* without padding */
	}
}

static void print_encoded_json(const struct cbf_target *target, size_t number,
                               struct cairn_bytes bytes)
{
	struct json json = json_to(stdout);

	json_object(&json, NULL);
	json_number(&json, "record", number);
	json_string(&json, "profile", target->swift ? "swift" : "specification");
	json_number(&json, "word_bits", target->bits);
	json_number(&json, "size", bytes.size);
	json_hex(&json, "bytes", bytes);
	json_end(&json);
}

void cbf_print_encoded(const struct cbf_target *target, size_t number, struct cairn_bytes bytes)
{
	if (target->form == FORM_JSON) {
		print_encoded_json(target, number, bytes);
		return;
	}
	if (target->encoding == CBF_ENCODING_RAW) {
		fwrite(bytes.data, 1, bytes.size, stdout);
		return;
	}
	if (target->encoding == CBF_ENCODING_BASE64)
		print_base64(bytes);
	else
		print_hex_word(stdout, bytes);
	putchar('\n');
}
