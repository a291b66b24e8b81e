/* SPDX-License-Identifier: MIT */
/* Tests the notes of core files: each machine's registers, and a row for each way to be damaged. */
#include "formats/corenotes.h"
#include "unit.h"

enum { CAPACITY = 1024 };

static const struct corenotes_layout amd64 = { CAIRN_MACHINE_AMD64, true, false };
static const struct corenotes_layout aarch64 = { CAIRN_MACHINE_AARCH64, true, false };
static const struct corenotes_layout s390x = { CAIRN_MACHINE_S390X, true, true };
static const struct corenotes_layout i386 = { CAIRN_MACHINE_I386, false, false };
static const struct corenotes_layout ppc64 = { CAIRN_MACHINE_PPC64, true, true };
static const struct corenotes_layout ppc64le = { CAIRN_MACHINE_PPC64, true, false };
static const struct corenotes_layout riscv64 = { CAIRN_MACHINE_RISCV64, true, false };
static const struct corenotes_layout x32 = { CAIRN_MACHINE_X32, false, false };
static const struct corenotes_layout s390 = { CAIRN_MACHINE_S390, false, true };
static const struct corenotes_layout ppc = { CAIRN_MACHINE_PPC, false, true };
static const struct corenotes_layout arm = { CAIRN_MACHINE_ARM, false, false };
static const struct corenotes_layout narrow = { CAIRN_MACHINE_NONE, false, false };

static void put(uint8_t *at, uint64_t value, size_t size, bool big)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
}

/* prstatus whose registers are 100, 101, ... */
static struct cairn_bytes make_prstatus(const struct corenotes_layout *layout, size_t registers,
                                        uint8_t bytes[CAPACITY])
{
	const size_t word = layout->wide ? 8 : 4, at = 32 + 2 * word + 8 * word;
	const size_t size = layout->machine == CAIRN_MACHINE_X32 ? 8 : word;

	memset(bytes, 0, CAPACITY);
	put(bytes + 12, 11, 2, layout->big);
	put(bytes + 16 + 2 * word, 4321, 4, layout->big);
	for (size_t i = 0; i < registers; i++)
		put(bytes + at + i * size, 100 + i, size, layout->big);
	return (struct cairn_bytes){ bytes, at + registers * size };
}

static const struct {
	const struct corenotes_layout *layout;
	size_t registers;
	uint64_t pc;
	struct {
		unsigned number;
		uint64_t value;
	} expect[3];
} machines[] = {
	{ &amd64, 27, 116, { { 7, 119 }, { 6, 104 }, { 15, 100 } } },
	{ &aarch64, 34, 132, { { 31, 131 }, { 29, 129 }, { 30, 130 } } },
	{ &s390x, 18, 101, { { 15, 117 }, { 14, 116 }, { 0, 102 } } },
	{ &i386, 17, 112, { { 4, 115 }, { 5, 105 }, { 0, 106 } } },
	{ &ppc64, 48, 132, { { 1, 101 }, { 31, 131 }, { 32, 136 } } },
	{ &ppc64le, 48, 132, { { 1, 101 }, { 31, 131 }, { 32, 136 } } },
	{ &riscv64, 32, 100, { { 1, 101 }, { 2, 102 }, { 8, 108 } } },
	{ &x32, 27, 116, { { 7, 119 }, { 6, 104 }, { 15, 100 } } },
	{ &s390, 18, 101, { { 15, 117 }, { 14, 116 }, { 0, 102 } } },
	{ &ppc, 48, 132, { { 1, 101 }, { 31, 131 }, { 32, 136 } } },
	{ &arm, 18, 115, { { 13, 113 }, { 14, 114 }, { 11, 111 } } },
};

