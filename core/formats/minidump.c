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

#include "base/bytes.h"
#include "base/utf8.h"

#include <string.h>

enum {
	VERSION = 0xa793, /* low half of the version; the high half depends on the writer */
	DIRECTORY_ENTRY = 12,
	HAS_ID = 1,
	HAS_TIMES = 2,
};

#define SIGNATURE UINT32_C(0x504d444d)

static struct minidump_part minidump_part_at(const struct minidump *dump, uint64_t offset,
                                             uint64_t size);
static struct minidump_part minidump_read_part(const struct minidump *dump, struct reader *in);
static struct reader minidump_open_part(const struct minidump *dump,
                                        const struct minidump_part *part);
static enum minidump_machine minidump_machine_of(uint16_t processor);

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
		reader_fail(&in, CAIRN_UNSUPPORTED, "unsupported minidump version");
	d.streams = reader_u32(&in);
	d.directory = reader_u32(&in);
	reader_u32(&in); /* skip the checksum, which writers set to 0 */
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
	size_t capacity = (dump->bytes.size - dump->directory) / DIRECTORY_ENTRY;

	return capacity < dump->streams ? (uint32_t)capacity : dump->streams;
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
 * Return a reader over one stream that reports file offsets. If the stream is missing, the fault of
 * the reader is CAIRN_NOT_FOUND.
 */
static struct reader open_stream(const struct minidump *dump, uint32_t type)
{
	struct minidump_part part;
	bool found = minidump_find_stream(dump, type, &part);
	struct reader in = minidump_open_part(dump, &part);

	if (!found)
		reader_fail_at(&in, 0, CAIRN_NOT_FOUND, "the minidump has no such stream");
	return in;
}

