/* SPDX-License-Identifier: MIT */
/*
 * Reads jitdump files and their records:
 *
 *	file   = "JiTD" version size machine pad pid time:8 flags:8 ... record*
 *	record = id size time:8 content
 *	load   = pid tid vma:8 start:8 size:8 index:8 name "\0" code
 *	move   = pid tid vma:8 old:8 start:8 size:8 index:8
 *	lines  = start:8 count:8 (address:8 line discriminator file "\0")*
 *	frames = size:8 header:8 mapped:8 .eh_frame .eh_frame_hdr
 *
 * Fields have 4 bytes unless a size is given. The size of a record counts the whole record. In
 * `frames`, `size` is the total size of both tables, and `header` the size of .eh_frame_hdr.
 */
#include "jitdump.h"

#include "base/reader.h"

enum {
	MAGIC = 0x4a695444, /* stored as an integer in the byte order of the process */
	MAGIC_SWAPPED = 0x4454694a,
	HEADER_SIZE = 40,
	RECORD_SIZE = 16,
	CODE_LOAD = 0,
	CODE_MOVE = 1,
	CODE_DEBUG_INFO = 2,
	CODE_UNWINDING_INFO = 4,
};

bool jitdump_open(struct cairn_bytes bytes, struct jitdump *dump)
{
	struct reader in = reader_open(bytes, false);
	uint32_t magic = reader_u32(&in);

	if (!reader_ok(&in) || (magic != MAGIC && magic != MAGIC_SWAPPED))
		return false;
	in.big = magic == MAGIC_SWAPPED;
	/* skip the version, because there are no incompatible versions so far */
	(void)reader_u32(&in);
	uint32_t size = reader_u32(&in);
	*dump = (struct jitdump){ .in = bytes, .big = in.big, .machine = reader_u32(&in) };
	(void)reader_u32(&in);
	dump->pid = reader_u32(&in);
	reader_seek(&in, size);
	dump->at = size;
	return reader_ok(&in) && size >= HEADER_SIZE;
}

static bool is_range(uint64_t start, uint64_t size)
{
	return size > 0 && size <= UINT64_MAX - start;
}

static bool read_load(struct reader *in, struct jitdump_record *record)
{
	record->kind = JITDUMP_LOAD;
	reader_skip(in, 16); /* pid, tid, vma */
	record->start = reader_u64(in);
	record->size = reader_u64(in);
	(void)reader_u64(in);
	record->name = reader_string(in);
	if (record->name.size > JITDUMP_NAME)
		record->name.size = JITDUMP_NAME;
	bool good = reader_ok(in) && record->name.size > 0 && is_range(record->start, record->size);
	if (good && record->size <= reader_left(in))
		record->code = reader_bytes(in, (size_t)record->size);
	return good;
}

static bool read_move(struct reader *in, struct jitdump_record *record)
{
	record->kind = JITDUMP_MOVE;
	reader_skip(in, 16);
	record->old = reader_u64(in);
	record->start = reader_u64(in);
	record->size = reader_u64(in);
	return reader_ok(in) && is_range(record->start, record->size);
}

static bool read_lines(struct reader *in, struct jitdump_record *record)
{
	record->kind = JITDUMP_LINES;
	record->start = reader_u64(in);
	(void)reader_u64(in); /* skip the number of lines, because the record size implies it */
	record->lines = reader_bytes(in, reader_left(in));
	return reader_ok(in);
}

static bool read_frames(struct reader *in, struct jitdump_record *record)
{
	record->kind = JITDUMP_FRAMES;
	uint64_t size = reader_u64(in), header = reader_u64(in);
	/* skip the size of the tables that the process has mapped */
	(void)reader_u64(in);
	if (header >= size || size > reader_left(in))
		return false;
	record->frames = reader_bytes(in, (size_t)(size - header));
	return reader_ok(in);
}

static bool read_record(uint32_t id, uint64_t time, struct reader *in,
                        struct jitdump_record *record)
{
	*record = (struct jitdump_record){ .kind = JITDUMP_LOAD,
		                           .time = time,
		                           .code = { in->in.data, 0 } };
	switch (id) {
	case CODE_LOAD:
		return read_load(in, record);
	case CODE_MOVE:
		return read_move(in, record);
	case CODE_DEBUG_INFO:
		return read_lines(in, record);
	case CODE_UNWINDING_INFO:
		return read_frames(in, record);
	default: /* unknown records, and the record that marks the end of the file */
		return false;
	}
}

bool jitdump_next(struct jitdump *dump, struct jitdump_record *record)
{
	while (dump->in.size - dump->at >= RECORD_SIZE) {
		struct cairn_bytes rest = { dump->in.data + dump->at, dump->in.size - dump->at };
		struct reader in = reader_open(rest, dump->big);
		const uint32_t id = reader_u32(&in), size = reader_u32(&in);
		const uint64_t time = reader_u64(&in);
		if (size < RECORD_SIZE || size > rest.size)
			break;
		dump->at += size;
		in = reader_open(
			(struct cairn_bytes){ rest.data + RECORD_SIZE, size - RECORD_SIZE },
			dump->big);
		if (read_record(id, time, &in, record))
			return true;
	}
	dump->at = dump->in.size;
	return false;
}

bool jitdump_line(const struct jitdump *dump, struct cairn_bytes *lines, struct jitdump_line *line)
{
	struct reader in = reader_open(*lines, dump->big);
	struct cairn_bytes before = line->file;

	line->address = reader_u64(&in);
	line->line = reader_u32(&in);
	line->discriminator = reader_u32(&in);
	line->file = reader_string(&in);
	if (!reader_ok(&in)) {
		lines->size = 0;
		return false;
	}
	/* the name "\xff" stands for the file of the previous line */
	if (line->file.size == 1 && line->file.data[0] == 0xff)
		line->file = before;
	lines->data += in.at;
	lines->size -= in.at;
	return true;
}
