/* SPDX-License-Identifier: MIT */
/*
 * Modules found in a target made by hand, and those that the host reports.  Linked with malloc and
 * its relatives wrapped.
 */
#include "unwind/tables/modules.h"

#include "failing_alloc.h"
#include "fake_target.h"
#include "fixture.h"
#include "fixture_elf.h"
#include "unit.h"

enum {
	MANY_READS = 64, /* fewer than a search takes, more than a look at one module */
	QUESTIONS_MAX = 10000,
};

#define BASE 0x555555554000ull
#define PC (BASE + FAKE_TARGET_CODE + 0x10)

static const struct fixture_row leaf_row = { 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } };
static const struct fixture_function leaf = { FAKE_TARGET_CODE, 0x40, FIXTURE_ADDR1, 0, 0, 1,
	                                      &leaf_row };
static const struct cairn_range covered = { FAKE_TARGET_CODE + 0x80, FAKE_TARGET_CODE + 0xc0 };

static struct fake_target world;
static struct fixture_out image, other;
static struct cairn_space *space;

static void open_space(void)
{
	space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
}

/* The usual image with one function, and CFI for another. */
static void make(struct fixture_out *o, struct fake_target_image about)
{
	size_t fde, end;

	about.count = 1;
	about.functions = &leaf;
	fake_target_image(o, &about);
	fake_target_frames(o, about.base, FAKE_TARGET_FRAMES, &covered, 1, &fde, &end);
	fake_target_header(o, about.base, FAKE_TARGET_HEADER, FAKE_TARGET_FRAMES, &covered, 1,
	                   &fde);
}

static void setup(void)
{
	fake_target_init(&world);
	make(&image, (struct fake_target_image){ .id = 0x11 });
	make(&other, (struct fake_target_image){ .id = 0x22 });
	fake_target_map(&world, BASE, image.data, image.size);
	open_space();
}

static void teardown(void)
{
	cairn_space_free(space);
}

static unsigned long reads_for(uint64_t pc, enum cairn_status expected)
{
	struct cairn_module module;
	unsigned long before = world.reads;

	ck_assert_int_eq(cairn_space_module(space, pc, &module), expected);
	return world.reads - before;
}

/* The first byte of the build ID of the module at `pc`; 0 when it has none, -1 without a module. */
static int id_at(uint64_t pc)
{
	struct cairn_module module;

	if (cairn_space_module(space, pc, &module) != CAIRN_OK)
		return -1;
	return module.build_id.size ? module.build_id.data[0] : 0;
}

static unsigned listed(struct cairn_module *modules, unsigned capacity)
{
	struct cairn_module module;
	unsigned count = 0;
	size_t at = 0;

	while (cairn_space_next_module(space, &at, &module)) {
		if (count < capacity)
			modules[count] = module;
		count++;
	}
	return count;
}

static struct cairn_range at(uint64_t low, uint64_t size)
{
	return (struct cairn_range){ low, low + size };
}

/* The usual image as a host reports it. */
static struct cairn_host_module usual_report(const char *name)
{
	return (struct cairn_host_module){ .name = { (const uint8_t *)name, strlen(name) },
		                           .low = BASE + 0x350,
		                           .high = BASE + FAKE_TARGET_SIZE,
		                           .machine = CAIRN_MACHINE_AMD64,
		                           .text = at(BASE + FAKE_TARGET_CODE, 0x800),
		                           .sframe = at(BASE + FAKE_TARGET_SFRAME, 0x100),
		                           .eh_frame_hdr = at(BASE + FAKE_TARGET_HEADER, 0x40),
		                           .eh_frame = at(BASE + FAKE_TARGET_FRAMES, 0x100) };
}

static void report_all(const struct cairn_host_module *reports, size_t count)
{
	cairn_space_begin_modules(space);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(cairn_space_add_module(space, &reports[i]), CAIRN_OK);
	cairn_space_end_modules(space);
}

/* 1. Found in memory */

START_TEST(finds_by_the_header)
{
	struct cairn_module m;

	for (uint64_t page = 0; page < FAKE_TARGET_SIZE; page += FAKE_TARGET_PAGE) {
		ck_assert_int_eq(cairn_space_module(space, BASE + page + 7, &m), CAIRN_OK);
		ck_assert(m.low == BASE && m.high == BASE + FAKE_TARGET_SIZE && m.bias == BASE);
	}
	ck_assert(m.machine == CAIRN_MACHINE_AMD64 && !m.big_endian && m.entry == 0);
	ck_assert(m.has_headers && m.name == NULL && m.fault.status == CAIRN_OK);
	ck_assert_uint_eq(m.build_id.size, FAKE_TARGET_ID);
	ck_assert_uint_eq(m.build_id.data[FAKE_TARGET_ID - 1], 0x11);
	ck_assert(cairn_space_has_sframe(space, PC));
	ck_assert(!cairn_space_has_sframe(space, PC + 0x40));
	ck_assert(!cairn_space_has_cfi(space, PC));
	ck_assert(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x80));
	ck_assert(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0xbf));
	ck_assert(!cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0xc0));
	ck_assert_int_eq(id_at(BASE - 1), -1);
	ck_assert_int_eq(id_at(BASE + FAKE_TARGET_SIZE), -1);
}
END_TEST

static const struct {
	const char *name;
	struct fake_target_image about;
	uint64_t bias;
} kinds[] = {
	{ "linked at 0", { .entry = FAKE_TARGET_CODE }, BASE },
	{ "linked high", { .base = 0x10000, .entry = FAKE_TARGET_CODE }, BASE - 0x10000 },
	{ "fixed", { .base = BASE, .entry = FAKE_TARGET_CODE, .fixed = true }, 0 },
	{ "aarch64", { .machine = CAIRN_MACHINE_AARCH64, .entry = FAKE_TARGET_CODE }, BASE },
	{ "aarch64_be",
	  { .machine = CAIRN_MACHINE_AARCH64, .big = true, .entry = FAKE_TARGET_CODE },
	  BASE },
	{ "s390x",
	  { .machine = CAIRN_MACHINE_S390X, .big = true, .entry = FAKE_TARGET_CODE },
	  BASE },
};

START_TEST(knows_kinds_of_images)
{
	enum cairn_machine machine = kinds[_i].about.machine;
	struct cairn_module m;

	make(&image, kinds[_i].about);
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert_msg(m.bias == kinds[_i].bias, "%s: bias", kinds[_i].name);
	ck_assert_uint_eq(m.entry, kinds[_i].about.base + FAKE_TARGET_CODE);
	ck_assert_int_eq(m.machine, machine ? machine : CAIRN_MACHINE_AMD64);
	ck_assert(m.big_endian == kinds[_i].about.big);
	ck_assert_msg(cairn_space_has_sframe(space, PC), "%s: .sframe", kinds[_i].name);
	ck_assert_msg(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90) ==
	                      (kinds[_i].about.base == 0),
	              "%s: .eh_frame", kinds[_i].name);
}
END_TEST

static struct cairn_coverage coverage_at(uint64_t pc)
{
	struct cairn_coverage c;

