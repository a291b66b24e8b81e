/* SPDX-License-Identifier: MIT */
#include "readable.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LIMIT = 1 << 16 }; /* longer ones stay as they are */

enum { LLVM_RUST, LLVM_D, LLVM_MICROSOFT, LLVM_ITANIUM, LLVM_NAMES };

#define VIEW "ESt17basic_string_viewIcSt11char_traitsIcE"

/* std::string_view, as libstdc++ lays it out: what libLLVM's functions take by value. */
struct view {
	size_t size;
	const char *text;
};

static void *symbol(const char *const libraries[], size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
		void *found = library ? dlsym(library, name) : NULL;
		if (found)
			return found; /* the library stays open */
		if (library)
			dlclose(library);
	}
	return NULL;
}

static bool has_itanium(struct os_readable *r)
{
	static const char *const own[] = { "libc++abi.so.1" }, *const gnu[] = { "libstdc++.so.6" };

	if (!r->itanium_tried) {
		void *found = symbol(r->gnu ? gnu : own, 1, "__cxa_demangle");
		if (!found)
			found = symbol(r->gnu ? own : gnu, 1, "__cxa_demangle");
		memcpy(&r->itanium, &found, sizeof(found));
		r->itanium_tried = true;
	}
	return r->itanium != NULL;
}

static void open_llvm(struct os_readable *r)
{
	static const char *const libraries[] = { "libLLVM.so.19.1", "libLLVM.so.20.1",
		                                 "libLLVM.so.21.1", "libLLVM.so.22.1",
		                                 "libLLVM.so.23.1" };
	static const char *const names[] = {
		"_ZN4llvm12rustDemangle" VIEW "E",
		"_ZN4llvm13dlangDemangle" VIEW "E",
		"_ZN4llvm17microsoftDemangle" VIEW "EPmPiNS_15MSDemangleFlagsE",
		"_ZN4llvm15itaniumDemangle" VIEW "Eb",
	};

	if (r->llvm_tried)
		return;
	for (unsigned i = 0; i < LLVM_NAMES; i++)
		r->llvm[i] = symbol(libraries, sizeof(libraries) / sizeof(*libraries), names[i]);
	r->llvm_tried = true;
}

static char *by_llvm(struct os_readable *r, unsigned which, const char *text, size_t size)
{
	struct view view = { size, text };
	char *(*simple)(struct view name);
	char *(*microsoft)(struct view name, size_t * used, int *status, int flags);
	char *(*itanium)(struct view name, bool parameters);
	int status = 0;

	open_llvm(r);
	if (!r->llvm[which])
		return NULL;
	if (which == LLVM_MICROSOFT) {
		memcpy(&microsoft, &r->llvm[which], sizeof(microsoft));
		return microsoft(view, NULL, &status, 0);
	}
	if (which == LLVM_ITANIUM) {
		memcpy(&itanium, &r->llvm[which], sizeof(itanium));
		return itanium(view, true);
	}
	memcpy(&simple, &r->llvm[which], sizeof(simple));
	return simple(view);
}

/* Some write "> >" where others write ">>". */
static void close_brackets(char *text)
{
	char *to = strstr(text, "> >");

	if (!to)
		return;
	for (const char *from = to; *from; from++)
		if (!(from[0] == ' ' && from > text && from[-1] == '>' && from[1] == '>'))
			*to++ = *from;
	*to = '\0';
}

static char *by_itanium(struct os_readable *r, const char *text)
{
	int status;

	if (r->llvm_all) {
		char *found = by_llvm(r, LLVM_ITANIUM, text, strlen(text));
		if (found || r->llvm[LLVM_ITANIUM])
			return found;
	}
	if (!has_itanium(r))
		return NULL;
	char *readable = r->itanium(text, NULL, NULL, &status);
	if (readable)
		close_brackets(readable);
	return readable;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* `text` ends with NUL. */
static char *demangle(struct os_readable *r, const char *text)
{
	if (begins(text, "_Z") || begins(text, "___Z"))
		return by_itanium(r, text);
	if (begins(text, "_R"))
		return by_llvm(r, LLVM_RUST, text, strlen(text));
	if (begins(text, "_D"))
		return by_llvm(r, LLVM_D, text, strlen(text));
	return NULL;
}

/* A dot before a name stays in front of its readable form. */
static char *with_dot(struct os_readable *r, const char *text)
{
	char *plain = demangle(r, text + 1);
	char *dotted = plain ? malloc(strlen(plain) + 2) : NULL;

	if (dotted) {
		dotted[0] = '.';
		strcpy(dotted + 1, plain);
	}
	free(plain);
	return dotted;
}

static char *find(struct os_readable *r, const char *text, bool any)
{
	char *found = text[0] == '.' ? with_dot(r, text) : demangle(r, text);

	if (!found && any && text[0] == '_')
		found = demangle(r, text + 1);
	if (!found && text[0] == '?')
		found = by_llvm(r, LLVM_MICROSOFT, text, strlen(text));
	return found;
}

struct cairn_bytes os_readable_name(struct os_readable *r, struct cairn_bytes name, bool any)
{
	bool wanted = name.size > 1 && name.size < NAME_LIMIT &&
	              (name.data[0] == '_' || name.data[0] == '.' || name.data[0] == '?') &&
	              !memchr(name.data, '\0', name.size);
	char *text = wanted ? malloc(name.size + 1) : NULL;

	free(r->text);
	r->text = NULL;
	if (!text)
		return name;
	memcpy(text, name.data, name.size);
	text[name.size] = '\0';
	r->text = find(r, text, any);
	free(text);
	if (!r->text)
		return name;
	return (struct cairn_bytes){ (const uint8_t *)r->text, strlen(r->text) };
}

void os_readable_close(struct os_readable *r)
{
	free(r->text);
	*r = (struct os_readable){ .text = NULL };
}
