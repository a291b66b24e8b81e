/* SPDX-License-Identifier: MIT */
/*
 * Computes the normal form of names, without symbol versions, clone suffixes, Rust hashes and the
 * like, and lists the functions that are not specific to a bug.
 */
#include "name_form.h"

#include "base/bytes.h"
#include "symbols/symbol_name.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Return the offset of the symbol version or relocation suffix, as in memcpy@@GLIBC_2.14 or
 * free@plt. Return name.size if the name has no such suffix.
 */
static size_t find_version(struct cairn_bytes name)
{
	size_t at = name.size;

	while (at > 0 && (name_end_is_word(name.data[at - 1]) || name.data[at - 1] == '.'))
		at--;
	if (at < 2 || name.data[at - 1] != '@')
		return name.size;
	while (at > 1 && name.data[at - 1] == '@')
		at--;
	return at;
}

/*
 * Return the word at the end of the name if a dot precedes it, otherwise an empty string. A dot at
 * the start of the name does not count.
 */
static struct cairn_bytes find_last_part(struct cairn_bytes name)
{
	size_t at = name.size;

	while (at > 0 && name_end_is_word(name.data[at - 1]))
		at--;
	if (at < 2 || name.data[at - 1] != '.')
		at = name.size;
	return (struct cairn_bytes){ name.data + at, name.size - at };
}

static bool is_clone_word(struct cairn_bytes part, bool has_number)
{
	static const char *const words[] = { "cold",  "localalias", "part",     "isra",
		                             "clone", "constprop",  "lto_priv", "llvm" };
	/* only "cold" and "localalias" may occur without a number */
	const size_t count = has_number ? COUNT(words) : 2;

	for (size_t i = 0; i < count; i++)
		if (bytes_are(part, words[i]))
			return true;
	return false;
}

static bool is_number_part(struct cairn_bytes part)
{
	for (size_t i = 0; i < part.size; i++)
		if (!name_end_is_digit(part.data[i]))
			return false;
	return part.size > 0;
}

static size_t cut_clone_suffix(struct cairn_bytes name)
{
	struct cairn_bytes part = find_last_part(name);

	if (part.size > 0 && is_clone_word(part, false))
		return name.size - part.size - 1;
	if (!is_number_part(part))
		return name.size;
	const struct cairn_bytes before = { name.data, name.size - part.size - 1 };
	part = find_last_part(before);
	return part.size > 0 && is_clone_word(part, true) ? before.size - part.size - 1 : name.size;
}

/*
 * Return the size of the name without the hash at its end in Rust's legacy mangling: "::h" and 16
 * hexadecimal digits.
 */
static size_t cut_rust_hash(struct cairn_bytes name)
{
	enum { DIGITS = 16, SIZE = DIGITS + 3 };
	const uint8_t *at = name.data + (name.size > SIZE ? name.size - SIZE : 0);

	if (name.size <= SIZE || memcmp(at, "::h", 3) != 0)
		return name.size;
	for (size_t i = 3; i < SIZE; i++)
		if (!name_end_is_digit(at[i]) && (at[i] < 'a' || at[i] > 'f'))
			return name.size;
	return name.size - SIZE;
}

/* Trim blanks, the symbol version ("@@GLIBC_2.14"), clone suffixes (".part.0") and a Rust hash. */
static struct cairn_bytes name_end_trim(struct cairn_bytes name)
{
	size_t before = name.size + 1;

	while (name.size > 0 && name.data[name.size - 1] == ' ')
		name.size--;
	name.size = find_version(name);
	while (name.size < before) {
		before = name.size;
		name.size = cut_clone_suffix(name);
	}
	name.size = cut_rust_hash(name);
	return name;
}

/*
 * Reads a name once from left to right, after name_end_trim(), and writes its normal form. The
 * input grammar is:
 *
 *	name   = [type " "] path
 *	path   = parts, "::", "(anonymous namespace)", "operator" sign, <X as Y>
 *	part   = bytes [<arguments>] [(parameters) qualifiers], {lambda(...)#N}, {closure#N}, $_N, 'lambdaN'
 */
static const char anonymous[] = "(anonymous namespace)", lambda[] = "{lambda}";

struct form {
	struct cairn_bytes in;
	size_t at;
	char *out;
	size_t size;
	size_t start; /* offset in `out` where the name starts, after the return type */
	size_t kept;
	bool after_parameters;
	bool has_operator; /* an operator has been read, so later blanks are part of the name */
};

static struct cairn_bytes rest_of(const struct form *f)
{
	return (struct cairn_bytes){ f->in.data + f->at, f->in.size - f->at };
}

static bool ends_word(struct cairn_bytes rest, size_t size)
{
	return size == rest.size || !name_end_is_word(rest.data[size]);
}

