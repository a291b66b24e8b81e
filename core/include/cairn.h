/* SPDX-License-Identifier: MIT */
/*
 * cairn: call stacks and symbols for programs without their debug information.
 *
 * This header is the manual of the library.  A host (a debugger, a profiler, the command line)
 * lends cairn memory to read and gets back where functions begin, who called whom, and why not
 * when there is no answer.
 *
 * What you must do
 *   - lend a struct cairn_target, and keep its context alive as long as the space made from it;
 *   - keep bytes that you lend (struct cairn_bytes) alive and unchanged as long as they are used;
 *   - use one space, and one set of symbols, from one thread at a time (where a function is for
 *     signal handlers and threads, it says so).
 *
 * What cairn does in turn
 *   - every byte from a file or a target is untrusted: no input crashes it, makes it loop for
 *     ever, or makes it allocate more than the stated bounds;
 *   - nothing is printed, nothing aborts or exits, no signal or thread is touched;
 *   - a host callback may leave by longjmp or a C++ exception: nothing leaks, and the next call
 *     finds the space in order.
 *
 * What it is not for: recovering every register of every caller, as a debugger does for locals.
 * SFrame holds the CFA, the return address and the frame pointer; cairn adds callee-saved
 * registers only where the code itself shows them.
 *
 * Words for addresses: `pc` in the running process, `va` as linked, `offset` in bytes of a file
 * or section.  All are 64 bits wide and wrap.
 *
 * The parts come in the order in which one reads them:
 *
 *	base         outcomes, lent bytes, the target
 *	rules        unwind rules, and where they come from
 *	symbols      function, file and line of an address
 *	object       the same for a debugger, as an object file
 *	symbol_file  files of symbols, and the search for one
 *	space        the modules of a process or core
 *	files        what the files of a module hold that its memory does not
 *	unwind       frames, and the next one
 *	traces       recorded backtraces
 *	markup       logs with symbolizer markup
 *
 * They are not for including by themselves: which part something is in may change.
 */
#ifndef CAIRN_H
#define CAIRN_H

#include <cairn/base.h>
#include <cairn/files.h>
#include <cairn/markup.h>
#include <cairn/object.h>
#include <cairn/rules.h>
#include <cairn/space.h>
#include <cairn/symbol_file.h>
#include <cairn/symbols.h>
#include <cairn/traces.h>
#include <cairn/unwind.h>

#endif
