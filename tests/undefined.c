/* SPDX-License-Identifier: MIT */
/* Does what C does not define: with UndefinedBehaviorSanitizer it must end with a failure. */
#include <limits.h>

int main(int argc, char **argv)
{
	volatile int most = INT_MAX;

	(void)argv;
	most += argc;
	return 0;
}
