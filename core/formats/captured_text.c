/* SPDX-License-Identifier: MIT */
/* Parses log lines, which may contain a frame or information about the frames that follow. */
#include "captured_text.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/path.h"

#include <string.h>

/*
 * A cursor over one line. Functions that read an item move the cursor past it, or leave the cursor
 * unchanged if the item is not there.
 */

struct cursor {
	const uint8_t *at, *end;
};

static inline struct cursor cursor_of(struct cairn_bytes text)
{
	return (struct cursor){ text.data, text.data + text.size };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline struct cairn_bytes captured_between(const uint8_t *from, const uint8_t *to)
{
	return (struct cairn_bytes){ from, (size_t)(to - from) };
}

static inline struct cairn_bytes cursor_since(const struct cursor *c, const uint8_t *from)
{
	return captured_between(from, c->at);
}

static inline bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static size_t cursor_blanks(struct cursor *c)
{
	const uint8_t *from = c->at;

	while (c->at < c->end && is_blank(*c->at))
		c->at++;
	return (size_t)(c->at - from);
}

static bool cursor_word(struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	if (cursor_left(c) < size || memcmp(c->at, word, size) != 0)
		return false;
	c->at += size;
	return true;
}

static bool take_number(struct cursor *c, unsigned base, uint64_t *number)
{
	const uint8_t *at = c->at;
	uint64_t sum = 0;

	for (unsigned digit; at < c->end && (digit = hex_digit(*at)) < base; at++) {
		if (sum > (UINT64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	if (at == c->at)
		return false;
	c->at = at;
	*number = sum;
	return true;
}

static bool cursor_decimal(struct cursor *c, uint64_t *number)
{
	return take_number(c, 10, number);
}

static bool cursor_digits(struct cursor *c, uint64_t *number)
{
	return take_number(c, 16, number);
}

/* Read a hexadecimal number that starts with 0x. */
static bool cursor_hex(struct cursor *c, uint64_t *number)
{
	struct cursor in = *c;

	if (!cursor_word(&in, "0x") || !take_number(&in, 16, number))
		return false;
	*c = in;
	return true;
}

static const uint8_t *cursor_find(const struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	for (const uint8_t *at = c->at; (size_t)(c->end - at) >= size; at++) {
		at = memchr(at, word[0], (size_t)(c->end - at) - size + 1);
		if (!at || memcmp(at, word, size) == 0)
			return at;
	}
	return NULL;
}

static const uint8_t *cursor_find_last(const struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	for (size_t left = cursor_left(c); left >= size; left--) {
		const uint8_t *at = c->at + left - size;
		if (*at == (uint8_t)word[0] && memcmp(at, word, size) == 0)
			return at;
	}
	return NULL;
}

static bool ends_with(const uint8_t *from, const uint8_t *end, const char *word)
{
	size_t size = strlen(word);

	return (size_t)(end - from) >= size && memcmp(end - size, word, size) == 0;
}

static const uint8_t *find_word(const uint8_t *from, const uint8_t *end)
{
	while (end > from && !is_blank(end[-1]))
		end--;
	return end;
}

static struct cairn_bytes cursor_id(struct cursor *c)
{
	const uint8_t *from = c->at;

	while (c->at < c->end && hex_digit(*c->at) < HEX_NO_DIGIT)
		c->at++;
	return cursor_since(c, from);
}

static struct cairn_bytes trim(struct cairn_bytes text)
{
	while (text.size > 0 &&
	       (is_blank(text.data[text.size - 1]) || text.data[text.size - 1] == '\r'))
		text.size--;
	return text;
}

/*
 * Parses frames printed by sanitizers, debuggers, run-time libraries, profilers and virtual
 * machines. Each parser receives a trimmed line of limited length, and returns false if the line
 * does not contain a frame in its format.
 */

enum {
	PAGE = 4096,
	/*
	 * maximum number of words after the file name in a process title that the program has set
	 */
	TITLE_WORDS = 2,
	LLVM_ADDRESS = 18, /* length of a 64-bit address with 0x and leading zeros */
	WHOLE_DIGITS = 16, /* number of hexadecimal digits in a full-width address without 0x */
	/*
	 * minimum number of digits in an address printed by perf; shorter strings may be English
	 * words
	 */
	PERF_DIGITS = 6,
	/*
	 * Offsets and link-time addresses fit into this many bits; run-time addresses of
	 * position-independent programs do not.
	 */
	OFFSET_BITS = 32,
};

/*
 * Frames that begin with a number:
 *
 *	sanitizer = "#" n " " [address " "] ["in " function] [" " source] [" (" path "+" offset ")"] [" (BuildId: " id ")"]
 *	coredump  = "#" n "  " address " " function " (" module [" + " offset] ")"
 *	debugger  = "#" n "  " address " in " function " (" ... ")" [" at " source | " from " path]
 *	llvm      = "#" n " " address [" " function] (" " source | " (" path "+" offset ")")
 *	cpptrace  = "#" n " " address [" in " function] " at " (source | path)
 *	libgfortran = "#" n " " address " in ???"
 *
 * These frames are parsed from the right, because function names may contain spaces and
 * parentheses.
 *
 * Addresses printed by sanitizers, cpptrace and libgfortran lie within the call instruction. An
 * exception is the innermost frame of a program that was stopped by a signal: sanitizers print the
 * exact pc of this frame, which can be recognized because the error line contains the same pc. LLVM
 * prints return addresses, with 16 digits and without "in".
 */

/* Parse "FILE:LINE" or "FILE:LINE:COLUMN". Return false for other strings. */
static bool read_source(struct cairn_bytes text, struct captured_frame *frame)
{
	size_t colon = text.size, numbers = 0;
	uint64_t number[2] = { 0, 0 };

	while (numbers < 2) {
		size_t at = colon;
		while (at > 0 && text.data[at - 1] >= '0' && text.data[at - 1] <= '9')
			at--;
		struct cursor digits = { text.data + at, text.data + colon };
		if (at < 2 || text.data[at - 1] != ':' ||
		    !cursor_decimal(&digits, &number[numbers]))
			break;
		colon = at - 1;
		numbers++;
	}
	if (numbers == 0 || number[numbers - 1] == 0)
		return false;
	frame->file = captured_between(text.data, text.data + colon);
	frame->line = number[numbers - 1];
	return true;
}

/* Parse a module and a hexadecimal offset, separated by `plus`. */
static bool read_place(struct cairn_bytes text, const char *plus, struct captured_frame *frame)
{
	struct cursor c = cursor_of(text);
	const uint8_t *at = cursor_find_last(&c, plus);
	struct cursor digits = { at ? at + strlen(plus) : c.end, c.end };

	if (!at || at == text.data || !cursor_hex(&digits, &frame->offset) ||
	    digits.at != digits.end)
		return false;
	frame->module = captured_between(text.data, at);
	return true;
}

static bool read_coredump_place(struct cairn_bytes text, struct captured_frame *frame)
{
	if (!read_place(text, " + ", frame))
		return false;
	frame->source = CAPTURED_COREDUMP;
	frame->origin = CAPTURED_FROM_MODULE;
	if (bytes_are(frame->module, "n/a")) {
		frame->module.size = 0;
		frame->origin = CAPTURED_NO_OFFSET;
	}
	return true;
}

static void take_build_id(struct cairn_bytes *rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(*rest);
	const uint8_t *at = cursor_find_last(&c, "(BuildId: ");

	if (!at)
		return;
	struct cursor id = { at + strlen("(BuildId: "), c.end };
	const struct cairn_bytes digits = cursor_id(&id);
	if (digits.size == 0 || digits.size % 2 != 0 || !cursor_word(&id, ")") || id.at != id.end)
		return;
	frame->id = digits;
	*rest = trim(captured_between(rest->data, at));
}

/* Remove the last parentheses in *rest if they contain a location in a module. */
static bool take_place(struct cairn_bytes *rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(*rest);
	const uint8_t *open = cursor_find_last(&c, "(");

	if (!open || rest->data[rest->size - 1] != ')' ||
	    (open > rest->data && !is_blank(open[-1])))
		return false;
	const struct cairn_bytes inner = captured_between(open + 1, c.end - 1);
	/* try the format of systemd-coredump before the format of sanitizers */
	if (!read_coredump_place(inner, frame)) {
		if (!read_place(inner, "+", frame))
			return false;
		frame->origin = CAPTURED_FROM_ZERO;
	}
	*rest = trim(captured_between(rest->data, open));
	return true;
}

static struct cairn_bytes drop_placeholder(struct cairn_bytes name)
{
	if (bytes_are(name, "n/a") || bytes_are(name, "??") || bytes_are(name, "???") ||
	    bytes_are(name, "<null>") || bytes_are(name, "<unknown>"))
		name.size = 0;
	return name;
}

/* Parse a sanitizer's "FUNCTION SOURCE". SOURCE may be missing. */
static void read_function_and_source(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);
	const uint8_t *blank = cursor_find_last(&c, " ");

	if (blank && (read_source(captured_between(blank + 1, c.end), frame) ||
	              bytes_are(captured_between(blank + 1, c.end), "<null>")))
		rest = trim(captured_between(rest.data, blank));
	frame->function = drop_placeholder(rest);
}

/*
 * Parse cpptrace's "FUNCTION at SOURCE", or "at MODULE" if the function is unknown. `in` is true if
 * "in " preceded the function. GDB's format is similar, but has a space and the arguments in
 * parentheses after the function, and no column.
 */
static bool read_cpptrace(struct cairn_bytes rest, bool in, struct captured_frame *frame)
{
	const struct cursor c = cursor_of(rest);
	const uint8_t *at = cursor_find_last(&c, in ? " at " : "at ");
	struct captured_frame read = *frame;

	if (!at || (!in && at != rest.data) || (in && at == rest.data))
		return false;
	const struct cairn_bytes place = captured_between(at + strlen("at ") + in, c.end);
	if (!read_source(place, &read)) {
		if (place.size == 0 || place.data[0] != '/')
			return false;
		read.module = place;
		/* cpptrace prints link-time addresses if the program requests it */
		if (frame->address >> OFFSET_BITS == 0) {
			read.has_address = false;
			read.origin = CAPTURED_FROM_ZERO;
			read.offset = frame->address;
		}
	} else if (in && at[-1] == ')' && cursor_find(&c, " (") &&
	           !memchr(place.data + read.file.size + 1, ':', place.size - read.file.size - 1)) {
		return false;
	}
	if (in)
		read.function = drop_placeholder(trim(captured_between(rest.data, at)));
	*frame = read;
	return true;
}

/*
 * Parse GDB's "FUNCTION (ARGUMENTS) at SOURCE" or "FUNCTION (ARGUMENTS) from PATH". Return false if
 * there are no arguments in parentheses.
 */
static bool read_debugger_call(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);
	const uint8_t *open = cursor_find(&c, " (");
	const uint8_t *at = cursor_find_last(&c, ") at "), *from = cursor_find_last(&c, ") from ");

	if (!open || (!at && !from && c.end[-1] != ')'))
		return false;
	if (at)
		read_source(captured_between(at + strlen(") at "), c.end), frame);
	else if (from)
		frame->module = captured_between(from + strlen(") from "), c.end);
	frame->source = CAPTURED_DEBUGGER;
	frame->function = drop_placeholder(captured_between(rest.data, open));
	return true;
}

/* Parse the function and source location after the address. */
static bool read_names(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);
	const bool in = cursor_word(&c, "in ");
	const bool place = frame->origin != CAPTURED_NO_OFFSET;

	rest = captured_between(c.at, c.end);
	if (rest.size == 0 && !place)
		frame->source = CAPTURED_DEBUGGER;
	if (rest.size == 0)
		return !in;
	if (!place && frame->has_address && read_cpptrace(rest, in, frame))
		return true;
	if (in && !place && read_debugger_call(rest, frame))
		return true;
	if (in || place) {
		read_function_and_source(rest, frame);
		/* libgfortran prints "???" in stripped programs */
		if (in && bytes_are(rest, "???"))
			return frame->has_address;
		return place || frame->line > 0 || frame->function.size > 0;
	}
	/* only debuggers print a single word after the address */
	if (frame->source == CAPTURED_SANITIZER)
		frame->source = CAPTURED_DEBUGGER;
	frame->function = drop_placeholder(rest);
	return frame->has_address && rest.data[0] != '(' && !memchr(rest.data, ' ', rest.size);
}

/*
 * Return true for a frame that has a location in a module but no address. If another "#" or an
 * address follows the number, the number belongs to other text before the frame.
 */
static bool is_placed_alone(struct cairn_bytes rest, const struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);

	return frame->origin != CAPTURED_NO_OFFSET && !cursor_find(&c, " #") &&
	       !cursor_word(&c, "0x");
}