bool minidump_read_system(const struct minidump *dump, struct minidump_system *system)
{
	struct reader in = open_stream(dump, MINIDUMP_SYSTEM);

	*system = (struct minidump_system){ .processor = reader_u16(&in) };
	reader_skip(&in, 6); /* skip level, revision, number of processors and product type */
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

/*
 * Reads strings, and file ranges that records refer to. A string is preceded by its length:
 *
 *	text = bytes:4 utf16:bytes 0:2
 */

enum {
	/* start of the high surrogates, which precede the low surrogates */
	SURROGATES_BEGIN = 0xd800,
	SURROGATES = 0x400,
	REPLACEMENT = 0xfffd,
};

/* Return the file range [offset, offset + size), truncated at the end of the file. */
static struct minidump_part minidump_part_at(const struct minidump *dump, uint64_t offset,
                                             uint64_t size)
{
	struct cairn_bytes all = dump->bytes;
	struct minidump_part part = { offset, { all.data, 0 }, size > 0 };

	if (offset > all.size)
		return part;
	part.bytes.data += offset;
	part.cut = size > all.size - offset;
	part.bytes.size = part.cut ? all.size - (size_t)offset : (size_t)size;
	return part;
}

/* Read the size and the offset of a file range, 4 bytes each, and return the range. */
static struct minidump_part minidump_read_part(const struct minidump *dump, struct reader *in)
{
	uint32_t size = reader_u32(in);
	uint32_t offset = reader_u32(in);

	return minidump_part_at(dump, offset, size);
}

/* Return a reader over a file range. The reader reports file offsets. */
static struct reader minidump_open_part(const struct minidump *dump,
                                        const struct minidump_part *part)
{
	size_t end = part->bytes.size ? (size_t)part->offset + part->bytes.size : 0;
	struct reader in = reader_open((struct cairn_bytes){ dump->bytes.data, end }, dump->big);

	reader_seek(&in, part->bytes.size ? (size_t)part->offset : 0);
	return in;
}

struct minidump_part minidump_text(const struct minidump *dump, uint64_t offset)
{
	struct minidump_part head = minidump_part_at(dump, offset, 4);

	if (offset == 0 || head.cut)
		return minidump_part_at(dump, 0, 0);
	return minidump_part_at(dump, offset + 4, bytes_u32(head.bytes.data, dump->big));
}

/*
 * Return the code point that starts with the UTF-16 unit `unit`. If `unit` starts a surrogate pair,
 * also consume the next unit.
 */
static uint32_t join_surrogates(struct reader *in, uint32_t unit)
{
	struct reader ahead = *in;

	if (unit - SURROGATES_BEGIN >= 2 * SURROGATES)
		return unit;
	if (unit - SURROGATES_BEGIN >= SURROGATES || reader_left(in) < 2)
		return REPLACEMENT;
	uint32_t low = reader_u16(&ahead) - (uint32_t)(SURROGATES_BEGIN + SURROGATES);
	if (low >= SURROGATES)
		return REPLACEMENT;
	*in = ahead;
	return 0x10000 + ((unit - SURROGATES_BEGIN) << 10) + low;
}

void minidump_put_text(const struct minidump *dump, const struct minidump_part *text,
                       struct sink *out)
{
	struct reader in = reader_open(text->bytes, dump->big);
	uint8_t character[4];

	while (reader_left(&in) >= 2) {
		uint32_t unit = reader_u16(&in);
		if (unit == 0)
			return;
		sink_bytes(out, character, utf8_encode(join_surrogates(&in, unit), character));
	}
}

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
 * W is the address size of the program, 4 or 8 bytes.
 */

enum {
	THREAD = 48,
	MODULE = 108,
	MEMORY = 16,
	MEMORY64 = 16,
	REGION = 48,
	REGIONS_HEAD = 16,
	THREAD_NAME = 12,
	DSO_HEAD_64 = 40,
	/* size of an entry in the 64-bit dynamic section, which follows the header */
	DSO_DYNAMIC_64 = 16,
	DSO_32 = 12,
	DSO_64 = 24,
	DSO_64_PACKED = 20,
};

/*
 * Start a list of `count` records of `record` bytes each. If the stream is too small, limit the
 * list to the records that fit, and set list->short_of.
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
		                               "a list has fewer records than its header says" };
}

/*
 * Start a list with a 4-byte count. To align the records to 8 bytes, some writers insert padding
 * after the count. The size of the stream reveals whether there is padding.
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

/*
 * Start a list of regions. The stream contains the sizes of its header and its records, because
 * later versions may extend both.
 */
static void begin_regions(struct minidump_list *list)
{
	struct reader *in = &list->in;
	size_t start = in->at;
	uint32_t head = reader_u32(in);
	uint32_t record = reader_u32(in);

	if (reader_ok(in) && (head < REGIONS_HEAD || record < REGION))
		reader_fail_at(in, start, CAIRN_MALFORMED,
		               "the records of a memory list are too short");
	uint64_t count = reader_u64(in);
	size_t item = in->item;
	if (reader_ok(in))
		reader_skip(in, head - REGIONS_HEAD);
	in->item = item;
	begin_records(list, count, record);
}

/* Open a stream as a list without records. On failure, the list's reader has the fault. */
static struct minidump_list open_list(const struct minidump *dump, uint32_t type,
                                      struct minidump_part *part)
{
	bool found = minidump_find_stream(dump, type, part);
	struct minidump_list list = { .dump = dump, .in = minidump_open_part(dump, part) };

	if (!found)
		reader_fail_at(&list.in, 0, CAIRN_NOT_FOUND, "the minidump has no such stream");
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
 * Set *record to a reader that covers only the next record and reports file offsets. Return false
 * after the last record.
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
	reader_skip(&in, 12); /* skip suspend count, priority class and priority */
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

/* Return the contents of a range in MEMORY64, which follow the contents of the previous range. */
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
	reader_skip(&in, 16); /* skip base and initial protection of the allocation, and padding */
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
 * Return the size of an entry in the DSO list. For 64-bit programs, writers in C insert padding
 * before the first 64-bit field of an entry, but writers in other languages do not. The stream
 * consists of a header and the dynamic section. Its size reveals whether the header has padding, in
 * which case the entries have padding, too.
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

/*
 * Reads CodeView records, which identify the debug information of a module, and derives Breakpad
 * IDs from them:
 *
 *	PDB 7.0 = "RSDS" guid:16 age:4 name\0
 *	PDB 2.0 = "NB10" offset:4 stamp:4 age:4 name\0
 *	ELF     = "LEpB" build ID
 *	guid    = a:4 b:2 c:2 d:8                      a, b and c are numbers
 */

#define PDB70 UINT32_C(0x53445352)
#define PDB20 UINT32_C(0x3031424e)
#define ELF UINT32_C(0x4270454c)

enum { GUID = 16 };

/* Read the rest of the record up to its end or a NUL. */
static struct cairn_bytes read_name(struct reader *in)
{
	const struct cairn_bytes rest = { in->in.data + in->at,
		                          reader_ok(in) ? reader_left(in) : 0 };

	return bytes_before(rest, '\0');
}

static void read_pdb70(struct reader *in, struct minidump_debug *debug)
{
	debug->kind = MINIDUMP_DEBUG_PDB70;
	debug->id = reader_bytes(in, GUID);
	debug->age = reader_u32(in);
	debug->name = read_name(in);
}

static void read_pdb20(struct reader *in, struct minidump_debug *debug)
{
	debug->kind = MINIDUMP_DEBUG_PDB20;
	reader_u32(in); /* skip the offset of the debug information in the PDB */
	debug->stamp = reader_u32(in);
	debug->age = reader_u32(in);
	debug->name = read_name(in);
}

static void read_elf(struct reader *in, struct minidump_debug *debug)
{
	debug->kind = MINIDUMP_DEBUG_ELF;
	debug->id = reader_bytes(in, reader_left(in));
}

struct minidump_debug minidump_read_debug(const struct minidump *dump,
                                          const struct minidump_module *module)
{
	const struct cairn_bytes none = { dump->bytes.data, 0 };
	struct minidump_debug debug = { .id = none, .name = none };
	struct reader in = minidump_open_part(dump, &module->codeview);

	if (module->codeview.bytes.size == 0)
		return debug;
	uint32_t signature = reader_u32(&in);
	if (signature == PDB70)
		read_pdb70(&in, &debug);
	else if (signature == PDB20)
		read_pdb20(&in, &debug);
	else if (signature == ELF)
		read_elf(&in, &debug);
	else
		debug.kind = MINIDUMP_DEBUG_OTHER;
	if (!reader_ok(&in))
		debug = (struct minidump_debug){ .id = none, .name = none };
	return debug;
}

/* Write a number in upper-case hexadecimal digits, padded with zeros to at least `least` digits. */
static void put_hex(struct sink *out, uint32_t value, unsigned least)
{
	unsigned digits = 8;

	while (digits > least && value >> 4 * (digits - 1) == 0)
		digits--;
	while (digits-- > 0)
		sink_u8(out, (uint8_t) "0123456789ABCDEF"[value >> 4 * digits & 0xf]);
}

static void put_guid(struct sink *out, const uint8_t guid[GUID], bool big)
{
	put_hex(out, bytes_u32(guid, big), 8);
	put_hex(out, bytes_u16(guid + 4, big), 4);
	put_hex(out, bytes_u16(guid + 6, big), 4);
	for (size_t i = 8; i < GUID; i++)
		put_hex(out, guid[i], 2);
}

size_t minidump_debug_id(const struct minidump *dump, const struct minidump_debug *debug,
                         char id[MINIDUMP_ID_MAX])
{
	struct sink out = sink_open(id, MINIDUMP_ID_MAX);
	uint8_t guid[GUID] = { 0 };

	if (debug->id.size > 0)
		memcpy(guid, debug->id.data, debug->id.size < GUID ? debug->id.size : GUID);
	switch (debug->kind) {
	case MINIDUMP_DEBUG_PDB70:
	case MINIDUMP_DEBUG_ELF:
		if (debug->id.size == 0)
			return 0;
		/*
		 * only a PDB 7.0 GUID has the file's byte order; a build ID is interpreted as a
		 * little-endian GUID
		 */
		put_guid(&out, guid, debug->kind == MINIDUMP_DEBUG_PDB70 && dump->big);
		put_hex(&out, debug->age, 1);
		break;
	case MINIDUMP_DEBUG_PDB20:
		put_hex(&out, debug->stamp, 8);
		put_hex(&out, debug->age, 1);
		break;
	case MINIDUMP_DEBUG_NONE:
	case MINIDUMP_DEBUG_OTHER:
		break;
	}
	return out.size;
}

/*
 * Reads the registers of a thread. Each machine has its own type of context record. Only the
 * integer registers are read here:
 *
 *	x86    flags:4 ... edi esi ebx edx ecx eax at 156, ebp eip cs eflags esp from 180 on
 *	amd64  ... flags:4 at 48, rax rcx rdx rbx rsp rbp rsi rdi r8 to r15 from 120 on, rip
 *	arm    flags:4 r0 to r15
 *	arm64  flags:4 cpsr:4 x0 to x30 sp pc, or flags:8 x0 to x30 sp pc, as Breakpad writes it
 *
 * The flags identify the machine and the groups of registers that are valid.
 */

#define WITHOUT_PC "registers without the program counter"

static enum minidump_machine minidump_machine_of(uint16_t processor)
{
	switch (processor) {
	case 0:
	case 10: /* 32-bit program on 64-bit Windows */
		return MINIDUMP_MACHINE_X86;
	case 5:
		return MINIDUMP_MACHINE_ARM;
	case 9:
		return MINIDUMP_MACHINE_AMD64;
	case 12:
	case 0x8003: /* used by Breakpad for arm64 before Windows defined a number */
		return MINIDUMP_MACHINE_ARM64;
	}
	return minidump_processor_name(processor) ? MINIDUMP_MACHINE_OTHER
	                                          : MINIDUMP_MACHINE_UNKNOWN;
}

const char *minidump_processor_name(uint16_t processor)
{
	static const struct {
		uint16_t processor;
		const char *name;
	} names[] = {
		{ 0, "x86" },          { 1, "mips" },        { 2, "alpha" },
		{ 3, "ppc" },          { 4, "sh" },          { 5, "arm" },
		{ 6, "ia64" },         { 9, "amd64" },       { 10, "x86" },
		{ 12, "aarch64" },     { 0x8001, "sparc" },  { 0x8002, "ppc64" },
		{ 0x8003, "aarch64" }, { 0x8004, "mips64" }, { 0x8005, "loongarch64" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].processor == processor)
			return names[i].name;
	return NULL;
}

enum {
	PC = 0xff,  /* code for the program counter in a register order */
	GAP = 0xfe, /* code for eight unused bytes in a register order */
	ARM_PC = 15,
};

/*
 * DWARF numbers of the registers, in the order in which the machine's context record contains them.
 */
static const uint8_t amd64_order[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, PC };
static const uint8_t x86_order[] = { 7, 6, 3, 2, 1, 0, 5, PC, GAP, 4 };
static const uint8_t arm_order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, ARM_PC };
static const uint8_t arm64_order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
	                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	                               22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC };

/*
 * Layouts of context records. Windows counts fp, lr, sp and pc as control registers; Breakpad
 * counts all registers as integer registers.
 */
static const struct layout {
	enum minidump_machine machine;
	/*
	 * flags that identify the machine on Windows and in Breakpad; `breakpad` is 0 if Breakpad
	 * uses the same flag as Windows
	 */
	uint32_t windows, breakpad;
	size_t flags_at, registers_at;
	bool is_wide; /* registers have 8 bytes; otherwise they have 4 */
	/* control registers other than the pc, as a mask of DWARF register numbers */
	uint32_t control;
	size_t count;
	const uint8_t *order;
} layouts[] = {
	{ MINIDUMP_MACHINE_AMD64, CONTEXT_AMD64, 0, CONTEXT_AMD64_FLAGS_AT, 120, true, 1 << 7,
	  sizeof(amd64_order), amd64_order },
	{ MINIDUMP_MACHINE_X86, CONTEXT_X86, 0, 0, 156, false, 3 << 4, sizeof(x86_order),
	  x86_order },
	{ MINIDUMP_MACHINE_ARM, CONTEXT_ARM_WINDOWS, CONTEXT_ARM_BREAKPAD, 0, 4, false, 7 << 13,
	  sizeof(arm_order), arm_order },
	{ MINIDUMP_MACHINE_ARM64, CONTEXT_ARM64, CONTEXT_ARM64_BREAKPAD, 0, 8, true, 7u << 29,
	  sizeof(arm64_order), arm64_order },
};

