/* SPDX-License-Identifier: MIT */
/*
 * Rules for code of HotSpot (OpenJDK's virtual machine), which does not write unwind tables. Its
 * compilers do not need a frame pointer, but the code cache records the size of each frame. For the
 * debuggers of the JDK, libjvm.so exports the location of the cache and the offsets of the fields
 * of its structures (src/hotspot/share/runtime/vmStructs.hpp):
 *
 *	gHotSpotVMStructs   { type name, field name, type of the field, int32 static, u64 offset, address } ... { NULL }
 *	gHotSpotVMTypes     { type name, superclass, 3 x int32, u64 size } ... { NULL }
 *
 * A heap of the cache consists of segments. A map has one byte for each segment, which leads back
 * to the first segment of its block; a block begins with a HeapBlock and a CodeBlob. The
 * interpreter is a blob whose frames differ in size, but it keeps a frame pointer.
 */
#include "hotspot.h"

#include "base/bytes.h"
#include "base/path.h"
#include "formats/elf/elf.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	STRUCT_SIZE = 48,
	STRUCT_OFFSET_AT = 32,
	STRUCT_ADDRESS_AT = 40,
	TYPE_SIZE = 40,
	TYPE_SIZE_AT = 32,
	/* maximum number of entries read from a table of fields or types; JDK 25 has 585 fields */
	ENTRIES_MAX = 4096,
	NAME_MAX_SIZE = 32,
	LOG2_SEGMENT_MAX = 20, /* maximum binary logarithm of the segment size; usually 7 */
	/*
	 * maximum number of reads of the segment map to reach the start of a code block; one read
	 * moves back at most 254 segments
	 */
	HOPS_MAX = 1 << 9,
	SEGMENT_FREE = 0xff,
	FRAME_WORDS_MAX = 1 << 20,
	FIELD_MAX = 1 << 16,
	ARGUMENTS_MAX = 1 << 12, /* bytes of arguments; a method has at most 255 words */
	NEVER_COMPLETE = 0xffff, /* offset that marks stubs, which keep a frame pointer */
	PUSHED_MAX = 4,
	WORD = 8,
	RBP = 6,
	RSP = 7,
	R13 = 13,
};

/* Data read from the structures; the table `fields` says where each is. */
enum field {
	HEAPS,       /* address of the list of heaps */
	INTERPRETER, /* address of the interpreter's code queue */
	LIST_LENGTH,
	LIST_DATA,
	HEAP_MEMORY,
	HEAP_SEGMENTS,
	HEAP_LOG2,
	SPACE_LOW,
	SPACE_HIGH,
	QUEUE_START,
	QUEUE_SIZE,
	BLOB_SIZE,
	BLOB_FRAME_SIZE,
	BLOB_COMPLETE,
	BLOB_CODE,
	BLOB_CODE_OFFSET, /* replaces BLOB_CODE in newer versions */
	FIELDS,
};

static const struct {
	const char *type, *name;
	enum field field;
	bool is_static;
} fields[] = {
	{ "CodeCache", "_heaps", HEAPS, true },
	{ "AbstractInterpreter", "_code", INTERPRETER, true },
	{ "GrowableArrayBase", "_len", LIST_LENGTH, false },
	{ "GenericGrowableArray", "_len", LIST_LENGTH, false }, /* before JDK 16 */
	{ "GrowableArray<int>", "_data", LIST_DATA, false },
	{ "CodeHeap", "_memory", HEAP_MEMORY, false },
	{ "CodeHeap", "_segmap", HEAP_SEGMENTS, false },
	{ "CodeHeap", "_log2_segment_size", HEAP_LOG2, false },
	{ "VirtualSpace", "_low", SPACE_LOW, false },
	{ "VirtualSpace", "_high", SPACE_HIGH, false },
	{ "StubQueue", "_stub_buffer", QUEUE_START, false },
	{ "StubQueue", "_buffer_limit", QUEUE_SIZE, false },
	{ "CodeBlob", "_size", BLOB_SIZE, false },
	{ "CodeBlob", "_frame_size", BLOB_FRAME_SIZE, false },
	{ "CodeBlob", "_frame_complete_offset", BLOB_COMPLETE, false },
	{ "CodeBlob", "_code_begin", BLOB_CODE, false },
	{ "CodeBlob", "_code_offset", BLOB_CODE_OFFSET, false },
};

