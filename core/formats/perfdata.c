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

#include "base/bytes.h"
#include "base/error.h"

#include <string.h>

enum { MAGIC_SIZE = 8, PIPE_SIZE = 16, RECORD_HEAD = 8, SECTION_SIZE = 16, ATTR_LEAST = 64 };

static const char magic[] = "PERFILE2", swapped[] = "2ELIFREP";

bool perfdata_recognize(struct cairn_bytes bytes)
{
	return bytes.size >= MAGIC_SIZE && (memcmp(bytes.data, magic, MAGIC_SIZE) == 0 ||
	                                    memcmp(bytes.data, swapped, MAGIC_SIZE) == 0);
}

/*
 * Return true if the recording is big-endian. perf stores the magic number as an integer, so its
 * bytes are reversed in big-endian recordings.
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
 * Read the range of a section, and return the section. If the section is truncated, end it at the
 * end of the file if `to_end` is true, otherwise set the reader's fault.
 */
static struct cairn_bytes read_file_section(struct reader *r, bool to_end)
{
	const uint64_t offset = reader_u64(r), size = reader_u64(r);
	struct cairn_bytes section = { r->in.data, 0 };

	if (!reader_ok(r) || bytes_slice(r->in, offset, size, &section))
		return section;
	if (!to_end || offset > r->in.size)
		reader_fail(r, CAIRN_TRUNCATED, "a section of the recording is truncated");
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
		reader_fail(r, CAIRN_MALFORMED, "the event attribute size is too small");
}