enum { LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

static bool names_machine(uint32_t flags, const struct layout *layout)
{
	return context_has_windows_flag(flags, layout->windows) ||
	       context_has_breakpad_flag(flags, layout->breakpad);
}

static enum minidump_machine guess_machine(const struct reader *in)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		struct reader ahead = *in;
		reader_skip(&ahead, layouts[i].flags_at);
		if (names_machine(reader_u32(&ahead), &layouts[i]))
			return layouts[i].machine;
	}
	return MINIDUMP_MACHINE_UNKNOWN;
}

/*
 * Return the register groups that the flags declare valid. The reader fails if the record belongs
 * to another machine or lacks the pc and stack pointer.
 */
static uint32_t read_groups(struct reader *in, const struct layout *layout)
{
	const uint32_t flags = reader_u32(in), groups = context_groups(flags);
	const bool is_windows = context_has_windows_flag(flags, layout->windows);
	const uint32_t needed = is_windows ? CONTEXT_CONTROL : CONTEXT_INTEGER;

	if (reader_ok(in) && !names_machine(flags, layout))
		reader_fail(in, CAIRN_MALFORMED,
		            "the registers do not match the machine of the minidump");
	else if (reader_ok(in) && (groups & needed) != needed)
		reader_fail(in, CAIRN_MALFORMED, WITHOUT_PC);
	return groups;
}

