/* SPDX-License-Identifier: MIT */
/*
 * cairn for C++17: owners of the objects in <cairn.h>, ranges, and exceptions.
 *
 *	const auto stacks = cairn::stacks::open_file("core");
 *	for (const auto &frame : stacks.walk(0))
 *		for (const auto &location : frame.names())
 *			std::cout << location.demangled() << ':' << location.line << '\n';
 *
 * Everything is inline and calls libcairn; <cairn/functions.hpp> calls libcairn-dwarf. An object
 * frees what it has opened, and can be moved but not copied. Plain data is in the structs of
 * <cairn.h>; the comments there also explain all limits, and how long strings live. cairn::view()
 * converts borrowed bytes to a std::string_view. To call a function of <cairn.h> that has no
 * counterpart here, pass it the object's get().
 *
 * Failures throw cairn::error, or std::bad_alloc if an allocation has failed. An address without
 * symbols is not a failure: it has no locations. Callbacks are borrowed, and may throw exceptions.
 */
#ifndef CAIRN_HPP
#define CAIRN_HPP

#include <cairn.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cairn
{

inline std::string_view view(cairn_bytes bytes)
{
	return { reinterpret_cast<const char *>(bytes.data), bytes.size };
}

/* Lend a string to a function in <cairn.h>. */
inline cairn_bytes bytes(std::string_view text)
{
	return { reinterpret_cast<const uint8_t *>(text.empty() ? "" : text.data()), text.size() };
}

/* Return the context of callbacks that cast it back to Host. */
template <class Host> void *context_of(Host &host)
{
	return const_cast<std::remove_const_t<Host> *>(&host);
}

/* A failure, with copies of the strings in struct cairn_error. what() is the path and the text. */
struct error : std::runtime_error {
	cairn_status status;
	int system = 0;         /* errno of the failed system call, or 0 */
	std::string path, text; /* `path` may be empty */

	explicit error(const cairn_error &from)
	    : runtime_error((*from.path ? from.path + std::string(": ") : "") + from.text),
	      status(from.status), system(from.system), path(from.path), text(from.text)
	{
	}
	explicit error(const cairn_fault &from)
	    : runtime_error(from.what), status(from.status), text(from.what)
	{
	}
};

/* Throw unless the status is CAIRN_OK. `details` is a struct cairn_error or cairn_fault. */
template <class Details> void check(cairn_status status, const Details &details)
{
	if (status == CAIRN_NO_MEMORY)
		throw std::bad_alloc();
	if (status != CAIRN_OK)
		throw error(details);
}

inline void check(cairn_status status)
{
	check(status, cairn_fault{ status, 0, cairn_status_text(status) });
}

/* Owns an object of <cairn.h>. */
template <class Object, void (*Free)(Object *)> class owner
{
	std::unique_ptr<Object, void (*)(Object *)> object_;

      public:
	using type = Object;
	/* Take ownership. Throws std::bad_alloc if the object is NULL. */
	explicit owner(Object *object) : object_(object, Free)
	{
		if (!object)
			throw std::bad_alloc();
	}
	Object *get() const noexcept
	{
		return object_.get();
	}
};

/* Call a function that opens an object. Its last parameters are the object and the details. */
template <class Owner, class Function, class... Arguments>
Owner opened(Function function, Arguments... arguments)
{
	typename Owner::type *object = nullptr;
	constexpr bool has_error =
		std::is_invocable_v<Function, Arguments..., decltype(&object), cairn_error *>;
	std::conditional_t<has_error, cairn_error, cairn_fault> details;
	check(function(arguments..., &object, &details), details);
	return Owner(object);
}

/* Return the demangled form of a linkage name, or the name itself if there is none. */
inline std::string demangle(std::string_view name, cairn_name_form form = CAIRN_NAME_SHORT)
{
	const std::unique_ptr<char[]> text(new char[CAIRN_DEMANGLE_MAX]);
	const size_t size = cairn_demangle_as(bytes(name), form, text.get(), CAIRN_DEMANGLE_MAX);
	return size > 0 ? std::string(text.get(), size) : std::string(name);
}

/* A location. Its strings are borrowed from the symbols. */
struct location : cairn_location {
	location(const cairn_location &from = {}) : cairn_location(from)
	{
	}
	std::string_view name() const
	{
		return view(function);
	}
	std::string demangled() const
	{
		return demangle(name());
	}
	std::string path() const
	{
		std::string path(cairn_location_path(this, nullptr, 0), '\0');
		cairn_location_path(this, path.data(), path.size() + 1);
		return path;
	}
};

/* The symbols of one module. */
class symbols : public owner<cairn_symbols, cairn_symbols_free>
{
	using choice = const cairn_symbols_options &;

      public:
	using owner::owner;
	static symbols open(const std::string &path, choice options = CAIRN_SYMBOLS_OPTIONS)
	{
		return opened<symbols>(cairn_symbols_open, path.c_str(), &options);
	}
	/* Open a file in memory, which is borrowed until the symbols are freed. */
	static symbols open_bytes(std::string_view file, choice options = CAIRN_SYMBOLS_OPTIONS)
	{
		return opened<symbols>(cairn_symbols_open_bytes, bytes(file), &options);
	}
	/* Search for the symbols of the file at `path`, whose build ID the options contain. */
	static symbols search(const std::string &path, const char *directories, choice options)
	{
		return opened<symbols>(cairn_symbols_search, path.c_str(), directories, &options);
	}
	std::string_view build_id() const
	{
		return view(cairn_symbols_build_id(get()));
	}
	/* Look up an address: the innermost inlined call first, and the function last. */
	std::vector<location> find(uint64_t va) && = delete; /* the symbols own the strings */
	std::vector<location> find(uint64_t va) const &
	{
		std::vector<location> locations;
		cairn_lookup_result result;
		const cairn_status status = cairn_symbols_find(get(), va, &result);
		check(status == CAIRN_NOT_FOUND ? CAIRN_OK : status, result.fault);
		for (location next; status == CAIRN_OK && cairn_lookup_result_next(&result, &next);)
			locations.push_back(next);
		return locations;
	}
};

/*
 * The answer for an address. It is a range: for (cairn::location location : answer). Valid until
 * the symbolizer's next lookup.
 */
struct answer : cairn_symbol_answer {
	const cairn_location *begin() const
	{
		return locations;
	}
	const cairn_location *end() const
	{
		return locations + count;
	}
};

/* Looks up addresses in any number of modules. */
class symbolizer : public owner<cairn_symbolizer, cairn_symbolizer_free>
{
      public:
	explicit symbolizer(const cairn_symbolizer_options &options = CAIRN_SYMBOLIZER_OPTIONS)
	    : owner(cairn_symbolizer_new(&options))
	{
	}
	void add(const cairn_symbol_source &source)
	{
		check(cairn_symbolizer_add(get(), &source));
	}
	std::vector<answer> find(const cairn_symbol_module &in, const std::vector<uint64_t> &vas)
	{
		std::vector<answer> answers(vas.size());
		check(cairn_symbolizer_find(get(), &in, vas.data(), vas.size(), answers.data(),
		                            sizeof(answer)));
		return answers;
	}
};

/* A frame. The stacks from which it comes must outlive it. */
struct frame : cairn_stack_frame {
	cairn_stacks *stacks;

	explicit frame(cairn_stacks *from)
	    : cairn_stack_frame(CAIRN_SIZED(cairn_stack_frame)), stacks(from)
	{
	}
	/* Look up the names: the innermost inlined call first, and the function last. */
	std::vector<location> names() const
	{
		cairn_location all[CAIRN_STACK_NAMES];
		return { all, all + cairn_stacks_names(stacks, lookup, all, CAIRN_STACK_NAMES) };
	}
};

/* A thread's frames, innermost first, and the reason why the walk ended. */
struct stack {
	std::vector<frame> frames;
	cairn_stack_end ended;
	std::vector<frame>::const_iterator begin() const
	{
		return frames.begin();
	}
	std::vector<frame>::const_iterator end() const
	{
		return frames.end();
	}
};

/* The stacks of a core, a minidump or a process. */
class stacks : public owner<cairn_stacks, cairn_stacks_close>
{
	template <class Result> Result read(void (*fill)(const cairn_stacks *, Result *)) const
	{
		Result result = CAIRN_SIZED(Result);
		return fill(get(), &result), result;
	}
	template <class Item>
	std::vector<Item> list(bool (*fill)(const cairn_stacks *, size_t, Item *)) const
	{
		std::vector<Item> items;
		for (Item item = CAIRN_SIZED(Item); fill(get(), items.size(), &item);)
			items.push_back(item);
		return items;
	}

      public:
	using owner::owner;
	static stacks open(const cairn_stacks_options &options)
	{
		return opened<stacks>(cairn_stacks_open, &options);
	}
	static stacks open_file(const std::string &path)
	{
		return opened<stacks>(cairn_stacks_open_file, path.c_str());
	}
	static stacks open_process(uint64_t pid)
	{
		return opened<stacks>(cairn_stacks_open_process, pid);
	}
	std::vector<cairn_thread> threads() const
	{
		return list(cairn_stacks_thread);
	}
	std::vector<cairn_loaded_module> modules() const
	{
		return list(cairn_stacks_module);
	}
	cairn_process process() const
	{
		return read(cairn_stacks_process);
	}
	cairn_crash crash() const
	{
		return read(cairn_stacks_crash);
	}
	/* Walk a thread's stack, up to `limit` frames; 0 walks all. */
	stack walk(size_t thread, size_t limit = 0) && = delete; /* frames need the stacks */
	stack walk(size_t thread, size_t limit = 0) const &
	{
		stack stack{ {}, CAIRN_SIZED(cairn_stack_end) };
		frame frame(get());
		bool more = cairn_stacks_begin(get(), thread);
		while (more && (limit == 0 || stack.frames.size() < limit)) {
			cairn_stacks_frame(get(), &frame);
			stack.frames.push_back(frame);
			more = cairn_stacks_next(get());
		}
		if (!more)
			cairn_stacks_end(get(), &stack.ended);
		return stack;
	}
};

/*
 * The modules of a target. `memory` must outlive the space. memory(address, buffer, size) copies
 * bytes of the target's memory, and returns false if it cannot copy all of them.
 */
class space : public owner<cairn_space, cairn_space_free>
{
	template <class Memory>
	static cairn_status read(void *context, uint64_t address, void *buffer, size_t size)
	{
		Memory &memory = *static_cast<Memory *>(context);
		return memory(address, buffer, size) ? CAIRN_OK : CAIRN_UNREADABLE;
	}
	static cairn_space *make(cairn_target target)
	{
		return cairn_space_new(&target);
	}

      public:
	using owner::owner;
	template <class Memory>
	explicit space(Memory &memory) : owner(make({ read<Memory>, context_of(memory) }))
	{
	}
	/* Find the caller; the result's `stop` is CAIRN_STOP_NONE if there is one. */
	cairn_step unwind(const cairn_registers &frame, cairn_frame_kind kind)
	{
		cairn_step step;
		return cairn_unwind(get(), &frame, kind, nullptr, &step), step;
	}
};

/*
 * A filter for logs with markup. `host` must outlive the filter, and has two of the callbacks in
 * struct cairn_markup_host as member functions: host.write(text), where `text` is a
 * std::string_view, and host.code(question, answer), whose parameters are references.
 */
class markup : public owner<cairn_markup, cairn_markup_free>
{
	template <class Host> static void write(void *context, const void *text, size_t size)
	{
		static_cast<Host *>(context)->write({ static_cast<const char *>(text), size });
	}
	template <class Host>
	static bool code(void *context, const cairn_markup_query *in, cairn_markup_result *out)
	{
		return static_cast<Host *>(context)->code(*in, *out);
	}
	template <class Host>
	static cairn_markup *make(Host &host, const cairn_markup_options &options)
	{
		cairn_markup_host callbacks = CAIRN_SIZED(cairn_markup_host);
		callbacks.context = context_of(host);
		callbacks.write = write<Host>;
		callbacks.code = code<Host>;
		return cairn_markup_new(&options, &callbacks);
	}

      public:
	using owner::owner;
	template <class Host>
	explicit markup(Host &host, const cairn_markup_options &options = CAIRN_MARKUP_OPTIONS)
	    : owner(make(host, options))
	{
	}
	void feed(std::string_view text)
	{
		check(cairn_markup_feed(get(), bytes(text)));
	}
	void pause()
	{
		cairn_markup_pause(get());
	}
	void finish()
	{
		check(cairn_markup_finish(get()));
	}
};

/* A profile. The bytes passed to open() are borrowed until the profile is closed. */
class profile : public owner<cairn_profile, cairn_profile_close>
{
	template <class Sink> static int give(void *context, const void *piece, size_t size)
	{
		Sink &sink = *static_cast<Sink *>(context);
		return sink(std::string_view(static_cast<const char *>(piece), size)), 0;
	}

      public:
	using owner::owner;
	static profile open(std::string_view file,
	                    cairn_profile_version version = CAIRN_PROFILE_GUESSED)
	{
		return opened<profile>(cairn_profile_open, bytes(file), version);
	}
	static profile open_recording(std::string_view file, const cairn_recording_options &options)
	{
		return opened<profile>(cairn_profile_open_recording, bytes(file), &options);
	}
	/* Look up names; `naming` is a sum of enum cairn_profile_naming, or 0. */
	void symbolize(symbolizer &names, unsigned naming = 0)
	{
		check(cairn_profile_symbolize(get(), names.get(), naming));
	}
	/* Write the profile by calling sink(piece) for each piece, which is a std::string_view. */
	template <class Sink> void write(enum cairn_profile_format format, Sink &sink) const
	{
		const cairn_profile_output output = { give<Sink>, context_of(sink), nullptr };
		cairn_fault fault;
		check(cairn_profile_write(get(), format, &output, &fault), fault);
	}
};

} // namespace cairn

#endif
