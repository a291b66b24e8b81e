/* SPDX-License-Identifier: MIT */
/*
 * cairn: call stacks and symbols for programs whose debug information is stripped or missing.
 *
 * This header is the manual of the library. A host (a debugger, a profiler, the command line) lends
 * cairn memory to read. cairn returns the caller of each frame and the function, file and line of
 * each address, or the reason why the lookup failed.
 *
 * What you must do
 *   - lend a struct cairn_target, and keep its context alive for as long as the space made from it;
 *   - keep bytes that you lend (struct cairn_bytes) alive and unchanged. A function borrows them
 *     until it returns, unless its comment says that it borrows them for longer;
 *   - use one space, and one set of symbols, in one thread at a time. If a function is safe to call
 *     from signal handlers or from several threads, its comment says so;
 *   - pass valid pointers. No pointer may be NULL unless the function's comment allows it;
 *     every _free() and _close() function of an opaque object accepts NULL.
 *
 * What cairn does in return
 *   - it treats every file and target as hostile: no input crashes it, makes it loop forever or
 *     makes it allocate more memory than documented;
 *   - it never prints, aborts or exits, and it leaves signals and threads alone;
 *   - a host callback may leave by longjmp or a C++ exception: nothing leaks, and the space
 *     remains usable;
 *   - a function that returns enum cairn_status fills its results only if it returns CAIRN_OK,
 *     unless its comment says otherwise.
 *
 * What it is not for: recovering every register of every caller, as a debugger does for locals.
 * SFrame records the CFA, the return address and the frame pointer; cairn adds callee-saved
 * registers only where the code itself shows where they are.
 *
 * Units: sizes and offsets count bytes. There are three kinds of addresses, distinguished by name:
 * `pc` is an address in the running process, `va` is an address as linked, and `offset` counts
 * bytes from the start of a file or section. All are 64 bits wide and wrap.
 *
 * The parts, in reading order:
 *
 *	base          statuses, borrowed bytes, the target
 *	rules         unwind rules, and the SFrame tables that contain them
 *	sframe_file   SFrame tables for programs that do not have one
 *	sframe_search files with such tables, and the modules to which they belong
 *	location      a location in the source, and demangled names
 *	symbols       the symbols of one module
 *	lookup        function, file and line of an address in them
 *	object        symbols as an object file, for debuggers
 *	program       the files of a program: ELF file, perf map and jitdump
 *	missing       a message about modules without symbols
 *	symbol_source the interface of a source of symbols
 *	symbolizer    names of addresses in many modules, from all available files
 *	space         the modules of a process or core
 *	files         data in the files of a module that is not in its memory
 *	unwind        from a frame to its caller
 *	traces        recorded backtraces
 *	markup        logs with symbolizer markup
 *	markup_host   the callbacks of a filter for such logs
 *	stack_source  opens the stacks of a core, a minidump or a process
 *	stacks        walks them and names their frames
 *	process       the program: its crash, its modules
 *	tasks         tasks of Swift's concurrency runtime
 *	backtrace     the stack of the calling thread, in signal handlers
 *	profiles      names for recorded profiles, and other formats for them
 *	recording     recordings of perf as profiles
 *	minidump      minidumps of cores and processes
 *	core          core files made from minidumps, for debuggers
 *	captured      backtraces in a log, as a minidump
 *	capture       a minidump or a log as files in a private directory, for debuggers
 *
 * Include only this header, never one of its parts, because declarations may move between parts.
 */
#ifndef CAIRN_H
#define CAIRN_H

#include <cairn/backtrace.h>
#include <cairn/base.h>
#include <cairn/capture.h>
#include <cairn/captured.h>
#include <cairn/core.h>
#include <cairn/files.h>
#include <cairn/location.h>
#include <cairn/lookup.h>
#include <cairn/markup.h>
#include <cairn/markup_host.h>
#include <cairn/minidump.h>
#include <cairn/missing.h>
#include <cairn/object.h>
#include <cairn/process.h>
#include <cairn/profiles.h>
#include <cairn/program.h>
#include <cairn/recording.h>
#include <cairn/rules.h>
#include <cairn/sframe_file.h>
#include <cairn/sframe_search.h>
#include <cairn/space.h>
#include <cairn/stack_source.h>
#include <cairn/stacks.h>
#include <cairn/symbol_source.h>
#include <cairn/symbolizer.h>
#include <cairn/symbols.h>
#include <cairn/tasks.h>
#include <cairn/traces.h>
#include <cairn/unwind.h>

#endif
