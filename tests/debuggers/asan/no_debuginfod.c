/* SPDX-License-Identifier: MIT */
/* What GDB asks libdebuginfod for, and never gets; see gdb.sh. */
#include <errno.h>
#include <stddef.h>

void *debuginfod_begin(void);
void debuginfod_end(void);
int debuginfod_find_debuginfo(void);
int debuginfod_find_executable(void);
int debuginfod_find_source(void);
int debuginfod_find_section(void);
void *debuginfod_get_user_data(void);
void debuginfod_set_progressfn(void);
void debuginfod_set_user_data(void);

void *debuginfod_begin(void)
{
	return NULL;
}

void debuginfod_end(void)
{
}

int debuginfod_find_debuginfo(void)
{
	return -ENOSYS;
}

int debuginfod_find_executable(void)
{
	return -ENOSYS;
}

int debuginfod_find_source(void)
{
	return -ENOSYS;
}

int debuginfod_find_section(void)
{
	return -ENOSYS;
}

void *debuginfod_get_user_data(void)
{
	return NULL;
}

void debuginfod_set_progressfn(void)
{
}

void debuginfod_set_user_data(void)
{
}
