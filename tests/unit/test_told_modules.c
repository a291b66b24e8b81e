/* SPDX-License-Identifier: MIT */
/* Which frames of a text get a module that the host has told, and their place in it. */
#include "unit.h"

#include "base/bytes.h"
#include "process/capture/backtraces.h"

static const uint8_t id[] = { 0x93, 0xac, 0x61, 0xec, 0x5a, 0x8e, 0xb1, 0x39, 0x6f, 0x9f,
	                      0xbd, 0x35, 0x0e, 0x31, 0x69, 0xa5, 0x58, 0x52, 0x8a, 0x40 };
static const char digits[] = "93ac61ec5a8eb1396f9fbd350e3169a558528a40";
static const uint8_t long_id[65] = { 1 };

static struct cairn_bytes bytes_of_word(const char *word)
{
	return (struct cairn_bytes){ (const uint8_t *)word, strlen(word) };
}

static struct cairn_captured_module module_at(uint64_t low, uint64_t high, uint64_t bias,
                                              const char *path)
{
	return (struct cairn_captured_module){ .pcs = { low, high },
		                               .bias = bias,
		                               .path = bytes_of_word(path),
		                               .build_id = { id, 20 } };
}

static const struct {
	const char *name;
	enum captured_pc pc;
	uint64_t address;
	const char *module, *id; /* as in the text */
	const char *path;        /* as the host has it; NULL: the frame stays as it was */
	uint64_t offset;
} rows[] = {
	{ "the first byte", CAPTURED_PC_EXACT, 0x10000, "", "", "/srv/first", 0x1000 },
	{ "behind the last byte", CAPTURED_PC_EXACT, 0x12000, "", "", NULL, 0 },
	{ "before the first byte", CAPTURED_PC_EXACT, 0xffff, "", "", NULL, 0 },
	{ "a call that is the last instruction", CAPTURED_PC_RETURN, 0x12000, "", "", "/srv/first",
	  0x3000 },
	{ "a return address that is the first byte", CAPTURED_PC_RETURN, 0x10000, "", "", NULL, 0 },
	{ "a byte of a call", CAPTURED_PC_CALL, 0x11fff, "", "", "/srv/first", 0x2fff },
	{ "no return address at all", CAPTURED_PC_RETURN, 0, "", "", NULL, 0 },
	{ "the second module", CAPTURED_PC_EXACT, 0x20010, "", "", "/usr/lib/second.so", 0x10 },
	{ "a module without a path", CAPTURED_PC_EXACT, 0x30010, "", "", NULL, 0 },
	{ "the text has its name", CAPTURED_PC_EXACT, 0x20010, "second.so", "",
	  "/usr/lib/second.so", 0x10 },
	{ "the text has another path of it", CAPTURED_PC_EXACT, 0x20010, "/lib/second.so", "",
	  "/usr/lib/second.so", 0x10 },
	{ "the text has another name", CAPTURED_PC_EXACT, 0x20010, "/usr/lib/third.so", "", NULL,
	  0 },
	{ "a name that only ends like it", CAPTURED_PC_EXACT, 0x20010, "asecond.so", "", NULL, 0 },
	{ "the text has its build", CAPTURED_PC_EXACT, 0x20010, "second.so", "00112233", NULL, 0 },
};

/* The program of all rows: three modules, of which one has no path. */
static void place(struct captured *c, struct captured_step *step,
                  struct cairn_captured_options *options,
                  const struct cairn_captured_module *modules, size_t count)
{
	options->modules = modules;
	options->module_count = count;
	*c = (struct captured){ .options = options, .steps = step, .step_count = 1 };
	captured_place_in_modules(c);
	ck_assert(!c->scarce);
}

START_TEST(places)
{
	const struct cairn_captured_module modules[] = {
		module_at(0x10000, 0x12000, 0xf000, "/srv/first"),
		module_at(0x20000, 0x21000, 0x20000, "/usr/lib/second.so"),
		module_at(0x30000, 0x31000, 0x30000, ""),
	};
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct captured_step step = { .frame = { .pc = rows[_i].pc,
		                                 .has_address = true,
		                                 .address = rows[_i].address,
		                                 .module = bytes_of_word(rows[_i].module),
		                                 .id = bytes_of_word(rows[_i].id) } };
	const char *path = rows[_i].path ? rows[_i].path : rows[_i].module;
	struct captured c;

	place(&c, &step, &options, modules, COUNT(modules));
	ck_assert_msg(bytes_are(step.frame.module, path), "%s", rows[_i].name);
	ck_assert_msg(bytes_are(step.frame.id, rows[_i].path ? digits : rows[_i].id), "%s",
	              rows[_i].name);
	ck_assert_int_eq(step.frame.origin,
	                 rows[_i].path ? CAPTURED_FROM_ZERO : CAPTURED_NO_OFFSET);
	ck_assert_uint_eq(step.frame.offset, rows[_i].offset);
	free(c.ids);
}
END_TEST

START_TEST(frames_without_address)
{
	const struct cairn_captured_module all = module_at(0, UINT64_MAX, 0, "/srv/all");
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct captured_step step = { .frame = { .has_address = false } };
	struct captured c;

	place(&c, &step, &options, &all, 1);
	ck_assert_int_eq(step.frame.origin, CAPTURED_NO_OFFSET);
	ck_assert_uint_eq(step.frame.module.size, 0);
	free(c.ids);
}
END_TEST

/* An ID that no build has is none: the file that is there is taken unchecked. */
START_TEST(long_build_id)
{
	struct cairn_captured_module module = module_at(0x10000, 0x12000, 0, "/srv/first");
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct captured_step step = { .frame = { .has_address = true, .address = 0x10001 } };
	struct captured c;

	module.build_id = (struct cairn_bytes){ long_id, sizeof(long_id) };
	place(&c, &step, &options, &module, 1);
	ck_assert(bytes_are(step.frame.module, "/srv/first"));
	ck_assert_uint_eq(step.frame.id.size, 0);
	free(c.ids);
	step.frame = (struct captured_frame){ .has_address = true, .address = 0x10001 };
	module.build_id.size = 64;
	place(&c, &step, &options, &module, 1);
	ck_assert_uint_eq(step.frame.id.size, 128);
	ck_assert(memcmp(step.frame.id.data, "0100", 4) == 0);
	free(c.ids);
}
END_TEST

START_TEST(no_modules)
{
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct captured_step step = { .frame = { .has_address = true, .address = 0x10001 } };
	struct captured c;

	place(&c, &step, &options, NULL, 0);
	ck_assert(!c.ids);
	ck_assert_uint_eq(step.frame.module.size, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("told_modules");
	TCase *tcase = tcase_create("told_modules");

	tcase_add_loop_test(tcase, places, 0, COUNT(rows));
	tcase_add_test(tcase, frames_without_address);
	tcase_add_test(tcase, long_build_id);
	tcase_add_test(tcase, no_modules);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
