/* SPDX-License-Identifier: MIT */
/*
 * Recordings of perf: headers, records and samples that are damaged in each way, in both byte orders, and what becomes of
 * processes that map, fork and exec.
 */
#include "unit.h"

#include "base/bytes.h"
#include "formats/perfdata.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 1 << 16 };

/* What is made, number by number. */
struct made {
	uint8_t data[CAPACITY];
	size_t size;
	bool big;
};

static void put(struct made *m, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		m->data[m->size++] = (uint8_t)(value >> 8 * (m->big ? width - 1 - i : i));
}

static void put_text(struct made *m, const char *text, size_t capacity)
{
	memset(m->data + m->size, 0, capacity);
	memcpy(m->data + m->size, text, strlen(text));
	m->size += capacity;
}

/* The header of a record, whose size is set by end_record(). */
static size_t begin_record(struct made *m, uint32_t type, uint16_t misc)
{
	const size_t start = m->size;

	put(m, type, 4);
	put(m, misc, 2);
	put(m, 0, 2);
	return start;
}

static void end_record(struct made *m, size_t start)
{
	struct made size = { .size = 0, .big = m->big };

	put(&size, m->size - start, 2);
	memcpy(m->data + start + 6, size.data, 2);
}

enum {
	IP_TID_TIME = 1 | 2 | 4,
	CHAIN = 1 << 5,
	PERIOD = 1 << 8,
	REGISTERS = 1 << 12,
	STACK = 1 << 13
};

/* A pipe with one event, as a record: software, cpu-clock. */
static void begin_pipe(struct made *m, uint64_t sample_type)
{
	m->size = 0;
	put_text(m, m->big ? "2ELIFREP" : "PERFILE2", 8);
	put(m, 16, 8);
	const size_t start = begin_record(m, PERFDATA_ATTR, 0);
	put(m, 1, 4);
	put(m, 96, 4);
	put(m, 0, 8);
	put(m, 1000, 8);
	put(m, sample_type, 8);
	put(m, 0, 8);
	put(m, (uint64_t)1 << (m->big ? 63 - 18 : 18), 8);
	for (unsigned i = 0; i < 4; i++)
		put(m, 0, 8);
	put(m, 0x180, 8); /* the stack pointer and the program counter */
	put(m, 64, 8);
	end_record(m, start);
}

static void put_ids(struct made *m, uint32_t pid, uint64_t time)
{
	put(m, pid, 4);
	put(m, pid, 4);
	put(m, time, 8);
}

static void put_mmap(struct made *m, uint32_t pid, uint64_t start, uint64_t size, const char *path,
                     uint64_t time)
{
	const size_t record = begin_record(m, PERFDATA_MMAP, 0);

	put(m, pid, 4);
	put(m, pid, 4);
	put(m, start, 8);
	put(m, size, 8);
	put(m, 0x1000, 8);
	put_text(m, path, 16);
	put_ids(m, pid, time);
	end_record(m, record);
}

static void put_chain(struct made *m, uint32_t pid, uint64_t time, uint64_t first, uint64_t second)
{
	const size_t record = begin_record(m, PERFDATA_SAMPLE, PERFDATA_MODE_USER);

	put(m, first, 8);
	put_ids(m, pid, time);
	put(m, 1000, 8);
	put(m, 3, 8);
	put(m, PERFDATA_CONTEXT_USER, 8);
	put(m, first, 8);
	put(m, second, 8);
	end_record(m, record);
}

static void put_fork(struct made *m, uint32_t pid, uint32_t parent, uint64_t time)
{
	const size_t record = begin_record(m, PERFDATA_FORK, 0);

	put(m, pid, 4);
	put(m, parent, 4);
	put(m, pid, 4);
	put(m, parent, 4);
	put(m, time, 8);
	put_ids(m, parent, time);
	end_record(m, record);
}

static void put_exec(struct made *m, uint32_t pid, uint64_t time)
{
	const size_t record = begin_record(m, PERFDATA_COMM, PERFDATA_EXEC);

	put(m, pid, 4);
	put(m, pid, 4);
	put_text(m, "other", 8);
	put_ids(m, pid, time);
	end_record(m, record);
}

static int take(void *context, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, context);
	return 0;
}