static void put_word(struct form *f, const char *word)
{
	const size_t size = strlen(word);

	memcpy(f->out + f->size, word, size);
	f->size += size;
	f->after_parameters = false;
}

static char replace_control(uint8_t c)
{
	return (char)(c < ' ' || c == 0x7f ? '?' : c);
}

static void keep_bytes(struct form *f, size_t size)
{
	for (size_t i = 0; i < size; i++)
		f->out[f->size++] = replace_control(f->in.data[f->at++]);
	f->after_parameters = false;
}

static void skip_parentheses(struct form *f)
{
	size_t depth = 0;

	do {
		const uint8_t c = f->in.data[f->at++];
		depth += c == '(';
		depth -= c == ')';
	} while (depth > 0 && f->at < f->in.size);
}

/*
 * Return the size of an operator name or "->" at the current offset, or 0. An operator's '<' and
 * '>' are not brackets.
 */
static size_t find_sign(const struct form *f)
{
	if (f->at > 0 && name_end_is_word(f->in.data[f->at]) &&
	    name_end_is_word(f->in.data[f->at - 1]))
		return 0; /* the offset is in the middle of a word, such as "my_operator<" */
	return symbol_name_sign_size(rest_of(f));
}

static void skip_angles(struct form *f)
{
	size_t depth = 0;

	do {
		const uint8_t c = f->in.data[f->at];
		const size_t sign = find_sign(f);
		if (sign > 0) {
			f->at += sign;
		} else if (c == '(') {
			skip_parentheses(f);
		} else {
			depth += c == '<';
			depth -= c == '>';
			f->at++;
		}
	} while (depth > 0 && f->at < f->in.size);
}

/*
 * Read a '('. "(*f(int))(char)" is a function that returns a function pointer, and "main.(*T).f" is
 * a method in Go, so in both cases the name continues inside the parenthesis. All other parentheses
 * contain parameters and are skipped.
 */
static void take_parenthesis(struct form *f)
{
	const struct cairn_bytes rest = rest_of(f);

	if (bytes_begin_with(rest, anonymous)) {
		keep_bytes(f, sizeof(anonymous) - 1);
	} else if (bytes_begin_with(rest, "(*") || bytes_begin_with(rest, "(&")) {
		f->at += 2;
	} else {
		skip_parentheses(f);
		f->after_parameters = true;
	}
}

/* Return true if '<' begins a Rust path such as "<X as Y>" instead of template arguments. */
static bool begins_path(const struct form *f)
{
	const char before = f->size > 0 ? f->out[f->size - 1] : '\0';

	return before == '\0' || (f->kept > 0 && strchr(" <&", before) != NULL) ||
	       bytes_begin_with(rest_of(f), "<impl ");
}

static void take_angle(struct form *f)
{
	if (bytes_begin_with(rest_of(f), "<lambda(")) {
		skip_angles(f);
		put_word(f, lambda);
	} else if (begins_path(f)) {
		keep_bytes(f, 1);
		f->kept++;
	} else {
		skip_angles(f);
		if (f->size > 2 && memcmp(f->out + f->size - 2, "::", 2) == 0)
			f->size -= 2; /* "f::<T>" in Rust */
	}
}

/*
 * Handle a closing bracket: copy it if the opening one was copied; drop it if the opening one is
 * missing.
 */
static void take_closing(struct form *f)
{
	if (f->kept == 0) {
		f->at++;
		return;
	}
	keep_bytes(f, 1);
	f->kept--;
}

static void take_square(struct form *f)
{
	const struct cairn_bytes rest = rest_of(f);

	if (!bytes_begin_with(rest, "[abi:") && !bytes_begin_with(rest, "[clone ")) {
		keep_bytes(f, 1);
		f->kept++;
		return;
	}
	const uint8_t *end = memchr(rest.data, ']', rest.size);
	f->at = end ? (size_t)(end - f->in.data) + 1 : f->in.size;
}

/* Reduce {lambda(int)#2}, {closure#0}, {{closure}} or {unnamed type#1} to the name in braces. */
static void take_brace(struct form *f)
{
	size_t depth = 0;

	put_word(f, "{");
	for (; f->at < f->in.size && f->in.data[f->at] == '{'; f->at++)
		depth++;
	while (f->at < f->in.size && !strchr("(#<{}", replace_control(f->in.data[f->at])))
		keep_bytes(f, 1);
	for (; depth > 0 && f->at < f->in.size; f->at++) {
		depth += f->in.data[f->at] == '{';
		depth -= f->in.data[f->at] == '}';
	}
	put_word(f, "}");
}

