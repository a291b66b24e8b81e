/* SPDX-License-Identifier: MIT */
/*
 * Reads the header and the tables. All numbers except LEB128 are in the file's byte order, and all
 * offsets are relative to the header.
 *
 *	version 1 = magic:4 1:2 width:1 uuid_size:1 base:8 functions:4 strings_at:4 strings_size:4
 *	            uuid:20 addresses infos files
 *	version 2 = magic:4 2:2 width:1 encoding:1 base:8 functions:4 (type:4 offset:8 size:8)*
 *
 *	addresses = (start - base):width * functions
 *	infos     = offset of the record:4 * functions, aligned to 4; version 2: :8, in its section
 *	files     = count:4 (directory:strp name:strp) * count
 *	strp      = offset in the string table; 4 bytes in version 1, 8 in version 2
 */
#include "gsym.h"
#include "leb.h"

#include "base/bytes.h"

#include <string.h>

enum {
	/* size of magic and version, which identify the format */
	IDENTITY = 6,
	BASE_AT = 8,
	STRINGS_AT = 20,
	UUID_AT = 28,
	INFO_ALIGN = 4,
	ENTRY_SIZE = 20,
	ENTRY_OFFSET = 4,
	ENTRY_LENGTH = 12,
};

struct opening {
	struct gsym gsym;
	struct reader in;
	/* string table supplied by the caller, or NULL if the file contains its own */
	const struct cairn_bytes *shared;
	uint64_t strings_size;
};

static bool has_magic_in_order(struct cairn_bytes bytes, bool big)
{
	return bytes_u32(bytes.data, big) == GSYM_MAGIC;
}

bool gsym_has_magic(struct cairn_bytes bytes)
{
	return bytes.size >= 4 &&
	       (has_magic_in_order(bytes, false) || has_magic_in_order(bytes, true));
}

static void fail_opening_at(struct opening *o, size_t at, enum cairn_status status,
                            const char *what)
{
	reader_fail_at(&o->in, at, status, what);
}

static void read_identity(struct opening *o)
{
	struct cairn_bytes bytes = o->in.in;

	if (bytes.size < IDENTITY) {
		fail_opening_at(o, 0, CAIRN_TRUNCATED, "too short for a GSYM file");
		return;
	}
	if (!gsym_has_magic(bytes))
		fail_opening_at(o, 0, CAIRN_MALFORMED, "not a GSYM file");
	o->gsym.big = o->in.big = has_magic_in_order(bytes, true);
	reader_seek(&o->in, 4);
	uint16_t version = reader_u16(&o->in);
	if (version != 1 && version != 2)
		reader_fail(&o->in, CAIRN_UNSUPPORTED, "unknown GSYM version");
	o->gsym.version = (uint8_t)version;
	if (bytes.size < (version == 1 ? GSYM_HEADER_V1 : GSYM_HEADER_V2))
		fail_opening_at(o, bytes.size, CAIRN_TRUNCATED, "the data ends inside the header");
}

static void read_width(struct opening *o)
{
	uint8_t width = reader_u8(&o->in);

	if (width != 1 && width != 2 && width != 4 && width != 8)
		reader_fail(&o->in, CAIRN_MALFORMED, "invalid address offset size");
	o->gsym.address_size = width;
}

/* Check that the file contains `size` bytes at `at`. If not, report a fault at offset `fault`. */
static bool require_table_inside(struct opening *o, uint64_t at, uint64_t size, size_t fault,
                                 const char *what)
{
	struct cairn_bytes part;
	bool fits = bytes_slice(o->in.in, at, size, &part);

	if (!fits)
		fail_opening_at(o, fault, CAIRN_TRUNCATED, what);
	return fits && reader_ok(&o->in);
}

/* Use the string table that the caller supplied, otherwise the one that the header describes. */
static void locate_strings(struct opening *o, size_t fault)
{
	if (o->shared)
		o->gsym.strings = *o->shared;
	else if (require_table_inside(o, o->gsym.strings_at, o->strings_size, fault,
	                              "the string table extends past the end of the file"))
		bytes_slice(o->in.in, o->gsym.strings_at, o->strings_size, &o->gsym.strings);
}

/* Read the number of entries in the file table. The entries must fit into `size` bytes. */
static void check_files(struct opening *o, uint64_t size)
{
	struct gsym *g = &o->gsym;

	reader_seek(&o->in, g->files_at);
	g->files = reader_u32(&o->in);
	if (reader_ok(&o->in) && (size < 4 || g->files > (size - 4) / (2 * gsym_strp_size(g))))
		fail_opening_at(o, o->in.at, CAIRN_TRUNCATED, "the file table is truncated");
}