START_TEST(reads_the_registers_of_a_machine)
{
	uint8_t bytes[CAPACITY];
	struct corenote_thread thread;
	struct cairn_fault fault;
	struct cairn_bytes body = make_prstatus(machines[_i].layout, machines[_i].registers, bytes);

	ck_assert_int_eq(corenote_thread(machines[_i].layout, unit_exact(body), &thread, &fault),
	                 CAIRN_OK);
	ck_assert_uint_eq(thread.tid, 4321);
	ck_assert_uint_eq(thread.signal, 11);
	ck_assert_uint_eq(thread.registers.pc, machines[_i].pc);
	for (size_t i = 0; i < COUNT(machines[_i].expect); i++) {
		unsigned number = machines[_i].expect[i].number;
		ck_assert(thread.registers.known >> number & 1);
		ck_assert_uint_eq(thread.registers.value[number], machines[_i].expect[i].value);
	}
}
END_TEST

static const struct {
	const struct corenotes_layout *layout;
	const char *set; /* of 16 bytes */
	size_t size;
	uint64_t pointer;
} tls_sets[] = {
	{ &i386, "\x0c\0\0\0\x40\x01\xf0\xf7\xff\xff\xff\xff\x51\0\0\0", 16, 0xf7f00140 },
	{ &i386, "\x0c\0\0\0\x40\x01\xf0\xf7\xff\xff\xff\xff\x51\0\0\0", 8, 0xf7f00140 },
	{ &i386, "\x0c\0\0\0\x40\x01\xf0\xf7\xff\xff\xff\xff\x51\0\0\0", 7, 0 },
	{ &aarch64, "\x40\x01\xf0\xf7\xff\x7f\0\0\x51\0\0\0\0\0\0\0", 16, 0x7ffff7f00140 },
	{ &aarch64, "\x40\x01\xf0\xf7\xff\x7f\0\0", 7, 0 },
	{ &amd64, "\x40\x01\xf0\xf7\xff\x7f\0\0\x51\0\0\0\0\0\0", 16, 0 },
};

START_TEST(finds_the_thread_pointer_beside_the_registers)
{
	const struct cairn_bytes set = { (const uint8_t *)tls_sets[_i].set, tls_sets[_i].size };

	ck_assert_uint_eq(corenote_tls_thread_pointer(tls_sets[_i].layout, unit_exact(set)),
	                  tls_sets[_i].pointer);
}
END_TEST

/* The mode of 31 bits is marked in the pc, and is no part of it. */
START_TEST(reads_where_signatures_are)
{
	static const struct cairn_bytes body = BYTES("\1\2\3\4\5\6\7\10\0\0\0\0\200\377\177\0");
	const struct corenotes_layout signed_pointers = { CAIRN_MACHINE_AARCH64, true, false };
	const struct corenotes_layout other = { CAIRN_MACHINE_AMD64, true, false };
	struct cairn_bytes cut = { body.data, body.size - 1 };

	ck_assert_uint_eq(corenote_signature_bits(&signed_pointers, unit_exact(body)),
	                  UINT64_C(0x007fff8000000000));
	ck_assert_uint_eq(corenote_signature_bits(&signed_pointers, unit_exact(cut)), 0);
	ck_assert_uint_eq(corenote_signature_bits(&other, unit_exact(body)), 0);
}
END_TEST

START_TEST(drops_the_mode_from_the_pc)
{
	uint8_t bytes[CAPACITY];
	struct corenote_thread thread;
	struct cairn_fault fault;
	struct cairn_bytes body = make_prstatus(&s390, 36, bytes);

	put(bytes + 72 + 4, 0x80401234, 4, true);
	put(bytes + 72 + 18 * 4, 0x77f00140, 4, true);
	ck_assert_int_eq(corenote_thread(&s390, body, &thread, &fault), CAIRN_OK);
	ck_assert_uint_eq(thread.registers.pc, 0x401234);
	ck_assert_uint_eq(thread.thread_pointer, 0x77f00140);
}
END_TEST

static const struct {
	const struct corenotes_layout *layout;
	size_t size, pid; /* of the record; where the number of the process is in it */
} processes[] = {
	{ &amd64, 136, 24 },
	{ &i386, 124, 12 },
	{ &x32, 124, 12 },
	{ &ppc, 128, 16 },
};

