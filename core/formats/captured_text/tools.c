/* SPDX-License-Identifier: MIT */
/*
 * Reads frames as printed by sanitizers, debuggers, run-time libraries, profilers and virtual
 * machines.
 */
#include "parts.h"

#include "base/bytes_compare.h"
#include "base/bytes_split.h"

enum {
	PAGE = 4096,
	TITLE_WORDS = 2,   /* words after the name of a program that has changed its title */
	LLVM_ADDRESS = 18, /* length of an LLVM address */
	WHOLE_DIGITS = 16, /* digits of an address without 0x */
	PERF_DIGITS = 6,   /* minimum number of digits; shorter strings may be words */
	/*
	 * offsets and linked addresses fit into this many bits; run-time addresses of
	 * position-independent programs do not
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
 *
 * They are parsed from the right, because function names contain spaces and brackets. The address
 * of a sanitizer is within the call, except in the innermost frame of a program that was stopped by
 * a signal: then it is equal to the pc in the error line. cpptrace and libgfortran also print
 * addresses within the call. Lines of libgfortran are "#" n "  " address " in ???". LLVM prints
 * return addresses of 16 digits, without "in".
 */

bool captured_read_source(struct cairn_bytes text, struct captured_frame *frame)
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

/* Read "module" and "0x12" with `plus` between them. */
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
	*rest = captured_trim(captured_between(rest->data, at));
}

/* Take the last brackets if they contain a location in a module. */
static bool take_place(struct cairn_bytes *rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(*rest);
	const uint8_t *open = cursor_find_last(&c, "(");

	if (!open || rest->data[rest->size - 1] != ')' ||
	    (open > rest->data && !captured_is_blank(open[-1])))
		return false;
	const struct cairn_bytes inner = captured_between(open + 1, c.end - 1);
	/* not coredump, so try the form of a sanitizer */
	if (!read_coredump_place(inner, frame)) {
		if (!read_place(inner, "+", frame))
			return false;
		frame->origin = CAPTURED_FROM_ZERO;
	}
	*rest = captured_trim(captured_between(rest->data, open));
	return true;
}

static struct cairn_bytes drop_placeholder(struct cairn_bytes name)
{
	if (bytes_are(name, "n/a") || bytes_are(name, "??") || bytes_are(name, "???") ||
	    bytes_are(name, "<null>") || bytes_are(name, "<unknown>"))
		name.size = 0;
	return name;
}

/* Read "function source" of a sanitizer. The source may be missing. */
static void read_function_and_source(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);
	const uint8_t *blank = cursor_find_last(&c, " ");

	if (blank && (captured_read_source(captured_between(blank + 1, c.end), frame) ||
	              bytes_are(captured_between(blank + 1, c.end), "<null>")))
		rest = captured_trim(captured_between(rest.data, blank));
	frame->function = drop_placeholder(rest);
}

/*
 * Read "in function at source" of cpptrace, or "at path" with a module. `in` is true if there is a
 * function. GDB has a similar form, but it prints arguments in brackets after a space, and no
 * columns.
 */
static bool read_cpptrace(struct cairn_bytes rest, bool in, struct captured_frame *frame)
{
	const struct cursor c = cursor_of(rest);
	const uint8_t *at = cursor_find_last(&c, in ? " at " : "at ");
	struct captured_frame read = *frame;

	if (!at || (!in && at != rest.data) || (in && at == rest.data))
		return false;
	const struct cairn_bytes place = captured_between(at + strlen("at ") + in, c.end);
	if (!captured_read_source(place, &read)) {
		if (place.size == 0 || place.data[0] != '/')
			return false;
		read.module = place;
		/* an address as linked, which cpptrace prints on request */
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
		read.function = drop_placeholder(captured_trim(captured_between(rest.data, at)));
	*frame = read;
	return true;
}

/*
 * Read "function (arguments) at source" or "... from path" of GDB. Return false if there are no
 * such brackets.
 */
static bool read_debugger_call(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);
	const uint8_t *open = cursor_find(&c, " (");
	const uint8_t *at = cursor_find_last(&c, ") at "), *from = cursor_find_last(&c, ") from ");

	if (!open || (!at && !from && c.end[-1] != ')'))
		return false;
	if (at)
		captured_read_source(captured_between(at + strlen(") at "), c.end), frame);
	else if (from)
		frame->module = captured_between(from + strlen(") from "), c.end);
	frame->source = CAPTURED_DEBUGGER;
	frame->function = drop_placeholder(captured_between(rest.data, open));
	return true;
}

