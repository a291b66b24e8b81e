/* SPDX-License-Identifier: MIT */
/*
 * What backtrace_symbols() of glibc makes:
 *
 *	path [" "] "(" function "+" offset ")" [" "] "[" address "]"
 *	path "(+" offset ")" [" "] "[" address "]"        the offset is the address as linked
 *	path ["()"] [" "] "[" address "]"                 a program that is linked at its address
 *	"[" address "]"                                   in no module
 *
 * The path may be the title of a program.  Others make of the same calls:
 *
 *	path "(" (address | offset) ")" " [" address "]"  Ruby, without a function; the offset is the address as linked
 *	n ": " path " (" function "+" offset ")" " [" address "]"    the X server
 *	n ": (" function "+" offset ")" " [" address "]"  Ceph, whose functions have brackets of their own
 */
#include "parts.h"

enum { PAGE = 4096, TITLE_WORDS = 2 };

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

/* "3: " before `end`: the number of the frame. */
static bool read_number_before(const struct cursor *in, const uint8_t *end,
                               struct captured_frame *frame)
{
	if (end - in->at < 3 || end[-1] != ' ' || end[-2] != ':')
		return false;
	struct cursor digits = { captured_find_word(in->at, end - 2), end - 2 };
	frame->numbered = cursor_decimal(&digits, &frame->number) && digits.at == digits.end;
	return frame->numbered;
}

/* Without a function Ruby has the address again, or the address as linked: modules begin at pages. */
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
 * Programs that change their title have words behind the name of their file, which has no path then: Redis the address that it
 * listens at, and its mode ("redis-server *:6379 [cluster]").
 */
static bool is_title_word(const uint8_t *word, const uint8_t *end)
{
	const uint8_t *digits = end;

	while (digits > word && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return (digits < end && digits - word > 1 && digits[-1] == ':') ||
	       (end - word > 2 && *word == '[' && end[-1] == ']');
}

/* The module is the word before the bracket, or before the address; `open` is NULL or where the bracket is. */
static bool read_module_word(const struct cursor *in, const uint8_t *end, const uint8_t *open,
                             struct captured_frame *frame)
{
	const uint8_t *last = open ? open : end;

	/* the X server puts a blank there */
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
	/* other texts have words before brackets */
	return frame->module.size > 0 && *first != '(' &&
	       (numbered || (open && open[-1] != ' ') || memchr(first, '/', frame->module.size));
}

/* Where the bracket of a numbered frame without a module begins; NULL: it is none. */
static const uint8_t *find_bracket_without_module(const struct cursor *in, const uint8_t *end,
                                                  struct captured_frame *frame)
{
	const struct cursor before = { in->at, end };
	const uint8_t *at = cursor_find(&before, ": (");

	return at && read_number_before(in, at + 2, frame) ? at + 2 : NULL;
}

/* What is before the address: `in` up to `end`; false if it is not of glibc. */
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
