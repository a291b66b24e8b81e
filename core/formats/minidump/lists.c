/* SPDX-License-Identifier: MIT */
/*
 * Reads the streams of a minidump that are lists of records:
 *
 *	threads  = count:4 [gap:4] (id:4 suspended:4 class:4 priority:4 block:8 memory context:part)*
 *	modules  = count:4 [gap:4] (address:8 size:4 checksum:4 time:4 name:4 version:52 codeview:part
 *	           misc:part reserved:16)*
 *	memories = count:4 [gap:4] memory*
 *	memory   = address:8 part
 *	memory64 = count:8 offset:8 (address:8 size:8)*         the bytes are contiguous
 *	regions  = head:4 record:4 count:8 (address:8 base:8 first:4 gap:4 size:8 state:4 protection:4
 *	           type:4 gap:4 ...)*
 *	names    = count:4 (thread:4 name:8)*
 *	dso      = version:4 map:4 count:4 [gap:4] break:W loader:W dynamic:W ...
 *	map      = (bias:W name:4 [gap:4] dynamic:W)*
 *
 * W is 4 or 8 bytes wide.
 */
#include "minidump.h"

#include "part.h"

enum {
	THREAD = 48,
	MODULE = 108,
	MEMORY = 16,
	MEMORY64 = 16,
	REGION = 48,
	REGIONS_HEAD = 16,
	THREAD_NAME = 12,
	DSO_HEAD_64 = 40,
	DSO_DYNAMIC_64 = 16, /* size of an entry of the dynamic section, which follows the head */
	DSO_32 = 12,
	DSO_64 = 24,
	DSO_64_PACKED = 20,
};

/*
 * Start a list of `count` records of `record` bytes. If the stream is too small, read fewer records
 * and record the fault.
 */
static void begin_records(struct minidump_list *list, uint64_t count, size_t record)
{
	struct reader *in = &list->in;

	if (!reader_ok(in))
		return;
	list->record = record;
	list->left = count;
	if (reader_fits(in, count, record))
		return;
	list->left = reader_left(in) / record;
	list->short_of = (struct cairn_fault){ CAIRN_TRUNCATED, in->item,
		                               "a list has fewer records than it tells" };
}

/*
 * Start a list with a 4-byte count. Some writers align the records to 8 bytes, which makes the
 * stream longer.
 */
static void begin_counted(struct minidump_list *list, size_t record, bool aligned)
{
	struct reader *in = &list->in;
	uint64_t count = reader_u32(in);
	size_t item = in->item;

	if (aligned && reader_left(in) >= 4 && (reader_left(in) - 4) / record >= count &&
	    reader_left(in) - 4 == count * record)
		reader_skip(in, 4);
	in->item = item;
	begin_records(list, count, record);
}

static void begin_memory64(struct minidump_list *list)
{
	uint64_t count = reader_u64(&list->in);
	size_t item = list->in.item;

	list->data = reader_u64(&list->in);
	list->wide = true;
	list->in.item = item;
	begin_records(list, count, MEMORY64);
}

/* Start a list of regions. Later versions may extend the head and the records. */
static void begin_regions(struct minidump_list *list)
{
	struct reader *in = &list->in;
	size_t start = in->at;
	uint32_t head = reader_u32(in);
	uint32_t record = reader_u32(in);

	if (reader_ok(in) && (head < REGIONS_HEAD || record < REGION))
		reader_fail_at(in, start, CAIRN_MALFORMED,
		               "a list of memory has records too short");
	uint64_t count = reader_u64(in);
	size_t item = in->item;
	if (reader_ok(in))
		reader_skip(in, head - REGIONS_HEAD);
	in->item = item;
	begin_records(list, count, record);
}

/* Open the stream of this type as a list without records. The list's reader has the fault. */
static struct minidump_list open_list(const struct minidump *dump, uint32_t type,
                                      struct minidump_part *part)
{
	bool found = minidump_find_stream(dump, type, part);
	struct minidump_list list = { .dump = dump, .in = minidump_open_part(dump, part) };

	if (!found)
		reader_fail_at(&list.in, 0, CAIRN_NOT_FOUND, "the dump has no such stream");
	else if (part->bytes.size == 0)
		reader_fail_at(&list.in, (size_t)part->offset, CAIRN_TRUNCATED,
		               "a stream lies past the end of the file");
	return list;
}

struct minidump_list minidump_list(const struct minidump *dump, enum minidump_stream_type type)
{
	struct minidump_part part;
	struct minidump_list list = open_list(dump, type, &part);

	if (!reader_ok(&list.in))
		return list;
	if (type == MINIDUMP_THREADS)
		begin_counted(&list, THREAD, true);
	else if (type == MINIDUMP_MODULES)
		begin_counted(&list, MODULE, true);
	else if (type == MINIDUMP_MEMORY)
		begin_counted(&list, MEMORY, true);
	else if (type == MINIDUMP_MEMORY64)
		begin_memory64(&list);
	else if (type == MINIDUMP_REGIONS)
		begin_regions(&list);
	else if (type == MINIDUMP_THREAD_NAMES)
		begin_counted(&list, THREAD_NAME, false);
	return list;
}