START_TEST(finds_the_process_behind_ids_of_each_width)
{
	uint8_t bytes[CAPACITY] = { 0 };
	struct corenote_process process;
	struct cairn_fault fault;
	const size_t pid = processes[_i].pid;
	const struct cairn_bytes body = { bytes, processes[_i].size };

	put(bytes + pid, 99, 4, processes[_i].layout->big);
	memcpy(bytes + pid + 16, "name", 4);
	memcpy(bytes + pid + 32, "name argument", 13);
	ck_assert_int_eq(corenote_process(processes[_i].layout, unit_exact(body), &process, &fault),
	                 CAIRN_OK);
	ck_assert_uint_eq(process.pid, 99);
	ck_assert(process.name.size == 4 && memcmp(process.name.data, "name", 4) == 0);
	ck_assert_uint_eq(process.arguments.size, 13);
}
END_TEST

START_TEST(knows_the_thread_of_a_machine_without_registers)
{
	uint8_t bytes[CAPACITY];
	struct corenote_thread thread;
	struct cairn_fault fault;
	struct cairn_bytes body = make_prstatus(&narrow, 17, bytes);

	ck_assert_int_eq(corenote_thread(&narrow, body, &thread, &fault), CAIRN_OK);
	ck_assert_uint_eq(thread.tid, 4321);
	ck_assert_int_eq(thread.registers.machine, CAIRN_MACHINE_NONE);
}
END_TEST

/* Cut anywhere the fault is in the bytes that are there, and nothing is filled in. */
START_TEST(rejects_a_thread_that_is_cut)
{
	uint8_t bytes[CAPACITY];
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct cairn_bytes body = make_prstatus(&amd64, 20, bytes);

	for (size_t size = 0; size < body.size; size++) {
		struct corenote_thread thread = { .tid = 7 };
		struct cairn_bytes cut = unit_exact((struct cairn_bytes){ bytes, size });
		ck_assert_int_eq(corenote_thread(&amd64, cut, &thread, &fault), CAIRN_TRUNCATED);
		ck_assert_uint_le(fault.offset, size);
		ck_assert_uint_eq(thread.tid, 7);
	}
}
END_TEST

START_TEST(reads_the_floating_registers_that_calls_preserve)
{
	uint8_t bytes[CAPACITY] = { 0 };
	struct cairn_registers registers = { .machine = CAIRN_MACHINE_S390X };

	for (size_t i = 0; i < 16; i++)
		put(bytes + 8 + 8 * i, 200 + i, 8, true);
	corenote_fp_registers(&s390x, (struct cairn_bytes){ bytes, 8 + 15 * 8 }, &registers);
	ck_assert_uint_eq(registers.known, 0);
	corenote_fp_registers(&s390x, (struct cairn_bytes){ bytes, 8 + 16 * 8 }, &registers);
	ck_assert_uint_eq(registers.value[24], 208);
	ck_assert_uint_eq(registers.value[31], 215);
}
END_TEST

#define NOTE(name_size, size, type, rest) BYTES(name_size "\0\0\0" size "\0\0\0" type "\0\0\0" rest)

