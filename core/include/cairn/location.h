/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a location in the source, and demangled names.
 *
 *	char name[CAIRN_DEMANGLE_MAX], path[4096];
 *	size = cairn_demangle(location.function, name, sizeof(name));
 *	if (size > 0)
 *		location.function = (struct cairn_bytes){ (const uint8_t *)name, size };
 *	cairn_location_path(&location, path, sizeof(path));
 *	printf("%.*s at %s:%u\n", (int)location.function.size,
 *	       (const char *)location.function.data, path, (unsigned)location.line);
 */
#ifndef CAIRN_INCLUDE_LOCATION_H
#define CAIRN_INCLUDE_LOCATION_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A frame's source location. Its strings are borrowed from the symbols that contain it; unknown
 * strings are empty.
 */
struct cairn_location {
	struct cairn_bytes function; /* linkage name or demangled name, depending on the file */
	/* directory and file name, which cairn_location_path() joins */
	struct cairn_bytes directory, file;
	uint64_t start;  /* va where the function or the inlined call starts */
	uint64_t offset; /* number of bytes from `start` to the address that has been looked up */
	uint32_t line;   /* 0 if unknown */
	bool inlined;    /* this function is inlined into the function at the next location */
	uint32_t column; /* 0 if unknown */
	/*
	 * size of the function in bytes, counted from `start`; 0 for an inlined call, if unknown,
	 * or if the function has 4 GiB or more
	 */
	uint32_t size;
};

/*
 * Write a location's path to `path`, whose capacity is `size` bytes. The path is truncated if it
 * does not fit, and ends with a NUL unless `size` is 0. Returns the length of the whole path
 * without the NUL, like snprintf(). Components ".." are not resolved. The file
 * "<compiler-generated>", which Swift uses for code without a source, gets no directory.
 */
CAIRN_API size_t cairn_location_path(const struct cairn_location *location, char *path,
                                     size_t size);

/*
 * Write the demangled form of `name`, a linkage name in C++ (Itanium C++ ABI), in Rust (RFC 2603
 * and the older form), in Swift (4.2 and newer, in the form CAIRN_NAME_SHORT), in a Fortran module
 * (gfortran) or of an Ada task (GNAT), to `out`, whose capacity is `capacity` bytes; no NUL is
 * added. Returns the length of the demangled name in bytes, or 0 if `name` belongs to another
 * language, is damaged, or has a demangled form longer than `capacity` or CAIRN_DEMANGLE_MAX; in
 * that case show `name` itself. Takes at most a few milliseconds for any name, and allocates
 * nothing.
 */
enum { CAIRN_DEMANGLE_MAX = 1 << 16 };
CAIRN_API size_t cairn_demangle(struct cairn_bytes name, char *out, size_t capacity);

/* Levels of detail in a demangled Swift name. Names in other languages have only one form. */
enum cairn_name_form {
	/* as in Swift's crash reports: without modules, and without types except type arguments */
	CAIRN_NAME_SHORT,
	CAIRN_NAME_FULL, /* as in the output of `swift-demangle -compact` */
};

/* Demangle like cairn_demangle(), but write Swift names in the given form. */
CAIRN_API size_t cairn_demangle_as(struct cairn_bytes name, enum cairn_name_form form, char *out,
                                   size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