/* What recordings refer to: process 7 has a perf map, and process 8 has mapped a jitdump, which here is text of the same kind. */
static bool read_referred(void *context, const struct cairn_recorded_request *request,
                          struct cairn_bytes *bytes)
{
	static const char *const texts[] = {
		[CAIRN_RECORDED_KALLSYMS] = "ffffffff80000000 T _text\n"
					    "ffffffff80000000 T first\n"
					    "ffffffff80000010 t do_local\n"
					    "ffffffff80000010 T _do_one\n"
					    "ffffffff80000010 T do_one\n"
					    "ffffffff80000014 T __ia32_sys_one\n"
					    "ffffffff80000014 T __x64_sys_one\n"
					    "ffffffff80000018 D data\n"
					    "ffffffffc0000000 t in_module\t[m]\n",
		[CAIRN_RECORDED_JITDUMP] = "4010 10 late\n",
		[CAIRN_RECORDED_PERF_MAP] = "4010 10 made here\n",
	};

	(void)context;
	if (request->kind == CAIRN_RECORDED_PERF_MAP && request->pid != 7)
		return false;
	if (request->kind == CAIRN_RECORDED_KALLSYMS)
		ck_assert(bytes_are(request->host, "here") && bytes_are(request->release, "6.1.0"));
	if (request->kind == CAIRN_RECORDED_JITDUMP)
		ck_assert(bytes_are(request->path, "/tmp/jit-8.dump"));
	bytes->size = strlen(texts[request->kind]);
	bytes->data = (const uint8_t *)strdup(texts[request->kind]);
	return true;
}

/* The stacks of a recording, as folded text of one type, to be freed; "" is what is none. */
static char *fold(const struct made *m, const char *type, struct cairn_recording_counts *counts)
{
	struct cairn_recording_options options = CAIRN_RECORDING_OPTIONS;
	struct cairn_profile *profile;
	struct cairn_fault fault;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct cairn_profile_output output = { take, out, type };

	counts->size = sizeof(*counts);
	options.read = read_referred;
	if (cairn_profile_open_recording(unit_exact((struct cairn_bytes){ m->data, m->size }),
	                                 &options, &profile, &fault) != CAIRN_OK) {
		fprintf(out, "%s", fault.what);
		fclose(out);
		return text;
	}
	ck_assert(cairn_profile_recording(profile, counts));
	ck_assert(cairn_profile_write(profile, CAIRN_PROFILE_FOLDED, &output, &fault) == CAIRN_OK);
	cairn_profile_close(profile);
	fclose(out);
	return text;
}

static void expect_stacks(const struct made *m, const char *type, const char *wanted)
{
	struct cairn_recording_counts counts;
	char *text = fold(m, type, &counts);

	ck_assert_str_eq(text, wanted);
	free(text);
}

/* Records come in the order of their times, whatever that in the file is; return addresses are one less. */
START_TEST(follows_maps)
{
	struct made m = { .big = _i };

	begin_pipe(&m, IP_TID_TIME | PERIOD | CHAIN);
	put_chain(&m, 7, 50, 0x4010, 0x4020); /* after the second map */
	put_chain(&m, 7, 20, 0x4010, 0x4020);
	put_mmap(&m, 7, 0x4000, 0x100, "/bin/a", 10);
	put_mmap(&m, 7, 0x4000, 0x18, "/bin/b", 40);
	put_fork(&m, 8, 7, 55);
	put_chain(&m, 8, 60, 0x4010, 0x4020);
	put_exec(&m, 8, 70);
	put_chain(&m, 8, 80, 0x4010, 0x4020);
	put_chain(&m, 7, 90, 0x4010, 0x4020);
	expect_stacks(&m, NULL,
	              "a+0x101f;a+0x1010 1\n"
	              "a+0x101f;b+0x1010 3\n"
	              "0x401f;0x4010 1\n");
	expect_stacks(&m, "cpu-clock",
	              "a+0x101f;a+0x1010 1000\n"
	              "a+0x101f;b+0x1010 3000\n"
	              "0x401f;0x4010 1000\n");
}
END_TEST