/*
 * Return a reader that is limited to the next record, with file offsets. Return false after the
 * last record.
 */
static bool next_record(struct minidump_list *list, struct reader *record)
{
	struct reader *in = &list->in;

	if (!reader_ok(in))
		return false;
	if (list->left == 0) {
		in->fault = list->short_of;
		return false;
	}
	list->left--;
	*record = *in;
	record->in.size = in->at + list->record;
	reader_skip(in, list->record);
	return true;
}

bool minidump_next_thread(struct minidump_list *list, struct minidump_thread *thread)
{
	struct reader in;

	if (!next_record(list, &in))
		return false;
	*thread = (struct minidump_thread){ .id = reader_u32(&in) };
	reader_skip(&in, 12); /* suspended, class, priority */
	thread->block = reader_u64(&in);
	thread->stack = reader_u64(&in);
	thread->captured = minidump_read_part(list->dump, &in);
	thread->context = minidump_read_part(list->dump, &in);
	return true;
}

bool minidump_next_module(struct minidump_list *list, struct minidump_module *module)
{
	struct reader in;

	if (!next_record(list, &in))
		return false;
	*module = (struct minidump_module){ .low = reader_u64(&in) };
	module->size = reader_u32(&in);
	module->checksum = reader_u32(&in);
	module->time = reader_u32(&in);
	module->name = reader_u32(&in);
	reader_skip(&in, 52); /* VS_FIXEDFILEINFO */
	module->codeview = minidump_read_part(list->dump, &in);
	return true;
}

/* Return the bytes of a range in MEMORY64, which follow the bytes of the previous range. */
static struct minidump_part take_memory64(struct minidump_list *list, uint64_t size)
{
	struct minidump_part part = minidump_part_at(list->dump, list->data, size);

	list->data = size > UINT64_MAX - list->data ? UINT64_MAX : list->data + size;
	return part;
}

bool minidump_next_memory(struct minidump_list *list, struct minidump_memory *memory)
{
	struct reader in;

	if (!next_record(list, &in))
		return false;
	memory->address = reader_u64(&in);
	memory->part = list->wide ? take_memory64(list, reader_u64(&in))
	                          : minidump_read_part(list->dump, &in);
	return true;
}

bool minidump_next_region(struct minidump_list *list, struct minidump_region *region)
{
	struct reader in;

	if (!next_record(list, &in))
		return false;
	region->address = reader_u64(&in);
	reader_skip(&in, 16); /* base and initial protection of the allocation, padding */
	region->size = reader_u64(&in);
	region->state = reader_u32(&in);
	region->protection = reader_u32(&in);
	return true;
}

bool minidump_region_allows(const struct minidump_region *region, enum minidump_access access)
{
	enum { PAGE_GUARD = 0x100 };

	return (region->protection & access) && !(region->protection & PAGE_GUARD);
}

bool minidump_next_thread_name(struct minidump_list *list, struct minidump_thread_name *name)
{
	struct reader in;

	if (!next_record(list, &in))
		return false;
	name->thread = reader_u32(&in);
	name->name = reader_u64(&in);
	return true;
}

/*
 * Return the size of a DSO entry. The head is followed by the dynamic section. In 64-bit programs,
 * C inserts padding in front of the first 64-bit field, and other languages do not; the size of the
 * stream shows which is the case.
 */
static size_t find_dso_size(const struct minidump_part *stream, bool wide)
{
	if (!wide)
		return DSO_32;
	return stream->bytes.size % DSO_DYNAMIC_64 == DSO_HEAD_64 % DSO_DYNAMIC_64 ? DSO_64
	                                                                           : DSO_64_PACKED;
}

struct minidump_list minidump_dso_list(const struct minidump *dump, unsigned word)
{
	struct minidump_part stream;
	struct minidump_list list = open_list(dump, MINIDUMP_LINUX_DSO, &stream);

	list.wide = word == 8;
	reader_u32(&list.in);
	uint32_t map = reader_u32(&list.in);
	uint32_t count = reader_u32(&list.in);
	if (!reader_ok(&list.in) || count == 0)
		return list;
	list.in.in = dump->bytes;
	reader_seek(&list.in, map);
	begin_records(&list, count, find_dso_size(&stream, list.wide));
	return list;
}

bool minidump_next_dso(struct minidump_list *list, struct minidump_dso *dso)
{
	struct reader in;

	if (!next_record(list, &in))
		return false;
	dso->bias = reader_word(&in, list->wide);
	dso->name = reader_u32(&in);
	if (list->record == DSO_64)
		reader_u32(&in);
	dso->dynamic = reader_word(&in, list->wide);
	return true;
}
