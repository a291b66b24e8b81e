/* SPDX-License-Identifier: MIT */
/*
 * Demangles complete names: "_R", a path, and the path of the instantiating crate, which is not
 * printed. A name is printed while it is parsed. A failure consumes all input.
 */
#include "rust.h"

#include "base/utf8.h"

#include <string.h>

struct rust_name {
	struct cairn_bytes name; /* mangled name after "_R" */
	size_t at;
	char *out;
	size_t size, capacity;
	unsigned steps, depth;
	uint32_t lifetimes; /* number of lifetimes that the enclosing binders declare */
	bool silent;        /* parse without printing */
	bool failed, exhausted;
};

struct rust_identifier {
	struct cairn_bytes ascii, code; /* ASCII letters, and the punycode of the other letters */
	uint64_t number;                /* disambiguator of identifiers with the same name */
};

static void rust_bytes(struct rust_name *r, const void *text, size_t size);
static void rust_path(struct rust_name *r, bool value);
static void rust_lifetime(struct rust_name *r, uint64_t index);
static void rust_type(struct rust_name *r);
static void rust_constant(struct rust_name *r, bool in_value);

static inline void rust_leave(struct rust_name *r)
{
	r->depth--;
}

static inline uint8_t rust_peek(const struct rust_name *r)
{
	return r->at < r->name.size ? r->name.data[r->at] : 0;
}

static inline bool rust_take(struct rust_name *r, char wanted)
{
	bool is = rust_peek(r) == (uint8_t)wanted;

	r->at += is;
	return is;
}

static inline void rust_word(struct rust_name *r, const char *text)
{
	rust_bytes(r, text, strlen(text));
}

static void rust_fail(struct rust_name *r)
{
	r->failed = true;
	r->at = r->name.size;
}

static bool rust_enter(struct rust_name *r)
{
	if (r->failed || r->steps == 0 || r->depth == RUST_DEPTH) {
		r->exhausted = r->exhausted || !r->failed;
		rust_fail(r);
		return false;
	}
	r->steps--;
	r->depth++;
	return true;
}

/* Consume a byte and return it, or return 0 at the end. */
static uint8_t rust_next(struct rust_name *r)
{
	if (r->at == r->name.size) {
		rust_fail(r);
		return 0;
	}
	return r->name.data[r->at++];
}

static int find_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

/* Parse a base-62 number that ends with '_': "_" is 0, "0_" is 1, and so on. */
static uint64_t rust_number(struct rust_name *r)
{
	uint64_t number = 0;

	if (rust_take(r, '_'))
		return 0;
	while (!rust_take(r, '_')) {
		int digit = find_digit(rust_peek(r));
		if (digit < 0 || number > (UINT64_MAX - 2 - (unsigned)digit) / 62) {
			rust_fail(r);
			return 0;
		}
		number = number * 62 + (unsigned)digit;
		r->at++;
	}
	return number + 1;
}

/* Parse `tag` and a number, and return the number plus 1. Return 0 if the tag is missing. */
static uint64_t rust_optional_number(struct rust_name *r, char tag)
{
	return rust_take(r, tag) ? rust_number(r) + 1 : 0;
}

static size_t read_text_length(struct rust_name *r)
{
	size_t length = 0;

	if (rust_take(r, '0'))
		return 0;
	if (rust_peek(r) < '1' || rust_peek(r) > '9')
		rust_fail(r);
	while (rust_peek(r) >= '0' && rust_peek(r) <= '9' && length <= RUST_NAME_MAX)
		length = 10 * length + (size_t)(r->name.data[r->at++] - '0');
	return length;
}

/* Split an identifier into its ASCII letters and the punycode after the last '_'. */
static void split_punycode(struct rust_name *r, struct rust_identifier *identifier)
{
	struct cairn_bytes text = identifier->ascii;
	size_t end = text.size;

	while (end > 0 && text.data[end - 1] != '_')
		end--;
	identifier->ascii.size = end > 0 ? end - 1 : 0;
	identifier->code = (struct cairn_bytes){ text.data + end, text.size - end };
	if (identifier->code.size == 0)
		rust_fail(r);
}