/* Code that is in no file has the names that its process wrote, from when the jitdump was mapped on. */
START_TEST(names_made_code)
{
	struct made m = { .big = _i };

	begin_pipe(&m, IP_TID_TIME | PERIOD | CHAIN);
	put_mmap(&m, 7, 0x4000, 0x100, "//anon", 10);
	put_mmap(&m, 8, 0x4000, 0x100, "//anon", 10);
	put_mmap(&m, 8, 0x8000, 0x100, "/bin/a", 10);
	put_chain(&m, 7, 20, 0x4010, 0x4020); /* 401f is its last byte */
	put_chain(&m, 7, 21, 0x4010, 0x4021);
	put_chain(&m, 8, 22, 0x4010, 0x8010);
	put_mmap(&m, 8, 0x9000, 0x100, "/tmp/jit-8.dump", 30);
	put_chain(&m, 8, 40, 0x4010, 0x8010);
	put_exec(&m, 8, 50);
	put_chain(&m, 8, 60, 0x4010, 0x8010);
	expect_stacks(&m, NULL,
	              "made_here;made_here 1\n"
	              "anon+0x4020;made_here 1\n"
	              "a+0x100f;anon+0x4010 1\n"
	              "a+0x100f;late 1\n"
	              "0x800f;0x4010 1\n");
}
END_TEST

static void put_kernel_chain(struct made *m, uint64_t time, uint64_t pc)
{
	const size_t record = begin_record(m, PERFDATA_SAMPLE, PERFDATA_MODE_KERNEL);

	put(m, pc, 8);
	put_ids(m, 7, time);
	put(m, 1000, 8);
	put(m, 2, 8);
	put(m, PERFDATA_CONTEXT_KERNEL, 8);
	put(m, pc, 8);
	end_record(m, record);
}

static void put_feature_text(struct made *m, uint64_t number, const char *text)
{
	const size_t record = begin_record(m, PERFDATA_FEATURE, 0);

	put(m, number, 8);
	put(m, 8, 4);
	put_text(m, text, 8);
	end_record(m, record);
}

/* The kernel of the recording is 0x1000 lower than the one in the list; the offset of its map is where _text is. */
START_TEST(names_the_kernel)
{
	struct made m = { .big = _i };

	begin_pipe(&m, IP_TID_TIME | PERIOD | CHAIN);
	put_feature_text(&m, PERFDATA_HOST, "here");
	put_feature_text(&m, PERFDATA_RELEASE, "6.1.0");
	const size_t record = begin_record(&m, PERFDATA_MMAP, 0);
	put(&m, UINT32_MAX, 4);
	put(&m, UINT32_MAX, 4);
	put(&m, 0xffffffff7ffff008, 8);
	put(&m, 0x50000000, 8);
	put(&m, 0xffffffff7ffff000, 8);
	put_text(&m, "[kernel.kallsyms]_text", 24);
	put_ids(&m, UINT32_MAX, 0);
	end_record(&m, record);
	put_kernel_chain(&m, 20, 0xffffffff7ffff00f); /* its symbol begins before the map */
	put_kernel_chain(&m, 21, 0xffffffff7ffff010);
	put_kernel_chain(&m, 22, 0xffffffff7ffff014);
	put_kernel_chain(&m, 23, 0xffffffffbffff010); /* no module's symbol is moved */
	expect_stacks(&m, NULL,
	              "[kernel.kallsyms]+0xffffffff7ffff00f 1\n"
	              "do_one 1\n"
	              "__x64_sys_one 1\n"
	              "[kernel.kallsyms]+0xffffffffbffff010 1\n");
}
END_TEST

enum {
	READ = 1 << 4,
	EVENT_ID = 1 << 6,
	ATTR_PLACE = 16 + 8,
	READ_FORMAT_PLACE = ATTR_PLACE + 32,
	FLAGS_PLACE = ATTR_PLACE + 40,
	GROUP = 1 << 3,
	WITH_ID = 1 << 2,
};

static void put_at(struct made *m, size_t place, uint64_t value, unsigned width)
{
	struct made word = { .big = m->big };

	put(&word, value, width);
	memcpy(m->data + place, word.data, width);
}