static bool read_number(const struct cairn_target *memory, uint64_t address, size_t size,
                        uint64_t *number)
{
	uint8_t bytes[WORD];

	if (!memory_read(memory, address, bytes, size))
		return false;
	*number = bytes_unsigned(bytes, size, false);
	return true;
}

/* Read a NUL-terminated name. The result is empty if it cannot be read or is too long. */
static void read_name(const struct cairn_target *memory, uint64_t address, char name[NAME_MAX_SIZE])
{
	const size_t size = memory_read_some(memory, address, name, NAME_MAX_SIZE);

	if (!memchr(name, 0, size))
		name[0] = 0;
}

static uint64_t read_variable(const struct snapshot_module *module, const char *name,
                              const struct cairn_target *memory)
{
	struct elf_section table;
	struct elf_symbol symbol;
	uint64_t value = 0;
	struct elf elf;

	if (!elf_opens(module->file, &elf) || !elf_find_section(&elf, ".dynsym", &table))
		return 0;
	for (uint64_t i = 0; elf_symbol(&elf, &table, i, &symbol); i++)
		if (symbol.section != 0 &&
		    bytes_are(elf_symbol_name(&elf, &table, &symbol), name) &&
		    read_number(memory, symbol.va + module->bias, WORD, &value))
			break;
	return value;
}

static void read_fields(struct hotspot *h, uint64_t at)
{
	char type[NAME_MAX_SIZE], name[NAME_MAX_SIZE];
	uint8_t entry[STRUCT_SIZE];

	for (unsigned i = 0; i < ENTRIES_MAX && memory_read(&h->memory, at, entry, STRUCT_SIZE) &&
	                     bytes_u64(entry, false) != 0;
	     i++, at += STRUCT_SIZE) {
		read_name(&h->memory, bytes_u64(entry, false), type);
		for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++) {
			if (strcmp(type, fields[k].type) != 0)
				continue;
			read_name(&h->memory, bytes_u64(entry + WORD, false), name);
			const uint64_t value =
				bytes_u64(entry + (fields[k].is_static ? STRUCT_ADDRESS_AT
			                                               : STRUCT_OFFSET_AT),
			                  false);
			if (strcmp(name, fields[k].name) != 0 ||
			    (!fields[k].is_static && value > FIELD_MAX))
				continue;
			h->field[fields[k].field] = value;
			h->known |= 1u << fields[k].field;
		}
	}
}

/*
 * Return the size of the header before each blob: 16 bytes, or 8 since JDK 25. Return 0 if it is
 * not exported.
 */
static uint64_t read_header_size(const struct cairn_target *memory, uint64_t at)
{
	uint8_t entry[TYPE_SIZE];
	char type[NAME_MAX_SIZE];

	for (unsigned i = 0; i < ENTRIES_MAX && memory_read(memory, at, entry, TYPE_SIZE) &&
	                     bytes_u64(entry, false) != 0;
	     i++, at += TYPE_SIZE) {
		read_name(memory, bytes_u64(entry, false), type);
		if (strcmp(type, "HeapBlock") == 0)
			return bytes_u64(entry + TYPE_SIZE_AT, false) % FIELD_MAX;
	}
	return 0;
}

bool hotspot_is_module(struct cairn_bytes path)
{
	return bytes_begin_with(base_name(path), "libjvm.so");
}

static bool read_field(const struct hotspot *h, uint64_t object, enum field field, size_t size,
                       uint64_t *value)
{
	return read_number(&h->memory, object + h->field[field], size, value);
}

static bool read_space(const struct hotspot *h, uint64_t space, struct cairn_range *range)
{
	return read_field(h, space, SPACE_LOW, WORD, &range->low) &&
	       read_field(h, space, SPACE_HIGH, WORD, &range->high);
}

/*
 * Read the ranges of the heaps and of the interpreter. Code in ranges that cannot be read does not
 * get rules.
 */