static struct rust_identifier rust_read_identifier(struct rust_name *r)
{
	struct rust_identifier identifier = { .number = rust_optional_number(r, 's') };
	bool is_punycode = rust_take(r, 'u');
	size_t length = read_text_length(r);

	(void)rust_take(r, '_');
	if (r->failed || length > r->name.size - r->at) {
		rust_fail(r);
		return identifier;
	}
	identifier.ascii = (struct cairn_bytes){ r->name.data + r->at, length };
	r->at += length;
	if (is_punycode)
		split_punycode(r, &identifier);
	return identifier;
}

/*
 * Parse the rest of a back reference, after its 'B', and move to the target. Return the position to
 * restore afterwards, or SIZE_MAX if the target must not be printed.
 */
static size_t rust_begin_reference(struct rust_name *r)
{
	size_t tag = r->at - 1, back;
	uint64_t target = rust_number(r);

	back = r->at;
	if (r->failed || target >= tag) {
		rust_fail(r);
		return SIZE_MAX;
	}
	if (r->silent)
		return SIZE_MAX;
	r->at = (size_t)target;
	return back;
}

static void rust_bytes(struct rust_name *r, const void *text, size_t size)
{
	if (r->silent || r->failed || size == 0)
		return;
	if (size > r->capacity - r->size) {
		r->exhausted = true;
		rust_fail(r);
		return;
	}
	memcpy(r->out + r->size, text, size);
	r->size += size;
}

/* Print items up to "E", separated by the string `between`. Return the number of items. */
static size_t rust_list(struct rust_name *r, const char *between,
                        void (*print_item)(struct rust_name *r))
{
	size_t count = 0;

	for (; !r->failed && !rust_take(r, 'E'); count++) {
		rust_word(r, count > 0 ? between : "");
		print_item(r);
	}
	return count;
}

static void rust_decimal(struct rust_name *r, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	rust_bytes(r, digits + at, sizeof(digits) - at);
}

static void rust_code_point(struct rust_name *r, uint32_t code)
{
	uint8_t text[4];

	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		rust_fail(r);
	else
		rust_bytes(r, text, utf8_encode(code, text));
}

/*
 * Decodes identifiers with non-ASCII letters, whose values and positions are encoded as punycode
 * (RFC 3492).
 */

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
 * Parse a punycode delta, a number whose digit weights depend on `bias`. Return false if it is
 * invalid or too large.
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

static void print_identifier(struct rust_name *r, struct rust_identifier identifier)
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

/*
 * Prints paths and their generic arguments:
 *
 *	path = "C" identifier                     a crate
 *	     | "N" letter path identifier         a capital letter marks closures and shims
 *	     | "M" impl type | "X" impl type path | "Y" type path
 *	     | "I" path argument* "E" | "B" number
 *	impl = ["s" number] path
 *	argument = "L" number | "K" constant | type
 */

/* Print a path component such as "{closure#0}" or "{shim:vtable#0}". */
static void print_special_part(struct rust_name *r, uint8_t letter,
                               struct rust_identifier identifier)
{
	char text = (char)letter;

	rust_word(r, "::{");
	if (letter == 'C')
		rust_word(r, "closure");
	else if (letter == 'S')
		rust_word(r, "shim");
	else
		rust_bytes(r, &text, 1);
	if (identifier.ascii.size + identifier.code.size > 0) {
		rust_word(r, ":");
		print_identifier(r, identifier);
	}
	rust_word(r, "#");
	rust_decimal(r, identifier.number);
	rust_word(r, "}");
}