static void read_layout(struct reader *in, const struct layout *layout,
                        struct minidump_registers *registers)
{
	reader_skip(in, layout->flags_at);
	const uint32_t groups = read_groups(in, layout);
	reader_skip(in, layout->registers_at - layout->flags_at - 4);
	for (size_t i = 0; i < layout->count; i++) {
		const uint8_t number = layout->order[i];
		if (number == GAP) {
			reader_skip(in, 8);
			continue;
		}
		const uint64_t value = reader_word(in, layout->is_wide);
		if (number == PC || (number == ARM_PC && layout->machine == MINIDUMP_MACHINE_ARM))
			registers->pc = value;
		if (number == PC || !(groups & CONTEXT_INTEGER || layout->control >> number & 1))
			continue;
		registers->value[number] = value;
		registers->known |= (uint64_t)1 << number;
	}
}

/*
 * Return true if all registers are 0, which means that the writer has not filled in the record,
 * whatever its flags say.
 */
static bool is_blank(const struct minidump_registers *registers)
{
	uint64_t all = registers->pc;

	for (size_t i = 0; i < sizeof(registers->value) / sizeof(registers->value[0]); i++)
		all |= registers->value[i];
	return all == 0;
}

enum cairn_status minidump_read_registers(const struct minidump *dump,
                                          enum minidump_machine machine,
                                          const struct minidump_part *context,
                                          struct minidump_registers *registers,
                                          struct cairn_fault *fault)
{
	struct reader in = minidump_open_part(dump, context);

	if (context->bytes.size == 0)
		reader_fail_at(&in, (size_t)context->offset,
		               context->cut ? CAIRN_TRUNCATED : CAIRN_NOT_FOUND, "no registers");
	if (machine == MINIDUMP_MACHINE_UNKNOWN)
		machine = guess_machine(&in);
	*registers = (struct minidump_registers){ .machine = machine };
	for (size_t i = 0; i < LAYOUTS; i++)
		if (layouts[i].machine == machine)
			read_layout(&in, &layouts[i], registers);
	if (machine == MINIDUMP_MACHINE_OTHER || machine == MINIDUMP_MACHINE_UNKNOWN)
		reader_fail_at(&in, (size_t)context->offset, CAIRN_UNSUPPORTED,
		               machine == MINIDUMP_MACHINE_OTHER
		                       ? "the registers belong to a machine whose stacks cairn "
		                         "cannot unwind"
		                       : "the registers belong to an unknown machine");
	if (reader_ok(&in) && is_blank(registers))
		reader_fail_at(&in, (size_t)context->offset, CAIRN_MALFORMED, WITHOUT_PC);
	if (!reader_ok(&in))
		*registers = (struct minidump_registers){ .machine = machine };
	*fault = in.fault;
	return in.fault.status;
}

