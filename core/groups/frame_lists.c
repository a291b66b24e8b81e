/* SPDX-License-Identifier: MIT */
/*
 * Lists of frames that are left out of signatures. Changing a list changes signatures, so increase
 * SIGNATURE_RULES (signature.h) too.
 */
#include "frame_lists.h"

#include "base/bytes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Memory and string functions. C libraries have processor-specific and checked variants of each;
 * memcpy also stands for __memcpy, __memcpy_chk and __memcpy_avx_unaligned.
 */
static const char *const texts[] = {
	"memcpy",      "memmove",   "memset",  "memcmp",    "memchr",  "memrchr",    "mempcpy",
	"memmem",      "rawmemchr", "bcopy",   "bzero",     "bcmp",    "strlen",     "strnlen",
	"strcpy",      "strncpy",   "strcat",  "strncat",   "strcmp",  "strncmp",    "strcasecmp",
	"strncasecmp", "strchr",    "strrchr", "strchrnul", "strstr",  "strcasestr", "strdup",
	"strndup",     "stpcpy",    "stpncpy", "strspn",    "strcspn", "strpbrk",    "strtok",
	"strtok_r",    "strcoll",   "strlcpy", "strlcat",   "wmemcpy", "wmemmove",   "wmemset",
	"wmemcmp",     "wmemchr",   "wcslen",  "wcsnlen",   "wcscpy",  "wcsncpy",    "wcscat",
	"wcscmp",      "wcsncmp",   "wcschr",  "wcsrchr"
};

/* Other functions. A trailing '*' makes a name a prefix. */
static const char *const inner[] = {
	/* raising signals and terminating the program */
	"raise", "gsignal", "abort", "kill", "tkill", "tgkill", "killpg", "sigqueue",
	"pthread_kill*", "__pthread_kill*", "__kill", "__abort*", "pthread_sigqueue", "syscall",
	"__restore_rt", "__kernel_rt_sigreturn", "__kernel_vsyscall",
	/* assertions and checks of the C library */
	"__assert*", "__fortify_fail*", "__chk_fail", "__stack_chk_fail*", "__libc_fatal",
	"__libc_message*", "__libc_assert",
	/* allocation */
	"malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "memalign", "aligned_alloc",
	"posix_memalign", "valloc", "pvalloc", "malloc_*", "__malloc*", "__libc_malloc*",
	"__libc_calloc*", "__libc_realloc*", "__libc_free*", "__libc_memalign*", "_int_malloc",
	"_int_free*", "_int_realloc", "_int_memalign", "_mid_memalign", "unlink_chunk",
	"munmap_chunk", "mremap_chunk", "sysmalloc*", "systrim*", "tcache_*", "heap_trim",
	"new_heap", "arena_get*", "operator new*", "operator delete*", "std::__new_allocator::*",
	"std::allocator_traits::*", "__gnu_cxx::new_allocator::*",
	/* C++ exceptions */
	"__cxa_throw*", "__cxa_rethrow*", "__cxa_call_*", "__cxa_bad_*", "__cxa_pure_virtual",
	"__cxa_deleted_virtual", "__gxx_personality*", "_Unwind_*", "std::terminate",
	"std::unexpected", "std::__terminate", "std::rethrow_exception", "std::__throw_*",
	"std::__glibcxx_assert_fail", "std::__replacement_assert", "std::abort",
	"std::__1::__libcpp_verbose_abort", "__cxxabiv1::*",
	"__gnu_cxx::__verbose_terminate_handler",
	/* Rust panics */
	"rust_panic*", "rust_begin_unwind", "__rust_start_panic", "__rust_end_short_backtrace",
	"__rustc::*", "core::panicking::*", "std::panicking::*", "std::process::abort",
	"core::option::unwrap_failed", "core::option::expect_failed",
	"core::option::Option::unwrap", "core::option::Option::expect",
	"core::result::unwrap_failed", "core::result::Result::unwrap",
	"core::result::Result::expect", "<core::option::Option>::unwrap",
	"<core::option::Option>::expect", "<core::result::Result>::unwrap",
	"<core::result::Result>::expect", "core::slice::index::slice_*",
	"core::str::slice_error_fail*", "core::cell::panic_*", "alloc::alloc::handle_alloc_error*",
	"alloc::raw_vec::handle_error", "alloc::raw_vec::capacity_overflow",
	"std::sys::abort_internal", "std::sys::unix::abort_internal",
	"std::sys::pal::unix::abort_internal",
	"std::sys_common::backtrace::__rust_end_short_backtrace",
	"std::sys::backtrace::__rust_end_short_backtrace",
	/* Go panics, and the Go run-time's memory functions */
	"runtime.gopanic*", "runtime.goPanic*", "runtime.panic*", "runtime.sigpanic*",
	"runtime.throw*", "runtime.fatal*", "runtime.raise*", "runtime.dieFromSignal*",
	"runtime.crash*", "runtime.sighandler*", "runtime.sigtramp*", "runtime.sigfwdgo*",
	"runtime.memmove*", "runtime.memclr*", "runtime.memequal*", "runtime.mallocgc*",
	/* Swift traps */
	"Swift._assertionFailure", "Swift._fatalErrorMessage", "swift::fatalError*",
	"_swift_runtime_on_report",
	/* sanitizers */
	"__asan*", "__hwasan*", "__lsan*", "__msan*", "__tsan*", "__ubsan*", "__sanitizer*",
	"__interceptor_*", "___interceptor_*", "__interception*"
};

