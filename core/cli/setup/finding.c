/* SPDX-License-Identifier: MIT */
/* Formats what a check of `cairn doctor` found, and its advice. */
#include "finding.h"

#include <stdarg.h>
#include <stdio.h>

void find_what(struct finding *finding, enum finding_state state, const char *format, ...)
{
	va_list arguments;

	finding->state = state;
	va_start(arguments, format);
	vsnprintf(finding->seen, sizeof(finding->seen), format, arguments);
	va_end(arguments);
}

void find_advice(struct finding *finding, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding->advice, sizeof(finding->advice), format, arguments);
	va_end(arguments);
}