static void read_header_v1(struct opening *o)
{
	struct gsym *g = &o->gsym;

	read_width(o);
	uint8_t uuid_size = reader_u8(&o->in);
	if (uuid_size > GSYM_UUID_MAX_V1)
		reader_fail(&o->in, CAIRN_MALFORMED, "the UUID is longer than 20 bytes");
	g->base = reader_u64(&o->in);
	g->functions = reader_u32(&o->in);
	g->strings_at = reader_u32(&o->in);
	o->strings_size = reader_u32(&o->in);
	g->uuid = reader_bytes(&o->in, uuid_size);
}

static void open_v1(struct opening *o)
{
	struct gsym *g = &o->gsym;
	size_t total = o->in.in.size;

	read_header_v1(o);
	g->addresses_at = GSYM_HEADER_V1;
	uint64_t at = GSYM_HEADER_V1, size = (uint64_t)g->functions * g->address_size;
	if (!reader_ok(&o->in) ||
	    !require_table_inside(o, at, size, GSYM_HEADER_V1,
	                          "the address table extends past the end of the file"))
		return;
	at = (at + size + INFO_ALIGN - 1) & ~(uint64_t)(INFO_ALIGN - 1);
	size = (uint64_t)g->functions * 4;
	g->infos_at = at < total ? (size_t)at : total;
	if (!require_table_inside(o, at, size, g->infos_at,
	                          "the table of records extends past the end of the file"))
		return;
	g->files_at = (size_t)(at + size);
	check_files(o, total - g->files_at);
	locate_strings(o, STRINGS_AT);
	g->records_size = total;
}

/*
 * Section directory of version 2. `entry` contains the offset of each section's directory entry, or
 * 0.
 */
struct directory {
	size_t entry[GSYM_SECTIONS];
	uint64_t offset[GSYM_SECTIONS], size[GSYM_SECTIONS];
	size_t end;
};

static bool may_be_empty(const struct opening *o, uint32_t type)
{
	return o->gsym.functions == 0 &&
	       (type == GSYM_SECTION_ADDRESSES || type == GSYM_SECTION_INFOS ||
	        type == GSYM_SECTION_RECORDS);
}

static void read_entry(struct opening *o, struct directory *d, uint32_t type, size_t at)
{
	uint64_t offset = reader_u64(&o->in), size = reader_u64(&o->in);

	if (!reader_ok(&o->in) || type >= GSYM_SECTIONS)
		return;
	if (d->entry[type])
		fail_opening_at(o, at, CAIRN_MALFORMED, "a section occurs twice");
	if (size == 0 && !may_be_empty(o, type))
		fail_opening_at(o, at + ENTRY_LENGTH, CAIRN_MALFORMED, "a section is empty");
	if (type != GSYM_SECTION_STRINGS || !o->shared)
		require_table_inside(o, offset, size, at + ENTRY_OFFSET,
		                     "a section extends past the end of the file");
	d->entry[type] = at;
	d->offset[type] = offset;
	d->size[type] = size;
}

static void read_directory(struct opening *o, struct directory *d)
{
	while (reader_ok(&o->in)) {
		d->end = o->in.at;
		if (reader_left(&o->in) < ENTRY_SIZE) {
			fail_opening_at(o, d->end, CAIRN_TRUNCATED,
			                "unterminated section directory");
			return;
		}
		uint32_t type = reader_u32(&o->in);
		if (type == GSYM_SECTION_END)
			return;
		read_entry(o, d, type, d->end);
	}
}

/* Fail unless the section contains exactly one item of `width` bytes per function. */
static void check_size(struct opening *o, const struct directory *d, enum gsym_section type,
                       uint64_t width)
{
	if (d->size[type] != o->gsym.functions * width)
		fail_opening_at(o, d->entry[type] + ENTRY_LENGTH, CAIRN_MALFORMED,
		                "a section's size does not match the number of functions");
}

static void check_directory(struct opening *o, const struct directory *d)
{
	for (uint32_t type = GSYM_SECTION_ADDRESSES; type <= GSYM_SECTION_RECORDS; type++)
		if (!d->entry[type])
			fail_opening_at(o, d->end, CAIRN_MALFORMED,
			                "a required section is missing");
	check_size(o, d, GSYM_SECTION_ADDRESSES, o->gsym.address_size);
	check_size(o, d, GSYM_SECTION_INFOS, 8);
}

