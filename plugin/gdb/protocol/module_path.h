/* SPDX-License-Identifier: MIT */
/* Declares the function that returns the path of the loaded plugin. */
#ifndef CAIRN_GDB_PROTOCOL_MODULE_PATH_H
#define CAIRN_GDB_PROTOCOL_MODULE_PATH_H

/* The path that this module was loaded from, as GDB gave it. */
const char *plugin_module_path(void);

#endif
