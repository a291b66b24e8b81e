/* SPDX-License-Identifier: MIT */
/* C++ exceptions through functions with destructors, with and without frame pointers. */
#include "stops.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/* Like ENTER() and LEAVE(), but also restores the shadow stack when an exception leaves a function. */
struct entered {
	unsigned level;
	__attribute__((always_inline)) explicit entered(void *ra) : level(shadow.depth)
	{
		shadow.ra[level] = ra;
		BARRIER();
		shadow.depth = level + 1;
		BARRIER();
	}
	__attribute__((always_inline)) ~entered()
	{
		BARRIER();
		shadow.depth = level;
		BARRIER();
	}
};
#define ENTERED() entered in_function(__builtin_return_address(0))

static NOINLINE unsigned long descend(unsigned depth, unsigned long seed);

NOINLINE static void fail(unsigned long seed)
{
	ENTERED();
	if (seed % 3 == 0)
		throw std::runtime_error("three" + std::to_string(seed));
	if (seed % 3 == 1)
		throw static_cast<int>(seed);
	throw std::string("a text that is too long for the object itself ") + std::to_string(seed);
}

NOINLINE __attribute__((optimize("no-omit-frame-pointer"))) static unsigned long with_pointer(unsigned depth, unsigned long seed)
{
	ENTERED();
	std::vector<unsigned long> values(20 + seed % 30);
	for (auto &value : values)
		value = seed = seed * 6364136223846793005u + 1442695040888963407u;
	std::sort(values.begin(), values.end(), [](unsigned long a, unsigned long b) { return a % 1000 < b % 1000; });
	return values[3] + descend(depth, seed);
}

NOINLINE __attribute__((optimize("omit-frame-pointer"))) static unsigned long without_pointer(unsigned depth, unsigned long seed)
{
	ENTERED();
	auto held = std::make_unique<std::string>(seed % 50, 'x');
	try {
		return descend(depth, seed + 1) + held->size();
	} catch (const std::runtime_error &error) {
		if (depth % 3 == 0)
			throw;
		return std::string(error.what()).size();
	} catch (int value) {
		return static_cast<unsigned long>(value) + descend(depth > 2 ? depth - 2 : 0, seed / 2);
	}
}

struct base {
	virtual ~base() = default;
	virtual unsigned long run(unsigned depth, unsigned long seed) = 0;
};
struct derived : base {
	NOINLINE unsigned long run(unsigned depth, unsigned long seed) override
	{
		ENTERED();
		return descend(depth, seed * 3) + 1;
	}
};

NOINLINE static unsigned long descend(unsigned depth, unsigned long seed)
{
	ENTERED();
	if (depth == 0) {
		if (seed % 2)
			fail(seed);
		return seed;
	}
	switch (seed % 3) {
	case 0:
		return with_pointer(depth - 1, seed + 7);
	case 1:
		return without_pointer(depth - 1, seed + 5);
	default:
		std::unique_ptr<base> object = std::make_unique<derived>();
		return object->run(depth - 1, seed + 3);
	}
}

int main(int argc, char **argv)
{
	stops_unentered = 12;
	stops_begin(argc, argv);
	for (unsigned long seed = 1; !stops_enough(); seed++) {
		try {
			stops_sink = stops_sink + descend(static_cast<unsigned>(seed % 12) + 1, seed);
		} catch (...) {
			stops_sink = stops_sink + 1;
		}
	}
	return stops_end("exceptions");
}