/*
 * Reads the context of a thread except for its integer registers:
 *
 *	amd64     ... flags:4 at 48, mxcsr:4 cs:2 ds:2 es:2 fs:2 gs:2 ss:2 eflags:4 ... FXSAVE:512 at 256
 *	arm64     flags:4 cpsr:4 x0 to x30 sp pc v0 to v31:16 fpcr:4 fpsr:4
 *	Breakpad  flags:8 x0 to x30 sp pc cpsr:4 fpsr:4 fpcr:4 v0 to v31:16, of arm64
 */

enum {
	AMD64_SEGMENTS_AT = 56,
	AMD64_FXSAVE_AT = 256,
	AMD64_FXSAVE = 512,
	ARM64_REGISTERS = 33 * 8,
	ARM64_VECTORS = 512,
};

static struct cairn_bytes take_vectors(struct reader *in, size_t size)
{
	const struct cairn_bytes bytes = reader_bytes(in, size);

	return (struct cairn_bytes){ bytes.data, reader_ok(in) ? size : 0 };
}

static void read_amd64_rest(struct reader in, struct minidump_context_rest *rest)
{
	struct reader vectors = in;

	reader_skip(&in, CONTEXT_AMD64_FLAGS_AT);
	const uint32_t flags = reader_u32(&in);
	reader_skip(&in, AMD64_SEGMENTS_AT - CONTEXT_AMD64_FLAGS_AT - 4);
	for (size_t i = 0; i < sizeof(rest->segment) / sizeof(rest->segment[0]); i++)
		rest->segment[i] = reader_u16(&in);
	rest->flags = reader_u32(&in);
	rest->known = reader_ok(&in);
	reader_skip(&vectors, AMD64_FXSAVE_AT);
	if (context_groups(flags) & CONTEXT_AMD64_FLOATS)
		rest->vectors = take_vectors(&vectors, AMD64_FXSAVE);
}

static void read_arm64_rest(struct reader in, struct minidump_context_rest *rest)
{
	const uint32_t flags = reader_u32(&in);
	uint32_t cpsr = reader_u32(&in);
	const bool is_breakpad = context_has_breakpad_flag(flags, CONTEXT_ARM64_BREAKPAD);

	reader_skip(&in, ARM64_REGISTERS);
	if (is_breakpad) {
		cpsr = reader_u32(&in);
		rest->fp_status = reader_u32(&in);
		rest->fp_control = reader_u32(&in);
	}
	rest->flags = cpsr;
	rest->known = reader_ok(&in);
	if (!(context_groups(flags) & CONTEXT_ARM64_FLOATS))
		return;
	rest->vectors = take_vectors(&in, ARM64_VECTORS);
	if (is_breakpad)
		return;
	rest->fp_control = reader_u32(&in);
	rest->fp_status = reader_u32(&in);
	if (!reader_ok(&in))
		rest->vectors.size = 0;
}

void minidump_read_context_rest(const struct minidump *dump, enum minidump_machine machine,
                                const struct minidump_part *context,
                                struct minidump_context_rest *rest)
{
	const struct reader in = minidump_open_part(dump, context);

	*rest = (struct minidump_context_rest){ .known = false };
	if (dump->big)
		return;
	if (machine == MINIDUMP_MACHINE_AMD64)
		read_amd64_rest(in, rest);
	else if (machine == MINIDUMP_MACHINE_ARM64)
		read_arm64_rest(in, rest);
}