/* Read the part after the address, without a module in brackets. */
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
		if (in && bytes_are(rest, "???")) /* libgfortran in a stripped program */
			return frame->has_address;
		return place || frame->line > 0 || frame->function.size > 0;
	}
	/* a debugger prints a single word after the address */
	if (frame->source == CAPTURED_SANITIZER)
		frame->source = CAPTURED_DEBUGGER;
	frame->function = drop_placeholder(rest);
	return frame->has_address && rest.data[0] != '(' && !memchr(rest.data, ' ', rest.size);
}

/*
 * Return true for a frame without an address that has a location. The number must belong to the
 * frame, not to other text before a frame.
 */
static bool is_placed_alone(struct cairn_bytes rest, const struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);

	return frame->origin != CAPTURED_NO_OFFSET && !cursor_find(&c, " #") &&
	       !cursor_word(&c, "0x");
}

/* Read "function source" or a location after an address of 16 digits and one space. */
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

bool captured_read_numbered(struct captured_text *text, struct cursor in,
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
 *	path "(+" offset ")" [" "] "[" address "]"        the offset is the address as linked
 *	path ["()"] [" "] "[" address "]"                 a program linked at a fixed address
 *	"[" address "]"                                   in no module
 *
 * The path may be the title of a program. Other programs print the same information differently:
 *
 *	path "(" (address | offset) ")" " [" address "]"  Ruby, without a function; the offset is the address as linked
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

/* Read the number of a frame, "3: ", in front of `end`. */
static bool read_number_before(const struct cursor *in, const uint8_t *end,
                               struct captured_frame *frame)
{
	if (end - in->at < 3 || end[-1] != ' ' || end[-2] != ':')
		return false;
	struct cursor digits = { captured_find_word(in->at, end - 2), end - 2 };
	frame->numbered = cursor_decimal(&digits, &frame->number) && digits.at == digits.end;
	return frame->numbered;
}

/*
 * Read the number in brackets that Ruby prints if there is no function: the address again, or the
 * address as linked. Modules start at page boundaries, so the two must be congruent.
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
 * Programs that change their title append words to the file name, which has no path then. Redis
 * appends its listening address and mode ("redis-server *:6379 [cluster]").
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
 * Read the module: the word before the bracket at `open`, or before the address if `open` is NULL.
 */
static bool read_module_word(const struct cursor *in, const uint8_t *end, const uint8_t *open,
                             struct captured_frame *frame)
{
	const uint8_t *last = open ? open : end;

	/* the X server prints a space before the bracket */
	if (open && last > in->at && last[-1] == ' ')
		last--;
	const uint8_t *first = captured_find_word(in->at, last);
	for (unsigned i = 0; i < TITLE_WORDS && first > in->at && is_title_word(first, last); i++) {
		for (last = first - 1; last > in->at && captured_is_blank(last[-1]);)
			last--;
		first = captured_find_word(in->at, last);
	}
	const bool numbered = read_number_before(in, first, frame);
	frame->module = captured_between(first, last);
	frame->text.data = first;
	/* other lines have words before brackets, so require one of these signs of a frame */
	return frame->module.size > 0 && *first != '(' &&
	       (numbered || (open && open[-1] != ' ') || memchr(first, '/', frame->module.size));
}

/* Return the bracket of a numbered frame without a module, or NULL. */
static const uint8_t *find_bracket_without_module(const struct cursor *in, const uint8_t *end,
                                                  struct captured_frame *frame)
{
	const struct cursor before = { in->at, end };
	const uint8_t *at = cursor_find(&before, ": (");

	return at && read_number_before(in, at + 2, frame) ? at + 2 : NULL;
}

/*
 * Read the part of the line before the address, from `in` to `end`. Return false if it is not a
 * frame of glibc.
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
	return !open || frame->origin != CAPTURED_NO_OFFSET || read_number_in_bracket(inner, frame);
}

bool captured_read_glibc(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *open = cursor_find_last(&in, "[0x");
	struct cursor c = { open ? open + 1 : in.end, in.end };

	*frame = (struct captured_frame){ .source = CAPTURED_GLIBC, .pc = CAPTURED_PC_RETURN };
	if (!open || !cursor_hex(&c, &frame->address) || !cursor_word(&c, "]") || c.at != c.end)
		return false;
	frame->has_address = true;
	frame->text.data = open;
	while (open > in.at && captured_is_blank(open[-1]))
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
 * Addresses of valgrind, backward, Android and libstdc++ (boost with the address in brackets) are
 * within the call. Android prints addresses as linked. The first line of a list of perf or the JVM
 * has the exact pc. Since Boost 1.83 the address in front of a path is a file offset; in older
 * versions it was the address in the process.
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
 * Take the contents of the last brackets, which must end the line. The cursor then ends before
 * them.
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
	return captured_trim(captured_between(in->at, in->end));
}

/*
 * Return the first occurrence of `word`, "at " or "by ", if it starts the line or follows a space
 * or tab.
 */
static const uint8_t *find_first_word(const struct cursor *in, const char *word)
{
	const uint8_t *at = cursor_find(in, word);

	return at && (at == in->at || captured_is_blank(at[-1])) ? at : NULL;
}

bool captured_read_valgrind(struct cursor in, struct captured_frame *frame)
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
	else if (take_last_brackets(&in, " (", ')', &inner) && !captured_read_source(inner, frame))
		return false;
	frame->function = drop_unknown(rest_of(&in));
	return frame->line > 0 || frame->module.size > 0 || frame->function.size == 0;
}

