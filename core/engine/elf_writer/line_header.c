/* SPDX-License-Identifier: MIT */
#include "line_header.h"

enum {
	CONTENT_PATH = 1,
	CONTENT_DIRECTORY = 2,
	FORM_UDATA = 0x0f,
	FORM_LINE_STRP = 0x1f,
};

bool object_local_file(struct object_writer *w, struct object_locals *locals, uint32_t path,
                       uint32_t *local)
{
	if (w->file[path].local == 0) {
		if (!object_room(&locals->file, &locals->room, locals->count, sizeof(path)))
			return false;
		locals->file[locals->count++] = path;
		w->file[path].local = (uint32_t)locals->count;
	}
	*local = w->file[path].local - 1;
	return true;
}

static uint32_t directory_of(const struct object_writer *w, uint32_t path)
{
	return w->file[path].directory ? w->file[path].directory : w->here;
}

/* Directory 0 is the first file's; marks of paths hold their numbers + 1. */
static void write_directories(struct object_writer *w, const struct object_locals *locals)
{
	struct intern_entry *entry = w->paths.entry;
	uint32_t count = 0;

	for (size_t i = 0; i < locals->count; i++) {
		uint32_t directory = directory_of(w, locals->file[i]);
		if (entry[directory].mark == 0)
			entry[directory].mark = ++count;
	}
	buffer_u8(&w->lines, 1);
	buffer_uleb(&w->lines, CONTENT_PATH);
	buffer_uleb(&w->lines, FORM_LINE_STRP);
	buffer_uleb(&w->lines, count);
	for (size_t i = 0, next = 1; i < locals->count; i++) {
		uint32_t directory = directory_of(w, locals->file[i]);
		if (entry[directory].mark != next)
			continue;
		buffer_number(&w->lines, entry[directory].offset, 4);
		next++;
	}
}

static void write_files(struct object_writer *w, const struct object_locals *locals)
{
	struct intern_entry *entry = w->paths.entry;

	buffer_u8(&w->lines, 2);
	buffer_uleb(&w->lines, CONTENT_PATH);
	buffer_uleb(&w->lines, FORM_LINE_STRP);
	buffer_uleb(&w->lines, CONTENT_DIRECTORY);
	buffer_uleb(&w->lines, FORM_UDATA);
	buffer_uleb(&w->lines, locals->count);
	for (size_t i = 0; i < locals->count; i++) {
		const struct object_file *file = &w->file[locals->file[i]];
		buffer_number(&w->lines, entry[file->path].offset + file->name, 4);
		buffer_uleb(&w->lines, entry[directory_of(w, file->path)].mark - 1);
	}
	for (size_t i = 0; i < locals->count; i++)
		entry[directory_of(w, locals->file[i])].mark = 0;
}

size_t object_line_header(struct object_writer *w, const struct object_locals *locals)
{
	static const uint8_t operands[OBJECT_OPCODE_BASE - 1] = {
		0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
	};
	struct buffer *b = &w->lines;
	size_t at = b->size;

	buffer_number(b, 0, 4);
	buffer_number(b, 5, 2);
	buffer_u8(b, (uint8_t)w->word);
	buffer_u8(b, 0);
	size_t header = b->size;
	buffer_number(b, 0, 4);
	buffer_u8(b, 1); /* bytes of the smallest instruction */
	buffer_u8(b, 1); /* operations in one */
	buffer_u8(b, 1); /* rows begin statements */
	buffer_u8(b, (uint8_t)OBJECT_LINE_BASE);
	buffer_u8(b, OBJECT_LINE_RANGE);
	buffer_u8(b, OBJECT_OPCODE_BASE);
	buffer_bytes(b, operands, sizeof(operands));
	write_directories(w, locals);
	write_files(w, locals);
	buffer_poke(b, header, b->size - header - 4, 4);
	return at;
}