/* A pipe with a group of two events: cpu-clock with the ID 70, page-faults with the ID 71. */
static void begin_group(struct made *m, uint64_t format, bool is_inherited)
{
	struct made second = { .big = m->big };

	begin_pipe(m, IP_TID_TIME | READ | EVENT_ID | PERIOD);
	put_at(m, READ_FORMAT_PLACE, format, 8);
	if (is_inherited)
		m->data[FLAGS_PLACE] |= m->big ? 0x40 : 0x02;
	second = *m;
	memmove(m->data + 16 + 8 + 96 + 8, second.data + 16, 8 + 96);
	put_at(m, 16 + 6, 8 + 96 + 8, 2);
	put_at(m, 16 + 8 + 96, 70, 8);
	memcpy(m->data + 16 + 8 + 96 + 8, second.data + 16, 8 + 96);
	m->size = 16 + 2 * (8 + 96 + 8);
	put_at(m, 16 + 8 + 96 + 8 + 6, 8 + 96 + 8, 2);
	put_at(m, 16 + 8 + 96 + 8 + 8 + 8, 2, 8);
	put_at(m, m->size - 8, 71, 8);
}

/* A sample of the group's leader: what its two counters have come to, with times, or the leader's alone. */
static void put_counted(struct made *m, uint32_t tid, uint64_t time, uint64_t format,
                        uint64_t clock, uint64_t faults)
{
	const size_t record = begin_record(m, PERFDATA_SAMPLE, PERFDATA_MODE_USER);

	put(m, 0x4010, 8);
	put(m, 7, 4);
	put(m, tid, 4);
	put(m, time, 8);
	put(m, 70, 8);
	put(m, 5, 8); /* the period, which does not count */
	put(m, format & GROUP ? 2 : clock, 8);
	put(m, 0x77, 8); /* enabled */
	put(m, 0x78, 8); /* running */
	if (format & GROUP) {
		put(m, clock, 8);
		put(m, 70, 8);
		put(m, faults, 8);
	}
	put(m, format & GROUP ? 71 : 70, 8);
	end_record(m, record);
}

/* A sample of a group is one of each event that has counted something since the sample before. */
START_TEST(counts_groups)
{
	enum { TIMES = 3, FORMAT = GROUP | WITH_ID | TIMES, ALONE = WITH_ID | TIMES };
	struct cairn_recording_counts counts;
	struct made m = { .big = _i };

	begin_group(&m, FORMAT, false);
	put_counted(&m, 7, 20, FORMAT, 1000, 3);
	put_counted(&m, 7, 30, FORMAT, 2500, 3);
	put_counted(&m, 7, 40, FORMAT, 2500, 10);
	put_counted(&m, 8, 50, FORMAT, 2600, 10);
	expect_stacks(&m, "cpu-clock", "made_here 2600\n");
	expect_stacks(&m, "page-faults", "made_here 10\n");
	expect_stacks(&m, "samples", "made_here 5\n");

	/* threads that have counters of their own */
	begin_group(&m, FORMAT, true);
	put_counted(&m, 7, 20, FORMAT, 1000, 0);
	put_counted(&m, 8, 30, FORMAT, 300, 1);
	expect_stacks(&m, "cpu-clock", "made_here 1300\n");
	expect_stacks(&m, "page-faults", "made_here 1\n");

	begin_group(&m, ALONE, false);
	put_counted(&m, 7, 20, ALONE, 1000, 0);
	put_counted(&m, 7, 30, ALONE, 1700, 0);
	expect_stacks(&m, "cpu-clock", "made_here 1700\n");

	/* a list that is longer than the sample */
	begin_group(&m, FORMAT, false);
	put_counted(&m, 7, 20, FORMAT, 1000, 3);
	put_at(&m, m.size - 7 * 8, UINT64_MAX / 16 + 2, 8);
	free(fold(&m, NULL, &counts));
	ck_assert_uint_eq(counts.damaged, 1);
}
END_TEST

/* Where all samples have one period, none tells it; a frequency is no period. */
START_TEST(knows_fixed_periods)
{
	struct made m = { .big = _i };

	for (unsigned is_frequency = 0; is_frequency < 2; is_frequency++) {
		begin_pipe(&m, IP_TID_TIME);
		if (is_frequency)
			m.data[FLAGS_PLACE + 1] |= m.big ? 0x20 : 0x04;
		for (unsigned i = 0; i < 3; i++) {
			const size_t record = begin_record(&m, PERFDATA_SAMPLE, PERFDATA_MODE_USER);
			put(&m, 0x4010, 8);
			put_ids(&m, 7, 20 + i);
			end_record(&m, record);
		}
		expect_stacks(&m, "cpu-clock", is_frequency ? "made_here 3\n" : "made_here 3000\n");
	}
}
END_TEST

