/* SPDX-License-Identifier: MIT */
/*
 * Detects names for which the GNU demangler, which is part of GDB, repeats work that prints
 * nothing, so often that it seems to hang:
 *
 *	Dp TYPE, sp EXPRESSION, sZ EXPRESSION    looks for a pack in all that the pattern stands for;
 *	                                         with k references back in up to 3^(k/3) steps
 *	cv ... T_ I                              reads the arguments twice, also those within them
 *	G NUMBER _ in "F" and "D" of Rust        counts lifetimes up to the number, in parts of a
 *	                                         name that are not written
 *	B NUMBER _ of Rust                       goes back to another, and to another, for each
 *	                                         part that is written
 *
 *
 * References inside identifiers are counted too, which only rejects more names.
 */
#include "demangle_guard.h"

#include <string.h>

enum {
	PATTERN_REFERENCES = 30, /* 59,000 steps, about 0.3 ms; real names have up to 24 */
	CONVERSION_ARGUMENTS = 8,
	RUST_HOPS = 4, /* compilers refer to the entity itself, never to another reference */
	/* base 62 digits, i.e. 3,800 lifetimes for five bytes; real names have one digit */
	LIFETIME_DIGITS = 2,
};

static uint8_t peek_name_byte(struct cairn_bytes name, size_t at)
{
	return at < name.size ? name.data[at] : 0;
}

static bool is_between(uint8_t c, char first, char last)
{
	return c >= (uint8_t)first && c <= (uint8_t)last;
}

/*
 * Return the end of the reference "S1_", "T_" etc. that begins at `at` with `letter`, or `at` if no
 * reference is there.
 */
static size_t reference_end(struct cairn_bytes name, size_t at, char letter)
{
	size_t end = at + 1;

	if (peek_name_byte(name, at) != (uint8_t)letter)
		return at;
	while (is_between(peek_name_byte(name, end), '0', '9') ||
	       is_between(peek_name_byte(name, end), 'A', 'Z'))
		end++;
	return peek_name_byte(name, end) == '_' ? end + 1 : at;
}

/* Count references that begin with `letter`. In "SS_" both letters begin one. */
static size_t count_references(struct cairn_bytes name, char letter)
{
	size_t count = 0;

	for (size_t at = 0; at < name.size; at++)
		count += reference_end(name, at, letter) > at;
	return count;
}

size_t demangle_guard_references(struct cairn_bytes name)
{
	return count_references(name, 'S') + count_references(name, 'T');
}

/*
 * Return true if a template parameter without arguments begins at `at`. The demangler then looks at
 * nothing but the parameter.
 */
static bool is_parameter(struct cairn_bytes name, size_t at)
{
	size_t end = reference_end(name, at, 'T');

	return end > at && peek_name_byte(name, end) != 'I';
}

/* Return true if the first two letters at `at` may begin an expression. */
static bool is_operator(struct cairn_bytes name, size_t at)
{
	static const char operators[] = "aN aS aa ad an at aw az cc cl cm co cp cv dV da dc de dl "
					"dn ds dt dv dX di dx eO eo "
					"eq fL fR fl fr fp gs gt ge il ix lS le li ls lt mI mL mi "
					"ml mm na ne ng nt nw nx oR "
					"on oo or pL pl pm pp ps pt qu rM rS rc rm rq rs sP sZ sc "
					"so sp sr ss st sz te ti tl "
					"to tr tu tw tt v";
	const char two[] = { (char)peek_name_byte(name, at), (char)peek_name_byte(name, at + 1),
		             '\0' };

	return two[0] == 'u' || two[0] == 'v' || (two[1] && strstr(operators, two));
}

/*
 * Return true if a type in which demanglers search for packs begins at `at`. They do not search
 * builtin types, which are single letters.
 */
static bool is_type(struct cairn_bytes name, size_t at)
{
	while (peek_name_byte(name, at) && strchr("ROKP", peek_name_byte(name, at)))
		at++;
	if (is_parameter(name, at))
		return false;
	return peek_name_byte(name, at) == 'r' || !is_between(peek_name_byte(name, at), 'a', 't');
}

