/* SPDX-License-Identifier: MIT */
/*
 * Reads image maps:
 *
 *	map      = info:1 platform count image*
 *	info     = 000000ss               machine words of 2, 4 or 8 bytes; 3 is reserved
 *	platform = length:1 text:byte[length]
 *	count    = 1ggggggg* 0ggggggg     groups of 7 bits, most significant first
 *	image    = r0aaaeee base:byte[aaa+1] end:byte[eee+1] build_id path
 *	                                  r = 1: base is relative to the previous base
 *	build_id = count byte[count]      a count of 0: none
 *	path     = see path.c
 *
 * The end is relative to the base. Numbers are big-endian and signed; addresses wrap at the machine
 * word.
 */
#include "imagemap.h"

#include "path.h"
#include "prefix.h"

#include "base/reader.h"

enum {
	INFO_VERSION = 0xfc,
	INFO_SIZE = 0x03,
	SIZE_RESERVED = 3,
	IMAGE_RELATIVE = 0x80,
	IMAGE_BASE_SHIFT = 3,
	IMAGE_LENGTH = 0x07,
	GROUP_MORE = 0x80,
	GROUP = 0x7f,
	GROUP_BITS = 7,
};

size_t imagemap_prefixes(struct cairn_bytes in)
{
	return imagemap_separators(in);
}

size_t imagemap_separators(struct cairn_bytes path)
{
	size_t count = 0;

	for (size_t i = 0; i < path.size; i++)
		count += is_separator(path.data[i]);
	return count;
}

static uint64_t read_count(struct reader *in)
{
	uint64_t value = 0;
	uint8_t byte;

	do {
		byte = reader_u8(in);
		if (value >> (64 - GROUP_BITS))
			reader_fail(in, CAIRN_MALFORMED, "a count wider than 64 bits");
		value = value << GROUP_BITS | (byte & GROUP);
	} while (byte & GROUP_MORE && reader_ok(in));
	return value;
}

static uint64_t read_signed(struct reader *in, size_t length)
{
	struct cairn_bytes bytes = reader_bytes(in, length);
	uint64_t value = bytes.size && bytes.data[0] >> 7 ? UINT64_MAX : 0;

	for (size_t i = 0; i < bytes.size; i++)
		value = value << 8 | bytes.data[i];
	return value;
}

/* Set the outcome for a failed reader. `start` is the start of the field or image. */
static void fail_imagemap(struct imagemap *m, const struct reader *in, size_t start)
{
	m->outcome = in->fault.status == CAIRN_TRUNCATED ? IMAGEMAP_SHORT : IMAGEMAP_COUNT;
	m->at = start;
}

static enum imagemap_outcome check_info(struct cairn_bytes in)
{
	if (in.size == 0)
		return IMAGEMAP_EMPTY;
	if (in.data[0] & INFO_VERSION)
		return IMAGEMAP_VERSION;
	return (in.data[0] & INFO_SIZE) == SIZE_RESERVED ? IMAGEMAP_SIZE : IMAGEMAP_MORE;
}

static void read_header(struct imagemap *m)
{
	struct reader in = reader_open(m->in, true);

	m->word = 2u << (reader_u8(&in) & INFO_SIZE);
	m->mask = UINT64_MAX >> (64 - 8 * m->word);
	m->at = in.at;
	m->platform = reader_bytes(&in, reader_u8(&in));
	m->has_platform = reader_ok(&in);
	if (m->has_platform)
		m->at = in.at;
	m->left = read_count(&in);
	if (reader_ok(&in))
		m->at = in.at;
	else
		fail_imagemap(m, &in, m->at);
}

void imagemap_open(struct imagemap *m, struct cairn_bytes in, struct imagemap_prefix *prefixes,
                   size_t room)
{
	*m = (struct imagemap){
		.in = in,
		.prefixes = prefixes,
		.room = room,
		.platform = { in.data, 0 },
		.outcome = check_info(in),
	};
	if (m->outcome == IMAGEMAP_MORE)
		read_header(m);
}

static bool finish_imagemap(struct imagemap *m)
{
	m->outcome = IMAGEMAP_OK;
	if (m->at < m->in.size)
		m->warnings |= IMAGEMAP_WARNING_TRAILING;
	return false;
}

static bool read_image_but_path(struct imagemap *m, struct reader *in, struct imagemap_image *image)
{
	uint8_t header = reader_u8(in);
	uint64_t base = read_signed(in, (header >> IMAGE_BASE_SHIFT & IMAGE_LENGTH) + 1u);
	uint64_t text = read_signed(in, (header & IMAGE_LENGTH) + 1u);
	uint64_t id_size = read_count(in);

	if (id_size > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED, "data ends inside a build ID");
	struct cairn_bytes build_id = reader_bytes(in, (size_t)id_size);
	if (!reader_ok(in))
		return false;

	m->base = (base + (header & IMAGE_RELATIVE ? m->base : 0)) & m->mask;
	image->base = m->base;
	image->end = (m->base + text) & m->mask;
	image->build_id = build_id;
	if (image->end <= image->base)
		m->warnings |= IMAGEMAP_WARNING_EMPTY_TEXT;
	return true;
}

bool imagemap_next(struct imagemap *m, struct imagemap_image *image)
{
	struct reader in = reader_open(m->in, true);
	struct imagemap_image found;
	size_t start = m->at;

	if (m->outcome != IMAGEMAP_MORE)
		return false;
	if (m->left == 0)
		return finish_imagemap(m);
	reader_seek(&in, m->at);
	if (!read_image_but_path(m, &in, &found)) {
		fail_imagemap(m, &in, start);
		return false;
	}
	found.path = path_read(m, &in);
	m->at = in.at;
	m->left--;
	if (!reader_ok(&in))
		fail_imagemap(m, &in, start);
	*image = found;
	return true;
}

struct cairn_bytes imagemap_name(struct cairn_bytes path)
{
	size_t start = path.size;

	while (start > 0 && !is_separator(path.data[start - 1]))
		start--;
	return (struct cairn_bytes){ path.data + start, path.size - start };
}