/* Read "function+0x12". */
static void take_function_offset(struct cairn_bytes name, struct captured_frame *frame)
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

/* Return false for a word that consists only of the letters a to f. */
static bool is_perf_address(struct cairn_bytes digits)
{
	size_t letters = 0;

	while (letters < digits.size && digits.data[letters] > '9')
		letters++;
	return digits.size >= PERF_DIGITS && letters < digits.size;
}

bool captured_read_perf(const struct captured_text *text, struct cursor in,
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
	take_function_offset(drop_unknown(rest_of(&in)), frame);
	return true;
}

bool captured_read_hotspot(const struct captured_text *text, struct cursor in,
                           struct captured_frame *frame)
{
	const uint8_t *start = in.at, *end = in.end, *plus;
	const bool goes_on = text->list == CAPTURED_HOTSPOT;

	*frame = (struct captured_frame){ .source = CAPTURED_HOTSPOT,
		                          .pc = goes_on ? CAPTURED_PC_RETURN : CAPTURED_PC_EXACT,
		                          .origin = CAPTURED_FROM_MODULE };
	/* only at the start of the line, or after "# " */
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

bool captured_read_hotspot_function(const struct captured_text *text, struct cursor in,
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

bool captured_read_node(struct cursor in, struct captured_frame *frame)
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

/* Read "path (function+12)". The second part may be missing. */
static void take_android_names(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *open = cursor_find(&in, " (");
	const uint8_t *plus = cursor_find_last(&in, "+");

	frame->module = captured_trim(captured_between(in.at, open ? open : in.end));
	if (open && plus > open && in.end[-1] == ')')
		frame->function = captured_between(open + 2, plus);
}

bool captured_read_android(struct cursor in, struct captured_frame *frame)
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
	/* an offset of a library in a package is relative to the library's location there */
	return frame->module.size > 0 && frame->module.data[0] == '/' &&
	       !cursor_find(&in, "(offset 0x");
}

/* Skip the frame size that Abseil prints in front of the function. */
static void pass_frame_size(struct cursor *in)
{
	struct cursor c = *in;
	uint64_t size;

	if ((cursor_word(&c, "(unknown)") || cursor_decimal(&c, &size)) && cursor_blanks(&c) > 0 &&
	    cursor_left(&c) > 0)
		*in = c;
}

bool captured_read_glog(struct cursor in, struct captured_frame *frame)
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

/* Read "function at source". */
static void take_function_at(struct cairn_bytes rest, struct captured_frame *frame)
{
	const struct cursor in = cursor_of(rest);
	const uint8_t *at = cursor_find_last(&in, " at ");

	if (at && captured_read_source(captured_between(at + strlen(" at "), in.end), frame))
		rest = captured_between(rest.data, at);
	frame->function = drop_unknown(captured_trim(rest));
}

bool captured_read_boost(struct cursor in, struct captured_frame *frame)
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
	in.at--; /* include the space before the bracket if there is nothing else */
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

bool captured_read_python(struct cursor in, struct captured_frame *frame)
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
	/* a program linked at a fixed address */
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

bool captured_read_backward(struct cursor in, struct captured_frame *frame)
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
	/* the end of the stack: a return address of 0, minus 1 */
	frame->unreliable = frame->address == UINT64_MAX;
	if (frame->module.data[0] == '[')
		frame->module.size = 0;
	return true;
}