enum { BRANCHES = 1 << 11, BRANCH_TYPE_PLACE = 16 + 8 + 72 };

/* A pipe whose event has branches: 1 << 11 are calls, 1 << 17 an index before them, 1 << 19 counters after them. */
static void begin_branches(struct made *m, uint64_t type)
{
	struct made word = { .big = m->big };

	begin_pipe(m, IP_TID_TIME | PERIOD | CHAIN | BRANCHES);
	put(&word, type, 8);
	memcpy(m->data + BRANCH_TYPE_PLACE, word.data, 8);
}

/* A chain of two, and as many branches: 0x5010 to 0x5000, 0x6010 to 0x5000, and so on. */
static void put_branches(struct made *m, uint64_t time, uint64_t type, uint64_t count)
{
	const size_t record = begin_record(m, PERFDATA_SAMPLE, PERFDATA_MODE_USER);

	put(m, 0x4010, 8);
	put_ids(m, 7, time);
	put(m, 1000, 8);
	put(m, 3, 8);
	put(m, PERFDATA_CONTEXT_USER, 8);
	put(m, 0x4010, 8);
	put(m, 0x4020, 8);
	put(m, count, 8);
	if (type & 1 << 17)
		put(m, 0, 8);
	for (unsigned i = 0; i < (count < 4 ? count : 4); i++) {
		put(m, 0x5010 + 0x1000 * i, 8);
		put(m, 0x5000, 8);
		put(m, 0, 8);
	}
	if (type & 1 << 19)
		for (unsigned i = 0; i < count; i++)
			put(m, 0x77, 8);
	end_record(m, record);
}

/* Calls that the processor has kept take the place of a chain; other branches do not, nor does an empty list. */
START_TEST(reads_kept_calls)
{
	static const uint64_t types[] = { 1 << 11, 1 << 11 | 1 << 17, 1 << 11 | 1 << 19,
		                          1 << 11 | 1 << 17 | 1 << 19 };
	struct cairn_recording_counts counts;
	struct made m = { .big = _i };

	for (size_t i = 0; i < COUNT(types); i++) {
		begin_branches(&m, types[i]);
		put_branches(&m, 20, types[i], 2);
		put_branches(&m, 21, types[i], 0);
		expect_stacks(&m, NULL, "0x6010;0x5010;0x5000 1\nmade_here;made_here 1\n");
	}
	begin_branches(&m, 1 << 3);
	put_branches(&m, 20, 1 << 3, 2);
	expect_stacks(&m, NULL, "made_here;made_here 1\n");
	begin_branches(&m, 1 << 11);
	put_branches(&m, 20, 1 << 11, UINT64_MAX / 8);
	free(fold(&m, NULL, &counts));
	ck_assert_uint_eq(counts.damaged, 1);
}
END_TEST

static void put_namespaces(struct made *m, uint32_t pid, uint64_t time, uint64_t count,
                           uint64_t mount)
{
	const size_t record = begin_record(m, PERFDATA_NAMESPACES, 0);

	put(m, pid, 4);
	put(m, pid, 4);
	put(m, count, 8);
	for (unsigned i = 0; i < (count < 7 ? count : 7); i++) {
		put(m, 4, 8);
		put(m, i == 5 ? mount : 0x77, 8);
	}
	put_ids(m, pid, time);
	end_record(m, record);
}

