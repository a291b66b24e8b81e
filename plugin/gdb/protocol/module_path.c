/* SPDX-License-Identifier: MIT */
/* Finds the path of the loaded plugin with dladdr(). */
#define _GNU_SOURCE /* dladdr */
#include "module_path.h"

#include <dlfcn.h>
#include <stddef.h>

const char *plugin_module_path(void)
{
	static const char here;
	Dl_info info;

	return dladdr(&here, &info) && info.dli_fname ? info.dli_fname : "";
}
