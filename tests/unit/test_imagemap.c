/* SPDX-License-Identifier: MIT */
/* Tests the Compact ImageMap Format decoder and encoder, their prefixes and their limits. */
#include "formats/imagemap.h"
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	TEXT = 6000,
	CAPACITY = 6000,
	TRAILING = IMAGEMAP_WARNING_TRAILING,
	UNKNOWN_PREFIX = IMAGEMAP_WARNING_UNKNOWN_PREFIX,
	EMPTY_TEXT = IMAGEMAP_WARNING_EMPTY_TEXT,
	LONG_PATH = IMAGEMAP_WARNING_LONG_PATH,
};

/* One image as text: base-end, the bytes of the ID in brackets, and the path; "-" for none. */
static void add_text(char *text, const struct imagemap_image *image)
{
	size_t used = strlen(text);

	used += (size_t)snprintf(text + used, TEXT - used, "%" PRIx64 "-%" PRIx64 " [", image->base,
	                         image->end);
	for (size_t i = 0; i < image->build_id.size; i++)
		used += (size_t)snprintf(text + used, TEXT - used, "%02x", image->build_id.data[i]);
	if (image->path.size)
		snprintf(text + used, TEXT - used, "] %.*s\n", (int)image->path.size,
		         (const char *)image->path.data);
	else
		snprintf(text + used, TEXT - used, "] -\n");
}

/* A map without platform, whose images lie at 10 and take one byte; no build IDs. */
#define IMAGE "\0\20\1\0"
#define LINE "10-11 [] "

