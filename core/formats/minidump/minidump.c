/* SPDX-License-Identifier: MIT */
/*
 * Reads the header of a minidump, its directory, and the streams that are a single record. All
 * numbers are in the byte order of the signature:
 *
 *	file      = signature:4 version:4 streams:4 directory:4 checksum:4 time:4 flags:8 ...
 *	directory = (type:4 part)*
 *	part      = size:4 offset:4
 */
#include "minidump.h"

#include "part.h"

#include "base/bytes.h"

enum {
	VERSION = 0xa793, /* low half; the high half is specific to the writer */
	DIRECTORY_ENTRY = 12,
	HAS_ID = 1,    /* flag of MISC: the process ID is valid */
	HAS_TIMES = 2, /* flag of MISC: the times are valid */
};

#define SIGNATURE UINT32_C(0x504d444d)

bool minidump_has_magic(struct cairn_bytes bytes)
{
	return bytes.size >= 4 && (bytes_u32(bytes.data, false) == SIGNATURE ||
	                           bytes_u32(bytes.data, true) == SIGNATURE);
}

enum cairn_status minidump_open(struct cairn_bytes bytes, struct minidump *dump,
                                struct cairn_fault *fault)
{
	struct minidump d = { .bytes = bytes };
	struct reader in = reader_open(bytes, false);

	d.big = in.big = reader_u32(&in) != SIGNATURE;
	reader_seek(&in, 0);
	if (reader_u32(&in) != SIGNATURE)
		reader_fail(&in, CAIRN_MALFORMED, "not a minidump");
	if ((reader_u32(&in) & 0xffff) != VERSION)
		reader_fail(&in, CAIRN_UNSUPPORTED, "a minidump of another version");
	d.streams = reader_u32(&in);
	d.directory = reader_u32(&in);
	reader_u32(&in); /* checksum, which writers leave 0 */
	d.time = reader_u32(&in);
	d.flags = reader_u64(&in);
	reader_seek(&in, d.directory);
	*fault = in.fault;
	if (reader_ok(&in))
		*dump = d;
	return in.fault.status;
}

uint32_t minidump_streams(const struct minidump *dump)
{
	size_t room = (dump->bytes.size - dump->directory) / DIRECTORY_ENTRY;

	return room < dump->streams ? (uint32_t)room : dump->streams;
}

bool minidump_find_stream(const struct minidump *dump, uint32_t type, struct minidump_part *part)
{
	struct reader in = reader_open(dump->bytes, dump->big);
	uint32_t count = minidump_streams(dump);

	reader_seek(&in, dump->directory);
	for (uint32_t i = 0; i < count; i++) {
		bool wanted = reader_u32(&in) == type;
		*part = minidump_read_part(dump, &in);
		if (wanted && (part->bytes.size > 0 || part->cut))
			return true;
	}
	*part = minidump_part_at(dump, 0, 0);
	return false;
}

/*
 * Return a reader over one stream that reports faults with file offsets. It fails with
 * CAIRN_NOT_FOUND if the stream is missing.
 */
static struct reader open_stream(const struct minidump *dump, uint32_t type)
{
	struct minidump_part part;
	bool found = minidump_find_stream(dump, type, &part);
	struct reader in = minidump_open_part(dump, &part);

	if (!found)
		reader_fail_at(&in, 0, CAIRN_NOT_FOUND, "the dump has no such stream");
	return in;
}

bool minidump_read_system(const struct minidump *dump, struct minidump_system *system)
{
	struct reader in = open_stream(dump, MINIDUMP_SYSTEM);

	*system = (struct minidump_system){ .processor = reader_u16(&in) };
	reader_skip(&in, 6); /* level, revision, number of processors, product type */
	system->major = reader_u32(&in);
	system->minor = reader_u32(&in);
	system->build = reader_u32(&in);
	system->platform = reader_u32(&in);
	system->version_text = reader_u32(&in);
	if (!reader_ok(&in))
		return false;
	system->machine = minidump_machine_of(system->processor);
	return true;
}

bool minidump_read_exception(const struct minidump *dump, struct minidump_exception *exception)
{
	struct reader in = open_stream(dump, MINIDUMP_EXCEPTION);

	*exception = (struct minidump_exception){ .thread = reader_u32(&in) };
	reader_u32(&in);
	exception->code = reader_u32(&in);
	exception->flags = reader_u32(&in);
	exception->record = reader_u64(&in);
	exception->address = reader_u64(&in);
	exception->parameters = reader_u32(&in);
	reader_u32(&in);
	for (size_t i = 0; i < MINIDUMP_PARAMETERS_MAX; i++)
		exception->parameter[i] = reader_u64(&in);
	if (exception->parameters > MINIDUMP_PARAMETERS_MAX)
		exception->parameters = MINIDUMP_PARAMETERS_MAX;
	exception->context = minidump_read_part(dump, &in);
	return reader_ok(&in);
}

bool minidump_read_process(const struct minidump *dump, struct minidump_process *process)
{
	struct reader in = open_stream(dump, MINIDUMP_MISC);

	*process = (struct minidump_process){ .id = 0 };
	reader_u32(&in); /* size of the record */
	uint32_t valid = reader_u32(&in);
	uint32_t id = reader_u32(&in);
	uint32_t started = reader_u32(&in);
	if (!reader_ok(&in))
		return false;
	process->id = valid & HAS_ID ? id : 0;
	process->started = valid & HAS_TIMES ? started : 0;
	return true;
}
