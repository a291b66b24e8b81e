/* SPDX-License-Identifier: MIT */
/*
 * Reads numbers in OpenTelemetry's JSON, which are numbers or strings of the same form:
 *
 *	number = "-"? digits ("." digits)? (("e" | "E") ("+" | "-")? digits)?
 *
 * Integers may have a fraction of zeros or an exponent, because programs that only have floating
 * point write 2e3.
 */
#include "json_number.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { EXPONENT_MAX = 1 << 16 }; /* larger exponents have the same effect */

struct decimal {
	bool is_negative;
	struct cairn_bytes whole, fraction;
	int64_t exponent;
};

static bool take_byte(struct cairn_bytes *text, char a, char b)
{
	if (text->size == 0 || (text->data[0] != (uint8_t)a && text->data[0] != (uint8_t)b))
		return false;
	text->data++;
	text->size--;
	return true;
}

/* Take digits. The result is empty if the text does not start with a digit. */
static struct cairn_bytes take_digits(struct cairn_bytes *text)
{
	struct cairn_bytes digits = { text->data, 0 };

	while (digits.size < text->size && digits.data[digits.size] >= '0' &&
	       digits.data[digits.size] <= '9')
		digits.size++;
	text->data += digits.size;
	text->size -= digits.size;
	return digits;
}

static bool take_exponent(struct cairn_bytes *text, int64_t *exponent)
{
	const bool is_negative = take_byte(text, '-', '-');

	if (!is_negative)
		(void)take_byte(text, '+', '+');
	const struct cairn_bytes digits = take_digits(text);
	for (size_t i = 0; i < digits.size && *exponent < EXPONENT_MAX; i++)
		*exponent = *exponent * 10 + digits.data[i] - '0';
	if (is_negative)
		*exponent = -*exponent;
	return digits.size > 0;
}

static bool take_decimal(struct cairn_bytes text, struct decimal *decimal)
{
	*decimal = (struct decimal){ .is_negative = take_byte(&text, '-', '-') };
	decimal->whole = take_digits(&text);
	decimal->fraction = (struct cairn_bytes){ text.data, 0 };
	if (decimal->whole.size == 0)
		return false;
	if (take_byte(&text, '.', '.')) {
		decimal->fraction = take_digits(&text);
		if (decimal->fraction.size == 0)
			return false;
	}
	if (take_byte(&text, 'e', 'E') && !take_exponent(&text, &decimal->exponent))
		return false;
	return text.size == 0;
}

static bool append_digit(uint64_t *value, uint8_t digit)
{
	if (*value > (UINT64_MAX - digit) / 10)
		return false;
	*value = *value * 10 + digit;
	return true;
}

/*
 * Compute the integer value from the digits before the decimal point, as moved by the exponent. The
 * remaining digits must be 0.
 */
static bool sum_decimal(const struct decimal *decimal, uint64_t *value)
{
	const size_t size = decimal->whole.size + decimal->fraction.size;
	int64_t before = (int64_t)decimal->whole.size + decimal->exponent;

	*value = 0;
	for (size_t i = 0; i < size; i++, before--) {
		const uint8_t digit =
			i < decimal->whole.size
				? decimal->whole.data[i] - '0'
				: decimal->fraction.data[i - decimal->whole.size] - '0';
		if (before <= 0 ? digit != 0 : !append_digit(value, digit))
			return false;
	}
	for (; before > 0 && *value > 0; before--)
		if (!append_digit(value, 0))
			return false;
	return true;
}

const char *otlp_json_whole(struct cairn_bytes text, uint64_t most, uint64_t most_negative,
                            uint64_t *value)
{
	struct decimal decimal;
	uint64_t sum;

	if (!take_decimal(text, &decimal))
		return "a number is expected";
	if (!sum_decimal(&decimal, &sum) || sum > (decimal.is_negative ? most_negative : most))
		return "a number that is not whole, or out of range";
	*value = decimal.is_negative && sum > 0 ? ~(sum - 1) : sum;
	return NULL;
}

static bool is_word(struct cairn_bytes text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* Parse with strtod(), which expects the decimal point of the locale. */
static double parse_double(struct cairn_bytes text)
{
	char digits[OTLP_JSON_DOUBLE_MAX + 1];
	char *point;

	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	point = strchr(digits, '.');
	if (point)
		*point = localeconv()->decimal_point[0];
	return strtod(digits, NULL);
}

const char *otlp_json_double(struct cairn_bytes text, uint64_t *bits)
{
	struct decimal decimal;
	double value;

	*bits = is_word(text, "NaN")         ? UINT64_C(0x7ff8000000000000)
	        : is_word(text, "Infinity")  ? UINT64_C(0x7ff0000000000000)
	        : is_word(text, "-Infinity") ? UINT64_C(0xfff0000000000000)
	                                     : 0;
	if (*bits != 0)
		return NULL;
	if (!take_decimal(text, &decimal))
		return "a number is expected";
	if (text.size > OTLP_JSON_DOUBLE_MAX)
		return "a number with too many digits";
	value = parse_double(text);
	memcpy(bits, &value, sizeof(value));
	return NULL;
}