/* Paths of another mount namespace do not lead to files of this machine, but for those of perf's own one, and of children there. */
START_TEST(knows_mount_namespaces)
{
	struct cairn_recording_options options = CAIRN_RECORDING_OPTIONS;
	struct cairn_profiled_module module = { .size = sizeof(module) };
	static const char *const paths[] = { "/bin/a", "/proc/9/root/bin/a",
		                             "/proc/10/root/bin/b" };
	struct cairn_profile *profile;
	struct cairn_fault fault;
	struct made m = { .big = _i };

	begin_pipe(&m, IP_TID_TIME | PERIOD | CHAIN);
	put_namespaces(&m, 7, 1, 7, 0xf0000000);
	put_namespaces(&m, 9, 2, 7, 0xf0000001);
	put_namespaces(&m, 8, 3, 5, 0);              /* none of mounts */
	put_namespaces(&m, 8, 4, UINT64_MAX / 8, 5); /* more than there are */
	put_mmap(&m, 7, 0x4000, 0x100, "/bin/a", 10);
	put_mmap(&m, 8, 0x4000, 0x100, "/bin/a", 10);
	put_mmap(&m, 9, 0x4000, 0x100, "/bin/a", 10);
	put_fork(&m, 10, 9, 15);
	put_mmap(&m, 10, 0x6000, 0x100, "/bin/b", 16);
	for (uint32_t pid = 7; pid <= 9; pid++)
		put_chain(&m, pid, 20 + pid, 0x4010, 0x4020);
	put_chain(&m, 10, 40, 0x6010, 0x6020);
	ck_assert(cairn_profile_open_recording((struct cairn_bytes){ m.data, m.size }, &options,
	                                       &profile, &fault) == CAIRN_OK);
	for (size_t i = 0; i < COUNT(paths); i++) {
		ck_assert(cairn_profile_module(profile, i, &module));
		ck_assert(bytes_are(module.path, paths[i]));
	}
	cairn_profile_close(profile);
}
END_TEST

static void count_told(void *context, struct cairn_bytes bytes)
{
	(void)bytes;
	++*(unsigned *)context;
}

/* The records of a directory are in several files, and are replayed in one order. */
START_TEST(reads_directories)
{
	struct cairn_recording_options options = CAIRN_RECORDING_OPTIONS;
	struct cairn_recording_counts counts = { .size = sizeof(counts) };
	struct cairn_profile *profile;
	struct cairn_fault fault;
	struct made head = { .big = _i }, first = { .big = _i }, second = { .big = _i };
	unsigned told = 0;

	begin_pipe(&head, IP_TID_TIME | PERIOD | CHAIN);
	put_chain(&head, 7, 20, 0x4010, 0x4020);
	put_chain(&first, 7, 50, 0x4010, 0x4020);
	put_mmap(&second, 7, 0x4000, 0x100, "/bin/a", 40);
	put(&second, 1, 4); /* a record that is cut off */
	const struct cairn_bytes parts[] = { { first.data, first.size },
		                             { second.data, second.size } };
	options.parts = parts;
	options.part_count = COUNT(parts);
	options.done_with = count_told;
	options.context = &told;
	ck_assert(cairn_profile_open_recording((struct cairn_bytes){ head.data, head.size },
	                                       &options, &profile, &fault) == CAIRN_OK);
	ck_assert(cairn_profile_recording(profile, &counts));
	ck_assert_uint_eq(counts.samples, 2);
	ck_assert(counts.is_cut);
	ck_assert_uint_eq(told, 0); /* of a small one nobody needs to hear */
	ck_assert_uint_eq(
		cairn_profile_module(profile, 0,
	                             &(struct cairn_profiled_module){
					     .size = sizeof(struct cairn_profiled_module) }),
		1);
	cairn_profile_close(profile);
}
END_TEST

/* A stack that was copied, without files: its leaf is known, and it is cut. */
START_TEST(counts_dumps)
{
	struct cairn_recording_counts counts;
	struct made m = { .big = _i };

	begin_pipe(&m, IP_TID_TIME | PERIOD | REGISTERS | STACK);
	put_mmap(&m, 7, 0x4000, 0x100, "/bin/a", 10);
	const size_t record = begin_record(&m, PERFDATA_SAMPLE, PERFDATA_MODE_USER);
	put(&m, 0x4010, 8);
	put_ids(&m, 7, 20);
	put(&m, 1000, 8);
	put(&m, 2, 8);
	put(&m, 0x7000, 8);
	put(&m, 0x4010, 8);
	put(&m, 16, 8);
	put(&m, 0x4030, 8);
	put(&m, 0, 8);
	put(&m, 8, 8);
	end_record(&m, record);
	char *text = fold(&m, NULL, &counts);
	ck_assert_str_eq(text, "a+0x1010 1\n");
	ck_assert_uint_eq(counts.samples, 1);
	ck_assert_uint_eq(counts.dumps, 1);
	ck_assert_uint_eq(counts.whole, 0);
	ck_assert(!counts.is_cut);
	free(text);
}
END_TEST