static void read_places(struct hotspot *h)
{
	uint64_t list, count = 0, data = 0, heap, queue, start, size;

	if (read_number(&h->memory, h->field[INTERPRETER], WORD, &queue) &&
	    read_field(h, queue, QUEUE_START, WORD, &start) &&
	    read_field(h, queue, QUEUE_SIZE, sizeof(uint32_t), &size))
		h->interpreter = (struct cairn_range){ start, start + size };
	if (read_number(&h->memory, h->field[HEAPS], WORD, &list) &&
	    read_field(h, list, LIST_DATA, WORD, &data))
		read_field(h, list, LIST_LENGTH, sizeof(uint32_t), &count);
	for (uint64_t i = 0; i < count && i < HOTSPOT_HEAPS; i++) {
		struct hotspot_heap *next = &h->heaps[h->heap_count];
		if (read_number(&h->memory, data + i * WORD, WORD, &heap) &&
		    read_space(h, heap + h->field[HEAP_MEMORY], &next->code) &&
		    read_space(h, heap + h->field[HEAP_SEGMENTS], &next->map) &&
		    read_field(h, heap, HEAP_LOG2, sizeof(uint32_t), &next->log2) &&
		    next->log2 <= LOG2_SEGMENT_MAX)
			h->heap_count++;
	}
}

bool hotspot_open(struct hotspot *h, const struct snapshot_module *module,
                  struct cairn_target memory, struct cairn_target stacks)
{
	const uint32_t needed = (1u << BLOB_CODE) - 1;

	_Static_assert((int)FIELDS <= (int)HOTSPOT_FIELDS, "room for all fields");
	*h = (struct hotspot){ .memory = memory, .stacks = stacks, .hops_left = HOTSPOT_HOPS };
	if (!module->has_bias || module->file.size == 0)
		return false;
	read_fields(h, read_variable(module, "gHotSpotVMStructs", &memory));
	h->header = read_header_size(&memory, read_variable(module, "gHotSpotVMTypes", &memory));
	if (h->header == 0 || (h->known & needed) != needed || h->known >> BLOB_CODE == 0)
		return false;
	read_places(h);
	return h->heap_count > 0;
}

static bool range_holds(struct cairn_range range, uint64_t pc)
{
	return pc >= range.low && pc < range.high;
}

/* Return the address of the blob that contains `pc`, or 0. */
static uint64_t find_blob(struct hotspot *h, uint64_t pc)
{
	const struct hotspot_heap *heap = h->heaps;
	uint64_t step;

	while (heap < h->heaps + h->heap_count && !range_holds(heap->code, pc))
		heap++;
	if (heap == h->heaps + h->heap_count)
		return 0;
	uint64_t segment = (pc - heap->code.low) >> heap->log2;
	for (unsigned i = 0; i < HOPS_MAX && h->hops_left > 0; i++, h->hops_left--) {
		if (segment >= heap->map.high - heap->map.low ||
		    !read_number(&h->memory, heap->map.low + segment, 1, &step) ||
		    step == SEGMENT_FREE || step > segment)
			return 0;
		if (step == 0)
			return heap->code.low + (segment << heap->log2) + h->header;
		segment -= step;
	}
	return 0;
}

static bool is_java(struct hotspot *h, uint64_t pc)
{
	return range_holds(h->interpreter, pc) || find_blob(h, pc) != 0;
}

/*
 * Find the rule for an innermost frame of the interpreter. The code that enters a method has the
 * return address on top of the stack and the caller's stack pointer in r13. Once the frame is set
 * up, a rule is needed only if the caller is compiled code, because an adapter then put arguments
 * between the two frames. There is no other way to tell whether the frame is set up, so other
 * frames are left to the methods for functions without tables.
 */
static bool find_innermost_rule(struct hotspot *h, const struct cairn_registers *frame,
                                struct cairn_rule *rule)
{
	const uint32_t needed = 1u << RBP | 1u << RSP | 1u << R13;
	const uint64_t sp = frame->value[RSP];
	uint64_t top, back;

	if ((frame->known & needed) != needed || !read_number(&h->stacks, sp, WORD, &top) ||
	    !read_number(&h->stacks, frame->value[RBP] + WORD, WORD, &back))
		return false;
	if (!is_java(h, top))
		return !range_holds(h->interpreter, back) && find_blob(h, back) != 0;
	rule->cfa = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, R13, 0 };
	rule->ra = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, RSP, 0 };
	rule->fp = (struct cairn_register_rule){ CAIRN_REGISTER_SAME_VALUE, RBP, 0 };
	return frame->value[R13] > sp && frame->value[R13] - sp <= ARGUMENTS_MAX;
}

/*
 * Return the size of an instruction of the safepoint poll between the removal of the frame and the
 * return, or 0 for any other instruction.
 */
