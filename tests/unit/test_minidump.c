/* SPDX-License-Identifier: MIT */
/* Tests the minidump decoder: each record in both byte orders, each machine, and damage. */
#include "unit.h"

#include "fixture_minidump.h"

#include "formats/minidump.h"

static struct fixture_minidump made;

static const uint64_t values[34] = {
	0x1000, 0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006,     0x1007, 0x1008,
	0x1009, 0x100a, 0x100b, 0x100c, 0x100d, 0x100e, 0x100f,     0x1010, 0x1011,
	0x1012, 0x1013, 0x1014, 0x1015, 0x1016, 0x1017, 0x1018,     0x1019, 0x101a,
	0x101b, 0x101c, 0x101d, 0x101e, 0x101f, 0x1020, 0xfeedf00d,
};

static struct minidump open_dump(struct cairn_bytes bytes)
{
	struct minidump dump;
	struct cairn_fault fault;

	ck_assert_int_eq(minidump_open(bytes, &dump, &fault), CAIRN_OK);
	return dump;
}

static struct minidump open_made(void)
{
	return open_dump(unit_exact(fixture_minidump_finish(&made)));
}

static const char *text_of(const struct minidump *dump, uint64_t offset)
{
	static char text[100];
	struct sink out = sink_open(text, sizeof(text) - 1);
	struct minidump_part part = minidump_text(dump, offset);

	minidump_put_text(dump, &part, &out);
	ck_assert(sink_fits(&out));
	text[out.size] = 0;
	return text;
}

/* Everything that a list may hold, once. */
static struct minidump make_all(bool big, bool gaps)
{
	static const char elf_id[] =
		"LEpB\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
		"\x11\x12\x13\x14";
	struct fixture_minidump_part stack, context, code;

	fixture_minidump_begin(&made, big);
	stack = fixture_minidump_bytes(&made, "stack of 8", 8);
	context = fixture_minidump_context(&made, FIXTURE_MINIDUMP_AMD64, values);
	fixture_minidump_open(&made, 3);
	fixture_out_put(&made.out, 2, 4);
	if (gaps)
		fixture_out_put(&made.out, 0, 4);
	fixture_minidump_thread(&made, 41, 0x7ff0, stack, context);
	fixture_minidump_thread(&made, 42, 0x8ff0, stack, context);
	fixture_minidump_close(&made);
	size_t thread_name = fixture_minidump_text(&made, "worker");
	fixture_minidump_open(&made, 24);
	fixture_out_put(&made.out, 1, 4);
	fixture_out_put(&made.out, 42, 4);
	fixture_out_put(&made.out, thread_name, 8);
	fixture_minidump_close(&made);
	code = fixture_minidump_bytes(&made, elf_id, 24);
	if (big)
		memcpy(made.out.data + code.offset, "BpEL", 4);
	size_t name = fixture_minidump_text(&made, "/lib/libx.so");
	fixture_minidump_open(&made, 4);
	fixture_out_put(&made.out, 1, 4);
	if (gaps)
		fixture_out_put(&made.out, 0, 4);
	fixture_minidump_module(&made, 0x400000, 0x3000, name, code);
	fixture_minidump_close(&made);
	fixture_minidump_open(&made, 5);
	fixture_out_put(&made.out, 1, 4);
	if (gaps)
		fixture_out_put(&made.out, 0, 4);
	fixture_out_put(&made.out, 0x7ff0, 8);
	fixture_minidump_point(&made, stack);
	fixture_minidump_close(&made);
	fixture_minidump_open(&made, 9);
	fixture_out_put(&made.out, 2, 8);
	fixture_out_put(&made.out, stack.offset, 8);
	for (unsigned i = 0; i < 2; i++) {
		fixture_out_put(&made.out, 0x10000 * (i + 1), 8);
		fixture_out_put(&made.out, 3 + i, 8);
	}
	fixture_minidump_close(&made);
	fixture_minidump_system(&made, 9, 0x8201);
	fixture_minidump_exception(&made, 42, 11, 0xdead, context);
	return open_made();
}

