/* SPDX-License-Identifier: MIT */
/*
 * Reads the contents of a hexdict:
 *
 *	dump  = (space+ | pair | word)*       words outside pairs are skipped
 *	pair  = key ":" space* value
 *	value = "0"+ | "0x" hex+              any number of digits, below 2^64
 */
#include "markup.h"

#include <string.h>

void markup_pairs_feed(struct markup_pairs *pairs, struct cairn_bytes piece)
{
	pairs->rest = piece;
}

static bool next_word(struct cairn_bytes *rest, struct cairn_bytes *word)
{
	while (rest->size > 0 && markup_is_space(*rest->data)) {
		rest->data++;
		rest->size--;
	}
	*word = (struct cairn_bytes){ rest->data, 0 };
	while (word->size < rest->size && !markup_is_space(word->data[word->size]))
		word->size++;
	rest->data += word->size;
	rest->size -= word->size;
	return word->size > 0;
}

static void keep_key(struct markup_pairs *pairs, const uint8_t *key, size_t size)
{
	pairs->key_size = size < MARKUP_KEY_MAX ? size : MARKUP_KEY_MAX;
	memcpy(pairs->key, key, pairs->key_size);
}

bool markup_pairs_next(struct markup_pairs *pairs, struct markup_pair *pair)
{
	struct cairn_bytes word;

	while (next_word(&pairs->rest, &word)) {
		const uint8_t *colon = memchr(word.data, ':', word.size);
		bool has_key = pairs->key_size > 0;
		pair->key = (struct cairn_bytes){ pairs->key, pairs->key_size };
		pairs->key_size = 0;
		if (word.data[word.size - 1] == ':') {
			keep_key(pairs, word.data, word.size - 1);
			continue;
		}
		if (colon && colon > word.data) {
			size_t key = (size_t)(colon - word.data);
			word.data += key + 1;
			word.size -= key + 1;
			keep_key(pairs, word.data - key - 1, key);
			pair->key = (struct cairn_bytes){ pairs->key, pairs->key_size };
			pairs->key_size = 0;
			has_key = true;
		}
		if (has_key && markup_address(word, &pair->value))
			return true;
	}
	return false;
}
