/* SPDX-License-Identifier: MIT */
/* Tells cairn_jit_add() why it registers nothing?  With the argument "off" under CAIRN_JIT=off. */
#include <cairn_jit.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int failed;

static void expect(const char *what, const struct cairn_jit_function *function, int wanted)
{
	errno = 0;
	if (cairn_jit_add(function) || errno != wanted) {
		printf("%s: %s, not %s\n", what, strerror(errno), strerror(wanted));
		failed = 1;
	}
}

/* cairn_jit_problem() has exactly this answer, NULL for none, and cairn_jit_add() agrees. */
static void expect_problem(const struct cairn_jit_function *function, const char *wanted)
{
	const char *problem = cairn_jit_problem(function);

	if (wanted && problem && strcmp(problem, wanted) == 0) {
		expect(wanted, function, EINVAL);
	} else if (wanted || problem) {
		printf("%s, not %s\n", problem ? problem : "no problem",
		       wanted ? wanted : "none");
		failed = 1;
	}
}

static unsigned char code[16];
static const struct cairn_jit_function good = { .code = code,
	                                        .size = sizeof(code),
	                                        .frame = { .kind = CAIRN_JIT_NO_FRAME } };

static void check_descriptions(void)
{
	const struct cairn_jit_line lines[] = { { 0, 1 }, { 16, 2 }, { 8, 3 }, { 4, 4 } };
	struct cairn_jit_function bad = good;

	bad.code = NULL;
	expect_problem(&bad, "`code` is NULL");
	bad = good;
	bad.size = 0;
	expect_problem(&bad, "the size of the code is 0 or larger than UINT32_MAX");
	bad = good;
	bad.code = (const void *)(UINTPTR_MAX - 15);
	expect_problem(&bad, "the code extends beyond the last address");
	bad = good;
	bad.line_count = 1;
	expect_problem(&bad, "`lines` is NULL, but its count is not 0");
	bad.file = "a.js";
	bad.lines = lines;
	expect_problem(&bad, NULL);
	bad.line_count = 2;
	expect_problem(&bad, "the offset of a line is outside the code");
	bad.lines = &lines[2];
	expect_problem(&bad, "the lines are not sorted by offset");
}

static void expect_rows(const struct cairn_jit_row *rows, size_t count, const char *wanted)
{
	struct cairn_jit_function function = good;

	function.frame = (struct cairn_jit_frame){ .kind = CAIRN_JIT_ROWS,
		                                   .rows = rows,
		                                   .row_count = count };
	expect_problem(&function, wanted);
}

static void check_rows(void)
{
	const struct cairn_jit_saved odd = { 1, -12 }, twice[] = { { 3, -16 }, { 3, -24 } };
	const struct cairn_jit_saved far_register = { 128, -16 };
	const struct cairn_jit_row sound[] = { { 0, 7, 8, NULL, 0 }, { 4, 7, 16, NULL, 0 } };
	struct cairn_jit_row row = sound[0];

	expect_rows(sound, 2, NULL);
	expect_rows(NULL, 0, "there are no rows");
	expect_rows(NULL, 1, "there are no rows");
	expect_rows(&sound[1], 1, "the first row is not for offset 0");
	row.saved_count = 1;
	expect_rows(&row, 1, "`saved` of a row is NULL, but its count is not 0");
	row.saved = &odd;
	expect_rows(&row, 1, "the offset of a saved register is not a multiple of 8");
	row.saved = &far_register;
	expect_rows(&row, 1, "the DWARF number of a register is larger than 127");
	row.saved = twice;
	row.saved_count = 2;
	expect_rows(&row, 1, "a register is saved twice");
	row.saved_count = CAIRN_JIT_SAVED_MAX + 1;
	expect_rows(&row, 1, "a row saves more than CAIRN_JIT_SAVED_MAX registers");
	row = sound[0];
	row.cfa_offset = -4;
	expect_rows(&row, 1, "a negative CFA offset is not a multiple of 8");
	row = sound[0];
	row.cfa_register = 128;
	expect_rows(&row, 1, "the DWARF number of a register is larger than 127");
	expect_rows((struct cairn_jit_row[]){ sound[0], sound[0] }, 2,
	            "the offsets of the rows do not ascend");
	expect_rows((struct cairn_jit_row[]){ sound[0], { .offset = 16 } }, 2,
	            "the offset of a row is outside the code");
}

static void check_templates(void)
{
	const uint32_t exits[] = { 15, 15 };
	const uint16_t saves[CAIRN_JIT_SAVED_MAX] = { 3 };
	struct cairn_jit_function function = good;
	struct cairn_jit_frame *frame = &function.frame;

	frame->kind = (enum cairn_jit_frame_kind)99;
	expect_problem(&function, "frame.kind is not a value of enum cairn_jit_frame_kind");
	frame->kind = CAIRN_JIT_SET_UP;
	expect_problem(&function, "CAIRN_JIT_SET_UP needs exactly one row");
	frame->kind = CAIRN_JIT_FRAME_POINTER;
	frame->exit_count = 1;
	expect_problem(&function, "`saves` or `exits` is NULL, but its count is not 0");
	frame->exits = exits;
	frame->saves = saves;
	frame->save_count = CAIRN_JIT_SAVED_MAX - 1;
	expect_problem(&function, "save_count is larger than CAIRN_JIT_SAVED_MAX - 2");
#if defined(__x86_64__)
	frame->save_count = 1;
	expect_problem(&function, NULL);
	frame->exit_count = 2;
	expect_problem(&function,
	               "the exits do not ascend, or one overlaps another or the prologue");
	frame->prologue = 13;
	expect_problem(&function, "the prologue or an exit extends beyond the code");
	frame->kind = CAIRN_JIT_FIXED_FRAME;
	frame->frame_size = UINT32_MAX;
	expect_problem(&function, "frame_size is larger than 1 GiB");
	frame->prologue = 0;
	frame->frame_size = 16;
	frame->exit_count = 1;
	expect_problem(&function, "the prologue or an exit extends beyond the code");
#endif
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "off") == 0) {
		expect("nothing is registered", &good, ECANCELED);
		if (cairn_jit_problem(&good))
			failed = 1;
		return failed;
	}
	check_descriptions();
	check_rows();
	check_templates();
	cairn_jit_code *added = cairn_jit_add(&good);
	if (!added || cairn_jit_problem(&good)) {
		printf("a sound function: %s\n", strerror(errno));
		failed = 1;
	}
	cairn_jit_remove(added);
	return failed;
}
