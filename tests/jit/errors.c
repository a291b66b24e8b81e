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

int main(int argc, char **argv)
{
	static unsigned char code[16];
	const struct cairn_jit_function good = { .code = code,
		                                 .size = sizeof(code),
		                                 .frame = { .kind = CAIRN_JIT_NO_FRAME } };
	struct cairn_jit_function bad[4] = { good, good, good, good };

	if (argc > 1 && strcmp(argv[1], "off") == 0) {
		expect("nothing is registered", &good, ECANCELED);
		return failed;
	}
	bad[0].code = NULL;
	bad[1].size = 0;
	bad[2].line_count = 1;
	bad[3].frame = (struct cairn_jit_frame){ .kind = CAIRN_JIT_ROWS };
	for (unsigned i = 0; i < 4; i++)
		expect("a function that contradicts the header", &bad[i], EINVAL);
	cairn_jit_code *added = cairn_jit_add(&good);
	if (!added) {
		printf("a sound function: %s\n", strerror(errno));
		failed = 1;
	}
	cairn_jit_remove(added);
	return failed;
}
