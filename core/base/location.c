/* SPDX-License-Identifier: MIT */
/*
 * Facts about locations: the path of a source file, and the address and number of recorded frames.
 */
#include <cairn.h>

#include <string.h>

/* A path under construction. `length` continues to count beyond the capacity. */
struct path {
	char *text;
	size_t room, length;
};

static void append_path_text(struct path *path, const void *text, size_t size)
{
	if (size > 0 && path->room > 0 && path->length < path->room - 1) {
		size_t left = path->room - 1 - path->length;
		memcpy(path->text + path->length, text, size < left ? size : left);
	}
	path->length += size;
}

/* Return the separator between directory and file name, or NUL if none is needed. */
static char choose_separator(struct cairn_bytes directory)
{
	if (directory.size == 0)
		return '\0';
	bool slash = memchr(directory.data, '/', directory.size) != NULL;
	bool backslash = memchr(directory.data, '\\', directory.size) != NULL;
	char own = backslash && !slash ? '\\' : '/';

	return directory.data[directory.size - 1] != (uint8_t)own ? own : '\0';
}

size_t cairn_location_path(const struct cairn_location *location, char *path, size_t size)
{
	/* Swift's file name, in directory "/", for code without source. */
	static const char generated[] = "<compiler-generated>";
	struct path p = { path, size, 0 };
	struct cairn_bytes directory = location->directory;

	if (location->file.size == sizeof(generated) - 1 &&
	    memcmp(location->file.data, generated, sizeof(generated) - 1) == 0)
		directory.size = 0;
	char between = choose_separator(directory);

	append_path_text(&p, directory.data, directory.size);
	if (between)
		append_path_text(&p, &between, 1);
	append_path_text(&p, location->file.data, location->file.size);
	if (size > 0)
		path[p.length < size ? p.length : size - 1] = '\0';
	return p.length;
}

uint64_t cairn_frame_lookup_address(const struct cairn_frame *frame)
{
	return frame->kind == CAIRN_FRAME_RETURN ? frame->value - 1 : frame->value;
}

uint64_t cairn_frame_count(const struct cairn_frame *frame)
{
	uint64_t each = frame->kind == CAIRN_FRAME_OMITTED ? frame->value : 1;

	if (each > 0 && frame->times > UINT64_MAX / each)
		return UINT64_MAX;
	return each * frame->times;
}
