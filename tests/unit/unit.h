/* SPDX-License-Identifier: MIT */
/*
 * What every unit test needs: rows of bytes, their number, and a main that prints TAP.  Check runs
 * each test in a process of its own, so that a crash is one failure; CK_FORK=no for a debugger.
 */
#ifndef CAIRN_TESTS_UNIT_H
#define CAIRN_TESTS_UNIT_H

#include <cairn.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each assertion that holds tells Check where the test is, in a file, for the report of a crash.  In a loop that is what takes
 * the time: each place tells it once in a process.
 */
#define _mark_point(file, line)                        \
	__extension__({                                \
		static _Thread_local bool unit_passed; \
		if (!unit_passed) {                    \
			unit_passed = true;            \
			(_mark_point)(file, line);     \
		}                                      \
	})

#define BYTES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A heap copy of just this size, so that a sanitizer sees the first byte too far. */
static inline struct cairn_bytes unit_exact(struct cairn_bytes in)
{
	static uint8_t *held;

	free(held);
	held = malloc(in.size ? in.size : 1);
	ck_assert_ptr_nonnull(held);
	memcpy(held, in.data, in.size);
	return (struct cairn_bytes){ held, in.size };
}

/* Check gives a test four seconds of the clock, which a busy machine may not give; Meson ends what hangs. */
__attribute__((constructor)) static void unit_give_time(void)
{
	setenv("CK_DEFAULT_TIMEOUT", "100", 0);
}

/*
 * Most tests are linked into one program (unit_main.c), which runs the test named by its argument. There main() of each
 * test is static, and the program finds it by the name of the file.
 */
struct unit {
	const char *file;
	int (*run)(void);
	struct unit *next;
};
void unit_register(struct unit *unit);

#ifdef UNIT_TOGETHER
static int unit_main(void);
#define main unit_main

__attribute__((constructor)) static void unit_register_main(void)
{
	static struct unit unit = { .file = __BASE_FILE__, .run = unit_main };

	unit_register(&unit);
}
#endif

static inline int unit_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);

	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A function's row that tells nothing of statements. */
#define ROW(at, number, of)                                \
	{                                                  \
		.va = (at), .file = (number), .line = (of) \
	}

#endif