START_TEST(reads_every_list)
{
	struct minidump dump = make_all(_i & 1, _i & 2);
	struct minidump_thread thread;
	struct minidump_thread_name name;
	struct minidump_memory memory;

	ck_assert(minidump_has_magic(dump.bytes) && dump.big == (bool)(_i & 1));
	ck_assert_uint_eq(minidump_streams(&dump), 7);
	ck_assert_uint_eq(dump.time, 1700000000);
	struct minidump_list list = minidump_list(&dump, MINIDUMP_THREADS);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert(minidump_next_thread(&list, &thread));
		ck_assert_uint_eq(thread.id, 41 + i);
		ck_assert_uint_eq(thread.block, 0x7e57);
		ck_assert_uint_eq(thread.stack, 0x7ff0 + 0x1000 * i);
		ck_assert_uint_eq(thread.captured.bytes.size, 8);
		ck_assert_mem_eq(thread.captured.bytes.data, "stack of", 8);
		ck_assert_uint_eq(thread.context.bytes.size, 1232);
	}
	ck_assert(!minidump_next_thread(&list, &thread));
	ck_assert_int_eq(list.in.fault.status, CAIRN_OK);
	list = minidump_list(&dump, MINIDUMP_THREAD_NAMES);
	ck_assert(minidump_next_thread_name(&list, &name) && name.thread == 42);
	ck_assert_str_eq(text_of(&dump, name.name), "worker");
	ck_assert(!minidump_next_thread_name(&list, &name));
	list = minidump_list(&dump, MINIDUMP_MEMORY);
	ck_assert(minidump_next_memory(&list, &memory) && memory.address == 0x7ff0);
	ck_assert_mem_eq(memory.part.bytes.data, "stack of", 8);
	ck_assert(!minidump_next_memory(&list, &memory));
	list = minidump_list(&dump, MINIDUMP_MEMORY64);
	ck_assert(minidump_next_memory(&list, &memory) && memory.address == 0x10000);
	ck_assert_uint_eq(memory.part.bytes.size, 3);
	ck_assert_mem_eq(memory.part.bytes.data, "sta", 3);
	ck_assert(minidump_next_memory(&list, &memory) && memory.address == 0x20000);
	ck_assert_mem_eq(memory.part.bytes.data, "ck o", 4);
	ck_assert(!minidump_next_memory(&list, &memory));
	ck_assert_int_eq(list.in.fault.status, CAIRN_OK);
	list = minidump_list(&dump, MINIDUMP_REGIONS);
	ck_assert_int_eq(list.in.fault.status, CAIRN_NOT_FOUND);
}
END_TEST

START_TEST(reads_modules)
{
	struct minidump dump = make_all(_i & 1, _i & 2);
	struct minidump_list list = minidump_list(&dump, MINIDUMP_MODULES);
	struct minidump_module module;
	char id[MINIDUMP_ID_MAX];

	ck_assert(minidump_next_module(&list, &module));
	ck_assert_uint_eq(module.low, 0x400000);
	ck_assert_uint_eq(module.size, 0x3000);
	ck_assert_str_eq(text_of(&dump, module.name), "/lib/libx.so");
	struct minidump_debug debug = minidump_read_debug(&dump, &module);
	ck_assert_int_eq(debug.kind, MINIDUMP_DEBUG_ELF);
	ck_assert_uint_eq(debug.id.size, 20);
	ck_assert_uint_eq(minidump_debug_id(&dump, &debug, id), 33);
	ck_assert_mem_eq(id, "0403020106050807090A0B0C0D0E0F100", 33);
	ck_assert(!minidump_next_module(&list, &module));
	ck_assert_int_eq(list.in.fault.status, CAIRN_OK);
}
END_TEST

START_TEST(reads_what_happened)
{
	struct minidump dump = make_all(_i, false);
	struct minidump_exception exception;
	struct minidump_process process;
	struct minidump_system system;

	ck_assert(minidump_read_system(&dump, &system));
	ck_assert_int_eq(system.machine, MINIDUMP_MACHINE_AMD64);
	ck_assert(system.platform == MINIDUMP_PLATFORM_LINUX && system.major == 1 &&
	          system.minor == 2 && system.build == 3);
	ck_assert_str_eq(minidump_processor_name(system.processor), "amd64");
	ck_assert_ptr_null(minidump_processor_name(0x7777));
	ck_assert(minidump_read_exception(&dump, &exception));
	ck_assert(exception.thread == 42 && exception.code == 11 && exception.flags == 2);
	ck_assert_uint_eq(exception.address, 0xdead);
	ck_assert(exception.parameters == 1 && exception.parameter[0] == 0xabc);
	ck_assert_uint_eq(exception.context.bytes.size, 1232);
	ck_assert(!minidump_read_process(&dump, &process));
}
END_TEST

