/* SPDX-License-Identifier: MIT */
/* Makes threads of the frames in a text; what is printed for calls that were inlined is not a frame. */
#include "captured_stacks.h"

#include "base/array_grow.h"
#include "base/bytes_split.h"

#include <string.h>

/* The threads that become of the stacks. */
struct threads {
	struct captured *captured;
	struct cairn_bytes title; /* the last line that is not a frame */
	bool open;                /* the last thread is being read */
};

static struct cairn_bytes cut_name(struct cairn_bytes text)
{
	text = bytes_trim(text, " \t=", " \t\r:");
	if (text.size > CAPTURED_NAME_MAX)
		text.size = CAPTURED_NAME_MAX;
	return text;
}

static bool begin_thread(struct threads *t)
{
	struct captured *c = t->captured;

	if (c->thread_count >= CAPTURED_THREADS_MAX)
		return false;
	t->open = ARRAY_APPEND(
		c->threads, c->thread_count, c->thread_room,
		(struct captured_thread){ .name = cut_name(t->title), .first = c->step_count });
	c->scarce = c->scarce || !t->open;
	return t->open;
}

static void drop_inlined(struct captured *c, struct captured_thread *thread)
{
	size_t out = thread->first, end = thread->first + thread->count;

	for (size_t at = thread->first, next; at < end; at = next) {
		next = captured_end_of_place(c->steps, at, end);
		const struct captured_step last = c->steps[next - 1];
		for (size_t i = at; i < next; i++)
			if (!captured_is_inlined(&c->steps[i], &last))
				c->steps[out++] = c->steps[i];
	}
	thread->count = out - thread->first;
	c->step_count = out;
}

static bool has_address(const struct captured *c, const struct captured_thread *thread,
                        uint64_t address)
{
	for (size_t i = 0; i < thread->count; i++)
		if (c->steps[thread->first + i].frame.address == address)
			return true;
	return false;
}

/* glog tells the pc of the signal in a line of its own, before the stack that goes through it; it is 0 where glog does not know it. */
static void drop_told_pc(struct captured *c)
{
	struct captured_thread *last = &c->threads[c->thread_count - 1], *before = last - 1;

	if (c->thread_count < 2 || before->count != 1)
		return;
	const struct captured_frame *told = &c->steps[before->first].frame;
	if (told->source != CAPTURED_GLOG || told->pc != CAPTURED_PC_EXACT ||
	    c->steps[last->first].frame.source != CAPTURED_GLOG ||
	    (told->address != 0 && !has_address(c, last, told->address)))
		return;
	*before = *last;
	c->thread_count--;
}

static void end_thread(void *context)
{
	struct threads *t = context;
	struct captured *c = t->captured;

	if (!t->open)
		return;
	t->open = false;
	captured_order_steps(&c->steps[c->threads[c->thread_count - 1].first],
	                     c->threads[c->thread_count - 1].count);
	drop_inlined(c, &c->threads[c->thread_count - 1]);
	if (c->threads[c->thread_count - 1].count == 0)
		c->thread_count--;
	else
		drop_told_pc(c);
}

static bool take_frame(void *context, const struct captured_frame *frame)
{
	struct threads *t = context;
	struct captured *c = t->captured;

	if (c->step_count >= CAPTURED_FRAMES_MAX || (!t->open && !begin_thread(t))) {
		c->left_out++;
		return !c->scarce;
	}
	captured_add_steps(c, &c->threads[c->thread_count - 1], frame, 1);
	return !c->scarce;
}

static void take_other_line(void *context, const struct captured_line *line,
                            struct cairn_bytes bytes)
{
	struct threads *t = context;

	if (line->kind != CAPTURED_BLANK)
		t->title = line->kind == CAPTURED_HEADING ? line->text : bytes;
}

void captured_read_text(struct captured *c)
{
	struct threads t = { .captured = c, .title = { c->options->text.data, 0 } };
	const struct captured_listener listener = { &t, take_frame, end_thread, take_other_line };

	captured_read_lines(c->options->text, &listener);
}
