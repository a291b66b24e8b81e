/* SPDX-License-Identifier: MIT */
/*
 * What must hold between cairn's own functions, checked.  A wrong caller would corrupt an answer in
 * silence; with -Dinvariants=true it stops the process at the line instead.  In an ordinary build nothing
 * is checked, because the process is somebody's debugger.  Input is never checked by this: damage in
 * bytes, memory or answers of a host is an outcome.
 *
 *	INVARIANT(index < table->count);
 */
#ifndef CAIRN_BASE_INVARIANT_H
#define CAIRN_BASE_INVARIANT_H

#ifdef CAIRN_INVARIANTS
/* Reports the condition and its place on standard error, and stops the process. */
_Noreturn void invariant_fail(const char *condition, const char *file, int line);
#define INVARIANT(condition) \
	((condition) ? (void)0 : invariant_fail(#condition, __FILE__, __LINE__))
#else
#define INVARIANT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