START_TEST(reads_the_process)
{
	struct minidump_process process;

	fixture_minidump_begin(&made, _i);
	fixture_minidump_open(&made, 15);
	fixture_out_put(&made.out, 24, 4);
	fixture_out_put(&made.out, 3, 4);
	fixture_out_put(&made.out, 1234, 4);
	fixture_out_put(&made.out, 1600000000, 4);
	fixture_minidump_close(&made);
	struct minidump dump = open_made();
	ck_assert(minidump_read_process(&dump, &process));
	ck_assert(process.id == 1234 && process.started == 1600000000);
}
END_TEST

/* head, record, address, size, state, protection; a longer head and record than today's */
START_TEST(reads_regions)
{
	static const uint32_t protections[] = { 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x104 };
	static const char *access[] = { "", "r", "rw", "rw", "x", "rx", "rwx", "rwx", "" };
	struct minidump_region region;

	fixture_minidump_begin(&made, _i);
	fixture_minidump_open(&made, 16);
	fixture_out_put(&made.out, 24, 4);
	fixture_out_put(&made.out, 56, 4);
	fixture_out_put(&made.out, COUNT(protections), 8);
	fixture_out_put(&made.out, 0, 8);
	for (size_t i = 0; i < COUNT(protections); i++) {
		fixture_out_put(&made.out, 0x1000 * i, 8);
		fixture_out_put(&made.out, 0, 8);
		fixture_out_put(&made.out, 0, 8);
		fixture_out_put(&made.out, 0x1000, 8);
		fixture_out_put(&made.out, 0x1000, 4);
		fixture_out_put(&made.out, protections[i], 4);
		fixture_out_put(&made.out, 0, 8);
		fixture_out_put(&made.out, 0, 8);
	}
	fixture_minidump_close(&made);
	struct minidump dump = open_made();
	struct minidump_list list = minidump_list(&dump, MINIDUMP_REGIONS);
	for (size_t i = 0; i < COUNT(protections); i++) {
		ck_assert(minidump_next_region(&list, &region));
		ck_assert(region.address == 0x1000 * i && region.size == 0x1000);
		ck_assert_int_eq(minidump_region_allows(&region, MINIDUMP_READ),
		                 !!strchr(access[i], 'r'));
		ck_assert_int_eq(minidump_region_allows(&region, MINIDUMP_WRITE),
		                 !!strchr(access[i], 'w'));
		ck_assert_int_eq(minidump_region_allows(&region, MINIDUMP_EXECUTE),
		                 !!strchr(access[i], 'x'));
	}
	ck_assert(!minidump_next_region(&list, &region));
	ck_assert_int_eq(list.in.fault.status, CAIRN_OK);
}
END_TEST

/* word, gaps as C has them */
static const struct {
	unsigned word;
	bool gaps;
} loaders[] = { { 4, false }, { 8, true }, { 8, false } };

START_TEST(reads_the_loaders_list)
{
	unsigned word = loaders[_i].word;
	bool gaps = loaders[_i].gaps;
	struct minidump_dso dso;

	fixture_minidump_begin(&made, false);
	size_t map = made.out.size;
	for (unsigned i = 0; i < 2; i++) {
		fixture_out_put(&made.out, 0x7000 + i, word);
		fixture_out_put(&made.out, 0x99, 4);
		fixture_out_put(&made.out, 0xffffffff, gaps ? 4 : 0);
		fixture_out_put(&made.out, 0x8000 + i, word);
	}
	fixture_minidump_open(&made, 0x4767000a);
	fixture_out_put(&made.out, 1, 4);
	fixture_out_put(&made.out, map, 4);
	fixture_out_put(&made.out, 2, 4);
	fixture_out_put(&made.out, 0, gaps ? 4 : 0);
	for (unsigned i = 0; i < 3 + 2 * 5; i++) /* and a dynamic section of five entries */
		fixture_out_put(&made.out, 0, word);
	fixture_minidump_close(&made);
	struct minidump dump = open_made();
	struct minidump_list list = minidump_dso_list(&dump, word);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(minidump_next_dso(&list, &dso));
		ck_assert(dso.bias == 0x7000 + i && dso.name == 0x99 && dso.dynamic == 0x8000 + i);
	}
	ck_assert(!minidump_next_dso(&list, &dso));
	ck_assert_int_eq(list.in.fault.status, CAIRN_OK);
}
END_TEST