static const struct row {
	const char *name;
	struct cairn_bytes input;
	enum imagemap_outcome outcome;
	size_t at;
	unsigned warnings;
	const char *platform; /* NULL when it was not read */
	const char *images;
} rows[] = {
	{ "nothing", BYTES(""), IMAGEMAP_EMPTY, 0, 0, NULL, "" },
	{ "version 1", BYTES("\6\0\0"), IMAGEMAP_VERSION, 0, 0, NULL, "" },
	{ "reserved size", BYTES("\3\0\0"), IMAGEMAP_SIZE, 0, 0, NULL, "" },
	{ "no platform", BYTES("\2"), IMAGEMAP_SHORT, 1, 0, NULL, "" },
	{ "platform cut", BYTES("\2\3ab"), IMAGEMAP_SHORT, 1, 0, NULL, "" },
	{ "no count", BYTES("\2\2ab"), IMAGEMAP_SHORT, 4, 0, "ab", "" },
	{ "count cut", BYTES("\2\1a\201"), IMAGEMAP_SHORT, 3, 0, "a", "" },
	{ "count of 65 bits", BYTES("\2\0\202\200\200\200\200\200\200\200\200\0"), IMAGEMAP_COUNT,
	  2, 0, "", "" },
	{ "count of 64 bits", BYTES("\2\0\201\200\200\200\200\200\200\200\200\0"), IMAGEMAP_SHORT,
	  12, 0, "", "" },
	{ "padded count", BYTES("\2\0\200\200\200\200\200\200\200\200\200\200\200\1" IMAGE "\0"),
	  IMAGEMAP_OK, 19, 0, "", LINE "-\n" },
	{ "no images", BYTES("\2\4test\0"), IMAGEMAP_OK, 7, 0, "test", "" },
	{ "bytes behind", BYTES("\2\0\0\0"), IMAGEMAP_OK, 3, TRAILING, "", "" },
	{ "image missing", BYTES("\2\0\2" IMAGE "\0"), IMAGEMAP_SHORT, 8, 0, "", LINE "-\n" },
	{ "base cut", BYTES("\2\0\1\70\1\2\3"), IMAGEMAP_SHORT, 3, 0, "", "" },
	{ "end cut", BYTES("\2\0\1\7\1\2\3"), IMAGEMAP_SHORT, 3, 0, "", "" },
	{ "no build ID", BYTES("\2\0\1\0\20\1"), IMAGEMAP_SHORT, 3, 0, "", "" },
	{ "build ID cut", BYTES("\2\0\1\0\20\1\2\1"), IMAGEMAP_SHORT, 3, 0, "", "" },
	{ "huge build ID", BYTES("\2\0\1\0\20\1\201\377\377\377\377\377\377\377\377\177\0"),
	  IMAGEMAP_SHORT, 3, 0, "", "" },
	{ "build ID of 65 bits", BYTES("\2\0\1\0\20\1\202\200\200\200\200\200\200\200\200\0\0"),
	  IMAGEMAP_COUNT, 3, 0, "", "" },
	{ "no path", BYTES("\2\0\1" IMAGE), IMAGEMAP_SHORT, 3, 0, "", LINE "-\n" },
	{ "literal cut", BYTES("\2\0\1" IMAGE "\3ab"), IMAGEMAP_SHORT, 3, 0, "", LINE "-\n" },
	{ "path without end", BYTES("\2\0\1" IMAGE "\2ab"), IMAGEMAP_SHORT, 3, 0, "", LINE "-\n" },
	{ "prefix cut", BYTES("\2\0\1" IMAGE "\1a\301\0"), IMAGEMAP_SHORT, 3, 0, "", LINE "-\n" },
	{ "framework cut", BYTES("\2\0\1" IMAGE "\101Cx"), IMAGEMAP_SHORT, 3, 0, "", LINE "-\n" },
	{ "all of an image", BYTES("\2\0\1\11\20\0\1\0\2\336\255\2ab\0"), IMAGEMAP_OK, 15, 0, "",
	  "1000-1100 [dead] ab\n" },
	{ "relative", BYTES("\2\0\2" IMAGE "\0\200\20\1\0\0"), IMAGEMAP_OK, 13, 0, "",
	  LINE "-\n20-21 [] -\n" },
	{ "first relative", BYTES("\2\0\1\200\20\1\0\0"), IMAGEMAP_OK, 8, 0, "", LINE "-\n" },
	{ "wraps on 16 bits", BYTES("\0\0\2\0\377\2\0\0\200\377\2\0\0"), IMAGEMAP_OK, 13,
	  EMPTY_TEXT, "", "ffff-1 [] -\nfffe-0 [] -\n" },
	{ "sign on 32 bits", BYTES("\1\0\1\0\360\1\0\0"), IMAGEMAP_OK, 8, 0, "",
	  "fffffff0-fffffff1 [] -\n" },
	{ "sign on 64 bits", BYTES("\2\0\1\10\200\0\1\0\0"), IMAGEMAP_OK, 9, 0, "",
	  "ffffffffffff8000-ffffffffffff8001 [] -\n" },
	{ "wide", BYTES("\0\0\1\20\1\2\3\1\0\0"), IMAGEMAP_OK, 10, 0, "", "203-204 [] -\n" },
	{ "ends at its base", BYTES("\2\0\1\0\20\0\0\0"), IMAGEMAP_OK, 8, EMPTY_TEXT, "",
	  "10-10 [] -\n" },
	{ "ends before its base", BYTES("\2\0\1\0\20\377\0\0"), IMAGEMAP_OK, 8, EMPTY_TEXT, "",
	  "10-f [] -\n" },
	{ "fixed prefixes", BYTES("\2\0\3" IMAGE "\200\1a\0" IMAGE "\213\212\0" IMAGE "\201\203\0"),
	  IMAGEMAP_OK, 25, 0, "",
	  LINE "/liba\n" LINE "C:\\Program FilesC:\\Windows\\System32\n" LINE
	       "/usr/lib/opt/lib\n" },
	{ "framework", BYTES("\2\0\1" IMAGE "\204\105CAppKit"), IMAGEMAP_OK, 16, 0, "",
	  LINE "/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit\n" },
	{ "framework without versions", BYTES("\2\0\1" IMAGE "\100\1X"), IMAGEMAP_OK, 10, 0, "",
	  LINE "/X.framework/X\n" },
	{ "reserved prefix", BYTES("\2\0\1" IMAGE "\214\1a\0"), IMAGEMAP_OK, 11, UNKNOWN_PREFIX, "",
	  LINE "-\n" },
	{ "last reserved prefix", BYTES("\2\0\1" IMAGE "\237\1a\0"), IMAGEMAP_OK, 11,
	  UNKNOWN_PREFIX, "", LINE "-\n" },
	{ "prefix not yet known", BYTES("\2\0\1" IMAGE "\240\0"), IMAGEMAP_OK, 9, UNKNOWN_PREFIX,
	  "", LINE "-\n" },
	{ "prefix beyond 64 bits", BYTES("\2\0\1" IMAGE "\310\1\0\0\0\0\0\0\0\0\0"), IMAGEMAP_OK,
	  18, UNKNOWN_PREFIX, "", LINE "-\n" },
	{ "largest prefix", BYTES("\2\0\1" IMAGE "\307\377\377\377\377\377\377\377\377\0"),
	  IMAGEMAP_OK, 17, UNKNOWN_PREFIX, "", LINE "-\n" },
	{ "defines",
	  BYTES("\2\0\4" IMAGE "\6/a/b\\c\0" IMAGE "\240\1x\0" IMAGE "\241\0" IMAGE "\242\0"),
	  IMAGEMAP_OK, 35, UNKNOWN_PREFIX, "",
	  LINE "/a/b\\c\n" LINE "/ax\n" LINE "/a/b\n" LINE "-\n" },
	{ "defines behind a prefix", BYTES("\2\0\2" IMAGE "\200\2x/\0" IMAGE "\240\0"), IMAGEMAP_OK,
	  18, 0, "", LINE "/libx/\n" LINE "x\n" },
	{ "defines over two literals",
	  BYTES("\2\0\3" IMAGE "\2/a\2/b\0" IMAGE "\240\1x\0" IMAGE "\241\0"), IMAGEMAP_OK, 28,
	  UNKNOWN_PREFIX, "", LINE "/a/b\n" LINE "/ax\n" LINE "-\n" },
	{ "defines over a prefix", BYTES("\2\0\2" IMAGE "\1a\200\1/\0" IMAGE "\240\240\0"),
	  IMAGEMAP_OK, 20, 0, "", LINE "a/lib/\n" LINE "a/liba/lib\n" },
	{ "prefix in a prefix", BYTES("\2\0\3" IMAGE "\2x/\0" IMAGE "\1y\240\2z/\0" IMAGE "\241\0"),
	  IMAGEMAP_OK, 28, 0, "", LINE "x/\n" LINE "yxz/\n" LINE "yxz\n" },
	{ "its own prefix", BYTES("\2\0\2" IMAGE "\2x/\240\1/\0" IMAGE "\241\0"), IMAGEMAP_OK, 20,
	  0, "", LINE "x/x/\n" LINE "x/x\n" },
	{ "unknown, then literal", BYTES("\2\0\2" IMAGE "\237\3a/b\0" IMAGE "\240\0"), IMAGEMAP_OK,
	  19, UNKNOWN_PREFIX, "", LINE "-\n" LINE "a\n" },
	{ "unknown inside", BYTES("\2\0\3" IMAGE "\2a/\237\1/\0" IMAGE "\240\0" IMAGE "\241\0"),
	  IMAGEMAP_OK, 26, UNKNOWN_PREFIX, "", LINE "-\n" LINE "a\n" LINE "-\n" },
};

