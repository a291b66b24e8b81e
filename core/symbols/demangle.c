/* SPDX-License-Identifier: MIT */
/* Demangles names in each language, for all commands and both plugins. */
#include "demangle.h"

#include "symbol_name.h"

#include "base/bytes.h"
#include "formats/itanium/itanium.h"
#include "formats/rust.h"
#include "formats/swift/mangled.h"

#include <string.h>

/*
 * Detects names on which the GNU demangler, which is part of GDB, seems to hang because it repeats
 * work without producing output:
 *
 *	Dp TYPE, sp EXPRESSION, sZ EXPRESSION    searches the whole expansion of the pattern for a
 *	                                         pack: up to 3^(k/3) steps for k references
 *	cv ... T_ I                              parses the arguments twice, nested ones as well
 *	G NUMBER _ in "F" and "D" of Rust        counts lifetimes up to NUMBER, even in components
 *	                                         that are not printed
 *	B NUMBER _ of Rust                       follows chains of references each time that a
 *	                                         component is printed
 *
 * References inside identifiers are counted too, which merely rejects more names.
 */
enum {
	/*
	 * maximum number of references in a pattern; this many take 59,000 steps, about 0.3 ms, and
	 * real names have up to 24
	 */
	PATTERN_REFERENCES = 30,
	CONVERSION_ARGUMENTS = 8,
	/*
	 * maximum length of a chain of references; compilers refer to the entity itself, never to
	 * another reference
	 */
	RUST_HOPS = 4,
	/*
	 * maximum number of base-62 digits in a count of lifetimes; with this many, five bytes of a
	 * name stand for 3,800 lifetimes, and real names have one digit
	 */
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
 * Return the end of the reference ("S1_", "T_" etc.) that begins with `letter` at `at`, or `at` if
 * no such reference begins there.
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
 * Return true if a template parameter without arguments begins at `at`. When demanglers look for a
 * pack, they do not search further than such a parameter.
 */
static bool is_parameter(struct cairn_bytes name, size_t at)
{
	size_t end = reference_end(name, at, 'T');

	return end > at && peek_name_byte(name, end) != 'I';
}

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
 * Return true if `at` is the start of a type that demanglers search for packs. They do not search
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
 * Return true if `at` is the start of an expression (after "sp" or "sZ") that demanglers search for
 * packs. "at" and "st" are followed by a type.
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
 * Count the template parameters that have arguments. Returns 0 if the name has no conversion
 * operator.
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
 * Return the target of the back reference at `at`, or `at` if the target does not precede the
 * reference. In Rust names, offsets are relative to the end of "_R".
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

enum { SUFFIX_DOTS = 8 };

static size_t read_bare_symbol(struct cairn_bytes name, char *out, size_t capacity, bool *exhausted,
                               uint64_t *steps)
{
	struct itanium work;
	size_t size;

	if (name.size > 1 && name.data[1] == 'R') {
		size = rust_demangle(name, out, capacity, exhausted);
		/*
		 * The output size measures the work, because few steps print nothing. However, a
		 * name may turn out to be invalid at its very end, so count the maximum if
		 * demangling fails.
		 */
		*steps += size ? size : RUST_STEPS + RUST_STEPS_TIMES * (uint64_t)name.size;
		return size;
	}
	size = itanium_demangle(&work, name, out, capacity);
	*exhausted = work.exhausted;
	*steps += work.steps + name.size;
	return size;
}

size_t demangled_size(struct cairn_bytes name)
{
	char out[DEMANGLE_TEXT_MAX];
	uint64_t steps = 0;
	bool exhausted;

	if (name.size < 3 || memchr(name.data, '\0', name.size))
		return 0;
	if (name.size > DEMANGLE_NAME_MAX || !demangle_guard_passes(name))
		return SIZE_MAX;
	size_t size = read_bare_symbol(name, out, sizeof(out), &exhausted, &steps);
	return exhausted ? SIZE_MAX : size;
}

static size_t read_symbol(struct cairn_bytes name, char *out, size_t capacity, uint64_t *steps)
{
	bool exhausted;

	return read_bare_symbol(name, out, capacity, &exhausted, steps);
}

static struct cairn_bytes skip_text_bytes(struct cairn_bytes text, size_t size)
{
	return (struct cairn_bytes){ text.data + size, text.size - size };
}

static size_t copy_word(const char *word, char *out, size_t capacity)
{
	size_t size = strlen(word);

	if (size > capacity)
		return 0;
	memcpy(out, word, size);
	return size;
}

static bool append_piece(struct cairn_bytes piece, char *out, size_t *size, size_t capacity)
{
	if (piece.size > capacity - *size)
		return false;
	memcpy(out + *size, piece.data, piece.size);
	*size += piece.size;
	return true;
}

static struct cairn_bytes word_bytes(const char *word)
{
	return (struct cairn_bytes){ (const uint8_t *)word, strlen(word) };
}

static size_t append_enclosed(struct cairn_bytes suffix, const char *before, const char *after,
                              char *out, size_t size, size_t capacity)
{
	return append_piece(word_bytes(before), out, &size, capacity) &&
	                       append_piece(suffix, out, &size, capacity) &&
	                       append_piece(word_bytes(after), out, &size, capacity)
	               ? size
	               : 0;
}

static bool is_digit(struct cairn_bytes text, size_t at)
{
	return at < text.size && text.data[at] >= '0' && text.data[at] <= '9';
}

static bool is_clone_letter(struct cairn_bytes text, size_t at)
{
	return is_digit(text, at) ||
	       (at < text.size &&
	        ((text.data[at] >= 'a' && text.data[at] <= 'z') || text.data[at] == '_'));
}

/*
 * Return the size of the first suffix, including its numbers (7 for ".isra.0.cold"), or 0 if gcc
 * does not create such suffixes.
 */
static size_t clone_size(struct cairn_bytes suffix)
{
	size_t end = 1;

	if (!is_clone_letter(suffix, 1))
		return 0;
	while (is_clone_letter(suffix, end))
		end++;
	while (end < suffix.size && suffix.data[end] == '.' && is_digit(suffix, end + 1)) {
		end++;
		while (is_digit(suffix, end))
			end++;
	}
	return end;
}

/*
 * Append suffixes as " [clone .isra.0] [clone .cold]", like binutils. Returns 0 if gcc does not
 * create such suffixes or the output does not fit.
 */
static size_t append_clones(struct cairn_bytes suffix, char *out, size_t size, size_t capacity)
{
	while (suffix.size > 0 && size > 0) {
		struct cairn_bytes one = { suffix.data, clone_size(suffix) };
		if (one.size == 0)
			return 0;
		size = append_enclosed(one, " [clone ", "]", out, size, capacity);
		suffix = skip_text_bytes(suffix, one.size);
	}
	return size;
}

static size_t append_suffix(struct cairn_bytes suffix, bool clones, char *out, size_t size,
                            size_t capacity)
{
	if (suffix.size == 0)
		return size;
	return clones ? append_clones(suffix, out, size, capacity)
	              : append_enclosed(suffix, " (", ")", out, size, capacity);
}

/*
 * Demangle a name with a suffix to "f() (.cold)" or "f() [clone .cold]". The suffix begins at a
 * dot, but not necessarily at the first one, because gcc's names for unnamed entities contain dots.
 */
static size_t read_with_suffix(struct cairn_bytes name, bool clones, char *out, size_t capacity,
                               uint64_t *steps)
{
	size_t size, dots = 0;

	for (size_t at = 0; at <= name.size && dots < SUFFIX_DOTS; at++) {
		if (at < name.size && name.data[at] != '.')
			continue;
		dots++;
		size = read_symbol((struct cairn_bytes){ name.data, at }, out, capacity, steps);
		if (size > 0)
			return append_suffix(skip_text_bytes(name, at), clones, out, size,
			                     capacity);
	}
	return 0;
}

/*
 * Return true for "_block_invoke" and "_block_invoke_2", followed by the end of the string or a
 * dot.
 */
static bool is_block_suffix(struct cairn_bytes text)
{
	static const char word[] = "_block_invoke";
	size_t at = sizeof(word) - 1;

	if (!bytes_begin_with(text, word))
		return false;
	bool numbered = at < text.size && text.data[at] == '_';
	size_t digits = at + numbered, end = digits;
	while (end < text.size && text.data[end] >= '0' && text.data[end] <= '9')
		end++;
	return (end == text.size || text.data[end] == '.') && !(numbered && end == digits);
}

/* Demangle "___Z" ENCODING "_block_invoke", the name of a clang block's code. */
static size_t read_block_symbol(struct cairn_bytes name, char *out, size_t capacity,
                                uint64_t *steps)
{
	struct cairn_bytes inner = skip_text_bytes(name, 2);
	size_t size = copy_word("invocation function for block in ", out, capacity);

	for (size_t at = inner.size; size > 0 && at-- > 0;) {
		if (!is_block_suffix(skip_text_bytes(inner, at)))
			continue;
		inner.size = at;
		size_t more = read_symbol(inner, out + size, capacity - size, steps);
		return more ? size + more : 0;
	}
	return 0;
}

/*
 * Return the offset of a ".llvm." suffix, or the size of the name. Truncating the name at its first
 * dot would be wrong, because legacy Rust names themselves contain dots.
 */
static size_t find_llvm_suffix(struct cairn_bytes name)
{
	struct cairn_bytes rest = name;

	while (rest.size > 0 && !bytes_begin_with(rest, ".llvm.")) {
		const uint8_t *dot = memchr(rest.data + 1, '.', rest.size - 1);
		rest = skip_text_bytes(rest, dot ? (size_t)(dot - rest.data) : rest.size);
	}
	return name.size - rest.size;
}

/*
 * Demangle a legacy Rust name. Must be tried before C++, because legacy Rust mangling looks like
 * C++.
 */
static size_t read_older_rust(struct cairn_bytes name, char *out, size_t capacity)
{
	char text[DEMANGLE_NAME_MAX];
	const struct cairn_bytes bare = { name.data, find_llvm_suffix(name) };

	if (bare.size > sizeof(text))
		return 0;
	size_t size = symbol_name_rust(bare, text);
	if (size == 0 || size > capacity)
		return 0;
	memcpy(out, text, size);
	return append_suffix(skip_text_bytes(name, bare.size), false, out, size, capacity);
}

static size_t read_swift(struct cairn_bytes name, enum swift_form form, char *out, size_t capacity,
                         uint64_t *steps)
{
	struct swift_names work;
	bool exhausted;
	size_t size = swift_demangle(&work, name, form, out,
	                             capacity < DEMANGLE_TEXT_MAX ? capacity : DEMANGLE_TEXT_MAX,
	                             &exhausted);

	*steps += work.steps;
	return size;
}

static size_t read_plain(struct cairn_bytes name, enum demangle_style style, char *out,
                         size_t capacity, uint64_t *steps)
{
	size_t size = 0;

	if (bytes_begin_with(name, "___Z"))
		return read_block_symbol(name, out, capacity, steps);
	if (swift_is_mangled(name))
		return read_swift(name, SWIFT_SHORT, out, capacity, steps);
	if (!bytes_begin_with(name, "_Z") && !bytes_begin_with(name, "_R"))
		return 0;
	if (style == DEMANGLE_GNU)
		size = read_older_rust(name, out, capacity);
	return size ? size
	            : read_with_suffix(name, style == DEMANGLE_GNU && name.data[1] == 'Z', out,
	                               capacity, steps);
}

static size_t read_dotted_symbol(struct cairn_bytes name, enum demangle_style style, char *out,
                                 size_t capacity, uint64_t *steps)
{
	if (name.size == 0 || memchr(name.data, '\0', name.size))
		return 0;
	if (name.data[0] != '.')
		return read_plain(name, style, out, capacity, steps);
	size_t dot = copy_word(".", out, capacity);
	size_t size = read_plain(skip_text_bytes(name, 1), style, out + dot, capacity - dot, steps);
	return size ? dot + size : 0;
}

size_t demangle_name(struct cairn_bytes name, enum demangle_style style, char *out, size_t capacity)
{
	uint64_t steps = 0;

	return read_dotted_symbol(name, style, out, capacity, &steps);
}

static size_t read_underscored(struct cairn_bytes word, enum demangle_style style, char *out,
                               size_t capacity, uint64_t *steps)
{
	size_t size = read_dotted_symbol(word, style, out, capacity, steps);

	if (size == 0 && word.size > 0 && word.data[0] == '_')
		size = read_dotted_symbol(skip_text_bytes(word, 1), style, out, capacity, steps);
	return size;
}

size_t demangle_word(struct cairn_bytes word, enum demangle_style style, char *out, size_t capacity)
{
	uint64_t steps = 0;

	return read_underscored(word, style, out, capacity, &steps);
}

size_t demangle_name_within(struct cairn_bytes name, enum demangle_style style, char *out,
                            size_t capacity, struct allowance *allowance)
{
	uint64_t steps = 0;

	if (allowance->over)
		return 0;
	size_t size = read_dotted_symbol(name, style, out, capacity, &steps);
	allowance_draw(allowance, steps);
	return size;
}

size_t demangle_word_within(struct cairn_bytes word, enum demangle_style style, char *out,
                            size_t capacity, struct allowance *allowance)
{
	uint64_t steps = 0;

	if (allowance->over)
		return 0;
	size_t size = read_underscored(word, style, out, capacity, &steps);
	allowance_draw(allowance, steps);
	return size;
}

static bool is_fortran_name(struct cairn_bytes text, bool has_capitals)
{
	for (size_t i = 0; i < text.size; i++) {
		const uint8_t c = text.data[i];
		if (!is_digit(text, i) && c != '_' && !(c >= 'a' && c <= 'z') &&
		    !(has_capitals && c >= 'A' && c <= 'Z'))
			return false;
	}
	return text.size > 0;
}

/* Demangle gfortran's "__shapes_MOD_area.isra.0" to "shapes::area [clone .isra.0]". */
static size_t read_fortran(struct cairn_bytes name, char *out, size_t capacity)
{
	static const char middle[] = "_MOD_";
	const size_t length = sizeof(middle) - 1;
	size_t at = 2, size = 0;

	if (!bytes_begin_with(name, "__"))
		return 0;
	while (at + length < name.size && memcmp(name.data + at, middle, length) != 0)
		at++;
	if (at + length >= name.size)
		return 0;
	const struct cairn_bytes module = { name.data + 2, at - 2 };
	const uint8_t *dot = memchr(name.data + at, '.', name.size - at);
	const size_t end = dot ? (size_t)(dot - name.data) : name.size;
	const struct cairn_bytes procedure = { name.data + at + length, end - at - length };
	if (!is_fortran_name(module, false) || !is_fortran_name(procedure, true) ||
	    !append_piece(module, out, &size, capacity))
		return 0;
	size = append_enclosed(procedure, "::", "", out, size, capacity);
	return append_clones(skip_text_bytes(name, end), out, size, capacity);
}

/*
 * Demangle GNAT's "a__p__wTB.12", the body of a task, to "a.p.w", and "_ada_main" to "main". Other
 * Ada names look like C names, so leave them unchanged.
 */
static size_t read_ada(struct cairn_bytes name, char *out, size_t capacity)
{
	static const char *const ends[] = { "TKB", "TB" };
	struct cairn_bytes bare = name;
	size_t size = 0;

	while (bare.size > 0 && is_digit(bare, bare.size - 1))
		bare.size--;
	if (bare.size == name.size || bare.size == 0 || bare.data[bare.size - 1] != '.')
		bare.size = name.size;
	else
		bare.size--;
	bool is_ada = bytes_begin_with(bare, "_ada_");
	if (is_ada)
		bare = skip_text_bytes(bare, 5);
	for (size_t i = 0; !is_ada && i < sizeof(ends) / sizeof(ends[0]); i++) {
		const size_t length = strlen(ends[i]);
		is_ada = bare.size > length &&
		         memcmp(bare.data + bare.size - length, ends[i], length) == 0;
		bare.size -= is_ada ? length : 0;
	}
	if (!is_ada || !is_fortran_name(bare, false) || bare.data[0] == '_' || bare.size > capacity)
		return 0;
	for (size_t i = 0; i < bare.size; i++) {
		const bool is_dot =
			bare.data[i] == '_' && i + 1 < bare.size && bare.data[i + 1] == '_';
		out[size++] = is_dot ? '.' : (char)bare.data[i];
		i += is_dot;
	}
	return size;
}

size_t cairn_demangle(struct cairn_bytes name, char *out, size_t capacity)
{
	size_t size = demangle_name(name, DEMANGLE_GNU, out, capacity);

	if (size == 0 && name.size <= DEMANGLE_NAME_MAX)
		size = read_fortran(name, out, capacity);
	return size || name.size > DEMANGLE_NAME_MAX ? size : read_ada(name, out, capacity);
}

size_t cairn_demangle_as(struct cairn_bytes name, enum cairn_name_form form, char *out,
                         size_t capacity)
{
	uint64_t steps = 0;

	return form == CAIRN_NAME_FULL && swift_is_mangled(name)
	               ? read_swift(name, SWIFT_FULL, out, capacity, &steps)
	               : cairn_demangle(name, out, capacity);
}
