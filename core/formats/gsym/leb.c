/* SPDX-License-Identifier: MIT */
/* Decodes LEB128 numbers of more than two bytes, and explains failed reads. */
#include "leb.h"

static struct reader open_leb_reader(const uint8_t *p, const uint8_t *end)
{
	return reader_open((struct cairn_bytes){ p, (size_t)(end - p) }, false);
}

const uint8_t *leb_unsigned_long(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	struct reader in = open_leb_reader(p, end);
	uint64_t number = reader_uleb(&in);

	if (!reader_ok(&in))
		return NULL;
	*value = number;
	return p + in.at;
}

const uint8_t *leb_signed_long(const uint8_t *p, const uint8_t *end, int64_t *value)
{
	struct reader in = open_leb_reader(p, end);
	int64_t number = reader_sleb(&in);

	if (!reader_ok(&in))
		return NULL;
	*value = number;
	return p + in.at;
}

struct cairn_fault leb_fault(const uint8_t *p, const uint8_t *end, bool is_signed)
{
	struct reader in = open_leb_reader(p, end);

	if (is_signed)
		reader_sleb(&in);
	else
		reader_uleb(&in);
	return in.fault;
}