/* Return the total size if `rest` begins with `word`, digits and `end`, otherwise 0. */
static size_t numbered_size(struct cairn_bytes rest, const char *word, const char *end)
{
	size_t size = strlen(word);

	if (!bytes_begin_with(rest, word))
		return 0;
	while (size < rest.size && name_end_is_digit(rest.data[size]))
		size++;
	rest.data += size;
	rest.size -= size;
	return bytes_begin_with(rest, end) ? size + strlen(end) : 0;
}

/*
 * Replace "$_0", "'lambda1'", "'unnamed0'" and "`anonymous namespace'", which LLVM and other tools
 * use for unnamed entities.
 */
static void take_nameless(struct form *f)
{
	static const struct {
		const char *word, *end, *form;
	} rows[] = {
		{ "$_", "", lambda },
		{ "'lambda", "'", lambda },
		{ "'unnamed", "'", "{unnamed type}" },
		{ "`anonymous namespace", "'", anonymous },
		{ "`anonymous-namespace", "'", anonymous },
	};
	const struct cairn_bytes rest = rest_of(f);

	for (size_t i = 0; i < COUNT(rows); i++) {
		const size_t size = numbered_size(rest, rows[i].word, rows[i].end);
		if (size > 0) {
			f->at += size;
			put_word(f, rows[i].form);
			return;
		}
	}
	keep_bytes(f, 1);
}

static bool skip_qualifier(struct form *f)
{
	static const char *const words[] = { " const",    " volatile", " &&",     " &",
		                             " noexcept", " restrict", " throws", " async" };
	const struct cairn_bytes rest = rest_of(f);

	for (size_t i = 0; i < COUNT(words); i++) {
		const size_t size = strlen(words[i]);
		if (bytes_begin_with(rest, words[i]) && ends_word(rest, size)) {
			f->at += size;
			return true;
		}
	}
	return false;
}

static void take_blank(struct form *f)
{
	const struct cairn_bytes rest = rest_of(f);

	if (f->after_parameters && skip_qualifier(f))
		return;
	if (f->kept == 0 &&
	    (bytes_begin_with(rest, " -> ") || bytes_begin_with(rest, " in conformance "))) {
		/* in Swift, the rest is the result type or the conforming type, so drop it */
		f->at = f->in.size;
		return;
	}
	if (bytes_begin_with(rest, " [clone ") || bytes_begin_with(rest, " (.")) {
		f->at++;
		return;
	}
	keep_bytes(f, 1);
	if (f->kept == 0 && !f->has_operator)
		f->start = f->size;
}

/*
 * Drop "{lambda}::" before operator(). In debug information, the name of an inlined lambda may lack
 * this part: "f::operator()" for a lambda in f. Both names must have the same normal form.
 */
static void drop_lambda(struct form *f)
{
	static const char before[] = "{lambda}::";
	enum { SIZE = sizeof(before) - 1 };

	if (f->size >= SIZE && memcmp(f->out + f->size - SIZE, before, SIZE) == 0)
		f->size -= SIZE;
}

/*
 * Copy "operator" and its sign, which must not be interpreted as brackets. In a conversion
 * operator, the target type is part of the name.
 */
static void take_operator(struct form *f)
{
	enum { WORD = sizeof("operator") - 1 };
	const struct cairn_bytes rest = rest_of(f);

	if (!bytes_begin_with(rest, "operator") || !ends_word(rest, WORD) ||
	    (f->size > 0 && name_end_is_word((uint8_t)f->out[f->size - 1]))) {
		keep_bytes(f, 1);
		return;
	}
	const size_t sign = symbol_name_sign_size(rest);
	f->has_operator = true;
	if (bytes_begin_with(rest, "operator()"))
		drop_lambda(f);
	keep_bytes(f, sign ? sign : WORD);
	if (!sign && bytes_begin_with(rest_of(f), "()"))
		keep_bytes(f, 2);
}

static void take_next(struct form *f)
{
	switch (f->in.data[f->at]) {
	case '(':
		take_parenthesis(f);
		break;
	case '<':
		take_angle(f);
		break;
	case '[':
		take_square(f);
		break;
	case '{':
		take_brace(f);
		break;
	case ')':
		f->at++;
		break;
	case '>':
	case ']':
		take_closing(f);
		break;
	case '$':
	case '\'':
	case '`':
		take_nameless(f);
		break;
	case ' ':
		take_blank(f);
		break;
	case 'o':
		take_operator(f);
		break;
	default:
		keep_bytes(f, bytes_begin_with(rest_of(f), "->") ? 2 : 1);
		break;
	}
}

/*
 * Return the size of a string after truncating it to at most `most` bytes at a UTF-8 character
 * boundary.
 */