/*
 * Parse LLVM's "FUNCTION SOURCE" or a location in a module, after an address of 16 digits and one
 * space.
 */
static bool read_llvm_names(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);

	if (cursor_word(&c, "in ") || cursor_word(&c, "at ") || bytes_are(rest, "in"))
		return false;
	if (frame->origin != CAPTURED_FROM_ZERO && frame->origin != CAPTURED_NO_OFFSET)
		return false;
	struct captured_frame read = *frame;
	if (rest.size > 0)
		read_function_and_source(rest, &read);
	if (read.origin == CAPTURED_NO_OFFSET && read.line == 0)
		return false;
	*frame = read;
	frame->source = CAPTURED_LLVM;
	return true;
}

static enum captured_pc choose_pc(struct captured_text *text, const struct captured_frame *frame)
{
	if (frame->source == CAPTURED_LLVM)
		return CAPTURED_PC_RETURN;
	if (frame->source != CAPTURED_SANITIZER)
		return frame->number == 0 ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
	const bool stopped = frame->number == 0 && text->has_head && frame->has_address &&
	                     frame->address == text->head;
	text->has_head = false;
	return stopped ? CAPTURED_PC_EXACT : CAPTURED_PC_CALL;
}

/* Parse a frame that starts with '#' and a number. `in` must be at the '#'. */
static bool read_numbered(struct captured_text *text, struct cursor in,
                          struct captured_frame *frame)
{
	const uint8_t *start = in.at;

	*frame = (struct captured_frame){ .source = CAPTURED_SANITIZER, .numbered = true };
	if (!cursor_word(&in, "#") || !cursor_decimal(&in, &frame->number) ||
	    cursor_blanks(&in) == 0)
		return false;
	const uint8_t *digits = in.at;
	frame->has_address = cursor_hex(&in, &frame->address);
	const bool wide = frame->has_address && in.at - digits == LLVM_ADDRESS;
	const size_t blanks = frame->has_address ? cursor_blanks(&in) : 1;
	if (blanks == 0 && in.at < in.end)
		return false;
	struct cairn_bytes rest = bytes_trim(captured_between(in.at, in.end), " \t", "");
	frame->text = captured_between(start, in.end);
	if (rest.size > 0)
		take_build_id(&rest, frame);
	if (rest.size > 0)
		take_place(&rest, frame);
	if (!frame->has_address && !is_placed_alone(rest, frame))
		return false;
	if (!(wide && blanks == 1 && read_llvm_names(rest, frame)) && !read_names(rest, frame))
		return false;
	frame->pc = choose_pc(text, frame);
	return true;
}

/*
 * Frames printed by backtrace_symbols() of glibc:
 *
 *	path [" "] "(" function "+" offset ")" [" "] "[" address "]"
 *	path "(+" offset ")" [" "] "[" address "]"        the offset is a link-time address
 *	path ["()"] [" "] "[" address "]"                 a program linked at a fixed address
 *	"[" address "]"                                   in no module
 *
 * If a program has set its process title, the title replaces the path. Other programs print the
 * same information differently:
 *
 *	path "(" (address | offset) ")" " [" address "]"  Ruby, if the function is unknown
 *	n ": " path " (" function "+" offset ")" " [" address "]"    the X server
 *	n ": (" function "+" offset ")" " [" address "]"  Ceph; function names have brackets
 */

static void read_bracket(struct cursor inner, struct captured_frame *frame)
{
	const uint8_t *plus = cursor_find_last(&inner, "+0x");
	struct cursor digits = { plus ? plus + 1 : inner.end, inner.end };

	if (inner.at == inner.end) {
		frame->origin = CAPTURED_FROM_ZERO;
		frame->offset = frame->address;
	} else if (plus && cursor_hex(&digits, &frame->offset) && digits.at == digits.end) {
		frame->function = captured_between(inner.at, plus);
		frame->origin = plus > inner.at ? CAPTURED_FROM_SYMBOL : CAPTURED_FROM_ZERO;
	}
}

/* Parse a frame number such as "3: " before `end`. */
static bool read_number_before(const struct cursor *in, const uint8_t *end,
                               struct captured_frame *frame)
{
	if (end - in->at < 3 || end[-1] != ' ' || end[-2] != ':')
		return false;
	struct cursor digits = { find_word(in->at, end - 2), end - 2 };
	frame->numbered = cursor_decimal(&digits, &frame->number) && digits.at == digits.end;
	return frame->numbered;
}

/*
 * Parse the number in parentheses that Ruby prints if it does not know the function: either the
 * address again, or the link-time address. The two must agree modulo the page size, because modules
 * start at page boundaries.
 */
