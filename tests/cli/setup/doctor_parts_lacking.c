/* SPDX-License-Identifier: MIT */
/* Prints what the doctor says of the libraries of the build that meson.build describes to it. */
#include "cli/setup.h"

#include <stdio.h>

int main(void)
{
	struct finding finding = { .check = "libraries" };

	doctor_parts(&finding);
	printf("%s\n%s\n%s\n", finding.state == FINDING_OK ? "ok" : "note", finding.seen,
	       finding.advice);
	return 0;
}
