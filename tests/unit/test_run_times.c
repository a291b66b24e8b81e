/* SPDX-License-Identifier: MIT */
/* Tests which run-time is named for code that a program has made, by the names of the program's modules. */
#include "process/snapshot/snapshot_modules.h"
#include "unit.h"

#include <string.h>

enum { MADE = 0x10000, DATA = 0x20000, MODULE = 0x30000, SIZE = 0x1000 };

#define ANY "JIT code of the program, of which nothing is recorded"

static const struct row {
	const char *module;
	uint64_t pc;
	const char *begins; /* the reason; NULL: none */
	bool minidump;
} rows[] = {
	{ "/usr/lib/jvm/java-17/lib/server/libjvm.so", MADE,
	  "compiled code of the JVM, which keeps no frame pointers: start it with "
	  "-XX:+PreserveFramePointer",
	  false },
	{ "/opt/openj9/lib/libj9jit29.so", MADE, "compiled code of OpenJ9", false },
	{ "/usr/share/dotnet/libcoreclr.so", MADE, "JIT code of .NET", false },
	{ "/usr/lib/libmonosgen-2.0.so.1", MADE, "JIT code of Mono", false },
	{ "/usr/bin/mono-sgen", MADE, "JIT code of Mono", false },
	{ "/usr/lib/libluajit-5.1.so.2", MADE, "JIT code of LuaJIT", false },
	{ "/usr/bin/luajit", MADE, "JIT code of LuaJIT", false },
	{ "/usr/bin/php8.2", MADE, "JIT code of PHP", false },
	{ "libphp.so", MADE, "JIT code of PHP", false },
	{ "/usr/lib/erlang/bin/beam.smp", MADE, "code of Erlang", false },
	{ "/usr/bin/node", MADE, "JIT code of V8", false },
	{ "/usr/lib/libnode.so.108", MADE, "JIT code of V8", false },
	{ "/usr/lib/libv8.so", MADE, "JIT code of V8, of which nothing is recorded", false },
	{ "/usr/bin/nodesomething", MADE, ANY, false },
	{ "/node/bin/program", MADE, ANY, false },
	{ "/usr/bin/no", MADE, ANY, false },
	{ "", MADE, ANY, false },
	{ "/usr/bin/node", MADE + SIZE - 1, "JIT code of V8", false },
	{ "/usr/bin/node", MADE + SIZE, NULL, false },
	{ "/usr/bin/node", DATA, NULL, false },
	{ "/usr/bin/node", MODULE, NULL, false },
	{ "/usr/bin/node", 0, NULL, false },
	{ "/usr/bin/node", MADE, NULL, true },
};

static void add_mapping(struct snapshot *snapshot, uint64_t low, unsigned access)
{
	struct snapshot_mapping *mapping = snapshot_add_mapping(snapshot);

	ck_assert_ptr_nonnull(mapping);
	mapping->low = low;
	mapping->high = low + SIZE;
	mapping->access = access;
	mapping->has_access = true;
}

START_TEST(names)
{
	const struct row *r = &rows[_i];
	struct snapshot snapshot = { .kind = r->minidump ? CAIRN_STACKS_MINIDUMP
		                                         : CAIRN_STACKS_PROCESS };

	add_mapping(&snapshot, MADE, SNAPSHOT_READ | SNAPSHOT_WRITE | SNAPSHOT_EXECUTE);
	add_mapping(&snapshot, DATA, SNAPSHOT_READ | SNAPSHOT_WRITE);
	add_mapping(&snapshot, MODULE, SNAPSHOT_READ | SNAPSHOT_EXECUTE);
	struct snapshot_module *module = snapshot_add_module(&snapshot);
	ck_assert_ptr_nonnull(module);
	module->low = MODULE;
	module->high = MODULE + SIZE;
	module->path = snapshot_keep_string(&snapshot, r->module);
	const char *reason = snapshot_explain_jit_code(&snapshot, r->pc);
	ck_assert_msg(reason && r->begins ? strncmp(reason, r->begins, strlen(r->begins)) == 0
	                                  : reason == r->begins,
	              "%s at 0x%llx: %s", r->module, (unsigned long long)r->pc,
	              reason ? reason : "none");
	snapshot_close(&snapshot);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_times");
	TCase *tests = tcase_create("run_times");

	tcase_add_loop_test(tests, names, 0, COUNT(rows));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