static bool read_number_in_bracket(struct cursor inner, struct captured_frame *frame)
{
	uint64_t number;

	if (!cursor_hex(&inner, &number) || inner.at != inner.end)
		return false;
	if (number != frame->address) {
		frame->origin = CAPTURED_FROM_ZERO;
		frame->offset = number;
	}
	return (frame->address - number) % PAGE == 0;
}

/*
 * Return true if a word may belong to a process title that the program has set. Such a title
 * consists of the file name without its path and additional words, for example Redis' listening
 * address and mode ("redis-server *:6379 [cluster]").
 */
static bool is_title_word(const uint8_t *word, const uint8_t *end)
{
	const uint8_t *digits = end;

	while (digits > word && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return (digits < end && digits - word > 1 && digits[-1] == ':') ||
	       (end - word > 2 && *word == '[' && end[-1] == ']');
}

/*
 * Parse the module: the word before the bracket at `open`, or before the address if `open` is NULL.
 */
static bool read_module_word(const struct cursor *in, const uint8_t *end, const uint8_t *open,
                             struct captured_frame *frame)
{
	const uint8_t *last = open ? open : end;

	/* the X server prints a space before the bracket */
	if (open && last > in->at && last[-1] == ' ')
		last--;
	const uint8_t *first = find_word(in->at, last);
	for (unsigned i = 0; i < TITLE_WORDS && first > in->at && is_title_word(first, last); i++) {
		for (last = first - 1; last > in->at && is_blank(last[-1]);)
			last--;
		first = find_word(in->at, last);
	}
	const bool numbered = read_number_before(in, first, frame);
	frame->module = captured_between(first, last);
	frame->text.data = first;
	/*
	 * other log lines also contain text before brackets, so require a frame number, a bracket
	 * without a space, or a path
	 */
	return frame->module.size > 0 && *first != '(' &&
	       (numbered || (open && open[-1] != ' ') || memchr(first, '/', frame->module.size));
}

static const uint8_t *find_bracket_without_module(const struct cursor *in, const uint8_t *end,
                                                  struct captured_frame *frame)
{
	const struct cursor before = { in->at, end };
	const uint8_t *at = cursor_find(&before, ": (");

	return at && read_number_before(in, at + 2, frame) ? at + 2 : NULL;
}

/*
 * Parse the module and function between `in` and `end`, where the address begins. Return false if
 * they are not in glibc's format.
 */
static bool read_module(const struct cursor *in, const uint8_t *end, struct captured_frame *frame)
{
	const bool bracket = end > in->at && end[-1] == ')';
	const struct cursor before = { in->at, end };
	const uint8_t *open = bracket ? find_bracket_without_module(in, end, frame) : NULL;

	if (open) {
		frame->text.data = open;
	} else {
		open = bracket ? cursor_find_last(&before, "(") : NULL;
		if ((bracket && !open) || !read_module_word(in, end, open, frame))
			return false;
	}
	const struct cursor inner = { open ? open + 1 : end, open ? end - 1 : end };
	read_bracket(inner, frame);
	if (open && frame->origin == CAPTURED_NO_OFFSET && !read_number_in_bracket(inner, frame))
		return false;
	/* a link-time address says nothing without the module */
	if (frame->module.size == 0 && frame->origin == CAPTURED_FROM_ZERO) {
		frame->origin = CAPTURED_NO_OFFSET;
		frame->offset = 0;
	}
	return true;
}

static bool read_glibc(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *open = cursor_find_last(&in, "[0x");
	struct cursor c = { open ? open + 1 : in.end, in.end };

	*frame = (struct captured_frame){ .source = CAPTURED_GLIBC, .pc = CAPTURED_PC_RETURN };
	if (!open || !cursor_hex(&c, &frame->address) || !cursor_word(&c, "]") || c.at != c.end)
		return false;
	frame->has_address = true;
	frame->text.data = open;
	while (open > in.at && is_blank(open[-1]))
		open--;
	if (open > in.at && !read_module(&in, open, frame))
		return false;
	frame->text = cursor_since(&c, frame->text.data);
	return true;
}

/*
 * Frames printed by valgrind, perf script, the JVM, Node.js, Android and stack trace libraries:
 *
 *	valgrind = ("at " | "by ") address ": " function [" (" source ")" | " (in " path ")"]
 *	perf     = blanks digits " " (function ["+" offset] | "[unknown]") " (" path ")"
 *	hotspot  = ("C" | "V") "  [" module "+" offset "]" ["  " function]
 *	node     = n ": " address " " [function] " [" module "]"
 *	android  = "#" n " pc " digits "  " path [" (" function "+" decimal ")"] [" (BuildId: " id ")"]
 *	glog     = ["PC: "] "@ " address "  " [(decimal | "(unknown)") "  "] function
 *	boost    = n "# " (address " in " path | [function [" at " source]] " [" address "]")
 *	python   = 'Binary file "' path '"' [", at " [function] ("+" | "-") offset] " [" address "]"
 *	backward = "#" n " " 'Object "' path '", at ' address ", in" [" " function]
 *
 * Addresses printed by valgrind, backward, Android and libstdc++ (the boost format with the address
 * in brackets) lie within the call instruction. Android prints link-time addresses. perf and the
 * JVM print the exact pc in the first line of a list. In Boost's lines with a path, the address is
 * a file offset since Boost 1.83; older versions print the address in the process.
 */

static struct cairn_bytes drop_unknown(struct cairn_bytes name)
{
	static const char *const words[] = { "???", "[unknown]", "(unknown)", "??" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bytes_are(name, words[i]))
			name.size = 0;
	return name;
}

/*
 * Remove the last pair of brackets, which must end the line, and store its contents in *inner. The
 * cursor then ends before the brackets.
 */
static bool take_last_brackets(struct cursor *in, const char *open, uint8_t close,
                               struct cairn_bytes *inner)
{
	const uint8_t *at = cursor_find_last(in, open);

	if (!at || in->end[-1] != close || at + strlen(open) >= in->end)
		return false;
	*inner = captured_between(at + strlen(open), in->end - 1);
	in->end = at;
	return inner->size > 0;
}

static struct cairn_bytes rest_of(const struct cursor *in)
{
	return trim(captured_between(in->at, in->end));
}

/*
 * Return the first occurrence of `word` at the start of the line or after a space or tab, or NULL.
 */
static const uint8_t *find_first_word(const struct cursor *in, const char *word)
{
	const uint8_t *at = cursor_find(in, word);

	return at && (at == in->at || is_blank(at[-1])) ? at : NULL;
}

static bool read_valgrind(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *at = find_first_word(&in, "at 0x"), *by = find_first_word(&in, "by 0x");
	struct cairn_bytes inner;

	*frame = (struct captured_frame){ .source = CAPTURED_VALGRIND,
		                          .pc = at ? CAPTURED_PC_EXACT : CAPTURED_PC_CALL,
		                          .has_address = true };
	frame->text = captured_between(at ? at : by ? by : in.end, in.end);
	in.at = frame->text.data + (frame->text.size > 0 ? strlen("at ") : 0);
	if (!cursor_hex(&in, &frame->address) || !cursor_word(&in, ": ") || cursor_left(&in) == 0)
		return false;
	if (take_last_brackets(&in, " (in ", ')', &inner))
		frame->module = inner;
	else if (take_last_brackets(&in, " (", ')', &inner) && !read_source(inner, frame))
		return false;
	frame->function = drop_unknown(rest_of(&in));
	return frame->line > 0 || frame->module.size > 0 || frame->function.size == 0;
}

/* Parse "FUNCTION+0x12". */
static void split_function_offset(struct cairn_bytes name, struct captured_frame *frame)
{
	const struct cursor in = cursor_of(name);
	const uint8_t *plus = cursor_find_last(&in, "+0x");
	struct cursor digits = { plus ? plus + 1 : in.end, in.end };

	frame->function = name;
	if (!plus || plus == name.data || !cursor_hex(&digits, &frame->offset) ||
	    digits.at != digits.end)
		return;
	frame->function = captured_between(name.data, plus);
	frame->origin = CAPTURED_FROM_SYMBOL;
}

/*
 * Return false for strings that consist only of the letters a to f, because they may be English
 * words.
 */
static bool is_perf_address(struct cairn_bytes digits)
{
	size_t letters = 0;

	while (letters < digits.size && digits.data[letters] > '9')
		letters++;
	return digits.size >= PERF_DIGITS && letters < digits.size;
}

static bool read_perf(const struct captured_text *text, struct cursor in,
                      struct captured_frame *frame)
{
	const bool goes_on = text->list == CAPTURED_PERF;

	*frame = (struct captured_frame){ .source = CAPTURED_PERF,
		                          .pc = goes_on ? CAPTURED_PC_RETURN : CAPTURED_PC_EXACT,
		                          .has_address = true };
	if (cursor_blanks(&in) == 0)
		return false;
	frame->text = captured_between(in.at, in.end);
	if (!cursor_digits(&in, &frame->address) ||
	    !is_perf_address(captured_between(frame->text.data, in.at)) || !cursor_word(&in, " ") ||
	    !take_last_brackets(&in, " (", ')', &frame->module) ||
	    (frame->module.data[0] != '/' && frame->module.data[0] != '[') ||
	    rest_of(&in).size == 0)
		return false;
	split_function_offset(drop_unknown(rest_of(&in)), frame);
	return true;
}

static bool read_hotspot(const struct captured_text *text, struct cursor in,
                         struct captured_frame *frame)
{
	const uint8_t *start = in.at, *end = in.end, *plus;
	const bool goes_on = text->list == CAPTURED_HOTSPOT;

	*frame = (struct captured_frame){ .source = CAPTURED_HOTSPOT,
		                          .pc = goes_on ? CAPTURED_PC_RETURN : CAPTURED_PC_EXACT,
		                          .origin = CAPTURED_FROM_MODULE };
	(void)cursor_word(&in, "# ");
	if ((!cursor_word(&in, "C  [") && !cursor_word(&in, "V  [")) ||
	    !(plus = cursor_find(&in, "+0x")) || plus == in.at)
		return false;
	frame->module = captured_between(in.at, plus);
	in.at = plus + 1;
	if (!cursor_hex(&in, &frame->offset) || !cursor_word(&in, "]"))
		return false;
	cursor_blanks(&in);
	const struct cursor name = cursor_of(rest_of(&in));
	plus = cursor_find_last(&name, "+0x");
	frame->function = captured_between(name.at, plus ? plus : name.end);
	frame->text = captured_between(start, end);
	return true;
}

/*
 * Parse a frame without a module in a stack printed by the JVM, which prints no module for
 * JIT-compiled and interpreted code.
 */
static bool read_hotspot_function(const struct captured_text *text, struct cursor in,
                                  struct cairn_bytes *name)
{
	if (text->list != CAPTURED_HOTSPOT || cursor_left(&in) < 4 ||
	    !memchr("jJvA", in.at[0], 4) || in.at[1] != ' ')
		return false;
	in.at++;
	cursor_blanks(&in);
	*name = rest_of(&in);
	return name->size > 0;
}

static bool read_node(struct cursor in, struct captured_frame *frame)
{
	*frame = (struct captured_frame){ .source = CAPTURED_NODE,
		                          .pc = CAPTURED_PC_RETURN,
		                          .numbered = true,
		                          .has_address = true };
	cursor_blanks(&in);
	frame->text = captured_between(in.at, in.end);
	if (!cursor_decimal(&in, &frame->number) || !cursor_word(&in, ": ") ||
	    !cursor_hex(&in, &frame->address) || !cursor_word(&in, " ") ||
	    !take_last_brackets(&in, " [", ']', &frame->module))
		return false;
	cursor_blanks(&in);
	frame->function = rest_of(&in);
	return true;
}

/* Parse "PATH (FUNCTION+12)". The parentheses may be missing. */
static void take_android_names(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *open = cursor_find(&in, " (");
	const uint8_t *plus = cursor_find_last(&in, "+");

	frame->module = trim(captured_between(in.at, open ? open : in.end));
	if (open && plus > open && in.end[-1] == ')')
		frame->function = captured_between(open + 2, plus);
}

static bool read_android(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *id = cursor_find_last(&in, " (BuildId: ");
	struct cursor digits = { id ? id + strlen(" (BuildId: ") : in.end, in.end };

	*frame = (struct captured_frame){ .source = CAPTURED_ANDROID,
		                          .numbered = true,
		                          .origin = CAPTURED_FROM_ZERO };
	frame->text = captured_between(in.at, in.end);
	if (!cursor_word(&in, "#") || !cursor_decimal(&in, &frame->number) ||
	    !cursor_word(&in, " pc ") || !cursor_digits(&in, &frame->offset) ||
	    cursor_blanks(&in) == 0)
		return false;
	frame->pc = frame->number == 0 ? CAPTURED_PC_EXACT : CAPTURED_PC_CALL;
	if (id && id >= in.at) {
		in.end = id;
		frame->id = cursor_id(&digits);
	}
	if (frame->id.size % 2 != 0)
		frame->id.size = 0;
	take_android_names(in, frame);
	/*
	 * reject a library inside a package (APK), because its offsets are relative to the library,
	 * not to the start of the package
	 */
	return frame->module.size > 0 && frame->module.data[0] == '/' &&
	       !cursor_find(&in, "(offset 0x");
}

/* Skip the frame size that Abseil prints before the function. */
static void pass_frame_size(struct cursor *in)
{
	struct cursor c = *in;
	uint64_t size;

	if ((cursor_word(&c, "(unknown)") || cursor_decimal(&c, &size)) && cursor_blanks(&c) > 0 &&
	    cursor_left(&c) > 0)
		*in = c;
}

static bool read_glog(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *at = find_first_word(&in, "@ ");
	const struct cursor before = { in.at, at ? at : in.at };
	const bool exact = cursor_find(&before, "PC: ") != NULL;

	*frame = (struct captured_frame){ .source = CAPTURED_GLOG,
		                          .pc = exact ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN,
		                          .has_address = true };
	frame->text = captured_between(at ? at : in.end, in.end);
	in.at = at ? at + 1 : in.end;
	cursor_blanks(&in);
	const uint8_t *digits = in.at;
	if (!cursor_hex(&in, &frame->address) &&
	    (!cursor_digits(&in, &frame->address) || in.at - digits != WHOLE_DIGITS))
		return false;
	if (cursor_blanks(&in) == 0)
		return false;
	pass_frame_size(&in);
	frame->function = drop_unknown(rest_of(&in));
	return true;
}

static void take_function_at(struct cairn_bytes rest, struct captured_frame *frame)
{
	const struct cursor in = cursor_of(rest);
	const uint8_t *at = cursor_find_last(&in, " at ");

	if (at && read_source(captured_between(at + strlen(" at "), in.end), frame))
		rest = captured_between(rest.data, at);
	frame->function = drop_unknown(trim(rest));
}

static bool read_boost(struct cursor in, struct captured_frame *frame)
{
	struct cairn_bytes inner;

	*frame = (struct captured_frame){ .source = CAPTURED_BOOST,
		                          .pc = CAPTURED_PC_RETURN,
		                          .numbered = true,
		                          .has_address = true };
	cursor_blanks(&in);
	frame->text = captured_between(in.at, in.end);
	if (!cursor_decimal(&in, &frame->number) || !cursor_word(&in, "# "))
		return false;
	if (cursor_hex(&in, &frame->address)) {
		if (!cursor_word(&in, " in "))
			return false;
		frame->module = rest_of(&in);
		if (frame->address >> OFFSET_BITS == 0) {
			frame->has_address = false;
			frame->offset = frame->address;
			frame->origin = CAPTURED_FROM_FILE;
		}
		return frame->module.size > 0;
	}
	/*
	 * without a function, the last space that was read belongs to the " [" before the address
	 */
	in.at--;
	frame->pc = CAPTURED_PC_CALL;
	if (!take_last_brackets(&in, " [", ']', &inner))
		return false;
	struct cursor address = cursor_of(inner);
	if (!cursor_hex(&address, &frame->address) || address.at != address.end)
		return false;
	cursor_blanks(&in);
	take_function_at(rest_of(&in), frame);
	return true;
}

static bool read_python(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *start = cursor_find(&in, "Binary file ");
	struct cairn_bytes inner;

	*frame = (struct captured_frame){ .source = CAPTURED_PYTHON,
		                          .pc = CAPTURED_PC_RETURN,
		                          .has_address = true };
	if (!start || !take_last_brackets(&in, " [", ']', &inner) ||
	    in.end - start < (ptrdiff_t)strlen("Binary file "))
		return false;
	frame->text = captured_between(start, inner.data + inner.size + 1);
	struct cursor c = cursor_of(inner);
	if (!cursor_hex(&c, &frame->address) || c.at != c.end)
		return false;
	c = (struct cursor){ start + strlen("Binary file "), in.end };
	if (cursor_word(&c, "'<unknown>'"))
		return c.at == c.end;
	const uint8_t *quote = cursor_find_last(&c, "\"");
	if (!cursor_word(&c, "\"") || c.at >= quote)
		return false;
	frame->module = captured_between(c.at, quote);
	c.at = quote + 1;
	/* without an offset, the program is linked at a fixed address */
	if (c.at == c.end) {
		frame->origin = CAPTURED_FROM_ZERO;
		frame->offset = frame->address;
		return true;
	}
	const uint8_t *plus = cursor_find_last(&c, "+0x"), *minus = cursor_find_last(&c, "-0x");
	const uint8_t *sign = plus ? plus : minus;
	if (!cursor_word(&c, ", at ") || !sign || sign < c.at)
		return false;
	frame->function = captured_between(c.at, sign);
	frame->origin = frame->function.size > 0 ? CAPTURED_FROM_SYMBOL : CAPTURED_FROM_ZERO;
	c.at = sign + 1;
	if (!cursor_hex(&c, &frame->offset) || c.at != c.end)
		return false;
	frame->offset = plus ? frame->offset : -frame->offset;
	return true;
}

static bool read_backward(struct cursor in, struct captured_frame *frame)
{
	*frame = (struct captured_frame){ .source = CAPTURED_BACKWARD,
		                          .pc = CAPTURED_PC_CALL,
		                          .numbered = true,
		                          .has_address = true };
	frame->text = captured_between(in.at, in.end);
	if (!cursor_word(&in, "#") || !cursor_decimal(&in, &frame->number) ||
	    cursor_blanks(&in) == 0 || !cursor_word(&in, "Object \""))
		return false;
	const uint8_t *at = cursor_find_last(&in, "\", at 0x");
	if (!at || at == in.at)
		return false;
	frame->module = captured_between(in.at, at);
	in.at = at + strlen("\", at ");
	if (!cursor_hex(&in, &frame->address) || !cursor_word(&in, ", in"))
		return false;
	cursor_blanks(&in);
	frame->function = rest_of(&in);
	/* -1 is a return address of 0 minus 1, which marks the end of the stack */
	frame->unreliable = frame->address == UINT64_MAX;
	if (frame->module.data[0] == '[')
		frame->module.size = 0;
	return true;
}

/*
 * Frames in Go's format, where the function is on the previous line, and in Rust's, where the
 * source location is on the next line:
 *
 *	go   = tab file ":" line [" +" offset] [" fp=" address " sp=" address " pc=" address]
 *	rust = number ":" blanks address " - " function
 *
 * In Go, the offset is relative to the function. An inlined call has no offset and no pc, and its
 * arguments are "(...)". The line after "created by" is the location of a statement, not a frame.
 */

/* Parse a function name in Go's format. The next line contains the rest of the frame. */
static bool read_go_function(struct cursor in, struct cairn_bytes *name)
{
	const uint8_t *open = cursor_find_last(&in, "(");

	if (!open || open == in.at || in.end[-1] != ')')
		return false;
	const uint8_t *first = find_word(in.at, open);
	*name = captured_between(first, open);
	return name->size > 0;
}

/* Remove " fp=0x... sp=0x... pc=0x..." from the end of the line. */
static bool take_registers(struct cursor *in, struct captured_frame *frame)
{
	const uint8_t *at = cursor_find_last(in, " fp=0x");
	struct cursor c = { at ? at + strlen(" fp=") : in->end, in->end };

	if (!at || !cursor_hex(&c, &frame->frame_end) || !cursor_word(&c, " sp=") ||
	    !cursor_hex(&c, &frame->stack_pointer) || !cursor_word(&c, " pc=") ||
	    !cursor_hex(&c, &frame->address) || c.at != c.end)
		return false;
	frame->has_address = true;
	in->end = at;
	return true;
}

static bool take_function_offset(struct cursor *in, struct captured_frame *frame)
{
	const uint8_t *at = cursor_find_last(in, " +0x");
	struct cursor c = { at ? at + strlen(" +") : in->end, in->end };

	if (!at || !cursor_hex(&c, &frame->offset) || c.at != c.end)
		return false;
	in->end = at;
	return true;
}

static bool read_go(struct captured_text *text, struct cursor in, struct captured_frame *frame)
{
	const uint8_t *end = in.end, *first;
	const enum captured_go before = text->go;

	*frame = (struct captured_frame){ .source = CAPTURED_GO, .origin = CAPTURED_FROM_SYMBOL };
	text->go = before == CAPTURED_GO_NONE ? before : CAPTURED_GO_WAITS;
	const bool registers = take_registers(&in, frame);
	const bool offset = take_function_offset(&in, frame);
	first = find_word(in.at, in.end);
	if (!read_source(captured_between(first, in.end), frame) || before == CAPTURED_GO_INLINED ||
	    before == CAPTURED_GO_CREATED)
		return false;
	if (!registers && !(before == CAPTURED_GO_FUNCTION || before == CAPTURED_GO_SIGNAL))
		return false;
	if (!registers && !offset && !text->has_head)
		return false;
	frame->text = captured_between(first, end);
	frame->pc = text->in_signal || (text->has_head && !registers) ? CAPTURED_PC_EXACT
	                                                              : CAPTURED_PC_RETURN;
	text->in_signal = before == CAPTURED_GO_SIGNAL;
	text->has_head = false;
	return true;
}

static bool read_rust(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *start;

	*frame = (struct captured_frame){ .source = CAPTURED_RUST,
		                          .pc = CAPTURED_PC_RETURN,
		                          .numbered = true,
		                          .has_address = true };
	cursor_blanks(&in);
	start = in.at;
	if (!cursor_decimal(&in, &frame->number) || !cursor_word(&in, ":") ||
	    cursor_blanks(&in) == 0 || !cursor_hex(&in, &frame->address) ||
	    !cursor_word(&in, " - "))
		return false;
	frame->function = trim(captured_between(in.at, in.end));
	if (bytes_are(frame->function, "<unknown>"))
		frame->function.size = 0;
	frame->text = captured_between(start, in.end);
	return true;
}

/*
 * Frames in Swift's crash reports, in the stacks that it prints without a crash report, and in its
 * reports about overlapping accesses:
 *
 *	crash  = n " " {"[" attribute "] "} [address] [" " name [(" + " | " - ") n] [" in " image] [" at " source]]
 *	stack  = n " " image " " address " " (name | "<unavailable>") " + " n
 *	access = "Previous access (" words ") started at " image "`" (name | "<unavailable>") " + " n " (" address ")"
 *
 * In `crash`, an address is a return address if "[ra]" precedes it, the first byte of a caller's
 * code if "[async]" does, and otherwise an exact pc. The friendly preset prints neither addresses
 * nor attributes for functions with a known line. "+ n" counts from the start of the function to
 * the byte that was looked up, which is the byte before a return address. In `stack`, the return
 * address is the sum of address and n if there is a name. Otherwise n counts from the start of the
 * image.
 */

static const char swift_unavailable[] = "<unavailable>";

/* first character of a colored crash report: U+1F4A3 in UTF-8 */
#define BOMB "\xf0\x9f\x92\xa3"

/* Parse the attributes, such as "[ra]", before an address. Return false if one is unknown. */
static bool read_swift_attributes(struct cursor *in, struct captured_frame *frame)
{
	while (cursor_word(in, "[")) {
		if (cursor_word(in, "ra"))
			frame->pc = CAPTURED_PC_RETURN;
		else if (cursor_word(in, "async"))
			frame->pc = CAPTURED_PC_RESUME;
		else if (!cursor_word(in, "inlined") && !cursor_word(in, "thunk") &&
		         !cursor_word(in, "system"))
			return false;
		if (!cursor_word(in, "]") || cursor_blanks(in) == 0)
			return false;
	}
	return true;
}

/* Remove " + 12" from the end of the cursor's range and set *offset. */
static bool take_decimal_offset(struct cursor *in, uint64_t *offset)
{
	const uint8_t *plus = cursor_find_last(in, " + ");
	struct cursor digits = { plus ? plus + strlen(" + ") : in->end, in->end };

	if (!plus || !cursor_decimal(&digits, offset) || digits.at != digits.end)
		return false;
	in->end = plus;
	return true;
}

/*
 * Parse "NAME + 12 in IMAGE at SOURCE". Function names may contain " in ", so use the last " in "
 * whose next word ends the line or is followed by " at ".
 */
static void read_swift_names(struct cursor in, struct captured_frame *frame)
{
	struct cursor before = in, image;
	uint64_t offset = 0;

	for (const uint8_t *at; (at = cursor_find_last(&before, " in "));) {
		image = (struct cursor){ at + strlen(" in "), in.end };
		const uint8_t *end = image.at;
		while (end < in.end && !is_blank(*end))
			end++;
		before.end = at;
		if (end == image.at || (end < in.end && cursor_find(&image, " at ") != end))
			continue;
		frame->module = captured_between(image.at, end);
		if (end < in.end)
			read_source(captured_between(end + strlen(" at "), in.end), frame);
		in.end = at;
		break;
	}
	if (take_decimal_offset(&in, &offset) || frame->pc == CAPTURED_PC_RESUME) {
		frame->origin = CAPTURED_FROM_SYMBOL;
		frame->offset = offset + (frame->pc == CAPTURED_PC_RETURN);
	}
	frame->function = captured_between(in.at, in.end);
	if (drop_placeholder(frame->function).size == 0) {
		frame->unknown = frame->function;
		frame->function.size = 0;
		frame->origin = CAPTURED_NO_OFFSET;
	}
}

/* Parse a frame of a Swift crash report. `in` must be at the frame number. */
static bool read_swift_crash(const struct captured_text *text, struct cursor in,
                             struct captured_frame *frame)
{
	*frame = (struct captured_frame){ .source = CAPTURED_SWIFT, .numbered = true };
	frame->text = captured_between(in.at, in.end);
	if (!cursor_decimal(&in, &frame->number) || cursor_blanks(&in) == 0)
		return false;
	const uint8_t *attributes = in.at;
	if (!read_swift_attributes(&in, frame))
		return false;
	const bool no_attributes = attributes == in.at;
	if (!text->in_swift && no_attributes)
		return false;
	const uint8_t *digits = in.at;
	frame->has_address = cursor_hex(&in, &frame->address);
	if (frame->has_address &&
	    (in.at - digits != LLVM_ADDRESS || (cursor_blanks(&in) == 0 && in.at < in.end)))
		return false;
	/* the friendly preset prints no attributes, but only return addresses have an offset */
	if (no_attributes && frame->number > 0)
		frame->pc = frame->has_address || cursor_find(&in, " + ") ? CAPTURED_PC_RETURN
		                                                          : CAPTURED_PC_RESUME;
	if (in.at < in.end)
		read_swift_names(in, frame);
	if (!frame->has_address && frame->function.size > 0 && frame->origin == CAPTURED_NO_OFFSET)
		frame->origin = CAPTURED_FROM_SYMBOL;
	/* without an address, the function must be known, so that its address can be looked up */
	return frame->has_address || (frame->line > 0 && frame->origin != CAPTURED_NO_OFFSET);
}

/* Parse "NAME + 12" or "<unavailable> + 12" after an address. */
static bool read_swift_sum(struct cursor in, struct captured_frame *frame)
{
	const struct cairn_bytes whole = captured_between(in.at, in.end);

	frame->pc = CAPTURED_PC_RETURN;
	if (!take_decimal_offset(&in, &frame->offset) || cursor_left(&in) == 0)
		return false;
	frame->function = captured_between(in.at, in.end);
	frame->origin = CAPTURED_FROM_SYMBOL;
	if (bytes_are(frame->function, swift_unavailable)) {
		frame->origin = CAPTURED_FROM_MODULE;
		frame->function.size = 0;
		frame->unknown = whole;
	}
	return true;
}

/* Parse a frame that Swift printed outside a crash report. Its address is at `at`. */
static bool read_swift_stack(struct cursor in, const uint8_t *at, struct captured_frame *frame)
{
	*frame = (struct captured_frame){ .source = CAPTURED_SWIFT,
		                          .numbered = true,
		                          .has_address = true };
	frame->text = captured_between(in.at, in.end);
	if (!cursor_decimal(&in, &frame->number) || cursor_blanks(&in) == 0 || in.at >= at)
		return false;
	frame->module = trim(captured_between(in.at, at));
	in.at = at;
	if (!cursor_hex(&in, &frame->address) || !cursor_word(&in, " ") ||
	    !read_swift_sum(in, frame))
		return false;
	if (frame->origin == CAPTURED_FROM_SYMBOL)
		frame->address += frame->offset;
	return true;
}

static bool read_swift_access(struct cursor in, struct captured_frame *frame)
{
	static const char started[] = ") started at ";
	const uint8_t *at = cursor_find(&in, "Previous access (");
	struct cursor address;

	*frame = (struct captured_frame){ .source = CAPTURED_SWIFT,
		                          .has_address = true,
		                          .mentioned = true };
	if (!at || !(at = cursor_find(&in, started)))
		return false;
	in.at = at + strlen(started);
	const uint8_t *tick = cursor_find(&in, "`"), *open = cursor_find_last(&in, " (0x");
	if (!tick || tick == in.at || !open || open <= tick)
		return false;
	address = (struct cursor){ open + strlen(" ("), in.end };
	frame->module = captured_between(in.at, tick);
	return cursor_hex(&address, &frame->address) && cursor_word(&address, ")") &&
	       read_swift_sum((struct cursor){ tick + 1, open }, frame) &&
	       (frame->text = captured_between(in.at, address.at)).size > 0;
}

/*
 * Find the frame number before the address at `at`. Attributes or an image name may lie between
 * number and address. Return NULL if the text before the address is not in Swift's format.
 */
static const uint8_t *find_swift_number(const struct cursor *in, const uint8_t *at, bool *is_stack)
{
	const uint8_t *word = at;

	*is_stack = false;
	while (word > in->at && is_blank(word[-1])) {
		while (word > in->at && is_blank(word[-1]))
			word--;
		const uint8_t *first = find_word(in->at, word);
		if (word > first && *first >= '0' && *first <= '9') {
			struct cursor digits = { first, word };
			uint64_t number;
			if (cursor_decimal(&digits, &number) && digits.at == word)
				return first;
		}
		if (word == first || *is_stack)
			return NULL;
		*is_stack = *first != '[';
		word = first;
	}
	return NULL;
}

static bool read_swift(const struct captured_text *text, struct cursor in,
                       struct captured_frame *frame)
{
	struct cursor c = in;
	bool is_stack;

	for (unsigned i = 0; i < CAPTURED_ANCHORS;) {
		const uint8_t *x = memchr(c.at, 'x', cursor_left(&c));
		if (!x)
			break;
		c.at = x + 1;
		if (!ends_with(in.at, c.at, " 0x"))
			continue;
		const uint8_t *at = x - 1;
		i++;
		const uint8_t *number = find_swift_number(&in, at, &is_stack);
		const struct cursor row = { number, in.end };
		if (number && (is_stack ? read_swift_stack(row, at, frame)
		                        : read_swift_crash(text, row, frame)))
			return true;
	}
	if (memchr(in.at, '`', cursor_left(&in)) && read_swift_access(in, frame))
		return true;
	if (!text->in_swift || text->swift_prefix > cursor_left(&in))
		return false;
	in.at += text->swift_prefix;
	cursor_blanks(&in);
	return read_swift_crash(text, in, frame);
}

/* Parse 'Thread 3 "NAME" crashed:', a heading in Swift's crash reports, at the end of the line. */
static bool read_swift_thread(struct cursor in, const uint8_t *at, struct captured_line *out)
{
	struct cursor c = { at + strlen("Thread "), in.end };
	struct cairn_bytes name;
	uint64_t number;

	if (!cursor_decimal(&c, &number))
		return false;
	name = captured_between(at, c.at);
	if (cursor_word(&c, " \"")) {
		const uint8_t *quote = cursor_find_last(&c, "\"");
		if (!quote)
			return false;
		if (quote > c.at)
			name = captured_between(c.at, quote);
		c.at = quote + 1;
	}
	const bool crashed = cursor_word(&c, " crashed");
	if (!cursor_word(&c, ":") || c.at != c.end)
		return false;
	*out = (struct captured_line){ .kind = CAPTURED_HEADING,
		                       .text = name,
		                       .module = out->module,
		                       .id = out->id,
		                       .crashed = crashed };
	return true;
}

/* Parse "0xBASE–0xEND ID NAME PATH", which describes an image of the process. */
static bool read_swift_image(struct cursor in, struct captured_line *out)
{
	static const char dash[] = "\xe2\x80\x93", none[] = "<no build ID>";
	const uint8_t *at = cursor_find(&in, dash);
	struct cursor c = { at, in.end };

	if (!at || at - in.at < LLVM_ADDRESS)
		return false;
	struct cursor base = { at - LLVM_ADDRESS, at };
	struct cairn_bytes id = { at, 0 };
	struct cairn_range pcs;
	if (!cursor_hex(&base, &pcs.low) || base.at != at || !cursor_word(&c, dash) ||
	    !cursor_hex(&c, &pcs.high) || pcs.low >= pcs.high || cursor_blanks(&c) == 0)
		return false;
	if (!cursor_word(&c, none))
		id = cursor_id(&c);
	id.size &= ~(size_t)1;
	if (cursor_blanks(&c) == 0 || c.at == c.end)
		return false;
	/* skip the name before the path, because it repeats the end of the path */
	const uint8_t *path = cursor_find(&c, " /");
	*out = (struct captured_line){ .kind = CAPTURED_IMAGE,
		                       .text = out->text,
		                       .module = captured_between(path ? path + 1 : c.at, c.end),
		                       .id = id,
		                       .pcs = pcs };
	return true;
}

/* Parse a line that starts or ends a section of a Swift report. */
static bool read_swift_line(struct captured_text *text, struct cursor in, struct captured_line *out)
{
	static const char *const reasons[] = { "Program crashed: ", "Swift runtime failure: " };
	static const char *const ends[] = { "Registers:", "Images:", "Images (",
		                            "Backtrace took " };
	const uint8_t last = in.end[-1], *at = last == ':' ? cursor_find(&in, "Thread ") : NULL;
	/*
	 * the first line of each report contains one of these characters, so do not search other
	 * lines for words
	 */
	const bool may_start = last == '*' || memchr(in.at, BOMB[0] & 0xff, cursor_left(&in));

	if (at && (at == in.at || is_blank(at[-1])) && read_swift_thread(in, at, out)) {
		text->in_swift = true;
		text->swift_prefix = (size_t)(at - in.at);
		return true;
	}
	for (size_t i = 0; may_start && i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		at = cursor_find(&in, reasons[i]);
		if (!at || !(ends_with(in.at, at, "*** ") || ends_with(in.at, at, BOMB " ")))
			continue;
		out->text = bytes_trim(captured_between(at, in.end), "", " *");
		out->kind = CAPTURED_REPORT;
		return true;
	}
	const bool listed = read_swift_image(in, out);
	for (size_t i = 0; text->in_swift && i < sizeof(ends) / sizeof(ends[0]); i++)
		text->in_swift = !listed && !cursor_find(&in, ends[i]);
	if (!listed && last == 's' && cursor_find(&in, "Backtrace took "))
		out->kind = CAPTURED_REPORT_END;
	return out->kind != CAPTURED_OTHER;
}

/*
 * Lines in the kernel log:
 *
 *	trace = ["? "] function "+0x" offset "/0x" size [" [" module [" " id] "]"]
 *	fault = " ip " pc " sp " ... " error " n [" in " file "[" [offset ","] start "+" size "]"]
 *
 * An exact pc is preceded by "RIP: 0010:", in older kernels by "RIP: 0010:[<address>] ", or by "pc
 * : ". In a fault, a colon may follow ip and sp. `start` is the start of the mapping, and `offset`,
 * which newer kernels add, is a file offset.
 */

static bool is_name_byte(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '.' || c == '$';
}

/* Return true if the text before the function's name identifies the address as an exact pc. */
static bool is_exact(const uint8_t *from, const uint8_t *name)
{
	enum { SELECTOR = 5 };
	const struct cursor before = { from, name };
	const uint8_t *rip = cursor_find_last(&before, "RIP: ");

	return (rip && name - rip == (ptrdiff_t)strlen("RIP: ") + SELECTOR && name[-1] == ':') ||
	       (rip && ends_with(from, name, ">] ")) || ends_with(from, name, "pc : ") ||
	       ends_with(from, name, "PC is at ") || ends_with(from, name, "EIP: ") ||
	       ends_with(from, name, "EIP is at ");
}

/*
 * Return true if a kernel message only mentions the function, or if the address of the frame comes
 * from the link register. In both cases, the trace that follows contains the frame again.
 */
static bool is_mentioned(const uint8_t *from, const uint8_t *name)
{
	const struct cursor before = { from, name };

	return cursor_find(&before, "WARNING: ") || cursor_find(&before, "BUG: ") ||
	       ends_with(from, name, "lr : ") || ends_with(from, name, "LR is at ") ||
	       ends_with(from, name, " ra : ");
}

static void take_module(struct cursor *c, struct captured_frame *frame)
{
	struct cursor in = *c;

	if (!cursor_word(&in, " ["))
		return;
	const uint8_t *name = in.at;
	while (in.at < in.end && (is_name_byte(*in.at) || *in.at == '-'))
		in.at++;
	const struct cairn_bytes module = cursor_since(&in, name);
	struct cairn_bytes id = { in.at, 0 };
	if (cursor_word(&in, " "))
		id = cursor_id(&in);
	if (module.size == 0 || id.size % 2 != 0 || !cursor_word(&in, "]"))
		return;
	frame->module = module;
	frame->id = id;
	*c = in;
}

/*
 * Parse a frame in the kernel's format. `in` is the whole line, and `plus` points to "+0x" in it.
 */
static bool read_trace(struct cursor in, const uint8_t *plus, struct captured_frame *frame)
{
	struct cursor c = { plus + 1, in.end };
	const uint8_t *name = plus;

	*frame = (struct captured_frame){ .source = CAPTURED_KERNEL_TRACE,
		                          .origin = CAPTURED_FROM_SYMBOL };
	while (name > in.at && is_name_byte(name[-1]))
		name--;
	frame->function = captured_between(name, plus);
	if (name == plus || !cursor_hex(&c, &frame->offset) || !cursor_word(&c, "/") ||
	    !cursor_hex(&c, &frame->function_size))
		return false;
	take_module(&c, frame);
	frame->text = cursor_since(&c, name);
	frame->unreliable = ends_with(in.at, name, "? ");
	frame->mentioned = is_mentioned(in.at, name);
	frame->pc = is_exact(in.at, name) ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
	return c.at == c.end || !is_name_byte(*c.at);
}

/* Parse "FILE[OFFSET,START+SIZE]" and set the frame's location in FILE. */
static bool read_mapping(struct cursor *c, struct captured_frame *frame)
{
	const uint8_t *open = cursor_find(c, "[");
	uint64_t first, start, size;
	struct cursor in = { open ? open + 1 : c->end, c->end };

	if (!open || open == c->at || !cursor_digits(&in, &first))
		return false;
	const bool has_offset = cursor_word(&in, ",");
	start = first;
	if ((has_offset && !cursor_digits(&in, &start)) || !cursor_word(&in, "+") ||
	    !cursor_digits(&in, &size) || !cursor_word(&in, "]"))
		return false;
	if (frame->address < start || frame->address - start >= size)
		return false;
	frame->module = captured_between(c->at, open);
	frame->origin = has_offset ? CAPTURED_FROM_FILE : CAPTURED_FROM_MAPPING;
	frame->offset = has_offset ? first : frame->address - start;
	*c = in;
	return true;
}

static bool take_register(struct cursor *c, const char *name, uint64_t *value)
{
	const uint8_t *at = cursor_find(c, name);
	struct cursor in = { at ? at + strlen(name) : c->end, c->end };

	if (!at || !(cursor_word(&in, " ") || cursor_word(&in, ":")) || !cursor_digits(&in, value))
		return false;
	*c = in;
	return true;
}

static bool read_fault(struct cursor in, struct captured_frame *frame)
{
	uint64_t ignored;

	*frame = (struct captured_frame){ .source = CAPTURED_KERNEL_FAULT,
		                          .pc = CAPTURED_PC_EXACT,
		                          .has_address = true };
	const uint8_t *start = cursor_find(&in, " ip");
	if (!start || !take_register(&in, " ip", &frame->address) ||
	    !take_register(&in, " sp", &ignored) || !cursor_find(&in, " error"))
		return false;
	const uint8_t *file = cursor_find(&in, " in ");
	struct cursor c = { file ? file + strlen(" in ") : in.end, in.end };
	if (!file || !read_mapping(&c, frame))
		c = in;
	frame->text = cursor_since(&c, start + 1);
	return true;
}

struct captured_text captured_text_open(void)
{
	return (struct captured_text){ .has_head = false };
}

/*
 * Remember the pc in a sanitizer's error line or in Go's signal line, because the first frame that
 * follows may have this exact pc.
 */
static void note_head(struct captured_text *text, struct cursor in)
{
	const uint8_t *pc = NULL;

	if (cursor_find(&in, "Sanitizer"))
		pc = cursor_find(&in, "pc 0x");
	else if (cursor_find(&in, "[signal "))
		pc = cursor_find(&in, "pc=0x");
	struct cursor c = { pc ? pc + 3 : in.end, in.end };
	if (pc)
		text->has_head = cursor_hex(&c, &text->head);
}

/* Parse a line that starts a goroutine or names a function, in Go's format. */
static bool read_go_line(struct captured_text *text, struct cursor in, struct captured_line *out)
{
	const uint8_t *head = cursor_find(&in, "goroutine ");
	struct cursor c = { head ? head + strlen("goroutine ") : in.end, in.end };
	uint64_t number;

	if (head && cursor_decimal(&c, &number) && cursor_find(&c, " [") == c.at &&
	    in.end[-1] == ':') {
		text->go = CAPTURED_GO_WAITS;
		text->in_signal = false;
		out->text = (struct cairn_bytes){ head, (size_t)(in.end - 1 - head) };
		out->kind = CAPTURED_HEADING;
		return true;
	}
	if (text->go == CAPTURED_GO_NONE)
		return false;
	if (cursor_find(&in, "created by ")) {
		text->go = CAPTURED_GO_CREATED;
		return false;
	}
	if (!read_go_function(in, &out->text))
		return false;
	text->go = CAPTURED_GO_FUNCTION;
	if (bytes_are(out->text, "runtime.sigpanic"))
		text->go = CAPTURED_GO_SIGNAL;
	else if (cursor_left(&in) >= 5 && memcmp(in.end - 5, "(...)", 5) == 0)
		text->go = CAPTURED_GO_INLINED;
	out->kind = CAPTURED_FUNCTION;
	return true;
}

static bool read_heading(struct cursor in, struct captured_line *out)
{
	static const char *const words[] = { "Stack trace of thread ",
		                             "Call Trace:",
		                             "Call trace:",
		                             "stack backtrace:",
		                             "Stack trace (most recent call ",
		                             "stack trace (most recent call ",
		                             "<TASK>",
		                             "</TASK>",
		                             "<IRQ>",
		                             "</IRQ>",
		                             "<NMI>",
		                             "</NMI>" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const uint8_t *at = cursor_find(&in, words[i]);
		if (!at || (at > in.at && !is_blank(at[-1])))
			continue;
		out->kind = CAPTURED_HEADING;
		out->text = captured_between(at, in.end);
		if (out->text.data[out->text.size - 1] == ':')
			out->text.size--;
		return true;
	}
	return false;
}

/*
 * Parse "Module NAME with build-id ID" as printed by systemd-coredump. Older versions print "Found
 * module NAME with build-id: ID".
 */
static bool read_module_line(struct cursor in, struct captured_line *out)
{
	const uint8_t *at = cursor_find(&in, "Module "), *found = cursor_find(&in, "Found module ");
	const uint8_t *name = found ? found + strlen("Found module ")
	                      : at  ? at + strlen("Module ")
	                            : NULL;
	struct cursor c = { name ? name : in.end, in.end };
	const uint8_t *with = cursor_find_last(&c, " with build-id"),
		      *without = cursor_find_last(&c, " without build-id");

	if (!name || (!with && !without))
		return false;
	const struct cairn_bytes module = { name, (size_t)((with ? with : without) - name) };
	struct cairn_bytes id = { c.end, 0 };
	c.at = with ? with + strlen(" with build-id") : c.end;
	(void)(cursor_word(&c, ": ") || cursor_word(&c, " "));
	if (with)
		id = cursor_id(&c);
	if (module.size == 0 || (with && (id.size == 0 || id.size % 2 != 0)))
		return false;
	*out = (struct captured_line){
		.kind = CAPTURED_MODULE, .text = module, .module = module, .id = id
	};
	return true;
}

static bool read_numbered_anywhere(struct captured_text *text, struct cursor in,
                                   struct captured_frame *frame)
{
	struct cursor c = in;

	for (unsigned i = 0; i < CAPTURED_ANCHORS; i++) {
		const uint8_t *at = memchr(c.at, '#', cursor_left(&c));
		if (!at)
			return false;
		c.at = at;
		if ((at == in.at || is_blank(at[-1])) &&
		    (read_backward(c, frame) || read_numbered(text, c, frame) ||
		     read_android(c, frame)))
			return true;
		c.at++;
	}
	return false;
}

static bool read_trace_anywhere(struct cursor in, struct captured_frame *frame)
{
	struct cursor c = in;

	for (unsigned i = 0; i < CAPTURED_ANCHORS; i++) {
		const uint8_t *plus = cursor_find(&c, "+0x");
		if (!plus)
			return false;
		if (read_trace(in, plus, frame))
			return true;
		c.at = plus + 1;
	}
	return false;
}

static bool read_any_frame(struct captured_text *text, struct cursor in,
                           struct captured_frame *frame)
{
	return read_numbered_anywhere(text, in, frame) || read_boost(in, frame) ||
	       read_hotspot(text, in, frame) || read_python(in, frame) || read_glibc(in, frame) ||
	       read_fault(in, frame) || read_trace_anywhere(in, frame) ||
	       read_perf(text, in, frame) || read_go(text, in, frame) || read_rust(in, frame) ||
	       read_node(in, frame) || read_valgrind(in, frame) || read_swift(text, in, frame) ||
	       read_glog(in, frame);
}

/* Make absent strings point into the line, so that no pointer is NULL. */
static void place_empty_texts(struct captured_frame *frame)
{
	struct cairn_bytes *const texts[] = { &frame->module, &frame->id, &frame->function,
		                              &frame->unknown, &frame->file };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!texts[i]->data)
			*texts[i] = (struct cairn_bytes){ frame->text.data, 0 };
}