/* What is before damage is used, and what is behind it is not. */
START_TEST(reads_cut_recordings)
{
	struct made m = { .big = false };
	struct cairn_recording_counts counts;

	begin_pipe(&m, IP_TID_TIME | PERIOD | CHAIN);
	put_mmap(&m, 7, 0x4000, 0x100, "/bin/a", 10);
	put_chain(&m, 7, 20, 0x4010, 0x4020);
	const size_t whole = m.size;
	put_chain(&m, 7, 30, 0x4010, 0x4020);
	for (size_t size = whole + 1; size < m.size; size++) {
		struct made cut = m;
		cut.size = size;
		char *text = fold(&cut, NULL, &counts);
		ck_assert_str_eq(text, "a+0x101f;a+0x1010 1\n");
		ck_assert(counts.is_cut);
		free(text);
	}
	/* a record of 4 bytes, and a chain that is longer than its sample */
	m.size = whole;
	put(&m, PERFDATA_LOST, 4);
	put(&m, 4 << 16, 4);
	put_chain(&m, 7, 30, 0x4010, 0x4020);
	char *text = fold(&m, NULL, &counts);
	ck_assert_str_eq(text, "a+0x101f;a+0x1010 1\n");
	ck_assert(counts.is_cut && counts.samples == 1);
	free(text);
	m.size = whole;
	put_chain(&m, 7, 30, 0x4010, 0x4020);
	m.data[whole + 8 + 32] = 200;
	text = fold(&m, NULL, &counts);
	ck_assert(!counts.is_cut && counts.samples == 1 && counts.damaged == 1);
	free(text);
}
END_TEST

static const struct {
	const char *name;
	struct cairn_bytes bytes;
	const char *what;
} refused[] = {
	{ "nothing", BYTES(""), "not a perf recording" },
	{ "half a header", BYTES("PERFILE2\x68\0\0\0\0\0\0\0"), "the data ends inside a record" },
	{ "no event", BYTES("PERFILE2\x10\0\0\0\0\0\0\0"), "the recording has no events" },
	{ "small events",
	  BYTES("PERFILE2\x68\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0"
	        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	        "\0\0\0\0\0\0\0"),
	  "the event attribute size is too small" },
	{ "events outside",
	  BYTES("PERFILE2\x68\0\0\0\0\0\0\0\x90\0\0\0\0\0\0\0"
	        "\0\1\0\0\0\0\0\0\x90\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	        "\0\0\0\0\0\0\0"),
	  "a section of the recording is truncated" },
	{ "packed records",
	  BYTES("PERFILE2\x10\0\0\0\0\0\0\0\x51\0\0\0\0\0\x10\0"
	        "12345678"),
	  "cannot decompress the records" },
};

START_TEST(refuses)
{
	const struct cairn_recording_options options = CAIRN_RECORDING_OPTIONS;
	struct cairn_profile *profile;
	struct cairn_fault fault = { .what = "" };

	ck_assert_msg(cairn_profile_open_recording(unit_exact(refused[_i].bytes), &options,
	                                           &profile, &fault) != CAIRN_OK,
	              "%s", refused[_i].name);
	ck_assert_msg(strcmp(fault.what, refused[_i].what) == 0, "%s: %s", refused[_i].name,
	              fault.what);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perfdata");
	TCase *recordings = tcase_create("recordings");

	tcase_add_loop_test(recordings, follows_maps, 0, 2);
	tcase_add_loop_test(recordings, names_made_code, 0, 2);
	tcase_add_loop_test(recordings, names_the_kernel, 0, 2);
	tcase_add_loop_test(recordings, reads_kept_calls, 0, 2);
	tcase_add_loop_test(recordings, counts_groups, 0, 2);
	tcase_add_loop_test(recordings, knows_fixed_periods, 0, 2);
	tcase_add_loop_test(recordings, reads_directories, 0, 2);
	tcase_add_loop_test(recordings, knows_mount_namespaces, 0, 2);
	tcase_add_loop_test(recordings, counts_dumps, 0, 2);
	tcase_add_test(recordings, reads_cut_recordings);
	tcase_add_loop_test(recordings, refuses, 0, COUNT(refused));
	suite_add_tcase(suite, recordings);
	return unit_run(suite);
}
