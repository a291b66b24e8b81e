/* SPDX-License-Identifier: MIT */
/*
 * Fills struct cairn_error. The strings of a thread's last error are in thread-local storage, so that
 * the struct is small and does not have to be freed. Strings that do not fit are truncated.
 */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copy a string, truncating it to fit into `size` bytes. `text` may be NULL. */
static void copy_text(char *buffer, size_t size, const char *text)
{
	const size_t length = text ? strnlen(text, size - 1) : 0;

	if (length > 0)
		memcpy(buffer, text, length);
	buffer[length] = '\0';
}

static _Thread_local struct {
	char path[ERROR_PATH], part[ERROR_PART], text[ERROR_TEXT];
} strings;

/*
 * Start an error with an empty text. `path` may be the path of this thread's last error, which is
 * then kept.
 */
static void begin_error(struct cairn_error *error, enum cairn_status status, const char *path)
{
	if (path != strings.path)
		copy_text(strings.path, sizeof(strings.path), path);
	strings.part[0] = strings.text[0] = '\0';
	*error = (struct cairn_error){
		.status = status, .path = strings.path, .part = strings.part, .text = strings.text
	};
}

enum cairn_status error_set(struct cairn_error *error, enum cairn_status status, const char *path,
                            const char *format, ...)
{
	va_list arguments;

	if (!error)
		return status;
	begin_error(error, status, path);
	va_start(arguments, format);
	vsnprintf(strings.text, sizeof(strings.text), format, arguments);
	va_end(arguments);
	return status;
}

enum cairn_status error_set_fault(struct cairn_error *error, const char *path, const char *part,
                                  const struct cairn_fault *fault, const char *next)
{
	if (!error)
		return fault->status;
	begin_error(error, fault->status, path);
	error->has_offset = fault->status != CAIRN_NOT_FOUND; /* an absent item has no offset */
	error->offset = fault->offset;
	error->next = next;
	copy_text(strings.part, sizeof(strings.part), part);
	copy_text(strings.text, sizeof(strings.text), fault->what);
	return fault->status;
}

enum cairn_status error_set_system(struct cairn_error *error, int system, const char *path,
                                   const char *what)
{
	error_set(error, CAIRN_UNREADABLE, path, "%s: %s", what, strerror(system));
	if (error)
		error->system = system;
	return CAIRN_UNREADABLE;
}

enum cairn_status error_set_memory(struct cairn_error *error, const char *path)
{
	return error_set(error, CAIRN_NO_MEMORY, path, "out of memory");
}

enum cairn_status error_set_unreadable(struct cairn_error *error, int system, const char *path)
{
	struct cairn_fault fault = { CAIRN_UNREADABLE, 0, "cannot be read" };

	switch (system) {
	case ENOENT:
	case ENOTDIR:
		fault.what = "no such file";
		break;
	case EACCES:
	case EPERM:
		fault.what = "permission denied";
		break;
	case EISDIR:
		fault.what = "a directory";
		break;
	case EINVAL:
		fault.what = "not a regular file";
		break;
	case ENODATA: /* OS_FILE_TRUNCATED */
		fault.what = "truncated while it was being read";
		break;
	}
	error_set_fault(error, path, NULL, &fault, NULL);
	if (error) {
		error->system = system;
		error->has_offset = false;
	}
	return CAIRN_UNREADABLE;
}