/* The images as text; checks that the number of prefixes was foreseen. */
static void decode(struct imagemap *map, struct cairn_bytes input, char *text)
{
	size_t capacity = imagemap_prefixes(input);
	struct imagemap_prefix *prefixes = calloc(capacity + 1, sizeof(*prefixes));
	struct imagemap_image image;

	ck_assert_ptr_nonnull(prefixes);
	imagemap_open(map, input, prefixes, capacity);
	while (imagemap_next(map, &image))
		add_text(text, &image);
	ck_assert_uint_le(map->known, capacity);
	ck_assert(!imagemap_next(map, &image));
	free(prefixes);
}

START_TEST(decodes)
{
	const struct row *row = &rows[_i];
	char text[TEXT] = "";
	struct imagemap map;

	decode(&map, unit_exact(row->input), text);
	ck_assert_msg(strcmp(text, row->images) == 0, "%s:\n%s", row->name, text);
	ck_assert_msg(map.outcome == row->outcome, "%s: %s", row->name,
	              imagemap_outcome_name(map.outcome));
	ck_assert_msg(map.at == row->at, "%s: at %zu", row->name, map.at);
	ck_assert_msg(map.warnings == row->warnings, "%s: warnings %u", row->name, map.warnings);
	ck_assert_msg(map.has_platform == (row->platform != NULL), "%s: platform", row->name);
	if (row->platform)
		ck_assert_msg(map.platform.size == strlen(row->platform) &&
		                      memcmp(map.platform.data, row->platform, map.platform.size) ==
		                              0,
		              "%s: platform", row->name);
}
END_TEST

