/* SPDX-License-Identifier: MIT */
/*
 * Reads the header, sections and record headers of a recording:
 *
 *	file    = "PERFILE2" size:u64 attr_size:u64 attrs:section data:section types:section features:u64[4]
 *	          ... data ... feature:section for each bit of features
 *	pipe    = "PERFILE2" 16:u64 record*
 *	section = offset:u64 size:u64
 *	attr    = perf_event_attr ids:section      attr_size bytes
 *	record  = type:u32 misc:u16 size:u16 body  `size` counts the header
 */
#include "perfdata.h"

#include "base/fault.h"

#include <string.h>

enum { MAGIC_SIZE = 8, PIPE_SIZE = 16, RECORD_HEAD = 8, SECTION_SIZE = 16, ATTR_LEAST = 64 };

static const char magic[] = "PERFILE2", swapped[] = "2ELIFREP";

bool perfdata_recognize(struct cairn_bytes bytes)
{
	return bytes.size >= MAGIC_SIZE && (memcmp(bytes.data, magic, MAGIC_SIZE) == 0 ||
	                                    memcmp(bytes.data, swapped, MAGIC_SIZE) == 0);
}

/*
 * Return true if the recording is big-endian. The bytes of the magic are then reversed, because
 * perf stores it as a number.
 */
static bool is_big_endian(struct cairn_bytes bytes)
{
	return memcmp(bytes.data, swapped, MAGIC_SIZE) == 0;
}

struct perfdata_records perfdata_records(struct cairn_bytes bytes, bool big)
{
	return (struct perfdata_records){ reader_open(bytes, big) };
}

/*
 * Read a section of the file. With `to_end`, a section that is cut off extends to the end of the
 * file.
 */
static struct cairn_bytes read_file_section(struct reader *r, bool to_end)
{
	const uint64_t offset = reader_u64(r), size = reader_u64(r);
	struct cairn_bytes section = { r->in.data, 0 };

	if (!reader_ok(r) || bytes_slice(r->in, offset, size, &section))
		return section;
	if (!to_end || offset > r->in.size)
		reader_fail(r, CAIRN_TRUNCATED, "a section of the recording is cut off");
	else
		(void)bytes_slice(r->in, offset, r->in.size - offset, &section);
	return section;
}

static void read_file_header(struct perfdata *p, struct reader *r)
{
	p->attr_size = (size_t)reader_u64(r);
	p->attrs = read_file_section(r, false);
	struct cairn_bytes data = read_file_section(r, true);
	(void)read_file_section(r, false);
	for (unsigned i = 0; i < PERFDATA_FEATURES / 64; i++)
		p->features[i] = reader_u64(r);
	p->feature_table = (uint64_t)(data.data - p->bytes.data) + data.size;
	/* an interrupted recording has no data size yet, and no features */
	if (data.size == 0 && reader_ok(r))
		(void)bytes_slice(p->bytes, p->feature_table, p->bytes.size - p->feature_table,
		                  &data);
	p->records = perfdata_records(data, p->big);
	if (reader_ok(r) && p->attr_size < ATTR_LEAST + SECTION_SIZE)
		reader_fail(r, CAIRN_MALFORMED, "events have too few bytes");
}

enum cairn_status perfdata_open(struct cairn_bytes bytes, struct perfdata *p,
                                struct cairn_fault *fault)
{
	*p = (struct perfdata){ .bytes = bytes, .attrs = { bytes.data, 0 } };
	if (!perfdata_recognize(bytes)) {
		return fault_set(fault, CAIRN_UNSUPPORTED, "no recording of perf");
	}
	p->big = is_big_endian(bytes);
	struct reader r = reader_open(bytes, p->big);
	reader_skip(&r, MAGIC_SIZE);
	p->is_pipe = reader_u64(&r) == PIPE_SIZE;
	if (!p->is_pipe)
		read_file_header(p, &r);
	else if (reader_ok(&r))
		p->records = perfdata_records(
			(struct cairn_bytes){ bytes.data + PIPE_SIZE, bytes.size - PIPE_SIZE },
			p->big);
	if (!reader_ok(&r))
		*fault = r.fault;
	return r.fault.status;
}

/* Return the number of bytes that follow a record but are not part of its size. */
static uint64_t count_following(const struct perfdata_record *record)
{
	struct reader r = reader_open(record->body, record->big);

	if (record->type == PERFDATA_TRACING_DATA)
		return ((uint64_t)reader_u32(&r) + 7) & ~(uint64_t)7;
	return record->type == PERFDATA_AUXTRACE ? reader_u64(&r) : 0;
}

/*
 * Set record->data to the contents of a compressed record. Only the newer type contains the size.
 */
static void take_packed(struct perfdata_record *record)
{
	struct reader r = reader_open(record->body, record->big);

	record->data = record->body;
	if (record->type != PERFDATA_COMPRESSED2)
		return;
	const uint64_t size = reader_u64(&r);
	record->data = reader_bytes(&r, size > reader_left(&r) ? reader_left(&r) : (size_t)size);
}

