/* SPDX-License-Identifier: MIT */
/*
 * Frames as valgrind, perf script, the JVM, Node.js, Android and libraries for stack traces print them:
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
 * Addresses of valgrind, backward and libstdc++ (boost with the address in brackets) are bytes of the call, as are those of
 * Android, whose digits are the address as linked.  The first line of a list of perf or the JVM has the exact one.
 * Since Boost 1.83 the address before a path is an offset in the file; before, it was that in the process.
 */
#include "parts.h"

#include "base/bytes_compare.h"

enum {
	WHOLE_DIGITS = 16, /* of an address without 0x */
	PERF_DIGITS = 6,   /* at least; shorter ones are words, too */
	OFFSET_BITS = 32,  /* of offsets; programs that are loaded anywhere are above */
};

static struct cairn_bytes drop_unknown(struct cairn_bytes name)
{
	static const char *const words[] = { "???", "[unknown]", "(unknown)", "??" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bytes_are(name, words[i]))
			name.size = 0;
	return name;
}

/* What is in the last brackets, which end the line and stand after a blank; the cursor ends before them. */
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

/* At a word, "at " or "by ", which is the first of its line or stands after a blank. */
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

/* "function+0x12" */
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

/* Not a word of the letters a to f. */
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
	/* at the beginning of the line, also after "# " */
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

/* "path (function+12)", of which the second may not be there. */
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
	/* a library within a package counts from its own place there */
	return frame->module.size > 0 && frame->module.data[0] == '/' &&
	       !cursor_find(&in, "(offset 0x");
}

/* Abseil has the size of the frame before the function. */
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

/* "function at source" */
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
	in.at--; /* the blank before the bracket, if nothing else is before it */
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
	if (c.at == c.end) { /* a program that is linked at its address */
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
	/* the end of the stack, of which the library has taken one */
	frame->unreliable = frame->address == UINT64_MAX;
	if (frame->module.data[0] == '[')
		frame->module.size = 0;
	return true;
}
