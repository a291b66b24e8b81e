/* SPDX-License-Identifier: MIT */
/* Loads other JIT readers with dlopen() and calls them in turn. */
#include "other_readers.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/*
 * ISO C does not define a conversion from an object pointer to a function pointer, but POSIX
 * guarantees it for dlsym().
 */
static struct gdb_reader_funcs *(*init_of(void *library))(void)
{
	struct gdb_reader_funcs *(*init)(void) = NULL;
	void *symbol = dlsym(library, "gdb_init_reader");

	memcpy(&init, &symbol, sizeof(init));
	return init;
}

static const char *start_reader(struct other_readers *readers, void *library, char *path)
{
	struct gdb_reader_funcs *(*init)(void) = init_of(library);

	if (!dlsym(library, "plugin_is_GPL_compatible"))
		return "no GPL-compatible license: plugin_is_GPL_compatible is missing";
	if (!init)
		return "not a JIT reader: gdb_init_reader is missing";
	struct gdb_reader_funcs *funcs = init();
	if (!funcs || funcs->reader_version != GDB_READER_INTERFACE_VERSION)
		return "unsupported version of the reader interface";
	readers->list[readers->count].funcs = funcs;
	readers->list[readers->count].path = path;
	readers->count++;
	return NULL;
}

static bool is_loaded(const struct other_readers *readers, const char *path)
{
	for (unsigned i = 0; i < readers->count; i++)
		if (strcmp(readers->list[i].path, path) == 0)
			return true;
	return false;
}

const char *other_readers_load(struct other_readers *readers, const char *path)
{
	if (is_loaded(readers, path))
		return "already loaded";
	if (readers->count == OTHER_READERS_MAX)
		return "too many readers are loaded";
	char *copy = strdup(path);
	void *library = copy ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library) {
		const char *why = copy ? dlerror() : "out of memory";
		free(copy);
		return why;
	}
	const char *why = start_reader(readers, library, copy);
	if (why) {
		free(copy);
		dlclose(library);
	}
	return why;
}

enum gdb_status other_readers_read(struct other_readers *readers, struct gdb_symbol_callbacks *cb,
                                   void *memory, long size)
{
	for (unsigned i = 0; i < readers->count; i++) {
		struct gdb_reader_funcs *funcs = readers->list[i].funcs;
		if (funcs->read(funcs, cb, memory, size) == GDB_SUCCESS)
			return GDB_SUCCESS;
	}
	return GDB_FAIL;
}

enum gdb_status other_readers_unwind(struct other_readers *readers, struct gdb_unwind_callbacks *cb)
{
	for (unsigned i = 0; i < readers->count; i++) {
		struct gdb_reader_funcs *funcs = readers->list[i].funcs;
		if (funcs->unwind(funcs, cb) == GDB_SUCCESS) {
			readers->claimed = funcs;
			return GDB_SUCCESS;
		}
	}
	return GDB_FAIL;
}

struct gdb_frame_id other_readers_frame_id(struct other_readers *readers,
                                           struct gdb_unwind_callbacks *cb)
{
	struct gdb_reader_funcs *funcs = readers->claimed;

	return funcs ? funcs->get_frame_id(funcs, cb) : (struct gdb_frame_id){ 0, 0 };
}