/* form, processor, machine, registers that are known, the largest number of them */
static const struct {
	enum fixture_minidump_form form;
	uint16_t processor;
	enum minidump_machine machine;
	uint64_t known;
} forms[] = {
	{ FIXTURE_MINIDUMP_X86, 0, MINIDUMP_MACHINE_X86, 0xff },
	{ FIXTURE_MINIDUMP_AMD64, 9, MINIDUMP_MACHINE_AMD64, 0xffff },
	{ FIXTURE_MINIDUMP_ARM, 5, MINIDUMP_MACHINE_ARM, 0xffff },
	{ FIXTURE_MINIDUMP_ARM_WINDOWS, 5, MINIDUMP_MACHINE_ARM, 0xffff },
	{ FIXTURE_MINIDUMP_ARM64, 12, MINIDUMP_MACHINE_ARM64, 0xffffffff },
	{ FIXTURE_MINIDUMP_ARM64_BREAKPAD, 0x8003, MINIDUMP_MACHINE_ARM64, 0xffffffff },
};

static struct minidump_part make_context(struct minidump *dump, enum fixture_minidump_form form,
                                         bool big)
{
	fixture_minidump_begin(&made, big);
	struct fixture_minidump_part at = fixture_minidump_context(&made, form, values);
	*dump = open_made();
	return (struct minidump_part){ at.offset,
		                       { dump->bytes.data + at.offset, at.size },
		                       false };
}

/* By the machine of the system, and by the flags of the record. No arm64 is big-endian. */
START_TEST(reads_registers)
{
	struct minidump_registers registers;
	struct cairn_fault fault;
	struct minidump dump;
	struct minidump_part context = make_context(&dump, forms[_i].form, _i % 2 && _i < 4);

	for (int guessed = 0; guessed < 2; guessed++) {
		ck_assert_int_eq(minidump_read_registers(&dump,
		                                         guessed ? MINIDUMP_MACHINE_UNKNOWN
		                                                 : forms[_i].machine,
		                                         &context, &registers, &fault),
		                 CAIRN_OK);
		ck_assert_int_eq(registers.machine, forms[_i].machine);
		ck_assert_uint_eq(registers.pc, 0xfeedf00d);
		ck_assert_uint_eq(registers.known, forms[_i].known);
		for (unsigned n = 0; n < 32; n++)
			if ((forms[_i].known >> n & 1) &&
			    !(n == 15 && registers.machine == MINIDUMP_MACHINE_ARM))
				ck_assert_uint_eq(registers.value[n], values[n]);
	}
}
END_TEST

/* The record of a form with other groups in its flags. */
static enum cairn_status read_groups(size_t form, unsigned groups, bool guessed,
                                     struct minidump_registers *registers)
{
	struct cairn_fault fault;
	struct minidump dump;
	struct minidump_part context = make_context(&dump, forms[form].form, false);
	const size_t at = forms[form].form == FIXTURE_MINIDUMP_AMD64 ? 48 : 0;

	fixture_out_poke(&made.out, (size_t)context.offset + at, groups, 1);
	dump = open_made();
	return minidump_read_registers(&dump,
	                               guessed ? MINIDUMP_MACHINE_UNKNOWN : forms[form].machine,
	                               &context, registers, &fault);
}

/* Dumps of macOS name the machine alone: all registers are there.  Other groups alone are not enough. */
START_TEST(reads_registers_without_groups)
{
	struct minidump_registers registers;

	for (int guessed = 0; guessed < 2; guessed++) {
		ck_assert_int_eq(read_groups((size_t)_i, 0, guessed, &registers), CAIRN_OK);
		ck_assert_uint_eq(registers.pc, 0xfeedf00d);
		ck_assert_uint_eq(registers.known, forms[_i].known);
		ck_assert_int_eq(read_groups((size_t)_i, 0x10, guessed, &registers),
		                 CAIRN_MALFORMED);
		ck_assert_uint_eq(registers.known, 0);
	}
}
END_TEST

/* Where a record has its flags, its code segment, its vectors and the control and status words of floating point. */
static const struct {
	size_t form, groups_at, flags_at, segment_at, vectors_at, control_at, status_at;
} rests[] = {
	{ 1, 48, 68, 56, 256, 0, 0 },
	{ 4, 0, 4, 0, 272, 784, 788 },
	{ 5, 0, 272, 0, 284, 280, 276 },
};