	ck_assert_int_eq(cairn_space_coverage(space, pc, &c), CAIRN_OK);
	return c;
}

START_TEST(describes_one_instruction)
{
	struct cairn_coverage c = coverage_at(PC);

	ck_assert(!c.cfi && c.table && c.row);
	ck_assert_uint_eq(c.rule.function, FAKE_TARGET_CODE);
	c = coverage_at(PC + 0x40);
	ck_assert(!c.cfi && c.table && !c.row);
	c = coverage_at(BASE + FAKE_TARGET_CODE + 0x80);
	ck_assert(c.cfi && c.table && !c.row);
	ck_assert_int_eq(cairn_space_coverage(space, BASE - 1, &c), CAIRN_NOT_FOUND);
}
END_TEST

/* A table without a segment is searched for where nothing else describes the instruction. */
START_TEST(searches_no_table_where_there_is_cfi)
{
	make(&image, (struct fake_target_image){ .no_sframe = true });
	struct cairn_coverage c = coverage_at(BASE + FAKE_TARGET_CODE + 0x80);
	ck_assert(c.cfi && !c.table && !c.row);
	c = coverage_at(PC);
	ck_assert(!c.cfi && c.table && c.row);
}
END_TEST

/* The host tells when a question begins: a module is compared once until it does so again. */
START_TEST(compares_once_for_each_question)
{
	ck_assert(cairn_space_has_sframe(space, PC));
	cairn_space_begin_query(space);
	world.reads = 0;
	for (unsigned i = 0; i < 3; i++)
		ck_assert(cairn_space_has_sframe(space, PC));
	ck_assert_uint_eq(world.reads, 1);
	fake_target_unmap(&world, BASE);
	ck_assert(cairn_space_has_sframe(space, PC));
	cairn_space_begin_query(space);
	ck_assert(!cairn_space_has_sframe(space, PC));
}
END_TEST

START_TEST(notices_another_build)
{
	ck_assert_int_eq(id_at(PC), 0x11);
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, BASE, other.data, other.size);
	ck_assert_int_eq(id_at(PC), 0x22);
	fake_target_unmap(&world, BASE);
	ck_assert_int_eq(id_at(PC), -1);
	ck_assert_uint_eq(listed(NULL, 0), 0);
}
END_TEST

/* Notes of other kinds have a segment of their own, and it may come first. */
START_TEST(finds_the_build_id_behind_other_notes)
{
	const struct fake_target_segment segments[] = {
		{ ELF_PT_LOAD, 4, 0, 0x7000, 0x1000 },
		{ ELF_PT_NOTE, 4, 0x400, 0x7400, 0x20 },
		{ ELF_PT_NOTE, 4, 0x420, 0x7420, 16 + FAKE_TARGET_ID },
	};
	const struct fake_target_elf elf = { ELF_TYPE_DYN, ELF_EM_X86_64, 0, false, false, 3,
		                             segments };

	image = (struct fixture_out){ .size = 0 };
	fake_target_elf(&image, &elf);
	image.size = 0x400;
	fixture_note(&image, "GNU", 5, "0123456789abcdef", 16);
	ck_assert_uint_eq(image.size, 0x420);
	fixture_note(&image, "GNU", 3, "abcdefghijklmnopqrst", FAKE_TARGET_ID);
	ck_assert_int_eq(id_at(BASE + 0x10), 'a');
	/* its bytes are what the module is known again by */
	image.data[image.size - 1]++;
	struct cairn_module m;
	ck_assert_int_eq(cairn_space_module(space, BASE + 0x10, &m), CAIRN_OK);
	ck_assert_int_eq(m.build_id.data[FAKE_TARGET_ID - 1], 't' + 1);
}
END_TEST

/* As with two programs in one debugger: each is found once, and known again. */
START_TEST(keeps_two_images_at_one_address)
{
	ck_assert_int_eq(id_at(PC), 0x11);
	unsigned long first = world.reads;
	for (int turn = 0; turn < 8; turn++) {
		const struct fixture_out *now = turn % 2 ? &image : &other;
		fake_target_unmap(&world, BASE);
		fake_target_map(&world, BASE, now->data, now->size);
		ck_assert_int_eq(id_at(PC), turn % 2 ? 0x11 : 0x22);
		ck_assert_uint_eq(listed(NULL, 0), 1);
		if (turn > 1)
			ck_assert_uint_le(reads_for(PC, CAIRN_OK), 2);
	}
	ck_assert_uint_gt(first, 2);
	ck_assert_uint_eq(space->count, 2);
}
END_TEST

START_TEST(looks_over_holes_between_segments)
{
	struct cairn_module m;
	const uint64_t far = 0x200000; /* as old linkers leave between code and data */
	const struct fake_target_segment segments[] = {
		{ ELF_PT_LOAD, 5, 0, 0, FAKE_TARGET_PAGE },
		{ ELF_PT_LOAD, 6, FAKE_TARGET_PAGE, far, FAKE_TARGET_PAGE },
	};
	const struct fake_target_elf elf = { ELF_TYPE_DYN, ELF_EM_X86_64, 0, false, false, 2,
		                             segments };

	fake_target_unmap(&world, BASE);
	image = (struct fixture_out){ .size = 0 };
	fake_target_elf(&image, &elf);
	fake_target_map(&world, BASE, image.data, FAKE_TARGET_PAGE);
	fake_target_map(&world, BASE + far, image.data + FAKE_TARGET_PAGE, FAKE_TARGET_PAGE);
	ck_assert_int_eq(cairn_space_module(space, BASE + far + 8, &m), CAIRN_OK);
	ck_assert(m.low == BASE && m.high == BASE + far + FAKE_TARGET_PAGE);
}
END_TEST

/* lld lets code begin in the file's first page, which then is mapped twice. */
START_TEST(tells_a_copy_of_the_first_page)
{
	struct cairn_module m;
	const struct fake_target_segment segments[] = {
		{ ELF_PT_LOAD, 4, 0, 0, 0x600 },
		{ ELF_PT_LOAD, 5, 0x600, 0x1600, 0x400 },
	};
	const struct fake_target_elf elf = { ELF_TYPE_DYN, ELF_EM_X86_64, 0, false, false, 2,
		                             segments };

	fake_target_unmap(&world, BASE);
	image = (struct fixture_out){ .size = 0 };
	fake_target_elf(&image, &elf);
	fake_target_map(&world, BASE, image.data, FAKE_TARGET_PAGE);
	fake_target_map(&world, BASE + FAKE_TARGET_PAGE, image.data, FAKE_TARGET_PAGE);
	ck_assert_int_eq(cairn_space_module(space, BASE + 0x1700, &m), CAIRN_OK);
	ck_assert(m.low == BASE && m.bias == BASE && m.high == BASE + 0x1a00);
}
END_TEST

/* Tools that add segments to a linked program (BOLT) put the program headers into these, as far behind the first byte as in the file. */
static void move_program_headers(void)
{
	enum { ELF_HEADER = 64, SEGMENTS_AT = 32, SEGMENTS = 7 * 56 };

	memcpy(image.data + FAKE_TARGET_DATA, image.data + ELF_HEADER, SEGMENTS);
	memset(image.data + ELF_HEADER, 0, SEGMENTS);
	image.data[SEGMENTS_AT] = FAKE_TARGET_DATA & 0xff;
	image.data[SEGMENTS_AT + 1] = FAKE_TARGET_DATA >> 8;
}