static const char *const outer[] = {
	/* C libraries */
	"_start", "__libc_start_*", "__libc_init_*", "_dl_start_user", "start_thread", "clone",
	"clone3", "__clone", "__clone3", "__clone_internal", "__pthread_start", "_pthread_start",
	"__start_thread", "__bionic_clone", "__libc_init",
	/* C++ */
	"execute_native_thread_routine", "std::thread::_State_impl::_M_run",
	"std::thread::_Invoker::*", "std::__invoke*", "std::__1::__thread_proxy",
	"std::__1::__thread_execute",
	/* Rust */
	"std::rt::lang_start*", "std::thread::Builder::*",
	"std::sys::unix::thread::Thread::new::thread_start",
	"std::sys::pal::unix::thread::Thread::new::thread_start",
	"std::sys::thread::unix::Thread::new::thread_start",
	"std::sys_common::backtrace::__rust_begin_short_backtrace",
	"std::sys::backtrace::__rust_begin_short_backtrace",
	/* Go, and Windows */
	"runtime.goexit*", "runtime.main", "RtlUserThreadStart", "BaseThreadInitThunk"
};

/* Return true if the list contains `name`. A trailing '*' makes an element a prefix. */
static bool is_in_list(struct cairn_bytes name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const size_t size = strlen(list[i]);
		const bool is_prefix = list[i][size - 1] == '*';
		const size_t compared = is_prefix ? size - 1 : size;
		if (name.size >= compared && (is_prefix || name.size == size) &&
		    memcmp(name.data, list[i], compared) == 0)
			return true;
	}
	return false;
}

/* Return true for memcpy, __memcpy, and variants of the latter such as __memcpy_chk. */
static bool is_text_function(struct cairn_bytes name)
{
	const bool is_internal = bytes_go_on_after(name, "__");
	const struct cairn_bytes word = { name.data + 2 * is_internal,
		                          name.size - 2 * is_internal };

	for (size_t i = 0; i < COUNT(texts); i++) {
		const size_t size = strlen(texts[i]);
		if (bytes_begin_with(word, texts[i]) &&
		    (word.size == size || (is_internal && word.data[size] == '_')))
			return true;
	}
	return false;
}

bool frame_list_is_inner(struct cairn_bytes name)
{
	return is_text_function(name) || is_in_list(name, inner, COUNT(inner));
}

bool frame_list_is_outer(struct cairn_bytes name)
{
	return is_in_list(name, outer, COUNT(outer));
}

bool frame_list_is_runtime(struct cairn_bytes module)
{
	static const char *const names[] = { "libc.so*",    "libc-*",        "libpthread*",
		                             "ld-linux*",   "ld-musl*",      "ld-2*",
		                             "ld64.so*",    "ld.so*",        "libsystem_*",
		                             "libc.musl-*", "libstdc++.so*", "libc++*",
		                             "libgcc_s.so*" };

	return is_in_list(module, names, COUNT(names));
}