static const struct {
	const char *name;
	struct cairn_bytes notes;
	unsigned count;
	enum cairn_status status;
	uint64_t fault;
} runs[] = {
	{ "none", BYTES(""), 0, CAIRN_OK, 0 },
	{ "of another owner", NOTE("\4", "\1", "\3", "GNU\0x\0\0\0"), 0, CAIRN_OK, 0 },
	{ "one", NOTE("\5", "\4", "\1", "CORE\0\0\0\0abcd"), 1, CAIRN_OK, 0 },
	{ "of Linux", NOTE("\6", "\4", "\2", "LINUX\0\0\0abcd"), 1, CAIRN_OK, 0 },
	{ "without its last padding", NOTE("\5", "\1", "\1", "CORE\0\0\0\0a"), 1, CAIRN_OK, 0 },
	{ "cut in its head", BYTES("\5\0\0\0\4"), 0, CAIRN_TRUNCATED, 4 },
	{ "cut in its name", NOTE("\5", "\4", "\1", "COR"), 0, CAIRN_TRUNCATED, 12 },
	{ "cut in its body", NOTE("\5", "\4", "\1", "CORE\0\0\0\0abc"), 0, CAIRN_TRUNCATED, 20 },
	{ "a name of 4 GiB", BYTES("\377\377\377\377\4\0\0\0\1\0\0\0CORE"), 0, CAIRN_TRUNCATED,
	  12 },
	{ "a body of 4 GiB", BYTES("\5\0\0\0\377\377\377\377\1\0\0\0CORE\0\0\0\0"), 0,
	  CAIRN_TRUNCATED, 20 },
	{ "the second is cut",
	  BYTES("\5\0\0\0\4\0\0\0\1\0\0\0CORE\0\0\0\0abcd"
	        "\5\0\0\0\4\0\0\0"),
	  1, CAIRN_TRUNCATED, 32 },
};

START_TEST(reads_a_run_of_notes)
{
	struct corenotes notes = corenotes_open(unit_exact(runs[_i].notes), false);
	struct corenote note;
	unsigned count = 0;

	while (corenotes_next(&notes, &note)) {
		ck_assert_uint_le(note.offset + note.body.size, runs[_i].notes.size);
		count++;
	}
	ck_assert_msg(count == runs[_i].count, "%s: %u notes", runs[_i].name, count);
	ck_assert_int_eq(notes.in.fault.status, runs[_i].status);
	ck_assert_msg(notes.in.fault.offset == runs[_i].fault, "%s: fault at %llu", runs[_i].name,
	              (unsigned long long)notes.in.fault.offset);
}
END_TEST

#define WORD(low) low "\0\0\0"

static const struct {
	const char *name;
	struct cairn_bytes body;
	enum cairn_status status;
	uint64_t fault;
	unsigned files, named;
} file_rows[] = {
	{ "none", BYTES(WORD("\0") WORD("\1")), CAIRN_OK, 0, 0, 0 },
	{ "one", BYTES(WORD("\1") WORD("\2") WORD("a") WORD("b") WORD("\3") "/x"), CAIRN_OK, 0, 1,
	  1 },
	{ "a path is missing",
	  BYTES(WORD("\2") WORD("\1") WORD("a") WORD("b") WORD("\0") WORD("b") WORD("c")
	                WORD("\0") "/x"),
	  CAIRN_OK, 0, 2, 1 },
	{ "cut in the count", BYTES("\1\0"), CAIRN_TRUNCATED, 0, 0, 0 },
	{ "more than bytes", BYTES(WORD("\2") WORD("\1") WORD("a") WORD("b") WORD("\0")),
	  CAIRN_MALFORMED, 0, 0, 0 },
	{ "2^32 files", BYTES("\377\377\377\377\1\0\0\0"), CAIRN_MALFORMED, 0, 0, 0 },
	{ "pages of no bytes", BYTES(WORD("\0") WORD("\0")), CAIRN_MALFORMED, 4, 0, 0 },
	{ "pages of 2 GiB", BYTES(WORD("\0") "\0\0\0\x80"), CAIRN_MALFORMED, 4, 0, 0 },
};

START_TEST(reads_the_mapped_files)
{
	struct cairn_bytes body = file_rows[_i].body;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct corenote_files files;
	struct corenote_file file;
	unsigned count = 0, named = 0;

	/* the literal's own zero ends the last path */
	body.size += file_rows[_i].named > 0;
	enum cairn_status status = corenote_files_open(&narrow, unit_exact(body), &files, &fault);
	ck_assert_msg(status == file_rows[_i].status, "%s", file_rows[_i].name);
	ck_assert_uint_eq(fault.offset, file_rows[_i].fault);
	while (status == CAIRN_OK && corenote_files_next(&files, &file)) {
		named += file.path.size > 0;
		count++;
	}
	ck_assert_uint_eq(count, file_rows[_i].files);
	ck_assert_uint_eq(named, file_rows[_i].named);
}
END_TEST