/* Bytes of a map put together by hand. */
struct made {
	size_t size;
	uint8_t data[1 << 16];
};

static void made_add(struct made *made, const void *bytes, size_t size)
{
	ck_assert_uint_le(size, sizeof(made->data) - made->size);
	memcpy(made->data + made->size, bytes, size);
	made->size += size;
}

static void made_image(struct made *made)
{
	made_add(made, IMAGE, sizeof(IMAGE) - 1);
}

/* Images that take one byte each, `count` of them. */
static unsigned count_paths(struct imagemap *map, const struct made *made)
{
	struct imagemap_image image;
	struct imagemap_prefix prefixes[256];
	unsigned paths = 0;

	imagemap_open(map, (struct cairn_bytes){ made->data, made->size }, prefixes,
	              COUNT(prefixes));
	while (imagemap_next(map, &image))
		paths += image.path.size > 0;
	return paths;
}

START_TEST(bounds_paths)
{
	static const uint8_t literal[] = { 63, '.', '.', '.' };

	for (int spare = -1; spare <= 1; spare++) {
		struct made made = { 0 };
		struct imagemap map;
		made_add(&made, "\2\0\1", 3);
		made_image(&made);
		for (int left = IMAGEMAP_PATH_MAX - spare; left > 0; left -= 63) {
			uint8_t piece[64];
			memset(piece, '.', sizeof(piece));
			piece[0] = (uint8_t)(left < literal[0] ? left : literal[0]);
			made_add(&made, piece, 1u + piece[0]);
		}
		made_add(&made, "", 1);
		ck_assert_uint_eq(count_paths(&map, &made), spare >= 0);
		ck_assert_uint_eq(map.warnings, spare >= 0 ? 0 : LONG_PATH);
		ck_assert_int_eq(map.outcome, IMAGEMAP_OK);
	}
}
END_TEST

/* Path n is x, prefix n - 1 so many times, and a separator: it defines prefix n. */
static void made_nested(struct made *made, unsigned depth, unsigned times)
{
	made_add(made, (uint8_t[]){ 2, 0, (uint8_t)depth }, 3);
	for (unsigned n = 0; n < depth; n++) {
		made_image(made);
		made_add(made, "\1x", 2);
		for (unsigned i = 0; n > 0 && i < times; i++)
			if (n + 31 < 64)
				made_add(made, (uint8_t[]){ (uint8_t)(0x80 + n + 31) }, 1);
			else
				made_add(made, (uint8_t[]){ 0xc0, (uint8_t)(n + 31 - 64) }, 2);
		made_add(made, "\1/", 3);
	}
}

START_TEST(bounds_nesting)
{
	struct imagemap map;

	for (unsigned depth = 1; depth <= 50; depth++) {
		struct made made = { 0 };
		made_nested(&made, depth, 1);
		unsigned paths = depth <= IMAGEMAP_NESTED_MAX + 1 ? depth : IMAGEMAP_NESTED_MAX + 1;
		ck_assert_uint_eq(count_paths(&map, &made), paths);
		ck_assert_int_eq(map.outcome, IMAGEMAP_OK);
		ck_assert_int_eq((map.warnings & LONG_PATH) != 0, depth > paths);
	}
	/* Each path is twice as long as the one before: 2, 4, 8, ... 4096. */
	struct made made = { 0 };
	made_nested(&made, 20, 2);
	ck_assert_uint_eq(count_paths(&map, &made), 12);
	ck_assert_uint_eq(map.warnings, LONG_PATH | UNKNOWN_PREFIX);
}
END_TEST

