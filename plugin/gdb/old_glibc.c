/* SPDX-License-Identifier: MIT */
/*
 * Lets GDB load this module with glibc 2.28 even if the module is linked with a newer glibc.
 * Functions that have several symbol versions are bound to the oldest one.
 *
 * glibc 2.34 moved the dl functions from libdl and the thread functions from libpthread into libc;
 * a GDB with an older glibc has loaded libdl and libpthread anyway. glibc 2.33 turned stat() and
 * similar inline functions into real ones. tests/house/old_glibc.sh checks which versions the
 * module needs.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

#if defined(__GLIBC__) && defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#define OLDEST_FSTATAT "GLIBC_2.4"
enum { STAT_VERSION = 1 };
#elif defined(__GLIBC__) && defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#define OLDEST_FSTATAT OLDEST
enum { STAT_VERSION = 0 };
#endif

#ifdef OLDEST
#define TAKE_OLDEST(ours, name) __asm__(".symver " #ours "," #name "@" OLDEST)

void *oldest_dlopen(const char *path, int mode);
void *oldest_dlsym(void *handle, const char *name);
int oldest_dlclose(void *handle);
char *oldest_dlerror(void);
int oldest_dladdr(const void *address, Dl_info *info);
int oldest_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *context);
int oldest_pthread_join(pthread_t thread, void **result);
int oldest_stat(int version, const char *path, struct stat *about);
int oldest_fstat(int version, int descriptor, struct stat *about);
int oldest_lstat(int version, const char *path, struct stat *about);
int oldest_fstatat(int version, int directory, const char *path, struct stat *about, int flags);

TAKE_OLDEST(oldest_dlopen, dlopen);
TAKE_OLDEST(oldest_dlsym, dlsym);
TAKE_OLDEST(oldest_dlclose, dlclose);
TAKE_OLDEST(oldest_dlerror, dlerror);
TAKE_OLDEST(oldest_dladdr, dladdr);
TAKE_OLDEST(oldest_pthread_create, pthread_create);
TAKE_OLDEST(oldest_pthread_join, pthread_join);
TAKE_OLDEST(oldest_stat, __xstat64);
TAKE_OLDEST(oldest_fstat, __fxstat64);
TAKE_OLDEST(oldest_lstat, __lxstat64);
__asm__(".symver oldest_fstatat,__fxstatat64@" OLDEST_FSTATAT);

void *dlopen(const char *path, int mode)
{
	return oldest_dlopen(path, mode);
}

void *dlsym(void *restrict handle, const char *restrict name)
{
	return oldest_dlsym(handle, name);
}

int dlclose(void *handle)
{
	return oldest_dlclose(handle);
}

char *dlerror(void)
{
	return oldest_dlerror();
}

int dladdr(const void *address, Dl_info *info)
{
	return oldest_dladdr(address, info);
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*start)(void *), void *restrict context)
{
	return oldest_pthread_create(thread, attributes, start, context);
}

int pthread_join(pthread_t thread, void **result)
{
	return oldest_pthread_join(thread, result);
}

int stat(const char *restrict path, struct stat *restrict about)
{
	return oldest_stat(STAT_VERSION, path, about);
}

int fstat(int descriptor, struct stat *about)
{
	return oldest_fstat(STAT_VERSION, descriptor, about);
}

int lstat(const char *restrict path, struct stat *restrict about)
{
	return oldest_lstat(STAT_VERSION, path, about);
}

int fstatat(int directory, const char *restrict path, struct stat *restrict about, int flags)
{
	return oldest_fstatat(STAT_VERSION, directory, path, about, flags);
}
#endif
