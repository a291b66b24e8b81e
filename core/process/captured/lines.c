/* SPDX-License-Identifier: MIT */
/* Tells which lines of a text are frames, and where a stack begins and ends. */
#include "captured_stacks.h"

#include "base/bytes_compare.h"
#include "base/bytes_split.h"

enum {
	PLACE_BLANKS = 8, /* at least, before the place of a frame */
	REGISTER_LINES =
		64, /* at most, after a place at which the kernel stopped; AArch64 prints 40 */
};

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
	/* The kernel prints where it stopped before the trace that leads there, with registers between them. */
	struct captured_frame stop, last_stop;
	bool has_stop, has_last; /* `stop` waits for its trace; `last_stop` has been given */
	unsigned registers;      /* lines that may come before the trace goes on */
};

static void end_open_stack(struct lines *l)
{
	if (l->open)
		l->listener->end(l->listener->context);
	l->open = false;
}

static bool is_same_place(const struct captured_frame *a, const struct captured_frame *b)
{
	return a->offset == b->offset && a->function_size == b->function_size &&
	       bytes_equal(a->function, b->function);
}

/* Gives the place where the kernel stopped as the innermost frame of a stack.  The end of a report repeats it, alone. */
static void give_stop(struct lines *l, bool has_trace)
{
	const bool again = l->has_last && is_same_place(&l->stop, &l->last_stop);

	if (!l->has_stop)
		return;
	l->has_stop = false;
	if (again && !has_trace)
		return;
	l->open = true;
	l->has_last = true;
	l->last_stop = l->stop;
	l->is_done = !l->listener->frame(l->listener->context, &l->stop);
	if (!has_trace)
		end_open_stack(l);
}

/* Takes a frame of the kernel that is not an ordinary one of a trace; false: it is. */
static bool take_kernel_frame(struct lines *l, const struct captured_frame *frame)
{
	const bool exact = frame->pc == CAPTURED_PC_EXACT;

	if (frame->source != CAPTURED_KERNEL_TRACE) {
		give_stop(l, false);
		return false;
	}
	/* in a trace it is what an interrupt came upon */
	l->registers = exact ? REGISTER_LINES : 0;
	if (exact && !l->open) {
		if (!l->has_stop || !is_same_place(&l->stop, frame))
			give_stop(l, false);
		l->stop = *frame;
		return l->has_stop = true;
	}
	if (!l->has_stop)
		return false;
	/* AArch64 begins the trace with the place itself */
	const bool again = is_same_place(&l->stop, frame);
	give_stop(l, true);
	return again;
}

static void give_frame(struct lines *l, const struct captured_frame *frame)
{
	/* the line of glog with the pc of a signal, which stands before the stack */
	const bool alone = frame->source == CAPTURED_GLOG && frame->pc == CAPTURED_PC_EXACT;

	if (frame->unreliable || frame->mentioned || take_kernel_frame(l, frame) || l->is_done)
		return;
	if (alone || (frame->numbered && l->open &&
	              (frame->source == CAPTURED_BACKWARD ? frame->number == l->number
	                                                  : frame->number <= l->number)))
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
	if (line->kind == CAPTURED_OTHER && l->registers > 0) {
		l->registers--;
		if (l->open || l->has_stop)
			return;
	}
	if (l->registers == 0 || line->kind == CAPTURED_BLANK)
		give_stop(l, false);
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
	give_stop(&l, false);
	end_open_stack(&l);
}

void captured_order_steps(struct captured_step *steps, size_t count)
{
	if (count < 2 || steps[0].frame.source != CAPTURED_BACKWARD ||
	    steps[0].frame.number < steps[1].frame.number)
		return;
	for (size_t i = 0; i < count / 2; i++) {
		const struct captured_step step = steps[i];
		steps[i] = steps[count - 1 - i];
		steps[count - 1 - i] = step;
	}
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