START_TEST(reads_the_rest_of_registers)
{
	const bool is_amd64 = rests[_i].form == 1;
	struct minidump_context_rest rest;
	struct minidump dump;
	struct minidump_part context = make_context(&dump, forms[rests[_i].form].form, false);
	const size_t at = (size_t)context.offset;

	fixture_out_poke(&made.out, at + rests[_i].flags_at, 0x60000201, 4);
	fixture_out_poke(&made.out, at + rests[_i].vectors_at + 511, 0x5a, 1);
	if (is_amd64) {
		fixture_out_poke(&made.out, at + rests[_i].segment_at, 0x33, 2);
		fixture_out_poke(&made.out, at + rests[_i].segment_at + 10, 0x2b, 2);
	} else {
		fixture_out_poke(&made.out, at + rests[_i].control_at, 0x11, 4);
		fixture_out_poke(&made.out, at + rests[_i].status_at, 0x22, 4);
	}
	dump = open_made();
	minidump_read_context_rest(&dump, forms[rests[_i].form].machine, &context, &rest);
	ck_assert(rest.known);
	ck_assert_uint_eq(rest.flags, 0x60000201);
	ck_assert_uint_eq(rest.vectors.size, 512);
	ck_assert_uint_eq(rest.vectors.data[511], 0x5a);
	ck_assert_uint_eq(rest.segment[0], is_amd64 ? 0x33 : 0);
	ck_assert_uint_eq(rest.segment[5], is_amd64 ? 0x2b : 0);
	ck_assert_uint_eq(rest.fp_control, is_amd64 ? 0 : 0x11);
	ck_assert_uint_eq(rest.fp_status, is_amd64 ? 0 : 0x22);
}
END_TEST

/* Windows sets the highest bit where an exception is reported: it does not make the record one of Breakpad's. */
START_TEST(reads_the_rest_of_a_reported_exception)
{
	struct minidump_context_rest rest;
	struct minidump dump;
	struct minidump_part context = make_context(&dump, FIXTURE_MINIDUMP_ARM64, false);

	fixture_out_poke(&made.out, (size_t)context.offset, 0x80400007, 4);
	fixture_out_poke(&made.out, (size_t)context.offset + 4, 0x60000000, 4);
	dump = open_made();
	minidump_read_context_rest(&dump, MINIDUMP_MACHINE_ARM64, &context, &rest);
	ck_assert(rest.known && rest.vectors.size == 512);
	ck_assert_uint_eq(rest.flags, 0x60000000);
}
END_TEST

/* Nothing is taken that is not there: a record may be cut, lack the group, be of another machine, or in big endian. */
START_TEST(leaves_the_rest_that_is_not_there)
{
	const enum minidump_machine machine = forms[rests[_i].form].machine;
	struct minidump_context_rest rest;
	struct minidump dump;
	struct minidump_part context = make_context(&dump, forms[rests[_i].form].form, false);

	for (size_t size = 0; size <= rests[_i].vectors_at + 512; size++) {
		struct minidump_part cut = context;
		cut.bytes.size = size;
		minidump_read_context_rest(&dump, machine, &cut, &rest);
		ck_assert(rest.known || size < 284);
		ck_assert(!rest.known || size >= rests[_i].flags_at + 4);
		ck_assert(rest.vectors.size == 0 || size >= rests[_i].vectors_at + 512);
	}
	minidump_read_context_rest(&dump, MINIDUMP_MACHINE_X86, &context, &rest);
	ck_assert(!rest.known && rest.vectors.size == 0);
	fixture_out_poke(&made.out, (size_t)context.offset + rests[_i].groups_at, 3, 1);
	dump = open_made();
	minidump_read_context_rest(&dump, machine, &context, &rest);
	ck_assert(rest.known && rest.vectors.size == 0);
	context = make_context(&dump, forms[rests[_i].form].form, true);
	minidump_read_context_rest(&dump, machine, &context, &rest);
	ck_assert(!rest.known);
}
END_TEST