bool perfdata_next(struct perfdata_records *records, struct perfdata_record *record)
{
	struct reader *r = &records->in, trial = *r;

	if (!reader_ok(r) || reader_left(r) == 0)
		return false;
	record->type = reader_u32(&trial);
	record->misc = reader_u16(&trial);
	const uint16_t size = reader_u16(&trial);
	record->big = r->big;
	if (reader_ok(&trial) && size < RECORD_HEAD)
		reader_fail(&trial, CAIRN_MALFORMED, "a record is shorter than its header");
	record->body = reader_bytes(&trial, reader_ok(&trial) ? (size_t)size - RECORD_HEAD : 0);
	if (reader_ok(&trial)) {
		const uint64_t more = count_following(record);
		reader_skip(&trial,
		            more > reader_left(&trial) ? reader_left(&trial) + 1u : (size_t)more);
	}
	if (!reader_ok(&trial)) {
		r->fault = trial.fault;
		return false;
	}
	take_packed(record);
	*r = trial;
	return true;
}

enum { CLOCK_MONOTONIC_NUMBER = 1 }; /* number of CLOCK_MONOTONIC on Linux */

/* Flags of perf_event_attr. */
enum { IS_INHERITED = 1, IS_FREQUENCY = 10, HAS_SAMPLE_IDS = 18, HAS_CLOCK = 25 };

/*
 * Read a flag. In big-endian recordings, flags are numbered from the most significant bit of a
 * byte.
 */
static bool read_flag(const uint8_t *attr, unsigned bit, bool big)
{
	enum { FLAGS_AT = 40 };

	return attr[FLAGS_AT + bit / 8] >> (big ? 7 - bit % 8 : bit % 8) & 1;
}

static void read_attr(struct reader *r, struct perfdata_attr *attr)
{
	const struct cairn_bytes in = r->in;
	uint8_t whole[104] = { 0 };
	const size_t size = in.size < sizeof(whole) ? in.size : sizeof(whole);

	memcpy(whole, in.data, size);
	struct reader a = reader_open((struct cairn_bytes){ whole, sizeof(whole) }, r->big);
	*attr = (struct perfdata_attr){ .type = reader_u32(&a),
		                        .big = r->big,
		                        .ids = { in.data, 0 } };
	const uint32_t told = reader_u32(&a);
	if (told >= ATTR_LEAST && told < size) {
		/* fields that a shorter structure lacks are 0 */
		memset(whole + told, 0, sizeof(whole) - told);
	}
	attr->config = reader_u64(&a);
	attr->period = reader_u64(&a);
	attr->sample_type = reader_u64(&a);
	attr->read_format = reader_u64(&a);
	attr->is_inherited = read_flag(whole, IS_INHERITED, r->big);
	attr->has_sample_ids = read_flag(whole, HAS_SAMPLE_IDS, r->big);
	if (read_flag(whole, IS_FREQUENCY, r->big))
		attr->period = 0;
	const bool has_clock = read_flag(whole, HAS_CLOCK, r->big);
	reader_seek(&a, 72);
	attr->branch_type = reader_u64(&a);
	attr->user_registers = reader_u64(&a);
	reader_seek(&a, 92);
	attr->is_monotonic = has_clock && reader_u32(&a) == CLOCK_MONOTONIC_NUMBER;
}

bool perfdata_attr(const struct perfdata *p, size_t index, struct perfdata_attr *attr)
{
	struct cairn_bytes body;

	if (p->attr_size == 0 || index >= p->attrs.size / p->attr_size)
		return false;
	body = (struct cairn_bytes){ p->attrs.data + index * p->attr_size,
		                     p->attr_size - SECTION_SIZE };
	struct reader r = reader_open(body, p->big), ids = reader_open(p->bytes, p->big);
	read_attr(&r, attr);
	reader_seek(&ids, (size_t)(body.data - p->bytes.data) + body.size);
	attr->ids = read_file_section(&ids, false);
	return reader_ok(&ids);
}

bool perfdata_read_attr(const struct perfdata_record *record, struct perfdata_attr *attr)
{
	struct reader r = reader_open(record->body, record->big);

	reader_skip(&r, 4);
	const uint32_t size = reader_u32(&r);
	if (!reader_ok(&r) || size < ATTR_LEAST || size > record->body.size)
		return false;
	r = reader_open((struct cairn_bytes){ record->body.data, size }, record->big);
	read_attr(&r, attr);
	attr->ids = (struct cairn_bytes){ record->body.data + size, record->body.size - size };
	return true;
}

bool perfdata_feature(const struct perfdata *p, unsigned number, struct cairn_bytes *feature)
{
	size_t before = 0;

	if (p->is_pipe || number >= PERFDATA_FEATURES ||
	    !(p->features[number / 64] >> number % 64 & 1))
		return false;
	for (unsigned i = 0; i < number; i++)
		before += p->features[i / 64] >> i % 64 & 1;
	struct reader r = reader_open(p->bytes, p->big);
	reader_seek(&r, (size_t)p->feature_table);
	reader_skip(&r, before * SECTION_SIZE);
	*feature = read_file_section(&r, false);
	return reader_ok(&r);
}