static size_t cut_form(const char *out, size_t size, size_t most)
{
	size_t cut = most;

	if (size <= most)
		return size;
	while (cut > most - 3 && ((uint8_t)out[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

size_t name_form_plain(struct cairn_bytes text, size_t most, char *out)
{
	for (size_t i = 0; i < text.size; i++)
		out[i] = replace_control(text.data[i]);
	return cut_form(out, text.size, most);
}

/*
 * Move the name to the front of `out`, without its return type and without "__GI_", the prefix of
 * glibc's internal aliases. Return its size.
 */
static size_t finish_form(struct form *f)
{
	static const char internal[] = "__GI_";

	while (f->size > 0 && f->out[f->size - 1] == ' ')
		f->size--;
	if (f->start >= f->size)
		f->start = 0;
	const struct cairn_bytes name = { (const uint8_t *)f->out + f->start, f->size - f->start };
	if (bytes_continue_after(name, internal))
		f->start += sizeof(internal) - 1;
	f->size -= f->start;
	memmove(f->out, f->out + f->start, f->size);
	return cut_form(f->out, f->size, NAME_FORM_MAX);
}

size_t name_form(struct cairn_bytes name, char *out)
{
	struct form f = { .in = name_end_trim(name), .out = out };

	if (bytes_begin_with(name, "Swift runtime failure: "))
		return name_form_plain(name, NAME_FORM_MAX, out);
	while (f.at < f.in.size)
		take_next(&f);
	const size_t size = finish_form(&f);
	return size > 0 ? size : name_form_plain(name, NAME_FORM_MAX, out);
}

/*
 * Lists of functions whose frames are omitted from signatures. Any change to a list changes
 * signatures, so increase SIGNATURE_RULES (signature.h), too.
 */

/*
 * Memory and string functions. C libraries have processor-specific and checked variants, so memcpy
 * also matches __memcpy, __memcpy_chk and __memcpy_avx_unaligned.
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

/* Other functions whose callers have the bug. A trailing '*' matches any ending. */
static const char *const inner[] = {
	/* functions that raise signals or terminate the program */
	"raise", "gsignal", "abort", "kill", "tkill", "tgkill", "killpg", "sigqueue",
	"pthread_kill*", "__pthread_kill*", "__kill", "__abort*", "pthread_sigqueue", "syscall",
	"__restore_rt", "__kernel_rt_sigreturn", "__kernel_vsyscall",
	/* assertions and checks in the C library */
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
	/* Go panics, and memory functions of the Go runtime */
	"runtime.gopanic*", "runtime.goPanic*", "runtime.panic*", "runtime.sigpanic*",
	"runtime.throw*", "runtime.fatal*", "runtime.raise*", "runtime.dieFromSignal*",
	"runtime.crash*", "runtime.sighandler*", "runtime.sigtramp*", "runtime.sigfwdgo*",
	"runtime.memmove*", "runtime.memclr*", "runtime.memequal*", "runtime.mallocgc*",
	/* Swift traps */
	"Swift._assertionFailure", "Swift._fatalErrorMessage", "_assertionFailure",
	"_fatalErrorMessage", "Swift runtime failure: *", "swift::fatalError*",
	"_swift_runtime_on_report",
	/* sanitizers */
	"__asan*", "__hwasan*", "__lsan*", "__msan*", "__tsan*", "__ubsan*", "__sanitizer*",
	"__interceptor_*", "___interceptor_*", "__interception*"
};

static const char *const outer[] = {
	/* startup functions of C libraries */
	"_start", "__libc_start_*", "__libc_init_*", "_dl_start_user", "start_thread", "clone",
	"clone3", "__clone", "__clone3", "__clone_internal", "__pthread_start", "_pthread_start",
	"__start_thread", "__bionic_clone", "__libc_init",
	/* startup functions of C++ */
	"execute_native_thread_routine", "std::thread::_State_impl::_M_run",
	"std::thread::_Invoker::*", "std::__invoke*", "std::__1::__thread_proxy",
	"std::__1::__thread_execute",
	/* startup functions of Rust */
	"std::rt::lang_start*", "std::thread::Builder::*",
	"std::sys::unix::thread::Thread::new::thread_start",
	"std::sys::pal::unix::thread::Thread::new::thread_start",
	"std::sys::thread::unix::Thread::new::thread_start",
	"std::sys_common::backtrace::__rust_begin_short_backtrace",
	"std::sys::backtrace::__rust_begin_short_backtrace",
	/* startup functions of Go and Windows */
	"runtime.goexit*", "runtime.main", "RtlUserThreadStart", "BaseThreadInitThunk"
};

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

/*
 * Return true for functions such as memcpy, __memcpy, and variants of __memcpy such as
 * __memcpy_chk.
 */
static bool is_text_function(struct cairn_bytes name)
{
	const bool is_internal = bytes_continue_after(name, "__");
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