static void print_nested_path(struct rust_name *r, bool value)
{
	uint8_t letter = rust_next(r);

	if (!((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z'))
		rust_fail(r);
	rust_path(r, value);
	struct rust_identifier identifier = rust_read_identifier(r);
	if (letter >= 'A' && letter <= 'Z') {
		print_special_part(r, letter, identifier);
	} else if (identifier.ascii.size + identifier.code.size > 0) {
		rust_word(r, "::");
		print_identifier(r, identifier);
	}
}

/* Skip the disambiguator and the path of the module that contains an impl. */
static void skip_impl(struct rust_name *r)
{
	bool silent = r->silent;

	(void)rust_optional_number(r, 's');
	r->silent = true;
	rust_path(r, false);
	r->silent = silent;
}

static void print_impl(struct rust_name *r, uint8_t kind)
{
	if (kind != 'Y')
		skip_impl(r);
	rust_word(r, "<");
	rust_type(r);
	if (kind != 'M') {
		rust_word(r, " as ");
		rust_path(r, false);
	}
	rust_word(r, ">");
}

static void read_generic_argument(struct rust_name *r)
{
	if (rust_take(r, 'L'))
		rust_lifetime(r, rust_number(r));
	else if (rust_take(r, 'K'))
		rust_constant(r, false);
	else
		rust_type(r);
}

static void print_open_instance(struct rust_name *r, bool value)
{
	rust_path(r, value);
	rust_word(r, value ? "::<" : "<");
	(void)rust_list(r, ", ", read_generic_argument);
}

static void print_path_reference(struct rust_name *r, bool value)
{
	size_t back = rust_begin_reference(r);

	if (back == SIZE_MAX)
		return;
	rust_path(r, value);
	r->at = r->failed ? r->name.size : back;
}

/*
 * Print a path. If `value` is true, the path names a value, so print "::" before generic arguments.
 */
static void rust_path(struct rust_name *r, bool value)
{
	if (!rust_enter(r))
		return;
	uint8_t kind = rust_next(r);
	switch (kind) {
	case 'C':
		print_identifier(r, rust_read_identifier(r));
		break;
	case 'N':
		print_nested_path(r, value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		print_impl(r, kind);
		break;
	case 'I':
		print_open_instance(r, value);
		rust_word(r, ">");
		break;
	case 'B':
		print_path_reference(r, value);
		break;
	default:
		rust_fail(r);
		break;
	}
	rust_leave(r);
}

/*
 * Print a path without the '>' that closes its generic arguments. Return true if the caller must
 * print the '>'.
 */
static bool rust_open_path(struct rust_name *r)
{
	bool open = false;

	if (!rust_enter(r))
		return false;
	if (rust_take(r, 'B')) {
		size_t back = rust_begin_reference(r);
		if (back != SIZE_MAX) {
			open = rust_open_path(r);
			r->at = r->failed ? r->name.size : back;
		}
	} else if (rust_take(r, 'I')) {
		print_open_instance(r, false);
		open = true;
	} else {
		rust_path(r, false);
	}
	rust_leave(r);
	return open;
}

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

/*
 * Maximum number of lifetimes that the binders in a name may declare. Without this limit, a short
 * name could fill the output with lifetimes.
 */
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
 * Print a lifetime. `index` counts from the innermost binder outwards, starting at 1; 0 is an
 * erased lifetime.
 */
static void rust_lifetime(struct rust_name *r, uint64_t index)
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

/*
 * Print "for<'a, 'b> " if there is a binder. Return the number of lifetimes that it declares, and
 * add this number to r->lifetimes; the caller restores r->lifetimes at the end of their scope.
 */
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
		print_identifier(r, rust_read_identifier(r));
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
 * Print a pattern type, which restricts the values of another type: "R" CONSTANT CONSTANT, "O"
 * PATTERN* "E", or "N".
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

static void rust_type(struct rust_name *r)
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

/*
 * Prints constants:
 *
 *	constant = integer letter ["n"] hex* "_" | "b" ("0" | "1") "_" | "c" hex* "_"
 *	         | "e" hex* "_"                                      string
 *	         | ("R" | "Q") constant | "A" constant* "E" | "T" constant* "E"
 *	         | "V" path ("U" | "T" constant* "E" | "S" (identifier constant)* "E")
 *	         | "p" | "B" number
 */

static int find_nibble(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct cairn_bytes read_nibbles(struct rust_name *r)
{
	size_t start = r->at;

	while (find_nibble(rust_peek(r)) >= 0)
		r->at++;
	struct cairn_bytes nibbles = { r->name.data + start, r->at - start };
	if (!rust_take(r, '_'))
		rust_fail(r);
	return nibbles;
}

/* Convert hexadecimal digits to a number. Return false if it exceeds 64 bits. */
static bool value_of(struct cairn_bytes nibbles, uint64_t *value)
{
	*value = 0;
	while (nibbles.size > 0 && *nibbles.data == '0') {
		nibbles.data++;
		nibbles.size--;
	}
	for (size_t i = 0; i < nibbles.size; i++)
		*value = *value << 4 | (unsigned)find_nibble(nibbles.data[i]);
	return nibbles.size <= 16;
}

static void print_whole_number(struct rust_name *r)
{
	struct cairn_bytes nibbles = read_nibbles(r);
	uint64_t value;

	if (value_of(nibbles, &value)) {
		rust_decimal(r, value);
		return;
	}
	rust_word(r, "0x");
	rust_bytes(r, nibbles.data, nibbles.size);
}

static void print_bool(struct rust_name *r)
{
	uint64_t value;

	if (!value_of(read_nibbles(r), &value) || value > 1)
		rust_fail(r);
	rust_word(r, value ? "true" : "false");
}

static void print_escaped(struct rust_name *r, uint32_t code, char quote)
{
	static const char hex[] = "0123456789abcdef";
	static const char plain[] = "\t\r\n\\", letters[] = "trn\\";
	const char *found = code > 0 && code < 0x80 ? strchr(plain, (int)code) : NULL;
	char pair[2] = { '\\', quote };

	if (found || code == (uint32_t)quote) {
		pair[1] = found ? letters[found - plain] : quote;
		rust_bytes(r, pair, 2);
	} else if (code == 0) {
		rust_word(r, "\\0");
	} else if (code < 0x20 || code == 0x7f) {
		rust_word(r, "\\u{");
		if (code >= 16)
			rust_bytes(r, &hex[code >> 4], 1);
		rust_bytes(r, &hex[code & 15], 1);
		rust_word(r, "}");
	} else {
		rust_code_point(r, code);
	}
}

static void print_char(struct rust_name *r)
{
	uint64_t value;

	if (!value_of(read_nibbles(r), &value) || value > 0x10ffff) {
		rust_fail(r);
		return;
	}
	rust_word(r, "'");
	print_escaped(r, (uint32_t)value, '\'');
	rust_word(r, "'");
}

/*
 * Decode a UTF-8 character from hexadecimal digits. Return its size in bytes, or 0 if it is
 * invalid.
 */
static size_t decode_character(struct cairn_bytes nibbles, uint32_t *code)
{
	uint8_t bytes[4] = { 0 };
	size_t count = nibbles.size / 2, size;

	for (size_t i = 0; i < count && i < 4; i++)
		bytes[i] = (uint8_t)(find_nibble(nibbles.data[2 * i]) << 4 |
		                     find_nibble(nibbles.data[2 * i + 1]));
	size = bytes[0] < 0x80 ? 1 : bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
	if (size > count || (bytes[0] >= 0x80 && bytes[0] < 0xc2) || bytes[0] > 0xf4)
		return 0;
	*code = size == 1 ? bytes[0] : bytes[0] & (0xffu >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (bytes[i] & 0x3f);
	}
	return size;
}

static void print_text(struct rust_name *r)
{
	struct cairn_bytes nibbles = read_nibbles(r);
	uint32_t code = 0;

	if (nibbles.size % 2 != 0)
		rust_fail(r);
	rust_word(r, "\"");
	while (nibbles.size > 0 && !r->failed) {
		size_t size = decode_character(nibbles, &code);
		if (size == 0) {
			rust_fail(r);
			break;
		}
		print_escaped(r, code, '"');
		nibbles.data += 2 * size;
		nibbles.size -= 2 * size;
	}
	rust_word(r, "\"");
}

static void print_inner_constant(struct rust_name *r)
{
	rust_constant(r, true);
}

static void print_field(struct rust_name *r)
{
	print_identifier(r, rust_read_identifier(r));
	rust_word(r, ": ");
	rust_constant(r, true);
}

static void print_variant(struct rust_name *r)
{
	rust_path(r, true);
	if (rust_take(r, 'T')) {
		rust_word(r, "(");
		(void)rust_list(r, ", ", print_inner_constant);
		rust_word(r, ")");
	} else if (rust_take(r, 'S')) {
		rust_word(r, " { ");
		(void)rust_list(r, ", ", print_field);
		rust_word(r, " }");
	} else if (!rust_take(r, 'U')) {
		rust_fail(r);
	}
}

/* Print a constant reference. A reference to a string is printed as the string. */
static void print_constant_reference(struct rust_name *r, bool mutable)
{
	if (!mutable && rust_take(r, 'e')) {
		print_text(r);
		return;
	}
	rust_word(r, mutable ? "&mut " : "&");
	rust_constant(r, true);
}

static void print_earlier_constant(struct rust_name *r, bool in_value)
{
	size_t back = rust_begin_reference(r);

	if (back == SIZE_MAX)
		return;
	rust_constant(r, in_value);
	r->at = r->failed ? r->name.size : back;
}

/* Print a compound constant, in braces unless it is nested in another constant. */
static void print_compound(struct rust_name *r, uint8_t kind, bool in_value)
{
	size_t count;

	rust_word(r, in_value ? "" : "{");
	switch (kind) {
	case 'e':
		rust_word(r, "*");
		print_text(r);
		break;
	case 'R':
	case 'Q':
		print_constant_reference(r, kind == 'Q');
		break;
	case 'A':
		rust_word(r, "[");
		(void)rust_list(r, ", ", print_inner_constant);
		rust_word(r, "]");
		break;
	case 'T':
		rust_word(r, "(");
		count = rust_list(r, ", ", print_inner_constant);
		rust_word(r, count == 1 ? ",)" : ")");
		break;
	default:
		print_variant(r);
		break;
	}
	rust_word(r, in_value ? "" : "}");
}

static void print_simple(struct rust_name *r, uint8_t kind, bool in_value)
{
	if (kind == 'p') {
		rust_word(r, "_");
	} else if (kind == 'b') {
		print_bool(r);
	} else if (kind == 'c') {
		print_char(r);
	} else if (kind == 'B') {
		print_earlier_constant(r, in_value);
	} else if (kind != 0 && strchr("hjmoty", kind)) {
		print_whole_number(r);
	} else if (kind != 0 && strchr("ailnsx", kind)) {
		rust_word(r, rust_take(r, 'n') ? "-" : "");
		print_whole_number(r);
	} else {
		rust_fail(r);
	}
}

static void rust_constant(struct rust_name *r, bool in_value)
{
	if (!rust_enter(r))
		return;
	uint8_t kind = rust_next(r);
	bool text = kind == 'R' && rust_peek(r) == 'e';
	if (kind != 0 && strchr("eRQATV", kind))
		print_compound(r, kind, in_value || text);
	else
		print_simple(r, kind, in_value);
	rust_leave(r);
}

size_t rust_demangle(struct cairn_bytes name, char *out, size_t capacity, bool *exhausted)
{
	*exhausted = name.size > RUST_NAME_MAX;
	if (name.size < 3 || *exhausted || memcmp(name.data, "_R", 2) != 0)
		return 0;
	struct rust_name r = { .name = { name.data + 2, name.size - 2 },
		               .out = out,
		               .capacity = capacity,
		               .steps = RUST_STEPS + RUST_STEPS_TIMES * (unsigned)name.size };
	rust_path(&r, true);
	if (!r.failed && r.at < r.name.size) {
		r.silent = true;
		rust_path(&r, false);
	}
	*exhausted = r.exhausted;
	return r.failed || r.at != r.name.size ? 0 : r.size;
}