static void open_v2(struct opening *o)
{
	struct gsym *g = &o->gsym;
	struct directory d = { .end = 0 };

	read_width(o);
	uint8_t encoding = reader_u8(&o->in);
	if (encoding != 0)
		reader_fail(&o->in, CAIRN_UNSUPPORTED, "unknown string table encoding");
	g->base = reader_u64(&o->in);
	g->functions = reader_u32(&o->in);
	read_directory(o, &d);
	check_directory(o, &d);
	if (!reader_ok(&o->in))
		return;
	g->addresses_at = (size_t)d.offset[GSYM_SECTION_ADDRESSES];
	g->infos_at = (size_t)d.offset[GSYM_SECTION_INFOS];
	g->files_at = (size_t)d.offset[GSYM_SECTION_FILES];
	g->records_at = (size_t)d.offset[GSYM_SECTION_RECORDS];
	g->records_size = (size_t)d.size[GSYM_SECTION_RECORDS];
	g->strings_at = d.offset[GSYM_SECTION_STRINGS];
	o->strings_size = d.size[GSYM_SECTION_STRINGS];
	bytes_slice(o->in.in, d.offset[GSYM_SECTION_UUID], d.size[GSYM_SECTION_UUID], &g->uuid);
	check_files(o, d.size[GSYM_SECTION_FILES]);
	locate_strings(o, d.entry[GSYM_SECTION_STRINGS] + ENTRY_OFFSET);
}

static enum cairn_status open_with(struct opening *o, struct cairn_fault *fault)
{
	struct cairn_bytes none = { o->in.in.data, 0 };

	o->gsym.bytes = o->in.in;
	o->gsym.strings = o->gsym.uuid = none;
	read_identity(o);
	if (reader_ok(&o->in) && o->gsym.version == 1)
		open_v1(o);
	else if (reader_ok(&o->in))
		open_v2(o);
	if (!reader_ok(&o->in))
		*fault = o->in.fault;
	return o->in.fault.status;
}

static enum cairn_status open_sharing(struct cairn_bytes bytes, const struct cairn_bytes *shared,
                                      struct gsym *gsym, struct cairn_fault *fault)
{
	struct opening o = { .in = reader_open(bytes, false), .shared = shared };
	enum cairn_status status = open_with(&o, fault);

	if (status == CAIRN_OK)
		*gsym = o.gsym;
	return status;
}

enum cairn_status gsym_open(struct cairn_bytes bytes, struct gsym *gsym, struct cairn_fault *fault)
{
	return open_sharing(bytes, NULL, gsym, fault);
}

enum cairn_status gsym_open_with_strings(struct cairn_bytes bytes, struct cairn_bytes strings,
                                         struct gsym *gsym, struct cairn_fault *fault)
{
	return open_sharing(bytes, &strings, gsym, fault);
}

/* Find the UUID in the section directory of version 2. The directory must be complete. */
static void find_uuid_entry(struct opening *o, struct cairn_range *place)
{
	reader_seek(&o->in, GSYM_HEADER_V2);
	while (reader_ok(&o->in)) {
		const uint32_t type = reader_u32(&o->in);
		const uint64_t offset = reader_u64(&o->in), size = reader_u64(&o->in);
		if (type == GSYM_SECTION_END || !reader_ok(&o->in))
			return;
		if (type == GSYM_SECTION_UUID && size <= UINT64_MAX - offset)
			*place = (struct cairn_range){ offset, offset + size };
	}
}

bool gsym_find_uuid(struct cairn_bytes head, struct cairn_range *place)
{
	struct opening o = { .in = reader_open(head, false) };
	struct cairn_range found = { 0, 0 };

	read_identity(&o);
	if (reader_ok(&o.in) && o.gsym.version == 1) {
		read_header_v1(&o);
		found = (struct cairn_range){ UUID_AT, UUID_AT + o.gsym.uuid.size };
	} else if (reader_ok(&o.in)) {
		find_uuid_entry(&o, &found);
	}
	if (!reader_ok(&o.in) || found.low == found.high)
		return false;
	*place = found;
	return true;
}

enum cairn_status gsym_strings_extent(struct cairn_bytes bytes, uint64_t *offset, uint64_t *size,
                                      struct cairn_fault *fault)
{
	struct cairn_bytes none = { bytes.data, 0 };
	struct opening o = { .in = reader_open(bytes, false), .shared = &none };
	enum cairn_status status = open_with(&o, fault);

	if (status == CAIRN_OK) {
		*offset = o.gsym.strings_at;
		*size = o.strings_size;
	}
	return status;
}

bool gsym_next_entry(const struct gsym *gsym, size_t *at, struct gsym_entry *entry)
{
	struct reader in = reader_open(gsym->bytes, gsym->big);
	struct gsym_entry e;

	reader_seek(&in, *at ? *at : GSYM_HEADER_V2);
	e.type = reader_u32(&in);
	e.offset = reader_u64(&in);
	e.size = reader_u64(&in);
	if (gsym->version == 1 || !reader_ok(&in))
		return false;
	*at = e.type == GSYM_SECTION_END ? gsym->bytes.size : in.at;
	*entry = e;
	return true;
}