START_TEST(counts_file_offsets_in_pages)
{
	struct cairn_bytes body =
		BYTES(WORD("\1") WORD("\2") WORD("a") WORD("b") WORD("\3") "/x\0");
	struct corenote_files files;
	struct corenote_file file;
	struct cairn_fault fault;

	ck_assert_int_eq(corenote_files_open(&narrow, body, &files, &fault), CAIRN_OK);
	ck_assert(corenote_files_next(&files, &file));
	ck_assert_uint_eq(file.low, 'a');
	ck_assert_uint_eq(file.offset, 6);
	ck_assert(!corenote_files_next(&files, &file));
}
END_TEST

START_TEST(reads_the_process_and_the_signal)
{
	uint8_t bytes[CAPACITY] = { 0 };
	struct corenote_process process;
	struct corenote_signal signal;
	struct cairn_fault fault;

	put(bytes + 24, 99, 4, false);
	memset(bytes + 40, 'n', 16);
	memcpy(bytes + 56, "prog arg  ", 10);
	for (size_t size = 0; size < 136; size++)
		ck_assert_int_eq(corenote_process(&amd64, (struct cairn_bytes){ bytes, size },
		                                  &process, &fault),
		                 CAIRN_TRUNCATED);
	ck_assert_int_eq(
		corenote_process(&amd64, (struct cairn_bytes){ bytes, 136 }, &process, &fault),
		CAIRN_OK);
	ck_assert_uint_eq(process.pid, 99);
	ck_assert_uint_eq(process.name.size, 16);
	ck_assert_uint_eq(process.arguments.size, 8);
	memset(bytes, 0, sizeof(bytes));
	put(bytes, 11, 4, false);
	put(bytes + 8, (uint64_t)-6, 4, false);
	put(bytes + 16, 0x200000001, 8, false);
	ck_assert_int_eq(
		corenote_signal(&amd64, (struct cairn_bytes){ bytes, 16 }, &signal, &fault),
		CAIRN_TRUNCATED);
	ck_assert_int_eq(
		corenote_signal(&amd64, (struct cairn_bytes){ bytes, 24 }, &signal, &fault),
		CAIRN_OK);
	ck_assert_int_eq(signal.code, -6);
	ck_assert_uint_eq(signal.address, 0x200000001);
	ck_assert_uint_eq(signal.sender, 1);
	ck_assert_uint_eq(signal.sender_user, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("corenotes");
	TCase *tcase = tcase_create("corenotes");

	tcase_add_loop_test(tcase, reads_the_registers_of_a_machine, 0, COUNT(machines));
	tcase_add_loop_test(tcase, finds_the_thread_pointer_beside_the_registers, 0,
	                    COUNT(tls_sets));
	tcase_add_test(tcase, drops_the_mode_from_the_pc);
	tcase_add_test(tcase, reads_where_signatures_are);
	tcase_add_loop_test(tcase, finds_the_process_behind_ids_of_each_width, 0, COUNT(processes));
	tcase_add_test(tcase, knows_the_thread_of_a_machine_without_registers);
	tcase_add_test(tcase, rejects_a_thread_that_is_cut);
	tcase_add_test(tcase, reads_the_floating_registers_that_calls_preserve);
	tcase_add_loop_test(tcase, reads_a_run_of_notes, 0, COUNT(runs));
	tcase_add_loop_test(tcase, reads_the_mapped_files, 0, COUNT(file_rows));
	tcase_add_test(tcase, counts_file_offsets_in_pages);
	tcase_add_test(tcase, reads_the_process_and_the_signal);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
