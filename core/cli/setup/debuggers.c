/* SPDX-License-Identifier: MIT */
/* Finds the files of cairn that debuggers load, and the debuggers' start-up files. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "debuggers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * GDB 11 and newer read the file in $XDG_CONFIG_HOME before the one in $HOME, and only the first
 * that exists. LLDB treats the file named after the program (.lldbinit-lldb) in the same way.
 */
static const struct setup_debugger debuggers[] = {
	{ .name = "gdb",
	  .line = { "source", "cairn.gdb" },
	  .installed = CAIRN_DATADIR "/cairn/cairn.gdb",
	  .built = "scripts/cairn.gdb",
	  .start_files = { { "XDG_CONFIG_HOME", "gdb/gdbinit" },
	                   { "HOME", ".config/gdb/gdbinit" },
	                   { "HOME", ".gdbinit" } } },
	{ .name = "lldb",
	  .line = { "plugin load", "cairn-lldb.so" },
	  .installed = CAIRN_LIBDIR "/cairn/cairn-lldb.so",
	  .built = "plugin/lldb/cairn-lldb.so",
	  .start_files = { { "HOME", ".lldbinit-lldb" }, { "HOME", ".lldbinit" }, { NULL, NULL } },
	  .quoted = true },
};

const struct setup_debugger *setup_debugger_find(const char *name)
{
	for (size_t i = 0; i < sizeof(debuggers) / sizeof(debuggers[0]); i++)
		if (strcmp(debuggers[i].name, name) == 0)
			return &debuggers[i];
	return NULL;
}

bool setup_debugger_file(const struct setup_debugger *debugger, char path[SETUP_PATH])
{
	/* some characters would end the debugger's command or its argument */
	return own_file_path(debugger->installed, debugger->built, path) &&
	       !path[strcspn(path, "\n\r\"\\")];
}

/* Resolve links, so that a link to a file elsewhere is not replaced by a file. */
static bool follow_links(char path[SETUP_PATH])
{
	char *real = realpath(path, NULL);
	bool fits = real && strlen(real) < SETUP_PATH;

	if (fits)
		strcpy(path, real);
	free(real);
	return fits;
}

bool setup_debugger_start_file(const struct setup_debugger *debugger, char path[SETUP_PATH])
{
	bool named = false;

	for (size_t i = 0; i < 3 && debugger->start_files[i][0]; i++) {
		const char *folder = getenv(debugger->start_files[i][0]);
		if (!folder || folder[0] != '/')
			continue;
		named = snprintf(path, SETUP_PATH, "%s/%s", folder, debugger->start_files[i][1]) <
		        SETUP_PATH;
		if (named && follow_links(path))
			return true;
	}
	return named;
}

int setup_start_file_open(const char *path, struct os_file *file)
{
	int error = os_file_open_regular(path, file);

	if (error == 0 && file->bytes.size > SETUP_START_FILE_MAX) {
		os_file_close(file);
		error = EFBIG;
	}
	return error;
}

int setup_start_file_loads(const struct setup_debugger *debugger, const char *path, bool *loads)
{
	struct os_file file;
	int error = setup_start_file_open(path, &file);

	if (error != 0)
		return error;
	*loads = start_file_loads(file.bytes, &debugger->line);
	os_file_close(&file);
	return 0;
}
