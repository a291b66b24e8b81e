/* SPDX-License-Identifier: MIT */
/* Tells which lines of a text are frames, and where a stack begins and ends. */
#include "captured_stacks.h"

#include "base/bytes_compare.h"
#include "base/bytes_split.h"

enum { PLACE_BLANKS = 8 }; /* at least, before the place of a frame */

/* Where the reading is. */
struct lines {
	const struct captured_listener *listener;
	struct captured_text text;
	struct captured_markup markup;
	bool open;    /* frames of the next lines may belong to the same stack */
	bool goes_on; /* it does not end at a line that is not a frame */
	bool has_places; /* it does not at one that begins with blanks: the place of the frame before */
	bool numbered;   /* the frame before was, */
	uint64_t number; /* and this is its number */
	bool is_done;    /* no more lines are wanted */
};

static void end_open_stack(struct lines *l)
{
	if (l->open)
		l->listener->end(l->listener->context);
	l->open = false;
}

static void give_frame(struct lines *l, const struct captured_frame *frame)
{
	/* the line of glog with the pc of a signal, which stands before the stack */
	const bool alone = frame->source == CAPTURED_GLOG && frame->pc == CAPTURED_PC_EXACT;

	if (frame->unreliable)
		return;
	if (alone || (frame->numbered && l->open && frame->number <= l->number))
		end_open_stack(l);
	l->open = true;
	l->goes_on = frame->numbered || frame->source == CAPTURED_GO;
	l->has_places = frame->source == CAPTURED_GLOG;
	l->number = frame->numbered ? frame->number : 0;
	l->is_done = !l->listener->frame(l->listener->context, frame);
	if (alone)
		end_open_stack(l);
}

/* folly prints the file and the line of a frame below it, far from the margin. */
static bool is_place_line(struct cairn_bytes bytes)
{
	size_t blanks = 0;

	while (blanks < bytes.size && bytes.data[blanks] == ' ')
		blanks++;
	return blanks >= PLACE_BLANKS;
}

/* A line that is not a frame ends a stack.  It does not where frames are numbered, or are those of Go: output of others may be between them. */
static void give_other_line(struct lines *l, const struct captured_line *line,
                            struct cairn_bytes bytes)
{
	if (l->open && l->has_places && line->kind == CAPTURED_OTHER && is_place_line(bytes))
		return;
	if (line->kind == CAPTURED_BLANK || line->kind == CAPTURED_HEADING || !l->goes_on)
		end_open_stack(l);
	l->listener->line(l->listener->context, line, bytes);
}

static void read_captured_line(struct lines *l, struct cairn_bytes bytes)
{
	struct captured_line line;
	struct captured_frame frame;

	if (captured_read_markup(&l->markup, bytes, &frame)) {
		give_frame(l, &frame);
		return;
	}
	line.kind = captured_text_line(&l->text, bytes, &line);
	if (line.kind == CAPTURED_FRAME)
		give_frame(l, &line.frame);
	else if (line.kind != CAPTURED_FUNCTION)
		give_other_line(l, &line, bytes);
}

void captured_read_lines(struct cairn_bytes text, const struct captured_listener *listener)
{
	struct lines l = { .listener = listener, .text = captured_text_open() };

	while (text.size > 0 && !l.is_done)
		read_captured_line(&l, bytes_take_part(&text, '\n'));
	end_open_stack(&l);
}

size_t captured_end_of_place(const struct captured_step *steps, size_t at, size_t end)
{
	size_t next = at + 1;

	while (next < end && steps[at].frame.has_address && steps[next].frame.has_address &&
	       steps[next].frame.address == steps[at].frame.address)
		next++;
	return next;
}

bool captured_is_inlined(const struct captured_step *step, const struct captured_step *last)
{
	return !bytes_equal(step->frame.function, last->frame.function);
}
