/* SPDX-License-Identifier: MIT */
/* Buffers the output of the minidump writer, and defines the order of threads and modules. */
#include "writing.h"

#include <string.h>

enum { ZEROS = 8 };

void writing_flush(struct writing *w)
{
	if (w->used > 0 && w->error == 0)
		w->error = w->write(w->context, w->buffer, w->used);
	w->used = 0;
}

void writing_put(struct writing *w, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	w->at += size;
	while (!w->counts && size > 0) {
		const size_t left = sizeof(w->buffer) - w->used, piece = size < left ? size : left;
		memcpy(w->buffer + w->used, from, piece);
		w->used += piece;
		from += piece;
		size -= piece;
		if (w->used == sizeof(w->buffer))
			writing_flush(w);
	}
}

void writing_put_zeros(struct writing *w, size_t size)
{
	static const uint8_t zeros[ZEROS] = { 0 };

	for (; size > sizeof(zeros); size -= sizeof(zeros))
		writing_put(w, zeros, sizeof(zeros));
	writing_put(w, zeros, size);
}

/* Return the index of the item at `position` if the item `first` is moved to the front. */
static size_t choose_number(size_t first, size_t count, size_t position)
{
	if (first >= count)
		return position;
	if (position == 0)
		return first;
	return position <= first ? position - 1 : position;
}

size_t writing_thread(const struct writing *w, size_t position)
{
	return choose_number(w->first_thread, w->snapshot->thread_count, position);
}

size_t writing_module(const struct writing *w, size_t position)
{
	return choose_number(w->draft->program, w->snapshot->module_count, position);
}