/*
 * Return true if an expression (after "sp" or "sZ") that is searched for packs begins at `at`. "at"
 * and "st" take a type.
 */
static bool is_expression(struct cairn_bytes name, size_t at)
{
	uint8_t c = peek_name_byte(name, at);

	if (is_parameter(name, at))
		return false;
	if ((c == 'a' || c == 's') && peek_name_byte(name, at + 1) == 't')
		return is_type(name, at + 2);
	return c == 'T' || c == 'L' || is_between(c, '0', '9') || is_operator(name, at);
}

static bool has_pattern(struct cairn_bytes name)
{
	for (size_t at = 0; at + 2 < name.size; at++) {
		uint8_t first = name.data[at], second = name.data[at + 1];
		if (first == 'D' && second == 'p' && is_type(name, at + 2))
			return true;
		if (first == 's' && (second == 'p' || second == 'Z') && is_expression(name, at + 2))
			return true;
	}
	return false;
}

/*
 * Count template parameters with arguments of their own. Returns 0 if the name has no conversion.
 */
static size_t conversion_arguments(struct cairn_bytes name)
{
	size_t count = 0, conversions = 0;

	for (size_t at = 0; at < name.size; at++) {
		size_t end = reference_end(name, at, 'T');
		conversions += name.data[at] == 'c' && peek_name_byte(name, at + 1) == 'v';
		count += end > at && peek_name_byte(name, end) == 'I';
	}
	return conversions ? count : 0;
}

static bool is_digit_of_rust(uint8_t c)
{
	return is_between(c, '0', '9') || is_between(c, 'a', 'z') || is_between(c, 'A', 'Z');
}

static bool has_many_lifetimes(struct cairn_bytes name)
{
	for (size_t at = 0; at + 2 < name.size; at++) {
		size_t digits = 0;
		if ((name.data[at] != 'F' && name.data[at] != 'D') || name.data[at + 1] != 'G')
			continue;
		while (is_digit_of_rust(peek_name_byte(name, at + 2 + digits)))
			digits++;
		if (digits >= LIFETIME_DIGITS && peek_name_byte(name, at + 2 + digits) == '_')
			return true;
	}
	return false;
}

static unsigned digit_of_rust(uint8_t c)
{
	return is_between(c, '0', '9')   ? c - (unsigned)'0'
	       : is_between(c, 'a', 'z') ? c - (unsigned)'a' + 10
	                                 : c - (unsigned)'A' + 36;
}

/*
 * Return the target of the back reference at `at`, which lies before it, or `at` if the reference
 * is invalid. Rust counts offsets from behind "_R".
 */
static size_t rust_target(struct cairn_bytes name, size_t at)
{
	size_t number = 0, digit = at + 1;

	if (peek_name_byte(name, at) != 'B')
		return at;
	for (; is_digit_of_rust(peek_name_byte(name, digit)) && number < name.size; digit++)
		number = 62 * number + digit_of_rust(name.data[digit]) + 1;
	return peek_name_byte(name, digit) == '_' && number + 2 < at ? number + 2 : at;
}

static bool has_many_hops(struct cairn_bytes name)
{
	for (size_t i = 2; i < name.size; i++) {
		size_t hops = 0, at = i;
		for (size_t to = rust_target(name, at); to < at; to = rust_target(name, at)) {
			at = to;
			if (++hops > RUST_HOPS)
				return true;
		}
	}
	return false;
}

bool demangle_guard_passes(struct cairn_bytes name)
{
	if (name.size > 1 && name.data[1] == 'R')
		return !has_many_lifetimes(name) && !has_many_hops(name);
	if (has_pattern(name) && count_references(name, 'S') > PATTERN_REFERENCES)
		return false;
	return conversion_arguments(name) <= CONVERSION_ARGUMENTS;
}