/* Without room for them prefixes are unknown, and nothing is written past the table. */
START_TEST(respects_the_table)
{
	static const uint8_t bytes[] = "\2\0\2" IMAGE "\6/a/b\\c\0" IMAGE "\240\1x";
	struct imagemap_prefix prefixes[1] = { { 7, 7 } };
	struct imagemap_image image;
	struct imagemap map;

	for (size_t capacity = 0; capacity <= 1; capacity++) {
		imagemap_open(&map, (struct cairn_bytes){ bytes, sizeof(bytes) }, prefixes,
		              capacity);
		ck_assert(imagemap_next(&map, &image));
		ck_assert(imagemap_next(&map, &image));
		ck_assert_uint_eq(image.path.size, capacity ? 3 : 0);
		ck_assert_uint_eq(prefixes[0].size, capacity ? 2 : 7);
		ck_assert_uint_eq(map.warnings, capacity ? 0 : UNKNOWN_PREFIX);
		ck_assert(!imagemap_next(&map, &image));
		ck_assert_int_eq(map.outcome, IMAGEMAP_OK);
	}
}
END_TEST

START_TEST(names_outcomes)
{
	static const struct {
		enum imagemap_outcome outcome;
		const char *name;
		enum cairn_status status;
	} names[] = {
		{ IMAGEMAP_MORE, "more", CAIRN_OK },
		{ IMAGEMAP_OK, "ok", CAIRN_OK },
		{ IMAGEMAP_EMPTY, "empty", CAIRN_TRUNCATED },
		{ IMAGEMAP_VERSION, "version", CAIRN_UNSUPPORTED },
		{ IMAGEMAP_SIZE, "size", CAIRN_MALFORMED },
		{ IMAGEMAP_SHORT, "short", CAIRN_TRUNCATED },
		{ IMAGEMAP_COUNT, "count", CAIRN_MALFORMED },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct imagemap map = { .at = 17, .outcome = names[i].outcome };
		struct cairn_fault fault = imagemap_fault(&map);
		ck_assert_str_eq(imagemap_outcome_name(names[i].outcome), names[i].name);
		ck_assert_int_eq(fault.status, names[i].status);
		ck_assert_uint_eq(fault.offset, 17);
		ck_assert_uint_gt(strlen(fault.what), 0);
		ck_assert_int_eq(imagemap_is_error(names[i].outcome), fault.status != CAIRN_OK);
	}
}
END_TEST

START_TEST(names_files)
{
	static const struct {
		struct cairn_bytes path;
		const char *name;
	} names[] = {
		{ BYTES("/usr/lib/libc.so.6"), "libc.so.6" },
		{ BYTES("C:\\Windows\\a.dll"), "a.dll" },
		{ BYTES("plain"), "plain" },
		{ BYTES("/ends/"), "" },
		{ BYTES(""), "" },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct cairn_bytes name = imagemap_name(names[i].path);
		ck_assert_uint_eq(name.size, strlen(names[i].name));
		ck_assert_int_eq(memcmp(name.data, names[i].name, name.size), 0);
	}
}
END_TEST

