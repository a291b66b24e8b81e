/* SPDX-License-Identifier: MIT */
/*
 * Prints types:
 *
 *	type   = letter | path | "A" type constant | "S" type | "T" type* "E"
 *	       | ("R" | "Q") ["L" number] type | ("P" | "O") type
 *	       | "F" binder ["U"] ["K" ("C" | identifier)] type* "E" type
 *	       | "D" binder trait* "E" "L" number | "W" type pattern | "B" number
 *	trait  = path ("p" identifier type)*
 *	binder = ["G" number]
 */
#include "parts.h"

/* maximum number of lifetimes bound by one name; more would only fill the output */
enum { LIFETIME_MAX = 1 << 12 };

static const char *find_basic_type(uint8_t letter)
{
	static const char *const types[] = {
		"i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
		"usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
		"i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
	};

	return letter >= 'a' && letter <= 'z' ? types[letter - 'a'] : NULL;
}

/*
 * Print a lifetime. `index` counts from the innermost binder, starting at 1; 0 is an erased
 * lifetime.
 */
void rust_lifetime(struct rust_name *r, uint64_t index)
{
	rust_word(r, "'");
	if (index == 0) {
		rust_word(r, "_");
		return;
	}
	if (r->silent)
		return;
	if (index > r->lifetimes) {
		rust_fail(r);
		return;
	}
	uint64_t depth = r->lifetimes - index;
	char letter = (char)('a' + depth % 26);
	if (depth < 26) {
		rust_bytes(r, &letter, 1);
	} else {
		rust_word(r, "_");
		rust_decimal(r, depth);
	}
}

/* Print "for<'a, 'b> ". Return the number of lifetimes, which the caller must subtract again. */
static uint32_t print_binder(struct rust_name *r)
{
	uint64_t count = rust_optional_number(r, 'G');

	if (count > LIFETIME_MAX || count > LIFETIME_MAX - r->lifetimes) {
		r->exhausted = true;
		rust_fail(r);
		return 0;
	}
	if (count == 0 || r->silent)
		return 0;
	rust_word(r, "for<");
	for (uint64_t i = 0; i < count && !r->failed; i++) {
		rust_word(r, i > 0 ? ", " : "");
		r->lifetimes++;
		rust_lifetime(r, 1);
	}
	rust_word(r, "> ");
	return (uint32_t)count;
}

static void print_abi(struct rust_name *r)
{
	if (rust_take(r, 'C')) {
		rust_word(r, "extern \"C\" ");
		return;
	}
	struct rust_identifier abi = rust_read_identifier(r);
	if (abi.code.size > 0 || abi.ascii.size == 0 || abi.number > 0)
		rust_fail(r);
	rust_word(r, "extern \"");
	for (size_t i = 0; i < abi.ascii.size && !r->failed; i++)
		rust_bytes(r, abi.ascii.data[i] == '_' ? (const void *)"-" : &abi.ascii.data[i], 1);
	rust_word(r, "\" ");
}

static void print_function_type(struct rust_name *r)
{
	uint32_t outer = r->lifetimes;

	(void)print_binder(r);
	rust_word(r, rust_take(r, 'U') ? "unsafe " : "");
	if (rust_take(r, 'K'))
		print_abi(r);
	rust_word(r, "fn(");
	(void)rust_list(r, ", ", rust_type);
	rust_word(r, ")");
	if (!rust_take(r, 'u')) {
		rust_word(r, " -> ");
		rust_type(r);
	}
	r->lifetimes = outer;
}

static void print_trait(struct rust_name *r)
{
	bool open = rust_open_path(r);

	while (!r->failed && rust_take(r, 'p')) {
		rust_word(r, open ? ", " : "<");
		open = true;
		rust_print_identifier(r, rust_read_identifier(r));
		rust_word(r, " = ");
		rust_type(r);
	}
	rust_word(r, open ? ">" : "");
}

static void print_dynamic_type(struct rust_name *r)
{
	uint32_t outer = r->lifetimes;

	rust_word(r, "dyn ");
	(void)print_binder(r);
	(void)rust_list(r, " + ", print_trait);
	r->lifetimes = outer;
	if (!rust_take(r, 'L'))
		rust_fail(r);
	uint64_t index = rust_number(r);
	if (index > 0 && !r->failed) {
		rust_word(r, " + ");
		rust_lifetime(r, index);
	}
}

static void print_reference_type(struct rust_name *r, bool mutable)
{
	rust_word(r, "&");
	if (rust_take(r, 'L')) {
		uint64_t index = rust_number(r);
		if (index > 0) {
			rust_lifetime(r, index);
			rust_word(r, " ");
		}
	}
	rust_word(r, mutable ? "mut " : "");
	rust_type(r);
}

static void print_array_type(struct rust_name *r, bool sized)
{
	rust_word(r, "[");
	rust_type(r);
	if (sized) {
		rust_word(r, "; ");
		rust_constant(r, true);
	}
	rust_word(r, "]");
}

/*
 * Print a pattern type, which restricts the values of another type: "R" constant constant, "O"
 * pattern* "E", or "N".
 */
static void print_pattern(struct rust_name *r)
{
	if (!rust_enter(r))
		return;
	if (rust_take(r, 'R')) {
		rust_constant(r, false);
		rust_word(r, "..=");
		rust_constant(r, false);
	} else if (rust_take(r, 'O')) {
		(void)rust_list(r, " | ", print_pattern);
	} else if (rust_take(r, 'N')) {
		rust_word(r, "!null");
	} else {
		rust_fail(r);
	}
	rust_leave(r);
}

static void print_type_reference(struct rust_name *r)
{
	size_t back = rust_begin_reference(r);

	if (back == SIZE_MAX)
		return;
	rust_type(r);
	r->at = r->failed ? r->name.size : back;
}

static void print_type_by_letter(struct rust_name *r, uint8_t letter)
{
	size_t count;

	switch (letter) {
	case 'A':
	case 'S':
		print_array_type(r, letter == 'A');
		break;
	case 'T':
		rust_word(r, "(");
		count = rust_list(r, ", ", rust_type);
		rust_word(r, count == 1 ? ",)" : ")");
		break;
	case 'R':
	case 'Q':
		print_reference_type(r, letter == 'Q');
		break;
	case 'P':
	case 'O':
		rust_word(r, letter == 'P' ? "*const " : "*mut ");
		rust_type(r);
		break;
	case 'F':
		print_function_type(r);
		break;
	case 'D':
		print_dynamic_type(r);
		break;
	case 'W':
		rust_type(r);
		rust_word(r, " is ");
		print_pattern(r);
		break;
	case 'B':
		print_type_reference(r);
		break;
	default:
		r->at--;
		rust_path(r, false);
		break;
	}
}

void rust_type(struct rust_name *r)
{
	if (!rust_enter(r))
		return;
	uint8_t letter = rust_next(r);
	const char *basic = find_basic_type(letter);
	if (basic)
		rust_word(r, basic);
	else if (!r->failed)
		print_type_by_letter(r, letter);
	rust_leave(r);
}