/* A record of zeros behind its flags. */
START_TEST(rejects_blank_registers)
{
	static const uint64_t zeros[34];
	struct minidump_registers registers;
	struct cairn_fault fault;
	struct minidump dump;

	fixture_minidump_begin(&made, false);
	struct fixture_minidump_part at = fixture_minidump_context(&made, forms[_i].form, zeros);
	dump = open_made();
	struct minidump_part context = { at.offset,
		                         { dump.bytes.data + at.offset, at.size },
		                         false };
	ck_assert_int_eq(
		minidump_read_registers(&dump, forms[_i].machine, &context, &registers, &fault),
		CAIRN_MALFORMED);
	ck_assert_uint_eq(registers.known, 0);
}
END_TEST

/* Of a record that is cut anywhere nothing is taken; one of another machine is rejected. */
START_TEST(rejects_other_registers)
{
	struct minidump_registers registers;
	struct cairn_fault fault;
	struct minidump dump;
	struct minidump_part whole = make_context(&dump, forms[_i].form, _i % 2 && _i < 4);

	for (size_t size = 0; size < 68; size++) {
		struct minidump_part cut = whole;
		cut.bytes.size = size;
		ck_assert_int_eq(
			minidump_read_registers(&dump, forms[_i].machine, &cut, &registers, &fault),
			size ? CAIRN_TRUNCATED : CAIRN_NOT_FOUND);
		ck_assert(registers.known == 0 && registers.pc == 0);
	}
	for (size_t other = 0; other < COUNT(forms); other++)
		if (forms[other].machine != forms[_i].machine)
			ck_assert_int_eq(minidump_read_registers(&dump, forms[other].machine,
			                                         &whole, &registers, &fault),
			                 CAIRN_MALFORMED);
}
END_TEST

/* text in UTF-16, as UTF-8 */
static const struct {
	const char *name;
	struct cairn_bytes input;
	const char *text;
} texts[] = {
	{ "plain", BYTES("\4\0\0\0a\0b\0"), "ab" },
	{ "two and three bytes", BYTES("\4\0\0\0\xe4\0\xac\x20"), "\xc3\xa4\xe2\x82\xac" },
	{ "a pair", BYTES("\4\0\0\0\x3d\xd8\x00\xde"), "\xf0\x9f\x98\x80" },
	{ "a high one alone", BYTES("\4\0\0\0\x3d\xd8z\0"), "\xef\xbf\xbdz" },
	{ "a low one alone", BYTES("\2\0\0\0\x00\xde"), "\xef\xbf\xbd" },
	{ "a high one at the end", BYTES("\2\0\0\0\x3d\xd8"), "\xef\xbf\xbd" },
	{ "an odd length", BYTES("\3\0\0\0a\0b"), "a" },
	{ "a NUL inside", BYTES("\6\0\0\0a\0\0\0b\0"), "a" },
	{ "longer than the file",
	  BYTES("\xff\xff\xff\xff"
	        "a\0"),
	  "a" },
	{ "no room for the length", BYTES("\4\0\0"), "" },
};

START_TEST(reads_texts)
{
	fixture_minidump_begin(&made, false);
	struct fixture_minidump_part at =
		fixture_minidump_bytes(&made, texts[_i].input.data, texts[_i].input.size);
	struct minidump dump = open_made();
	ck_assert_msg(strcmp(text_of(&dump, at.offset), texts[_i].text) == 0, "%s", texts[_i].name);
	ck_assert_str_eq(text_of(&dump, 0), "");
	ck_assert_str_eq(text_of(&dump, UINT64_MAX), "");
}
END_TEST

/* a CodeView record, its kind, ID and name */
static const struct {
	const char *name;
	struct cairn_bytes input;
	enum minidump_debug_kind kind;
	const char *id, *file;
} records[] = {
	{ "none", BYTES(""), MINIDUMP_DEBUG_NONE, "", "" },
	{ "cut in the signature", BYTES("RSD"), MINIDUMP_DEBUG_NONE, "", "" },
	{ "PDB 7.0",
	  BYTES("RSDS\4\3\2\1\6\5\x08\x07"
	        "12345678\x1a\0\0\0x.pdb\0"),
	  MINIDUMP_DEBUG_PDB70, "010203040506070831323334353637381A", "x.pdb" },
	{ "PDB 7.0, name without its end", BYTES("RSDS1234567890123456\0\0\0\0x.p"),
	  MINIDUMP_DEBUG_PDB70, "343332313635383739303132333435360", "x.p" },
	{ "PDB 7.0, cut in the age", BYTES("RSDS1234567890123456\0\0\0"), MINIDUMP_DEBUG_NONE, "",
	  "" },
	{ "PDB 2.0", BYTES("NB10\0\0\0\0\1\0\0\x80\2\0\0\0y.pdb\0"), MINIDUMP_DEBUG_PDB20,
	  "800000012", "y.pdb" },
	{ "PDB 2.0, cut in the stamp", BYTES("NB10\0\0\0\0\1\0"), MINIDUMP_DEBUG_NONE, "", "" },
	{ "ELF, a short ID", BYTES("LEpB\1\2"), MINIDUMP_DEBUG_ELF,
	  "000002010000000000000000000000000", "" },
	{ "ELF, no ID", BYTES("LEpB"), MINIDUMP_DEBUG_ELF, "", "" },
	{ "something else", BYTES("NB09abcd"), MINIDUMP_DEBUG_OTHER, "", "" },
};