static const struct write_row {
	const char *name;
	unsigned word;
	struct cairn_bytes platform;
	struct imagemap_image images[4]; /* up to the first whose end is 0 */
	struct cairn_bytes bytes;
} write_rows[] = {
	{ "no images", 8, BYTES("ab"), { { 0 } }, BYTES("\2\2ab\0") },
	{ "all of an image",
	  4,
	  BYTES(""),
	  { { 0x1000, 0x1100, BYTES("\336\255"), BYTES("ab") } },
	  BYTES("\1\0\1\11\20\0\1\0\2\336\255\2ab\0") },
	{ "absolute on a tie",
	  8,
	  BYTES(""),
	  { { 0x10, 0x11, BYTES(""), BYTES("") }, { 0x20, 0x2f, BYTES(""), BYTES("") } },
	  BYTES("\2\0\2\0\20\1\0\0\0\40\17\0\0") },
	{ "relative when shorter",
	  8,
	  BYTES(""),
	  { { 0x1000, 0x1001, BYTES(""), BYTES("") }, { 0xfff, 0x1001, BYTES(""), BYTES("") } },
	  BYTES("\2\0\2\10\20\0\1\0\0\200\377\2\0\0") },
	{ "ends before its base",
	  2,
	  BYTES(""),
	  { { 0x10, 0xf, BYTES(""), BYTES("") } },
	  BYTES("\0\0\1\0\20\377\0\0") },
	{ "longest prefix, again",
	  8,
	  BYTES(""),
	  { { 1, 2, BYTES(""), BYTES("/usr/lib/lib/opt/libx") },
	    { 1, 2, BYTES(""), BYTES("/usr/lib") } },
	  BYTES("\2\0\2\0\1\1\0\201\200\203\1x\0\0\1\1\0\201\0") },
	{ "defines as it goes",
	  8,
	  BYTES(""),
	  { { 1, 2, BYTES(""), BYTES("/a/b/c") },
	    { 1, 2, BYTES(""), BYTES("/a/b\\c") },
	    { 1, 2, BYTES(""), BYTES("/ab/c") } },
	  BYTES("\2\0\3\0\1\1\0\6/a/b/c\0\0\1\1\0\241\2\\c\0\0\1\1\0\240\3b/c\0") },
	{ "framework",
	  8,
	  BYTES(""),
	  { { 1, 2, BYTES(""), BYTES("/Library/Frameworks/ab.framework/Versions/C/ab") },
	    { 1, 2, BYTES(""), BYTES("/a.framework/Versions/C/b") },
	    { 1, 2, BYTES(""), BYTES("/c.framework/Versions/\1/c") } },
	  BYTES("\2\0\3\0\1\1\0\207\101Cab"
	        "\0\1\1\0\31/a.framework/Versions/C/b\0"
	        "\0\1\1\0\31/c.framework/Versions/\1/c\0") },
	{ "long literal",
	  8,
	  BYTES(""),
	  { { 1, 2, BYTES(""),
	      BYTES("0123456789012345678901234567890123456789012345678901234567890123") } },
	  BYTES("\2\0\1\0\1\1\0"
	        "\77"
	        "012345678901234567890123456789012345678901234567890123456789012"
	        "\1"
	        "3\0") },
};

static size_t count_images(const struct imagemap_image *images, size_t most)
{
	size_t count = 0;

	while (count < most && images[count].end > 0)
		count++;
	return count;
}

static enum cairn_status encode(struct sink out, enum imagemap_profile profile,
                                const struct imagemap_header *header,
                                const struct imagemap_image *images, size_t *size)
{
	size_t separators = 0;

	for (size_t i = 0; i < header->images; i++)
		separators += imagemap_separators(images[i].path);
	struct imagemap_slots slots = { .count = imagemap_slot_count(separators) };
	slots.slot = calloc(slots.count, sizeof(*slots.slot));
	ck_assert_ptr_nonnull(slots.slot);
	struct imagemap_encoder e = imagemap_encoder(out, profile, header, slots);
	for (size_t i = 0; i < header->images; i++)
		imagemap_put(&e, &images[i]);
	enum cairn_status status = imagemap_finish(&e, size);
	free(slots.slot);
	return status;
}

