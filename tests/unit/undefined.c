/* SPDX-License-Identifier: MIT */
/* Runs undefined behaviour on purpose: with UndefinedBehaviorSanitizer it must fail. */
#include <limits.h>

int main(int argc, char **argv)
{
	volatile int most = INT_MAX;

	(void)argv;
	most += argc;
	return most == 0;
}