static size_t pass_poll(const uint8_t *code)
{
	if (code[0] == 0x49 && code[1] == 0x3b && code[2] == 0x67) /* cmp n(%r15),%rsp */
		return 4;
	if (code[0] == 0x49 && code[1] == 0x3b && code[2] == 0xa7)
		return 7;
	if (code[0] == 0x0f && code[1] == 0x87) /* ja, to a stub */
		return 6;
	return 0;
}

/*
 * Return the size of an innermost frame. Compiled code reserves it by one instruction, after or
 * instead of pushing the frame pointer, and removes it just before returning. Set *saved if the
 * frame pointer was saved.
 */
static uint64_t measure_innermost(const struct hotspot *h, uint64_t pc, bool complete,
                                  uint64_t whole, bool *saved)
{
	uint8_t before[7] = { 0 }, code[24] = { 0 };
	size_t at = 0, passed;

	*saved = true;
	memory_read(&h->memory, pc - sizeof(before), before, sizeof(before));
	if (!complete) {
		if (before[6] == 0x55) /* push %rbp */
			return 2 * WORD;
		*saved = false; /* sub $n,%rsp */
		return (before[3] == 0x48 && before[4] == 0x83 && before[5] == 0xec) ||
		                       (before[0] == 0x48 && before[1] == 0x81 && before[2] == 0xec)
		               ? whole
		               : WORD;
	}
	memory_read_some(&h->memory, pc, code, sizeof(code));
	*saved = code[0] == 0x5d; /* pop %rbp */
	at = *saved;
	while ((passed = pass_poll(code + at)) != 0 && at + passed < sizeof(code) - 7)
		at += passed;
	if (code[at] == 0xc3) /* ret */
		return *saved ? 2 * WORD : WORD;
	*saved = true;
	return whole;
}

/*
 * Add the words that an innermost frame has pushed beyond its size, as code for strings and arrays
 * does, to *size. The return address is recognized by being in the code cache, where all callers of
 * compiled code are. Return false if it is not found within PUSHED_MAX words.
 */
static bool find_pushed(struct hotspot *h, const struct cairn_registers *frame, uint64_t *size)
{
	uint64_t back;

	if (!(frame->known >> RSP & 1))
		return false;
	for (unsigned i = 0; i <= PUSHED_MAX; i++, *size += WORD)
		if (read_number(&h->stacks, frame->value[RSP] + *size - WORD, WORD, &back) &&
		    is_java(h, back))
			return true;
	return false;
}

bool hotspot_find_rule(struct hotspot *h, uint64_t pc, const struct cairn_registers *frame,
                       struct cairn_rule *rule)
{
	const bool innermost = pc == frame->pc;
	uint64_t blob, size, words, complete, code = 0;
	bool saved = true;

	*rule = (struct cairn_rule){ .machine = CAIRN_MACHINE_AMD64, .function = pc };
	if (range_holds(h->interpreter, pc)) {
		/* the interpreter stores the caller's stack pointer below the frame pointer */
		rule->cfa = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, RBP, -WORD };
		rule->ra = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, RBP, WORD };
		rule->fp = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, RBP, 0 };
		return !innermost || find_innermost_rule(h, frame, rule);
	}
	blob = find_blob(h, pc);
	if (blob == 0 || !read_field(h, blob, BLOB_SIZE, sizeof(uint32_t), &size) ||
	    pc - blob >= size || !read_field(h, blob, BLOB_FRAME_SIZE, sizeof(uint32_t), &words) ||
	    words < 2 || words > FRAME_WORDS_MAX ||
	    !read_field(h, blob, BLOB_COMPLETE, sizeof(uint16_t), &complete) ||
	    !read_field(h, blob, h->known >> BLOB_CODE & 1 ? BLOB_CODE : BLOB_CODE_OFFSET,
	                h->known >> BLOB_CODE & 1 ? WORD : sizeof(uint32_t), &code))
		return false;
	code += h->known >> BLOB_CODE & 1 ? 0 : blob;
	size = words * WORD;
	if (innermost) {
		size = measure_innermost(h, pc, pc - code >= complete, size, &saved);
		if (complete == NEVER_COMPLETE || !find_pushed(h, frame, &size))
			return false;
	}
	rule->function = code;
	rule->cfa = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, RSP, (int64_t)size };
	rule->ra = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -WORD };
	rule->fp = saved ? (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA,
		                                         -2 * WORD }
	                 : (struct cairn_register_rule){ CAIRN_REGISTER_SAME_VALUE, RBP, 0 };
	return true;
}