/*
 * Return the empty string for offset 0 in any case, because a string table outside the GSYM data
 * need not begin with one.
 */
bool gsym_string(const struct gsym *gsym, uint64_t offset, struct cairn_bytes *text)
{
	struct cairn_bytes all = gsym->strings;

	*text = (struct cairn_bytes){ all.data, 0 };
	if (offset == 0)
		return true;
	if (offset >= all.size)
		return false;
	const uint8_t *start = all.data + offset;
	const size_t left = all.size - (size_t)offset;
	const uint8_t *end = memchr(start, 0, left);
	*text = (struct cairn_bytes){ start, end ? (size_t)(end - start) : left };
	return true;
}

void gsym_file_offsets(const struct gsym *gsym, uint32_t index, uint64_t *directory, uint64_t *name)
{
	size_t width = gsym_strp_size(gsym);
	const uint8_t *entry = gsym->bytes.data + gsym->files_at + 4 + (size_t)index * 2 * width;

	*directory = bytes_unsigned(entry, width, gsym->big);
	*name = bytes_unsigned(entry + width, width, gsym->big);
}

bool gsym_has_file(const struct gsym *gsym, uint64_t index)
{
	uint64_t directory, name;

	if (index >= gsym->files)
		return false;
	gsym_file_offsets(gsym, (uint32_t)index, &directory, &name);
	return gsym_has_string(gsym, directory) && gsym_has_string(gsym, name);
}

bool gsym_file(const struct gsym *gsym, uint64_t index, struct gsym_file *file)
{
	uint64_t directory, name;

	if (!gsym_has_file(gsym, index))
		return false;
	gsym_file_offsets(gsym, (uint32_t)index, &directory, &name);
	file->empty = directory == 0 && name == 0;
	gsym_string(gsym, directory, &file->directory);
	gsym_string(gsym, name, &file->name);
	return true;
}

struct gsym_walk gsym_walk(const struct gsym *gsym)
{
	return (struct gsym_walk){ gsym, allowance_of(GSYM_WALK_LEAST, GSYM_WALK_TIMES,
		                                      gsym->bytes.size) };
}

/*
 * Return the size of a record, from its start to the end of its blocks. For speed, return early
 * once the size exceeds `most`.
 */
static uint64_t record_size(const struct gsym *gsym, const struct gsym_function *f, uint64_t most)
{
	struct gsym_blocks blocks = gsym_blocks(gsym, f);
	struct gsym_block block;

	while (gsym_next_block(&blocks, &block) && blocks.in.at - f->at <= most)
		;
	return blocks.in.at - f->at;
}

bool gsym_walk_take(struct gsym_walk *walk, uint32_t index, struct cairn_fault *fault)
{
	struct gsym_function f;
	struct cairn_fault other;

	if (gsym_function(walk->gsym, index, &f, &other) != CAIRN_OK)
		return true;
	if (!allowance_draw(&walk->bytes, record_size(walk->gsym, &f, walk->bytes.left))) {
		/*
		 * set the allowance to 0, so that no further records are measured: that would cost
		 * as much as reading them
		 */
		walk->bytes.left = 0;
		*fault = (struct cairn_fault){ CAIRN_MALFORMED, gsym_info_at(walk->gsym, index),
			                       "records share too many of their bytes" };
		return false;
	}
	return true;
}

/* Slow paths of the LEB128 decoders in leb.h. */

static struct reader open_leb_reader(const uint8_t *p, const uint8_t *end)
{
	return reader_open((struct cairn_bytes){ p, (size_t)(end - p) }, false);
}

const uint8_t *leb_unsigned_long(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	struct reader in = open_leb_reader(p, end);
	uint64_t number = reader_uleb(&in);

	if (!reader_ok(&in))
		return NULL;
	*value = number;
	return p + in.at;
}

const uint8_t *leb_signed_long(const uint8_t *p, const uint8_t *end, int64_t *value)
{
	struct reader in = open_leb_reader(p, end);
	int64_t number = reader_sleb(&in);

	if (!reader_ok(&in))
		return NULL;
	*value = number;
	return p + in.at;
}

struct cairn_fault leb_fault(const uint8_t *p, const uint8_t *end, bool is_signed)
{
	struct reader in = open_leb_reader(p, end);

	if (is_signed)
		reader_sleb(&in);
	else
		reader_uleb(&in);
	return in.fault;
}
