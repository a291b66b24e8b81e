/* SPDX-License-Identifier: MIT */
/*
 * Reads the lines of /proc/PID/maps:
 *
 *	line = low "-" high " " access " " offset " " major ":" minor " " inode [" "+ path] "\n"
 *
 * Numbers are hexadecimal, except for the inode, which is decimal. `access` is rwx, with a minus
 * for each missing permission, followed by p for private or s for shared.
 */
#include "procmaps.h"

#include "base/encoding.h"

#include <string.h>

/* Unread rest of a line. `failed` is set once the line is found invalid. */
struct line {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t read_digits(struct line *l, unsigned base)
{
	const uint8_t *start = l->at;
	uint64_t sum = 0;

	for (unsigned digit; l->at < l->end && (digit = hex_digit(*l->at)) < base; l->at++) {
		l->failed |= sum > (UINT64_MAX - digit) / base;
		sum = sum * base + digit;
	}
	l->failed |= l->at == start;
	return sum;
}

static void take_character(struct line *l, uint8_t expected)
{
	l->failed |= l->at >= l->end || *l->at != expected;
	l->at += l->at < l->end;
}

static bool take_flag(struct line *l, uint8_t set, uint8_t clear)
{
	uint8_t found = l->at < l->end ? *l->at : 0;

	l->failed |= found != set && found != clear;
	l->at += l->at < l->end;
	return found == set;
}

static void read_path(struct line *l, struct procmaps_entry *entry)
{
	static const char mark[] = " (deleted)";
	size_t length = sizeof(mark) - 1;

	while (l->at < l->end && *l->at == ' ')
		l->at++;
	entry->path = (struct cairn_bytes){ l->at, (size_t)(l->end - l->at) };
	entry->deleted = entry->path.size > length && memcmp(l->end - length, mark, length) == 0;
	if (entry->deleted)
		entry->path.size -= length;
}

static bool read_line(struct line l, struct procmaps_entry *entry)
{
	entry->low = read_digits(&l, 16);
	take_character(&l, '-');
	entry->high = read_digits(&l, 16);
	take_character(&l, ' ');
	entry->readable = take_flag(&l, 'r', '-');
	entry->writable = take_flag(&l, 'w', '-');
	entry->executable = take_flag(&l, 'x', '-');
	entry->shared = take_flag(&l, 's', 'p');
	take_character(&l, ' ');
	entry->offset = read_digits(&l, 16);
	take_character(&l, ' ');
	read_digits(&l, 16);
	take_character(&l, ':');
	read_digits(&l, 16);
	take_character(&l, ' ');
	entry->inode = read_digits(&l, 10);
	l.failed |= l.at < l.end && *l.at != ' ';
	read_path(&l, entry);
	return !l.failed && entry->low < entry->high;
}

struct procmaps procmaps_open(struct cairn_bytes text)
{
	return (struct procmaps){ .in = text };
}

bool procmaps_next(struct procmaps *maps, struct procmaps_entry *entry)
{
	while (maps->at < maps->in.size) {
		size_t start = maps->at, left = maps->in.size - start;
		const uint8_t *text = maps->in.data + start;
		const uint8_t *end = memchr(text, '\n', left);
		size_t size = end ? (size_t)(end - text) : left;
		maps->at += size + (end != NULL);
		if (read_line((struct line){ text, text + size, false }, entry))
			return true;
		if (size > 0 && maps->bad++ == 0)
			maps->first_bad = start;
	}
	return false;
}

struct snapshot_mapping procmaps_mapping(const struct procmaps_entry *entry)
{
	return (struct snapshot_mapping){
		.low = entry->low,
		.high = entry->high,
		.access = snapshot_access_of(entry->readable, entry->writable, entry->executable),
		.has_access = true,
		.has_file = entry->inode != 0,
		.offset = entry->offset,
		.path = entry->path,
		.deleted = entry->deleted
	};
}