START_TEST(reads_program_headers_behind_the_first_page)
{
	enum { FOURTH_SEGMENT_VA = FAKE_TARGET_DATA + 3 * 56 + 16 };
	struct cairn_module m;

	move_program_headers();
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert(m.low == BASE && m.high == BASE + FAKE_TARGET_SIZE && m.bias == BASE);
	ck_assert_uint_eq(m.build_id.size, FAKE_TARGET_ID);
	ck_assert(cairn_space_has_sframe(space, PC));
	/* it is known again, also as another build */
	ck_assert_int_eq(id_at(PC), 0x11);
	image.data[0] = 0;
	ck_assert_int_eq(id_at(PC), -1);
	image.data[0] = 0x7f;
	ck_assert_int_eq(id_at(PC), 0x11);
	/* that segment is elsewhere in memory: what was read are no program headers of this file */
	cairn_space_reset(space);
	image.data[FOURTH_SEGMENT_VA + 1] ^= 0x80;
	ck_assert_int_eq(id_at(PC), -1);
	fake_target_unmap(&world, BASE);
	image.data[FOURTH_SEGMENT_VA + 1] ^= 0x80;
	/* nor are they there when the page cannot be read */
	fake_target_map(&world, BASE, image.data, FAKE_TARGET_DATA);
	cairn_space_reset(space);
	ck_assert_int_eq(id_at(PC), -1);
}
END_TEST

/* 2. Headers that lie */

static const struct {
	const char *name;
	uint16_t type;
	struct fake_target_segment segments[2];
} lies[] = {
	{ "the span ends before the pc", ELF_TYPE_DYN, { { ELF_PT_LOAD, 5, 0, 0, 0x800 } } },
	{ "the span begins behind the pc",
	  ELF_TYPE_EXEC,
	  { { ELF_PT_LOAD, 5, 0, BASE + 0x4000, 0x8000 } } },
	{ "a segment wraps",
	  ELF_TYPE_DYN,
	  { { ELF_PT_LOAD, 5, 0, 0, 0x8000 }, { ELF_PT_LOAD, 5, 0x1000, ~0ull - 0xfff, 0x2000 } } },
	{ "the span wraps when it is moved",
	  ELF_TYPE_DYN,
	  { { ELF_PT_LOAD, 5, 0, 0, 0x8000 }, { ELF_PT_LOAD, 5, 0x1000, ~0ull - 0xfff, 0x800 } } },
	{ "no segment holds the header", ELF_TYPE_DYN, { { ELF_PT_LOAD, 5, 0x1000, 0, 0x8000 } } },
	{ "segments without bytes", ELF_TYPE_DYN, { { ELF_PT_LOAD, 5, 0, 0, 0 } } },
	{ "an object file", ELF_TYPE_REL, { { ELF_PT_LOAD, 5, 0, 0, 0x8000 } } },
	{ "a core", ELF_TYPE_CORE, { { ELF_PT_LOAD, 5, 0, 0, 0x8000 } } },
	{ "no segments", ELF_TYPE_DYN, { { ELF_PT_NOTE, 5, 0, 0, 0x8000 } } },
};

START_TEST(does_not_believe_lies)
{
	struct fake_target_elf elf = { .type = lies[_i].type, .machine = ELF_EM_X86_64 };

	elf.segments = lies[_i].segments;
	elf.count = lies[_i].segments[1].type ? 2 : 1;
	image = (struct fixture_out){ .size = 0 };
	fake_target_elf(&image, &elf);
	ck_assert_msg(id_at(PC) == -1, "%s", lies[_i].name);
	/* with the same header put right the module is there */
	const struct fake_target_segment good = { ELF_PT_LOAD, 5, 0, 0, 0x8000 };
	image = (struct fixture_out){ .size = 0 };
	fake_target_elf(&image, &(struct fake_target_elf){ .type = ELF_TYPE_DYN,
	                                                   .machine = ELF_EM_X86_64,
	                                                   .count = 1,
	                                                   .segments = &good });
	cairn_space_reset(space);
	ck_assert_int_eq(id_at(PC), 0);
}
END_TEST

/* An image below, whose header is read on the way, does not hide the one that holds the pc. */
START_TEST(goes_on_below_a_header_that_lies)
{
	const struct fake_target_segment all = { ELF_PT_LOAD, 5, 0, 0, 0x8000 },
					 little = { ELF_PT_LOAD, 5, 0, 0, 0x10 };
	struct fake_target_elf elf = { ELF_TYPE_DYN, ELF_EM_X86_64, 0, false, false, 1, &all };
	struct cairn_module m;

	image = (struct fixture_out){ .size = 0 };
	fake_target_elf(&image, &elf);
	other = (struct fixture_out){ .size = 0 };
	elf.segments = &little;
	fake_target_elf(&other, &elf);
	fake_target_map(&world, BASE + 0x2000, other.data, FAKE_TARGET_PAGE);
	ck_assert_int_eq(cairn_space_module(space, BASE + 0x2800, &m), CAIRN_OK);
	ck_assert_uint_eq(m.low, BASE);
}
END_TEST

/* A large library, whose header is hundreds of pages below, in the list of the dynamic linker. */

enum { LIBRARY_SIZE = 0x200000, LIBRARY_PC = 0x180000, PROGRAM_LIST = 0x1800 };
#define LIBRARY 0x7ffff7a00000ull

static uint8_t library[LIBRARY_SIZE];

static void put_words(size_t at, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < 8 * count; i++)
		image.data[at + i] = (uint8_t)(words[i / 8] >> i % 8 * 8);
}

/* The program has such an element first, then an empty one, then the library, then `last`. */
static void make_linked(uint64_t bias, uint64_t dynamic, uint64_t last)
{
	const struct fake_target_segment segments[] = {
		{ ELF_PT_LOAD, 6, 0, 0, FAKE_TARGET_SIZE },
		{ ELF_PT_DYNAMIC, 6, FAKE_TARGET_CODE, FAKE_TARGET_CODE, 0x40 },
	};
	const struct fake_target_segment whole = { ELF_PT_LOAD, 5, 0, 0, LIBRARY_SIZE };
	const struct fake_target_elf program = { ELF_TYPE_DYN, ELF_EM_X86_64, 0, false, false, 2,
		                                 segments };
	const struct fake_target_elf other_elf = { ELF_TYPE_DYN, ELF_EM_X86_64, 0, false, false, 1,
		                                   &whole };
	const uint64_t list = BASE + PROGRAM_LIST, debug = list + 0x100;
	const uint64_t tags[] = { 5, 0, 21, debug, 0, 0 }, head[] = { 1, list };
	const uint64_t maps[] = { BASE,      0,    BASE + FAKE_TARGET_CODE,
		                  list + 40, 0,    0,
		                  0,         0,    list + 80,
		                  0,         bias, 0,
		                  dynamic,   last, 0 };

	image = (struct fixture_out){ .size = 0 };
	fake_target_elf(&image, &program);
	put_words(FAKE_TARGET_CODE, tags, COUNT(tags));
	put_words(PROGRAM_LIST, maps, COUNT(maps));
	put_words(PROGRAM_LIST + 0x100, head, COUNT(head));
	image.size = FAKE_TARGET_SIZE;
	other = (struct fixture_out){ .size = 0 };
	fake_target_elf(&other, &other_elf);
	memcpy(library, other.data, FAKE_TARGET_PAGE);
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, BASE, image.data, image.size);
	fake_target_map(&world, LIBRARY, library, sizeof(library));
	reads_for(BASE + 0x10, CAIRN_OK);
}