START_TEST(encodes)
{
	const struct write_row *row = &write_rows[_i];
	struct imagemap_header header = { row->word, row->platform,
		                          count_images(row->images, COUNT(row->images)) };
	uint8_t out[CAPACITY];
	size_t size = 0;

	for (size_t capacity = 0; capacity <= row->bytes.size; capacity++) {
		enum cairn_status status =
			encode(sink_open(out, capacity), IMAGEMAP_PROFILE_MINIMAL, &header,
		               row->images, &size);
		ck_assert_int_eq(status, capacity < row->bytes.size ? CAIRN_NO_MEMORY : CAIRN_OK);
		ck_assert_msg(size == row->bytes.size, "%s: %zu bytes", row->name, size);
	}
	ck_assert_msg(memcmp(out, row->bytes.data, size) == 0, "%s", row->name);
}
END_TEST

START_TEST(refuses)
{
	static const uint8_t text[IMAGEMAP_PLATFORM_MAX + 1] = { 0 };
	struct imagemap_image image = { 0x1000, 0x2000, BYTES(""), BYTES("") };
	struct imagemap_header header = { 2, { text, IMAGEMAP_PLATFORM_MAX }, 1 };
	uint8_t out[CAPACITY];
	size_t size = 0;

	ck_assert_int_eq(encode(sink_open(out, CAPACITY), 0, &header, &image, &size), CAIRN_OK);
	image.end = 0x10000;
	ck_assert_int_eq(encode(sink_open(out, CAPACITY), 0, &header, &image, &size),
	                 CAIRN_MALFORMED);
	image = (struct imagemap_image){ 0x10000, 0x2000, BYTES(""), BYTES("") };
	ck_assert_int_eq(encode(sink_open(out, CAPACITY), 0, &header, &image, &size),
	                 CAIRN_MALFORMED);
	image.base = 1;
	header.platform.size++;
	ck_assert_int_eq(encode(sink_open(out, CAPACITY), 0, &header, &image, &size),
	                 CAIRN_MALFORMED);
}
END_TEST

/* Fewer images than announced, or more, are no map. */
START_TEST(counts_images)
{
	struct imagemap_slot slot[32];
	struct imagemap_image image = { 1, 2, BYTES(""), BYTES("") };
	struct imagemap_header header = { 8, BYTES(""), 2 };

	for (int images = 1; images <= 3; images++) {
		uint8_t out[CAPACITY];
		size_t size;
		memset(slot, 0, sizeof(slot));
		struct imagemap_encoder e =
			imagemap_encoder(sink_open(out, CAPACITY), IMAGEMAP_PROFILE_MINIMAL,
		                         &header, (struct imagemap_slots){ slot, COUNT(slot) });
		for (int i = 0; i < images; i++)
			imagemap_put(&e, &image);
		ck_assert_int_eq(imagemap_finish(&e, &size),
		                 images == 2 ? CAIRN_OK : CAIRN_MALFORMED);
	}
}
END_TEST

/* Swift 6.2.3 spends a group too many on counts whose bits fill the last one. */
START_TEST(counts_as_swift)
{
	static const struct {
		uint64_t count;
		struct cairn_bytes swift, minimal;
	} counts[] = {
		{ 0, BYTES("\2\0\0"), BYTES("\2\0\0") },
		{ 63, BYTES("\2\0\77"), BYTES("\2\0\77") },
		{ 64, BYTES("\2\0\200\100"), BYTES("\2\0\100") },
		{ 127, BYTES("\2\0\200\177"), BYTES("\2\0\177") },
		{ 128, BYTES("\2\0\201\0"), BYTES("\2\0\201\0") },
		{ 700, BYTES("\2\0\205\74"), BYTES("\2\0\205\74") },
		{ 8192, BYTES("\2\0\200\300\0"), BYTES("\2\0\300\0") },
		{ 16384, BYTES("\2\0\201\200\0"), BYTES("\2\0\201\200\0") },
		{ (uint64_t)1 << 63, BYTES("\2\0\201\200\200\200\200\200\200\200\200\0"),
		  BYTES("\2\0\201\200\200\200\200\200\200\200\200\0") },
		{ INT64_MAX, BYTES("\2\0\200\377\377\377\377\377\377\377\377\177"),
		  BYTES("\2\0\377\377\377\377\377\377\377\377\177") },
	};

	for (size_t i = 0; i < COUNT(counts); i++) {
		struct imagemap_slot slot[2][32] = { 0 };
		struct imagemap_header header = { 8, BYTES(""), counts[i].count };
		uint8_t out[CAPACITY];
		struct imagemap_encoder e =
			imagemap_encoder(sink_open(out, CAPACITY), IMAGEMAP_PROFILE_SWIFT, &header,
		                         (struct imagemap_slots){ slot[0], 32 });
		ck_assert_uint_eq(e.out.size, counts[i].swift.size);
		ck_assert_int_eq(memcmp(out, counts[i].swift.data, e.out.size), 0);
		e = imagemap_encoder(sink_open(out, CAPACITY), IMAGEMAP_PROFILE_MINIMAL, &header,
		                     (struct imagemap_slots){ slot[1], 32 });
		ck_assert_uint_eq(e.out.size, counts[i].minimal.size);
		ck_assert_int_eq(memcmp(out, counts[i].minimal.data, e.out.size), 0);
	}
}
END_TEST