enum captured_kind captured_text_line(struct captured_text *text, struct cairn_bytes line,
                                      struct captured_line *out)
{
	const struct cairn_bytes none = { line.data, 0 };
	*out = (struct captured_line){
		.kind = CAPTURED_OTHER, .text = none, .module = none, .id = none
	};
	if (line.size > CAPTURED_LINE_MAX)
		return out->kind;
	struct cursor in = cursor_of(trim(line)), blank = in;
	cursor_blanks(&blank);
	if (blank.at == blank.end) {
		text->go = CAPTURED_GO_NONE;
		text->list = CAPTURED_SANITIZER;
		return out->kind = CAPTURED_BLANK;
	}
	note_head(text, in);
	if (read_module_line(in, out) || read_heading(in, out) || read_swift_line(text, in, out))
		return out->kind;
	if (read_hotspot_function(text, in, &out->text))
		return out->kind = CAPTURED_FUNCTION;
	if (read_any_frame(text, in, &out->frame)) {
		place_empty_texts(&out->frame);
		text->list = out->frame.source;
		return out->kind = CAPTURED_FRAME;
	}
	text->list = CAPTURED_SANITIZER;
	read_go_line(text, in, out);
	return out->kind;
}

size_t captured_strip_colors(struct cairn_bytes text, uint8_t *plain)
{
	size_t size = 0;

	for (size_t at = 0; at < text.size;) {
		size_t end = at + 1;
		if (text.data[at] == '\033' && end < text.size && text.data[end] == '[') {
			do
				end++;
			while (end < text.size && text.data[end] >= ' ' && text.data[end] < '@');
			at = end < text.size && text.data[end] >= '@' ? end + 1 : end;
		} else {
			plain[size++] = text.data[at++];
		}
	}
	return size;
}