START_TEST(finds_a_large_library_by_the_list_of_the_linker)
{
	make_linked(LIBRARY, LIBRARY + 0x1f0000, 0);
	ck_assert_uint_le(reads_for(LIBRARY + LIBRARY_PC, CAIRN_OK), 20);
	ck_assert_uint_le(reads_for(LIBRARY + LIBRARY_PC, CAIRN_OK), 2);
}
END_TEST

/* A list that leads nowhere, or round in a circle, costs a bounded number of reads. */
START_TEST(finds_it_where_the_list_is_wrong)
{
	const uint64_t list = BASE + PROGRAM_LIST;
	const struct {
		uint64_t bias, dynamic, last;
	} wrong[] = { { LIBRARY + 0x3000, LIBRARY + 0x1f0000, 0 }, /* no header is there */
		      { 0, UINT64_MAX, 0 },
		      { UINT64_MAX, 0, list },
		      { 0, 0, UINT64_MAX - 7 } };

	make_linked(wrong[_i].bias, wrong[_i].dynamic, wrong[_i].last);
	unsigned long reads = reads_for(LIBRARY + LIBRARY_PC, CAIRN_OK);
	ck_assert_uint_gt(reads, MANY_READS);
	ck_assert_uint_le(reads, LIBRARY_PC / FAKE_TARGET_PAGE + 64 + 10);
}
END_TEST

/* 3. Memory without a module */

START_TEST(remembers_where_nothing_is)
{
	static const uint8_t code[8 * FAKE_TARGET_PAGE];
	const uint64_t heap = BASE + 0x10000000;

	fake_target_map(&world, heap, code, sizeof(code));
	ck_assert_uint_gt(reads_for(heap + 0x10, CAIRN_NOT_FOUND), MANY_READS);
	for (int i = 0; i < MODULES_HOLE_USES; i++)
		ck_assert_uint_eq(reads_for(heap + 0x20, CAIRN_NOT_FOUND), 0);
	ck_assert_uint_gt(reads_for(heap + 0x10, CAIRN_NOT_FOUND), MANY_READS);
	/* a page higher nothing is known yet */
	ck_assert_uint_gt(reads_for(heap + FAKE_TARGET_PAGE, CAIRN_NOT_FOUND), MANY_READS);
}
END_TEST

START_TEST(finds_what_comes_into_a_hole)
{
	static uint8_t memory[FAKE_TARGET_SIZE];
	const uint64_t place = BASE + 0x10000000;
	int questions = 0;

	fake_target_map(&world, place, memory, sizeof(memory));
	reads_for(place + FAKE_TARGET_CODE, CAIRN_NOT_FOUND);
	memcpy(memory, other.data, sizeof(memory));
	while (id_at(place + FAKE_TARGET_CODE) == -1)
		ck_assert_int_le(++questions, MODULES_HOLE_USES);
	ck_assert_int_eq(id_at(place + FAKE_TARGET_CODE), 0x22);
}
END_TEST

/* A target that answers every read, with zeros, or as if a module began at each page. */
static enum cairn_status answer_all(void *context, uint64_t address, void *buffer, size_t size)
{
	struct fake_target *all = context;

	all->reads++;
	if (address == 0 && all->leave_at) /* here: the first page is unreadable */
		return CAIRN_UNREADABLE;
	memset(buffer, 0, size);
	if (all->count > 0 && address % FAKE_TARGET_PAGE == 0 && size >= 4)
		memcpy(buffer, "\177ELF", 4);
	return CAIRN_OK;
}

START_TEST(ends_where_all_memory_reads)
{
	enum { FIRST = 1 << 17, SHORT = 80, EACH = 300, QUESTIONS = 1000 };
	struct fake_target all = { .count = (size_t)_i & 1, .leave_at = (unsigned)_i >> 1 };
	const struct cairn_target target = { answer_all, &all };
	struct cairn_module module;

	cairn_space_free(space);
	space = cairn_space_new(&target);
	ck_assert_ptr_nonnull(space);
	for (uint64_t i = 1; i <= QUESTIONS; i++)
		ck_assert_int_eq(cairn_space_module(space, (i << 40) + 0xfff000, &module),
		                 CAIRN_NOT_FOUND);
	ck_assert_uint_lt(all.reads, all.leave_at ? FIRST + QUESTIONS * EACH : QUESTIONS * SHORT);
}
END_TEST

/* Only some pages can be read, so that no hole is long; each read may be a round trip to a distant machine. */
static enum cairn_status answer_some(void *context, uint64_t address, void *buffer, size_t size)
{
	struct fake_target *some = context;

	some->reads++;
	if (address / FAKE_TARGET_PAGE % 256 != 255)
		return CAIRN_UNREADABLE;
	memset(buffer, 0, size);
	return CAIRN_OK;
}

START_TEST(ends_where_most_memory_does_not_read)
{
	enum { HOLES = 4 * 512 };
	struct fake_target some = { .reads = 0 };
	const struct cairn_target target = { answer_some, &some };
	struct cairn_module module;

	cairn_space_free(space);
	space = cairn_space_new(&target);
	ck_assert_ptr_nonnull(space);
	ck_assert_int_eq(cairn_space_module(space, (UINT64_C(1) << 40) + 0xfffff8, &module),
	                 CAIRN_NOT_FOUND);
	ck_assert_uint_gt(some.reads, HOLES);
	ck_assert_uint_lt(some.reads, HOLES + HOLES / 128 + 16);
}
END_TEST

/* After searches in vain a module far below its pc is found again, when others were. */
START_TEST(finds_again_after_searches_in_vain)
{
	static const uint8_t heap[64 * FAKE_TARGET_PAGE];

	for (uint64_t i = 0; i < 400; i++) {
		fake_target_unmap(&world, BASE + i * 0x10000000);
		fake_target_map(&world, BASE + (i + 1) * 0x10000000, heap, sizeof(heap));
		reads_for(BASE + (i + 1) * 0x10000000 + 63 * FAKE_TARGET_PAGE, CAIRN_NOT_FOUND);
	}
	fake_target_map(&world, BASE, image.data, image.size);
	ck_assert_int_eq(id_at(PC), 0x11);
	ck_assert_uint_eq(space->scanned, 0);
}
END_TEST

START_TEST(asks_nothing_of_what_cannot_be_read)
{
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(reads_for(0x10, CAIRN_NOT_FOUND), 1);
}
END_TEST

