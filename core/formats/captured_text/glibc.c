/* SPDX-License-Identifier: MIT */
/*
 * What backtrace_symbols() of glibc makes:
 *
 *	path [" "] "(" function "+" offset ")" [" "] "[" address "]"
 *	path "(+" offset ")" [" "] "[" address "]"        the offset is the address as linked
 *	path ["()"] [" "] "[" address "]"                 a program that is linked at its address
 *	"[" address "]"                                   in no module
 */
#include "parts.h"

/* Where the word that ends at `end` begins. */
static const uint8_t *find_word(const uint8_t *from, const uint8_t *end)
{
	while (end > from && !captured_is_blank(end[-1]))
		end--;
	return end;
}

static void read_bracket(struct cursor inner, struct captured_frame *frame)
{
	const uint8_t *plus = cursor_find_last(&inner, "+0x");
	struct cursor digits = { plus ? plus + 1 : inner.end, inner.end };

	if (inner.at == inner.end) {
		frame->origin = CAPTURED_FROM_ZERO;
		frame->offset = frame->address;
	} else if (plus && cursor_hex(&digits, &frame->offset) && digits.at == digits.end) {
		frame->function = (struct cairn_bytes){ inner.at, (size_t)(plus - inner.at) };
		frame->origin = plus > inner.at ? CAPTURED_FROM_SYMBOL : CAPTURED_FROM_ZERO;
	}
}

/* What is before the address: `in` up to `end`; false if it is not of glibc. */
static bool read_module(const struct cursor *in, const uint8_t *end, struct captured_frame *frame)
{
	const bool bracket = end > in->at && end[-1] == ')';
	const struct cursor before = { in->at, end };
	const uint8_t *open = bracket ? cursor_find_last(&before, "(") : NULL;

	if (bracket && !open)
		return false;
	const uint8_t *last = open ? open : end;
	/* the X server puts a blank there */
	if (open && last > in->at && last[-1] == ' ')
		last--;
	const uint8_t *first = find_word(in->at, last);
	frame->module = (struct cairn_bytes){ first, (size_t)(last - first) };
	/* other texts have words before brackets */
	if (frame->module.size == 0 ||
	    ((!open || last < open) && !memchr(first, '/', frame->module.size)))
		return false;
	read_bracket(open ? (struct cursor){ open + 1, end - 1 } : (struct cursor){ end, end },
	             frame);
	frame->text.data = first;
	return !open || frame->origin != CAPTURED_NO_OFFSET;
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