enum { MANY = 400, PATH = 32 };

/* Each directory defines two prefixes, and every second image uses one of long ago. */
static void make_many(struct imagemap_image *images, char (*paths)[PATH])
{
	for (int i = 0; i < MANY; i++) {
		int n = i % 2 ? i - 1 : i;
		int size = snprintf(paths[i], PATH, "/d%03d/e%03d/%c", n, n, i % 2 ? 'y' : 'x');
		images[i] = (struct imagemap_image){ 0x1000 + 16 * (uint64_t)i,
			                             0x1008 + 16 * (uint64_t)i,
			                             { (const uint8_t *)"", 0 },
			                             { (const uint8_t *)paths[i], (size_t)size } };
	}
}

static unsigned wrong_paths(struct cairn_bytes bytes, const struct imagemap_image *images)
{
	struct imagemap_prefix prefixes[2 * MANY];
	struct imagemap_image image;
	struct imagemap map;
	unsigned wrong = 0;
	size_t i = 0;

	imagemap_open(&map, bytes, prefixes, COUNT(prefixes));
	for (; imagemap_next(&map, &image); i++)
		wrong += image.path.size != images[i].path.size ||
		         memcmp(image.path.data, images[i].path.data, image.path.size) != 0;
	ck_assert_int_eq(map.outcome, IMAGEMAP_OK);
	ck_assert_uint_eq(i, MANY);
	return wrong;
}

/* Prefixes beyond 320: right in ours; in Swift's, wrong just as its decoder gets them. */
START_TEST(numbers_many_prefixes)
{
	static struct imagemap_image images[MANY];
	static char paths[MANY][PATH];
	static uint8_t out[1 << 16];
	struct imagemap_header header = { 8, BYTES("test"), MANY };
	size_t minimal = 0, swift = 0;

	make_many(images, paths);
	ck_assert_int_eq(encode(sink_open(out, sizeof(out)), IMAGEMAP_PROFILE_MINIMAL, &header,
	                        images, &minimal),
	                 CAIRN_OK);
	ck_assert_uint_eq(wrong_paths((struct cairn_bytes){ out, minimal }, images), 0);
	ck_assert_int_eq(encode(sink_open(out, sizeof(out)), IMAGEMAP_PROFILE_SWIFT, &header,
	                        images, &swift),
	                 CAIRN_OK);
	unsigned wrong = wrong_paths((struct cairn_bytes){ out, swift }, images);
	ck_assert_uint_eq(wrong, 56);
	ck_assert_uint_eq(minimal - swift, wrong);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("imagemap");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, decodes, 0, COUNT(rows));
	tcase_add_test(tc, bounds_paths);
	tcase_add_test(tc, bounds_nesting);
	tcase_add_test(tc, respects_the_table);
	tcase_add_test(tc, names_outcomes);
	tcase_add_test(tc, names_files);
	tcase_add_loop_test(tc, encodes, 0, COUNT(write_rows));
	tcase_add_test(tc, refuses);
	tcase_add_test(tc, counts_images);
	tcase_add_test(tc, counts_as_swift);
	tcase_add_test(tc, numbers_many_prefixes);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
