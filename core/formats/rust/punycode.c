/* SPDX-License-Identifier: MIT */
/*
 * Decodes identifiers with non-ASCII letters. Punycode (RFC 3492) encodes these letters and their
 * positions.
 */
#include "parts.h"

enum {
	BASE = 36,
	T_MIN = 1,
	T_MAX = 26,
	SKEW = 38,
	DAMP = 700,
	FIRST_BIAS = 72,
	FIRST_CODE = 0x80
};

struct decoded {
	uint32_t codes[RUST_CODE_POINTS];
	size_t count;
};

static bool read_puny_digit(uint8_t c, uint32_t *digit)
{
	if (c >= 'a' && c <= 'z')
		*digit = (uint32_t)(c - 'a');
	else if (c >= '0' && c <= '9')
		*digit = (uint32_t)(c - '0') + 26;
	else
		return false;
	return true;
}

static uint32_t adapt_bias(uint32_t delta, size_t count, bool first)
{
	uint32_t k = 0;

	delta /= first ? DAMP : 2;
	delta += delta / (uint32_t)count;
	for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE)
		delta /= BASE - T_MIN;
	return k + ((BASE - T_MIN + 1) * delta) / (delta + SKEW);
}

/*
 * Read a number whose digit weights depend on the bias. Return false if it is invalid or too large.
 */
static bool read_delta(struct cairn_bytes code, size_t *at, uint32_t bias, uint32_t *delta)
{
	uint32_t weight = 1, digit;

	*delta = 0;
	for (uint32_t k = BASE;; k += BASE) {
		if (*at == code.size || !read_puny_digit(code.data[(*at)++], &digit))
			return false;
		if (digit > (UINT32_MAX - *delta) / weight)
			return false;
		*delta += digit * weight;
		uint32_t t = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
		if (digit < t)
			return true;
		if (weight > UINT32_MAX / (BASE - t))
			return false;
		weight *= BASE - t;
	}
}

static void insert_code(struct decoded *d, size_t at, uint32_t code)
{
	memmove(d->codes + at + 1, d->codes + at, (d->count - at) * sizeof(d->codes[0]));
	d->codes[at] = code;
	d->count++;
}

static bool decode_punycode(struct rust_identifier identifier, struct decoded *d)
{
	uint32_t code = FIRST_CODE, bias = FIRST_BIAS, delta;
	size_t at = 0, place = 0;

	d->count = 0;
	if (identifier.ascii.size >= RUST_CODE_POINTS)
		return false;
	for (; d->count < identifier.ascii.size; d->count++)
		d->codes[d->count] = identifier.ascii.data[d->count];
	for (bool first = true; at < identifier.code.size; first = false) {
		if (d->count == RUST_CODE_POINTS || !read_delta(identifier.code, &at, bias, &delta))
			return false;
		uint64_t sum = (uint64_t)place + delta;
		if (sum / (d->count + 1) > 0x10ffffu - code)
			return false;
		code += (uint32_t)(sum / (d->count + 1));
		place = (size_t)(sum % (d->count + 1));
		insert_code(d, place++, code);
		bias = adapt_bias(delta, d->count, first);
	}
	return true;
}

void rust_print_identifier(struct rust_name *r, struct rust_identifier identifier)
{
	struct decoded decoded;

	if (r->silent || r->failed)
		return;
	if (identifier.code.size == 0) {
		rust_bytes(r, identifier.ascii.data, identifier.ascii.size);
		return;
	}
	if (!decode_punycode(identifier, &decoded)) {
		rust_word(r, "punycode{");
		rust_bytes(r, identifier.ascii.data, identifier.ascii.size);
		rust_word(r, identifier.ascii.size ? "-" : "");
		rust_bytes(r, identifier.code.data, identifier.code.size);
		rust_word(r, "}");
		return;
	}
	for (size_t i = 0; i < decoded.count; i++)
		rust_code_point(r, decoded.codes[i]);
}
