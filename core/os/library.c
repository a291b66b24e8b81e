/* SPDX-License-Identifier: MIT */
/*
 * Loads optional libraries if the program is dynamically linked, and demangles Swift symbols with
 * one of them.
 */
#include "library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *os_library_open(const char *path)
{
#ifdef CAIRN_STATIC
	(void)path;
	return NULL;
#else
	return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
#endif
}

/* Loads libswiftCore.so and demangles Swift symbols with its function swift_demangle(). */

/*
 * Load the library. memcpy() converts the symbol, because ISO C cannot convert an object pointer to
 * a function pointer, although POSIX guarantees that this works.
 */
static bool load_demangler(struct os_swift_demangler *d, const char *path)
{
	d->library = os_library_open(path);
	if (!d->library)
		return false;
	void *symbol = dlsym(d->library, "swift_demangle");
	memcpy(&d->demangle, &symbol, sizeof(symbol));
	if (!d->demangle) {
		dlclose(d->library);
		d->library = NULL;
	}
	return d->demangle != NULL;
}

bool os_swift_demangler_works(struct os_swift_demangler *d)
{
	static const char *const usual[] = {
		"/usr/libexec/swift/lib/swift/linux/libswiftCore.so",
		"/usr/lib/swift/linux/libswiftCore.so",
		"/opt/swift/usr/lib/swift/linux/libswiftCore.so",
	};

	if (d->was_tried)
		return d->demangle != NULL;
	d->was_tried = true;
	if (d->path)
		return load_demangler(d, d->path);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (load_demangler(d, usual[i]))
			return true;
	return false;
}

/*
 * Return true for the prefixes of Swift symbols, "$s" and "$S". Some systems prepend an underscore.
 */
static bool is_swift(struct cairn_bytes name)
{
	const uint8_t *p = name.data;

	if (name.size > 0 && p[0] == '_') {
		name.size--;
		p++;
	}
	return name.size > 2 && p[0] == '$' && (p[1] == 's' || p[1] == 'S');
}

char *os_swift_demangle(struct os_swift_demangler *d, struct cairn_bytes name)
{
	if (!is_swift(name) || !os_swift_demangler_works(d))
		return NULL;
	return d->demangle((const char *)name.data, name.size, NULL, NULL, 0);
}

void os_swift_demangler_close(struct os_swift_demangler *d)
{
	if (d->library)
		dlclose(d->library);
	*d = (struct os_swift_demangler){ .path = NULL };
}
