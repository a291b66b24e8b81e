/* SPDX-License-Identifier: MIT */
/* Identifies the run-time that generated code at a pc outside all modules. */
#include "run_times.h"

#include "base/bytes.h"
#include "base/path.h"
#include "snapshot_modules.h"

#include <string.h>

/* Base names of modules, as prefixes that end at a word boundary. The first match applies. */
static const struct run_time {
	const char *file, *reason;
} run_times[] = {
	{ "libjvm", "compiled code of the JVM, which keeps no frame pointers: start it with "
	            "-XX:+PreserveFramePointer" },
	{ "libj9jit", "compiled code of OpenJ9, which keeps no frame pointers" },
	{ "libcoreclr", "code that .NET has made, of which it records no frames" },
	{ "libmonosgen", "code that Mono has made, of which it records no frames" },
	{ "mono", "code that Mono has made, of which it records no frames" },
	{ "libluajit", "code that LuaJIT has made, which keeps no frame pointers" },
	{ "luajit", "code that LuaJIT has made, which keeps no frame pointers" },
	{ "php", "code that PHP has made, which keeps no frame pointers" },
	{ "libphp", "code that PHP has made, which keeps no frame pointers" },
	{ "beam", "code of Erlang, which keeps no frame pointers: start it with +JPperf true" },
	{ "node",
	  "code that V8 has made, of which nothing is recorded: start Node.js with --perf-prof" },
	{ "libnode",
	  "code that V8 has made, of which nothing is recorded: start Node.js with --perf-prof" },
	{ "libv8", "code that V8 has made, of which nothing is recorded" },
};

static bool is_letter(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/*
 * Return true if the file name begins with `name`, followed by anything but a letter: php8.2,
 * libjvm.so, beam.smp.
 */
static bool is_file_of(struct cairn_bytes path, const char *name)
{
	const struct cairn_bytes base = base_name(path);
	const size_t size = strlen(name);

	return bytes_begin_with(base, name) && (base.size == size || !is_letter(base.data[size]));
}

const char *snapshot_explain_made_code(const struct snapshot *snapshot, uint64_t pc)
{
	if (snapshot_find_module(snapshot, pc) || !snapshot_may_be_executed(snapshot, pc))
		return NULL;
	for (size_t i = 0; i < sizeof(run_times) / sizeof(*run_times); i++)
		for (size_t k = 0; k < snapshot->module_count; k++)
			if (is_file_of(snapshot->modules[k].path, run_times[i].file))
				return run_times[i].reason;
	return "code that the program has made, of which nothing is recorded";
}
