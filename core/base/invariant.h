/* SPDX-License-Identifier: MIT */
/*
 * Checks preconditions and invariants between cairn's own functions. A caller that violates one
 * would silently corrupt a result; with -Dinvariants=true the process stops at that line instead.
 * Ordinary builds check nothing, because the process may be a user's debugger. Do not use this to
 * check input: damaged files, unreadable memory and wrong results from the host are expected.
 *
 *	INVARIANT(index < table->count);
 */
#ifndef CAIRN_BASE_INVARIANT_H
#define CAIRN_BASE_INVARIANT_H

#ifdef CAIRN_INVARIANTS
_Noreturn void invariant_fail(const char *condition, const char *file, int line);
#define INVARIANT(condition) \
	((condition) ? (void)0 : invariant_fail(#condition, __FILE__, __LINE__))
#else
#define INVARIANT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