START_TEST(forgets_all_when_there_are_too_many)
{
	const struct cairn_host_module told = usual_report("first");

	report_all(&told, 1);
	for (uint64_t i = 0; i < MODULES_MAX; i++) {
		fake_target_map(&world, BASE + (i + 1) * 0x10000, image.data, image.size);
		ck_assert_int_eq(id_at(PC + i * 0x10000), 0x11);
	}
	ck_assert_uint_eq(space->count, MODULES_MAX);
	ck_assert_int_eq(id_at(PC + MODULES_MAX * 0x10000ull), 0x11);
	ck_assert_uint_eq(space->count, 1);
	ck_assert_uint_eq(space->reports.count, 1);
	ck_assert_int_eq(id_at(PC), 0x11);
}
END_TEST

/* A core in which stacks lead through more modules than are kept: each is found anew, but not for ever. */
START_TEST(forgets_no_more_where_the_target_stays)
{
	space->still = true;
	for (uint64_t i = 0; i <= MODULES_MAX; i++)
		fake_target_map(&world, BASE + i * 0x10000, image.data, image.size);
	for (unsigned round = 0; round < MODULES_FORGOTTEN_MAX; round++)
		for (uint64_t i = 0; i <= MODULES_MAX; i++)
			ck_assert_int_eq(id_at(PC + i * 0x10000), 0x11);
	ck_assert_uint_eq(space->forgotten, MODULES_FORGOTTEN_MAX);
	/* each round leaves one module more; others are found until there is no room */
	const uint64_t left = MODULES_MAX - MODULES_FORGOTTEN_MAX;
	for (uint64_t i = 0; i < left; i++)
		ck_assert_int_eq(id_at(PC + i * 0x10000), 0x11);
	ck_assert_uint_eq(space->count, MODULES_MAX);
	ck_assert_int_eq(id_at(PC + left * 0x10000), -1);
	ck_assert_int_eq(id_at(PC), 0x11);
	ck_assert_uint_eq(space->forgotten, MODULES_FORGOTTEN_MAX);
}
END_TEST

/* 4. Reported, with headers that can be read */