START_TEST(reads_codeview)
{
	char id[MINIDUMP_ID_MAX];

	fixture_minidump_begin(&made, false);
	struct fixture_minidump_part at =
		fixture_minidump_bytes(&made, records[_i].input.data, records[_i].input.size);
	struct minidump dump = open_made();
	struct minidump_module module = {
		.codeview = { at.offset, { dump.bytes.data + at.offset, at.size }, false }
	};
	struct minidump_debug debug = minidump_read_debug(&dump, &module);
	ck_assert_msg(debug.kind == records[_i].kind, "%s", records[_i].name);
	size_t size = minidump_debug_id(&dump, &debug, id);
	ck_assert_msg(size == strlen(records[_i].id) && memcmp(id, records[_i].id, size) == 0,
	              "%s: %.*s", records[_i].name, (int)size, id);
	ck_assert_uint_eq(debug.name.size, strlen(records[_i].file));
	ck_assert_mem_eq(debug.name.data, records[_i].file, debug.name.size);
}
END_TEST

#define HEAD "MDMP\x93\xa7\0\0"
#define REST "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define ENTRY(type, size, offset) type "\0\0\0" size "\0\0\0" offset "\0\0\0"

/* a file, how it opens, and where the fault is */
static const struct {
	const char *name;
	struct cairn_bytes input;
	enum cairn_status status;
	uint64_t fault;
} files[] = {
	{ "empty", BYTES(""), CAIRN_TRUNCATED, 0 },
	{ "cut in the signature", BYTES("MDM"), CAIRN_TRUNCATED, 0 },
	{ "another file", BYTES("PK\3\4"), CAIRN_MALFORMED, 0 },
	{ "another version", BYTES("MDMP\x94\xa7\0\0"), CAIRN_UNSUPPORTED, 4 },
	{ "cut in the flags",
	  BYTES(HEAD "\1\0\0\0\x20\0\0\0"
	             "\0\0\0\0\0\0\0\0\0\0\0"),
	  CAIRN_TRUNCATED, 24 },
	{ "directory outside", BYTES(HEAD "\1\0\0\0\x21\0\0\0" REST), CAIRN_TRUNCATED, 0x21 },
	{ "nothing in it", BYTES(HEAD "\0\0\0\0\x20\0\0\0" REST), CAIRN_OK, 0 },
};

START_TEST(rejects_other_files)
{
	struct cairn_fault fault;
	struct minidump dump;

	ck_assert_msg(minidump_open(unit_exact(files[_i].input), &dump, &fault) == files[_i].status,
	              "%s", files[_i].name);
	ck_assert_msg(fault.offset == files[_i].fault, "%s: %llu", files[_i].name,
	              (unsigned long long)fault.offset);
}
END_TEST

