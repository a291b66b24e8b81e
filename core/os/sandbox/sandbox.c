/* SPDX-License-Identifier: MIT */
/* Puts the two ways of Linux to confine a process together. */
#include "sandbox.h"

#include "landlock.h"
#include "seccomp_filter.h"

#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* Sanitizers start programs and look into this one; emulators pass neither of the two on, and their
   own calls are not ours. */
bool sandbox_is_possible(void)
{
	return !IS_SANITIZED;
}

void sandbox_begin(struct sandbox *sandbox, unsigned rights)
{
	bool confines_files = sandbox_is_possible() && (rights & SANDBOX_TRACE) == 0;

	*sandbox = (struct sandbox){ .rights = rights, .rules = -1 };
	if (confines_files)
		sandbox->version = landlock_version();
	if (sandbox->version > 0)
		sandbox->rules = landlock_begin(sandbox->version, rights & SANDBOX_NETWORK);
	if (rights & SANDBOX_READ_ALL)
		sandbox_allow_read(sandbox, "/");
	sandbox_allow_write(sandbox, "/dev/null");
}

unsigned sandbox_enter(struct sandbox *sandbox)
{
	unsigned parts = 0;

	if (sandbox->rules >= 0) {
		if (landlock_enter(sandbox->rules))
			parts |= SANDBOX_FILES;
		close(sandbox->rules);
		sandbox->rules = -1;
	}
	if (sandbox_is_possible() && seccomp_filter_enter(sandbox->rights))
		parts |= SANDBOX_CALLS;
	return parts;
}

bool sandbox_refuse_paths(void)
{
	return sandbox_is_possible() && seccomp_filter_refuse_paths();
}