bool captured_returns_read(struct captured_returns *r, struct cairn_bytes *lines,
                           struct cairn_bytes name)
{
	struct captured_line line;

	while (lines->size > 0 && r->count < CAPTURED_RETURNS_MAX) {
		const struct captured_frame *frame = &line.frame;
		captured_text_line(&r->text, bytes_take_part(lines, '\n'), &line);
		if (line.kind == CAPTURED_IMAGE && bytes_equal(base_name(line.module), name))
			r->listed = true;
		if (line.kind != CAPTURED_FRAME || !frame->has_address ||
		    frame->pc == CAPTURED_PC_EXACT || frame->pc == CAPTURED_PC_RESUME)
			continue;
		r->bare += frame->module.size == 0;
		/*
		 * a frame whose line contains no path may belong to any file, because the line
		 * names no module or only a process title
		 */
		if (bytes_equal(base_name(frame->module), name)
		            ? frame->origin == CAPTURED_NO_OFFSET
		            : !memchr(frame->module.data, '/', frame->module.size))
			r->address[r->count++] = frame->address + (frame->pc == CAPTURED_PC_CALL);
	}
	/*
	 * Callers may pass one line at a time, so limit the number of attempts to infer the load
	 * address: return true only if the number of addresses has grown by more than a quarter or
	 * the array has just become full.
	 */
	const bool more = !r->listed &&
	                  (r->count > r->tried + r->tried / 4 ||
	                   (r->count == CAPTURED_RETURNS_MAX && r->tried < CAPTURED_RETURNS_MAX));
	if (more)
		r->tried = r->count;
	return more;
}

bool captured_frame_place(const struct captured_frame *frame, struct cairn_markup_place *place)
{
	static const enum cairn_markup_origin origins[] = {
		[CAPTURED_FROM_ZERO] = CAIRN_MARKUP_FROM_ZERO,
		[CAPTURED_FROM_MODULE] = CAIRN_MARKUP_FROM_MODULE,
		[CAPTURED_FROM_FILE] = CAIRN_MARKUP_FROM_FILE,
		[CAPTURED_FROM_MAPPING] = CAIRN_MARKUP_FROM_MAPPING,
		[CAPTURED_FROM_SYMBOL] = CAIRN_MARKUP_FROM_SYMBOL,
	};

	*place = (struct cairn_markup_place){ .module = frame->module,
		                              .function = frame->function,
		                              .function_size = frame->function_size,
		                              .origin = origins[frame->origin],
		                              .offset = frame->offset,
		                              .build_id = { frame->module.data, 0 } };
	return frame->origin != CAPTURED_NO_OFFSET;
}