/* a directory of one entry and what follows it: how many records there are, and the fault */
static const struct {
	const char *name;
	struct cairn_bytes input;
	enum minidump_stream_type type;
	unsigned records;
	enum cairn_status status;
	uint64_t fault;
} lists[] = {
	{ "directory cut", BYTES(HEAD "\2\0\0\0\x20\0\0\0" REST "\5\0\0\0\1\0\0"), MINIDUMP_MEMORY,
	  0, CAIRN_NOT_FOUND, 0 },
	{ "stream of no bytes", BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY("\5", "\0", "\x2c")),
	  MINIDUMP_MEMORY, 0, CAIRN_NOT_FOUND, 0 },
	{ "stream past the end", BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY("\5", "\4", "\x40")),
	  MINIDUMP_MEMORY, 0, CAIRN_TRUNCATED, 0x40 },
	{ "cut in the count",
	  BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY("\5", "\4", "\x2c") "\1\0\0"), MINIDUMP_MEMORY,
	  0, CAIRN_TRUNCATED, 0x2c },
	{ "cut in a record",
	  BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY("\5", "\x24", "\x2c") "\2\0\0\0" REST
	                                                                   "\0\0\0"),
	  MINIDUMP_MEMORY, 1, CAIRN_TRUNCATED, 0x2c },
	{ "the largest count",
	  BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY("\5", "\x14", "\x2c") "\xff\xff\xff\xff" REST),
	  MINIDUMP_MEMORY, 1, CAIRN_TRUNCATED, 0x2c },
	{ "the largest count of 64 bits",
	  BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY(
		  "\x9", "\x20", "\x2c") "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0" REST),
	  MINIDUMP_MEMORY64, 1, CAIRN_TRUNCATED, 0x2c },
	{ "an offset that is not in the file",
	  BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY(
		  "\x9", "\x20", "\x2c") "\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
	                                 "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"),
	  MINIDUMP_MEMORY64, 1, CAIRN_OK, 0 },
	{ "records of regions too short",
	  BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY(
		  "\x10", "\x10", "\x2c") "\x10\0\0\0\x2f\0\0\0\1\0\0\0\0\0\0\0"),
	  MINIDUMP_REGIONS, 0, CAIRN_MALFORMED, 0x2c },
	{ "a head of regions too long",
	  BYTES(HEAD "\1\0\0\0\x20\0\0\0" REST ENTRY(
		  "\x10", "\x10", "\x2c") "\xff\xff\xff\xff\x30\0\0\0\1\0\0\0\0\0\0\0"),
	  MINIDUMP_REGIONS, 0, CAIRN_TRUNCATED, 0x3c },
};

START_TEST(reads_damaged_lists)
{
	struct minidump dump = open_dump(unit_exact(lists[_i].input));
	struct minidump_list list = minidump_list(&dump, lists[_i].type);
	struct minidump_memory memory;
	struct minidump_region region;
	unsigned count = 0;

	while (lists[_i].type == MINIDUMP_REGIONS ? minidump_next_region(&list, &region)
	                                          : minidump_next_memory(&list, &memory))
		count++;
	ck_assert_msg(count == lists[_i].records, "%s: %u records", lists[_i].name, count);
	ck_assert_msg(list.in.fault.status == lists[_i].status, "%s: %d", lists[_i].name,
	              list.in.fault.status);
	ck_assert_msg(list.in.fault.offset == lists[_i].fault, "%s: at %llu", lists[_i].name,
	              (unsigned long long)list.in.fault.offset);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("minidump");
	TCase *minidump = tcase_create("minidump");

	tcase_add_loop_test(minidump, reads_every_list, 0, 4);
	tcase_add_loop_test(minidump, reads_modules, 0, 4);
	tcase_add_loop_test(minidump, reads_what_happened, 0, 2);
	tcase_add_loop_test(minidump, reads_the_process, 0, 2);
	tcase_add_loop_test(minidump, reads_regions, 0, 2);
	tcase_add_loop_test(minidump, reads_the_loaders_list, 0, COUNT(loaders));
	tcase_add_loop_test(minidump, reads_registers, 0, COUNT(forms));
	tcase_add_loop_test(minidump, reads_registers_without_groups, 0, COUNT(forms));
	tcase_add_loop_test(minidump, rejects_blank_registers, 0, COUNT(forms));
	tcase_add_loop_test(minidump, reads_the_rest_of_registers, 0, COUNT(rests));
	tcase_add_test(minidump, reads_the_rest_of_a_reported_exception);
	tcase_add_loop_test(minidump, leaves_the_rest_that_is_not_there, 0, COUNT(rests));
	tcase_add_loop_test(minidump, rejects_other_registers, 0, COUNT(forms));
	tcase_add_loop_test(minidump, reads_texts, 0, COUNT(texts));
	tcase_add_loop_test(minidump, reads_codeview, 0, COUNT(records));
	tcase_add_loop_test(minidump, rejects_other_files, 0, COUNT(files));
	tcase_add_loop_test(minidump, reads_damaged_lists, 0, COUNT(lists));
	suite_add_tcase(s, minidump);
	return unit_run(s);
}