enum cairn_status perfdata_open(struct cairn_bytes bytes, struct perfdata *p,
                                struct cairn_fault *fault)
{
	*p = (struct perfdata){ .bytes = bytes, .attrs = { bytes.data, 0 } };
	if (!perfdata_recognize(bytes)) {
		return fault_set(fault, CAIRN_UNSUPPORTED, "not a perf recording");
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

/* Return the number of bytes that follow a record but are not included in its size. */
static uint64_t count_following(const struct perfdata_record *record)
{
	struct reader r = reader_open(record->body, record->big);

	if (record->type == PERFDATA_TRACING_DATA)
		return ((uint64_t)reader_u32(&r) + 7) & ~(uint64_t)7;
	return record->type == PERFDATA_AUXTRACE ? reader_u64(&r) : 0;
}

/*
 * Set record->data to the contents of a compressed record. Only PERFDATA_COMPRESSED2 stores their
 * size.
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

enum { CLOCK_MONOTONIC_NUMBER = 1 };

/* Bit numbers of flags in perf_event_attr. */
enum { IS_INHERITED = 1, IS_FREQUENCY = 10, HAS_SAMPLE_IDS = 18, HAS_CLOCK = 25 };

/*
 * Read a flag. Big-endian recordings number the flags from the most significant bit of each byte.
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
		/* an older, shorter structure lacks some fields, so set them to 0 */
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

/*
 * Reads the records of a recording:
 *
 *	MMAP   = pid:u32 tid:u32 start:u64 size:u64 offset:u64 path
 *	MMAP2  = pid:u32 tid:u32 start:u64 size:u64 offset:u64 id:u8[24] prot:u32 flags:u32 path
 *	COMM   = pid:u32 tid:u32 name
 *	FORK   = pid:u32 parent:u32 tid:u32 parent_tid:u32 time:u64
 *	NAMESPACES = pid:u32 tid:u32 count:u64 (device:u64 number:u64){count}
 *	DEFERRED = cookie:u64 count:u64 address:u64{count}
 *	SAMPLE = the fields selected by sample_type, in the order below
 *
 * The `id` in MMAP2 is a build ID, or the device and inode numbers. The sixth pair in NAMESPACES is
 * the mount namespace. Strings are NUL-terminated, and records end with their identification
 * fields.
 */

enum { NUMBER = 8, FILE_NUMBERS = 24, ID_WORDS = 4, PROT_EXEC = 4 };

/* Bits in sample_type. */
enum {
	HAS_IP = 1 << 0,
	HAS_TID = 1 << 1,
	HAS_TIME = 1 << 2,
	HAS_ADDRESS = 1 << 3,
	HAS_READ = 1 << 4,
	HAS_CHAIN = 1 << 5,
	HAS_ID = 1 << 6,
	HAS_CPU = 1 << 7,
	HAS_PERIOD = 1 << 8,
	HAS_STREAM = 1 << 9,
	HAS_RAW = 1 << 10,
	HAS_BRANCHES = 1 << 11,
	HAS_REGISTERS = 1 << 12,
	HAS_STACK = 1 << 13,
	HAS_IDENTIFIER = 1 << 16,
};

/* Bits in read_format and branch_sample_type. */
enum {
	READ_ENABLED = 1 << 0,
	READ_RUNNING = 1 << 1,
	READ_ID = 1 << 2,
	READ_GROUP = 1 << 3,
	READ_LOST = 1 << 4,
	BRANCH_INDEX = 1 << 17,
	BRANCH_COUNTERS = 1 << 19,
};

static unsigned count_bits(uint64_t word)
{
	unsigned count = 0;

	for (; word != 0; word &= word - 1)
		count++;
	return count;
}

/*
 * Read an array of `count` elements of `size` bytes each. Fail if the array extends past the end of
 * the sample.
 */
static struct cairn_bytes read_list(struct reader *r, uint64_t count, size_t size)
{
	if (reader_ok(r) && !reader_fits(r, count, size))
		reader_fail(r, CAIRN_MALFORMED, "an array extends past the end of its sample");
	return reader_bytes(r, reader_ok(r) ? (size_t)count * size : 0);
}

static uint64_t read_if(struct reader *r, uint64_t type, uint64_t bit)
{
	return type & bit ? reader_u64(r) : 0;
}

/* Return the number of values per counter in a group. */
static unsigned count_each(uint64_t format)
{
	return 1 + count_bits(format & (READ_ID | READ_LOST));
}

static unsigned count_times(uint64_t format)
{
	return count_bits(format & (READ_ENABLED | READ_RUNNING));
}

/*
 * Read the counters. The enabled and running times precede the counters of a group, but follow the
 * value of a single counter.
 */
static struct cairn_bytes read_counts(struct reader *r, uint64_t format)
{
	const unsigned times = count_times(format), each = count_each(format);

	if (!(format & READ_GROUP))
		return read_list(r, times + each, NUMBER);
	const uint64_t count = reader_u64(r);
	(void)read_list(r, times, NUMBER);
	return read_list(r, count, each * (size_t)NUMBER);
}

bool perfdata_sample_count(const struct perfdata_sample *s, const struct perfdata_attr *attr,
                           size_t index, struct perfdata_count *count)
{
	const uint64_t format = attr->read_format;
	const bool is_group = format & READ_GROUP;
	const size_t each = count_each(format) + (is_group ? 0 : count_times(format));
	const size_t at = index * each;

	if (!(format & READ_ID) || index >= s->counts.size / NUMBER / each)
		return false;
	count->value = perfdata_number(s->counts, at, attr->big);
	count->id = perfdata_number(s->counts, at + 1 + (is_group ? 0 : count_times(format)),
	                            attr->big);
	return true;
}

/* Read the branch stack. If branch counters were recorded, they follow the last branch. */
static void read_branches(struct reader *r, uint64_t type, struct perfdata_sample *s)
{
	const uint64_t count = reader_u64(r);

	(void)read_if(r, type, BRANCH_INDEX);
	s->branches = read_list(r, count, PERFDATA_BRANCH_SIZE);
	if (type & BRANCH_COUNTERS)
		(void)read_list(r, count, NUMBER);
}

static void read_registers(struct reader *r, const struct perfdata_attr *attr,
                           struct perfdata_sample *s)
{
	s->register_abi = reader_u64(r);
	if (s->register_abi != 0)
		s->registers = read_list(r, count_bits(attr->user_registers), NUMBER);
}

/* Read the copy of the stack. Unless the copy is empty, the number of its valid bytes follows. */
static void read_stack(struct reader *r, struct perfdata_sample *s)
{
	const uint64_t size = reader_u64(r);

	if (size == 0)
		return;
	s->stack = read_list(r, size, 1);
	const uint64_t good = reader_u64(r);
	if (good < s->stack.size)
		s->stack.size = (size_t)good;
}

static void read_sample_head(struct reader *r, uint64_t type, struct perfdata_sample *s)
{
	s->id = read_if(r, type, HAS_IDENTIFIER);
	s->ip = read_if(r, type, HAS_IP);
	if (type & HAS_TID) {
		s->pid = reader_u32(r);
		s->tid = reader_u32(r);
	}
	s->time = read_if(r, type, HAS_TIME);
	s->has_time = type & HAS_TIME;
	(void)read_if(r, type, HAS_ADDRESS);
	const uint64_t id = read_if(r, type, HAS_ID);
	if (type & HAS_ID)
		s->id = id;
	(void)read_if(r, type, HAS_STREAM);
	(void)read_if(r, type, HAS_CPU);
	s->period = read_if(r, type, HAS_PERIOD);
}

bool perfdata_read_sample(const struct perfdata_record *record, const struct perfdata_attr *attr,
                          struct perfdata_sample *s)
{
	const uint64_t type = attr->sample_type;
	struct reader r = reader_open(record->body, record->big);
	const struct cairn_bytes none = { record->body.data, 0 };

	*s = (struct perfdata_sample){
		.counts = none, .chain = none, .branches = none, .registers = none, .stack = none
	};
	read_sample_head(&r, type, s);
	if (!(type & HAS_PERIOD))
		s->period = attr->period;
	if (type & HAS_READ)
		s->counts = read_counts(&r, attr->read_format);
	if (type & HAS_CHAIN)
		s->chain = read_list(&r, reader_u64(&r), NUMBER);
	if (type & HAS_RAW)
		(void)read_list(&r, reader_u32(&r), 1);
	if (type & HAS_BRANCHES)
		read_branches(&r, attr->branch_type, s);
	if (type & HAS_REGISTERS)
		read_registers(&r, attr, s);
	if (type & HAS_STACK)
		read_stack(&r, s);
	return reader_ok(&r);
}

uint64_t perfdata_sample_event(const struct perfdata_record *record,
                               const struct perfdata_attr *first)
{
	const uint64_t type = first->sample_type;
	struct reader r = reader_open(record->body, record->big);
	struct perfdata_sample s = { .id = 0 };

	if (type & HAS_IDENTIFIER)
		return reader_u64(&r);
	if (!(type & HAS_ID))
		return 0;
	read_sample_head(&r, type, &s);
	return reader_ok(&r) ? s.id : 0;
}

/*
 * Records other than samples end with the identification fields that the event selects, in this
 * order: pid and tid, time, ID, stream, CPU, identifier.
 */
uint64_t perfdata_record_time(const struct perfdata_record *record,
                              const struct perfdata_attr *first)
{
	const uint64_t type = first->sample_type;
	const unsigned after =
		count_bits(type & (HAS_TIME | HAS_ID | HAS_STREAM | HAS_CPU | HAS_IDENTIFIER));

	if (!first->has_sample_ids || !(type & HAS_TIME) || record->type >= PERFDATA_USER ||
	    record->body.size < after * (size_t)NUMBER)
		return 0;
	struct reader r = reader_open(record->body, record->big);
	reader_seek(&r, record->body.size - after * (size_t)NUMBER);
	return reader_u64(&r);
}

/*
 * Read the identification fields too, because they contain the tid. They start with the pid and the
 * tid.
 */
bool perfdata_read_deferred(const struct perfdata_record *record, const struct perfdata_attr *first,
                            struct perfdata_deferred *d)
{
	const uint64_t type = first->sample_type;
	const size_t after = NUMBER * count_bits(type & (HAS_TID | HAS_TIME | HAS_ID | HAS_STREAM |
	                                                 HAS_CPU | HAS_IDENTIFIER));

	if (!first->has_sample_ids || !(type & HAS_TID) || record->body.size < after)
		return false;
	const struct cairn_bytes body = { record->body.data, record->body.size - after };
	struct reader r = reader_open(body, record->big),
		      ids = reader_open(record->body, record->big);
	d->cookie = reader_u64(&r);
	d->chain = read_list(&r, reader_u64(&r), NUMBER);
	reader_seek(&ids, body.size + sizeof(uint32_t));
	d->tid = reader_u32(&ids);
	return reader_ok(&r) && reader_ok(&ids);
}

static struct cairn_bytes read_record_text(struct reader *r)
{
	return bytes_before(reader_bytes(r, reader_left(r)), '\0');
}

/*
 * Return the size of a build ID, or 0 if all its bytes are 0. An ID without an explicit size has 20
 * bytes or, if the last four are 0, 16 bytes, the size of an MD5 sum.
 */
static size_t judge_id_size(const uint8_t *id, unsigned told, bool is_told)
{
	size_t size = is_told && told <= PERFDATA_ID_MAX ? told : PERFDATA_ID_MAX;
	bool is_short = !is_told, is_zero = true;

	for (unsigned i = 16; i < PERFDATA_ID_MAX; i++)
		is_short &= id[i] == 0;
	if (is_short)
		size = 16;
	for (size_t i = 0; i < size; i++)
		is_zero &= id[i] == 0;
	return is_zero ? 0 : size;
}

static void read_file_id(struct reader *r, const struct perfdata_record *record,
                         struct perfdata_mmap *m)
{
	const struct cairn_bytes numbers = reader_bytes(r, FILE_NUMBERS);

	if (!reader_ok(r) || !(record->misc & PERFDATA_HAS_ID))
		return;
	memcpy(m->build_id, numbers.data + ID_WORDS, PERFDATA_ID_MAX);
	m->id_size = judge_id_size(m->build_id, numbers.data[0], true);
}

bool perfdata_read_mmap(const struct perfdata_record *record, struct perfdata_mmap *m)
{
	struct reader r = reader_open(record->body, record->big);

	*m = (struct perfdata_mmap){ .pid = reader_u32(&r), .is_code = true };
	m->tid = reader_u32(&r);
	m->start = reader_u64(&r);
	m->size = reader_u64(&r);
	m->offset = reader_u64(&r);
	if (record->type == PERFDATA_MMAP2) {
		read_file_id(&r, record, m);
		m->is_code = reader_u32(&r) & PROT_EXEC;
		(void)reader_u32(&r);
	} else {
		/* this bit in the `misc` field of an MMAP record marks data */
		m->is_code = !(record->misc & PERFDATA_EXEC);
	}
	m->path = read_record_text(&r);
	return reader_ok(&r) && m->size > 0 && m->size <= UINT64_MAX - m->start;
}

bool perfdata_read_fork(const struct perfdata_record *record, struct perfdata_fork *f)
{
	struct reader r = reader_open(record->body, record->big);

	f->pid = reader_u32(&r);
	f->parent = reader_u32(&r);
	f->tid = reader_u32(&r);
	f->parent_tid = reader_u32(&r);
	return reader_ok(&r);
}

bool perfdata_read_comm(const struct perfdata_record *record, struct perfdata_comm *c)
{
	struct reader r = reader_open(record->body, record->big);

	c->pid = reader_u32(&r);
	c->tid = reader_u32(&r);
	c->is_exec = record->misc & PERFDATA_EXEC;
	c->name = read_record_text(&r);
	return reader_ok(&r);
}

bool perfdata_read_build_id(const struct perfdata_record *record, struct perfdata_build_id *b)
{
	struct reader r = reader_open(record->body, record->big);

	(void)reader_u32(&r);
	const struct cairn_bytes id = reader_bytes(&r, 24);
	b->path = read_record_text(&r);
	if (!reader_ok(&r))
		return false;
	memcpy(b->id, id.data, PERFDATA_ID_MAX);
	b->size = judge_id_size(b->id, id.data[PERFDATA_ID_MAX], record->misc & PERFDATA_HAS_SIZE);
	return true;
}

struct cairn_bytes perfdata_feature_text(struct cairn_bytes feature, bool big)
{
	struct reader r = reader_open(feature, big);
	const uint32_t size = reader_u32(&r);

	return bytes_before(reader_bytes(&r, size), '\0');
}

bool perfdata_event_name(struct cairn_bytes feature, bool big, size_t *at, uint64_t *id,
                         struct cairn_bytes *name)
{
	struct reader r = reader_open(feature, big);

	(void)reader_u32(&r);
	const uint32_t size = reader_u32(&r);
	if (*at != 0)
		reader_seek(&r, *at);
	reader_skip(&r, size);
	const uint32_t count = reader_u32(&r), length = reader_u32(&r);
	struct cairn_bytes text = reader_bytes(&r, length);
	if (!reader_ok(&r) || !reader_fits(&r, count, NUMBER))
		return false;
	*id = count > 0 ? reader_u64(&r) : 0;
	reader_skip(&r, (count > 0 ? count - 1 : 0) * (size_t)NUMBER);
	*name = bytes_before(text, '\0');
	*at = r.at;
	return reader_ok(&r);
}

bool perfdata_read_namespaces(const struct perfdata_record *record, struct perfdata_namespaces *n)
{
	enum { MOUNT = 5, ENTRY = 2 * NUMBER };
	struct reader r = reader_open(record->body, record->big);

	*n = (struct perfdata_namespaces){ .pid = reader_u32(&r) };
	n->tid = reader_u32(&r);
	const struct cairn_bytes list = read_list(&r, reader_u64(&r), ENTRY);
	if (reader_ok(&r) && list.size >= (MOUNT + 1) * (size_t)ENTRY)
		n->mount = perfdata_number(list, 2 * MOUNT + 1, record->big);
	return reader_ok(&r);
}
