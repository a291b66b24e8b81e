/* SPDX-License-Identifier: MIT */
/*
 * Damages a file by chance, always in the same way for a seed:
 *
 *	mutate SEED FILE [OTHER] >OUT
 *
 * One to eight times it changes a bit, a byte, a number of 2 to 8 bytes (to a limit, by a little, or to one
 * of another place), cuts the end, or takes out, doubles or moves a range; or a range is one of OTHER.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 << 10, FILE_MAX = 64 << 20, RANGE_MAX = 256, CHANGES_MAX = 8 };

struct content {
	uint8_t *data;
	size_t size;
};

static uint64_t state;

/* xorshift64*; below a bound, which is not 0. */
static size_t draw_below(size_t bound)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (size_t)((state * UINT64_C(2685821657736338717) >> 16) % bound);
}

/* With room for what the changes add. */
static struct content read_content(const char *path)
{
	struct content content = { NULL, 0 };
	FILE *file = fopen(path, "rb");

	for (size_t capacity = FIRST_CAPACITY; file && capacity <= FILE_MAX; capacity *= 2) {
		uint8_t *larger = realloc(content.data, capacity + RANGE_MAX * CHANGES_MAX);
		if (!larger)
			free(content.data);
		content.data = larger;
		if (!larger)
			break;
		content.size += fread(larger + content.size, 1, capacity - content.size, file);
		if (content.size < capacity)
			break;
	}
	if (!content.data) {
		perror(path);
		exit(2);
	}
	fclose(file);
	return content;
}

/* A number that readers may trip over: around a power of two, or a few bits. */
static uint64_t draw_number(const struct content *content)
{
	switch (draw_below(4)) {
	case 0:
		return (UINT64_C(1) << draw_below(64)) - draw_below(3);
	case 1:
		return ~(uint64_t)0 - draw_below(16);
	case 2:
		return content->size - 8 + draw_below(16);
	default:
		return draw_below(256);
	}
}

static void change_number(struct content *content)
{
	size_t width = (size_t)2 << draw_below(3), at = draw_below(content->size);
	uint64_t number = draw_number(content);
	bool big = draw_below(4) == 0;

	at &= draw_below(4) ? ~(size_t)3 : ~(size_t)0;
	for (size_t i = 0; i < width && at + i < content->size; i++)
		content->data[at + i] = (uint8_t)(number >> 8 * (big ? width - 1 - i : i));
}

static size_t draw_range(const struct content *content, size_t *at)
{
	*at = draw_below(content->size);
	size_t size = 1 + draw_below(RANGE_MAX);
	return size < content->size - *at ? size : content->size - *at;
}

static void take_out_range(struct content *content)
{
	size_t at, size = draw_range(content, &at);

	memmove(content->data + at, content->data + at + size, content->size - at - size);
	content->size -= size;
}

static void double_range(struct content *content)
{
	size_t at, size = draw_range(content, &at);

	memmove(content->data + at + size, content->data + at, content->size - at);
	content->size += size;
}

/* Writes a range of `from`, which may be the same file, over another place. */
static void copy_range(struct content *content, const struct content *from)
{
	size_t at, size = draw_range(from, &at), to = draw_below(content->size);

	if (size > content->size - to)
		size = content->size - to;
	memmove(content->data + to, from->data + at, size);
}

static void change_content(struct content *content, const struct content *other)
{
	static const uint8_t bytes[] = { 0x00, 0x01, 0x7f, 0x80, 0xff, ' ', '\n', 0x1b };
	size_t at = draw_below(content->size);

	switch (draw_below(10)) {
	case 0:
	case 1:
		content->data[at] ^= (uint8_t)(1 << draw_below(8));
		break;
	case 2:
		content->data[at] = bytes[draw_below(sizeof(bytes))];
		break;
	case 3:
	case 4:
	case 5:
		change_number(content);
		break;
	case 6:
		if (draw_below(4) == 0)
			content->size = at;
		break;
	case 7:
		take_out_range(content);
		break;
	case 8:
		double_range(content);
		break;
	default:
		copy_range(content, other->size > 0 ? other : content);
		break;
	}
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "mutate SEED FILE [OTHER] >OUT\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	struct content content = read_content(argv[2]), other = { NULL, 0 };
	if (argc > 3)
		other = read_content(argv[3]);
	for (size_t i = 0; i < 16; i++) /* small seeds begin alike */
		draw_below(2);
	for (size_t changes = 1 + draw_below(CHANGES_MAX); changes > 0 && content.size > 0;
	     changes--)
		change_content(&content, &other);
	bool ok = fwrite(content.data, 1, content.size, stdout) == content.size &&
	          fflush(stdout) == 0;
	free(content.data);
	free(other.data);
	return ok ? 0 : 2;
}