START_TEST(prefers_headers_to_reports)
{
	struct cairn_host_module told = usual_report("/lib/one.so");
	struct cairn_module m;

	told.machine = CAIRN_MACHINE_S390X; /* the header knows better */
	report_all(&told, 1);
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert(m.has_headers && m.bias == BASE && m.low == BASE &&
	          m.high == BASE + FAKE_TARGET_SIZE);
	ck_assert_int_eq(m.machine, CAIRN_MACHINE_AMD64);
	ck_assert_uint_eq(m.build_id.size, FAKE_TARGET_ID);
	ck_assert_str_eq(m.name, "/lib/one.so");
	ck_assert_uint_eq(listed(NULL, 0), 1);
	ck_assert(cairn_space_has_sframe(space, PC));
	ck_assert(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
}
END_TEST

/* Some first sections begin pages behind the header. */
START_TEST(finds_the_header_below_the_first_section)
{
	struct cairn_host_module told = usual_report("static");
	struct cairn_module m;

	told.low = BASE + FAKE_TARGET_DATA;
	report_all(&told, 1);
	ck_assert_int_eq(cairn_space_module(space, BASE + FAKE_TARGET_DATA + 1, &m), CAIRN_OK);
	ck_assert(m.has_headers && m.low == BASE);
	ck_assert_str_eq(m.name, "static");
}
END_TEST

START_TEST(takes_a_table_from_the_report)
{
	struct cairn_host_module told = usual_report("by lld");
	struct cairn_module m;

	make(&image, (struct fake_target_image){ .no_sframe = true, .no_header = true });
	told.eh_frame_hdr = at(0, 0);
	report_all(&told, 1);
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert(m.sframe == CAIRN_PRESENT && m.cfi == CAIRN_PRESENT);
	unsigned long before = world.reads;
	ck_assert(cairn_space_has_sframe(space, PC));
	ck_assert(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
	ck_assert(!cairn_space_has_cfi(space, PC));
	ck_assert_uint_lt(world.reads - before, 12);
}
END_TEST

/* Where the host knows the sections, nothing is searched for. */
START_TEST(does_not_search_for_what_is_not_reported)
{
	struct cairn_host_module told = usual_report("bare");
	struct cairn_module m;

	make(&image, (struct fake_target_image){ .no_sframe = true, .no_header = true });
	told.sframe = told.eh_frame_hdr = told.eh_frame = at(0, 0);
	report_all(&told, 1);
	ck_assert(!cairn_space_has_sframe(space, PC));
	ck_assert(!cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert(m.sframe == CAIRN_ABSENT && m.cfi == CAIRN_ABSENT);
	/* without the report they are found by their looks */
	cairn_space_reset(space);
	ck_assert(cairn_space_has_sframe(space, PC));
	ck_assert(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
}
END_TEST

/* Assemblers of riscv64 write CIEs of version 3, and a static program may have no header of the table. */
START_TEST(searches_for_entries_of_version_3)
{
	make(&image, (struct fake_target_image){ .no_sframe = true, .no_header = true });
	ck_assert_uint_eq(image.data[FAKE_TARGET_FRAMES + 8], 1);
	image.data[FAKE_TARGET_FRAMES + 8] = 3;
	ck_assert(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
	cairn_space_reset(space);
	image.data[FAKE_TARGET_FRAMES + 8] = 2;
	ck_assert(!cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
}
END_TEST

/* A report that comes late is looked at, although the module was searched in vain before. */
START_TEST(tries_again_when_a_report_comes)
{
	static struct fixture_out hidden;
	struct cairn_host_module told = usual_report("late");

	make(&image, (struct fake_target_image){ .no_sframe = true, .no_header = true });
	hidden = image; /* the tables lie where no segment reaches, until they are reported */
	memset(image.data + FAKE_TARGET_SFRAME, 0, FAKE_TARGET_PAGE);
	ck_assert(!cairn_space_has_sframe(space, PC));
	ck_assert(!cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
	memcpy(image.data + FAKE_TARGET_SFRAME, hidden.data + FAKE_TARGET_SFRAME, FAKE_TARGET_PAGE);
	ck_assert(!cairn_space_has_sframe(space, PC));
	report_all(&told, 1);
	ck_assert(cairn_space_has_sframe(space, PC));
	ck_assert(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
}
END_TEST

/* The report's range is too wide: what its headers do not hold is looked for elsewhere. */
START_TEST(searches_beside_a_report_that_is_too_wide)
{
	struct cairn_host_module told = usual_report("wide");

	told.high = BASE + 0x100000;
	fake_target_map(&world, BASE + 0x80000, other.data, other.size);
	report_all(&told, 1);
	ck_assert_int_eq(id_at(PC + 0x80000), 0x22);
	ck_assert_int_eq(id_at(PC), 0x11);
	ck_assert_int_eq(id_at(BASE + 0x40000), -1);
	/* the header is not read again for each of them */
	ck_assert_int_eq(id_at(BASE + 0x41000), -1);
	ck_assert_uint_eq(space->count, 2);
}
END_TEST

/* 5. Reported, and no header to be read */

/* The last pages alone: tables and data, as in the core of an emulator, and code without content.
 */
static void hide_header(void)
{
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, BASE + FAKE_TARGET_SFRAME, image.data + FAKE_TARGET_SFRAME,
	                2 * FAKE_TARGET_PAGE);
}

START_TEST(uses_a_report_alone)
{
	struct cairn_host_module told = usual_report("/lib/two words.so");
	struct cairn_module m;

	hide_header();
	report_all(&told, 1);
	ck_assert_uint_lt(reads_for(PC, CAIRN_OK), MANY_READS);
	ck_assert_uint_le(reads_for(PC, CAIRN_OK), 1);
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert(!m.has_headers && m.bias == 0 && m.entry == 0 && m.build_id.size == 0);
	ck_assert(m.low == told.low && m.high == told.high);
	ck_assert_int_eq(m.machine, CAIRN_MACHINE_AMD64);
	ck_assert_str_eq(m.name, "/lib/two words.so");
	ck_assert(m.sframe == CAIRN_PRESENT && m.cfi == CAIRN_PRESENT);
	ck_assert(cairn_space_has_sframe(space, PC));
	ck_assert(!cairn_space_has_sframe(space, PC + 0x40));
	ck_assert(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90));
	ck_assert(!cairn_space_has_cfi(space, PC));
	ck_assert_uint_eq(listed(NULL, 0), 1);
}
END_TEST

static const struct {
	const char *name;
	bool header, frames, broken; /* reported; the search table cannot be used */
	bool found;
} cfi_rows[] = {
	{ "by the table", true, false, false, true },
	{ "by walking", false, true, false, true },
	{ "by walking behind a broken table", true, true, true, true },
	{ "a broken table alone", true, false, true, false },
	{ "nothing reported", false, false, false, false },
};

START_TEST(reads_reported_cfi)
{
	struct cairn_host_module told = usual_report("cfi");

	if (cfi_rows[_i].broken)
		image.data[FAKE_TARGET_HEADER] = 9;
	if (!cfi_rows[_i].header)
		told.eh_frame_hdr = at(0, 0);
	if (!cfi_rows[_i].frames)
		told.eh_frame = at(0, 0);
	hide_header();
	report_all(&told, 1);
	ck_assert_msg(cairn_space_has_cfi(space, BASE + FAKE_TARGET_CODE + 0x90) ==
	                      cfi_rows[_i].found,
	              "%s", cfi_rows[_i].name);
	ck_assert(!cairn_space_has_cfi(space, PC));
}
END_TEST

START_TEST(notices_other_tables_behind_a_report)
{
	struct cairn_host_module told = usual_report("one");
	static struct fixture_out longer;
	struct fixture_function function = leaf;
	const struct fake_target_image about = { .count = 1, .functions = &function };

	function.size = 0x60;
	fake_target_image(&longer, &about);
	hide_header();
	report_all(&told, 1);
	ck_assert(!cairn_space_has_sframe(space, PC + 0x40));
	for (int turn = 0; turn < 4; turn++) {
		const struct fixture_out *now = turn % 2 ? &image : &longer;
		fake_target_unmap(&world, BASE + FAKE_TARGET_SFRAME);
		fake_target_map(&world, BASE + FAKE_TARGET_SFRAME, now->data + FAKE_TARGET_SFRAME,
		                2 * FAKE_TARGET_PAGE);
		ck_assert(cairn_space_has_sframe(space, PC + 0x40) == (turn % 2 == 0));
		ck_assert_uint_eq(listed(NULL, 0), 1);
	}
	ck_assert_uint_eq(space->count, 2);
}
END_TEST

START_TEST(sweeps_what_is_not_reported_again)
{
	const uint64_t far = 0x10000000;
	struct cairn_host_module told[2] = { usual_report("headers"), usual_report("none") };
	struct cairn_module m;

	told[1].low += far;
	told[1].high += far;
	told[1].text = at(BASE + far + FAKE_TARGET_CODE, 0x800);
	told[1].sframe = told[1].eh_frame_hdr = told[1].eh_frame = at(0, 0);
	report_all(told, 2);
	ck_assert_int_eq(id_at(PC), 0x11);
	ck_assert_int_eq(id_at(PC + far), 0);
	ck_assert_int_eq(id_at(PC + far), 0);
	ck_assert_uint_eq(space->count, 2);
	ck_assert_uint_eq(listed(NULL, 0), 2);
	report_all(told, 2);
	ck_assert_uint_eq(listed(NULL, 0), 2);
	ck_assert_uint_eq(space->reports.count, 2);

	report_all(told, 1);
	ck_assert_int_eq(id_at(PC + far), -1);
	ck_assert_uint_eq(listed(NULL, 0), 1);
	report_all(told, 0);
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert(m.has_headers && m.name == NULL);
	ck_assert_uint_eq(space->reports.count, 0);
}
END_TEST

/* An added file of symbols, and one of which only a section was loaded, lie over the module. */
START_TEST(chooses_the_best_report)
{
	struct cairn_host_module told[3] = { usual_report("symbols"), usual_report("swallows all"),
		                             usual_report("right") };
	struct cairn_module m;

	told[0].sframe = told[0].eh_frame_hdr = told[0].eh_frame = at(0, 0);
	told[1].low = 0x1000;
	told[1].sframe = at(0x1000, 0x100);
	hide_header();
	report_all(told, 3);
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert_str_eq(m.name, "right");
	ck_assert(cairn_space_has_sframe(space, PC));
	ck_assert_int_eq(cairn_space_module(space, 0x2000, &m), CAIRN_OK);
	ck_assert_str_eq(m.name, "swallows all");
	/* also when the wide one is known already */
	cairn_space_reset(space);
	report_all(told + 1, 2);
	ck_assert_int_eq(cairn_space_module(space, 0x2000, &m), CAIRN_OK);
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert_str_eq(m.name, "right");
}
END_TEST

START_TEST(bounds_reports)
{
	static char name[CAIRN_HOST_MODULE_NAME_MAX + 100];
	struct cairn_host_module told = usual_report("");
	struct cairn_module m;

	told.high = told.low;
	ck_assert_int_eq(cairn_space_add_module(space, &told), CAIRN_MALFORMED);
	told.high = told.low - 1;
	ck_assert_int_eq(cairn_space_add_module(space, &told), CAIRN_MALFORMED);
	memset(name, 'n', sizeof(name));
	told = usual_report("");
	told.name = (struct cairn_bytes){ (const uint8_t *)name, sizeof(name) };
	report_all(&told, 1);
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert_uint_eq(strlen(m.name), CAIRN_HOST_MODULE_NAME_MAX);
	told = usual_report("same");
	for (unsigned i = 1; i < CAIRN_HOST_MODULES_MAX; i++) {
		told.high++;
		ck_assert_int_eq(cairn_space_add_module(space, &told), CAIRN_OK);
	}
	ck_assert_int_eq(cairn_space_add_module(space, &told), CAIRN_OK);
	told.high++;
	ck_assert_int_eq(cairn_space_add_module(space, &told), CAIRN_LIMIT);
}
END_TEST

/* 6. What is told of modules */

START_TEST(lists_what_is_known_so_far)
{
	struct cairn_host_module told[2] = { usual_report("found"), usual_report("only reported") };
	struct cairn_module m[2];

	told[1].low += 0x10000000;
	told[1].high += 0x10000000;
	told[1].machine = CAIRN_MACHINE_AARCH64;
	told[1].big_endian = true;
	told[1].eh_frame_hdr = told[1].eh_frame = at(0, 0);
	ck_assert_uint_eq(listed(m, 2), 0);
	ck_assert_int_eq(id_at(PC), 0x11);
	ck_assert_uint_eq(listed(m, 2), 1);
	ck_assert(m[0].name == NULL && m[0].sframe == CAIRN_PRESENT);
	ck_assert_int_eq(m[0].cfi, CAIRN_PRESENCE_UNKNOWN);
	report_all(told, 2);
	unsigned long before = world.reads;
	ck_assert_uint_eq(listed(m, 2), 2);
	ck_assert_uint_eq(world.reads - before, 1);
	ck_assert_str_eq(m[0].name, "found");
	ck_assert(m[0].has_headers && m[0].cfi == CAIRN_PRESENT);
	ck_assert_str_eq(m[1].name, "only reported");
	ck_assert(!m[1].has_headers && m[1].bias == 0 && m[1].big_endian);
	ck_assert(m[1].low == told[1].low && m[1].high == told[1].high);
	ck_assert_int_eq(m[1].machine, CAIRN_MACHINE_AARCH64);
	ck_assert(m[1].sframe == CAIRN_PRESENT && m[1].cfi == CAIRN_ABSENT);
}
END_TEST

START_TEST(tells_which_tables_are_absent)
{
	struct cairn_module m;

	fake_target_image(&image,
	                  &(struct fake_target_image){ .no_sframe = true, .no_header = true });
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert(m.sframe == CAIRN_PRESENCE_UNKNOWN && m.cfi == CAIRN_PRESENCE_UNKNOWN);
	ck_assert(!cairn_space_has_sframe(space, PC) && !cairn_space_has_cfi(space, PC));
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert(m.sframe == CAIRN_ABSENT && m.cfi == CAIRN_ABSENT);
	ck_assert_int_eq(m.fault.status, CAIRN_OK);
}
END_TEST

static const struct {
	const char *name;
	size_t at;
	uint8_t byte;
	enum cairn_status status;
	uint64_t offset;
} faults[] = {
	{ "no magic", FAKE_TARGET_SFRAME, 0, CAIRN_MALFORMED, 0 },
	{ "of an unknown version", FAKE_TARGET_SFRAME + 2, 9, CAIRN_UNSUPPORTED, 2 },
	{ "a function's rows lie outside", FAKE_TARGET_SFRAME + 28 + 10, 0x70, CAIRN_MALFORMED,
	  36 },
};

START_TEST(remembers_what_was_wrong)
{
	struct cairn_module m;

	image.data[faults[_i].at] = faults[_i].byte;
	ck_assert(!cairn_space_has_sframe(space, PC));
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert_msg(m.fault.status == faults[_i].status && m.fault.offset == faults[_i].offset,
	              "%s: %s at %llu", faults[_i].name, cairn_status_name(m.fault.status),
	              (unsigned long long)m.fault.offset);
	ck_assert_ptr_nonnull(m.fault.what);
	ck_assert_uint_eq(listed(&m, 1), 1);
	ck_assert_int_eq(m.fault.status, faults[_i].status);
}
END_TEST

START_TEST(tells_that_a_table_cannot_be_read)
{
	struct cairn_module m;

	fake_target_unmap(&world, BASE);
	fake_target_map(&world, BASE, image.data, FAKE_TARGET_SFRAME);
	ck_assert(!cairn_space_has_sframe(space, PC));
	ck_assert_int_eq(cairn_space_module(space, PC, &m), CAIRN_OK);
	ck_assert_int_eq(m.fault.status, CAIRN_UNREADABLE);
	ck_assert_int_eq(m.sframe, CAIRN_ABSENT);
}
END_TEST

/* 7. A target and a memory that fail */

/* All kinds of questions; the answers as bits. */
static unsigned ask_all(void)
{
	const uint64_t with_cfi = BASE + FAKE_TARGET_CODE + 0x90, far = 0x10000000;
	struct cairn_module m;

	return (unsigned)(cairn_space_module(space, PC, &m) == CAIRN_OK) |
	       (unsigned)cairn_space_has_sframe(space, PC) << 1 |
	       (unsigned)cairn_space_has_cfi(space, with_cfi) << 2 |
	       (unsigned)cairn_space_has_cfi(space, PC) << 3 |
	       (unsigned)cairn_space_has_sframe(space, PC + far) << 4 |
	       (unsigned)cairn_space_has_cfi(space, with_cfi + far) << 5 | listed(NULL, 0) << 6;
}

enum { ALL_ANSWERS = 0x1 | 0x2 | 0x4 | 0x10 | 0x20 | 2 << 6 };

/* One module by its headers, with tables that are searched for, and one of a report alone. */
static void map_both(void)
{
	const uint64_t far = 0x10000000;
	struct cairn_host_module told = usual_report("far");

	make(&image, (struct fake_target_image){ .no_sframe = true, .no_header = true });
	fake_target_map(&world, BASE + far + FAKE_TARGET_SFRAME, other.data + FAKE_TARGET_SFRAME,
	                FAKE_TARGET_PAGE);
	told.low += far;
	told.high += far;
	told.text = at(BASE + far + FAKE_TARGET_CODE, 0x800);
	told.sframe = at(BASE + far + FAKE_TARGET_SFRAME, 0x100);
	told.eh_frame_hdr = at(0, 0);
	told.eh_frame = at(BASE + far + FAKE_TARGET_FRAMES, 0x100);
	cairn_space_begin_modules(space);
	/* what memory is short for is not reported */
	if (cairn_space_add_module(space, &told) != CAIRN_OK && !scarce.armed)
		abort();
	cairn_space_end_modules(space);
}

static void unmap_far(void)
{
	fake_target_unmap(&world, BASE + 0x10000000 + FAKE_TARGET_SFRAME);
}

START_TEST(survives_reads_that_are_refused)
{
	map_both();
	for (unsigned long n = 1;; n++) {
		ck_assert_uint_lt(n, QUESTIONS_MAX);
		world.reads = 0;
		world.refuse_at = n;
		unsigned answers = ask_all();
		bool refused = world.reads >= n;
		world.refuse_at = 0;
		ck_assert_msg((answers & 0x3f & ~(unsigned)ALL_ANSWERS) == 0, "read %lu: %x", n,
		              answers);
		if (!refused) {
			ck_assert_uint_eq(answers, ALL_ANSWERS);
			break;
		}
		unmap_far();
		cairn_space_reset(space);
		map_both();
	}
}
END_TEST

/*
 * The next question finds everything in order, without being told to forget.  Check is not called
 * while blocks are counted, for it has its own.
 */
START_TEST(survives_reads_that_are_left)
{
	static volatile unsigned first, second;
	static volatile unsigned long n;
	static volatile bool left;

	cairn_space_free(space);
	for (n = 1; left || n == 1; n++) {
		ck_assert_uint_lt(n, QUESTIONS_MAX);
		failing_alloc_begin(0);
		space = cairn_space_new(&world.target);
		map_both();
		world.reads = 0;
		world.leave_at = n;
		left = setjmp(world.out) != 0;
		if (!left)
			first = ask_all();
		world.leave_at = 0;
		second = ask_all();
		cairn_space_free(space);
		failing_alloc_end();
		unmap_far();
		ck_assert_msg(second == ALL_ANSWERS, "after read %lu: %x", n, second);
	}
	ck_assert_uint_eq(first, ALL_ANSWERS);
	ck_assert_uint_gt(n, 20);
	open_space();
}
END_TEST

START_TEST(survives_without_memory)
{
	unsigned answers = 0;
	bool failed = true;
	size_t n;

	cairn_space_free(space);
	for (n = 1; failed; n++) {
		ck_assert_uint_lt(n, QUESTIONS_MAX);
		failing_alloc_begin(n);
		space = cairn_space_new(&world.target);
		if (space) {
			map_both();
			answers = ask_all();
			unmap_far();
		}
		cairn_space_free(space);
		failed = failing_alloc_end();
		ck_assert_msg((answers & 0x3f & ~(unsigned)ALL_ANSWERS) == 0, "block %zu", n);
	}
	ck_assert_uint_eq(answers, ALL_ANSWERS);
	ck_assert_uint_gt(n, 10);
	open_space();
}
END_TEST

/* Between two segments of one image there may be another one, whichever is asked for first; what is there else belongs to the first. */
START_TEST(finds_an_image_in_a_gap)
{
	static const struct fake_target_segment segments[] = { { 1, 5, 0, 0, 0x2000 },
		                                               { 1, 6, 0x2000, 0x20000, 0x1000 } };
	static struct fixture_out outer;
	const uint64_t inner = BASE + 0x10000;
	static uint8_t data[FAKE_TARGET_PAGE];
	struct cairn_module module;

	fake_target_elf(&outer, &(struct fake_target_elf){ .type = 3,
	                                                   .machine = 62,
	                                                   .count = COUNT(segments),
	                                                   .segments = segments });
	fixture_out_pad(&outer, 0x2000);
	fake_target_init(&world);
	fake_target_map(&world, BASE, outer.data, outer.size);
	fake_target_map(&world, inner, other.data, other.size);
	fake_target_map(&world, BASE + 0x18000, data, sizeof(data));
	fake_target_map(&world, BASE + 0x20000, data, sizeof(data));
	const uint64_t pcs[] = { BASE + 0x1010, inner + FAKE_TARGET_CODE + 0x10, BASE + 0x18010,
		                 BASE + 0x20010 };
	for (unsigned i = 0; i < COUNT(pcs); i++) {
		const uint64_t pc = pcs[(i + (unsigned)_i) % COUNT(pcs)];
		const uint64_t low = pc == pcs[1] ? inner : BASE;
		for (unsigned again = 0; again < 3; again++) {
			ck_assert_int_eq(cairn_space_module(space, pc, &module), CAIRN_OK);
			ck_assert_msg(module.low == low, "0x%llx: 0x%llx", (unsigned long long)pc,
			              (unsigned long long)module.low);
		}
	}
	ck_assert_uint_eq(listed(&module, 1), 2);
	ck_assert_uint_lt(reads_for(BASE + 0x18010, CAIRN_OK), 8);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("modules");
	TCase *found = tcase_create("found"), *reported = tcase_create("reported"),
	      *failing = tcase_create("failing");

	tcase_add_checked_fixture(found, setup, teardown);
	tcase_add_test(found, finds_by_the_header);
	tcase_add_loop_test(found, knows_kinds_of_images, 0, COUNT(kinds));
	tcase_add_test(found, describes_one_instruction);
	tcase_add_test(found, searches_no_table_where_there_is_cfi);
	tcase_add_test(found, compares_once_for_each_question);
	tcase_add_test(found, finds_the_build_id_behind_other_notes);
	tcase_add_test(found, notices_another_build);
	tcase_add_test(found, keeps_two_images_at_one_address);
	tcase_add_test(found, looks_over_holes_between_segments);
	tcase_add_loop_test(found, finds_an_image_in_a_gap, 0, 4);
	tcase_add_test(found, tells_a_copy_of_the_first_page);
	tcase_add_test(found, reads_program_headers_behind_the_first_page);
	tcase_add_loop_test(found, does_not_believe_lies, 0, COUNT(lies));
	tcase_add_test(found, goes_on_below_a_header_that_lies);
	tcase_add_test(found, finds_a_large_library_by_the_list_of_the_linker);
	tcase_add_loop_test(found, finds_it_where_the_list_is_wrong, 0, 4);
	tcase_add_test(found, remembers_where_nothing_is);
	tcase_add_test(found, finds_what_comes_into_a_hole);
	tcase_add_loop_test(found, ends_where_all_memory_reads, 0, 4);
	tcase_add_test(found, ends_where_most_memory_does_not_read);
	tcase_add_test(found, finds_again_after_searches_in_vain);
	tcase_add_test(found, asks_nothing_of_what_cannot_be_read);
	tcase_add_test(found, forgets_all_when_there_are_too_many);
	tcase_add_test(found, forgets_no_more_where_the_target_stays);

	tcase_add_checked_fixture(reported, setup, teardown);
	tcase_add_test(reported, prefers_headers_to_reports);
	tcase_add_test(reported, finds_the_header_below_the_first_section);
	tcase_add_test(reported, takes_a_table_from_the_report);
	tcase_add_test(reported, does_not_search_for_what_is_not_reported);
	tcase_add_test(reported, searches_for_entries_of_version_3);
	tcase_add_test(reported, tries_again_when_a_report_comes);
	tcase_add_test(reported, searches_beside_a_report_that_is_too_wide);
	tcase_add_test(reported, uses_a_report_alone);
	tcase_add_loop_test(reported, reads_reported_cfi, 0, COUNT(cfi_rows));
	tcase_add_test(reported, notices_other_tables_behind_a_report);
	tcase_add_test(reported, sweeps_what_is_not_reported_again);
	tcase_add_test(reported, chooses_the_best_report);
	tcase_add_test(reported, bounds_reports);
	tcase_add_test(reported, lists_what_is_known_so_far);
	tcase_add_test(reported, tells_which_tables_are_absent);
	tcase_add_loop_test(reported, remembers_what_was_wrong, 0, COUNT(faults));
	tcase_add_test(reported, tells_that_a_table_cannot_be_read);

	tcase_add_checked_fixture(failing, setup, teardown);
	tcase_add_test(failing, survives_reads_that_are_refused);
	tcase_add_test(failing, survives_reads_that_are_left);
	tcase_add_test(failing, survives_without_memory);
	suite_add_tcase(suite, found);
	suite_add_tcase(suite, reported);
	suite_add_tcase(suite, failing);
	return unit_run(suite);
}
